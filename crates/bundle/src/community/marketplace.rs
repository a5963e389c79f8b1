//! The demands of redhat-marketplace's pipeline on a ClusterServiceVersion (`docs/behaviour/authoring.md` F.3).

use super::finding::placed;
use super::operator::{Operator, path, plain};
use super::repository::Repository;
use super::rules;
use olmdex_base::diag::Finding;
use olmdex_fbc::Spot;
use olmdex_text::json::Reader;

const CHECK: &str = "check_marketplace_annotation";

/// The addresses that are missing or others.
pub(super) fn check(operator: &Operator, repository: &Repository) -> Vec<Finding> {
    let mut found = Vec::new();
    if repository.organization.as_deref() != Some("redhat-marketplace") {
        return found;
    }
    for version in &operator.versions {
        let Ok(csv) = &version.csv else { continue };
        let mut reader = Reader::new();
        let annotations = reader.read(&csv.json).ok().and_then(|it| it.get("metadata")?.get("annotations"));
        for kind in ["remote", "support"] {
            let page = if kind == "remote" { "pricing" } else { kind };
            let key = format!("marketplace.openshift.io/{kind}-workflow");
            let expected = format!(
                "https://marketplace.redhat.com/en-us/operators/{}/{page}?utm_source=openshift_console",
                version.facts.package
            );
            let value = annotations.and_then(|it| it.get(&key)).and_then(plain);
            if value.as_deref() == Some(&expected) {
                continue;
            }
            let message = match &value {
                Some(value) => format!("`{key}` is `{value}`"),
                None => format!("`{key}` is not set"),
            };
            let at = Spot::Path(path(["metadata", "annotations", &key]));
            let shown = operator.path.join(&version.name).display().to_string();
            let refused = rules::MARKETPLACE.finding(message).help(format!("write `{expected}`"));
            found.push(placed(refused, CHECK, Some(csv), &at, &shown));
        }
    }
    found
}
