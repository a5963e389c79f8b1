//! The permissions that an operator's installation grants, and those that one version asks for and another does not.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use olmdex_fbc::service_version::{Permission, PolicyRule};

/// The scope of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RuleScope {
    /// In all namespaces.
    Cluster,
    /// In the namespaces that the operator watches; in all of them if it watches all.
    Namespace,
}

/// A rule that an operator asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskedRule {
    /// Its scope.
    pub scope: RuleScope,
    /// The service account that it is granted to.
    pub service_account: String,
    /// Groups; the core group is empty, `*` stands for all.
    pub api_groups: Vec<String>,
    /// Resources.
    pub resources: Vec<String>,
    /// The only names that it is about; all names if the list is empty.
    pub resource_names: Vec<String>,
    /// Paths of the API server that are no resources.
    #[serde(rename = "nonResourceURLs")]
    pub non_resource_urls: Vec<String>,
    /// Verbs.
    pub verbs: Vec<String>,
}

impl AskedRule {
    /// The reasons why somebody should look at this rule before installing the operator; none for an ordinary one. A
    /// rule about a few objects is ordinary, unless these give rights or run commands. Kubernetes' guide to good
    /// practice for RBAC warns of these rights.
    pub fn risks(&self) -> Vec<&'static str> {
        let is_named = !self.resource_names.is_empty();
        let has = |list: &[String], words: &[&str]| list.iter().any(|it| it == "*" || words.contains(&it.as_str()));
        let is_about =
            |group: &str, resources: &[&str]| has(&self.api_groups, &[group]) && has(&self.resources, resources);
        const RBAC: &str = "rbac.authorization.k8s.io";
        let changes = ["create", "update", "patch"];
        let rbac = ["roles", "clusterroles", "rolebindings", "clusterrolebindings"];
        let hooks = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"];
        if [&self.api_groups, &self.resources, &self.verbs].iter().all(|list| list.iter().any(|it| it == "*")) {
            return if is_named { Vec::new() } else { vec!["may do everything"] };
        }
        let changes_secrets = has(&self.verbs, &["create", "update", "patch", "delete", "deletecollection"]);
        [
            (
                !is_named
                    && is_about("", &["users", "groups", "serviceaccounts"])
                    && has(&self.verbs, &["impersonate"]),
                "acts as others",
            ),
            (
                is_about(RBAC, &["roles", "clusterroles"]) && has(&self.verbs, &["escalate", "bind"]),
                if is_named { "gives rights of roles" } else { "gives any right" },
            ),
            (is_about(RBAC, &rbac) && has(&self.verbs, &changes), "changes roles"),
            (
                !is_named && is_about("", &["secrets"]) && has(&self.verbs, &["get", "list", "watch"]),
                if changes_secrets { "reads and changes secrets" } else { "reads secrets" },
            ),
            (
                is_about("", &["pods/exec", "pods/attach"]) && has(&self.verbs, &["create", "get"]),
                "runs commands in pods",
            ),
            (
                !is_named && is_about("", &["serviceaccounts/token"]) && has(&self.verbs, &["create"]),
                "makes tokens of accounts",
            ),
            (!is_named && is_about("", &["nodes", "nodes/proxy"]) && has(&self.verbs, &changes), "changes nodes"),
            (
                !is_named && is_about("admissionregistration.k8s.io", &hooks) && has(&self.verbs, &changes),
                "changes requests of others",
            ),
        ]
        .into_iter()
        .filter(|(is_so, _)| *is_so)
        .map(|(_, words)| words)
        .collect()
    }
}

/// The permissions that a bundle asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BundlePermissions {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// Whether the catalog has its ClusterServiceVersion as a whole; if not, nothing is known.
    pub is_known: bool,
    /// Whether it supports AllNamespaces alone: then OLM Classic makes cluster roles of all rules.
    pub is_for_all_namespaces: bool,
    /// The rules, in their order.
    pub rules: Vec<AskedRule>,
    /// The bundle that it is compared with.
    pub against: Option<ComparedBundle>,
    /// The rules that it grants and the other bundle does not, if both are known.
    pub added: Option<Vec<AskedRule>>,
}

/// The bundle that another one is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedBundle {
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// Whether what it asks for is known.
    pub is_known: bool,
}

/// The rules of permissions, each with where it holds.
pub fn rules_of(permissions: &[Permission]) -> Vec<AskedRule> {
    let of = |permission: &Permission| -> Vec<AskedRule> {
        let scope = if permission.is_cluster_wide { RuleScope::Cluster } else { RuleScope::Namespace };
        let asked = |rule: &PolicyRule| AskedRule {
            scope,
            service_account: permission.service_account.clone(),
            api_groups: rule.api_groups.clone(),
            resources: rule.resources.clone(),
            resource_names: rule.resource_names.clone(),
            non_resource_urls: rule.non_resource_urls.clone(),
            verbs: rule.verbs.clone(),
        };
        permission.rules.iter().map(asked).collect()
    };
    permissions.iter().flat_map(of).collect()
}

/// The largest number of pairs of a group and a resource in one rule that are compared one by one; a rule with more is
/// compared as a whole.
const MAX_PAIRS: usize = 4096;

/// The permissions that the new rules grant and the old ones do not, whichever account gets them. A rule is reduced to
/// its new part, with resources of the same verbs together.
pub fn added(new: &[AskedRule], old: &[AskedRule]) -> Vec<AskedRule> {
    let mut found: Vec<AskedRule> = Vec::new();
    for rule in new {
        let parts = match rule.api_groups.len().saturating_mul(rule.resources.len()) {
            n if n <= MAX_PAIRS => parts_of(rule),
            _ => vec![rule.clone()],
        };
        let mut of_rule: Vec<AskedRule> = Vec::new();
        for part in parts {
            let granted: BTreeSet<&str> = old
                .iter()
                .filter(|it| covers_place(it, &part))
                .flat_map(|it| it.verbs.iter().map(String::as_str))
                .collect();
            let is_new = |it: &&String| !granted.contains("*") && !granted.contains(it.as_str());
            let verbs: Vec<String> = part.verbs.iter().filter(is_new).cloned().collect();
            if verbs.is_empty() {
                continue;
            }
            let part = AskedRule { verbs, ..part };
            match of_rule.iter_mut().find(|it| it.api_groups == part.api_groups && it.verbs == part.verbs) {
                Some(same) => {
                    let more = part.resources.into_iter().filter(|it| !same.resources.contains(it)).collect::<Vec<_>>();
                    same.resources.extend(more);
                }
                None => of_rule.push(part),
            }
        }
        found.extend(of_rule.into_iter().filter(|it| !found.contains(it)).collect::<Vec<_>>());
    }
    found
}

/// A rule for each of its groups and resources, and one for its paths.
fn parts_of(rule: &AskedRule) -> Vec<AskedRule> {
    let mut parts = Vec::new();
    for group in &rule.api_groups {
        for resource in &rule.resources {
            parts.push(AskedRule {
                api_groups: vec![group.clone()],
                resources: vec![resource.clone()],
                non_resource_urls: Vec::new(),
                ..rule.clone()
            });
        }
    }
    if !rule.non_resource_urls.is_empty() {
        parts.push(AskedRule { api_groups: Vec::new(), resources: Vec::new(), ..rule.clone() });
    }
    parts
}

/// Whether a rule covers all groups, resources and names of a part, whatever its verbs.
fn covers_place(rule: &AskedRule, part: &AskedRule) -> bool {
    let has =
        |own: &[String], wanted: &[String]| own.iter().any(|it| it == "*") || wanted.iter().all(|it| own.contains(it));
    let covers_url = |url: &String| {
        let is_below = |it: &String| it.strip_suffix('*').is_some_and(|prefix| url.starts_with(prefix));
        rule.non_resource_urls.iter().any(|it| it == url || is_below(it))
    };
    let is_named = rule.resource_names.is_empty()
        || (!part.resource_names.is_empty() && part.resource_names.iter().all(|it| rule.resource_names.contains(it)));
    (rule.scope == RuleScope::Cluster || part.scope == RuleScope::Namespace)
        && has(&rule.api_groups, &part.api_groups)
        && has(&rule.resources, &part.resources)
        && part.non_resource_urls.iter().all(covers_url)
        && is_named
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scope groups resources names urls verbs`, lists with commas, `-` for none, `core` for the core group.
    fn rule(text: &str) -> AskedRule {
        let words: Vec<&str> = text.split(' ').collect();
        let list = |at: usize| -> Vec<String> {
            let all = words[at].split(',').filter(|it| *it != "-");
            all.map(|it| if it == "core" { String::new() } else { it.to_owned() }).collect()
        };
        AskedRule {
            scope: if words[0] == "cluster" { RuleScope::Cluster } else { RuleScope::Namespace },
            service_account: "a".to_owned(),
            api_groups: list(1),
            resources: list(2),
            resource_names: list(3),
            non_resource_urls: list(4),
            verbs: list(5),
        }
    }

    #[test]
    fn rights_to_look_at_are_named() {
        for (text, risk) in [
            ("cluster * * - - *", vec!["may do everything"]),
            ("cluster core secrets - - get,list", vec!["reads secrets"]),
            ("cluster core * - - get", vec!["reads secrets", "runs commands in pods"]),
            ("cluster core secrets - - create", vec![]),
            ("cluster core secrets one - get", vec![]),
            ("cluster core secrets - - get,delete", vec!["reads and changes secrets"]),
            ("cluster core pods/exec one - create", vec!["runs commands in pods"]),
            ("cluster rbac.authorization.k8s.io clusterroles one - bind", vec!["gives rights of roles"]),
            ("cluster rbac.authorization.k8s.io roles one - update", vec!["changes roles"]),
            ("cluster core secrets,serviceaccounts - - *", vec!["acts as others", "reads and changes secrets"]),
            ("cluster apps secrets - - get", vec![]),
            ("cluster rbac.authorization.k8s.io roles - - patch", vec!["changes roles"]),
            ("cluster rbac.authorization.k8s.io roles - - get", vec![]),
            ("cluster core pods/exec - - create", vec!["runs commands in pods"]),
            ("cluster core users - - impersonate", vec!["acts as others"]),
            ("cluster core pods,services - - *", vec![]),
            ("cluster core serviceaccounts - - *", vec!["acts as others"]),
            ("cluster rbac.authorization.k8s.io clusterroles - - bind", vec!["gives any right"]),
            ("cluster apps deployments - - get,create", vec![]),
            ("cluster - - - /metrics get", vec![]),
        ] {
            let mut rule = rule(text);
            rule.api_groups.iter_mut().filter(|it| *it == "core").for_each(String::clear);
            assert_eq!(rule.risks(), risk, "{text}");
        }
    }

    #[test]
    fn a_version_adds_what_no_older_rule_grants() {
        let cases: &[(&[&str], &[&str], &[&str])] = &[
            (&["cluster core pods - - get"], &["cluster core pods - - get"], &[]),
            (&["cluster core pods - - get,list"], &["cluster core pods - - get"], &["cluster core pods - - list"]),
            // Several older rules together grant it.
            (&["cluster core pods - - get,list"], &["cluster core pods - - get", "cluster core pods - - list"], &[]),
            (
                &["cluster core,apps pods,jobs - - get"],
                &["cluster core pods - - get"],
                &["cluster core jobs - - get", "cluster apps pods,jobs - - get"],
            ),
            (&["cluster core pods - - get"], &["cluster * * - - *"], &[]),
            (&["cluster * * - - *"], &["cluster core pods - - get"], &["cluster * * - - *"]),
            // A rule for namespaces grants less than the same rule for the whole cluster.
            (&["namespace core pods - - get"], &["cluster core pods - - get"], &[]),
            (&["cluster core pods - - get"], &["namespace core pods - - get"], &["cluster core pods - - get"]),
            // A rule for some names grants less than the same rule for all.
            (&["cluster core pods a - get"], &["cluster core pods - - get"], &[]),
            (&["cluster core pods - - get"], &["cluster core pods a - get"], &["cluster core pods - - get"]),
            (&["cluster core pods a - get"], &["cluster core pods a,b - get"], &[]),
            (&["cluster - - - /metrics get"], &["cluster - - - /m* get"], &[]),
            (&["cluster - - - /metrics get"], &[], &["cluster - - - /metrics get"]),
            // A resource has parts, which are others.
            (&["cluster core pods/log - - get"], &["cluster core pods - - get"], &["cluster core pods/log - - get"]),
        ];
        for (new, old, expected) in cases {
            let read = |it: &[&str]| it.iter().map(|it| rule(it)).collect::<Vec<_>>();
            assert_eq!(added(&read(new), &read(old)), read(expected), "{new:?} against {old:?}");
        }
    }

    #[test]
    fn a_rule_of_thousands_is_compared_as_a_whole() {
        let many = |n: usize| (0..n).map(|it| format!("r{it}")).collect::<Vec<_>>();
        let new = AskedRule { api_groups: many(1000), resources: many(1000), ..rule("cluster - - - - get") };
        assert_eq!(added(std::slice::from_ref(&new), &[]), std::slice::from_ref(&new));
        assert_eq!(added(std::slice::from_ref(&new), std::slice::from_ref(&new)), []);
    }
}
