//! The items of a catalog that changes are about.

use super::change::Subject;

/// A package, channel, entry or bundle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Thing {
    pub(super) package: String,
    pub(super) subject: Subject,
    pub(super) channel: String,
    pub(super) bundle: String,
}

impl Thing {
    pub(super) fn new(subject: Subject, package: &str, channel: &str, bundle: &str) -> Self {
        Self { package: package.to_owned(), subject, channel: channel.to_owned(), bundle: bundle.to_owned() }
    }

    pub(super) fn package_thing(&self) -> Self {
        Self::new(Subject::Package, &self.package, "", "")
    }

    /// The item that it is a part of.
    pub(super) fn container(&self) -> Option<Self> {
        match self.subject {
            Subject::Package => None,
            Subject::Entry => Some(Self::new(Subject::Channel, &self.package, &self.channel, "")),
            _ => Some(self.package_thing()),
        }
    }
}
