//! Objects beside the definitions: disruption budgets, priority classes and roles (`docs/behaviour/authoring.md` B.8,
//! and `optional` of opm).

use super::contents::Object;
use super::node::Field;
use super::problem::{At, Observed, Problem, steps};
use super::table as rules;
use olmdex_base::diag::Severity::{Error, Warning};
use olmdex_fbc::Spot;
use olmdex_text::json::Kind;

/// The type of an error of the real validator, and that of a warning, which is another one.
const KIND: &str = "ObjectFailedValidation";
const WARNING_KIND: &str = "ValidationFailed";

/// The security context constraints that OpenShift comes with.
const DEFAULT_SCCS: [&str; 8] =
    ["privileged", "restricted", "anyuid", "hostaccess", "hostmount-anyuid", "hostnetwork", "node-exporter", "nonroot"];

/// Checks all objects.
pub(super) fn check(objects: &[Object<'_>]) -> Vec<Problem> {
    let mut found = Vec::new();
    for object in objects {
        match object.kind().as_str() {
            "PodDisruptionBudget" => budget(object, &mut found),
            "PriorityClass" => priority(object, &mut found),
            "Role" | "ClusterRole" => role(object, &mut found),
            _ => {}
        }
    }
    found
}

fn at(object: &Object<'_>, path: &str) -> At {
    At::File(object.file, Spot::Path(steps(path)))
}

/// A map of texts as Go prints it.
fn printed_map(node: Field<'_>) -> String {
    let members: Vec<String> = node.map().iter().map(|(key, value)| format!("{key}:{value}")).collect();
    format!("map[{}]", members.join(" "))
}

/// Type and metadata as Go prints them.
pub(super) fn printed_head(node: Field<'_>) -> String {
    let metadata = node.get("metadata");
    let text = |key: &str| metadata.text_of(key);
    let generation = match text("generation") {
        it if it.is_empty() => "0".to_owned(),
        it => it,
    };
    format!(
        "{{{} {}}} {{{} {} {} {} {} {} {generation} 0001-01-01 00:00:00 +0000 UTC <nil> <nil> {} {} [] [{}] []}}",
        node.text_of("kind"),
        node.text_of("apiVersion"),
        text("name"),
        text("generateName"),
        text("namespace"),
        text("selfLink"),
        text("uid"),
        text("resourceVersion"),
        printed_map(metadata.get("labels")),
        printed_map(metadata.get("annotations")),
        metadata.get("finalizers").texts().join(" ")
    )
}

fn budget(object: &Object<'_>, found: &mut Vec<Problem>) {
    let node = Field(Some(object.value));
    let (least, most) = (node.at("spec.minAvailable"), node.at("spec.maxUnavailable"));
    let printed = || {
        let or_nil = |it: Field<'_>| if it.is_set() { it.text() } else { "<nil>".to_owned() };
        let selector = match node.at("spec.selector") {
            it if !it.is_set() => "nil".to_owned(),
            it => {
                let labels: String =
                    it.get("matchLabels").map().iter().map(|(key, value)| format!("{key}: {value},")).collect();
                format!(
                    "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{}},}}"
                )
            }
        };
        let policy = if node.at("spec.unhealthyPodEvictionPolicy").is_set() { "PTR" } else { "<nil>" };
        let (head, least, most) = (printed_head(node), or_nil(least), or_nil(most));
        format!("{{{head} {{{least} {selector} {most} {policy}}} {{0 map[] 0 0 0 0 []}}}}")
    };
    // Go reads a string as 0 here.
    let is_zero = match most.kind() {
        Kind::Null => false,
        Kind::Number => most.text() == "0",
        _ => true,
    };
    if is_zero {
        let text = most.text();
        let is_really = matches!(text.as_str(), "0" | "0%");
        let wording = Observed::new(Error, KIND, printed(), "maxUnavailable field cannot be set to 0 or 0%");
        let message = format!("`maxUnavailable: {text}` allows no eviction, so nodes of the pods cannot be drained");
        let it = Problem::new(
            rules::BUDGET_MOST,
            at(object, "spec.maxUnavailable"),
            message,
            "allow the eviction of at least one pod",
        )
        .observed(wording);
        found.push(if is_really { it } else { it.tool_only() });
    }
    if least.text() == "100%" {
        let wording = Observed::new(Error, KIND, printed(), "minAvailable field cannot be set to 100%");
        let message = "`minAvailable: 100%` allows no eviction, so nodes of the pods cannot be drained";
        let it = Problem::new(
            rules::BUDGET_LEAST,
            at(object, "spec.minAvailable"),
            message,
            "allow the eviction of at least one pod",
        );
        found.push(it.observed(wording));
    }
}

fn priority(object: &Object<'_>, found: &mut Vec<Problem>) {
    let node = Field(Some(object.value));
    if !node.get("globalDefault").is_true() {
        return;
    }
    let value = match node.text_of("value") {
        it if it.is_empty() => "0".to_owned(),
        it => it,
    };
    let policy = if node.get("preemptionPolicy").is_set() { "PTR" } else { "<nil>" };
    let printed = format!("{{{} {value} true {} {policy}}}", printed_head(node), node.text_of("description"));
    let wording = Observed::new(Error, KIND, printed, "globalDefault field cannot be set to true");
    let message = "the PriorityClass is the default of the whole cluster";
    let help = "set `globalDefault: false`, and name the class in the pods";
    found.push(Problem::new(rules::GLOBAL_PRIORITY, at(object, "globalDefault"), message, help).observed(wording));
}

fn role(object: &Object<'_>, found: &mut Vec<Problem>) {
    let node = Field(Some(object.value));
    let rules_of = || node.get("rules").items().enumerate();
    let has = |rule: Field<'_>, key: &str, wanted: &[&str]| {
        rule.get(key).texts().iter().any(|it| wanted.contains(&it.as_str()))
    };
    let printed = |rule: Field<'_>| {
        let keys = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"];
        let lists: Vec<String> = keys.iter().map(|it| format!("[{}]", rule.get(it).texts().join(" "))).collect();
        format!("{{{}}}", lists.join(" "))
    };
    for (idx, rule) in rules_of() {
        let is_meant = has(rule, "apiGroups", &["policy"])
            && has(rule, "resources", &["poddisruptionbudgets"])
            && has(rule, "verbs", &["*", "create", "update", "patch"]);
        if is_meant {
            let wording =
                "RBAC includes permission to create/update poddisruptionbudgets, which could impact cluster stability";
            let wording = Observed::new(Warning, WARNING_KIND, printed(rule), wording);
            let message =
                "the role has permission to create or change disruption budgets, which can block the drain of nodes";
            let it = Problem::new(
                rules::ROLE_BUDGETS,
                at(object, &format!("rules.{idx}")),
                message,
                "leave out the permission",
            );
            found.push(it.observed(wording));
        }
    }
    for (idx, rule) in rules_of() {
        let is_meant = has(rule, "apiGroups", &["security.openshift.io"])
            && has(rule, "resources", &["securitycontextconstraints"])
            && has(rule, "verbs", &["*", "delete", "update", "patch"])
            && has(rule, "resourceNames", &DEFAULT_SCCS);
        if is_meant {
            let wording = "RBAC includes permission to modify default securitycontextconstraints, which could impact cluster stability";
            let wording = Observed::new(Error, KIND, printed(rule), wording);
            let message = "the role has permission to change the default security context constraints of OpenShift";
            let help = "add your own SecurityContextConstraints to the bundle, and name that";
            found.push(
                Problem::new(rules::ROLE_SCCS, at(object, &format!("rules.{idx}")), message, help).observed(wording),
            );
        }
    }
}
