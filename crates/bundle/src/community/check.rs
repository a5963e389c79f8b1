//! The checks of the pipelines on an operator (`docs/behaviour/authoring.md` F.2).

use std::collections::{BTreeMap, BTreeSet};

use super::checks::{Checked, no_graph};
use super::file::Unread;
use super::finding::{LOAD, placed};
use super::operator::{Operator, path};
use super::rules;
use super::schema::{CI, misfits};
use olmdex_base::diag::Finding;
use olmdex_fbc::Spot;
use olmdex_text::json::{Reader, Step};
use olmdex_version::Version;

/// The findings of the checks of a version, by its number. The `check` of each is the name of the check in the
/// pipelines, or `load` for a file that stops them.
pub fn check_version(operator: &Operator, number: usize) -> Vec<Finding> {
    let mut checked = Checked { operator, number, found: Vec::new() };
    checked.run();
    checked.found
}

/// The findings of the checks of an operator beside those of its versions, with names as in [`check_version`].
pub fn check_operator(operator: &Operator) -> Vec<Finding> {
    let mut found = Vec::new();
    settings(operator, &mut found);
    if !operator.settings.is_fbc {
        names(operator, &mut found);
        update_graph(operator, &mut found);
        loops(operator, &mut found);
    }
    found
}

/// The findings of all checks, those of versions first.
pub(super) fn check(operator: &Operator) -> Vec<Finding> {
    let of_versions = (0..operator.versions.len()).flat_map(|number| check_version(operator, number));
    of_versions.chain(check_operator(operator)).collect()
}

/// The findings of all checks, each once and without the name of its check.
pub fn findings(operator: &Operator) -> Vec<Finding> {
    distinct(check(operator)).into_iter().map(|finding| finding.check(None)).collect()
}

/// Each finding once.
pub(super) fn distinct(mut findings: Vec<Finding>) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    findings.retain(|finding| {
        // A finding about a channel is the same for each of its versions.
        let is_of_channel =
            [rules::DANGLING.id, rules::BAD_REPLACES.id, rules::UPDATE_GRAPH.id].contains(&finding.rule.id);
        let place = finding.place.clone().filter(|_| !is_of_channel);
        seen.insert((finding.rule.id, finding.message.clone(), place))
    });
    findings
}

/// The graph that the pipelines see: for each channel that has one, the versions that can follow each.
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
pub fn heads(operator: &Operator) -> BTreeMap<String, String> {
    let channels = operator.versions.iter().flat_map(|it| &it.facts.channels);
    let head = |it: &String| Some((it.clone(), operator.versions[*operator.members(it).last()?].name.clone()));
    channels.filter_map(head).collect()
}

/// The default channel: that of the highest version that names one.
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

/// Adds a finding about `ci.yaml`.
fn add(operator: &Operator, check: &'static str, finding: Finding, at: &[Step], found: &mut Vec<Finding>) {
    let shown = operator.path.display().to_string();
    found.push(placed(finding, check, operator.ci.as_ref().ok(), &Spot::Path(at.to_vec()), &shown));
}

pub(super) fn settings(operator: &Operator, found: &mut Vec<Finding>) {
    let file = match &operator.ci {
        Ok(file) if file.json != "null" => file,
        Ok(_) | Err(Unread::Absent) => return,
        Err(Unread::Unreadable(message) | Unread::Broken(message, _)) => {
            let unreadable = rules::UNREADABLE.finding(format!("`ci.yaml` is unreadable: {message}"));
            add(operator, LOAD, unreadable, &[], found);
            return;
        }
    };
    let mut reader = Reader::new();
    let Ok(value) = reader.read(&file.json) else { return };
    let mut unfit = Vec::new();
    misfits(&CI, value, &mut Vec::new(), &mut unfit);
    for misfit in unfit {
        let refused = rules::SCHEMA.finding(misfit.message);
        add(operator, "check_schema_operator_ci_config", refused, &misfit.path, found);
    }
    // The task of the pipelines that reads `ci.yaml` ends with this.
    if operator.settings.is_fbc && value.get("updateGraph").is_some() {
        let unused = rules::UPDATE_GRAPH.finding("`updateGraph` is set, and so is `fbc.enabled`");
        let unused = unused.help("remove `updateGraph`: the templates hold the upgrades");
        add(operator, "read-config", unused, &["updateGraph".into()], found);
    }
    let mut templates: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for mapping in &operator.settings.mapping {
        for catalog in &mapping.catalogs {
            templates.entry(catalog).or_default().push(&mapping.template);
        }
    }
    for (catalog, templates) in templates.into_iter().filter(|it| it.1.len() > 1) {
        let message = format!("several templates produce the catalog `{catalog}`: {}", templates.join(", "));
        let twice = rules::CATALOG_TWICE.finding(message);
        add(operator, "check_catalog_usage_ci_config", twice, &path(["fbc", "catalog_mapping"]), found);
    }
}

fn names(operator: &Operator, found: &mut Vec<Finding>) {
    let names: BTreeSet<&str> =
        operator.versions.iter().filter_map(|it| it.facts.split_name.as_ref()).map(|it| it.0.as_str()).collect();
    if names.len() > 1 {
        let listed: Vec<String> = names.iter().map(|it| format!("'{it}'")).collect();
        let message = format!("the ClusterServiceVersions have several names: {}", listed.join(", "));
        add(operator, "check_operator_name_unique", rules::NAMES.finding(message), &[], found);
    }
}

fn update_graph(operator: &Operator, found: &mut Vec<Finding>) {
    const CHECK: &str = "check_ci_upgrade_graph";
    match operator.settings.update_graph.as_deref() {
        None | Some("") => {
            let message = "`ci.yaml` has no `updateGraph`, so the pipelines use `replaces-mode`";
            let absent = rules::NO_UPDATE_GRAPH.finding(message).help("add `updateGraph: replaces-mode`");
            add(operator, CHECK, absent, &[], found);
        }
        Some("replaces-mode" | "semver-mode") => {}
        Some(other) => {
            let help = "use `replaces-mode` or `semver-mode`";
            let unknown = rules::UPDATE_GRAPH.finding(format!("`updateGraph` is `{other}`")).help(help);
            add(operator, CHECK, unknown, &path(["updateGraph"]), found);
        }
    }
}

fn loops(operator: &Operator, found: &mut Vec<Finding>) {
    const CHECK: &str = "check_upgrade_graph_loop";
    for channel in operator.all_channels() {
        let graph = match operator.graph(channel) {
            Ok(graph) => graph,
            Err(error) => {
                add(operator, CHECK, no_graph(operator, &error), &[], found);
                return;
            }
        };
        if let Some((from, to)) = graph.back_edge() {
            let name = |it: usize| &operator.versions[it].name;
            let message =
                format!("in channel `{channel}`, upgrades form a loop: from `{}` back to `{}`", name(from), name(to));
            let closed =
                rules::LOOP.finding(message).help("correct `replaces`, `skips` and `olm.skipRange` of the two");
            let newer = &operator.versions[to];
            let shown = operator.path.display().to_string();
            let at = match newer.facts.replaces {
                Some(_) => path(["spec", "replaces"]),
                None => path(["metadata", "annotations", "olm.skipRange"]),
            };
            let at = Spot::Path(at);
            found.push(placed(closed, CHECK, newer.csv.as_ref().ok(), &at, &shown));
        }
    }
}
