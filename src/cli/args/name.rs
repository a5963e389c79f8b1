//! Names as arguments.

use std::path::Path;

use crate::ask::{PackageName, Target};
use crate::cli::args::sources::{is_path, not_a_name};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::fbc::Name;
use crate::index::LightIndex;

/// Refuses a text that can only be a path, and an existing path that no catalog has as a name: it is more likely a
/// source than a channel of a package.
pub(crate) fn refuse_path(index: &LightIndex, text: &str) -> Result<(), CommandError> {
    if is_path(text) {
        return Err(not_a_name(text));
    }
    if Path::new(text).exists() {
        let name = PackageName::find(index, text)?;
        let is_known = name.installed.is_some() && matches!(Name::parse(text), Name::Plain(_));
        if !is_known && !index.package_names()?.contains(&name.package) {
            return Err(not_a_name(text));
        }
    }
    Ok(())
}

/// The package that a command treats as a whole, also if a part of it is named.
pub(crate) fn whole_package(context: &Context, index: &LightIndex, text: &str) -> Result<String, CommandError> {
    let name = package(index, text)?;
    if name.is_part() && index.package_names()?.contains(&name.package) {
        context.reporter.note(&format!(
            "`{text}` is a part of package `{}`, and this command takes whole packages only",
            name.package
        ));
    }
    Ok(name.package)
}

/// The packages that a command reads as a whole, before any source is open: `PKG@VERSION` and `PKG/CHANNEL` are parts.
pub(crate) fn whole_packages(context: &Context, texts: &[String]) -> Vec<String> {
    let whole = |text: &String| {
        let name = PackageName::parse(text);
        if name.is_part() {
            let package = &name.package;
            context.reporter.note(&format!(
                "`{text}` is a part of package `{package}`, and this command takes whole packages only"
            ));
        }
        name.package
    };
    texts.iter().map(whole).collect()
}

/// The package that an argument names, with the other parts of the name.
pub(crate) fn package(index: &LightIndex, text: &str) -> Result<PackageName, CommandError> {
    refuse_path(index, text)?;
    Ok(PackageName::find(index, text)?)
}

/// The bundle that an argument means.
pub(crate) fn target(index: &LightIndex, catalogs: &[String], text: &str) -> Result<Target, CommandError> {
    refuse_path(index, text)?;
    Ok(Target::find(index, catalogs, text)?)
}
