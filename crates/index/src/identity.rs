//! The marks by which an index is recognized.

/// `PRAGMA application_id` of an index: the letters `olmd`.
pub const APPLICATION_ID: i32 = 0x6F6C_6D64;

/// `PRAGMA user_version` of an index: the number of the last migration.
pub const SCHEMA_VERSION: i32 = 11;

/// The path of an index that was made in memory, as SQLite names it.
pub(super) const IN_MEMORY: &str = ":memory:";
