//! The envelope of JSON output.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

/// This program's version.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What every JSON output is wrapped in.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Envelope<T> {
    /// Version of the output's form: `olmdex/v1`.
    pub api_version: String,
    /// What the items are.
    pub kind: String,
    /// About the answer as a whole.
    pub metadata: Metadata,
    /// The answer.
    pub items: Vec<T>,
}

/// About an answer as a whole.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// How many items there are.
    pub count: usize,
}

impl<T: Serialize> Envelope<T> {
    pub(crate) fn new(kind: &str, items: Vec<T>) -> Self {
        let metadata = Metadata { count: items.len() };
        Self { api_version: "olmdex/v1".to_owned(), kind: kind.to_owned(), metadata, items }
    }

    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }
}
