//! The versions of a package in the form that a custom datasource of Renovate has (`docs/behaviour/authoring.md` E.6).

use std::collections::{BTreeMap, BTreeSet, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::error::LockError;
use olmdex_index::Index;
use olmdex_index::query::{BundleDetail, BundleSelector, Filter};
use olmdex_olm::upgrade::{
    EngineQuestion, InstalledError, Olm, PackageView, classic, classic_path, classic_updates, v1_path, v1_updates,
};
use olmdex_version::Version;

/// The data that Renovate reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Datasource {
    /// The versions, lowest first.
    pub releases: Vec<Release>,
    /// The version of each channel's head.
    pub tags: BTreeMap<String, String>,
    /// The address of the source.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source_url: String,
}

/// A version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Release {
    /// The version.
    pub version: String,
    /// Whether it, the package, or every channel that has it is deprecated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_deprecated: bool,
    /// When it was made, in RFC 3339.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub release_timestamp: String,
    /// The digest of its image.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// Whether it is not a pre-release.
    pub is_stable: bool,
}

/// Which versions are offered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Select {
    /// The channel; all channels if there is none.
    pub channel: Option<String>,
    /// Only versions that OLM reaches from the installed bundle: a version, or a bundle's name.
    pub from: Option<(String, Olm, Reach)>,
    /// How many of the newest are held back.
    pub lag: usize,
}

/// The reach of upgrades.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// Over any number of steps.
    #[default]
    Any,
    /// The next upgrade only.
    Next,
}

/// The versions of a package in a catalog, or the reason why it cannot answer.
pub type InCatalog = (String, Result<Datasource, LockError>);

/// The versions of a package in each catalog that has it, by the catalogs' names. A catalog may lack a channel or a
/// version that another one has.
///
/// # Errors
/// [`LockError`] if no catalog can answer.
pub fn releases_by_catalog(
    index: &Index,
    catalogs: &[String],
    package: &str,
    select: &Select,
) -> Result<Vec<InCatalog>, LockError> {
    let filter = Filter { catalogs: catalogs.to_vec(), package: Some(package.to_owned()), ..Filter::default() };
    let mut names: Vec<String> = index.packages(&filter)?.into_iter().map(|it| it.catalog).collect();
    names.sort();
    if names.len() < 2 {
        let name = names.pop().unwrap_or_default();
        return Ok(vec![(name, Ok(releases(index, catalogs, package, select)?))]);
    }
    let in_catalog = |name: String| {
        let found = releases(index, std::slice::from_ref(&name), package, select);
        (name, found)
    };
    let mut all: Vec<InCatalog> = names.into_iter().map(in_catalog).collect();
    if all.iter().all(|it| it.1.is_err()) {
        all.swap_remove(0).1?;
    }
    Ok(all)
}

/// The versions of a package of a catalog.
///
/// # Errors
/// [`LockError`]
pub fn releases(index: &Index, catalogs: &[String], package: &str, select: &Select) -> Result<Datasource, LockError> {
    let filter = Filter { catalogs: catalogs.to_vec(), ..Filter::default() };
    let view = PackageView::read(index, &filter, package)?;
    let graph = match view.graphs.as_slice() {
        [] => {
            let known = index.package_names()?;
            return Err(LockError::Unknown { what: "package", name: package.to_owned(), of: String::new(), known });
        }
        [only] => only,
        several => {
            let catalogs = several.iter().map(|it| it.catalog.clone()).collect();
            return Err(LockError::SeveralCatalogs { package: package.to_owned(), catalogs });
        }
    };
    let of_classic = classic::Package::new(graph);
    if let Some(name) = &select.channel
        && of_classic.channels_named(name).is_empty()
    {
        let known = of_classic.channels.iter().map(|it| it.name.clone()).collect();
        let of = format!("package `{package}`");
        return Err(LockError::Unknown { what: "channel", name: name.clone(), of, known });
    }
    let channels: Vec<&classic::Channel> =
        of_classic.channels.iter().filter(|it| select.channel.as_ref().is_none_or(|name| *name == it.name)).collect();
    let names: BTreeSet<&str> = channels.iter().flat_map(|it| &it.entries).map(|it| it.fields.name.as_str()).collect();
    let reached = match &select.from {
        None => None,
        Some((from, olm, reach)) => Some(reached(index, &view, select, from, *olm, *reach)?),
    };
    let selector = BundleSelector {
        catalogs: vec![graph.catalog.clone()],
        package: Some(package.to_owned()),
        name: None,
        version: None,
    };
    let mut found: Vec<(Version, BundleDetail)> = Vec::new();
    for detail in index.show_bundle(&selector)? {
        let name = detail.row.bundle.as_str();
        let is_offered = names.contains(name) && reached.as_ref().is_none_or(|it| it.contains(name));
        match Version::parse(&detail.row.version) {
            Ok(version) if is_offered => found.push((version, detail)),
            _ => {}
        }
    }
    found.sort_by(|a, b| a.0.cmp_precedence(&b.0).then_with(|| a.1.row.version.cmp(&b.1.row.version)));
    found.dedup_by(|a, b| a.1.row.version == b.1.row.version);
    found.truncate(found.len().saturating_sub(select.lag));
    let source_url = found.last().map(|it| it.1.repository.clone()).filter(|it| it.starts_with("https://"));
    let versions: HashSet<&str> = found.iter().map(|(_, detail)| detail.row.version.as_str()).collect();
    let mut tags = BTreeMap::new();
    for channel in &channels {
        let head = channel.order().ok().and_then(|it| it.live.first().and_then(|it| it.version.clone()));
        // A tag for a missing version would be an update to nothing.
        if let Some(version) = head.filter(|head| versions.contains(head.to_string().as_str())) {
            tags.insert(channel.name.clone(), version.to_string());
        }
    }
    let deprecated: BTreeSet<(&str, &str)> =
        graph.deprecations.iter().flatten().map(|it| (it.schema.as_str(), it.name.as_str())).collect();
    let is_package_deprecated = deprecated.iter().any(|it| it.0 == "olm.package");
    // A bundle is deprecated if all of its channels are, since users take it from one of them.
    let is_deprecated = |bundle: &str| {
        let mut of_bundle = channels.iter().filter(|it| it.entry(bundle).is_some());
        is_package_deprecated
            || deprecated.contains(&("olm.bundle", bundle))
            || of_bundle.all(|it| deprecated.contains(&("olm.channel", it.name.as_str())))
    };
    let releases = found.iter().map(|(version, detail)| Release {
        version: detail.row.version.clone(),
        is_deprecated: is_deprecated(&detail.row.bundle),
        release_timestamp: timestamp(&detail.created_at),
        digest: detail.row.image.split_once('@').map(|it| it.1.to_owned()).unwrap_or_default(),
        is_stable: version.pre().is_empty(),
    });
    Ok(Datasource { releases: releases.collect(), tags, source_url: source_url.unwrap_or_default() })
}

/// The bundles that OLM reaches.
fn reached(
    index: &Index,
    view: &PackageView,
    select: &Select,
    from: &str,
    olm: Olm,
    reach: Reach,
) -> Result<BTreeSet<String>, LockError> {
    let installed = view.find_installed_in(index, from).map_err(|error| {
        let of = format!("package `{}`", view.package);
        let unknown = |known| LockError::Unknown { what: "version", name: from.to_owned(), of, known };
        match error {
            InstalledError::Unknown { .. } => unknown(view.bundles().iter().map(|it| it.version.clone()).collect()),
            InstalledError::Several { names, .. } => unknown(names),
            InstalledError::Index(error) => error.into(),
        }
    })?;
    let channels = select.channel.clone().into_iter().collect();
    let asked = EngineQuestion { installed: Some(installed.clone()), channels, ..EngineQuestion::default() };
    let Some(graph) = view.graphs.first() else { return Ok(BTreeSet::new()) };
    if reach == Reach::Next {
        let updates = match olm {
            Olm::Classic => classic_updates(view, graph, &asked),
            Olm::V1 => v1_updates(view, &asked),
        };
        let target = updates.target.map(|it| it.bundle).filter(|it| *it != installed.name);
        return Ok(target.into_iter().collect());
    }
    let path = match olm {
        Olm::Classic => classic_path(view, graph, &asked, &installed, None),
        Olm::V1 => v1_path(view, &asked, &installed, None),
    };
    Ok(path.steps.into_iter().map(|it| it.target.bundle).collect())
}

/// A time as RFC 3339, if a text is a time or a day; else an empty text, since a wrong time makes Renovate refuse all
/// versions.
fn timestamp(text: &str) -> String {
    let bytes = text.as_bytes();
    let digits = |from: usize, to: usize| bytes.get(from..to).is_some_and(|it| it.iter().all(u8::is_ascii_digit));
    let is_day =
        digits(0, 4) && digits(5, 7) && digits(8, 10) && bytes.get(4) == Some(&b'-') && bytes.get(7) == Some(&b'-');
    let is_time = digits(11, 13) && digits(14, 16) && digits(17, 19);
    let in_bounds = |from: usize, to: usize, most: u8| {
        text.get(from..to).and_then(|it| it.parse::<u8>().ok()).is_some_and(|it| it <= most)
    };
    if !is_day || !in_bounds(5, 7, 12) || !in_bounds(8, 10, 31) {
        return String::new();
    }
    match bytes.len() {
        10 => format!("{text}T00:00:00Z"),
        20 if is_time && bytes[10] == b'T' && bytes[19] == b'Z' && in_bounds(11, 13, 23) && in_bounds(14, 16, 59) => {
            text.to_owned()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::timestamp;

    #[test]
    fn only_times_are_times() {
        for (text, wanted) in [
            ("2024-02-29T10:11:12Z", "2024-02-29T10:11:12Z"),
            ("2024-02-29", "2024-02-29T00:00:00Z"),
            ("2024-13-29", ""),
            ("2024/02/29", ""),
            ("2024-02-29T30:11:12Z", ""),
            ("yesterday", ""),
            ("ä024-02-29", ""),
            ("", ""),
        ] {
            assert_eq!(timestamp(text), wanted, "{text}");
        }
    }
}
