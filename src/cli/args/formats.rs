//! Choices that several commands offer in the same words: tools to agree with, forms of blobs.
//!
//! What it deliberately does not do: it renders nothing.

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

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

/// Forms of data. Most commands offer some of them beside those for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DataFormat {
    /// JSON envelope
    Json,
    /// One JSON object a line
    Jsonl,
    /// YAML of the JSON envelope
    Yaml,
}

/// Formats of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerFormat {
    Text,
    /// Text with whole cells, however long.
    Wide,
    Data(DataFormat),
    Name,
    Csv,
    Markdown,
}

/// How answers are printed.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct AnswerOptions {
    /// Output format
    #[arg(short, long, value_enum, default_value_t = AnswerFormat::Text)]
    pub(crate) output: AnswerFormat,
    /// With `-o csv`: put a `'` before cells that a spreadsheet would take for formulas, which begin with = + - @
    #[arg(long)]
    pub(crate) quote_formulas: bool,
}

impl ValueEnum for AnswerFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Text,
            Self::Wide,
            Self::Data(DataFormat::Json),
            Self::Data(DataFormat::Jsonl),
            Self::Data(DataFormat::Yaml),
            Self::Name,
            Self::Csv,
            Self::Markdown,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Name => Some(PossibleValue::new("name").help("Names only, one a line")),
            Self::Csv => Some(PossibleValue::new("csv").help("The main table as comma-separated values")),
            Self::Markdown => Some(PossibleValue::new("markdown").help("The main table in Markdown, or a page")),
            Self::Text => Some(
                PossibleValue::new("text").alias("table").help("For people; on a terminal, cells are cut to its width"),
            ),
            Self::Wide => Some(PossibleValue::new("wide").help("For people, with all cells whole")),
            Self::Data(format) => format.to_possible_value(),
        }
    }
}

/// Formats of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowFormat {
    Table,
    Wide,
    Data(DataFormat),
    Name,
    Csv,
    Markdown,
}

impl ValueEnum for RowFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Table,
            Self::Wide,
            Self::Data(DataFormat::Json),
            Self::Data(DataFormat::Jsonl),
            Self::Data(DataFormat::Yaml),
            Self::Name,
            Self::Csv,
            Self::Markdown,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Table => ("table", "Aligned columns"),
            Self::Wide => ("wide", "Aligned columns, more of them"),
            Self::Data(format) => return format.to_possible_value(),
            Self::Name => ("name", "Names only, one a line"),
            Self::Csv => ("csv", "Comma-separated values"),
            Self::Markdown => ("markdown", "Table in Markdown"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}
