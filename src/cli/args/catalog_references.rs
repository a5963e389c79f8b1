//! The references of catalogs' images.

use crate::cli::lists::all_rules;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::compose::{self, Config};
use crate::index::ListIndex;
use crate::index::query::Filter;

/// The references of catalogs that the command line does not name.
pub(crate) struct CatalogReferences {
    /// The `olmdex.toml` that is found from the current directory.
    pub(crate) config: Option<Config>,
}

impl CatalogReferences {
    pub(crate) fn found(context: &Context) -> Result<Self, CommandError> {
        let current = std::env::current_dir().unwrap_or_default();
        let found = compose::find(&current, &[]).found;
        let config = found.map(|path| compose::read_found(&path, &all_rules(), context.found_config)).transpose()?;
        Ok(Self { config })
    }

    /// The reference of a catalog in an index: its name, if that is one; as `olmdex.toml` says; a label `image`; or the
    /// image that it was built from.
    pub(crate) fn of(&self, index: &ListIndex, name: &str) -> Result<Option<String>, CommandError> {
        if name.contains('/') && name.contains([':', '@']) {
            return Ok(Some(name.to_owned()));
        }
        let mut named = self.config.iter().flat_map(|config| &config.catalogs).filter(|catalog| catalog.name == name);
        if let Some(reference) = named.find_map(|catalog| catalog.image.clone()) {
            return Ok(Some(reference));
        }
        let filter = Filter { catalogs: vec![name.to_owned()], ..Filter::default() };
        Ok(index.catalogs(&filter)?.pop().and_then(|row| {
            let of_source = row.source.strip_prefix("docker://").map(str::to_owned);
            row.labels.get("image").cloned().or(of_source)
        }))
    }
}
