//! The origins of the values of composed JSON text, noted while it is composed.

use libyaml_safer::Mark;

use super::locate::Position;

/// A deeper value is at the place of the value that contains it. An item of an entry's `skips` has this depth.
const MAX_DEPTH: usize = 4;

/// The places in a chunk that the values of its JSON text come from. Only those on the first levels are kept, since all
/// places that people are sent to are there. The place of a value that comes from an alias or a merge key is the alias,
/// or the value of the merge key.
#[derive(Debug, Clone, Default)]
pub struct ValueOrigins {
    /// Offset in the JSON text, and the place. Ascending by offset.
    notes: Vec<(usize, Position)>,
    base: usize,
}

impl ValueOrigins {
    /// Forgets everything; the JSON text will start at `base` of its buffer.
    pub(super) fn begin(&mut self, base: usize) {
        self.notes.clear();
        self.base = base;
    }

    /// Whether values so deep have places of their own.
    pub(super) fn goes_as_deep_as(depth: usize) -> bool {
        depth <= MAX_DEPTH
    }

    pub(super) fn add(&mut self, depth: usize, offset: usize, mark: Mark) {
        if Self::goes_as_deep_as(depth) {
            self.notes.push((offset - self.base, Position::of(mark)));
        }
    }

    /// Forgets the notes about text from an offset of the buffer on.
    pub(super) fn forget_from(&mut self, offset: usize) {
        let from = offset - self.base;
        self.notes.truncate(self.notes.partition_point(|it| it.0 < from));
    }

    /// The place of the value at an offset of the JSON text.
    pub fn of(&self, offset: usize) -> Position {
        let behind = self.notes.partition_point(|it| it.0 <= offset);
        behind.checked_sub(1).map_or(Position { line: 1, column: 1 }, |it| self.notes[it].1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::to_json_and_rest;
    use super::*;
    use crate::json::Reader;

    #[test]
    fn values_come_from_where_they_are_written() {
        let text = "\
# c
base: &b
  x: 1
list:
- &i {k: é, l: v}
- *i
- <<: *b
  w: [1,
    2]
- <<: {z: 3}
";
        let (mut out, mut origins) = (Vec::new(), ValueOrigins::default());
        to_json_and_rest(text.as_bytes(), &mut out, Some(&mut origins), &crate::json::Expansion::default()).unwrap();
        let json = String::from_utf8(out).unwrap();
        let mut reader = Reader::new();
        let root = reader.read(&json).unwrap();
        let list: Vec<_> = root.get_field("list").unwrap().items().collect();
        let at = |value: crate::json::Value<'_>| {
            let found = origins.of(value.offset());
            (found.line, found.column)
        };
        assert_eq!(at(root), (2, 1));
        assert_eq!(at(root.get_field("base").unwrap().get_field("x").unwrap()), (3, 6));
        assert_eq!(at(list[0].get_field("l").unwrap()), (5, 16));
        assert_eq!(at(list[1].get_field("l").unwrap()), (6, 3), "the alias");
        assert_eq!(at(list[2].get_field("x").unwrap()), (7, 7), "the merged alias");
        let ys: Vec<_> = list[2].get_field("w").unwrap().items().collect();
        assert_eq!((at(ys[0]), at(ys[1])), ((8, 7), (9, 5)));
        assert_eq!(at(list[3].get_field("z").unwrap()), (10, 7), "the value of the merge key");
    }
}
