//! Lifecycles as an argument: files in addition to the catalogs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::fbc::Input;
use crate::file::{MAX_WHOLE, read_named_of, system_words};
use crate::index::query::{Filter, LIFECYCLES_LABEL};
use crate::index::{CatalogSpec, Index};
use crate::openshift::{Lifecycle, SCHEMA, each_document};

/// The lifecycles of catalogs and of files, with their origins; if two are about one package, the first counts, and a
/// catalog takes precedence over a file.
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
        let text = read_named_of(path, MAX_WHOLE).map_err(|error| {
            CommandError::new(Exit::Input, format!("cannot read `{shown}`: {}", system_words(&error)))
        })?;
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
                    "`{shown}` and catalog `{catalog}` differ about `{package}`: olmdex uses the catalog"
                ));
            }
            found.push((shown.clone(), lifecycle));
        }
    }
    Ok(found)
}

/// The files with lifecycles as one catalog; `None` without files.
pub(crate) fn lifecycle_input(files: &[PathBuf]) -> Result<Option<Input>, CommandError> {
    let mut input = Input::default();
    for path in files {
        let shown = path.display().to_string();
        let text = read_named_of(path, MAX_WHOLE).map_err(|error| {
            CommandError::new(Exit::Input, format!("cannot read `{shown}`: {}", system_words(&error)))
        })?;
        let (mut n_lifecycles, mut other) = (0, None);
        each_document(&text, |value, line| match value.get("schema").and_then(|it| it.as_str()) {
            Some(schema) if schema == SCHEMA => n_lifecycles += 1,
            _ => other = other.or(Some(line)),
        })
        .map_err(|error| CommandError::new(Exit::Input, format!("`{shown}`, {error}")))?;
        if let Some(line) = other {
            let message = format!("`{shown}`, line {line}: this document is not a lifecycle");
            let help = format!("`--lifecycles` takes only blobs of the schema {SCHEMA}");
            return Err(CommandError::new(Exit::Input, message).help(help));
        }
        if n_lifecycles == 0 {
            return Err(CommandError::new(Exit::Input, format!("`{shown}` has no lifecycles")));
        }
        input.files.extend(Input::file(path).files);
    }
    Ok(if files.is_empty() { None } else { Some(input) })
}

/// The catalog of lifecycles from files: all other catalogs take precedence over it.
pub(crate) fn lifecycle_spec(files: &[PathBuf]) -> CatalogSpec {
    let sources: Vec<String> = files.iter().map(|it| it.display().to_string()).collect();
    CatalogSpec {
        name: LIFECYCLES_LABEL.to_owned(),
        priority: i64::from(i32::MIN),
        labels: BTreeMap::from([(LIFECYCLES_LABEL.to_owned(), "only".to_owned())]),
        source: sources.join(", "),
    }
}

/// Reports the differences between the lifecycles from files and those of catalogs.
pub(crate) fn warn_of_differences(context: &Context, all: &[(String, Lifecycle)]) {
    for (_, outside) in all.iter().filter(|it| it.0 == LIFECYCLES_LABEL) {
        let package = &outside.package;
        let inside = all.iter().find(|it| it.0 != LIFECYCLES_LABEL && it.1.package == *package);
        if let Some((catalog, _)) = inside.filter(|it| it.1 != *outside) {
            let words = format!(
                "the files and catalog `{catalog}` differ about the lifecycle of `{package}`: olmdex uses the catalog"
            );
            context.reporter.warning(&words);
        }
    }
}
