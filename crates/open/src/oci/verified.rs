//! Reading bytes and their digest at once.

use std::io::{self, Read};

use super::digest::{Digest, Hasher};
use super::error::OciError;

/// Reads a blob, and verifies its digest and size at the end.
pub(super) struct Verified<R> {
    inner: R,
    digest: Digest,
    hasher: Hasher,
    size: u64,
    n_read: u64,
}

impl<R: Read> Verified<R> {
    /// Wraps a reader; `size` is the size in the manifest.
    pub(super) fn new(inner: R, digest: Digest, size: u64) -> Self {
        let hasher = Hasher::like(&digest);
        Self { inner, digest, hasher, size, n_read: 0 }
    }

    /// Reads the rest, and compares. Returns whether it is as long as its manifest states: a shorter blob with the
    /// right digest is still the right blob.
    pub(super) fn finish(mut self) -> Result<bool, OciError> {
        io::copy(&mut self, &mut io::sink())?;
        let found = self.hasher.finish();
        if found != self.digest {
            return Err(OciError::WrongDigest { expected: self.digest, found });
        }
        Ok(self.n_read == self.size)
    }
}

impl<R: Read> Read for Verified<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..n]);
        self.n_read += n as u64;
        if self.n_read > self.size {
            return Err(OciError::TooLong { digest: self.digest.clone(), size: self.size }.into_io());
        }
        Ok(n)
    }
}

/// Reads bytes whose digest is not known.
pub(super) struct Hashed<R> {
    inner: R,
    hasher: Hasher,
}

impl<R: Read> Hashed<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, hasher: Hasher::new() }
    }

    /// The digest of the bytes that were read.
    pub(super) fn finish(self) -> Digest {
        self.hasher.finish()
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..n]);
        Ok(n)
    }
}
