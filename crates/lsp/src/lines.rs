//! Lines of a text: from positions of the protocol to bytes and back.
//!
//! The protocol counts lines and columns from 0, ends lines at `\n`, `\r\n` and a lone `\r`, and counts columns in
//! units of the encoding that client and server have agreed on. Findings count from 1, end lines at `\n`, and count
//! characters.

use serde::{Deserialize, Serialize};

/// In which units columns are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, which every client knows.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The name in the protocol.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A position of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) character: u32,
}

/// A range of the protocol; the end is not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub(super) struct Range {
    pub(super) start: Position,
    pub(super) end: Position,
}

/// The lines of a text.
#[derive(Debug, Clone)]
pub(super) struct Lines {
    /// The start of each line of the protocol.
    starts: Vec<usize>,
    /// The start of each line that ends with `\n`, if those differ.
    newlines: Option<Vec<usize>>,
}

impl Lines {
    pub(super) fn new(text: &str) -> Self {
        let newlines: Vec<usize> =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|it| it + 1)).collect();
        let bytes = text.as_bytes();
        let has_lone = memchr::memchr_iter(b'\r', bytes).any(|it| bytes.get(it + 1) != Some(&b'\n'));
        if !has_lone {
            return Self { starts: newlines, newlines: None };
        }
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes)
            .filter(|&it| bytes[it] == b'\n' || bytes.get(it + 1) != Some(&b'\n'));
        Self { starts: std::iter::once(0).chain(ends.map(|it| it + 1)).collect(), newlines: Some(newlines) }
    }

    /// The byte at a position.
    pub(super) fn offset(&self, text: &str, at: Position, encoding: Encoding) -> usize {
        let line = at.line as usize;
        let Some(&start) = self.starts.get(line) else { return text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let content = text[start..end].trim_end_matches(['\n', '\r']);
        let mut left = at.character as usize;
        for (offset, c) in content.char_indices() {
            let width = encoding.width(c);
            if left < width {
                return start + offset;
            }
            left -= width;
        }
        start + content.len()
    }

    /// The position of a byte.
    pub(super) fn position(&self, text: &str, offset: usize, encoding: Encoding) -> Position {
        let offset = text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|&it| it <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let character: usize = text[start..offset].chars().map(|it| encoding.width(it)).sum();
        let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        Position { line: number(line), character: number(character) }
    }

    pub(super) fn range(&self, text: &str, bytes: std::ops::Range<usize>, encoding: Encoding) -> Range {
        Range { start: self.position(text, bytes.start, encoding), end: self.position(text, bytes.end, encoding) }
    }

    /// The byte at a line and column of a finding.
    pub(super) fn offset_of(&self, text: &str, line: u32, column: u32) -> usize {
        let starts = self.newlines.as_ref().unwrap_or(&self.starts);
        let line = (line as usize).saturating_sub(1);
        let Some(&start) = starts.get(line) else { return text.len() };
        let end = starts.get(line + 1).map_or(text.len(), |it| it - 1);
        let mut chars = text[start..end].char_indices();
        let found = chars.nth((column as usize).saturating_sub(1)).map_or(end, |(at, _)| start + at);
        found.min(end)
    }

    /// The line that holds a byte, without its end.
    pub(super) fn line_of<'t>(&self, text: &'t str, offset: usize) -> (usize, &'t str) {
        let line = self.starts.partition_point(|&it| it <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        (start, text[start..end].trim_end_matches(['\n', '\r']))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_are_counted_as_agreed() {
        let text = "a: \u{1f600}ä!\nb\n";
        let lines = Lines::new(text);
        let end_of = |encoding: Encoding| lines.position(text, text.find('!').unwrap(), encoding).character;
        assert_eq!((end_of(Encoding::Utf8), end_of(Encoding::Utf16), end_of(Encoding::Utf32)), (9, 6, 5));
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let position = lines.position(text, offset, encoding);
                assert_eq!(lines.offset(text, position, encoding), offset, "{position:?}");
            }
        }
    }

    #[test]
    fn what_is_nowhere_is_near() {
        let text = "a: \u{1f600}\nb\r\nc\rd";
        let lines = Lines::new(text);
        let cases = [
            // Inside of a character.
            (at(0, 4), 3),
            (at(0, 5), 7),
            (at(0, 99), 7),
            (at(1, 99), 9),
            (at(2, 1), 12),
            (at(3, 0), 13),
            (at(3, u32::MAX), 14),
            (at(4, 0), 14),
            (at(u32::MAX, u32::MAX), 14),
        ];
        for (position, offset) in cases {
            assert_eq!(lines.offset(text, position, Encoding::Utf16), offset, "{position:?}");
        }
    }

    #[test]
    fn findings_count_other_lines() {
        let text = "a\rb\nc: \u{1f600}x\n";
        let lines = Lines::new(text);
        assert_eq!(lines.position(text, 4, Encoding::Utf16), at(2, 0));
        assert_eq!(lines.offset_of(text, 2, 1), 4);
        assert_eq!(&text[lines.offset_of(text, 2, 5)..], "x\n");
        assert_eq!(lines.offset_of(text, 2, 99), text.len() - 1);
        assert_eq!(lines.offset_of(text, 99, 1), text.len());
        assert_eq!(lines.offset_of(text, 0, 0), 0);
    }
}
