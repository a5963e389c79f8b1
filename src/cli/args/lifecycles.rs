//! Lifecycles as an argument: files besides the catalogs.
//!
//! What it deliberately does not do: it judges none.

use std::path::PathBuf;

use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, Exit};
use crate::index::Index;
use crate::index::query::Filter;
use crate::platform::Lifecycle;

/// The lifecycles of catalogs and of files, with where they come from; of two of one package the first, and a catalog goes before a file.
pub(crate) fn read_lifecycles(
    context: &Context,
    index: Option<&Index>,
    catalogs: &[String],
    files: &[PathBuf],
) -> Result<Vec<(String, Lifecycle)>, CommandError> {
    let mut found: Vec<(String, Lifecycle)> = Vec::new();
    if let Some(index) = index {
        found = index.lifecycles(&Filter { catalogs: catalogs.to_vec(), ..Filter::default() })?;
    }
    let n_inside = found.len();
    for path in files {
        let shown = path.display().to_string();
        let text = std::fs::read(path)
            .map_err(|error| CommandError::new(Exit::Input, format!("cannot read `{shown}`: {error}")))?;
        let read = Lifecycle::read_all(&text)
            .map_err(|error| CommandError::new(Exit::Input, format!("`{shown}`, {error}")))?;
        if read.is_empty() {
            context.reporter.warning(&format!("`{shown}` has no lifecycles"));
        }
        for lifecycle in read {
            let inside = found[..n_inside].iter().find(|it| it.1.package == lifecycle.package);
            if let Some((catalog, _)) = inside.filter(|it| it.1 != lifecycle) {
                let package = &lifecycle.package;
                context.reporter.warning(&format!(
                    "`{shown}` and catalog `{catalog}` differ about `{package}`; the catalog counts"
                ));
            }
            found.push((shown.clone(), lifecycle));
        }
    }
    Ok(found)
}
