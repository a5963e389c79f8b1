//! The conflicts between the answers of several namespaces: OLM resolves each by itself, but definitions belong to the
//! whole cluster.

use std::collections::BTreeSet;

use super::other_namespaces::{csv_apis, operator_apis};
use super::resolution::Resolution;
use super::rows::World;
use olmdex_rules::cluster::{Cluster, OperatorGroup};

/// An operator that is in a namespace when all is done.
struct Present {
    namespace: String,
    name: String,
    is_new: bool,
    kinds: BTreeSet<String>,
}

/// A conflict that no namespace sees by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crossing {
    /// The namespaces that it is about.
    pub namespaces: Vec<String>,
    /// The description, in words.
    pub text: String,
}

/// Warnings for administrators of the whole cluster. The input is the namespaces, each with its resolution if it has
/// one.
pub fn across(cluster: &Cluster, namespaces: &[(World, Option<Resolution>)]) -> Vec<Crossing> {
    let mut all: Vec<Present> = Vec::new();
    for (world, resolution) in namespaces {
        let stays = |name: &str| resolution.as_ref().is_none_or(|it| it.kept.iter().any(|it| it.name == name));
        let namespace = &world.namespace;
        let mut add = |name: &str, is_new, kinds| {
            all.push(Present { namespace: namespace.clone(), name: name.to_owned(), is_new, kinds });
        };
        let kinds = |apis: Vec<olmdex_fbc::Api>| apis.iter().map(|it| format!("{}.{}", it.kind, it.group)).collect();
        for csv in world.installed.iter().filter(|it| !it.is_copied && stays(&it.name)) {
            add(&csv.name, false, kinds(csv_apis(csv)));
        }
        for operator in resolution.iter().flat_map(|it| &it.operators) {
            add(&operator.name, true, kinds(operator_apis(operator)));
        }
    }
    let mut crossings = Vec::new();
    for (at, one) in all.iter().enumerate() {
        for other in all[at + 1..].iter().filter(|it| it.namespace != one.namespace) {
            let shared: Vec<&str> = one.kinds.intersection(&other.kinds).map(String::as_str).collect();
            if shared.is_empty() {
                continue;
            }
            let (a, b, shared) = (words(one), words(other), shared.join(", "));
            let text = if groups_overlap(cluster, &one.namespace, &other.namespace) {
                format!(
                    "{a} and {b} both own {shared}, and their OperatorGroups overlap: OLM fails the later one with \
                     InterOperatorGroupOwnerConflict"
                )
            } else if one.is_new == other.is_new {
                format!("{a} and {b} both own {shared}: the definition that is applied last serves both, newer or not")
            } else {
                continue;
            };
            crossings.push(Crossing { namespaces: vec![one.namespace.clone(), other.namespace.clone()], text });
        }
    }
    crossings.extend(of_both_generations(cluster, namespaces));
    crossings
}

/// Packages that Subscriptions and ClusterExtensions install both.
fn of_both_generations(cluster: &Cluster, namespaces: &[(World, Option<Resolution>)]) -> Vec<Crossing> {
    let subscriptions =
        || namespaces.iter().flat_map(|(world, _)| world.subscriptions.iter().map(move |it| (world, it)));
    let mut crossings = Vec::new();
    for extension in &cluster.extensions {
        for (world, it) in subscriptions().filter(|(_, it)| it.package == extension.package) {
            let text = format!(
                "the ClusterExtension {} and the Subscription {} in the namespace {} both install `{}`: OLM v1 refuses objects that \
                 another one manages",
                extension.name, it.name, world.namespace, extension.package
            );
            crossings.push(Crossing { namespaces: vec![world.namespace.clone()], text });
        }
    }
    crossings
}

fn words(it: &Present) -> String {
    format!("{} in the namespace {}", it.name, it.namespace)
}

/// Whether OperatorGroups of two namespaces have a target in common, as far as is known.
fn groups_overlap(cluster: &Cluster, one: &str, other: &str) -> bool {
    let of = |namespace: &str| {
        cluster.operator_groups.iter().filter(move |it| it.namespace == namespace).collect::<Vec<_>>()
    };
    let others = of(other);
    of(one).iter().any(|a| others.iter().any(|b| overlap(a, b)))
}

fn overlap(a: &OperatorGroup, b: &OperatorGroup) -> bool {
    let (Some(a), Some(b)) = (&a.targets, &b.targets) else { return false };
    let is_all = |it: &[String]| it.iter().any(String::is_empty);
    is_all(a) || is_all(b) || a.iter().any(|it| b.contains(it))
}
