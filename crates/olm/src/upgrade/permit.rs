//! The permits of upgrades: fields of an entry of a channel. Both generations of OLM know the same three.

use schemars::JsonSchema;
use serde::Serialize;

use olmdex_base::diag::Place;
use olmdex_base::variant_name;

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
    pub fn as_str(self) -> &'static str {
        variant_name(&self)
    }
}

/// A permit for an upgrade: a field of an entry.
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
    /// The line there of the field's value, from 1; of `skips` that of the item.
    pub line: u32,
    /// Its column, in characters from 1.
    pub column: u32,
}

impl Permit {
    /// The permit that a field of an entry gives; `place` is that of its value.
    pub(super) fn new(channel: &str, entry: &str, field: Field, value: &str, place: Place) -> Self {
        Self {
            channel: channel.to_owned(),
            entry: entry.to_owned(),
            field,
            value: value.to_owned(),
            file: place.file,
            line: place.line,
            column: place.column,
        }
    }

    /// The place of the field's value: `file:line:column`.
    pub fn place(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }
}
