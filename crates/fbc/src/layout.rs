//! The places of the parts of a document that answers point to, in a few bytes: entries of channels with their edges,
//! and properties of bundles. An index keeps them, so that it can name a line without having the file.
//!
//! Places are counted from the document's start, so equal texts have equal layouts, wherever they are.

use super::blob::Typed;
use super::load::Document;
use super::origin::Origin;
use super::place::start_of_yaml;
use super::provenance::Provenance;
use super::stream::Syntax;
use super::value_places::ValuePlaces;
use olmdex_text::encoding::varint;
use olmdex_text::json::Value;
use olmdex_text::yaml::Position;

/// The places of an entry of a channel and its edges. If the entry lacks an edge, the place of the entry is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPlaces {
    /// The entry.
    pub entry: Position,
    /// The value of its `replaces`.
    pub replaces: Position,
    /// The value of its `skipRange`.
    pub skip_range: Position,
    /// The items of its `skips`.
    pub skips: Vec<Position>,
}

impl EntryPlaces {
    /// The place of an item of `skips`.
    pub fn skip(&self, idx: usize) -> Position {
        self.skips.get(idx).copied().unwrap_or(self.entry)
    }
}

/// The place in its file where a document has its first content.
pub fn start_in_file(origin: Origin, raw: &[u8]) -> Position {
    let start = start_in_text(origin.syntax, raw);
    let column = if start.line == 1 { origin.column.saturating_add(start.column - 1) } else { start.column };
    Position { line: origin.line.saturating_add(start.line - 1), column }
}

/// The same, counted from the document's first byte.
fn start_in_text(syntax: Syntax, raw: &[u8]) -> Position {
    match syntax {
        Syntax::Json => Position { line: 1, column: 1 },
        Syntax::Yaml => start_of_yaml(raw).unwrap_or(Position { line: 1, column: 1 }),
    }
}

/// The layout of a channel or a bundle; `None` of other documents, and where places are not known.
pub fn layout_of(document: &Document<'_>) -> Option<Vec<u8>> {
    let blob = document.blob.as_ref().ok()?;
    if matches!(document.places, ValuePlaces::Unknown) {
        return None;
    }
    let mut parts = Parts::default();
    match blob.typed {
        Typed::Channel(_) => {
            for entry in items(Some(blob.value), "entries") {
                parts.entry(entry);
            }
        }
        Typed::Bundle(_) => {
            let properties = items(Some(blob.value), "properties");
            parts.0.extend(properties.map(|it| Part::Place(Kind::First, it.offset())));
        }
        _ => return None,
    }
    let places = document.places.of(&parts.offsets());
    let start = start_in_text(document.origin.syntax, document.raw);
    Some(parts.written(start, &places)).filter(|it| !it.is_empty())
}

/// The layout of a bundle that was made of other files, counted from its origin. Properties that come from another file
/// than the bundle itself have no other place than that origin.
pub fn layout_of_made(document: &Document<'_>, made_of: &Provenance) -> Option<Vec<u8>> {
    let blob = document.blob.as_ref().ok()?;
    let Typed::Bundle(_) = blob.typed else { return None };
    let start = made_of.start();
    let place = |number: usize| {
        let found = made_of.place(&["properties".into(), number.into()]);
        let place = if found.file == start.file { found } else { start };
        Position { line: place.line, column: place.column }
    };
    let n = items(Some(blob.value), "properties").count();
    let parts = Parts(vec![Part::Place(Kind::First, 0); n]);
    let places: Vec<Position> = (0..n).map(place).collect();
    let start = Position { line: start.line, column: start.column };
    Some(parts.written(start, &places)).filter(|it| !it.is_empty())
}

/// The items of the list that is the member `name` of an object.
fn items<'d>(object: Option<Value<'d>>, name: &str) -> impl Iterator<Item = Value<'d>> {
    object.and_then(|it| it.get_field(name)).into_iter().flat_map(|it| it.items())
}

/// The kind of a place. Places of one kind usually have the same columns.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// An entry or a property.
    First = 0,
    Replaces = 1,
    SkipRange = 2,
    Skip = 3,
}

#[derive(Debug, Clone, Copy)]
enum Part {
    /// The fields of an entry: `replaces`, `skipRange`, and the number of items of `skips`.
    Entry(bool, bool, usize),
    /// The place of the value at an offset.
    Place(Kind, usize),
}

/// The places of a layout, in order.
#[derive(Debug, Default)]
struct Parts(Vec<Part>);

impl Parts {
    fn entry(&mut self, entry: Value<'_>) {
        let field = |name: &str| entry.get_field(name).filter(|it| !it.is_null());
        let (replaces, range) = (field("replaces"), field("skipRange"));
        let n_skips = items(Some(entry), "skips").count();
        self.0.push(Part::Entry(replaces.is_some(), range.is_some(), n_skips));
        let mut add = |kind: Kind, value: Value<'_>| self.0.push(Part::Place(kind, value.offset()));
        add(Kind::First, entry);
        replaces.into_iter().for_each(|it| add(Kind::Replaces, it));
        range.into_iter().for_each(|it| add(Kind::SkipRange, it));
        items(Some(entry), "skips").for_each(|it| add(Kind::Skip, it));
    }

    fn offsets(&self) -> Vec<usize> {
        let offset = |it: &Part| match it {
            Part::Place(_, offset) => Some(*offset),
            Part::Entry(..) => None,
        };
        self.0.iter().filter_map(offset).collect()
    }

    fn written(&self, start: Position, places: &[Position]) -> Vec<u8> {
        let mut writer = Writer { out: Vec::new(), line: 0, columns: [0; 4] };
        let mut places = places.iter();
        for part in &self.0 {
            match *part {
                Part::Entry(has_replaces, has_range, n_skips) => {
                    let fields = (n_skips as u64) << 2 | u64::from(has_range) << 1 | u64::from(has_replaces);
                    varint::put(&mut writer.out, fields);
                }
                Part::Place(kind, _) => {
                    let Some(place) = places.next() else { break };
                    let line = i64::from(place.line) - i64::from(start.line);
                    let column = if line == 0 { place.column.saturating_sub(start.column) } else { place.column };
                    writer.place(kind, line, column);
                }
            }
        }
        writer.out
    }
}

/// Writes a place as the lines since the one before it, with the column if it differs from the last of its kind.
struct Writer {
    out: Vec<u8>,
    line: i64,
    columns: [u32; 4],
}

impl Writer {
    fn place(&mut self, kind: Kind, line: i64, column: u32) {
        let lines = line - self.line;
        let last = &mut self.columns[kind as usize];
        let is_new = *last != column;
        *last = column;
        self.line = line;
        varint::put(&mut self.out, varint::folded(lines) << 1 | u64::from(is_new));
        if is_new {
            varint::put(&mut self.out, u64::from(column));
        }
    }
}

/// Reads a layout of a document that starts at a place of its file.
struct Reader<'l> {
    rest: &'l [u8],
    start: Position,
    line: i64,
    columns: [u32; 4],
}

impl<'l> Reader<'l> {
    fn new(layout: &'l [u8], start: Position) -> Self {
        Self { rest: layout, start, line: 0, columns: [0; 4] }
    }

    fn place(&mut self, kind: Kind) -> Option<Position> {
        let code = varint::take(&mut self.rest)?;
        let lines = code >> 1;
        self.line = self.line.wrapping_add(varint::unfolded(lines));
        if code & 1 == 1 {
            self.columns[kind as usize] = u32::try_from(varint::take(&mut self.rest)?).unwrap_or(u32::MAX);
        }
        let column = self.columns[kind as usize];
        let column = if self.line == 0 { self.start.column.saturating_add(column) } else { column };
        let line = i64::from(self.start.line).saturating_add(self.line).clamp(1, i64::from(u32::MAX));
        Some(Position { line: u32::try_from(line).unwrap_or(1), column: column.max(1) })
    }

    fn entry(&mut self) -> Option<EntryPlaces> {
        let has = varint::take(&mut self.rest)?;
        let entry = self.place(Kind::First)?;
        let replaces = if has & 1 == 1 { self.place(Kind::Replaces)? } else { entry };
        let skip_range = if has & 2 == 2 { self.place(Kind::SkipRange)? } else { entry };
        let mut skips = Vec::new();
        for _ in 0..has >> 2 {
            skips.push(self.place(Kind::Skip)?);
        }
        Some(EntryPlaces { entry, replaces, skip_range, skips })
    }
}

/// The entries of a channel that starts at `start` and has this layout. There are fewer than the channel has if the
/// layout is not known, or damaged.
pub fn entry_places(layout: &[u8], start: Position) -> Vec<EntryPlaces> {
    let mut reader = Reader::new(layout, start);
    std::iter::from_fn(|| reader.entry()).collect()
}

/// The properties of a bundle that starts at `start` and has this layout.
pub fn property_places(layout: &[u8], start: Position) -> Vec<Position> {
    let mut reader = Reader::new(layout, start);
    std::iter::from_fn(|| reader.place(Kind::First)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Consumer, Input, Spot, load_each, locate_all};
    use olmdex_text::json::Step;

    /// Entries and properties of all documents, from layouts and from the text read once more.
    struct Both;

    type Places = Vec<(u32, u32)>;

    impl Consumer for Both {
        type Output = (Places, Places);

        fn wants_places(&self) -> bool {
            true
        }

        fn document(&self, document: Document<'_>) -> Self::Output {
            let start = start_in_file(document.origin, document.raw);
            let layout = layout_of(&document).unwrap_or_default();
            let (mut kept, mut paths): (Vec<Position>, Vec<Vec<Step>>) = (Vec::new(), Vec::new());
            match &document.blob.as_ref().unwrap().typed {
                Typed::Channel(channel) => {
                    for (idx, entry) in channel.entries.iter().flatten().enumerate() {
                        let path = |field: &str| vec!["entries".into(), idx.into(), field.into()];
                        paths.push(vec!["entries".into(), idx.into()]);
                        paths.extend(["replaces", "skipRange"].map(path));
                        paths.extend((0..entry.skips.len()).map(|it| [path("skips"), vec![it.into()]].concat()));
                    }
                    for it in entry_places(&layout, start) {
                        kept.extend([it.entry, it.replaces, it.skip_range]);
                        kept.extend(it.skips);
                    }
                }
                Typed::Bundle(bundle) => {
                    paths.extend((0..bundle.properties.len()).map(|it| vec!["properties".into(), it.into()]));
                    kept.extend(property_places(&layout, start));
                }
                _ => {
                    paths.push(Vec::new());
                    kept.push(start);
                }
            }
            let spots: Vec<Spot> = paths.into_iter().map(Spot::Path).collect();
            let found = locate_all(document.raw, document.origin, &spots.iter().collect::<Vec<_>>());
            let kept = kept.into_iter().map(|it| (it.line, it.column)).collect();
            (kept, found.into_iter().map(|it| (it.line, it.column)).collect())
        }
    }

    #[test]
    fn layouts_say_what_reading_again_says() {
        let yaml = "\
# about the catalog

schema: olm.package
name: till
---
# stable
entries:
- name: till.v2
  replaces: till.v1
  skips: [till.v1.1, 'till.v1.2',
    till.v1.3]
  skipRange: '>=1.0.0 <2.0.0'
- {name: till.v1}
-
  skips:
  - é.v1
  name: till.v0
package: till
name: stable
schema: olm.channel
---
schema: olm.bundle
name: till.v1
package: till
properties:
- type: olm.package
  value: {packageName: till, version: 1.0.0}
- &g {type: olm.gvk, value: {group: a.b, kind: C, version: v1}}
- *g
";
        let json = "\
{\"schema\": \"olm.package\", \"name\": \"till\"} {\"schema\":\"olm.channel\",\"name\":\"é\",\"package\":\"till\",\"entries\":[{\"name\":\"till.v1\",\"skips\":[\"é\",\"b\"],
\"replaces\":\"x\"},{\"skipRange\":\"<1.0.0\",\"name\":\"till.v0\"}]}
{
  \"schema\": \"olm.bundle\", \"name\": \"till.v1\", \"package\": \"till\",
  \"properties\": [
    {\"type\": \"olm.package\", \"value\": {}},
    {\"type\": \"a\", \"value\": [1,
      2]}, {\"type\": \"b\", \"value\": 1}
  ]
}
";
        for (name, text) in [("c.yaml", yaml), ("c.json", json)] {
            let mut n_places = 0;
            let input = Input::bytes(name, Arc::from(text.as_bytes()));
            load_each(&input, &Both, |(kept, found)| {
                n_places += kept.len();
                assert_eq!(kept, found, "{name}");
            });
            assert!(n_places > 8, "{name}: {n_places}");
        }
    }

    #[test]
    fn damaged_layouts_end_early() {
        let start = Position { line: 7, column: 3 };
        assert_eq!(entry_places(&[], start), []);
        assert_eq!(entry_places(&[0xFF; 30], start), []);
        assert_eq!(property_places(&[0xFE, 0xFF], start), []);
        let many_skips = [0xFC, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0];
        assert_eq!(entry_places(&many_skips, start), []);
    }
}
