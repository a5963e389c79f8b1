//! Neighbouring bundle directories, as a community repository has them: the targets of a ClusterServiceVersion's edges
//! and of an annotation's channels.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalog::{Key, OpenText};
use super::completion::{Proposal, Sort};
use super::cursor::Cursor;
use super::hover;
use super::symbols::{Mention, Role, Thing};
use olmdex_base::diag::Place;
use olmdex_bundle::bundle::is_bundle;
use olmdex_bundle::bundle::rules::{CatalogClaims, Claim, Contents, Validation};
use olmdex_fbc::Entry;
use olmdex_index::query::{GraphBundle, GraphChannel, PackageGraph};

/// The annotations that name channels and the package.
const CHANNELS: &str = "operators.operatorframework.io.bundle.channels.v1";
const DEFAULT_CHANNEL: &str = "operators.operatorframework.io.bundle.channel.default.v1";
const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1";

/// The bundles in the directory that holds a bundle.
#[derive(Debug, Default)]
pub(super) struct Bundles {
    all: Vec<CatalogClaims>,
    /// The package, as a graph: a channel has the bundles that say they are for it.
    graph: PackageGraph,
    /// The name of the bundle that is asked about, or empty.
    own: String,
}

/// The kind of value at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wording {
    /// The bundle's own name or version.
    Own,
    Replaces,
    Skips,
    SkipRange,
    Channel,
    Package,
}

impl Bundles {
    /// The bundle of a directory and those beside it. `open` are open documents, which count more than their files.
    pub(super) fn read(directory: &Path, open: &BTreeMap<Key, OpenText>) -> Self {
        let mut directories: Vec<PathBuf> = directory
            .parent()
            .and_then(|it| std::fs::read_dir(it).ok())
            .map(|it| it.filter_map(|entry| Some(entry.ok()?.path())).filter(|it| is_bundle(it)).collect())
            .unwrap_or_default();
        if !directories.iter().any(|it| it == directory) {
            directories.push(directory.to_owned());
        }
        directories.sort();
        let mut bundles = Self::default();
        for it in directories {
            // An error in reading is a finding of its own.
            let Ok(mut contents) = Contents::read(&it) else { continue };
            for (key, open) in open {
                if let Some(path) = key.path().filter(|path| path.starts_with(&it)) {
                    contents.set_text(path, open.text.as_bytes().to_vec());
                }
            }
            let Some(found) = Validation::new(&contents).newcomer() else { continue };
            if it == directory {
                bundles.own.clone_from(&found.name.it);
            }
            bundles.all.push(found);
        }
        bundles.graph = bundles.graph();
        bundles
    }

    fn graph(&self) -> PackageGraph {
        let package = self.own_bundle().map(|it| it.package.it.clone()).unwrap_or_default();
        let of_package: Vec<&CatalogClaims> = self.all.iter().filter(|it| it.package.it == package).collect();
        let names: BTreeSet<&str> =
            of_package.iter().flat_map(|it| it.channels.it.iter().map(String::as_str)).collect();
        let text = |it: &Option<Claim<String>>| it.as_ref().map(|it| it.it.clone()).unwrap_or_default();
        let entry = |it: &&CatalogClaims| Entry {
            name: it.name.it.clone(),
            replaces: text(&it.replaces),
            skips: it.skips.iter().map(|it| it.it.clone()).collect(),
            skip_range: it.skip_range.clone(),
        };
        let channel = |name: &str| {
            let members = of_package.iter().filter(|it| it.channels.it.iter().any(|it| it == name));
            GraphChannel { name: name.to_owned(), entries: members.map(entry).collect(), places: Arc::default() }
        };
        let bundle = |it: &&CatalogClaims| {
            let property = serde_json::json!({"packageName": it.package.it, "version": it.version.it});
            GraphBundle {
                name: it.name.it.clone(),
                package_property: Some(property.to_string()),
                ..GraphBundle::default()
            }
        };
        PackageGraph {
            channels: names.iter().map(|it| channel(it)).collect(),
            bundles: of_package.iter().map(bundle).collect(),
            package: package.clone(),
            is_valid: true,
            ..PackageGraph::default()
        }
    }

    fn own_bundle(&self) -> Option<&CatalogClaims> {
        self.all.iter().find(|it| it.name.it == self.own)
    }

    /// The channels of the bundle that is asked about.
    fn own_channels(&self) -> &[String] {
        self.own_bundle().map_or(&[], |it| &it.channels.it)
    }

    /// The hover text for a place, in Markdown, and the bytes that it is about.
    pub(super) fn hover(&self, path: &Path, text: &str, offset: usize) -> Option<(String, Range<usize>)> {
        let (wording, word, bytes) = at(path, text, offset)?;
        let graph = &self.graph;
        let channel = self.own_channels().first().map_or("", String::as_str);
        let mention = |role: Role| Mention {
            thing: Thing::Bundle,
            role,
            package: graph.package.clone(),
            channel: channel.to_owned(),
            entry: self.own.clone(),
            name: word.clone(),
            span: bytes.clone(),
            quote: ' ',
        };
        let shown = match wording {
            Wording::Own => hover::of_bundle(graph, &Mention { name: self.own.clone(), ..mention(Role::Own) }),
            Wording::Replaces => hover::of_edge(graph, &mention(Role::Replaces)),
            Wording::Skips => hover::of_edge(graph, &mention(Role::Skips)),
            Wording::SkipRange => {
                let holds = hover::in_range(graph, &word);
                let (range, own) = (hover::code(&word), hover::code(&self.own));
                format!(
                    "{range}\n\nOLM upgrades versions in it directly to {own}. It includes these bundles of the \
                    directory: {holds}"
                )
            }
            Wording::Channel => hover::of_channel(graph, &word),
            Wording::Package => {
                let n = olmdex_base::diag::counted(graph.bundles.len() as u64, "bundle");
                format!("Package {}\n\n{n} in this directory", hover::code(&word))
            }
        };
        Some((shown, bytes))
    }

    /// The targets of a name: a bundle leads to its ClusterServiceVersion, a channel to the annotations that name it.
    pub(super) fn definitions(&self, path: &Path, text: &str, offset: usize) -> Vec<Place> {
        let Some((wording, word, _)) = at(path, text, offset) else { return Vec::new() };
        let named = |name: &str| -> Vec<Place> {
            self.all.iter().filter(|it| it.name.it == name).map(|it| it.name.place.clone()).collect()
        };
        match wording {
            Wording::Own => named(&self.own),
            Wording::Replaces | Wording::Skips => named(&word),
            Wording::Channel => {
                let has = |it: &&CatalogClaims| it.channels.it.contains(&word);
                self.all.iter().filter(has).map(|it| it.channels.place.clone()).collect()
            }
            Wording::SkipRange | Wording::Package => Vec::new(),
        }
    }

    /// The proposals for a place, and the bytes that they replace: in a list of channels, one of them.
    pub(super) fn proposals(&self, path: &Path, text: &str, offset: usize) -> (Vec<Proposal>, Range<usize>) {
        let cursor = Cursor::at(text, offset);
        let Some(wording) = wording(path, &cursor) else { return (Vec::new(), cursor.word) };
        let word = match wording {
            Wording::Channel => at(path, text, offset).map_or(offset..offset, |it| it.2),
            _ => cursor.word.clone(),
        };
        (self.of_kind(wording, cursor.is_quoted), word)
    }

    fn of_kind(&self, wording: Wording, is_quoted: bool) -> Vec<Proposal> {
        let quote = if is_quoted { "" } else { "'" };
        let name = |it: &str, about: &str| Proposal {
            label: it.to_owned(),
            text: it.to_owned(),
            about: about.to_owned(),
            sort: Sort::Name,
        };
        let others = || self.graph.bundles.iter().rev().filter(|it| it.name != self.own);
        match wording {
            Wording::Replaces | Wording::Skips => others().map(|it| name(&it.name, "bundle")).collect(),
            Wording::SkipRange => {
                let range =
                    |it: String| Proposal { text: format!("{quote}{it}{quote}"), ..name(&it, "from this version up") };
                self.ranges().into_iter().map(range).collect()
            }
            Wording::Channel => self.graph.channels.iter().map(|it| name(&it.name, "channel")).collect(),
            Wording::Package => vec![name(&self.graph.package, "package")],
            Wording::Own => Vec::new(),
        }
    }

    /// Ranges from each older version up to the bundle's own, the widest first.
    fn ranges(&self) -> Vec<String> {
        use olmdex_version::Version;
        let version = |it: &CatalogClaims| Version::parse(&it.version.it).ok();
        let Some(own) = self.own_bundle().and_then(version) else { return Vec::new() };
        let mut below: Vec<Version> = self.all.iter().filter_map(version).filter(|it| *it < own).collect();
        below.sort();
        below.dedup();
        below.iter().map(|it| format!(">={it} <{own}")).collect()
    }
}

/// The kind of value at a cursor in a file of a bundle.
fn wording(path: &Path, cursor: &Cursor) -> Option<Wording> {
    let steps: Vec<&str> = cursor.path.iter().map(String::as_str).collect();
    let is_metadata = path.parent().and_then(Path::file_name).is_some_and(|it| it == "metadata");
    let is_value = cursor.is_value || steps.last() == Some(&"-");
    match steps.as_slice() {
        _ if !is_value => None,
        ["annotations", CHANNELS | DEFAULT_CHANNEL] if is_metadata => Some(Wording::Channel),
        ["annotations", PACKAGE] if is_metadata => Some(Wording::Package),
        _ if is_metadata => None,
        ["metadata", "name"] | ["spec", "version"] => Some(Wording::Own),
        ["spec", "replaces"] => Some(Wording::Replaces),
        ["spec", "skips", "-"] => Some(Wording::Skips),
        ["metadata", "annotations", "olm.skipRange"] => Some(Wording::SkipRange),
        _ => None,
    }
}

/// The value at a byte: its kind, its text and its bytes.
fn at(path: &Path, text: &str, offset: usize) -> Option<(Wording, String, Range<usize>)> {
    let offset = text.floor_char_boundary(offset.min(text.len()));
    let cursor = Cursor::at(text, offset);
    let wording = wording(path, &cursor)?;
    let line = text[..offset].rfind('\n').map_or(0, |it| it + 1);
    let end = text[offset..].find(['\n', '\r']).map_or(text.len(), |it| offset + it);
    // A range has blanks and may be in quotes, and the key before it has no quotes; a name has neither blanks nor
    // quotes.
    let is_part = |c: char| match wording {
        Wording::SkipRange => !matches!(c, '\'' | '"'),
        _ => c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+'),
    };
    let value = match wording {
        Wording::SkipRange => line + text[line..end].find(": ").map_or(0, |it| it + 2),
        _ => line,
    };
    if offset < value {
        return None;
    }
    let start = text[value..offset].rfind(|c| !is_part(c)).map_or(value, |it| value + it + 1);
    let stop = text[offset..end].find(|c| !is_part(c)).map_or(end, |it| offset + it);
    let word = text.get(start..stop)?.trim();
    (!word.is_empty()).then(|| (wording, word.to_owned(), start..stop))
}
