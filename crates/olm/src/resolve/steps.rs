//! The steps that OLM takes after a resolution: lookups of bundles, new Subscriptions, changed ones, and whether there
//! is an InstallPlan at all (`docs/behaviour/olm-classic.md` 5.2, 5.3).

use schemars::JsonSchema;
use serde::Serialize;

use super::resolution::{Operator, Resolution};
use super::rows::World;
use olmdex_rules::cluster::Subscription;

/// The steps that OLM takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Steps {
    /// The bundles that are looked up and unpacked: their places among the operators of the resolution.
    pub bundles: Vec<usize>,
    /// Subscriptions that are made for dependencies.
    pub new_subscriptions: Vec<NewSubscription>,
    /// Subscriptions whose `status.currentCSV` changes.
    pub updated_subscriptions: Vec<UpdatedSubscription>,
    /// Whether an InstallPlan is made: only if an existing Subscription changes. Without one, no step above happens.
    pub makes_install_plan: bool,
    /// Whether a person must approve it: one Subscription with manual approval is enough for all.
    pub needs_approval: bool,
}

/// A Subscription that OLM makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewSubscription {
    /// Its name.
    pub name: String,
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The catalog.
    pub source: String,
    /// The namespace of the catalog.
    pub source_namespace: String,
    /// The bundle to start with.
    #[serde(rename = "startingCSV")]
    pub starting: String,
}

/// A Subscription that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UpdatedSubscription {
    /// Its name.
    pub name: String,
    /// The bundle that it had installed, or empty.
    #[serde(rename = "installedCSV")]
    pub installed: String,
    /// The bundle that it gets.
    #[serde(rename = "currentCSV")]
    pub current: String,
}

/// Whether a Subscription is about an operator, by package, channel and catalog.
pub fn is_about(world: &World, subscription: &Subscription, operator: &Operator) -> bool {
    let catalog = world.catalogs.get(operator.catalog);
    let is_source = (subscription.source.is_empty() && subscription.source_namespace.is_empty())
        || catalog.is_some_and(|it| it.name == subscription.source && it.namespace == subscription.source_namespace);
    subscription.package == operator.package
        && (subscription.channel.is_empty() || subscription.channel == operator.channel)
        && is_source
}

/// The steps that OLM takes after a resolution.
pub fn steps(world: &World, resolution: &Resolution) -> Steps {
    let mut steps = Steps { needs_approval: world.subscriptions.iter().any(|it| it.is_manual), ..Steps::default() };
    for (idx, operator) in resolution.operators.iter().enumerate() {
        let about: Vec<&Subscription> = world.subscriptions.iter().filter(|it| is_about(world, it, operator)).collect();
        let is_there = world.installed.iter().any(|it| it.name == operator.name && !it.is_copied);
        if !about.is_empty() && is_there && about.iter().all(|it| it.current == operator.name) {
            continue;
        }
        steps.bundles.push(idx);
        if about.is_empty() {
            let catalog = world.catalogs.get(operator.catalog).cloned().unwrap_or_default();
            steps.new_subscriptions.push(NewSubscription {
                name: format!("{}-{}-{}-{}", operator.package, operator.channel, catalog.name, catalog.namespace),
                package: operator.package.clone(),
                channel: operator.channel.clone(),
                source: catalog.name,
                source_namespace: catalog.namespace,
                starting: operator.name.clone(),
            });
        }
        for subscription in about.iter().filter(|it| it.current != operator.name) {
            steps.updated_subscriptions.push(UpdatedSubscription {
                name: subscription.name.clone(),
                installed: subscription.installed.clone(),
                current: operator.name.clone(),
            });
        }
    }
    steps.makes_install_plan = !steps.updated_subscriptions.is_empty();
    steps
}
