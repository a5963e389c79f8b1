//! The place in a chunk of the value at a path.

use libyaml_safer::{EventData, Mark};

use super::error::YamlError;
use super::events::{Events, Source, guarded, without_mark};
use super::fast::{self, Declined, Event as FastEvent, EventBody, Sink, Style};
use super::scalar::{is_merge_key, key_text, resolve};
use super::utf16::to_utf8;
use crate::json::{MAX_DEPTH, Paths};

/// A place in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line within the chunk, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Position {
    pub(super) fn of(mark: Mark) -> Self {
        let from_one = |number: u64| u32::try_from(number + 1).unwrap_or(u32::MAX);
        Self { line: from_one(mark.line), column: from_one(mark.column) }
    }
}

/// The place of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundPosition {
    /// The place of its key, if it is the value of one.
    pub key: Option<Position>,
    /// Its own place.
    pub value: Position,
}

/// The place of the value at each of `paths` in the first document of a chunk, by its number; as far as the path can be
/// followed, so an absent member gives the mapping that lacks it, as [`crate::json::locate_all`] does. `None` if
/// [`super::to_json`] would report an error of syntax, or there is no document.
///
/// The value of an alias is at the alias. Keys that a merge key adds through an alias are not found; among equal keys
/// in the value of the merge key itself, the last counts.
pub fn locate_all(chunk: &[u8], paths: &Paths) -> Option<Vec<FoundPosition>> {
    let mut walk = Walk::new(paths);
    if fast::scan(without_mark(chunk), &mut walk).is_err() {
        walk = Walk::new(paths);
        guarded(|| {
            let chunk = to_utf8(chunk)?.text;
            let source = Source::new(&chunk)?;
            let mut events = source.events();
            while walk.next(&mut events)? {}
            Ok(())
        })
        .ok()?;
    }
    let root = walk.found.first().copied().flatten()?;
    // Places are numbered after the ones above them, so those have been settled.
    let mut settled: Vec<FoundPosition> = Vec::with_capacity(walk.found.len());
    for (place, it) in walk.found.iter().enumerate() {
        let above = settled.get(paths.parent(place)).copied().unwrap_or(root);
        settled.push(it.unwrap_or(above));
    }
    Some(settled)
}

/// A collection that is open.
struct Frame {
    kind: Kind,
    /// Its place; `None` off all paths.
    place: Option<usize>,
}

enum Kind {
    List {
        next: usize,
    },
    /// Before a key.
    Key,
    /// Before the value of a key, with the value's place and the key's position if a path names it.
    Value {
        wanted: Option<(usize, Position)>,
    },
    /// Before the value of a merge key.
    Merge,
    /// A list that is such a value.
    MergeList,
}

/// The relation of a node to the paths.
enum Relation {
    Off,
    /// It is at this place, by the key at the position.
    On(usize, Option<Position>),
    /// It is merged into the mapping at this place.
    Merged(Option<usize>),
}

struct Walk<'p> {
    paths: &'p Paths,
    frames: Vec<Frame>,
    /// The positions found so far, by place.
    found: Vec<Option<FoundPosition>>,
}

/// An event, as far as a walk cares.
enum Shape<'e> {
    Scalar { tag: Option<&'e str>, is_plain: bool, text: &'e str },
    Alias,
    Mapping,
    Sequence,
    End,
}

impl Sink for Walk<'_> {
    fn take(&mut self, event: &FastEvent<'_>) -> Result<(), Declined> {
        let shape = match event.body {
            EventBody::Scalar { text, style } => Shape::Scalar { tag: None, is_plain: style == Style::Plain, text },
            EventBody::Mapping { .. } => Shape::Mapping,
            EventBody::Sequence { .. } => Shape::Sequence,
            EventBody::MappingEnd | EventBody::SequenceEnd => Shape::End,
            EventBody::Document { .. } | EventBody::DocumentEnd | EventBody::StreamEnd => return Ok(()),
        };
        if self.take_shape(&shape, event.start_mark()) { Ok(()) } else { Err(Declined) }
    }
}

impl<'p> Walk<'p> {
    fn new(paths: &'p Paths) -> Self {
        Self { paths, frames: Vec::new(), found: vec![None; paths.n_places()] }
    }

    /// Takes one event; returns whether there are more.
    fn next(&mut self, events: &mut Events<'_>) -> Result<bool, YamlError> {
        let event = events.next()?;
        let shape = match &event.data {
            EventData::StreamEnd | EventData::DocumentEnd { .. } => return Ok(false),
            EventData::SequenceEnd | EventData::MappingEnd => Shape::End,
            EventData::Scalar { tag, value, plain_implicit, .. } => {
                Shape::Scalar { tag: tag.as_deref(), is_plain: *plain_implicit, text: value }
            }
            EventData::Alias { .. } => Shape::Alias,
            EventData::SequenceStart { .. } => Shape::Sequence,
            EventData::MappingStart { .. } => Shape::Mapping,
            _ => return Ok(true),
        };
        Ok(self.take_shape(&shape, event.start_mark))
    }

    /// Takes one event; returns whether that was not too deep.
    fn take_shape(&mut self, shape: &Shape<'_>, mark: Mark) -> bool {
        match *shape {
            Shape::End => {
                self.frames.pop();
            }
            Shape::Scalar { tag, is_plain, text } => {
                if matches!(self.frames.last(), Some(Frame { kind: Kind::Key, .. })) {
                    self.key(tag, is_plain, text, mark);
                } else {
                    self.node(mark);
                }
            }
            Shape::Alias => {
                self.node(mark);
            }
            Shape::Sequence => {
                let (kind, place) = match self.node(mark) {
                    Relation::Off => (Kind::List { next: 0 }, None),
                    Relation::On(place, _) => (Kind::List { next: 0 }, Some(place)),
                    Relation::Merged(place) => (Kind::MergeList, place),
                };
                self.frames.push(Frame { kind, place });
            }
            Shape::Mapping => {
                let place = match self.node(mark) {
                    Relation::Off => None,
                    Relation::On(place, _) => Some(place),
                    Relation::Merged(place) => place,
                };
                self.frames.push(Frame { kind: Kind::Key, place });
            }
        }
        self.frames.len() <= MAX_DEPTH
    }

    fn key(&mut self, tag: Option<&str>, is_plain: bool, text: &str, mark: Mark) {
        let Some(frame) = self.frames.last_mut() else { return };
        if is_merge_key(tag, is_plain, text) {
            frame.kind = Kind::Merge;
            return;
        }
        let mut wanted = None;
        if let Some(place) = frame.place.filter(|&it| self.paths.goes_on(it))
            && let Ok(scalar) = resolve(tag, is_plain, text)
            && let Some(key) = key_text(&scalar)
        {
            wanted = self.paths.member(place, &key).map(|it| (it, Position::of(mark)));
        }
        frame.kind = Kind::Value { wanted };
    }

    /// Notes a node that is not a scalar key, and the node that its parent expects next.
    fn node(&mut self, mark: Mark) -> Relation {
        let relation = match self.frames.last_mut() {
            None => Relation::On(0, None),
            Some(frame) => match &mut frame.kind {
                Kind::List { next } => {
                    let idx = *next;
                    *next += 1;
                    match frame.place.and_then(|it| self.paths.item(it, idx)) {
                        Some(place) => Relation::On(place, None),
                        None => Relation::Off,
                    }
                }
                Kind::Key => {
                    frame.kind = Kind::Value { wanted: None };
                    Relation::Off
                }
                Kind::Value { wanted } => {
                    let wanted = *wanted;
                    frame.kind = Kind::Key;
                    match wanted {
                        Some((place, key)) => Relation::On(place, Some(key)),
                        None => Relation::Off,
                    }
                }
                Kind::Merge => {
                    frame.kind = Kind::Key;
                    Relation::Merged(frame.place)
                }
                Kind::MergeList => Relation::Merged(frame.place),
            },
        };
        if let Relation::On(place, key) = relation {
            self.forget(place);
            self.found[place] = Some(FoundPosition { key, value: Position::of(mark) });
        }
        relation
    }

    /// A later duplicate replaces the earlier one and everything that was found in it.
    fn forget(&mut self, place: usize) {
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            if self.found[place].take().is_some() {
                open.extend(self.paths.children(place));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Step;

    fn key(text: &str) -> Step {
        Step::Key(text.to_owned())
    }

    fn locate_one(chunk: &[u8], path: &[Step]) -> Option<FoundPosition> {
        let mut paths = Paths::default();
        let end = paths.add(path);
        locate_all(chunk, &paths)?.get(end).copied()
    }

    fn locate(chunk: &[u8], path: &[Step]) -> Option<Position> {
        locate_one(chunk, path).map(|found| found.value)
    }

    #[test]
    fn finds_values_and_keys() {
        let text = "\
schema: olm.channel
entries:
- name: a
  é: {x: [1, 2]}
- name: b
  skips:
  - c
1: one
m:
  <<: {p: 1}
  q: 2
Name: first
name: second
r: &r {s: 1}
t: *r
";
        type Case<'c> = (&'c [Step], (u32, u32), (u32, u32));
        let cases: &[Case<'_>] = &[
            (&[], (1, 1), (1, 1)),
            (&[key("schema")], (1, 9), (1, 1)),
            (&[key("SCHEMA")], (1, 9), (1, 1)),
            (&[key("entries")], (3, 1), (2, 1)),
            (&[key("entries"), Step::Index(0)], (3, 3), (3, 3)),
            (&[key("entries"), Step::Index(0), key("é"), key("x"), Step::Index(1)], (4, 14), (4, 14)),
            (&[key("entries"), Step::Index(1), key("skips"), Step::Index(0)], (7, 5), (7, 5)),
            (&[key("entries"), Step::Index(1), key("skips")], (7, 3), (6, 3)),
            (&[key("entries"), Step::Index(1), key("absent")], (5, 3), (5, 3)),
            (&[key("entries"), Step::Index(9)], (3, 1), (2, 1)),
            (&[key("1")], (8, 4), (8, 1)),
            (&[key("m"), key("p")], (10, 11), (10, 8)),
            (&[key("m"), key("q")], (11, 6), (11, 3)),
            (&[key("name")], (13, 7), (13, 1)),
            (&[key("t"), key("s")], (15, 4), (15, 1)),
            (&[key("r"), key("s")], (14, 11), (14, 8)),
            (&[key("absent"), key("x")], (1, 1), (1, 1)),
        ];
        for (path, value, key) in cases {
            let position = |(line, column)| Some(Position { line, column });
            assert_eq!(locate(text.as_bytes(), path), position(*value), "{path:?}");
            // If the path ends early, the key is that of the last step that could be followed.
            let key_of = locate_one(text.as_bytes(), path).map(|found| found.key.unwrap_or(found.value));
            assert_eq!(key_of, position(*key), "{path:?}");
        }
    }

    #[test]
    fn forgets_what_a_duplicate_replaces() {
        let found = locate(b"a: {b: 1}\na: {c: 1}\n", &[key("a"), key("b")]);
        assert_eq!(found, Some(Position { line: 2, column: 4 }));
    }

    #[test]
    fn finds_nothing_in_what_is_not_yaml() {
        assert_eq!(locate(b"a: [\n", &[key("a")]), None);
        assert_eq!(locate(b"# c\n", &[]), None);
    }
}
