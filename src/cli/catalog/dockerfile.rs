//! Writes the Dockerfile of a directory with a catalog, beside the directory.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::file::{finish_left, write_over};
use crate::scaffold::{DEFAULT_IMAGE, Dockerfile, parse_labels};

/// The labels of options.
pub(super) fn labels(texts: &[String]) -> Result<BTreeMap<String, String>, CommandError> {
    parse_labels(texts).map_err(|word| {
        CommandError::usage(format!("`{word}` is not a label")).help("write it as KEY=VALUE, without quotes")
    })
}

/// Writes a Dockerfile, unless there is one.
pub(super) fn write(context: &Context, directory: &Path, parts: &Dockerfile<'_>) -> CommandResult {
    if parts.builder == "scratch" || parts.builder.is_empty() {
        let error = CommandError::usage(format!("`{}` cannot be the builder image: it has no opm", parts.builder));
        return Err(error.help(format!("for example `--builder-image {DEFAULT_IMAGE}`")));
    }
    if parts.base.is_empty() {
        return Err(
            CommandError::usage("the base image is empty").help("use `scratch` for an image that serves nothing")
        );
    }
    if !directory.is_dir() {
        let error = CommandError::new(Exit::Input, format!("`{}` is not a directory", directory.display()));
        return Err(error.help("name the catalog's directory"));
    }
    let (target, name) = beside(directory)?;
    if target.symlink_metadata().is_ok() {
        finish_left(std::iter::once(target.as_path()));
        let error = CommandError::usage(format!("`{}` already exists", target.display()));
        return Err(error.help("delete it first"));
    }
    interrupt::undo_writes(context);
    write_over(&target, None, parts.text(&name).as_bytes())?;
    context.reporter.note(&format!("wrote {}", target.display()));
    if !directory.components().any(|it| matches!(it, Component::Normal(_))) {
        let file = target.display();
        context.reporter.warning(&format!(
            "`{file}` lies in the catalog's directory but is not part of the catalog: hide it with a line `{file}` in \
            `.indexignore`"
        ));
    }
    Ok(Exit::Yes)
}

/// The path of the Dockerfile beside a directory, and the directory's name in it.
fn beside(directory: &Path) -> Result<(PathBuf, String), CommandError> {
    let clean: PathBuf = directory.components().collect();
    // The directory itself is called by a dot, as opm does.
    let name = clean.file_name().map_or(".".to_owned(), |it| it.to_string_lossy().into_owned());
    if name.contains(['\n', '\r', ' ', '"']) || clean.ends_with("..") {
        let error = CommandError::usage(format!("a Dockerfile cannot express the directory name `{name}`"));
        return Err(error.help("rename the directory, or name it by another path"));
    }
    let file = format!("{name}.Dockerfile");
    let above = clean.parent().filter(|it| !it.as_os_str().is_empty() && clean.file_name().is_some());
    Ok((above.map_or_else(|| PathBuf::from(&file), |it| it.join(&file)), name))
}
