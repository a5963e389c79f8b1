//! A moving place in a text, and the information that every part of the scanner needs there.

use memchr::memchr;

use super::admit::Admitted;
use super::event::{Declined, Event, EventBody, Sink, Spot, Style};
use crate::json::may_be_token;
use crate::word::length_of_run;

/// Whether a byte ends a word: a blank, or the end of a line or of the text.
pub(super) fn is_blankz(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0)
}

/// A scalar that was read. Its text is a part of the input, or in the cursor's buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scalar {
    pub(super) start: Spot,
    pub(super) end: Spot,
    pub(super) style: Style,
    /// The range of the text, if the input has it literally.
    pub(super) verbatim: Option<(usize, usize)>,
}

impl Scalar {
    /// Whether it is all on one line.
    pub(super) fn is_on_one_line(&self) -> bool {
        self.start.line == self.end.line
    }
}

pub(super) struct Cursor<'t> {
    pub(super) text: &'t str,
    bytes: &'t [u8],
    is_ascii: bool,
    /// The end of the text; it is behind the newline that may be missing.
    end: usize,
    pub(super) at: usize,
    pub(super) line: usize,
    pub(super) line_start: usize,
    /// The text of a scalar that the input does not have literally.
    pub(super) buffer: String,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(admitted: Admitted<'t>) -> Self {
        let Admitted { text, is_ascii } = admitted;
        let end = if text.is_empty() || text.ends_with('\n') { text.len() } else { text.len() + 1 };
        Self { text, bytes: text.as_bytes(), is_ascii, end, at: 0, line: 0, line_start: 0, buffer: String::new() }
    }

    /// The byte at an offset: a newline where the text lacks its last one, 0 behind its end.
    pub(super) fn byte_at(&self, at: usize) -> u8 {
        match self.bytes.get(at) {
            Some(byte) => *byte,
            None if at < self.end => b'\n',
            None => 0,
        }
    }

    pub(super) fn byte(&self) -> u8 {
        self.byte_at(self.at)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    /// The bytes from an offset on.
    pub(super) fn rest_from(&self, at: usize) -> &'t [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    /// The end of the line at an offset: its newline.
    pub(super) fn line_end(&self, at: usize) -> usize {
        memchr(b'\n', self.rest_from(at)).map_or(self.bytes.len(), |len| at + len)
    }

    pub(super) fn spot(&self) -> Spot {
        Spot { at: self.at, line: self.line, line_start: self.line_start }
    }

    /// The number of bytes of the line before this place.
    pub(super) fn column(&self) -> usize {
        self.at - self.line_start
    }

    /// Goes to the line after the newline at an offset.
    pub(super) fn go_behind_newline(&mut self, newline: usize) {
        self.at = newline + 1;
        self.line += 1;
        self.line_start = self.at;
    }

    pub(super) fn skip_spaces(&mut self) {
        self.at += self.n_spaces(self.at);
    }

    /// The number of spaces at an offset.
    pub(super) fn n_spaces(&self, at: usize) -> usize {
        let rest = self.rest_from(at);
        // Most tokens have none or one before them.
        if rest.first() == Some(&b' ') { length_of_run(rest, b' ') } else { 0 }
    }

    /// Whether the line that starts at an offset begins with `---` or `...`.
    pub(super) fn is_document_mark(&self, line_start: usize) -> bool {
        let rest = self.rest_from(line_start);
        (rest.starts_with(b"---") || rest.starts_with(b"...")) && is_blankz(self.byte_at(line_start + 3))
    }

    /// Whether the dash of an item is here.
    pub(super) fn is_dash(&self) -> bool {
        self.byte() == b'-' && is_blankz(self.byte_at(self.at + 1))
    }

    /// Goes behind the rest of a line, which may be blanks and a comment after them.
    ///
    /// # Errors
    /// The rest is something else.
    pub(super) fn finish_line(&mut self) -> Result<(), Declined> {
        let before = self.at;
        self.skip_spaces();
        match self.byte() {
            b'\n' => {
                self.go_behind_newline(self.at);
                Ok(())
            }
            b'#' if self.at > before => {
                self.go_behind_newline(self.line_end(self.at));
                Ok(())
            }
            _ => Err(Declined),
        }
    }

    /// Whether the rest of the line is at most a comment; moves to the character that decides. The cursor must be
    /// behind a blank.
    pub(super) fn is_rest_empty(&self) -> bool {
        matches!(self.byte(), b'\n' | b'#')
    }

    /// Goes over blanks, comments and empty lines to the first token of a line; returns whether there is one.
    pub(super) fn next_token(&mut self) -> bool {
        loop {
            self.skip_spaces();
            match self.byte() {
                b'\n' => self.go_behind_newline(self.at),
                b'#' => self.go_behind_newline(self.line_end(self.at)),
                _ => return !self.is_at_end(),
            }
        }
    }

    pub(super) fn tell(
        &self,
        sink: &mut impl Sink,
        body: EventBody<'_>,
        start: Spot,
        end: Spot,
    ) -> Result<(), Declined> {
        sink.take(&Event { body, bytes: self.bytes, is_ascii: self.is_ascii, start, end })
    }

    /// Adds a part of the text to the buffer. libyaml refuses a scalar that is too long to be one token.
    pub(super) fn keep(&mut self, from: usize, to: usize) -> Result<(), Declined> {
        let part = self.text.get(from..to).filter(|part| may_be_token(self.buffer.len() + part.len()));
        self.buffer.push_str(part.ok_or(Declined)?);
        Ok(())
    }

    pub(super) fn tell_scalar(&self, sink: &mut impl Sink, scalar: &Scalar) -> Result<(), Declined> {
        let text = match scalar.verbatim {
            Some((start, end)) => self.text.get(start..end).filter(|text| may_be_token(text.len())).ok_or(Declined)?,
            None => &self.buffer,
        };
        self.tell(sink, EventBody::Scalar { text, style: scalar.style }, scalar.start, scalar.end)
    }

    /// Whether a key, which is on one line, brings in another mapping.
    pub(super) fn is_merge_key(&self, key: &Scalar) -> bool {
        key.style == Style::Plain && self.rest_from(key.start.at).starts_with(b"<<") && key.end.at - key.start.at == 2
    }

    /// Tells the scalar that is understood where none is written.
    pub(super) fn tell_empty(&self, sink: &mut impl Sink, at: Spot) -> Result<(), Declined> {
        self.tell(sink, EventBody::Scalar { text: "", style: Style::Plain }, at, at)
    }

    /// Whether places on this line can still be computed quickly: characters are counted from its start.
    pub(super) fn is_line_short(&self) -> bool {
        self.is_ascii || self.column() <= 4096
    }
}
