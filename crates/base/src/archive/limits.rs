//! How much of an archive is read.

use std::fmt;

/// The advice about a limit.
pub const LIFT_LIMITS: &str = "if you trust its author, read it with `--no-image-limits`";

/// The limits. Honest images and archives stay far below them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one archive when it is decompressed.
    pub archive: u64,
    /// Bytes of one file in it.
    pub file: u64,
    /// Entries of all archives that make up a tree.
    pub entries: u64,
    /// Bytes that the names of all entries and the targets of links take in memory: each counts [`Self::ENTRY`] more.
    pub names: u64,
    /// The number of bytes that one compressed byte may become, once there are more than [`Self::RATIO_FROM`].
    pub ratio: u64,
    /// Steps of following links and removing entries, besides those that each entry earns.
    pub steps: u64,
    /// Bytes of files that are read under a second name: through links, or as hard links.
    pub linked: u64,
}

impl Limits {
    /// Below this many bytes any ratio is fine: blanks compress well.
    pub const RATIO_FROM: u64 = 256 << 20;

    /// The memory that an entry takes in addition to its name, in bytes.
    pub const ENTRY: u64 = 128;

    /// The longest path, in bytes.
    pub const PATH: usize = 4096;

    /// The longest component of a path, in bytes.
    pub(crate) const COMPONENT: usize = 255;

    /// The largest header extension (long names, PAX records), in bytes.
    pub(crate) const EXTENSION: u64 = 1 << 20;

    /// No limits but those of single names.
    pub const NONE: Self = Self {
        archive: u64::MAX,
        file: u64::MAX,
        entries: u64::MAX,
        names: u64::MAX,
        ratio: u64::MAX,
        steps: u64::MAX,
        linked: u64::MAX,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            archive: 2 << 30,
            file: 512 << 20,
            entries: 2_000_000,
            names: 36 << 20,
            ratio: 200,
            steps: 4_000_000,
            linked: 64 << 20,
        }
    }
}

/// The number of entries of a tree, and the memory of their names.
#[derive(Debug, Clone, Copy, Default)]
pub struct EntryWeight {
    n_entries: u64,
    n_bytes: u64,
}

impl EntryWeight {
    /// Counts an entry whose name, with the target if it is a link, takes `len` bytes.
    ///
    /// # Errors
    /// [`Limit::Entries`] and [`Limit::Names`].
    pub fn add(&mut self, len: usize, limits: &Limits) -> Result<(), Limit> {
        self.n_entries += 1;
        self.n_bytes = self.n_bytes.saturating_add(Limits::ENTRY + len as u64);
        if self.n_entries > limits.entries {
            return Err(Limit::Entries(limits.entries));
        }
        if self.n_bytes > limits.names {
            return Err(Limit::Names(limits.names));
        }
        Ok(())
    }
}

/// A limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::archive`]
    Archive(u64),
    /// [`Limits::file`]
    File(u64),
    /// [`Limits::entries`]
    Entries(u64),
    /// [`Limits::names`]
    Names(u64),
    /// [`Limits::ratio`]
    Ratio(u64),
    /// `Limits::EXTENSION`
    Extension(u64),
    /// [`Limits::steps`]
    Steps,
    /// [`Limits::linked`]
    Linked(u64),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: &u64| bytes >> 20;
        match self {
            Self::Archive(bytes) => write!(f, "it is larger than {} MiB when decompressed", mib(bytes)),
            Self::File(bytes) => write!(f, "a file in it is larger than {} MiB", mib(bytes)),
            Self::Entries(count) => write!(f, "it has more than {count} entries"),
            Self::Names(bytes) => write!(f, "the names of its files take more than {} MiB", mib(bytes)),
            Self::Ratio(ratio) => write!(f, "it decompresses to more than {ratio} times its size"),
            Self::Steps => f.write_str("its links and whiteouts take too much work"),
            Self::Linked(bytes) => write!(f, "links repeat more than {} MiB of its files", mib(bytes)),
            Self::Extension(bytes) => write!(f, "the name of an entry takes more than {} MiB", mib(bytes)),
        }
    }
}
