//! The textual framing of YAML files: the lines that make one document (`docs/behaviour/fbc.md` 1.3, "YAML mode").
//!
//! The framing knows no YAML. A line that starts with `---` ends a document everywhere, even inside a block scalar; a
//! separator with no line before it becomes the first line of the next document.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memmem};
use thiserror::Error;

/// The beginning of a separator line.
const SEPARATOR: &[u8] = b"---";

/// One document's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk<'t> {
    /// The lines of the document, each ended by `\n`. Borrowed from the input unless a line ended in `\r\n` or the
    /// last one in nothing.
    pub text: Cow<'t, [u8]>,
    /// Number of the chunk's first line in the input, counted from the splitter's first line.
    pub first_line: u32,
    /// Offset in the input of the chunk's first byte.
    pub offset: u64,
    /// The number of bytes of the buffer that the chunk and the separator behind it take.
    pub consumed: usize,
}

/// A separator line with more on it than white space and a comment.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("invalid Yaml document separator: {rest}")]
pub struct SplitError {
    /// Number of the line, counted as [`Chunk::first_line`] is.
    pub line: u32,
    /// Offset in the input of the line's first byte.
    pub offset: u64,
    /// The text behind the three dashes, trimmed.
    pub rest: String,
}

/// The next piece of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SplitProgress<'t> {
    /// A whole document. The caller drops [`Chunk::consumed`] bytes from the front of the buffer.
    Chunk(Chunk<'t>),
    /// No document ends in the buffer. The caller appends more input to it.
    NeedMore,
    /// The input is used up.
    End,
}

/// Finds documents in a buffer that is filled piece by piece, so that memory is bounded by the largest document.
///
/// No byte is searched twice for a separator, however small the pieces are.
#[derive(Debug, Clone)]
pub struct Splitter {
    line: u32,
    offset: u64,
    /// The length of the buffer's beginning that is known to hold no separator, apart from the one at its start.
    scanned: usize,
    /// Whether the first line, if it is a separator, is known to be a valid one.
    is_first_checked: bool,
    /// Position in the buffer of an invalid separator that has been reported.
    reported: Option<usize>,
}

impl Splitter {
    /// A splitter for input whose first line has the number `start_line`.
    pub fn new(start_line: u32) -> Self {
        Self { line: start_line, offset: 0, scanned: 0, is_first_checked: false, reported: None }
    }

    /// Finds the next document. `buffer` starts with the first byte that no earlier chunk has consumed; `is_last` means
    /// that no more bytes will follow.
    ///
    /// # Errors
    /// A separator with text behind it (rule 1). The error comes before the document that the line ends; a caller that
    /// goes on calling gets that document next.
    pub fn next<'t>(&mut self, buffer: &'t [u8], is_last: bool) -> Result<SplitProgress<'t>, SplitError> {
        if buffer.is_empty() && is_last {
            return Ok(SplitProgress::End);
        }
        // The first line belongs to the document even when it is a separator (rule 3).
        if !self.is_first_checked {
            if buffer.len() < SEPARATOR.len() && !is_last {
                return Ok(SplitProgress::NeedMore);
            }
            if buffer.starts_with(SEPARATOR) {
                let Some(end) = line_end(buffer, 0, is_last) else { return Ok(SplitProgress::NeedMore) };
                self.check_separator(buffer, 0, end)?;
            }
            self.is_first_checked = true;
        }
        if let Some(found) = memmem::find(&buffer[self.scanned..], b"\n---") {
            let start = self.scanned + found + 1;
            self.scanned = start - 1;
            let Some(end) = line_end(buffer, start, is_last) else { return Ok(SplitProgress::NeedMore) };
            self.check_separator(buffer, start, end)?;
            return Ok(SplitProgress::Chunk(self.take(&buffer[..start], end)));
        }
        if is_last {
            return Ok(SplitProgress::Chunk(self.take(buffer, buffer.len())));
        }
        // A separator may start in the last bytes.
        self.scanned = buffer.len().saturating_sub(SEPARATOR.len()).max(self.scanned);
        Ok(SplitProgress::NeedMore)
    }

    fn take<'t>(&mut self, text: &'t [u8], consumed: usize) -> Chunk<'t> {
        let chunk = Chunk { text: normalise(text), first_line: self.line, offset: self.offset, consumed };
        let lines = memchr_iter(b'\n', text).count() + usize::from(consumed > text.len());
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.offset += consumed as u64;
        self.scanned = 0;
        self.is_first_checked = false;
        self.reported = None;
        chunk
    }

    fn check_separator(&mut self, buffer: &[u8], start: usize, end: usize) -> Result<(), SplitError> {
        let rest = String::from_utf8_lossy(&buffer[start + SEPARATOR.len()..end]);
        let rest = rest.trim();
        if rest.is_empty() || rest.starts_with('#') || self.reported == Some(start) {
            return Ok(());
        }
        self.reported = Some(start);
        let lines = memchr_iter(b'\n', &buffer[..start]).count();
        Err(SplitError {
            line: self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX)),
            offset: self.offset + start as u64,
            rest: rest.to_owned(),
        })
    }
}

/// Splits a whole text. After an error the iterator goes on with the document that the bad line ends.
pub fn split(text: &[u8], start_line: u32) -> impl Iterator<Item = Result<Chunk<'_>, SplitError>> {
    let mut splitter = Splitter::new(start_line);
    let mut rest = text;
    std::iter::from_fn(move || match splitter.next(rest, true) {
        Ok(SplitProgress::Chunk(chunk)) => {
            rest = &rest[chunk.consumed..];
            Some(Ok(chunk))
        }
        Ok(SplitProgress::NeedMore | SplitProgress::End) => None,
        Err(error) => Some(Err(error)),
    })
}

/// The end of the line at `start`, behind its newline; `None` if that is not in the buffer yet.
fn line_end(buffer: &[u8], start: usize, is_last: bool) -> Option<usize> {
    match memchr(b'\n', &buffer[start..]) {
        Some(at) => Some(start + at + 1),
        None => is_last.then_some(buffer.len()),
    }
}

/// Lines re-terminated with `\n` (rule 2).
fn normalise(text: &[u8]) -> Cow<'_, [u8]> {
    let has_crlf = memchr(b'\r', text).is_some() && memmem::find(text, b"\r\n").is_some();
    let is_ended = text.last() == Some(&b'\n');
    if !has_crlf && is_ended {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len() + 1);
    let mut rest = text;
    while let Some(at) = memmem::find(rest, b"\r\n") {
        out.extend_from_slice(&rest[..at]);
        out.push(b'\n');
        rest = &rest[at + 2..];
    }
    out.extend_from_slice(rest);
    if !is_ended {
        out.push(b'\n');
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chunks as text with their first lines; errors as text with `!`.
    fn all(text: &str) -> Vec<(String, u32)> {
        split(text.as_bytes(), 1)
            .map(|found| match found {
                Ok(chunk) => (String::from_utf8(chunk.text.into_owned()).unwrap(), chunk.first_line),
                Err(error) => (format!("!{}", error.rest), error.line),
            })
            .collect()
    }

    #[test]
    fn frames_as_the_table_of_the_spec_says() {
        let cases: &[(&str, &[(&str, u32)])] = &[
            ("", &[]),
            ("\n", &[("\n", 1)]),
            ("# c\n---\na\n", &[("# c\n", 1), ("a\n", 3)]),
            ("---\na\n", &[("---\na\n", 1)]),
            ("---\n---\na\n", &[("---\n", 1), ("a\n", 3)]),
            ("a\n---\nb", &[("a\n", 1), ("b\n", 3)]),
            ("a\n---\n---\nb\n", &[("a\n", 1), ("---\nb\n", 3)]),
            ("a\n---\n---\n---\nb\n", &[("a\n", 1), ("---\n", 3), ("b\n", 5)]),
            ("a\n---", &[("a\n", 1)]),
            ("a\n---\n---\n", &[("a\n", 1), ("---\n", 3)]),
            ("a\n---\n# c\n", &[("a\n", 1), ("# c\n", 3)]),
            ("a\r\n---\r\nb\r\n", &[("a\n", 1), ("b\n", 3)]),
            ("a\rb\r\r\n", &[("a\rb\r\n", 1)]),
            ("a\r", &[("a\r\n", 1)]),
            ("a\n--- # c\nb\n", &[("a\n", 1), ("b\n", 3)]),
            ("a\n---#c\nb\n", &[("a\n", 1), ("b\n", 3)]),
            ("a\n ---\n", &[("a\n ---\n", 1)]),
            ("a: |\n x\n---\ny\n", &[("a: |\n x\n", 1), ("y\n", 4)]),
            ("a\n----\nb\n", &[("!-", 2), ("a\n", 1), ("b\n", 3)]),
            ("a\n--- |  \nb\n", &[("!|", 2), ("a\n", 1), ("b\n", 3)]),
            ("--- {a: b}\nc\n", &[("!{a: b}", 1), ("--- {a: b}\nc\n", 1)]),
            ("--", &[("--\n", 1)]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|(text, line)| ((*text).to_owned(), *line)).collect();
            assert_eq!(all(text), expected, "{text:?}");
        }
    }

    #[test]
    fn finds_the_same_in_pieces() {
        let texts: [&[u8]; 3] =
            [b"---\na: 1\n---\r\nb\n----\nc\n---\n---\nd\n-- -\n\n---", b"\n---\na\n", b"---x\n---y\na\n"];
        for (text, size) in texts.iter().flat_map(|text| (1..text.len()).map(move |size| (text, size))) {
            let whole: Vec<_> = split(text, 7).collect();
            let mut splitter = Splitter::new(7);
            let mut buffer: Vec<u8> = Vec::new();
            let mut pieces = text.chunks(size);
            let mut is_last = false;
            let mut found = Vec::new();
            loop {
                match splitter.next(&buffer, is_last) {
                    Ok(SplitProgress::Chunk(chunk)) => {
                        let consumed = chunk.consumed;
                        found.push(Ok(Chunk { text: Cow::Owned(chunk.text.into_owned()), ..chunk }));
                        buffer.drain(..consumed);
                    }
                    Ok(SplitProgress::NeedMore) => match pieces.next() {
                        Some(piece) => buffer.extend_from_slice(piece),
                        None => is_last = true,
                    },
                    Ok(SplitProgress::End) => break,
                    Err(error) => found.push(Err(error)),
                }
            }
            assert_eq!(found, whole, "pieces of {size}");
        }
    }

    #[test]
    fn borrows_what_needs_no_change() {
        let chunk = split(b"a\n---\nb\n", 1).next().unwrap().unwrap();
        assert!(matches!(chunk.text, Cow::Borrowed(b"a\n")));
    }
}
