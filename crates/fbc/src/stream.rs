//! The start and end of documents in a file, and the syntax of each (`docs/behaviour/fbc.md` 1.3).
//!
//! A file whose first character is `{` is a stream of JSON objects until one of the first two fails; then the rest of
//! the file, from that object on, is YAML. This needs the first two objects decoded; later ones are only measured here
//! and decoded elsewhere, in parallel.

use super::blob;
use super::defect::{Defect, DefectKind, Spot};
use olmdex_text::json::{self, ObjectEnd, ObjectScanner, ReadErrorKind, Reader};
use olmdex_text::yaml;

/// The syntax of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Syntax {
    /// One JSON value.
    Json,
    /// One YAML chunk.
    Yaml,
}

/// The number of bytes of a file that decide its syntax.
const PEEK: usize = 4096;

/// The number of bytes that are searched for the end of something that is not an object.
const JUNK: usize = 64 * 1024;

/// The number of JSON objects that must have come before a failure ends the file.
const FALLBACK_LIMIT: u32 = 2;

/// A document's place in the buffer.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// First byte in the buffer.
    pub(super) start: usize,
    /// The byte behind the last one.
    pub(super) end: usize,
    /// How much of the buffer is used up with it.
    pub(super) consumed: usize,
    /// Line of the first byte in the file, from 1.
    pub(super) line: u32,
    /// Column of the first byte, in characters from 1.
    pub(super) column: u32,
    pub(super) syntax: Syntax,
    /// Whether it is the object that the caller read to find its end.
    pub(super) is_read: bool,
    /// Set if the piece is known to be no document.
    pub(super) defect: Option<Defect>,
}

/// The result of [`DocumentSplitter::next`].
pub(super) enum Next {
    Piece(Piece),
    NeedMore,
    End,
}

enum Mode {
    Undecided,
    Json {
        delivered: u32,
        scanner: ObjectScanner,
        /// Whether something that is not an object has been found.
        after_junk: bool,
    },
    /// With the offset in the file at which YAML starts.
    Yaml(yaml::Splitter, u64),
}

/// Cuts one file into documents. The buffer that it is given starts with the first byte not used up yet.
pub(super) struct DocumentSplitter {
    mode: Mode,
    /// Offset in the file, line and column of the buffer's first byte.
    offset: u64,
    line: u32,
    column: u32,
}

impl DocumentSplitter {
    /// One for a text that begins at a line.
    pub(super) fn at_line(line: u32) -> Self {
        Self { mode: Mode::Undecided, offset: 0, line, column: 1 }
    }

    /// Offset in the file of the buffer's first byte.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Line in the file of the buffer's first byte.
    pub(super) fn line(&self) -> u32 {
        self.line
    }

    /// Finds the next document; the caller then drops `consumed` bytes and calls [`Self::consume`].
    pub(super) fn next(&mut self, buffer: &[u8], is_last: bool) -> Next {
        self.next_or_read(buffer, is_last, |_, _| None)
    }

    /// Like [`Self::next`], for a caller that reads documents at once: `read` gets the offset in the buffer at which an
    /// object starts, and returns the offset behind it if the object is valid JSON and, if asked about that, has no
    /// defect in its head. Then its end need not be searched for.
    pub(super) fn next_or_read(
        &mut self,
        buffer: &[u8],
        is_last: bool,
        read: impl FnMut(usize, bool) -> Option<usize>,
    ) -> Next {
        if let Mode::Undecided = self.mode {
            if buffer.len() < PEEK && !is_last {
                return Next::NeedMore;
            }
            self.mode = match json::looks_like_object(&buffer[..buffer.len().min(PEEK)]) {
                true => Mode::Json { delivered: 0, scanner: ObjectScanner::new(), after_junk: false },
                false => Mode::Yaml(yaml::Splitter::new(1), 0),
            };
        }
        match &mut self.mode {
            Mode::Json { .. } => self.next_json(buffer, is_last, read),
            _ => self.next_yaml(buffer, is_last),
        }
    }

    /// Notes that the first `len` bytes of the buffer are used up.
    pub(super) fn consume(&mut self, buffer: &[u8], len: usize) {
        let (line, column) = self.place_of(buffer, len);
        self.line = line;
        self.column = column;
        self.offset += len as u64;
    }

    /// Line and column in the file of a byte of the buffer.
    fn place_of(&self, buffer: &[u8], at: usize) -> (u32, u32) {
        advance(self.line, self.column, &buffer[..at])
    }

    fn next_json(&mut self, buffer: &[u8], is_last: bool, mut read: impl FnMut(usize, bool) -> Option<usize>) -> Next {
        let Mode::Json { delivered, scanner, after_junk } = &mut self.mode else { return Next::End };
        let start =
            buffer.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'\t' | b'\r')).unwrap_or(buffer.len());
        let rest = &buffer[start..];
        let Some(&first) = rest.first() else {
            return if is_last { Next::End } else { Next::NeedMore };
        };
        let read_end = if first == b'{' { read(start, *delivered < FALLBACK_LIMIT) } else { None };
        let end = if let Some(end) = read_end {
            end
        } else if first == b'{' {
            match scanner.scan(rest) {
                ObjectEnd::At(len) => start + len,
                ObjectEnd::NeedMore if is_last => buffer.len(),
                ObjectEnd::NeedMore => return Next::NeedMore,
            }
        } else if rest.len() < JUNK && !is_last {
            return Next::NeedMore;
        } else {
            start + end_of_junk(rest, std::mem::replace(after_junk, true))
        };
        let delivered_before = *delivered;
        *delivered += 1;
        *scanner = ObjectScanner::new();
        let (line, column) = self.place_of(buffer, start);
        let is_read = read_end.is_some();
        let mut piece = Piece { start, end, consumed: end, line, column, syntax: Syntax::Json, is_read, defect: None };
        if is_read || delivered_before >= FALLBACK_LIMIT {
            return Next::Piece(piece);
        }
        let Some(mut defect) = head_defect(&buffer[start..end], Syntax::Json) else {
            return Next::Piece(piece);
        };
        // As YAML it would have as many values.
        let is_limit = matches!(defect.kind, DefectKind::Json { error: ReadErrorKind::TooManyValues, .. });
        if !is_limit && let Some(next) = self.fall_back(buffer, is_last, delivered_before) {
            return next;
        }
        if let DefectKind::Json { error: ReadErrorKind::InvalidCharacter { found, .. }, offset } = &mut defect.kind {
            let at = if let Spot::Offset(at) = defect.at { at } else { 0 };
            *offset = Some(self.offset + (start + at + found.len_utf8()) as u64);
        }
        self.mode = Mode::Json { delivered: FALLBACK_LIMIT, scanner: ObjectScanner::new(), after_junk: true };
        piece.defect = Some(defect);
        Next::Piece(piece)
    }

    /// Takes the rest of the file as YAML, without the white space up to and including the first line break; `None` if
    /// it cannot be YAML either.
    fn fall_back(&mut self, buffer: &[u8], is_last: bool, delivered: u32) -> Option<Next> {
        let from = match yaml::after_json(buffer, is_last) {
            yaml::AfterJson::At(from) => from,
            yaml::AfterJson::NeedMore => {
                self.mode = Mode::Json { delivered, scanner: ObjectScanner::new(), after_junk: false };
                return Some(Next::NeedMore);
            }
            yaml::AfterJson::Never => return None,
        };
        let mut splitter = yaml::Splitter::new(1);
        match splitter.next(&buffer[from..], is_last) {
            Ok(yaml::SplitProgress::NeedMore) => {
                self.mode = Mode::Json { delivered, scanner: ObjectScanner::new(), after_junk: false };
                Some(Next::NeedMore)
            }
            Ok(yaml::SplitProgress::End) => Some(Next::End),
            Ok(yaml::SplitProgress::Chunk(chunk)) if head_defect(&chunk.text, Syntax::Yaml).is_none() => {
                let end = from + chunk.consumed;
                let (line, column) = self.place_of(buffer, from);
                self.mode = Mode::Yaml(splitter, self.offset + from as u64);
                let (start, consumed, syntax) = (from, end, Syntax::Yaml);
                Some(Next::Piece(Piece { start, end, consumed, line, column, syntax, is_read: false, defect: None }))
            }
            Ok(yaml::SplitProgress::Chunk(_)) | Err(_) => None,
        }
    }

    fn next_yaml(&mut self, buffer: &[u8], is_last: bool) -> Next {
        let Mode::Yaml(splitter, base) = &mut self.mode else { return Next::End };
        match splitter.next(buffer, is_last) {
            Ok(yaml::SplitProgress::NeedMore) => Next::NeedMore,
            Ok(yaml::SplitProgress::End) => Next::End,
            Ok(yaml::SplitProgress::Chunk(chunk)) => Next::Piece(Piece {
                start: 0,
                end: chunk.consumed,
                consumed: chunk.consumed,
                line: self.line,
                column: self.column,
                syntax: Syntax::Yaml,
                is_read: false,
                defect: None,
            }),
            Err(error) => {
                // The line stays in the buffer: the document that it ends comes next.
                let at = (*base + error.offset).saturating_sub(self.offset);
                let at = usize::try_from(at).unwrap_or(0).min(buffer.len());
                let (line, column) = self.place_of(buffer, at);
                // Its text is shown, but not used up.
                let end = memchr::memchr(b'\n', &buffer[at..]).map_or(buffer.len(), |len| at + len);
                Next::Piece(Piece {
                    start: at,
                    end,
                    consumed: 0,
                    line,
                    column,
                    syntax: Syntax::Yaml,
                    is_read: false,
                    defect: Some(Defect { kind: DefectKind::Separator(error.rest), at: Spot::Start }),
                })
            }
        }
    }
}

/// Line and column behind `text`, which starts at `line` and `column`; the column in characters.
pub fn advance(line: u32, column: u32, text: &[u8]) -> (u32, u32) {
    let chars =
        |part: &[u8]| u32::try_from(part.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()).unwrap_or(u32::MAX);
    match memchr::memrchr(b'\n', text) {
        Some(last) => {
            let lines = u32::try_from(memchr::memchr_iter(b'\n', text).count()).unwrap_or(u32::MAX);
            (line.saturating_add(lines), chars(&text[last + 1..]).saturating_add(1))
        }
        None => (line, column.saturating_add(chars(text))),
    }
}

/// The length of something that is not an object: a JSON value, or everything up to the next line that starts one. If
/// there was such a thing before (`is_further`), it is always the latter; otherwise each of many values would be a
/// document of its own.
fn end_of_junk(rest: &[u8], is_further: bool) -> usize {
    if !is_further {
        let text = json::decode_utf8(rest);
        // Offsets are right only if nothing had to be replaced.
        if let Ok((_, end)) = Reader::new().read_at(&text, 0)
            && text.len() == rest.len()
        {
            return end;
        }
    }
    memchr::memmem::find(rest, b"\n{").map_or(rest.len(), |at| at + 1)
}

/// The first defect that the real decoder meets in the head of a document, if it meets one.
fn head_defect(raw: &[u8], syntax: Syntax) -> Option<Defect> {
    let mut scratch = Vec::new();
    let mut reader = Reader::new();
    // Only the head is read here; the document is charged when it is decoded.
    match parse(raw, syntax, &mut scratch, None, &olmdex_text::json::Expansion::default()) {
        Err(defect) => Some(defect),
        Ok((text, _)) => match reader.read(&text) {
            Err(error) => Some(json_defect(error)),
            Ok(value) => defect_of_head(value, syntax),
        },
    }
}

/// Like [`head_defect`], for a document that has been read.
pub(super) fn defect_of_head(value: json::Value<'_>, syntax: Syntax) -> Option<Defect> {
    let head = blob::decode_head(value, syntax == Syntax::Yaml);
    head.err()?.defects.into_iter().find(|it| it.kind.is_in_head())
}

/// The JSON text of a document, and the line of it, from 1, from which on nothing is read, if there is one. `origins`,
/// if wanted, is filled with the origins of a YAML document's values.
pub(super) fn parse<'d>(
    raw: &'d [u8],
    syntax: Syntax,
    scratch: &'d mut Vec<u8>,
    origins: Option<&mut yaml::ValueOrigins>,
    expansion: &olmdex_text::json::Expansion,
) -> Result<(std::borrow::Cow<'d, str>, Option<u32>), Defect> {
    match syntax {
        Syntax::Json => Ok((json::decode_utf8(raw), None)),
        Syntax::Yaml => {
            scratch.clear();
            match yaml::to_json_and_rest(raw, scratch, origins, expansion) {
                Ok((_, rest)) => Ok((json::decode_utf8(scratch), rest)),
                Err(error) => Err(yaml_defect(&error)),
            }
        }
    }
}

pub(super) fn json_defect(error: json::ReadError) -> Defect {
    Defect { at: Spot::Offset(error.offset), kind: DefectKind::Json { error: error.kind, offset: None } }
}

fn yaml_defect(error: &yaml::YamlError) -> Defect {
    let at = match (error.line, error.column) {
        (Some(line), Some(column)) => Spot::Line(line, column),
        (Some(line), None) => Spot::Line(line, 1),
        _ => Spot::Start,
    };
    Defect { kind: DefectKind::Yaml { message: error.message.clone(), opm: error.to_string() }, at }
}
