//! Tokens of a query.
//!
//! graphql-go counts a name's place in characters from where it began to look for it, and every other token's in bytes.
//! The two differ behind a comment or a mark that is not ASCII, and then the end of a name is read twice. Answers show
//! that, so it is kept.

use super::source::Lines;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    End,
    Bang,
    Dollar,
    ParenOpen,
    ParenClose,
    Spread,
    Colon,
    Equals,
    At,
    BracketOpen,
    BracketClose,
    BraceOpen,
    BraceClose,
    Pipe,
    Ampersand,
    Name,
    Int,
    Float,
    String,
    BlockString,
}

impl TokenKind {
    /// Its name in messages.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::End => "EOF",
            Self::Bang => "!",
            Self::Dollar => "$",
            Self::ParenOpen => "(",
            Self::ParenClose => ")",
            Self::Spread => "...",
            Self::Colon => ":",
            Self::Equals => "=",
            Self::At => "@",
            Self::BracketOpen => "[",
            Self::BracketClose => "]",
            Self::BraceOpen => "{",
            Self::BraceClose => "}",
            Self::Pipe => "|",
            Self::Ampersand => "&",
            Self::Name => "Name",
            Self::Int => "Int",
            Self::Float => "Float",
            Self::String => "String",
            Self::BlockString => "BlockString",
        }
    }
}

/// A token.
#[derive(Debug, Clone)]
pub(crate) struct Token<'q> {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The text of a name or a number.
    pub(crate) text: &'q str,
    /// The meaning of a string.
    pub(crate) meaning: Option<String>,
}

impl Token<'_> {
    /// Its text; empty for a mark.
    pub(crate) fn value(&self) -> &str {
        self.meaning.as_deref().unwrap_or(self.text)
    }

    /// Its name in messages.
    pub(crate) fn words(&self) -> String {
        match self.value() {
            "" => self.kind.words().to_owned(),
            value => format!("{} \"{value}\"", self.kind.words()),
        }
    }
}

/// A text that is not a query: the whole message. It may have bytes that are not a character, if an escape was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntaxError(pub(crate) Vec<u8>);

/// Cuts a text into tokens.
#[derive(Debug)]
pub(crate) struct Lexer<'q> {
    text: &'q str,
    /// Backslashes before three quotes in block strings: graphql-go overwrites them with a quote, which messages show.
    overwritten: Vec<usize>,
}

impl<'q> Lexer<'q> {
    pub(crate) fn new(text: &'q str) -> Self {
        Self { text, overwritten: Vec::new() }
    }

    /// The error of a fault at an offset.
    pub(crate) fn error(&self, at: usize, what: &[u8]) -> SyntaxError {
        let mut text = self.text.as_bytes().to_vec();
        for at in &self.overwritten {
            if let Some(byte) = text.get_mut(*at) {
                *byte = b'"';
            }
        }
        SyntaxError(Lines::new(self.text).syntax_error(&text, at, what))
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// The character at an offset and its bytes; inside of a character the replacement character. `None` at the end.
    fn at(&self, at: usize) -> Option<(char, usize)> {
        if at >= self.text.len() {
            return None;
        }
        let found = self.text.get(at..).and_then(|it| it.chars().next());
        Some(found.map_or((char::REPLACEMENT_CHARACTER, 1), |it| (it, it.len_utf8())))
    }

    /// The first token from an offset on.
    pub(crate) fn token(&mut self, from: usize) -> Result<Token<'q>, SyntaxError> {
        let (at, counted) = self.behind_ignored(from);
        let Some((c, _)) = self.at(at) else { return Ok(mark(TokenKind::End, at, 0)) };
        if c < ' ' {
            // Tabs and line breaks were ignored.
            return Err(self.error(counted, format!("Invalid character {}", shown(Some(c))).as_bytes()));
        }
        let kind = match c {
            '!' => TokenKind::Bang,
            '$' => TokenKind::Dollar,
            '&' => TokenKind::Ampersand,
            '(' => TokenKind::ParenOpen,
            ')' => TokenKind::ParenClose,
            ':' => TokenKind::Colon,
            '=' => TokenKind::Equals,
            '@' => TokenKind::At,
            '[' => TokenKind::BracketOpen,
            ']' => TokenKind::BracketClose,
            '{' => TokenKind::BraceOpen,
            '|' => TokenKind::Pipe,
            '}' => TokenKind::BraceClose,
            '.' if self.byte(at + 1) == Some(b'.') && self.byte(at + 2) == Some(b'.') => {
                return Ok(mark(TokenKind::Spread, at, 3));
            }
            'A'..='Z' | 'a'..='z' | '_' => return Ok(self.name(at, counted)),
            '-' | '0'..='9' => return self.number(at),
            '"' if self.byte(at + 1) == Some(b'"') && self.byte(at + 2) == Some(b'"') => return self.block(at),
            '"' => return self.string(at),
            _ => {
                return Err(self.error(counted, format!("Unexpected character {}.", shown(Some(c))).as_bytes()));
            }
        };
        Ok(mark(kind, at, 1))
    }

    /// The end of white space, commas, byte order marks and comments: in bytes, and in characters behind `from`.
    fn behind_ignored(&self, from: usize) -> (usize, usize) {
        let (mut at, mut counted) = (from, from);
        let mut is_comment = false;
        while let Some((c, len)) = self.at(at) {
            is_comment = match c {
                '#' => true,
                '\u{FEFF}' | '\t' | ' ' | ',' => is_comment,
                '\n' | '\r' => false,
                c if is_comment && c >= ' ' => true,
                _ => break,
            };
            at += len;
            counted += 1;
        }
        (at, counted)
    }

    fn name(&self, at: usize, counted: usize) -> Token<'q> {
        let rest = self.text.get(at..).unwrap_or_default();
        let len = rest.bytes().take_while(|it| it.is_ascii_alphanumeric() || *it == b'_').count();
        let text = rest.get(..len).unwrap_or_default();
        Token { kind: TokenKind::Name, start: counted, end: counted + len, text, meaning: None }
    }

    fn number(&self, start: usize) -> Result<Token<'q>, SyntaxError> {
        let mut at = start;
        let mut kind = TokenKind::Int;
        at += usize::from(self.byte(at) == Some(b'-'));
        if self.byte(at) == Some(b'0') {
            at += 1;
            if let Some((c @ '0'..='9', _)) = self.at(at) {
                let what = format!("Invalid number, unexpected digit after 0: {}.", shown(Some(c)));
                return Err(self.error(at, what.as_bytes()));
            }
        } else {
            at = self.digits(at)?;
        }
        if self.byte(at) == Some(b'.') {
            kind = TokenKind::Float;
            at = self.digits(at + 1)?;
        }
        if matches!(self.byte(at), Some(b'e' | b'E')) {
            kind = TokenKind::Float;
            at += 1;
            at += usize::from(matches!(self.byte(at), Some(b'+' | b'-')));
            at = self.digits(at)?;
        }
        Ok(Token { kind, start, end: at, text: self.text.get(start..at).unwrap_or_default(), meaning: None })
    }

    /// The end of digits, of which there must be at least one.
    fn digits(&self, start: usize) -> Result<usize, SyntaxError> {
        let n = self.text.as_bytes().iter().skip(start).take_while(|it| it.is_ascii_digit()).count();
        if n == 0 {
            let found = shown(self.at(start).map(|it| it.0));
            return Err(self.error(start, format!("Invalid number, expected digit but got: {found}.").as_bytes()));
        }
        Ok(start + n)
    }

    fn string(&self, start: usize) -> Result<Token<'q>, SyntaxError> {
        let (mut at, mut counted) = (start + 1, start + 1);
        let mut meaning = String::new();
        loop {
            match self.at(at) {
                Some(('"', _)) => break,
                None | Some(('\n' | '\r', _)) => return Err(self.error(counted, b"Unterminated string.")),
                Some((c, _)) if c < ' ' && c != '\t' => {
                    let what = format!("Invalid character within String: {}.", shown(Some(c)));
                    return Err(self.error(counted, what.as_bytes()));
                }
                Some(('\\', _)) => {
                    let (c, n) = self.escape(at + 1, counted + 1)?;
                    meaning.push(c);
                    at += 1 + n;
                    counted += 1 + n;
                }
                Some((c, len)) => {
                    meaning.push(c);
                    at += len;
                    counted += 1;
                }
            }
        }
        Ok(Token { kind: TokenKind::String, start, end: at + 1, text: "", meaning: Some(meaning) })
    }

    /// The character that a backslash escape stands for, and its length in bytes.
    fn escape(&self, at: usize, counted: usize) -> Result<(char, usize), SyntaxError> {
        let c = match self.byte(at) {
            Some(c @ (b'"' | b'/' | b'\\')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let bytes = self.text.as_bytes();
                let digits = bytes.get(at + 1..at + 5);
                let code = digits.and_then(|it| std::str::from_utf8(it).ok()).filter(|it| is_hex(it));
                let Some(code) = code.and_then(|it| u32::from_str_radix(it, 16).ok()) else {
                    let found = digits.or_else(|| bytes.get(at + 1..)).unwrap_or_default();
                    let what = [b"Invalid character escape sequence: \\u", found].concat();
                    return Err(self.error(counted, &what));
                };
                return Ok((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 5));
            }
            _ => {
                let found = self.at(at).map_or(char::REPLACEMENT_CHARACTER, |it| it.0);
                let what = format!("Invalid character escape sequence: \\\\{found}.");
                return Err(self.error(counted, what.as_bytes()));
            }
        };
        Ok((c, 1))
    }

    fn block(&mut self, start: usize) -> Result<Token<'q>, SyntaxError> {
        const QUOTES: &str = "\"\"\"";
        let (mut at, mut counted) = (start + 3, start + 3);
        let mut raw = String::new();
        while let Some((c, len)) = self.at(at) {
            let rest = self.text.get(at..).unwrap_or_default();
            if rest.starts_with(QUOTES) {
                let meaning = Some(block_value(&raw));
                return Ok(Token { kind: TokenKind::BlockString, start, end: at + 3, text: "", meaning });
            }
            if c < ' ' && !matches!(c, '\t' | '\n' | '\r') {
                let what = format!("Invalid character within String: {}.", shown(Some(c)));
                return Err(self.error(counted, what.as_bytes()));
            }
            if c == '\\' && rest[1..].starts_with(QUOTES) {
                raw.push_str(QUOTES);
                self.overwritten.push(at);
                at += 4;
                counted += 4;
                continue;
            }
            raw.push(c);
            at += len;
            counted += 1;
        }
        Err(self.error(counted, b"Unterminated string."))
    }
}

fn mark(kind: TokenKind, start: usize, len: usize) -> Token<'static> {
    Token { kind, start, end: start + len, text: "", meaning: None }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|it| it.is_ascii_hexdigit())
}

/// A character as messages show it.
fn shown(c: Option<char>) -> String {
    match c {
        None => "<EOF>".to_owned(),
        Some(c @ ' '..'\u{7F}') => format!("\"{c}\""),
        Some(c) => format!("\"\\\\u{:04X}\"", u32::from(c)),
    }
}

/// The meaning of a block string: without the indentation that all lines but the first share, and without blank lines
/// around it.
fn block_value(raw: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut rest = raw;
    while let Some(at) = rest.find(['\n', '\r']) {
        lines.push(&rest[..at]);
        let len = if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        rest = &rest[at + len..];
    }
    lines.push(rest);
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let is_blank = |line: &str| indent(line) == line.len();
    let shared = lines.iter().skip(1).filter(|it| !is_blank(it)).map(|it| indent(it)).min().unwrap_or(0);
    for line in &mut lines {
        // The first line loses the same number of bytes, whatever they are; the rest of a character that is cut is lost
        // with them.
        if shared <= line.len() {
            let mut from = shared;
            while !line.is_char_boundary(from) {
                from += 1;
            }
            *line = &line[from..];
        }
    }
    let first = lines.iter().position(|it| !is_blank(it)).unwrap_or(lines.len());
    let last = lines.iter().rposition(|it| !is_blank(it)).map_or(first, |it| it + 1);
    lines[first..last].join("\n")
}
