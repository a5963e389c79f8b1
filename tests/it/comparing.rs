//! The laws of any comparison of two catalogs: a catalog does not differ from itself in whatever form, a reversed
//! comparison is the mirror image, and the added and removed things are those that the catalogs have.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::sync::Arc;

use olmdex::fbc::Input;
use olmdex::index::query::{Change, ChangeKind, NestedChanges, Side, Subject};
use olmdex::index::{Builder, CatalogSpec, Index, IndexError, Mode};
use olmdex::upgrade::diff;
use proptest::prelude::*;
use serde_json::{Value, json};

/// An index of catalogs, each a list of documents.
fn index(catalogs: &[(&str, &[Value])]) -> Index {
    let mut builder = Builder::in_memory();
    for (name, documents) in catalogs {
        let text: String = documents.iter().map(|it| format!("{it}\n")).collect();
        let spec = CatalogSpec { name: (*name).to_owned(), ..CatalogSpec::default() };
        let input = Input::bytes("catalog.json", Arc::from(text.into_bytes()));
        builder.add_catalog(&spec, &input, Mode::Tolerant).unwrap();
    }
    builder.into_index().unwrap()
}

fn compare(index: &Index, old: &str, new: &str) -> Vec<Change> {
    let of = |nested| diff(Side { index, catalog: old }, Side { index, catalog: new }, &[], nested).unwrap();
    let told = of(NestedChanges::Told);
    let not_nested: Vec<&Change> = told.iter().filter(|it| !it.detail).collect();
    assert_eq!(of(NestedChanges::Skipped).iter().collect::<Vec<_>>(), not_nested, "what is skipped is nested");
    told
}

fn bundle(package: &str, name: &str, version: &str, images: &[&str], apis: &[&str]) -> Value {
    let related: Vec<Value> = images.iter().map(|it| json!({"name": "", "image": it})).collect();
    let mut properties = vec![json!({"type": "olm.package", "value": {"packageName": package, "version": version}})];
    let gvk = |kind: &&str| json!({"type": "olm.gvk", "value": {"group": "g", "version": "v1", "kind": kind}});
    properties.extend(apis.iter().map(gvk));
    json!({
        "schema": "olm.bundle", "package": package, "name": name, "image": format!("quay.io/{name}"),
        "properties": properties, "relatedImages": related,
    })
}

fn channel(package: &str, name: &str, entries: Value) -> Value {
    json!({"schema": "olm.channel", "package": package, "name": name, "entries": entries})
}

fn package(name: &str, default_channel: &str) -> Value {
    json!({"schema": "olm.package", "name": name, "defaultChannel": default_channel})
}

/// A package `p` with the channel `c` of these entries, and a bundle for each of these numbers.
fn chain(entries: Value, bundles: &[u64]) -> Vec<Value> {
    let mut documents = vec![package("p", "c"), channel("p", "c", entries)];
    let of = |n: &u64| bundle("p", &format!("p.v{n}"), &format!("{n}.0.0"), &[], &[]);
    documents.extend(bundles.iter().map(of));
    documents
}

/// The stranded users: the bundle, or the channel as a whole, with the bundle that it was upgraded to.
fn stranded(old: &[Value], new: &[Value]) -> Vec<(String, Option<String>)> {
    let index = index(&[("old", old), ("new", new)]);
    let all = compare(&index, "old", "new").into_iter().filter(|it| it.change == ChangeKind::Stranded);
    let all = all.inspect(|it| assert!(it.breaking && it.channel.is_some()));
    all.map(|it| (it.bundle.unwrap_or_else(|| it.channel.unwrap()), it.old)).collect()
}

#[test]
fn stranded_are_versions_that_lose_their_upgrade() {
    let old = chain(json!([{"name": "p.v1"}, {"name": "p.v2", "replaces": "p.v1"}]), &[1, 2]);
    let is_stranded = |entries: Value, bundles: &[u64]| stranded(&old, &chain(entries, bundles));
    let gone = vec![("p.v1".to_owned(), Some("p.v2".to_owned()))];
    assert_eq!(is_stranded(json!([{"name": "p.v2"}]), &[2]), gone);
    // Its bundle alone gives it no upgrade.
    assert_eq!(is_stranded(json!([{"name": "p.v2"}]), &[1, 2]), gone);
    // A replaced, skipped or ranged version need not be an entry.
    assert_eq!(is_stranded(json!([{"name": "p.v2", "replaces": "p.v1"}]), &[2]), []);
    assert_eq!(is_stranded(json!([{"name": "p.v2", "skips": ["p.v1"]}]), &[2]), []);
    assert_eq!(is_stranded(json!([{"name": "p.v2", "skipRange": "<2.0.0"}]), &[2]), []);
    assert_eq!(is_stranded(json!([{"name": "p.v2", "skipRange": "<1.0.0"}]), &[2]), gone);
    // A head needs no upgrade, unless it is gone.
    assert_eq!(is_stranded(json!([{"name": "p.v1"}]), &[1]), [("p.v2".to_owned(), Some(Change::HEAD.to_owned()))]);
    // Without a single head there are no upgrades.
    let two_heads = json!([{"name": "p.v1"}, {"name": "p.v2"}]);
    assert_eq!(is_stranded(two_heads, &[1, 2]), [("c".to_owned(), None)]);
    // An edge to another channel is useless to a Subscription, and a version that had no upgrade loses none.
    let with = |documents: Vec<Value>| [old.clone(), documents].concat();
    let elsewhere = channel("p", "d", json!([{"name": "p.v2", "replaces": "p.v1"}]));
    let cut = chain(json!([{"name": "p.v2"}]), &[1, 2]);
    assert_eq!(stranded(&with(vec![elsewhere.clone()]), &[cut, vec![elsewhere]].concat()), gone);
    let stuck = chain(
        json!([{"name": "p.v1"}, {"name": "p.v2", "skips": ["p.v1"]}, {"name": "p.v3", "skips": ["p.v2"]}]),
        &[1, 2, 3],
    );
    assert_eq!(stranded(&stuck, &chain(json!([{"name": "p.v3", "skips": ["p.v2"]}]), &[2, 3])), []);
}

#[test]
fn a_channel_that_is_gone_is_breaking() {
    let old = chain(json!([{"name": "p.v1"}]), &[1]);
    let with = [old.clone(), vec![channel("p", "d", json!([{"name": "p.v1"}]))]].concat();
    let index = index(&[("old", &with), ("new", &old), ("none", &[])]);
    let breaking = |to: &str| -> Vec<(Subject, Option<String>)> {
        let all = compare(&index, "old", to).into_iter().filter(|it| it.breaking);
        all.map(|it| (it.subject, it.channel)).collect()
    };
    assert_eq!(breaking("new"), [(Subject::Channel, Some("d".to_owned()))]);
    // The row of a removed package covers all its channels.
    assert_eq!(breaking("none"), [(Subject::Package, None)]);
}

#[test]
fn news_of_a_package_are_told_once_with_their_first_bundle() {
    let old = [package("p", "c"), bundle("p", "p.v1", "1.0.0", &[], &["A"])];
    let new = [
        package("p", "c"),
        bundle("p", "p.v1", "1.0.0", &[], &["A"]),
        bundle("p", "p.v3", "3.0.0", &[], &["A", "B"]),
        bundle("p", "p.v10", "10.0.0", &[], &["A", "B"]),
    ];
    let index = index(&[("old", &old), ("new", &new)]);
    let told = |old: &str, new: &str| -> Vec<(ChangeKind, Option<String>, String)> {
        let all = compare(&index, old, new).into_iter().filter(|it| it.subject == Subject::Api && !it.detail);
        all.map(|it| (it.change, it.bundle, it.new.or(it.old).unwrap())).collect()
    };
    let row = |change, bundle: &str| vec![(change, Some(bundle.to_owned()), "g/v1/B".to_owned())];
    assert_eq!(told("old", "new"), row(ChangeKind::Added, "p.v3"));
    assert_eq!(told("new", "old"), row(ChangeKind::Removed, "p.v3"));
}

#[test]
fn fields_and_schemas_that_nobody_knows_are_compared_too() {
    let with = |value: u64| {
        let mut bundle = bundle("p", "p.v1", "1.0.0", &[], &[]);
        bundle["future"] = json!({"a": value});
        vec![package("p", "c"), bundle, json!({"schema": "x.y/v1", "package": "p", "name": "n", "v": value})]
    };
    let index = index(&[("old", &with(1)), ("new", &with(2))]);
    let told: Vec<_> = compare(&index, "old", "new")
        .into_iter()
        .map(|it| (it.subject, it.field.unwrap(), it.new, it.breaking))
        .collect();
    let row = |subject, field: &str, new: Option<&str>, breaking| {
        (subject, field.to_owned(), new.map(str::to_owned), breaking)
    };
    assert_eq!(
        told,
        [
            row(Subject::Bundle, "content", None, true),
            row(Subject::Bundle, "future", Some(r#"{"a":2}"#), false),
            row(Subject::Document, "x.y/v1 n", None, false),
        ]
    );
}

#[test]
fn metadata_in_another_form_make_no_other_bundle() {
    let with = |image: &str, properties: &[Value]| {
        let mut bundle = bundle("p", "p.v1", "1.0.0", &[image], &[]);
        bundle["properties"].as_array_mut().unwrap().extend_from_slice(properties);
        vec![package("p", "c"), bundle]
    };
    let objects = ["e30=", "e30K"].map(|it| json!({"type": "olm.bundle.object", "value": {"data": it}}));
    let metadata = [json!({"type": "olm.csv.metadata", "value": {"description": "d", "maturity": "alpha"}})];
    let index = index(&[
        ("objects", &with("i", &objects)),
        ("metadata", &with("i", &metadata)),
        ("rebuilt", &with("j", &metadata)),
    ]);
    let told = |old: &str, new: &str| -> Vec<(Option<String>, bool)> {
        compare(&index, old, new).into_iter().map(|it| (it.field, it.breaking)).collect()
    };
    let row = |field: &str, breaking| (Some(field.to_owned()), breaking);
    assert_eq!(told("objects", "metadata"), [row(Change::METADATA_FORM, false)]);
    assert_eq!(told("metadata", "objects"), [row(Change::METADATA_FORM, false)]);
    let all = [row(Change::CONTENT, true), row(Change::METADATA_FORM, false), row("related", false)];
    assert_eq!(told("objects", "rebuilt"), all);
}

#[test]
fn a_catalog_that_is_not_there_is_an_error() {
    let index = index(&[("old", &[])]);
    let side = |catalog| Side { index: &index, catalog };
    let error = diff(side("old"), side("new"), &[], NestedChanges::Told).unwrap_err();
    assert!(matches!(error, IndexError::NoSuchCatalog { name, .. } if name == "new"));
}

#[test]
fn history_follows_the_order_that_it_is_given() {
    let (a, b) = (chain(json!([{"name": "p.v1"}]), &[1, 2]), chain(json!([{"name": "p.v2"}]), &[2]));
    let mut c = chain(json!([{"name": "p.v1"}]), &[10]);
    c.push(bundle("p", "p.v1", "1.0.0", &["other"], &[]));
    c.push(json!({"schema": "olm.deprecations", "package": "p", "entries": [
        {"reference": {"schema": "olm.bundle", "name": "p.v1"}, "message": "old"},
    ]}));
    let index = index(&[("z", &a), ("y", &b), ("x", &c)]);
    let order = ["z", "y", "x"].map(str::to_owned);
    let rows = index.history("p", &order).unwrap();
    let told: Vec<_> =
        rows.iter().map(|it| (it.bundle.as_str(), it.first.as_str(), it.last.as_str(), it.contents)).collect();
    assert_eq!(told, [("p.v1", "z", "x", 2), ("p.v2", "z", "y", 1), ("p.v10", "x", "x", 1)]);
    assert_eq!((&rows[0].missing_in, &rows[0].deprecated_in), (&vec!["y".to_owned()], &vec!["x".to_owned()]));
    assert!(rows[0].is_current && !rows[1].is_current);
    // Catalogs that are not named do not count.
    let only = index.history("p", &order[1..2]).unwrap();
    assert_eq!(only.iter().map(|it| it.bundle.as_str()).collect::<Vec<_>>(), ["p.v2"]);
}

/// Any documents, with few names so that catalogs share many; also some that no valid catalog has.
fn document() -> impl Strategy<Value = Value> {
    let package_name = || prop::sample::select(vec!["p", "q"]);
    let channel_name = || prop::sample::select(vec!["c", "d", "e"]);
    let name = || prop::sample::select(vec!["b1", "b2", "b3", "b4", ""]);
    let versions = prop::sample::select(vec!["1.0.0", "1.1.0", "2.0.0-rc.1", "not a version"]);
    let range = prop::sample::select(vec!["", "", "<1.1.0", ">=1.0.0 <3.0.0", "not a range"]);
    let entry = (name(), name(), prop::collection::vec(name(), 0..3), range)
        .prop_map(|(name, replaces, skips, range)| json!({"name": name, "replaces": replaces, "skips": skips, "skipRange": range}));
    let image = prop::collection::vec(prop::sample::select(vec!["i1", "i2", "i3"]), 0..3);
    let api = prop::collection::vec(prop::sample::select(vec!["A", "B"]), 0..3);
    let extra = prop::sample::select(vec![
        json!({"type": "olm.package.required", "value": {"packageName": "q", "versionRange": ">1.0.0"}}),
        json!({"type": "olm.package.required", "value": {"packageName": "q", "versionRange": ">2.0.0"}}),
        json!({"type": "olm.constraint", "value": {"failureMessage": "m"}}),
        json!({"type": "olm.csv.metadata", "value": {"description": "d", "maturity": "alpha"}}),
        json!({"type": "olm.csv.metadata", "value": {"description": "e"}}),
        json!({"type": "x", "value": [1, 2]}),
        json!({"type": "x", "value": 3}),
    ]);
    prop_oneof![
        1 => (package_name(), channel_name()).prop_map(|(name, channel)| package(name, channel)),
        3 => (package_name(), channel_name(), prop::collection::vec(entry, 0..4))
            .prop_map(|(package, name, entries)| channel(package, name, json!(entries))),
        5 => (package_name(), name(), versions, image, api, prop::collection::vec(extra, 0..3)).prop_map(
            |(package, name, version, images, apis, extra)| {
                let mut bundle = bundle(package, name, version, &images, &apis);
                bundle["properties"].as_array_mut().unwrap().extend(extra);
                bundle
            }
        ),
        1 => (package_name(), prop::sample::select(vec!["olm.package", "olm.channel", "olm.bundle"]), name(), "[mn]?").prop_map(
            |(package, schema, name, message)| {
                let mut reference = json!({"schema": schema, "name": name});
                if schema == "olm.package" {
                    reference.as_object_mut().unwrap().remove("name");
                }
                json!({"schema": "olm.deprecations", "package": package, "entries": [{"reference": reference, "message": message}]})
            }
        ),
        1 => (package_name(), name(), 0..2).prop_map(|(package, name, n)| json!({"schema": "x.y", "package": package, "name": name, "n": n})),
    ]
}

fn catalog() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(document(), 0..14)
}

/// A change as the reversed comparison reports it; whether it is breaking depends on the direction.
fn mirrored(change: &Change) -> Change {
    let kind = match change.change {
        ChangeKind::Added => ChangeKind::Removed,
        ChangeKind::Removed => ChangeKind::Added,
        other => other,
    };
    Change {
        change: kind,
        old: change.new.clone(),
        new: change.old.clone(),
        version: None,
        breaking: false,
        ..change.clone()
    }
}

fn sorted(changes: impl Iterator<Item = Change>) -> Vec<String> {
    // Being stranded has a direction, too.
    let changes = changes.filter(|it| it.change != ChangeKind::Stranded);
    let mut texts: Vec<String> =
        changes.map(|it| format!("{:?}", Change { version: None, breaking: false, ..it })).collect();
    texts.sort();
    texts
}

/// The names of the bundles of a catalog.
fn bundles(documents: &[Value]) -> BTreeSet<(String, String)> {
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    let bundles = documents.iter().filter(|it| it["schema"] == "olm.bundle" && it["name"] != "");
    bundles.map(|it| (text(&it["package"]), text(&it["name"]))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn turned_round_it_is_the_mirror_image(old in catalog(), new in catalog()) {
        let index = index(&[("old", &old), ("new", &new)]);
        let (there, back) = (compare(&index, "old", "new"), compare(&index, "new", "old"));
        prop_assert_eq!(sorted(there.iter().map(mirrored)), sorted(back.into_iter()));
        let of_kind = |kind: ChangeKind| -> BTreeSet<(String, String)> {
            let wholes = there.iter().filter(|it| it.subject == Subject::Bundle && it.field.is_none() && it.change == kind);
            wholes.filter_map(|it| Some((it.package.clone(), it.bundle.clone()?))).collect()
        };
        let (olds, news) = (bundles(&old), bundles(&new));
        prop_assert_eq!(of_kind(ChangeKind::Added), news.difference(&olds).cloned().collect());
        prop_assert_eq!(of_kind(ChangeKind::Removed), olds.difference(&news).cloned().collect());
    }

    #[test]
    fn nothing_differs_from_itself_nor_two_indexes_from_one(old in catalog(), new in catalog()) {
        let both = index(&[("old", &old), ("new", &new)]);
        prop_assert_eq!(compare(&both, "old", "old"), []);
        let (of_old, of_new) = (index(&[("a", &old)]), index(&[("b", &new)]));
        let apart = diff(Side { index: &of_old, catalog: "a" }, Side { index: &of_new, catalog: "b" }, &[], NestedChanges::Told).unwrap();
        prop_assert_eq!(compare(&both, "old", "new"), apart);
    }

    #[test]
    fn the_order_inside_documents_is_no_difference(documents in catalog()) {
        let mut turned = documents.clone();
        for document in &mut turned {
            for field in ["entries", "properties", "relatedImages"] {
                // Among several entries of one name the first counts, so these keep their places.
                if let Some(list) = document.get_mut(field).and_then(Value::as_array_mut) {
                    let names: BTreeSet<String> = list.iter().map(|it| it["name"].to_string()).collect();
                    let is_repeated = |kind: &str| list.iter().filter(|it| it["type"] == kind).count() > 1;
                    if (field != "entries" || names.len() == list.len()) && !is_repeated("olm.csv.metadata") {
                        list.reverse();
                    }
                }
            }
        }
        let index = index(&[("as it is", &documents), ("turned", &turned)]);
        prop_assert_eq!(compare(&index, "as it is", "turned"), []);
    }
}
