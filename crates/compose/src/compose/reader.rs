//! The text of `olmdex.toml`: its faults with their places; paths and names in it.

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::error::{At, ConfigError};
use super::form::Word;
use olmdex_base::diag::{Listed, closest};
use olmdex_rules::check::practice::Profile;

/// A text that is being read.
pub(super) struct Reader<'t> {
    pub path: &'t Path,
    pub content: &'t [u8],
}

impl Reader<'_> {
    /// The place of a span.
    pub(super) fn at(&self, span: Range<usize>) -> At {
        let before = &self.content[..span.start.min(self.content.len())];
        let line = before.iter().filter(|it| **it == b'\n').count() + 1;
        let start = before.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
        At { line, column: String::from_utf8_lossy(&before[start..]).chars().count() + 1 }
    }

    /// An error at a place.
    pub(super) fn wrong(&self, span: Range<usize>, message: String, help: Option<String>) -> ConfigError {
        let At { line, column } = self.at(span);
        ConfigError::Content { path: self.path.to_owned(), line, column, message, help }
    }

    /// The error for text that the TOML reader refuses. For an unknown key or value, the reader's message lists the
    /// known ones in backticks.
    pub(super) fn misfit(&self, error: &toml::de::Error) -> ConfigError {
        let words: Vec<&str> = error.message().split('`').skip(1).step_by(2).collect();
        let (message, help) = match (error.message().split('`').next().unwrap_or_default(), words.as_slice()) {
            ("unknown field ", [word, known @ ..]) => (format!("unknown key `{word}`"), guess(word, known)),
            ("unknown variant ", [word, known @ ..]) => (format!("unknown value `{word}`"), guess(word, known)),
            ("missing field ", [word, ..]) => (format!("the key `{word}` is missing"), None),
            _ => (error.message().trim_end().replace('\n', "; "), None),
        };
        self.wrong(error.span().unwrap_or_default(), message, help)
    }

    /// The profile of this name, or an error at the word that proposes one.
    pub(super) fn profile(&self, word: &Word) -> Result<Profile, ConfigError> {
        Profile::find(word.text()).ok_or_else(|| {
            let message = format!("no profile `{}`", word.text());
            self.wrong(word.span(), message, guess(word.text(), &Profile::ALL.map(Profile::name)))
        })
    }

    /// A path, relative to the directory that the program runs in.
    pub(super) fn path(&self, word: &Word) -> Result<PathBuf, ConfigError> {
        // An empty path would be the directory; `-` would be standard input.
        if matches!(word.text(), "" | "-") {
            let help = Some("name a directory or a file, relative to this file".to_owned());
            return Err(self.wrong(word.span(), format!("`{}` is not a valid path", word.text()), help));
        }
        Ok(self.directory().join(word.text()))
    }

    /// A source: a path, relative to the directory that the program runs in, or an image. A path in the reference of an
    /// image is resolved in the same way.
    pub(super) fn source(&self, word: &Word) -> Result<PathBuf, ConfigError> {
        let path = self.path(word)?;
        if path.symlink_metadata().is_ok() {
            return Ok(path);
        }
        let text = word.text();
        for transport in ["oci:", "oci-archive:", "docker-archive:", "dir:"] {
            if let Some(rest) = text.strip_prefix(transport) {
                let rest = self.directory().join(rest);
                let mut whole = OsString::from(transport);
                whole.push(rest);
                return Ok(PathBuf::from(whole));
            }
        }
        let is_elsewhere = ["docker://", "containers-storage:", "docker-daemon:"].iter().any(|it| text.starts_with(it));
        Ok(if is_elsewhere { PathBuf::from(text) } else { path })
    }

    /// The directory of the file, relative to the directory that the program runs in.
    pub(super) fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The name of a catalog, as it may precede a source on the command line.
    pub(super) fn name(&self, word: &Word) -> Result<String, ConfigError> {
        let name = word.text();
        if name.is_empty() || !name.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-')) {
            let help = Some("use letters, digits, `.`, `_` and `-`".to_owned());
            return Err(self.wrong(word.span(), format!("`{name}` is not a valid catalog name"), help));
        }
        Ok(name.to_owned())
    }
}

/// The name that was probably meant, or the names that exist.
fn guess(word: &str, known: &[&str]) -> Option<String> {
    match closest(word, known.iter().copied()) {
        Some(meant) => Some(format!("did you mean `{meant}`?")),
        None if known.is_empty() => None,
        None => Some(format!("there are {}", Listed::quoted(known.iter()))),
    }
}
