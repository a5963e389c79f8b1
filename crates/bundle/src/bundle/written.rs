//! Places in the first document of a file.

use olmdex_base::diag::Place;
use olmdex_fbc::{self as fbc, Origin, Spot, Syntax};
use olmdex_text::json::{self, Reader};
use olmdex_text::yaml;

/// The number of bytes that decide whether a file is JSON or YAML.
const PEEK: usize = 30;

/// The place of a spot in the first document of a file.
pub(super) fn place(shown: &str, text: &[u8], spot: &Spot) -> Place {
    places(shown, text, &[spot]).pop().unwrap_or_else(|| Place::at_line(shown, 1))
}

/// The places of several spots.
pub(super) fn places(shown: &str, text: &[u8], spots: &[&Spot]) -> Vec<Place> {
    let Some(origin) = origin(text) else { return vec![Place::at_line(shown, 1); spots.len()] };
    let start = usize::try_from(origin.offset).unwrap_or(usize::MAX);
    let end = start.saturating_add(usize::try_from(origin.len).unwrap_or(usize::MAX)).min(text.len());
    let found = fbc::locate_all(text.get(start..end).unwrap_or_default(), origin, spots).into_iter();
    found.map(|located| located.in_file(shown)).collect()
}

/// The origin of the first document.
fn origin(bytes: &[u8]) -> Option<Origin> {
    let origin = Origin { file: 0, line: 1, column: 1, syntax: Syntax::Yaml, offset: 0, len: bytes.len() as u64 };
    let peeked = bytes.get(..PEEK).unwrap_or(bytes);
    let mut skipped = 0;
    if json::looks_like_object(peeked) {
        let text = json::decode_utf8(bytes);
        let start = text.len() - text.trim_start().len();
        let mut reader = Reader::new();
        if let Ok((_, end)) = reader.read_at(&text, start) {
            return Some(Origin { syntax: Syntax::Json, len: (start + end) as u64, ..origin });
        }
        if let yaml::AfterJson::At(start) = yaml::after_json(bytes, true) {
            skipped = start;
        }
    }
    let (line, column) = fbc::advance(1, 1, &bytes[..skipped]);
    let chunk = yaml::split(&bytes[skipped..], line).next()?.ok()?;
    let offset = chunk.offset + skipped as u64;
    Some(Origin { line: chunk.first_line, column, offset, len: chunk.consumed as u64, ..origin })
}
