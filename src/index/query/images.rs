//! The images that bundles use.
//!
//! What it deliberately does not do: it asks no registry.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::BundleSelector;
use crate::index::{Index, IndexError};

/// An image.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageUse {
    /// Its reference; empty if a bundle has an empty one.
    pub image: String,
    /// Whether the reference names its content by a digest, so that it stays what it is.
    pub has_digest: bool,
    /// The bundles that use it, by name.
    pub bundles: Vec<String>,
    /// What they call it, by name.
    pub names: Vec<String>,
}

const ALL: &str = "SELECT reference FROM image WHERE reference != '' ORDER BY reference";

pub(super) const STATEMENTS: &[(&str, &str)] = &[("references of all images", ALL)];

impl Index {
    /// The references of all images that bundles of the index use, sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn image_references(&self) -> Result<Vec<String>, IndexError> {
        self.rows(ALL, [], |row| row.get(0))
    }

    /// The images of bundles, given by catalog, package and name: their own and the related ones, each once.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn image_uses(&self, bundles: &[(String, String, String)]) -> Result<Vec<ImageUse>, IndexError> {
        let mut found: BTreeMap<String, ImageUse> = BTreeMap::new();
        for (catalog, package, bundle) in bundles {
            let selector = BundleSelector {
                catalogs: vec![catalog.clone()],
                package: Some(package.clone()),
                name: Some(bundle.clone()),
                version: None,
            };
            for detail in self.show_bundle(&selector)?.into_iter().take(1) {
                let own = (detail.row.image.clone(), String::new());
                let related = detail.related_images.into_iter().map(|it| (it.image, it.name));
                for (image, name) in std::iter::once(own).filter(|it| !it.0.is_empty()).chain(related) {
                    let has_digest = image.contains("@sha256:") || image.contains("@sha512:");
                    let entry = found.entry(image.clone()).or_insert_with(|| ImageUse {
                        image,
                        has_digest,
                        bundles: Vec::new(),
                        names: Vec::new(),
                    });
                    for (list, text) in [(&mut entry.bundles, bundle.clone()), (&mut entry.names, name)] {
                        if !text.is_empty() && !list.contains(&text) {
                            list.push(text);
                        }
                    }
                }
            }
        }
        Ok(found.into_values().collect())
    }
}
