//! The package that a word names, and why there is none.

use super::error::{AskError, LIST_PACKAGES};
use super::hint::{Help, Hint};
use olmdex_fbc::{Name, without_v};
use olmdex_index::query::Filter;
use olmdex_index::{LightIndex, ListIndex};
use olmdex_olm::upgrade::PackageView;
use olmdex_version::Version;

/// A package, with the other parts of its name: `PKG`, `PKG@VERSION`, `PKG/CHANNEL` or a bundle's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageName {
    /// The package.
    pub package: String,
    /// The version or bundle that was named.
    pub installed: Option<String>,
    /// The channel that was named.
    pub channel: Option<String>,
}

impl PackageName {
    /// A package as a whole.
    pub fn of(package: &str) -> Self {
        Self { package: package.to_owned(), installed: None, channel: None }
    }

    /// Takes a name apart without catalogs: a plain name is that of a package.
    pub fn parse(text: &str) -> Self {
        match Name::parse(text) {
            Name::Version(package, version) => Self { package, installed: Some(version), channel: None },
            Name::Channel(package, channel) => Self { package, installed: None, channel: Some(channel) },
            Name::Plain(name) => Self::of(&name),
        }
    }

    /// Takes a name apart. A plain name that no package has, but a bundle or an edge, stands for the bundle.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    pub fn find(index: &LightIndex, text: &str) -> Result<Self, AskError> {
        if let Some(meant) = version_meant(index, text)? {
            return Ok(meant);
        }
        let parsed = Self::parse(text);
        if parsed.is_part() {
            return Ok(parsed);
        }
        let name = parsed.package;
        let mut packages = index.packages_of_bundle(&name)?;
        if packages.is_empty() {
            packages = index.packages_mentioning(&name)?;
        }
        Ok(match packages.into_iter().next() {
            Some(package) if package != name && !index.package_names()?.contains(&name) => {
                Self { package, installed: Some(name), channel: None }
            }
            _ => Self::of(&name),
        })
    }

    /// Whether it names a part of the package, and not the package as a whole.
    pub fn is_part(&self) -> bool {
        self.installed.is_some() || self.channel.is_some()
    }
}

/// The version of a package that a text means although nothing has this name: `PKG/CHANNEL@VERSION`, or `PKG.vVERSION`
/// of a package whose bundles have other names.
///
/// # Errors
/// If the catalogs cannot be read.
fn version_meant(index: &LightIndex, text: &str) -> Result<Option<PackageName>, AskError> {
    let Some(meant) = version_in(index, text)? else { return Ok(None) };
    let is_name = match &meant.channel {
        Some(_) => index.names(Some(&meant.package))?.channels.iter().any(|it| *it == text[meant.package.len() + 1..]),
        None => !index.packages_of_bundle(text)?.is_empty() || !index.packages_mentioning(text)?.is_empty(),
    };
    Ok(Some(meant).filter(|_| !is_name))
}

/// The version of a package in a text, whether or not something has this name.
///
/// # Errors
/// If the catalogs cannot be read.
pub(super) fn version_in(index: &LightIndex, text: &str) -> Result<Option<PackageName>, AskError> {
    let in_channel = text.rsplit_once('@').and_then(|(front, version)| Some((front.split_once('/')?, version)));
    let (package, channel, version) = match (in_channel, text.split_once(".v")) {
        (Some(((package, channel), version)), _) => (package, Some(channel.to_owned()), without_v(version)),
        (None, Some((package, version))) => (package, None, version),
        (None, None) => return Ok(None),
    };
    let is_version = Version::parse_tolerant(version).is_ok();
    if !is_version || !index.package_names()?.iter().any(|it| it == package) {
        return Ok(None);
    }
    Ok(Some(PackageName { package: package.to_owned(), installed: Some(version.to_owned()), channel }))
}

/// A text taken apart as [`Name::parse`] does, or the version that it means.
///
/// # Errors
/// If the catalogs cannot be read.
pub(super) fn named(index: &LightIndex, text: &str) -> Result<Name, AskError> {
    Ok(match version_meant(index, text)? {
        Some(PackageName { package, installed: Some(version), .. }) => Name::Version(package, version),
        _ => Name::parse(text),
    })
}

/// The error about a package that no catalog has.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn no_package(index: &ListIndex, package: &str) -> Result<AskError, AskError> {
    let hint = match Hint::elsewhere(index.packages(&Filter::of_package(package))?.into_iter().map(|it| it.catalog)) {
        Some(elsewhere) => elsewhere,
        None => Hint::of(package, index.package_names()?.iter().map(String::as_str)),
    };
    Ok(AskError::NoPackage { package: package.to_owned(), help: Help::new(hint, LIST_PACKAGES) })
}

/// The error about a channel that a package does not have.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn no_channel(index: &ListIndex, package: &str, channel: &str) -> Result<AskError, AskError> {
    let filter = Filter { package: Some(package.to_owned()), channel: Some(channel.to_owned()), ..Filter::default() };
    let names = index.names(Some(package))?;
    if names.channels.is_empty() && names.bundles.is_empty() {
        return no_package(index, package);
    }
    let names = names.channels;
    let hint = match Hint::elsewhere(index.channels(&filter)?.into_iter().map(|it| it.catalog)) {
        Some(elsewhere) => elsewhere,
        None => Hint::of(channel, names.iter().map(String::as_str)),
    };
    let has = if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
    Ok(AskError::NoChannel { package: package.to_owned(), channel: channel.to_owned(), help: Help::new(hint, &has) })
}

/// The error about an API that no bundle provides or requires.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn no_api(index: &LightIndex, group: &str, kind: &str) -> Result<AskError, AskError> {
    let all = index.api_names()?;
    let hint = Hint::of(kind, all.iter().filter_map(|it| it.rsplit('/').next()));
    let help = Help::new(hint, "`olmdex list apis` and `olmdex deps --needed-by` take a kind, a group or both");
    Ok(AskError::NoApi { group: group.to_owned(), kind: kind.to_owned(), help })
}

/// The error about a version that a package does not have in these catalogs, all of them if none is named.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn no_version(index: &ListIndex, catalogs: &[String], package: &str, version: &str) -> Result<AskError, AskError> {
    let all = index.bundles(&Filter::of_package(package))?;
    let is_asked = |catalog: &String| catalogs.is_empty() || catalogs.contains(catalog);
    if !all.iter().any(|it| is_asked(&it.catalog)) {
        return no_package(index, package);
    }
    let having = all.iter().filter(|it| it.version == version || it.bundle == version);
    let hint = match Hint::elsewhere(having.map(|it| it.catalog.clone())) {
        Some(elsewhere) => elsewhere,
        None => {
            let asked = all.iter().filter(|it| is_asked(&it.catalog));
            Hint::of_bundle(version, asked.map(|it| (&*it.bundle, &*it.version)))
        }
    };
    let help = Help::new(hint, &list_bundles(package));
    Ok(AskError::NoVersion { package: package.to_owned(), version: version.to_owned(), help })
}

/// So many versions of a package that are nearest to one that it does not have: those that begin with it, the highest
/// first, and then its neighbours.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn nearest_versions(
    index: &LightIndex,
    catalogs: &[String],
    package: &str,
    wanted: &str,
    n_most: usize,
) -> Result<Vec<String>, AskError> {
    let filter = Filter { catalogs: catalogs.to_vec(), package: Some(package.to_owned()), ..Filter::default() };
    let mut all: Vec<(Version, String)> = index
        .bundles(&filter)?
        .into_iter()
        .filter_map(|it| Some((Version::parse(&it.version).ok()?, it.version)))
        .collect();
    all.sort();
    all.dedup();
    let plain = wanted.trim().trim_start_matches('v');
    let is_begun = |it: &str| it.strip_prefix(plain).is_some_and(|rest| rest.starts_with(['.', '-', '+']));
    let mut found: Vec<String> = Vec::new();
    if !plain.is_empty() {
        found.extend(all.iter().rev().filter(|it| is_begun(&it.1)).take(n_most).map(|it| it.1.clone()));
    }
    if let Ok(version) = Version::parse_tolerant(plain) {
        let at = all.partition_point(|it| it.0 < version);
        let (mut below, mut above) = (all[..at].iter().rev(), all[at..].iter());
        while found.len() < n_most {
            let both = [above.next(), below.next()];
            if both.iter().all(Option::is_none) {
                break;
            }
            for (_, it) in both.into_iter().flatten() {
                if found.len() < n_most && !found.contains(it) {
                    found.push(it.clone());
                }
            }
        }
    }
    Ok(found)
}

/// The error about a bundle or version that a package does not have, with the help for the case that none is like it.
pub(super) fn no_bundle(view: &PackageView, text: &str, otherwise: &str) -> AskError {
    let bundles = view.bundles().iter().map(|it| (&*it.name, &*it.version));
    let help = Help::new(Hint::of_bundle(text, bundles), otherwise);
    AskError::NoBundle { package: view.package.clone(), name: text.to_owned(), help }
}

pub(super) fn list_bundles(package: &str) -> String {
    format!("`olmdex list bundles {package}` lists what there is")
}
