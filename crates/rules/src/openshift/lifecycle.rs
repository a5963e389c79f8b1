//! Lifecycle blobs: the support phases of an operator's minor versions (`docs/behaviour/platform.md` 1).
//!
//! Reading never fails: a part with another form is left out, and [`super::lifecycle_defects`] reports it.

use super::text::{TextError, each_document, items_of};
use olmdex_constraint::openshift::Minor;
use olmdex_text::calendar::Day;
use olmdex_text::json::{Kind, Value};

/// The schema of lifecycle blobs.
pub const SCHEMA: &str = "io.openshift.operators.lifecycles.v1alpha1";

/// The name of the only platform in today's lifecycles.
pub const OPENSHIFT: &str = "openshift";

/// The lifecycle of a package.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lifecycle {
    /// The package.
    pub package: String,
    /// Its minor versions, in the order of the blob.
    pub versions: Vec<LifecycleVersion>,
}

/// The lifecycle of a minor version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LifecycleVersion {
    /// Its name.
    pub name: String,
    /// Its phases that have both dates, in the order of the blob.
    pub phases: Vec<Phase>,
    /// The platforms that it is made for; `None` if the blob does not name any.
    pub platforms: Option<Vec<PlatformVersions>>,
}

/// A phase of support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// Its first day.
    pub start: Day,
    /// Its last day.
    pub end: Day,
}

/// The versions of a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformVersions {
    /// Its name.
    pub name: String,
    /// Its minor versions, as they are written.
    pub versions: Vec<String>,
}

/// The major and minor number of a text, as the console takes them: from the first number in it and the one behind its
/// dot; without a dot the minor is 0. `None` without a number.
pub fn coerce(text: &str) -> Option<Minor> {
    /// Longer digit strings are not numbers.
    const MAX_DIGITS: usize = 16;
    let bytes = text.as_bytes();
    let digits = |at: usize| bytes[at.min(bytes.len())..].iter().take_while(|it| it.is_ascii_digit()).count();
    let mut at = 0;
    while at < bytes.len() {
        let n_digits = digits(at);
        if n_digits == 0 {
            at += 1;
            continue;
        }
        let end = at + n_digits;
        if n_digits > MAX_DIGITS {
            at = end;
            continue;
        }
        let n_minor = if bytes.get(end) == Some(&b'.') { digits(end + 1) } else { 0 };
        let minor =
            if (1..=MAX_DIGITS).contains(&n_minor) { text[end + 1..end + 1 + n_minor].parse().ok()? } else { 0 };
        return Some(Minor { major: text[at..end].parse().ok()?, minor });
    }
    None
}

impl Lifecycle {
    /// Reads a blob.
    pub fn read(blob: Value<'_>) -> Self {
        let versions = items_of(blob, "versions").map(LifecycleVersion::read).collect();
        Self { package: blob.text_of("package"), versions }
    }

    /// Reads all lifecycle blobs of a text; other documents are skipped.
    ///
    /// # Errors
    /// If it is neither YAML nor JSON.
    pub fn read_all(text: &[u8]) -> Result<Vec<Self>, TextError> {
        let mut all = Vec::new();
        each_document(text, |value, _| {
            if value.get("schema").and_then(|it| it.as_str()).is_some_and(|it| it == SCHEMA) {
                all.push(Self::read(value));
            }
        })?;
        Ok(all)
    }

    /// The entry of a version of the operator: the first with its major and minor number.
    pub fn version(&self, version: &str) -> Option<&LifecycleVersion> {
        let wanted = coerce(version)?;
        self.versions.iter().find(|it| coerce(&it.name) == Some(wanted))
    }
}

impl LifecycleVersion {
    fn read(value: Value<'_>) -> Self {
        let phases = items_of(value, "phases").filter_map(|it| {
            let day = |key: &str| Day::parse(&it.text_of(key));
            Some(Phase { name: it.text_of("name"), start: day("startDate")?, end: day("endDate")? })
        });
        let platforms = value.get("platformCompatibility").filter(|it| it.kind() == Kind::Array).map(|it| {
            let platform = |it: Value<'_>| PlatformVersions {
                name: it.text_of("name"),
                versions: items_of(it, "versions").filter_map(|it| Some(it.as_str()?.into_owned())).collect(),
            };
            it.items().map(platform).collect()
        });
        Self { name: value.text_of("name"), phases: phases.collect(), platforms }
    }

    /// The OpenShift versions that it is made for, as they are written; `None` if the blob names none.
    pub fn openshift(&self) -> Option<&[String]> {
        let platforms = self.platforms.as_ref()?;
        Some(&platforms.iter().find(|it| it.name == OPENSHIFT)?.versions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_taken_as_the_console_takes_them() {
        for (text, wanted) in [
            ("v4.12.3", Some((4, 12))),
            ("4.12", Some((4, 12))),
            ("4.12.3-0.1664", Some((4, 12))),
            ("0.0.0-4.99.0-techpreview", Some((0, 0))),
            ("4", Some((4, 0))),
            ("4.x", Some((4, 0))),
            ("release 4.10", Some((4, 10))),
            ("12345678901234567 4.1", Some((4, 1))),
            ("latest", None),
            ("", None),
        ] {
            assert_eq!(coerce(text).map(|it| (it.major, it.minor)), wanted, "{text}");
        }
    }
}
