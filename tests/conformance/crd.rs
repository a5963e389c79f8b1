//! `v1/crd-upgrade-safety.txt`: a definition, changes to it by name, and the verdict of OLM v1's preflight on each.
//!
//! The file has only the names of changes; the table below makes them. A change that is not in the table counts as not
//! runnable.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use olmdex::crd::Crd;
use olmdex::crd::preflight::preflight;
use serde_json::{Value, json};

use crate::outcome::{Case, Folder, Outcome};

pub(crate) const FOLDER: Folder = Folder { name: "v1/crd", run };

fn run(root: &Path) -> Vec<Case> {
    let Ok(text) = fs::read_to_string(root.join("v1/crd-upgrade-safety.txt")) else { return Vec::new() };
    let Some((base, recorded)) = text.split_once("# change -> result") else {
        return vec![Case::run("v1/crd", || Outcome::NotRunnable("an unknown kind of file".to_owned()))];
    };
    let mut json = Vec::new();
    let base: Value = match olmdex::yaml::to_json(base.as_bytes(), &mut json) {
        Ok(_) => serde_json::from_slice(&json).unwrap_or_default(),
        Err(error) => return vec![Case::run("v1/crd", || Outcome::NotRunnable(error.to_string()))],
    };
    let mut cases: Vec<(&str, String)> = Vec::new();
    for line in recorded.lines().skip(1).filter(|it| !it.is_empty()) {
        let begins = [": OK", ": BLOCKED"].iter().find_map(|mark| line.find(mark));
        match (begins, cases.last_mut()) {
            (Some(at), _) => cases.push((&line[..at], line[at + 2..].to_owned())),
            (None, Some(last)) => {
                last.1.push('\n');
                last.1.push_str(line);
            }
            (None, None) => {}
        }
    }
    cases
        .into_iter()
        .map(|(name, expected)| Case::run(format!("v1/crd/{name}"), || case(&base, name, &expected)))
        .collect()
}

fn case(base: &Value, name: &str, expected: &str) -> Outcome {
    let mut changed = base.clone();
    let mut old = base.clone();
    if change(&mut old, &mut changed, name).is_none() {
        return Outcome::NotRunnable("a change that is not known".to_owned());
    }
    let read = |value: &Value| Crd::from_value(value).map_err(|error| error.to_string());
    let (old, new) = match (read(&old), read(&changed)) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(error), _) | (_, Err(error)) => return Outcome::NotRunnable(error),
    };
    // The real tool prints whole structures of some values; then only the refusing check is compared.
    let short = |line: &str| match line.split_once("previously: [") {
        Some((before, _)) if line.contains("oneOf") => before.to_owned(),
        _ if line.contains("XValidations") => line.split("XValidations").next().unwrap_or_default().to_owned(),
        _ => line.to_owned(),
    };
    let found: BTreeSet<String> = preflight(&old, &new).iter().map(|it| short(&it.to_string())).collect();
    let expected = expected.strip_prefix("BLOCKED: ").unwrap_or_default();
    let expected = expected.strip_prefix("validating upgrade for CRD \"things.example.com\": ").unwrap_or(expected);
    let expected: BTreeSet<String> = expected.lines().map(short).collect();
    Outcome::of_equal(&found, &expected)
}

/// Makes a change. `None` if the change is unknown.
fn change(old: &mut Value, new: &mut Value, name: &str) -> Option<()> {
    let properties = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
    let mut set = |path: &str, value: Value| {
        let (parent, key) = path.rsplit_once('/')?;
        new.pointer_mut(&format!("{properties}{parent}"))?.as_object_mut()?.insert(key.to_owned(), value);
        Some(())
    };
    match name {
        "identical" => Some(()),
        "field added optional" => set("/z", json!({"type": "string"})),
        "field added with default" => set("/z", json!({"type": "string", "default": "q"})),
        "field added with enum/min/pattern" => {
            set("/z", json!({"type": "string", "enum": ["q"], "minLength": 1, "pattern": "q"}))
        }
        "type changed" => set("/h/type", json!("integer")),
        "enum value added" => set("/a/enum", json!(["x", "w", "y"])),
        "enum reordered" => set("/a/enum", json!(["w", "x"])),
        "enum value removed" => set("/a/enum", json!(["x"])),
        "enum constraint new" => set("/h/enum", json!(["q"])),
        "enum added and removed" => set("/a/enum", json!(["x", "y"])),
        "minimum raised" => set("/b/minimum", json!(2)),
        "minimum lowered" => set("/b/minimum", json!(0)),
        "maximum lowered" => set("/b/maximum", json!(9)),
        "maximum raised" => set("/b/maximum", json!(11)),
        "minLength new" => set("/h/minLength", json!(1)),
        "minLength new 0" => set("/h/minLength", json!(0)),
        "maxLength new" => set("/h/maxLength", json!(1)),
        "maxLength lowered" => set("/c/maxLength", json!(4)),
        "minItems raised" => set("/d/minItems", json!(2)),
        "maxItems new" => set("/d/maxItems", json!(2)),
        "minProperties new" => set("/g/minProperties", json!(1)),
        "maxProperties new" => set("/g/maxProperties", json!(1)),
        "default changed" => set("/c/default", json!("bar")),
        "default added" => set("/h/default", json!("bar")),
        "pattern changed" => set("/c/pattern", json!("^b")),
        "pattern added" => set("/h/pattern", json!("^b")),
        "nullable removed" => set("/e/nullable", json!(false)),
        "nullable added" => set("/h/nullable", json!(true)),
        "description changed" => set("/e/description", json!("new")),
        "title added (unhandled)" => set("/h/title", json!("T")),
        "format changed (unhandled)" => set("/f/format", json!("date-time")),
        "format added (unhandled)" => set("/h/format", json!("email")),
        "format removed (unhandled)" => set("/f/format", json!("")),
        "x-preserve removed (unhandled)" => set("/g/x-kubernetes-preserve-unknown-fields", Value::Null),
        "x-validations added (unhandled)" => set("/h/x-kubernetes-validations", json!([{"rule": "true"}])),
        "list-type added (unhandled)" => set("/d/x-kubernetes-list-type", json!("set")),
        "multipleOf added (unhandled)" => set("/b/multipleOf", json!(2)),
        "exclusiveMinimum added (unhandled)" => set("/b/exclusiveMinimum", json!(true)),
        "oneOf added" => set("/h/oneOf", json!([{"pattern": "^a"}])),
        "anyOf added (unhandled)" => set("/h/anyOf", json!([{"pattern": "^a"}])),
        "items type changed" => set("/d/items", json!({"type": "integer"})),
        "additionalProperties added (unhandled)" => set("/g/additionalProperties", json!({"type": "string"})),
        _ => change_whole(old, new, name, properties, spec),
    }
}

/// Changes to more than one property.
fn change_whole(old: &mut Value, new: &mut Value, name: &str, properties: &str, spec: &str) -> Option<()> {
    let remove = |crd: &mut Value, path: &str| {
        let (parent, key) = path.rsplit_once('/')?;
        crd.pointer_mut(parent)?.as_object_mut()?.remove(key)
    };
    // A second version that lacks nothing of the first, to be changed.
    let second = |crd: &Value, name: &str, served: bool| {
        let mut version = crd["spec"]["versions"][0].clone();
        version["name"] = json!(name);
        version["served"] = json!(served);
        version["storage"] = json!(false);
        version
    };
    let add = |crd: &mut Value, version: Value| {
        crd.pointer_mut("/spec/versions")?.as_array_mut()?.push(version);
        Some(())
    };
    let in_second = properties.strip_prefix("/spec/versions/0")?;
    match name {
        "scope change" => new["spec"]["scope"] = json!("Cluster"),
        "stored version removed" => new["spec"]["versions"][0]["name"] = json!("v2"),
        "field removed" => drop(remove(new, &format!("{properties}/h"))?),
        "new required existing field" => new.pointer_mut(spec)?["required"] = json!(["a", "h"]),
        "new required new field" => {
            new.pointer_mut(properties)?["z"] = json!({"type": "string"});
            new.pointer_mut(spec)?["required"] = json!(["a", "z"]);
        }
        "required removed" => drop(remove(new, &format!("{spec}/required"))?),
        "enum dropped entirely" => drop(remove(new, &format!("{properties}/a/enum"))?),
        "minimum removed" => drop(remove(new, &format!("{properties}/b/minimum"))?),
        "maximum removed" => drop(remove(new, &format!("{properties}/b/maximum"))?),
        "default removed" => drop(remove(new, &format!("{properties}/c/default"))?),
        "pattern removed" => drop(remove(new, &format!("{properties}/c/pattern"))?),
        "new identical version added" => add(new, second(new, "v2", true))?,
        "version v1 no longer served" => {
            new["spec"]["versions"][0]["served"] = json!(false);
            add(new, second(old, "v2", true))?;
        }
        "printer column added" => {
            new["spec"]["versions"][0]["additionalPrinterColumns"] =
                json!([{"name": "A", "type": "string", "jsonPath": ".spec.a"}]);
        }
        "names.kind changed" => new["spec"]["names"]["kind"] = json!("Other"),
        _ if name.starts_with("served v2 lacks a field of v1") || name.starts_with("unserved v2 lacks") => {
            let mut version = second(new, "v2", name.starts_with("served"));
            remove(&mut version, &format!("{in_second}/h"))?;
            add(new, version)?;
            match name.rsplit_once('(').map(|it| it.1) {
                Some("webhook conversion)") => new["spec"]["conversion"] = json!({"strategy": "Webhook"}),
                Some("conversion None)") => new["spec"]["conversion"] = json!({"strategy": "None"}),
                _ => {}
            }
        }
        "served v2 with a new field" => {
            let mut version = second(new, "v2", true);
            version.pointer_mut(in_second)?["z"] = json!({"type": "string"});
            add(new, version)?;
        }
        "served v2 with a narrower enum" => {
            let mut version = second(new, "v2", true);
            version.pointer_mut(in_second)?["a"]["enum"] = json!(["x"]);
            add(new, version)?;
        }
        "served v1beta1 with a wider enum than v1" => {
            let mut version = second(new, "v1beta1", true);
            version.pointer_mut(in_second)?["a"]["enum"] = json!(["x", "w", "z"]);
            add(new, version)?;
        }
        "several at once" => {
            new["spec"]["scope"] = json!("Cluster");
            new.pointer_mut(properties)?["h"]["type"] = json!("integer");
            new.pointer_mut(properties)?["b"]["minimum"] = json!(2);
        }
        _ => return None,
    }
    Some(())
}
