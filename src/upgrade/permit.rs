//! What permits an upgrade: a field of an entry of a channel. Both generations of OLM know the same three.

use schemars::JsonSchema;
use serde::Serialize;

/// The field of a channel's entry that makes an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Field {
    /// `replaces` is the installed name.
    Replaces,
    /// `skips` has the installed name.
    Skips,
    /// `skipRange` has the installed version.
    SkipRange,
}

impl Field {
    /// The field as catalogs spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Replaces => "replaces",
            Self::Skips => "skips",
            Self::SkipRange => "skipRange",
        }
    }
}

/// What permits an upgrade: a field of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Permit {
    /// The channel.
    pub channel: String,
    /// The entry: the bundle that the edge leads to.
    pub entry: String,
    /// The field.
    pub field: Field,
    /// Its value; of `skips` the item.
    pub value: String,
    /// The file in which the channel stands.
    pub file: String,
    /// The channel's first line there, from 1.
    pub line: u32,
}
