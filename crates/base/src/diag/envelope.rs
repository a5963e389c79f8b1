//! The envelope of every JSON answer.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

/// This program's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What every JSON output is wrapped in.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Envelope<T, M = Metadata> {
    /// Version of the output's form: `olmdex/v1`.
    pub api_version: String,
    /// What the items are.
    pub kind: String,
    /// About the answer as a whole.
    pub metadata: M,
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

/// A version that an object pins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PinState {
    /// The object: `Subscription NAMESPACE/NAME` or `ClusterExtension NAME`.
    pub object: String,
    /// Its package.
    pub package: String,
    /// The bundle that its `startingCSV` names, or its range of versions; `null` if it pins nothing.
    pub pin: Option<String>,
    /// Whether the catalog has it; `null` if there is no pin, or the catalog is not known.
    pub exists: Option<bool>,
    /// The pin before the change; `null` if there was none or it is the same.
    pub from: Option<String>,
    /// The upgrades from that pin to this one, each of which is approved by itself; empty if none lead there.
    pub path: Vec<String>,
    /// The bundle that OLM offers next; `null` if there is none.
    pub next: Option<String>,
}

/// About findings as a whole.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingsMetadata {
    /// How many items there are.
    pub count: usize,
    /// How many findings are not among the items, by what hides them; only if something does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<BTreeMap<String, usize>>,
    /// How many existing objects were looked at; only if some were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<usize>,
    /// The packages of the catalog that own each definition; only if a catalog was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owners: Option<BTreeMap<String, Vec<String>>>,
    /// The versions that Subscriptions and ClusterExtensions pin; only if manifests were compared with catalogs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pins: Option<Vec<PinState>>,
    /// What a pipeline checks and could not be checked here, with what is missing; only if a pipeline was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_checked: Option<Vec<String>>,
}

impl<T: Serialize> Envelope<T> {
    /// Answers of a kind.
    #[must_use]
    pub fn new(kind: &str, items: Vec<T>) -> Self {
        let metadata = Metadata { count: items.len() };
        Self::with(kind, metadata, items)
    }
}

impl<T: Serialize, M: Serialize> Envelope<T, M> {
    /// Answers of a kind, with what is to be said of them as a whole.
    pub fn with(kind: &str, metadata: M, items: Vec<T>) -> Self {
        Self { api_version: "olmdex/v1".to_owned(), kind: kind.to_owned(), metadata, items }
    }

    /// Writes it as indented JSON, with a line break at the end.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }
}
