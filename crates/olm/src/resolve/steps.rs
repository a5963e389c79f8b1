//! The steps that OLM takes after a resolution: lookups of bundles, new Subscriptions, changed ones, and whether there
//! is an InstallPlan at all (`docs/behaviour/olm-classic.md` 5.2, 5.3).

use schemars::JsonSchema;
use serde::Serialize;

use super::resolution::{Operator, Resolution};
use super::rows::World;
use olmdex_rules::cluster::Subscription;

/// The steps that OLM takes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "StepsAnswer")]
pub struct Steps {
    /// Whether an InstallPlan is made. Without one nothing happens.
    pub install_plan: bool,
    /// Whether a person must approve it.
    pub needs_approval: bool,
    /// The bundles that are unpacked and installed.
    pub bundles: Vec<String>,
    /// Their places among the operators of the resolution, of which several may have one name.
    #[serde(skip)]
    pub operators: Vec<usize>,
    /// Subscriptions that are made for dependencies.
    pub new_subscriptions: Vec<NewSubscription>,
    /// Subscriptions that change.
    pub updated_subscriptions: Vec<UpdatedSubscription>,
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
pub fn is_about(subscription: &Subscription, operator: &Operator) -> bool {
    let is_source = (subscription.source.is_empty() && subscription.source_namespace.is_empty())
        || (operator.catalog == subscription.source && operator.catalog_namespace == subscription.source_namespace);
    subscription.package == operator.package
        && (subscription.channel.is_empty() || subscription.channel == operator.channel)
        && is_source
}

/// The steps that OLM takes after a resolution.
pub fn steps(world: &World, resolution: &Resolution) -> Steps {
    // One Subscription with manual approval is enough for all.
    let mut steps = Steps { needs_approval: world.subscriptions.iter().any(|it| it.is_manual), ..Steps::default() };
    for (idx, operator) in resolution.operators.iter().enumerate() {
        let about: Vec<&Subscription> = world.subscriptions.iter().filter(|it| is_about(it, operator)).collect();
        let is_there = world.installed.iter().any(|it| it.name == operator.name && !it.is_copied);
        if !about.is_empty() && is_there && about.iter().all(|it| it.current == operator.name) {
            continue;
        }
        steps.bundles.push(operator.name.clone());
        steps.operators.push(idx);
        if about.is_empty() {
            let Operator { package, channel, catalog, catalog_namespace, .. } = operator;
            let its_own = world.catalogs.iter().find(|it| it.name == *catalog && it.namespace == *catalog_namespace);
            let source = its_own.map_or(catalog.as_str(), |it| it.own_name());
            steps.new_subscriptions.push(NewSubscription {
                name: format!("{package}-{channel}-{source}-{catalog_namespace}"),
                package: package.clone(),
                channel: channel.clone(),
                source: catalog.clone(),
                source_namespace: catalog_namespace.clone(),
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
    // Only if an existing Subscription changes.
    steps.install_plan = !steps.updated_subscriptions.is_empty();
    steps
}
