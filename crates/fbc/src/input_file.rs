//! A file of a catalog: on the disk, in memory, or made on demand.

use std::borrow::Cow;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use thiserror::Error;

use super::defect::{Defect, DefectKind, Spot};
use super::provenance::Provenance;
use super::stamp::Stamp;
use olmdex_base::archive::LIFT_LIMITS;
use olmdex_base::file::{MAX_WHOLE, Text, TextReader, open_regular, read_part, read_regular, system_words};

/// A file that is made when it is read, from a source that is not text.
pub trait Made: std::fmt::Debug + Send + Sync {
    /// Its text, the same at every call.
    ///
    /// # Errors
    /// If its source cannot be read.
    fn text(&self) -> io::Result<Vec<u8>>;
}

/// How a user came to a file, which decides whether messages show its text: it may be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Sight {
    /// The user named it, or a directory that has it in plain sight.
    #[default]
    Named,
    /// An `olmdex.toml` that was found names it, or a directory with it: only text about OLM is shown.
    Found,
    /// It is hidden in its directory, a link in that leads out, or a file from elsewhere names it: nothing is shown.
    Unnamed,
}

impl Sight {
    /// Whether messages show nothing of a text that a user came to in this way.
    pub fn hides(self, text: &[u8]) -> bool {
        match self {
            Self::Named => false,
            // Each document of a catalog has a schema, a broken one mostly too.
            Self::Found => memchr::memmem::find(text, b"olm.").is_none(),
            Self::Unnamed => true,
        }
    }
}

/// The directories in which the system makes up files.
const MADE_UP: [&str; 3] = ["/proc", "/sys", "/dev"];

/// One file.
#[derive(Debug, Clone)]
pub struct InputFile {
    /// Its name in messages and in the index: its path as given, or `<stdin>`.
    pub shown: String,
    pub(super) body: Body,
    /// The path below the root of the catalog, which the real tool prints when it cannot open the file.
    pub(super) relative: String,
    /// The origin of its text, if it was made of other files.
    pub(super) made_of: Option<Arc<Provenance>>,
    /// How the user came to it.
    pub(super) sight: Sight,
    /// The line of its first byte in the file that messages name: it may be a part of that.
    pub(super) first_line: u32,
}

#[derive(Debug, Clone)]
pub(super) enum Body {
    /// A file of the system, and its stamp when it was opened first.
    Path(PathBuf, OnceLock<Stamp>),
    /// In memory, or in an archive or a temporary file, which nothing changes.
    Text(Text),
    Made(Arc<dyn Made>),
    Unreadable(Box<Defect>),
}

/// A file that has been opened.
pub(super) enum OpenFile<'a> {
    /// A file, or a part of one, with its size.
    File(Source, u64),
    /// Bytes in memory.
    Bytes(&'a [u8]),
    /// Bytes that are still to be made.
    Made(&'a dyn Made),
}

/// The source of a file's bytes.
pub(super) enum Source {
    Whole(std::fs::File),
    Part(TextReader),
}

impl Source {
    fn starting_at(self, offset: u64) -> io::Result<Self> {
        Ok(match self {
            Self::Whole(mut file) => {
                file.seek(SeekFrom::Start(offset))?;
                Self::Whole(file)
            }
            Self::Part(part) => Self::Part(part.starting_at(offset)),
        })
    }
}

impl io::Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Whole(file) => file.read(buffer),
            Self::Part(part) => part.read(buffer),
        }
    }

    /// The readers themselves can read into memory that was not zeroed before.
    fn read_to_end(&mut self, into: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Self::Whole(file) => file.read_to_end(into),
            Self::Part(part) => part.read_to_end(into),
        }
    }
}

impl Source {
    /// Reads `n_bytes`, or all that are left.
    pub(super) fn read_some(&mut self, n_bytes: u64, into: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Self::Whole(file) => file.take(n_bytes).read_to_end(into),
            Self::Part(part) => part.take(n_bytes).read_to_end(into),
        }
    }
}

impl InputFile {
    pub(super) fn in_directory(path: &Path, relative: String) -> Self {
        let shown = path.to_string_lossy().into_owned();
        let body = Body::Path(path.to_owned(), OnceLock::new());
        Self { shown, body, relative, made_of: None, sight: Sight::Named, first_line: 1 }
    }

    /// A link in a directory. A link into a file system that the system makes up is not read: some of its content is
    /// secret, some never ends.
    pub(super) fn linked(path: &Path, relative: String, root: &Path) -> Self {
        let Ok(real) = path.canonicalize() else { return Self::in_directory(path, relative) };
        if let Some(system) = MADE_UP.iter().find(|it| real.starts_with(it)) {
            let error = io::Error::other(format!("it is a symbolic link into {system}, which holds no catalogs"));
            return Self::unreadable(&path.to_string_lossy(), unreadable("open", &relative, &error));
        }
        let is_out = root.canonicalize().is_ok_and(|root| real.strip_prefix(root).map_or(true, is_hidden));
        let sight = if is_out { Sight::Unnamed } else { Sight::Named };
        Self { sight, ..Self::in_directory(path, relative) }
    }

    /// Whether messages show nothing of a text of it.
    pub fn hides(&self, text: &[u8]) -> bool {
        self.sight.hides(text)
    }

    /// A file that is not in the file system: its name, and its path below the root of the catalog.
    pub(super) fn of_text(shown: String, relative: String, text: Text) -> Self {
        Self { shown, body: Body::Text(text), relative, made_of: None, sight: Sight::Named, first_line: 1 }
    }

    pub(super) fn unreadable(shown: &str, defect: Defect) -> Self {
        let body = Body::Unreadable(Box::new(defect));
        Self {
            relative: shown.to_owned(),
            shown: shown.to_owned(),
            body,
            made_of: None,
            sight: Sight::Named,
            first_line: 1,
        }
    }

    /// Whether it is made each time that it is read.
    pub fn is_made(&self) -> bool {
        matches!(self.body, Body::Made(_))
    }

    /// Whether it only carries the reason why it cannot be read.
    pub(super) fn is_unreadable(&self) -> bool {
        matches!(self.body, Body::Unreadable(_))
    }

    /// All of it, if it is a regular file of an ordinary size: a pipe would wait for a writer, and a device may never
    /// end.
    ///
    /// # Errors
    /// Any error of reading it.
    pub fn whole(&self) -> io::Result<Cow<'_, [u8]>> {
        match &self.body {
            Body::Path(path, _) => read_regular(path).map(Cow::Owned),
            Body::Text(text) => text.whole(MAX_WHOLE),
            Body::Made(made) => made.text().map(Cow::Owned),
            Body::Unreadable(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Its path below the root of the catalog; its name in messages, if it has no root.
    pub fn relative(&self) -> &str {
        &self.relative
    }

    /// The origin of its text, if it was made of other files.
    pub fn made_of(&self) -> Option<&Provenance> {
        self.made_of.as_deref()
    }

    /// The beginning of it, at most `len` bytes.
    ///
    /// # Errors
    /// It is not a regular file, or cannot be read.
    pub fn head(&self, len: u64) -> io::Result<Vec<u8>> {
        match &self.body {
            Body::Path(path, _) => {
                let mut head = Vec::new();
                open_regular(path)?.take(len).read_to_end(&mut head)?;
                Ok(head)
            }
            _ => Ok(self.read_again(0, len)),
        }
    }

    /// Its path, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match &self.body {
            Body::Path(path, _) => Some(path),
            Body::Text(_) | Body::Unreadable(_) | Body::Made(_) => None,
        }
    }

    /// The number of bytes that it has, if that is known without reading it.
    pub fn size(&self) -> Option<u64> {
        match &self.body {
            Body::Text(text) => Some(text.len()),
            Body::Path(path, _) => std::fs::metadata(path).ok().map(|it| it.len()),
            Body::Unreadable(_) | Body::Made(_) => None,
        }
    }

    /// Opens the file.
    pub(super) fn open(&self) -> Result<OpenFile<'_>, Defect> {
        match &self.body {
            Body::Text(Text::Bytes(bytes)) => Ok(OpenFile::Bytes(bytes)),
            Body::Text(text) => Ok(OpenFile::File(Source::Part(text.reader()), text.len())),
            Body::Made(made) => Ok(OpenFile::Made(&**made)),
            Body::Unreadable(defect) => Err((**defect).clone()),
            Body::Path(path, stamp) => {
                let open_failed = |error: io::Error| unreadable("open", &self.relative, &error);
                let metadata = std::fs::metadata(path).map_err(open_failed)?;
                if metadata.is_dir() {
                    let error = io::Error::from(io::ErrorKind::IsADirectory);
                    return Err(unreadable("read", &self.shown, &error));
                }
                if !metadata.is_file() {
                    // Opening a pipe would wait for a writer.
                    let error = io::Error::other("not a regular file");
                    return Err(unreadable("read", &self.shown, &error));
                }
                let file = std::fs::File::open(path).map_err(open_failed)?;
                let metadata = file.metadata().map_err(open_failed)?;
                stamp.get_or_init(|| Stamp::of(&metadata));
                Ok(OpenFile::File(Source::Whole(file), metadata.len()))
            }
        }
    }

    /// The defect of a file that was opened and then could not be read.
    pub(super) fn read_failed(&self, error: &io::Error) -> Defect {
        unreadable("read", &self.shown, error)
    }

    /// Its stamp when it was opened first, if it is a file of the system and was opened.
    pub fn stamp(&self) -> Option<Stamp> {
        match &self.body {
            Body::Path(_, stamp) => stamp.get().copied(),
            Body::Text(_) | Body::Unreadable(_) | Body::Made(_) => None,
        }
    }

    /// Opens the file once more, to read parts of it exactly as they were read before.
    ///
    /// # Errors
    /// [`RereadError`] if the file cannot be read, or has changed.
    pub(super) fn reopen(&self) -> Result<Reopened<'_>, RereadError> {
        let content = match &self.body {
            Body::Text(text) => Content::Text(text),
            Body::Made(made) => Content::Bytes(made.text().map_err(|error| self.cannot_reread(error))?.into()),
            Body::Path(path, _) => Content::File(open_regular(path).map_err(|error| self.cannot_reread(error))?),
            Body::Unreadable(_) => return Err(self.has_changed()),
        };
        let reopened = Reopened { file: self, content };
        reopened.check()?;
        Ok(reopened)
    }

    fn cannot_reread(&self, error: io::Error) -> RereadError {
        RereadError { file: self.shown.clone(), what: RereadFault::Io(error) }
    }

    /// The error that it has changed.
    pub(super) fn has_changed(&self) -> RereadError {
        RereadError { file: self.shown.clone(), what: RereadFault::Changed }
    }

    /// A part of the file once more, to find the place of something in it. It is shorter than requested if the file has
    /// changed.
    pub fn read_again(&self, offset: u64, len: u64) -> Vec<u8> {
        let part = |bytes: &[u8]| slice(bytes, offset, len).to_vec();
        match self.open() {
            Ok(OpenFile::Bytes(bytes)) => part(bytes),
            Ok(OpenFile::Made(made)) => made.text().map(|bytes| part(&bytes)).unwrap_or_default(),
            Ok(OpenFile::File(source, _)) => {
                let mut text = Vec::new();
                let read = source.starting_at(offset).and_then(|it| it.take(len).read_to_end(&mut text));
                if read.is_err() {
                    text.clear();
                }
                text
            }
            Err(_) => Vec::new(),
        }
    }
}

/// A file that was opened a second time.
#[derive(Debug)]
pub(super) struct Reopened<'f> {
    file: &'f InputFile,
    content: Content<'f>,
}

#[derive(Debug)]
enum Content<'f> {
    File(std::fs::File),
    Text(&'f Text),
    Bytes(Cow<'f, [u8]>),
}

impl Reopened<'_> {
    /// The file that it is.
    pub(super) fn file(&self) -> &InputFile {
        self.file
    }

    /// A part of it.
    ///
    /// # Errors
    /// [`RereadError`]
    pub(super) fn part(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>, RereadError> {
        let len = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        match &self.content {
            Content::Bytes(bytes) => {
                let part = slice(bytes, range.start, len as u64);
                if part.len() == len { Ok(part.into()) } else { Err(self.file.has_changed()) }
            }
            Content::Text(text) => text.part(range.start, len).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => self.file.has_changed(),
                _ => self.file.cannot_reread(error),
            }),
            Content::File(file) => {
                let text = read_part(file, range.start, len).map_err(|error| match error.kind() {
                    io::ErrorKind::UnexpectedEof => self.file.has_changed(),
                    _ => self.file.cannot_reread(error),
                })?;
                self.check()?;
                Ok(text.into())
            }
        }
    }

    /// Checks that it is unchanged since it was read first.
    fn check(&self) -> Result<(), RereadError> {
        let Content::File(file) = &self.content else { return Ok(()) };
        let now = file.metadata().map_err(|error| self.file.cannot_reread(error))?;
        if Some(Stamp::of(&now)) == self.file.stamp() { Ok(()) } else { Err(self.file.has_changed()) }
    }
}

/// A part of some bytes, as far as they go.
fn slice(bytes: &[u8], start: u64, len: u64) -> &[u8] {
    let start = usize::try_from(start).unwrap_or(usize::MAX).min(bytes.len());
    let end = start.saturating_add(usize::try_from(len).unwrap_or(usize::MAX)).min(bytes.len());
    &bytes[start..end]
}

/// The reason why a part of a file cannot be read a second time.
#[derive(Debug, Error)]
#[error("cannot read `{file}` a second time: {what}")]
pub struct RereadError {
    /// The name of the file in messages.
    pub file: String,
    what: RereadFault,
}

impl RereadError {
    /// The error that what is written of a file is larger than the input may become.
    pub fn expands(file: &str, why: &'static str) -> Self {
        Self { file: file.to_owned(), what: RereadFault::Expands(why) }
    }

    /// The remedy.
    pub fn help(&self) -> &'static str {
        match &self.what {
            RereadFault::Changed => "run the command again when no process writes to the catalog",
            RereadFault::Expands(_) => LIFT_LIMITS,
            RereadFault::Io(_) => {
                "the command reads the file twice: keep it readable until the end, and run the command again"
            }
        }
    }
}

#[derive(Debug, Error)]
enum RereadFault {
    /// It would be written in more bytes than the input may become.
    #[error("{0}")]
    Expands(&'static str),
    #[error("it changed in the meantime")]
    Changed,
    #[error("{}", system_words(.0))]
    Io(io::Error),
}

/// Whether a path below a directory is hidden there. Other programs keep their settings in such files, and tokens.
pub fn is_hidden(relative: &Path) -> bool {
    relative.components().any(|step| match step {
        Component::Normal(name) => name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    })
}

/// The defect of a file that the system does not let us read.
pub(super) fn unreadable(verb: &str, shown: &str, error: &io::Error) -> Defect {
    let reason = system_words(error);
    let kind = DefectKind::Unreadable { message: reason.clone(), opm: format!("{verb} {shown}: {reason}") };
    Defect { kind, at: Spot::Start }
}
