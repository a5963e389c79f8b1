//! Documents back to text, without recursion.

use super::number::write_number;
use super::text::{write_string, write_string_html};
use super::value::{Kind, Value};

/// The amount of white space in the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// None.
    Compact,
    /// One member a line, `width` blanks for every level; `level` levels exist already where the value starts.
    Indented { width: usize, level: usize },
}

/// A place in a text that was read, and the corresponding place in the written text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Anchor {
    /// Offset in the text that was read.
    pub source: u32,
    /// Offset in the text that was written.
    pub written: u32,
}

/// Strings from this length on are noted.
const NOTED: usize = 24;

/// A container that is being written: its remaining children in `order`, and whether it is an object.
struct Frame {
    next: usize,
    last: usize,
    is_object: bool,
}

/// Writes a value with its keys sorted by bytes at every level, duplicates reduced to the last one, and numbers as
/// doubles: the normal form of a blob (`docs/behaviour/fbc.md` 1.5, rule 5), without the newline at its end.
pub fn write_compact(value: Value<'_>, out: &mut Vec<u8>) {
    write_value(value, Layout::Compact, out, &mut None);
}

impl Value<'_> {
    /// The text that [`write_compact`] writes.
    pub fn compact(&self) -> String {
        written(|out| write_compact(*self, out))
    }
}

/// A text as JSON, in quotes.
pub fn quoted(text: &str) -> String {
    written(|out| write_string(text, out))
}

pub(super) fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    // Written from text, so it is text.
    String::from_utf8(out).unwrap_or_default()
}

/// Like [`write_compact`], indented.
pub fn write_pretty(value: Value<'_>, width: usize, level: usize, out: &mut Vec<u8>) {
    write_value(value, Layout::Indented { width, level }, out, &mut None);
}

/// Writes a value as Go writes an object of Kubernetes (`docs/behaviour/fbc.md` 4.5): like [`write_compact`], but
/// integers keep their form, and `<`, `>` and `&` are escaped.
pub fn write_unstructured(value: Value<'_>, out: &mut Vec<u8>) {
    write_styled(value, Style { layout: Layout::Compact, numbers: Numbers::Integers }, out, &mut None);
}

/// Writes a value like [`write_unstructured`], with its numbers unchanged but for a point and a zero at the end: Go
/// wrote them once, and only passes them on.
pub fn write_raw_numbers(value: Value<'_>, out: &mut Vec<u8>) {
    write_styled(value, Style { layout: Layout::Compact, numbers: Numbers::AsWritten }, out, &mut None);
}

/// Like [`write_pretty`]; notes where long strings are written whose text is already in written form.
pub fn write_pretty_noting(value: Value<'_>, width: usize, level: usize, out: &mut Vec<u8>, noted: &mut Vec<Anchor>) {
    write_value(value, Layout::Indented { width, level }, out, &mut Some(noted));
}

/// The style of written values.
#[derive(Clone, Copy)]
struct Style {
    layout: Layout,
    numbers: Numbers,
}

/// The form of written numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// All are doubles.
    Doubles,
    /// A number that fits 64 bits with a sign stays an integer.
    Integers,
    AsWritten,
}

impl Style {
    /// Whether `<`, `>` and `&` are escaped.
    fn is_html(self) -> bool {
        self.numbers != Numbers::Doubles
    }
}

fn write_value(value: Value<'_>, layout: Layout, out: &mut Vec<u8>, noted: &mut Option<&mut Vec<Anchor>>) {
    write_styled(value, Style { layout, numbers: Numbers::Doubles }, out, noted);
}

fn write_styled(value: Value<'_>, style: Style, out: &mut Vec<u8>, noted: &mut Option<&mut Vec<Anchor>>) {
    let layout = style.layout;
    // Node numbers of the children (of objects: of the keys) of all open containers.
    let mut order: Vec<u32> = Vec::new();
    let mut frames: Vec<Frame> = Vec::new();
    if !write_leaf_or_open(value, style, &mut order, &mut frames, out, noted) {
        return;
    }
    while let Some(frame) = frames.last_mut() {
        let is_object = frame.is_object;
        if frame.next == frame.last {
            order.truncate(order.len() - (frame.last - first_of(&frames)));
            frames.pop();
            new_line(layout, frames.len(), out);
            out.push(if is_object { b'}' } else { b']' });
            continue;
        }
        let idx = order[frame.next];
        let is_first = frame.next == first_of(&frames);
        if let Some(frame) = frames.last_mut() {
            frame.next += 1;
        }
        if !is_first {
            out.push(b',');
        }
        new_line(layout, frames.len(), out);
        let child = if is_object {
            let key = value.at(idx);
            write_text(key, style, out, noted);
            out.extend_from_slice(if layout == Layout::Compact { b":" } else { b": " });
            value.at(idx + 1)
        } else {
            value.at(idx)
        };
        write_leaf_or_open(child, style, &mut order, &mut frames, out, noted);
    }
}

/// The start of the innermost container's children: behind those of the container around it.
fn first_of(frames: &[Frame]) -> usize {
    match frames {
        [.., outer, _] => outer.last,
        _ => 0,
    }
}

/// Writes a leaf or an empty container whole; otherwise opens the container. Returns whether it opened one.
fn write_leaf_or_open(
    value: Value<'_>,
    style: Style,
    order: &mut Vec<u32>,
    frames: &mut Vec<Frame>,
    out: &mut Vec<u8>,
    noted: &mut Option<&mut Vec<Anchor>>,
) -> bool {
    match value.kind() {
        Kind::Null => out.extend_from_slice(b"null"),
        Kind::True => out.extend_from_slice(b"true"),
        Kind::False => out.extend_from_slice(b"false"),
        Kind::Number if style.numbers == Numbers::AsWritten => {
            // Go writes a whole float without a point.
            out.extend_from_slice(value.raw().strip_suffix(".0").unwrap_or(value.raw()).as_bytes());
        }
        // The integer -0 is 0.
        Kind::Number if style.numbers == Numbers::Integers && value.raw() == "-0" => out.push(b'0'),
        Kind::Number if style.numbers == Numbers::Integers && value.raw().parse::<i64>().is_ok() => {
            out.extend_from_slice(value.raw().as_bytes());
        }
        Kind::Number => write_number(value.raw(), out),
        Kind::PlainString | Kind::EscapedString => write_text(value, style, out, noted),
        Kind::Array | Kind::Object => {
            let is_object = value.kind() == Kind::Object;
            let first = order.len();
            if is_object {
                order.extend(value.members().map(|(key, _)| key.idx()));
                sort_keys(value, order, first);
            } else {
                order.extend(value.items().map(|item| item.idx()));
            }
            if order.len() == first {
                out.extend_from_slice(if is_object { b"{}" } else { b"[]" });
                return false;
            }
            frames.push(Frame { next: first, last: order.len(), is_object });
            out.push(if is_object { b'{' } else { b'[' });
            return true;
        }
    }
    false
}

/// Sorts the keys from `first` on and keeps the last of equal ones.
fn sort_keys(value: Value<'_>, order: &mut Vec<u32>, first: usize) {
    let text = |idx: u32| value.at(idx).as_str().unwrap_or_default();
    let raw = |idx: u32| value.at(idx);
    let is_sorted = order[first..].windows(2).all(|pair| {
        let (a, b) = (raw(pair[0]), raw(pair[1]));
        match (a.kind(), b.kind()) {
            (Kind::PlainString, Kind::PlainString) => a.raw() < b.raw(),
            _ => a.as_str() < b.as_str(),
        }
    });
    if is_sorted {
        return;
    }
    // Equal keys stay in the order of the text (their numbers ascend), so the last of a run is the one that counts.
    order[first..].sort_unstable_by(|&a, &b| text(a).cmp(&text(b)).then(a.cmp(&b)));
    let mut kept = first;
    for idx in first..order.len() {
        let is_last_of_run = order.get(idx + 1).is_none_or(|&next| text(next) != text(order[idx]));
        if is_last_of_run {
            order[kept] = order[idx];
            kept += 1;
        }
    }
    order.truncate(kept);
}

fn write_text(value: Value<'_>, style: Style, out: &mut Vec<u8>, noted: &mut Option<&mut Vec<Anchor>>) {
    let raw = value.raw();
    if style.is_html() {
        write_string_html(&value.as_str().unwrap_or_default(), out);
    } else if value.is_as_written() {
        if raw.len() >= NOTED
            && let Some(noted) = noted
            && let (Ok(source), Ok(written)) = (u32::try_from(value.offset()), u32::try_from(out.len()))
        {
            noted.push(Anchor { source, written });
        }
        out.reserve(raw.len() + 2);
        out.push(b'"');
        out.extend_from_slice(raw.as_bytes());
        out.push(b'"');
    } else {
        write_string(&value.as_str().unwrap_or_default(), out);
    }
}

pub(super) fn new_line(layout: Layout, depth: usize, out: &mut Vec<u8>) {
    if let Layout::Indented { width, level } = layout {
        out.push(b'\n');
        out.resize(out.len() + width * (level + depth), b' ');
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::n_wraps;
    use super::*;
    use crate::json::Reader;

    #[test]
    fn blanks_are_counted_before_they_are_written() {
        for text in [
            "1",
            "[]",
            "{}",
            "[1]",
            "{\"a\":1}",
            "[[],{},[[1,2],{\"a\":{\"b\":[{}]},\"c\":3}],4]",
            "{\"a\":{},\"b\":[[[]]]}",
        ] {
            let mut reader = Reader::new();
            let value = reader.read(text).unwrap();
            let mut written = Vec::new();
            write_pretty(value, 4, 0, &mut written);
            let lines = written.split(|byte| *byte == b'\n');
            let n_blanks: usize = lines.map(|line| line.iter().take_while(|byte| **byte == b' ').count()).sum();
            assert_eq!(value.indentation(4), n_blanks as u64, "{text}");
        }
    }

    #[test]
    fn blanks_of_yaml_count_lines_only() {
        // The levels of the lines that begin with a key or an item; the first item of an item begins none.
        for (text, n_levels) in [
            ("[1]", 1),
            ("[1,2]", 2),
            ("[[[[1]]]]", 1),
            ("[[1,2],3]", 1 + 2 + 1),
            ("[{\"a\":1,\"b\":2}]", 1 + 2),
            ("{\"a\":[{\"b\":[1]}]}", 1 + 2 + 4),
            ("{\"a\":{\"a\":{\"a\":1}}}", 1 + 2 + 3),
            // A deep text counts a line for each place at which it may be wrapped.
            ("[[[[\"b b\\nb\"]]]]", 1),
            ("[[[[[\"b b\\nb\"]]]]]", 1 + 5 + 5),
            ("[[[[{\"b b\":1}]]]]", 1 + 5),
        ] {
            let mut reader = Reader::new();
            let value = reader.read(text).unwrap();
            assert_eq!(value.n_levels(true, n_wraps), n_levels, "{text}");
            // The estimate for shallow documents is never too low.
            assert!(value.yaml_indentation(2) >= 2 * n_levels, "{text}");
        }
    }

    #[test]
    fn strings_are_written_in_their_only_form() {
        let parts = [
            "a",
            "\\n",
            "\\\"",
            "\\\\",
            "\\b\\f\\r\\t",
            "\\/",
            "\\u0061",
            "\\u000a",
            "\\u2028",
            "\u{2028}",
            "\u{2029}",
            "\u{2027}",
            "\\ud800",
            "é",
        ];
        for first in parts {
            for second in parts {
                let text = format!("\"{first}{second}\"");
                let mut reader = Reader::new();
                let value = reader.read(&text).unwrap();
                let (mut written, mut wanted) = (Vec::new(), Vec::new());
                write_compact(value, &mut written);
                write_string(&value.as_str().unwrap(), &mut wanted);
                assert_eq!(String::from_utf8(written), String::from_utf8(wanted), "{text}");
            }
        }
    }
}
