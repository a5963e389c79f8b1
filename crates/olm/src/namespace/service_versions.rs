//! The last questions of OLM: whether ClusterServiceVersions are well, and whether an operator may be replaced.

use super::NamespaceInquiry;
use super::install_modes::unsupported_targets;
use crate::obstacle::{Effect, Obstacle, ObstacleCode};
use crate::resolve::{Failure, Resolution, csv_apis};
use olmdex_index::query::InstallModes;
use olmdex_rules::cluster::{ClusterServiceVersion, Condition, Subscription};

impl<'a> NamespaceInquiry<'a> {
    pub(super) fn of_service_versions(&self, resolution: Option<&Resolution>) -> Result<Vec<Obstacle>, Failure> {
        let mut obstacles = Vec::new();
        for csv in self.own() {
            obstacles.extend(self.of_phase(csv));
            obstacles.extend(self.of_condition(csv, resolution));
            obstacles.extend(self.of_modes(csv)?);
            obstacles.extend(self.not_served(csv, &self.subjects(csv)));
            obstacles.extend(self.unmanaged(csv));
        }
        obstacles.extend(self.subscriptions().filter_map(|it| self.missing(it)));
        Ok(obstacles)
    }

    /// The ClusterServiceVersions that OLM has installed in this namespace.
    pub(super) fn own(&self) -> impl Iterator<Item = &'a ClusterServiceVersion> {
        let is_own = |it: &&ClusterServiceVersion| it.namespace == self.namespace();
        self.own.service_versions.get_or_init(|| self.cluster.own_csvs().filter(is_own).collect()).iter().copied()
    }

    /// A ClusterServiceVersion that is being replaced by one that has not failed, and that one.
    pub(super) fn replacing(&self) -> Option<(&str, &ClusterServiceVersion)> {
        let newer = |name: &str| self.replacement_of(name).filter(|csv| !csv.has_failed());
        let mut going = self.own().filter(|it| it.is_going());
        going.find_map(|it| Some((it.name.as_str(), newer(&it.name)?)))
    }

    /// The ClusterServiceVersion of this namespace that replaces one of a name.
    fn replacement_of(&self, name: &str) -> Option<&'a ClusterServiceVersion> {
        let replacements = &self.own.replacements;
        let replacements = replacements.get_or_init(|| ClusterServiceVersion::replacements(self.own()));
        replacements.get(&(self.namespace(), name)).copied()
    }

    /// The Subscription of a ClusterServiceVersion, also while it replaces the installed one.
    fn subscription_of(&self, csv: &ClusterServiceVersion) -> Option<&Subscription> {
        let mut all = self.subscriptions();
        all.find(|it| it.installed == csv.name || it.current == csv.name)
    }

    /// The names that obstacles of a ClusterServiceVersion are about: those of its Subscriptions, also of one whose
    /// operator it replaces or that replaces it.
    fn subjects(&self, csv: &ClusterServiceVersion) -> Vec<String> {
        let successor = self.replacement_of(&csv.name).map(|it| it.name.as_str());
        let names = [Some(csv.name.as_str()), Some(csv.replaces.as_str()).filter(|it| !it.is_empty()), successor];
        let is_its =
            |it: &&Subscription| names.iter().flatten().any(|name| it.installed == *name || it.current == *name);
        let mut subjects: Vec<String> = self.subscriptions().filter(is_its).map(|it| it.name.clone()).collect();
        if subjects.is_empty() {
            subjects.push(csv.name.clone());
        }
        subjects
    }

    pub(super) fn of_phase(&self, csv: &ClusterServiceVersion) -> Option<Obstacle> {
        let ClusterServiceVersion { name, phase, .. } = csv;
        let found = |code, effect, text| {
            let found = Obstacle::new(code, effect, object(csv), text, &csv.place);
            found.of(self.subjects(csv)).since(&csv.since).message(&csv.message)
        };
        let look = || self.commands().describe("csv", name);
        match phase.as_str() {
            "" | "Succeeded" | "Replacing" | "Deleting" => None,
            "Failed" => {
                let text = format!("the ClusterServiceVersion {name} is Failed");
                let (effect, then) = match self.world.groups.fails_forward {
                    true => (
                        Effect::Later,
                        "OLM replaces it as soon as a version follows it (the OperatorGroup fails forward)",
                    ),
                    false => (
                        Effect::Stops,
                        "a version that follows it stays in Pending: OLM replaces no operator that is Failed",
                    ),
                };
                let found = found(ObstacleCode::ServiceVersionFailed, effect, text).then(then);
                if csv.reason.contains("OperatorGroup") || csv.reason == "NoTargetNamespaces" {
                    return Some(found.remedy(self.group_change(csv), self.commands().list("operatorgroups", "")));
                }
                let found = found.remedy("remove the cause that its message names; OLM tries it again", look());
                Some(match self.subscription_of(csv) {
                    Some(subscription) => self.with_reinstallation(found, subscription, Some(name), "", Vec::new()),
                    None => found.remedy(
                        format!("delete the ClusterServiceVersion {name}"),
                        self.commands().delete("csv", name),
                    ),
                })
            }
            phase => {
                let is_told = csv.reason == "RequirementsNotMet"
                    || [
                        "requirements not met",
                        "requirements no longer met",
                        "couldn't be found",
                        "replaced is in phase",
                        "not upgradeable",
                    ]
                    .iter()
                    .any(|words| csv.message.contains(words));
                let (effect, what) = match is_told {
                    true => (Effect::Stops, "waits for something that it needs"),
                    false => (Effect::Waits, "is being installed"),
                };
                let text = format!("the ClusterServiceVersion {name} {what} ({phase})");
                let change = match (is_told, csv.unmet.as_slice()) {
                    (false, _) => "wait for it; if it does not move, look at its conditions".to_owned(),
                    (true, []) => "provide what its message names".to_owned(),
                    (true, unmet) => format!("provide what it lacks: {}", unmet.join(", ")),
                };
                let found = found(ObstacleCode::ServiceVersionPending, effect, text).remedy(change, look());
                // Accounts and roles come with an InstallPlan, and OLM does not make them a second time.
                let lacks_account = is_told && csv.unmet.iter().any(|it| it.starts_with("ServiceAccount "));
                let subscription = self.subscription_of(csv).filter(|_| lacks_account);
                Some(match subscription.filter(|_| !self.own().any(|other| other.name == csv.replaces)) {
                    Some(subscription) => self.with_reinstallation(found, subscription, Some(name), "", Vec::new()),
                    None => found,
                })
            }
        }
    }

    /// The change that helps one that failed because of OperatorGroups: OLM tries it again as soon as they suit it, and
    /// installing it anew changes nothing.
    fn group_change(&self, csv: &ClusterServiceVersion) -> String {
        let targets = |of: &str| -> Vec<&String> {
            let groups = self.cluster.operator_groups.iter().filter(|it| it.namespace == of);
            groups.flat_map(|it| it.targets.iter().flatten()).collect()
        };
        let (own, apis) = (targets(&csv.namespace), csv_apis(csv));
        let is_other = |it: &&ClusterServiceVersion| {
            let meets = |target: &&String| target.is_empty() || own.iter().any(|it| it.is_empty() || it == target);
            let is_there = it.namespace != csv.namespace && !it.is_copied && it.reason != csv.reason;
            is_there && csv_apis(it).iter().any(|api| apis.contains(api)) && targets(&it.namespace).iter().any(meets)
        };
        let mut csvs = self.cluster.csvs.iter().filter(|_| csv.reason == "InterOperatorGroupOwnerConflict");
        match csvs.find(is_other) {
            Some(ClusterServiceVersion { name, namespace: of, .. }) => format!(
                "let the OperatorGroups of {} and {of} target no namespace in common, or remove one of the two \
                 operators: {name} in {of} provides the same APIs",
                csv.namespace
            ),
            None => "let the namespace have one OperatorGroup, whose targets suit the operator".to_owned(),
        }
    }

    /// The wish of an operator not to be upgraded.
    fn of_condition(&self, csv: &ClusterServiceVersion, resolution: Option<&Resolution>) -> Option<Obstacle> {
        let conditions = &self.cluster.operator_conditions;
        let own = conditions.iter().find(|it| it.namespace == csv.namespace && it.name == csv.name)?;
        let Condition { reason, message, since, .. } = own.refusal()?;
        let follows = resolution.is_some_and(|it| it.operators.iter().any(|operator| operator.replaces == csv.name));
        let is_replaced = self.replacement_of(&csv.name).is_some();
        let effect = if follows || is_replaced { Effect::Stops } else { Effect::Later };
        let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
        let text = format!("{} reports Upgradeable=False{reason}", csv.name);
        let object = format!("OperatorCondition {}/{}", own.namespace, own.name);
        let found = Obstacle::new(ObstacleCode::NotUpgradeable, effect, object, text, &own.place);
        let found = found.of(self.subjects(csv)).since(since).message(message);
        let found = found.then("the version that follows it stays in Pending: operator is not upgradeable");
        let find_out = "wait until the operator reports Upgradeable=True, or do what its message asks";
        Some(found.remedy(find_out, self.commands().get("operatorcondition", &own.name)))
    }

    /// Whether the OperatorGroup targets namespaces that an installed operator cannot watch. If its
    /// ClusterServiceVersion does not state its install modes, its catalog does.
    fn of_modes(&self, csv: &ClusterServiceVersion) -> Result<Option<Obstacle>, Failure> {
        // A Failed one says so by itself.
        if csv.has_failed() {
            return Ok(None);
        }
        let mut modes = InstallModes::of_stated(&csv.install_modes);
        if modes.is_none()
            && let Some(own) = self.world.subscriptions.iter().find(|own| own.installed == csv.name)
        {
            modes = self.bundle(&own.source, &own.package, &csv.name)?.and_then(|bundle| bundle.install_modes);
        }
        Ok(self.unsupported(&csv.name, modes, self.subjects(csv)))
    }

    /// Whether the only OperatorGroup targets namespaces that a bundle with these install modes cannot watch.
    pub(super) fn unsupported(
        &self,
        bundle: &str,
        modes: Option<InstallModes>,
        subjects: Vec<String>,
    ) -> Option<Obstacle> {
        let [group] = self.groups()[..] else { return None };
        let refusal = unsupported_targets(modes?, self.namespace(), group.targets.as_deref()?)?;
        let text = format!("{bundle} does not support the namespaces that the OperatorGroup {} targets", group.name);
        let object = format!("OperatorGroup {}/{}", group.namespace, group.name);
        let found = Obstacle::new(ObstacleCode::UnsupportedOperatorGroup, Effect::Later, object, text, &group.place);
        let found = found.of(subjects).message(&refusal);
        let found = found.then("its ClusterServiceVersion becomes Failed with the reason UnsupportedOperatorGroup");
        Some(found.remedy(
            "install it in a namespace whose OperatorGroup targets what it supports; another target changes it for all \
             operators of this namespace",
            self.commands().get("operatorgroup", &group.name),
        ))
    }

    /// Whether no Subscription of the namespace has installed a ClusterServiceVersion, and nothing replaces it.
    pub(super) fn is_unmanaged(&self, csv: &ClusterServiceVersion) -> bool {
        self.subscription_of(csv).is_none() && self.replacement_of(&csv.name).is_none()
    }

    fn unmanaged(&self, csv: &ClusterServiceVersion) -> Option<Obstacle> {
        let ClusterServiceVersion { name, .. } = csv;
        if !self.is_unmanaged(csv) {
            return None;
        }
        if self.cluster.subscriptions.is_empty() {
            let text = format!("the input has no Subscriptions, so it is not known which one has installed {name}");
            let found = Obstacle::new(ObstacleCode::Unmanaged, Effect::Unknown, object(csv), text, &csv.place);
            return Some(found.of([name]).remedy("add `subscriptions` to the input", Vec::new()));
        }
        let text = format!("no Subscription has installed {name}");
        let found = Obstacle::new(ObstacleCode::Unmanaged, Effect::Later, object(csv), text, &csv.place);
        let found = found
            .of([name])
            .then("it gets no upgrades, and OLM installs nothing beside it that owns its APIs or is of its package");
        Some(found.remedy(
            "delete it, and subscribe to its package; definitions and objects stay",
            self.commands().delete("csv", name),
        ))
    }

    /// A Subscription whose ClusterServiceVersion is not there.
    fn missing(&self, subscription: &Subscription) -> Option<Obstacle> {
        let Subscription { name, installed, current, place, .. } = subscription;
        let object = format!("Subscription {}/{name}", subscription.namespace);
        // OLM itself reports it: a Subscription is UpgradePending as long as its ClusterServiceVersion is not there.
        let is_reported = subscription.state == "UpgradePending" && self.has_completed(subscription);
        let installed = if is_reported { current } else { installed };
        if installed.is_empty() || self.own().any(|it| it.name == *installed) {
            return None;
        }
        let code = ObstacleCode::ServiceVersionMissing;
        if !self.cluster.has_service_versions() && !is_reported {
            let text = format!("the input has no ClusterServiceVersions, so {installed} counts as installed");
            let found = Obstacle::new(code, Effect::Unknown, object, text, place).of([name]);
            return Some(found.remedy("add `clusterserviceversions` to the input", Vec::new()));
        }
        // A namespace with others of its kind was collected.
        let is_collected = self.cluster.csvs.iter().any(|it| it.namespace == subscription.namespace)
            || self.cluster.copies.contains_key(&subscription.namespace);
        if !(is_collected || is_reported) || self.replacement_of(installed).is_some() {
            return None;
        }
        let text = format!("the ClusterServiceVersion {installed} does not exist, and the Subscription names it");
        let found = Obstacle::new(code, Effect::Stops, object, text, place).of([name]).since(&subscription.since);
        let found = found.then("OLM does not install it again while `status.currentCSV` names it");
        let csv = self.own().find(|it| it.name == subscription.installed).map(|it| it.name.as_str());
        Some(self.with_reinstallation(found, subscription, csv, "", Vec::new()))
    }
}

fn object(csv: &ClusterServiceVersion) -> String {
    format!("ClusterServiceVersion {}/{}", csv.namespace, csv.name)
}
