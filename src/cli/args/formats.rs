//! The formats that commands print, and other choices that several commands offer in the same words.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command, ValueEnum};

use crate::fbc::{Format, Level};

/// All formats of answers, named as after `-o`. A command lists its own in a [`Formats`], so the last arm of its
/// `match` is its default format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    #[value(aliases = ["text", "plain"])]
    Table,
    Wide,
    Tree,
    Json,
    Jsonl,
    Yaml,
    /// The words for people mean this format where it comes first.
    #[value(aliases = ["text", "plain"])]
    Name,
    Csv,
    Markdown,
    Html,
    Svg,
    Mermaid,
    Dot,
    Sarif,
    Github,
    Gitlab,
    Junit,
    JsonAlpha1,
    Blob,
    Manifests,
    Script,
    Patch,
    Isc,
    #[value(alias = "plain")]
    Images,
    Mapping,
    Skopeo,
    Idms,
    Itms,
    Icsp,
    CatalogSource,
    ClusterCatalog,
    Subscription,
    ClusterExtension,
}

impl OutputFormat {
    /// Its word behind `-o`.
    pub(crate) fn word(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Whether the format holds the whole answer, for programs.
    pub(crate) fn is_data(self) -> bool {
        matches!(self, Self::Json | Self::Jsonl | Self::Yaml)
    }
}

/// A format, and its description in the help of a command.
type Offered = (OutputFormat, &'static str);

pub(crate) const JSON: Offered = (OutputFormat::Json, "JSON envelope");
pub(crate) const JSONL: Offered = (OutputFormat::Jsonl, "One JSON object a line");
pub(crate) const YAML: Offered = (OutputFormat::Yaml, "YAML of the JSON envelope");
pub(crate) const NAMES: Offered = (OutputFormat::Name, "Names only, one per line");
pub(crate) const CSV: Offered = (OutputFormat::Csv, "Comma-separated values");
pub(crate) const MARKDOWN: Offered = (OutputFormat::Markdown, "Table in Markdown");
pub(crate) const GITLAB: Offered = (OutputFormat::Gitlab, "A Code Quality report, for GitLab");
pub(crate) const JUNIT: Offered = (OutputFormat::Junit, "JUnit XML: errors fail, warnings are skipped");
pub(crate) const SARIF: Offered = (OutputFormat::Sarif, "SARIF 2.1.0, for code scanning");
pub(crate) const GITHUB: Offered = (OutputFormat::Github, "Workflow commands of GitHub Actions");

/// The formats that a command prints. As the parser of its `-o`, it reads and completes them, describes them in the
/// help, and refuses others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Formats(pub(crate) &'static [Offered]);

/// Formats of lists.
pub(crate) const ROWS: Formats = Formats(&[
    (OutputFormat::Table, "Aligned columns"),
    (OutputFormat::Wide, "Aligned columns, more of them than `table`"),
    JSON,
    JSONL,
    YAML,
    NAMES,
    CSV,
    MARKDOWN,
]);

/// Formats of answers that are more than a table.
const ANSWERS: Formats = Formats(&[
    (OutputFormat::Table, "For people; on a terminal, cells are cut to fit its width"),
    (OutputFormat::Wide, "For people, not cut to fit a terminal"),
    JSON,
    JSONL,
    YAML,
    NAMES,
    (OutputFormat::Csv, "The main table as comma-separated values"),
    (OutputFormat::Markdown, "The main table in Markdown, or a page"),
]);

/// Formats of findings.
pub(crate) const FINDINGS: Formats =
    Formats(&[(OutputFormat::Table, "For people"), JSON, SARIF, GITHUB, GITLAB, JUNIT]);

impl Formats {
    /// The format that a word names.
    pub(crate) fn named(self, word: &str) -> Option<OutputFormat> {
        self.0
            .iter()
            .map(|offered| offered.0)
            .find(|format| format.to_possible_value().is_some_and(|value| value.matches(word, false)))
    }

    fn values(self) -> impl Iterator<Item = PossibleValue> {
        self.0.iter().filter_map(|(format, help)| Some(format.to_possible_value()?.help(*help)))
    }
}

impl TypedValueParser for Formats {
    type Value = OutputFormat;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<OutputFormat, clap::Error> {
        let word = PossibleValuesParser::new(self.values()).parse_ref(command, arg, value)?;
        Ok(self.named(&word).expect("the parser takes no other word"))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values()))
    }
}

/// Reads a format of blobs.
pub(crate) fn blob_format() -> impl TypedValueParser<Value = Format> {
    Formats(&[(OutputFormat::Json, "JSON, indented by four spaces"), (OutputFormat::Yaml, "YAML documents")])
        .map(|format| if format == OutputFormat::Yaml { Format::Yaml } else { Format::Json })
}

/// How answers are printed.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct AnswerOptions {
    /// Output format
    #[arg(short, long, value_parser = ANSWERS, default_value = "table")]
    pub(crate) output: OutputFormat,
    /// With `-o csv`: put a `'` before cells that a spreadsheet would take for formulas, which begin with = + - @
    #[arg(long)]
    pub(crate) quote_formulas: bool,
}

impl AnswerOptions {
    /// For people.
    pub(crate) fn text() -> Self {
        Self { output: OutputFormat::Table, quote_formulas: false }
    }
}

/// Tools whose output can replace ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// opm of the operator framework: prints the same, and loses or refuses the same
    Opm,
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
