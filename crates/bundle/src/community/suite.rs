//! The checks of each pipeline, and the findings of all checks of one pipeline about an operator
//! (`docs/behaviour/authoring.md` F.3).

use super::check::{check, distinct};
use super::finding::{LOAD, placed};
use super::marketplace;
use super::operator::{Operator, plain};
use super::repository::Repository;
use super::rules;
use olmdex_base::diag::Finding;
use olmdex_fbc::Spot;
use olmdex_text::json::Reader;

/// A pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suite {
    /// The pipeline of community operators.
    Community,
    /// The pipeline of certified operators and of the marketplace.
    Certified,
}

/// The checks that only one of them has.
const OF_COMMUNITY: [&str; 7] = [
    "check_api_version_constraints",
    "check_ci_upgrade_graph",
    "check_dangling_bundles",
    "check_operator_name_unique",
    "check_required_fields",
    "check_upgrade_graph_loop",
    "check_using_fbc",
];
const OF_CERTIFIED: [&str; 3] = ["check_marketplace_annotation", "check_pruned_graph", PROJECT_CHECK];

const PROJECT_CHECK: &str = "certification-project-check";

impl Suite {
    fn has(self, check: &str) -> bool {
        match self {
            Self::Community => !OF_CERTIFIED.contains(&check),
            Self::Certified => !OF_COMMUNITY.contains(&check),
        }
    }
}

/// The findings of a pipeline about an operator, each with the name of its check.
pub fn suite_findings(operator: &Operator, repository: Option<&Repository>, suite: Suite) -> Vec<Finding> {
    let mut found = check(operator);
    found.extend(repository.map(|it| marketplace::check(operator, it)).unwrap_or_default());
    found.extend(using_fbc(operator));
    found.extend(project(operator));
    found.retain(|finding| finding.check.is_none_or(|check| suite.has(check)));
    for finding in found.iter_mut().filter(|finding| finding.check == Some(LOAD)) {
        // Settings that cannot be read have the place of the operator.
        let shown = operator.path.display().to_string();
        let is_of_settings = finding.place.as_ref().is_some_and(|place| place.file == shown);
        finding.check = Some(if is_of_settings { "read-config" } else { "static-tests" });
    }
    distinct(found)
}

/// Certified operators belong to a project, which `ci.yaml` names.
fn project(operator: &Operator) -> Option<Finding> {
    let ci = operator.ci.as_ref().ok();
    let mut reader = Reader::new();
    let named = ci.and_then(|ci| reader.read(&ci.json).ok()?.get("cert_project_id")).and_then(plain);
    if named.is_some_and(|project| !project.is_empty()) {
        return None;
    }
    let finding = rules::NO_PROJECT.finding("`ci.yaml` names no certification project");
    let finding = finding.help("write the number of the project as `cert_project_id`");
    let shown = operator.path.join("ci.yaml").display().to_string();
    Some(placed(finding, PROJECT_CHECK, ci, &Spot::Start, &shown))
}

fn using_fbc(operator: &Operator) -> Option<Finding> {
    if operator.settings.is_fbc || operator.versions.is_empty() {
        return None;
    }
    let message = match operator.versions.len() {
        1 => "this new operator does not keep its catalogs in the repository, which may become mandatory",
        _ => "the operator does not keep its catalogs in the repository",
    };
    let help = "set `fbc.enabled` in `ci.yaml` and add templates; `olmdex edit release` maintains them";
    let shown = operator.path.display().to_string();
    let found = rules::NOT_FBC.finding(message).help(help);
    Some(placed(found, "check_using_fbc", operator.ci.as_ref().ok(), &Spot::Start, &shown))
}
