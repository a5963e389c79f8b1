//! A catalog in a revision of the repository around the current directory: `git:REF:PATH`.
//!
//! Links in it are not followed.

use std::io;
use std::path::Path;

use crate::git::{GitError, ObjectLimits, Repository};
use crate::oci::ImageOptions;
use olmdex_fbc::TreeFile;

/// The files of a directory, or one file; `None` if the revision lacks it.
///
/// # Errors
/// If git cannot be run, finds no repository, or a limit is reached.
pub(super) fn files_in(reference: &str, path: &str, options: &ImageOptions) -> Result<Option<Vec<TreeFile>>, GitError> {
    if reference.is_empty() || reference.chars().any(|it| it.is_control() || it == ':') {
        return Err(GitError::NotPlain { text: reference.to_owned(), what: "a revision" });
    }
    let limits =
        ObjectLimits { each: options.limits, total: options.image_limit, may_lead_out: options.trusts_repositories };
    let mut repository = Repository::open(Path::new("."), &options.scratch, limits)?;
    let whole = repository.tree(reference, path)?;
    let (directory, only) = match (&whole, path.trim_matches('/').rsplit_once('/')) {
        (Some(_), _) => (whole, None),
        (None, Some((directory, file))) => (repository.tree(reference, directory)?, Some(file)),
        (None, None) => (repository.tree(reference, "")?, Some(path)),
    };
    let Some(directory) = directory else { return Ok(None) };
    let mut files = Vec::new();
    for change in repository.changes(None, &directory)? {
        let is_wanted = match only {
            Some(file) => matches!(&change.components[..], [name] if name == file.as_bytes()),
            // git itself never puts such a path into a repository.
            None => change.components.first().is_none_or(|name| name != b".git"),
        };
        let Some(file) = change.file.filter(|_| is_wanted) else { continue };
        let text = match file.is_link {
            true => Err(io::Error::other("it is a link")),
            false => Ok(repository.text(&file.digest)?),
        };
        files.push(TreeFile { components: change.components, text });
    }
    Ok(Some(files).filter(|files| only.is_none() || !files.is_empty()))
}
