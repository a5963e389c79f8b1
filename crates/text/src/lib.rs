//! Texts: the formats that a catalog is written in, before it is known to be a catalog.
//!
//! | module | what it does |
//! |---|---|
//! | [`json`] | reads JSON into flat documents that know their places, and writes them |
//! | [`yaml`] | reads YAML, in the dialect of go-yaml v2, into JSON with places, and writes it |
//! | [`api`] | the name of a Kubernetes API: group, version and kind |
//! | [`gotype`] | says whether a value fits a type of Go, in Go's words |
//! | [`re2`] | matches regular expressions with RE2's meaning |
//! | [`encoding`] | percent-coding, hexadecimal digits, words of a shell |
//! | [`calendar`] | days, and moments as texts |
//! | [`palette`] | colours for light and dark screens, and their contrast |
//! | [`budget`] | the work and the memory that something made by a stranger may cost |
//! | [`ceiling`], [`tally`] | limits of a process, and steps of work that tests count |
//!
//! Every reader here takes any bytes and returns a value or an error with a place. None of them panics, and none
//! recurses to a depth that the input decides.
//!
//! This crate deliberately opens no file and knows no word of the catalog format.

pub mod api;
pub mod budget;
pub mod calendar;
pub mod ceiling;
pub mod encoding;
pub mod gotype;
pub mod json;
pub mod palette;
pub mod re2;
pub mod tally;
mod word;
pub mod yaml;
