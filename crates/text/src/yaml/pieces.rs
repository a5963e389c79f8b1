//! A text as the scanner reads it: in pieces, and with a newline at its end.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use crate::json::may_be_token;

/// The length of the text that the scanner decodes at a time. It keeps four bytes for every character it has not used
/// yet.
const PIECE: usize = 4096;

/// A text in pieces of whole characters, ended by a newline. It ends with an error in a token that is too long: the
/// scanner keeps several times its length, and tells nothing before its end.
pub(super) struct Pieces<'t> {
    rest: &'t str,
    ending: &'static str,
    unanswered: Unanswered,
}

/// The number of bytes that were read since the last token or event.
#[derive(Debug, Clone, Default)]
pub(super) struct Unanswered(Rc<Cell<usize>>);

impl Unanswered {
    /// A token or an event came.
    pub(super) fn reset(&self) {
        self.0.set(0);
    }

    /// Whether they may be one token.
    pub(super) fn is_short(&self) -> bool {
        may_be_token(self.0.get())
    }
}

impl<'t> Pieces<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let ending = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
        Self { rest: text, ending, unanswered: Unanswered::default() }
    }

    pub(super) fn unanswered(&self) -> Unanswered {
        self.unanswered.clone()
    }
}

impl BufRead for Pieces<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if !self.unanswered.is_short() {
            return Err(io::Error::other("the token is too long"));
        }
        if self.rest.is_empty() {
            self.rest = std::mem::take(&mut self.ending);
        }
        Ok(&self.rest.as_bytes()[..self.rest.floor_char_boundary(PIECE)])
    }

    fn consume(&mut self, amount: usize) {
        self.rest = self.rest.get(amount..).unwrap_or("");
        self.unanswered.0.set(self.unanswered.0.get() + amount);
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_a_limit_and_a_text_has_none() {
        let text = " ".repeat(48 << 20);
        let read = |every: usize| {
            let mut pieces = Pieces::new(&text);
            let unanswered = pieces.unanswered();
            let (mut n_bytes, mut buffer) = (0, vec![0; 1 << 20]);
            while let Ok(len @ 1..) = pieces.read(&mut buffer) {
                n_bytes += len;
                if n_bytes.is_multiple_of(every) {
                    unanswered.reset();
                }
            }
            (n_bytes, unanswered.is_short())
        };
        assert_eq!(read(16 << 20), (text.len() + 1, true));
        let (n_bytes, is_short) = read(usize::MAX);
        assert!(!is_short && (32 << 20..33 << 20).contains(&n_bytes), "{n_bytes}");
    }
}
