//! Changes that remove obstacles, tried by resolving the namespace with them.

use super::NamespaceInquiry;
use super::commands::{SUBSCRIPTIONS, plain_name};
use crate::obstacle::{Obstacle, Remedy};
use crate::resolve::{Failure, World, resolution_after};
use olmdex_rules::cluster::Subscription;

impl NamespaceInquiry<'_> {
    /// Takes some of the tries that are left; `false` if there are too few.
    pub(super) fn may_try(&self, n: usize) -> bool {
        let left = self.tries.get().checked_sub(n);
        self.tries.set(left.unwrap_or_default());
        left.is_some()
    }

    /// A change, if the namespace can be resolved with it; `world` is the namespace after the change.
    pub(super) fn tried(
        &self,
        world: &World,
        change: String,
        commands: Vec<String>,
    ) -> Result<Option<Remedy>, Failure> {
        // Without the catalogs of all Subscriptions, an answer would be about another namespace. A change that is not
        // tried says so by having no result.
        if !self.is_whole() || !self.may_try(1) {
            return Ok(Some(Remedy { change, commands, installs: None }));
        }
        let resolution = resolution_after(world, self.rows, self.options)?;
        Ok(resolution.map(|resolution| {
            let installs = resolution.operators.into_iter().map(|operator| operator.name).collect();
            Remedy { change, commands, installs: Some(installs) }
        }))
    }

    /// Offers to delete a Subscription with its ClusterServiceVersion, and to create it again: OLM begins anew then,
    /// and definitions and objects stay. `before` is to be done first.
    pub(super) fn with_reinstallation(
        &self,
        mut found: Obstacle,
        subscription: &Subscription,
        csv: Option<&str>,
        before: &str,
        first: Vec<String>,
    ) -> Obstacle {
        let name = &subscription.name;
        let what = match csv {
            Some(csv) => format!("delete the Subscription {name} and the ClusterServiceVersion {csv}"),
            None => format!("delete the Subscription {name}"),
        };
        let then = "create the Subscription again: OLM installs anew, and definitions and objects stay";
        let change = match before {
            "" => format!("{what}, and {then}"),
            before => format!("{before}, {what}, and {then}"),
        };
        let installs = self.reinstalled(subscription);
        let commands = self.reinstallation(subscription, csv, first).unwrap_or_default();
        found.remedies.push(Remedy { change, commands, installs });
        found
    }

    /// The bundles that OLM installs if a Subscription is deleted with its operator and created again.
    fn reinstalled(&self, subscription: &Subscription) -> Option<Vec<String>> {
        let mut world = self.world.clone();
        let own = world.subscriptions.iter_mut().find(|it| it.name == subscription.name)?;
        for name in [std::mem::take(&mut own.installed), std::mem::take(&mut own.current)] {
            world.installed.retain(|it| it.name != name || name.is_empty());
        }
        own.state.clear();
        self.tried(&world, String::new(), Vec::new()).ok().flatten()?.installs
    }

    fn reinstallation(
        &self,
        subscription: &Subscription,
        csv: Option<&str>,
        first: Vec<String>,
    ) -> Option<Vec<String>> {
        let (namespace, name) = (plain_name(self.namespace())?, plain_name(&subscription.name)?);
        let csv = match csv {
            Some(csv) => Some(plain_name(csv)?),
            None => None,
        };
        let mut commands = vec![format!(
            "oc -n {namespace} get {SUBSCRIPTIONS} {name} -o json | jq 'del(.status, .metadata.resourceVersion, \
             .metadata.uid)' > {name}.json"
        )];
        commands.push(format!("oc -n {namespace} delete {SUBSCRIPTIONS} {name}"));
        commands.extend(csv.map(|csv| format!("oc -n {namespace} delete csv {csv}")));
        commands.extend(first);
        commands.push(format!("oc create -f {name}.json"));
        Some(commands)
    }
}
