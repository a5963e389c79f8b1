//! The one catalog that a command writes in another form.

use std::path::Path;

use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::fbc::Input;
use crate::index::Index;
use crate::source::Source;

/// Opens a source that must be one catalog: `catalog` names it in an index with several.
pub(crate) fn open(context: &Context, path: &Path, catalog: Option<&String>) -> Result<Input, CommandError> {
    match (context.open(path)?, catalog) {
        (Source::Catalog(input), None) => Ok(input),
        (Source::Catalog(_), Some(_)) => {
            Err(CommandError::usage(format!("`--catalog` chooses from an index, and `{}` is not one", path.display())))
        }
        (Source::Index(path), catalog) => {
            let index = Index::open(&path)?;
            let names = index.catalog_names()?;
            let name = match (catalog, names.as_slice()) {
                (Some(name), _) => {
                    crate::cli::args::sources::check_names(std::slice::from_ref(name), &names)?;
                    name
                }
                (None, [only]) => only,
                (None, []) => {
                    let message = format!("`{}` has no catalog", path.display());
                    return Err(CommandError::new(crate::cli::terminal::error::Exit::Input, message));
                }
                (None, _) => {
                    let message = format!("`{}` has several catalogs: {}", path.display(), names.join(", "));
                    return Err(CommandError::usage(message).help("choose one with `--catalog`"));
                }
            };
            Ok(index.catalog_input(name)?)
        }
    }
}
