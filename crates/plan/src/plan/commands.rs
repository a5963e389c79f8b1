//! The commands and manifests of steps.
//!
//! Names come from a cluster, so each is checked before it is written: a name that Kubernetes accepts needs no quotes,
//! and any other text gets no command.

use super::answer::{PathElement, Plan, PlanStep, StepKind};
use super::manifests;
use super::question::PlanQuestion;
use olmdex_index::query::BundleSelector;
use olmdex_olm::catalog_source::CATALOG_NAME_LABEL;
use olmdex_olm::namespace::{SUBSCRIPTIONS, merge_patch, plain_name as name};
use olmdex_rules::cluster::Subscription;
use olmdex_text::json::Tree;

/// Adds commands to all steps.
pub(super) fn add(question: &PlanQuestion<'_>, plan: &mut Plan) {
    for step in &mut plan.steps {
        let mut writer = Writer { question, commands: Vec::new(), manifests: Vec::new(), warnings: Vec::new() };
        if writer.write(step).is_none() {
            writer.commands.clear();
            writer.manifests.clear();
            step.warnings.push(
                "a name has characters that Kubernetes does not allow in names, so there is no command".to_owned(),
            );
        }
        step.commands = writer.commands;
        step.manifest = (!writer.manifests.is_empty()).then(|| writer.manifests.join("---\n"));
        step.warnings.extend(writer.warnings);
    }
}

struct Writer<'q> {
    question: &'q PlanQuestion<'q>,
    commands: Vec<String>,
    manifests: Vec<String>,
    warnings: Vec<String>,
}

/// The namespace of a step's operators, and their package if the step is about one.
fn namespace_and_package(subject: &str) -> Option<(&str, Option<&str>)> {
    match subject.split_once('/') {
        Some((namespace, package)) => Some((name(namespace)?, Some(package))),
        None => Some((name(subject)?, None)),
    }
}

/// The cluster's channel before the step to a version, and the channel that has this step.
fn channels_of_step<'q>(question: &'q PlanQuestion<'_>, to: &str) -> (Option<&'q str>, Option<&'q str>) {
    let present = question.cluster.cluster_version.as_ref().map(|it| it.channel.as_str());
    let channels = &question.channels;
    let Some(at) = channels.iter().position(|it| it.0.to_string() == to) else { return (present, present) };
    let before = at.checked_sub(1).and_then(|it| channels.get(it)).map(|it| it.1.as_str());
    (before.or(present), Some(&channels[at].1))
}

impl Writer<'_> {
    fn say(&mut self, remark: &str) {
        // A remark must not become a command.
        self.commands.push(format!("# {}", remark.split_whitespace().collect::<Vec<_>>().join(" ")));
    }

    fn write(&mut self, step: &PlanStep) -> Option<()> {
        match step.kind {
            StepKind::Platform => self.platform(step)?,
            StepKind::ChannelOfCluster => {
                let channel = name(step.to.as_deref()?)?;
                self.commands.push(format!("oc adm upgrade channel {channel}"));
                self.manifests.extend(manifests::cluster_version(Some(channel), None));
            }
            StepKind::PausePools => self.pools(true)?,
            StepKind::ResumePools => self.pools(false)?,
            StepKind::Operator | StepKind::Operators => self.operators(step)?,
            StepKind::Channel => self.channel(step)?,
            StepKind::Source => self.source(step)?,
            StepKind::Extension => self.extension(step)?,
            StepKind::Uninstall => self.uninstall(step)?,
            StepKind::Mend | StepKind::Wait if self.remedied(step) => {}
            StepKind::Wait => self.wait(step)?,
            StepKind::Mend => match step.subject.as_deref()?.split_once('/') {
                Some((namespace, _)) => {
                    let namespace = name(namespace)?;
                    self.commands
                        .push(format!("oc -n {namespace} get csv,subscriptions.operators.coreos.com,installplans"));
                }
                None => self.commands.push(format!("oc describe clusterextension {}", name(step.subject.as_deref()?)?)),
            },
        }
        Some(())
    }

    /// Takes the commands of the change that removes the obstacle of a step. Whether there are some.
    fn remedied(&mut self, step: &PlanStep) -> bool {
        let Some(remedy) = &step.remedy else { return false };
        // A report shows remarks too, so no name with marks of another language gets into one.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " .,:;/`'()-_@=+".contains(c);
        if remedy.change.chars().all(is_plain) {
            self.say(&remedy.change);
        }
        self.commands.extend(remedy.commands.iter().cloned());
        !remedy.commands.is_empty()
    }

    fn platform(&mut self, step: &PlanStep) -> Option<()> {
        let to = name(step.to.as_deref()?)?;
        let mut new_channel = None;
        if !self.question.eus {
            let (before, channel) = channels_of_step(self.question, to);
            if before != channel {
                let channel = name(channel?)?;
                self.commands.push(format!("oc adm upgrade channel {channel}"));
                new_channel = Some(channel);
            }
        }
        let release = step.release.as_deref().and_then(name);
        self.manifests.extend(manifests::cluster_version(new_channel, release));
        match release {
            Some(release) => self.commands.push(format!("oc adm upgrade --to={release}")),
            None => {
                self.commands.push("oc adm upgrade".to_owned());
                self.say(&format!("choose a recommended {to}.z of the list: oc adm upgrade --to=VERSION"));
            }
        }
        Some(())
    }

    fn pools(&mut self, pauses: bool) -> Option<()> {
        let others: Vec<&str> =
            self.question.cluster.pools.iter().map(|it| it.name.as_str()).filter(|it| *it != "master").collect();
        if others.is_empty() {
            self.say("no MachineConfigPools given; every cluster has the pool worker");
        }
        for pool in if others.is_empty() { vec!["worker"] } else { others } {
            let pool = name(pool)?;
            self.commands.push(format!("oc patch mcp/{pool} {}", merge_patch(&["spec", "paused"], pauses)));
            self.manifests.push(manifests::pool(pool, pauses));
        }
        Some(())
    }

    fn operators(&mut self, step: &PlanStep) -> Option<()> {
        let (namespace, package) = namespace_and_package(step.subject.as_deref()?)?;
        let is_manual = step.approval.as_deref() == Some("Manual");
        for (round, element) in step.path.iter().enumerate().filter(|_| is_manual) {
            self.approve(namespace, package, round, element.bundles())?;
        }
        self.wait(step)
    }

    /// Approves the InstallPlan that has bundles. If it does not exist yet, its name comes from the Subscription, which
    /// has it as soon as OLM has made the plan.
    fn approve(&mut self, namespace: &str, package: Option<&str>, round: usize, bundles: &[String]) -> Option<()> {
        let plans = &self.question.cluster.install_plans;
        let wanted = |plan: &&olmdex_rules::cluster::InstallPlan| {
            plan.namespace == namespace && plan.waits() && bundles.iter().all(|it| plan.csvs.contains(it))
        };
        let plan = plans.iter().find(wanted).filter(|_| round == 0);
        let patch = merge_patch(&["spec", "approved"], true);
        let Some(plan) = plan else {
            self.say(&format!("the InstallPlan with {}", bundles.join(" and ")));
            let found = bundles.iter().find_map(|it| Some((it, self.subscription(namespace, package, it)?)));
            if let Some((bundle, own)) = found.map(|(bundle, it)| (bundle, it.name.clone())) {
                let (bundle, own) = (name(bundle)?, name(&own)?);
                self.commands.push(format!(
                    "oc -n {namespace} wait {SUBSCRIPTIONS}/{own} --for=jsonpath='{{.status.currentCSV}}'={bundle} --timeout=15m"
                ));
                self.commands.push(format!(
                    "INSTALLPLAN=$(oc -n {namespace} get {SUBSCRIPTIONS} {own} -o jsonpath='{{.status.installPlanRef.name}}')"
                ));
            } else {
                // With several names, the next command finds no plan, which is better than approving a wrong one.
                self.commands.push(format!(
                    "INSTALLPLAN=$(oc -n {namespace} get installplans -o jsonpath='{{.items[?(@.spec.approved==false)].metadata.name}}')"
                ));
            }
            self.commands.push(format!("oc -n {namespace} patch installplan \"$INSTALLPLAN\" {patch}"));
            return Some(());
        };
        let more: Vec<&str> = plan.csvs.iter().filter(|it| !bundles.contains(it)).map(String::as_str).collect();
        if !more.is_empty() {
            self.warnings.push(format!("the InstallPlan {} also installs {}", plan.name, more.join(", ")));
        }
        self.commands.push(format!("oc -n {namespace} patch installplan {} {patch}", name(&plan.name)?));
        Some(())
    }

    /// Waits for all bundles on the path of a step, in one command.
    fn wait(&mut self, step: &PlanStep) -> Option<()> {
        let (namespace, package) = namespace_and_package(step.subject.as_deref()?)?;
        let bundles: Vec<&str> = step.path.iter().flat_map(PathElement::bundles).map(String::as_str).collect();
        self.wait_for(namespace, package, &bundles)
    }

    /// Waits for the last of each Subscription's bundles: a ClusterServiceVersion in between does not exist yet, or not
    /// any more. The last one does not exist at first either, so the command waits until its Subscription names it as
    /// installed, and only then for its success.
    fn wait_for(&mut self, namespace: &str, package: Option<&str>, bundles: &[&str]) -> Option<()> {
        let mut last: Vec<(Option<String>, &str)> = Vec::new();
        for bundle in bundles {
            name(bundle)?;
            let own = match self.subscription(namespace, package, bundle) {
                Some(subscription) => Some(name(&subscription.name)?.to_owned()),
                None => None,
            };
            match last.iter_mut().find(|it| it.0 == own && (own.is_some() || package.is_some())) {
                Some(before) => before.1 = bundle,
                None => last.push((own, bundle)),
            }
        }
        // The time that waiting for one after another would take.
        let minutes = 15 * bundles.len().clamp(1, 96);
        let mut waits = Vec::new();
        for (own, bundle) in last {
            if let Some(own) = own {
                waits.push(format!(
                    "oc -n {namespace} wait {SUBSCRIPTIONS}/{own} --for=jsonpath='{{.status.installedCSV}}'={bundle} --timeout={minutes}m"
                ));
            }
            waits.push(format!(
                "oc -n {namespace} wait csv/{bundle} --for=jsonpath='{{.status.phase}}'=Succeeded --timeout=15m"
            ));
        }
        if !waits.is_empty() {
            self.commands.push(waits.join(" && "));
        }
        Some(())
    }

    /// The Subscription that a bundle is installed for: that of the package, or of one that has the bundle.
    fn subscription(&self, namespace: &str, package: Option<&str>, bundle: &str) -> Option<&Subscription> {
        if let Some(package) = package {
            return self.subscriptions(namespace, package).first().copied();
        }
        let selector = BundleSelector { name: Some(bundle.to_owned()), ..BundleSelector::default() };
        let known = self.question.index.show_bundle(&selector).unwrap_or_default();
        known.iter().find_map(|it| self.subscriptions(namespace, &it.row.package).first().copied())
    }

    /// The Subscriptions of a step's package.
    fn subscriptions(&self, namespace: &str, package: &str) -> Vec<&Subscription> {
        let all = &self.question.cluster.subscriptions;
        all.iter().filter(|it| it.namespace == namespace && it.package == package).collect()
    }

    fn channel(&mut self, step: &PlanStep) -> Option<()> {
        let (namespace, package) = step.subject.as_deref()?.split_once('/')?;
        let (namespace, channel) = (name(namespace)?.to_owned(), name(step.to.as_deref()?)?.to_owned());
        let subscriptions: Vec<Subscription> = self.subscriptions(&namespace, package).into_iter().cloned().collect();
        for subscription in &subscriptions {
            let (own, patch) = (name(&subscription.name)?, merge_patch(&["spec", "channel"], &channel));
            self.commands.push(format!("oc -n {namespace} patch subscriptions.operators.coreos.com {own} {patch}"));
            self.manifests.push(manifests::subscription(subscription, &channel, &subscription.source));
        }
        let then: Vec<&str> = step.then.iter().map(String::as_str).collect();
        if step.approval.as_deref() == Some("Manual") {
            for bundle in &step.then {
                self.approve(&namespace, Some(package), 1, std::slice::from_ref(bundle))?;
            }
        }
        self.wait_for(&namespace, Some(package), &then)
    }

    /// Follows the source that replaces the former one.
    fn source(&mut self, step: &PlanStep) -> Option<()> {
        let to = name(step.to.as_deref()?)?.to_owned();
        let Some((namespace, package)) = step.subject.as_deref()?.split_once('/') else {
            let own = name(step.subject.as_deref()?)?.to_owned();
            let label = ["spec", "source", "catalog", "selector", "matchLabels", CATALOG_NAME_LABEL];
            let patch = merge_patch(&label, &to);
            self.commands.push(format!("oc wait clustercatalog/{to} --for=condition=Serving --timeout=15m"));
            self.commands.push(format!("oc patch clusterextension {own} {patch}"));
            let extensions = &self.question.cluster.extensions;
            let extension = extensions.iter().find(|it| it.name == own).cloned().unwrap_or_default();
            self.manifests.push(manifests::extension(&extension, None, None, Some(&to)));
            return Some(());
        };
        let namespace = name(namespace)?.to_owned();
        let subscriptions: Vec<Subscription> = self.subscriptions(&namespace, package).into_iter().cloned().collect();
        for subscription in &subscriptions {
            let of_source = name(&subscription.source_namespace)?;
            let ready = format!(
                "oc -n {of_source} wait catalogsource/{to} --for=jsonpath='{{.status.connectionState.lastObservedState}}'=READY --timeout=15m"
            );
            let patch = merge_patch(&["spec", "source"], &to);
            self.commands.push(ready);
            self.commands.push(format!(
                "oc -n {namespace} patch subscriptions.operators.coreos.com {} {patch}",
                name(&subscription.name)?
            ));
            self.manifests.push(manifests::subscription(subscription, &subscription.channel, &to));
        }
        Some(())
    }

    fn extension(&mut self, step: &PlanStep) -> Option<()> {
        let own = name(step.subject.as_deref()?)?.to_owned();
        let extension = self.question.cluster.extensions.iter().find(|it| it.name == own).cloned().unwrap_or_default();
        let version = step.set.get("spec.source.catalog.version").and_then(|it| it.first());
        let channels = step.set.get("spec.source.catalog.channels");
        if version.is_none() && channels.is_none() {
            self.say("OLM v1 updates it automatically");
        } else {
            let catalog = Tree::object().with_some("version", version).with_some("channels", channels.map(Tree::list));
            let patch = merge_patch(&["spec", "source", "catalog"], catalog);
            self.commands.push(format!("oc patch clusterextension {own} {patch}"));
            self.manifests.push(manifests::extension(&extension, version, channels, None));
        }
        if let Some(PathElement::Bundle(last)) = step.path.last() {
            let last = name(last)?;
            let wait = format!(
                "oc wait clusterextension/{own} --for=jsonpath='{{.status.install.bundle.name}}'={last} --timeout=15m"
            );
            self.commands.push(wait);
        }
        Some(())
    }

    fn uninstall(&mut self, step: &PlanStep) -> Option<()> {
        let subject = step.subject.as_deref()?;
        let Some((namespace, package)) = subject.split_once('/') else {
            self.commands.push(format!("oc delete clusterextension {}", name(subject)?));
            return Some(());
        };
        let namespace = name(namespace)?.to_owned();
        let subscriptions: Vec<Subscription> = self.subscriptions(&namespace, package).into_iter().cloned().collect();
        self.say("the definitions and the operator's workloads stay");
        for subscription in &subscriptions {
            self.commands.push(format!(
                "oc -n {namespace} delete subscriptions.operators.coreos.com {}",
                name(&subscription.name)?
            ));
            self.commands.push(format!("oc -n {namespace} delete csv {}", name(&subscription.installed)?));
        }
        Some(())
    }
}

/// The highest number of approvals that people see one by one; more are a loop.
const MAX_APPROVALS: usize = 2;

/// The remark before the commands that approve an InstallPlan.
const INSTALL_PLAN: &str = "# the InstallPlan with ";

/// The commands of a step for people: approvals that differ only in the name of the bundle become a loop that ends at
/// the first failure. The effect is the same.
pub fn folded(commands: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = commands;
    while let Some((first, others)) = rest.split_first() {
        let mut bundles = Vec::new();
        let mut common = None;
        let mut after = rest;
        while let Some((bundle, body, next)) = approval(after)
            && common.as_ref().is_none_or(|it| *it == body)
        {
            bundles.push(bundle);
            common = Some(body);
            after = next;
        }
        match common.filter(|_| bundles.len() > MAX_APPROVALS) {
            Some(body) => {
                lines.push(format!("# one InstallPlan after another, {} in all", bundles.len()));
                lines.push(format!("for CSV in {}; do", bundles.join(" ")));
                lines.extend(body.iter().map(|it| format!("  {it} || break")));
                lines.push("done".to_owned());
                rest = after;
            }
            None => {
                lines.push(first.clone());
                rest = others;
            }
        }
    }
    lines
}

/// A bundle, the commands that approve its InstallPlan with a variable for its name, and the commands behind them.
fn approval(commands: &[String]) -> Option<(&str, Vec<String>, &[String])> {
    let (first, rest) = commands.split_first()?;
    let bundle = first.strip_prefix(INSTALL_PLAN).filter(|it| !it.contains(' '))?;
    let (body, rest) = rest.split_at_checked(3)?;
    let is_named = body.first()?.contains(&format!("={bundle} "));
    let body = body.iter().map(|it| it.replace(&format!("={bundle} "), "=\"$CSV\" ")).collect();
    is_named.then_some((bundle, body, rest))
}

#[cfg(test)]
mod tests {
    #[test]
    fn approvals_of_one_bundle_after_another_are_a_loop() {
        let approved = |bundle: &str| {
            vec![
                format!("# the InstallPlan with {bundle}"),
                format!("oc -n a wait s/b --for=jsonpath='{{.status.currentCSV}}'={bundle} --timeout=15m"),
                "INSTALLPLAN=$(oc get)".to_owned(),
                "oc -n a patch installplan \"$INSTALLPLAN\"".to_owned(),
            ]
        };
        let all =
            |names: &[&str]| [names.iter().flat_map(|it| approved(it)).collect(), vec!["oc wait".to_owned()]].concat();
        let two: Vec<String> = all(&["b.v1", "b.v2"]);
        assert_eq!(super::folded(&two), two);
        let text = super::folded(&all(&["b.v1", "b.v2", "b.v3"])).join("\n");
        assert_eq!(
            text,
            "# one InstallPlan after another, 3 in all\nfor CSV in b.v1 b.v2 b.v3; do\n  \
             oc -n a wait s/b --for=jsonpath='{.status.currentCSV}'=\"$CSV\" --timeout=15m || break\n  \
             INSTALLPLAN=$(oc get) || break\n  oc -n a patch installplan \"$INSTALLPLAN\" || break\ndone\noc wait"
        );
    }
}
