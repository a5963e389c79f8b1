//! A catalog as it was in a commit: the files below a directory, as objects of the repository.
//!
//! What it deliberately does not do: links are not followed, and no filter or attribute changes what a file holds.

use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::GitError;
use super::limits::{ObjectLimits, Weighed};
use super::program::{check_version, each_record, git, output};
use super::revisions::{Every, Revision, revisions};
use olmdex_base::archive::{Limit, Spool};
use olmdex_base::file::Text;
use olmdex_fbc::{Input, TreeFile};

/// A repository.
#[derive(Debug)]
pub struct Repository {
    path: PathBuf,
    /// The catalog's directory in it, or empty.
    directory: String,
    reader: ObjectReader,
    spool: Spool,
    /// What was read, by digests: most files stay as they are from day to day.
    known: HashMap<String, Text>,
    limits: ObjectLimits,
    /// What all objects that were read weigh.
    weighed: Weighed,
}

/// What tells an object: its digest, kind and size, how many bytes it takes in the repository, and the object that it is kept as a
/// difference to, of zeros if there is none.
const FORMAT: &str = "--batch=%(objectname) %(objecttype) %(objectsize) %(objectsize:disk) %(deltabase)";

impl Repository {
    /// Opens a repository, for the catalog in one of its directories (empty for the whole). What does not fit into memory goes to a
    /// file without a name in `temporary`.
    ///
    /// # Errors
    /// If git cannot be run, is too old, or finds no repository.
    pub fn open(path: &Path, directory: &str, temporary: &Path, limits: ObjectLimits) -> Result<Self, GitError> {
        let directory = directory.trim_matches('/').to_owned();
        if directory.bytes().any(|it| it.is_ascii_control()) || directory.split('/').any(|it| it == "..") {
            return Err(GitError::NotPlain { text: directory, what: "a directory of the repository" });
        }
        check_version()?;
        output(path, &["rev-parse", "--git-dir"])?;
        let reader = ObjectReader::start(path)?;
        let (path, spool) = (path.to_owned(), Spool::new(temporary));
        Ok(Self { path, directory, reader, spool, known: HashMap::new(), limits, weighed: Weighed::default() })
    }

    /// The revisions of a range, the oldest first.
    ///
    /// # Errors
    /// If git does not know the range.
    pub fn revisions(&self, range: &str, every: Every) -> Result<Vec<Revision>, GitError> {
        revisions(&self.path, range, every)
    }

    /// The digest of the catalog's directory in a revision; `None` if it is not there.
    ///
    /// # Errors
    /// If git fails.
    pub fn tree(&mut self, revision: &Revision) -> Result<Option<String>, GitError> {
        let wanted = format!("{}:{}", revision.commit, self.directory);
        let found = self.reader.head(&wanted)?;
        match found {
            Some(head) => {
                self.reader.skip(head.size)?;
                Ok(Some(head.digest).filter(|_| head.kind == "tree"))
            }
            None => Ok(None),
        }
    }

    /// The catalog as it was in a revision. Files are called `DIRECTORY/FILE`.
    ///
    /// # Errors
    /// If git fails, a temporary file cannot be written, or a limit is reached.
    pub fn catalog(&mut self, revision: &Revision) -> Result<Input, GitError> {
        let wanted = format!("{}:{}", revision.commit, self.directory);
        let mut entries = Vec::new();
        let mut of_tree = self.limits.of_tree();
        // Trees may name each other over and over, so that a small repository lists more files than there are.
        each_record(&self.path, &["ls-tree", "-r", "-z", "--full-tree", &wanted], |entry| {
            of_tree.add_entry(entry.len())?;
            entries.extend(TreeEntry::parse(entry)?);
            Ok(())
        })?;
        let mut files = Vec::with_capacity(entries.len());
        for TreeEntry { is_link, digest, components } in entries {
            let text = if is_link {
                Err(io::Error::other("it is a link, and links are not followed in the past of a repository"))
            } else {
                let text = self.blob(&digest)?;
                // One object may be many files, each of which is read.
                of_tree.add_bytes(text.len())?;
                Ok(text)
            };
            files.push(TreeFile { components, text });
        }
        let root = if self.directory.is_empty() { "." } else { &self.directory };
        Ok(Input::tree(root, files, false))
    }

    fn blob(&mut self, digest: &str) -> Result<Text, GitError> {
        if let Some(known) = self.known.get(digest) {
            return Ok(known.clone());
        }
        let Some(head) = self.reader.head(digest)? else {
            return Err(GitError::Missing { digest: digest.to_owned() });
        };
        if head.size > self.limits.each.file {
            return Err(GitError::Limit(Limit::File(self.limits.each.file)));
        }
        self.weighed.add(head.size, head.compressed, &self.limits)?;
        let text = self.spool.keep(&mut self.reader.from, head.size).map_err(failed)?;
        self.reader.end()?;
        self.known.insert(digest.to_owned(), text.clone());
        Ok(text)
    }
}

/// A file that a tree names.
struct TreeEntry {
    is_link: bool,
    digest: String,
    components: Vec<Vec<u8>>,
}

impl TreeEntry {
    /// `None` for what is no file: a module of its own is another repository.
    fn parse(entry: &[u8]) -> Result<Option<Self>, GitError> {
        let unexpected = || GitError::Unexpected {
            command: "ls-tree",
            message: format!("`{}`", String::from_utf8_lossy(entry).escape_debug()),
        };
        let tab = entry.iter().position(|it| *it == b'\t').ok_or_else(unexpected)?;
        let head = String::from_utf8_lossy(&entry[..tab]).into_owned();
        let mut head = head.split(' ');
        let (Some(mode), Some(kind), Some(digest)) = (head.next(), head.next(), head.next()) else {
            return Err(unexpected());
        };
        if kind != "blob" {
            return Ok(None);
        }
        let components = entry[tab + 1..].split(|it| *it == b'/').map(<[u8]>::to_vec).collect();
        Ok(Some(Self { is_link: mode == "120000", digest: digest.to_owned(), components }))
    }
}

/// What git says of an object, whose bytes follow.
struct Head {
    digest: String,
    kind: String,
    size: u64,
    /// How many bytes it takes in the repository; nothing of one that is kept as a difference to another.
    compressed: Option<u64>,
}

fn failed(error: io::Error) -> GitError {
    GitError::Unexpected { command: "cat-file", message: error.to_string() }
}

/// One run of git that gives object after object.
#[derive(Debug)]
struct ObjectReader {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl ObjectReader {
    fn start(repository: &Path) -> Result<Self, GitError> {
        let mut command = git(repository);
        command.args(["cat-file", FORMAT]).stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(GitError::NotRunnable)?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        match from {
            Some(from) => Ok(Self { child, to, from: BufReader::new(from) }),
            None => Err(GitError::NotRunnable(io::ErrorKind::BrokenPipe.into())),
        }
    }

    /// What git says of an object; `None` if there is none.
    fn head(&mut self, wanted: &str) -> Result<Option<Head>, GitError> {
        let to = self.to.as_mut().ok_or_else(|| failed(io::ErrorKind::BrokenPipe.into()))?;
        to.write_all(format!("{wanted}\n").as_bytes()).and_then(|()| to.flush()).map_err(failed)?;
        let mut line = Vec::new();
        self.from.read_until(b'\n', &mut line).map_err(failed)?;
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        if line.ends_with(" missing") {
            return Ok(None);
        }
        let number = |it: Option<&str>| it.and_then(|it| it.parse::<u64>().ok());
        let mut parts = line.split(' ');
        match (parts.next(), parts.next(), number(parts.next()), number(parts.next()), parts.next(), parts.next()) {
            (Some(digest), Some(kind), Some(size), Some(taken), Some(base), None) => {
                let (digest, kind) = (digest.to_owned(), kind.to_owned());
                let is_whole = base.bytes().all(|it| it == b'0');
                Ok(Some(Head { digest, kind, size, compressed: is_whole.then_some(taken) }))
            }
            _ => Err(failed(io::Error::other(format!("`{line}`")))),
        }
    }

    fn skip(&mut self, size: u64) -> Result<(), GitError> {
        let skipped = io::copy(&mut (&mut self.from).take(size), &mut io::sink()).map_err(failed)?;
        if skipped == size { self.end() } else { Err(failed(io::ErrorKind::UnexpectedEof.into())) }
    }

    /// The line break after an object.
    fn end(&mut self) -> Result<(), GitError> {
        let mut byte = [0];
        self.from.read_exact(&mut byte).map_err(failed)?;
        if byte == [b'\n'] { Ok(()) } else { Err(failed(io::Error::other("an object is longer than it says"))) }
    }
}

impl Drop for ObjectReader {
    fn drop(&mut self) {
        // Without input it ends by itself.
        self.to = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
