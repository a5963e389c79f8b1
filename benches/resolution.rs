//! The cost of resolution: worlds of many packages, each of 30 versions in two channels, with chains of dependencies,
//! from rows in memory; and real catalogs, from an index (`../shared/catalogs/community-v4.20` or
//! `$OLMDEX_BENCH_CATALOG`).

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use olmdex::cluster::Subscription;
use olmdex::constraint::cel::{Rule, Value, budget};
use olmdex::fbc::{Entry, Input, Property};
use olmdex::index::query::{DependencyBundle, GraphChannel, PackageDependencies};
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::resolve::{Catalog, IndexRows, Options, PackageRows, PlainRows, Rows, Verdict, World, resolve};
use serde_json::json;

const N_VERSIONS: usize = 30;
const N_SUBSCRIPTIONS: usize = 20;

fn package_name(number: usize) -> String {
    format!("pkg{number:04}")
}

/// A package with one API. Seven of ten require a package with a lower number, by its name or by its API; or, if
/// `is_deep`, all of them require the one before, so that everything is reachable.
fn package(number: usize, is_deep: bool) -> PackageRows {
    let name = package_name(number);
    let required = if is_deep {
        number.checked_sub(1)
    } else {
        (number % 10 < 7 && number > 0).then(|| (number * 7919 + 13) % number)
    };
    let bundle = |minor: usize| {
        let version = format!("1.{minor}.0");
        let mut properties = vec![
            Property::new("olm.package", json!({"packageName": name, "version": version}).to_string()),
            Property::new("olm.gvk", json!({"group": format!("g{number}"), "version": "v1", "kind": "K"}).to_string()),
        ];
        if let Some(required) = required {
            properties.push(if number.is_multiple_of(2) {
                let range = format!(">=1.{}.0", minor.min(20));
                let value = json!({"packageName": package_name(required), "versionRange": range});
                Property::new("olm.package.required", value.to_string())
            } else {
                let value = json!({"group": format!("g{required}"), "version": "v1", "kind": "K"});
                Property::new("olm.gvk.required", value.to_string())
            });
        }
        DependencyBundle { name: format!("{name}.v{version}"), version, properties, ..DependencyBundle::default() }
    };
    let channel = |channel: &str| GraphChannel {
        name: channel.to_owned(),
        entries: (0..N_VERSIONS)
            .map(|minor| {
                let replaces = minor.checked_sub(1).map(|it| format!("{name}.v1.{it}.0")).unwrap_or_default();
                Entry { name: format!("{name}.v1.{minor}.0"), replaces, ..Entry::default() }
            })
            .collect(),
        places: Arc::default(),
    };
    let graph = PackageDependencies {
        default_channel: "stable".to_owned(),
        channels: vec![channel("stable"), channel("fast")],
        bundles: (0..N_VERSIONS).map(bundle).collect(),
        package: name.clone(),
        ..PackageDependencies::default()
    };
    PackageRows { catalog: 0, graph }
}

fn world(packages: usize, is_deep: bool) -> (World, PlainRows<'static>) {
    let subscription = |idx: usize| {
        let package = package_name(packages - 1 - idx * (packages / (N_SUBSCRIPTIONS + 1)));
        Subscription {
            name: package.clone(),
            package,
            channel: "stable".to_owned(),
            source: "cat".to_owned(),
            source_namespace: "olm".to_owned(),
            ..Subscription::default()
        }
    };
    let world = World {
        namespace: "ns".to_owned(),
        global_namespace: "olm".to_owned(),
        catalogs: vec![Catalog { name: "cat".to_owned(), namespace: "olm".to_owned(), ..Catalog::default() }],
        subscriptions: (0..N_SUBSCRIPTIONS).map(subscription).collect(),
        ..World::default()
    };
    (world, PlainRows::new((0..packages).map(|it| package(it, is_deep)).collect()))
}

fn must_resolve(world: &World, rows: &dyn Rows) -> usize {
    match resolve(world, rows, &Options::default()).expect("no limit is reached") {
        Verdict::Resolved(resolution) => resolution.operators.len(),
        Verdict::Unsatisfiable(conflict) => panic!("{}", conflict.olm_text()),
    }
}

fn made_up(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("resolve");
    group.sample_size(10);
    // 12,000 and 40,000 entries.
    for (packages, is_deep) in [(200, false), (667, false), (200, true), (667, true)] {
        let (world, rows) = world(packages, is_deep);
        let reach = if is_deep { "all within reach" } else { "short chains" };
        let id = BenchmarkId::new(reach, packages * N_VERSIONS * 2);
        group.bench_function(id, |it| it.iter(|| black_box(must_resolve(&world, &rows))));
    }
    group.finish();
}

fn real(criterion: &mut Criterion) {
    let named = std::env::var_os("OLMDEX_BENCH_CATALOG").map(PathBuf::from);
    let path =
        named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/catalogs/community-v4.20"));
    let Ok(input) = Input::directory(&path) else { return };
    let mut builder = Builder::in_memory();
    let spec = CatalogSpec { name: "cat".to_owned(), ..CatalogSpec::default() };
    builder.add_catalog(&spec, &input, Mode::Tolerant).expect("a readable catalog");
    let index: Index = builder.into_index().expect("an index");
    let (template, _) = world(N_SUBSCRIPTIONS + 1, false);
    let with = |packages: &[String]| {
        let mut world = template.clone();
        world.subscriptions.truncate(packages.len());
        for (subscription, package) in world.subscriptions.iter_mut().zip(packages) {
            (subscription.name, subscription.package) = (package.clone(), package.clone());
            subscription.channel.clear();
        }
        world
    };
    // In any catalog: the first packages that can be installed together.
    let mut packages: Vec<String> = Vec::new();
    for package in index.names(None).expect("a sound index").packages {
        packages.push(package);
        let world = with(&packages);
        let found = resolve(&world, &IndexRows::new(&index, &world), &Options::default());
        if !matches!(found, Ok(Verdict::Resolved(_))) {
            packages.pop();
        }
        if packages.len() == 5 {
            break;
        }
    }
    let world = with(&packages);
    let rows = IndexRows::new(&index, &world);
    criterion.bench_function("resolve/five subscriptions on a real catalog", |it| {
        it.iter(|| black_box(must_resolve(&world, &rows)));
    });
}

fn rules(criterion: &mut Criterion) {
    let rule = "properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'foo' && \
                semver_compare(p.value.version, '1.0.0') >= 0)";
    criterion.bench_function("cel/compile", |it| it.iter(|| black_box(Rule::compile(rule).is_ok())));
    let compiled = Rule::compile(rule).expect("a rule");
    let properties = Value::properties(
        [("olm.gvk", r#"{"kind":"K"}"#), ("olm.package", r#"{"packageName":"foo","version":"1.2.0"}"#)].into_iter(),
    );
    criterion.bench_function("cel/evaluate", |it| {
        it.iter(|| black_box(compiled.holds(&properties, &budget(10_000))));
    });
}

criterion_group!(benches, made_up, real, rules);
criterion_main!(benches);
