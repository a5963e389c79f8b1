//! Spots inside documents to lines and columns of files.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memrchr};

use super::defect::Spot;
use super::load::chunk_text;
use super::origin::Origin;
use super::stream::Syntax;
use olmdex_base::diag::Place;
use olmdex_text::json::{self, Paths};
use olmdex_text::yaml::{self, Position};

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The text of that line, or the part of it around the column if it is long.
    pub text: String,
    /// The column at which that text starts.
    pub text_column: u32,
}

impl Located {
    /// The place, in a file that is shown as `file`.
    pub fn in_file(self, file: &str) -> Place {
        let Self { line, column, text, text_column } = self;
        Place { source: Some(text), source_column: text_column, ..Place::at(file, line, column) }
    }
}

/// The number of characters of a line that are shown before a place at most.
const SHOWN_BEFORE: usize = 120;

/// The number of bytes of a line that are shown from a place on at most.
const SHOWN_BEHIND: usize = 280;

/// Finds a spot of the document at `origin`, whose text is `raw`.
pub fn locate(raw: &[u8], origin: Origin, spot: &Spot) -> Located {
    let mut found = locate_all(raw, origin, &[spot]);
    found.pop().unwrap_or(Located { line: origin.line, column: origin.column, text: String::new(), text_column: 1 })
}

/// Like [`locate`] for many spots of one document, which is read and walked once.
pub fn locate_all(raw: &[u8], origin: Origin, spots: &[&Spot]) -> Vec<Located> {
    // Offsets come from the reader, which reads the text without the bytes that are not UTF-8.
    let text = match origin.syntax {
        Syntax::Yaml => yaml::utf16_text(raw).map(Cow::Owned),
        Syntax::Json => None,
    }
    .unwrap_or_else(|| json::decode_utf8(&raw[..needed(raw, spots)]));
    let targets = targets(raw, &text, origin.syntax, spots);
    let mut order: Vec<usize> = (0..targets.len()).collect();
    order.sort_by_key(|&idx| targets[idx]);
    let mut cursor = Cursor::new(&text);
    let mut found: Vec<Option<Located>> = vec![None; targets.len()];
    for idx in order {
        match targets[idx] {
            Target::Offset(at) => cursor.go_to_offset(at),
            Target::Line(line, column) => cursor.go_to_column(line, column),
        }
        found[idx] = Some(cursor.located(origin));
    }
    found.into_iter().flatten().collect()
}

/// How many bytes of a document have all of its spots, and the text that is shown there. Bytes that are not UTF-8
/// become longer.
fn needed(raw: &[u8], spots: &[&Spot]) -> usize {
    const SHOWN: usize = 64 << 10;
    let end = |spot: &&Spot| match **spot {
        Spot::Offset(at) => Some(at),
        Spot::Line(line, column) => {
            let before = (line as usize).checked_sub(2);
            let start = before.map_or(Some(0), |number| memchr_iter(b'\n', raw).nth(number));
            Some(start?.saturating_add(4 * column as usize))
        }
        _ => None,
    };
    // Other spots are found by reading.
    let last = spots.iter().map(end).try_fold(0, |last, end| Some(last.max(end?)));
    last.map_or(raw.len(), |last| last.saturating_add(SHOWN).min(raw.len()))
}

/// A place in a document: a byte of its text, or a line and column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Offset(usize),
    Line(u32, u32),
}

fn targets(raw: &[u8], text: &str, syntax: Syntax, spots: &[&Spot]) -> Vec<Target> {
    let mut paths = Paths::default();
    let places: Vec<Option<usize>> = spots
        .iter()
        .map(|spot| match spot {
            Spot::Path(path) | Spot::Key(path) => Some(paths.add(path)),
            _ => None,
        })
        .collect();
    let has_paths = places.iter().any(Option::is_some);
    let offsets = if has_paths && syntax == Syntax::Json { json::locate_all(text, &paths) } else { None };
    let positions = if has_paths && syntax == Syntax::Yaml { yaml::locate_all(&chunk_text(raw), &paths) } else { None };
    let target = |(spot, place): (&&Spot, Option<usize>)| match (spot, syntax) {
        (Spot::Start, Syntax::Json) => Target::Offset(0),
        (Spot::Start, Syntax::Yaml) => {
            start_of_yaml(text.as_bytes()).map_or(Target::Offset(0), |it| Target::Line(it.line, it.column))
        }
        (Spot::Offset(at), _) => Target::Offset(*at),
        (Spot::Line(line, column), _) => Target::Line(*line, *column),
        (Spot::Path(_) | Spot::Key(_), _) => {
            let is_key = matches!(spot, Spot::Key(_));
            let place = place.unwrap_or_default();
            if let Some(found) = offsets.as_ref().and_then(|it| it.get(place)) {
                Target::Offset(found.key.filter(|_| is_key).unwrap_or(found.value))
            } else if let Some(found) = positions.as_ref().and_then(|it| it.get(place)) {
                let at = found.key.filter(|_| is_key).unwrap_or(found.value);
                Target::Line(at.line, at.column)
            } else {
                Target::Offset(0)
            }
        }
    };
    spots.iter().zip(places).map(target).collect()
}

/// A place in a text that moves forward in small steps, so that many places on one long line cost no more than the
/// line, and a text of line breaks no more memory than itself.
struct Cursor<'t> {
    text: &'t str,
    /// Index of the line and its first byte, and the number of its characters that were passed.
    line: usize,
    line_start: usize,
    column: usize,
    offset: usize,
}

impl<'t> Cursor<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, line: 0, line_start: 0, column: 0, offset: 0 }
    }

    fn go_to_line_start(&mut self, line: usize, start: usize) {
        self.line = line;
        self.line_start = start;
        self.offset = start;
        self.column = 0;
    }

    fn go_to_offset(&mut self, offset: usize) {
        let offset = self.text.floor_char_boundary(offset);
        if offset < self.offset {
            self.go_to_line_start(0, 0);
        }
        let between = &self.text.as_bytes()[self.offset..offset];
        if let Some(last) = memrchr(b'\n', between) {
            let n_lines = memchr_iter(b'\n', &between[..=last]).count();
            self.go_to_line_start(self.line + n_lines, self.offset + last + 1);
        }
        self.column += self.text[self.offset..offset].chars().count();
        self.offset = offset;
    }

    fn go_to_column(&mut self, line: u32, column: u32) {
        let (line, column) = (line.saturating_sub(1) as usize, column.saturating_sub(1) as usize);
        if line < self.line || (line == self.line && column < self.column) {
            self.go_to_line_start(0, 0);
        }
        if line > self.line {
            // A place behind the last line is in the last one.
            let ends = memchr_iter(b'\n', &self.text.as_bytes()[self.line_start..]);
            let (n_lines, start) = ends
                .take(line - self.line)
                .enumerate()
                .last()
                .map_or((0, self.line_start), |(nth, at)| (nth + 1, self.line_start + at + 1));
            self.go_to_line_start(self.line + n_lines, start);
        }
        // A place behind the end of its line stays there.
        let chars = self.text[self.offset..].chars().take(column - self.column).take_while(|it| *it != '\n');
        self.offset += chars.map(char::len_utf8).sum::<usize>();
        self.column = column;
    }

    /// The end of the part of the line that is shown: not far behind the place, and no more of the text is looked at.
    fn shown_end(&self) -> usize {
        let end = self.text.floor_char_boundary(self.offset + SHOWN_BEHIND);
        memchr(b'\n', &self.text.as_bytes()[self.offset..end]).map_or(end, |at| self.offset + at)
    }

    fn located(&self, origin: Origin) -> Located {
        let line_start = self.line_start;
        let before = &self.text[line_start..self.offset];
        let (from, n_before) = before
            .char_indices()
            .rev()
            .take(SHOWN_BEFORE)
            .fold((self.offset, 0), |(_, n), (at, _)| (line_start + at, n + 1));
        let to = self.shown_end().max(from);
        let text = self.text[from..to].trim_end_matches('\r').to_owned();
        // The first line of a document may start in the middle of a line of the file.
        let indent = if self.line == 0 { origin.column.saturating_sub(1) } else { 0 };
        let from_one = |column: usize| u32::try_from(column + 1).unwrap_or(u32::MAX).saturating_add(indent);
        Located {
            line: origin.line.saturating_add(u32::try_from(self.line).unwrap_or(u32::MAX)),
            column: from_one(self.column),
            text,
            text_column: from_one(self.column.saturating_sub(n_before)),
        }
    }
}

/// The first line of a YAML document that has content.
pub(super) fn start_of_yaml(raw: &[u8]) -> Option<Position> {
    for (idx, line) in raw.split(|&byte| byte == b'\n').enumerate() {
        let text = line.trim_ascii();
        if !text.is_empty() && !text.starts_with(b"#") && !text.starts_with(b"---") {
            let indent = line.len() - line.trim_ascii_start().len();
            let from_one = |number: usize| u32::try_from(number + 1).unwrap_or(u32::MAX);
            return Some(Position { line: from_one(idx), column: from_one(indent) });
        }
    }
    None
}
