//! Repositories of operators as arguments.

use std::path::Path;

use crate::cli::terminal::error::{CommandError, Exit};
use crate::community::{self, Operator, Repository};
use crate::file::system_words;

/// The operators of a repository, or the one in this directory.
pub(crate) fn operators_of(directory: &Path) -> Result<Vec<Operator>, CommandError> {
    let mut all = directory.join("operators");
    let is_repository = || Repository::around(directory).is_some_and(|repository| repository.is_at(directory));
    if !(all.symlink_metadata().is_ok_and(|it| it.is_dir()) && is_repository()) {
        if crate::bundle::is_bundle(directory) {
            let error = CommandError::usage(format!(
                "`{}` is the directory of one version of an operator",
                directory.display()
            ));
            return Err(error.help("name the directory of the operator, one level up"));
        }
        match Operator::open(directory) {
            // A user who names the directory of all operators means each of them.
            Err(community::RepositoryError::NotAnOperator(_)) if directory.ends_with("operators") => {
                all = directory.to_owned();
            }
            other => return Ok(vec![other?]),
        }
    }
    let unreadable = |error: std::io::Error| {
        CommandError::new(Exit::Input, format!("cannot read `{}`: {}", all.display(), system_words(&error)))
            .help("check the permissions")
    };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&all).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if entry.file_type().is_ok_and(|it| it.is_dir()) {
            names.push(entry.path());
        }
    }
    names.sort();
    let mut operators = Vec::new();
    for path in names {
        match Operator::open(&path) {
            Ok(operator) => operators.push(operator),
            Err(community::RepositoryError::NotAnOperator(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(operators)
}
