//! The time until each kind of page is complete: the median of 20, after the preparations of a server at its start.
//! Pages that a server keeps for the next visitor are made anew. An argument chooses the pages whose addresses have it.
//!
//! The index is that of the catalogs in `../shared/catalogs` (or `$OLMDEX_BENCH_INDEX`). A comparison is measured
//! twice: one that a server has prepared, and one of its first visitor.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use olmdex::fbc::Input;
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::page::{Ask, IndexCache, Links, Site, answer};

/// Kinds of pages, with the largest package for each slow one.
const PAGES: &[&str] = &[
    "/",
    "/packages",
    "/packages?q=kafka",
    "/packages?q=kafak",
    "/packages?q=git%20ops",
    "/packages?q=zzzzzz",
    "/packages?arch=arm64&feature=disconnected",
    "/apis",
    "/apis?q=kafka",
    "/api/kafka.strimzi.io/Kafka",
    "/images",
    "/images?q=quay.io",
    "/images?q=strimzi",
    "/lint",
    "/lint?catalog=community-v4.20",
    "/lint?catalog=full",
    "/lint?catalog=full&package=keda",
    "/mirror",
    "/mirror?p=keda",
    "/mirror?catalog=full&p=strimzi-kafka-operator",
    "/p/keda",
    "/p/strimzi-kafka-operator",
    "/p/strimzi-kafka-operator/versions",
    "/p/strimzi-kafka-operator/install",
    "/p/strimzi-kafka-operator/v/0.50.1",
    "/p/strimzi-kafka-operator/c/stable",
    "/p/strimzi-kafka-operator/path",
    "/p/strimzi-kafka-operator/path?from=0.40.0&to=1.2.0",
    "/p/strimzi-kafka-operator/compat",
    "/p/strimzi-kafka-operator/permissions",
    "/p/strimzi-kafka-operator/history",
    "/p/hive-operator",
    "/p/hive-operator/versions",
    "/p/hive-operator/c/alpha",
    "/p/hive-operator/path?from=1.0.6",
    "/p/project-quay/compat",
    "/p/strimzi-kafka-operator/v/0.51",
    "/p/kafka",
    "/diff",
    "/diff?a=community-v4.19&b=community-v4.20",
    "/api",
    "/nothing",
];

const N_RUNS: usize = 20;

fn index() -> Index {
    if let Some(path) = std::env::var_os("OLMDEX_BENCH_INDEX") {
        return Index::open(Path::new(&path)).expect("the index can be opened");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/catalogs");
    let mut builder = Builder::in_memory();
    let mut names: Vec<PathBuf> = std::fs::read_dir(&root)
        .expect("OLMDEX_BENCH_INDEX names an index")
        .filter_map(|it| Some(it.ok()?.path()).filter(|it| it.is_dir()))
        .collect();
    names.sort();
    for path in names {
        let name = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        let input = Input::directory(&path).expect("the catalog can be read");
        let spec = CatalogSpec { name, ..CatalogSpec::default() };
        builder.add_catalog(&spec, &input, Mode::Strict).expect("the catalog can be built");
    }
    builder.into_index().expect("the index can be built")
}

/// Milliseconds and bytes of a page.
fn measured(site: Site<'_>, target: &str) -> (f64, usize) {
    site.cache.forget_pages();
    let begin = Instant::now();
    let mut reply = answer(site, &Ask { method: "GET", target, if_none_match: None });
    let moved = reply.headers.iter().find(|it| reply.status == 308 && it.0 == "Location").map(|it| it.1.clone());
    if let Some(target) = moved {
        reply = answer(site, &Ask { method: "GET", target: &target, if_none_match: None });
    }
    (begin.elapsed().as_secs_f64() * 1e3, reply.body.len())
}

fn main() {
    let index = index();
    let links = Links::Served;
    let cache = IndexCache::new(&index, Vec::new()).expect("the index can be read");
    let begin = Instant::now();
    cache.prepare(&index).expect("the index can be read");
    println!("prepared in {:.0} ms", begin.elapsed().as_secs_f64() * 1e3);
    let site = Site { index: &index, cache: &cache, links: &links, base: "" };
    println!("{:>8} {:>8}  page", "ms", "bytes");
    let wanted = std::env::args().skip(1).find(|it| !it.starts_with('-')).unwrap_or_default();
    for target in PAGES.iter().filter(|it| it.contains(&wanted)) {
        let mut runs: Vec<(f64, usize)> = (0..N_RUNS).map(|_| measured(site, target)).collect();
        runs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (took, n_bytes) = runs[N_RUNS / 2];
        println!("{took:>8.1} {n_bytes:>8}  {target}");
    }
    let names: Vec<&str> = cache.catalogs.iter().map(|it| it.catalog.as_str()).collect();
    if let (Some(first), Some(last), true) = (names.first(), names.last(), "/diff".contains(&wanted)) {
        let cold = IndexCache::new(&index, Vec::new()).expect("the index can be read");
        let target = format!("/diff?a={first}&b={last}");
        let (took, n_bytes) = measured(Site { index: &index, cache: &cold, links: &links, base: "" }, &target);
        println!("{took:>8.1} {n_bytes:>8}  {target} (of its first visitor)");
    }
}
