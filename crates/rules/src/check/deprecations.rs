//! Checks of one `olm.deprecations` blob by itself.

use std::collections::HashSet;

use super::facts::{DeprecationFacts, DeprecationsFacts, Phase};
use super::inspect::{Inspector, draft};
use super::rules;
use olmdex_fbc::{Deprecation, Deprecations};
use olmdex_version::Quoted;

impl Inspector {
    pub(super) fn deprecations(&mut self, deprecations: &Deprecations<'_>) -> DeprecationsFacts {
        let package = &*deprecations.package;
        let entries = deprecations.entries.as_deref().unwrap_or_default();
        let mut seen = HashSet::new();
        for (idx, entry) in entries.iter().enumerate() {
            let is_first = seen.insert((&*entry.schema, &*entry.name));
            self.deprecation(package, idx, entry, is_first);
        }
        DeprecationsFacts {
            package: package.to_owned(),
            entries: entries
                .iter()
                .map(|it| DeprecationFacts {
                    schema: it.schema.to_string(),
                    name: it.name.to_string(),
                    has_message: !it.message.is_empty(),
                })
                .collect(),
        }
    }

    /// Checks the subject of an entry, and whether it has a message. `is_first` tells whether it is the first of its
    /// equals.
    fn deprecation(&mut self, package: &str, idx: usize, entry: &Deprecation<'_>, is_first: bool) {
        let at = |field: &'static str| vec!["entries".into(), idx.into(), "reference".into(), field.into()];
        let (schema, name) = (&*entry.schema, &*entry.name);
        let go_reference =
            format!("declcfg.PackageScopedReference{{Schema:{}, Name:{}}}", Quoted(schema), Quoted(name));
        let step = deprecation_step(idx);
        if schema.is_empty() {
            let message = format!("deprecation {idx} of package `{package}` does not name its subject");
            let text = format!("schema must be set for deprecation entry [{idx}] for package {}", Quoted(package));
            self.push(draft(rules::DEPRECATION_WITHOUT_SCHEMA, message).at(at("schema")).opm(
                Phase::Deprecations,
                step,
                text,
            ));
        } else if !is_first {
            let message = format!("package `{package}`: `{schema}` `{name}` is deprecated twice");
            let text = format!("duplicate deprecation entry {go_reference} for package {}", Quoted(package));
            self.push(draft(rules::DUPLICATE_DEPRECATION, message).at(at("name")).opm(
                Phase::Deprecations,
                step + 1,
                text,
            ));
        } else if schema == "olm.package" {
            if !name.is_empty() {
                let message = format!("the deprecation of package `{package}` has a name (`{name}`)");
                let text = format!(
                    "package name must be empty for deprecated package {} (specified {})",
                    Quoted(package),
                    Quoted(name)
                );
                let it = draft(rules::DEPRECATED_PACKAGE_WITH_NAME, message).at(at("name")).help("remove the name");
                self.push(it.opm(Phase::Deprecations, step + 2, text));
            }
        } else if schema != "olm.channel" && schema != "olm.bundle" {
            let message = format!("package `{package}`: a deprecation cannot apply to a `{schema}`");
            let text = format!(
                "cannot deprecate object {go_reference} referenced by entry {idx} for package {}: object schema unknown",
                Quoted(package)
            );
            let it = draft(rules::UNKNOWN_DEPRECATION_SCHEMA, message).at(at("schema"));
            self.push(it.opm(Phase::Deprecations, step + 2, text));
        }
        if entry.message.is_empty() {
            let message = format!("deprecation {idx} of package `{package}` has no message");
            let path = vec!["entries".into(), idx.into(), "message".into()];
            self.push(draft(rules::DEPRECATION_WITHOUT_MESSAGE, message).at(path));
        }
    }
}

/// Rank of the first message about a deprecation.
pub(super) fn deprecation_step(idx: usize) -> u32 {
    u32::try_from(idx).unwrap_or(u32::MAX / 4).saturating_mul(4).saturating_add(100)
}
