//! By what an index is recognised.
//!
//! What it deliberately does not do: it reads nothing.

/// `PRAGMA application_id` of an index: the letters `olmd`.
pub const APPLICATION_ID: i32 = 0x6F6C_6D64;

/// `PRAGMA user_version` of an index: the number of the last migration.
pub const SCHEMA_VERSION: i32 = 8;
