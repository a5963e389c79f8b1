//! Spots inside documents to lines and columns of files.

use super::defect::Spot;
use super::input::Input;
use super::load::{Origin, chunk_text};
use super::stream::{Syntax, advance};
use crate::json;
use crate::yaml;

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The text of that line, cut if it is long.
    pub text: String,
}

/// How much of a line is shown.
const MAX_SHOWN: usize = 400;

/// Finds a spot of the document at `origin`, which is read once more for it: places are needed for findings only,
/// which are few, so that nothing has to remember where every value stood.
#[must_use]
pub fn resolve(input: &Input, origin: Origin, spot: &Spot) -> Located {
    let raw = match input.files.get(origin.file as usize) {
        Some(file) => file.read_again(origin.offset, origin.len),
        None => Vec::new(),
    };
    locate(&raw, origin, spot)
}

/// As [`resolve`], with the document's text at hand.
#[must_use]
pub fn locate(raw: &[u8], origin: Origin, spot: &Spot) -> Located {
    let (line, column) = match (spot, origin.syntax) {
        (Spot::Start, Syntax::Json) => (origin.line, origin.column),
        (Spot::Start, Syntax::Yaml) => start_of_yaml(raw, origin),
        (Spot::Offset(at), _) => advance(origin.line, origin.column, &raw[..(*at).min(raw.len())]),
        (Spot::Line(line, column), _) => inside(origin, *line, *column),
        (Spot::Path(path) | Spot::Key(path), Syntax::Json) => {
            let text = json::decode_utf8(raw);
            let find = if matches!(spot, Spot::Key(_)) { json::locate_key } else { json::locate };
            let at = find(&text, path).unwrap_or(0);
            advance(origin.line, origin.column, &text.as_bytes()[..at.min(text.len())])
        }
        (Spot::Path(path) | Spot::Key(path), Syntax::Yaml) => {
            let chunk = chunk_text(raw);
            let find = if matches!(spot, Spot::Key(_)) { yaml::locate_key } else { yaml::locate };
            // An absent member has no place; what would hold it has.
            let found = (0..=path.len()).rev().find_map(|len| find(&chunk, &path[..len]));
            match found {
                Some(at) => inside(origin, at.line, at.column),
                None => (origin.line, origin.column),
            }
        }
    };
    let text = raw.split(|&byte| byte == b'\n').nth(line.saturating_sub(origin.line) as usize).unwrap_or_default();
    let text = String::from_utf8_lossy(&text[..text.len().min(MAX_SHOWN)]);
    // The first line of a document may start in the middle of a line of the file.
    let indent = if line == origin.line { origin.column.saturating_sub(1).min(MAX_SHOWN as u32) as usize } else { 0 };
    Located { line, column, text: format!("{}{}", " ".repeat(indent), text.trim_end_matches('\r')) }
}

fn inside(origin: Origin, line: u32, column: u32) -> (u32, u32) {
    let first_column = if line <= 1 { origin.column - 1 } else { 0 };
    (origin.line + line.saturating_sub(1), column.saturating_add(first_column))
}

/// The first line of a YAML document that has content.
fn start_of_yaml(raw: &[u8], origin: Origin) -> (u32, u32) {
    for (idx, line) in raw.split(|&byte| byte == b'\n').enumerate() {
        let text = line.trim_ascii();
        if !text.is_empty() && !text.starts_with(b"#") && !text.starts_with(b"---") {
            let indent = line.len() - line.trim_ascii_start().len();
            return inside(origin, u32::try_from(idx).unwrap_or(u32::MAX).saturating_add(1), indent as u32 + 1);
        }
    }
    (origin.line, origin.column)
}
