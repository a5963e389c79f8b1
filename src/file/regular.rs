//! Reading what should be a regular file, without waiting for one that is none.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rustix::buffer::spare_capacity;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::system;

/// How many bytes [`read_regular`] reads at most.
pub const MAX_WHOLE: u64 = 1 << 30;

/// Opens a regular file, through links. Pipes, sockets and devices could block for ever, or have no end.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] with what it is instead; [`io::ErrorKind::IsADirectory`]; what the system says.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Without waiting for a writer, if it is a pipe.
    let file = File::from(rustix::fs::open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?);
    let kind = system::kind(&rustix::fs::fstat(&file)?);
    match kind {
        super::Kind::File => Ok(file),
        super::Kind::Directory => Err(io::ErrorKind::IsADirectory.into()),
        kind => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{kind}, not a regular file"))),
    }
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
/// As [`open_regular`]; [`io::ErrorKind::FileTooLarge`] past [`MAX_WHOLE`].
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    read_regular_of(path, MAX_WHOLE)
}

/// Reads a regular file of at most so many bytes as a whole.
///
/// # Errors
/// As [`open_regular`]; [`io::ErrorKind::FileTooLarge`] past the limit.
pub fn read_regular_of(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_regular(path)?.take(max.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > max {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(content)
}
