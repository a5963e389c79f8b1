//! What a catalog's server answers about entries, also about names that have no bundle: virtual nodes
//! (`spec/olm-classic.md` 6.3).

use crate::index::query::{GraphChannel, GraphEntry, PackageGraph};
use crate::upgrade::v1::bundle_version;
use crate::version::Quoted;

/// A bundle in a channel, as the server hands it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryBundle {
    /// Its name.
    pub name: String,
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// Its image.
    pub image: String,
    /// Its version.
    pub version: String,
    /// What it replaces; empty where single bundles are asked for.
    pub replaces: String,
    /// What it skips; empty where single bundles are asked for.
    pub skips: Vec<String>,
    /// Its range.
    pub skip_range: String,
}

/// An entry that replaces or skips something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChannelEntry {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The entry.
    pub bundle: String,
    /// The entry's own `replaces`, which need not be what was asked for.
    pub replaces: String,
}

/// All bundles of all channels, by channel, package and name.
#[must_use]
pub fn list_bundles(packages: &[PackageGraph]) -> Vec<RegistryBundle> {
    let mut all: Vec<RegistryBundle> = packages
        .iter()
        .flat_map(|package| package.channels.iter().map(move |channel| (package, channel)))
        .flat_map(|(package, channel)| channel.entries.iter().filter_map(|it| full(package, channel, it)))
        .collect();
    all.sort_by(|a, b| (&a.channel, &a.package, &a.name).cmp(&(&b.channel, &b.package, &b.name)));
    all
}

/// A bundle of a channel.
///
/// # Errors
/// The server's words if there is none.
pub fn bundle(packages: &[PackageGraph], package: &str, channel: &str, name: &str) -> Result<RegistryBundle, String> {
    let found = find(packages, package, channel).and_then(|(graph, channel)| {
        channel.entries.iter().filter(|it| it.name == name).find_map(|it| single(graph, channel, it))
    });
    found.ok_or_else(|| {
        format!("package {}, channel {}, bundle {} not found", Quoted(package), Quoted(channel), Quoted(name))
    })
}

/// The head of a channel.
///
/// # Errors
/// The server's words if there is none.
pub fn bundle_for_channel(packages: &[PackageGraph], package: &str, channel: &str) -> Result<RegistryBundle, String> {
    let found = find(packages, package, channel).and_then(|(graph, channel)| {
        let is_left = |name: &str| channel.entries.iter().any(|it| names(it, name));
        channel.entries.iter().filter(|it| !is_left(&it.name)).find_map(|it| single(graph, channel, it))
    });
    found.ok_or_else(|| format!("no entry found for package {}, channel {}", Quoted(package), Quoted(channel)))
}

/// The bundles of a channel that replace or skip a name. The server hands out one of them by chance.
///
/// # Errors
/// The server's words if there is none.
pub fn bundles_that_replace(
    packages: &[PackageGraph],
    package: &str,
    channel: &str,
    name: &str,
) -> Result<Vec<RegistryBundle>, String> {
    let found: Vec<RegistryBundle> = find(packages, package, channel)
        .into_iter()
        .flat_map(|(graph, channel)| {
            channel.entries.iter().filter(|it| names(it, name)).filter_map(move |it| single(graph, channel, it))
        })
        .collect();
    if found.is_empty() {
        return Err(format!("no entry found for package {}, channel {}", Quoted(package), Quoted(channel)));
    }
    Ok(found)
}

/// All entries that replace or skip a name, by package, channel and name.
///
/// # Errors
/// The server's words if there is none.
pub fn channel_entries_that_replace(packages: &[PackageGraph], name: &str) -> Result<Vec<ChannelEntry>, String> {
    let mut found: Vec<ChannelEntry> = Vec::new();
    for package in packages {
        for channel in &package.channels {
            found.extend(channel.entries.iter().filter(|it| names(it, name)).map(|it| ChannelEntry {
                package: package.package.clone(),
                channel: channel.name.clone(),
                bundle: it.name.clone(),
                replaces: it.replaces.clone(),
            }));
        }
    }
    found.sort();
    if found.is_empty() { Err(format!("no channel entries found that replace {name}")) } else { Ok(found) }
}

/// Whether an entry replaces or skips a name.
fn names(entry: &GraphEntry, name: &str) -> bool {
    !name.is_empty() && (entry.replaces == name || entry.skips.iter().any(|it| it == name))
}

fn find<'p>(
    packages: &'p [PackageGraph],
    package: &str,
    channel: &str,
) -> Option<(&'p PackageGraph, &'p GraphChannel)> {
    let graph = packages.iter().find(|it| it.package == package)?;
    Some((graph, graph.channels.iter().find(|it| it.name == channel)?))
}

/// An entry with its bundle; `None` if the catalog does not have the bundle.
fn full(package: &PackageGraph, channel: &GraphChannel, entry: &GraphEntry) -> Option<RegistryBundle> {
    let bundle = package.bundles.iter().find(|it| it.name == entry.name)?;
    let version = bundle.package_property.as_deref().and_then(|it| bundle_version(it, false).ok());
    Some(RegistryBundle {
        name: entry.name.clone(),
        package: package.package.clone(),
        channel: channel.name.clone(),
        image: bundle.image.clone(),
        version: version.map(|it| it.value.to_build_metadata().to_string()).unwrap_or_default(),
        replaces: entry.replaces.clone(),
        skips: entry.skips.clone(),
        skip_range: entry.skip_range.clone(),
    })
}

/// As [`full`], without the edges by name, which the server blanks out of single bundles.
fn single(package: &PackageGraph, channel: &GraphChannel, entry: &GraphEntry) -> Option<RegistryBundle> {
    full(package, channel, entry).map(|it| RegistryBundle { replaces: String::new(), skips: Vec::new(), ..it })
}
