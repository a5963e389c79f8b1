//! The definitions of the cluster against the operators: OLM looks at them after everything else, and only when it
//! carries an upgrade out (`docs/behaviour/olm-classic.md` 7).

use super::NamespaceInquiry;
use super::commands::Commands;
use crate::obstacle::{Effect, Obstacle, ObstacleCode};
use crate::resolve::{Operator, csv_apis, operator_apis};
use olmdex_fbc::Api;
use olmdex_rules::cluster::{Cluster, ClusterDefinition, ClusterServiceVersion};

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
        let owned: Vec<Api> = self.cluster.own_csvs().flat_map(csv_apis).collect();
        let told = |found: Obstacle, name: &str, version: &str| {
            let refusal = format!(
                "risk of data loss updating \"{name}\": new CRD removes version {version} that is listed as a stored \
                 version on the existing CRD"
            );
            found.of(subjects.iter().cloned()).message(&refusal).then(
                "if its definition lacks the version too, its InstallPlan fails; if not, the definition that is \
                 applied last serves all operators",
            )
        };
        stored_versions_lost(self.cluster, (&operator.name, &operator_apis(operator)), &owned, told)
    }
}

/// The versions in which the cluster stores objects, that an installed operator owns, and that a bundle does not list
/// among its APIs. `told` adds what OLM says to that.
pub(super) fn stored_versions_lost(
    cluster: &Cluster,
    (bundle, apis): (&str, &[Api]),
    owned: &[Api],
    told: impl Fn(Obstacle, &str, &str) -> Obstacle,
) -> Vec<Obstacle> {
    let mut obstacles = Vec::new();
    for definition in &cluster.definitions {
        let is_its = |api: &Api| api.group == definition.group && api.kind == definition.kind;
        if !apis.iter().any(is_its) {
            continue;
        }
        let lists = |apis: &[Api], version: &str| apis.iter().any(|api| is_its(api) && api.version == version);
        for version in definition.stored.iter().filter(|it| !lists(apis, it) && lists(owned, it)) {
            let name = &definition.name;
            let text = format!(
                "the cluster stores objects of {name} in version {version}, which {bundle} does not list among its APIs"
            );
            let object = format!("CustomResourceDefinition {name}");
            let code = ObstacleCode::StoredVersionLost;
            let found = Obstacle::new(code, Effect::Unknown, object, text, &definition.place);
            obstacles.push(told(found, name, version).remedy(
                format!(
                    "look for {version} in the definition in the bundle's image; if it is not there, migrate the \
                     objects first, and take {version} out of `status.storedVersions`"
                ),
                Commands("").of_cluster("get", "crd", name),
            ));
        }
    }
    obstacles
}
