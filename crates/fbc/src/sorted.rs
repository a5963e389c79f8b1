//! Blobs in the order of the output, without holding the texts that their source still has.
//!
//! Sorting needs the rank of every blob before the first byte is written, but not the texts. A text that its file has
//! in its final form is copied from there. If a text differs little, as JSON with another order of keys does, only the
//! difference is kept. Some of the other texts are kept; the rest are made when they are needed, by reading them a
//! second time. JSON is read and written so fast that little of it is kept.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::Input;
use super::delta::Delta;
use super::input_file::{InputFile, Reopened, RereadError};
use super::load::{Document, decode_again, load_each};
use super::origin::Origin;
use super::render::{Outcome, RenderDefect, Rendering, rank_of, render_blob, render_noting};
use super::render_order::Rank;
use super::stream::Syntax;
use super::{Format, Level};
use olmdex_base::diag::may_have;

/// The number of bytes of text that may be kept, all in all, for one that is JSON and made of JSON to be kept too.
const MAX_KEPT_OF_JSON: usize = 16 << 20;

/// The same for a text that is YAML, or is made of it.
const MAX_KEPT_OF_YAML: usize = 64 << 20;

/// About how many bytes of neighbours are read at once.
const NEIGHBOURS: u64 = 256 << 10;

/// About how many bytes are made ready at once.
const BATCH: u64 = 2 << 20;

/// The number of files that it may come from; they are open for that time.
const BATCH_FILES: usize = 64;

/// Blobs of any number of sources, sorted.
#[derive(Debug)]
pub struct Sorted<'s> {
    how: Rendering<'s>,
    blobs: BTreeMap<Rank, Vec<Text<'s>>>,
    n_kept: usize,
    /// Bytes that are copied from files.
    n_copied: u64,
    /// The number of bytes that may be kept for one more text of JSON, and for one more that is YAML or made of it.
    max_kept: [usize; 2],
}

/// The place of a blob's text.
#[derive(Debug)]
enum Text<'s> {
    /// Here.
    Kept(Vec<u8>),
    /// In a file, as it is to be written but for the newline behind it.
    AsItStands(&'s InputFile, Origin),
    /// In a file, but for this difference and the newline behind it.
    Differs(&'s InputFile, Origin, Delta),
    /// It is not kept; the file has its source.
    Again(&'s InputFile, Origin),
}

/// A piece of the output.
#[derive(Debug)]
enum Part<'s> {
    Text(&'s [u8]),
    /// Neighbours in one file, with one character of white space between two of them, and where each ends in the range.
    Copy {
        file: &'s InputFile,
        range: Range<u64>,
        blobs: Vec<(u64, Option<&'s Delta>)>,
    },
    Again(&'s InputFile, Origin),
}

/// A piece that is ready to be written, with its package.
type Ready<'s> = (&'s str, Result<Cow<'s, [u8]>, RereadError>);

/// A piece with its package, and the file that it is read from.
struct Piece<'s> {
    package: &'s str,
    part: Part<'s>,
    opened: Option<Arc<Reopened<'s>>>,
}

impl<'s> Piece<'s> {
    fn text(self, how: Rendering<'_>) -> Result<Cow<'s, [u8]>, RereadError> {
        self.part.text(self.opened.as_deref(), how)
    }
}

impl Text<'_> {
    fn delta(&self) -> Option<&Delta> {
        match self {
            Self::Differs(_, _, delta) => Some(delta),
            _ => None,
        }
    }
}

impl<'s> Part<'s> {
    /// The file that it is read from again.
    fn file(&self) -> Option<&'s InputFile> {
        match self {
            Self::Text(_) => None,
            Self::Copy { file, .. } | Self::Again(file, _) => Some(file),
        }
    }

    /// Its text; of one from a file, `opened` is that file.
    fn text(self, opened: Option<&Reopened<'_>>, how: Rendering<'_>) -> Result<Cow<'s, [u8]>, RereadError> {
        match (self, opened) {
            (Part::Text(text), _) => Ok(text.into()),
            (Part::Copy { file, range, blobs }, Some(opened)) => {
                let source = opened.part(range)?;
                copied(source, &blobs).map(Cow::from).ok_or_else(|| file.has_changed())
            }
            (Part::Again(file, origin), Some(opened)) => {
                let raw = opened.part(origin.offset..origin.offset + origin.len)?;
                // The first reading found no defect in it.
                let again = |document: Document<'_>| render_blob(&document.blob.ok()?, how).ok()?;
                match decode_again(origin, &raw, &again) {
                    Some((_, text)) => Ok(text.into()),
                    // The same bytes gave a text before.
                    None => Err(file.has_changed()),
                }
            }
            (Part::Copy { file, .. } | Part::Again(file, _), None) => Err(file.has_changed()),
        }
    }

    fn len(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::Copy { range, .. } => range.end - range.start,
            Self::Again(_, origin) => origin.len,
        }
    }
}

impl<'s> Sorted<'s> {
    /// An empty list. All blobs are written in the same way.
    pub fn new(how: Rendering<'s>) -> Self {
        Self { how, blobs: BTreeMap::new(), n_kept: 0, n_copied: 0, max_kept: [MAX_KEPT_OF_JSON, MAX_KEPT_OF_YAML] }
    }

    /// Reads and renders the documents of a catalog, in parallel. Returns the documents that could not be rendered, in
    /// order.
    pub fn read(&mut self, input: &'s Input) -> Vec<(Origin, RenderDefect)> {
        let mut defects = Vec::new();
        // Whether there is no room for more texts, which are not made then.
        let (how, is_full) = (self.how, AtomicBool::new(false));
        let first = |document: Document<'_>| first(document, how, &is_full);
        load_each(input, &first, |(origin, outcome)| {
            match (outcome, input.files.get(origin.file as usize)) {
                (Ok(Some((rank, rendered))), Some(file)) => {
                    let text = match rendered {
                        Rendered::Text(text) if self.has_room(origin.syntax, text.len()) => {
                            self.add(rank, text);
                            return;
                        }
                        Rendered::Differs(delta) if self.has_room(origin.syntax, delta.size()) => {
                            self.n_kept = self.n_kept.saturating_add(delta.size());
                            Text::Differs(file, origin, delta)
                        }
                        Rendered::Text(_) | Rendered::Differs(_) => {
                            // Comparing goes on only where it has spared more than it has cost.
                            is_full.store(self.n_copied < self.n_kept as u64, Ordering::Relaxed);
                            Text::Again(file, origin)
                        }
                        Rendered::Unwritten => Text::Again(file, origin),
                        Rendered::AsItStands => {
                            self.n_copied += origin.len;
                            Text::AsItStands(file, origin)
                        }
                    };
                    self.push(rank, text);
                }
                (Ok(_), _) => {}
                (Err(defect), _) if may_have(defects.len() + 1) => defects.push((origin, defect)),
                (Err(_), _) => {}
            }
        });
        defects
    }

    /// Takes the next blob in the order of loading.
    pub fn add(&mut self, rank: Rank, mut text: Vec<u8>) {
        text.shrink_to_fit();
        self.n_kept = self.n_kept.saturating_add(text.len());
        self.push(rank, Text::Kept(text));
    }

    fn has_room(&self, syntax: Syntax, len: usize) -> bool {
        let [of_json, of_yaml] = self.max_kept;
        let max = if syntax == Syntax::Json && self.how.format == Format::Json { of_json } else { of_yaml };
        self.n_kept.saturating_add(len) <= max
    }

    fn push(&mut self, rank: Rank, text: Text<'s>) {
        self.blobs.entry(rank).or_default().push(text);
    }

    /// The packages with blobs, sorted; the empty text stands for blobs without package.
    pub fn packages(&self) -> impl Iterator<Item = &str> {
        let mut last = None;
        self.blobs.keys().map(Rank::package).filter(move |it| last.replace(*it) != Some(*it))
    }

    /// Hands the texts to `sink` in order, in pieces of one or several blobs of a package.
    ///
    /// # Errors
    /// The sink's error, or [`RereadError`] if a file has changed since it was read.
    pub fn write<E: From<RereadError>>(&self, mut sink: impl FnMut(&str, &[u8]) -> Result<(), E>) -> Result<(), E> {
        // All were counted when they were read.
        self.how.expansion.reset();
        let mut parts = self.parts();
        let mut opened: Option<Arc<Reopened<'_>>> = None;
        let mut ready: Vec<Ready<'_>> = Vec::new();
        loop {
            let mut batch = Vec::new();
            let (mut len, mut n_files) = (0, 0);
            while len < BATCH
                && n_files < BATCH_FILES
                && let Some((package, part)) = parts.next()
            {
                len += part.len();
                if let Some(file) = part.file() {
                    // Most neighbours come from one file, so the last one stays open.
                    opened = match opened.take().filter(|it| std::ptr::eq(it.file(), file)) {
                        None => {
                            n_files += 1;
                            Some(Arc::new(file.reopen()?))
                        }
                        again => again,
                    };
                }
                batch.push(Piece { package, part, opened: opened.clone() });
            }
            if batch.is_empty() && ready.is_empty() {
                return Ok(());
            }
            let mut following = Vec::new();
            // While one batch is made ready, the other is written.
            rayon::in_place_scope(|scope| {
                let following = &mut following;
                scope.spawn(move |_| {
                    *following = batch.into_par_iter().map(|it: Piece<'_>| (it.package, it.text(self.how))).collect();
                });
                ready.drain(..).try_for_each(|(package, text)| sink(package, &text?))
            })?;
            ready = following;
        }
    }

    /// The whole output of [`Self::write`].
    ///
    /// # Errors
    /// [`RereadError`]
    pub fn to_vec(&self) -> Result<Vec<u8>, RereadError> {
        let mut all = Vec::new();
        self.write(|_, text| {
            all.extend_from_slice(text);
            Ok::<(), RereadError>(())
        })?;
        Ok(all)
    }

    /// The pieces of the output with their packages.
    fn parts(&self) -> impl Iterator<Item = (&str, Part<'_>)> {
        let mut texts =
            self.blobs.iter().flat_map(|(rank, it)| it.iter().map(|text| (rank.package(), text))).peekable();
        std::iter::from_fn(move || {
            let (package, text) = texts.next()?;
            let part = match text {
                Text::Kept(text) => Part::Text(text),
                Text::Again(file, origin) => Part::Again(file, *origin),
                Text::AsItStands(file, origin) | Text::Differs(file, origin, _) => {
                    let mut range = origin.offset..origin.offset + origin.len;
                    let mut blobs = vec![(origin.len, text.delta())];
                    let is_neighbour = |end: u64, (same, next): &(&str, &Text<'_>)| match next {
                        Text::AsItStands(other, it) | Text::Differs(other, it, _) => {
                            *same == package && std::ptr::eq(*file, *other) && it.offset == end + 1
                        }
                        _ => false,
                    };
                    while range.end - range.start < NEIGHBOURS
                        && let Some((_, next)) = texts.next_if(|it| is_neighbour(range.end, it))
                        && let Text::AsItStands(_, it) | Text::Differs(_, it, _) = next
                    {
                        range.end = it.offset + it.len;
                        blobs.push((range.end - range.start, next.delta()));
                    }
                    Part::Copy { file, range, blobs }
                }
            };
            Some((package, part))
        })
    }
}

/// The texts of neighbours, each with a newline; `None` if their source has changed.
fn copied(source: Cow<'_, [u8]>, blobs: &[(u64, Option<&Delta>)]) -> Option<Vec<u8>> {
    if blobs.iter().all(|it| it.1.is_none()) {
        let mut text = source.into_owned();
        text.push(b'\n');
        for &(end, _) in blobs {
            *text.get_mut(usize::try_from(end).ok()?)? = b'\n';
        }
        return Some(text);
    }
    let mut text = Vec::with_capacity(source.len() + 1);
    let mut start = 0;
    for &(end, delta) in blobs {
        let end = usize::try_from(end).ok()?;
        let source = source.get(start..end)?;
        match delta {
            Some(delta) => delta.apply(source, &mut text)?,
            None => text.extend_from_slice(source),
        }
        text.push(b'\n');
        start = end + 1;
    }
    Some(text)
}

/// The text of a document after the first reading.
enum Rendered {
    /// The text of the file, and a newline.
    AsItStands,
    /// The same with a difference.
    Differs(Delta),
    /// This.
    Text(Vec<u8>),
    /// Not made, since there is no room for it.
    Unwritten,
}

/// The first reading: everything that can be wrong shows.
fn first(document: Document<'_>, how: Rendering<'_>, is_full: &AtomicBool) -> (Origin, Outcome<Rendered>) {
    let Document { origin, raw, blob, .. } = document;
    let blob = match blob {
        Ok(blob) => blob,
        Err(failure) => return (origin, Err(RenderDefect::Broken(failure))),
    };
    // In JSON everything can be written.
    let can_fail = how.format != Format::Json || how.level != Level::None;
    if origin.syntax == Syntax::Json && !can_fail && is_full.load(Ordering::Relaxed) {
        return (origin, rank_of(&blob, how).map(|it| it.map(|rank| (rank, Rendered::Unwritten))));
    }
    let mut noted = Vec::new();
    let outcome = render_noting(&blob, how, &mut noted);
    let is_json = origin.syntax == Syntax::Json && how.format == Format::Json;
    let rendered = |text: Vec<u8>| match text.split_last() {
        Some((b'\n', text)) if text == raw => Rendered::AsItStands,
        Some((b'\n', line)) if is_json => match Delta::between(raw, line, &noted) {
            Some(delta) => Rendered::Differs(delta),
            None => Rendered::Text(text),
        },
        _ => Rendered::Text(text),
    };
    (origin, outcome.map(|it| it.map(|(rank, text)| (rank, rendered(text)))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Level, Selection};
    use olmdex_text::json::Expansion;

    /// JSON, as it is.
    fn as_json(expansion: &Expansion) -> Sorted<'_> {
        let selection = Selection { packages: &[] };
        Sorted::new(Rendering { format: Format::Json, level: Level::None, selection, expansion })
    }

    /// Two packages; the first has the form of the output, with one more blank line.
    const TILL: &str =
        "{\n    \"schema\": \"olm.package\",\n    \"name\": \"till\",\n    \"defaultChannel\": \"stable\"\n}";
    const BASKET: &str = "{\"schema\": \"olm.package\", \"name\": \"basket\", \"defaultChannel\": \"a\"}";
    const CHANNEL: &str = "{\n    \"schema\": \"olm.channel\",\n    \"name\": \"stable\",\n    \"package\": \"till\",\n    \"entries\": []\n}";

    #[test]
    fn texts_come_from_where_they_are() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("catalog.json");
        for gap in ["\n", " ", "\n\n", "\t"] {
            std::fs::write(&path, [TILL, gap, CHANNEL, "\n", BASKET].concat()).unwrap();
            let input = Input::file(&path);
            let expansion = Expansion::default();
            let mut sorted = as_json(&expansion);
            assert!(sorted.read(&input).is_empty());
            let kinds: Vec<&str> = sorted
                .parts()
                .map(|(_, part)| match part {
                    Part::Text(_) => "text",
                    Part::Copy { blobs, .. } if blobs.len() == 1 => "copy",
                    Part::Copy { .. } => "copy of several",
                    Part::Again(..) => "again",
                })
                .collect();
            let copies: &[&str] = if gap.len() == 1 { &["text", "copy of several"] } else { &["text", "copy", "copy"] };
            assert_eq!(kinds, copies, "{gap:?}");
            let basket =
                "{\n    \"schema\": \"olm.package\",\n    \"name\": \"basket\",\n    \"defaultChannel\": \"a\"\n}\n";
            let expected = [basket, TILL, "\n", CHANNEL, "\n"].concat();
            assert_eq!(String::from_utf8(sorted.to_vec().unwrap()).unwrap(), expected);
            // The same without memory for texts.
            let expansion = Expansion::default();
            let mut poor = Sorted { max_kept: [0, 0], ..as_json(&expansion) };
            assert!(poor.read(&input).is_empty());
            assert!(matches!(poor.parts().next(), Some((_, Part::Again(..)))));
            assert_eq!(String::from_utf8(poor.to_vec().unwrap()).unwrap(), expected);
        }
    }

    #[test]
    fn a_file_that_was_changed_meanwhile_is_an_error() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("catalog.json");
        for text in [TILL, BASKET] {
            std::fs::write(&path, text).unwrap();
            let input = Input::file(&path);
            let expansion = Expansion::default();
            let mut sorted = Sorted { max_kept: [0, 0], ..as_json(&expansion) };
            assert!(sorted.read(&input).is_empty());
            let new = text.replace("stable", "staple").replace("\"a\"", "\"b\"");
            // Another file of the same length in its place.
            std::fs::write(scratch.path().join("new"), &new).unwrap();
            std::fs::rename(scratch.path().join("new"), &path).unwrap();
            let error = sorted.to_vec().unwrap_err().to_string();
            assert!(error.ends_with("a second time: it changed in the meantime"), "{error}");
            std::fs::remove_file(&path).unwrap();
            assert!(sorted.to_vec().is_err());
        }
    }
}
