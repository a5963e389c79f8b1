//! Objects of a repository: commits, directories, and files, which one run of git reads one after another.
//!
//! For safety, this module deliberately follows no links, and no filter or attribute changes the content of a file.

use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;

use super::GitError;
use super::layout::check_layout;
use super::limits::{ObjectLimits, TreeWeight, Weighed};
use super::patience::{PATIENCE, Watched};
use super::program::{check_version, git, not_read, output};
use super::revisions::{Every, Revision, revisions, revisions_after};
use super::trees::{FileChange, Tree, Trees, differences};
use olmdex_base::archive::{Limit, Spool};
use olmdex_base::diag::printable;
use olmdex_base::file::Text;

/// A repository.
#[derive(Debug)]
pub struct Repository {
    path: PathBuf,
    reader: ObjectReader,
    spool: Spool,
    trees: Trees,
    limits: ObjectLimits,
    /// The size of all objects that were read.
    weighed: Weighed,
    /// The number of bytes of each file that was read.
    sizes: HashMap<String, u64>,
}

/// A file of at most this many bytes is read into memory.
const IN_MEMORY: u64 = 32 << 20;

/// Objects of at most this many bytes may be any difference to another.
const SMALL: u64 = 1 << 20;

/// The number of bytes of a commit that are read: its subject comes early.
const MAX_COMMIT: u64 = 256 << 10;

/// The number of characters of a commit's subject that are kept.
const MAX_SUBJECT: usize = 200;

/// The facts about an object: its digest, kind and size, how many bytes it takes in the repository, and the object that
/// it is kept as a difference to, of zeros if there is none.
const FORMAT: &str = "--batch=%(objectname) %(objecttype) %(objectsize) %(objectsize:disk) %(deltabase)";

impl Repository {
    /// Opens a repository. Content that does not fit into memory goes to a file without a name in `temporary`.
    ///
    /// # Errors
    /// If git cannot be run, is too old, or finds no repository.
    pub fn open(path: &Path, temporary: &Path, limits: ObjectLimits) -> Result<Self, GitError> {
        check_version()?;
        check_layout(path, limits.may_lead_out)?;
        output(path, &["rev-parse", "--git-dir"])?;
        let reader = ObjectReader::start(path)?;
        let (path, spool) = (path.to_owned(), Spool::new(temporary));
        let (trees, weighed) = (Trees::default(), Weighed::default());
        Ok(Self { path, reader, spool, trees, limits, weighed, sizes: HashMap::new() })
    }

    /// The revisions of a range in which a directory (empty for the whole) changed, the oldest first; with `Every::Tag`
    /// also those in which it did not.
    ///
    /// # Errors
    /// If git does not know the range, or there is no such directory.
    pub fn revisions(&self, range: &str, every: Every, directory: &str) -> Result<Vec<Revision>, GitError> {
        revisions(&self.path, range, every, check_directory(directory)?)
    }

    /// The revisions of a branch after one of its commits, as [`Self::revisions`] gives them. `None` if the branch does
    /// not lead through the commit, or if that cannot be known: then all of the range must be read.
    ///
    /// # Errors
    /// The errors of [`Self::revisions`].
    pub fn revisions_after(
        &self,
        after: &str,
        branch: &str,
        every: Every,
        directory: &str,
    ) -> Result<Option<Vec<Revision>>, GitError> {
        revisions_after(&self.path, after, branch, every, check_directory(directory)?)
    }

    /// Whether the repository lacks the beginning of its history, which may come with the next fetch.
    ///
    /// # Errors
    /// If git fails.
    pub fn is_shallow(&self) -> Result<bool, GitError> {
        Ok(output(&self.path, &["rev-parse", "--is-shallow-repository"])?.trim_ascii() != b"false")
    }

    /// The first line of a commit's message, without characters that a terminal would obey; empty if there is none.
    ///
    /// # Errors
    /// If git fails.
    pub fn subject(&mut self, commit: &str) -> Result<String, GitError> {
        let Some(head) = self.reader.head(commit)? else { return Err(missing(commit)) };
        let text = self.reader.beginning(head.size, MAX_COMMIT)?;
        let text = String::from_utf8_lossy(&text);
        let subject = text.split_once("\n\n").map_or("", |it| it.1).trim_start().lines().next().unwrap_or_default();
        let subject: String = subject.trim().chars().take(MAX_SUBJECT).collect();
        Ok(printable(&subject).into_owned())
    }

    /// The digest of a directory (empty for the whole) in a commit; `None` if it is not there.
    ///
    /// # Errors
    /// If git fails.
    pub fn tree(&mut self, commit: &str, directory: &str) -> Result<Option<String>, GitError> {
        let wanted = format!("{commit}:{}", check_directory(directory)?);
        match self.reader.head(&wanted)? {
            Some(head) => {
                self.reader.beginning(head.size, 0)?;
                Ok(Some(head.digest).filter(|_| head.kind == "tree"))
            }
            None => Ok(None),
        }
    }

    /// The directories in a directory, by their names, with their digests.
    ///
    /// # Errors
    /// If git fails, or a limit is reached.
    pub fn directories(&mut self, tree: &str) -> Result<Vec<(String, String)>, GitError> {
        let mut weight = self.limits.of_tree();
        let tree = self.entries(tree, &mut weight)?;
        let directory = |(name, it): (&Vec<u8>, &super::trees::Entry)| {
            let name = String::from_utf8(name.clone()).ok().filter(|_| it.is_directory())?;
            Some((name, it.digest.clone()))
        };
        Ok(tree.iter().filter_map(directory).collect())
    }

    /// The differences between the files of two directories, in the order of their paths; parts that are the same in
    /// both are not read.
    ///
    /// # Errors
    /// [`GitError::Missing`] if the repository lacks a directory; if git fails, or a limit is reached.
    pub fn changes(&mut self, old: Option<&str>, new: &str) -> Result<Vec<FileChange>, GitError> {
        let mut weight = self.limits.of_tree();
        differences(old, new, |digest| self.entries(digest, &mut weight))
    }

    /// A directory.
    fn entries(&mut self, digest: &str, weight: &mut TreeWeight) -> Result<Arc<Tree>, GitError> {
        if let Some(known) = self.trees.get(digest) {
            // Trees may name each other over and over, so that a small repository lists more files than there are.
            known.iter().try_for_each(|it| weight.add_entry(it.0.len()))?;
            return Ok(known);
        }
        let Some(head) = self.reader.head(digest)? else { return Err(missing(digest)) };
        weight.add_bytes(head.size)?;
        let bytes = self.reader.beginning(head.size, head.size)?;
        if head.kind != "tree" {
            return Err(GitError::Unexpected {
                command: "cat-file".to_owned(),
                message: format!("{digest} is not a directory"),
            });
        }
        let tree = Arc::new(Tree::parse(&bytes, digest.len() / 2)?);
        tree.iter().try_for_each(|it| weight.add_entry(it.0.len()))?;
        self.trees.keep(digest, &tree);
        Ok(tree)
    }

    /// Refuses files that are larger together than the files of a catalog may be, as far as their texts were read.
    ///
    /// # Errors
    /// [`GitError::Limit`]
    pub fn weigh<'d>(&self, mut digests: impl Iterator<Item = &'d str>) -> Result<(), GitError> {
        let mut weight = self.limits.of_tree();
        digests.try_for_each(|it| weight.add_bytes(self.sizes.get(it).copied().unwrap_or_default()))
    }

    /// The number of bytes of the object to which an object of a size is kept as a difference.
    fn size_of_base(&mut self, base: &str, size: u64) -> Result<u64, GitError> {
        if let Some(known) = self.sizes.get(base) {
            return Ok(*known);
        }
        if size <= SMALL {
            return Ok(size);
        }
        // It may be an object that no catalog has. A second run of git would be one for each small file.
        let found = output(&self.path, &["cat-file", "-s", base])?;
        let found = String::from_utf8_lossy(&found).trim().parse().unwrap_or_default();
        self.sizes.insert(base.to_owned(), found);
        Ok(found)
    }

    /// The text of a file.
    ///
    /// # Errors
    /// [`GitError::Missing`] if the repository lacks it; if git fails, a temporary file cannot be written, or a limit
    /// is reached.
    pub fn text(&mut self, digest: &str) -> Result<Text, GitError> {
        let Some(head) = self.reader.head(digest)? else { return Err(missing(digest)) };
        if head.size > self.limits.each.file {
            return Err(GitError::Limit(Limit::File(self.limits.each.file)));
        }
        let base = match &head.base {
            Some(base) => self.size_of_base(base, head.size)?,
            None => 0,
        };
        self.weighed.add(head.size, base, head.compressed, &self.limits)?;
        self.sizes.insert(digest.to_owned(), head.size);
        if head.size <= IN_MEMORY {
            return Ok(Text::Bytes(self.reader.beginning(head.size, head.size)?.into()));
        }
        let text = self.spool.keep(&mut self.reader.from, head.size).map_err(failed)?;
        self.reader.end()?;
        Ok(text)
    }
}

fn missing(digest: &str) -> GitError {
    GitError::Missing { digest: digest.to_owned() }
}

/// A directory of the repository as git takes it.
fn check_directory(directory: &str) -> Result<&str, GitError> {
    let plain = directory.trim_matches('/');
    if plain.bytes().any(|it| it.is_ascii_control()) || plain.split('/').any(|it| it == "..") {
        return Err(GitError::NotPlain { text: directory.to_owned(), what: "a directory of the repository" });
    }
    Ok(plain)
}

/// The header that git prints before the bytes of an object.
struct Head {
    digest: String,
    kind: String,
    size: u64,
    /// The bytes that it takes in the repository.
    compressed: u64,
    /// The object to which it is kept as a difference.
    base: Option<String>,
}

fn failed(error: io::Error) -> GitError {
    not_read("cat-file", &error)
}

/// One run of git that gives object after object.
#[derive(Debug)]
struct ObjectReader {
    to: Option<ChildStdin>,
    from: BufReader<Watched<ChildStdout>>,
}

impl ObjectReader {
    fn start(repository: &Path) -> Result<Self, GitError> {
        let mut command = git(repository);
        command.args(["cat-file", FORMAT]).stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(GitError::NotRunnable)?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        match from {
            Some(from) => Ok(Self { to, from: BufReader::new(Watched::new(child, from, PATIENCE)) }),
            None => Err(GitError::NotRunnable(io::ErrorKind::BrokenPipe.into())),
        }
    }

    /// The header of an object; `None` if there is no such object.
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
                let base = (!is_whole).then(|| base.to_owned());
                Ok(Some(Head { digest, kind, size, compressed: taken, base }))
            }
            _ => Err(failed(io::Error::other(format!("`{line}`")))),
        }
    }

    /// The first bytes of an object; the others are skipped.
    fn beginning(&mut self, size: u64, wanted: u64) -> Result<Vec<u8>, GitError> {
        let mut bytes = Vec::new();
        let read = (&mut self.from).take(size.min(wanted)).read_to_end(&mut bytes).map_err(failed)? as u64;
        let rest = size - size.min(wanted);
        let skipped = io::copy(&mut (&mut self.from).take(rest), &mut io::sink()).map_err(failed)?;
        if read + skipped == size {
            self.end().map(|()| bytes)
        } else {
            Err(failed(io::ErrorKind::UnexpectedEof.into()))
        }
    }

    /// The line break after an object.
    fn end(&mut self) -> Result<(), GitError> {
        let mut byte = [0];
        self.from.read_exact(&mut byte).map_err(failed)?;
        if byte == [b'\n'] { Ok(()) } else { Err(failed(io::Error::other("an object is longer than it says"))) }
    }
}
