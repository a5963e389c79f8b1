//! The images of the kept parts (`docs/behaviour/authoring.md` D.3, "related images").

use std::collections::BTreeSet;

use super::catalog::{BundleFacts, Catalog};
use super::filter::{Filtered, PackageExtent};

/// The bundles that are kept, with their packages.
pub fn bundles<'c>(catalog: &'c Catalog, filtered: &'c Filtered) -> impl Iterator<Item = (&'c str, &'c BundleFacts)> {
    let kept = filtered.packages.iter().filter_map(|(name, kept)| Some((name.as_str(), kept.as_ref().ok()?)));
    kept.flat_map(move |(name, kept)| {
        let bundles = catalog.packages.get(name).map_or(&[] as &[BundleFacts], |it| &it.bundles);
        let is_kept = move |it: &&BundleFacts| match kept {
            PackageExtent::Whole => true,
            PackageExtent::Part(part) => part.bundles.contains(&it.name),
        };
        bundles.iter().filter(is_kept).map(move |it| (name, it))
    })
}

/// The images of the kept parts, each once.
#[must_use]
pub fn images<'c>(catalog: &'c Catalog, filtered: &'c Filtered) -> BTreeSet<&'c str> {
    bundles(catalog, filtered)
        .flat_map(|it| it.1.images.iter().map(String::as_str))
        .filter(|it| !it.is_empty())
        .collect()
}
