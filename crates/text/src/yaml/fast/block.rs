//! Collections by indentation, and the document that they are.

use super::admit::admit;
use super::cursor::{Cursor, Scalar, is_blankz};
use super::event::{Declined, EventBody, Sink, Spot};
use super::flow::{MAX_DEPTH, MAX_KEY, flow};

/// Emits the events of a text, whose byte order mark is gone, from the start of its one document to the end of the
/// text.
///
/// # Errors
/// If this scanner does not read the text, or if `sink` did not take an event; the events before it are void.
pub(in crate::yaml) fn scan(text: &[u8], sink: &mut impl Sink) -> Result<(), Declined> {
    let cursor = Cursor::new(admit(text)?);
    Blocks { cursor, sink, frames: Vec::new(), awaited: None }.document()
}

/// The kind of an open collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Mapping,
    Sequence,
    /// A sequence at the column of the mapping that it is a value of.
    Indentless,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    kind: Kind,
    column: usize,
}

struct Blocks<'t, 's, S> {
    cursor: Cursor<'t>,
    sink: &'s mut S,
    frames: Vec<Frame>,
    /// The end of a colon or dash whose value was not read yet.
    awaited: Option<Spot>,
}

impl<S: Sink> Blocks<'_, '_, S> {
    fn document(&mut self) -> Result<(), Declined> {
        let is_any = self.cursor.next_token();
        let here = self.cursor.spot();
        if !is_any {
            return self.cursor.tell(self.sink, EventBody::StreamEnd, here, here);
        }
        let is_marked = here.at == here.line_start && self.cursor.is_document_mark(here.at);
        if is_marked {
            if self.cursor.byte() != b'-' {
                return Err(Declined);
            }
            self.cursor.at += 3;
            self.cursor.tell(self.sink, EventBody::Document { is_marked }, here, self.cursor.spot())?;
            self.cursor.finish_line()?;
            if !self.cursor.next_token() {
                return Err(Declined);
            }
        } else {
            self.cursor.tell(self.sink, EventBody::Document { is_marked }, here, here)?;
        }
        self.refuse_mark()?;
        self.node()?;
        while self.cursor.next_token() {
            self.refuse_mark()?;
            self.line()?;
        }
        let end = self.cursor.spot();
        while let Some(frame) = self.frames.last().copied() {
            self.close(frame, end)?;
        }
        self.cursor.tell(self.sink, EventBody::DocumentEnd, end, end)?;
        self.cursor.tell(self.sink, EventBody::StreamEnd, end, end)
    }

    /// Declines a document mark in the middle.
    fn refuse_mark(&self) -> Result<(), Declined> {
        let is_mark = self.cursor.column() == 0 && self.cursor.is_document_mark(self.cursor.at);
        if is_mark { Err(Declined) } else { Ok(()) }
    }

    /// The column of the innermost collection.
    fn indent(&self) -> Option<usize> {
        self.frames.last().map(|it| it.column)
    }

    fn open(&mut self, kind: Kind, column: usize, end: Spot) -> Result<(), Declined> {
        if self.frames.len() >= MAX_DEPTH {
            return Err(Declined);
        }
        let body = match kind {
            Kind::Mapping => EventBody::Mapping { is_flow: false },
            Kind::Sequence | Kind::Indentless => EventBody::Sequence { is_flow: false },
        };
        let start = Spot { at: end.line_start + column, ..end };
        self.cursor.tell(self.sink, body, start, end)?;
        self.frames.push(Frame { kind, column });
        Ok(())
    }

    fn close(&mut self, frame: Frame, here: Spot) -> Result<(), Declined> {
        self.leave_empty()?;
        let body = if frame.kind == Kind::Mapping { EventBody::MappingEnd } else { EventBody::SequenceEnd };
        self.cursor.tell(self.sink, body, here, here)?;
        self.frames.pop();
        Ok(())
    }

    /// Emits an empty value for the one that is missing.
    fn leave_empty(&mut self) -> Result<(), Declined> {
        match self.awaited.take() {
            Some(at) => self.cursor.tell_empty(self.sink, at),
            None => Ok(()),
        }
    }

    /// Reads the beginning of a line.
    fn line(&mut self) -> Result<(), Declined> {
        let here = self.cursor.spot();
        let column = self.cursor.column();
        let is_dash = self.cursor.is_dash();
        let top = loop {
            let Some(&top) = self.frames.last() else { return Err(Declined) };
            let goes_on = top.column < column || top.column == column && (top.kind != Kind::Indentless || is_dash);
            if goes_on {
                break top;
            }
            self.close(top, here)?;
        };
        if column > top.column {
            return if self.awaited.take().is_some() { self.node() } else { Err(Declined) };
        }
        match (top.kind, is_dash) {
            (Kind::Mapping, true) if self.awaited.take().is_some() => {
                self.open(Kind::Indentless, column, here.behind(1))?;
                self.item()
            }
            (Kind::Mapping, false) => {
                self.leave_empty()?;
                let key = self.one_line_scalar()?;
                if !self.is_key(&key)? {
                    return Err(Declined);
                }
                self.member(&key)
            }
            (Kind::Sequence | Kind::Indentless, true) => {
                self.leave_empty()?;
                self.item()
            }
            _ => Err(Declined),
        }
    }

    /// Reads the dash of an item and the text behind it on the line.
    fn item(&mut self) -> Result<(), Declined> {
        if self.indicator()? { self.node() } else { Ok(()) }
    }

    /// Goes over the dash of an item or the colon of a key; returns whether something follows it on the line.
    fn indicator(&mut self) -> Result<bool, Declined> {
        self.cursor.at += 1;
        let behind = self.cursor.spot();
        self.cursor.skip_spaces();
        if self.cursor.is_rest_empty() {
            self.awaited = Some(behind);
            self.cursor.at = behind.at;
            self.cursor.finish_line()?;
            return Ok(false);
        }
        Ok(true)
    }

    /// A value that may be a collection.
    fn node(&mut self) -> Result<(), Declined> {
        while self.cursor.is_dash() {
            self.open(Kind::Sequence, self.cursor.column(), self.cursor.spot())?;
            if !self.indicator()? {
                return Ok(());
            }
        }
        if matches!(self.cursor.byte(), b'|' | b'>' | b'[' | b'{') {
            return self.simple_value();
        }
        let here = self.cursor.spot();
        let scalar = self.scalar()?;
        if self.is_key(&scalar)? {
            self.open(Kind::Mapping, here.at - here.line_start, here)?;
            return self.member(&scalar);
        }
        self.cursor.tell_scalar(self.sink, &scalar)?;
        self.cursor.finish_line()
    }

    /// Reads a key, and the text behind its colon on the line.
    fn member(&mut self, key: &Scalar) -> Result<(), Declined> {
        if self.cursor.is_merge_key(key) {
            return Err(Declined);
        }
        self.cursor.tell_scalar(self.sink, key)?;
        if self.indicator()? { self.simple_value() } else { Ok(()) }
    }

    /// A value that is neither a block mapping nor a block sequence.
    fn simple_value(&mut self) -> Result<(), Declined> {
        match self.cursor.byte() {
            b'|' | b'>' => {
                let scalar = self.cursor.block_scalar(self.indent())?;
                self.cursor.tell_scalar(self.sink, &scalar)
            }
            b'[' | b'{' => {
                flow(&mut self.cursor, self.sink)?;
                self.cursor.finish_line()
            }
            _ => {
                let scalar = self.scalar()?;
                self.cursor.tell_scalar(self.sink, &scalar)?;
                self.cursor.finish_line()
            }
        }
    }

    fn scalar(&mut self) -> Result<Scalar, Declined> {
        let indent = self.indent();
        match self.cursor.byte() {
            b'\'' | b'"' => self.cursor.quoted(),
            _ if self.cursor.is_plain_start() => self.cursor.plain(indent),
            _ => Err(Declined),
        }
    }

    fn one_line_scalar(&mut self) -> Result<Scalar, Declined> {
        let scalar = self.scalar()?;
        if scalar.is_on_one_line() { Ok(scalar) } else { Err(Declined) }
    }

    /// Whether a scalar that was just read is a key. Then the cursor goes to its colon.
    fn is_key(&mut self, scalar: &Scalar) -> Result<bool, Declined> {
        let behind = self.cursor.at;
        self.cursor.skip_spaces();
        if self.cursor.byte() != b':' {
            self.cursor.at = behind;
            return Ok(false);
        }
        let is_sound = scalar.is_on_one_line()
            && is_blankz(self.cursor.byte_at(self.cursor.at + 1))
            && self.cursor.at - scalar.start.at <= MAX_KEY;
        if is_sound { Ok(true) } else { Err(Declined) }
    }
}
