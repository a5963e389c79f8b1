//! `classic/` and `classic-fuzz/`: whole namespaces, and the results of OLM Classic's resolver.
//!
//! If the real resolver always gives the same answer, ours must be equal; if not, ours must be one of those that were
//! seen, or the canonical one. An answer is compared with its channels, catalogs and replaced bundles, and so are the
//! steps; an error by its kind, a contradiction by the facts that it names.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use olmdex::cluster::{ClusterServiceVersion, Subscription};
use olmdex::fbc::{Api, Entry, Input, Property};
use olmdex::index::query::{DependencyBundle, GraphChannel, PackageDependencies};
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::resolve::{
    Catalog, Failure, IndexRows, Operator, OperatorGroups, Options, PackageRows, PlainRows, Resolution, Rows, Verdict,
    World, generations, resolve, steps,
};
use serde_json::{Value, json};

use crate::inputs::shared;
use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const CLASSIC: Folder = Folder { name: "classic/resolution", run: |root| run(root, "classic") };
pub(crate) const FUZZ: Folder = Folder { name: "classic-fuzz/resolution", run: |root| run(root, "classic-fuzz") };

pub(crate) const GENERATIONS: Folder = Folder { name: "classic/generations", run: run_generations };

fn run_generations(root: &Path) -> Vec<Case> {
    let read = |path: &Path| -> Option<Value> { serde_json::from_slice(&fs::read(path).ok()?).ok() };
    let mut cases = Vec::new();
    for (name, path) in entries(&root.join("classic/steps"), "", ".json") {
        cases.push(Case::run(format!("classic/{name}#generations"), || {
            let (Some(input), Some(expected)) = (read(&root.join("classic/in").join(&name)), read(&path)) else {
                return Outcome::NotRunnable("no input or no answer".to_owned());
            };
            match Namespace::new(root, &input) {
                Ok(case) => case.check_generations(&expected),
                Err(why) => Outcome::NotRunnable(why),
            }
        }));
    }
    cases
}

fn run(root: &Path, folder: &str) -> Vec<Case> {
    let read = |path: &Path| -> Option<Value> { serde_json::from_slice(&fs::read(path).ok()?).ok() };
    let mut cases = Vec::new();
    for (name, path) in entries(&root.join(folder).join("in"), "", ".json") {
        let beside = |other: &str| read(&root.join(folder).join(other).join(&name));
        cases.push(Case::run(format!("{folder}/{name}#resolution"), || {
            let (Some(input), Some(expected)) = (read(&path), beside("out")) else {
                return Outcome::NotRunnable("no input or no answer".to_owned());
            };
            let canon = beside("canon").and_then(|it| it["canonical"].as_str().map(str::to_owned));
            match Namespace::new(root, &input) {
                Ok(case) => case.check(&expected, canon.as_deref()),
                Err(why) => Outcome::NotRunnable(why),
            }
        }));
    }
    cases
}

thread_local! {
    /// Indexes of catalogs by their folders: many cases use the same.
    static INDEXES: RefCell<HashMap<String, Rc<Index>>> = RefCell::default();
}

/// A world with its rows.
pub(crate) struct Namespace {
    pub(crate) world: World,
    pub(crate) index: Rc<Index>,
    pub(crate) plain: Option<PlainRows<'static>>,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn properties(value: &Value) -> Vec<Property> {
    list(value).filter(|it| !it.is_null()).map(|it| Property::new(text(&it["type"]), it["value"].to_string())).collect()
}

fn apis(value: &Value) -> Vec<Api> {
    let api = |it: &Value| Api { group: text(&it["group"]), version: text(&it["version"]), kind: text(&it["kind"]) };
    list(value).map(api).collect()
}

impl Namespace {
    pub(crate) fn new(root: &Path, input: &Value) -> Result<Self, String> {
        let mut world = World {
            namespace: text(&input["namespace"]),
            global_namespace: text(&input["globalNamespace"]),
            ..World::default()
        };
        let mut plain = Vec::new();
        let is_folders = list(&input["catalogs"]).all(|it| it["fbcDir"].is_string());
        let key = input["catalogs"].to_string();
        let known = INDEXES.with_borrow(|it| it.get(&key).filter(|_| is_folders).cloned());
        let mut builder = Builder::in_memory();
        for (place, catalog) in list(&input["catalogs"]).enumerate() {
            let (name, namespace) = (text(&catalog["name"]), text(&catalog["namespace"]));
            let mut failure = failing(catalog, &name, &namespace);
            let unique = format!("{name}.{namespace}");
            let input = match (&catalog["fbc"], catalog["fbcDir"].as_str()) {
                (Value::Array(documents), _) => {
                    let text: String = documents.iter().map(|it| format!("{it}\n")).collect();
                    Some(Input::bytes("catalog.json", Arc::from(text.into_bytes())))
                }
                (_, Some(directory)) => {
                    let path = shared(root, &format!("../{directory}"));
                    Some(Input::directory(&path).map_err(|error| format!("{}: {error}", path.display()))?)
                }
                _ => None,
            };
            if known.is_some() {
            } else if let Some(input) = input {
                // A server does not start with a catalog that opm refuses.
                if catalog["fbcDir"].is_null() {
                    failure = failure.or(olmdex::ask::check_catalog(&input, None).opm);
                }
                let spec = CatalogSpec { name: unique.clone(), ..CatalogSpec::default() };
                builder.add_catalog(&spec, &input, Mode::Tolerant).map_err(|error| error.to_string())?;
            } else {
                plain.extend(registry_rows(place, catalog));
            }
            world.catalogs.push(Catalog {
                name,
                namespace,
                priority: catalog["priority"].as_i64().unwrap_or(0),
                failure,
                source: String::new(),
            });
        }
        let is_plain = list(&input["catalogs"]).any(|it| it["fbc"].is_null() && it["fbcDir"].is_null());
        let index = match known {
            Some(index) => index,
            None => Rc::new(builder.into_index().map_err(|error| error.to_string())?),
        };
        if is_folders {
            INDEXES.with_borrow_mut(|it| it.insert(key, Rc::clone(&index)));
        }
        let mut case = Self { world, index, plain: is_plain.then(|| PlainRows::new(plain)) };
        case.fill(input)?;
        Ok(case)
    }

    fn fill(&mut self, input: &Value) -> Result<(), String> {
        for it in list(&input["subscriptions"]) {
            let installed = text(&it["installedCSV"]);
            self.world.subscriptions.push(Subscription {
                name: text(&it["name"]),
                package: text(&it["package"]),
                channel: text(&it["channel"]),
                source: text(&it["source"]),
                source_namespace: text(&it["sourceNamespace"]),
                starting: text(&it["startingCSV"]),
                is_manual: it["approval"] == "Manual",
                current: it["currentCSV"].as_str().map_or_else(|| installed.clone(), str::to_owned),
                installed,
                ..Subscription::default()
            });
        }
        for it in list(&input["installedCSVs"]) {
            let mut csv = ClusterServiceVersion {
                name: text(&it["name"]),
                version: text(&it["version"]),
                replaces: text(&it["replaces"]),
                phase: text(&it["phase"]),
                is_copied: it["copied"] == true,
                properties: it["properties"].is_array().then(|| properties(&it["properties"])),
                owned: apis(&it["ownedCRDs"]),
                required: apis(&it["requiredCRDs"]),
                ..ClusterServiceVersion::default()
            };
            if it["projectFrom"].is_object() {
                let (version, properties) = self.projected(&csv.name, &it["projectFrom"])?;
                (csv.version, csv.properties) = (version, Some(properties));
            }
            self.world.installed.push(csv);
        }
        let group = &input["operatorGroup"];
        self.world.groups = OperatorGroups {
            count: group["count"].as_u64().map_or(1, |it| it as usize),
            excludes_global: group["excludeGlobalCatalogs"] == true,
            fails_forward: group["upgradeStrategy"] == "TechPreviewUnsafeFailForward",
        };
        Ok(())
    }

    /// The text that OLM would have written into the annotation of an entry that it installed.
    fn projected(&self, name: &str, from: &Value) -> Result<(String, Vec<Property>), String> {
        let catalog = from["catalog"].as_str().unwrap_or_default();
        let rows = self.with_rows(|rows| rows.package(from["package"].as_str().unwrap_or_default()));
        for package in rows.map_err(|error| error.to_string())? {
            if self.world.catalogs[package.catalog].name != catalog {
                continue;
            }
            let graph = package.graph;
            let channel = graph.channels.iter().filter(|it| it.name == from["channel"].as_str().unwrap_or_default());
            if channel.flat_map(|it| it.entries.iter()).any(|it| it.name == name) {
                let bundle = graph.bundles.iter().find(|it| it.name == name).expect("each entry has a bundle");
                let properties = self.with_rows(|rows| rows.properties(&graph.package, &[bundle]));
                let properties = properties.map_err(|error| error.to_string())?.pop().unwrap_or_default();
                return Ok((bundle.version.clone(), properties));
            }
        }
        Err(format!("{name} is not where it was projected from"))
    }

    fn with_rows<T>(&self, ask: impl FnOnce(&dyn Rows) -> T) -> T {
        if let Some(plain) = &self.plain {
            return ask(plain);
        }
        // Names are made unique in the index, because two namespaces may have a catalog of one name.
        let mut unique = self.world.clone();
        unique.catalogs.iter_mut().for_each(|it| it.name = format!("{}.{}", it.name, it.namespace));
        ask(&IndexRows::new(&self.index, &unique))
    }

    /// The installed bundles after each resolution, until nothing changes.
    fn check_generations(&self, expected: &Value) -> Outcome {
        let ours = self.with_rows(|rows| generations(&self.world, rows, &Options::default()));
        match ours.failure {
            None | Some(Failure::Refused(_) | Failure::Constraint(_) | Failure::Several(_)) => {}
            Some(failure) => return Outcome::Failed(failure.to_string()),
        }
        let changed = ours.generations.iter().filter(|it| it.steps.install_plan);
        let mut changes: Vec<BTreeSet<String>> = changed.map(|it| it.installed.iter().cloned().collect()).collect();
        let is_change = |it: &&Value| list(&it["updatedSubscriptions"]).next().is_some();
        let seen: Vec<BTreeSet<String>> = list(&expected["generations"])
            .filter(is_change)
            .map(|it| list(&it["installedAfter"]).map(text).collect())
            .collect();
        // The recording may have been stopped before everything was stable.
        let last = list(&expected["generations"]).last();
        if last.is_some_and(|it| it["note"].is_null()) {
            changes.truncate(seen.len());
        }
        Outcome::of_equal(&changes, &seen)
    }

    fn check(&self, expected: &Value, canon: Option<&str>) -> Outcome {
        let started = Instant::now();
        let answer = self.with_rows(|rows| resolve(&self.world, rows, &Options::default()));
        if std::env::var_os("OLMDEX_CONFORMANCE_TIMES").is_some() {
            println!("    {:>9.3} ms  {}", started.elapsed().as_secs_f64() * 1e3, text(&expected["name"]));
        }
        match answer {
            Ok(Verdict::Resolved(resolution)) => self.check_resolution(&resolution, expected, canon),
            Ok(Verdict::Unsatisfiable(conflict)) => {
                let ours: BTreeSet<String> = conflict.messages().into_iter().map(alike).collect();
                let seen = list(&expected["outcomes"]).filter(|it| it["errorKind"] == "NotSatisfiable");
                let seen: Vec<BTreeSet<String>> = seen
                    .map(|it| list(&it["constraints"]).map(|it| alike(it.as_str().unwrap_or_default())).collect())
                    .collect();
                // The recorded set may hold more than it needs.
                if seen.iter().any(|it| ours.is_subset(it)) {
                    Outcome::Passed
                } else {
                    Outcome::Failed(format!("expected {}\n     got {ours:#?}", expected["outcomes"]))
                }
            }
            Err(Failure::Limit(what)) => Outcome::Failed(what),
            Err(Failure::Work(what)) => Outcome::Failed(what.to_string()),
            Err(failure) => {
                let mut seen = list(&expected["outcomes"]).filter(|it| it["errorKind"] == "Error");
                let texts: Vec<String> = seen.by_ref().map(|it| text(&it["error"])).collect();
                let ours = failure.to_string();
                let is_same = |it: &String| {
                    is_alike(&ours, it)
                        || (it.starts_with("error using catalogsource") && ours.starts_with("error using"))
                };
                if texts.iter().any(is_same) {
                    Outcome::Passed
                } else {
                    Outcome::of_equal(&vec![failure.to_string()], &texts)
                }
            }
        }
    }

    fn check_resolution(&self, resolution: &Resolution, expected: &Value, canon: Option<&str>) -> Outcome {
        // Without a channel in the Subscription, OLM takes the copy of any channel.
        let any: BTreeSet<&str> =
            self.world.subscriptions.iter().filter(|it| it.channel.is_empty()).map(|it| it.package.as_str()).collect();
        let any = if expected["deterministic"] == true { BTreeSet::new() } else { any };
        let ours = self.shown(&resolution.operators, &any);
        let seen: Vec<BTreeSet<String>> =
            list(&expected["outcomes"]).filter(|it| it.get("errorKind").is_none()).map(|it| shown(it, &any)).collect();
        let identifiers: BTreeSet<String> = resolution.operators.iter().map(|it| self.identifier(it)).collect();
        let is_canon = canon == Some(identifiers.into_iter().collect::<Vec<_>>().join(" ").as_str());
        if !seen.contains(&ours) {
            if is_canon && expected["deterministic"] != true {
                return Outcome::Passed;
            }
            return Outcome::Failed(format!("expected {seen:#?} canon {canon:?}\n     got {ours:#?}"));
        }
        self.check_steps(resolution, expected)
    }

    fn check_steps(&self, resolution: &Resolution, expected: &Value) -> Outcome {
        if expected["steps"].is_null() {
            return Outcome::Passed;
        }
        let steps = steps(&self.world, resolution);
        let catalog = |it: &Operator| {
            let catalog = &self.world.catalogs[it.catalog_at];
            format!("{}/{}", catalog.name, catalog.namespace)
        };
        let mut ours: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        let lookups = steps
            .operators
            .iter()
            .map(|it| &resolution.operators[*it])
            .map(|it| format!("{} from {} replaces={:?}", it.name, catalog(it), it.replaces));
        ours.insert("bundleLookups", lookups.collect());
        let new = steps.new_subscriptions.iter().map(|it| {
            let source = format!("source={}/{}", it.source, it.source_namespace);
            let (name, package, channel) = (&it.name, &it.package, &it.channel);
            format!(
                "{name}: package={package} channel={channel} {source} startingCSV={} approval=Automatic",
                it.starting
            )
        });
        ours.insert("newSubscriptions", new.collect());
        let updated = steps.updated_subscriptions.iter();
        let updated = updated.map(|it| format!("{}: currentCSV={} installedCSV={}", it.name, it.current, it.installed));
        ours.insert("updatedSubscriptions", updated.collect());
        let seen: Vec<BTreeMap<&str, BTreeSet<String>>> = list(&expected["steps"])
            .filter(|it| it.get("errorKind").is_none() && it["installPlanWouldBeCreated"] == steps.install_plan)
            .map(|it| {
                let without_path =
                    |it: &Value| it.as_str().unwrap_or_default().split(" path=").next().unwrap_or_default().to_owned();
                ours.keys().map(|key| (*key, list(&it[*key]).map(without_path).collect())).collect()
            })
            .collect();
        // Chance may have decided otherwise when the steps were recorded.
        if seen.contains(&ours) || expected["deterministic"] != true {
            return Outcome::Passed;
        }
        Outcome::Failed(format!("expected {}\n     got {ours:#?} {}", expected["steps"], steps.install_plan))
    }

    fn identifier(&self, it: &Operator) -> String {
        let catalog = &self.world.catalogs[it.catalog_at];
        format!("{}/{}/{}/{}", catalog.name, catalog.namespace, it.channel, it.name)
    }

    fn shown(&self, operators: &[Operator], any: &BTreeSet<&str>) -> BTreeSet<String> {
        let show = |it: &Operator| {
            let catalog = &self.world.catalogs[it.catalog_at];
            if any.contains(it.package.as_str()) {
                return format!("{} of {}/{}", it.name, catalog.name, catalog.namespace);
            }
            let (name, package, channel) = (&it.name, &it.package, &it.channel);
            let (version, replaces, starting) = (&it.version, &it.replaces, &it.starting);
            let is_default = it.is_default_channel;
            let place = format!("{package}/{channel} of {}/{}", catalog.name, catalog.namespace);
            format!("{name} {place} version={version} replaces={replaces} starting={starting} default={is_default}")
        };
        operators.iter().map(show).collect()
    }
}

fn shown(outcome: &Value, any: &BTreeSet<&str>) -> BTreeSet<String> {
    let show = |it: &Value| {
        let of = |key: &str| text(&it[key]);
        if any.contains(of("package").as_str()) {
            return format!("{} of {}", of("name"), of("catalog"));
        }
        let place = format!("{}/{} of {}", of("package"), of("channel"), of("catalog"));
        let is_default = it["defaultChannel"] == true;
        let (version, replaces, starting) = (of("version"), of("replaces"), of("startingCSV"));
        let name = of("name");
        format!("{name} {place} version={version} replaces={replaces} starting={starting} default={is_default}")
    };
    list(&outcome["operators"]).map(show).collect()
}

/// The reason why a catalog cannot answer, if the case contains one in any form.
fn failing(catalog: &Value, name: &str, namespace: &str) -> Option<String> {
    const KNOWN: [&str; 7] = ["name", "namespace", "priority", "fbc", "fbcDir", "bundles", "defaultChannels"];
    let more = catalog.as_object()?.iter().filter(|(key, _)| !KNOWN.contains(&key.as_str()));
    more.into_iter().find_map(|(_, value)| match value {
        Value::Bool(true) => Some(format!("no registry client established for catalogsource {namespace}/{name}")),
        Value::String(cause) => Some(cause.clone()),
        _ => None,
    })
}

/// Whether two messages have the same meaning: the wording of libraries differs.
fn is_alike(ours: &str, theirs: &str) -> bool {
    let first = |it: &str| it.split(": ").next().unwrap_or_default().to_owned();
    ours == theirs
        || ours.contains(theirs)
        || theirs.contains(ours)
        || (first(ours) == first(theirs) && theirs.contains(": "))
}

/// Joins constraints that the real solver cannot tell apart: they forbid the same operators together.
fn alike(message: &str) -> String {
    for between in [" provide ", " originate from package ", " conflicts with "] {
        if let Some((ids, rest)) = message.split_once(between)
            && !ids.starts_with("bundle ")
        {
            let all = if between == " conflicts with " { format!("{ids} and {rest}") } else { ids.to_owned() };
            let ids: BTreeSet<&str> = all.split(", ").flat_map(|it| it.split(" and ")).collect();
            return format!("only one of {ids:?}");
        }
    }
    message.to_owned()
}

/// The rows of a catalog whose bundles are given in the form of its server's stream.
fn registry_rows(place: usize, catalog: &Value) -> Vec<PackageRows> {
    let mut packages: BTreeMap<String, PackageRows> = BTreeMap::new();
    for it in list(&catalog["bundles"]) {
        let (package, channel) = (text(&it["package"]), text(&it["channel"]));
        let default_channel = text(&catalog["defaultChannels"][&package]);
        let rows = packages.entry(package.clone()).or_insert_with(|| PackageRows {
            catalog: place,
            graph: PackageDependencies { package: package.clone(), default_channel, ..PackageDependencies::default() },
        });
        let version = text(&it["version"]);
        let dependencies = properties(&it["dependencies"]);
        let Some(properties) = of_dependencies(properties(&it["properties"]), &dependencies, &package, &version) else {
            continue;
        };
        let fields = Entry {
            name: text(&it["name"]),
            replaces: text(&it["replaces"]),
            skips: list(&it["skips"]).map(text).collect(),
            skip_range: text(&it["skipRange"]),
        };
        let bundle = DependencyBundle { name: fields.name.clone(), version, properties, ..DependencyBundle::default() };
        match rows.graph.bundles.iter().find(|it| it.name == bundle.name) {
            Some(known) => assert_eq!(*known, bundle, "a bundle says one thing in all its channels"),
            None => rows.graph.bundles.push(bundle),
        }
        let channels = &mut rows.graph.channels;
        match channels.iter_mut().find(|it| it.name == channel) {
            Some(known) => known.entries = known.entries.iter().cloned().chain([fields]).collect(),
            None => channels.push(GraphChannel { name: channel, entries: [fields].into(), places: Arc::default() }),
        }
    }
    packages.into_values().collect()
}

/// The properties of a bundle of a server that is not file-based, given its properties and dependencies. `None` if a
/// dependency cannot be read: then OLM leaves the bundle out (`docs/behaviour/olm-classic.md` 1.2.4).
fn of_dependencies(
    mut properties: Vec<Property>,
    dependencies: &[Property],
    package: &str,
    version: &str,
) -> Option<Vec<Property>> {
    for dependency in dependencies {
        let value: Value = serde_json::from_str(&dependency.value).ok()?;
        let (kind, value) = match &*dependency.kind {
            "olm.gvk" => {
                let [group, kind, version] = ["group", "kind", "version"].map(|it| text(&value[it]));
                let api = json!({"group": group, "kind": kind, "version": version});
                ("olm.gvk.required", api.to_string().into())
            }
            "olm.package" => {
                let range =
                    json!({"packageName": text(&value["packageName"]), "versionRange": text(&value["version"])});
                ("olm.package.required", range.to_string().into())
            }
            "olm.label" => ("olm.label.required", dependency.value.clone()),
            "olm.constraint" => ("olm.constraint", dependency.value.clone()),
            _ => continue,
        };
        properties.push(Property::new(kind, value));
    }
    if !properties.iter().any(|it| &*it.kind == "olm.package") {
        properties.push(Property::new("olm.package", json!({"packageName": package, "version": version}).to_string()));
    }
    Some(properties)
}
