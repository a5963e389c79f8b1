//! `registry-queries/`: the answers of a catalog's server about names without bundles. And the worlds of `classic/` in
//! which only the upgrade graph decides: one Subscription, no dependencies. Their first candidate must be the one that
//! OLM takes.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use olmdex::api::Api;
use olmdex::fbc::Input;
use olmdex::index::query::{Filter, PackageGraph};
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::serve::registry::message::{Bundle, ChannelEntry};
use olmdex::serve::registry::{Refusal, Registry};
use olmdex::upgrade::classic::{Installed, Package};
use olmdex::version::Version;
use serde_json::{Value, json};

use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const REGISTRY: Folder = Folder { name: "registry-queries", run: run_registry };
pub(crate) const STEPS: Folder = Folder { name: "classic/one-subscription", run: run_steps };

/// A catalog that a case holds inline.
fn index(fbc: &Value) -> Index {
    let text = fbc.as_array().expect("a list").iter().map(|it| format!("{it}\n")).collect::<String>();
    let mut builder = Builder::in_memory();
    let spec = CatalogSpec { name: "c".to_owned(), ..CatalogSpec::default() };
    let input = Input::bytes("catalog.json", Arc::from(text.into_bytes()));
    builder.add_catalog(&spec, &input, Mode::Tolerant).expect("an index in memory");
    builder.into_index().expect("an index in memory")
}

fn packages(index: &Index) -> Vec<PackageGraph> {
    let names = index.names(None).expect("a sound index").packages;
    names.iter().flat_map(|it| index.package_graphs(&Filter::default(), it).expect("a sound index")).collect()
}

fn run_registry(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, path) in entries(&root.join("registry-queries"), "", ".json") {
        if name.ends_with(".out.json") {
            continue;
        }
        let read = |path: &Path| -> Option<Value> { serde_json::from_slice(&fs::read(path).ok()?).ok() };
        let (Some(case), Some(answers)) = (read(&path), read(&path.with_extension("out.json"))) else {
            cases.push(Case::run(format!("registry-queries/{name}"), || Outcome::NotRunnable("no answers".to_owned())));
            continue;
        };
        let index = index(&case["catalog"]["fbc"]);
        for (at, answer) in answers.as_array().into_iter().flatten().enumerate() {
            cases.push(Case::run(format!("registry-queries/{name}:{at}"), || registry(&index, answer)));
        }
    }
    cases
}

fn registry(index: &Index, row: &Value) -> Outcome {
    let (query, expected) = (&row["query"], &row["answer"]);
    let text = |key: &str| query[key].as_str().unwrap_or_default();
    let asked = Registry { index, catalog: "c" };
    let api =
        Api { group: text("group").to_owned(), version: text("version").to_owned(), kind: text("kind").to_owned() };
    let (package, channel, csv) = (text("package"), text("channel"), text("csv"));
    let actual = match text("op") {
        "GetChannelEntriesThatProvide" => several(asked.entries_that_provide(&api)),
        "GetLatestChannelEntriesThatProvide" => several(asked.latest_entries_that_provide(&api)),
        "GetDefaultBundleThatProvides" => one(asked.default_bundle_that_provides(&api)),
        "GetBundle" => one(asked.bundle(package, channel, csv)),
        "GetBundleForChannel" => one(asked.bundle_for_channel(package, channel)),
        "GetBundleThatReplaces" => {
            // The real server picks one of several at random: the record has each answer that was seen.
            let ours = one(asked.bundle_that_replaces(csv, package, channel));
            let mut seen = expected.as_object().into_iter().flatten();
            let is_seen = seen.any(|(text, _)| serde_json::from_str::<Value>(text).expect("JSON") == ours);
            return if is_seen { Outcome::Passed } else { Outcome::of_equal(&ours, expected) };
        }
        "GetChannelEntriesThatReplace" => several(asked.entries_that_replace(csv)),
        "ListBundles" => {
            let mut all = Vec::new();
            let listed = asked.list_bundles(|it| {
                all.push(shown(&it));
                true
            });
            listed.map_or_else(|refusal| json!(refusal.to_string()), |()| Value::Array(all))
        }
        other => return Outcome::NotRunnable(format!("an unknown question: {other}")),
    };
    Outcome::of_equal(&actual, expected)
}

fn one(answer: Result<Bundle, Refusal>) -> Value {
    answer.map_or_else(|refusal| json!({"error": refusal.to_string()}), |it| shown(&it))
}

fn several(answer: Result<Vec<ChannelEntry>, Refusal>) -> Value {
    let line = |it: &ChannelEntry| {
        format!("{}/{}/{} replaces {}", it.package_name, it.channel_name, it.bundle_name, it.replaces)
    };
    answer.map_or_else(|refusal| json!(refusal.to_string()), |found| found.iter().map(line).collect())
}

fn shown(it: &Bundle) -> Value {
    let skips = if it.skips.is_empty() { Value::Null } else { json!(it.skips) };
    json!({"bundlePath": it.bundle_path, "channel": it.channel_name, "csvName": it.csv_name, "replaces": it.replaces,
           "skipRange": it.skip_range, "skips": skips, "version": it.version})
}

fn run_steps(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for folder in ["classic", "classic-fuzz"] {
        for (name, path) in entries(&root.join(folder).join("in"), "", ".json") {
            let Some(world) = fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok()) else {
                continue;
            };
            let expected = root.join(folder).join("out").join(&name);
            let expected = fs::read(expected).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
            if let (true, Some(expected)) = (is_graph_only(&world), expected) {
                cases.push(Case::run(format!("{folder}/{name}#step"), || step(&world, &expected)));
            }
        }
    }
    cases
}

/// Whether nothing but the upgrade graph can decide.
fn is_graph_only(world: &Value) -> bool {
    let catalogs = world["catalogs"].to_string();
    let decides_more = ["required", "olm.constraint", "olm.deprecated", "\"bundles\"", "fbcDir", "dependencies"];
    let installed = world["installedCSVs"].as_array().map_or(0, Vec::len);
    world["subscriptions"].as_array().is_some_and(|it| it.len() == 1)
        && world["catalogs"].as_array().is_some_and(|it| it.len() == 1)
        && installed <= 1
        && world.get("operatorGroup").is_none()
        && !decides_more.iter().any(|it| catalogs.contains(it))
}

fn step(world: &Value, expected: &Value) -> Outcome {
    let (subscription, catalog) = (&world["subscriptions"][0], &world["catalogs"][0]);
    if subscription["source"] != catalog["name"] {
        return Outcome::NotRunnable("the source is absent".to_owned());
    }
    let graphs = packages(&index(&catalog["fbc"]));
    let Some(graph) = graphs.iter().find(|it| it.package == subscription["package"].as_str().unwrap_or_default())
    else {
        return Outcome::NotRunnable("the package is absent".to_owned());
    };
    let package = Package::new(graph);
    let channel = subscription["channel"].as_str().filter(|it| !it.is_empty());
    let installed = world["installedCSVs"]
        .as_array()
        .and_then(|all| all.iter().find(|it| it["name"] == subscription["installedCSV"] && it["copied"] != true));
    let candidates = match installed {
        Some(csv) => {
            let version = Version::parse(csv["version"].as_str().unwrap_or("0.0.0")).ok();
            let installed = Installed { name: csv["name"].as_str().unwrap_or_default().to_owned(), version };
            package.candidates(channel, &installed)
        }
        None => package.installable(channel, subscription["startingCSV"].as_str()),
    };
    let outcomes = expected["outcomes"].as_array().map_or(&[][..], Vec::as_slice);
    if outcomes.iter().any(|it| it.get("errorKind").is_some() || it.get("error").is_some()) {
        let is_nothing = candidates.as_ref().is_ok_and(Vec::is_empty) || candidates.is_err();
        return if is_nothing {
            Outcome::Passed
        } else {
            Outcome::NotRunnable("more than the graph decides".to_owned())
        };
    }
    let seen: Vec<&str> = outcomes.iter().map(|it| it["operators"][0]["name"].as_str().unwrap_or_default()).collect();
    match candidates {
        Ok(candidates) => {
            let ours = candidates.first().map_or("", |it| it.bundle.as_str());
            if seen.contains(&ours) { Outcome::Passed } else { Outcome::of_equal(&vec![ours], &seen) }
        }
        Err(error) => Outcome::Failed(format!("expected {seen:?}\n     got {error}")),
    }
}
