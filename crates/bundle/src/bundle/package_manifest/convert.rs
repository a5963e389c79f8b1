//! A package-manifest directory as a catalog: the package, its channels, and a bundle for each version that a channel
//! reaches.
//!
//! A channel is built as the legacy registry does it (`docs/behaviour/legacy-index.md` 2.2): from its head along
//! `spec.replaces`, with the names that each entry skips.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::manifest::PackageManifest;
use super::tree::{Tree, Version};
use super::{file, rules};
use crate::bundle::blob::Bundle;
use crate::bundle::sources::{SourceFile, made_of};
use crate::bundle::written;
use olmdex_base::diag::{Finding, Place, closest};
use olmdex_fbc::{Format, Input, Level, Provenance, Spot, raw_entry, write_raw_blob};
use olmdex_text::json;

/// Reads the package-manifest directory whose package manifest is the file of this number; `None` if there are no
/// versions in it. `root` is the directory, if it is in the file system; `image` gives bundles the references of their
/// images.
pub fn convert(
    root: Option<&Path>,
    input: &Input,
    manifest: usize,
    image: &dyn Fn(&Bundle) -> String,
) -> Option<Result<Input, String>> {
    let file = input.files.get(manifest)?;
    let text = file::read(root, file).ok()?;
    let (package, mut findings) = PackageManifest::read(&file.shown, &text);
    let mut tree = Tree::read(root, input, manifest, &package.package);
    if tree.versions.is_empty() && tree.findings.iter().all(|it| it.rule.id != rules::NO_BUNDLE.id) {
        return None;
    }
    findings.append(&mut tree.findings);
    let place = |path: Vec<json::Step>| written::place(&file.shown, &text, &Spot::Path(path));
    let of_package = || Some(package.package.clone()).filter(|name| !name.is_empty());
    let mut texts = Vec::new();
    let blob = json::Tree::of_texts([("schema", "olm.package"), ("name", &package.package)]);
    let blob = blob.with_text("defaultChannel", &package.default_channel);
    let mut from = Provenance::new(written::place(&file.shown, &text, &Spot::Start));
    from.add(vec!["name".into()], place(vec!["packageName".into()]));
    from.add(vec!["defaultChannel".into()], place(vec!["defaultChannel".into()]));
    texts.push((finished(&blob), from));
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    for (number, name, head) in &package.channels {
        let at = place(vec!["channels".into(), (*number).into()]);
        let head_at = place(vec!["channels".into(), (*number).into(), "currentCSV".into()]);
        if !tree.versions.contains_key(head) {
            findings.push(unknown_head(name, head, &tree.versions, head_at).of_package(of_package()));
            continue;
        }
        let entries = entries(&tree.versions, head);
        let mut from = Provenance::new(at);
        let members = [("schema", "olm.channel"), ("name", name), ("package", &package.package)];
        let blob_entries = entries.iter().enumerate().map(|(number, entry)| {
            from.add(vec!["entries".into(), number.into()], entry.place());
            let (version, replaces, skips) = (entry.version, entry.replaces(), entry.skips());
            raw_entry(&version.bundle.name, replaces, skips, &version.skip_range)
        });
        let blob = json::Tree::of_texts(members).with("entries", json::Tree::list(blob_entries));
        texts.push((finished(&blob), from));
        reached.extend(entries.iter().map(|it| it.version.bundle.name.as_str()));
    }
    for (name, version) in &tree.versions {
        if !reached.contains(name.as_str()) {
            findings.push(unreached(version).of_package(of_package()));
            continue;
        }
        let image = image(&version.bundle);
        let mut text = Vec::new();
        if let Err(message) = version.bundle.write(&image, Level::None, Format::Json, &mut text) {
            return Some(Err(format!("{}: {message}", version.files[version.csv].0)));
        }
        let files: Vec<SourceFile<'_>> = version.files.iter().map(|(shown, text)| SourceFile { shown, text }).collect();
        texts.push((text, made_of(&version.bundle, &image, &files)));
    }
    let mut converted = Input::of_others(texts);
    converted.remarks = input.remarks.iter().cloned().chain(findings).collect();
    Some(Ok(converted))
}

fn finished(blob: &json::Tree) -> Vec<u8> {
    let mut text = Vec::new();
    // Only YAML and deep values could fail.
    let _ = write_raw_blob(blob, Format::Json, &mut text);
    text
}

/// An entry of a channel.
struct Entry<'t> {
    version: &'t Version,
    /// Whether it is only in the channel because another entry skips it.
    is_skipped: bool,
}

impl Entry<'_> {
    fn replaces(&self) -> &str {
        if self.is_skipped { "" } else { &self.version.replaces }
    }

    fn skips(&self) -> &[String] {
        if self.is_skipped { &[] } else { &self.version.skips }
    }

    /// The place where its ClusterServiceVersion names the replaced bundle, or else its own name.
    fn place(&self) -> Place {
        let (shown, text) = &self.version.files[self.version.csv];
        let spot = match self.replaces() {
            "" => Spot::Path(vec!["metadata".into(), "name".into()]),
            _ => Spot::Path(vec!["spec".into(), "replaces".into()]),
        };
        written::place(shown, text, &spot)
    }
}

/// The entries of a channel with a head: the chain of replaced bundles, then the bundles that these skip.
fn entries<'t>(versions: &'t BTreeMap<String, Version>, head: &str) -> Vec<Entry<'t>> {
    let mut entries: Vec<Entry<'t>> = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut next = versions.get(head);
    while let Some(version) = next.filter(|it| seen.insert(&it.bundle.name)) {
        entries.push(Entry { version, is_skipped: false });
        next = versions.get(&version.replaces);
    }
    let mut skipped = Vec::new();
    for version in entries.iter().flat_map(|it| &it.version.skips).filter_map(|it| versions.get(it)) {
        if seen.insert(&version.bundle.name) {
            skipped.push(Entry { version, is_skipped: true });
        }
    }
    entries.extend(skipped);
    entries
}

fn unknown_head(channel: &str, head: &str, versions: &BTreeMap<String, Version>, place: Place) -> Finding {
    let help = match closest(head, versions.keys().map(String::as_str)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "add its directory, or name another version as `currentCSV`".to_owned(),
    };
    let message =
        format!("the head `{head}` of channel `{channel}` is not a ClusterServiceVersion below the directory");
    rules::HEAD_UNKNOWN.finding(message).at(place).help(help)
}

fn unreached(version: &Version) -> Finding {
    let (shown, text) = &version.files[version.csv];
    let spot = Spot::Path(vec!["metadata".into(), "name".into()]);
    let message = format!("no channel reaches `{}`, so it is left out", version.bundle.name);
    let help = "make it the head of a channel, or let a version replace it";
    rules::UNREACHED.finding(message).at(written::place(shown, text, &spot)).help(help)
}
