//! The file that a command writes: `-O FILE`. Before 0.2.0 it was `-o FILE`, which still works unless FILE is the name
//! of a format.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command, ValueEnum as _};

use crate::cli::print::findings::FindingFormat;
use crate::cli::terminal::error::CommandError;

/// The file to write, of a command that prints no data.
#[derive(Debug, Clone, Args)]
pub(crate) struct OutputFile {
    /// The file to write
    #[arg(short = 'O', long, value_name = "FILE")]
    output_file: Option<PathBuf>,
    /// The same, as before 0.2.0
    #[arg(short, long, value_name = "FILE", hide = true, conflicts_with = "output_file")]
    output: Option<PathBuf>,
}

/// Names of output formats. Other commands take these after `-o`, so a file is not called like one.
const FORMATS: &[&str] = &["json", "jsonl", "yaml", "table", "text", "csv", "markdown", "sarif", "github"];

impl OutputFile {
    /// The file, if one is named.
    pub(crate) fn path(&self) -> Result<Option<&Path>, CommandError> {
        match self.output.as_deref() {
            Some(word) if FORMATS.iter().any(|it| word.as_os_str() == *it) => {
                let word = word.display();
                let error = CommandError::usage(format!("`-o {word}` is a format, and this command prints no data"));
                Err(error.help(format!("to write a file of this name, use `-O {word}`")))
            }
            old => Ok(self.output_file.as_deref().or(old)),
        }
    }
}

/// The file to write, and the format of the findings about it.
#[derive(Debug, Clone, Args)]
pub(crate) struct OutputFileAndFormat {
    /// The file to write
    #[arg(short = 'O', long, value_name = "FILE")]
    output_file: Option<PathBuf>,
    /// Format of the findings: a table goes to standard error, the others to standard output
    #[arg(short, long, value_name = "FORMAT", value_parser = FormatOrFileParser)]
    output: Vec<FormatOrFile>,
    /// The same, as before 0.2.0
    #[arg(long, value_enum, value_name = "FORMAT", hide = true)]
    message_format: Option<FindingFormat>,
}

impl OutputFileAndFormat {
    /// The file, if one is named.
    pub(crate) fn path(&self) -> Option<&Path> {
        let old = self.output.iter().find_map(|it| match it {
            FormatOrFile::File(path) => Some(path.as_path()),
            FormatOrFile::Format(_) => None,
        });
        self.output_file.as_deref().or(old)
    }

    pub(crate) fn format(&self) -> FindingFormat {
        let new = self.output.iter().find_map(|it| match it {
            FormatOrFile::Format(format) => Some(*format),
            FormatOrFile::File(_) => None,
        });
        new.or(self.message_format).unwrap_or(FindingFormat::Text)
    }
}

#[derive(Debug, Clone)]
enum FormatOrFile {
    Format(FindingFormat),
    File(PathBuf),
}

/// Takes a format's name as the format and any other word as a file; the help offers only formats.
#[derive(Debug, Clone)]
struct FormatOrFileParser;

impl TypedValueParser for FormatOrFileParser {
    type Value = FormatOrFile;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<FormatOrFile, clap::Error> {
        let format = value.to_str().and_then(|it| FindingFormat::from_str(it, false).ok());
        Ok(format.map_or_else(|| FormatOrFile::File(value.into()), FormatOrFile::Format))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(FindingFormat::value_variants().iter().filter_map(FindingFormat::to_possible_value)))
    }
}
