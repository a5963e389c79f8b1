//! `update-graph/`: the objections of the update graph's repository to edges.

use std::path::Path;

use olmdex::openshift::GraphData;
use serde::Deserialize;

use crate::inputs::shared;
use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const FOLDER: Folder = Folder { name: "update-graph", run };

#[derive(Deserialize)]
struct Recorded {
    from: String,
    to: String,
    arch: String,
    status: String,
    always: Vec<String>,
    risks: Vec<String>,
}

fn run(root: &Path) -> Vec<Case> {
    let folder = root.join("update-graph");
    let Ok(text) = std::fs::read_to_string(folder.join("edges.jsonl")) else { return Vec::new() };
    let mut data = GraphData::default();
    for directory in ["channels", "blocked-edges", "build-suggestions"] {
        for (name, path) in entries(&shared(root, &format!("update-graph/snapshot/{directory}")), "", ".yaml") {
            data.add(&format!("{directory}/{name}"), &std::fs::read(path).unwrap_or_default());
        }
    }
    let mut cases = vec![Case::run("update-graph/snapshot", || Outcome::of_equal(&data.warnings, &Vec::new()))];
    for line in text.lines() {
        let Ok(recorded) = serde_json::from_str::<Recorded>(line) else {
            cases.push(Case::run("update-graph/edges", || Outcome::NotRunnable("not a case".to_owned())));
            continue;
        };
        let Recorded { from, to, arch, .. } = &recorded;
        cases.push(Case::run(format!("update-graph/{from}-{to}-{arch}"), || check(&data, &recorded)));
    }
    cases
}

fn check(data: &GraphData, recorded: &Recorded) -> Outcome {
    let judgement = data.judge(&recorded.from, &recorded.to, &recorded.arch);
    let names = |is_wanted: &dyn Fn(&olmdex::openshift::Risk) -> bool| -> Vec<String> {
        let mut names: Vec<String> =
            judgement.risks.iter().filter(|it| is_wanted(it)).map(|it| it.name.clone()).collect();
        names.sort();
        names
    };
    let status = serde_json::to_value(judgement.status).expect("a name");
    let status = status.as_str().unwrap_or_default().to_owned();
    let found = (status, names(&|it| it.is_always()), names(&|_| true));
    Outcome::of_equal(&found, &(recorded.status.clone(), recorded.always.clone(), recorded.risks.clone()))
}
