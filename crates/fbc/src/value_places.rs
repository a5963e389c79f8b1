//! The origins of a document's values, while it is read.

use olmdex_text::yaml::{Position, ValueOrigins};

/// The origins of a document's values.
#[derive(Debug, Clone, Copy, Default)]
pub enum ValuePlaces<'d> {
    /// The consumer does not want them ([`super::Consumer::wants_places`]), or there are no values.
    #[default]
    Unknown,
    /// They are in the document's own text.
    Json(&'d str),
    /// They were composed.
    Yaml(&'d ValueOrigins),
}

impl ValuePlaces<'_> {
    /// The places of the values at offsets of the document's JSON text, counted from its first byte.
    pub(super) fn of(self, offsets: &[usize]) -> Vec<Position> {
        let text = match self {
            Self::Unknown => return Vec::new(),
            Self::Yaml(origins) => return offsets.iter().map(|&it| origins.of(it)).collect(),
            Self::Json(text) => text,
        };
        let mut order: Vec<usize> = (0..offsets.len()).collect();
        order.sort_by_key(|&it| offsets[it]);
        let mut found = vec![Position { line: 1, column: 1 }; offsets.len()];
        let (mut at, mut done) = (Position { line: 1, column: 1 }, 0);
        for idx in order {
            let to = text.floor_char_boundary(offsets[idx]);
            let Some(between) = text.get(done..to) else { continue };
            match memchr::memrchr(b'\n', between.as_bytes()) {
                Some(last) => {
                    at.line = at.line.saturating_add(number(memchr::memchr_iter(b'\n', between.as_bytes()).count()));
                    at.column = 1_u32.saturating_add(number(between[last + 1..].chars().count()));
                }
                None => at.column = at.column.saturating_add(number(between.chars().count())),
            }
            done = to;
            found[idx] = at;
        }
        found
    }
}

fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
