//! Scalars in quotes.

use memchr::{memchr, memchr2, memchr3};

use super::cursor::{Cursor, Scalar};
use super::event::{Declined, Style};

impl Cursor<'_> {
    /// A scalar in quotes. Stays behind it.
    pub(super) fn quoted(&mut self) -> Result<Scalar, Declined> {
        let start = self.spot();
        let quote = self.byte();
        let style = if quote == b'"' { Style::DoubleQuoted } else { Style::SingleQuoted };
        self.at += 1;
        // A text that never ends is not worth a copy.
        memchr(quote, self.rest_from(self.at)).ok_or(Declined)?;
        let mut from = self.at;
        let mut verbatim = None;
        self.buffer.clear();
        loop {
            let rest = self.rest_from(self.at);
            let found = if quote == b'"' { memchr3(b'"', b'\\', b'\n', rest) } else { memchr2(b'\'', b'\n', rest) };
            let at = self.at + found.ok_or(Declined)?;
            match self.byte_at(at) {
                b'\n' => {
                    self.push(from, at)?;
                    self.fold(at, from)?;
                    from = self.at;
                }
                b'\\' => {
                    self.push(from, at)?;
                    self.at = at + 1;
                    self.escape()?;
                    from = self.at;
                }
                b'\'' if self.byte_at(at + 1) == b'\'' && quote == b'\'' => {
                    self.push(from, at + 1)?;
                    self.at = at + 2;
                    from = self.at;
                }
                _ => {
                    if from == start.at + 1 {
                        verbatim = Some((from, at));
                    } else {
                        self.push(from, at)?;
                    }
                    self.at = at + 1;
                    return Ok(Scalar { start, end: self.spot(), style, verbatim });
                }
            }
        }
    }

    fn push(&mut self, from: usize, to: usize) -> Result<(), Declined> {
        self.keep(from, to)?;
        Ok(())
    }

    /// Replaces the blanks around a line break. Those before it are in the buffer, as far back as the text of the line
    /// from `from` on.
    fn fold(&mut self, newline: usize, from: usize) -> Result<(), Declined> {
        let mut is_blank = newline;
        while is_blank > from && matches!(self.byte_at(is_blank - 1), b' ' | b'\t') {
            is_blank -= 1;
        }
        self.buffer.truncate(self.buffer.len() - (newline - is_blank));
        let breaks = self.skip_breaks(newline)?;
        if breaks == 1 {
            self.buffer.push(' ');
        }
        self.buffer.extend(std::iter::repeat_n('\n', breaks - 1));
        Ok(())
    }

    /// Goes from a newline to the next character that is not a blank; returns the number of newlines.
    fn skip_breaks(&mut self, newline: usize) -> Result<usize, Declined> {
        self.at = newline;
        let mut breaks = 0;
        loop {
            match self.byte() {
                b'\n' => {
                    breaks += 1;
                    self.go_behind_newline(self.at);
                }
                b' ' | b'\t' => self.at += 1,
                _ => break,
            }
        }
        if self.is_at_end() || self.at == self.line_start && self.is_document_mark(self.at) {
            return Err(Declined);
        }
        Ok(breaks)
    }

    /// Reads the character that a backslash escape stands for.
    fn escape(&mut self) -> Result<(), Declined> {
        let digits = match self.byte() {
            b'\n' => {
                let breaks = self.skip_breaks(self.at)?;
                self.buffer.extend(std::iter::repeat_n('\n', breaks - 1));
                return Ok(());
            }
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            byte => {
                self.buffer.push(simple_escape(byte).ok_or(Declined)?);
                self.at += 1;
                return Ok(());
            }
        };
        let start = self.at + 1;
        let digits = self.text.get(start..start + digits).ok_or(Declined)?;
        if !digits.bytes().all(|it| it.is_ascii_hexdigit()) {
            return Err(Declined);
        }
        let code = u32::from_str_radix(digits, 16).map_err(|_error| Declined)?;
        self.buffer.push(char::from_u32(code).ok_or(Declined)?);
        self.at = start + digits.len();
        Ok(())
    }
}

/// The character for one behind a backslash. go-yaml takes `\'` and refuses `\/`, so both are left to libyaml.
fn simple_escape(byte: u8) -> Option<char> {
    Some(match byte {
        b'0' => '\0',
        b'a' => '\x07',
        b'b' => '\x08',
        b't' | b'\t' => '\t',
        b'n' => '\n',
        b'v' => '\x0B',
        b'f' => '\x0C',
        b'r' => '\r',
        b'e' => '\x1B',
        b' ' | b'"' | b'\\' => char::from(byte),
        b'N' => '\u{85}',
        b'_' => '\u{A0}',
        b'L' => '\u{2028}',
        b'P' => '\u{2029}',
        _ => return None,
    })
}
