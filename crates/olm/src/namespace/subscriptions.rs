//! The next question of OLM: whether an InstallPlan is under way for a Subscription, which waits, runs or failed
//! (`docs/behaviour/olm-classic.md` 5.3, 5.4).

use super::NamespaceInquiry;
use super::commands::{Commands, SUBSCRIPTIONS};
use crate::obstacle::{Effect, Obstacle, ObstacleCode};
use olmdex_rules::cluster::{Condition, InstallPlan, Subscription};

/// The first step where OLM has tried and failed.
const CAUSE: &str = "remove the cause that the message names";

/// The next one if a bundle could not be unpacked: OLM makes the job again.
const JOB: &str = ", delete the job that unpacks the bundle";

/// The label of the jobs that unpack bundles.
const UNPACKING: &str = "operatorframework.io/bundle-unpack-ref";

impl NamespaceInquiry<'_> {
    pub(super) fn of_subscriptions(&self) -> Vec<Obstacle> {
        let mut obstacles: Vec<Obstacle> = Vec::new();
        for subscription in self.subscriptions() {
            let own = self.of_plan(subscription).or_else(|| self.of_conditions(subscription));
            let Some(mut found) = own else { continue };
            // One InstallPlan has all operators that were resolved together.
            match obstacles.iter_mut().find(|it| it.code == found.code && it.object == found.object) {
                Some(known) => known.subjects.append(&mut found.subjects),
                None => obstacles.push(found),
            }
        }
        obstacles
    }

    /// The InstallPlan that a Subscription waits for.
    fn of_plan(&self, subscription: &Subscription) -> Option<Obstacle> {
        let Subscription { name, namespace, .. } = subscription;
        if let Some(plan) = self.cluster.waiting_plan(subscription) {
            return Some(self.approval(plan).of([name]));
        }
        let is_pending = matches!(subscription.state.as_str(), "UpgradePending" | "UpgradeFailed");
        let own = |it: &&InstallPlan| it.namespace == *namespace && it.name == subscription.install_plan;
        let plan = self.cluster.install_plans.iter().find(own);
        match plan {
            Some(plan) if plan.phase == "Failed" && (is_pending || subscription.state.is_empty()) => {
                Some(self.failed_plan(subscription, plan))
            }
            Some(plan) if is_pending && plan.phase != "Complete" => {
                let text = format!("the InstallPlan {} is being carried out", plan.name);
                let effect = Effect::Waits;
                let found = Obstacle::new(ObstacleCode::InstallPlanRunning, effect, object(plan), text, &plan.place);
                let look = self.commands().get("installplan", &plan.name);
                let found = found.of([name]).since(&plan.since).message(&plan.message);
                Some(found.remedy("wait for it; if it does not move, look at its status", look))
            }
            None if is_pending && !subscription.install_plan.is_empty() && !self.has_current(subscription) => {
                Some(self.missing_plan(subscription))
            }
            _ => None,
        }
    }

    /// Whether the InstallPlan of a Subscription is carried out.
    pub(super) fn has_completed(&self, subscription: &Subscription) -> bool {
        let is_its = |it: &InstallPlan| it.namespace == subscription.namespace && it.name == subscription.install_plan;
        self.cluster.install_plans.iter().any(|it| is_its(it) && it.phase == "Complete")
    }

    /// Whether the ClusterServiceVersion that a Subscription upgrades to is there.
    fn has_current(&self, subscription: &Subscription) -> bool {
        let is_current = |name: &str| name == subscription.current && subscription.current != subscription.installed;
        self.world.installed.iter().any(|it| is_current(&it.name))
    }

    fn approval(&self, plan: &InstallPlan) -> Obstacle {
        let text = format!("the InstallPlan {} waits for your approval of {}", plan.name, plan.csvs.join(", "));
        let found = Obstacle::new(ObstacleCode::ApprovalNeeded, Effect::Waits, object(plan), text, &plan.place);
        let found = found.since(&plan.since).then(
            "OLM installs nothing of it before, and makes no other InstallPlan while all Subscriptions of the namespace \
             wait",
        );
        found.remedy(format!("approve {}", plan.name), self.commands().approve(&plan.name))
    }

    fn failed_plan(&self, subscription: &Subscription, plan: &InstallPlan) -> Obstacle {
        let reported = Condition::find(&subscription.conditions, "InstallPlanFailed").map(|it| it.message.as_str());
        let message = if plan.message.is_empty() { reported.unwrap_or_default() } else { &plan.message };
        let text = format!("the InstallPlan {} failed", plan.name);
        // The strategy to fail forward is for this: OLM resolves again.
        let (effect, then) = match self.world.groups.fails_forward {
            true => (Effect::Later, "OLM resolves again, because the OperatorGroup wants to fail forward"),
            false => (
                Effect::Stops,
                "OLM does not try it again, and does not resolve while the Subscription is UpgradePending: a newer \
                 version in the catalog changes nothing",
            ),
        };
        let found = Obstacle::new(ObstacleCode::InstallPlanFailed, effect, object(plan), text, &plan.place);
        let found = found.of([&subscription.name]).since(&plan.since).message(message).then(then);
        let csv = [&subscription.installed, &subscription.current]
            .into_iter()
            .find(|name| !name.is_empty() && self.world.installed.iter().any(|it| it.name == **name));
        let mut first = self.commands().delete("installplan", &plan.name);
        let mut before = CAUSE.to_owned();
        if message.contains("unpacking failed") {
            before.push_str(JOB);
            first.extend(Commands(&subscription.source_namespace).list("jobs", UNPACKING));
        }
        self.with_reinstallation(found, subscription, csv.map(String::as_str), &before, first)
    }

    fn missing_plan(&self, subscription: &Subscription) -> Obstacle {
        let Subscription { name, install_plan, .. } = subscription;
        let object = format!("Subscription {}/{name}", subscription.namespace);
        let is_known_missing = Condition::is(&subscription.conditions, "InstallPlanMissing", "True")
            || self.cluster.install_plans.iter().any(|it| it.namespace == subscription.namespace);
        let code = ObstacleCode::InstallPlanMissing;
        if !is_known_missing {
            let text = format!("the Subscription waits for the InstallPlan {install_plan}, which the input lacks");
            let found = Obstacle::new(code, Effect::Unknown, object, text, &subscription.place);
            let found = found.of([name]).since(&subscription.since);
            return found.remedy("add `installplans` to the input", self.commands().get("installplan", install_plan));
        }
        let text = format!("the Subscription waits for the InstallPlan {install_plan}, which does not exist");
        let found = Obstacle::new(code, Effect::Stops, object, text, &subscription.place);
        let found = found
            .of([name])
            .since(&subscription.since)
            .then("OLM makes no other one while the Subscription is UpgradePending");
        let csv = Some(subscription.installed.as_str()).filter(|name| !name.is_empty());
        self.with_reinstallation(found, subscription, csv, "", Vec::new())
    }

    /// Errors that OLM reports in the Subscription itself.
    fn of_conditions(&self, subscription: &Subscription) -> Option<Obstacle> {
        let is_pending = matches!(subscription.state.as_str(), "UpgradePending" | "UpgradeFailed" | "");
        subscription.conditions.iter().filter(|it| it.status == "True").find_map(|condition| {
            let (code, effect, text) = match condition.kind.as_str() {
                "BundleUnpackFailed" => (
                    ObstacleCode::BundleUnpacking,
                    Effect::Stops,
                    "OLM cannot unpack the bundle that it wants to install",
                ),
                "BundleUnpacking" => {
                    (ObstacleCode::BundleUnpacking, Effect::Waits, "OLM unpacks the bundle that it wants to install")
                }
                "InstallPlanFailed" if is_pending => {
                    (ObstacleCode::InstallPlanFailed, Effect::Stops, "the InstallPlan of the Subscription failed")
                }
                "InstallPlanMissing" if is_pending => {
                    (ObstacleCode::InstallPlanMissing, Effect::Stops, "the InstallPlan of the Subscription is gone")
                }
                "CatalogSourcesUnhealthy" => {
                    (ObstacleCode::SubscriptionCondition, Effect::Stops, "OLM reports an unhealthy CatalogSource")
                }
                _ => return None,
            };
            let found = Obstacle::new(code, effect, subscription.words(), text.to_owned(), &subscription.place);
            let since = if condition.since.is_empty() { &subscription.since } else { &condition.since };
            let found = found.of([&subscription.name]).since(since).message(&condition.message);
            let (more, look) = match condition.kind.as_str() {
                "BundleUnpackFailed" => (JOB, Commands(&subscription.source_namespace).list("jobs", UNPACKING)),
                _ => ("", self.commands().describe(SUBSCRIPTIONS, &subscription.name)),
            };
            Some(found.remedy(format!("{CAUSE}{more}"), look))
        })
    }
}

fn object(plan: &InstallPlan) -> String {
    format!("InstallPlan {}/{}", plan.namespace, plan.name)
}
