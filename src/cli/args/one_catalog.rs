//! The one catalog that a command writes in another form.

use std::path::Path;

use crate::ask::only_catalog;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::fbc::Input;

/// Opens a source that must be one catalog: `catalog` names it in an index with several.
pub(crate) fn open(context: &Context, path: &Path, catalog: Option<&String>) -> Result<Input, CommandError> {
    let source = context.open(path)?;
    Ok(only_catalog(path, &source, catalog.map(String::as_str), None)?.input()?.into_owned())
}
