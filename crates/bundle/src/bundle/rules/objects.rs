//! Objects beside the definitions: disruption budgets, priority classes and roles (`docs/behaviour/authoring.md` B.8,
//! and `optional` of opm).

use super::contents::Object;
use super::node::Field;
use super::problem::{At, Problem, steps};
use super::table as rules;
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

fn budget(object: &Object<'_>, found: &mut Vec<Problem>) {
    let node = Field(Some(object.value));
    let (least, most) = (node.at("spec.minAvailable"), node.at("spec.maxUnavailable"));
    // Go reads a string as 0 here.
    let is_zero = match most.kind() {
        Kind::Null => false,
        Kind::Number => most.text() == "0",
        _ => true,
    };
    if is_zero {
        let text = most.text();
        let is_really = matches!(text.as_str(), "0" | "0%");
        let message = if is_really {
            format!("`maxUnavailable: {text}` allows no eviction, so nodes of the pods cannot be drained")
        } else {
            format!("operator-sdk takes `maxUnavailable: {text}` for 0")
        };
        let help = "allow the eviction of at least one pod";
        let it = Problem::new(rules::BUDGET_MOST, at(object, "spec.maxUnavailable"), message, help).reported_as(KIND);
        found.push(if is_really { it } else { it.tool_only() });
    }
    if least.text() == "100%" {
        let message = "`minAvailable: 100%` allows no eviction, so nodes of the pods cannot be drained";
        let help = "allow the eviction of at least one pod";
        let it = Problem::new(rules::BUDGET_LEAST, at(object, "spec.minAvailable"), message, help);
        found.push(it.reported_as(KIND));
    }
}

fn priority(object: &Object<'_>, found: &mut Vec<Problem>) {
    let node = Field(Some(object.value));
    if !node.get("globalDefault").is_true() {
        return;
    }
    let message = "the PriorityClass is the default of the whole cluster";
    let help = "set `globalDefault: false`, and name the class in the pods";
    found.push(Problem::new(rules::GLOBAL_PRIORITY, at(object, "globalDefault"), message, help).reported_as(KIND));
}

fn role(object: &Object<'_>, found: &mut Vec<Problem>) {
    let node = Field(Some(object.value));
    let rules_of = || node.get("rules").items().enumerate();
    let has = |rule: Field<'_>, key: &str, wanted: &[&str]| {
        rule.get(key).texts().iter().any(|it| wanted.contains(&it.as_str()))
    };
    for (idx, rule) in rules_of() {
        let is_meant = has(rule, "apiGroups", &["policy"])
            && has(rule, "resources", &["poddisruptionbudgets"])
            && has(rule, "verbs", &["*", "create", "update", "patch"]);
        if is_meant {
            let message =
                "the role has permission to create or change disruption budgets, which can block the drain of nodes";
            let at = at(object, &format!("rules.{idx}"));
            let it = Problem::new(rules::ROLE_BUDGETS, at, message, "leave out the permission");
            found.push(it.reported_as(WARNING_KIND));
        }
    }
    for (idx, rule) in rules_of() {
        let is_meant = has(rule, "apiGroups", &["security.openshift.io"])
            && has(rule, "resources", &["securitycontextconstraints"])
            && has(rule, "verbs", &["*", "delete", "update", "patch"])
            && has(rule, "resourceNames", &DEFAULT_SCCS);
        if is_meant {
            let message = "the role has permission to change the default security context constraints of OpenShift";
            let help = "add your own SecurityContextConstraints to the bundle, and name that";
            let it = Problem::new(rules::ROLE_SCCS, at(object, &format!("rules.{idx}")), message, help);
            found.push(it.reported_as(KIND));
        }
    }
}
