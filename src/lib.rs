//! `olmdex` reads Operator Lifecycle Manager (OLM) catalogs, checks them, stores them in one embedded SQLite file and
//! answers from it.
//!
//! The modules form layers; a module uses lower layers only:
//!
//! | layer | module | what it does |
//! |---|---|---|
//! | 0 | [`version`] | versions with releases, byte sort keys, and the two range languages |

pub mod json;
pub mod version;
pub mod yaml;
