//! The events of a chunk, from libyaml's scanner and parser, guarded against the faults of its port.
//!
//! The port panics on two inputs, which never reach it: a block scalar at the end of a text without a newline (one is
//! added) and a tag that a comma follows directly (found beforehand, and then an error as in go-yaml, for which a comma
//! is a part of a tag without angle brackets; go-yaml's reading of `[!a, b]` as a list of one item is not followed). It
//! also takes any text whose first byte is 0xEF for a broken byte order mark, and reports only `invalid UTF-8`; so byte
//! order mark and encoding are handled here and in [`super::utf16`].
//!
//! go-yaml forgets that an empty flow collection may be a key, so for one at the position of a key it has another error
//! than libyaml. [`lone_empty_collection`] replaces the port's error by that one.

use std::io::{self, BufRead, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use libyaml_safer::{Encoding, ErrorKind, Event, EventData, Mark, Parser, Scanner, TokenData};
use memchr::memmem;

use super::error::{YamlError, YamlErrorKind};
use super::shorten::Shortened;
use crate::json::MAX_DEPTH;

/// The length of the text that the scanner decodes at a time. It keeps four bytes for every character it has not used
/// yet.
const PIECE: usize = 4096;

/// The scanner's message for a tag without white space behind it.
const TAG_END: &str = "did not find expected whitespace or line break";

/// The scanner's message for a text at the position of a key that is not one.
const NO_COLON: &str = "could not find expected ':'";

/// Runs the reading of a document. A panic of the library (no further ones are known) becomes an error; the process's
/// panic hook still reports it.
pub(super) fn guarded<T>(read: impl FnOnce() -> Result<T, YamlError>) -> Result<T, YamlError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_panic| Err(YamlError::internal()))
}

/// A chunk without its byte order mark.
pub(super) fn without_mark(chunk: &[u8]) -> &[u8] {
    chunk.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(chunk)
}

/// The text that one chunk's events are read from.
pub(super) struct Source<'t> {
    text: &'t str,
    shortened: Shortened<'t>,
}

impl<'t> Source<'t> {
    /// Reads the events of a chunk.
    ///
    /// # Errors
    /// Invalid UTF-8, and the tag that the library cannot handle.
    pub(super) fn new(chunk: &'t [u8]) -> Result<Self, YamlError> {
        let chunk = without_mark(chunk);
        let text = std::str::from_utf8(chunk).map_err(|error| invalid_utf8(chunk, error))?;
        check_tags_before_commas(text)?;
        Ok(Self { text, shortened: Shortened::new(text) })
    }

    /// Like [`Self::new`], with nothing taken out, so that the ends of nodes are at their real places.
    ///
    /// # Errors
    /// The errors of [`Self::new`].
    pub(super) fn whole(chunk: &'t [u8]) -> Result<Self, YamlError> {
        let source = Self::new(chunk)?;
        Ok(Self { shortened: Shortened::untouched(source.text), ..source })
    }

    pub(super) fn events(&self) -> Events<'_> {
        let mut parser = Parser::new();
        parser.set_encoding(Encoding::Utf8);
        parser.set_input(Pieces::new(&self.shortened.text));
        Events { source: self, parser }
    }
}

/// Reads the events of one chunk.
pub(super) struct Events<'s> {
    source: &'s Source<'s>,
    parser: Parser<Pieces<'s>>,
}

impl Events<'_> {
    /// The next event.
    ///
    /// # Errors
    ///
    /// The text is not YAML.
    pub(super) fn next(&mut self) -> Result<Event, YamlError> {
        let Source { text, shortened } = self.source;
        match self.parser.parse() {
            Ok(mut event) => {
                match &mut event.data {
                    EventData::DocumentStart { version_directive: Some(version), .. } if version.minor != 1 => {
                        return Err(incompatible_version(text).unwrap_or_else(YamlError::internal));
                    }
                    EventData::Scalar { value, anchor, tag, .. } => {
                        shortened.restore(value);
                        anchor.iter_mut().chain(tag).for_each(|it| shortened.restore(it));
                    }
                    EventData::Alias { anchor } => shortened.restore(anchor),
                    EventData::SequenceStart { anchor, .. } | EventData::MappingStart { anchor, .. } => {
                        anchor.iter_mut().for_each(|it| shortened.restore(it));
                    }
                    _ => {}
                }
                shortened.correct(&mut event.start_mark);
                Ok(event)
            }
            Err(error) => Err(match error.kind() {
                ErrorKind::Reader => first_forbidden(text),
                ErrorKind::Parser => incompatible_version(text),
                ErrorKind::Scanner => lone_empty_collection(&error, shortened),
                _ => None,
            }
            .unwrap_or_else(|| {
                let mut found = YamlError::from_library(&error);
                if let Some(mut mark) = error.problem_mark() {
                    shortened.correct(&mut mark);
                    found.move_to(mark);
                }
                found
            })),
        }
    }
}

/// A text in pieces of whole characters, ended by a newline.
struct Pieces<'t> {
    rest: &'t str,
    ending: &'static str,
}

impl<'t> Pieces<'t> {
    fn new(text: &'t str) -> Self {
        Self { rest: text, ending: if text.ends_with('\n') || text.is_empty() { "" } else { "\n" } }
    }
}

impl BufRead for Pieces<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.rest.is_empty() {
            self.rest = std::mem::take(&mut self.ending);
        }
        Ok(&self.rest.as_bytes()[..self.rest.floor_char_boundary(PIECE)])
    }

    fn consume(&mut self, amount: usize) {
        self.rest = self.rest.get(amount..).unwrap_or("");
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = self.fill_buf()?;
        let len = piece.len().min(buffer.len());
        buffer[..len].copy_from_slice(&piece[..len]);
        self.consume(len);
        Ok(len)
    }
}

/// go-yaml's error for `[]` or `{}` at the column of a block collection's items, where libyaml misses the `:` of a key.
fn lone_empty_collection(error: &libyaml_safer::Error, shortened: &Shortened<'_>) -> Option<YamlError> {
    let mut mark = error.context_mark().filter(|_| error.problem() == NO_COLON)?;
    let mut scanner = Scanner::new();
    scanner.set_encoding(Encoding::Utf8);
    scanner.set_input(Pieces::new(&shortened.text));
    // Block collections that are open, and whether they are mappings; block sequences as deep as their mapping have no
    // token.
    let mut are_mappings = Vec::new();
    while let Ok(token) = Scanner::scan(&mut scanner) {
        match token.data {
            TokenData::BlockMappingStart => are_mappings.push(true),
            TokenData::BlockSequenceStart => are_mappings.push(false),
            TokenData::BlockEnd => drop(are_mappings.pop()),
            _ => {}
        }
    }
    let start = usize::try_from(mark.index).ok()?;
    let mut rest = shortened.text.get(start..)?.strip_prefix(['[', '{'])?.trim_start();
    while let Some(comment) = rest.strip_prefix('#') {
        rest = comment.split_once('\n')?.1.trim_start();
    }
    if !rest.starts_with([']', '}']) {
        return None;
    }
    let problem =
        if *are_mappings.last()? { "did not find expected key" } else { "did not find expected '-' indicator" };
    shortened.correct(&mut mark);
    let mut found = YamlError::new(YamlErrorKind::Syntax, mark, problem);
    found.compat_line = u32::try_from(mark.line).ok().filter(|&line| line > 0);
    Some(found)
}

/// Line and column, from 0, of a byte offset. The scanner sees one newline more than the text may have.
pub(super) fn mark_at(text: &str, offset: usize) -> Mark {
    let offset = text.floor_char_boundary(offset);
    let mut mark = Mark::default();
    let mut chars = text[..offset].chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                mark.line += 1;
                mark.column = 0;
            }
            _ => mark.column += 1,
        }
    }
    mark.index = offset as u64;
    mark
}

/// The error for the first character that YAML does not allow.
pub(super) fn first_forbidden(text: &str) -> Option<YamlError> {
    let is_allowed = |c: char| {
        matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}')
            || c >= '\u{10000}'
    };
    let at = text.find(|c| !is_allowed(c))?;
    Some(YamlError::new(YamlErrorKind::Syntax, mark_at(text, at), "control characters are not allowed"))
}

/// The error for bytes that are not UTF-8, by the checks of libyaml's reader in their order.
fn invalid_utf8(chunk: &[u8], error: std::str::Utf8Error) -> YamlError {
    let (valid, rest) = chunk.split_at(error.valid_up_to());
    let valid = std::str::from_utf8(valid).unwrap_or("");
    if let Some(error) = first_forbidden(valid) {
        return error;
    }
    let width = match rest.first().copied().unwrap_or(0) {
        0x00..=0x7F => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 0,
    };
    let trailing = rest.get(1..rest.len().min(width)).unwrap_or(&[]);
    let message = if width == 0 {
        "invalid leading UTF-8 octet"
    } else if rest.len() < width {
        "incomplete UTF-8 octet sequence"
    } else if trailing.iter().any(|byte| byte & 0xC0 != 0x80) {
        "invalid trailing UTF-8 octet"
    } else if matches!(rest, [0xC0 | 0xC1, ..] | [0xE0, 0x80..=0x9F, ..] | [0xF0, 0x80..=0x8F, ..]) {
        "invalid length of a UTF-8 sequence"
    } else {
        "invalid Unicode character"
    };
    YamlError::new(YamlErrorKind::Syntax, mark_at(valid, valid.len()), message)
}

/// The error for a version directive at the start that is not `%YAML 1.1`: the library reads 1.2 too, go-yaml does not.
fn incompatible_version(text: &str) -> Option<YamlError> {
    let mut scanner = Scanner::new();
    scanner.set_encoding(Encoding::Utf8);
    scanner.set_input(Pieces::new(text));
    while let Ok(token) = Scanner::scan(&mut scanner) {
        match token.data {
            TokenData::StreamStart { .. } | TokenData::TagDirective { .. } => {}
            TokenData::VersionDirective { major: 1, minor: 1 } => {}
            TokenData::VersionDirective { .. } => {
                let mut error =
                    YamlError::new(YamlErrorKind::Syntax, token.start_mark, "found incompatible YAML document");
                error.compat_line = u32::try_from(token.start_mark.line).ok().filter(|&line| line > 0);
                return Some(error);
            }
            _ => return None,
        }
    }
    None
}

/// Finds the first tag that a comma follows directly.
///
/// Only the scanner can tell a tag from the same characters in a string. So it gets a copy with a blank before every
/// such comma, and its tags are compared with the places of the blanks.
///
/// # Errors
///
/// There is such a tag, or the scanner fails on the copy: it would have failed on the text too.
fn check_tags_before_commas(text: &str) -> Result<(), YamlError> {
    let commas = commas_behind_tags(text.as_bytes());
    if commas.is_empty() {
        return Ok(());
    }
    let mut copy = String::with_capacity(text.len() + commas.len());
    let mut done = 0;
    for &at in &commas {
        copy.push_str(&text[done..at]);
        copy.push(' ');
        done = at;
    }
    copy.push_str(&text[done..]);
    let blanks: Vec<u64> = commas.iter().enumerate().map(|(n, at)| (at + n) as u64).collect();
    let original_mark = |index: u64| {
        let inserted = blanks.partition_point(|&blank| blank < index);
        mark_at(text, usize::try_from(index).unwrap_or(text.len()).saturating_sub(inserted))
    };
    let mut scanner = Scanner::new();
    scanner.set_encoding(Encoding::Utf8);
    scanner.set_input(Pieces::new(&copy));
    let mut depth = 0usize;
    loop {
        // (As a method, `scan` would be the iterator's.)
        let token = match Scanner::scan(&mut scanner) {
            Ok(token) => token,
            Err(error) => {
                let mut found = YamlError::from_library(&error);
                if let Some(mark) = error.problem_mark() {
                    found.move_to(original_mark(mark.index));
                }
                return Err(if error.kind() == ErrorKind::Reader {
                    first_forbidden(text).unwrap_or(found)
                } else {
                    found
                });
            }
        };
        match token.data {
            TokenData::StreamEnd => return Ok(()),
            TokenData::FlowSequenceStart | TokenData::FlowMappingStart => depth += 1,
            TokenData::FlowSequenceEnd | TokenData::FlowMappingEnd => depth = depth.saturating_sub(1),
            TokenData::Tag { .. } if blanks.binary_search(&token.end_mark.index).is_ok() => {
                let mark = original_mark(token.end_mark.index);
                let mut error = YamlError::new(YamlErrorKind::Syntax, mark, TAG_END);
                error.compat_line = error.line.filter(|&line| line > 1);
                return Err(error);
            }
            _ => {}
        }
        // The parser's events will be too deep too.
        if depth > MAX_DEPTH {
            return Ok(());
        }
    }
}

/// The places of commas that may follow a tag directly.
fn commas_behind_tags(text: &[u8]) -> Vec<usize> {
    let mut commas = Vec::new();
    for at in memchr::memchr_iter(b'!', text) {
        let may_start = at
            .checked_sub(1)
            .and_then(|before| text.get(before))
            .is_none_or(|before| before.is_ascii_whitespace() || b",[]{}:?\"'".contains(before));
        if !may_start {
            continue;
        }
        let is_bracket = text.get(at + 1) == Some(&b'<');
        let is_uri = |byte: &u8| {
            byte.is_ascii_alphanumeric()
                || b"-_;/?:@&=+$.%!~*'()".contains(byte)
                || (is_bracket && b"<,[]>".contains(byte))
        };
        let rest = text.get(at..).unwrap_or_default();
        let tag = &rest[..rest.iter().take_while(|it| is_uri(it)).count()];
        if is_bracket {
            commas.extend(memmem::find_iter(tag, b">,").map(|found| at + found + 1));
        } else if rest.get(tag.len()) == Some(&b',') && tag.last() != Some(&b':') {
            // (A blank behind a colon would make it an indicator. If it is still a tag that ends so, [`guarded`]
            // catches the panic.)
            commas.push(at + tag.len());
        }
    }
    commas.sort_unstable();
    commas.dedup();
    commas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_behind_tags_are_found() {
        for (text, expected) in [
            ("[!a,b]", &[3][..]),
            ("{\"a\":!geN,\"c\": 1}", &[9]),
            ("[!<a,b>,c]", &[7]),
            ("[!,a]", &[2]),
            ("[! ,a]", &[]),
            ("Hello!, world", &[]),
            ("a: !b c, d", &[]),
        ] {
            assert_eq!(commas_behind_tags(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn a_comma_behind_a_tag_is_an_error_with_its_place() {
        for text in ["x: [!<a>,b]", "x: {a: !geN,\"c\": 1}", "é: [!,a]", "x: [!a!b,c]"] {
            let mut out = Vec::new();
            let error = crate::yaml::to_json(text.as_bytes(), &mut out).unwrap_err();
            assert_eq!(error.message, TAG_END, "{text}");
            let comma = text.chars().position(|c| c == ',').unwrap() as u32 + 1;
            assert_eq!((error.line, error.column), (Some(1), Some(comma)), "{text}");
        }
        // The scanner fails behind the end of the text.
        for text in ["--X: a !+!!!!-,- !!-,-\ns-<<-c", "a: [!b c\n, !-,-"] {
            assert!(
                crate::yaml::to_json(text.as_bytes(), &mut Vec::new()).is_err_and(|it| it.line.is_some()),
                "{text}"
            );
        }
        let mut out = Vec::new();
        assert!(crate::yaml::to_json(b"x: a\n  &A,!?:z=JN:,\n", &mut out).is_ok());
        // Inside a text it is not a tag.
        let mut out = Vec::new();
        assert!(crate::yaml::to_json(b"x: \"say !a,b\"\ny: one !b, two\nz: '[!,a]'\n", &mut out).is_ok());
    }
}
