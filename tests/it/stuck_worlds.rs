//! Clusters in which operators were stuck: `diagnose` and the commands about one operator say why, and a change that
//! helps.
//!
//! The clusters are in `fixtures/clusters/threads`, with the table of what is expected of each, `expected.tsv`.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::olmdex;
use serde_json::Value;

const CATALOG: &str = "harbour=fixtures/catalogs/harbour";
const WORLDS: &str = "fixtures/clusters/threads";

/// A row of the table.
struct Row {
    world: String,
    namespace: String,
    operator: String,
    code: String,
    effect: String,
    tells: String,
    fix: String,
    exit: i32,
    updates: String,
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(format!("{WORLDS}/expected.tsv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let row = |line: &str| {
        let columns: Vec<String> = line.split('\t').map(|it| if it == "-" { "" } else { it }.to_owned()).collect();
        let [world, namespace, operator, code, effect, tells, fix, exit, updates] =
            columns.try_into().unwrap_or_else(|_| panic!("{line}"));
        let exit = exit.parse().unwrap();
        Row { world, namespace, operator, code, effect, tells, fix, exit, updates }
    };
    lines.map(row).collect()
}

/// The exit codes and the answers about the worlds, and the verdicts of plans, each asked for once.
#[derive(Default)]
struct Answers(BTreeMap<String, (i32, Vec<Value>)>, BTreeMap<String, String>);

impl Answers {
    /// The verdict of a plan with the same catalog for both versions.
    fn plan(&mut self, world: &str) -> &str {
        self.1.entry(world.to_owned()).or_insert_with(|| {
            let cluster = format!("{WORLDS}/{world}.yaml");
            let catalogs = ["4.16", "4.17"].map(|minor| CATALOG.replace("harbour=", &format!("harbour-{minor}=")));
            let line = ["plan", "--from", "4.16", "--to", "4.17", "--cluster", &cluster, "-o", "json"];
            let sources = catalogs.iter().flat_map(|catalog| ["-i", catalog]);
            let answer = olmdex(line.into_iter().chain(sources)).answer();
            let plan: Value =
                serde_json::from_str(&answer.out()).unwrap_or_else(|_| panic!("{world}: {}", answer.both()));
            plan["verdict"].as_str().unwrap().to_owned()
        })
    }

    fn of(&mut self, world: &str, words: &[&str]) -> &(i32, Vec<Value>) {
        self.0.entry(format!("{world} {words:?}")).or_insert_with(|| {
            let cluster = format!("{WORLDS}/{world}.yaml");
            let options = ["--cluster", &cluster, "-i", CATALOG, "-o", "json"];
            let answer = olmdex(words.iter().copied().chain(options)).answer();
            // Nothing that a world names is in the catalog: then there is no answer.
            if answer.code == Some(4) {
                return (4, Vec::new());
            }
            let json: Value = serde_json::from_str(&answer.out())
                .unwrap_or_else(|_| panic!("{words:?} about {world}: {}", answer.both()));
            (answer.code.unwrap(), json["items"].as_array().unwrap().clone())
        })
    }
}

fn is_about(obstacle: &Value, operator: &str) -> bool {
    let subjects = obstacle["subjects"].as_array().unwrap();
    subjects.is_empty() || subjects.iter().any(|it| it == operator)
}

/// The differences between the diagnosis of an operator and its row.
fn of_diagnosis(row: &Row, answers: &mut Answers) -> Vec<String> {
    let (exit, states) = answers.of(&row.world, &["diagnose"]);
    let mut wrong = Vec::new();
    let mut expect = |what: &str, expected: &str, found: &str, is_met: bool| {
        if !is_met {
            wrong.push(format!("{what}: expected {expected:?}, found {found:?}"));
        }
    };
    expect("exit code", &row.exit.to_string(), &exit.to_string(), *exit == row.exit);
    let Some(state) = states.iter().find(|it| it["namespace"] == row.namespace.as_str()) else {
        return vec![format!("no namespace {:?}", row.namespace)];
    };
    let operators = state["operators"].as_array().unwrap();
    let Some(operator) = operators.iter().find(|it| it["name"] == row.operator.as_str()) else {
        return vec![format!("no operator {:?}", row.operator)];
    };
    let is_stuck = operator["isStuck"] == true;
    expect("stuck", &row.effect, &operator.to_string(), is_stuck == (row.effect == "stops"));
    let mut obstacles = state["obstacles"].as_array().unwrap().iter().filter(|it| is_about(it, &row.operator));
    let is_asked = |effect: &str| matches!(effect, "stops" | "waits") || effect == row.effect;
    let first = obstacles.find(|it| is_asked(it["effect"].as_str().unwrap()));
    let code = first.map_or("none", |it| it["code"].as_str().unwrap());
    expect("code", &row.code, code, code == row.code);
    let Some(first) = first else { return wrong };
    expect("effect", &row.effect, &first.to_string(), first["effect"] == row.effect.as_str());
    let shown = |value: &Value| match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned() + "\n").collect(),
    };
    let remedies = first["remedies"].as_array().unwrap();
    let fixes: String = remedies.iter().map(|it| shown(&it["change"]) + "\n" + &shown(&it["commands"])).collect();
    let told: Vec<String> = ["text", "message", "meaning", "because"].iter().map(|key| shown(&first[key])).collect();
    let told = told.join("\n") + &fixes;
    expect("told", &row.tells, &told, told.contains(&row.tells));
    expect("fix", &row.fix, &fixes, fixes.contains(&row.fix));
    expect("step", "one", &operator.to_string(), operator["step"] != "");
    wrong
}

/// The differences between the answers of commands about one operator and its row.
fn of_commands(row: &Row, answers: &mut Answers) -> Vec<String> {
    let mut wrong = Vec::new();
    let (olm, managed_by) = match row.namespace.as_str() {
        "" => ("v1", format!("ClusterExtension {}", row.operator)),
        namespace => ("classic", format!("Subscription {namespace}/{}", row.operator)),
    };
    let (_, updates) = answers.of(&row.world, &["updates", "--olm", olm]);
    let own = updates.iter().find(|it| it["managedBy"] == managed_by.as_str()).cloned();
    let own = own.as_ref();
    let verdict = own.map_or("", |it| it["verdict"].as_str().unwrap());
    if verdict != row.updates {
        wrong.push(format!("updates: expected {:?}, found {verdict:?}: {own:?}", row.updates));
    }
    let plan = answers.plan(&row.world).to_owned();
    if matches!(row.effect.as_str(), "stops" | "waits") && plan == "ready" {
        wrong.push("plan: ready".to_owned());
    }
    let mut promise = |it: &Value| wrong.push(format!("it promises a version: {it}"));
    if let Some(own) = own.filter(|_| olm == "classic" && row.effect == "stops") {
        if matches!(verdict, "install" | "update") {
            promise(own);
        }
        let (_, reasons) = answers.of(&row.world, &["why-not", own["package"].as_str().unwrap(), "--olm", olm]);
        let is_own = |it: &&Value| it["managedBy"] == managed_by.as_str();
        reasons.iter().filter(is_own).filter(|it| it["isTaken"] == true).for_each(&mut promise);
    }
    if olm == "classic" {
        let (_, resolutions) = answers.of(&row.world, &["resolve"]);
        let resolution = resolutions.iter().find(|it| it["namespace"] == row.namespace.as_str()).unwrap();
        let is_wrong = match row.code.as_str() {
            "none" => resolution["outcome"] != "resolved",
            "resolution-failed" => resolution["outcome"] == "resolved",
            _ => !resolution["obstacles"]
                .as_array()
                .is_some_and(|all| all.iter().any(|it| it["code"] == row.code.as_str())),
        };
        if is_wrong {
            wrong.push(format!("resolve: {resolution}"));
        }
    }
    wrong
}

#[test]
fn operators_of_these_worlds_are_diagnosed_as_the_table_says() {
    let (rows, mut answers) = (rows(), Answers::default());
    let mut wrong = Vec::new();
    for row in &rows {
        let all = [of_diagnosis(row, &mut answers), of_commands(row, &mut answers)].concat();
        wrong.extend(all.iter().map(|it| format!("{} {}/{}: {it}", row.world, row.namespace, row.operator)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let in_table: BTreeSet<String> = rows.into_iter().map(|row| row.world).collect();
    let files = std::fs::read_dir(WORLDS).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap());
    let worlds: BTreeSet<String> = files.filter_map(|it| Some(it.strip_suffix(".yaml")?.to_owned())).collect();
    assert_eq!(worlds, in_table);
}
