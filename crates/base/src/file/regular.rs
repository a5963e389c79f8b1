//! Reading a supposed regular file, without waiting for one that is not.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd as _;
use std::path::Path;

use rustix::buffer::spare_capacity;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::system;

/// The number of bytes that [`read_regular`] reads at most.
pub const MAX_WHOLE: u64 = 1 << 30;

/// Opens a regular file, through links. Pipes, sockets and devices could block for ever, or have no end.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] with the kind that it has instead; [`io::ErrorKind::IsADirectory`]; an error of the
/// system.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Without waiting for a writer, if it is a pipe.
    match rustix::fs::open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()) {
        Ok(file) => regular(File::from(file)),
        // A socket cannot be opened at all.
        Err(Errno::NXIO) if kind_of(path) == Some(super::Kind::Socket) => Err(irregular(super::Kind::Socket)),
        Err(error) => Err(error.into()),
    }
}

/// The kind of thing that a path leads to, through links; `None` if nothing is there. It is not opened.
pub fn kind_of(path: &Path) -> Option<super::Kind> {
    rustix::fs::stat(path).ok().map(|stat| system::kind(&stat))
}

/// The file, if it is a regular one.
fn regular(file: File) -> io::Result<File> {
    let kind = system::kind(&rustix::fs::fstat(&file)?);
    match kind {
        super::Kind::File => Ok(file),
        super::Kind::Directory => Err(io::ErrorKind::IsADirectory.into()),
        kind => Err(irregular(kind)),
    }
}

fn irregular(kind: super::Kind) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{kind}, not a regular file"))
}

/// Opens a regular file below a directory. No link is followed on the way: the maker of the directory chose where links
/// lead.
///
/// # Errors
/// The errors of [`open_regular`]; [`io::ErrorKind::InvalidInput`] for a path that leads out of the directory.
pub fn open_below(root: &Path, relative: &str) -> io::Result<File> {
    let mut directory = system::open_directory(root)?;
    let mut names: Vec<&str> = relative.split('/').collect();
    let Some(last) = names.pop() else { return Err(io::ErrorKind::NotFound.into()) };
    if names.iter().chain(&[last]).any(|it| matches!(*it, "" | "." | "..")) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for name in names {
        directory = system::open_subdirectory(directory.as_fd(), OsStr::new(name))?;
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    regular(File::from(rustix::fs::openat(&directory, last, flags, Mode::empty())?))
}

/// The regular files in a directory below another one, sorted by name, with their bytes. No link is followed or
/// counted, and a name that is not UTF-8 is skipped.
///
/// # Errors
/// The errors of [`open_below`].
pub fn files_below(root: &Path, relative: &str) -> io::Result<Vec<(String, u64)>> {
    let mut directory = system::open_directory(root)?;
    for name in relative.split('/') {
        if matches!(name, "" | "." | "..") {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        directory = system::open_subdirectory(directory.as_fd(), OsStr::new(name))?;
    }
    let mut found = Vec::new();
    for name in system::names(&directory)? {
        // One that vanished meanwhile is not there.
        let Some(stat) = system::entry(directory.as_fd(), &name)? else { continue };
        if let (super::Kind::File, Ok(name)) = (system::kind(&stat), name.into_string()) {
            found.push((name, u64::try_from(stat.st_size).unwrap_or_default()));
        }
    }
    Ok(found)
}

/// Reads a part of a file, wherever that has been read to. The memory for it is not cleared first.
///
/// # Errors
/// [`io::ErrorKind::UnexpectedEof`] if the file has less.
pub fn read_part(file: &File, start: u64, len: usize) -> io::Result<Vec<u8>> {
    let mut part = Vec::with_capacity(len);
    while part.len() < len {
        let at = start.saturating_add(part.len() as u64);
        match rustix::io::pread(file, spare_capacity(&mut part), at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    part.truncate(len);
    Ok(part)
}

/// Reads a regular file as a whole.
///
/// # Errors
/// The errors of [`open_regular`]; [`io::ErrorKind::FileTooLarge`] past [`MAX_WHOLE`].
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    read_regular_of(path, MAX_WHOLE)
}

/// Reads a regular file of at most `max` bytes as a whole.
///
/// # Errors
/// The errors of [`open_regular`]; [`io::ErrorKind::FileTooLarge`] past the limit.
pub fn read_regular_of(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    read_stream_of(open_regular(path)?, max)
}

/// Reads a file that the user named: a regular one, or a pipe that this process got open from its parent, as
/// `<(command)` of a shell makes one. Other pipes would wait for a writer, and devices may have no end.
///
/// # Errors
/// The errors of [`read_regular_of`].
pub fn read_named_of(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    if is_open_pipe(path) {
        return read_stream_of(File::open(path)?, max);
    }
    read_regular_of(path, max)
}

/// Whether a path names a pipe that this process got open from its parent: `/dev/fd/63`, `/dev/stdin`.
pub fn is_open_pipe(path: &Path) -> bool {
    let is_given = ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.parent() == Some(Path::new(folder)));
    (is_given || path == Path::new("/dev/stdin")) && kind_of(path) == Some(super::Kind::Pipe)
}

/// Reads a stream of at most `max` bytes to its end.
///
/// # Errors
/// [`io::ErrorKind::FileTooLarge`] past the limit; an error of the system.
pub fn read_stream_of(stream: impl Read, max: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    stream.take(max.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > max {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(content)
}
