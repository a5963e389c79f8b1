//! `v1/`: questions of ClusterExtensions, over small catalogs and over a real one; versions with releases; the highest
//! OpenShift version of a bundle.
//!
//! Bundle, version, release and catalog must be equal, or the kind of error; the words of an error must be equal too,
//! except for those about a catalog that cannot be loaded, and those about a label selector, which are Kubernetes'.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use olmdex::cluster::LabelSelector;
use olmdex::constraint::openshift::{self, Minor};
use olmdex::fbc::Input;
use olmdex::index::query::{Filter, PackageGraph};
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::upgrade::NamedVersion;
use olmdex::upgrade::v1::{Catalog, CatalogState, Policy, Question, ReleaseReading, bundle_version, resolve};
use olmdex::version::Version;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::inputs::shared;
use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const FOLDER: Folder = Folder { name: "v1", run };
pub(crate) const BULK: Folder = Folder { name: "v1/real", run: run_bulk };
pub(crate) const VALUES: Folder = Folder { name: "v1/values", run: run_values };

#[derive(Deserialize, Clone)]
#[serde(rename_all = "camelCase")]
struct Scenario {
    catalogs: Vec<CatalogCase>,
    #[serde(default)]
    feature_gates: BTreeMap<String, bool>,
    #[serde(default)]
    queries: Vec<Asked>,
    #[serde(flatten)]
    asked: Asked,
}

#[derive(Deserialize, Clone, Default)]
#[serde(rename_all = "camelCase", default)]
struct CatalogCase {
    name: String,
    fbc_dir: String,
    priority: i64,
    labels: BTreeMap<String, String>,
    not_serving: bool,
    availability_mode: String,
    unavailable: bool,
}

#[derive(Deserialize, Clone, Default)]
#[serde(rename_all = "camelCase", default)]
struct Asked {
    package_name: String,
    version: Option<String>,
    channels: Option<Vec<String>>,
    selector: Option<LabelSelector>,
    policy: Option<String>,
    installed: Option<InstalledCase>,
}

#[derive(Deserialize, Clone)]
struct InstalledCase {
    name: String,
    version: String,
    #[serde(default)]
    release: Option<String>,
}

/// A catalog that was read, and the reason why a package of it cannot be loaded.
struct Loaded {
    index: Index,
    broken: BTreeMap<String, String>,
}

impl Loaded {
    fn read(directory: &Path) -> Result<Self, String> {
        let input = Input::directory(directory).map_err(|error| error.to_string())?;
        let mut builder = Builder::in_memory();
        let spec = CatalogSpec { name: "c".to_owned(), ..CatalogSpec::default() };
        let import = builder.add_catalog(&spec, &input, Mode::Tolerant).map_err(|error| error.to_string())?;
        let mut broken = BTreeMap::new();
        for finding in import.report.findings.iter().filter(|it| it.rule.id.starts_with("E00")) {
            for package in &import.report.broken_packages {
                broken.insert(package.clone(), finding.message.clone());
            }
        }
        Ok(Self { index: builder.into_index().map_err(|error| error.to_string())?, broken })
    }

    /// A package in the catalog; `.` is the whole catalog.
    fn graph(&self, package: &str) -> Option<PackageGraph> {
        let filter = Filter::default();
        let graphs = |package: &str| self.index.package_graphs(&filter, package).expect("a sound index");
        if package != "." {
            return graphs(package).pop();
        }
        let mut all = PackageGraph::default();
        for name in self.index.names(None).expect("a sound index").packages {
            for graph in graphs(&name) {
                all.channels.extend(graph.channels);
                all.bundles.extend(graph.bundles);
                all.deprecations.extend(graph.deprecations);
            }
        }
        Some(all)
    }
}

/// `catalogs/…` is beside the recorded cases, everything else relative to the case.
fn directory(root: &Path, case: &Path, named: &str) -> PathBuf {
    if named.starts_with("catalogs/") {
        return shared(root, &format!("../{named}"));
    }
    let own = case.join(named);
    let below = case.strip_prefix(root).unwrap_or(case);
    if own.exists() { own } else { shared(root, &below.join(named).to_string_lossy()) }
}

fn question(base: &Asked, asked: &Asked) -> Question {
    let or = |it: &Option<String>, other: &Option<String>| it.clone().or_else(|| other.clone()).unwrap_or_default();
    let installed = asked.installed.clone().or_else(|| base.installed.clone());
    Question {
        package: if asked.package_name.is_empty() { &base.package_name } else { &asked.package_name }.clone(),
        version: or(&asked.version, &base.version),
        channels: asked.channels.clone().or_else(|| base.channels.clone()).unwrap_or_default(),
        selector: asked.selector.clone().or_else(|| base.selector.clone()),
        policy: match or(&asked.policy, &base.policy).as_str() {
            "SelfCertified" => Policy::SelfCertified,
            _ => Policy::CatalogProvided,
        },
        installed: installed.map(|it| NamedVersion { name: it.name, version: it.version, release: it.release }),
    }
}

fn catalogs(
    root: &Path,
    case: &Path,
    scenario: &Scenario,
    package: &str,
    loaded: &mut HashMap<PathBuf, Loaded>,
) -> Result<Vec<Catalog>, Outcome> {
    let release = match scenario.feature_gates.get("BundleReleaseSupport") {
        Some(true) => ReleaseReading::Explicit,
        _ => ReleaseReading::InBuildMetadata,
    };
    let mut catalogs = Vec::new();
    for it in &scenario.catalogs {
        let directory = directory(root, case, &it.fbc_dir);
        if !directory.is_dir() {
            return Err(Outcome::NotRunnable(format!("the catalog {} is absent", it.fbc_dir)));
        }
        if !loaded.contains_key(&directory) {
            let catalog = Loaded::read(&directory).map_err(Outcome::Failed)?;
            loaded.insert(directory.clone(), catalog);
        }
        let catalog = &loaded[&directory];
        let graph = catalog.graph(package);
        let mut view = Catalog::with_releases(&it.name, it.priority, &it.labels, graph.as_ref(), release);
        if it.unavailable || it.availability_mode == "Unavailable" {
            view.state = CatalogState::Unavailable;
        } else if it.not_serving {
            view.state = CatalogState::NotServing;
        } else if let Some(reason) = catalog.broken.get(package) {
            view.state = CatalogState::Broken(reason.clone());
        }
        catalogs.push(view);
    }
    Ok(catalogs)
}

fn run(root: &Path) -> Vec<Case> {
    let folder = root.join("v1");
    let mut loaded = HashMap::new();
    entries(&folder.join("in"), "", ".json")
        .into_iter()
        .map(|(name, path)| {
            let loaded = &mut loaded;
            Case::run(format!("v1/{name}"), || scenario(root, &path, &folder.join("out").join(&name), loaded))
        })
        .collect()
}

fn scenario(root: &Path, path: &Path, expected: &Path, loaded: &mut HashMap<PathBuf, Loaded>) -> Outcome {
    let read = |path: &Path| fs::read(path).map_err(|error| Outcome::NotRunnable(error.to_string()));
    let mut run = || {
        let scenario: Scenario =
            serde_json::from_slice(&read(path)?).map_err(|error| Outcome::NotRunnable(error.to_string()))?;
        let expected: Value =
            serde_json::from_slice(&read(expected)?).map_err(|error| Outcome::NotRunnable(error.to_string()))?;
        let question = question(&Asked::default(), &scenario.asked);
        let case = path.parent().unwrap_or(root);
        let catalogs = catalogs(root, case, &scenario, &question.package, loaded)?;
        let answer = resolve(&question, &catalogs).outcome;
        if let Some(error) = expected.get("error").and_then(Value::as_str) {
            return Ok(same_error(&answer.map(|it| it.bundle).map_err(|it| it.to_string()), error));
        }
        let Ok(found) = answer else {
            return Ok(Outcome::Failed(format!("expected {expected}\n     got {answer:?}")));
        };
        let deprecations = found.deprecations.map(|all| {
            let entry = |it: &olmdex::index::query::GraphDeprecation| {
                let mut reference = json!({"schema": it.schema});
                if !it.name.is_empty() {
                    reference["name"] = json!(it.name);
                }
                json!({"reference": reference, "message": it.message})
            };
            let entries: Vec<Value> = all.iter().map(entry).collect();
            json!({"schema": "olm.deprecations", "package": question.package, "entries": entries})
        });
        let mut recorded = json!({"name": found.bundle, "version": found.recorded_version});
        if let Some(release) = &found.recorded_release {
            recorded["release"] = json!(release);
        }
        let actual = json!({
            "name": found.bundle, "version": found.version.version.to_string(), "release": found.release,
            "catalog": found.catalog, "image": found.image, "installMetadata": recorded, "deprecation": deprecations,
        });
        let keys = ["name", "version", "release", "catalog", "image", "installMetadata", "deprecation"];
        let expected: Value =
            keys.iter().map(|key| ((*key).to_owned(), expected.get(key).cloned().unwrap_or_default())).collect();
        Ok(Outcome::of_equal(&actual, &expected))
    };
    run().unwrap_or_else(|outcome| outcome)
}

/// Whether errors are equal, or both of a kind whose words are not ours.
fn same_error(actual: &Result<String, String>, expected: &str) -> Outcome {
    let foreign = ["error walking catalogs: error getting package", "desired catalog selector is invalid"];
    match actual {
        Err(error) if foreign.iter().any(|it| error.starts_with(it) && expected.starts_with(it)) => Outcome::Passed,
        actual => Outcome::of_equal(actual, &Err(expected.to_owned())),
    }
}

fn run_bulk(root: &Path) -> Vec<Case> {
    let folder = root.join("v1");
    let mut cases = Vec::new();
    for (name, path) in entries(&folder, "", "-queries.json") {
        let id = format!("v1/{}", name.trim_end_matches("-queries.json"));
        let results = folder.join(name.replace("-queries.json", "-results.jsonl"));
        let read = || -> Result<(Scenario, Vec<Value>), String> {
            let text = fs::read(&path).map_err(|error| error.to_string())?;
            let scenario = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
            let text = fs::read_to_string(&results).map_err(|error| error.to_string())?;
            let results: Result<_, _> = text.lines().map(serde_json::from_str).collect();
            Ok((scenario, results.map_err(|error| error.to_string())?))
        };
        match read() {
            Err(error) => cases.push(Case::run(id, || Outcome::NotRunnable(error))),
            Ok((scenario, results)) => cases.extend(bulk(root, &folder, &id, &scenario, &results)),
        }
    }
    cases
}

fn bulk(root: &Path, folder: &Path, id: &str, scenario: &Scenario, results: &[Value]) -> Vec<Case> {
    let mut loaded = HashMap::new();
    let mut packages: HashMap<String, Result<Vec<Catalog>, String>> = HashMap::new();
    let mut cases = Vec::new();
    for (number, (asked, expected)) in scenario.queries.iter().zip(results).enumerate() {
        let question = question(&scenario.asked, asked);
        let catalogs = packages.entry(question.package.clone()).or_insert_with(|| {
            catalogs(root, folder, scenario, &question.package, &mut loaded).map_err(|outcome| format!("{outcome:?}"))
        });
        cases.push(Case::run(format!("{id}:{number}"), || {
            let catalogs = match catalogs {
                Ok(catalogs) => catalogs,
                Err(why) => return Outcome::NotRunnable(why.clone()),
            };
            let answer = resolve(&question, catalogs).outcome;
            if let Some(error) = expected.get("error").and_then(Value::as_str) {
                return same_error(&answer.map(|it| it.bundle).map_err(|it| it.to_string()), error);
            }
            let actual = answer.map_err(|it| it.to_string()).map(|it| {
                let version = it.version.version.to_string();
                json!({"catalog": it.catalog, "name": it.bundle, "release": it.release, "version": version})
            });
            Outcome::of_equal(&actual, &Ok(expected["result"].clone()))
        }));
    }
    if scenario.queries.len() != results.len() {
        cases.push(Case::run(id, || Outcome::NotRunnable("as many questions as answers".to_owned())));
    }
    cases
}

fn run_values(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut each = |file: &str, check: fn(&Value) -> Outcome| {
        let Ok(text) = fs::read(root.join("v1").join(file)) else { return };
        let rows: Vec<Value> = serde_json::from_slice(&text).expect("a list");
        for (at, row) in rows.iter().enumerate() {
            cases.push(Case::run(format!("v1/{file}:{at}"), || check(row)));
        }
    };
    each("version-release.json", version_and_release);
    each("maxocp-v1.json", highest_version_in_v1);
    each("maxocp-classic.json", highest_version_in_classic);
    cases
}

fn version_and_release(row: &Value) -> Outcome {
    let value = row["value"].as_str().expect("a value");
    let actual = match bundle_version(value, row["bundleReleaseSupport"] == true) {
        Err(error) => json!({"error": error}),
        Ok(it) => {
            let stated = it.value.release.as_ref().map(ToString::to_string);
            let release = stated.or_else(|| it.is_release_explicit.then(String::new));
            // The text that the cluster records: with explicit releases, version and release by themselves.
            let legacy = match &release {
                Some(release) if row["bundleReleaseSupport"] == true => {
                    format!("{} release={release}", it.value.version)
                }
                _ => it.value.to_build_metadata().to_string(),
            };
            let legacy = row.get("legacyVersion").map(|_| legacy);
            json!({"version": it.value.version.to_string(), "release": release, "legacyVersion": legacy})
        }
    };
    let expected = match row.get("error") {
        Some(error) => json!({"error": error}),
        None => {
            json!({"version": row["version"], "release": row["release"], "legacyVersion": row.get("legacyVersion")})
        }
    };
    Outcome::of_equal(&actual, &expected)
}

fn highest_version_in_v1(row: &Value) -> Outcome {
    let read = openshift::read_v1(row["value"].as_str().expect("a value"));
    if let Some(error) = row.get("error").and_then(Value::as_str) {
        return match read {
            // The words about broken JSON are the library's.
            Err(ours) if ours == error || error.contains("JSON") || error.contains("top-level") => Outcome::Passed,
            other => Outcome::Failed(format!("expected {error:?}\n     got {other:?}")),
        };
    }
    let Ok(max) = read else { return Outcome::Failed(format!("expected {}\n     got {read:?}", row["max"])) };
    let expected: BTreeMap<String, bool> = serde_json::from_value(row["upgradable"].clone()).expect("answers");
    let cluster = |text: &str| Minor::of(&Version::parse(text).expect("a version"));
    let actual = expected.keys().map(|text| (text.clone(), max.lets_update(cluster(text)))).collect();
    Outcome::of_equal(&(format!("{max}.0"), actual), &(row["max"].as_str().unwrap_or_default().to_owned(), expected))
}

fn highest_version_in_classic(row: &Value) -> Outcome {
    #[derive(Deserialize)]
    struct Annotation {
        #[serde(default)]
        properties: Vec<Property>,
    }
    #[derive(Deserialize)]
    struct Property {
        #[serde(rename = "type")]
        kind: String,
        /// The raw text counts, so that `null` differs from an absent field.
        #[serde(default = "nothing")]
        value: Box<RawValue>,
    }
    fn nothing() -> Box<RawValue> {
        RawValue::from_string("\"\"".to_owned()).expect("valid JSON")
    }
    let annotation = row["annotation"].as_str().expect("an annotation");
    let text = if annotation.is_empty() { "{}" } else { annotation };
    let is_object = text.starts_with('{');
    let Some(annotation) = serde_json::from_str::<Annotation>(text).ok().filter(|_| is_object) else {
        // An unreadable annotation blocks, whatever the words.
        let blocks = row["blockedMessages"].as_object().expect("answers").values().all(|it| it != "");
        return if blocks { Outcome::Passed } else { Outcome::Failed("expected to be readable".to_owned()) };
    };
    let values: Vec<String> = annotation
        .properties
        .iter()
        .filter(|it| it.kind == openshift::MAX_OPENSHIFT_VERSION)
        .map(|it| it.value.get().to_owned())
        .collect();
    let max = openshift::highest_classic(&values);
    let mut expected = BTreeMap::new();
    let mut actual = BTreeMap::new();
    for (cluster, message) in row["blockedMessages"].as_object().expect("answers") {
        let version = Version::parse_tolerant(cluster).expect("a version");
        let text = match &max {
            Ok(Some(max)) if !max.lets_update(Minor::of(&version)) => {
                format!("- maximum supported OCP version for ns/op.v1 is {max}")
            }
            Ok(_) => String::new(),
            Err(error) => format!("- ns/op.v1 has invalid olm.maxOpenShiftVersion properties: {error}"),
        };
        actual.insert(cluster.clone(), text);
        expected.insert(cluster.clone(), message.as_str().unwrap_or_default().to_owned());
    }
    Outcome::of_equal(&actual, &expected)
}
