//! Newer bundles for the locked ones, by upgrades that OLM makes.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::LockError;
use super::file::{Lock, LockedOperator};
use super::pin::{catalogs, fill, range};
use super::set::{Needed, add_dependencies};
use super::verify::check_catalogs;
use olmdex_index::Index;
use olmdex_index::query::Filter;
use olmdex_olm::resolve::Options;
use olmdex_olm::upgrade::{EngineQuestion, InstalledBundle, Olm, PackageView, UpgradePath, classic_path, v1_path};
use olmdex_version::Version;

/// The change of an operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LockChange {
    /// The package.
    pub package: String,
    /// The catalog.
    pub catalog: String,
    /// The bundle that was locked; empty for a new dependency.
    pub from: String,
    /// The bundle that is locked now; empty for a dependency that nothing needs any more.
    pub to: String,
    /// The bundles that OLM installs on the way, the last one included.
    pub steps: Vec<LockStep>,
    /// Why it ends there.
    pub reason: String,
}

/// A bundle on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LockStep {
    /// Its name.
    pub bundle: String,
    /// Its version.
    pub version: String,
}

/// A lock that was brought up to date.
#[derive(Debug, Clone)]
pub struct Update {
    /// The lock.
    pub lock: Lock,
    /// The change of each operator in the request, and of others that change because of it.
    pub changes: Vec<LockChange>,
    /// Demands that nothing meets.
    pub missing: Vec<String>,
    /// Whether a version that was asked for is not reached.
    pub is_refused: bool,
}

/// Moves operators along the upgrades that OLM makes: those of these packages, or all of them, and up to a version if
/// one is given.
///
/// # Errors
/// [`LockError`]
pub fn update(
    index: &Index,
    lock: &Lock,
    packages: &[String],
    precise: Option<&str>,
    options: &Options,
) -> Result<Update, LockError> {
    check_catalogs(index, lock)?;
    if let Some(name) = packages.iter().find(|name| lock.operators.iter().all(|it| it.package != **name)) {
        let known = lock.operators.iter().map(|it| it.package.clone()).collect();
        return Err(LockError::Unknown { what: "package", name: name.clone(), of: "the lock".to_owned(), known });
    }
    let mut update = Update { lock: lock.clone(), changes: Vec::new(), missing: Vec::new(), is_refused: false };
    let is_meant = |it: &LockedOperator| packages.is_empty() || packages.contains(&it.package);
    // Dependencies follow the operators that need them.
    for operator in update.lock.operators.iter_mut().filter(|it| it.required_by.is_empty() && is_meant(it)) {
        let lock_path = lock_path(index, operator, precise)?;
        update.is_refused |= precise.is_some() && !lock_path.is_reached;
        update.changes.push(go(index, operator, lock_path, precise.is_some())?);
    }
    if lock.operators.iter().any(|it| !it.required_by.is_empty()) {
        let Needed { dependencies, missing } = add_dependencies(index, &mut update.lock.operators, options)?;
        update.missing = missing;
        for new in dependencies.iter().filter(|it| is_meant(it)) {
            let is_it = |it: &&mut LockedOperator| (&it.catalog, &it.package) == (&new.catalog, &new.package);
            if let Some(old) = update.lock.operators.iter_mut().find(is_it) {
                let lock_path = lock_path(index, old, Some(&new.bundle))?;
                update.changes.push(go(index, old, lock_path, true)?);
            }
        }
        note_dependencies(lock, &mut update);
    }
    update.lock.catalogs = catalogs(index, &update.lock.operators)?;
    update.lock.sort();
    update.lock.operators.dedup();
    Ok(update)
}

/// Takes an operator along a way. If `is_whole` demands the whole way and it does not lead to its end, the operator
/// stays.
fn go(
    index: &Index,
    operator: &mut LockedOperator,
    lock_path: LockPath,
    is_whole: bool,
) -> Result<LockChange, LockError> {
    let steps = if is_whole && !lock_path.is_reached { Vec::new() } else { lock_path.steps };
    let from = operator.bundle.clone();
    if let Some(last) = steps.last() {
        operator.bundle.clone_from(&last.bundle);
    }
    // Facts that have changed under the same name of a bundle are taken over as well.
    fill(index, operator)?;
    let (package, catalog) = (operator.package.clone(), operator.catalog.clone());
    Ok(LockChange { package, catalog, from, to: operator.bundle.clone(), steps, reason: lock_path.reason })
}

/// Reports which dependencies are new, and which are gone.
fn note_dependencies(old: &Lock, update: &mut Update) {
    let has = |lock: &Lock, it: &LockedOperator| {
        lock.operators.iter().any(|other| (&other.catalog, &other.package) == (&it.catalog, &it.package))
    };
    let new: Vec<LockedOperator> = update.lock.operators.iter().filter(|it| !has(old, it)).cloned().collect();
    for it in &new {
        update.changes.retain(|change| (&change.catalog, &change.package) != (&it.catalog, &it.package));
        let (package, catalog, to) = (it.package.clone(), it.catalog.clone(), it.bundle.clone());
        let reason = it.because.join("; ");
        update.changes.push(LockChange { package, catalog, from: String::new(), to, steps: Vec::new(), reason });
    }
    for it in old.operators.iter().filter(|it| !has(&update.lock, it)) {
        update.changes.retain(|change| (&change.catalog, &change.package) != (&it.catalog, &it.package));
        update.changes.push(LockChange {
            package: it.package.clone(),
            catalog: it.catalog.clone(),
            from: it.bundle.clone(),
            to: String::new(),
            steps: Vec::new(),
            reason: "no operator requires it any more".to_owned(),
        });
    }
}

/// The upgrades of OLM from a locked bundle.
pub(super) struct LockPath {
    pub(super) steps: Vec<LockStep>,
    pub(super) is_reached: bool,
    pub(super) reason: String,
}

/// The upgrades that OLM makes from a locked bundle, as far as the requested range allows, and up to a version if one
/// is given.
pub(super) fn lock_path(index: &Index, operator: &LockedOperator, to: Option<&str>) -> Result<LockPath, LockError> {
    let filter = Filter::of_catalog(&operator.catalog);
    let view = PackageView::read(index, &filter, &operator.package)?;
    let stays = |reason: String| LockPath { steps: Vec::new(), is_reached: false, reason };
    let Some(graph) = view.graphs.first() else {
        return Ok(stays(format!("catalog `{}` no longer has the package", operator.catalog)));
    };
    let is_in_catalog = graph.bundles.iter().any(|it| it.name == operator.bundle);
    let from = InstalledBundle::named(operator.bundle.clone(), operator.version.clone(), is_in_catalog);
    let target = match to {
        None => None,
        Some(text) => match view.find(text) {
            Some(found) => Some(found.name),
            None => return Ok(stays(format!("no version {text}"))),
        },
    };
    if target.as_deref() == Some(&operator.bundle) {
        return Ok(LockPath { is_reached: true, ..stays(format!("{} is locked", operator.bundle)) });
    }
    let channels = Some(operator.channel.clone()).filter(|it| !it.is_empty()).into_iter().collect();
    let asked = EngineQuestion { installed: Some(from.clone()), channels, ..EngineQuestion::default() };
    let path = match operator.olm {
        Olm::Classic => classic_path(&view, graph, &asked, &from, target.as_deref()),
        Olm::V1 => {
            let asked = EngineQuestion { version: operator.constraint.clone(), ..asked };
            v1_path(&view, &asked, &from, target.as_deref())
        }
    };
    cut(operator, path, target.as_deref())
}

/// Ends a way before it leaves the range, and at its target.
fn cut(operator: &LockedOperator, path: UpgradePath, target: Option<&str>) -> Result<LockPath, LockError> {
    let mut lock_path = LockPath { steps: Vec::new(), is_reached: path.is_reached, reason: path.reason };
    // OLM v1 keeps to the range itself.
    let is_in = range(if operator.olm == Olm::Classic { &operator.constraint } else { "" })?;
    for step in path.steps {
        if !Version::parse(&step.target.version).is_ok_and(|it| is_in(&it)) {
            lock_path.reason =
                format!("the next version is {}, which is not in `{}`", step.target.bundle, operator.constraint);
            lock_path.is_reached = false;
            break;
        }
        let is_target = target == Some(step.target.bundle.as_str());
        lock_path.steps.push(LockStep { bundle: step.target.bundle, version: step.target.version });
        if is_target {
            break;
        }
    }
    Ok(lock_path)
}
