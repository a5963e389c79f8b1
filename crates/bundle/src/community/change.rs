//! The findings of the pipelines about the extent of a change: of a repository before and after it
//! (`docs/behaviour/authoring.md` F.3).

use std::collections::BTreeSet;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::operator::Operator;
use super::repository::{CATALOG_NAMES, Repository, is_operator};
use super::rules;
use olmdex_base::diag::{Finding, Listed, Place, Rule};
use olmdex_base::file::open_regular;
use olmdex_fbc::{Document, Input, Typed, load_all};

/// The parts that a change touches.
#[derive(Debug, Default)]
struct Extent {
    operators: BTreeSet<String>,
    added: BTreeSet<(String, String)>,
    modified: BTreeSet<(String, String)>,
    deleted: BTreeSet<(String, String)>,
    /// Catalog and operator.
    catalogs: BTreeSet<(String, String)>,
    others: BTreeSet<String>,
}

/// The findings of the pipelines about a change from one state of a repository to another.
///
/// # Errors
/// If a directory or file of either cannot be read.
pub fn check_change(old: &Path, new: &Repository) -> io::Result<Vec<Finding>> {
    let extent = extent(old, &new.root)?;
    let mut found = Vec::new();
    let mut add = |rule: &'static Rule, check, path: PathBuf, message: String, help: &str| {
        let place = Place::at_line(&path.display().to_string(), 1);
        found.push(rule.finding(message).at(place).help(help).check(check));
    };
    let at = |(operator, version): &(String, String)| new.root.join("operators").join(operator).join(version);
    let Extent { operators, added, modified, deleted, catalogs, others } = &extent;
    for path in others {
        let help = "leave it out of the change; a catalog has a file `catalog.yaml`, `catalog.yml` or `catalog.json`";
        let message = format!("the change affects `{path}`, which belongs to no operator");
        add(rules::OUTSIDE, "check_extra_files", new.root.join(path), message, help);
    }
    let has_bundles = !(added.is_empty() && modified.is_empty() && deleted.is_empty());
    if operators.len() > 1 && has_bundles {
        let message = format!("the change affects bundles and several operators: {}", Listed::quoted(operators.iter()));
        add(
            rules::SEVERAL_CHANGED,
            "check_affected_operators",
            new.root.join("operators"),
            message,
            "send a separate change for each",
        );
    }
    for bundle in modified {
        let message = format!("the change modifies bundle `{}/{}`", bundle.0, bundle.1);
        add(rules::BUNDLE_MODIFIED, "check_modified_bundles", at(bundle), message, "publish a new version");
    }
    let shown = |all: &BTreeSet<(String, String)>| Listed::quoted(all.iter().map(|it| format!("{}/{}", it.0, it.1)));
    if let Some(second) = added.iter().nth(1) {
        let message = format!("the change adds several bundles: {}", shown(added));
        add(rules::SEVERAL_CHANGED, "check_added_bundles", at(second), message, "send a separate change for each");
    }
    if let (Some(first), false) = (added.first(), deleted.is_empty()) {
        let message = format!("the change adds {} and deletes {}", shown(added), shown(deleted));
        add(rules::SEVERAL_CHANGED, "check_added_bundles", at(first), message, "send two changes");
    }
    let touched: BTreeSet<(String, String)> = added.union(modified).cloned().collect();
    if let (Some(first), false) = (touched.first(), catalogs.is_empty()) {
        let message = format!("the change affects bundles ({}) and catalogs ({})", shown(&touched), shown(catalogs));
        let help = "send two changes: the bundle first, and its catalogs when it is published";
        add(rules::BUNDLE_AND_CATALOG, "check_affected_catalog_operators", at(first), message, help);
    }
    for (bundle, message, help) in deletions(old, new, deleted) {
        add(rules::BUNDLE_DELETED, "check_deleted_bundles", at(&bundle), message, help);
    }
    Ok(found)
}

type Deletion = ((String, String), String, &'static str);

/// The bundles that must not be deleted.
fn deletions(old: &Path, new: &Repository, deleted: &BTreeSet<(String, String)>) -> Vec<Deletion> {
    let mut found = Vec::new();
    for bundle in deleted {
        let (name, version) = bundle;
        let Ok(operator) = Operator::open(&old.join("operators").join(name)) else { continue };
        if !operator.settings.is_fbc {
            let message =
                format!("the change deletes bundle `{name}/{version}`, but the operator does not set `fbc.enabled`");
            found.push((bundle.clone(), message, "keep it"));
        }
        let csv_name = operator.versions.iter().find(|it| it.name == *version).and_then(|it| it.facts.csv_name.clone());
        let Some(csv_name) = csv_name else { continue };
        let users = new.catalogs().into_iter().filter(|it| it.operator == *name);
        let users = users.filter(|it| CATALOG_NAMES.iter().any(|file| holds(&it.path.join(file), &csv_name)));
        let users = Listed::quoted(users.map(|it| it.catalog)).to_string();
        if !users.is_empty() {
            let message = format!("the change deletes bundle `{name}/{version}`, which catalogs hold: {users}");
            found.push((bundle.clone(), message, "remove it from the catalogs first"));
        }
    }
    found
}

/// Whether a catalog file holds a bundle.
fn holds(file: &Path, name: &str) -> bool {
    let is_it = |document: Document<'_>| match document.blob.map(|blob| blob.typed) {
        Ok(Typed::Bundle(bundle)) => bundle.name == name,
        _ => false,
    };
    file.is_file() && load_all(&Input::file(file), &is_it).contains(&true)
}

fn extent(old: &Path, new: &Path) -> io::Result<Extent> {
    let mut extent = Extent::default();
    let is_in = |root: &Path, operator: &str| is_operator(&root.join("operators").join(operator));
    let is_bundle = |root: &Path, operator: &str, version: &str| {
        is_in(root, operator) && crate::bundle::is_bundle(&root.join("operators").join(operator).join(version))
    };
    let is_catalog = |root: &Path, catalog: &str, operator: &str| {
        let path = root.join("catalogs").join(catalog).join(operator);
        CATALOG_NAMES.iter().any(|it| path.join(it).exists())
    };
    for path in changed(old, new)? {
        match path.split('/').collect::<Vec<_>>().as_slice() {
            ["operators", operator, version, ..] if is_in(old, operator) || is_in(new, operator) => {
                extent.operators.insert((*operator).to_owned());
                let bundle = ((*operator).to_owned(), (*version).to_owned());
                match (is_bundle(old, operator, version), is_bundle(new, operator, version)) {
                    (false, true) => extent.added.insert(bundle),
                    (true, true) => extent.modified.insert(bundle),
                    (true, false) => extent.deleted.insert(bundle),
                    (false, false) => false,
                };
            }
            ["catalogs", catalog, operator, ..]
                if is_catalog(old, catalog, operator) || is_catalog(new, catalog, operator) =>
            {
                extent.catalogs.insert(((*catalog).to_owned(), (*operator).to_owned()));
            }
            _ => {
                extent.others.insert(path);
            }
        }
    }
    Ok(extent)
}

/// The files that are in one of two trees only, or differ, as paths below them.
fn changed(old: &Path, new: &Path) -> io::Result<BTreeSet<String>> {
    let (before, after) = (files(old)?, files(new)?);
    let mut changed: BTreeSet<String> = before.symmetric_difference(&after).cloned().collect();
    for path in before.intersection(&after) {
        if !is_same(&old.join(path), &new.join(path))? {
            changed.insert(path.clone());
        }
    }
    Ok(changed)
}

/// All files below a directory, but for git's own.
fn files(root: &Path) -> io::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![String::new()];
    while let Some(below) = waiting.pop() {
        for entry in std::fs::read_dir(root.join(&below))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            if path == ".git" {
                continue;
            }
            if entry.file_type()?.is_dir() {
                waiting.push(path);
            } else {
                found.insert(path);
            }
        }
    }
    Ok(found)
}

fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    let (first, second) = (one.symlink_metadata()?, other.symlink_metadata()?);
    if first.is_symlink() || second.is_symlink() {
        let target = |path: &Path| path.read_link().ok();
        return Ok(first.is_symlink() == second.is_symlink() && target(one) == target(other));
    }
    if first.len() != second.len() {
        return Ok(false);
    }
    let (mut one, mut other) = (open_regular(one)?, open_regular(other)?);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    loop {
        left.clear();
        right.clear();
        let n = one.by_ref().take(1 << 16).read_to_end(&mut left)?;
        other.by_ref().take(1 << 16).read_to_end(&mut right)?;
        if left != right {
            return Ok(false);
        }
        if n == 0 {
            return Ok(true);
        }
    }
}
