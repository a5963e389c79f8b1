//! The file that a command writes: `-O FILE`. Before 0.2.0 it was `-o FILE`, which still works unless FILE is the name
//! of a format.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};

use crate::cli::args::formats::{FINDINGS, OutputFormat, ROWS};
use crate::cli::terminal::error::CommandError;
use crate::source::STDIN;

/// The file to write, of a command that prints no data.
#[derive(Debug, Clone, Args)]
pub(crate) struct OutputFile {
    /// The file to write
    #[arg(short = 'O', long, value_name = "FILE", value_parser = written_file())]
    output_file: Option<PathBuf>,
    /// The same, as before 0.2.0
    #[arg(short, long, value_name = "FILE", hide = true, conflicts_with = "output_file")]
    output: Option<PathBuf>,
}

/// Takes the name of a file to write: databases and trees of files do not go to standard output.
pub(crate) fn written_file() -> impl TypedValueParser<Value = PathBuf> {
    let refuse = |path: PathBuf| match path.as_os_str() == STDIN {
        true => Err("this command does not write to standard output; a file of this name is `./-`"),
        false => Ok(path),
    };
    PathBufValueParser::new().try_map(refuse)
}

/// Whether other commands take the word after `-o`, so that a file is not called like that.
fn is_format(word: &OsStr) -> bool {
    word.to_str().is_some_and(|word| ROWS.named(word).or(FINDINGS.named(word)).is_some())
}

impl OutputFile {
    /// The file, if one is named.
    pub(crate) fn path(&self) -> Result<Option<&Path>, CommandError> {
        match self.output.as_deref() {
            Some(word) if is_format(word.as_os_str()) => {
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
    #[arg(short = 'O', long, value_name = "FILE", value_parser = written_file())]
    output_file: Option<PathBuf>,
    /// Format of the findings: a table goes to standard error, the others to standard output
    #[arg(short, long, value_name = "FORMAT", value_parser = FormatOrFileParser)]
    output: Vec<FormatOrFile>,
    /// The same, as before 0.2.0
    #[arg(long, value_parser = FINDINGS, value_name = "FORMAT", hide = true)]
    message_format: Option<OutputFormat>,
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

    pub(crate) fn format(&self) -> OutputFormat {
        let new = self.output.iter().find_map(|it| match it {
            FormatOrFile::Format(format) => Some(*format),
            FormatOrFile::File(_) => None,
        });
        new.or(self.message_format).unwrap_or(OutputFormat::Table)
    }
}

#[derive(Debug, Clone)]
enum FormatOrFile {
    Format(OutputFormat),
    File(PathBuf),
}

/// Takes a format's name as the format and any other word as a file; the help offers only formats.
#[derive(Debug, Clone)]
struct FormatOrFileParser;

impl TypedValueParser for FormatOrFileParser {
    type Value = FormatOrFile;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<FormatOrFile, clap::Error> {
        if is_format(value) {
            return FINDINGS.parse_ref(command, arg, value).map(FormatOrFile::Format);
        }
        Ok(FormatOrFile::File(value.into()))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        FINDINGS.possible_values()
    }
}
