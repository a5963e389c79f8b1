//! Inserts documents into the text of a file, and removes them; everything else stays as it is, and a document that is
//! added and removed leaves no trace.

use olmdex_fbc::Syntax;
use olmdex_text::tally;

/// Puts another document at the end of a text.
pub(super) fn append(text: &mut String, syntax: Syntax, document: &str) {
    let document = document.trim_end_matches('\n');
    let has_end = text.is_empty() || text.ends_with('\n');
    let is_blank = text.trim_start().is_empty();
    if !has_end {
        text.push('\n');
    }
    if syntax == Syntax::Yaml && !is_blank {
        text.push_str("---\n");
    }
    text.push_str(document);
    // A file without a line break at its end does not get one.
    if has_end {
        text.push('\n');
    }
}

/// The text of a document without the separator at its end, if it has one.
pub(super) fn without_separator(raw: &[u8], syntax: Syntax) -> &[u8] {
    let lines = raw.strip_suffix(b"\n").unwrap_or(raw);
    let last = lines.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
    let is_separator = syntax == Syntax::Yaml && last > 0 && raw[last..].starts_with(b"---");
    if is_separator { &raw[..last] } else { raw }
}

/// A changed document of a text: it gets another text, or goes.
#[derive(Debug, Clone)]
pub(super) struct Part<'d> {
    /// Its start in the text.
    pub(super) start: usize,
    /// Its bytes.
    pub(super) raw: &'d [u8],
    pub(super) syntax: Syntax,
    /// Its new text; none if it goes.
    pub(super) new: Option<String>,
}

/// A text with other documents in it; `None` if it does not contain the changed ones. They come from the last to the
/// first, so that places before a change stay valid, and each byte is moved once.
pub(super) fn rewritten(text: &str, parts: Vec<Part<'_>>) -> Option<String> {
    let mut head = Head { text, len: text.len(), separators: separators(text) };
    let mut tail = Tail::new(text.len() + parts.iter().filter_map(|it| it.new.as_deref()).map(str::len).sum::<usize>());
    for part in parts {
        let mut raw = part.raw;
        let end = part.start.checked_add(part.raw.len())?;
        if end <= head.len {
            tail.prepend(&text.as_bytes()[end..head.len]);
            if text.as_bytes().get(part.start..end)? != part.raw {
                return None;
            }
        } else {
            // The removal of the document behind it may have taken the last line break along.
            let there = text.as_bytes().get(part.start..head.len)?;
            let rest = part.raw.strip_prefix(there)?;
            if tail.bytes().starts_with(rest) {
                tail.drop_front(rest.len());
            } else if tail.bytes().is_empty() && rest.iter().all(|it| matches!(it, b'\n' | b'\r')) {
                raw = there;
            } else {
                return None;
            }
        }
        head.len = part.start;
        match (&part.new, part.syntax) {
            (Some(new), _) => tail.prepend(new.as_bytes()),
            (None, Syntax::Json) => cut_json(&mut head, &mut tail),
            (None, Syntax::Yaml) => cut_yaml(&mut head, raw, &mut tail),
        }
    }
    tail.prepend(&text.as_bytes()[..head.len]);
    // The text consists of whole documents of texts, and of the text between them.
    String::from_utf8(tail.bytes().to_vec()).ok()
}

/// The beginning of a text, which nothing has changed yet.
struct Head<'t> {
    text: &'t str,
    len: usize,
    /// The starts of the lines that separate documents.
    separators: Vec<usize>,
}

impl Head<'_> {
    /// Takes the line breaks from its end.
    fn trim(&mut self) {
        self.len = self.text[..self.len].trim_end_matches(['\n', '\r']).len();
    }
}

/// The end of a text, which grows at its front.
struct Tail {
    bytes: Vec<u8>,
    start: usize,
}

impl Tail {
    fn new(len: usize) -> Self {
        Self { bytes: vec![0; len], start: len }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    fn prepend(&mut self, new: &[u8]) {
        tally::step(new.len());
        if new.len() > self.start {
            let more = new.len().max(self.bytes.len());
            let mut bytes = vec![0; more];
            bytes.extend_from_slice(&self.bytes);
            self.bytes = bytes;
            self.start += more;
        }
        let start = self.start - new.len();
        self.bytes[start..self.start].copy_from_slice(new);
        self.start = start;
    }

    fn drop_front(&mut self, n_bytes: usize) {
        self.start += n_bytes;
    }

    fn clear(&mut self) {
        self.start = self.bytes.len();
    }
}

/// Removes the line break behind the document, or, at the end of a text without one, the line break before it.
fn cut_json(head: &mut Head<'_>, tail: &mut Tail) {
    if tail.bytes().starts_with(b"\r\n") {
        tail.drop_front(2);
    } else if tail.bytes().starts_with(b"\n") {
        tail.drop_front(1);
    } else if tail.bytes().is_empty() {
        head.trim();
    }
}

/// Removes the line that separates the document from the one before it, or, for the first one, from the one behind it.
fn cut_yaml(head: &mut Head<'_>, raw: &[u8], tail: &mut Tail) {
    // The first byte of the document's own: the given bytes may begin or end with such lines.
    let own = own_start(raw);
    let before = head.separators.partition_point(|it| *it <= head.len + own).checked_sub(1);
    let before = before.and_then(|it| head.separators.get(it)).copied();
    let ends_line = match (tail.bytes().last(), raw.last()) {
        (Some(last), _) | (None, Some(last)) => *last == b'\n',
        (None, None) => head.text[..head.len].ends_with('\n'),
    };
    // The separator behind the document may be in the text from there on.
    let lines = raw.get(own..).unwrap_or_default();
    let first_line = lines.iter().position(|it| *it == b'\n').map_or(lines.len(), |it| it + 1);
    let rest = lines.get(first_line..).unwrap_or_default();
    let in_raw = first_separator(rest, true);
    let behind =
        in_raw.is_none().then(|| first_separator(tail.bytes(), raw.is_empty() || raw.ends_with(b"\n"))).flatten();
    match (in_raw, behind) {
        (Some((start, end)), _) => tail.prepend(&rest[if before.is_some() { start } else { end }..]),
        (None, Some((start, end))) => tail.drop_front(if before.is_some() { start } else { end }),
        (None, None) => tail.clear(),
    }
    head.len = before.unwrap_or_default();
    if before.is_some() && in_raw.is_none() && behind.is_none() && !ends_line {
        head.trim();
    }
}

/// The starts of the lines that separate documents.
fn separators(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    tally::step(bytes.len());
    let inner = memchr::memmem::find_iter(bytes, b"\n---").map(|it| it + 1);
    bytes.starts_with(b"---").then_some(0).into_iter().chain(inner).collect()
}

/// The start and end of the first line that separates documents. The first bytes are a line of their own only if the
/// line before them has ended (`is_line`).
fn first_separator(bytes: &[u8], is_line: bool) -> Option<(usize, usize)> {
    let start = if is_line && bytes.starts_with(b"---") {
        0
    } else {
        memchr::memmem::find(bytes, b"\n---").map(|it| it + 1).inspect(|it| tally::step(*it))?
    };
    let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |it| start + it + 1);
    Some((start, end))
}

/// The start of the first line that is neither blank nor a separator.
fn own_start(raw: &[u8]) -> usize {
    let text = String::from_utf8_lossy(raw);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() && line.trim_end() != "---" {
            return at;
        }
        at += line.len();
    }
    0
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use olmdex_fbc::{self as fbc, Input};

    /// A text without the document from `start` to `end`, done for one document at a time: the result for many at a
    /// time must be equal.
    fn cut(text: &str, syntax: Syntax, start: usize, end: usize) -> String {
        let (start, end) = match syntax {
            Syntax::Json => around_json(text, start, end),
            Syntax::Yaml => around_yaml(text, start, end),
        };
        format!("{}{}", &text[..start], &text[end..])
    }

    /// The span with the line break behind it, or, at the end of a text without one, with the line break before it.
    fn around_json(text: &str, start: usize, end: usize) -> (usize, usize) {
        let behind = &text[end..];
        if let Some(rest) = behind.strip_prefix("\r\n").or_else(|| behind.strip_prefix('\n')) {
            return (start, text.len() - rest.len());
        }
        if behind.is_empty() {
            return (text[..start].trim_end_matches(['\n', '\r']).len(), end);
        }
        (start, end)
    }

    /// The span with the line that separates the document from the one before it, or, for the first one, from the one
    /// behind it.
    fn around_yaml(text: &str, start: usize, end: usize) -> (usize, usize) {
        let mut separators: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            if line.starts_with("---") {
                separators.push((at, at + line.len()));
            }
            at += line.len();
        }
        // The first byte of the document's own: the given bytes may begin or end with such lines.
        let own = own_start_in(text, start, end);
        let before = separators.iter().rev().find(|it| it.1 <= own || (it.0 <= own && own < it.1));
        let behind = separators.iter().find(|it| it.0 > own);
        match (before, behind) {
            (Some(before), Some(behind)) => (before.0, behind.0),
            (Some(before), None) => {
                let start =
                    if text.ends_with('\n') { before.0 } else { text[..before.0].trim_end_matches(['\n', '\r']).len() };
                (start, text.len())
            }
            (None, Some(behind)) => (0, behind.1),
            (None, None) => (0, text.len()),
        }
    }

    /// The start of the first line that is neither blank nor a separator.
    fn own_start_in(text: &str, start: usize, end: usize) -> usize {
        let mut at = start;
        for line in text[start..end].split_inclusive('\n') {
            if !line.trim().is_empty() && line.trim_end() != "---" {
                return at;
            }
            at += line.len();
        }
        start
    }

    #[test]
    fn what_comes_and_goes_leaves_no_trace() {
        let cases = [
            (Syntax::Yaml, "a: 1\n", "b: 2\n"),
            (Syntax::Yaml, "---\na: 1\n", "b: 2"),
            (Syntax::Yaml, "a: 1", "b: 2\nc: 3\n"),
            (Syntax::Yaml, "# only a comment\n---\na: 1\n---\nz: 9\n", "b: 2\n"),
            (Syntax::Json, "{\"a\": 1}\n", "{\"b\": 2}"),
            (Syntax::Json, "{\"a\": 1}", "{\n    \"b\": 2\n}\n"),
            (Syntax::Json, "{\"a\": 1}{\"z\": 9}\n", "{\"b\": 2}\n"),
        ];
        for (syntax, text, document) in cases {
            let mut both = text.to_owned();
            append(&mut both, syntax, document);
            let start = both.find(document.trim_end()).unwrap();
            assert_eq!(cut(&both, syntax, start, start + document.trim_end().len()), text, "{both:?}");
        }
    }

    #[test]
    fn the_first_and_the_middle_go_alone() {
        let text = "a: 1\n---\n# of b\nb: 2\n---\nc: 3\n";
        let without = |what: &str| {
            let start = text.find(what).unwrap();
            cut(text, Syntax::Yaml, start, start + what.len())
        };
        assert_eq!(without("a: 1\n"), "# of b\nb: 2\n---\nc: 3\n");
        assert_eq!(without("---\n# of b\nb: 2\n"), "a: 1\n---\nc: 3\n");
        assert_eq!(without("c: 3\n"), "a: 1\n---\n# of b\nb: 2\n");
        let json = "{\"a\": 1}\n{\"b\": 2}\n{\"c\": 3}\n";
        let start = json.find("{\"b").unwrap();
        assert_eq!(cut(json, Syntax::Json, start, start + 8), "{\"a\": 1}\n{\"c\": 3}\n");
    }

    /// The documents of a text.
    fn documents(name: &str, text: &str) -> Vec<(usize, Syntax, Vec<u8>)> {
        let mut found =
            fbc::load_all(&Input::bytes(name, Arc::from(text.as_bytes())), &|document: fbc::Document<'_>| {
                (usize::try_from(document.origin.offset).unwrap(), document.origin.syntax, document.raw.to_vec())
            });
        found.sort();
        found
    }

    #[test]
    fn many_at_a_time_come_to_what_one_at_a_time_does() {
        let yaml = [
            "a: 1\n",
            "# c\na: 1\n",
            "\na: 1\n\n",
            "a: |\n  ---\n",
            "a: 1\r\n",
            "\n",
            "# c\n",
            "a: é\n",
            "{\"a\": 1}\n",
        ];
        let between = ["---\n", "---\n", "---\n---\n", "--- # c\n", "---\r\n", "--- "];
        let json = ["{\"a\": 1}", "{\n}", "{\"a\": \"é\"}"];
        let space = ["", "\n", "\r\n", "\n\n", " "];
        let mut state = 1_u32;
        let mut next = |n: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % n
        };
        let mut n_compared = 0;
        for round in 0..6_000 {
            let is_yaml = round % 3 != 0;
            let mut text = String::new();
            for at in 0..=next(5) {
                if is_yaml {
                    if at > 0 || next(3) == 0 {
                        text.push_str(between[next(between.len())]);
                    }
                    text.push_str(yaml[next(yaml.len())]);
                } else {
                    text.push_str(json[next(json.len())]);
                    text.push_str(space[next(space.len())]);
                }
            }
            if next(4) == 0 {
                text.truncate(text.trim_end().len());
            }
            let found = documents(if is_yaml { "c.yaml" } else { "c.json" }, &text);
            let mut expected = Some(text.clone());
            let mut parts = Vec::new();
            for (start, syntax, raw) in found.iter().rev() {
                let raw = without_separator(raw, *syntax);
                let new = match next(4) {
                    0 => continue,
                    1 => Some("b: 22\n".to_owned()),
                    _ => None,
                };
                let end = start + raw.len();
                expected = expected.filter(|it| it.as_bytes().get(*start..end) == Some(raw)).map(|text| match &new {
                    Some(new) => format!("{}{new}{}", &text[..*start], &text[end..]),
                    None => cut(&text, *syntax, *start, end),
                });
                parts.push(Part { start: *start, raw, syntax: *syntax, new });
            }
            let now = rewritten(&text, parts.clone());
            if expected.is_some() {
                n_compared += parts.len();
                assert_eq!(now, expected, "{text:?} {parts:?}");
            }
        }
        assert!(n_compared > 5_000, "{n_compared}");
    }

    #[test]
    fn a_text_without_a_last_line_break_loses_its_last_documents() {
        let text = "a: 1\n---\nb: 2\n---\nc: 3";
        let parts: Vec<_> = documents("c.yaml", text).into_iter().rev().take(2).collect();
        let part = |it: &(usize, Syntax, Vec<u8>)| {
            let raw = without_separator(&it.2, it.1).to_vec();
            (it.0, raw)
        };
        let owned: Vec<_> = parts.iter().map(part).collect();
        let parts = owned.iter().map(|(start, raw)| Part { start: *start, raw, syntax: Syntax::Yaml, new: None });
        assert_eq!(rewritten(text, parts.collect()).unwrap(), "a: 1");
    }
}
