//! Where in a chunk the value at a path stands.

use libyaml_safer::{EventData, Mark};

use super::error::YamlError;
use super::events::{Events, Source, guarded};
use super::scalar::{is_merge_key, key_text, resolve};
use crate::json::{MAX_DEPTH, Step, fold_eq};

/// A place in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line within the chunk, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Position {
    fn of(mark: Mark) -> Self {
        let from_one = |number: u64| u32::try_from(number + 1).unwrap_or(u32::MAX);
        Self { line: from_one(mark.line), column: from_one(mark.column) }
    }
}

/// The place of the value at `path` in the first document of a chunk; as far as the path can be followed, so an absent
/// member gives the mapping that lacks it, as [`crate::json::locate`] does. `None` if [`super::to_json`] would report
/// an error of syntax, or there is no document.
///
/// What an alias stands for is at the alias. What a merge key brings in through an alias is not found; of what stands
/// in the value of the merge key itself, the last counts.
#[must_use]
pub fn locate(chunk: &[u8], path: &[Step]) -> Option<Position> {
    follow(chunk, path).map(|found| found.value)
}

/// As [`locate`], but the place of the last step's key where the last step names one.
#[must_use]
pub fn locate_key(chunk: &[u8], path: &[Step]) -> Option<Position> {
    follow(chunk, path).map(|found| found.key.unwrap_or(found.value))
}

#[derive(Debug, Clone, Copy)]
struct Found {
    key: Option<Position>,
    value: Position,
}

/// A collection that is open.
struct Frame {
    kind: Kind,
    /// How many steps of the path lead here; `None` off the path.
    steps: Option<usize>,
}

enum Kind {
    List {
        next: usize,
    },
    /// Before a key.
    Key,
    /// Before the value of a key, which is the one that the path names if `wanted` is its place.
    Value {
        wanted: Option<Position>,
    },
    /// Before the value of a merge key.
    Merge,
    /// A list that is such a value.
    MergeList,
}

/// How a node stands to the path.
enum Relation {
    Off,
    /// These steps lead to it, the last one by the key at the place.
    On(usize, Option<Position>),
    /// It is merged into the mapping that these steps lead to.
    Merged(Option<usize>),
}

struct Walk<'p> {
    path: &'p [Step],
    frames: Vec<Frame>,
    /// What the steps lead to so far: the root, then one entry for every step.
    found: Vec<Found>,
}

fn follow(chunk: &[u8], path: &[Step]) -> Option<Found> {
    let mut walk = Walk { path, frames: Vec::new(), found: Vec::new() };
    guarded(|| {
        let source = Source::new(chunk)?;
        let mut events = source.events();
        while walk.next(&mut events)? {}
        Ok(())
    })
    .ok()?;
    walk.found.last().copied()
}

impl Walk<'_> {
    /// Takes one event; returns whether there are more.
    fn next(&mut self, events: &mut Events<'_>) -> Result<bool, YamlError> {
        let event = events.next()?;
        let mark = event.start_mark;
        match event.data {
            EventData::StreamEnd | EventData::DocumentEnd { .. } => return Ok(false),
            EventData::SequenceEnd | EventData::MappingEnd => {
                self.frames.pop();
            }
            EventData::Scalar { tag, value, plain_implicit, .. } => {
                if matches!(self.frames.last(), Some(Frame { kind: Kind::Key, .. })) {
                    self.key(tag.as_deref(), plain_implicit, &value, mark);
                } else {
                    self.node(mark);
                }
            }
            EventData::Alias { .. } => {
                self.node(mark);
            }
            EventData::SequenceStart { .. } => {
                let (kind, steps) = match self.node(mark) {
                    Relation::Off => (Kind::List { next: 0 }, None),
                    Relation::On(steps, _) => (Kind::List { next: 0 }, Some(steps)),
                    Relation::Merged(steps) => (Kind::MergeList, steps),
                };
                self.frames.push(Frame { kind, steps });
            }
            EventData::MappingStart { .. } => {
                let steps = match self.node(mark) {
                    Relation::Off => None,
                    Relation::On(steps, _) => Some(steps),
                    Relation::Merged(steps) => steps,
                };
                self.frames.push(Frame { kind: Kind::Key, steps });
            }
            _ => {}
        }
        Ok(self.frames.len() <= MAX_DEPTH)
    }

    fn key(&mut self, tag: Option<&str>, is_plain: bool, text: &str, mark: Mark) {
        let Some(frame) = self.frames.last_mut() else { return };
        if is_merge_key(tag, is_plain, text) {
            frame.kind = Kind::Merge;
            return;
        }
        let mut wanted = None;
        if let Some(Step::Key(step)) = frame.steps.and_then(|steps| self.path.get(steps))
            && let Ok(scalar) = resolve(tag, is_plain, text)
            && let Some(key) = key_text(&scalar)
            && (key == *step || fold_eq(&key, step))
        {
            wanted = Some(Position::of(mark));
        }
        frame.kind = Kind::Value { wanted };
    }

    /// Takes note of a node that is not a scalar key, and of what its parent expects next.
    fn node(&mut self, mark: Mark) -> Relation {
        let relation = match self.frames.last_mut() {
            None => Relation::On(0, None),
            Some(frame) => match &mut frame.kind {
                Kind::List { next } => {
                    let idx = *next;
                    *next += 1;
                    match frame.steps {
                        Some(steps) if self.path.get(steps) == Some(&Step::Index(idx)) => Relation::On(steps + 1, None),
                        _ => Relation::Off,
                    }
                }
                Kind::Key => {
                    frame.kind = Kind::Value { wanted: None };
                    Relation::Off
                }
                Kind::Value { wanted } => {
                    let wanted = *wanted;
                    frame.kind = Kind::Key;
                    match (frame.steps, wanted) {
                        (Some(steps), Some(_)) => Relation::On(steps + 1, wanted),
                        _ => Relation::Off,
                    }
                }
                Kind::Merge => {
                    frame.kind = Kind::Key;
                    Relation::Merged(frame.steps)
                }
                Kind::MergeList => Relation::Merged(frame.steps),
            },
        };
        if let Relation::On(steps, key) = relation {
            // A later duplicate replaces the earlier one and all that was found in it.
            self.found.truncate(steps);
            self.found.push(Found { key, value: Position::of(mark) });
        }
        relation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Step {
        Step::Key(text.to_owned())
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
            // Where the path ends early, the key is that of the last step that could be followed.
            assert_eq!(locate_key(text.as_bytes(), path), position(*key), "{path:?}");
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
