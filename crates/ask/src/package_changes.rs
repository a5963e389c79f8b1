//! The differences between two catalogs, package by package: what breaks for users, in words, and packages of one
//! provider with the same changes together.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::error::AskError;
use olmdex_base::diag::counted;
use olmdex_index::query::{Change, ChangeKind, Filter, PackageRow, Side, Subject};
use olmdex_version::by_numbers;

/// The changes of a package, or of several packages with the same ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PackageChanges {
    /// The packages.
    pub packages: Vec<String>,
    /// Their common provider, or empty.
    pub provider: String,
    /// The head of the default channel in both catalogs, absent where there is none.
    pub heads: (Option<String>, Option<String>),
    /// The default channel in both catalogs, if it is another one.
    pub default_channel: Option<(String, String)>,
    /// The breaks: the thing, and what happens to it.
    pub breaks: Vec<(String, String)>,
    /// How many versions are new, and how many are dropped.
    pub versions: (usize, usize),
    /// The new channels.
    pub new_channels: Vec<String>,
    /// The number of new deprecations.
    pub n_deprecated: usize,
    /// How many versions have their metadata in another form only.
    pub n_forms: usize,
    /// How many changes it has, but for other forms.
    pub n_changes: usize,
}

/// The break of bundles that are no longer the same.
const OTHER_CONTENT: &str = "other content under the same name";

/// The kind of a package's changes, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PackageChangeKind {
    /// Something that users rely on is gone.
    Breaking,
    /// Bundles have other content under the same name, and nothing else breaks.
    OtherContent,
    /// The default channel leads to another version.
    OtherHead,
    /// The package is new.
    New,
    /// Something else.
    Other,
    /// Nothing but the form of metadata.
    FormOnly,
}

impl PackageChanges {
    /// The kind of its changes.
    pub fn kind(&self) -> PackageChangeKind {
        match self {
            _ if self.breaks.iter().any(|(what, _)| what != OTHER_CONTENT) => PackageChangeKind::Breaking,
            _ if !self.breaks.is_empty() => PackageChangeKind::OtherContent,
            Self { n_changes: 0, .. } => PackageChangeKind::FormOnly,
            Self { heads: (None, Some(_)), .. } => PackageChangeKind::New,
            Self { heads: (old, new), .. } if old != new => PackageChangeKind::OtherHead,
            _ => PackageChangeKind::Other,
        }
    }

    /// How many packages have changes of a kind.
    pub fn n_of(all: &[Self], kind: PackageChangeKind) -> usize {
        all.iter().filter(|changes| changes.kind() == kind).map(|changes| changes.packages.len()).sum()
    }

    /// How many packages break something, how many have other content under the same names, and how many are new.
    pub fn news(all: &[Self]) -> String {
        let n = |kind| Self::n_of(all, kind) as u64;
        let mut parts = vec![match n(PackageChangeKind::Breaking) {
            0 => "no package breaks anything".to_owned(),
            1 => "1 package breaks something".to_owned(),
            n => format!("{} break something", counted(n, "package")),
        }];
        match n(PackageChangeKind::OtherContent) {
            0 => {}
            1 => parts.push(format!("1 has {OTHER_CONTENT}")),
            n => parts.push(format!("{n} have {OTHER_CONTENT}")),
        }
        match n(PackageChangeKind::New) {
            0 => {}
            1 => parts.push("1 package is new".to_owned()),
            n => parts.push(format!("{} are new", counted(n, "package"))),
        }
        parts.join("; ")
    }

    /// The names of the packages in words: the only one, or how many of which provider.
    pub fn name(&self) -> String {
        match self.packages.as_slice() {
            [only] => only.clone(),
            several if self.provider.is_empty() => counted(several.len() as u64, "package"),
            several => format!("{} of {}", counted(several.len() as u64, "operator"), self.provider),
        }
    }

    /// The new and dropped versions in words.
    pub fn versions_in_words(&self) -> String {
        let (new, dropped) = self.versions;
        let parts = [(new, "new"), (dropped, "dropped")];
        let parts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}"));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// The changes package by package, those that break something first; `changes` are sorted by package.
///
/// # Errors
/// If an index cannot be read.
pub fn by_package(old: Side<'_>, new: Side<'_>, changes: &[Change]) -> Result<Vec<PackageChanges>, AskError> {
    // Changes of one package need the row of that one.
    let only = changes.first().filter(|first| changes.iter().all(|change| change.package == first.package));
    let package = only.map(|change| change.package.clone());
    let rows = |side: Side<'_>| -> Result<BTreeMap<String, PackageRow>, AskError> {
        let filter = Filter { package: package.clone(), ..Filter::of_catalog(side.catalog) };
        Ok(side.index.packages(&filter)?.into_iter().map(|row| (row.package.clone(), row)).collect())
    };
    let (old_rows, new_rows) = (rows(old)?, rows(new)?);
    let mut all: Vec<PackageChanges> = Vec::new();
    let mut place_of: HashMap<PackageChanges, usize> = HashMap::new();
    for of_package in changes.chunk_by(|a, b| a.package == b.package) {
        let Some(package) = of_package.first().map(|change| change.package.as_str()) else { continue };
        let found = summary(package, (old_rows.get(package), new_rows.get(package)), of_package);
        if found.provider.is_empty() || found.n_changes == 0 {
            all.push(found);
            continue;
        }
        match place_of.entry(PackageChanges { packages: Vec::new(), ..found.clone() }) {
            Entry::Occupied(known) => {
                if let Some(other) = all.get_mut(*known.get()) {
                    other.packages.extend(found.packages);
                }
            }
            Entry::Vacant(vacant) => {
                vacant.insert(all.len());
                all.push(found);
            }
        }
    }
    all.sort_by_key(|changes| (changes.kind(), changes.packages.first().cloned()));
    Ok(all)
}

fn summary(
    package: &str,
    (old, new): (Option<&PackageRow>, Option<&PackageRow>),
    changes: &[Change],
) -> PackageChanges {
    let is_whole = |change: &&Change, subject: Subject, kind: ChangeKind| {
        change.subject == subject && change.change == kind && change.field.is_none() && !change.detail
    };
    let names = |subject: Subject, kind: ChangeKind| {
        let found = changes.iter().filter(|change| is_whole(change, subject, kind));
        let name = |change: &Change| match subject {
            Subject::Channel => change.channel.clone(),
            _ => change.version.clone().or_else(|| change.bundle.clone()),
        };
        let mut names: Vec<String> = found.filter_map(name).collect();
        names.sort_by_cached_key(|name| by_numbers(name));
        names.dedup();
        names
    };
    let mut breaks = Vec::new();
    if changes.iter().any(|change| is_whole(&change, Subject::Package, ChangeKind::Removed)) {
        breaks.push(("removed".to_owned(), "installed clusters get no more updates".to_owned()));
    }
    let stranded = stranded(changes);
    if !stranded.is_empty() {
        let have = if stranded.len() == 1 { "has" } else { "have" };
        breaks.push(("stranded".to_owned(), format!("{} {have} no upgrade any more", list(&stranded))));
    }
    let is_unordered = |change: &&Change| change.change == ChangeKind::Stranded && change.subject == Subject::Channel;
    for channel in changes.iter().filter(is_unordered).filter_map(|change| change.channel.as_ref()) {
        breaks.push((format!("channel {channel} stands still"), "it has no single head".to_owned()));
    }
    let gone = names(Subject::Channel, ChangeKind::Removed);
    if !gone.is_empty() && breaks.first().is_none_or(|(what, _)| what != "removed") {
        breaks.push((format!("{} gone", counted(gone.len() as u64, "channel")), list(&gone)));
    }
    let is_other_content = |change: &&Change| change.breaking && change.field.as_deref() == Some(Change::CONTENT);
    let replaced: Vec<String> = changes
        .iter()
        .filter(is_other_content)
        .filter_map(|it| it.version.clone().or_else(|| it.bundle.clone()))
        .collect();
    if !replaced.is_empty() {
        breaks.push((OTHER_CONTENT.to_owned(), list(&replaced)));
    }
    let is_told = |change: &&Change| {
        change.change == ChangeKind::Stranded
            || is_other_content(change)
            || matches!((change.subject, change.change), (Subject::Package | Subject::Channel, ChangeKind::Removed))
    };
    let n_more = changes.iter().filter(|change| change.breaking && !is_told(change)).count() as u64;
    if n_more > 0 {
        breaks.push((counted(n_more, "more break"), "see its changes".to_owned()));
    }
    let head = |row: Option<&PackageRow>| row.map(|row| row.head_version.clone()).filter(|version| !version.is_empty());
    let channel = |row: Option<&PackageRow>| row.map(|row| row.default_channel.clone()).unwrap_or_default();
    let channels = (channel(old), channel(new));
    let n_forms = changes.iter().filter(|it| it.field.as_deref() == Some(Change::METADATA_FORM)).count();
    let is_deprecation = |it: &&Change| it.subject == Subject::Deprecation && it.change == ChangeKind::Added;
    PackageChanges {
        packages: vec![package.to_owned()],
        provider: new.or(old).map(|row| row.provider.clone()).unwrap_or_default(),
        heads: (head(old), head(new)),
        default_channel: (old.is_some() && new.is_some() && channels.0 != channels.1).then_some(channels),
        breaks,
        versions: (names(Subject::Bundle, ChangeKind::Added).len(), names(Subject::Bundle, ChangeKind::Removed).len()),
        new_channels: names(Subject::Channel, ChangeKind::Added),
        n_deprecated: changes.iter().filter(is_deprecation).count(),
        n_forms,
        n_changes: changes.len() - n_forms,
    }
}

/// The versions that have no upgrade any more, each once.
pub fn stranded(changes: &[Change]) -> Vec<String> {
    let of_entries = changes.iter().filter(|it| it.change == ChangeKind::Stranded && it.subject != Subject::Channel);
    let mut names: Vec<String> = of_entries.filter_map(|it| it.version.clone().or_else(|| it.bundle.clone())).collect();
    names.sort_by_cached_key(|name| by_numbers(name));
    names.dedup();
    names
}

/// Names in words: of many the first ones.
fn list(names: &[String]) -> String {
    const MAX: usize = 5;
    let shown = names.iter().take(MAX).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX) as u64 {
        0 => shown,
        n => format!("{shown} and {n} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olmdex_fbc::Input;
    use olmdex_index::{Builder, CatalogSpec, Index, Mode};
    use std::sync::Arc;

    fn index(name: &str, text: &str) -> Index {
        let mut builder = Builder::in_memory().keeping_all();
        let spec = CatalogSpec { name: name.to_owned(), source: name.to_owned(), ..CatalogSpec::default() };
        builder.add_catalog(&spec, &Input::bytes("c.json", Arc::from(text.as_bytes())), Mode::Tolerant).unwrap();
        builder.into_index().unwrap()
    }

    /// A package of a provider with channels, each a chain of versions, the lowest first.
    fn package(name: &str, provider: &str, channels: &[(&str, &[&str])]) -> String {
        let mut text =
            format!("{{\"schema\":\"olm.package\",\"name\":\"{name}\",\"defaultChannel\":\"{}\"}}\n", channels[0].0);
        let mut known = Vec::new();
        for (channel, versions) in channels {
            let entry = |at: usize| {
                let replaces = at.checked_sub(1).map(|at| format!(",\"replaces\":\"{name}.v{}\"", versions[at]));
                format!("{{\"name\":\"{name}.v{}\"{}}}", versions[at], replaces.unwrap_or_default())
            };
            let entries: Vec<String> = (0..versions.len()).map(entry).collect();
            text += &format!(
                "{{\"schema\":\"olm.channel\",\"package\":\"{name}\",\"name\":\"{channel}\",\"entries\":[{}]}}\n",
                entries.join(",")
            );
            for version in versions.iter().filter(|version| !known.contains(version)) {
                text += &format!(
                    "{{\"schema\":\"olm.bundle\",\"package\":\"{name}\",\"name\":\"{name}.v{version}\",\"image\":\"q.io/{name}:{version}\",\
                     \"properties\":[{{\"type\":\"olm.package\",\"value\":{{\"packageName\":\"{name}\",\"version\":\"{version}\"}}}},\
                     {{\"type\":\"olm.csv.metadata\",\"value\":{{\"provider\":{{\"name\":\"{provider}\"}}}}}}]}}\n"
                );
            }
            known.extend(versions.iter());
        }
        text
    }

    #[test]
    fn a_row_says_what_breaks_and_equal_changes_of_a_provider_share_one() {
        let old = package("a", "Stack", &[("stable", &["1.0.0", "1.1.0"])])
            + &package("b", "Stack", &[("stable", &["1.0.0", "1.1.0"])])
            + &package("c", "Other", &[("new", &["2.0.0"]), ("old", &["1.0.0"])])
            + &package("gone", "Other", &[("stable", &["1.0.0"])])
            + &package("same", "Other", &[("stable", &["1.0.0"])]);
        let new = package("a", "Stack", &[("stable", &["1.2.0"])])
            + &package("b", "Stack", &[("stable", &["1.2.0"])])
            + &package("c", "Other", &[("new", &["2.0.0", "2.1.0"])])
            + &package("fresh", "Other", &[("stable", &["1.0.0"])])
            + &package("same", "Other", &[("stable", &["1.0.0"])]);
        let (old, new) = (index("old", &old), index("new", &new));
        let (old, new) = (Side { index: &old, catalog: "old" }, Side { index: &new, catalog: "new" });
        let changes = super::super::changes(old, new, &[], olmdex_index::query::NestedChanges::Skipped).unwrap();
        let found = by_package(old, new, &changes).unwrap();
        let told: Vec<(String, PackageChangeKind, String)> = found
            .iter()
            .map(|it| {
                let breaks = it.breaks.iter().map(|(what, how)| format!("{what}: {how}"));
                (it.name(), it.kind(), breaks.collect::<Vec<_>>().join("; "))
            })
            .collect();
        let row = |name: &str, kind, breaks: &str| (name.to_owned(), kind, breaks.to_owned());
        assert_eq!(
            told,
            [
                row(
                    "2 operators of Stack",
                    PackageChangeKind::Breaking,
                    "stranded: 1.0.0, 1.1.0 have no upgrade any more"
                ),
                row("c", PackageChangeKind::Breaking, "1 channel gone: old"),
                row("gone", PackageChangeKind::Breaking, "removed: installed clusters get no more updates"),
                row("fresh", PackageChangeKind::New, ""),
            ]
        );
        assert_eq!(found[0].versions_in_words(), "1 new, 2 dropped");
        assert_eq!(found[1].heads, (Some("2.0.0".to_owned()), Some("2.1.0".to_owned())));
    }
}
