//! Searches that follow only the edges in an index find the same as searches that look everywhere.
//!
//! The catalogs are valid, since an index has no facts about others: chains with skipped entries beside them, ranges
//! that reach into other channels, dangling ends, and names that have another version in another catalog.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use olmdex::constraint::openshift::Minor;
use olmdex::diag::Finding;
use olmdex::fbc::Input;
use olmdex::index::query::{EdgeScope, Filter, GraphBundle, NamesWithoutWay, Reach, SqlLimits, SqlValue};
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::plan::{StayingOperator, catalogs_of_move, way_out};
use olmdex::upgrade::compat::{Claims, judge};
use olmdex::upgrade::v1::{Installation, Policy};
use olmdex::upgrade::{
    Effort, EngineQuestion, InstalledBundle, Move, Olm, PackageView, PathStep, Target, Wish, check_graph,
    check_packages, classic_shortest, first_steps, v1_shortest, v1_why_not,
};
use olmdex::version::Version;
use proptest::prelude::*;
use serde_json::{Value, json};

const N_NAMES: usize = 7;
const CHANNELS: [&str; 3] = ["a", "b", "c"];

/// A name in a channel.
#[derive(Debug, Clone)]
struct Entry {
    /// 0: the channel does not have it; 1: it is skipped; otherwise it is part of the chain.
    role: u8,
    skips: Vec<usize>,
    range: &'static str,
}

#[derive(Debug, Clone)]
struct Catalog {
    /// The entry of each name in each channel.
    channels: Vec<Vec<Entry>>,
    /// The entry that the lowest entry of each chain replaces, if any.
    ends: Vec<Option<usize>>,
    /// The difference between the minor versions and the numbers in the names.
    shift: usize,
    /// The names that do not support the next OpenShift, and those that no OLM v1 installs.
    limited: Vec<bool>,
    dependent: Vec<bool>,
}

fn name(number: usize) -> String {
    format!("p.v1.{number}.0")
}

fn catalog() -> impl Strategy<Value = Catalog> {
    let ranges = ["", "", "", "", "<1.2.0", ">=1.1.0 <1.4.0", ">=1.3.0 <1.5.0", "<1.9.0", "1.2.0 || 1.3.0"];
    let entry = (0..6_u8, prop::collection::vec(0..N_NAMES + 2, 0..2), prop::sample::select(ranges.to_vec()))
        .prop_map(|(role, skips, range)| Entry { role, skips, range });
    let channel = prop::collection::vec(entry, N_NAMES);
    (
        prop::collection::vec(channel, 1..=CHANNELS.len()),
        prop::collection::vec(prop::option::of(0..N_NAMES + 2), CHANNELS.len()),
        prop::sample::select(vec![0_usize, 0, 3]),
        prop::collection::vec(prop::bool::weighted(0.3), N_NAMES),
        prop::collection::vec(prop::bool::weighted(0.1), N_NAMES),
    )
        .prop_map(|(channels, ends, shift, limited, dependent)| Catalog {
            channels,
            ends,
            shift,
            limited,
            dependent,
        })
}

/// The entries of a channel: the head skips every entry that is not in the chain. Only the end of the chain may be
/// skipped, since otherwise entries would be stranded.
fn entries(channel: &[Entry], end: Option<usize>) -> Vec<Value> {
    let chain: Vec<usize> = (0..channel.len()).filter(|it| channel[*it].role > 1).collect();
    let Some(&head) = chain.last() else { return Vec::new() };
    let skipped: Vec<usize> = (0..channel.len()).filter(|it| channel[*it].role == 1).collect();
    let mut entries = Vec::new();
    for (at, number) in chain.iter().enumerate() {
        let entry = &channel[*number];
        let below = at.checked_sub(1).map(|it| chain[it]);
        let replaces = below.or(end.filter(|it| !chain.contains(it)));
        let may_skip = |it: &usize| !chain.contains(it) || (*it == chain[0] && chain.len() > 1);
        let mut skips: BTreeSet<usize> = entry.skips.iter().copied().filter(may_skip).collect();
        if *number == head {
            skips.extend(&skipped);
        }
        let skips: Vec<String> = skips.into_iter().map(name).collect();
        entries.push(json!({"name": name(*number), "replaces": replaces.map(name).unwrap_or_default(), "skips": skips, "skipRange": entry.range}));
    }
    entries.extend(skipped.iter().map(|it| json!({"name": name(*it), "skipRange": channel[*it].range})));
    entries
}

fn documents(catalog: &Catalog) -> String {
    let mut channels = Vec::new();
    let mut listed = BTreeSet::new();
    for ((channel, end), id) in catalog.channels.iter().zip(&catalog.ends).zip(CHANNELS) {
        let entries = entries(channel, *end);
        if entries.is_empty() {
            continue;
        }
        listed.extend(entries.iter().map(|it| it["name"].as_str().unwrap().to_owned()));
        channels.push(json!({"schema": "olm.channel", "package": "p", "name": id, "entries": entries}));
    }
    let mut text = String::new();
    let Some(default) = channels.first().map(|it| it["name"].clone()) else { return text };
    writeln!(text, "{}", json!({"schema": "olm.package", "name": "p", "defaultChannel": default})).unwrap();
    for channel in &channels {
        writeln!(text, "{channel}").unwrap();
    }
    for number in (0..N_NAMES).filter(|it| listed.contains(&name(*it))) {
        let version = format!("1.{}.0", number + catalog.shift);
        let mut properties = vec![json!({"type": "olm.package", "value": {"packageName": "p", "version": version}})];
        if catalog.limited[number] {
            properties.push(json!({"type": "olm.maxOpenShiftVersion", "value": "4.16"}));
        }
        if catalog.dependent[number] {
            let value = json!({"group": "g.example.com", "version": "v1", "kind": "K"});
            properties.push(json!({"type": "olm.gvk.required", "value": value}));
        }
        let bundle = json!({"schema": "olm.bundle", "package": "p", "name": name(number), "image": "quay.io/p/p:1", "properties": properties});
        writeln!(text, "{bundle}").unwrap();
    }
    text
}

fn index_of(texts: &[String]) -> Index {
    let mut builder = Builder::in_memory();
    for (number, text) in texts.iter().enumerate() {
        let spec = CatalogSpec { name: format!("c{number}"), ..CatalogSpec::default() };
        let input = Input::bytes("catalog.json", Arc::from(text.clone().into_bytes()));
        builder.add_catalog(&spec, &input, Mode::Tolerant).unwrap();
    }
    builder.into_index().unwrap()
}

fn view_of(index: &Index) -> PackageView {
    let filter = Filter::default();
    PackageView::new("p", index.package_graphs(&filter, "p").unwrap(), &index.catalog_ranks(&filter).unwrap())
}

fn between(
    index: &Index,
    view: &PackageView,
    channels: &[String],
    from: &InstalledBundle,
    to: &BTreeSet<String>,
) -> Reach {
    let scope = EdgeScope { package: "p".to_owned(), channels: channels.to_vec(), ..EdgeScope::default() };
    index.names_between(&scope, &first_steps(view, channels, from), to).unwrap()
}

/// The installed bundle: one of a catalog, with one of its versions or another one, or one that is in none.
fn installed() -> impl Strategy<Value = InstalledBundle> {
    (0..N_NAMES + 3, 0..N_NAMES + 4, prop::bool::ANY).prop_map(|(number, minor, is_same)| {
        let version = if is_same { format!("1.{number}.0") } else { format!("1.{minor}.0") };
        InstalledBundle::named(name(number), version, number < N_NAMES)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(75))]

    #[test]
    fn a_narrow_search_finds_what_a_wide_one_finds(
        catalogs in prop::collection::vec(catalog(), 1..3),
        from in installed(),
        channels in prop::sample::subsequence(vec!["a", "b", "c"], 0..3),
        is_self_certified in prop::bool::weighted(0.1),
    ) {
        let texts: Vec<String> = catalogs.iter().map(documents).collect();
        let index = index_of(&texts);
        for package in index.packages(&Filter::default()).unwrap() {
            prop_assert!(package.is_valid, "{:#?}", texts);
        }
        let view = view_of(&index);
        let Some(graph) = view.graphs.first() else { return Ok(()) };
        let channels: Vec<String> = channels.into_iter().map(str::to_owned).collect();
        let policy = if is_self_certified { Policy::SelfCertified } else { Policy::CatalogProvided };
        let installed = Some(from.clone());
        let asked = EngineQuestion { installed, channels: channels.clone(), policy, ..EngineQuestion::default() };
        for target in view.bundles() {
            let to = BTreeSet::from([target.name.clone()]);
            let within = between(&index, &view, &channels, &from, &to);
            prop_assert!(within != Reach::Unknown);
            for at_most in [1, 3] {
                let find = |within: &Reach| -> [Vec<Vec<PathStep>>; 2] {
                    let wish = Wish { is_goal: &|it| it.bundle == target.name, is_allowed: &|it| !it.is_deprecated, at_most, within, effort: &Effort::default() };
                    [v1_shortest(&view, &asked, &from, &wish), classic_shortest(&view, graph, &asked, &from, &wish)]
                };
                prop_assert_eq!(find(&within), find(&Reach::Unknown), "{:?}", within);
            }
            let within = between(&index, &view, &[], &from, &to);
            let why = |within: &Reach| v1_why_not(&view, &asked, target, within);
            prop_assert_eq!(why(&within), why(&Reach::Unknown), "{:?}", within);
        }
        let step = Move { from: minor(15), to: minor(17) };
        for olm in [Olm::Classic, Olm::V1] {
            let ends = ends_of_ways_out(&view, olm);
            let within = between(&index, &view, &[], &from, &ends);
            let find = |within: &Reach| shortest_way_out(&view, &from, olm, &ends, within);
            let shortest = find(&within);
            prop_assert_eq!(&shortest, &find(&Reach::Unknown), "{:?}", within);
            // The result of a plan is a way out, and the plan finds one if there is one.
            let operator = StayingOperator {
                package: "p".to_owned(),
                installed: from.clone(),
                olm,
                channels: channels.first().cloned().into_iter().collect(),
                next: None,
                range: String::new(),
                own_max: Some(Ok(vec!["\"4.16\"".to_owned()])),
                installation: Installation::default(),
                served: Vec::new(),
            };
            let names: Vec<String> = view.graphs.iter().map(|it| it.catalog.clone()).collect();
            let found = way_out(&index, &catalogs_of_move(&names, step), &operator, step).unwrap();
            prop_assert!(found.is_some() || shortest.is_none(), "{olm:?} {shortest:#?} {texts:#?}");
            if let Some(it) = found {
                let last = it.way.last().unwrap();
                prop_assert!(fits(&view, olm, &last.target), "{:?}", it);
                prop_assert!(view.graphs.len() > 1 || it.way.len() >= shortest.as_ref().map_or(1, Vec::len));
                let stop = it.stops.last().unwrap();
                prop_assert_eq!((&stop.openshift[..], &stop.bundle, stop.steps), ("4.17", &last.target.bundle, it.way.len()));
            }
        }
    }
}

fn minor(it: u64) -> Minor {
    Minor::of(&Version::new(4, it, 0))
}

/// The names of the bundles that do not keep the cluster from OpenShift 4.17.
fn ends_of_ways_out(view: &PackageView, olm: Olm) -> BTreeSet<String> {
    let bundles = view.graphs.iter().flat_map(|it| &it.bundles);
    let fits = |it: &&GraphBundle| judge(&Claims::from(*it), olm, minor(15), minor(17)).verdict.may_stay();
    let all: BTreeSet<&String> = bundles.clone().map(|it| &it.name).collect();
    // A name counts if it fits in every catalog that holds it.
    let unfit: BTreeSet<&String> = bundles.clone().filter(|it| !fits(it)).map(|it| &it.name).collect();
    all.difference(&unfit).map(|it| (*it).clone()).collect()
}

/// Whether a bundle does not keep the cluster from OpenShift 4.17. OLM Classic knows one catalog; if there are several,
/// the first counts for OLM v1.
fn fits(view: &PackageView, olm: Olm, target: &Target) -> bool {
    let graphs = view.graphs.iter().filter(|it| olm == Olm::V1 || it.catalog == target.catalog);
    let bundle = graphs.flat_map(|it| &it.bundles).find(|it| it.name == target.bundle).unwrap();
    judge(&Claims::from(bundle), olm, minor(15), minor(17)).verdict.may_stay()
}

fn shortest_way_out(
    view: &PackageView,
    from: &InstalledBundle,
    olm: Olm,
    ends: &BTreeSet<String>,
    within: &Reach,
) -> Option<Vec<PathStep>> {
    let asked = EngineQuestion { installed: Some(from.clone()), ..EngineQuestion::default() };
    let wish = Wish {
        is_goal: &|it| ends.contains(&it.bundle),
        is_allowed: &|_| true,
        at_most: 1,
        within,
        effort: &Effort::default(),
    };
    if olm == Olm::V1 {
        return v1_shortest(view, &asked, from, &wish).pop();
    }
    let ways = view.graphs.iter().filter_map(|graph| classic_shortest(view, graph, &asked, from, &wish).pop());
    ways.min_by_key(Vec::len)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_has_a_way_needs_no_check(catalogs in prop::collection::vec(catalog(), 1..3)) {
        let texts: Vec<String> = catalogs.iter().map(documents).collect();
        let index = index_of(&texts);
        let scope = EdgeScope { package: "p".to_owned(), ..EdgeScope::default() };
        let without_way = index.names_without_way(&scope).unwrap();
        let view = view_of(&index);
        let n_channels: usize = view.graphs.iter().map(|it| it.channels.len()).sum();
        prop_assert_eq!(without_way.len(), n_channels);
        for graph in &view.graphs {
            for old in [None, view.graphs.first(), view.graphs.last()] {
                let wide = check_graph(graph, old, &NamesWithoutWay::new());
                prop_assert_eq!(check_graph(graph, old, &without_way), wide, "{:?}", without_way);
            }
        }
        if let [text, ..] = &texts[..] {
            checks_agree(&index, &index_of(std::slice::from_ref(text)));
        }
    }
}

/// Checks of many packages, which read little of each, have the same findings as checks with all the data; with an
/// older state, only the new findings.
fn checks_agree(index: &Index, old: &Index) {
    let (all, none) = (Filter::default(), NamesWithoutWay::new());
    let before = old.package_graphs(&all, "p").unwrap();
    let graphs = index.package_graphs(&all, "p").unwrap();
    let found = |old| check_packages(index, &all, old, &["p".to_owned()]).unwrap().remove(0);
    let wanted: Vec<Finding> = graphs.iter().flat_map(|it| check_graph(it, None, &none)).collect();
    assert_eq!(found(None), Some(wanted).filter(|_| !graphs.is_empty()));
    let known: Vec<Finding> = before.iter().take(1).flat_map(|it| check_graph(it, None, &none)).collect();
    let since: Vec<Finding> = graphs.iter().flat_map(|it| check_graph(it, before.first(), &none)).collect();
    let new = found(Some(old)).unwrap_or_default();
    let is_known = |it: &Finding| known.iter().any(|old| (old.rule.id, &old.message) == (it.rule.id, &it.message));
    for finding in &new {
        assert!(since.contains(finding) && !is_known(finding), "{finding:?}");
    }
    // A loss is always new.
    let lost = |all: &[Finding]| all.iter().filter(|it| it.rule.id == "W0806").count();
    assert_eq!(lost(&new), lost(&since));
}

#[test]
fn bundles_without_one_version_are_checked_as_olm_reads_them() {
    let property = |value: &str| format!(r#"{{"type": "olm.package", "value": {value}}}"#);
    let good = property(r#"{"packageName": "p", "version": "2.5.0"}"#);
    let kinds = [
        String::new(),
        good.clone(),
        [property("null"), good.clone()].join(", "),
        [good.clone(), property(r#"{"packageName": "p", "version": "2.7.0"}"#)].join(", "),
        property(r#"{"packageName": "p", "version": "one"}"#),
        property(r#"{"packageName": "p", "Version": "2.5.0+r1"}"#),
        property(r#"{"packageName": "p", "version": "2.5.0", "release": 1}"#),
        property(r#"{"packageName": 1, "version": "2.5.0"}"#),
        r#"{"type": "olm.package"}"#.to_owned(),
    ];
    let bundle = |name: &str, properties: &str| {
        format!(
            r#"{{"schema": "olm.bundle", "package": "p", "name": "{name}", "image": "quay.io/p/p:1", "properties": [{properties}]}}"#
        )
    };
    let head = bundle("p.v2", &property(r#"{"packageName": "p", "version": "2.0.0"}"#));
    let mut messages = BTreeSet::new();
    for range in ["<2.6.0", ">=2.6.0 <3.0.0", ">=1.0.0 <2.0.0"] {
        let channel = format!(
            r#"{{"schema": "olm.channel", "package": "p", "name": "a", "entries": [{{"name": "p.v2", "replaces": "p.v1", "skipRange": "{range}"}}, {{"name": "p.v1"}}]}}"#
        );
        let package = r#"{"schema": "olm.package", "name": "p", "defaultChannel": "a"}"#;
        for first in &kinds {
            let first = bundle("p.v1", first);
            let once = index_of(&[[package, &channel, &head, &first].join("\n")]);
            let found = check_packages(&once, &Filter::default(), None, &["p".to_owned()]).unwrap();
            messages.extend(found.into_iter().flatten().flatten().map(|it| it.message));
            for second in &kinds {
                let twice = index_of(&[[package, &channel, &head, &first, &bundle("p.v1", second)].join("\n")]);
                checks_agree(&once, &twice);
                checks_agree(&twice, &once);
            }
        }
    }
    assert!(messages.len() >= 3, "{messages:?}");
}

/// A channel of entries whose ranges all hold each other.
fn all_in_all(n_entries: usize) -> String {
    let entries: Vec<Value> = (0..n_entries)
        .map(|it| {
            let replaces = it.checked_sub(1).map(name).unwrap_or_default();
            json!({"name": name(it), "replaces": replaces, "skipRange": "<1.1000.0"})
        })
        .collect();
    let mut text = json!({"schema": "olm.package", "name": "p", "defaultChannel": "a"}).to_string();
    write!(text, "\n{}", json!({"schema": "olm.channel", "package": "p", "name": "a", "entries": entries})).unwrap();
    for number in 0..n_entries {
        let value = json!({"packageName": "p", "version": format!("1.{number}.0")});
        let bundle = json!({"schema": "olm.bundle", "package": "p", "name": name(number), "image": "quay.io/p/p:1", "properties": [{"type": "olm.package", "value": value}]});
        write!(text, "\n{bundle}").unwrap();
    }
    text
}

#[test]
fn edges_that_are_left_out_make_ways_unknown() {
    for (n_entries, n_edges) in [(30, Some(30 * 29)), (502, None)] {
        let mut index = index_of(&[all_in_all(n_entries)]);
        let scope = EdgeScope { package: "p".to_owned(), ..EdgeScope::default() };
        let (first, last) = (BTreeSet::from([name(0)]), BTreeSet::from([name(n_entries - 1)]));
        match index.names_between(&scope, &last, &first).unwrap() {
            Reach::Unknown => assert_eq!(n_edges, None),
            Reach::Names(names) => assert_eq!(names.len(), n_entries),
        }
        let stored = index.sql("SELECT range_edges FROM graph", SqlLimits::default()).unwrap();
        assert_eq!(stored.rows[0][0], n_edges.map_or(SqlValue::Null, SqlValue::Integer));
        // The search finds its way all the same.
        let view = view_of(&index);
        let from = InstalledBundle::held(name(n_entries - 1), "1.9.0".to_owned());
        let within = between(&index, &view, &[], &from, &first);
        let asked = EngineQuestion { installed: Some(from.clone()), ..EngineQuestion::default() };
        let wish = Wish {
            is_goal: &|it| it.bundle == name(0),
            is_allowed: &|_| true,
            at_most: 1,
            within: &within,
            effort: &Effort::default(),
        };
        assert_eq!(v1_shortest(&view, &asked, &from, &wish)[0].len(), 1);
    }
}

#[test]
fn no_way_is_known_before_anything_is_searched() {
    let text = [
        json!({"schema": "olm.package", "name": "p", "defaultChannel": "a"}),
        json!({"schema": "olm.channel", "package": "p", "name": "a", "entries": [{"name": name(2), "replaces": name(1)}, {"name": name(1)}]}),
        json!({"schema": "olm.bundle", "package": "p", "name": name(1), "image": "quay.io/p/p:1", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.1.0"}}]}),
        json!({"schema": "olm.bundle", "package": "p", "name": name(2), "image": "quay.io/p/p:2", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.2.0"}}]}),
    ];
    let index = index_of(&[text.map(|it| it.to_string()).join("\n")]);
    let scope = EdgeScope { package: "p".to_owned(), ..EdgeScope::default() };
    let (low, high) = (BTreeSet::from([name(1)]), BTreeSet::from([name(2)]));
    assert!(index.names_between(&scope, &high, &low).unwrap().is_empty());
    assert!(!index.names_between(&scope, &low, &high).unwrap().is_empty());
    let elsewhere = EdgeScope { channels: vec!["b".to_owned()], ..scope };
    assert!(index.names_between(&elsewhere, &low, &high).unwrap().is_empty());
}
