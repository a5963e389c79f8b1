//! Text to a flat document: a validating reader without recursion.

use thiserror::Error;

use super::expansion::{EXPANDS_TOO_FAR, Expansion, has_too_many_values, may_be_number};
use super::scan::{skip_plain, skip_space};
use super::value::{Kind, Node, Value};

/// Levels of nesting that a document may have, as in Go's `encoding/json`.
pub const MAX_DEPTH: usize = 10_000;

/// The reason why a text is not JSON, and the byte offset of the first byte that cannot belong to it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct ReadError {
    /// Offset in bytes from the start of the text that was given; the text's length if it ends too early.
    pub offset: usize,
    /// The fault.
    pub kind: ReadErrorKind,
}

/// The kinds of [`ReadError`]. The wording is that of Go's library, which catalog authors know from `opm`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// A character that is not allowed in its place.
    #[error("invalid character {} {context}", quote_char(*.found))]
    InvalidCharacter {
        /// The character.
        found: char,
        /// The token that was expected, for example `looking for beginning of value`.
        context: &'static str,
    },
    /// The text ends inside a value.
    #[error("unexpected EOF")]
    UnexpectedEnd,
    /// More than [`MAX_DEPTH`] levels.
    #[error("exceeded max depth of {MAX_DEPTH}")]
    TooDeep,
    /// A number beyond the range of a double.
    #[error("json: cannot unmarshal number {0} into Go value of type float64")]
    NumberOutOfRange(String),
    /// More keys and values than the input may expand to.
    #[error("{EXPANDS_TOO_FAR}")]
    TooManyValues,
    /// A text of 4 GiB or more.
    #[error("document is larger than 4 GiB")]
    TooLarge,
}

/// A character as Go's library shows it in a message.
fn quote_char(found: char) -> String {
    let code = u32::from(found);
    match found {
        '"' => "'\"'".to_owned(),
        '\x07' => r"'\a'".to_owned(),
        '\x08' => r"'\b'".to_owned(),
        '\x0b' => r"'\v'".to_owned(),
        '\x0c' => r"'\f'".to_owned(),
        '\n' | '\r' | '\t' | '\'' | '\\' | ' '..='~' => format!("'{}'", found.escape_debug()),
        '\0'..='\x7f' => format!(r"'\x{code:02x}'"),
        // The standard library escapes characters that cannot be printed; a letter in front keeps it from escaping
        // combining marks.
        _ if String::from_iter(['a', found]).escape_debug().count() == 2 => format!("'{found}'"),
        '\u{80}'..='\u{ffff}' => format!(r"'\u{code:04x}'"),
        _ => format!(r"'\U{code:08x}'"),
    }
}

/// Reads documents one after another into the same memory.
#[derive(Debug, Default)]
pub struct Reader {
    nodes: Vec<Node>,
    /// The containers that are open: index of their node.
    open: Vec<u32>,
    /// The most that were open at once.
    n_levels: usize,
}

/// The token that the reader waits for.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    Value,
    FirstKeyOrEnd,
    Key,
    FirstItemOrEnd,
    CommaOrEnd,
    Done,
}

impl Reader {
    /// A reader with empty memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the one value that starts at or after byte `at` (white space is skipped) and returns it with the offset
    /// just behind it. The text behind the value is not looked at.
    ///
    /// # Errors
    /// [`ReadError`] if no valid JSON value starts there.
    pub fn read_at<'d>(&'d mut self, text: &'d str, at: usize) -> Result<(Value<'d>, usize), ReadError> {
        self.read_at_within(text, at, &Expansion::default())
    }

    /// Like [`Self::read_at`], for an input that has already expanded by `expansion`.
    ///
    /// # Errors
    /// The errors of [`Self::read_at`].
    pub fn read_at_within<'d>(
        &'d mut self,
        text: &'d str,
        at: usize,
        expansion: &Expansion,
    ) -> Result<(Value<'d>, usize), ReadError> {
        let end = self.fill(text, at, expansion)?;
        Ok((Value::new(text, &self.nodes, 0), end))
    }

    /// Reads a text that is one value, white space around it allowed.
    ///
    /// # Errors
    /// [`ReadError`] if the text is anything else.
    pub fn read<'d>(&'d mut self, text: &'d str) -> Result<Value<'d>, ReadError> {
        self.read_within(text, &Expansion::default())
    }

    /// Like [`Self::read`], for an input that has already expanded by `expansion`.
    ///
    /// # Errors
    /// The errors of [`Self::read`].
    pub fn read_within<'d>(&'d mut self, text: &'d str, expansion: &Expansion) -> Result<Value<'d>, ReadError> {
        let end = self.fill(text, 0, expansion)?;
        let end = skip_space(text.as_bytes(), end);
        if end < text.len() {
            return Err(invalid(text, end, "after top-level value"));
        }
        Ok(Value::new(text, &self.nodes, 0))
    }

    /// The value that was read last, of the text that it was read from.
    pub fn last<'d>(&'d self, text: &'d str) -> Value<'d> {
        Value::new(text, &self.nodes, 0)
    }

    fn fill(&mut self, text: &str, at: usize, expansion: &Expansion) -> Result<usize, ReadError> {
        self.nodes.clear();
        self.open.clear();
        self.n_levels = 0;
        if u32::try_from(text.len()).is_err() {
            return Err(ReadError { offset: at, kind: ReadErrorKind::TooLarge });
        }
        let bytes = text.as_bytes();
        let max_values = usize::try_from(expansion.max_values(text.len() - at.min(text.len()))).unwrap_or(usize::MAX);
        let mut pos = at;
        let mut expect = Expect::Value;
        loop {
            if self.nodes.len() > max_values {
                has_too_many_values();
                return Err(ReadError { offset: pos, kind: ReadErrorKind::TooManyValues });
            }
            if expect == Expect::Done {
                self.nodes[0].n_levels = self.n_levels.try_into().unwrap_or(u8::MAX);
                return Ok(pos);
            }
            pos = skip_space(bytes, pos);
            let Some(&byte) = bytes.get(pos) else {
                return Err(ReadError { offset: text.len(), kind: ReadErrorKind::UnexpectedEnd });
            };
            expect = match (expect, byte) {
                (Expect::FirstKeyOrEnd | Expect::CommaOrEnd, b'}')
                | (Expect::FirstItemOrEnd | Expect::CommaOrEnd, b']') => {
                    if !self.closes(bytes, byte) {
                        return Err(invalid(text, pos, self.after_element(bytes)));
                    }
                    pos += 1;
                    self.close(pos)
                }
                (Expect::CommaOrEnd, b',') => {
                    pos += 1;
                    if self.in_object(bytes) { Expect::Key } else { Expect::Value }
                }
                (Expect::CommaOrEnd, _) => return Err(invalid(text, pos, self.after_element(bytes))),
                (Expect::FirstKeyOrEnd | Expect::Key, b'"') => {
                    pos = self.string(text, pos)?;
                    pos = skip_space(bytes, pos);
                    match bytes.get(pos) {
                        Some(b':') => pos += 1,
                        Some(_) => return Err(invalid(text, pos, "after object key")),
                        None => return Err(ReadError { offset: text.len(), kind: ReadErrorKind::UnexpectedEnd }),
                    }
                    Expect::Value
                }
                (Expect::FirstKeyOrEnd | Expect::Key, _) => {
                    return Err(invalid(text, pos, "looking for beginning of object key string"));
                }
                (Expect::Value | Expect::FirstItemOrEnd | Expect::Done, _) => match byte {
                    b'{' | b'[' => {
                        let next = self.open_at(pos, byte)?;
                        pos += 1;
                        next
                    }
                    b'"' => {
                        pos = self.string(text, pos)?;
                        self.after_value()
                    }
                    b'-' | b'0'..=b'9' => {
                        pos = self.number(text, pos)?;
                        self.after_value()
                    }
                    b't' => self.literal(text, &mut pos, "true", Kind::True)?,
                    b'f' => self.literal(text, &mut pos, "false", Kind::False)?,
                    b'n' => self.literal(text, &mut pos, "null", Kind::Null)?,
                    _ => return Err(invalid(text, pos, "looking for beginning of value")),
                },
            };
        }
    }

    fn open_at(&mut self, pos: usize, byte: u8) -> Result<Expect, ReadError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(ReadError { offset: pos, kind: ReadErrorKind::TooDeep });
        }
        let (kind, next) =
            if byte == b'{' { (Kind::Object, Expect::FirstKeyOrEnd) } else { (Kind::Array, Expect::FirstItemOrEnd) };
        self.open.push(self.nodes.len() as u32);
        self.n_levels = self.n_levels.max(self.open.len());
        self.nodes.push(Node::new(kind, pos));
        Ok(next)
    }

    fn in_object(&self, bytes: &[u8]) -> bool {
        self.open.last().is_some_and(|&it| bytes[self.nodes[it as usize].start as usize] == b'{')
    }

    fn closes(&self, bytes: &[u8], byte: u8) -> bool {
        self.in_object(bytes) == (byte == b'}')
    }

    fn after_element(&self, bytes: &[u8]) -> &'static str {
        if self.in_object(bytes) { "after object key:value pair" } else { "after array element" }
    }

    fn close(&mut self, end: usize) -> Expect {
        let n_nodes = self.nodes.len() as u32;
        if let Some(it) = self.open.pop() {
            self.nodes[it as usize].end = end as u32;
            self.nodes[it as usize].next = n_nodes;
        }
        self.after_value()
    }

    fn after_value(&self) -> Expect {
        if self.open.is_empty() { Expect::Done } else { Expect::CommaOrEnd }
    }

    fn leaf(&mut self, kind: Kind, start: usize, end: usize) {
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { kind, is_as_written: false, n_levels: 0, start: start as u32, end: end as u32, next });
    }

    fn literal(&mut self, text: &str, pos: &mut usize, word: &'static str, kind: Kind) -> Result<Expect, ReadError> {
        let start = *pos;
        for (idx, wanted) in word.bytes().enumerate() {
            match text.as_bytes().get(start + idx) {
                Some(&found) if found == wanted => {}
                Some(_) => return Err(invalid(text, start + idx, literal_context(word, idx))),
                None => return Err(ReadError { offset: text.len(), kind: ReadErrorKind::UnexpectedEnd }),
            }
        }
        *pos = start + word.len();
        self.leaf(kind, start, *pos);
        Ok(self.after_value())
    }

    /// Reads the string whose quote is at `start`; the node spans the text between the quotes.
    fn string(&mut self, text: &str, start: usize) -> Result<usize, ReadError> {
        let bytes = text.as_bytes();
        let mut pos = start + 1;
        let mut kind = Kind::PlainString;
        let mut is_as_written = true;
        loop {
            pos = skip_plain(bytes, pos);
            let Some(&byte) = bytes.get(pos) else {
                return Err(ReadError { offset: text.len(), kind: ReadErrorKind::UnexpectedEnd });
            };
            match byte {
                b'"' => {
                    let next = self.nodes.len() as u32 + 1;
                    self.nodes.push(Node {
                        kind,
                        is_as_written,
                        n_levels: 0,
                        start: start as u32 + 1,
                        end: pos as u32,
                        next,
                    });
                    return Ok(pos + 1);
                }
                b'\\' => {
                    kind = Kind::EscapedString;
                    // Other escapes are written in another way.
                    is_as_written &= !matches!(bytes.get(pos + 1), Some(b'/' | b'u'));
                    pos = escape(text, pos)?;
                }
                // The first byte of U+2028 and U+2029 (and of many others), which are written escaped.
                0xE2 => {
                    if matches!(bytes.get(pos + 1..pos + 3), Some([0x80, 0xA8 | 0xA9])) {
                        kind = Kind::EscapedString;
                        is_as_written = false;
                    }
                    pos += 1;
                }
                _ => return Err(invalid(text, pos, "in string literal")),
            }
        }
    }

    fn number(&mut self, text: &str, start: usize) -> Result<usize, ReadError> {
        let bytes = text.as_bytes();
        let end_of_text = || ReadError { offset: text.len(), kind: ReadErrorKind::UnexpectedEnd };
        let digits = |mut pos: usize| {
            while bytes.get(pos).is_some_and(u8::is_ascii_digit) {
                pos += 1;
            }
            pos
        };
        let mut pos = start;
        if bytes[pos] == b'-' {
            pos += 1;
        }
        match bytes.get(pos) {
            Some(b'0') => pos += 1,
            Some(b'1'..=b'9') => pos = digits(pos),
            Some(_) => return Err(invalid(text, pos, "in numeric literal")),
            None => return Err(end_of_text()),
        }
        let mut may_overflow = pos - start > 300;
        if bytes.get(pos) == Some(&b'.') {
            let first = pos + 1;
            pos = digits(first);
            if pos == first {
                return Err(match bytes.get(pos) {
                    Some(_) => invalid(text, pos, "after decimal point in numeric literal"),
                    None => end_of_text(),
                });
            }
        }
        if matches!(bytes.get(pos), Some(b'e' | b'E')) {
            pos += 1;
            if matches!(bytes.get(pos), Some(b'+' | b'-')) {
                pos += 1;
            }
            let first = pos;
            pos = digits(first);
            if pos == first {
                return Err(match bytes.get(pos) {
                    Some(_) => invalid(text, pos, "in exponent of numeric literal"),
                    None => end_of_text(),
                });
            }
            may_overflow = true;
        }
        if may_overflow && !text[start..pos].parse::<f64>().is_ok_and(f64::is_finite) {
            if !may_be_number(pos - start) {
                return Err(ReadError { offset: start, kind: ReadErrorKind::TooManyValues });
            }
            let kind = ReadErrorKind::NumberOutOfRange(text[start..pos].to_owned());
            return Err(ReadError { offset: start, kind });
        }
        self.leaf(Kind::Number, start, pos);
        Ok(pos)
    }
}

fn literal_context(word: &str, idx: usize) -> &'static str {
    match (word, idx) {
        ("true", 1) => "in literal true (expecting 'r')",
        ("true", 2) => "in literal true (expecting 'u')",
        ("true", _) => "in literal true (expecting 'e')",
        ("false", 1) => "in literal false (expecting 'a')",
        ("false", 2) => "in literal false (expecting 'l')",
        ("false", 3) => "in literal false (expecting 's')",
        ("false", _) => "in literal false (expecting 'e')",
        (_, 1) => "in literal null (expecting 'u')",
        (_, _) => "in literal null (expecting 'l')",
    }
}

fn invalid(text: &str, offset: usize, context: &'static str) -> ReadError {
    // An offset inside a character cannot happen: every step ends at an ASCII byte.
    let found = text.get(offset..).and_then(|rest| rest.chars().next()).unwrap_or('\u{FFFD}');
    ReadError { offset, kind: ReadErrorKind::InvalidCharacter { found, context } }
}

/// Checks the escape sequence at `pos` and returns the offset behind it.
fn escape(text: &str, pos: usize) -> Result<usize, ReadError> {
    let bytes = text.as_bytes();
    match bytes.get(pos + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(pos + 2),
        Some(b'u') => {
            for idx in pos + 2..pos + 6 {
                match bytes.get(idx) {
                    Some(byte) if byte.is_ascii_hexdigit() => {}
                    Some(_) => return Err(invalid(text, idx, "in \\u hexadecimal character escape")),
                    None => return Err(ReadError { offset: text.len(), kind: ReadErrorKind::UnexpectedEnd }),
                }
            }
            Ok(pos + 6)
        }
        Some(_) => Err(invalid(text, pos + 1, "in string escape code")),
        None => Err(ReadError { offset: text.len(), kind: ReadErrorKind::UnexpectedEnd }),
    }
}
