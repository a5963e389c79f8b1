//! A chunk's first document as JSON text, without a tree and without recursion (`docs/behaviour/fbc.md` 1.4).

use std::collections::HashMap;

use libyaml_safer::{Event, EventData, Mark};
use memchr::memmem;

use super::alias::{Anchored, Budget, Place};
use super::error::{YamlError, YamlErrorKind};
use super::events::{Events, Source, guarded, without_mark};
use super::fast::{self, Declined, Event as FastEvent, EventBody, Sink, Style};
use super::fault::{Fault, UNSUPPORTED, go_syntax, later, limit, not_mergeable, too_deep, unknown_anchor};
use super::number;
use super::origins::ValueOrigins;
use super::scalar::{Scalar, is_merge_key, key_text, resolve};
use super::utf16::to_utf8;
use crate::json::{Expansion, Reader, Value};
use crate::json::{MAX_DEPTH, is_plain, write_string};

/// The content of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Document {
    /// Nothing, or a scalar that means null. `null` was written, but as a blob it is empty (`docs/behaviour/fbc.md`
    /// 1.5).
    Null,
    /// Anything else.
    Value,
}

/// Writes the first document of a chunk as JSON.
///
/// Members stay in the order of the source and duplicates stay too: the JSON reader takes the last, as go-yaml does.
/// Merge keys are replaced by the members that they merge, at their place. Integers are exact.
///
/// # Errors
///
/// Everything that makes go-yaml v2 or the conversion to JSON behind it fail, and expansion of aliases beyond 256 MiB.
/// The first of several errors is go-yaml's: syntax, then meaning, then values that JSON lacks. `out` is then as
/// before.
pub fn to_json(chunk: &[u8], out: &mut Vec<u8>) -> Result<Document, YamlError> {
    to_json_within(chunk, out, &Expansion::default())
}

/// Like [`to_json`], for one of several documents that share a limit.
///
/// # Errors
/// The errors of [`to_json`].
pub fn to_json_within(chunk: &[u8], out: &mut Vec<u8>, expansion: &Expansion) -> Result<Document, YamlError> {
    to_json_and_rest(chunk, out, None, expansion).map(|it| it.0)
}

/// Like [`to_json_within`], but a number that YAML reads as a float keeps a point (`1e6` is `1000000.0`):
/// [`number_as_text`](super::number_as_text) must know.
///
/// # Errors
/// The errors of [`to_json`].
pub fn to_json_with_floats(chunk: &[u8], out: &mut Vec<u8>, expansion: &Expansion) -> Result<Document, YamlError> {
    let base = out.len();
    let found = guarded(|| {
        let decoded = to_utf8(chunk)?;
        let source = Source::new(&decoded.text)?;
        let mut composer = Composer::new(out, None, Budget::new(decoded.text.len(), expansion));
        composer.marks_floats = true;
        composer.run(&mut source.events())
    });
    if found.is_err() {
        out.truncate(base);
    }
    found
}

/// Like [`to_json`], with the line of the chunk, from 1, of the first text behind the first document: go-yaml does not
/// look at it, whatever it is. `origins`, if wanted, is filled with the origins of the values. `expansion` is the same
/// for all documents of an input.
///
/// # Errors
/// The errors of [`to_json`].
pub fn to_json_and_rest(
    chunk: &[u8],
    out: &mut Vec<u8>,
    mut origins: Option<&mut ValueOrigins>,
    expansion: &Expansion,
) -> Result<(Document, Option<u32>), YamlError> {
    let base = out.len();
    if let Ok(document) = to_json_fast(chunk, out, origins.as_deref_mut(), expansion) {
        return Ok((document, None));
    }
    out.truncate(base);
    if let Some(origins) = &mut origins {
        origins.begin(base);
    }
    let found = guarded(|| {
        let decoded = to_utf8(chunk)?;
        let source = Source::new(&decoded.text)?;
        let mut events = source.events();
        let document = Composer::new(out, origins, Budget::new(decoded.text.len(), expansion)).run(&mut events)?;
        // The document is sound, and the text behind it does not matter: neither an error nor a panic there is one of
        // the document.
        let rest = guarded(|| Ok(place_of_rest(&mut events))).unwrap_or_default();
        match decoded.error_at_end(rest.map(|it| it.1)) {
            Some(error) => Err(error),
            None => Ok((document, rest.map(|it| it.0))),
        }
    });
    if found.is_err() {
        out.truncate(base);
    }
    found
}

/// Like [`to_json_and_rest`], for the common case of a document that nothing follows. If it fails, `out` and `origins`
/// are of no use.
fn to_json_fast(
    chunk: &[u8],
    out: &mut Vec<u8>,
    mut origins: Option<&mut ValueOrigins>,
    expansion: &Expansion,
) -> Result<Document, Declined> {
    if let Some(origins) = &mut origins {
        origins.begin(out.len());
    }
    let composer = Composer::new(out, origins, Budget::new(chunk.len(), expansion));
    let mut sink = FastComposer { composer, document: None };
    fast::scan(without_mark(chunk), &mut sink)?;
    sink.document.ok_or(Declined)
}

/// Composes from the events of the fast scanner. It makes no error messages: for every error, libyaml's events lead to
/// the same one.
struct FastComposer<'o> {
    composer: Composer<'o>,
    /// The document as far as it has been composed.
    document: Option<Document>,
}

impl Sink for FastComposer<'_> {
    #[inline]
    fn take(&mut self, event: &FastEvent<'_>) -> Result<(), Declined> {
        let composer = &mut self.composer;
        let mark = if composer.notes_origins() { event.start_mark() } else { Mark::default() };
        let is_root = composer.frames.is_empty();
        let done = match event.body {
            EventBody::Scalar { text, style } => {
                let is_null = composer.scalar(None, None, text, style == Style::Plain, mark);
                is_null.map(|is_null| {
                    if is_root && is_null {
                        self.document = Some(Document::Null);
                    }
                })
            }
            EventBody::Mapping { .. } => composer.open(b'{', None, mark),
            EventBody::Sequence { .. } => composer.open(b'[', None, mark),
            EventBody::MappingEnd => composer.close(b'}'),
            EventBody::SequenceEnd => composer.close(b']'),
            EventBody::Document { .. } => {
                self.document = Some(Document::Value);
                Ok(())
            }
            EventBody::DocumentEnd if composer.unsupported.is_some() => return Err(Declined),
            EventBody::StreamEnd if self.document.is_none() => {
                composer.out.extend_from_slice(b"null");
                self.document = Some(Document::Null);
                Ok(())
            }
            EventBody::DocumentEnd | EventBody::StreamEnd => Ok(()),
        };
        done.map_err(|_fault| Declined)
    }
}

/// The line and the offset of the first text behind the end of a document, except blanks and comments.
fn place_of_rest(events: &mut Events<'_>) -> Option<(u32, u64)> {
    let (line, index) = match events.next() {
        Ok(Event { data: EventData::StreamEnd, .. }) => return None,
        Ok(event) => (event.start_mark.line, event.start_mark.index),
        Err(error) => (u64::from(error.line.unwrap_or(1).saturating_sub(1)), u64::MAX),
    };
    Some((u32::try_from(line).ok()?.checked_add(1)?, index))
}

/// The place of the next node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Root,
    Item,
    Key,
    Value,
    /// The value of a merge key.
    Merge,
    /// An item of a list that is the value of a merge key.
    MergeItem,
}

/// A collection that is being written.
struct Frame {
    slot: Slot,
    /// Offset of its bracket.
    start: usize,
    /// Decode operations before it, to know its own.
    decodes: u64,
    anchor: Option<usize>,
    /// Levels of nesting inside it, itself included.
    height: usize,
    /// For a list of mappings to merge: how many ranges in `Composer::merges` are not its own.
    merges: usize,
    mark: Mark,
}

struct Composer<'o> {
    out: &'o mut Vec<u8>,
    frames: Vec<Frame>,
    slot: Slot,
    names: HashMap<String, usize>,
    anchors: Vec<Anchored>,
    /// Text that anchors refer to and that is not in `out`: values of merge keys.
    attic: Vec<u8>,
    /// Ranges in `out` of the items of merge lists.
    merges: Vec<(usize, usize)>,
    budget: Budget<'o>,
    /// The first error that only JSON makes; those of keys come before those of numbers.
    unsupported: Option<YamlError>,
    /// Number of the frame whose next value belongs into the message of `unsupported`.
    awaits_value: Option<usize>,
    origins: Option<&'o mut ValueOrigins>,
    /// Where the document starts in `out`.
    base: usize,
    /// Whether whole numbers that are floats have a point.
    marks_floats: bool,
}

impl<'o> Composer<'o> {
    fn new(out: &'o mut Vec<u8>, origins: Option<&'o mut ValueOrigins>, budget: Budget<'o>) -> Self {
        Self {
            base: out.len(),
            out,
            frames: Vec::new(),
            slot: Slot::Root,
            names: HashMap::new(),
            anchors: Vec::new(),
            attic: Vec::new(),
            merges: Vec::new(),
            budget,
            unsupported: None,
            awaits_value: None,
            origins,
            marks_floats: false,
        }
    }

    fn run(&mut self, events: &mut Events<'_>) -> Result<Document, YamlError> {
        let mut document = Document::Value;
        loop {
            let event = events.next()?;
            self.nest(self.frames.len(), &event)?;
            match event.data {
                EventData::StreamEnd => {
                    self.out.extend_from_slice(b"null");
                    return Ok(Document::Null);
                }
                EventData::DocumentEnd { .. } => {
                    return match self.unsupported.take() {
                        Some(error) if !self.is_overwritten(&error) => Err(error),
                        _ => Ok(document),
                    };
                }
                _ => {}
            }
            let is_root = self.frames.is_empty();
            match self.handle(event) {
                Ok(is_null) if is_root && is_null => document = Document::Null,
                Ok(_) => {}
                Err(Fault::Now(error)) => return Err(error),
                Err(Fault::Later(error)) => return Err(self.drain(events, error)),
            }
        }
    }

    /// Counts the work on an event inside so many open collections.
    fn nest(&mut self, depth: usize, event: &Event) -> Result<(), YamlError> {
        let mark = event.start_mark;
        self.budget.nest(depth).map_err(|message| YamlError::new(YamlErrorKind::Limit, mark, message))
    }

    /// Whether all values that JSON lacks are in members that later ones of the same key replace: go-yaml has forgotten
    /// them when the document becomes JSON. They are `null` then.
    fn is_overwritten(&mut self, error: &YamlError) -> bool {
        let Some(text) = self.out.get(self.base..).and_then(|it| std::str::from_utf8(it).ok()) else { return false };
        let mut reader = Reader::new();
        if !is_of_value(error) || reader.read(text).is_ok_and(has_unsupported) {
            return false;
        }
        for (stand_in, _) in UNSUPPORTED {
            while let Some(at) = memmem::find(&self.out[self.base..], stand_in.as_bytes()) {
                let at = self.base + at;
                self.out[at..at + stand_in.len()].copy_from_slice(b"null    ");
            }
        }
        true
    }

    /// Reads the rest of the document, only to see whether there is an error of syntax in it.
    fn drain(&mut self, events: &mut Events<'_>, found: YamlError) -> YamlError {
        let mut depth = self.frames.len();
        loop {
            let event = match events.next() {
                Ok(event) => event,
                Err(error) => return error,
            };
            if let Err(error) = self.nest(depth, &event) {
                return error;
            }
            let anchor = match event.data {
                EventData::StreamEnd | EventData::DocumentEnd { .. } => break,
                EventData::Alias { anchor } if !self.names.contains_key(&anchor) => {
                    return unknown_anchor(&anchor, event.start_mark);
                }
                EventData::SequenceEnd | EventData::MappingEnd => {
                    depth = depth.saturating_sub(1);
                    continue;
                }
                EventData::Scalar { anchor, .. } => anchor,
                EventData::SequenceStart { anchor, .. } | EventData::MappingStart { anchor, .. } => {
                    depth += 1;
                    anchor
                }
                _ => continue,
            };
            if depth > MAX_DEPTH {
                return too_deep(event.start_mark);
            }
            if let Some(name) = anchor {
                if let Err(message) = self.budget.anchor(&name) {
                    return YamlError::new(YamlErrorKind::Limit, event.start_mark, message);
                }
                self.names.insert(name, 0);
            }
        }
        found
    }

    /// Returns whether the event was a scalar that means null.
    fn handle(&mut self, event: Event) -> Result<bool, Fault> {
        let mark = event.start_mark;
        match event.data {
            EventData::Scalar { anchor, tag, value, plain_implicit, .. } => {
                return self.scalar(anchor, tag.as_deref(), &value, plain_implicit, mark);
            }
            EventData::Alias { anchor } => return self.alias(&anchor, mark),
            EventData::MappingStart { anchor, .. } => self.open(b'{', anchor, mark)?,
            EventData::SequenceStart { anchor, .. } => self.open(b'[', anchor, mark)?,
            EventData::MappingEnd => self.close(b'}')?,
            EventData::SequenceEnd => self.close(b']')?,
            _ => {}
        }
        Ok(false)
    }

    fn scalar(
        &mut self,
        anchor: Option<String>,
        tag: Option<&str>,
        text: &str,
        is_plain: bool,
        mark: Mark,
    ) -> Result<bool, Fault> {
        if self.slot == Slot::Key && is_merge_key(tag, is_plain, text) {
            self.slot = Slot::Merge;
            if let Some(name) = anchor {
                self.anchor(name, Anchored::scalar(&Scalar::Str(text.into())), mark)?;
            }
            return Ok(false);
        }
        if matches!(self.slot, Slot::Merge | Slot::MergeItem) {
            return Err(not_mergeable(mark));
        }
        self.count(1, 0, mark)?;
        let scalar = resolve(tag, is_plain, text).map_err(|error| later(mark, error.to_string()))?;
        if let Some(name) = anchor {
            self.anchor(name, Anchored::scalar(&scalar), mark)?;
        }
        self.put_scalar(&scalar, mark)?;
        Ok(scalar == Scalar::Null)
    }

    fn put_scalar(&mut self, scalar: &Scalar<'_>, mark: Mark) -> Result<(), Fault> {
        if self.slot == Slot::Key {
            self.put_key(scalar, mark);
            return Ok(());
        }
        let start = self.begin(mark);
        write_value(scalar, self.out).unwrap_or_else(|message| {
            let error = YamlError::new(YamlErrorKind::Json, mark, message);
            self.unsupported.get_or_insert(error);
        });
        let is_whole = |it: &[u8]| it.iter().all(|it| it.is_ascii_digit() || *it == b'-');
        if self.marks_floats && matches!(scalar, Scalar::Float(_)) && is_whole(&self.out[start..]) {
            self.out.extend_from_slice(b".0");
        }
        self.done(start, 0, mark)
    }

    fn put_key(&mut self, scalar: &Scalar<'_>, mark: Mark) {
        self.comma();
        match (key_text(scalar), scalar) {
            (Some(text), _) => write_text(&text, self.out),
            (None, Scalar::Uint(value)) => self.unsupported_key(&format!("uint64, key: {value:#x}"), mark),
            (None, _) => self.unsupported_key("%!s(<nil>), key: <nil>", mark),
        }
        self.out.push(b':');
        self.slot = Slot::Value;
    }

    fn unsupported_key(&mut self, shown: &str, mark: Mark) {
        self.out.extend_from_slice(b"\"\"");
        let is_first = self.unsupported.as_ref().is_none_or(is_of_value);
        if is_first {
            let message = format!("unsupported map key of type: {shown}, value: ");
            self.unsupported = Some(YamlError::new(YamlErrorKind::Json, mark, message));
            self.awaits_value = Some(self.frames.len());
        }
    }

    fn open(&mut self, bracket: u8, anchor: Option<String>, mark: Mark) -> Result<(), Fault> {
        if self.frames.len() >= MAX_DEPTH {
            return Err(Fault::Now(too_deep(mark)));
        }
        let decodes = self.budget.decodes();
        let is_merge_list = self.slot == Slot::Merge && bracket == b'[';
        if self.slot == Slot::MergeItem && bracket == b'[' {
            return Err(not_mergeable(mark));
        }
        // A list of mappings to merge is walked, not decoded.
        if !is_merge_list {
            self.count(1, 0, mark)?;
        }
        let anchor = anchor.map(|name| self.anchor(name, Anchored::open(bracket == b'{'), mark)).transpose()?;
        let start = self.begin(mark);
        self.out.push(bracket);
        let merges = self.merges.len();
        self.frames.push(Frame { slot: self.slot, start, decodes, anchor, height: 1, merges, mark });
        self.slot = match bracket {
            b'{' => Slot::Key,
            _ if is_merge_list => Slot::MergeItem,
            _ => Slot::Item,
        };
        Ok(())
    }

    fn close(&mut self, bracket: u8) -> Result<(), Fault> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let is_merge_list = self.slot == Slot::MergeItem;
        self.out.push(bracket);
        self.slot = frame.slot;
        if let Some(idx) = frame.anchor {
            // As the value of an alias the list of a merge key is an ordinary list.
            let decodes = self.budget.decodes() - frame.decodes + u64::from(is_merge_list);
            self.anchors[idx].close(frame.start, self.out.len(), decodes, frame.height);
        }
        match (self.slot, bracket) {
            (Slot::Merge, b'}') => self.merge(&frame, false),
            (Slot::Merge, _) => self.merge(&frame, true),
            _ => self.done(frame.start, frame.height, frame.mark),
        }
    }

    /// Replaces the value of a merge key, which has just been written, by its members.
    fn merge(&mut self, frame: &Frame, is_list: bool) -> Result<(), Fault> {
        let shift = self.attic.len();
        let region = &self.out[frame.start..];
        self.budget.expand(region.len()).map_err(|message| limit(frame.mark, message))?;
        self.attic.extend_from_slice(region);
        self.out.truncate(frame.start);
        if let Some(origins) = &mut self.origins {
            origins.forget_from(frame.start);
        }
        self.note(frame.mark);
        for anchored in &mut self.anchors {
            anchored.relocate(frame.start, shift);
        }
        if is_list {
            // Earlier mappings win, so they are written last.
            for idx in (frame.merges..self.merges.len()).rev() {
                let (start, end) = self.merges[idx];
                self.put_members(Place::Attic(start - frame.start + shift, end - frame.start + shift));
            }
            self.merges.truncate(frame.merges);
        } else {
            self.put_members(Place::Attic(shift, self.attic.len()));
        }
        self.slot = Slot::Key;
        self.raise(frame.height);
        Ok(())
    }

    /// Writes the members of a mapping from another place into the one that is being written.
    fn put_members(&mut self, place: Place) {
        let (start, end) = place.range();
        if end - start <= 2 {
            return;
        }
        self.comma();
        self.copy(place.within(1));
    }

    fn copy(&mut self, place: Place) {
        match place {
            Place::Out(start, end) => self.out.extend_from_within(start..end),
            Place::Attic(start, end) => self.out.extend_from_slice(&self.attic[start..end]),
        }
    }

    fn alias(&mut self, name: &str, mark: Mark) -> Result<bool, Fault> {
        let Some(&idx) = self.names.get(name) else {
            return Err(Fault::Now(unknown_anchor(name, mark)));
        };
        let is_merge = matches!(self.slot, Slot::Merge | Slot::MergeItem);
        if is_merge && !self.anchors[idx].is_mapping() {
            return Err(not_mergeable(mark));
        }
        if let Some(scalar) = self.anchors[idx].as_scalar() {
            let len = scalar_len(scalar);
            self.count(2, 1, mark)?;
            self.budget.expand(len).map_err(|message| limit(mark, message))?;
            let Some(scalar) = self.anchors[idx].as_scalar().cloned() else { return Ok(false) };
            self.put_scalar(&scalar, mark)?;
            return Ok(scalar == Scalar::Null);
        }
        let Some((place, decodes, height)) = self.anchors[idx].as_collection() else {
            return Err(later(mark, format!("anchor '{name}' value contains itself")));
        };
        if self.frames.len() + height > MAX_DEPTH {
            return Err(Fault::Now(too_deep(mark)));
        }
        self.count(1 + decodes, decodes, mark)?;
        let (start, end) = place.range();
        self.budget.expand(end - start).map_err(|message| limit(mark, message))?;
        if self.slot == Slot::Merge {
            self.note(mark);
            self.put_members(place);
            self.slot = Slot::Key;
            self.raise(height);
            return Ok(false);
        }
        let start = self.begin(mark);
        self.copy(place);
        self.done(start, height, mark)?;
        Ok(false)
    }

    fn anchor(&mut self, name: String, anchored: Anchored, mark: Mark) -> Result<usize, Fault> {
        self.budget.anchor(&name).map_err(|message| limit(mark, message))?;
        self.anchors.push(anchored);
        let idx = self.anchors.len() - 1;
        self.names.insert(name, idx);
        Ok(idx)
    }

    fn count(&mut self, decodes: u64, aliased: u64, mark: Mark) -> Result<(), Fault> {
        self.budget.count(decodes, aliased).map_err(|message| limit(mark, message))
    }

    /// Prepares for a value and returns where it starts.
    fn begin(&mut self, mark: Mark) -> usize {
        if matches!(self.slot, Slot::Item | Slot::MergeItem) {
            self.comma();
        }
        self.note(mark);
        self.out.len()
    }

    /// Whether the origin of the next value is noted.
    fn notes_origins(&self) -> bool {
        self.origins.is_some() && ValueOrigins::goes_as_deep_as(self.frames.len())
    }

    /// Notes that the next value comes from `mark`.
    fn note(&mut self, mark: Mark) {
        if let Some(origins) = &mut self.origins {
            origins.add(self.frames.len(), self.out.len(), mark);
        }
    }

    /// Separates a member or item from the one before it. A bracket at the end can only be that of the collection,
    /// for strings end with a quote.
    fn comma(&mut self) {
        if !matches!(self.out.last(), Some(b'{' | b'[')) {
            self.out.push(b',');
        }
    }

    /// Goes on behind a value.
    fn done(&mut self, start: usize, height: usize, mark: Mark) -> Result<(), Fault> {
        match self.slot {
            Slot::Root | Slot::Item | Slot::Merge => {}
            Slot::Value => {
                if self.awaits_value == Some(self.frames.len()) {
                    self.awaits_value = None;
                    if let Some(error) = &mut self.unsupported {
                        error.message.push_str(&go_syntax(&self.out[start..]));
                    }
                }
                self.slot = Slot::Key;
            }
            Slot::Key => return Err(later(mark, format!("invalid map key: {}", go_syntax(&self.out[start..])))),
            Slot::MergeItem => self.merges.push((start, self.out.len())),
        }
        self.raise(height);
        Ok(())
    }

    fn raise(&mut self, height: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.height = frame.height.max(height + 1);
        }
    }
}

/// Whether an error is about a value, not about a key.
fn is_of_value(error: &YamlError) -> bool {
    error.message.starts_with("json:")
}

/// Whether a document has a value that JSON lacks, when the last of several members with one key counts.
fn has_unsupported(document: Value<'_>) -> bool {
    let mut open = vec![document];
    while let Some(value) = open.pop() {
        if UNSUPPORTED.iter().any(|it| it.0.trim_matches('"') == value.raw()) {
            return true;
        }
        let last: HashMap<&str, Value<'_>> = value.members().map(|(key, value)| (key.raw(), value)).collect();
        open.extend(last.into_values().chain(value.items()));
    }
    false
}

/// Writes a scalar as a JSON value; for a value that JSON lacks, writes what stands for it and returns the message.
fn write_value(scalar: &Scalar<'_>, out: &mut Vec<u8>) -> Result<(), String> {
    use std::io::Write as _;
    // Writing to a vector cannot fail.
    let _ = match scalar {
        Scalar::Null => out.write_all(b"null"),
        Scalar::Bool(value) => write!(out, "{value}"),
        Scalar::Int(value) => write!(out, "{value}"),
        Scalar::Uint(value) => write!(out, "{value}"),
        Scalar::Float(value) if value.is_finite() => {
            number::write_json(*value, out);
            Ok(())
        }
        Scalar::Float(value) => {
            let [positive, negative, nan] = UNSUPPORTED;
            let (stand_in, shown) = match *value {
                it if it.is_nan() => nan,
                it if it > 0.0 => positive,
                _ => negative,
            };
            out.extend_from_slice(stand_in.as_bytes());
            return Err(format!("json: unsupported value: {shown}"));
        }
        Scalar::Timestamp(text) => {
            write_text(text, out);
            Ok(())
        }
        Scalar::Str(text) => {
            write_text(text, out);
            Ok(())
        }
    };
    Ok(())
}

/// Writes a string; most need no escapes, which is seen faster in one look at all bytes.
fn write_text(text: &str, out: &mut Vec<u8>) {
    if !is_plain(text.as_bytes()) {
        write_string(text, out);
        return;
    }
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// About how long a scalar is as JSON.
fn scalar_len(scalar: &Scalar<'_>) -> usize {
    match scalar {
        Scalar::Str(text) => text.len(),
        _ => 8,
    }
}

#[cfg(test)]
mod tests;
