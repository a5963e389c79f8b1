//! The reports of an analysis to the server.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::catalog::{Catalog, Key};
use super::documents::Group;

/// The results of an analysis.
#[derive(Debug)]
pub(super) enum Analysed {
    Names(Vec<Names>),
    Findings(Vec<Report>),
    /// The analysis has failed, and there will be no other.
    Lost,
}

/// The names of a group.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) group: Group,
    /// The number of the job.
    pub(super) number: u64,
    pub(super) catalog: Arc<Catalog>,
    pub(super) listed: Instant,
}

/// The findings about a group.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) group: Group,
    pub(super) files: Vec<FileReport>,
    /// Messages for the user.
    pub(super) remarks: Vec<String>,
}

/// The findings about a document.
#[derive(Debug)]
pub(super) struct FileReport {
    pub(super) key: Key,
    pub(super) uri: String,
    /// The text that it is about, if the document is open.
    pub(super) serial: Option<u64>,
    pub(super) version: Option<i64>,
    pub(super) shown: Vec<Value>,
}
