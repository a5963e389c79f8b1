//! YAML or JSON text to documents.

use thiserror::Error;

use olmdex_fbc as fbc;
use olmdex_text::json::{self, Value};
use olmdex_text::yaml;

/// The reason why a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {error}")]
pub struct TextError {
    /// The line, from 1.
    pub line: u32,
    /// The error there.
    pub error: String,
}

/// Hands over each document of a text, with its first line. Documents without content are skipped.
///
/// # Errors
/// If the text is neither YAML nor JSON.
pub fn each_document(text: &[u8], mut sink: impl FnMut(Value<'_>, u32)) -> Result<(), TextError> {
    let mut reader = json::Reader::new();
    if text.iter().find(|it| !it.is_ascii_whitespace()).is_some_and(|it| matches!(it, b'{' | b'[')) {
        let text = json::decode_utf8(text);
        let (mut at, mut place, mut counted) = (0, (1, 1), 0);
        while !text[at..].trim_start().is_empty() {
            // From the last document on: there may be one in each of many lines.
            place = fbc::advance(place.0, place.1, &text.as_bytes()[counted..at]);
            counted = at;
            let line = place.0;
            let wrong = |error: json::ReadError| TextError { line, error: error.to_string() };
            let (value, end) = reader.read_at(&text, at).map_err(wrong)?;
            sink(value, line);
            at = end;
        }
        return Ok(());
    }
    let expansion = olmdex_text::json::Expansion::default();
    for chunk in yaml::split(text, 1) {
        let chunk = chunk.map_err(|error| TextError { line: error.line, error: error.to_string() })?;
        let wrong = |error: String| TextError { line: chunk.first_line, error };
        let mut converted = Vec::new();
        yaml::to_json_within(&chunk.text, &mut converted, &expansion).map_err(|error| wrong(error.to_string()))?;
        let converted = String::from_utf8_lossy(&converted);
        if converted.trim().is_empty() {
            continue;
        }
        sink(reader.read(&converted).map_err(|error| wrong(error.to_string()))?, chunk.first_line);
    }
    Ok(())
}

/// The items of a member that is a list.
pub(super) fn items_of<'d>(value: Value<'d>, key: &str) -> impl Iterator<Item = Value<'d>> + use<'d> {
    value.get(key).into_iter().flat_map(|it| it.items())
}
