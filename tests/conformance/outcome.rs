//! The vocabulary of the harness: folders of cases, outcomes, and known differences.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::{fs, io};

/// One kind of recorded cases and the code that runs them.
pub(crate) struct Folder {
    /// Its name in the report, which the filter argument selects by.
    pub(crate) name: &'static str,
    /// Runs every case found under the root of the recorded cases; no cases if there are none.
    pub(crate) run: fn(&Path) -> Vec<Case>,
}

/// One recorded case with its outcome.
pub(crate) struct Case {
    /// Stable and unique, without tabs and line ends: it is the key of the table of known differences.
    pub(crate) id: String,
    pub(crate) outcome: Outcome,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    Passed,
    /// With the expected and the actual result.
    Failed(String),
    /// With the missing thing: a feature, or the means to read the case.
    NotRunnable(String),
}

impl Case {
    /// Runs one case; a panic is a failure of that case only.
    pub(crate) fn run(id: impl Into<String>, check: impl FnOnce() -> Outcome) -> Self {
        let outcome =
            catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|_| Outcome::Failed("it panicked".to_owned()));
        Self { id: id.into().replace(['\t', '\n', '\r'], " "), outcome }
    }
}

impl Outcome {
    /// Passed if both are equal.
    pub(crate) fn of_equal<T: PartialEq + std::fmt::Debug>(actual: &T, expected: &T) -> Self {
        if actual == expected {
            Self::Passed
        } else {
            Self::Failed(format!("expected {expected:?}\n     got {actual:?}"))
        }
    }
}

/// The result of a case once the known differences are taken into account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Passed,
    Known,
    Failed,
    NotRunnable,
    /// It passes although it is listed as a known difference.
    Stale,
}

/// The table of known differences: case id to reason.
pub(crate) struct KnownDifferences(BTreeMap<String, String>);

impl KnownDifferences {
    /// Reads lines of an id, a tab and a reason; blank lines and lines that start with `#` are for people.
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        let mut reasons = BTreeMap::new();
        for line in fs::read_to_string(path)?.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            match line.split_once('\t') {
                Some((id, reason)) if !reason.trim().is_empty() => reasons.insert(id.to_owned(), reason.to_owned()),
                _ => return Err(io::Error::other(format!("{}: no reason in the line {line:?}", path.display()))),
            };
        }
        Ok(Self(reasons))
    }

    pub(crate) fn standing(&self, case: &Case) -> Standing {
        match (&case.outcome, self.0.contains_key(&case.id)) {
            (Outcome::Passed, false) => Standing::Passed,
            (Outcome::Passed, true) => Standing::Stale,
            (Outcome::Failed(_), true) => Standing::Known,
            (Outcome::Failed(_), false) => Standing::Failed,
            (Outcome::NotRunnable(_), _) => Standing::NotRunnable,
        }
    }
}

/// The entries of a directory whose names start with `prefix` and end with `suffix`, by name; none if there is no
/// such directory.
pub(crate) fn entries(directory: &Path, prefix: &str, suffix: &str) -> Vec<(String, std::path::PathBuf)> {
    let Ok(listing) = fs::read_dir(directory) else { return Vec::new() };
    let mut entries: Vec<_> = listing
        .filter_map(|entry| entry.ok().map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())))
        .filter(|(name, _)| name.starts_with(prefix) && name.ends_with(suffix))
        .collect();
    entries.sort();
    entries
}
