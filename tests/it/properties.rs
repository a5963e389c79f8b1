//! Laws of reading, writing and checking for any input: output can be read back, readers agree with other readers, and
//! no input ends in a panic or in two verdicts.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::sync::Arc;

use olmdex::ask::check_catalog;
use olmdex::diag::text::{Color, Elsewhere, finding_of_many};
use olmdex::fbc::{Format, Input, Level, Rendering, Selection, Sorted};
use olmdex::json::{Paths, Reader, decode_utf8, write_compact};
use olmdex::yaml;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Texts that writers get wrong: those that YAML takes for something else, those that need escapes, long and strange
/// ones.
fn text() -> impl Strategy<Value = String> {
    let traps = prop::sample::select(vec![
        "",
        " ",
        "~",
        "null",
        "true",
        "yes",
        "NO",
        "on",
        "y",
        "1",
        "0x1F",
        "0o7",
        "1e3",
        "1_000",
        ".inf",
        ".nan",
        "-",
        "---",
        "- a",
        "a: b",
        "a #b",
        "#a",
        "!a",
        "&a",
        "*a",
        "|",
        ">",
        "%a",
        "@a",
        "`a",
        "{a}",
        "[a]",
        "'a'",
        "\"a\"",
        "a\nb",
        "a\n\nb\n",
        "\na",
        "a\n ",
        " a\nb",
        "a\tb",
        "\ta",
        "a ",
        "2020-01-01",
        "2001-12-14t21:59:43.10-05:00",
        "<<",
        "=",
        "1:30",
        "é",
        "日本語",
        "\u{1F600}",
        "a\r\nb",
        "\u{85}",
        "\u{2028}",
        "<a&b>",
        "\\",
        "a\\nb",
        "...",
        "?",
        ":",
        "? a",
    ]);
    prop_oneof![
        3 => traps.prop_map(str::to_owned),
        2 => "[a-z.0-9-]{1,12}",
        2 => "[ -~\n]{0,40}",
        1 => "([a-z]{1,9} ){8,30}[a-z]{1,9}\n?",
        1 => "\\PC{0,12}",
    ]
}

/// Any JSON, with numbers that a double holds exactly.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => (-1_000_000_000_000_i64..1_000_000_000_000).prop_map(Value::from),
        1 => prop::sample::select(vec![0.5, -1.25, 1e21, 1e-7, 123_456.789, 1e300]).prop_map(Value::from),
        4 => text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A name: one of a few, so that blobs refer to each other, or any text.
fn name() -> impl Strategy<Value = String> {
    let few = prop::sample::select(vec!["foo", "bar", "foo.v1.0.0", "foo.v1.1.0", "foo.v2.0.0", "stable", "alpha", ""]);
    prop_oneof![12 => few.prop_map(str::to_owned), 1 => text()]
}

fn property() -> impl Strategy<Value = Value> {
    let version =
        prop::sample::select(vec!["1.0.0", "1.1.0", "2.0.0", "0.0.0", "1.0.0+b", "v1", "1.0", "", "1.0.0-rc.1"]);
    let release = prop::sample::select(vec![None, None, None, Some("1"), Some("01"), Some("")]);
    prop_oneof![
        6 => (name(), version, release).prop_map(|(package, version, release)| {
            let mut value = json!({"packageName": package, "version": version});
            if let Some(release) = release {
                value["release"] = json!(release);
            }
            json!({"type": "olm.package", "value": value})
        }),
        1 => prop::sample::select(vec!["bnVsbA==", "e30=", "!!", "a2luZDogWw==", ""])
            .prop_map(|data| json!({"type": "olm.bundle.object", "value": {"data": data}})),
        1 => (prop::sample::select(vec![
            "olm.package", "olm.gvk", "olm.gvk.required", "olm.package.required", "olm.csv.metadata", "olm.channel",
            "olm.bundle.object", "olm.constraint", "",
        ]), value()).prop_map(|(kind, value)| json!({"type": kind, "value": value})),
        1 => prop::sample::select(vec!["olm.package", "olm.gvk", "custom", "olm.bundle.object"])
            .prop_map(|kind| json!({"type": kind})),
    ]
}

fn entry() -> impl Strategy<Value = Value> {
    let range = prop::sample::select(vec!["", ">=1.0.0 <2.0.0", "zz", "<1.0.0 || || >2.0.0", "^1"]);
    (name(), prop::option::of(name()), prop::collection::vec(name(), 0..2), prop::option::of(range)).prop_map(
        |(name, replaces, skips, range)| {
            let mut it = json!({"name": name});
            if let Some(replaces) = replaces {
                it["replaces"] = json!(replaces);
            }
            if !skips.is_empty() {
                it["skips"] = json!(skips);
            }
            if let Some(range) = range {
                it["skipRange"] = json!(range);
            }
            it
        },
    )
}

fn deprecation() -> impl Strategy<Value = Value> {
    let schema = prop::sample::select(vec!["olm.package", "olm.channel", "olm.bundle", "", "olm.other"]);
    let name = prop_oneof![Just(None), name().prop_map(Some)];
    (schema, name, prop::sample::select(vec!["", "old"])).prop_map(|(schema, name, message)| {
        let mut reference = json!({"schema": schema});
        if let Some(name) = name {
            reference["name"] = json!(name);
        }
        json!({"reference": reference, "message": message})
    })
}

/// A blob that is nearly right.
fn blob() -> impl Strategy<Value = Value> {
    let image = prop::sample::select(vec!["quay.io/a/b:c", "", "Bad Image"]);
    let properties = || prop::collection::vec(property(), 0..3);
    prop_oneof![
        3 => (name(), name(), properties(), prop::option::of(text())).prop_map(|(name, channel, properties, text)| {
            let mut it = json!({"schema": "olm.package", "name": name, "defaultChannel": channel});
            if let Some(text) = text {
                it["description"] = json!(text);
                it["icon"] = json!({"base64data": "AAAA", "mediatype": text});
                it["properties"] = json!(properties);
            }
            it
        }),
        4 => (name(), name(), prop::collection::vec(entry(), 0..4)).prop_map(|(name, package, entries)| {
            json!({"schema": "olm.channel", "name": name, "package": package, "entries": entries})
        }),
        4 => (name(), name(), image, properties(), prop::collection::vec(text(), 0..2)).prop_map(
            |(name, package, image, properties, related)| {
                let related: Vec<Value> = related.iter().map(|it| json!({"name": it, "image": it})).collect();
                json!({"schema": "olm.bundle", "name": name, "package": package, "image": image,
                    "properties": properties, "relatedImages": related})
            }
        ),
        2 => (name(), prop::collection::vec(deprecation(), 0..3)).prop_map(|(package, entries)| {
            json!({"schema": "olm.deprecations", "package": package, "entries": entries})
        }),
        1 => (text(), name(), value()).prop_map(|(schema, package, value)| {
            json!({"schema": format!("custom{schema}"), "package": package, "x": value})
        }),
    ]
}

/// The blobs of a whole valid catalog with package `foo`, to be broken.
fn valid() -> Vec<Value> {
    let bundle = |version: &str| {
        json!({"schema": "olm.bundle", "name": format!("foo.v{version}"), "package": "foo", "image": "quay.io/a/b:c",
            "properties": [{"type": "olm.package", "value": {"packageName": "foo", "version": version}}]})
    };
    vec![
        json!({"schema": "olm.package", "name": "foo", "defaultChannel": "stable"}),
        json!({"schema": "olm.channel", "name": "stable", "package": "foo", "entries": [
            {"name": "foo.v1.0.0"}, {"name": "foo.v1.1.0", "replaces": "foo.v1.0.0"}]}),
        json!({"schema": "olm.channel", "name": "alpha", "package": "foo", "entries": [{"name": "foo.v1.1.0"}]}),
        bundle("1.0.0"),
        bundle("1.1.0"),
        json!({"schema": "olm.deprecations", "package": "foo", "entries": [
            {"reference": {"schema": "olm.channel", "name": "alpha"}, "message": "old"}]}),
    ]
}

/// A valid catalog with some changes: a value anywhere inside is replaced, removed or duplicated.
fn broken() -> impl Strategy<Value = Vec<Value>> {
    let change = (any::<prop::sample::Index>(), 0..4_u8, prop_oneof![name().prop_map(Value::from), value()]);
    (prop::collection::vec(change, 0..3), prop::collection::vec(blob(), 0..2)).prop_map(|(changes, more)| {
        let mut blobs = Value::from(valid());
        for (place, kind, value) in changes {
            let n_places = count(&blobs);
            mutate(&mut blobs, &mut place.index(n_places), kind, &value);
        }
        let mut blobs = blobs.as_array().cloned().unwrap_or_default();
        blobs.extend(more);
        blobs
    })
}

fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(count).sum::<usize>() + 1,
        Value::Object(members) => members.values().map(count).sum::<usize>() + 1,
        _ => 1,
    }
}

/// Changes the value that comes after `left` others; returns whether it was reached.
fn mutate(value: &mut Value, left: &mut usize, kind: u8, fresh: &Value) -> bool {
    let mut inner = |it: &mut Value| -> bool {
        if *left > 0 {
            *left -= 1;
            return mutate(it, left, kind, fresh);
        }
        *it = fresh.clone();
        true
    };
    match value {
        Value::Array(items) => {
            for idx in 0..items.len() {
                if inner(&mut items[idx]) {
                    if items[idx] == *fresh && kind == 1 {
                        items.remove(idx);
                    } else if kind == 2 {
                        items.insert(idx, items[idx].clone());
                    }
                    return true;
                }
            }
            false
        }
        Value::Object(members) => {
            let keys: Vec<String> = members.keys().cloned().collect();
            for key in keys {
                if members.get_mut(&key).is_some_and(&mut inner) {
                    if kind == 1 && members.get(&key) == Some(fresh) {
                        members.remove(&key);
                    }
                    return true;
                }
            }
            false
        }
        _ => false,
    }
}

/// A catalog of these blobs as a stream of JSON, or as our YAML.
fn input(blobs: &[Value], as_yaml: bool) -> Input {
    let mut text = Vec::new();
    for blob in blobs {
        let blob = blob.to_string();
        if as_yaml {
            text.extend_from_slice(b"---\n");
            if yaml::write(Reader::new().read(&blob).unwrap(), &mut text).is_err() {
                text.extend_from_slice(b"unwritable: true\n");
            }
        } else {
            text.extend_from_slice(blob.as_bytes());
            text.push(b'\n');
        }
    }
    Input::bytes("catalog", Arc::from(text))
}

/// The output of `render`, and the number of documents that it could not render.
fn rendered(input: &Input, format: Format) -> (Vec<u8>, usize) {
    let expansion = olmdex::json::Expansion::default();
    let selection = Selection { packages: &[] };
    let how = Rendering { format, level: Level::None, selection, expansion: &expansion };
    let mut sorted = Sorted::new(how);
    let defects = sorted.read(input);
    (sorted.to_vec().unwrap(), defects.len())
}

/// JSON as values, streams of it too.
fn values(text: &[u8]) -> Vec<Value> {
    serde_json::Deserializer::from_slice(text).into_iter().map(Result::unwrap).collect()
}

/// Whether a text holds a character that YAML cannot carry, or cannot carry unchanged.
fn is_for_json_only(text: &str) -> bool {
    text.contains(|c: char| matches!(c, '\u{FFFE}' | '\u{FFFF}' | '\u{FEFF}') || (c.is_control() && c != '\n'))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Rendering a rendered catalog changes nothing, and both formats have the same content.
    #[test]
    fn what_is_rendered_renders_as_itself(blobs in prop::collection::vec(blob(), 0..8)) {
        let (once, n_defects) = rendered(&input(&blobs, false), Format::Json);
        let (twice, n_more) = rendered(&Input::bytes("once", Arc::from(&*once)), Format::Json);
        prop_assert_eq!(n_more, 0);
        prop_assert_eq!(decode_utf8(&once), decode_utf8(&twice));
        if n_defects > 0 || blobs.iter().any(has_merge_key) {
            return Ok(());
        }
        let as_yaml = rendered(&Input::bytes("once", Arc::from(&*once)), Format::Yaml);
        if as_yaml.1 > 0 {
            prop_assert!(blobs.iter().any(|it| has_text(it, &is_for_json_only)));
            return Ok(());
        }
        let again = rendered(&Input::bytes("yaml", Arc::from(&*as_yaml.0)), Format::Yaml);
        prop_assert_eq!(again.1, 0, "{}", decode_utf8(&as_yaml.0));
        let back = rendered(&Input::bytes("yaml", Arc::from(&*as_yaml.0)), Format::Json);
        if !blobs.iter().any(|it| has_text(it, &is_for_json_only)) {
            prop_assert_eq!(decode_utf8(&again.0), decode_utf8(&as_yaml.0));
            prop_assert_eq!(values(&back.0), values(&once), "{}", decode_utf8(&as_yaml.0));
        }
    }

    /// Our reader of JSON gives the same values as serde_json, whatever the layout of the text.
    #[test]
    fn json_is_read_as_by_others(value in value(), is_pretty in any::<bool>()) {
        let text = if is_pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.unwrap();
        let mut reader = Reader::new();
        let mut written = Vec::new();
        write_compact(reader.read(&text).unwrap(), &mut written);
        prop_assert_eq!(&values(&written)[0], &value);
    }

    /// We refuse the texts that serde_json refuses, and no others, apart from those that the module documents.
    #[test]
    fn json_is_refused_as_by_others(text in "[\\[\\]{}:,\"0-9a-f.eE+\\\\ntrul -]{0,24}") {
        let ours = Reader::new().read(&text).is_ok();
        let theirs = serde_json::from_str::<Value>(&text);
        match theirs {
            Ok(_) => prop_assert!(ours, "{}", text),
            Err(error) => {
                let message = error.to_string();
                let is_documented = message.contains("surrogate") || message.contains("hex escape");
                prop_assert!(!ours || is_documented, "{}: {}", text, message);
            }
        }
    }

    /// Our YAML reads back as the original.
    #[test]
    fn yaml_is_read_as_it_was_written(value in value()) {
        prop_assume!(!has_merge_key(&value));
        let text = value.to_string();
        let mut written = Vec::new();
        let outcome = yaml::write(Reader::new().read(&text).unwrap(), &mut written);
        if outcome.is_err() {
            prop_assert!(has_text(&value, &is_for_json_only));
            return Ok(());
        }
        let mut back = Vec::new();
        prop_assert!(yaml::to_json(&written, &mut back).is_ok(), "{}", decode_utf8(&written));
        if !has_text(&value, &is_for_json_only) {
            prop_assert_eq!(normal(&values(&back)[0]), normal(&value), "{}", decode_utf8(&written));
        }
    }

    /// No YAML-like text ends in a panic.
    #[test]
    fn no_yaml_panics(text in "([-?:,\\[\\]{}#&*!|>'\"%@` \n\ta-c0-2.~<]|---\n|: |- |<<: |\\*a|&a ){0,40}") {
        let mut out = Vec::new();
        let found = yaml::to_json(text.as_bytes(), &mut out);
        if found.is_ok() {
            prop_assert!(Reader::new().read(&decode_utf8(&out)).is_ok());
        }
        let mut paths = Paths::default();
        paths.add(&["a".into(), 0.into()]);
        let _ = yaml::locate_all(text.as_bytes(), &paths);
    }

    /// The documents of a stream are the same for any size of the pieces in which it arrives.
    #[test]
    fn a_stream_is_cut_the_same_in_pieces(text in "(---|\n|\r\n|a|#| |-|\\{|é){0,60}", size in 1..7_usize) {
        let whole: Vec<_> = yaml::split(text.as_bytes(), 1).collect();
        let mut splitter = yaml::Splitter::new(1);
        let mut buffer: Vec<u8> = Vec::new();
        let mut pieces = text.as_bytes().chunks(size);
        let mut is_last = false;
        let mut found = Vec::new();
        loop {
            match splitter.next(&buffer, is_last) {
                Ok(yaml::SplitProgress::Chunk(chunk)) => {
                    let consumed = chunk.consumed;
                    found.push(Ok(yaml::Chunk { text: chunk.text.into_owned().into(), ..chunk }));
                    buffer.drain(..consumed);
                }
                Ok(yaml::SplitProgress::NeedMore) => match pieces.next() {
                    Some(piece) => buffer.extend_from_slice(piece),
                    None => is_last = true,
                },
                Ok(yaml::SplitProgress::End) => break,
                Err(error) => found.push(Err(error)),
            }
        }
        prop_assert_eq!(found, whole);
    }

    /// Our verdict is opm's: there are errors exactly if opm refuses the catalog, whatever the blobs are.
    #[test]
    fn errors_mean_that_opm_refuses(blobs in prop::collection::vec(blob(), 0..7), as_yaml in any::<bool>()) {
        one_verdict(&blobs, as_yaml)?;
    }

    /// The same close to a valid catalog, whose verdict depends on one rule.
    #[test]
    fn errors_mean_that_opm_refuses_near_a_valid_catalog(blobs in broken(), as_yaml in any::<bool>()) {
        one_verdict(&blobs, as_yaml)?;
    }

    /// And for anything that starts like a catalog.
    #[test]
    fn errors_mean_that_opm_refuses_any_text(
        blobs in broken(), at in any::<prop::sample::Index>(), insert in "[{}\\[\\]:,\"'\n#&*!%0-9a-z -]{0,6}", as_yaml in any::<bool>(),
    ) {
        let mut text: String = blobs.iter().map(|it| format!("{it}\n")).collect();
        if as_yaml {
            text = blobs.iter().map(|it| format!("---\n{it}\n")).collect();
        }
        let place = text.floor_char_boundary(at.index(text.len() + 1));
        text.insert_str(place, &insert);
        verdict_of(&Input::bytes("catalog", Arc::from(text.as_bytes())))?;
    }
}

fn one_verdict(blobs: &[Value], as_yaml: bool) -> Result<(), TestCaseError> {
    verdict_of(&input(blobs, as_yaml))
}

fn verdict_of(input: &Input) -> Result<(), TestCaseError> {
    let report = check_catalog(input, None);
    prop_assert_eq!(report.has_errors(), report.opm.is_some(), "{:#?}", report);
    let has_error = report.findings.iter().any(|it| it.rule.severity == olmdex::diag::Severity::Error);
    prop_assert_eq!(report.has_errors(), has_error, "{:#?}", report);
    for finding in &report.findings {
        prop_assert!(finding.place.as_ref().is_some_and(|it| it.line >= 1 && it.column >= 1), "{:?}", finding);
        let elsewhere = Elsewhere { names: "`--all`", findings: "`--all`" };
        let _ = finding_of_many(finding, 0, elsewhere, Color::On);
    }
    Ok(())
}

fn has_text(value: &Value, is_such: &impl Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is_such(text),
        Value::Array(items) => items.iter().any(|it| has_text(it, is_such)),
        Value::Object(members) => members.iter().any(|(key, it)| is_such(key) || has_text(it, is_such)),
        _ => false,
    }
}

/// Whether a key is the merge key, which opm writes without quotes, so that it reads back with another meaning.
fn has_merge_key(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_merge_key),
        Value::Object(members) => members.iter().any(|(key, it)| key == "<<" || has_merge_key(it)),
        _ => false,
    }
}

/// Numbers as doubles, since that is what catalogs have.
fn normal(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Object(members) => {
            let members: BTreeMap<_, _> = members.iter().map(|(key, it)| (key.clone(), normal(it))).collect();
            Value::Object(members.into_iter().collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Large files are cut as they arrive and read in batches. The result is that of small files, to the line.
#[test]
fn large_files_are_read_as_small_ones() {
    let long = "é".repeat(3_000);
    for separator in ["\n", "\r\n"] {
        for is_json in [true, false] {
            let document = |idx: usize| {
                // One document is larger than a batch.
                let text = if idx == 400 { long.repeat(300) } else { long.clone() };
                if is_json {
                    format!(
                        "{{\"schema\": \"custom\",{separator}\"name\": \"{idx}\", \"text\": \"{text}\"}}{separator}"
                    )
                } else {
                    format!("---{separator}schema: custom{separator}name: \"{idx}\"{separator}text: {text}{separator}")
                }
            };
            let broken = if is_json { "{\"schema\": 1}" } else { "---\nschema: 1\n" };
            let documents: Vec<String> = (0..1_000).map(document).collect();
            let whole: String = documents.iter().map(String::as_str).chain([broken]).collect();
            assert!(whole.len() > (4 << 20));
            let large = Input::bytes("large", Arc::from(whole.as_bytes()));
            let small: Vec<Vec<u8>> = documents
                .iter()
                .map(|it| rendered(&Input::bytes("small", Arc::from(it.as_bytes())), Format::Json).0)
                .collect();
            let (found, n_defects) = rendered(&large, Format::Json);
            assert_eq!(n_defects, 1);
            assert!(found == small.concat(), "separator {separator:?}, JSON {is_json}");
            let report = check_catalog(&large, None);
            assert_eq!(report.findings.len(), 1);
            let place = report.findings[0].place.as_ref().unwrap();
            let line = whole.matches('\n').count() + usize::from(is_json);
            assert_eq!((place.line as usize, place.column), (line, if is_json { 12 } else { 9 }));
        }
    }
}
