//! Documents that come into the text of a file, or go from it; everything else stays as it is, and a document that comes and goes
//! leaves no trace.

use crate::fbc::Syntax;

/// A text with another document at its end.
pub(super) fn append(text: &str, syntax: Syntax, document: &str) -> String {
    let document = document.trim_end_matches('\n');
    let has_end = text.is_empty() || text.ends_with('\n');
    let before = if has_end { "" } else { "\n" };
    // A file that does not end with its last line does not begin to.
    let after = if has_end { "\n" } else { "" };
    let separator = match syntax {
        Syntax::Yaml if !text.trim().is_empty() => "---\n",
        _ => "",
    };
    format!("{text}{before}{separator}{document}{after}")
}

/// The text of a document without the separator at its end, if it has one.
pub(super) fn without_separator(raw: &[u8], syntax: Syntax) -> &[u8] {
    let lines = raw.strip_suffix(b"\n").unwrap_or(raw);
    let last = lines.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
    let is_separator = syntax == Syntax::Yaml && last > 0 && raw[last..].starts_with(b"---");
    if is_separator { &raw[..last] } else { raw }
}

/// A text without the document that stands from `start` to `end`.
pub(super) fn cut(text: &str, syntax: Syntax, start: usize, end: usize) -> String {
    let (start, end) = match syntax {
        Syntax::Json => around_json(text, start, end),
        Syntax::Yaml => around_yaml(text, start, end),
    };
    format!("{}{}", &text[..start], &text[end..])
}

/// With the line break behind it, or, at the end of a text without one, with that before it.
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

/// With the line that separates it from the document before it, or, for the first one, from that behind it.
fn around_yaml(text: &str, start: usize, end: usize) -> (usize, usize) {
    let mut separators: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("---") {
            separators.push((at, at + line.len()));
        }
        at += line.len();
    }
    // The first byte of its own: what is given may begin or end with such lines.
    let own = own_start(text, start, end);
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

/// Where the first line is that is neither blank nor a separator.
fn own_start(text: &str, start: usize, end: usize) -> usize {
    let mut at = start;
    for line in text[start..end].split_inclusive('\n') {
        if !line.trim().is_empty() && line.trim_end() != "---" {
            return at;
        }
        at += line.len();
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let both = append(text, syntax, document);
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
}
