//! The references of catalogs' images.

use std::borrow::Borrow;

use crate::ask::State;
use crate::cli::lists::all_rules;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::compose::{self, Config};
use crate::fbc::has_tag_or_digest;
use crate::index::query::Filter;
use crate::index::{LightIndex, ListIndex};

/// The references of catalogs that the command line does not name.
pub(crate) struct CatalogReferences {
    /// The `olmdex.toml` that is found from the current directory.
    pub(crate) config: Option<Config>,
    /// Catalogs with the references that `--source-map` and the CatalogSources of a cluster give them.
    named: Vec<(String, String)>,
}

impl CatalogReferences {
    pub(crate) fn found(context: &Context) -> Result<Self, CommandError> {
        let current = std::env::current_dir().unwrap_or_default();
        let found = compose::find(&current, &[]).found;
        let config = found.map(|path| compose::read_found(&path, &all_rules(), context.found_config)).transpose()?;
        Ok(Self { config, named: Vec::new() })
    }

    /// The same, with those that the command line and the cluster name.
    pub(crate) fn named_in(mut self, state: &State<'_, impl Borrow<LightIndex>>) -> Result<Self, CommandError> {
        self.named.append(&mut state.catalog_references()?);
        Ok(self)
    }

    /// The reference of a catalog in an index: as the command line says; its name, if that is one; as `olmdex.toml`
    /// says; a label `image`; or the image that it was built from.
    pub(crate) fn of(&self, index: &ListIndex, name: &str) -> Result<Option<String>, CommandError> {
        if let Some((_, reference)) = self.named.iter().find(|(catalog, _)| catalog == name) {
            return Ok(Some(reference.clone()));
        }
        if name.contains('/') && has_tag_or_digest(name) {
            return Ok(Some(name.to_owned()));
        }
        let mut named = self.config.iter().flat_map(|config| &config.catalogs).filter(|catalog| catalog.name == name);
        if let Some(reference) = named.find_map(|catalog| catalog.image.clone()) {
            return Ok(Some(reference));
        }
        let filter = Filter::of_catalog(name);
        Ok(index.catalogs(&filter)?.pop().and_then(|row| {
            let of_source = row.source.strip_prefix("docker://").map(str::to_owned);
            row.labels.get("image").cloned().or(of_source)
        }))
    }
}
