//! A text as the scanner reads it: in pieces, and with a newline at its end.

use std::io::{self, BufRead, Read};

/// The length of the text that the scanner decodes at a time. It keeps four bytes for every character it has not used
/// yet.
const PIECE: usize = 4096;

/// A text in pieces of whole characters, ended by a newline.
pub(super) struct Pieces<'t> {
    rest: &'t str,
    ending: &'static str,
}

impl<'t> Pieces<'t> {
    pub(super) fn new(text: &'t str) -> Self {
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
