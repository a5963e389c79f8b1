//! What a catalog's server answers about entries, also about names that have no bundle: virtual nodes
//! (`docs/behaviour/olm-classic.md` 6.3).

use std::collections::BTreeSet;

use crate::fbc::{Api, Entry};
use crate::index::query::{GraphChannel, PackageGraph};
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

/// An entry, and a name that it replaces or skips.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChannelEntry {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The entry.
    pub bundle: String,
    /// What it replaces or skips. Where it was asked for who replaces a name, the entry's own `replaces`, which need not be
    /// that name.
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
    let (graph, found) = find(packages, package, channel)?;
    found.entries.iter().filter(|it| it.name == name).find_map(|it| single(graph, found, it)).ok_or_else(|| {
        format!("package {}, channel {}, bundle {} not found", Quoted(package), Quoted(channel), Quoted(name))
    })
}

/// The head of a channel.
///
/// # Errors
/// The server's words if there is none.
pub fn bundle_for_channel(packages: &[PackageGraph], package: &str, channel: &str) -> Result<RegistryBundle, String> {
    let (graph, found) = find(packages, package, channel)?;
    heads(found).find_map(|it| single(graph, found, it)).ok_or_else(|| no_entry(package, channel))
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
    if !packages.iter().any(|it| it.package == package) {
        // Here the server does not quote the name.
        return Err(format!("package {package} not found"));
    }
    let (graph, of) = find(packages, package, channel)?;
    let replacing = of.entries.iter().filter(|it| names(it, name));
    let found: Vec<RegistryBundle> = replacing.filter_map(|it| single(graph, of, it)).collect();
    if found.is_empty() { Err(no_entry(package, channel)) } else { Ok(found) }
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

/// All entries whose bundles provide an API, by package, channel and name; `providers` are those bundles, with their
/// packages. An entry comes once for what it replaces and once for each other name that it skips.
///
/// # Errors
/// The server's words if there is none.
pub fn channel_entries_that_provide(
    packages: &[PackageGraph],
    api: &Api,
    providers: &BTreeSet<(String, String)>,
) -> Result<Vec<ChannelEntry>, String> {
    let found = providing(packages, providers, |channel| channel.entries.iter().collect(), |_, _| true);
    if found.is_empty() { Err(none_provides(api)) } else { Ok(found) }
}

/// As [`channel_entries_that_provide`], of the heads of channels only, and of what they skip only what is an entry.
///
/// # Errors
/// The server's words if there is none.
pub fn latest_channel_entries_that_provide(
    packages: &[PackageGraph],
    api: &Api,
    providers: &BTreeSet<(String, String)>,
) -> Result<Vec<ChannelEntry>, String> {
    let is_entry = |channel: &GraphChannel, skip: &str| channel.entries.iter().any(|it| it.name == skip);
    let found = providing(packages, providers, |channel| heads(channel).collect(), is_entry);
    if found.is_empty() { Err(none_provides(api)) } else { Ok(found) }
}

/// The head that provides an API in the default channel of the first package that has one.
///
/// # Errors
/// The server's words if there is none.
pub fn default_bundle_that_provides(
    packages: &[PackageGraph],
    api: &Api,
    providers: &BTreeSet<(String, String)>,
) -> Result<RegistryBundle, String> {
    let entries = latest_channel_entries_that_provide(packages, api, providers)?;
    let is_default = |it: &&ChannelEntry| {
        packages.iter().any(|package| package.package == it.package && package.default_channel == it.channel)
    };
    let entry = entries.iter().find(is_default);
    let entry = entry.ok_or_else(|| format!("no entry found that provides {}", in_words(api)))?;
    bundle(packages, &entry.package, &entry.channel, &entry.bundle)
}

fn providing<'p>(
    packages: &'p [PackageGraph],
    providers: &BTreeSet<(String, String)>,
    of: impl Fn(&'p GraphChannel) -> Vec<&'p Entry>,
    is_listed: impl Fn(&GraphChannel, &str) -> bool,
) -> Vec<ChannelEntry> {
    let mut found = Vec::new();
    for package in packages {
        for channel in &package.channels {
            let provides = |it: &&Entry| providers.contains(&(package.package.clone(), it.name.clone()));
            for entry in of(channel).into_iter().filter(provides) {
                let skipped = entry.skips.iter().filter(|it| **it != entry.replaces && is_listed(channel, it));
                found.extend([&entry.replaces].into_iter().chain(skipped).map(|replaces| ChannelEntry {
                    package: package.package.clone(),
                    channel: channel.name.clone(),
                    bundle: entry.name.clone(),
                    replaces: replaces.clone(),
                }));
            }
        }
    }
    found.sort();
    found
}

fn none_provides(api: &Api) -> String {
    format!("no channel entries found that provide {}", in_words(api))
}

fn in_words(api: &Api) -> String {
    let Api { group, version, kind } = api;
    format!("group:{} version:{} kind:{}", Quoted(group), Quoted(version), Quoted(kind))
}

fn no_entry(package: &str, channel: &str) -> String {
    format!("no entry found for package {}, channel {}", Quoted(package), Quoted(channel))
}

/// The entries that nothing in the channel replaces or skips.
fn heads(channel: &GraphChannel) -> impl Iterator<Item = &Entry> {
    channel.entries.iter().filter(|it| !channel.entries.iter().any(|other| names(other, &it.name)))
}

/// Whether an entry replaces or skips a name.
fn names(entry: &Entry, name: &str) -> bool {
    !name.is_empty() && (entry.replaces == name || entry.skips.iter().any(|it| it == name))
}

fn find<'p>(
    packages: &'p [PackageGraph],
    package: &str,
    channel: &str,
) -> Result<(&'p PackageGraph, &'p GraphChannel), String> {
    let graph = packages.iter().find(|it| it.package == package);
    let graph = graph.ok_or_else(|| format!("package {} not found", Quoted(package)))?;
    let found = graph.channels.iter().find(|it| it.name == channel);
    let found = found.ok_or_else(|| format!("package {}, channel {} not found", Quoted(package), Quoted(channel)))?;
    Ok((graph, found))
}

/// An entry with its bundle; `None` if the catalog does not have the bundle.
fn full(package: &PackageGraph, channel: &GraphChannel, entry: &Entry) -> Option<RegistryBundle> {
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
fn single(package: &PackageGraph, channel: &GraphChannel, entry: &Entry) -> Option<RegistryBundle> {
    full(package, channel, entry).map(|it| RegistryBundle { replaces: String::new(), skips: Vec::new(), ..it })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::index::query::GraphBundle;

    /// One package with a default and another channel; `a.2` replaces `a.1` and skips `a.0` and `a.gone`.
    fn packages() -> Vec<PackageGraph> {
        let entry = |name: &str, replaces: &str, skips: &[&str]| Entry {
            name: name.to_owned(),
            replaces: replaces.to_owned(),
            skips: skips.iter().map(|it| (*it).to_owned()).collect(),
            ..Entry::default()
        };
        let channel = |name: &str, entries: Vec<Entry>| GraphChannel {
            name: name.to_owned(),
            entries: Arc::from(entries),
            places: Arc::default(),
        };
        let main = vec![entry("a.0", "", &[]), entry("a.1", "a.0", &[]), entry("a.2", "a.1", &["a.0", "a.gone"])];
        let bundle = |name: &str| GraphBundle { name: name.to_owned(), ..GraphBundle::default() };
        vec![PackageGraph {
            package: "a".to_owned(),
            default_channel: "main".to_owned(),
            channels: vec![channel("main", main), channel("old", vec![entry("a.0", "", &[])])],
            bundles: ["a.0", "a.1", "a.2"].map(bundle).to_vec(),
            ..PackageGraph::default()
        }]
    }

    fn api() -> Api {
        Api { group: "g".to_owned(), version: "v1".to_owned(), kind: "K".to_owned() }
    }

    fn lines(found: Result<Vec<ChannelEntry>, String>) -> Result<Vec<String>, String> {
        let line = |it: ChannelEntry| format!("{}/{} {}", it.channel, it.bundle, it.replaces);
        found.map(|it| it.into_iter().map(line).collect())
    }

    fn providers(names: &[&str]) -> BTreeSet<(String, String)> {
        names.iter().map(|it| ("a".to_owned(), (*it).to_owned())).collect()
    }

    #[test]
    fn entries_that_provide_come_once_for_each_name_that_they_take_the_place_of() {
        let all = channel_entries_that_provide(&packages(), &api(), &providers(&["a.0", "a.2"]));
        assert_eq!(lines(all).unwrap(), ["main/a.0 ", "main/a.2 a.0", "main/a.2 a.1", "main/a.2 a.gone", "old/a.0 "]);
    }

    #[test]
    fn the_latest_that_provide_are_heads_and_skip_entries_only() {
        let latest = latest_channel_entries_that_provide(&packages(), &api(), &providers(&["a.1", "a.2"]));
        assert_eq!(lines(latest).unwrap(), ["main/a.2 a.0", "main/a.2 a.1"]);
    }

    #[test]
    fn the_default_provider_is_the_head_of_a_default_channel() {
        let found = default_bundle_that_provides(&packages(), &api(), &providers(&["a.0", "a.2"])).unwrap();
        assert_eq!((found.name.as_str(), found.channel.as_str(), found.skips.len()), ("a.2", "main", 0));
        let error = default_bundle_that_provides(&packages(), &api(), &providers(&["a.0"])).unwrap_err();
        assert_eq!(error, r#"no entry found that provides group:"g" version:"v1" kind:"K""#);
        let error = default_bundle_that_provides(&packages(), &api(), &providers(&[])).unwrap_err();
        assert_eq!(error, r#"no channel entries found that provide group:"g" version:"v1" kind:"K""#);
    }

    #[test]
    fn what_is_not_there_is_named_as_the_server_names_it() {
        let packages = packages();
        let errors = [
            bundle(&packages, "b", "main", "a.0").unwrap_err(),
            bundle(&packages, "a", "none", "a.0").unwrap_err(),
            bundle(&packages, "a", "main", "a.9").unwrap_err(),
            bundle_for_channel(&packages, "a", "none").unwrap_err(),
            bundles_that_replace(&packages, "b", "main", "a.0").unwrap_err(),
            bundles_that_replace(&packages, "a", "none", "a.0").unwrap_err(),
            bundles_that_replace(&packages, "a", "main", "a.2").unwrap_err(),
        ];
        let expected = [
            r#"package "b" not found"#,
            r#"package "a", channel "none" not found"#,
            r#"package "a", channel "main", bundle "a.9" not found"#,
            r#"package "a", channel "none" not found"#,
            "package b not found",
            r#"package "a", channel "none" not found"#,
            r#"no entry found for package "a", channel "main""#,
        ];
        assert_eq!(errors, expected);
    }
}
