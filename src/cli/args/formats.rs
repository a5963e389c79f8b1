//! Choices that several commands offer in the same words: tools to agree with, forms of blobs.
//!
//! What it deliberately does not do: it renders nothing.

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::fbc::{Format, Level};

/// Tools whose output can be had instead of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// opm of the operator framework: what it prints, and what it loses or refuses is lost or refused
    Opm,
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Json, Self::Yaml]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Json => PossibleValue::new("json").help("JSON, indented by four"),
            Self::Yaml => PossibleValue::new("yaml").help("YAML documents"),
        })
    }
}

/// Migrations of blobs, named as opm names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MigrateLevel {
    /// Manifests stay as `olm.bundle.object` properties
    None,
    /// An `olm.csv.metadata` property takes the place of the manifests
    BundleObjectToCsvMetadata,
    /// All migrations
    All,
}

impl From<MigrateLevel> for Level {
    fn from(level: MigrateLevel) -> Self {
        match level {
            MigrateLevel::None => Self::None,
            MigrateLevel::BundleObjectToCsvMetadata | MigrateLevel::All => Self::CsvMetadata,
        }
    }
}

/// Formats of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerFormat {
    /// For people
    #[value(alias = "table", alias = "wide")]
    Text,
    /// JSON envelope
    Json,
    /// YAML of the JSON envelope
    Yaml,
}
