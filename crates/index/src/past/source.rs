//! The trait of a source of a catalog's states, and the result of adding them.
//!
//! This module reads no repository.

use crate::counts::Counts;
use crate::error::IndexError;
use olmdex_base::diag::Finding;
use olmdex_base::file::Text;

/// A state of a catalog as its repository tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastState {
    /// Its day, tag, or the beginning of the commit's digest.
    pub name: String,
    /// The commit's digest.
    pub commit: String,
    /// The time of the commit, in seconds since 1970, within the years 1970 to 9999.
    pub time: i64,
    /// The digest of the catalog's directory.
    pub tree: String,
}

/// The states that an index has of a catalog's past.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeldPast {
    /// Its states, the first one first.
    pub states: Vec<PastState>,
}

/// A file that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastChange {
    /// Its path in the catalog, with `/` between components.
    pub path: String,
    /// The name of its content, for [`PastSource::text`]; `None` if it is gone.
    pub content: Option<String>,
}

/// The text of a file.
#[derive(Debug)]
pub enum PastText {
    /// It is there.
    Text(Text),
    /// It exists but is not read: a link.
    Refused(std::io::Error),
    /// The repository lacks it.
    Missing,
}

/// A source of the states of a catalog.
pub trait PastSource {
    /// The source's error.
    type Error: From<IndexError>;

    /// The changes since the state before, or, without one, all files of a state. The content of a name is requested
    /// only once.
    ///
    /// # Errors
    /// If it cannot be read.
    fn changes(&mut self, before: Option<&PastState>, state: &PastState) -> Result<PastChanges, Self::Error>;

    /// The text of a content.
    ///
    /// # Errors
    /// If it cannot be read.
    fn text(&mut self, content: &str) -> Result<PastText, Self::Error>;

    /// Refuses changes of a state whose files are too large together: one text may be many files, each of which has the
    /// documents of the text. The texts have been requested before.
    ///
    /// # Errors
    /// If they are too large.
    fn weigh(&self, changes: &PastChanges) -> Result<(), Self::Error>;

    /// The first line of a commit's message.
    ///
    /// # Errors
    /// If it cannot be read.
    fn subject(&mut self, commit: &str) -> Result<String, Self::Error>;
}

/// The changes from one state to the next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PastChanges {
    /// The files, in any order.
    pub files: Vec<PastChange>,
    /// Whether these are all files, because the state before is not known.
    pub is_whole: bool,
}

/// The result of adding a catalog's states.
#[derive(Debug, Default)]
pub struct PastImport {
    /// The number of states that are new.
    pub n_new: usize,
    /// How many it has.
    pub n_states: usize,
    /// The findings that keep packages out of states.
    pub findings: Vec<Finding>,
    /// Packages that were left out of a state, with the names of the first state and how many there are.
    pub left_out: Vec<LeftOut>,
    /// Whether there are documents that cannot be decoded, or packages that are left out.
    pub is_broken: bool,
    /// Files whose texts the repository lacks, each with the content's name and the first state that has it.
    pub missing: Vec<MissingFile>,
    /// How much the last state has.
    pub counts: Counts,
}

/// A file whose text a repository lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingFile {
    /// Its path in the catalog.
    pub path: String,
    /// The name of its content.
    pub content: String,
    /// The first state that has it.
    pub state: String,
}

/// A package that is left out of states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The package.
    pub package: String,
    /// The first state that it is left out of.
    pub state: String,
}
