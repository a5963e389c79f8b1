//! A YAML file of a repository: its one document, with places.

use std::io::{self, Read as _};
use std::path::Path;

use olmdex_base::diag::Place;
use olmdex_base::file::{open_below, system_words};
use olmdex_fbc::{self as fbc, EditError, Edited, Origin, Spot, Syntax, edit_document};
use olmdex_text::json::{self, Step, Tree};
use olmdex_text::yaml;

/// No file of a repository that is read as a whole is larger.
const MAX_FILE: u64 = 64 << 20;

/// A file that has been read.
#[derive(Debug, Clone)]
pub(super) struct RepositoryFile {
    /// The name in messages.
    pub(super) shown: String,
    pub(super) text: Vec<u8>,
    /// The origin of its document.
    origin: Origin,
    /// The document as JSON; `null` if there is none.
    pub(super) json: String,
}

/// The reasons why a file has no document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unread {
    /// There is no such file.
    Absent,
    /// It cannot be read.
    Unreadable(String),
    /// It is not YAML, or several documents; with the line.
    Broken(String, u32),
}

impl RepositoryFile {
    /// Reads a file below a directory; no link is followed.
    pub(super) fn read(root: &Path, relative: &str) -> Result<Self, Unread> {
        let mut text = Vec::new();
        let read = open_below(root, relative).and_then(|it| it.take(MAX_FILE + 1).read_to_end(&mut text));
        match read {
            Ok(_) if text.len() as u64 <= MAX_FILE => {}
            Ok(_) => return Err(Unread::Unreadable("larger than 64 MiB".to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Unread::Absent),
            Err(error) => return Err(Unread::Unreadable(system_words(&error))),
        }
        Self::of(root.join(relative).to_string_lossy().into_owned(), text)
    }

    /// Takes a text for the file; `shown` is its name in messages.
    pub(super) fn of(shown: String, text: Vec<u8>) -> Result<Self, Unread> {
        let mut found: Option<(Origin, Vec<u8>)> = None;
        let expansion = olmdex_text::json::Expansion::default();
        for chunk in yaml::split(&text, 1) {
            let chunk = chunk.map_err(|error| Unread::Broken(error.to_string(), error.line))?;
            let mut converted = Vec::new();
            let document = yaml::to_json_within(&chunk.text, &mut converted, &expansion).map_err(|error| {
                Unread::Broken(error.message.clone(), chunk.first_line + error.line.unwrap_or(1).saturating_sub(1))
            })?;
            if document == yaml::Document::Null {
                continue;
            }
            if found.is_some() {
                return Err(Unread::Broken("it has several documents".to_owned(), chunk.first_line));
            }
            let (line, offset, len) = (chunk.first_line, chunk.offset, chunk.consumed as u64);
            found = Some((Origin { file: 0, line, column: 1, syntax: Syntax::Yaml, offset, len }, converted));
        }
        let len = text.len() as u64;
        let nothing = Origin { file: 0, line: 1, column: 1, syntax: Syntax::Yaml, offset: 0, len };
        let (origin, converted) = found.unwrap_or((nothing, b"null".to_vec()));
        Ok(Self { shown, origin, json: json::decode_utf8(&converted).into_owned(), text })
    }

    /// The text before the document, the document, and the text behind it.
    pub(super) fn parts(&self) -> (&[u8], &[u8], &[u8]) {
        let start = usize::try_from(self.origin.offset).unwrap_or(usize::MAX).min(self.text.len());
        let end = start.saturating_add(usize::try_from(self.origin.len).unwrap_or(usize::MAX)).min(self.text.len());
        (&self.text[..start], &self.text[start..end], &self.text[end..])
    }

    /// The document, to be changed.
    pub(super) fn tree(&self) -> Option<Tree> {
        Tree::read(&self.json).ok()
    }

    /// The file with another value of its document, and the reason why that loses its comments, if it does.
    pub(super) fn edited(&self, new: &Tree) -> Result<(Vec<u8>, Option<&'static str>), EditError> {
        let (front, document, behind) = self.parts();
        let Edited { text, rewritten } = edit_document(document, Syntax::Yaml, &new.compact())?;
        Ok(([front, text.as_bytes(), behind].concat(), rewritten))
    }

    /// Whether a text of the document has quotes.
    pub(super) fn is_quoted(&self, path: &[Step]) -> bool {
        let place = self.place(&Spot::Path(path.to_vec()));
        let skipped = place.column.saturating_sub(place.source_column) as usize;
        place.source.is_some_and(|it| it.chars().nth(skipped).is_some_and(|it| matches!(it, '"' | '\'')))
    }

    /// The places of spots of the document, which is read once.
    pub(super) fn places(&self, spots: &[Spot]) -> Vec<Place> {
        let found = fbc::locate_all(self.parts().1, self.origin, &spots.iter().collect::<Vec<_>>());
        found.into_iter().map(|place| place.in_file(&self.shown)).collect()
    }

    /// The place of a spot of the document.
    pub(super) fn place(&self, spot: &Spot) -> Place {
        fbc::locate(self.parts().1, self.origin, spot).in_file(&self.shown)
    }
}

/// The text of a new file with a document, in the style of `start`, which has its first keys.
pub(super) fn new_file(start: &str, document: &Tree) -> Result<Vec<u8>, EditError> {
    edit_document(start.as_bytes(), Syntax::Yaml, &document.compact()).map(|it| it.text.into_bytes())
}
