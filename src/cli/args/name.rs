//! Names as arguments.

use std::path::Path;

use crate::ask::{PackageName, Target};
use crate::cli::terminal::error::{CommandError, Exit};
use crate::fbc::Name;
use crate::index::Index;

/// A name that is a path is more likely a source than a channel of a package.
pub(crate) fn refuse_path(index: &Index, text: &str) -> Result<(), CommandError> {
    let package = text.split(['@', '/']).next().unwrap_or_default();
    if Path::new(text).exists() && !index.package_names()?.iter().any(|it| it == package) {
        let error = CommandError::new(Exit::NotFound, format!("`{text}` is a file or directory, not a package"));
        return Err(error.help(format!("to query it, give it as a source: `-i {text}`")));
    }
    Ok(())
}

/// The package that a command looks at as a whole.
pub(crate) fn whole_package(index: &Index, text: &str) -> Result<String, CommandError> {
    if matches!(Name::parse(text), Name::Plain(_)) {
        refuse_path(index, text)?;
    }
    Ok(PackageName::whole(index, text)?)
}

/// The package that an argument names, with what it says besides.
pub(crate) fn package(index: &Index, text: &str) -> Result<PackageName, CommandError> {
    refuse_path(index, text)?;
    Ok(PackageName::find(index, text)?)
}

/// The bundle that an argument means.
pub(crate) fn target(index: &Index, catalogs: &[String], text: &str) -> Result<Target, CommandError> {
    refuse_path(index, text)?;
    Ok(Target::find(index, catalogs, text)?)
}

/// The bundles that an argument means: one, or those of a range of versions.
pub(crate) fn targets(index: &Index, catalogs: &[String], text: &str) -> Result<Vec<Target>, CommandError> {
    refuse_path(index, text)?;
    Ok(Target::find_all(index, catalogs, text)?)
}
