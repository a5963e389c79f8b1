//! A bundle that is to join a catalog: as an entry of its channels, beside the existing ones.
//!
//! The entry has the fields of the ClusterServiceVersion: its name, `replaces`, `skips` and `olm.skipRange`. If it
//! names no entry, it replaces the head of the channel, as in [`super::Change::Add`].

use std::collections::{BTreeMap, BTreeSet};

use super::rules;
use olmdex_base::diag::{Finding, Listed, closest};
use olmdex_base::olm::OlmSet;
use olmdex_bundle::bundle::rules::{CatalogClaims, Claim};
use olmdex_index::query::{BundleRow, EntryRow, Filter};
use olmdex_index::{Index, IndexError};
use olmdex_olm::resolve::{ClosureError, IndexRows, Options, bare_world, is_met};
use olmdex_rules::crd::findings::{LocatedCrd, judge_schemas};
use olmdex_version::Version;
use olmdex_version::blang::Range;

/// The findings about a bundle that is to join the catalogs of an index.
///
/// # Errors
/// If the index is damaged.
pub fn join(index: &Index, newcomer: &CatalogClaims) -> Result<Vec<Finding>, ClosureError> {
    let mut findings = Vec::new();
    let filter = Filter::of_package(&newcomer.package.it);
    let bundles = index.bundles(&filter)?;
    let entries = index.entries(&filter)?;
    names(index, newcomer, &bundles, &mut findings)?;
    if bundles.is_empty() && entries.is_empty() {
        let names = index.package_names()?;
        let help = match closest(&newcomer.package.it, names.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`? Otherwise add the package"),
            None => "add the package together with the bundle".to_owned(),
        };
        let message = format!("the catalog has no package `{}`", newcomer.package.it);
        findings.push(rules::NEW_PACKAGE.finding(message).at(newcomer.package.place.clone()).help(help));
    } else {
        channels(newcomer, &bundles, &entries, &mut findings);
    }
    needs(index, newcomer, &mut findings)?;
    constraints(index, newcomer, &mut findings)?;
    definitions(index, newcomer, &entries, &mut findings)?;
    let package = &newcomer.package.it;
    Ok(findings.into_iter().map(|finding| finding.of_package(package.clone())).collect())
}

/// Names and versions that are taken.
fn names(
    index: &Index,
    newcomer: &CatalogClaims,
    bundles: &[BundleRow],
    findings: &mut Vec<Finding>,
) -> Result<(), IndexError> {
    let Claim { it: name, place } = &newcomer.name;
    if let Some(package) = index.packages_of_bundle(name)?.first() {
        let message = format!("package `{package}` of the catalog already has a bundle `{name}`");
        let help = "give the new version another name; published bundles do not change";
        findings.push(rules::NAME_TAKEN.finding(message).at(place.clone()).help(help));
    }
    let Claim { it: text, place } = &newcomer.version;
    let Ok(version) = Version::parse_tolerant(text) else { return Ok(()) };
    let is_same = |it: &&BundleRow| {
        it.bundle != *name
            && it.release.is_empty()
            && Version::parse(&it.version).is_ok_and(|it| it.cmp_precedence(&version).is_eq())
    };
    if let Some(other) = bundles.iter().find(is_same) {
        let message = format!("the catalog already has version {}: `{}`", other.version, other.bundle);
        let help = "raise the version";
        findings.push(rules::VERSION_TAKEN.finding(message).at(place.clone()).help(help));
    }
    Ok(())
}

/// An entry, with the edges to it.
struct Entry<'a> {
    name: &'a str,
    replaces: &'a str,
    skips: Vec<&'a str>,
    range: Option<Range>,
}

impl Entry<'_> {
    /// Whether OLM takes it after another.
    fn follows(&self, name: &str, version: Option<&Version>) -> bool {
        let in_range = || match (&self.range, version) {
            (Some(range), Some(version)) => range.contains(version).unwrap_or(false),
            _ => false,
        };
        self.name != name && (self.replaces == name || self.skips.contains(&name) || in_range())
    }
}

fn channels(newcomer: &CatalogClaims, bundles: &[BundleRow], entries: &[EntryRow], findings: &mut Vec<Finding>) {
    let versions: BTreeMap<&str, Version> =
        bundles.iter().filter_map(|it| Some((it.bundle.as_str(), Version::parse(&it.version).ok()?))).collect();
    let mut there: BTreeMap<(&str, &str), Vec<Entry<'_>>> = BTreeMap::new();
    for it in entries {
        there.entry((&it.catalog, &it.channel)).or_default().push(Entry {
            name: &it.bundle,
            replaces: &it.replaces,
            skips: it.skips.iter().map(String::as_str).collect(),
            range: Range::parse(&it.skip_range).ok().filter(|_| !it.skip_range.is_empty()),
        });
    }
    let known: BTreeSet<&str> =
        there.values().flatten().flat_map(|it| it.skips.iter().copied().chain([it.name])).collect();
    for Claim { it: skipped, place } in newcomer.skips.iter().filter(|it| !known.contains(it.it.as_str())) {
        let message = format!("the bundle skips `{skipped}`, which no channel of the package names");
        findings
            .push(rules::SKIPS_UNKNOWN.finding(message).at(place.clone()).help("correct the name, or leave it out"));
    }
    let names: BTreeSet<&str> = there.keys().map(|(_, channel)| *channel).collect();
    for channel in &newcomer.channels.it {
        let held: Vec<&Vec<Entry<'_>>> =
            there.iter().filter(|((_, it), _)| it == channel).map(|(_, entries)| entries).collect();
        if held.is_empty() {
            let help = match closest(channel, names.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`? Otherwise tell users of the new channel"),
                None => "tell users of the new channel".to_owned(),
            };
            let message = format!("package `{}` has no channel `{channel}`", newcomer.package.it);
            findings.push(rules::NEW_CHANNEL.finding(message).at(newcomer.channels.place.clone()).help(help));
        }
        for entries in held {
            into_channel(newcomer, channel, entries, &versions, findings);
        }
    }
}

/// The entries that nothing replaces or skips, in their order.
fn heads<'a>(entries: &[&Entry<'a>]) -> Vec<&'a str> {
    let below: BTreeSet<&str> = entries.iter().flat_map(|it| it.skips.iter().copied().chain([it.replaces])).collect();
    entries.iter().map(|it| it.name).filter(|it| !below.contains(it)).collect()
}

/// The names with a way up to this name.
fn below<'a>(entries: &[&Entry<'a>], versions: &BTreeMap<&str, Version>, top: &str) -> BTreeSet<&'a str> {
    let mut reached: BTreeSet<&'a str> = BTreeSet::new();
    let mut open: Vec<&Entry<'a>> = entries.iter().copied().filter(|it| it.name == top).collect();
    while let Some(entry) = open.pop() {
        for lower in entries {
            if entry.follows(lower.name, versions.get(lower.name)) && reached.insert(lower.name) {
                open.push(lower);
            }
        }
    }
    reached
}

fn into_channel(
    newcomer: &CatalogClaims,
    channel: &str,
    entries: &[Entry<'_>],
    versions: &BTreeMap<&str, Version>,
    findings: &mut Vec<Finding>,
) {
    let package = &newcomer.package.it;
    let name = newcomer.name.it.as_str();
    // A taken name has been reported already, and the graph would be the old one.
    if entries.iter().any(|it| it.name == name) {
        return;
    }
    if let Some(Claim { it: replaced, place }) = &newcomer.replaces
        && !entries.iter().any(|it| it.name == replaced)
    {
        let help = match closest(replaced, entries.iter().map(|it| it.name)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("name the head of the channel, or leave {package}/{channel} out of the annotations"),
        };
        let message = format!("the bundle replaces `{replaced}`, which {package}/{channel} does not hold");
        findings.push(rules::REPLACES_UNKNOWN.finding(message).at(place.clone()).help(help));
    }
    let before: Vec<&Entry<'_>> = entries.iter().collect();
    let old_heads = heads(&before);
    let head = match old_heads.as_slice() {
        [head] if newcomer.replaces.is_none() && newcomer.skips.is_empty() => head,
        _ => "",
    };
    let new = Entry {
        name,
        replaces: newcomer.replaces.as_ref().map_or(head, |it| &it.it),
        skips: newcomer.skips.iter().map(|it| it.it.as_str()).collect(),
        range: Range::parse(&newcomer.skip_range).ok().filter(|_| !newcomer.skip_range.is_empty()),
    };
    let after: Vec<&Entry<'_>> = entries.iter().chain([&new]).collect();
    let new_heads = heads(&after);
    let place = newcomer.replaces.as_ref().map_or(&newcomer.name.place, |it| &it.place);
    if new_heads.len() > 1 && old_heads.len() <= 1 {
        let (n, listed) = (new_heads.len(), Listed::quoted(&new_heads));
        let message = format!("{package}/{channel} would have {n} heads: {listed}");
        let help = match old_heads.first() {
            Some(head) => format!("let the bundle replace `{head}`, or skip it"),
            None => "let the bundle replace the head of the channel".to_owned(),
        };
        findings.push(rules::SEVERAL_HEADS.finding(message).at(place.clone()).help(help));
    }
    let (Some(old_head), true) = (old_heads.first(), new_heads.contains(&name)) else { return };
    let mut had_a_way = below(&before, versions, old_head);
    had_a_way.insert(old_head);
    let has_a_way = below(&after, versions, name);
    let stranded: Vec<&str> =
        before.iter().map(|it| it.name).filter(|it| had_a_way.contains(it) && !has_a_way.contains(it)).collect();
    if let Some(first) = stranded.first() {
        let message = match stranded.len() {
            1 => format!("in {package}/{channel}, `{first}` would have no upgrade to `{name}`"),
            n => format!("in {package}/{channel}, {n} versions would have no upgrade to `{name}`, first `{first}`"),
        };
        let help = format!("let the bundle replace `{old_head}`, or give it an `olm.skipRange` that includes them");
        findings.push(rules::STRANDED.finding(message).at(place.clone()).help(help));
    }
}

/// The required APIs that no bundle in the catalog provides.
fn needs(index: &Index, newcomer: &CatalogClaims, findings: &mut Vec<Finding>) -> Result<(), IndexError> {
    for Claim { it: api, place } in &newcomer.required {
        let is_own = newcomer.provided.contains(api);
        if is_own || !index.packages_providing(&api.group, &api.version, &api.kind)?.is_empty() {
            continue;
        }
        let message = format!(
            "the bundle needs {}/{}/{}, which no bundle in the catalog provides",
            api.group, api.version, api.kind
        );
        let help = "correct group, version and kind, or add an operator that provides it";
        findings.push(rules::API_UNPROVIDED.finding(message).at(place.clone()).help(help));
    }
    for Claim { it: (package, range), place } in &newcomer.packages {
        let bundles = index.bundles(&Filter::of_package(package))?;
        if bundles.is_empty() {
            let names = index.package_names()?;
            let help = match closest(package, names.iter().map(String::as_str)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "correct the name, or add the package to the catalog".to_owned(),
            };
            let message = format!("the bundle needs package `{package}`, which the catalog does not have");
            findings.push(rules::PACKAGE_UNPROVIDED.finding(message).at(place.clone()).help(help));
            continue;
        }
        // A range that cannot be read has been reported.
        let Ok(parsed) = Range::parse(range) else { continue };
        let versions: Vec<Version> = bundles.iter().filter_map(|it| Version::parse(&it.version).ok()).collect();
        if !versions.iter().any(|it| parsed.contains(it).unwrap_or(false)) {
            let newest =
                versions.iter().max_by(|a, b| a.cmp_precedence(b)).map(ToString::to_string).unwrap_or_default();
            let message = format!("the bundle needs `{package}` {range}, but the catalog has no such version");
            let help = format!("change the range: the newest version is {newest}");
            findings.push(rules::PACKAGE_UNPROVIDED.finding(message).at(place.clone()).help(help));
        }
    }
    Ok(())
}

/// Constraints that nothing in the catalog meets.
fn constraints(index: &Index, newcomer: &CatalogClaims, findings: &mut Vec<Finding>) -> Result<(), ClosureError> {
    if newcomer.constraints.is_empty() {
        return Ok(());
    }
    let world = bare_world(index, &[])?;
    let rows = IndexRows::new(index, &world);
    for Claim { it: constraint, place } in &newcomer.constraints {
        // Unreadable constraints have been reported already.
        let Some((plain, false)) = is_met(&world, &rows, &Options::default(), constraint)? else { continue };
        let message = format!("the bundle needs {plain}, which no bundle in the catalog meets");
        let help = "correct the constraint, or add an operator that meets it";
        findings.push(rules::CONSTRAINT_UNMET.finding(message).at(place.clone()).help(help));
    }
    Ok(())
}

/// Whether the definitions may follow those of the replaced bundle.
fn definitions(
    index: &Index,
    newcomer: &CatalogClaims,
    entries: &[EntryRow],
    findings: &mut Vec<Finding>,
) -> Result<(), IndexError> {
    let Some(Claim { it: replaced, .. }) = &newcomer.replaces else { return Ok(()) };
    let catalogs: BTreeSet<&str> =
        entries.iter().filter(|it| it.bundle == *replaced).map(|it| it.catalog.as_str()).collect();
    let next: Vec<LocatedCrd> =
        newcomer.definitions.iter().filter_map(|it| LocatedCrd::read(&it.it, &it.place)).collect();
    let mut found: Vec<Finding> = Vec::new();
    for catalog in catalogs {
        let objects = index.carried_objects(catalog, replaced)?;
        let old: Vec<LocatedCrd> = objects.iter().filter_map(|(json, place)| LocatedCrd::read(json, place)).collect();
        for next in &next {
            let Some(before) = old.iter().find(|it| it.crd.name == next.crd.name) else { continue };
            found.extend(judge_schemas(OlmSet::Both, before, next));
        }
    }
    for finding in found {
        let is_known = findings.iter().any(|it| it.message == finding.message && it.place == finding.place);
        if !is_known {
            findings.push(finding);
        }
    }
    Ok(())
}
