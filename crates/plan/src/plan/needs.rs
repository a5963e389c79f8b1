//! The needs of bundles among each other: the order of operators that are updated together.

use std::collections::{BTreeMap, BTreeSet};

use super::catalogs::Catalogs;
use olmdex_index::IndexError;
use olmdex_index::query::Filter;
use olmdex_text::json;

/// The provisions and needs of a bundle.
#[derive(Debug, Clone, Default)]
pub(super) struct Needs {
    packages: BTreeSet<String>,
    required: BTreeSet<String>,
    provided: BTreeSet<String>,
}

impl Needs {
    /// The needs of a bundle of a package in some catalogs.
    pub(super) fn of(
        catalogs: &Catalogs<'_>,
        names: &[String],
        package: &str,
        bundle: &str,
    ) -> Result<Self, IndexError> {
        let mut needs = Self::default();
        if names.is_empty() {
            return Ok(needs);
        }
        let filter = Filter { catalogs: names.to_vec(), ..Filter::default() };
        for property in catalogs.index().properties_of(&filter, package, bundle)? {
            let mut reader = json::Reader::new();
            let Ok(value) = reader.read(&property.value) else { continue };
            let field = |name: &str| value.text_of_field(name);
            let api = || format!("{}/{}/{}", field("group"), field("version"), field("kind"));
            match &*property.kind {
                "olm.package.required" => drop(needs.packages.insert(field("packageName"))),
                "olm.gvk.required" => drop(needs.required.insert(api())),
                "olm.gvk" => drop(needs.provided.insert(api())),
                _ => {}
            }
        }
        Ok(needs)
    }

    /// Whether it needs another bundle, which is of a package.
    pub(super) fn has(&self, package: &str, other: &Self) -> bool {
        self.packages.contains(package) || self.required.iter().any(|it| other.provided.contains(it))
    }
}

/// Packages in the order of their dependencies; those that need each other by name.
pub(super) fn order(needs: &BTreeMap<String, Needs>) -> Vec<String> {
    let mut left: BTreeSet<&String> = needs.keys().collect();
    let mut order = Vec::new();
    while let Some(first) = left.first().copied() {
        let is_free = |package: &&&String| {
            !left.iter().any(|other| *other != **package && needs[**package].has(other, &needs[*other]))
        };
        let next = left.iter().find(is_free).copied().unwrap_or(first);
        left.remove(next);
        order.push(next.clone());
    }
    order
}
