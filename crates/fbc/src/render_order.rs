//! The order in which blobs are written (`docs/behaviour/fbc.md` 4.2).

use std::cmp::Ordering;

use super::blob::{Blob, Typed};

/// The rank of a blob among the others of its catalog. Blobs that compare equal stay in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rank {
    package: String,
    kind: u8,
    name: String,
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        // Blobs without package come last.
        (self.package.is_empty(), &self.package, self.kind, &self.name).cmp(&(
            other.package.is_empty(),
            &other.package,
            other.kind,
            &other.name,
        ))
    }
}

impl Rank {
    /// The rank of a blob; `None` if it is not written at all, because it has a shape but belongs to no package.
    pub fn of(blob: &Blob<'_>) -> Option<Self> {
        let package = &*blob.package;
        let (kind, name) = match &blob.typed {
            Typed::Package(_) => (0, ""),
            Typed::Channel(it) => (1, &*it.name),
            Typed::Bundle(it) => (2, &*it.name),
            Typed::Other if package.is_empty() => (3, ""),
            Typed::Other => (3, &*blob.schema),
            Typed::Deprecations(_) => (4, ""),
        };
        if package.is_empty() && !matches!(blob.typed, Typed::Other) {
            return None;
        }
        Some(Self { package: package.to_owned(), kind, name: name.to_owned() })
    }

    /// The rank of a bundle.
    pub fn of_bundle(package: &str, name: &str) -> Self {
        Self { package: package.to_owned(), kind: 2, name: name.to_owned() }
    }

    /// The package that the blob belongs to, or the empty text.
    pub fn package(&self) -> &str {
        &self.package
    }
}
