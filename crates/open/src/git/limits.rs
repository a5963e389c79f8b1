//! Limits on how much of a repository is read: the same as for images, and for the same reason.

use super::GitError;
use olmdex_base::archive::{EntryWeight, Limit, Limits};

/// The limits of objects.
#[derive(Debug, Clone, Copy)]
pub struct ObjectLimits {
    /// Those of one object, and of all files of one catalog.
    pub each: Limits,
    /// Bytes of all objects.
    pub total: u64,
    /// Whether git may read what the repository names outside of itself.
    pub may_lead_out: bool,
}

impl ObjectLimits {
    /// For the files of one catalog.
    pub(super) fn of_tree(&self) -> TreeWeight {
        let limits = Limits { names: self.each.names.saturating_mul(NAMES), ..self.each };
        TreeWeight { limits, entries: EntryWeight::default(), n_bytes: 0 }
    }
}

/// The size of a catalog's files so far.
pub(super) struct TreeWeight {
    limits: Limits,
    entries: EntryWeight,
    n_bytes: u64,
}

impl TreeWeight {
    /// Counts an entry whose name takes `len` bytes.
    pub(super) fn add_entry(&mut self, len: usize) -> Result<(), GitError> {
        self.entries.add(len, &self.limits).map_err(GitError::Limit)
    }

    /// Takes the bytes of a file.
    pub(super) fn add_bytes(&mut self, len: u64) -> Result<(), GitError> {
        self.n_bytes = self.n_bytes.saturating_add(len);
        if self.n_bytes > self.limits.archive {
            return Err(GitError::Limit(Limit::Archive(self.limits.archive)));
        }
        Ok(())
    }
}

/// Each line of git's list has the whole path, the mode and the digest of a file, and so takes more than the name in an
/// archive's entry.
const NAMES: u64 = 2;

/// How many times their compressed size all objects may have, differences included, beyond some bytes. A commit that
/// adds a bundle to a catalog of 10 MB takes kilobytes, and each is read as a whole; without this limit, differences
/// that change nothing would make a minute of work of 100 KB.
const RATIO_OF_ALL: u64 = 4_000;
const ALL_FREE: u64 = 512 << 20;

/// The size of all objects that were read.
#[derive(Debug, Default)]
pub(super) struct Weighed {
    /// Bytes of all of them.
    total: u64,
    /// The bytes by which objects are larger than those to which they are kept as differences, and the bytes that they
    /// take in the repository.
    grown: u64,
    compressed: u64,
}

impl Weighed {
    /// Adds an object of a size, with the bytes that it takes in the repository. `base` is the size of the object to
    /// which it is kept as a difference, or 0: a day's change of a large catalog takes a few bytes, so only the growth
    /// must have been compressed.
    pub(super) fn add(&mut self, size: u64, base: u64, compressed: u64, limits: &ObjectLimits) -> Result<(), GitError> {
        self.total = self.total.saturating_add(size);
        self.grown = self.grown.saturating_add(size.saturating_sub(base));
        self.compressed = self.compressed.saturating_add(compressed);
        let limit = if self.total > limits.total {
            Limit::Archive(limits.total)
        } else if self.total > ALL_FREE && self.total - ALL_FREE > self.compressed.saturating_mul(RATIO_OF_ALL) {
            Limit::Ratio(RATIO_OF_ALL)
        } else if self.grown > Limits::RATIO_FROM && self.grown > self.compressed.saturating_mul(limits.each.ratio) {
            Limit::Ratio(limits.each.ratio)
        } else {
            return Ok(());
        };
        Err(GitError::Limit(limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> ObjectLimits {
        ObjectLimits { each: Limits::default(), total: 8 << 30, may_lead_out: false }
    }

    #[test]
    fn blanks_of_a_small_repository_are_refused_and_its_history_is_not() {
        let mut blanks = Weighed::default();
        assert!(blanks.add(200 << 20, 0, 200 << 10, &limits()).is_ok(), "any ratio is fine below 256 MiB");
        let error = blanks.add(200 << 20, 0, 200 << 10, &limits()).unwrap_err();
        assert!(matches!(error, GitError::Limit(Limit::Ratio(200))), "{error}");
        // A large catalog, and one of 10 MB with 800 changes, of which each adds a bundle.
        let mut growing = Weighed::default();
        assert!(growing.add(10 << 20, 0, 1 << 20, &limits()).is_ok());
        for _ in 0..800 {
            assert!(growing.add(10 << 20, 10 << 20, 2_500, &limits()).is_ok());
        }
        let mut history = Weighed::default();
        assert!(history.add(100 << 20, 0, 10 << 20, &limits()).is_ok());
        for _ in 0..70 {
            assert!(history.add(100 << 20, 99 << 20, 300, &limits()).is_ok());
        }
        // Finding S12: differences that repeat a small object.
        let mut copies = Weighed::default();
        let error = copies.add(510 << 20, 16 << 20, 300, &limits()).unwrap_err();
        assert!(matches!(error, GitError::Limit(Limit::Ratio(200))), "{error}");
        // Differences that repeat an object of the same size.
        let mut same = Weighed::default();
        assert!(same.add(16 << 20, 0, 16 << 10, &limits()).is_ok());
        let n_same = (0..1_000).take_while(|_| same.add(16 << 20, 16 << 20, 30, &limits()).is_ok()).count();
        assert!(n_same < 60, "{n_same}");
        let more = (0..20).find_map(|_| history.add(100 << 20, 100 << 20, 300, &limits()).err());
        assert!(matches!(more, Some(GitError::Limit(Limit::Archive(_)))), "{more:?}");
    }

    #[test]
    fn trees_that_name_one_object_over_and_over_are_refused() {
        let mut tree = limits().of_tree();
        let error = (0..100).find_map(|_| tree.add_bytes(100 << 20).err()).unwrap();
        assert!(matches!(error, GitError::Limit(Limit::Archive(_))), "{error}");
        let mut tree = limits().of_tree();
        let n = (0..2_000_001).take_while(|_| tree.add_entry(60).is_ok()).count();
        assert!(n < 2_000_000, "{n}");
    }
}
