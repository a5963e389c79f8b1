//! Catalogs of an index, and of a directory, for several checks of catalogs.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::ask::openshift_of_catalog;
use crate::check;
use crate::cli::terminal::error::CommandError;
use crate::diag::Finding;
use crate::fbc::{Input, is_hidden};
use crate::index::Index;

/// Catalogs, by their names if they are those of an index.
pub(super) type CatalogParts = (Vec<(String, Input)>, Option<Index>);

/// The catalogs of an index, to be read once more.
pub(super) fn catalogs_of(path: &Path) -> Result<CatalogParts, CommandError> {
    let index = Index::open(path)?;
    let mut inputs = Vec::new();
    for name in index.catalog_names()? {
        let input = index.catalog_input(&name)?;
        inputs.push((name, input));
    }
    Ok((inputs, Some(index)))
}

/// The directories of a directory that has nothing but a catalog for each version of OpenShift, or catalogs of the same
/// files. A checker of commits names such a directory, since it expands no `*`.
pub(super) fn catalogs_below(path: &Path, input: &Input) -> Option<Vec<PathBuf>> {
    let visible = input.files.iter().filter(|file| !is_hidden(Path::new(file.relative())));
    let parts: Vec<(&str, &str)> = visible.map(|file| file.relative().split_once('/')).collect::<Option<_>>()?;
    let directories: BTreeSet<&str> = parts.iter().map(|part| part.0).collect();
    // A package often has a file of its name in a directory of its name.
    let is_telling = |rest: &str| !matches!(rest.split('.').next(), Some("catalog" | "index" | "bundle" | "package"));
    let mut seen: HashMap<&str, &str> = HashMap::new();
    let mut sharing: BTreeSet<&str> = BTreeSet::new();
    for (directory, rest) in parts.iter().filter(|part| is_telling(part.1)) {
        let first = seen.entry(rest).or_insert(directory);
        if first != directory {
            sharing.extend([*first, *directory]);
        }
    }
    let are_versions = directories.iter().all(|name| openshift_of_catalog(name).is_some());
    let are_alike = directories.len() > 1 && sharing == directories;
    (!directories.is_empty() && (are_versions || are_alike))
        .then(|| directories.iter().map(|it| path.join(it)).collect())
}

/// Directories that define each other's packages are more likely catalogs of their own than parts of one.
pub(super) fn point_to_catalogs(command: &str, path: &Path, input: &Input, found: &mut [Finding]) {
    let is_duplicate = |it: &&mut Finding| it.rule.id == check::rules::DUPLICATE_PACKAGE.id;
    if found.iter_mut().filter(is_duplicate).count() == 0 {
        return;
    }
    let relative = input.files.iter().map(|it| it.relative().split_once('/').map(|it| it.0));
    let Some(directories) = relative.collect::<Option<BTreeSet<&str>>>() else { return };
    let directory_of = |shown: &str| {
        let below = Path::new(shown).strip_prefix(path).ok()?;
        directories.get(below.iter().next()?.to_str()?).copied()
    };
    let mut involved: BTreeSet<&str> = BTreeSet::new();
    for finding in found.iter_mut().filter(is_duplicate) {
        let second = finding.place.as_ref().and_then(|it| directory_of(&it.file));
        let first = finding.help.as_deref().and_then(|it| directory_of(it.rsplit_once(" is at ")?.1));
        if let (Some(first), Some(second)) = (first, second)
            && first != second
        {
            involved.extend([first, second]);
        }
    }
    if involved.len() < 2 || involved != directories {
        return;
    }
    let root = path.display().to_string();
    let help = format!("these look like several catalogs: `olmdex {command} {}/*`", root.trim_end_matches('/'));
    found.iter_mut().filter(is_duplicate).for_each(|it| it.help = Some(help.clone()));
}
