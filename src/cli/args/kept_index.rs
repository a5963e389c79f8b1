//! Indexes of catalogs in files, kept in the user's cache directory, so that the next question about the same files
//! reads none of them. If a question needed only a part of the catalogs, or only their light rows, that is kept.
//!
//! File stamps tell whether the files are the same, as in git. A file that was changed less than two seconds ago is not
//! trusted, and neither is a cache that another user could have written. Only catalogs without errors are kept, since
//! each run must report errors.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::ask::NamedSource;
use crate::cli::args::cache;
use crate::cli::args::legacy_source::refusal;
use crate::fbc::{Input, Stamp};
use crate::file::{BlobCache, CachedBlob};
use crate::index::{Kind, ListIndex, SCHEMA_VERSION};
use crate::source::{STDIN, Source, is_index};

/// Reading a smaller catalog is as fast as finding its copy.
const MIN_BYTES: u64 = 1 << 20;

/// An index of more bytes is not kept.
const MAX_INDEX: u64 = 256 << 20;

/// The highest number of bytes in the cache; the least recently used entry goes first.
const MAX_ALL: u64 = 1 << 30;

/// The least age of a trusted stamp. Clocks of file systems tick in up to two seconds.
const TICK: Duration = Duration::from_secs(2);

/// Directories whose files have meaningless stamps.
const MADE_UP: [&str; 3] = ["/proc", "/sys", "/dev"];

/// The cache of indexes; `None` if the user has no cache directory.
pub(crate) fn kept_indexes() -> Option<BlobCache> {
    cache::directory().map(|it| BlobCache::at(&it.join("indexes")))
}

/// The key of a cache entry for some files, with the state of the files at the time when it was made.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    name: String,
    files: Vec<(PathBuf, Stamp)>,
}

/// A key in the making.
struct Maker {
    text: Vec<u8>,
    files: Vec<(PathBuf, Stamp)>,
    bytes: u64,
    /// The moment before which a file must have changed last.
    limit: SystemTime,
}

impl Maker {
    fn new() -> Option<Self> {
        let mut maker =
            Self { text: Vec::new(), files: Vec::new(), bytes: 0, limit: SystemTime::now().checked_sub(TICK)? };
        maker.add(env!("CARGO_PKG_VERSION").as_bytes());
        maker.add(&SCHEMA_VERSION.to_le_bytes());
        // Another build of the same version may read files differently.
        let program = std::fs::metadata(std::env::current_exe().ok()?).ok()?;
        maker.add_stamp(&program);
        Some(maker)
    }

    fn add(&mut self, part: &[u8]) {
        self.text.extend((part.len() as u64).to_le_bytes());
        self.text.extend(part);
    }

    fn add_stamp(&mut self, found: &Metadata) {
        for number in Stamp::of(found).to_numbers() {
            self.text.extend(number.to_le_bytes());
        }
    }

    /// Adds the current state of a file; `None` if there is no such file, or it is too young.
    fn add_file(&mut self, shown: &str, path: &Path) -> Option<()> {
        let found = std::fs::metadata(path).ok().filter(Metadata::is_file)?;
        let real = std::fs::canonicalize(path).ok()?;
        let is_made_up = MADE_UP.iter().any(|it| real.starts_with(it));
        if is_made_up || !Stamp::of(&found).is_older_than(self.limit) {
            return None;
        }
        self.add(shown.as_bytes());
        self.add(real.as_os_str().as_encoded_bytes());
        self.add_stamp(&found);
        self.files.push((path.to_owned(), Stamp::of(&found)));
        self.bytes = self.bytes.saturating_add(found.len());
        Some(())
    }

    fn add_source(&mut self, source: &NamedSource) {
        self.add(source.name.as_bytes());
        self.add(source.path.as_os_str().as_encoded_bytes());
    }

    /// Adds a source that is a file, with the files that a database has beside it.
    fn add_single(&mut self, source: &NamedSource) -> Option<()> {
        self.add_source(source);
        self.add_file("", &source.path)?;
        for ending in ["-journal", "-wal"] {
            let mut beside = OsString::from(&source.path);
            beside.push(ending);
            let beside = PathBuf::from(beside);
            if beside.exists() {
                self.add_file(ending, &beside)?;
            }
        }
        Some(())
    }

    fn key(self) -> Option<Key> {
        let name = BlobCache::name_of("index", &self.text);
        (self.bytes >= MIN_BYTES).then_some(Key { name, files: self.files })
    }
}

fn is_single(source: &NamedSource) -> bool {
    source.path.as_os_str() != STDIN && source.path.is_file() && !is_index(&source.path)
}

impl Key {
    /// The key of sources that are files, which need not be opened for this.
    pub(crate) fn of_files(sources: &[NamedSource]) -> Option<Self> {
        let mut maker = Maker::new()?;
        for source in sources {
            maker.add_single(source).filter(|()| is_single(source))?;
        }
        maker.key()
    }

    /// The key of sources that are open.
    pub(crate) fn of_sources(sources: &[(NamedSource, Source)]) -> Option<Self> {
        let mut maker = Maker::new()?;
        for (named, source) in sources {
            let Source::Catalog(input) = source else { return None };
            let Input { image: None, is_template: false, remarks, .. } = input else { return None };
            if refusal(remarks).is_some() {
                return None;
            }
            if is_single(named) {
                maker.add_single(named)?;
                continue;
            }
            maker.add_source(named);
            for file in &input.files {
                maker.add_file(&file.shown, file.path()?)?;
            }
        }
        maker.key()
    }

    /// The index in the cache under this key.
    pub(crate) fn recall<K: Kind>(&self) -> Option<K> {
        let cache = kept_indexes()?;
        cache.open(&self.name)?;
        let found = K::open_copy(&cache.directory().join(&self.name));
        if found.is_err() {
            let _ = cache.remove(&self.name);
        }
        found.ok()
    }

    /// The key of a part of the files' documents: those of the packages that some words name.
    pub(crate) fn of_part(&self, words: &BTreeSet<&str>) -> Self {
        let mut text = self.name.clone().into_bytes();
        for word in words {
            text.push(0);
            text.extend(word.as_bytes());
        }
        Self { name: BlobCache::name_of("part", &text), files: self.files.clone() }
    }

    /// The key of an index of the same files with fewer rows.
    pub(crate) fn of_kind(&self, kind: &str) -> Self {
        Self { name: BlobCache::name_of(kind, self.name.as_bytes()), files: self.files.clone() }
    }

    /// Whether no file has changed since.
    fn is_current(&self) -> bool {
        let is_same =
            |(path, stamp): &(PathBuf, Stamp)| std::fs::metadata(path).is_ok_and(|it| Stamp::of(&it) == *stamp);
        self.files.iter().all(is_same)
    }

    /// Keeps an index under this key, unless a file has changed since: then it is unknown which state was read.
    pub(crate) fn keep(&self, index: &ListIndex) {
        if !self.is_current() {
            return;
        }
        let Some(cache) = kept_indexes().filter(|_| index.size().is_ok_and(|it| it <= MAX_INDEX)) else { return };
        let Ok(Some(mut partial)) = cache.begin(&self.name) else { return };
        let path = cache.directory().join(format!("{}.partial", self.name));
        if partial.clear().is_ok() && index.copy_to(&path).is_ok() && partial.finish().is_ok() {
            forget_the_oldest(&cache);
        } else {
            let _ = cache.remove(&format!("{}.partial", self.name));
        }
    }
}

/// Removes the least recently used entries if there is too much.
fn forget_the_oldest(cache: &BlobCache) {
    let mut all: Vec<CachedBlob> = cache.list().unwrap_or_default();
    all.sort_by_key(|it| it.used);
    let mut total: u64 = all.iter().map(|it| it.size).sum();
    for it in all {
        if total <= MAX_ALL {
            return;
        }
        if cache.remove(&it.name).is_ok() {
            total = total.saturating_sub(it.size);
        }
    }
}
