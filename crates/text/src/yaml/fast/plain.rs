//! Scalars without quotes.

use super::cursor::{Cursor, Scalar, is_blankz};
use super::event::{Declined, Spot, Style};
use crate::word::{all, below};

/// The roles that a byte can have in a plain scalar.
const INDICATOR: u8 = 1;
const IN_FLOW: u8 = 2;
const NEVER_FIRST: u8 = 4;

/// The class of each byte.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let indicators = b":#\n\t\0";
    let mut at = 0;
    while at < indicators.len() {
        classes[indicators[at] as usize] |= INDICATOR | IN_FLOW | NEVER_FIRST;
        at += 1;
    }
    // A question mark is here because go-yaml ends a scalar in brackets at it.
    let brackets = b",[]{}?";
    at = 0;
    while at < brackets.len() {
        classes[brackets[at] as usize] |= IN_FLOW | NEVER_FIRST;
        at += 1;
    }
    let others = b" -?&*!|>'\"%@`";
    at = 0;
    while at < others.len() {
        classes[others[at] as usize] |= NEVER_FIRST;
        at += 1;
    }
    classes
};

/// The number of bytes before the first one with one of these roles.
fn length_before(text: &[u8], stops: u8) -> usize {
    let mut at = 0;
    if stops == INDICATOR {
        // An admitted text has no control characters but tabs and newlines, so one comparison finds them all.
        while let Some(chunk) = text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
            let word = u64::from_le_bytes(*chunk);
            let found = below(word, 0x20) | below(word ^ all(b':'), 1) | below(word ^ all(b'#'), 1);
            if found != 0 {
                return at + (found.trailing_zeros() / 8) as usize;
            }
            at += 8;
        }
    }
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| CLASSES[usize::from(*byte)] & stops != 0).unwrap_or(rest.len())
}

/// The end of a part of a plain scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Newline,
    /// The colon of a key, or a separator in a flow collection.
    Indicator,
    Comment,
}

impl Cursor<'_> {
    /// Whether a plain scalar starts here.
    pub(super) fn is_plain_start(&self) -> bool {
        let byte = self.byte();
        CLASSES[usize::from(byte)] & NEVER_FIRST == 0 || byte == b'-' && !is_blankz(self.byte_at(self.at + 1))
    }

    /// The end of the text from an offset up to the end of the line, without blanks, and the character that ends it
    /// there.
    fn plain_part(&self, start: usize, stops: u8) -> Result<(usize, Stop), Declined> {
        let mut at = start;
        let stop = loop {
            at += length_before(self.rest_from(at), stops);
            match self.byte_at(at) {
                b'\n' => break Stop::Newline,
                b':' => {
                    let next = self.byte_at(at + 1);
                    if is_blankz(next) {
                        break Stop::Indicator;
                    }
                    if stops == IN_FLOW && matches!(next, b',' | b'?' | b'[' | b']' | b'{' | b'}') {
                        return Err(Declined);
                    }
                    at += 1;
                }
                b'#' if at > start && self.byte_at(at - 1) == b' ' => break Stop::Comment,
                b'#' if at > start => at += 1,
                b',' | b'[' | b']' | b'{' | b'}' => break Stop::Indicator,
                _ => return Err(Declined),
            }
        };
        while at > start && self.byte_at(at - 1) == b' ' {
            at -= 1;
        }
        Ok((at, stop))
    }

    /// A plain scalar of a flow collection, on one line.
    pub(super) fn plain_in_flow(&mut self) -> Result<Scalar, Declined> {
        let start = self.spot();
        // In a flow collection libyaml looks further behind a dash.
        if self.byte() == b'-' && !self.byte_at(self.at + 1).is_ascii_alphanumeric() {
            return Err(Declined);
        }
        let (end, stop) = self.plain_part(self.at, IN_FLOW)?;
        if stop != Stop::Indicator {
            return Err(Declined);
        }
        self.at = end;
        Ok(Scalar { start, end: self.spot(), style: Style::Plain, verbatim: Some((start.at, end)) })
    }

    /// A plain scalar of a block collection, with the lines that continue it: those that start behind `indent`, the
    /// column of the collection. Stays at its end, before blanks.
    pub(super) fn plain(&mut self, indent: Option<usize>) -> Result<Scalar, Declined> {
        let start = self.spot();
        let (end, mut stop) = self.plain_part(self.at, INDICATOR)?;
        self.at = end;
        let mut verbatim = Some((start.at, end));
        while stop == Stop::Newline {
            let Some((breaks, next)) = self.continuation(indent)? else { break };
            let (end, next_stop) = self.plain_part(next.at, INDICATOR)?;
            if end == next.at {
                // A colon by itself belongs to no scalar.
                return Err(Declined);
            }
            if let Some((from, to)) = verbatim.take() {
                self.buffer.clear();
                self.keep(from, to)?;
            }
            if breaks == 1 {
                self.buffer.push(' ');
            }
            self.buffer.extend(std::iter::repeat_n('\n', breaks - 1));
            self.keep(next.at, end)?;
            self.at = end;
            self.line = next.line;
            self.line_start = next.line_start;
            stop = next_stop;
        }
        Ok(Scalar { start, end: self.spot(), style: Style::Plain, verbatim })
    }

    /// The place where the text goes on after the end of this line, and the number of newlines between; `None` if it
    /// does not go on.
    fn continuation(&self, indent: Option<usize>) -> Result<Option<(usize, Spot)>, Declined> {
        let mut spot = self.spot();
        let mut breaks = 0;
        loop {
            spot.at += self.n_spaces(spot.at);
            match self.byte_at(spot.at) {
                b'\n' => {
                    breaks += 1;
                    spot = Spot { at: spot.at + 1, line: spot.line + 1, line_start: spot.at + 1 };
                }
                // A tab among the blanks may be an error.
                b'\t' => return Err(Declined),
                0 | b'#' => return Ok(None),
                _ => break,
            }
        }
        let column = spot.at - spot.line_start;
        if indent.is_some_and(|indent| column <= indent) || column == 0 && self.is_document_mark(spot.line_start) {
            return Ok(None);
        }
        Ok(Some((breaks, spot)))
    }
}
