//! Channels full of ranges: every entry skips every name with a version, which would be a hundred million edges as
//! pairs.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use olmdex::draw::{Catalog, Detail, svg};
use olmdex::fbc::Input;
use olmdex::index::query::{Filter, Reach};
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::upgrade::{Effort, EngineQuestion, InstalledBundle, PackageView, Wish, classic_shortest, v1_shortest};

/// One package with a chain of so many entries.
fn catalog(n: usize) -> Input {
    let mut text = "{\"schema\": \"olm.package\", \"name\": \"p\", \"defaultChannel\": \"c\"}\n".to_owned();
    let entry = |it: usize| match it.checked_sub(1) {
        None => "{\"name\": \"p.v1.0.0\", \"skipRange\": \">=0.0.0\"}".to_owned(),
        Some(below) => {
            format!("{{\"name\": \"p.v1.{it}.0\", \"replaces\": \"p.v1.{below}.0\", \"skipRange\": \">=0.0.0\"}}")
        }
    };
    let entries: Vec<String> = (0..n).map(entry).collect();
    let entries = entries.join(", ");
    let _ = writeln!(
        text,
        "{{\"schema\": \"olm.channel\", \"package\": \"p\", \"name\": \"c\", \"entries\": [{entries}]}}"
    );
    for it in 0..n {
        let _ = writeln!(
            text,
            "{{\"schema\": \"olm.bundle\", \"package\": \"p\", \"name\": \"p.v1.{it}.0\", \"image\": \"example.com/p:{it}\", \
             \"properties\": [{{\"type\": \"olm.package\", \"value\": {{\"packageName\": \"p\", \"version\": \"1.{it}.0\"}}}}]}}"
        );
    }
    Input::bytes("catalog", text.into_bytes().into())
}

/// The shortest way to an entry below the head, and pictures.
fn full_of_ranges(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("channels full of ranges");
    group.sample_size(10);
    for n in [1_000, 10_000] {
        let input = catalog(n);
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let target = scratch.path().join("index.db");
        let mut builder = Builder::open(&target).expect("a new target");
        let spec = CatalogSpec { name: "bench".to_owned(), ..CatalogSpec::default() };
        builder.add_catalog(&spec, &input, Mode::Strict).expect("a catalog");
        builder.finish().expect("an index");
        let index = Index::open(&target).expect("the index");
        let filter = Filter::default();
        let graphs = index.package_graphs(&filter, "p").expect("the package");
        let view = PackageView::new("p", graphs, &index.catalog_ranks(&filter).expect("the catalog"));
        let from = InstalledBundle::held("p.v1.0.0".to_owned(), "1.0.0".to_owned());
        let asked = EngineQuestion {
            installed: Some(from.clone()),
            channels: vec!["c".to_owned()],
            ..EngineQuestion::default()
        };
        let goal = format!("p.v1.{}.0", n - 2);
        let effort = Effort::default();
        let wish = Wish {
            is_goal: &|it| it.bundle == goal,
            is_allowed: &|_| true,
            at_most: 1,
            within: &Reach::Unknown,
            effort: &effort,
        };
        group.bench_function(BenchmarkId::new("path --shortest, OLM Classic", n), |bench| {
            bench.iter(|| black_box(classic_shortest(&view, &view.graphs[0], &asked, &from, &wish).len()));
        });
        group.bench_function(BenchmarkId::new("path --shortest, OLM v1", n), |bench| {
            bench.iter(|| black_box(v1_shortest(&view, &asked, &from, &wish).len()));
        });
        let drawn = Catalog::read(&input, |_, _| {}).expect("a catalog that can be drawn");
        group.bench_function(BenchmarkId::new("svg", n), |bench| {
            bench.iter(|| svg(&drawn, &[], Detail::Collapsed, usize::MAX).map(|it| black_box(it.len())));
        });
    }
    group.finish();
}

criterion_group!(benches, full_of_ranges);
criterion_main!(benches);
