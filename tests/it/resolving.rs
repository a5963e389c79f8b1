//! Resolution compared with brute force, on worlds that are small enough to try every set of operators; and on worlds
//! that are designed to be too much.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::sync::Arc;

use olmdex::cluster::{ClusterServiceVersion, Subscription};
use olmdex::fbc::{Api, Entry, Property};
use olmdex::index::query::{DependencyBundle, GraphChannel, PackageDependencies};
use olmdex::resolve::{
    Catalog, FactKind, Failure, Options, PackageRows, PlainRows, Verdict, World, generations, resolve, steps, story,
};
use olmdex::solve::Limits;
use olmdex::version::Version;
use olmdex::version::blang::Range;
use proptest::prelude::*;
use serde_json::json;

const N_PACKAGES: usize = 3;
const N_APIS: usize = 3;

/// A generated bundle: the APIs that it provides, its requirements, and whether it is deprecated.
#[derive(Debug, Clone)]
struct Drawn {
    provides: Vec<usize>,
    requires: Vec<Required>,
    is_deprecated: bool,
}

#[derive(Debug, Clone)]
enum Required {
    Api(usize),
    Package(usize, &'static str),
}

fn required() -> impl Strategy<Value = Required> {
    let ranges = prop::sample::select(vec![">=1.0.0", ">=2.0.0", "<2.0.0"]);
    prop_oneof![
        (0..N_APIS).prop_map(Required::Api),
        (0..N_PACKAGES, ranges).prop_map(|(package, range)| Required::Package(package, range)),
    ]
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let provides = prop::collection::vec(0..N_APIS, 0..3);
    (provides, prop::collection::vec(required(), 0..2), prop::bool::weighted(0.1)).prop_map(
        |(mut provides, requires, is_deprecated)| {
            provides.sort_unstable();
            provides.dedup();
            Drawn { provides, requires, is_deprecated }
        },
    )
}

/// Bundles of a package, each with its version, and the one that is installed with or without a Subscription.
#[derive(Debug, Clone)]
struct DrawnPackage {
    bundles: Vec<Drawn>,
    installed: Option<usize>,
    is_subscribed: bool,
}

fn drawn_package() -> impl Strategy<Value = DrawnPackage> {
    let installed = prop::option::weighted(0.4, 0..2_usize);
    (prop::collection::vec(drawn(), 2..4), installed, any::<bool>())
        .prop_map(|(bundles, installed, is_subscribed)| DrawnPackage { bundles, installed, is_subscribed })
}

fn api(number: usize) -> String {
    json!({"group": "g", "version": "v1", "kind": format!("K{number}")}).to_string()
}

fn properties(package: usize, number: usize, drawn: &Drawn) -> Vec<Property> {
    let version = format!("{}.0.0", number + 1);
    let value = json!({"packageName": format!("p{package}"), "version": version}).to_string();
    let mut properties = vec![Property::new("olm.package", value)];
    properties.extend(drawn.provides.iter().map(|it| Property::new("olm.gvk", api(*it))));
    properties.extend(drawn.requires.iter().map(|it| match it {
        Required::Api(number) => Property::new("olm.gvk.required", api(*number)),
        Required::Package(package, range) => {
            let value = json!({"packageName": format!("p{package}"), "versionRange": range});
            Property::new("olm.package.required", value.to_string())
        }
    }));
    properties.extend(drawn.is_deprecated.then(|| Property::new("olm.deprecated", "{}")));
    properties
}

fn name(package: usize, number: usize) -> String {
    format!("p{package}.v{}", number + 1)
}

fn catalog() -> Catalog {
    Catalog { name: "cat".to_owned(), namespace: "olm".to_owned(), ..Catalog::default() }
}

fn bare_world(subscriptions: Vec<Subscription>) -> World {
    World {
        namespace: "ns".to_owned(),
        global_namespace: "olm".to_owned(),
        catalogs: vec![catalog()],
        subscriptions,
        ..World::default()
    }
}

fn subscription(package: &str) -> Subscription {
    Subscription {
        name: package.to_owned(),
        package: package.to_owned(),
        channel: "stable".to_owned(),
        source: "cat".to_owned(),
        source_namespace: "olm".to_owned(),
        ..Subscription::default()
    }
}

fn channel(name: &str, entries: Vec<Entry>) -> GraphChannel {
    GraphChannel { name: name.to_owned(), entries: entries.into(), places: Arc::default() }
}

fn package_rows(package: String, channels: Vec<GraphChannel>, bundles: Vec<DependencyBundle>) -> PackageRows {
    let default_channel = "stable".to_owned();
    let graph = PackageDependencies { package, default_channel, channels, bundles, ..PackageDependencies::default() };
    PackageRows { catalog: 0, graph }
}

fn world(packages: &[DrawnPackage]) -> (World, PlainRows<'static>) {
    let mut world = bare_world(Vec::new());
    let mut rows = Vec::new();
    for (package, drawn) in packages.iter().enumerate() {
        let bundles = drawn.bundles.iter().enumerate().map(|(number, it)| DependencyBundle {
            name: name(package, number),
            version: format!("{}.0.0", number + 1),
            properties: properties(package, number, it),
            ..DependencyBundle::default()
        });
        let entries = (0..drawn.bundles.len()).map(|number| {
            let replaces = number.checked_sub(1).map(|it| name(package, it)).unwrap_or_default();
            Entry { name: name(package, number), replaces, ..Entry::default() }
        });
        let channels = vec![channel("stable", entries.collect())];
        rows.push(package_rows(format!("p{package}"), channels, bundles.collect()));
        if let Some(number) = drawn.installed {
            world.installed.push(ClusterServiceVersion {
                name: name(package, number),
                version: format!("{}.0.0", number + 1),
                properties: Some(properties(package, number, &drawn.bundles[number])),
                ..ClusterServiceVersion::default()
            });
        }
        if drawn.is_subscribed {
            let installed = drawn.installed.map(|it| name(package, it)).unwrap_or_default();
            let current = installed.clone();
            world.subscriptions.push(Subscription { installed, current, ..subscription(&format!("p{package}")) });
        }
    }
    (world, PlainRows::new(rows))
}

/// A possible operator: of the catalog, or installed.
#[derive(Debug, Clone)]
struct Possible {
    package: usize,
    number: usize,
    is_installed: bool,
    drawn: Drawn,
}

fn options_of(packages: &[DrawnPackage]) -> Vec<Possible> {
    let mut all = Vec::new();
    for (package, it) in packages.iter().enumerate() {
        let option =
            |number: usize, is_installed| Possible { package, number, is_installed, drawn: it.bundles[number].clone() };
        all.extend((0..it.bundles.len()).map(|number| option(number, false)));
        all.extend(it.installed.map(|number| option(number, true)));
    }
    all
}

/// Whether OLM may leave the namespace with a set of operators, according to the written rules.
fn is_sound(packages: &[DrawnPackage], set: &[&Possible]) -> bool {
    let is_in = |range: &str, number: usize| {
        Range::parse(range).unwrap().contains(&Version::new(number as u64 + 1, 0, 0)).unwrap()
    };
    let meets = |it: &Required| {
        set.iter().any(|other| match it {
            Required::Api(api) => other.drawn.provides.contains(api),
            Required::Package(package, range) => other.package == *package && is_in(range, other.number),
        })
    };
    let once = (0..N_APIS).all(|api| set.iter().filter(|it| it.drawn.provides.contains(&api)).count() <= 1)
        && (0..N_PACKAGES).all(|package| set.iter().filter(|it| it.package == package).count() <= 1);
    let is_met = set.iter().all(|it| !it.drawn.is_deprecated && it.drawn.requires.iter().all(meets));
    let is_subscribed = packages.iter().enumerate().all(|(package, drawn)| {
        let of: Vec<_> = set.iter().filter(|it| it.package == package).collect();
        match (drawn.is_subscribed, drawn.installed) {
            (true, Some(from)) => of
                .iter()
                .any(|it| (it.is_installed && it.number == from) || (!it.is_installed && it.number == from + 1)),
            (true, None) => of.iter().any(|it| !it.is_installed),
            (false, Some(from)) => of.iter().any(|it| it.is_installed && it.number == from),
            (false, None) => true,
        }
    });
    once && is_met && is_subscribed
}

/// Every set that OLM may leave the namespace with.
fn sound_sets(packages: &[DrawnPackage], options: &[Possible]) -> Vec<u32> {
    let members = |set: u32| -> Vec<&Possible> {
        options.iter().enumerate().filter(|it| set >> it.0 & 1 == 1).map(|it| it.1).collect()
    };
    (0..1 << options.len()).filter(|set| is_sound(packages, &members(*set))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn answers_are_sound_and_refusals_are_right(packages in prop::collection::vec(drawn_package(), N_PACKAGES)) {
        let (world, rows) = world(&packages);
        let options = options_of(&packages);
        let sound = sound_sets(&packages, &options);
        match resolve(&world, &rows, &Options { explains: true, ..Options::default() }).unwrap() {
            Verdict::Resolved(resolution) => {
                let is_chosen = |it: &Possible| {
                    let name = name(it.package, it.number);
                    if it.is_installed {
                        resolution.kept.iter().any(|it| it.name == name)
                    } else {
                        resolution.operators.iter().any(|it| it.name == name)
                    }
                };
                let set: Vec<&Possible> = options.iter().filter(|it| is_chosen(it)).collect();
                prop_assert_eq!(set.len(), resolution.operators.len() + resolution.kept.len());
                prop_assert!(is_sound(&packages, &set), "{:?}", set);
                // The first Subscription gets the best bundle of any sound set.
                if let Some(first) = world.subscriptions.first() {
                    let package: usize = first.package[1..].parse().unwrap();
                    let installed = packages[package].installed;
                    let best = options.iter().enumerate().rev().find(|(idx, it)| {
                        let is_candidate = !it.is_installed && installed.is_none_or(|from| it.number == from + 1);
                        it.package == package && is_candidate && sound.iter().any(|set| set >> idx & 1 == 1)
                    });
                    if let Some((_, best)) = best {
                        prop_assert!(is_chosen(best), "{:?} can be had", best);
                    }
                }
                // Repeated steps reach an end.
                let steps = steps(&world, &resolution);
                prop_assert!(steps.bundles.len() <= resolution.operators.len());
                prop_assert!(generations(&world, &rows, &Options::default()).generations.len() < 20);
            }
            Verdict::Unsatisfiable(conflict) => {
                prop_assert!(sound.is_empty(), "{}", conflict.olm_text());
                prop_assert!(!conflict.facts.is_empty());
                // A request to OLM is part of every contradiction.
                let is_root = |it: &FactKind| {
                    matches!(it, FactKind::Subscription { .. } | FactKind::Unreferenced { .. } )
                };
                prop_assert!(conflict.facts.iter().any(|it| is_root(&it.kind)));
            }
        }
    }

    #[test]
    fn nothing_makes_it_panic(
        kinds in prop::collection::vec(prop::sample::select(vec![
            "olm.gvk", "olm.gvk.required", "olm.package", "olm.package.required", "olm.constraint", "olm.label",
            "olm.label.required", "olm.deprecated",
        ]), 0..6),
        values in prop::collection::vec(prop::sample::select(vec![
            "{}", "null", "[]", "\"x\"", "1", "{", "", r#"{"group":1}"#, r#"{"packageName":"p","versionRange":">=1.0.0"}"#,
            r#"{"packageName":"p","version":"1.0.0"}"#, r#"{"any":{"constraints":[{"not":{}}]}}"#,
            r#"{"cel":{"rule":"properties.exists(p, p.value)"}}"#, r#"{"all":{"constraints":[]}}"#, r#"{"label":"x"}"#,
        ]), 6),
    ) {
        let properties: Vec<Property> = kinds.iter().zip(&values).map(|(kind, value)| Property::new(*kind, *value)).collect();
        let rows = one_bundle(properties.clone());
        let mut world = bare_world(vec![subscription("p")]);
        let _ = resolve(&world, &rows, &Options { explains: true, ..Options::default() });
        world.installed.push(ClusterServiceVersion { name: "q".to_owned(), properties: Some(properties), ..ClusterServiceVersion::default() });
        let _ = resolve(&world, &rows, &Options::default());
    }
}

/// A catalog of one bundle.
fn one_bundle(properties: Vec<Property>) -> PlainRows<'static> {
    rows_of(vec![("p".to_owned(), properties)])
}

/// A catalog of packages with one bundle each.
fn rows_of(bundles: Vec<(String, Vec<Property>)>) -> PlainRows<'static> {
    let package = |(package, properties): (String, Vec<Property>)| {
        let (name, version) = (format!("{package}.v1"), "1.0.0".to_owned());
        let entries = vec![Entry { name: name.clone(), ..Entry::default() }];
        let bundle = DependencyBundle { name, version, properties, ..DependencyBundle::default() };
        package_rows(package, vec![channel("stable", entries)], vec![bundle])
    };
    PlainRows::new(bundles.into_iter().map(package).collect())
}

fn installs(world: &World, rows: &PlainRows<'_>) -> Vec<String> {
    match resolve(world, rows, &Options::default()).unwrap() {
        Verdict::Resolved(resolution) => resolution.operators.into_iter().map(|it| it.name).collect(),
        Verdict::Unsatisfiable(conflict) => panic!("{}", conflict.olm_text()),
    }
}

#[test]
fn circles_and_demands_on_oneself_are_met() {
    let rows = rows_of(vec![
        ("a".to_owned(), vec![Property::new("olm.gvk", api(0)), Property::new("olm.gvk.required", api(1))]),
        ("b".to_owned(), vec![Property::new("olm.gvk", api(1)), Property::new("olm.gvk.required", api(0))]),
        ("c".to_owned(), vec![Property::new("olm.gvk", api(2)), Property::new("olm.gvk.required", api(2))]),
    ]);
    assert_eq!(installs(&bare_world(vec![subscription("a"), subscription("c")]), &rows), ["a.v1", "c.v1", "b.v1"]);
}

#[test]
fn ten_thousand_providers_of_which_the_last_fits() {
    let mut bundles = vec![("a".to_owned(), vec![Property::new("olm.gvk.required", api(0))])];
    for number in 0..10_000 {
        let mut properties = vec![Property::new("olm.gvk", api(0))];
        if number < 9_999 {
            properties.push(Property::new("olm.gvk.required", api(1)));
        }
        bundles.push((format!("b{number:05}"), properties));
    }
    assert_eq!(installs(&bare_world(vec![subscription("a")]), &rows_of(bundles)), ["a.v1", "b09999.v1"]);
}

#[test]
fn a_long_chain_is_followed_to_its_end() {
    let mut bundles = Vec::new();
    for number in 0..2_000_usize {
        bundles.push((
            format!("p{number:05}"),
            vec![Property::new("olm.gvk", api(number)), Property::new("olm.gvk.required", api(number + 1))],
        ));
    }
    bundles.push(("p02000".to_owned(), vec![Property::new("olm.gvk", api(2_000))]));
    assert_eq!(installs(&bare_world(vec![subscription("p00000")]), &rows_of(bundles)).len(), 2_001);
}

#[test]
fn forty_thousand_entries_are_not_too_many() {
    // 667 packages of 30 versions in two channels, each of which requires the one before.
    let package = |number: usize| {
        let name = format!("p{number}");
        let bundle = |minor: usize| {
            let version = format!("1.{minor}.0");
            let value = json!({"packageName": name, "version": version}).to_string();
            let mut properties = vec![Property::new("olm.package", value), Property::new("olm.gvk", api(number))];
            if let Some(before) = number.checked_sub(1) {
                let value = json!({"packageName": format!("p{before}"), "versionRange": ">=1.10.0"}).to_string();
                properties.push(Property::new("olm.package.required", value));
            }
            DependencyBundle { name: format!("{name}.v{version}"), version, properties, ..DependencyBundle::default() }
        };
        let entry = |minor: usize| {
            let replaces = minor.checked_sub(1).map(|it| format!("{name}.v1.{it}.0")).unwrap_or_default();
            Entry { name: format!("{name}.v1.{minor}.0"), replaces, ..Entry::default() }
        };
        let channels = ["stable", "fast"].map(|it| channel(it, (0..30).map(entry).collect()));
        package_rows(name.clone(), channels.into(), (0..30).map(bundle).collect())
    };
    let packages: Vec<PackageRows> = (0..667).map(package).collect();
    let mut broken = packages.clone();
    for bundle in &mut broken[0].graph.bundles {
        bundle.properties.push(Property::new("olm.gvk.required", api(9_999)));
    }
    let rows = PlainRows::new(packages);
    let subscriptions: Vec<Subscription> = (0..20).map(|it| subscription(&format!("p{}", 666 - it * 33))).collect();
    let found = resolve(&bare_world(subscriptions.clone()), &rows, &Options::default()).unwrap();
    let Verdict::Resolved(resolution) = found else { panic!("it is resolvable") };
    assert_eq!(resolution.operators.len(), 667);
    // The same with something missing at the end of every chain.
    let found = resolve(&bare_world(subscriptions), &PlainRows::new(broken), &Options::default()).unwrap();
    assert!(matches!(found, Verdict::Unsatisfiable(_)));
}

#[test]
fn constraints_nested_a_hundred_deep_are_read() {
    let mut value = json!({"gvk": {"group": "g", "version": "v1", "kind": "K0"}});
    for level in 0..100 {
        let kind = ["all", "any"][level % 2];
        value = json!({kind: {"constraints": [value]}});
    }
    let rows = rows_of(vec![
        ("a".to_owned(), vec![Property::new("olm.constraint", value.to_string())]),
        ("b".to_owned(), vec![Property::new("olm.gvk", api(0))]),
    ]);
    assert_eq!(installs(&bare_world(vec![subscription("a")]), &rows), ["a.v1", "b.v1"]);
}

#[test]
fn rules_that_take_too_long_are_given_up() {
    // A cube of a thousand properties.
    let rule = "properties.all(a, properties.all(b, properties.all(c, has(c.type))))";
    let mut properties = vec![Property::new("olm.constraint", json!({"cel": {"rule": rule}}).to_string())];
    properties.extend((0..1_000).map(|_| Property::new("x", "1")));
    let rows = one_bundle(properties);
    let world = bare_world(vec![subscription("p")]);
    let few = Options { steps: 100_000, ..Options::default() };
    let Err(Failure::Work(overwork)) = resolve(&world, &rows, &few) else { panic!("it was no limit") };
    assert_eq!(overwork.operator, "cat/olm/stable/p.v1");
    assert!(overwork.demand.contains("properties.all"), "{overwork}");
    let none = Options { limits: Limits { conflicts: 0 }, ..Options::default() };
    assert!(resolve(&bare_world(vec![]), &rows, &none).is_ok());
}

#[test]
fn the_documentation_s_form_of_a_package_is_refused_with_a_hint() {
    let value = json!({"package": {"name": "blue", "versionRange": ">=1.0.0"}}).to_string();
    let rows = one_bundle(vec![Property::new("olm.constraint", value)]);
    let Err(Failure::Constraint(broken)) = resolve(&bare_world(vec![subscription("p")]), &rows, &Options::default())
    else {
        panic!("it was read");
    };
    assert_eq!(broken.error.to_string(), "parse olm.constraint: json: unknown field \"name\"");
    assert_eq!(broken.operator, "cat/olm/stable/p.v1");
    assert!(broken.error.help().unwrap().contains("packageName"));
}

#[test]
fn constraints_beyond_the_documented_size_are_taken_with_a_warning() {
    let value =
        |size: usize| json!({"failureMessage": "x".repeat(size), "gvk": {"group": "g", "version": "v1", "kind": "K0"}});
    let rows = |size: usize| {
        rows_of(vec![
            ("a".to_owned(), vec![Property::new("olm.constraint", value(size).to_string())]),
            ("b".to_owned(), vec![Property::new("olm.gvk", api(0))]),
        ])
    };
    let world = bare_world(vec![subscription("a")]);
    let Verdict::Resolved(resolution) = resolve(&world, &rows(100_000), &Options::default()).unwrap() else {
        panic!("it is resolvable");
    };
    assert!(resolution.warnings[0].contains("64KB"), "{:?}", resolution.warnings);
    assert!(resolution.warnings[0].starts_with("cat/olm/stable/a.v1 "), "{:?}", resolution.warnings);
    assert!(matches!(resolve(&world, &rows(140_000), &Options::default()), Err(Failure::Constraint(_))));
}

#[test]
fn messages_of_parts_are_told_where_they_apply() {
    let gvk = |kind: &str, message: &str| json!({"failureMessage": message, "gvk": {"group": "g", "version": "v1", "kind": kind}});
    let all = |parts: &[serde_json::Value]| json!({"all": {"constraints": parts}});
    let any = |parts: &[serde_json::Value]| json!({"failureMessage": "top", "any": {"constraints": parts}});
    let told = |value: serde_json::Value| {
        let rows = rows_of(vec![
            ("a".to_owned(), vec![Property::new("olm.constraint", value.to_string())]),
            ("b".to_owned(), vec![Property::new("olm.gvk", api(0))]),
        ]);
        let verdict = resolve(&bare_world(vec![subscription("a")]), &rows, &Options::default()).unwrap();
        let Verdict::Unsatisfiable(conflict) = verdict else { panic!("{value} is met") };
        story(&conflict.facts).into_iter().map(|it| it.text).collect::<Vec<String>>().join("; ")
    };
    // Nothing provides the second API; the first exists and need not be mentioned.
    let text = told(all(&[gvk("K0", "for backups"), gvk("K9", "for \"metrics\"")]));
    assert!(text.contains(r#"("for \"metrics\""), "#) && !text.contains("backups"), "{text}");
    let text = told(any(&[gvk("K8", "for this"), gvk("K9", "for that"), gvk("K9", "for that")]));
    assert!(text.contains(r#"("top"; "for this"; "for that"), which no operator provides"#), "{text}");
    let nested = any(&[all(&[gvk("K0", "there"), gvk("K9", "not there")])]);
    assert!(told(nested).contains(r#"("top"; "not there")"#));
    // Each exists, but not in one operator.
    let text = told(all(&[gvk("K0", "one"), json!({"cel": {"rule": "false"}})]));
    assert!(!text.contains("\"one\""), "{text}");
}

#[test]
fn a_bare_not_is_explained() {
    let value = json!({"not": {"constraints": [{"gvk": {"group": "g", "version": "v1", "kind": "K0"}}]}});
    let rows = rows_of(vec![
        ("a".to_owned(), vec![Property::new("olm.constraint", value.to_string())]),
        ("b".to_owned(), vec![Property::new("olm.gvk", api(0))]),
    ]);
    let verdict = resolve(&bare_world(vec![subscription("a")]), &rows, &Options::default()).unwrap();
    let Verdict::Resolved(resolution) = verdict else { panic!("it is not met") };
    let [warning] = resolution.warnings.as_slice() else { panic!("{:?}", resolution.warnings) };
    assert!(warning.contains("a `not` at the top forbids nothing"), "{warning}");
}

#[test]
fn apis_are_told_in_two_ways() {
    let api = Api { group: "g.example.com".to_owned(), version: "v1".to_owned(), kind: "K".to_owned() };
    assert_eq!((api.to_string(), api.olm_text()), ("K.v1.g.example.com".to_owned(), "K (g.example.com/v1)".to_owned()));
    assert_eq!(BTreeMap::from([(api.clone(), 1)]).get(&api), Some(&1));
}
