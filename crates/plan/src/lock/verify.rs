//! Compares the locked bundles with the catalogs (`docs/behaviour/authoring.md` E.7).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::LockError;
use super::file::{Lock, LockedOperator};
use super::pin::{Ask, fill, pin};
use olmdex_index::Index;
use olmdex_index::query::Filter;
use olmdex_olm::upgrade::PackageView;
use olmdex_version::Version;

/// A difference from the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Drift {
    /// The kind of the change.
    pub kind: DriftKind,
    /// The package.
    pub package: String,
    /// The catalog.
    pub catalog: String,
    /// The locked bundle.
    pub bundle: String,
    /// The same in words.
    pub message: String,
}

/// The kinds of changes to a locked bundle, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DriftKind {
    /// The catalog does not have the bundle any more.
    BundleGone,
    /// The bundle has other content under its name.
    ContentChanged,
    /// Its image, or an image that it uses, has changed.
    ImageChanged,
    /// Its entry in the channel has other edges, or is gone.
    EdgeChanged,
    /// It, its channel or its package is deprecated now.
    Deprecated,
    /// There is a newer bundle for the request.
    NewerHead,
}

olmdex_base::named!(DriftKind => as_str);

/// Compares a lock with the present catalogs; the gravest differences first.
///
/// # Errors
/// [`LockError::Unknown`] if a catalog is not in the index; [`LockError::Index`].
pub fn verify(index: &Index, lock: &Lock) -> Result<Vec<Drift>, LockError> {
    check_catalogs(index, lock)?;
    let mut drifts = Vec::new();
    for locked in &lock.operators {
        let drift = |kind: DriftKind, message: String| Drift {
            kind,
            package: locked.package.clone(),
            catalog: locked.catalog.clone(),
            bundle: locked.bundle.clone(),
            message,
        };
        let mut now = locked.clone();
        if !fill(index, &mut now)? {
            drifts.push(drift(DriftKind::BundleGone, "the catalog no longer has it".to_owned()));
            continue;
        }
        drifts.extend(changes(locked, &now).into_iter().map(|(kind, message)| drift(kind, message)));
        if let Some(message) = deprecation(index, locked)? {
            drifts.push(drift(DriftKind::Deprecated, message));
        }
        // Dependencies follow the operators that need them.
        if locked.required_by.is_empty() {
            match newer(index, locked)? {
                Ok(Some(bundle)) => drifts.push(drift(DriftKind::NewerHead, format!("{bundle} is newer"))),
                Ok(None) => {}
                Err(why) => drifts.push(drift(DriftKind::EdgeChanged, why)),
            }
        }
    }
    drifts.sort_by(|a, b| {
        (a.kind, &a.package, &a.catalog, &a.message).cmp(&(b.kind, &b.package, &b.catalog, &b.message))
    });
    Ok(drifts)
}

/// Whether the index has all catalogs of a lock.
pub(super) fn check_catalogs(index: &Index, lock: &Lock) -> Result<(), LockError> {
    let known = index.catalog_names()?;
    match lock.operators.iter().find(|it| !known.contains(&it.catalog)) {
        Some(it) => Err(LockError::Unknown { what: "catalog", name: it.catalog.clone(), of: String::new(), known }),
        None => Ok(()),
    }
}

fn changes(locked: &LockedOperator, now: &LockedOperator) -> Vec<(DriftKind, String)> {
    let mut found = Vec::new();
    if locked.checksum != now.checksum {
        let message = if locked.version == now.version {
            "its content has changed under the same name".to_owned()
        } else {
            format!("its content has changed under the same name: version {} is now {}", locked.version, now.version)
        };
        found.push((DriftKind::ContentChanged, message));
    }
    if locked.image != now.image {
        found.push((
            DriftKind::ImageChanged,
            format!("its image is now {}, not {}", or_none(&now.image), or_none(&locked.image)),
        ));
    } else if locked.images != now.images {
        found.push((DriftKind::ImageChanged, "the images that it uses have changed since it was locked".to_owned()));
    }
    if locked.entry != now.entry {
        let message = match now.entry.as_str() {
            "" => format!("channel `{}` no longer has an entry for it", locked.channel),
            _ => format!("its entry in channel `{}` has different edges since it was locked", locked.channel),
        };
        found.push((DriftKind::EdgeChanged, message));
    }
    found
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}

/// The message for users of the bundle, its channel or its package, if one of them is deprecated.
fn deprecation(index: &Index, locked: &LockedOperator) -> Result<Option<String>, LockError> {
    let filter = Filter::of_catalog(&locked.catalog);
    let view = PackageView::read(index, &filter, &locked.package)?;
    let all = view.graphs.iter().flat_map(|it| &it.deprecations).flatten();
    let mut found = all.filter_map(|it| match it.schema.as_str() {
        "olm.bundle" if it.name == locked.bundle => Some(format!("the bundle is deprecated: {}", it.message)),
        "olm.channel" if it.name == locked.channel => {
            Some(format!("channel `{}` is deprecated: {}", it.name, it.message))
        }
        "olm.package" => Some(format!("the package is deprecated: {}", it.message)),
        _ => None,
    });
    Ok(found.next())
}

/// The bundle that the same request would be pinned to now, if it is a newer one, or the reason why nothing can be
/// pinned.
fn newer(index: &Index, locked: &LockedOperator) -> Result<Result<Option<String>, String>, LockError> {
    let ask = Ask {
        package: locked.package.clone(),
        channel: locked.channel.clone(),
        constraint: locked.constraint.clone(),
        olm: locked.olm,
        installed: None,
    };
    match pin(index, std::slice::from_ref(&locked.catalog), &ask, false) {
        Ok(now) => {
            let versions = (Version::parse(&now.version), Version::parse(&locked.version));
            let is_newer = matches!(versions, (Ok(now), Ok(then)) if now.cmp_precedence(&then).is_gt());
            Ok(Ok((is_newer && now.bundle != locked.bundle).then_some(now.bundle)))
        }
        Err(LockError::Index(error)) => Err(error.into()),
        Err(error) => Ok(Err(error.to_string())),
    }
}
