//! The text of a query: its lines, and how a place in it is shown.

/// A place as answers tell it. A place inside a line break has an odd column, as with graphql-go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) line: usize,
    pub(crate) column: i64,
}

/// The line breaks of a text.
#[derive(Debug)]
pub(crate) struct Lines {
    /// The start and length of each.
    breaks: Vec<(usize, usize)>,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut breaks = Vec::new();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let len = match byte {
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
                b'\r' | b'\n' => 1,
                _ => 0,
            };
            if len > 0 {
                breaks.push((at, len));
            }
            at += len.max(1);
        }
        Self { breaks }
    }

    /// The place of an offset.
    pub(crate) fn locate(&self, at: usize) -> Location {
        let n = self.breaks.partition_point(|it| it.0 < at);
        let start = n.checked_sub(1).and_then(|it| self.breaks.get(it)).map_or(0, |it| it.0 + it.1);
        Location { line: n + 1, column: as_i64(at) + 1 - as_i64(start) }
    }

    /// A line, by its number from 1 on.
    fn line<'t>(&self, text: &'t [u8], number: usize) -> Option<&'t [u8]> {
        let start = match number.checked_sub(2) {
            None => 0,
            Some(before) => self.breaks.get(before).map(|it| it.0 + it.1)?,
        };
        let end = self.breaks.get(number.checked_sub(1)?).map_or(text.len(), |it| it.0);
        text.get(start..end)
    }

    /// The message about a fault at an offset: the fault, and the lines around the place with a mark below it.
    pub(crate) fn syntax_error(&self, text: &[u8], at: usize, what: &[u8]) -> Vec<u8> {
        let place = self.locate(at);
        let mut out = format!("Syntax Error GraphQL ({}:{}) ", place.line, place.column).into_bytes();
        out.extend_from_slice(what);
        out.extend_from_slice(b"\n\n");
        let width = (place.line + 1).to_string().len();
        let show = |number: usize, out: &mut Vec<u8>| {
            if let Some(line) = self.line(text, number).filter(|_| number > 0) {
                out.extend_from_slice(format!("{number:>width$}: ").as_bytes());
                visible(line, out);
                out.push(b'\n');
            }
        };
        show(place.line - 1, &mut out);
        show(place.line, &mut out);
        let indent = usize::try_from(as_i64(width) + 1 + place.column).unwrap_or(0);
        out.resize(out.len() + indent, b' ');
        out.extend_from_slice(b"^\n");
        show(place.line + 1, &mut out);
        out
    }
}

/// Control characters as escapes, everything else as it is.
fn visible(line: &[u8], out: &mut Vec<u8>) {
    for byte in line {
        match byte {
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04X}").as_bytes()),
            _ => out.push(*byte),
        }
    }
}

fn as_i64(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_graphql_go_counts_them() {
        let lines = Lines::new("ab\r\ncd\n\re");
        for (at, line, column) in
            [(0, 1, 1), (2, 1, 3), (3, 2, 0), (4, 2, 1), (6, 2, 3), (7, 3, 1), (8, 4, 1), (9, 4, 2)]
        {
            assert_eq!(lines.locate(at), Location { line, column }, "{at}");
        }
    }
}
