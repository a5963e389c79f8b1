//! Changes to a catalog's files: a document gets another value, and every byte that is not concerned stays.
//!
//! The editor compares values, and each difference becomes a splice of the text. The new text is read back and compared
//! with the intended value. If a text cannot be changed in place, or has another value afterwards, the document is
//! written anew, which loses its comments, and [`Edited`] says why.
//!
//! # How a file is edited
//!
//! An edit gives a document another value (`fbc::edit_document`). The old and the new value are compared, and each
//! difference becomes a splice of the text: items are matched by their names, so one that is added or removed leaves
//! the others alone. The result is read back and compared with the intended value. If anchors, merge keys or brackets
//! over several lines prevent that, the document is rewritten without its comments, with a warning.

mod align;
mod json_text;
mod yaml_text;

use thiserror::Error;

use super::stream::Syntax;
use olmdex_text::json::{self, Reader, Value};
use olmdex_text::yaml;

/// The depth that a new value of a document may have.
const MAX_EDITED: usize = 200;

/// A document with another value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// Its text.
    pub text: String,
    /// The reason why it had to be written anew, if it had.
    pub rewritten: Option<&'static str>,
}

/// The reasons why a document cannot be given another value.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EditError {
    /// The document, or the new value, cannot be read.
    #[error("the document is unreadable")]
    Unreadable,
    /// The document is too long to be edited.
    #[error("the document has more than 32 MiB")]
    TooLong,
    /// The new value is nested too deeply.
    #[error("the value is nested deeper than {MAX_EDITED} levels")]
    TooDeep,
    /// The new value cannot be written in the document's syntax.
    #[error(transparent)]
    Unwritable(#[from] yaml::YamlWriteError),
}

/// Gives a document another value, in JSON.
///
/// # Errors
/// [`EditError`].
pub fn edit_document(raw: &[u8], syntax: Syntax, new: &str) -> Result<Edited, EditError> {
    let text = std::str::from_utf8(raw).map_err(|_| EditError::Unreadable)?;
    let (mut converted, mut old_reader, mut new_reader) = (Vec::new(), Reader::new(), Reader::new());
    let old_json = json_of(text, syntax, &mut converted).ok_or(EditError::Unreadable)?;
    let old = old_reader.read(old_json).map_err(|_| EditError::Unreadable)?;
    let new = new_reader.read(new).map_err(|_| EditError::Unreadable)?;
    if is_deep(new) {
        return Err(EditError::TooDeep);
    }
    let spliced = match syntax {
        Syntax::Json => Ok((json_text::with_value(text, old, new), false)),
        Syntax::Yaml => yaml_text::with_value(text, old, new),
    };
    let wanted = new.compact();
    let rewritten = match spliced {
        Ok((text, _)) if value_of(&text, syntax).as_ref() == Some(&wanted) => {
            return Ok(Edited { text, rewritten: None });
        }
        Ok((_, true)) => yaml_text::MARKED,
        Ok(_) => "an edit in place would change the meaning of the text",
        Err(refusal) => refusal,
    };
    let text = match syntax {
        Syntax::Json => {
            let mut out = Vec::new();
            json::write_pretty(new, 4, 0, &mut out);
            String::from_utf8_lossy(&out).into_owned()
        }
        Syntax::Yaml => {
            // A line that separates documents may be at either end of a document's text, and stays there.
            let is_separator = |line: &&str| line.starts_with("---");
            let mut lines = text.split_inclusive('\n');
            let first = lines.next().filter(is_separator).unwrap_or_default();
            let last = lines.next_back().filter(is_separator).unwrap_or_default();
            let mut out = first.as_bytes().to_vec();
            yaml::write(new, &mut out)?;
            out.extend_from_slice(last.as_bytes());
            String::from_utf8_lossy(&out).into_owned()
        }
    };
    Ok(Edited { text, rewritten: Some(rewritten) })
}

fn json_of<'t>(text: &'t str, syntax: Syntax, converted: &'t mut Vec<u8>) -> Option<&'t str> {
    match syntax {
        Syntax::Json => Some(text),
        Syntax::Yaml => {
            yaml::to_json(text.as_bytes(), converted).ok()?;
            std::str::from_utf8(converted).ok()
        }
    }
}

fn value_of(text: &str, syntax: Syntax) -> Option<String> {
    let (mut converted, mut reader) = (Vec::new(), Reader::new());
    let json = json_of(text, syntax, &mut converted)?;
    reader.read(json).ok().map(|value| value.compact())
}

fn is_deep(value: Value<'_>) -> bool {
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_EDITED {
            return true;
        }
        open.extend(value.items().map(|it| (it, depth + 1)));
        open.extend(value.members().map(|(_, it)| (it, depth + 1)));
    }
    false
}

#[cfg(test)]
mod tests;
