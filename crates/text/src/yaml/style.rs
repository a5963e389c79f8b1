//! The style in which a string is written (`docs/behaviour/fbc.md` Appendix B.3).

use std::borrow::Cow;

use super::scalar::{Scalar, resolve_plain};

/// The style of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// The properties of a text that matter for its style.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Traits {
    /// A character that only escape sequences can express.
    special: bool,
    /// A character that the text could not be read back with: opm fails on it.
    pub(super) forbidden: bool,
    /// U+0085, which opm's detour turns into a blank.
    pub(super) next_line: bool,
    line_feed: bool,
    /// A line break of any kind.
    pub(super) breaks: bool,
    space_before_break: bool,
    space_after_break: bool,
    /// `: ` or ` #` inside.
    indicator: bool,
}

impl Traits {
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut found = Self::default();
        for (at, &byte) in bytes.iter().enumerate() {
            // Almost every byte is an ordinary one.
            if !INTERESTING[usize::from(byte)] {
                continue;
            }
            let next = bytes.get(at + 1).copied();
            let third = bytes.get(at + 2).copied();
            match (byte, next, third) {
                (b'\n', ..) => {
                    found.line_feed = true;
                    found.at_break(at, next, bytes);
                }
                (b'\r', ..) => {
                    found.special = true;
                    found.at_break(at, next, bytes);
                }
                (b':', None | Some(b' '), _) => found.indicator |= at > 0,
                (b'#', ..) => found.indicator |= at > 0 && bytes[at - 1] == b' ',
                (b':', ..) => {}
                (0x7F, ..) | (0xEF, Some(0xBF), Some(0xBE | 0xBF)) => found.forbidden = true,
                (0xC2, Some(0x85), _) => found.next_line = true,
                (0xC2, Some(0x80..=0x9F), _) => found.forbidden = true,
                (0xE2, Some(0x80), Some(0xA8 | 0xA9)) => found.at_break(at, bytes.get(at + 3).copied(), bytes),
                (0..0x20, ..) | (0xF0.., ..) | (0xEF, Some(0xBB), Some(0xBF)) => found.special = true,
                _ => {}
            }
        }
        found
    }

    fn at_break(&mut self, at: usize, next: Option<u8>, bytes: &[u8]) {
        self.breaks = true;
        self.space_after_break |= next == Some(b' ');
        self.space_before_break |= at > 0 && bytes[at - 1] == b' ';
    }

    /// The style of a string: go-yaml's choice, then the emitter's changes to it.
    pub(super) fn style(self, text: &str) -> Style {
        if self.line_feed {
            let is_literal = !self.special && !self.space_before_break && !text.ends_with(' ');
            return if is_literal { Style::Literal } else { Style::Double };
        }
        if !is_plain_string(text) || self.special || self.space_before_break || self.space_after_break {
            return Style::Double;
        }
        if self.breaks || self.indicator || has_outer_indicator(text) { Style::Single } else { Style::Plain }
    }
}

/// The bytes that [`Traits::of`] looks at more closely.
const INTERESTING: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = byte < 0x20 || byte >= 0xF0;
        byte += 1;
    }
    table[b':' as usize] = true;
    table[b'#' as usize] = true;
    table[0x7F] = true;
    table[0xC2] = true;
    table[0xE2] = true;
    table[0xEF] = true;
    table
};

/// Whether the text is a string when it is read back without quotes, for YAML 1.1 parsers with numbers to base 60 too.
fn is_plain_string(text: &str) -> bool {
    matches!(resolve_plain(text), Scalar::Str(_)) && !is_base60(text)
}

/// `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`
fn is_base60(text: &str) -> bool {
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let mut rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    if !rest.starts_with(':') {
        return false;
    }
    while let Some(behind) = rest.strip_prefix(':') {
        rest = match behind.as_bytes() {
            [b'0'..=b'5', b'0'..=b'9', ..] => &behind[2..],
            [b'0'..=b'9', ..] => &behind[1..],
            _ => return false,
        };
    }
    let fraction = rest.strip_prefix('.').unwrap_or(rest);
    (fraction.is_empty() || rest.starts_with('.')) && fraction.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'_'))
}

/// Whether the start or the end of a text rules out writing it plain.
fn has_outer_indicator(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_lone = matches!(bytes.get(1), None | Some(b' ' | b'\t'));
    match bytes.first() {
        Some(
            b' ' | b'#' | b',' | b'[' | b']' | b'{' | b'}' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"' | b'%'
            | b'@' | b'`',
        ) => true,
        Some(b'?' | b':' | b'-') if is_lone => true,
        _ => text.ends_with(' ') || text.starts_with("---") || text.starts_with("..."),
    }
}

/// Changes U+0085 as opm's detour does: opm reads JSON as YAML, in which this is a line break in a quoted scalar. So
/// one, with the blanks around it, becomes a blank, and several become one line break fewer than they are.
pub(super) fn fold_next_lines(text: &str) -> Cow<'_, str> {
    let Some(at) = text.find('\u{85}') else { return Cow::Borrowed(text) };
    let mut out = text[..at].trim_end_matches(' ').to_owned();
    let mut rest = &text[at..];
    while !rest.is_empty() {
        let behind = rest.trim_start_matches(['\u{85}', ' ']);
        let count = rest[..rest.len() - behind.len()].matches('\u{85}').count();
        match count {
            1 => out.push(' '),
            _ => out.extend(std::iter::repeat_n('\n', count - 1)),
        }
        let end = behind.find('\u{85}').unwrap_or(behind.len());
        let run = &behind[..end];
        out.push_str(if end < behind.len() { run.trim_end_matches(' ') } else { run });
        rest = &behind[end..];
        // The blanks before the next one were dropped; they are part of no run.
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_styles() {
        let cases: &[(Style, &[&str])] = &[
            (
                Style::Plain,
                &[
                    "a", "a b", "a#b", "a:b", ":a", "-a", "?a", "<<", "=", "a[b]", "1.2.3", "é", "\u{A0}", "a---",
                    "1:60",
                ],
            ),
            (
                Style::Single,
                &[
                    "",
                    " ",
                    " a",
                    "a ",
                    "a: b",
                    "a:",
                    "a #b",
                    "# a",
                    "-",
                    "- a",
                    "? a",
                    "---",
                    "---a",
                    "...",
                    "'",
                    "%a",
                    ">=1",
                    "a\u{2028}b",
                    "\u{2028}",
                ],
            ),
            (
                Style::Double,
                &[
                    "1",
                    "1.0",
                    "yes",
                    "~",
                    "null",
                    ".inf",
                    "2020-01-02",
                    "1:30",
                    "12:30:45.5",
                    "-1_0:5",
                    "a\tb",
                    "a\r",
                    "\u{1F600}",
                    "\u{FEFF}",
                    "a\n ",
                    "a \nb",
                    "\t\n",
                    "a \u{2028}b",
                    "a\u{2028} b",
                ],
            ),
            (Style::Literal, &["a\n", "a\nb", "\n", "\n\n", " a\nb", "a\n b", "a: b\n", "'\n"]),
        ];
        for (expected, texts) in cases {
            for text in *texts {
                let expected = if text.is_empty() { Style::Double } else { *expected };
                assert_eq!(Traits::of(text).style(text), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn folds_next_lines() {
        let cases = [
            ("a\u{85}b", "a b"),
            ("a \u{85} b", "a b"),
            ("a\u{85}\u{85}b", "a\nb"),
            ("a \u{85} \u{85} \u{85} b ", "a\n\nb "),
            ("\u{85}a\u{85}", " a "),
            ("a\u{85}b  \u{85}c", "a b c"),
        ];
        for (text, expected) in cases {
            assert_eq!(fold_next_lines(text), expected, "{text:?}");
        }
    }
}
