//! Choices that several commands offer in the same words: tools to agree with, forms of blobs.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::fbc::{Format, Level};

/// The words of an option whose type belongs to the library, which knows nothing of command lines.
pub(in crate::cli) trait Words: Clone + Send + Sync + 'static {
    fn value_variants<'a>() -> &'a [Self];

    fn to_possible_value(&self) -> Option<PossibleValue>;
}

/// Reads one of the [`Words`] of a type, as `value_enum` does for types of the command line.
pub(in crate::cli) fn words<T: Words>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::value_variants().iter().filter_map(T::to_possible_value)).map(|word| {
        let is_meant = |it: &&T| it.to_possible_value().is_some_and(|it| it.matches(&word, false));
        T::value_variants().iter().find(is_meant).cloned().expect("the parser takes no other word")
    })
}

/// The words of an option: for each value the word, another accepted word, and the help; a value that wraps one of
/// another option has its words from there, or only its names. `Words for` means that the type belongs to the library.
macro_rules! choices {
    (Words for $kind:ty => $($rest:tt)+) => {
        choices! { @ $crate::cli::args::formats::Words, $kind => $($rest)+ }
    };
    ($kind:ty => $($rest:tt)+) => {
        choices! { @ clap::ValueEnum, $kind => $($rest)+ }
    };
    (@ $words:path, $kind:ty => $($value:ident $(($inner:path $(, $own:literal)?))? $(: $word:literal $(| $alias:literal)*, $help:literal)?;)+) => {
        impl $words for $kind {
            fn value_variants<'a>() -> &'a [Self] {
                &[$(Self::$value $(($inner))?),+]
            }

            fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
                $(
                    if matches!(self, Self::$value $(($inner))?) {
                        $(return $inner.to_possible_value() $(.map(|it| it.help($own)))?;)?
                        $(return Some(clap::builder::PossibleValue::new($word)$(.alias($alias))*.help($help));)?
                    }
                )+
                None
            }
        }
    };
}

pub(in crate::cli) use choices;

/// Tools whose output can replace ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// opm of the operator framework: prints the same, and loses or refuses the same
    Opm,
}

choices! { Words for Format =>
    Json: "json", "JSON, indented by four spaces";
    Yaml: "yaml", "YAML documents";
}

/// Migrations of blobs, named as opm names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MigrateLevel {
    /// Manifests stay as `olm.bundle.object` properties
    None,
    /// An `olm.csv.metadata` property replaces the manifests; in short `csv-metadata`
    #[value(alias = "csv-metadata")]
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

/// Forms of data. Most commands offer some of them in addition to those for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DataFormat {
    /// JSON envelope
    Json,
    /// One JSON object a line
    Jsonl,
    /// YAML of the JSON envelope
    Yaml,
}

/// How answers are printed.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct AnswerOptions {
    /// Output format
    #[arg(short, long, value_parser = answer_format(), default_value = "table")]
    pub(crate) output: RowFormat,
    /// With `-o csv`: put a `'` before cells that a spreadsheet would take for formulas, which begin with = + - @
    #[arg(long)]
    pub(crate) quote_formulas: bool,
}

impl AnswerOptions {
    /// For people.
    pub(crate) fn text() -> Self {
        Self { output: RowFormat::Table, quote_formulas: false }
    }
}

/// Reads a format of an answer, which is more than a table: the help says what becomes of the rest.
fn answer_format() -> impl TypedValueParser<Value = RowFormat> {
    let values = RowFormat::value_variants().iter().filter_map(|format| {
        let value = format.to_possible_value()?;
        Some(match format {
            RowFormat::Table => value.help("For people; on a terminal, cells are cut to fit its width"),
            RowFormat::Wide => value.help("For people, with no cell cut"),
            RowFormat::Csv => value.help("The main table as comma-separated values"),
            RowFormat::Markdown => value.help("The main table in Markdown, or a page"),
            RowFormat::Name | RowFormat::Data(_) => value,
        })
    });
    PossibleValuesParser::new(values)
        .map(|word| RowFormat::from_str(&word, false).expect("the parser takes no other word"))
}

/// Formats of lists and of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowFormat {
    Table,
    Wide,
    Data(DataFormat),
    Name,
    Csv,
    Markdown,
}

impl RowFormat {
    pub(crate) const JSON: Self = Self::Data(DataFormat::Json);
    pub(crate) const JSONL: Self = Self::Data(DataFormat::Jsonl);
    pub(crate) const YAML: Self = Self::Data(DataFormat::Yaml);
}

choices! { RowFormat =>
    Table: "table" | "text" | "plain", "Aligned columns";
    Wide: "wide", "Aligned columns, more of them than `table`";
    Data(DataFormat::Json);
    Data(DataFormat::Jsonl);
    Data(DataFormat::Yaml);
    Name: "name", "Names only, one per line";
    Csv: "csv", "Comma-separated values";
    Markdown: "markdown", "Table in Markdown";
}
