//! The reasons why something cannot be written, in words: what is wrong, where, and what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The reasons why a file or a directory cannot be written. Its old content is as it was.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// An entry that this program did not make has the name of a workspace.
    #[error("{} is in the way: {what}", .path.display())]
    InTheWay { path: PathBuf, what: InTheWay },
    /// Another process is writing the same target.
    #[error("another process is writing {}", .path.display())]
    Busy { path: PathBuf },
    /// The target has changed since it was read.
    #[error("{} has changed in the meantime", .path.display())]
    Changed { path: PathBuf },
    /// The target exists, and is not a file that can be replaced.
    #[error("{} is {kind}, not a regular file", .path.display())]
    NotAFile {
        /// The target.
        path: PathBuf,
        /// The kind of thing that it is instead.
        kind: Kind,
    },
    /// The target is a link that leads nowhere.
    #[error("{} is a broken symbolic link", .path.display())]
    Dangling { path: PathBuf },
    /// There is a journal beside the target, which the next process that opens the new database would play back into
    /// it.
    #[error("{} belongs to the database that {} would replace", .journal.display(), .path.display())]
    Journal { path: PathBuf, journal: PathBuf },
    /// A directory is to be written where there is one with something in it.
    #[error("output dir {:?} must be empty", .path.display().to_string())]
    NotEmpty { path: PathBuf },
    /// A directory with something in it cannot be exchanged for a new one in one step.
    #[error("olmdex cannot replace `{}` as a whole", .path.display())]
    CannotExchange { path: PathBuf },
    /// A directory is to be written where something else exists.
    #[error("{} is {kind}, not a directory", .path.display())]
    NotADirectory {
        /// The target.
        path: PathBuf,
        /// The kind of thing that it is instead.
        kind: Kind,
    },
    /// An entry of a directory that is filled in place has the name of the workspace in it.
    #[error("{}: the name `{name}` is taken while the directory is being filled", .path.display())]
    Reserved { path: PathBuf, name: String },
    /// A signal ended the write before it was done.
    #[error("interrupted: {} was not written", .path.display())]
    Interrupted { path: PathBuf },
    /// The system refused.
    #[error("cannot write {}: {}", .path.display(), system_words(.source))]
    Io { path: PathBuf, source: io::Error },
}

/// The words of the system for an error, without the number that only programs need, and so that they can follow a
/// colon.
pub fn system_words(error: &io::Error) -> String {
    let text = error.to_string();
    let Some((words, number)) = text.rsplit_once(" (os error ") else { return text };
    let rest = number.split_once(')').map_or("", |it| it.1);
    let mut chars = words.chars();
    let first = chars.next().into_iter().flat_map(char::to_lowercase);
    first.chain(chars).chain(rest.chars()).collect()
}

/// The obstacle under the name of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InTheWay {
    /// It is not a directory.
    Kind(Kind),
    /// It is a directory of another user.
    OtherUser,
    /// It is a directory to which other users can write.
    OthersCanWrite,
    /// It is a directory without the marker of a write by this program.
    NotOurs,
}

impl fmt::Display for InTheWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(kind) => write!(f, "{kind} that olmdex did not create"),
            Self::OtherUser => f.write_str("a directory of another user"),
            Self::OthersCanWrite => f.write_str("a directory that other users can write to"),
            Self::NotOurs => f.write_str("a directory that olmdex did not create"),
        }
    }
}

/// The kinds of things that a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A named pipe (FIFO).
    Pipe,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// Anything else.
    Other,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "a file",
            Self::Directory => "a directory",
            Self::Link => "a symbolic link",
            Self::Pipe => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Other => "a special file",
        })
    }
}

impl FileError {
    /// The remedy.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::InTheWay { .. } => {
                "olmdex keeps unfinished output under this name; check its content, then move or delete it"
                    .to_owned()
            }
            Self::Busy { .. } => "wait until the other process ends, then try again; `--wait SECONDS` waits longer".to_owned(),
            Self::Changed { .. } => "nothing was written; check what has changed, then try again".to_owned(),
            Self::NotAFile { .. } | Self::NotADirectory { .. } => "choose another name for the output".to_owned(),
            Self::Dangling { .. } => "create its target, or name the target itself".to_owned(),
            Self::Journal { .. } => {
                "a program was interrupted while it wrote there; delete both files, or choose another name for the output"
                    .to_owned()
            }
            Self::NotEmpty { .. } => "name a directory that does not exist yet, or is empty".to_owned(),
            Self::CannotExchange { .. } => "it is a link, a volume or the current directory, or its file system does \
                not support this: delete its contents first"
                .to_owned(),
            Self::Reserved { .. } => "name a directory that does not exist yet".to_owned(),
            Self::Interrupted { .. } => return None,
            Self::Io { source, .. } => advice(source).to_owned(),
        })
    }

    /// As an error of the system.
    pub(super) fn into_io(self) -> io::Error {
        match self {
            Self::Io { source, .. } => source,
            other => io::Error::other(other),
        }
    }

    pub(super) fn io(path: &Path, source: impl Into<io::Error>) -> Self {
        Self::Io { path: path.to_owned(), source: source.into() }
    }
}

/// The advice about an error of the system while something is written.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "check the permissions of the directory",
        io::ErrorKind::NotFound => "create the directory first",
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only; write somewhere else",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space, then try again",
        _ if error.raw_os_error() == Some(rustix::io::Errno::MFILE.raw_os_error()) => {
            "raise the limit of open files (`ulimit -n`)"
        }
        io::ErrorKind::FileTooLarge => "raise the limit of file sizes (`ulimit -f`)",
        _ => "check the free space and the permissions of the directory",
    }
}
