//! A configuration's file with other packages, and the differences between an old file and its conversion.

use serde_json::{Map, Value};

use super::configuration::{Configuration, Operator, Range};
use olmdex_text::json::{Step, fold_eq, write_string};
use olmdex_text::yaml::{self, NodeKind, YamlNode};

/// The text of a file with other names of packages and channels, if only names differ: a renamed item keeps its
/// comments, while an exchanged one would lose them. A name that cannot be found stays as it is.
pub fn rename(text: &str, old: &[Operator], new: &[Operator]) -> String {
    let mut renames: Vec<(Vec<Step>, &str)> = Vec::new();
    for (at, (old, new)) in old.iter().zip(new).enumerate() {
        if old.packages.len() != new.packages.len() {
            continue;
        }
        for (of_package, (old, new)) in old.packages.iter().zip(&new.packages).enumerate() {
            let package: Vec<Step> =
                vec!["mirror".into(), "operators".into(), at.into(), "packages".into(), of_package.into()];
            let name = |above: &[Step]| [above, &["name".into()]].concat();
            if old.name != new.name {
                renames.push((name(&package), &new.name));
            }
            if old.channels.len() != new.channels.len() {
                continue;
            }
            for (of_channel, (old, new)) in old.channels.iter().zip(&new.channels).enumerate() {
                if old.name != new.name {
                    let channel = [&package[..], &["channels".into(), of_channel.into()]].concat();
                    renames.push((name(&channel), &new.name));
                }
            }
        }
    }
    let Ok(nodes) = yaml::nodes(text) else { return text.to_owned() };
    let mut splices: Vec<(std::ops::Range<usize>, &str)> = Vec::new();
    for (path, name) in renames {
        if let Some(node) = find(&nodes, &path)
            && matches!(node.kind, NodeKind::Scalar { .. })
            && !node.is_marked
        {
            splices.push((node.start..node.end, name));
        }
    }
    splices.sort_by_key(|it| std::cmp::Reverse(it.0.start));
    let mut renamed = text.to_owned();
    for (range, name) in splices {
        let is_plain = name.bytes().next().is_some_and(|it| it.is_ascii_alphabetic())
            && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-' || it == b'.')
            && matches!(yaml::resolve_plain(name), yaml::Scalar::Str(_));
        let mut written = Vec::new();
        if is_plain {
            written.extend_from_slice(name.as_bytes());
        } else {
            write_string(name, &mut written);
        }
        renamed.replace_range(range, &String::from_utf8_lossy(&written));
    }
    renamed
}

/// The node at a path, whatever the case of the keys.
fn find<'n>(nodes: &'n [YamlNode], path: &[Step]) -> Option<&'n YamlNode> {
    let mut node = nodes.first()?;
    for step in path {
        let next = match (step, &node.kind) {
            (Step::Key(name), NodeKind::Mapping(pairs, _)) => {
                pairs.iter().find_map(|(key, value)| match &nodes.get(*key)?.kind {
                    NodeKind::Scalar { text, .. } if fold_eq(text, name) => Some(*value),
                    _ => None,
                })?
            }
            (Step::Index(at), NodeKind::Sequence(items, _)) => *items.get(*at)?,
            _ => return None,
        };
        node = nodes.get(next)?;
    }
    Some(node)
}

/// Puts a request into the value of a file, and leaves everything else in it unchanged. The operators are those of the
/// file, in their order.
pub fn put(file: &mut Value, operators: &[Operator]) {
    let Some(list) = field(file, "mirror").and_then(|it| field(it, "operators")).and_then(Value::as_array_mut) else {
        return;
    };
    for (value, operator) in list.iter_mut().zip(operators) {
        set(value, "full", operator.full.then_some(Value::Bool(true)));
        let old = field(value, "packages").and_then(|it| it.as_array().cloned()).unwrap_or_default();
        let mut packages = Vec::new();
        for (idx, package) in operator.packages.iter().enumerate() {
            let mut value = named(&old, &package.name, idx, operator.packages.len());
            set(&mut value, "name", Some(Value::String(package.name.clone())));
            let default = (!package.default_channel.is_empty()).then(|| package.default_channel.clone().into());
            set(&mut value, "defaultChannel", default);
            put_range(&mut value, &package.range);
            let old = field(&mut value, "channels").and_then(|it| it.as_array().cloned()).unwrap_or_default();
            let channels = package.channels.iter().enumerate().map(|(idx, channel)| {
                let mut value = named(&old, &channel.name, idx, package.channels.len());
                set(&mut value, "name", Some(Value::String(channel.name.clone())));
                put_range(&mut value, &channel.range);
                value
            });
            let channels: Vec<Value> = channels.collect();
            let is_same = old.is_empty() && channels.is_empty();
            if !is_same {
                set(&mut value, "channels", (!channels.is_empty()).then_some(Value::Array(channels)));
            }
            packages.push(value);
        }
        if !(old.is_empty() && packages.is_empty()) {
            set(value, "packages", Some(Value::Array(packages)));
        }
    }
}

/// The old value of that name, else the one at the same place if their numbers are equal: it was renamed.
fn named(old: &[Value], name: &str, idx: usize, n: usize) -> Value {
    let is_it = |it: &&Value| {
        it.as_object().is_some_and(|it| it.iter().any(|(key, it)| fold_eq(key, "name") && it.as_str() == Some(name)))
    };
    let at_place = old.get(idx).filter(|_| old.len() == n);
    old.iter().find(is_it).or(at_place).cloned().unwrap_or_else(|| Value::Object(Map::new()))
}

fn put_range(value: &mut Value, range: &Range) {
    for (name, bound) in [("minVersion", &range.min), ("maxVersion", &range.max)] {
        set(value, name, (!bound.is_empty()).then(|| Value::String(bound.clone())));
    }
}

fn key_of(value: &Value, name: &str) -> Option<String> {
    value.as_object()?.keys().filter(|it| fold_eq(it, name)).max().cloned()
}

fn field<'v>(value: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    let key = key_of(value, name)?;
    value.get_mut(&key)
}

/// Sets a field, whatever the case of its name is in the file; without a value it is taken out. A field that already
/// has the same meaning stays.
fn set(value: &mut Value, name: &str, new: Option<Value>) {
    let key = key_of(value, name).unwrap_or_else(|| name.to_owned());
    let Some(fields) = value.as_object_mut() else { return };
    let is_nothing = |it: &Value| it.is_null() || *it == Value::Bool(false) || it.as_str() == Some("");
    match new {
        Some(new) => drop(fields.insert(key, new)),
        None if fields.get(&key).is_some_and(is_nothing) => {}
        None => drop(fields.remove(&key)),
    }
}

/// Describes how the first version of oc-mirror would treat a configuration of v1alpha2 differently.
pub fn differences(configuration: &Configuration) -> Vec<String> {
    if !configuration.is_old() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let only_min = |range: &Range| !range.min.is_empty() && range.max.is_empty();
    for package in configuration.operators.iter().flat_map(|it| &it.packages) {
        let name = &package.name;
        let own = package.channels.iter().any(|it| only_min(&it.range));
        if only_min(&package.range) || own {
            found.push(format!(
                "package `{name}`: v1 of oc-mirror takes `minVersion` alone for that version and its upgrades up to \
                the head; olmdex reads it as a range, like v2"
            ));
        }
        let bundles = package.channels.iter().map(|it| &it.min_bundle).chain([&package.min_bundle]);
        for bundle in bundles.filter(|it| !it.is_empty()) {
            found.push(format!("package `{name}`: v2 of oc-mirror has no `minBundle`: olmdex ignores `{bundle}`"));
        }
    }
    if configuration.old_fields.iter().any(|field| field.to_ascii_lowercase().ends_with(".originalref")) {
        found.push("`originalRef` has no effect since oc-mirror 4.13, and olmdex ignores it".to_owned());
    }
    if configuration.operators.iter().any(|operator| !operator.skips_dependencies()) {
        found.push("v1 of oc-mirror adds dependencies automatically; use `--with-deps` to add them here".to_owned());
    }
    found
}
