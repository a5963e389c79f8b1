//! What a namespace becomes: a resolution carried out, and then the next, until nothing changes.
//!
//! What it deliberately does not do: nothing fails. Every InstallPlan is approved, every bundle unpacks, every operator
//! comes up; a cluster may be less lucky.

use super::failure::Failure;
use super::resolution::{Options, Resolution, Verdict, resolve};
use super::rows::{Rows, World};
use super::steps::{Steps, steps};
use crate::cluster::{ClusterServiceVersion, Subscription};

/// How many resolutions may follow each other.
pub const MAX_GENERATIONS: usize = 1000;

/// One resolution, and what it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// What came of it.
    pub verdict: Verdict,
    /// What OLM does then; nothing if there is no answer.
    pub steps: Steps,
    /// The names of what is installed afterwards.
    pub installed: Vec<String>,
}

/// The world after OLM has done its steps. Without an InstallPlan nothing changes.
#[must_use]
pub fn after(world: &World, resolution: &Resolution, steps: &Steps) -> World {
    let mut next = world.clone();
    if !steps.makes_install_plan {
        return next;
    }
    for operator in steps.bundles.iter().filter_map(|it| resolution.operators.get(*it)) {
        next.installed.retain(|it| it.is_copied || (it.name != operator.replaces && it.name != operator.name));
        next.installed.push(ClusterServiceVersion {
            name: operator.name.clone(),
            namespace: world.namespace.clone(),
            version: operator.version.clone(),
            replaces: operator.replaces.clone(),
            phase: "Succeeded".to_owned(),
            properties: Some(operator.properties.clone()),
            place: operator.place.clone(),
            ..ClusterServiceVersion::default()
        });
    }
    for updated in &steps.updated_subscriptions {
        for it in next.subscriptions.iter_mut().filter(|it| it.name == updated.name) {
            it.current.clone_from(&updated.current);
            it.installed.clone_from(&updated.current);
        }
    }
    for new in &steps.new_subscriptions {
        next.subscriptions.push(Subscription {
            name: new.name.clone(),
            namespace: world.namespace.clone(),
            package: new.package.clone(),
            channel: new.channel.clone(),
            source: new.source.clone(),
            source_namespace: new.source_namespace.clone(),
            starting: new.starting.clone(),
            installed: new.starting.clone(),
            current: new.starting.clone(),
            ..Subscription::default()
        });
    }
    next
}

/// Resolves again and again, until nothing changes, nothing can be resolved, or what is installed was installed before.
///
/// # Errors
/// As [`resolve`]; and if it does not come to an end.
pub fn generations(world: &World, rows: &dyn Rows, options: &Options) -> Result<Vec<Generation>, Failure> {
    let mut at = world.clone();
    let mut generations: Vec<Generation> = Vec::new();
    let mut seen: Vec<Vec<String>> = vec![names(&at)];
    while generations.len() < MAX_GENERATIONS {
        let verdict = resolve(&at, rows, options)?;
        let Verdict::Resolved(resolution) = &verdict else {
            generations.push(Generation { verdict, steps: Steps::default(), installed: names(&at) });
            return Ok(generations);
        };
        let steps = steps(&at, resolution);
        if !steps.makes_install_plan {
            generations.push(Generation { verdict, steps, installed: names(&at) });
            return Ok(generations);
        }
        at = after(&at, resolution, &steps);
        let installed = names(&at);
        generations.push(Generation { verdict, steps, installed: installed.clone() });
        if seen.contains(&installed) {
            return Ok(generations);
        }
        seen.push(installed);
    }
    Err(Failure::Limit(format!("the namespace is not stable after {MAX_GENERATIONS} resolutions")))
}

fn names(world: &World) -> Vec<String> {
    let mut names: Vec<String> = world.installed.iter().filter(|it| !it.is_copied).map(|it| it.name.clone()).collect();
    names.sort();
    names
}
