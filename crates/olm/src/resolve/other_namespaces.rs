//! The effect of a resolution on other namespaces. OLM resolves each namespace by itself, but definitions belong to the
//! whole cluster.

use std::collections::BTreeSet;

use super::installed::package_said;
use super::resolution::{Operator, Resolution};
use super::rows::World;
use olmdex_constraint::fields::api_of;
use olmdex_fbc::{Api, Property};
use olmdex_rules::cluster::ClusterServiceVersion;

/// An operator that is installed now, or will be.
struct Provider<'p> {
    package: String,
    apis: BTreeSet<Api>,
    name: &'p str,
}

/// The APIs that an installed operator provides.
pub(crate) fn csv_apis(csv: &ClusterServiceVersion) -> Vec<Api> {
    Provider::of_csv(csv).apis.into_iter().collect()
}

/// The APIs that an operator to be installed provides.
pub(crate) fn operator_apis(operator: &Operator) -> Vec<Api> {
    Provider::of_operator(operator).apis.into_iter().collect()
}

impl<'p> Provider<'p> {
    fn of_csv(csv: &'p ClusterServiceVersion) -> Self {
        let wording = csv.properties.as_deref().unwrap_or_default();
        let owned = if csv.properties.is_some() { &[] } else { csv.owned.as_slice() };
        let apis = apis(wording, "olm.gvk").chain(owned.iter().cloned()).collect();
        Self { package: package_said(wording), apis, name: &csv.name }
    }

    fn of_operator(operator: &'p Operator) -> Self {
        let apis = apis(&operator.properties, "olm.gvk").collect();
        Self { package: operator.package.clone(), apis, name: &operator.name }
    }
}

fn apis<'p>(properties: &'p [Property], kind: &'p str) -> impl Iterator<Item = Api> + 'p {
    properties.iter().filter(move |it| &*it.kind == kind).filter_map(|it| api_of(&it.value))
}

fn required(csv: &ClusterServiceVersion) -> BTreeSet<Api> {
    match &csv.properties {
        Some(wording) => apis(wording, "olm.gvk.required").collect(),
        None => csv.required.iter().cloned().collect(),
    }
}

/// Warnings for the administrators of the other namespaces.
pub(super) fn warnings(world: &World, resolution: &Resolution) -> Vec<String> {
    let mut warnings = Vec::new();
    let others: Vec<(&ClusterServiceVersion, Provider<'_>)> =
        world.elsewhere().map(|it| (it, Provider::of_csv(it))).collect();
    if others.is_empty() {
        return warnings;
    }
    let stays = |csv: &&ClusterServiceVersion| resolution.kept.iter().any(|it| it.name == csv.name);
    let kept: Vec<Provider<'_>> = world.installed.iter().filter(stays).map(Provider::of_csv).collect();
    let all_new: Vec<Provider<'_>> = resolution.operators.iter().map(Provider::of_operator).collect();
    for (operator, new) in resolution.operators.iter().zip(&all_new) {
        for (csv, other) in &others {
            warnings.extend(shared_definitions(world, new, csv, other));
        }
        let replaced = world.installed.iter().find(|it| it.name == operator.replaces && !it.is_copied);
        for api in replaced.iter().flat_map(|it| Provider::of_csv(it).apis).filter(|it| !new.apis.contains(it)) {
            let mut left = others.iter().map(|it| &it.1).chain(&all_new).chain(&kept);
            if left.any(|it| it.apis.contains(&api)) {
                continue;
            }
            for (csv, _) in others.iter().filter(|(it, _)| required(it).contains(&api)) {
                warnings.push(format!(
                    "{} no longer provides {api}, which {} in the namespace {} requires: OLM does not look at other namespaces",
                    operator.name, csv.name, csv.namespace
                ));
            }
        }
    }
    warnings
}

/// The definitions that a new operator and one of another namespace both own, if there are some.
fn shared_definitions(
    world: &World,
    new: &Provider<'_>,
    csv: &ClusterServiceVersion,
    other: &Provider<'_>,
) -> Option<String> {
    let kind = |it: &Api| format!("{}.{}", it.kind, it.group);
    let owned: BTreeSet<String> = other.apis.iter().map(kind).collect();
    let shared: Vec<String> =
        new.apis.iter().map(kind).collect::<BTreeSet<_>>().intersection(&owned).cloned().collect();
    if shared.is_empty() || new.name == other.name {
        return None;
    }
    let (new_name, name, namespace, shared) = (new.name, &csv.name, &csv.namespace, shared.join(", "));
    Some(if !new.package.is_empty() && new.package == other.package {
        format!(
            "{new_name} in the namespace {} and {name} in {namespace} share {shared}: the definition that is applied last serves both, newer or not",
            world.namespace
        )
    } else {
        format!(
            "{new_name} would own {shared}, which {name} in the namespace {namespace} owns: OLM resolves each \
            namespace alone, so two operators would manage the same objects"
        )
    })
}
