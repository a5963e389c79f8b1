//! The package manifest: finding it, reading it, and its rules.

use std::collections::BTreeSet;
use std::path::Path;

use super::{file, rules};
use crate::bundle::manifest::first_document;
use crate::bundle::written;
use olmdex_base::diag::{Finding, Listed, Rule};
use olmdex_fbc::{Input, Spot};
use olmdex_text::json::{Kind, Reader, Step};

/// No package manifest is larger.
const MAX_MANIFEST: u64 = 1 << 20;

/// The number of files that are examined.
const MAX_LOOKS: usize = 32;

/// A package manifest.
#[derive(Debug, Default)]
pub(super) struct PackageManifest {
    pub(super) package: String,
    /// The channels that have a name and a head: their numbers in the file, names, heads.
    pub(super) channels: Vec<(usize, String, String)>,
    pub(super) default_channel: String,
}

/// The number of the file that is the package manifest of a directory with versions: a file right in it, with others
/// below it. `root` is the directory, if it is one of the system's.
pub fn find(root: Option<&Path>, input: &Input) -> Option<usize> {
    let is_deep = |name: &str| name.contains('/');
    if !input.files.iter().any(|it| is_deep(it.relative())) {
        return None;
    }
    let is_candidate = |name: &str| {
        let ends = [".yaml", ".yml", ".json"].iter().any(|it| name.ends_with(it));
        ends && !is_deep(name) && !name.starts_with('.')
    };
    let mut candidates: Vec<usize> = (0..input.files.len()).collect();
    candidates.retain(|it| is_candidate(input.files[*it].relative()));
    // The usual name first.
    candidates.sort_by_key(|it| !input.files[*it].relative().contains("package"));
    candidates.into_iter().take(MAX_LOOKS).find(|it| {
        let file = &input.files[*it];
        file.size().is_some_and(|it| it <= MAX_MANIFEST)
            && file::read(root, file).is_ok_and(|text| is_package_manifest(&text))
    })
}

/// Whether a text is a package manifest.
pub(super) fn is_package_manifest(text: &[u8]) -> bool {
    let words: [&[u8]; 3] = [b"packageName", b"channels", b"defaultChannel"];
    if !words.iter().any(|it| memchr::memmem::find(text, it).is_some()) {
        return false;
    }
    let Some((document, _)) = first_document(text) else { return false };
    let mut reader = Reader::new();
    let Ok(value) = reader.read(&document) else { return false };
    if value.kind() != Kind::Object || ["schema", "kind"].iter().any(|it| value.get_field(it).is_some()) {
        return false;
    }
    let has_channels = value.get_field("channels").is_some_and(|it| it.items().next().is_some());
    !value.text_of_field("packageName").is_empty() || has_channels || !value.text_of_field("defaultChannel").is_empty()
}

impl PackageManifest {
    /// Reads a package manifest, and returns the findings about it.
    pub(super) fn read(shown: &str, text: &[u8]) -> (Self, Vec<Finding>) {
        let mut this = Self::default();
        let mut findings = Findings { shown, text, package: String::new(), all: Vec::new() };
        let Some((document, _)) = first_document(text) else { return (this, findings.all) };
        let mut reader = Reader::new();
        let Ok(value) = reader.read(&document) else { return (this, findings.all) };
        this.package = value.text_of_field("packageName");
        findings.package.clone_from(&this.package);
        if this.package.is_empty() {
            findings.add(rules::FIELD, &[], "the package has no name", "add `packageName`");
        }
        let channels = || value.get_field("channels").into_iter().flat_map(|it| it.items()).enumerate();
        let mut names = BTreeSet::new();
        for (number, channel) in channels() {
            let (name, head) = (channel.text_of_field("name"), channel.text_of_field("currentCSV"));
            let path = ["channels".into(), number.into()];
            if name.is_empty() {
                findings.add(rules::FIELD, &path, "a channel has no name", "add `name`");
            } else if head.is_empty() {
                let message = format!("channel `{name}` has no head");
                findings.add(rules::FIELD, &path, &message, "add `currentCSV`: the name of its newest version");
            } else if names.insert(name.clone()) {
                this.channels.push((number, name, head));
            } else {
                let message = format!("channel `{name}` is listed twice");
                findings.add(rules::CHANNEL_TWICE, &path, &message, "remove or rename one of them");
            }
        }
        if channels().next().is_none() {
            findings.add(
                rules::FIELD,
                &[],
                "the package has no channels",
                "add `channels` with `name` and `currentCSV`",
            );
            return (this, findings.all);
        }
        this.default_channel = value.text_of_field("defaultChannel");
        match (this.default_channel.as_str(), this.channels.as_slice()) {
            ("", [(_, only, _)]) => this.default_channel.clone_from(only),
            ("", _) => {
                let message = "the package has several channels and no default channel";
                findings.add(rules::DEFAULT_CHANNEL, &[], message, "add `defaultChannel`");
            }
            (name, _) if !names.contains(name) => {
                let message = format!("the default channel `{name}` is not a channel of the package");
                let help = format!("name one of its channels: {}", Listed::quoted(&names));
                findings.add(rules::DEFAULT_CHANNEL, &["defaultChannel".into()], &message, &help);
            }
            _ => {}
        }
        (this, findings.all)
    }
}

struct Findings<'a> {
    shown: &'a str,
    text: &'a [u8],
    package: String,
    all: Vec<Finding>,
}

impl Findings<'_> {
    fn add(&mut self, rule: &'static Rule, path: &[Step], message: &str, help: &str) {
        let spot = if path.is_empty() { Spot::Start } else { Spot::Path(path.to_vec()) };
        let package = Some(self.package.clone()).filter(|it| !it.is_empty());
        let place = written::place(self.shown, self.text, &spot);
        self.all.push(rule.finding(message).at(place).help(help).of_package(package));
    }
}
