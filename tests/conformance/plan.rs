//! `plan/`: clusters, questions about them, and the expected plans. The specification of the record states how plans
//! are compared: a missing key is not asserted, and optional steps may be left out.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use olmdex::calendar::Day;
use olmdex::cluster;
use olmdex::constraint::openshift::Minor;
use olmdex::fbc::Input;
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::openshift::{Graph, Lifecycle, SupportLevel, coerce};
use olmdex::plan::{PlanCatalog, PlanQuestion, path_of, plan};
use serde::Deserialize;
use serde_json::Value;

use crate::inputs::shared;
use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const FOLDER: Folder = Folder { name: "plan", run };

#[derive(Deserialize)]
struct Asked {
    from: String,
    to: String,
    catalogs: BTreeMap<String, String>,
    #[serde(default)]
    eus: bool,
    date: Option<String>,
    lifecycles: Option<String>,
}

/// The catalogs that any case names, by their folders; read once.
struct IndexCache {
    names: BTreeSet<String>,
    index: OnceCell<Index>,
}

fn run(root: &Path) -> Vec<Case> {
    let folders: Vec<_> = entries(&root.join("plan"), "", "").into_iter().filter(|it| it.1.is_dir()).collect();
    let read = |folder: &Path| -> Option<Asked> {
        serde_json::from_slice(&std::fs::read(folder.join("question.json")).ok()?).ok()
    };
    let names = folders.iter().filter_map(|it| read(&it.1)).flat_map(|it| it.catalogs.into_values()).collect();
    let cache = IndexCache { names, index: OnceCell::new() };
    let case = |(name, folder): (String, std::path::PathBuf)| {
        Case::run(format!("plan/{name}"), || match read(&folder) {
            Some(asked) => check(&folder, root, &asked, &cache),
            None => Outcome::NotRunnable("no question".to_owned()),
        })
    };
    folders.into_iter().map(case).collect()
}

impl IndexCache {
    fn index(&self, root: &Path) -> &Index {
        self.index.get_or_init(|| {
            let mut builder = Builder::in_memory();
            for name in &self.names {
                let input = Input::directory(&shared(root, &format!("../{name}"))).expect("a readable catalog");
                let spec = CatalogSpec { name: name.clone(), ..CatalogSpec::default() };
                builder.add_catalog(&spec, &input, Mode::Tolerant).expect("a catalog");
            }
            builder.into_index().expect("an index")
        })
    }
}

fn minor(text: &str) -> Minor {
    coerce(text).expect("a version")
}

fn check(folder: &Path, root: &Path, asked: &Asked, cache: &IndexCache) -> Outcome {
    if asked.catalogs.values().any(|it| !shared(root, &format!("../{it}")).is_dir()) {
        return Outcome::NotRunnable("a catalog is absent".to_owned());
    }
    let text = std::fs::read(folder.join("cluster.json")).expect("a cluster");
    let cluster = cluster::read_text("cluster.json", &text).expect("a readable cluster");
    let lifecycles = asked.lifecycles.as_ref().map(|it| std::fs::read(folder.join(it)).expect("lifecycles"));
    let family = "community-operators";
    let question = PlanQuestion {
        namespaces: Vec::new(),
        cluster: &cluster,
        from: minor(&asked.from),
        to: minor(&asked.to),
        path: path_of(minor(&asked.from), minor(&asked.to)),
        eus: asked.eus,
        day: asked.date.as_deref().and_then(Day::parse).unwrap_or(Day::of_unix(1_790_000_000)),
        level: SupportLevel::Extended,
        lifecycles: lifecycles.map(|it| Lifecycle::read_all(&it).expect("lifecycles")).unwrap_or_default(),
        index: cache.index(root),
        catalogs: asked
            .catalogs
            .iter()
            .map(|it| PlanCatalog { catalog: it.1.clone(), minor: minor(it.0), family: family.to_owned() })
            .collect(),
        source_map: Vec::new(),
        graph: Graph::default(),
        graph_source: String::new(),
        channels: Vec::new(),
        unknown_channels: Vec::new(),
        arch: String::new(),
        scope: Vec::new(),
        gates: olmdex::upgrade::v1::Gates::default(),
        assume: Vec::new(),
    };
    let found = serde_json::to_value(plan(&question).expect("a plan")).expect("JSON");
    let expected: Value =
        serde_json::from_slice(&std::fs::read(folder.join("expected.json")).expect("a plan")).expect("JSON");
    match compare(&found, &expected) {
        Ok(()) => Outcome::Passed,
        Err(difference) => Outcome::Failed(difference),
    }
}

fn list<'v>(value: &'v Value, key: &str) -> Vec<&'v Value> {
    value[key].as_array().into_iter().flatten().collect()
}

/// Whether a value has every expected part.
fn covers(found: &Value, expected: &Value) -> bool {
    match expected {
        Value::Object(members) => members.iter().all(|(key, expected)| covers(&found[key], expected)),
        _ => found == expected,
    }
}

fn compare(found: &Value, expected: &Value) -> Result<(), String> {
    let differ = |what: &str, found: &dyn std::fmt::Display, expected: &dyn std::fmt::Display| {
        Err(format!("{what}: expected {expected}\n     got {found}"))
    };
    if found["verdict"] != expected["verdict"] {
        return differ("verdict", found, &expected["verdict"]);
    }
    let (operators, wanted) = (list(found, "operators"), list(expected, "operators"));
    if operators.len() != wanted.len() {
        return differ("operators", &operators.len(), &wanted.len());
    }
    for wanted in wanted {
        let is_its = |it: &&&Value| ["namespace", "package"].iter().all(|key| it[*key] == wanted[*key]);
        match operators.iter().find(is_its) {
            Some(operator) if covers(operator, wanted) => {}
            other => return differ("operator", &other.map(ToString::to_string).unwrap_or_default(), wanted),
        }
    }
    let steps = |of: &Value, keys: &[&str]| -> Vec<Value> {
        let required = list(of, "steps").into_iter().filter(|it| it["optional"] != true);
        required.map(|it| keys.iter().map(|key| it[*key].clone()).collect()).collect()
    };
    let keys = ["kind", "subject", "from", "to", "path", "approval", "catalog", "together", "then", "set", "order"];
    let (ours, theirs) = (steps(found, &keys[..5]), steps(expected, &keys[..5]));
    if ours != theirs {
        return differ("steps", &Value::from(ours), &Value::from(theirs));
    }
    for (ours, theirs) in steps(found, &keys).iter().zip(steps(expected, &keys)) {
        for (idx, theirs) in theirs.as_array().into_iter().flatten().enumerate().filter(|it| !it.1.is_null()) {
            if ours[idx] != *theirs {
                return differ(keys[idx], &ours[idx], theirs);
            }
        }
    }
    let optional = |of: &Value| -> Vec<Value> {
        let all = list(of, "steps").into_iter().filter(|it| it["optional"] == true);
        all.map(|it| it["path"].clone()).collect()
    };
    if optional(expected).iter().any(|it| !optional(found).contains(it)) {
        return differ("optional steps", &Value::from(optional(found)), &Value::from(optional(expected)));
    }
    for key in ["blockers", "decisions", "unknowns"] {
        let set = |of: &Value| -> BTreeSet<String> {
            let parts = |it: &Value| {
                ["code", "subject", "platform", "source", "value", "liftedBy"].map(|key| it[key].to_string())
            };
            list(of, key).into_iter().map(|it| parts(it).join(" ")).collect()
        };
        let show = |it: BTreeSet<String>| it.into_iter().collect::<Vec<_>>().join("; ");
        if set(found) != set(expected) {
            return differ(key, &show(set(found)), &show(set(expected)));
        }
    }
    Ok(())
}
