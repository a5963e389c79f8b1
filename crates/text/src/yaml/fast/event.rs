//! The events of a text, and their receiver.

use libyaml_safer::Mark;

/// The text is not read here: it is something rare, or an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::yaml) struct Declined;

/// The style of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::yaml) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
    Folded,
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::yaml) enum EventBody<'e> {
    /// A document begins.
    Document {
        /// Whether it has a mark.
        is_marked: bool,
    },
    Scalar {
        text: &'e str,
        style: Style,
    },
    Mapping {
        is_flow: bool,
    },
    Sequence {
        is_flow: bool,
    },
    MappingEnd,
    SequenceEnd,
    DocumentEnd,
    StreamEnd,
}

/// A place: its offset, its line from 0, and where that line starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) at: usize,
    pub(super) line: usize,
    pub(super) line_start: usize,
}

impl Spot {
    /// The place `len` bytes, which are ASCII, further on the line.
    pub(super) fn behind(self, len: usize) -> Self {
        Self { at: self.at + len, ..self }
    }
}

/// An event. Its places are computed only on request.
#[derive(Debug, Clone, Copy)]
pub(in crate::yaml) struct Event<'e> {
    pub(in crate::yaml) body: EventBody<'e>,
    pub(super) bytes: &'e [u8],
    pub(super) is_ascii: bool,
    pub(super) start: Spot,
    pub(super) end: Spot,
}

impl Event<'_> {
    /// Its start.
    pub(in crate::yaml) fn start_mark(&self) -> Mark {
        self.mark(self.start)
    }

    /// Its end.
    pub(in crate::yaml) fn end_mark(&self) -> Mark {
        self.mark(self.end)
    }

    fn mark(&self, spot: Spot) -> Mark {
        let mut mark = Mark::default();
        mark.index = spot.at as u64;
        mark.line = spot.line as u64;
        let before = self.bytes.get(spot.line_start..spot.at);
        mark.column = match before {
            Some(before) if !self.is_ascii => before.iter().filter(|byte| *byte & 0xC0 != 0x80).count(),
            _ => spot.at - spot.line_start,
        } as u64;
        mark
    }
}

/// Takes the events of a scan.
pub(in crate::yaml) trait Sink {
    /// Takes the next event.
    ///
    /// # Errors
    /// The event is not the expected one, or is of no use without libyaml.
    fn take(&mut self, event: &Event<'_>) -> Result<(), Declined>;
}
