//! Whether packages, channels and bundles are deprecated, or have errors.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BundleRow, ChannelRow, Filter, Hit, PackageRow};
use crate::{Index, IndexError};
use olmdex_base::variant_name;

/// The status of a package, channel or bundle in lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Status {
    /// neither deprecated nor invalid
    Current,
    /// deprecated by its own entry
    Deprecated,
    // Whether it is deprecated or not.
    /// a package with errors
    Invalid,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Current, Self::Deprecated, Self::Invalid];

    /// The word for it.
    pub fn word(self) -> &'static str {
        variant_name(&self)
    }

    /// The status with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }

    fn of(deprecation: Option<&String>) -> Self {
        if deprecation.is_some() { Self::Deprecated } else { Self::Current }
    }
}

impl PackageRow {
    /// Its status.
    pub fn status(&self) -> Status {
        if self.is_valid { Status::of(self.deprecation.as_ref()) } else { Status::Invalid }
    }
}

impl ChannelRow {
    /// Its status.
    pub fn status(&self) -> Status {
        Status::of(self.deprecation.as_ref())
    }
}

impl BundleRow {
    /// Its status.
    pub fn status(&self) -> Status {
        Status::of(self.deprecation.as_ref())
    }
}

impl Index {
    /// Keeps the packages with one of these statuses; all if there are none.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn retain_with_status(&self, hits: &mut Vec<Hit>, statuses: &[Status]) -> Result<(), IndexError> {
        if statuses.is_empty() {
            return Ok(());
        }
        let rows = self.packages(&Filter::default())?;
        let kept: HashSet<(&str, &str)> = rows
            .iter()
            .filter(|it| statuses.contains(&it.status()))
            .map(|it| (it.catalog.as_str(), it.package.as_str()))
            .collect();
        hits.retain(|it| kept.contains(&(it.catalog.as_str(), it.package.as_str())));
        Ok(())
    }
}
