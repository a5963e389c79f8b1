//! The definitions of the cluster against the operators: OLM looks at them after everything else, and only when it
//! carries an upgrade out (`docs/behaviour/olm-classic.md` 7).

use super::NamespaceInquiry;
use crate::obstacle::{Effect, Obstacle, ObstacleCode};
use crate::resolve::{Operator, csv_apis, operator_apis};
use olmdex_fbc::Api;
use olmdex_rules::cluster::{ClusterDefinition, ClusterServiceVersion};

impl NamespaceInquiry<'_> {
    fn definition_of(&self, api: &Api) -> Option<&ClusterDefinition> {
        self.cluster.definitions.iter().find(|it| it.group == api.group && it.kind == api.kind)
    }

    /// The versions that an installed operator owns and the cluster no longer serves: another operator has replaced the
    /// definition, or a newer version of the same one.
    pub(super) fn not_served(&self, csv: &ClusterServiceVersion, subjects: &[String]) -> Vec<Obstacle> {
        let mut obstacles = Vec::new();
        for api in csv_apis(csv) {
            let Some(definition) = self.definition_of(&api).filter(|it| !it.served.contains(&api.version)) else {
                continue;
            };
            let (name, version) = (&definition.name, &api.version);
            let text = format!("{} owns version {version} of {name}, which the cluster does not serve", csv.name);
            let object = format!("CustomResourceDefinition {name}");
            let found = Obstacle::new(ObstacleCode::VersionNotServed, Effect::Stops, object, text, &definition.place);
            let found = found.of(subjects.iter().cloned()).then(
                "its requirements are not met: it fails, and a version that follows it stays in Pending until the \
                 definition serves what it owns",
            );
            obstacles.push(found.remedy(
                format!("let the definition serve {version} again until no installed operator owns it"),
                self.commands().of_cluster("edit", "crd", name),
            ));
        }
        obstacles
    }

    /// The versions in which the cluster stores objects and that an operator to be installed does not list, although an
    /// installed one does. Its definition may have them all the same: a catalog rarely holds definitions.
    pub(super) fn not_stored(&self, operator: &Operator, subjects: &[String]) -> Vec<Obstacle> {
        let apis = operator_apis(operator);
        let mut obstacles = Vec::new();
        for definition in &self.cluster.definitions {
            let is_its = |api: &&Api| api.group == definition.group && api.kind == definition.kind;
            if !apis.iter().any(|api| is_its(&api)) {
                continue;
            }
            let lost = definition.stored.iter().filter(|version| {
                let is_listed = |api: &Api| is_its(&api) && api.version == **version;
                let of_cluster = self.cluster.csvs.iter().filter(|csv| !csv.is_copied);
                !apis.iter().any(is_listed) && of_cluster.flat_map(csv_apis).any(|api| is_listed(&api))
            });
            for version in lost {
                let name = &definition.name;
                let text = format!(
                    "the cluster stores objects of {name} in version {version}, which {} does not list among its APIs",
                    operator.name
                );
                let object = format!("CustomResourceDefinition {name}");
                let code = ObstacleCode::StoredVersionLost;
                let found = Obstacle::new(code, Effect::Unknown, object, text, &definition.place);
                let refusal = format!(
                    "risk of data loss updating \"{name}\": new CRD removes version {version} that is listed as a \
                     stored version on the existing CRD"
                );
                let found = found.of(subjects.iter().cloned()).message(&refusal).then(
                    "if its definition lacks the version too, its InstallPlan fails; if not, the definition that is \
                     applied last serves all operators",
                );
                obstacles.push(found.remedy(
                    format!(
                        "look for {version} in the definition in the bundle's image; if it is not there, migrate the \
                         objects first, and take {version} out of `status.storedVersions`"
                    ),
                    self.commands().of_cluster("get", "crd", name),
                ));
            }
        }
        obstacles
    }
}
