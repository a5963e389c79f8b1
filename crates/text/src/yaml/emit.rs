//! JSON documents as YAML text, byte for byte as `opm render -o yaml` writes them (`docs/behaviour/fbc.md` 4.4,
//! Appendix B).
//!
//! This emitter is our own and not the library's. The library's writes astral characters raw where go-yaml escapes
//! them, copies every string into an event, and looks at characters one by one, so it reaches 50 to 90 MB/s. This one
//! copies strings without line breaks and special characters in one piece, and large strings are of that kind.
//!
//! opm reads its own JSON as YAML before it writes it. The effect on texts and numbers is reproduced here, with one
//! exception: keys longer than 1,024 characters make opm fail, and are written here.

use std::borrow::Cow;

use memchr::memchr_iter;
use thiserror::Error;

use super::number::write_general;
use super::order::sort_by_key;
use super::style::{Style, Traits, fold_next_lines};
use crate::json::{EXPANDS_TOO_FAR, Expansion, Kind, Value, may_be_token, write_number};

/// Lines are wrapped at the first blank behind this column.
const WIDTH: usize = 80;

/// Longer keys are written with `? `.
const MAX_SIMPLE_KEY: usize = 128;

/// Blanks for every level.
pub const INDENT: usize = 2;

/// The reasons why a document cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum YamlWriteError {
    /// A string has DEL, a C1 control other than U+0085, U+FFFE or U+FFFF in it, which opm cannot read back.
    #[error("yaml: control characters are not allowed")]
    ControlCharacter,
    /// A key has U+0085 in it, a line break inside a key to opm, which fails. The line is the one that opm names.
    #[error("yaml: line {line}: did not find expected ',' or '}}'")]
    NextLineInKey {
        /// The line, from 1.
        line: usize,
    },
    /// Its indentation is larger than a document may become.
    #[error("{0}")]
    Expands(&'static str),
}

/// Writes a document as YAML, ended by a newline and without a line `---` before it.
///
/// Keys are sorted in natural order, and of duplicate ones the last is written.
///
/// # Errors
///
/// A string that opm cannot write either, and one or a key whose nesting makes its lines too long; `out` is then as
/// before.
pub fn write(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), YamlWriteError> {
    let n_bytes = value.end() - value.offset();
    Expansion::default()
        .charge_indentation(value.yaml_indentation(INDENT), n_bytes)
        .map_err(YamlWriteError::Expands)?;
    write_charged(value, out)
}

/// Like [`write()`], for a document whose indentation was charged already.
///
/// # Errors
/// A string that opm cannot write either.
pub fn write_charged(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), YamlWriteError> {
    let base = out.len();
    let mut writer = Writer { out, line_start: base, is_fresh: true };
    let written = writer.document(value);
    if written.is_err() {
        out.truncate(base);
    }
    written.map_err(|error| match error {
        YamlWriteError::NextLineInKey { .. } => YamlWriteError::NextLineInKey { line: line_of_next_line(value) },
        other => other,
    })
}

/// The line that opm names where a key has U+0085 in it: each one that came before ended a line. It is the line on
/// which the mapping starts, or where that is the first, the line on which the key ends.
fn line_of_next_line(root: Value<'_>) -> usize {
    let breaks = |text: &Value<'_>| text.as_str().map_or(0, |it| it.matches('\u{85}').count());
    let mut line = 0;
    // Values to come, each with its key and the line on which its mapping starts: zero is the first.
    let mut open: Vec<(Option<Value<'_>>, usize, Value<'_>)> = vec![(None, 0, root)];
    while let Some((key, start, value)) = open.pop() {
        let in_key = key.as_ref().map_or(0, &breaks);
        line += in_key;
        if in_key > 0 {
            return if start > 0 { start } else { line };
        }
        line += breaks(&value);
        let first = open.len();
        match value.kind() {
            Kind::Object => open.extend(value.members().map(|(key, it)| (Some(key), line, it))),
            Kind::Array => open.extend(value.items().map(|it| (None, 0, it))),
            _ => {}
        }
        open[first..].reverse();
    }
    1
}

/// The text of a key or a value, unless it is longer than a token may be that is read.
fn text_of_token(of: Value<'_>) -> Result<Cow<'_, str>, YamlWriteError> {
    match may_be_token(of.end() - of.offset()) {
        true => Ok(of.as_str().unwrap_or_default()),
        false => Err(YamlWriteError::Expands(EXPANDS_TOO_FAR)),
    }
}

/// A collection that is being written. Its children are `next..last` of the stack of entries.
struct Frame {
    is_mapping: bool,
    indent: usize,
    first: usize,
    next: usize,
    last: usize,
}

struct Entry<'d> {
    /// Empty in lists.
    key: Cow<'d, str>,
    value: Value<'d>,
}

struct Writer<'o> {
    out: &'o mut Vec<u8>,
    /// The start of the line that is being written.
    line_start: usize,
    /// Whether the line has only blanks and indicators, so that an entry may start on it.
    is_fresh: bool,
}

impl Writer<'_> {
    fn document(&mut self, root: Value<'_>) -> Result<(), YamlWriteError> {
        let mut entries: Vec<Entry<'_>> = Vec::new();
        let mut frames: Vec<Frame> = Vec::new();
        frames.extend(self.leaf_or_frame(root, INDENT, 0, &mut entries)?);
        while let Some(frame) = frames.last_mut() {
            let Some(entry) = entries[..frame.last].get_mut(frame.next) else {
                entries.truncate(frame.first);
                frames.pop();
                continue;
            };
            let (key, value) = (std::mem::take(&mut entry.key), entry.value);
            frame.next += 1;
            let indent = frame.indent;
            self.start_entry(indent);
            let is_plain_member = frame.is_mapping && self.key(&key, indent)?;
            if !frame.is_mapping {
                self.out.push(b'-');
                self.is_fresh = true;
            }
            // Lists are not indented below a key on its own line.
            let is_flush = is_plain_member && value.kind() == Kind::Array;
            let child_indent = if is_flush { indent } else { indent + INDENT };
            frames.extend(self.leaf_or_frame(value, indent + INDENT, child_indent, &mut entries)?);
        }
        if !self.is_fresh {
            self.new_line(0);
        }
        Ok(())
    }

    /// Goes to where an entry with this indentation starts: on a new line unless the line has room for it.
    fn start_entry(&mut self, indent: usize) {
        if self.is_fresh {
            self.out.resize((self.line_start + indent).max(self.out.len()), b' ');
        } else {
            self.new_line(indent);
        }
        self.is_fresh = false;
    }

    fn new_line(&mut self, indent: usize) {
        self.out.push(b'\n');
        self.line_start = self.out.len();
        self.out.resize(self.line_start + indent, b' ');
    }

    /// Writes a key with its colon; returns whether both are on one line.
    fn key(&mut self, key: &str, indent: usize) -> Result<bool, YamlWriteError> {
        let traits = Traits::of(key);
        if traits.next_line {
            return Err(YamlWriteError::NextLineInKey { line: 1 });
        }
        if key.len() <= MAX_SIMPLE_KEY && !traits.breaks {
            self.text_of(key, traits, None)?;
            self.out.push(b':');
            return Ok(true);
        }
        self.out.push(b'?');
        self.string(key, traits, indent + INDENT)?;
        self.start_entry(indent);
        self.out.push(b':');
        self.is_fresh = true;
        Ok(false)
    }

    /// Writes a leaf or an empty collection whole. The children of any other collection go on the stack.
    fn leaf_or_frame<'d>(
        &mut self,
        value: Value<'d>,
        leaf_indent: usize,
        child_indent: usize,
        entries: &mut Vec<Entry<'d>>,
    ) -> Result<Option<Frame>, YamlWriteError> {
        let first = entries.len();
        let is_mapping = value.kind() == Kind::Object;
        match value.kind() {
            Kind::Null => self.word(b"null"),
            Kind::True => self.word(b"true"),
            Kind::False => self.word(b"false"),
            Kind::Number => {
                self.blank();
                number(value.raw(), self.out);
                self.is_fresh = false;
            }
            Kind::PlainString | Kind::EscapedString => {
                let text = text_of_token(value)?;
                self.string(&text, Traits::of(&text), leaf_indent)?;
            }
            Kind::Array => entries.extend(value.items().map(|value| Entry { key: Cow::Borrowed(""), value })),
            Kind::Object => {
                for (key, value) in value.members() {
                    entries.push(Entry { key: text_of_token(key)?, value });
                }
                sort_by_key(entries, first, |entry| &entry.key);
                keep_last_of_equal(entries, first);
            }
        }
        if !matches!(value.kind(), Kind::Array | Kind::Object) {
            return Ok(None);
        }
        if entries.len() == first {
            self.word(if is_mapping { b"{}" } else { b"[]" });
            return Ok(None);
        }
        Ok(Some(Frame { is_mapping, indent: child_indent, first, next: first, last: entries.len() }))
    }

    fn word(&mut self, word: &[u8]) {
        self.blank();
        self.out.extend_from_slice(word);
        self.is_fresh = false;
    }

    /// Writes the blank between an indicator and the text behind it.
    fn blank(&mut self) {
        if self.out.len() > self.line_start {
            self.out.push(b' ');
        }
    }

    /// Writes a string as a value; its further lines are indented.
    fn string(&mut self, text: &str, traits: Traits, indent: usize) -> Result<(), YamlWriteError> {
        self.blank();
        self.is_fresh = false;
        self.text_of(text, traits, Some(indent))
    }

    /// Writes a string in the style that it needs. Without an indentation it stays on the line.
    fn text_of(&mut self, text: &str, traits: Traits, indent: Option<usize>) -> Result<(), YamlWriteError> {
        if traits.forbidden {
            return Err(YamlWriteError::ControlCharacter);
        }
        if traits.next_line {
            let folded = fold_next_lines(text);
            return self.text_of(&folded, Traits::of(&folded), indent);
        }
        match (traits.style(text), indent) {
            (Style::Plain, _) => self.flow(text, false, indent),
            (Style::Single, _) if !traits.breaks => {
                self.out.push(b'\'');
                self.flow(text, true, indent);
                self.out.push(b'\'');
            }
            (Style::Single, indent) => self.single_with_breaks(text, indent.unwrap_or(0)),
            (Style::Literal, Some(indent)) => self.literal(text, indent),
            (Style::Double | Style::Literal, _) => self.double(text, indent),
        }
        Ok(())
    }

    /// Characters on the line.
    fn column(&self) -> usize {
        n_chars(&self.out[self.line_start..])
    }

    /// Writes the text of a plain or single-quoted scalar without line breaks.
    fn flow(&mut self, text: &str, is_quoted: bool, indent: Option<usize>) {
        let bytes = text.as_bytes();
        let Some(indent) = indent.filter(|_| self.column() + bytes.len() > WIDTH) else {
            self.run(bytes, is_quoted);
            return;
        };
        let mut column = self.column();
        let mut start = 0;
        for at in memchr_iter(b' ', bytes) {
            column += self.run(&bytes[start..at], is_quoted);
            start = at + 1;
            let is_outer = is_quoted && (at == 0 || start == bytes.len());
            let is_alone = bytes.get(start) != Some(&b' ') && (at == 0 || bytes[at - 1] != b' ');
            if column > WIDTH && is_alone && !is_outer {
                self.new_line(indent);
                column = indent;
            } else {
                self.out.push(b' ');
                column += 1;
            }
        }
        self.run(&bytes[start..], is_quoted);
    }

    /// Writes text, with quotes doubled; returns how many characters it made.
    fn run(&mut self, bytes: &[u8], is_quoted: bool) -> usize {
        let mut start = 0;
        let mut quotes = 0;
        if is_quoted {
            for at in memchr_iter(b'\'', bytes) {
                self.out.extend_from_slice(&bytes[start..=at]);
                start = at;
                quotes += 1;
            }
        }
        self.out.extend_from_slice(&bytes[start..]);
        n_chars(bytes) + quotes
    }

    /// Writes a single-quoted scalar with U+2028 or U+2029 in it: the indentation follows them, because for YAML the
    /// text behind them is on another line.
    fn single_with_breaks(&mut self, text: &str, indent: usize) {
        self.out.push(b'\'');
        for line in text.split_inclusive(['\u{2028}', '\u{2029}']) {
            if self.out.len() == self.line_start && !line.starts_with(['\u{2028}', '\u{2029}']) {
                self.out.resize(self.line_start + indent, b' ');
            }
            self.flow(line, true, Some(indent));
            if line.ends_with(['\u{2028}', '\u{2029}']) {
                self.line_start = self.out.len();
            }
        }
        self.out.push(b'\'');
    }

    fn literal(&mut self, text: &str, indent: usize) {
        let is_break = |c: char| matches!(c, '\n' | '\u{2028}' | '\u{2029}');
        self.out.push(b'|');
        if text.starts_with(' ') || text.starts_with(is_break) {
            self.out.push(b'2');
        }
        match text.strip_suffix(is_break) {
            None => self.out.push(b'-'),
            Some(before) if before.is_empty() || before.ends_with(is_break) => self.out.push(b'+'),
            Some(_) => {}
        }
        self.out.push(b'\n');
        for line in text.split_inclusive(is_break) {
            self.line_start = self.out.len();
            if !line.starts_with(is_break) {
                self.out.resize(self.line_start + indent, b' ');
            }
            self.out.extend_from_slice(line.as_bytes());
        }
        self.is_fresh = text.ends_with(is_break);
        if self.is_fresh {
            self.line_start = self.out.len();
        }
    }

    fn double(&mut self, text: &str, indent: Option<usize>) {
        self.out.push(b'"');
        // go-yaml looks for a byte order mark at the start of the text each time that it asks whether a character needs
        // an escape.
        if text.starts_with('\u{FEFF}') {
            text.chars().for_each(|c| {
                self.escaped(c);
            });
            self.out.push(b'"');
            return;
        }
        let mut column = self.column();
        let mut chars = text.char_indices().peekable();
        let mut after_space = false;
        while let Some((at, c)) = chars.next() {
            let is_space = c == ' ';
            let is_inner = at > 0 && at + 1 < text.len();
            match indent.filter(|_| is_space && !after_space && column > WIDTH && is_inner) {
                Some(indent) => {
                    self.new_line(indent);
                    column = indent;
                    if chars.peek().is_some_and(|&(_, next)| next == ' ') {
                        self.out.push(b'\\');
                        column += 1;
                    }
                }
                None => column += self.double_char(c),
            }
            after_space = is_space;
        }
        self.out.push(b'"');
    }

    /// Writes one character of a double-quoted scalar; returns how many it became.
    fn double_char(&mut self, c: char) -> usize {
        if matches!(c, '\0'..'\u{20}' | '"' | '\\' | '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{10000}'..) {
            return self.escaped(c);
        }
        self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        1
    }

    /// Writes a character as its escape sequence; returns how many characters that has.
    fn escaped(&mut self, c: char) -> usize {
        let short = match c {
            '\0' => b'0',
            '\u{7}' => b'a',
            '\u{8}' => b'b',
            '\t' => b't',
            '\n' => b'n',
            '\u{B}' => b'v',
            '\u{C}' => b'f',
            '\r' => b'r',
            '\u{1B}' => b'e',
            '"' => b'"',
            '\\' => b'\\',
            '\u{A0}' => b'_',
            '\u{2028}' => b'L',
            '\u{2029}' => b'P',
            _ => {
                let code = u32::from(c);
                let escaped = match code {
                    ..=0xFF => format!("\\x{code:02X}"),
                    0x100..=0xFFFF => format!("\\u{code:04X}"),
                    _ => format!("\\U{code:08X}"),
                };
                self.out.extend_from_slice(escaped.as_bytes());
                return escaped.len();
            }
        };
        self.out.extend_from_slice(&[b'\\', short]);
        2
    }
}

/// Characters in UTF-8 text.
fn n_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// Keeps only the last of entries with the same key, which are neighbours.
fn keep_last_of_equal(entries: &mut Vec<Entry<'_>>, first: usize) {
    if entries[first..].windows(2).all(|pair| pair[0].key != pair[1].key) {
        return;
    }
    let mut kept = first;
    for idx in first..entries.len() {
        if entries.get(idx + 1).is_none_or(|next| next.key != entries[idx].key) {
            entries.swap(kept, idx);
            kept += 1;
        }
    }
    entries.truncate(kept);
}

/// Writes a number in the form that opm gives it: opm takes it as a double, writes that as JSON and reads it as YAML.
/// It is written in full if it is then an integer of 64 bits, and otherwise as `%g` (`docs/behaviour/fbc.md` Appendix
/// B.2).
fn number(raw: &str, out: &mut Vec<u8>) {
    let start = out.len();
    write_number(raw, out);
    let text = std::str::from_utf8(&out[start..]).unwrap_or("0");
    if text == "-0" {
        out.truncate(start);
        out.push(b'0');
    } else if text.parse::<i64>().is_err() && text.parse::<u64>().is_err() {
        let value = text.parse().unwrap_or(0.0);
        out.truncate(start);
        write_general(value, out);
    }
}

#[cfg(test)]
mod tests;
