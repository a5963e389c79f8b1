//! Fetching blobs: into the cache, from where another process left off, and not at all if they are there.

use std::fs::File;
use std::io::{self, Read, Seek as _, Write as _};
use std::sync::atomic::Ordering;

use super::super::digest::{Digest, Hasher};
use super::super::document::Descriptor;
use super::super::error::OciError;
use super::http::{Answer, Sent};
use super::{BlobLimits, MAX_MANIFEST, Registry};
use olmdex_base::diag::counted;
use olmdex_base::file::{BlobCache, make_anonymous, start_over};

/// The number of times that an interrupted transfer is resumed.
const RESUMPTIONS: usize = 5;

/// The name of a file of the cache.
fn name_of(digest: &Digest) -> String {
    format!("{}-{}", digest.algorithm(), digest.hex())
}

impl Registry<'_> {
    fn cache(&self) -> Option<&BlobCache> {
        self.options.cache.as_ref()
    }

    /// A manifest from the cache.
    pub(super) fn cached_manifest(&self, digest: &Digest) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        self.cache()?.open(&name_of(digest))?.take(MAX_MANIFEST).read_to_end(&mut text).ok()?;
        let mut hasher = Hasher::like(digest);
        hasher.update(&text);
        (hasher.finish() == *digest).then_some(text)
    }

    /// Keeps a manifest, if its bytes are those of its digest. A cache that cannot be written to is no cache.
    pub(super) fn keep_manifest(&self, digest: &Digest, text: &[u8]) {
        let mut hasher = Hasher::like(digest);
        hasher.update(text);
        if hasher.finish() == *digest {
            let _ = self.cache().map(|cache| keep(cache, &name_of(digest), text));
        }
    }

    /// The name of the file with the digest that a tag named last.
    fn note_name(&self) -> String {
        let key = format!("{}/{}:{}", self.reference.host, self.reference.repository, self.reference.name());
        format!("tag-{}", Digest::of(key.as_bytes()).hex())
    }

    /// The digest that the tag named when it was fetched last.
    pub(super) fn noted(&self) -> Option<Digest> {
        let mut text = String::new();
        self.cache()?.open(&self.note_name())?.take(200).read_to_string(&mut text).ok()?;
        text.trim().parse().ok()
    }

    /// Notes the digest that the tag names.
    pub(super) fn note(&self, digest: &Digest) {
        if self.reference.digest.is_none() {
            let _ = self.cache().map(|cache| keep(cache, &self.note_name(), digest.to_string().as_bytes()));
        }
    }

    /// Deletes a blob of the cache whose bytes are wrong. Returns whether it was there and can be fetched.
    pub(super) fn forget(&self, digest: &Digest) -> Result<bool, OciError> {
        let name = name_of(digest);
        let Some(cache) = self.cache() else { return Ok(false) };
        let Some(mut file) = cache.open(&name) else { return Ok(false) };
        let mut hasher = Hasher::like(digest);
        pass(&mut file, &mut hasher)?;
        if hasher.finish() == *digest {
            // Another process has fetched it meanwhile, or the fault is elsewhere.
            return Ok(false);
        }
        if self.options.is_offline {
            return Err(OciError::DamagedCopy(cache.directory().join(name)));
        }
        // In a cache that cannot be written to, it remains an obstacle.
        Ok(cache.remove(&name).unwrap_or(false))
    }

    /// A blob, from the cache, as it is there, or from the registry, compared with its digest before anybody reads it.
    pub(super) fn fetched(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + Send>, OciError> {
        let name = name_of(&descriptor.digest);
        if let Some(file) = self.cache().and_then(|it| it.open(&name)) {
            return Ok(Box::new(file));
        }
        if self.options.is_offline {
            return Err(OciError::Offline(descriptor.digest.to_string()));
        }
        self.must_be_wanted(descriptor)?;
        // If nothing can be kept, or another process is writing it, it goes to a temporary file.
        if let Some(Ok(Some(mut partial))) = self.cache().map(|it| it.begin(&name)) {
            let is_begun = partial.file.metadata()?.len() > 0;
            let mut done = self.fetch_into(descriptor, &mut partial.file);
            if is_begun && let Err(OciError::WrongDigest { .. } | OciError::TooLong { .. }) = &done {
                // The bytes left by another process may be the wrong ones, and not those received now.
                partial.clear()?;
                done = self.fetch_into(descriptor, &mut partial.file);
            }
            if let Err(error) = done {
                // Only a transfer that broke off goes on later.
                let broke_off = matches!(error, OciError::Io(_) | OciError::TooSlow { .. } | OciError::Network { .. });
                if !broke_off || partial.file.metadata()?.len() == 0 {
                    partial.discard()?;
                }
                return Err(error);
            }
            let mut file = partial.finish()?;
            file.rewind()?;
            return Ok(Box::new(file));
        }
        let mut file = make_anonymous(&self.options.scratch)?;
        self.fetch_into(descriptor, &mut file)?;
        file.rewind()?;
        Ok(Box::new(file))
    }

    /// Refuses a blob that no image could use, before its first byte is asked for: one that is larger than a layer may
    /// be when it is decompressed, or with which the blobs of the image are larger than all of its layers may be.
    fn must_be_wanted(&self, descriptor: &Descriptor) -> Result<(), OciError> {
        let BlobLimits { each, all } = self.options.limits;
        let wanted =
            self.wanted.fetch_add(descriptor.size.min(u64::MAX / 4), Ordering::Relaxed).saturating_add(descriptor.size);
        let (what, limit) = if descriptor.size > each { ("a layer", each) } else { ("all layers", all) };
        if descriptor.size <= each && wanted <= all {
            return Ok(());
        }
        let size = counted(descriptor.size, "byte");
        let message = format!("{} has {size} according to its manifest; {what} may have {limit}", descriptor.digest);
        Err(OciError::Limit(message))
    }

    /// Fetches a blob into a file, from where that ends.
    fn fetch_into(&self, descriptor: &Descriptor, file: &mut File) -> Result<(), OciError> {
        let mut hasher = Hasher::like(&descriptor.digest);
        file.rewind()?;
        let mut len = pass(&mut *file, &mut hasher)?;
        if len > descriptor.size {
            start_over(file)?;
            hasher = Hasher::like(&descriptor.digest);
            len = 0;
        }
        for resumption in 0..=RESUMPTIONS {
            if len >= descriptor.size && len > 0 || descriptor.size == 0 {
                break;
            }
            match self.transfer(descriptor, file, &mut hasher, &mut len) {
                Ok(()) => break,
                // It is shorter than its manifest states, but its digest is right.
                Err(OciError::Io(_)) if hasher.clone().finish() == descriptor.digest => break,
                Err(OciError::Io(_)) if resumption < RESUMPTIONS => {}
                Err(error) => return Err(error),
            }
        }
        let found = hasher.finish();
        if found != descriptor.digest {
            return Err(OciError::WrongDigest { expected: descriptor.digest.clone(), found });
        }
        Ok(())
    }

    /// Asks for the rest of a blob, and writes the bytes that arrive.
    fn transfer(
        &self,
        descriptor: &Descriptor,
        file: &mut File,
        hasher: &mut Hasher,
        len: &mut u64,
    ) -> Result<(), OciError> {
        let from = *len;
        let answer = self.ask_all(|endpoint| {
            let mut sent = Sent::get(self.url(endpoint, &format!("blobs/{}", descriptor.digest)));
            if from > 0 {
                sent.headers.push(("range", format!("bytes={from}-")));
            }
            self.send(endpoint, sent, "pull")
        })?;
        let is_rest = answer.status == 206
            && answer.header("content-range").is_some_and(|it| it.starts_with(&format!("bytes {from}-")));
        if from > 0 && !is_rest {
            // It begins anew.
            start_over(file)?;
            *hasher = Hasher::like(&descriptor.digest);
            *len = 0;
        }
        let has_length = answer.header("content-length").is_some();
        let url = answer.url.clone();
        let mut body = answer.reader();
        let mut buffer = vec![0; 128 << 10];
        loop {
            let n = match body.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Answer::failed(&url, error)),
            };
            *len += n as u64;
            self.fetched.fetch_add(n as u64, Ordering::Relaxed);
            if *len > descriptor.size {
                return Err(OciError::TooLong { digest: descriptor.digest.clone(), size: descriptor.size });
            }
            hasher.update(&buffer[..n]);
            file.write_all(&buffer[..n])?;
        }
        if *len < descriptor.size && !has_length {
            // Only an answer that states its length can be distinguished from one that breaks off.
            return Err(OciError::Io(io::ErrorKind::UnexpectedEof.into()));
        }
        Ok(())
    }
}

/// Hashes the content of a file, which is then at its end.
fn pass(file: &mut File, hasher: &mut Hasher) -> io::Result<u64> {
    let mut buffer = vec![0; 128 << 10];
    let mut len = 0;
    loop {
        let n = file.read(&mut buffer)?;
        if n == 0 {
            return Ok(len);
        }
        hasher.update(&buffer[..n]);
        len += n as u64;
    }
}

/// Keeps a small file.
fn keep(cache: &BlobCache, name: &str, text: &[u8]) -> io::Result<()> {
    let Some(mut partial) = cache.begin(name)? else { return Ok(()) };
    match partial.clear().and_then(|()| partial.file.write_all(text)) {
        Ok(()) => partial.finish().map(drop),
        Err(error) => partial.discard().and(Err(error)),
    }
}
