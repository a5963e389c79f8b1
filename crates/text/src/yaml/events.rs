//! The events of a chunk, from libyaml's scanner and parser, guarded against the faults of its port.
//!
//! The port panics on two inputs, which never reach it: a block scalar at the end of a text without a newline (one is
//! added) and a tag in angle brackets that a comma follows directly (found beforehand, and then an error as in
//! go-yaml). It also takes any text whose first byte is 0xEF for a broken byte order mark, and reports only `invalid
//! UTF-8`; so byte order mark and encoding are handled here and in [`super::utf16`]. [`super::dialect`] bridges the
//! differences between the versions of libyaml.
//!
//! go-yaml forgets that an empty flow collection may be a key, so for one at the position of a key it has another error
//! than libyaml. [`lone_empty_collection`] replaces the port's error by that one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use libyaml_safer::{
    Encoding, ErrorKind, Event, EventData, MappingStyle, Mark, Parser, ScalarStyle, Scanner, SequenceStyle, TokenData,
};
use memchr::memmem;

use super::dialect::{StandIns, ends_of_tags, escaped_slash, scan};
use super::error::{YamlError, YamlErrorKind};
use super::fault::long_token;
use super::pieces::{Pieces, Unanswered};
use super::shorten::Shortened;
use crate::json::may_be_token;

/// The scanner's message for a tag without white space behind it.
const TAG_END: &str = "did not find expected whitespace or line break";

/// The scanner's message for a text at the position of a key that is not one.
pub(super) const NO_COLON: &str = "could not find expected ':'";

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
    stand_ins: StandIns,
    shortened: Shortened<'t>,
    /// Whether the text has anything that go-yaml refuses and the library may take.
    may_be_refused: bool,
}

impl<'t> Source<'t> {
    /// Reads the events of a chunk.
    ///
    /// # Errors
    /// Invalid UTF-8, and the tag that the library cannot handle.
    pub(super) fn new(chunk: &'t [u8]) -> Result<Self, YamlError> {
        let chunk = without_mark(chunk);
        let text = std::str::from_utf8(chunk).map_err(|error| invalid_utf8(chunk, error))?;
        let (stand_ins, prepared) = StandIns::new(text)?;
        check_tags_before_commas(&prepared)?;
        let may_be_refused = chunk.contains(&b'?') || memmem::find(chunk, b"\\/").is_some();
        Ok(Self { text, stand_ins, shortened: Shortened::new(prepared), may_be_refused })
    }

    /// Like [`Self::new`], with nothing taken out, so that the ends of nodes are at their real places.
    ///
    /// # Errors
    /// The errors of [`Self::new`].
    pub(super) fn whole(chunk: &'t [u8]) -> Result<Self, YamlError> {
        let source = Self::new(chunk)?;
        Ok(Self { shortened: source.shortened.undone(), ..source })
    }

    pub(super) fn events(&self) -> Events<'_> {
        let mut parser = Parser::new();
        parser.set_encoding(Encoding::Utf8);
        let pieces = Pieces::new(&self.shortened.text);
        let unanswered = pieces.unanswered();
        parser.set_input(pieces);
        Events { source: self, parser, unanswered, end: Mark::default(), open: Vec::new() }
    }
}

/// The parser's error in a whole text of several documents.
pub(super) fn parse_error(text: &str) -> Option<YamlError> {
    let mut parser = Parser::new();
    parser.set_encoding(Encoding::Utf8);
    parser.set_input(Pieces::new(text));
    let all = || loop {
        match parser.parse() {
            Ok(Event { data: EventData::StreamEnd, .. }) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(YamlError::from_library(&error)),
        }
    };
    guarded(all).err()
}

/// Reads the events of one chunk.
pub(super) struct Events<'s> {
    source: &'s Source<'s>,
    parser: Parser<Pieces<'s>>,
    unanswered: Unanswered,
    /// The end of the last event.
    end: Mark,
    /// The collections that are open.
    open: Vec<Open>,
}

/// The kind of an open collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Block,
    InBrackets,
    InBraces,
    /// A mapping of one pair in brackets, without braces.
    Pair,
}

impl Events<'_> {
    /// The next event.
    ///
    /// # Errors
    ///
    /// The text is not YAML.
    pub(super) fn next(&mut self) -> Result<Event, YamlError> {
        let Source { text, stand_ins, shortened, .. } = self.source;
        match self.parser.parse() {
            Ok(mut event) => {
                self.unanswered.reset();
                self.end = event.end_mark;
                if self.source.may_be_refused {
                    self.check_old_rules(&event)?;
                }
                let restore = |it: &mut String, style: ScalarStyle| {
                    shortened.restore(it);
                    stand_ins.restore(it, style);
                };
                match &mut event.data {
                    EventData::DocumentStart { version_directive: Some(version), .. } if version.minor != 1 => {
                        return Err(incompatible_version(&shortened.text).unwrap_or_else(YamlError::internal));
                    }
                    EventData::Scalar { value, anchor, tag, style, .. } => {
                        restore(value, *style);
                        // The scanner saw runs of letters without their middles.
                        if !may_be_token(value.len()) {
                            return Err(long_token(event.start_mark));
                        }
                        anchor.iter_mut().chain(tag).for_each(|it| restore(it, ScalarStyle::Plain));
                    }
                    EventData::Alias { anchor } => restore(anchor, ScalarStyle::Plain),
                    EventData::SequenceStart { anchor, .. } | EventData::MappingStart { anchor, .. } => {
                        anchor.iter_mut().for_each(|it| restore(it, ScalarStyle::Plain));
                    }
                    _ => {}
                }
                self.correct(&mut event.start_mark);
                Ok(event)
            }
            Err(_) if !self.unanswered.is_short() => {
                let mut mark = self.end;
                self.correct(&mut mark);
                Err(long_token(mark))
            }
            Err(error) => Err(match error.kind() {
                ErrorKind::Reader => first_forbidden(text),
                ErrorKind::Parser => incompatible_version(&shortened.text),
                ErrorKind::Scanner => lone_empty_collection(&error, shortened),
                _ => None,
            }
            .unwrap_or_else(|| {
                let mut found = YamlError::from_library(&error);
                if let Some(mut mark) = error.problem_mark() {
                    self.correct(&mut mark);
                    found.move_to(mark);
                }
                found
            })),
        }
    }

    fn correct(&self, mark: &mut Mark) {
        self.source.stand_ins.correct(mark, &self.source.shortened.text);
        self.source.shortened.correct(mark);
    }

    /// Finds what go-yaml refuses and the library takes: `\/` in double quotes, and a question mark in a plain scalar
    /// in brackets, which ends the scalar there (`docs/behaviour/fbc.md` 1.4).
    fn check_old_rules(&mut self, event: &Event) -> Result<(), YamlError> {
        let text = &*self.source.shortened.text;
        let at = |mark: Mark| usize::try_from(mark.index).unwrap_or(usize::MAX).min(text.len());
        let source = text.get(at(event.start_mark)..at(event.end_mark)).unwrap_or_default();
        match &event.data {
            EventData::MappingStart { style: MappingStyle::Flow, .. } if source.starts_with('{') => {
                self.open.push(Open::InBraces);
            }
            EventData::MappingStart { style: MappingStyle::Flow, .. } => self.open.push(Open::Pair),
            EventData::SequenceStart { style: SequenceStyle::Flow, .. } => self.open.push(Open::InBrackets),
            EventData::MappingStart { .. } | EventData::SequenceStart { .. } => self.open.push(Open::Block),
            EventData::MappingEnd | EventData::SequenceEnd => drop(self.open.pop()),
            EventData::Scalar { style: ScalarStyle::DoubleQuoted, .. } => {
                if let Some(slash) = escaped_slash(source) {
                    return Err(self.refused(at(event.start_mark) + slash, "found unknown escape character", 1));
                }
            }
            EventData::Scalar { style: ScalarStyle::Plain, value, .. } if value.contains('?') => {
                let expected = match self.open.last() {
                    None | Some(Open::Block) => return Ok(()),
                    Some(Open::InBraces) => "did not find expected ',' or '}'",
                    Some(Open::InBrackets | Open::Pair) => "did not find expected ',' or ']'",
                };
                let question = source.find('?').unwrap_or_default();
                return Err(self.refused(at(event.start_mark) + question, expected, 0));
            }
            _ => {}
        }
        Ok(())
    }

    /// An error at a place. go-yaml adds `more` to its line if its scanner finds it.
    fn refused(&self, at: usize, message: &str, more: u32) -> YamlError {
        let mut mark = mark_at(&self.source.shortened.text, at);
        let line = u32::try_from(mark.line).ok().filter(|line| *line > 0);
        self.correct(&mut mark);
        let mut error = YamlError::new(YamlErrorKind::Syntax, mark, message);
        error.compat_line = line.map(|it| it + more);
        error
    }
}

/// go-yaml's error for `[]` or `{}` at the column of a block collection's items, where libyaml misses the `:` of a key.
fn lone_empty_collection(error: &libyaml_safer::Error, shortened: &Shortened<'_>) -> Option<YamlError> {
    let mut mark = error.context_mark().filter(|_| error.problem() == NO_COLON)?;
    let mut scanner = Scanner::new();
    scanner.set_encoding(Encoding::Utf8);
    let pieces = Pieces::new(&shortened.text);
    let unanswered = pieces.unanswered();
    scanner.set_input(pieces);
    // Block collections that are open, and whether they are mappings; block sequences as deep as their mapping have no
    // token.
    let mut are_mappings = Vec::new();
    while let Ok(token) = Scanner::scan(&mut scanner) {
        unanswered.reset();
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
/// # Errors
///
/// There is such a tag, or the scanner fails before it: it would have failed on the text too.
fn check_tags_before_commas(text: &str) -> Result<(), YamlError> {
    let ends = ends_of_tags(text.as_bytes());
    if ends.is_empty() {
        return Ok(());
    }
    let mut tag = None;
    let error = scan(text, |token, _, end| {
        if tag.is_none() && matches!(token, TokenData::Tag { .. }) && ends.binary_search(&end).is_ok() {
            tag = Some(end);
        }
    });
    if let Some(end) = tag {
        let mut error = YamlError::new(YamlErrorKind::Syntax, mark_at(text, end), TAG_END);
        error.compat_line = u32::try_from(mark_at(text, end).line).ok().filter(|&line| line > 0).map(|line| line + 1);
        return Err(error);
    }
    let Some((error, _, problem)) = error else { return Ok(()) };
    if error.kind() == ErrorKind::Io {
        return Err(long_token(Mark::default()));
    }
    let mut found = YamlError::from_library(&error);
    found.move_to(mark_at(text, problem));
    Err(if error.kind() == ErrorKind::Reader { first_forbidden(text).unwrap_or(found) } else { found })
}
