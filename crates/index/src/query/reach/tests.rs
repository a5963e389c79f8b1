//! The closures against closures by hand, on packages that are as broken as they come: circles, entries that replace
//! themselves, dangling and doubled names, ranges that hold everything or cannot be read, names with other versions in
//! other catalogs.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{Builder, CatalogSpec, Mode};
use olmdex_fbc::Input;
use olmdex_text::tally::assert_grows_with_input;
use olmdex_version::Version;
use olmdex_version::blang::Range;

const N_NAMES: usize = 6;
const CATALOGS: [&str; 2] = ["x", "y"];
const CHANNELS: [&str; 2] = ["a", "b"];

/// Numbers stand for names.
#[derive(Debug, Clone)]
struct Entry {
    name: usize,
    replaces: Option<usize>,
    skips: Vec<usize>,
    range: &'static str,
}

/// For each catalog its channels, and the versions of its bundles: name and minor version.
type World = Vec<(Vec<Vec<Entry>>, Vec<(usize, usize)>)>;

fn name(number: usize) -> String {
    format!("p.v1.{number}.0")
}

fn world() -> impl Strategy<Value = World> {
    let ranges = ["", "", "", "<1.3.0", ">=1.1.0 <1.4.0", ">=0.0.0", "no range", "1.2.0 || || 1.3.0"];
    let any = 0..N_NAMES + 1;
    let entry = (
        0..N_NAMES,
        prop::option::of(any.clone()),
        prop::collection::vec(any, 0..2),
        prop::sample::select(ranges.to_vec()),
    )
        .prop_map(|(name, replaces, skips, range)| Entry { name, replaces, skips, range });
    let channel = prop::collection::vec(entry, 0..6);
    let bundles = prop::collection::vec((0..N_NAMES, 0..N_NAMES), 0..9);
    prop::collection::vec((prop::collection::vec(channel, CHANNELS.len()), bundles), CATALOGS.len())
}

fn index(world: &World) -> Index {
    let mut builder = Builder::in_memory();
    for (catalog, (channels, bundles)) in CATALOGS.iter().zip(world) {
        let mut text = json!({"schema": "olm.package", "name": "p", "defaultChannel": "a"}).to_string();
        for (channel, entries) in CHANNELS.iter().zip(channels) {
            let entry = |it: &Entry| {
                let skips: Vec<String> = it.skips.iter().map(|it| name(*it)).collect();
                let replaces = it.replaces.map(name).unwrap_or_default();
                json!({"name": name(it.name), "replaces": replaces, "skips": skips, "skipRange": it.range})
            };
            let entries: Vec<_> = entries.iter().map(entry).collect();
            write!(text, "\n{}", json!({"schema": "olm.channel", "package": "p", "name": channel, "entries": entries}))
                .unwrap();
        }
        for (number, minor) in bundles {
            let value = json!({"packageName": "p", "version": format!("1.{minor}.0")});
            let properties = json!([{"type": "olm.package", "value": value}]);
            write!(text, "\n{}", json!({"schema": "olm.bundle", "package": "p", "name": name(*number), "image": "i", "properties": properties})).unwrap();
        }
        let spec = CatalogSpec { name: (*catalog).to_owned(), ..CatalogSpec::default() };
        let input = Input::bytes("catalog.json", Arc::from(text.into_bytes()));
        builder.add_catalog(&spec, &input, Mode::Tolerant).unwrap();
    }
    builder.into_index().unwrap()
}

type Edges = BTreeSet<(String, String)>;

/// The edges of the channels and catalogs by hand: a range holds a name if it holds a version that the name has
/// anywhere.
fn edges(world: &World, catalogs: &[usize], channels: &[usize]) -> Edges {
    let mut versions: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (number, minor) in world.iter().flat_map(|it| &it.1) {
        versions.entry(*number).or_default().insert(*minor);
    }
    let mut edges = Edges::new();
    let channels = catalogs.iter().flat_map(|catalog| channels.iter().map(|it| &world[*catalog].0[*it]));
    for entry in channels.flatten() {
        for source in entry.replaces.iter().chain(&entry.skips) {
            edges.insert((name(*source), name(entry.name)));
        }
        let Ok(range) = Range::parse(entry.range) else { continue };
        for (number, minors) in &versions {
            let holds = |minor: &usize| range.contains(&Version::new(1, *minor as u64, 0)).unwrap_or(false);
            if minors.iter().any(holds) {
                edges.insert((name(*number), name(entry.name)));
            }
        }
    }
    edges
}

fn closure(edges: &Edges, from: &BTreeSet<String>, is_allowed: impl Fn(&String) -> bool) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = from.iter().filter(|it| is_allowed(it)).cloned().collect();
    loop {
        let more = edges.iter().filter(|(source, target)| all.contains(source) && is_allowed(target));
        let more: Vec<String> = more.map(|it| it.1.clone()).filter(|it| !all.contains(it)).collect();
        if more.is_empty() {
            return all;
        }
        all.extend(more);
    }
}

fn reversed(edges: &Edges) -> Edges {
    edges.iter().map(|(source, target)| (target.clone(), source.clone())).collect()
}

fn names(rows: Vec<String>) -> BTreeSet<String> {
    let n_rows = rows.len();
    let names: BTreeSet<String> = rows.into_iter().collect();
    assert_eq!(n_rows, names.len(), "a name comes up once");
    names
}

fn picked(numbers: &[usize]) -> BTreeSet<String> {
    numbers.iter().map(|it| name(*it)).collect()
}

fn json_of(names: &BTreeSet<String>) -> String {
    serde_json::to_string(names).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn closures_over_several_graphs_are_those_by_hand(
        world in world(),
        catalogs in prop::sample::subsequence(vec![0, 1], 1..=2),
        channels in prop::sample::subsequence(vec![0, 1], 1..=2),
        from in prop::collection::vec(0..N_NAMES, 1..3),
        to in prop::collection::vec(0..N_NAMES, 1..3),
    ) {
        let index = index(&world);
        let edges = edges(&world, &catalogs, &channels);
        let (from, to) = (picked(&from), picked(&to));
        // All are named, or none is, which means the same.
        let list = |all: &[&str], some: &[usize]| {
            let some: Vec<String> = some.iter().map(|it| all[*it].to_owned()).collect();
            catalogs_json(if some.len() == all.len() { &[] } else { &some })
        };
        let (catalogs, channels) = (list(&CATALOGS, &catalogs), list(&CHANNELS, &channels));
        let after = closure(&edges, &from, |_| true);
        let rows = index.rows(BETWEEN, params!["p", catalogs, channels, json_of(&from), json_of(&to)], |row| row.get(0));
        prop_assert_eq!(names(rows.unwrap()), closure(&reversed(&edges), &to, |it| after.contains(it)));
    }

    #[test]
    fn closures_over_one_graph_are_those_over_its_rows(
        world in world(),
        from in prop::collection::vec(0..N_NAMES, 1..3),
        to in prop::collection::vec(0..N_NAMES, 1..3),
    ) {
        let index = index(&world);
        let (from, to) = (picked(&from), picked(&to));
        for graph in index.rows("SELECT id FROM graph", [], |row| row.get::<_, i64>(0)).unwrap() {
            // Here a number stands for itself: if several entries share a name, only the first leads on.
            let nodes: BTreeMap<i64, String> = index
                .rows("SELECT number, name FROM node WHERE graph = ?", [graph], |row| Ok((row.get(0)?, row.get(1)?)))
                .unwrap()
                .into_iter()
                .collect();
            let edges: Edges = index
                .rows("SELECT source, target FROM edge WHERE graph = ?", [graph], |row| {
                    Ok((row.get::<_, i64>(0)?.to_string(), row.get::<_, i64>(1)?.to_string()))
                })
                .unwrap()
                .into_iter()
                .collect();
            let numbers = |names: &BTreeSet<String>| {
                nodes.iter().filter(|it| names.contains(it.1)).map(|it| it.0.to_string()).collect::<BTreeSet<_>>()
            };
            let words = |numbers: &BTreeSet<String>| {
                let mut words: Vec<String> = numbers.iter().map(|it| nodes[&it.parse::<i64>().unwrap()].clone()).collect();
                words.sort();
                words
            };
            let after = closure(&edges, &numbers(&from), |_| true);
            let between = closure(&reversed(&edges), &numbers(&to), |it| after.contains(it));
            let parameters = params![graph, json_of(&from), json_of(&to)];
            let mut found: Vec<String> = index.rows(BETWEEN_IN_ONE, parameters, |row| row.get(0)).unwrap();
            found.sort();
            prop_assert_eq!(found, words(&between));
        }
    }

    #[test]
    fn names_without_a_way_are_those_by_hand(world in world()) {
        let index = index(&world);
        // Also of packages that are not valid: the statement as it is, without that condition.
        let sql = WITHOUT_WAY.replace(" AND p.is_valid", "");
        let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get::<_, Option<String>>(2)?));
        let mut found: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        for (catalog, channel, name) in index.rows(&sql, params!["p", None::<String>, None::<String>], row).unwrap() {
            found.entry((catalog, channel)).or_default().extend(name);
        }
        let graphs = "SELECT c.name, ch.name, cc.graph, g.head FROM catalog_channel cc JOIN catalog c ON c.id = cc.catalog \
                      JOIN channel ch ON ch.document = cc.channel JOIN graph g ON g.id = cc.graph";
        let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?, row.get::<_, Option<i64>>(3)?));
        let mut by_hand: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        for (catalog, channel, graph, head) in index.rows(graphs, [], row).unwrap() {
            let Some(head) = head else { continue };
            let nodes = "SELECT number, name, entry IS NOT NULL FROM node WHERE graph = ? ORDER BY number";
            let nodes: Vec<(i64, String, bool)> =
                index.rows(nodes, [graph], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
            let edges = "SELECT source, target, kind FROM edge WHERE graph = ?";
            let edges: Vec<(i64, i64, String)> =
                index.rows(edges, [graph], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
            let mut chain = BTreeSet::from([head]);
            let mut with_way = BTreeSet::from([head]);
            for _ in 0..nodes.len() {
                for (source, target, kind) in &edges {
                    let is_entry = nodes.iter().any(|it| it.0 == *source && it.2);
                    if kind == "replaces" && is_entry && chain.contains(target) {
                        chain.insert(*source);
                    }
                }
            }
            let is_skipped = |number: i64| edges.iter().any(|it| it.0 == number && it.2 == "skips");
            for _ in 0..nodes.len() {
                for (source, target, _) in &edges {
                    if with_way.contains(target) && chain.contains(target) && !is_skipped(*target) {
                        with_way.insert(*source);
                    }
                }
            }
            let without = nodes.into_iter().filter(|it| !with_way.contains(&it.0)).map(|it| it.1);
            by_hand.insert((catalog, channel), without.collect());
        }
        prop_assert_eq!(found, by_hand);
    }

    #[test]
    fn what_is_not_valid_is_not_known(world in world()) {
        let index = index(&world);
        let is_valid = index.packages(&super::super::Filter::default()).unwrap().iter().all(|it| it.is_valid);
        let scope = EdgeScope { package: "p".to_owned(), ..EdgeScope::default() };
        let reach = index.names_between(&scope, &picked(&[0]), &picked(&[1])).unwrap();
        prop_assert_eq!(reach == Reach::Unknown, !is_valid);
    }
}

/// An attack: each second entry is skipped, so that no way leads from the names that it skips.
#[test]
fn names_without_a_way_are_found_in_so_many_steps() {
    assert_grows_with_input(100, |size| {
        let entry = |at: usize| {
            let skips: Vec<String> = (0..10).map(|item| format!("p.v0.{at}.{item}")).collect();
            match at % 2 {
                0 => json!({"name": name(at), "skips": skips}),
                _ => json!({
                    "name": name(at), "replaces": at.checked_sub(2).map(name).unwrap_or_default(),
                    "skips": [name(at - 1)]
                }),
            }
        };
        let mut text = json!({"schema": "olm.package", "name": "p", "defaultChannel": "a"}).to_string();
        let entries: Vec<_> = (0..size).map(entry).collect();
        write!(text, "\n{}", json!({"schema": "olm.channel", "package": "p", "name": "a", "entries": entries}))
            .unwrap();
        for at in 0..size {
            let version = json!({"type": "olm.package", "value": {"packageName": "p", "version": format!("1.{at}.0")}});
            let image = format!("q.io/p:{at}");
            let bundle = json!({
                "schema": "olm.bundle", "package": "p", "name": name(at), "image": image, "properties": [version]
            });
            write!(text, "\n{bundle}").unwrap();
        }
        let mut builder = Builder::in_memory();
        let input = Input::bytes("c.json", Arc::from(text.as_bytes()));
        let spec = CatalogSpec { name: "c".to_owned(), source: "c.json".to_owned(), ..CatalogSpec::default() };
        builder.add_catalog(&spec, &input, Mode::Tolerant).unwrap();
        let index = builder.into_index().unwrap();
        move || {
            let scope = EdgeScope { package: "p".to_owned(), ..EdgeScope::default() };
            let found = index.names_without_way(&scope).unwrap();
            assert_eq!(found.values().map(BTreeSet::len).sum::<usize>(), size / 2 * 10);
        }
    });
}
