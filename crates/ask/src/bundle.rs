//! The bundles that a word names: PKG, PKG@VERSION, PKG/CHANNEL or the name of a bundle, or a range of versions.

use super::catalog::Catalogs;
use super::error::AskError;
use super::name::{named, no_channel, no_package, no_version};
use olmdex_fbc::Name;
use olmdex_index::query::{BundleDetail, BundleRow, BundleSelector, Filter};
use olmdex_index::{Index, IndexError, LightIndex};
use olmdex_olm::resolve::BundleName;
use olmdex_olm::upgrade::classic;
use olmdex_version::{Version, blang};

/// A bundle of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The package.
    pub package: String,
    /// The bundle's name.
    pub bundle: String,
}

impl Target {
    /// It, in a catalog.
    pub fn in_catalog<'n>(&'n self, catalog: &'n str) -> BundleName<'n> {
        BundleName { catalog, package: &self.package, bundle: &self.bundle }
    }

    /// The catalog that it is taken from: a named one, or the preferred one; `None` if none has it.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn catalog(&self, index: &LightIndex, named: &[String]) -> Result<Option<String>, IndexError> {
        let selector = BundleSelector::of(named, &self.package, &self.bundle);
        let having: Vec<String> = index.bundle_places(&selector)?.into_iter().map(|place| place.0).collect();
        Ok(Catalogs::of(index)?.choose(named, having.iter().map(String::as_str)).map(str::to_owned))
    }

    /// The bundle that a name stands for in these catalogs, all of them if none is named.
    ///
    /// # Errors
    /// If nothing has the name; the error has the probable meaning.
    pub fn find(index: &LightIndex, catalogs: &[String], name: &str) -> Result<Self, AskError> {
        let filter = Filter { catalogs: catalogs.to_vec(), ..Filter::default() };
        match named(index, name)? {
            Name::Plain(name) => {
                if let Some(bundle) = head(index, &filter, &name, None)? {
                    return Ok(Self { package: name, bundle });
                }
                match index.packages_of_bundle(&name)?.into_iter().next() {
                    Some(package) => Ok(Self { package, bundle: name }),
                    None => Err(no_package(index, &name)?),
                }
            }
            Name::Channel(package, channel) => match head(index, &filter, &package, Some(&channel))? {
                Some(bundle) => Ok(Self { package, bundle }),
                None if index.package_graphs(&filter, &package)?.is_empty() => Err(no_package(index, &package)?),
                None => Err(no_channel(index, &package, &channel)?),
            },
            Name::Version(package, version) => {
                let found = having_version(|it| index.bundle_places(it), catalogs, &package, &version)?;
                match found.into_iter().next() {
                    Some((_, _, bundle)) => Ok(Self { bundle, package }),
                    None if index.package_graphs(&filter, &package)?.is_empty() => Err(no_package(index, &package)?),
                    None => Err(no_version(index, catalogs, &package, &version)?),
                }
            }
        }
    }

    /// The bundles that a name stands for: one, as [`Self::find`] has it, or those of a range of versions, `PKG@RANGE`
    /// or `PKG/CHANNEL@RANGE`, highest version first.
    ///
    /// # Errors
    /// The errors of [`Self::find`], [`AskError::NoRange`] and [`AskError::NothingInRange`].
    pub fn find_all(index: &LightIndex, catalogs: &[String], name: &str) -> Result<Vec<Self>, AskError> {
        let Some((of, text)) = name.rsplit_once('@').filter(|it| !it.0.is_empty()) else {
            return Ok(vec![Self::find(index, catalogs, name)?]);
        };
        // A text that can be a version or a bundle is taken as one; a channel may have an `@` in its name.
        let is_range = looks_like_range(text);
        if !is_range && !of.contains('/') {
            return Ok(vec![Self::find(index, catalogs, name)?]);
        }
        match blang::Range::parse(text) {
            Ok(range) => in_range(index, catalogs, of, (text, &range)),
            Err(_) if !is_range => Ok(vec![Self::find(index, catalogs, name)?]),
            Err(error) => Err(AskError::NoRange { range: text.to_owned(), reason: error.plain() }),
        }
    }
}

/// The head of a channel of a package, the default one if none is named, in the preferred catalog that has one.
fn head(index: &LightIndex, filter: &Filter, package: &str, channel: Option<&str>) -> Result<Option<String>, AskError> {
    let mut graphs = index.package_graphs(filter, package)?;
    let catalogs = if graphs.len() > 1 { Catalogs::of(index)? } else { Catalogs::default() };
    while let Some(preferred) = catalogs.choose(&[], graphs.iter().map(|it| it.catalog.as_str())) {
        let Some(at) = graphs.iter().position(|it| it.catalog == preferred) else { break };
        let graph = graphs.swap_remove(at);
        let wanted = channel.unwrap_or(&graph.default_channel).to_owned();
        let found = classic::Package::new(&graph);
        let order = found.channels_named(&wanted).first().and_then(|it| it.order().ok());
        if let Some(head) = order.and_then(|it| it.live.first().map(|it| it.fields.name.clone())) {
            return Ok(Some(head));
        }
    }
    Ok(None)
}

/// The bundles of a version of a package in the catalogs; a bundle without a version has its name instead.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn of_version(
    index: &Index,
    catalogs: &[String],
    package: &str,
    version: &str,
) -> Result<Vec<BundleDetail>, IndexError> {
    having_version(|selector| index.show_bundle(selector), catalogs, package, version)
}

fn having_version<T>(
    find: impl Fn(&BundleSelector) -> Result<Vec<T>, IndexError>,
    catalogs: &[String],
    package: &str,
    version: &str,
) -> Result<Vec<T>, IndexError> {
    let selector = |name: Option<&str>, version: Option<&str>| BundleSelector {
        catalogs: catalogs.to_vec(),
        package: Some(package.to_owned()),
        name: name.map(str::to_owned),
        version: version.map(str::to_owned),
    };
    let found = find(&selector(None, Some(version)))?;
    if found.is_empty() { find(&selector(Some(version), None)) } else { Ok(found) }
}

/// The bundle that a word names; `None` if it names a package, or nothing.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn bundle_called(index: &Index, word: &str) -> Result<Option<BundleRow>, IndexError> {
    if index.package_names()?.iter().any(|it| it == word) {
        return Ok(None);
    }
    let selector = BundleSelector { name: Some(word.to_owned()), ..BundleSelector::default() };
    Ok(index.show_bundle(&selector)?.into_iter().next().map(|it| it.row))
}

fn in_range(
    index: &LightIndex,
    catalogs: &[String],
    of: &str,
    (text, range): (&str, &blang::Range),
) -> Result<Vec<Target>, AskError> {
    let (package, channel) = match of.split_once('/') {
        Some((package, channel)) => (package, Some(channel)),
        None => (of, None),
    };
    let filter =
        Filter { catalogs: catalogs.to_vec(), package: Some(package.to_owned()), channel: channel.map(str::to_owned) };
    let mut found = index.bundles(&filter)?;
    if found.is_empty() {
        return Err(no_package(index, package)?);
    }
    if let Some(channel) = channel {
        found.retain(|it| it.channels.iter().any(|name| name == channel));
        if found.is_empty() {
            return Err(no_channel(index, package, channel)?);
        }
    }
    found.retain(|it| Version::parse(&it.version).is_ok_and(|version| range.contains(&version).unwrap_or(false)));
    if found.is_empty() {
        return Err(AskError::NothingInRange { of: of.to_owned(), range: text.to_owned() });
    }
    found.reverse();
    let mut targets: Vec<Target> = Vec::new();
    for row in found {
        if !targets.iter().any(|it| it.bundle == row.bundle) {
            targets.push(Target { package: row.package, bundle: row.bundle });
        }
    }
    Ok(targets)
}

/// Whether a text is a range of versions, and not a version or a name.
pub fn looks_like_range(text: &str) -> bool {
    text.contains(['<', '>', '=', '|', ' ', '*', 'x', '!']) && Version::parse_tolerant(text).is_err()
}
