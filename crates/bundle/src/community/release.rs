//! The changes that a release configuration makes to the templates of an operator (`docs/behaviour/authoring.md` C.3).
//!
//! Every old line stays where it is, with its comments. If the pipelines add an entry twice (one of the same name
//! exists with other edges), this module does so too, so that both agree; the resulting catalog is not valid then,
//! which its rendering shows.

use std::collections::BTreeMap;
use std::path::PathBuf;

use thiserror::Error;

use super::configuration::{Mapping, TemplateRelease};
use super::file::{RepositoryFile, Unread, new_file};
use super::operator::{Operator, VersionDirectory};
use olmdex_fbc::{EditError, Level};
use olmdex_text::json::{self, Tree};
use olmdex_text::yaml::{self, NodeKind};

/// The directory of templates in that of an operator.
pub(super) const TEMPLATES: &str = "catalog-templates";

/// A template that a release changes or makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateEdit {
    /// Its file, below the directory of the operator.
    pub file: PathBuf,
    /// Its text before, if it was there.
    pub before: Option<Vec<u8>>,
    /// Its text after.
    pub after: Vec<u8>,
    /// The reason why its comments are lost, if they are.
    pub rewritten: Option<&'static str>,
    /// The catalogs that are made of it.
    pub catalogs: Vec<String>,
}

/// The reasons why a version cannot be released.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// It has no release configuration.
    #[error("`{0}` has no `release-config.yaml`")]
    NoConfiguration(String),
    /// A file cannot be read.
    #[error("`{file}` is unreadable: {message}")]
    Unreadable { file: String, message: String },
    /// It has no ClusterServiceVersion with a name.
    #[error("`{called}` has no ClusterServiceVersion with a name")]
    NoCsv { called: String, help: String },
    /// The default channel is not one of the channels.
    #[error("the default channel `{channel}` of template `{template}` is not among its channels: {channels}")]
    DefaultChannel { template: String, channel: String, channels: String },
    /// The template is not mapped to catalogs.
    #[error("the template `{0}` is not in the `catalog_mapping` of ci.yaml")]
    NotMapped(String),
    /// The template is of an unknown kind.
    #[error("the template `{template}` has the unknown type `{kind}` in ci.yaml")]
    UnknownKind {
        template: String,
        /// The kind that `ci.yaml` states.
        kind: String,
    },
    /// A name leads out of the repository.
    #[error("`{0}` is not a valid file name")]
    BadName(String),
    /// The template does not have the form of its kind.
    #[error("the template `{template}` has no {what}")]
    Form { template: String, what: &'static str },
    /// The text of the template cannot be changed.
    #[error("cannot change the template `{template}`: {error}")]
    Edit { template: String, error: EditError },
}

impl ReleaseError {
    /// The remedy.
    pub fn help(&self) -> String {
        match self {
            Self::NoConfiguration(_) => {
                "add one: `catalog_templates: [{template_name: basic.yaml, channels: [stable]}]`".to_owned()
            }
            Self::Unreadable { .. } => "correct the file".to_owned(),
            Self::NoCsv { help, .. } => help.clone(),
            Self::DefaultChannel { .. } => "add it to `channels`, or name another one".to_owned(),
            Self::NotMapped(name) => {
                format!("add `{{template_name: {name}, type: olm.template.basic, catalog_names: […]}}` to it")
            }
            Self::UnknownKind { .. } => "use `olm.template.basic` or `olm.semver`".to_owned(),
            Self::BadName(_) => "use a name without `/`".to_owned(),
            Self::Form { .. } => "`olmdex validate` of the template shows more".to_owned(),
            Self::Edit { .. } => "change it by hand".to_owned(),
        }
    }
}

/// At which level a catalog is rendered: those of OpenShift 4.17 and later are migrated.
pub fn catalog_level(catalog: &str) -> Level {
    let numbers = catalog.strip_prefix('v').and_then(|it| it.split_once('.'));
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    match numbers.filter(|(major, minor)| is_number(major) && is_number(minor)) {
        // A number that does not fit is large.
        Some((major, minor)) => {
            let number = |it: &str| it.parse::<u64>().unwrap_or(u64::MAX);
            if (number(major), number(minor)) >= (4, 17) { Level::CsvMetadata } else { Level::None }
        }
        None => Level::None,
    }
}

/// The changes that the release configuration of a version makes to the templates of its operator. `image` is the
/// reference of its bundle image.
///
/// # Errors
/// [`ReleaseError`]
pub fn release(
    operator: &Operator,
    version: &VersionDirectory,
    image: &str,
) -> Result<Vec<TemplateEdit>, ReleaseError> {
    let called = operator.called(version);
    let configuration = match &version.release {
        Ok(file) => file,
        Err(Unread::Absent) => return Err(ReleaseError::NoConfiguration(called)),
        Err(error) => {
            let file = operator.path.join(&version.name).join("release-config.yaml");
            return Err(unreadable(&file.display().to_string(), error));
        }
    };
    let no_csv = || {
        let help = version.csv_help(&operator.path).unwrap_or_else(|| "give it a name: `metadata.name`".to_owned());
        ReleaseError::NoCsv { called, help }
    };
    let name = version.facts.csv_name.clone().ok_or_else(no_csv)?;
    let mut edits: BTreeMap<String, TemplateEdit> = BTreeMap::new();
    let mut order = Vec::new();
    for wanted in TemplateRelease::read(&configuration.json) {
        let template = wanted.template.clone();
        if let Some(channel) = wanted.default_channel.clone().filter(|it| !wanted.channels.contains(it)) {
            return Err(ReleaseError::DefaultChannel { template, channel, channels: wanted.channels.join(", ") });
        }
        let mapping = operator.settings.mapping.iter().find(|it| it.template == template);
        let Some(mapping) = mapping else { return Err(ReleaseError::NotMapped(template)) };
        for name in mapping.catalogs.iter().chain([&template, &operator.name]) {
            if name.contains('/') || matches!(name.as_str(), "" | "." | "..") {
                return Err(ReleaseError::BadName(name.clone()));
            }
        }
        // If a template is named twice, the second change builds on the result of the first.
        let earlier = edits.get(&template).map(|it| it.after.clone());
        let edit = edit(operator, mapping, &wanted, &name, image, earlier)?;
        match edits.get_mut(&template) {
            Some(known) => {
                known.after = edit.after;
                known.rewritten = known.rewritten.or(edit.rewritten);
            }
            None => {
                order.push(template.clone());
                edits.insert(template, edit);
            }
        }
    }
    Ok(order.iter().filter_map(|it| edits.remove(it)).collect())
}

fn unreadable(file: &str, error: &Unread) -> ReleaseError {
    let message = match error {
        Unread::Absent => "it does not exist".to_owned(),
        Unread::Unreadable(message) => message.clone(),
        Unread::Broken(message, line) => format!("line {line}: {message}"),
    };
    ReleaseError::Unreadable { file: file.to_owned(), message }
}

fn edit(
    operator: &Operator,
    mapping: &Mapping,
    wanted: &TemplateRelease,
    name: &str,
    image: &str,
    earlier: Option<Vec<u8>>,
) -> Result<TemplateEdit, ReleaseError> {
    let template = &wanted.template;
    let is_basic = match mapping.kind.as_str() {
        "olm.template.basic" => true,
        "olm.semver" => false,
        _ => return Err(ReleaseError::UnknownKind { template: template.clone(), kind: mapping.kind.clone() }),
    };
    let relative = format!("{TEMPLATES}/{template}");
    let is_again = earlier.is_some();
    let found = match earlier {
        Some(text) => RepositoryFile::of(relative.clone(), text),
        None => RepositoryFile::read(&operator.path, &relative),
    };
    let failed = |error: EditError| ReleaseError::Edit { template: template.clone(), error };
    let (before, after, rewritten) = match found {
        Ok(file) => {
            let new = if is_basic {
                amended_basic(&file, operator, wanted, name, image)
            } else {
                amended_semver(&file, wanted, image)
            };
            let new = new.map_err(|what| ReleaseError::Form { template: template.clone(), what })?;
            let (after, rewritten) = file.edited(&new).map_err(failed)?;
            (Some(file.text.clone()), after, rewritten)
        }
        Err(Unread::Absent) => {
            let (start, new) = if is_basic {
                ("---\nschema: olm.template.basic\n", new_basic(operator, wanted, name, image))
            } else {
                ("---\nSchema: olm.semver\n", new_semver(wanted, image))
            };
            (None, new_file(start, &new).map_err(failed)?, None)
        }
        Err(error) => return Err(unreadable(&relative, &error)),
    };
    let before = before.filter(|_| !is_again);
    Ok(TemplateEdit { file: PathBuf::from(relative), before, after, rewritten, catalogs: mapping.catalogs.clone() })
}

/// The entry of the new bundle in a channel.
fn entry(wanted: &TemplateRelease, name: &str) -> Tree {
    let entry = Tree::object().with("name", name).with_some("replaces", wanted.replaces.clone());
    entry.with_some("skips", wanted.skips.clone()).with_some("skipRange", wanted.skip_range.clone())
}

fn channel(operator: &Operator, name: &str, entry: &Tree) -> Tree {
    let channel = Tree::object().with("schema", "olm.channel").with("name", name).with("package", &operator.name);
    channel.with("entries", Tree::list([entry.clone()]))
}

pub(super) fn bundle(image: &str) -> Tree {
    Tree::object().with("schema", "olm.bundle").with("image", image)
}

fn new_basic(operator: &Operator, wanted: &TemplateRelease, name: &str, image: &str) -> Tree {
    let default = wanted.default_channel.as_ref().or(wanted.channels.first()).map(String::as_str).unwrap_or_default();
    let package = Tree::object().with("schema", "olm.package").with("name", &operator.name);
    let package = package.with("defaultChannel", default);
    let entry = entry(wanted, name);
    let channels = wanted.channels.iter().map(|it| channel(operator, it, &entry));
    let entries = Tree::list([package].into_iter().chain(channels).chain([bundle(image)]));
    Tree::object().with("schema", "olm.template.basic").with("entries", entries)
}

/// A stream of a semver template with one bundle.
fn stream(image: &str) -> Tree {
    Tree::object().with("Bundles", Tree::list([Tree::object().with("Image", image)]))
}

fn new_semver(wanted: &TemplateRelease, image: &str) -> Tree {
    let template = Tree::object().with("Schema", "olm.semver");
    let template = template.with("GenerateMajorChannels", true).with("GenerateMinorChannels", true);
    wanted.channels.iter().fold(template, |template, channel| template.with(channel, stream(image)))
}

/// Whether an entry of a template is of a schema.
fn is(entry: &Tree, schema: &str) -> bool {
    entry.text_of("schema") == schema
}

/// The name of an entry of a template that is a channel.
fn channel_name(entry: &Tree) -> Option<&str> {
    entry.get("name").filter(|_| is(entry, "olm.channel")).and_then(Tree::as_str)
}

fn amended_basic(
    file: &RepositoryFile,
    operator: &Operator,
    wanted: &TemplateRelease,
    name: &str,
    image: &str,
) -> Result<Tree, &'static str> {
    let mut document = file.tree().ok_or("document")?;
    let entries = document.get("entries").ok_or("`entries`")?.items();
    let new = entry(wanted, name);
    let normal = new.normal();
    let shared = shared_lists(file);
    let is_wanted = |at: &usize| {
        let name = entries.get(*at).and_then(channel_name);
        name.is_some_and(|name| wanted.channels.iter().any(|it| it == name))
    };
    let mut items = entries.to_vec();
    for (number, item) in items.iter_mut().enumerate().filter(|(_, item)| is(item, "olm.channel")) {
        // A list that two channels share through an alias is changed for both.
        let has_wanted = shared.get(&number).map_or_else(|| is_wanted(&number), |group| group.iter().any(is_wanted));
        if let Some(list) = item.get_mut("entries")
            && has_wanted
            && list.items().iter().all(|it| it.normal() != normal)
        {
            list.push(new.clone());
        }
    }
    for name in &wanted.channels {
        if !items.iter().any(|it| channel_name(it) == Some(name)) {
            items.push(channel(operator, name, &new));
        }
    }
    if !items.iter().any(|it| is(it, "olm.bundle") && it.get("image").and_then(Tree::as_str) == Some(image)) {
        items.push(bundle(image));
    }
    document.put("entries", Tree::List(items));
    Ok(document)
}

/// The items of the top-level `entries` that share one list of entries, because an alias stands for it.
fn shared_lists(file: &RepositoryFile) -> BTreeMap<usize, Vec<usize>> {
    let (_, document, _) = file.parts();
    let text = String::from_utf8_lossy(document);
    let mut shared = BTreeMap::new();
    if !text.contains('*') {
        return shared;
    }
    let Ok(nodes) = yaml::nodes(&text) else { return shared };
    let member = |number: usize, key: &str| match &nodes.get(number)?.kind {
        NodeKind::Mapping(pairs, _) => pairs
            .iter()
            .find(|it| matches!(&nodes[it.0].kind, NodeKind::Scalar { text, .. } if text == key))
            .map(|it| it.1),
        _ => None,
    };
    let Some(NodeKind::Sequence(items, _)) = member(0, "entries").map(|it| nodes[it].kind.clone()) else {
        return shared;
    };
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, item) in items.into_iter().enumerate() {
        let list = member(item, "entries").and_then(|it| nodes[it].anchor.clone());
        if let Some(name) = list {
            groups.entry(name).or_default().push(at);
        }
    }
    for group in groups.into_values().filter(|it| it.len() > 1) {
        for at in &group {
            shared.insert(*at, group.clone());
        }
    }
    shared
}

fn amended_semver(file: &RepositoryFile, wanted: &TemplateRelease, image: &str) -> Result<Tree, &'static str> {
    let before = file.tree().ok_or("document")?;
    let mut document = before.clone();
    let shared = shared_streams(file);
    for channel in &wanted.channels {
        let Some((key, stream_before)) = before.get_field_with_key(channel) else {
            document.put(channel, stream(image));
            continue;
        };
        let (list_key, list) = stream_before.get_field_with_key("bundles").ok_or("`Bundles` in a stream")?;
        if list.items().iter().any(|it| it.get_field("image").and_then(Tree::as_str) == Some(image)) {
            continue;
        }
        // In the letter case of its neighbours.
        let first = list.items().first().and_then(|it| it.get_field_with_key("image"));
        let mut list = list.clone();
        list.push(Tree::object().with(first.map_or("Image", |it| it.0), image));
        let mut amended = stream_before.clone();
        amended.put(list_key, list);
        // A stream that is shared through an alias is changed for both names.
        match shared.iter().find(|it| it.iter().any(|it| it == key)) {
            Some(both) => both.iter().for_each(|it| document.put(it, amended.clone())),
            None => document.put(key, amended),
        }
    }
    Ok(document)
}

/// The names of streams that are the same, or share one list of bundles, because an alias stands for it.
fn shared_streams(file: &RepositoryFile) -> Vec<Vec<String>> {
    let (_, document, _) = file.parts();
    let text = String::from_utf8_lossy(document);
    let Some(nodes) = text.contains('*').then(|| yaml::nodes(&text).ok()).flatten() else { return Vec::new() };
    let pairs = |number: usize| match nodes.get(number).map(|it| &it.kind) {
        Some(NodeKind::Mapping(pairs, _)) => pairs.clone(),
        _ => Vec::new(),
    };
    let name = |number: usize| match &nodes[number].kind {
        NodeKind::Scalar { text, .. } => text.clone(),
        _ => String::new(),
    };
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (key, stream) in pairs(0) {
        let lists = pairs(stream).into_iter().filter(|it| json::fold_eq(&name(it.0), "bundles"));
        let named = [stream].into_iter().chain(lists.map(|it| it.1)).filter_map(|it| nodes[it].anchor.clone());
        named.for_each(|it| groups.entry(it).or_default().push(name(key)));
    }
    groups.into_values().filter(|it| it.len() > 1).collect()
}
