//! A configuration that is read as a whole: a file, or standard input.

use std::path::Path;

use crate::cli::terminal::error::{CommandError, Exit};
use crate::diag::{Finding, Severity, printable};
use crate::file::{read_named_of, read_stream_of, system_words};
use crate::mirror::{self, Configuration, ConfigurationError, ConfigurationFile, Dialect, Purpose};
use olmdex_text::encoding::shell::word;

/// How many bytes a configuration may have.
const MAX_LEN: u64 = 64 << 20;

/// The text of a configuration.
pub(crate) fn text_of(path: &Path) -> Result<Vec<u8>, CommandError> {
    let text = match path.as_os_str() == "-" {
        true => read_stream_of(std::io::stdin().lock(), MAX_LEN),
        false => read_named_of(path, MAX_LEN),
    };
    text.map_err(|error| {
        let what = if error.kind() == std::io::ErrorKind::NotFound {
            format!("`{}` does not exist", path.display())
        } else {
            format!("cannot read `{}`: {}", path.display(), system_words(&error))
        };
        CommandError::new(Exit::Input, what)
    })
}

impl From<ConfigurationError> for CommandError {
    fn from(error: ConfigurationError) -> Self {
        let exit = if matches!(error, ConfigurationError::Unlisted(_)) { Exit::No } else { Exit::Input };
        Self::new(exit, error.to_string())
    }
}

/// The error about a text that is not a configuration: the fault that comes first in the file, with its place.
/// `--as` keeps the words of oc-mirror.
pub(crate) fn misread(path: &Path, text: &[u8], dialect: Dialect, error: &ConfigurationError) -> CommandError {
    let shown = path.to_string_lossy();
    if let ConfigurationError::OtherKind(kind, Purpose::Mirror) = error
        && kind == Purpose::Delete.kind()
        && dialect == Dialect::Named
    {
        let message = format!("`{}` says what to delete from a mirror, not what to mirror", printable(&shown));
        let help = "`olmdex mirror delete -c FILE` shows what it deletes, and what is still needed";
        return CommandError::new(Exit::Input, message).help(help);
    }
    let errors = ConfigurationFile::read(&shown, text).findings.into_iter();
    let mut errors = errors.filter(|finding| finding.rule.severity == Severity::Error);
    match errors.next() {
        Some(Finding { message, place: Some(place), help, .. }) if dialect == Dialect::Named => {
            let all = || format!("`olmdex check {}` shows all faults", word(&shown));
            let help = match (help, errors.next().is_some()) {
                (Some(help), true) => Some(format!("{help}; {}", all())),
                (None, true) => Some(all()),
                (help, false) => help,
            };
            CommandError::new(Exit::Input, message).at(&place.to_string()).with_help(help)
        }
        _ => CommandError::from(error.clone()),
    }
}

/// A configuration of oc-mirror.
pub(crate) fn configuration_of(path: &Path, dialect: Dialect) -> Result<Configuration, CommandError> {
    let text = text_of(path)?;
    mirror::read(&text, dialect).map_err(|error| misread(path, &text, dialect, &error))
}
