//! The checks of the pipelines on an operator (`docs/behaviour/authoring.md` F.2).

use std::collections::{BTreeMap, BTreeSet};

use super::checks::{Checked, bundle, no_graph};
use super::file::Unread;
use super::operator::{Operator, path};
use super::rules;
use super::schema::{CI, misfits};
use super::verdict::{CheckResult, Wording};
use olmdex_base::diag::Finding;
use olmdex_fbc::Spot;
use olmdex_text::json::{Reader, Step};
use olmdex_version::Version;

/// The results of all checks, those of versions first.
#[must_use]
pub fn check(operator: &Operator) -> Vec<CheckResult> {
    let mut verdicts = Vec::new();
    for number in 0..operator.versions.len() {
        let mut checked = Checked { operator, number, verdicts: Vec::new() };
        checked.run();
        verdicts.append(&mut checked.verdicts);
    }
    settings(operator, &mut verdicts);
    if !operator.settings.is_fbc {
        names(operator, &mut verdicts);
        update_graph(operator, &mut verdicts);
        loops(operator, &mut verdicts);
    }
    verdicts
}

/// The verdicts as findings, each once.
#[must_use]
pub fn findings(verdicts: &[CheckResult]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut seen = BTreeSet::new();
    for finding in verdicts.iter().map(|it| &it.finding) {
        // A finding about a channel is the same for each of its versions.
        let is_of_channel =
            [rules::DANGLING.id, rules::BAD_REPLACES.id, rules::UPDATE_GRAPH.id].contains(&finding.rule.id);
        let place = finding.place.clone().filter(|_| !is_of_channel);
        if seen.insert((finding.rule.id, finding.message.clone(), place)) {
            findings.push(finding.clone());
        }
    }
    findings
}

/// The graph that the pipelines see: for each channel that has one, the versions that can follow each.
#[must_use]
pub fn update_graph_of(operator: &Operator) -> BTreeMap<String, BTreeMap<String, Vec<String>>> {
    let name = |number: &usize| operator.versions[*number].name.clone();
    let mut channels = BTreeMap::new();
    for channel in operator.versions.iter().flat_map(|it| &it.facts.channels) {
        if let Ok(graph) = operator.graph(channel) {
            let edges = graph.edges.iter().map(|(from, to)| (name(from), to.iter().map(name).collect()));
            channels.insert(channel.clone(), edges.collect());
        }
    }
    channels
}

/// The head of each channel: the highest version.
#[must_use]
pub fn heads(operator: &Operator) -> BTreeMap<String, String> {
    let channels = operator.versions.iter().flat_map(|it| &it.facts.channels);
    let head = |it: &String| Some((it.clone(), operator.versions[*operator.members(it).last()?].name.clone()));
    channels.filter_map(head).collect()
}

/// The default channel: that of the highest version that names one.
#[must_use]
pub fn default_channel(operator: &Operator) -> Option<String> {
    let named = operator
        .versions
        .iter()
        .filter_map(|it| Some((it.facts.split_name.as_ref()?.1.as_str(), it.facts.default_channel.as_deref()?)));
    let named: Vec<(&str, &str)> = named.collect();
    let versions: Option<Vec<Version>> = named.iter().map(|it| Version::parse(it.0).ok()).collect();
    let best = match versions {
        Some(versions) => {
            let pairs = versions.iter().zip(&named);
            pairs.max_by(|a, b| a.0.cmp_precedence(b.0).then(a.1.1.cmp(b.1.1))).map(|it| it.1)
        }
        None => named.iter().max(),
    };
    best.map(|it| it.1.to_owned())
}

fn add(operator: &Operator, check: &'static str, wording: Wording, at: &[Step], verdicts: &mut Vec<CheckResult>) {
    let shown = operator.path.display().to_string();
    verdicts.push(wording.at(check, None, operator.ci.as_ref().ok(), &Spot::Path(at.to_vec()), &shown));
}

fn settings(operator: &Operator, verdicts: &mut Vec<CheckResult>) {
    let file = match &operator.ci {
        Ok(file) if file.json != "null" => file,
        Ok(_) | Err(Unread::Absent) => return,
        Err(Unread::Unreadable(message) | Unread::Broken(message, _)) => {
            let wording = Wording::new(rules::UNREADABLE, format!("`ci.yaml` is unreadable: {message}"), "EXC");
            add(operator, "load", wording, &[], verdicts);
            return;
        }
    };
    let mut reader = Reader::new();
    let Ok(value) = reader.read(&file.json) else { return };
    let mut found = Vec::new();
    misfits(&CI, value, &mut Vec::new(), &mut found);
    for it in found {
        let theirs =
            format!("Operator's 'ci.yaml' contains invalid data which does not comply with the schema: {}", it.theirs);
        let wording = Wording::new(rules::SCHEMA, it.message, theirs);
        add(operator, "check_schema_operator_ci_config", wording, &it.path, verdicts);
    }
    let mut templates: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for mapping in &operator.settings.mapping {
        for catalog in &mapping.catalogs {
            templates.entry(catalog).or_default().push(&mapping.template);
        }
    }
    for (catalog, templates) in templates.into_iter().filter(|it| it.1.len() > 1) {
        let listed: Vec<String> = templates.iter().map(|it| format!("'{it}'")).collect();
        let wording = Wording::new(
            rules::CATALOG_TWICE,
            format!("several templates produce the catalog `{catalog}`: {}", templates.join(", ")),
            format!(
                "Operator's 'ci.yaml' contains multiple templates '[{}]' for the same catalog '{catalog}'.",
                listed.join(", ")
            ),
        );
        add(operator, "check_catalog_usage_ci_config", wording, &path(["fbc", "catalog_mapping"]), verdicts);
    }
}

fn names(operator: &Operator, verdicts: &mut Vec<CheckResult>) {
    let names: BTreeSet<&str> =
        operator.versions.iter().filter_map(|it| it.facts.split_name.as_ref()).map(|it| it.0.as_str()).collect();
    if names.len() > 1 {
        let listed: Vec<String> = names.iter().map(|it| format!("'{it}'")).collect();
        let listed = listed.join(", ");
        let wording = Wording::new(
            rules::NAMES,
            format!("the ClusterServiceVersions have several names: {listed}"),
            format!("Bundles use multiple operator names: {{{listed}}}"),
        );
        add(operator, "check_operator_name_unique", wording, &[], verdicts);
    }
}

fn update_graph(operator: &Operator, verdicts: &mut Vec<CheckResult>) {
    const CHECK: &str = "check_ci_upgrade_graph";
    match operator.settings.update_graph.as_deref() {
        None | Some("") => {
            let wording = Wording::new(
                rules::NO_UPDATE_GRAPH,
                "`ci.yaml` has no `updateGraph`, so the pipelines use `replaces-mode`",
                "The 'updateGraph' option is missing in ci.yaml. The default upgrade graph 'replaces-mode' will be used.",
            );
            add(operator, CHECK, wording.help("add `updateGraph: replaces-mode`"), &[], verdicts);
        }
        Some("replaces-mode" | "semver-mode") => {}
        Some(other) => {
            let wording = Wording::new(
                rules::UPDATE_GRAPH,
                format!("`updateGraph` is `{other}`"),
                "The 'updateGraph' option in ci.yaml must be one of ['replaces-mode', 'semver-mode']",
            );
            let help = "use `replaces-mode` or `semver-mode`";
            add(operator, CHECK, wording.help(help), &path(["updateGraph"]), verdicts);
        }
    }
}

fn loops(operator: &Operator, verdicts: &mut Vec<CheckResult>) {
    const CHECK: &str = "check_upgrade_graph_loop";
    for channel in operator.all_channels() {
        let graph = match operator.graph(channel) {
            Ok(graph) => graph,
            Err(error) => {
                add(operator, CHECK, no_graph(operator, &error), &[], verdicts);
                return;
            }
        };
        if let Some((from, to)) = graph.back_edge() {
            let name = |it: usize| &operator.versions[it].name;
            let wording = Wording::new(
                rules::LOOP,
                format!("in channel `{channel}`, upgrades form a loop: from `{}` back to `{}`", name(from), name(to)),
                format!("Upgrade graph loop detected: {} -> {}", bundle(operator, from), bundle(operator, to)),
            )
            .help("correct `replaces`, `skips` and `olm.skipRange` of the two");
            let newer = &operator.versions[to];
            let shown = operator.path.display().to_string();
            let at = match newer.facts.replaces {
                Some(_) => path(["spec", "replaces"]),
                None => path(["metadata", "annotations", "olm.skipRange"]),
            };
            let at = Spot::Path(at);
            verdicts.push(wording.at(CHECK, None, newer.csv.as_ref().ok(), &at, &shown));
        }
    }
}
