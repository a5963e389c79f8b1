//! The proof of a migration: it accepts the converted catalog, and refuses any difference from it.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::legacy::{legacy_file, old_legacy_file};
use crate::support::{olmdex, scratch, shared};
use olmdex::diag::{Finding, Severity};
use olmdex::fbc::Level;
use olmdex::fbc::{Format, Input};
use olmdex::legacy::{Fidelity, LegacyCatalog, LegacyError, LegacyFile, Problem, prove};
use serde_json::{Value, json};

/// An addition to the fixture: a chain of three with a skip, a second channel, and a bundle with only an image.
const MORE: &str = "
    INSERT INTO operatorbundle SELECT 'foo.v1.2.0', csv, bundle, 'example.com/foo:v1.2.0', '>=1.0.0 <1.2.0', '1.2.0', '', '', ''
        FROM operatorbundle WHERE name = 'foo.v1.1.0';
    INSERT INTO operatorbundle VALUES ('foo.v1.3.0', NULL, NULL, 'example.com/foo:v1.3.0', '', '1.3.0', '', '', '');
    DELETE FROM channel_entry WHERE package_name = 'foo';
    INSERT INTO channel_entry VALUES
        (11, 'stable', 'foo', 'foo.v1.2.0', 14, 0),
        (12, 'stable', 'foo', 'foo.v1.0.0', NULL, 1),
        (13, 'stable', 'foo', 'foo.v1.2.0', 12, 1),
        (14, 'stable', 'foo', 'foo.v1.1.0', 15, 2),
        (15, 'stable', 'foo', 'foo.v1.0.0', NULL, 3),
        (16, 'edge', 'foo', 'foo.v1.3.0', 17, 0),
        (17, 'edge', 'foo', 'foo.v1.2.0', NULL, 1);
    UPDATE channel SET head_operatorbundle_name = 'foo.v1.2.0' WHERE package_name = 'foo';
    INSERT INTO channel VALUES ('edge', 'foo', 'foo.v1.3.0');
    INSERT INTO properties SELECT type, value, 'foo.v1.2.0', '1.2.0', 'example.com/foo:v1.2.0' FROM properties
        WHERE operatorbundle_name = 'foo.v1.1.0' AND type != 'olm.package';
    INSERT INTO dependencies SELECT type, value, 'foo.v1.2.0', '1.2.0', 'example.com/foo:v1.2.0' FROM dependencies;
    INSERT INTO related_image VALUES ('example.com/foo/sidecar', 'foo.v1.2.0')";

/// The conversion of a catalog, and the problems that keep packages from it.
fn converted(file: &Path, fidelity: Fidelity, level: Level) -> Result<(Vec<u8>, Vec<Problem>), LegacyError> {
    let directory = scratch();
    let catalog = LegacyCatalog::open(file, directory.path(), fidelity)?;
    let mut text = Vec::new();
    let late = catalog.write(
        Format::Json,
        level,
        |_| true,
        |_, part| {
            text.extend_from_slice(part);
            Ok::<(), LegacyError>(())
        },
    )?;
    assert!(late.is_empty(), "{}: {late:?}", file.display());
    Ok((text, catalog.problems().to_vec()))
}

fn findings(file: &Path, fidelity: Fidelity, problems: &[Problem], blobs: &[u8]) -> Vec<Finding> {
    let directory = scratch();
    let file = LegacyFile::open(file, directory.path()).unwrap();
    prove(&file, fidelity, problems, &Input::bytes("catalog.json", Arc::from(blobs))).unwrap()
}

/// The losses that the proof finds, a line each.
fn differences(findings: &[Finding]) -> String {
    let lines: Vec<&str> = findings.iter().filter(|it| it.rule.id == "E0602").map(|it| it.message.as_str()).collect();
    lines.join("\n")
}

fn losses(findings: &[Finding]) -> Vec<&str> {
    findings.iter().filter(|it| it.rule.severity == Severity::Warning).map(|it| it.rule.id).collect()
}

fn blobs(text: &[u8]) -> Vec<Value> {
    serde_json::Deserializer::from_slice(text).into_iter().collect::<Result<_, _>>().unwrap()
}

fn text_of(blobs: &[Value]) -> Vec<u8> {
    blobs.iter().flat_map(|it| format!("{it}\n").into_bytes()).collect()
}

/// The blob of a schema and a name.
fn blob<'a>(blobs: &'a mut [Value], schema: &str, name: &str) -> &'a mut Value {
    blobs.iter_mut().find(|it| it["schema"] == schema && it["name"] == name).unwrap()
}

fn bundle<'a>(blobs: &'a mut [Value], name: &str) -> &'a mut Value {
    blob(blobs, "olm.bundle", name)
}

fn list<'a>(blob: &'a mut Value, key: &str) -> &'a mut Vec<Value> {
    blob[key].as_array_mut().unwrap()
}

fn entry<'a>(blobs: &'a mut [Value], channel: &str, name: &str) -> &'a mut Value {
    let entries = list(blob(blobs, "olm.channel", channel), "entries");
    entries.iter_mut().find(|it| it["name"] == name).unwrap()
}

fn property<'a>(blobs: &'a mut [Value], name: &str, kind: &str) -> &'a mut Value {
    list(bundle(blobs, name), "properties").iter_mut().find(|it| it["type"] == kind).unwrap()
}

fn drop_property(blobs: &mut [Value], name: &str, kind: &str) {
    let properties = list(bundle(blobs, name), "properties");
    let at = properties.iter().position(|it| it["type"] == kind).unwrap();
    properties.remove(at);
}

fn drop_blob(blobs: &mut Vec<Value>, schema: &str, name: &str) {
    blobs.retain(|it| it["schema"] != schema || it["name"] != name);
}

/// A way to damage blobs, and words of the proof's finding about it.
type Damage = (&'static str, fn(&mut Vec<Value>), &'static str);

const DAMAGES: &[Damage] = &[
    (
        "a property is gone",
        |it| drop_property(it, "foo.v1.1.0", "my.prop"),
        "the property `my.prop` {\"a\":\"<x>\",\"b\":1} is missing",
    ),
    (
        "a property has another value",
        |it| property(it, "foo.v1.1.0", "my.prop")["value"]["b"] = json!(2),
        "is not in the old file",
    ),
    (
        "a property has another type",
        |it| property(it, "foo.v1.1.0", "my.prop")["type"] = json!("your.prop"),
        "`your.prop`",
    ),
    (
        "a property is new",
        |it| list(bundle(it, "foo.v1.0.0"), "properties").push(json!({"type": "x", "value": 1})),
        "the property `x` 1 is not",
    ),
    ("an API is gone", |it| drop_property(it, "foo.v1.1.0", "olm.gvk"), "the property `olm.gvk`"),
    ("an API is another", |it| property(it, "foo.v1.1.0", "olm.gvk")["value"]["kind"] = json!("Fooo"), "Fooo"),
    (
        "a required API is gone",
        |it| drop_property(it, "bar.v0.1.0", "olm.gvk.required"),
        "the property `olm.gvk.required`",
    ),
    (
        "a required package is gone",
        |it| drop_property(it, "bar.v0.1.0", "olm.package.required"),
        "the property `olm.package.required`",
    ),
    (
        "a required range is another",
        |it| property(it, "bar.v0.1.0", "olm.package.required")["value"]["versionRange"] = json!(">1.0.0"),
        ">1.0.0",
    ),
    (
        "the version is another",
        |it| property(it, "foo.v1.1.0", "olm.package")["value"]["version"] = json!("1.1.1"),
        "1.1.1",
    ),
    (
        "a version that was made is another",
        |it| property(it, "foo.v1.3.0", "olm.package")["value"]["version"] = json!("1.3.1"),
        "1.3.1",
    ),
    (
        "the package's name is another",
        |it| property(it, "foo.v1.3.0", "olm.package")["value"]["packageName"] = json!("fo"),
        "\"fo\"",
    ),
    ("a made property is gone", |it| drop_property(it, "foo.v1.3.0", "olm.package"), "the property `olm.package`"),
    (
        "the image is another",
        |it| bundle(it, "foo.v1.1.0")["image"] = json!("example.com/evil"),
        "has the image `example.com/foo:v1.1.0`",
    ),
    ("a related image is gone", |it| drop(list(bundle(it, "foo.v1.2.0"), "relatedImages").pop()), "the related image"),
    (
        "a related image is another",
        |it| list(bundle(it, "foo.v1.2.0"), "relatedImages")[0]["image"] = json!("x"),
        "the related image `x`",
    ),
    (
        "a related image has another name",
        |it| list(bundle(it, "foo.v1.2.0"), "relatedImages")[0]["name"] = json!("x"),
        "(`x`)",
    ),
    ("a manifest is gone", |it| drop_property(it, "foo.v1.1.0", "olm.bundle.object"), "1 manifest is lost"),
    (
        "a manifest is another",
        |it| property(it, "foo.v1.1.0", "olm.bundle.object")["value"]["data"] = json!("e30="),
        "1 manifest is not in the old file",
    ),
    (
        "metadata hides lost manifests",
        |it| list(bundle(it, "foo.v1.1.0"), "properties").push(json!({"type": "olm.csv.metadata", "value": {}})),
        "`olm.csv.metadata`",
    ),
    (
        "replaces is gone",
        |it| drop(entry(it, "stable", "foo.v1.1.0").as_object_mut().unwrap().remove("replaces")),
        "the upgrade from `foo.v1.0.0` to `foo.v1.1.0` is lost",
    ),
    (
        "replaces is another",
        |it| entry(it, "stable", "foo.v1.2.0")["replaces"] = json!("foo.v1.0.0"),
        "the upgrade from `foo.v1.1.0` to `foo.v1.2.0` is lost",
    ),
    (
        "replaces has become a skip",
        |it| {
            let entry = entry(it, "edge", "foo.v1.3.0");
            entry["skips"] = json!([entry["replaces"]]);
            entry["replaces"] = json!("");
        },
        "skipping it, is not in the old file",
    ),
    ("a skip is gone", |it| drop(list(entry(it, "stable", "foo.v1.2.0"), "skips").pop()), "skipping it, is lost"),
    ("a skip is new", |it| entry(it, "stable", "foo.v1.1.0")["skips"] = json!(["foo.v0.9.0"]), "`foo.v0.9.0`"),
    (
        "the skipRange is another",
        |it| entry(it, "edge", "foo.v1.2.0")["skipRange"] = json!("<1.2.0"),
        "has the skipRange `>=1.0.0 <1.2.0`",
    ),
    ("the skipRange is gone", |it| entry(it, "edge", "foo.v1.2.0")["skipRange"] = json!(""), "has the skipRange"),
    (
        "a skipRange is new",
        |it| entry(it, "stable", "foo.v1.0.0")["skipRange"] = json!("<1.0.0"),
        "and `<1.0.0` in the new",
    ),
    (
        "the head is another",
        |it| {
            entry(it, "edge", "foo.v1.3.0")["replaces"] = json!("");
            entry(it, "edge", "foo.v1.2.0")["replaces"] = json!("foo.v1.3.0");
        },
        "the head of channel `edge` of `foo` is `foo.v1.3.0` in the old file and `foo.v1.2.0` in the new",
    ),
    (
        "an entry is gone",
        |it| drop(list(blob(it, "olm.channel", "stable"), "entries").remove(0)),
        "entry `foo.v1.0.0` in channel `stable` of `foo` is missing",
    ),
    (
        "an entry is new",
        |it| list(blob(it, "olm.channel", "stable"), "entries").push(json!({"name": "foo.v9"})),
        "entry `foo.v9`",
    ),
    (
        "an entry is there twice",
        |it| {
            let entries = list(blob(it, "olm.channel", "stable"), "entries");
            entries.push(entries[0].clone());
        },
        "has two entries for `foo.v1.0.0`",
    ),
    ("a channel is gone", |it| drop_blob(it, "olm.channel", "edge"), "channel `edge` of `foo` is missing"),
    (
        "a channel is new",
        |it| it.push(json!({"schema": "olm.channel", "package": "foo", "name": "x", "entries": []})),
        "channel `x` of `foo` is not in the old file",
    ),
    (
        "a channel is there twice",
        |it| {
            let channel = blob(it, "olm.channel", "edge").clone();
            it.push(channel);
        },
        "channel `edge` of package `foo` occurs twice",
    ),
    (
        "a channel has properties",
        |it| blob(it, "olm.channel", "edge")["properties"] = json!([{"type": "x", "value": 1}]),
        "the properties of channel `edge`",
    ),
    (
        "the default channel is another",
        |it| blob(it, "olm.package", "foo")["defaultChannel"] = json!("edge"),
        "the default channel `stable` in the old file and `edge`",
    ),
    (
        "the icon is gone",
        |it| drop(blob(it, "olm.package", "foo").as_object_mut().unwrap().remove("icon")),
        "the icon of package `foo` is missing",
    ),
    (
        "the icon is another",
        |it| blob(it, "olm.package", "foo")["icon"]["base64data"] = json!("PHN2Zz4="),
        "the icon of package `foo` differs",
    ),
    (
        "the icon's type is another",
        |it| blob(it, "olm.package", "foo")["icon"]["mediatype"] = json!("image/png"),
        "the icon of package `foo` differs",
    ),
    (
        "a description is new",
        |it| blob(it, "olm.package", "foo")["description"] = json!("x"),
        "the description of package `foo`",
    ),
    (
        "a package is gone",
        |it| it.retain(|it| it["name"] != "bar" && it["package"] != "bar"),
        "package `bar` is missing",
    ),
    (
        "a package is new",
        |it| it.push(json!({"schema": "olm.package", "name": "x", "defaultChannel": "y"})),
        "package `x` is not in the old file",
    ),
    (
        "a bundle is gone",
        |it| drop_blob(it, "olm.bundle", "foo.v1.1.0"),
        "bundle `foo.v1.1.0` of package `foo` is missing",
    ),
    (
        "a bundle is new",
        |it| it.push(json!({"schema": "olm.bundle", "package": "foo", "name": "x", "image": "x", "properties": []})),
        "bundle `x` of package `foo` is not in the old file",
    ),
    (
        "a bundle is in another package",
        |it| bundle(it, "bar.v0.1.0")["package"] = json!("foo"),
        "bundle `bar.v0.1.0` of package `foo` is not",
    ),
    (
        "a bundle is there twice",
        |it| {
            let bundle = bundle(it, "bar.v0.1.0").clone();
            it.push(bundle);
        },
        "bundle `bar.v0.1.0` of package `bar` occurs twice",
    ),
    (
        "a stranded bundle is there",
        |it| {
            let mut bundle = bundle(it, "bar.v0.1.0").clone();
            bundle["name"] = json!("lost.v9.0.0");
            it.push(bundle);
        },
        "bundle `lost.v9.0.0`",
    ),
    (
        "deprecations are new",
        |it| it.push(json!({"schema": "olm.deprecations", "package": "foo", "entries": []})),
        "schema `olm.deprecations`",
    ),
    ("another schema is new", |it| it.push(json!({"schema": "x.y", "package": "foo"})), "schema `x.y`"),
    ("a blob is broken", |it| it.push(json!({"schema": "olm.bundle", "name": 5})), "a blob is unreadable"),
    ("nothing is there", Vec::clear, "package `foo` is missing"),
];

#[test]
fn no_damage_of_the_blobs_is_proved() {
    let directory = scratch();
    let file = legacy_file(directory.path(), "two-packages", MORE);
    let (text, problems) = converted(&file, Fidelity::Kept, Level::None).unwrap();
    assert!(problems.is_empty(), "{problems:?}");
    let whole = findings(&file, Fidelity::Kept, &problems, &text);
    assert_eq!(differences(&whole), "");
    // Two labels; the bundle without a channel; rows of removed bundles.
    assert_eq!(losses(&whole), ["W0605", "W0604", "W0604", "W0602"]);
    let whole = blobs(&text);
    for (what, damage, words) in DAMAGES {
        let mut damaged = whole.clone();
        damage(&mut damaged);
        assert!(damaged != whole, "{what}: nothing was changed");
        let found = differences(&findings(&file, Fidelity::Kept, &problems, &text_of(&damaged)));
        assert!(found.contains(words), "{what}: no `{words}` in\n{found}");
    }
}

/// Ways to damage blobs in which metadata has replaced manifests.
const METADATA_DAMAGES: &[Damage] = &[
    ("the metadata is gone", |it| drop_property(it, "foo.v1.1.0", "olm.csv.metadata"), "2 manifests are lost"),
    (
        "a field is another",
        |it| property(it, "foo.v1.1.0", "olm.csv.metadata")["value"]["displayName"] = json!("x"),
        "the field `displayName`",
    ),
    (
        "a field is gone",
        |it| drop(property(it, "foo.v1.1.0", "olm.csv.metadata")["value"].as_object_mut().unwrap().remove("keywords")),
        "the field `keywords`",
    ),
    (
        "an annotation is another",
        |it| property(it, "foo.v1.1.0", "olm.csv.metadata")["value"]["annotations"]["a"] = json!("x"),
        "the field `annotations`",
    ),
    (
        "a definition is gone",
        |it| property(it, "foo.v1.1.0", "olm.csv.metadata")["value"]["crdDescriptions"] = json!({}),
        "the field `crdDescriptions`",
    ),
    (
        "a part of a definition is another",
        |it| {
            property(it, "foo.v1.1.0", "olm.csv.metadata")["value"]["crdDescriptions"]["owned"][0]["kind"] = json!("x");
        },
        "the field `crdDescriptions`",
    ),
    ("a field is new", |it| property(it, "foo.v1.1.0", "olm.csv.metadata")["value"]["x"] = json!(1), "the field `x`"),
    (
        "one is where no manifests were",
        |it| list(bundle(it, "foo.v1.3.0"), "properties").push(json!({"type": "olm.csv.metadata", "value": {}})),
        "of `olm.csv.metadata`",
    ),
];

#[test]
fn no_damage_of_metadata_is_proved() {
    let directory = scratch();
    let more = "UPDATE operatorbundle SET bundle = CAST(json_set(
        substr(CAST(bundle AS TEXT), 1, instr(CAST(bundle AS TEXT), char(10)) - 1),
        '$.metadata.annotations', json('{\"a\":\"b\",\"containerImage\":\"c\"}'), '$.spec.displayName', 'Foo',
        '$.spec.keywords', json('[\"k\",\"l\"]'), '$.spec.provider', json('{\"name\":\"N\",\"other\":1}'),
        '$.spec.customresourcedefinitions',
        json('{\"owned\":[{\"name\":\"foos.x\",\"version\":\"v1\",\"kind\":\"Foo\",\"other\":1,
               \"specDescriptors\":[{\"path\":\"p\",\"x-descriptors\":[\"u\"],\"value\":{\"b\":1,\"a\":2}}]}]}')
        ) || char(10) || '{\"kind\":\"ConfigMap\"}' AS BLOB), csv = NULL
        WHERE name = 'foo.v1.1.0'";
    let file = legacy_file(directory.path(), "two-packages", &format!("{MORE};{more}"));
    let (text, problems) = converted(&file, Fidelity::Kept, Level::CsvMetadata).unwrap();
    assert_eq!(differences(&findings(&file, Fidelity::Kept, &problems, &text)), "");
    let whole = blobs(&text);
    for (what, damage, words) in METADATA_DAMAGES {
        let mut damaged = whole.clone();
        damage(&mut damaged);
        let found = differences(&findings(&file, Fidelity::Kept, &problems, &text_of(&damaged)));
        assert!(found.contains(words), "{what}: no `{words}` in\n{found}");
    }
}

/// Possible misreadings of rows, as statements: the blobs are those of the file before, the proof reads the file after.
const MISREADINGS: &[&str] = &[
    "DELETE FROM package WHERE name = 'bar'",
    "UPDATE package SET default_channel = 'edge' WHERE name = 'foo'",
    "DELETE FROM channel WHERE name = 'edge'",
    "INSERT INTO channel VALUES ('more', 'foo', 'foo.v1.0.0')",
    "DELETE FROM channel_entry WHERE entry_id = 17",
    "UPDATE channel_entry SET replaces = NULL WHERE entry_id = 14",
    "UPDATE channel_entry SET replaces = NULL WHERE entry_id = 13",
    "UPDATE channel_entry SET replaces = 15 WHERE entry_id = 11",
    "UPDATE channel_entry SET depth = depth + 1 WHERE channel_name = 'edge'",
    "UPDATE channel_entry SET channel_name = 'edge' WHERE entry_id = 14",
    "UPDATE operatorbundle SET bundlepath = 'x' WHERE name = 'foo.v1.3.0'",
    "UPDATE operatorbundle SET bundlepath = NULL WHERE name = 'foo.v1.3.0'",
    "UPDATE operatorbundle SET version = '1.3.1' WHERE name = 'foo.v1.3.0'",
    "UPDATE operatorbundle SET skiprange = '<1.2.0' WHERE name = 'foo.v1.2.0'",
    "UPDATE operatorbundle SET skiprange = '' WHERE name = 'foo.v1.2.0'",
    "UPDATE operatorbundle SET name = 'foo.v1.2.1' WHERE name = 'foo.v1.2.0'",
    "UPDATE operatorbundle SET bundle = NULL WHERE name = 'foo.v1.2.0'",
    "UPDATE operatorbundle SET bundle = replace(CAST(bundle AS TEXT), 'ConfigMap', 'Secret') WHERE name = 'foo.v1.2.0'",
    "UPDATE operatorbundle SET csv = replace(CAST(csv AS TEXT), 'PHN2Zy8+', 'PHN2Zz4=') WHERE name = 'foo.v1.2.0'",
    "DELETE FROM properties WHERE type = 'my.prop' AND operatorbundle_name = 'foo.v1.1.0'",
    "UPDATE properties SET value = '{\"a\":1}' WHERE type = 'my.prop' AND operatorbundle_name = 'foo.v1.1.0'",
    "UPDATE properties SET operatorbundle_name = 'foo.v1.0.0' WHERE type = 'olm.gvk' AND operatorbundle_name = 'foo.v1.1.0'",
    "INSERT INTO properties SELECT 'olm.deprecated', '{}', name, version, bundlepath FROM operatorbundle WHERE name = 'foo.v1.0.0'",
    "DELETE FROM dependencies WHERE type = 'olm.gvk' AND operatorbundle_name = 'bar.v0.1.0'",
    "UPDATE dependencies SET value = '{\"packageName\":\"foo\",\"version\":\">=2\"}' WHERE type = 'olm.package'",
    "INSERT INTO dependencies VALUES ('olm.package', '{\"packageName\":\"bar\",\"version\":\"1\"}', 'foo.v1.0.0', NULL, NULL)",
    "DELETE FROM related_image WHERE image = 'example.com/foo/sidecar'",
    "INSERT INTO related_image VALUES ('example.com/more', 'foo.v1.0.0')",
];

#[test]
fn what_a_reader_of_rows_gets_wrong_shows() {
    let directory = scratch();
    let file = legacy_file(directory.path(), "two-packages", MORE);
    let (text, problems) = converted(&file, Fidelity::Kept, Level::None).unwrap();
    for sql in MISREADINGS {
        let directory = scratch();
        let other = legacy_file(directory.path(), "two-packages", &format!("{MORE};{sql}"));
        let found = differences(&findings(&other, Fidelity::Kept, &problems, &text));
        assert!(!found.is_empty(), "{sql}: the proof holds");
    }
}

/// The same for a schema with the data in other places.
#[test]
fn what_a_reader_of_an_old_schema_gets_wrong_shows() {
    let directory = scratch();
    let file = old_legacy_file(directory.path(), "schema-2", "");
    let (text, problems) = converted(&file, Fidelity::Kept, Level::None).unwrap();
    assert_eq!(differences(&findings(&file, Fidelity::Kept, &problems, &text)), "");
    let misreadings = [
        "UPDATE api_provider SET kind = 'B'",
        "UPDATE api_provider SET channel_entry_id = 2",
        "DELETE FROM api_provider",
        "INSERT INTO api_provider VALUES ('a.io', 'v2', 'A', 1)",
        "UPDATE operatorbundle SET csv = replace(csv, 'foos.x.io', 'foos.z.io')",
        "UPDATE operatorbundle SET csv = replace(csv, 'y.io', 'z.io')",
        "UPDATE operatorbundle SET csv = replace(csv, '<2.0.0', '<2.1.0')",
        "UPDATE operatorbundle SET csv = replace(csv, '\"2.0.0\"', '\"2.1.0\"')",
        "UPDATE operatorbundle SET csv = replace(csv, 'example.com/init', 'example.com/other')",
        "UPDATE operatorbundle SET csv = replace(csv, '\"deployment\"', '\"other\"')",
        "UPDATE operatorbundle SET bundlepath = 'example.com/a' WHERE name = 'a.v1'",
        "ALTER TABLE operatorbundle DROP COLUMN bundlepath; ALTER TABLE operatorbundle ADD COLUMN bundlepath DEFAULT 'x'",
        "CREATE TABLE api_requirer (group_name TEXT, version TEXT, kind TEXT, channel_entry_id INTEGER)",
        "CREATE TABLE related_image (image TEXT, operatorbundle_name TEXT)",
        "CREATE TABLE properties (type TEXT, value TEXT, operatorbundle_name TEXT)",
    ];
    for sql in misreadings {
        let directory = scratch();
        let other = old_legacy_file(directory.path(), "schema-2", sql);
        let found = differences(&findings(&other, Fidelity::Kept, &problems, &text));
        assert!(!found.is_empty(), "{sql}: the proof holds");
    }
}

#[test]
fn opm_s_own_losses_are_named_and_nothing_else_passes_for_one() {
    let directory = scratch();
    // From schema 8 on opm gives every dependency the value of the first one.
    let older = "UPDATE schema_migrations SET version = 8; DROP TABLE properties; DROP TABLE deprecated;
        DROP INDEX pk; ALTER TABLE operatorbundle DROP COLUMN substitutesfor;
        UPDATE operatorbundle SET skiprange = '<1.2.0' WHERE name = 'foo.v1.2.0'";
    let file = legacy_file(directory.path(), "two-packages", &format!("{MORE};{older}"));
    let (text, problems) = converted(&file, Fidelity::Opm, Level::None).unwrap();
    let found = findings(&file, Fidelity::Opm, &problems, &text);
    assert_eq!(differences(&found), "");
    assert!(losses(&found).contains(&"W0608"), "{found:?}");
    assert_ne!(differences(&findings(&file, Fidelity::Kept, &problems, &text)), "", "not what the file says");
    let mut damaged = blobs(&text);
    property(&mut damaged, "bar.v0.1.0", "olm.gvk.required")["value"]["kind"] = json!("Other");
    let found = findings(&file, Fidelity::Opm, &problems, &text_of(&damaged));
    assert!(differences(&found).contains("Other"), "{found:?}");
}

#[test]
fn one_loss_is_one_loss() {
    let directory = scratch();
    let sql = "DELETE FROM dependencies; DELETE FROM properties WHERE operatorbundle_name = 'gone.v1.0.0';
               DELETE FROM related_image WHERE operatorbundle_name = 'lost.v9.0.0'";
    let file = legacy_file(directory.path(), "two-packages", sql);
    let out = directory.path().join("out");
    let answer = olmdex(["migrate", "--prove"]).arg(&file).arg(&out).answer();
    answer.expect_code(0).expect_words("both sides hold the same, except for the loss above\n");
    answer.expect_words("bundle `lost.v9.0.0` is in no channel, and lost");
}

/// The recorded files of the real tool, of every schema.
#[test]
#[ignore = "needs ../shared/golden"]
fn the_proof_holds_on_every_recorded_file() {
    let golden = std::env::var_os("OLMDEX_GOLDEN").map_or_else(|| shared("golden"), PathBuf::from);
    let directory = scratch();
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["legacy", "legacy/edge", "legacy/schemas", "legacy/historic"] {
        let Ok(listing) = std::fs::read_dir(golden.join(folder)) else { continue };
        for path in listing.map(|it| it.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.ends_with(".db") {
                files.push(path);
            } else if name.ends_with(".db.zst") {
                let unpacked = directory.path().join(name.trim_end_matches(".zst"));
                let mut file = std::fs::File::create(&unpacked).unwrap();
                zstd::stream::copy_decode(std::fs::File::open(&path).unwrap(), &mut file).unwrap();
                files.push(unpacked);
            }
        }
    }
    files.sort();
    let mut n_proved = 0;
    for file in &files {
        for fidelity in [Fidelity::Kept, Fidelity::Opm] {
            for level in [Level::None, Level::CsvMetadata] {
                let Ok((text, problems)) = converted(file, fidelity, level) else { continue };
                let found = findings(file, fidelity, &problems, &text);
                assert_eq!(differences(&found), "", "{} {fidelity:?} {level:?}", file.display());
                let left_out = |it: &&Finding| it.rule.severity == Severity::Error;
                assert!(found.iter().filter(left_out).all(|it| it.rule.id == "E0601"), "{}: {found:?}", file.display());
                n_proved += 1;
            }
        }
    }
    assert!(files.len() > 20 && n_proved >= files.len(), "{n_proved} proofs of {} files", files.len());
}

/// Columns that blobs cannot hold, each in its own way.
const LOST_COLUMNS: &str = "
    UPDATE operatorbundle SET substitutesfor = 'foo.v1.0.0' WHERE name = 'foo.v1.2.0';
    UPDATE operatorbundle SET replaces = 'foo.v1.2.0', skips = 'foo.v0.9.0,foo.v0.8.0' WHERE name = 'foo.v1.3.0';
    UPDATE operatorbundle SET replaces = 'foo.v0.1.0' WHERE name = 'foo.v1.1.0';
    INSERT INTO properties VALUES ('olm.package', '{\"packageName\":\"foo\",\"version\":\"9.9.9\"}', 'foo.v1.3.0', '1.3.0', 'example.com/foo:v1.3.0');
    INSERT INTO deprecated VALUES ('foo.v1.0.0')";

// B11: "is it sound?" and "what was lost?" are one question.
#[test]
fn the_doctor_names_the_columns_that_a_migration_loses() {
    let mut n_lost = Vec::new();
    for more in [MORE.to_owned(), format!("{MORE};{LOST_COLUMNS}")] {
        let directory = scratch();
        let file = legacy_file(directory.path(), "two-packages", &more);
        let (blobs, problems) = converted(&file, Fidelity::Kept, Level::None).unwrap();
        let columns = |all: Vec<Finding>| -> Vec<String> {
            let mut lost: Vec<String> =
                all.into_iter().filter(|it| it.rule.id == "W0614").map(|it| it.message).collect();
            lost.sort();
            lost
        };
        let proved = columns(findings(&file, Fidelity::Kept, &problems, &blobs));
        let examined = columns(olmdex::legacy::examine(&file, directory.path()).unwrap());
        assert_eq!(examined, proved);
        n_lost.push(proved.len());
    }
    assert_eq!(n_lost, [0, 5], "substitutesfor, two skips, a version, a deprecated entry");
}
