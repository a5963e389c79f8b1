//! The proposals for a place that is being written: fields of the known schemas, names of the catalog, versions, types.

use std::collections::BTreeSet;

use super::catalog::Catalog;
use super::cursor::Cursor;
use super::fields;
use super::symbols::{Role, Thing};
use olmdex_text::json;
use olmdex_text::yaml::{Scalar, resolve_plain};
use olmdex_version::Version;

/// The kind of a proposal, in the numbers of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Field = 5,
    Value = 12,
    Name = 18,
}

/// A proposal for the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proposal {
    pub(super) label: String,
    /// The text that replaces the word.
    pub(super) text: String,
    pub(super) about: String,
    pub(super) sort: Sort,
}

/// The number of names that are proposed at most; the editor asks again as the word grows.
pub(super) const MAX_PROPOSALS: usize = 2_000;

/// The proposals at a cursor, the most likely first.
pub(super) fn proposals(catalog: &Catalog, cursor: &Cursor) -> Vec<Proposal> {
    let mut found = if cursor.is_value || cursor.path.last().is_some_and(|it| it == "-") {
        values(catalog, cursor)
    } else {
        Vec::new()
    };
    if !cursor.is_value {
        let fields = fields::fields(&schema(cursor), inner_path(cursor), property_type(cursor));
        let new = fields.into_iter().filter(|it| !cursor.has(&it.name));
        found.extend(new.map(|it| Proposal {
            text: key_text(cursor, &it.name, &it.kind),
            label: it.name,
            about: it.about,
            sort: Sort::Field,
        }));
    }
    let mut seen = BTreeSet::new();
    found.retain(|it| seen.insert(it.label.clone()));
    found
}

/// The number of steps that lead to the blob that the cursor is in: those to an item of a template.
fn blob_depth(cursor: &Cursor) -> usize {
    let is_template = cursor.member(0, "schema").starts_with("olm.template.");
    let is_blob = cursor.path.starts_with(&["entries".to_owned(), "-".to_owned()]);
    if is_template && is_blob { 2 } else { 0 }
}

fn schema(cursor: &Cursor) -> String {
    cursor.member(blob_depth(cursor), "schema").to_owned()
}

fn inner_path(cursor: &Cursor) -> &[String] {
    cursor.path.get(blob_depth(cursor)..).unwrap_or_default()
}

/// The type of the property that the cursor is in.
fn property_type(cursor: &Cursor) -> &str {
    let depth = blob_depth(cursor) + 2;
    let is_property = inner_path(cursor).starts_with(&["properties".to_owned(), "-".to_owned()]);
    if is_property { cursor.member(depth, "type") } else { "" }
}

fn values(catalog: &Catalog, cursor: &Cursor) -> Vec<Proposal> {
    let depth = blob_depth(cursor);
    let schema = schema(cursor);
    let own = |key: &str| cursor.member(depth, key).to_owned();
    let package = if schema == "olm.package" { own("name") } else { own("package") };
    let path: Vec<&str> = inner_path(cursor).iter().map(String::as_str).collect();
    let names = |thing: Thing, role: Role, package: &str| names(catalog, thing, role, package);
    let of = |names: Vec<String>, about: &str| -> Vec<Proposal> {
        let proposal = |it: String| Proposal {
            text: value_text(cursor, &it),
            label: it,
            about: about.to_owned(),
            sort: Sort::Name,
        };
        names.into_iter().filter(|it| !it.is_empty()).take(MAX_PROPOSALS).map(proposal).collect()
    };
    let described = |all: Vec<(String, String)>| -> Vec<Proposal> {
        let proposal = |(label, about): (String, String)| Proposal {
            text: value_text(cursor, &label),
            label,
            about,
            sort: Sort::Value,
        };
        all.into_iter().map(proposal).collect()
    };
    match (schema.as_str(), path.as_slice()) {
        (_, ["schema"]) => described(fields::schemas(depth == 0)),
        (_, ["package"]) | ("olm.package", ["name"]) => of(names(Thing::Package, Role::Own, ""), "package"),
        ("olm.package", ["defaultChannel"]) => of(names(Thing::Channel, Role::Own, &package), "channel"),
        ("olm.channel", ["entries", "-", "name"]) => {
            let listed: BTreeSet<String> = entries(catalog, &package, &own("name")).collect();
            let (old, new): (Vec<String>, Vec<String>) =
                names(Thing::Bundle, Role::Own, &package).into_iter().partition(|it| listed.contains(it));
            let mut found = of(new, "bundle that the channel does not list");
            found.extend(of(old, "bundle"));
            found
        }
        ("olm.channel", ["entries", "-", "replaces"] | ["entries", "-", "skips", "-"]) => {
            let entry = cursor.member(depth + 2, "name").to_owned();
            let mut entries: Vec<String> = entries(catalog, &package, &own("name")).collect();
            entries.reverse();
            let mut found = of(entries, "entry of the channel");
            found.extend(of(names(Thing::Bundle, Role::Own, &package), "bundle"));
            found.retain(|it| it.label != entry);
            found
        }
        ("olm.channel", ["entries", "-", "skipRange"]) => {
            let entry = cursor.member(depth + 2, "name");
            ranges(cursor, versions(catalog, &package), version_of(catalog, &package, entry))
        }
        ("olm.bundle", ["properties", "-", "type"]) => described(fields::property_types()),
        ("olm.bundle", ["properties", "-", "value", "packageName"]) => match property_type(cursor) {
            "olm.package" => of(vec![package], "the bundle's own package"),
            _ => of(names(Thing::Package, Role::Own, ""), "package"),
        },
        ("olm.bundle", ["properties", "-", "value", "version"]) if property_type(cursor) == "olm.package" => {
            let version = version_in(&own("name"));
            of(version.into_iter().collect(), "the version in the bundle's name")
        }
        ("olm.bundle", ["properties", "-", "value", "versionRange"]) => {
            let required = cursor.member(depth + 3, "packageName");
            ranges(cursor, versions(catalog, required), None)
        }
        ("olm.deprecations", ["entries", "-", "reference", "schema"]) => {
            let is_one = |it: &(String, String)| matches!(it.0.as_str(), "olm.package" | "olm.channel" | "olm.bundle");
            described(fields::schemas(false).into_iter().filter(is_one).collect())
        }
        ("olm.deprecations", ["entries", "-", "reference", "name"]) => match cursor.member(depth + 3, "schema") {
            "olm.channel" => of(names(Thing::Channel, Role::Own, &package), "channel"),
            "olm.bundle" => of(names(Thing::Bundle, Role::Own, &package), "bundle"),
            _ => Vec::new(),
        },
        ("olm.template.substitutes", ["substitutions", "-", "base"]) => {
            of(names(Thing::Bundle, Role::Own, ""), "bundle")
        }
        _ => Vec::new(),
    }
}

/// The names of items in the catalog, in a package or in any.
fn names(catalog: &Catalog, thing: Thing, role: Role, package: &str) -> Vec<String> {
    let is_wanted = |it: &super::symbols::Mention| {
        it.thing == thing && it.role == role && (package.is_empty() || it.package == package)
    };
    let mut names: Vec<String> =
        catalog.names().filter(|it| is_wanted(it.mention)).map(|it| it.mention.name.clone()).collect();
    // The newest was usually added last.
    names.reverse();
    names
}

/// The names of a channel's entries.
fn entries<'c>(catalog: &'c Catalog, package: &'c str, channel: &'c str) -> impl Iterator<Item = String> + 'c {
    let entries = catalog.names().filter(move |it| it.mention.role == Role::Entry && it.mention.package == package);
    entries.filter(move |it| it.mention.channel == channel).map(|it| it.mention.name.clone())
}

/// The version that the name of a bundle ends with.
fn version_in(name: &str) -> Option<String> {
    name.match_indices(".v").find_map(|(at, _)| {
        let version = &name[at + 2..];
        Version::parse(version).is_ok().then(|| version.to_owned())
    })
}

/// The versions of a package's bundles, highest first.
fn versions(catalog: &Catalog, package: &str) -> Vec<Version> {
    let all =
        catalog.file_documents().flat_map(|it| &it.2.analysis.mentions.versions).filter(|it| it.package == package);
    let mut versions: Vec<Version> = all.filter_map(|it| Version::parse(&it.version).ok()).collect();
    versions.sort();
    versions.dedup();
    versions.reverse();
    versions
}

fn version_of(catalog: &Catalog, package: &str, bundle: &str) -> Option<Version> {
    let mut all = catalog.file_documents().flat_map(|it| &it.2.analysis.mentions.versions);
    Version::parse(&all.find(|it| it.package == package && it.name == bundle)?.version).ok()
}

/// The usual ranges, and single versions. The range of an entry is meant for the versions below it.
fn ranges(cursor: &Cursor, versions: Vec<Version>, own: Option<Version>) -> Vec<Proposal> {
    let mut found = Vec::new();
    let mut add = |label: String, about: &str| {
        found.push(Proposal { text: value_text(cursor, &label), label, about: about.to_owned(), sort: Sort::Value });
    };
    if let (Some(own), Some(lowest)) = (&own, versions.last())
        && lowest < own
    {
        add(format!(">={lowest} <{own}"), "all versions below the entry");
    }
    for version in versions.iter().take(MAX_PROPOSALS) {
        if own.as_ref().is_some_and(|it| version < it) {
            add(format!(">={version} <{}", own.as_ref().unwrap_or(version)), "from this version up");
        } else if own.is_none() {
            add(format!(">={version}"), "from this version up");
        }
    }
    for version in versions.iter().take(MAX_PROPOSALS) {
        add(version.to_string(), "version");
    }
    found
}

/// A key with the beginning of its value.
fn key_text(cursor: &Cursor, name: &str, kind: &str) -> String {
    if cursor.is_json {
        // The quotes that an open one begins are the editor's to close.
        return if cursor.is_quoted { name.to_owned() } else { format!("\"{name}\": ") };
    }
    match kind {
        _ if cursor.is_quoted => name.to_owned(),
        "array" | "object" if !cursor.is_flow => format!("{name}:"),
        _ => format!("{name}: "),
    }
}

/// A value with the quotes that it needs.
fn value_text(cursor: &Cursor, value: &str) -> String {
    let in_quotes = || json::quoted(value);
    if cursor.is_quoted {
        // Without the quotes around it.
        let quoted = in_quotes();
        return quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned();
    }
    let is_safe = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.' | '+');
    let is_plain = value.starts_with(|it: char| it.is_ascii_alphanumeric())
        && value.chars().all(is_safe)
        && matches!(resolve_plain(value), Scalar::Str(_));
    if is_plain && !cursor.is_json { value.to_owned() } else { in_quotes() }
}
