//! The growth of the main jobs with the catalog: reading, checking, rendering and building at 1×, 4× and 16×, and
//! questions on indexes of 1× and 16×.
//!
//! The catalog is `../shared/catalogs/community-v4.20` (or `$OLMDEX_BENCH_CATALOG`); copies of it have new package
//! names. If it is missing, a catalog of the same form is generated.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use olmdex::ask::check_catalog;
use olmdex::fbc::{Format, Input, Level, Rendering, RereadError, Selection, Sorted};
use olmdex::index::query::{BundleSelector, Filter, SearchQuery};
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::json::Expansion;
use olmdex::legacy::{Destination, Edit, Export, Fidelity, LegacyCatalog, LegacyError};
use olmdex::version::Version;
use olmdex::version::blang::Range;
use serde_json::{Value, json};

/// The documents of the catalog in all measurements.
fn documents() -> Vec<Value> {
    let named = std::env::var_os("OLMDEX_BENCH_CATALOG").map(PathBuf::from);
    let path =
        named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/catalogs/community-v4.20"));
    let Ok(input) = Input::directory(&path) else { return made_up() };
    let expansion = Expansion::default();
    let mut sorted = Sorted::new(as_json(&expansion));
    let defects = sorted.read(&input);
    assert!(defects.is_empty(), "{} cannot be rendered", path.display());
    let text = sorted.to_vec().expect("the catalog does not change");
    let documents = serde_json::Deserializer::from_slice(&text).into_iter();
    documents.map(|it| it.expect("a rendered blob is JSON")).collect()
}

/// All blobs as `render` prints them.
fn as_json(expansion: &Expansion) -> Rendering<'_> {
    Rendering { format: Format::Json, level: Level::None, selection: Selection { packages: &[] }, expansion }
}

/// Forty packages of twenty bundles, each with an API, an image and a description.
fn made_up() -> Vec<Value> {
    let mut documents = Vec::new();
    for package in (0..40).map(|it| format!("package-{it}")) {
        documents.push(json!({"schema": "olm.package", "name": package, "defaultChannel": "stable"}));
        let entries: Vec<Value> = (0..20)
            .map(|minor| match minor {
                0 => json!({"name": format!("{package}.v1.0.0")}),
                _ => json!({"name": format!("{package}.v1.{minor}.0"), "replaces": format!("{package}.v1.{}.0", minor - 1),
                            "skipRange": format!(">=1.0.0 <1.{minor}.0")}),
            })
            .collect();
        documents.push(json!({"schema": "olm.channel", "package": package, "name": "stable", "entries": entries}));
        documents.extend((0..20).map(|minor| {
            json!({
                "schema": "olm.bundle", "package": package, "name": format!("{package}.v1.{minor}.0"),
                "image": format!("registry.example.com/{package}:v1.{minor}.0"),
                "properties": [
                    {"type": "olm.package", "value": {"packageName": package, "version": format!("1.{minor}.0")}},
                    {"type": "olm.gvk", "value": {"group": format!("{package}.example.com"), "version": "v1", "kind": "Thing"}},
                    {"type": "olm.csv.metadata", "value": {"displayName": package, "description": "What it does. ".repeat(400),
                        "keywords": ["example"], "provider": {"name": "Example"}, "apiServiceDefinitions": {}, "crdDescriptions": {}}},
                ],
            })
        }));
    }
    documents
}

/// `n` copies in one file each, with names of their own.
fn write_copies(documents: &[Value], n: usize, directory: &Path) -> u64 {
    let mut size = 0;
    for copy in 0..n {
        let suffix = format!("-x{copy}");
        let renamed = |text: &Value| json!(format!("{}{suffix}", text.as_str().unwrap_or_default()));
        let mut text = String::new();
        for document in documents {
            let mut document = document.clone();
            let field = if document["schema"] == "olm.package" { "name" } else { "package" };
            document[field] = renamed(&document[field]);
            for property in document["properties"].as_array_mut().into_iter().flatten() {
                if property["type"] == "olm.package" {
                    property["value"]["packageName"] = renamed(&property["value"]["packageName"]);
                }
            }
            text.push_str(&serde_json::to_string_pretty(&document).expect("a value is JSON"));
            text.push('\n');
        }
        size += text.len() as u64;
        fs::write(directory.join(format!("catalog{copy}.json")), text).expect("room for the copies");
    }
    size
}

fn spec() -> CatalogSpec {
    CatalogSpec { name: "bench".to_owned(), ..CatalogSpec::default() }
}

fn growth(criterion: &mut Criterion) {
    let documents = documents();
    let mut group = criterion.benchmark_group("growth");
    group.sample_size(10);
    for n in [1, 4, 16] {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let catalog = scratch.path().join("catalog");
        fs::create_dir(&catalog).expect("a scratch directory");
        group.throughput(Throughput::Bytes(write_copies(&documents, n, &catalog)));
        let input = Input::directory(&catalog).expect("the copies");
        group.bench_with_input(BenchmarkId::new("validate", n), &input, |bench, input| {
            bench.iter(|| black_box(check_catalog(input, None).findings.len()));
        });
        group.bench_with_input(BenchmarkId::new("render json", n), &input, |bench, input| {
            bench.iter(|| {
                let expansion = Expansion::default();
                let mut sorted = Sorted::new(as_json(&expansion));
                assert!(sorted.read(input).is_empty());
                let mut n_bytes = 0;
                let written = sorted.write(|_, text| {
                    n_bytes += text.len();
                    Ok::<(), RereadError>(())
                });
                assert!(written.is_ok());
                black_box(n_bytes)
            });
        });
        let target = scratch.path().join("index.db");
        group.bench_with_input(BenchmarkId::new("build", n), &input, |bench, input| {
            bench.iter_batched(
                || fs::remove_file(&target).unwrap_or_default(),
                |()| {
                    let mut builder = Builder::open(&target).expect("a new target");
                    builder.add_catalog(&spec(), input, Mode::Strict).expect("a catalog");
                    builder.finish().expect("an index")
                },
                BatchSize::PerIteration,
            );
        });
        group.bench_with_input(BenchmarkId::new("build again", n), &input, |bench, input| {
            bench.iter(|| {
                let mut builder = Builder::open(&target).expect("the index");
                builder.add_catalog(&spec(), input, Mode::Strict).expect("a catalog");
                builder.finish().expect("nothing to do")
            });
        });
    }
    group.finish();
}

fn questions(criterion: &mut Criterion) {
    let documents = documents();
    let package = documents.iter().find(|it| it["schema"] == "olm.package").expect("a package");
    let package = format!("{}-x0", package["name"].as_str().unwrap_or_default());
    let mut group = criterion.benchmark_group("question");
    for n in [1, 16] {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let catalog = scratch.path().join("catalog");
        fs::create_dir(&catalog).expect("a scratch directory");
        write_copies(&documents, n, &catalog);
        let input = Input::directory(&catalog).expect("the copies");
        let target = scratch.path().join("index.db");
        let mut builder = Builder::open(&target).expect("a new target");
        builder.add_catalog(&spec(), &input, Mode::Strict).expect("a catalog");
        builder.finish().expect("an index");
        let filter = Filter { package: Some(package.clone()), ..Filter::default() };
        group.bench_function(BenchmarkId::new("open and list the bundles of a package", n), |bench| {
            bench.iter(|| Index::open(&target).and_then(|index| index.bundles(&filter)).expect("an answer").len());
        });
        let index = Index::open(&target).expect("the index");
        group.bench_function(BenchmarkId::new("show a package", n), |bench| {
            bench.iter(|| index.show_package(&[], &package).expect("an answer").len());
        });
        let bundles = index.bundles(&filter).expect("bundles");
        let name = bundles.last().map(|it| it.bundle.clone());
        let selector = BundleSelector { package: Some(package.clone()), name, ..BundleSelector::default() };
        group.bench_function(BenchmarkId::new("show a bundle", n), |bench| {
            bench.iter(|| index.show_bundle(&selector).expect("an answer").len());
        });
        let query = SearchQuery { words: package.clone(), ..SearchQuery::default() };
        group.bench_function(BenchmarkId::new("search a name", n), |bench| {
            bench.iter(|| index.search(&query).expect("an answer").len());
        });
    }
    group.finish();
}

fn ranges(criterion: &mut Criterion) {
    let versions: Vec<Version> = (0..100).filter_map(|it| Version::parse(&format!("1.{it}.0")).ok()).collect();
    criterion.bench_function("range: parse and match 100 versions", |bench| {
        bench.iter(|| {
            let range = Range::parse(black_box(">=1.10.0 <1.50.0 || 1.70.x"));
            range.map(|range| versions.iter().filter(|it| range.contains(it).unwrap_or(false)).count()).ok()
        });
    });
}

/// Ten packages of twenty bundles for each copy, every bundle with a ClusterServiceVersion of 20 kB.
fn with_manifests(n: usize) -> String {
    let mut text = String::new();
    for package in (0..10 * n).map(|it| format!("package-{it}")) {
        let name = |minor: usize| format!("{package}.v1.{minor}.0");
        let entries: Vec<Value> = (0..20)
            .map(|minor| match minor {
                0 => json!({"name": name(0)}),
                _ => json!({"name": name(minor), "replaces": name(minor - 1)}),
            })
            .collect();
        let mut blobs = vec![
            json!({"schema": "olm.package", "name": package, "defaultChannel": "stable"}),
            json!({"schema": "olm.channel", "package": package, "name": "stable", "entries": entries}),
        ];
        blobs.extend((0..20).map(|minor| {
            let csv = json!({
                "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
                "metadata": {"name": name(minor)},
                "spec": {"version": format!("1.{minor}.0"), "description": "What it does. ".repeat(1400)},
            });
            let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, csv.to_string());
            json!({
                "schema": "olm.bundle", "package": package, "name": name(minor), "image": format!("example.com/{package}:{minor}"),
                "properties": [
                    {"type": "olm.package", "value": {"packageName": package, "version": format!("1.{minor}.0")}},
                    {"type": "olm.bundle.object", "value": {"data": data}},
                ],
            })
        }));
        for blob in blobs {
            text.push_str(&serde_json::to_string_pretty(&blob).expect("a value is JSON"));
            text.push('\n');
        }
    }
    text
}

/// Legacy files at 1×, 4× and 16×: converting them, writing them, removing a package from them.
fn legacy(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("legacy");
    group.sample_size(10);
    for n in [1, 4, 16] {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let text = with_manifests(n);
        group.throughput(Throughput::Bytes(text.len() as u64));
        let input = Input::bytes("catalog", text.into_bytes().into());
        let file = scratch.path().join("legacy.db");
        group.bench_with_input(BenchmarkId::new("export", n), &input, |bench, input| {
            bench.iter(|| {
                let mut export = Export::begin(&file).expect("a target");
                export.write(input).expect("a legacy file");
                export.finish().expect("a legacy file");
            });
        });
        group.bench_with_input(BenchmarkId::new("render", n), &file, |bench, file| {
            bench.iter(|| {
                let catalog = LegacyCatalog::open(file, scratch.path(), Fidelity::Kept).expect("a legacy file");
                let mut size = 0;
                let sink = |_: &str, text: &[u8]| {
                    size += text.len();
                    Ok::<(), LegacyError>(())
                };
                catalog.write(Format::Json, Level::None, |_| true, sink).expect("a readable file");
                black_box(size)
            });
        });
        let out = Destination::File(scratch.path().join("smaller.db"));
        group.bench_with_input(BenchmarkId::new("rm", n), &file, |bench, file| {
            bench.iter(|| {
                let mut edit = Edit::begin(file, scratch.path(), &out).expect("a legacy file");
                edit.remove_packages(&["package-1".to_owned()], false).expect("the package");
                edit.finish().expect("a new file")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, growth, questions, ranges, legacy);
criterion_main!(benches);
