//! Archives of the Insights operator: objects without their kinds, which their paths tell, and the operators as a list
//! of its own (the sample archive and `clusterconfig` of openshift/insights-operator).

use super::{Cluster, ClusterServiceVersion, Subscription};
use olmdex_base::diag::Place;
use olmdex_text::json::Value;
use olmdex_version::Version;

/// The CatalogSource of all its Subscriptions, since an archive does not tell theirs.
const UNKNOWN_SOURCE: (&str, &str) = ("openshift-marketplace", "unknown");

/// The parts of a path below `config/`.
fn below_config(file: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = file.split('/').collect();
    let config = parts.iter().rposition(|part| *part == "config")?;
    Some(parts[config + 1..].to_vec())
}

/// The group and kind of an object in an archive, by its path.
pub(super) fn kind_of(file: &str) -> Option<(&'static str, &'static str)> {
    match below_config(file)?.as_slice() {
        ["version.json"] => Some(("config.openshift.io", "ClusterVersion")),
        ["infrastructure.json"] => Some(("config.openshift.io", "Infrastructure")),
        ["clusteroperator", _] => Some(("config.openshift.io", "ClusterOperator")),
        ["machineconfigpools", _] => Some(("machineconfiguration.openshift.io", "MachineConfigPool")),
        ["crd", _] => Some(("apiextensions.k8s.io", "CustomResourceDefinition")),
        ["node", _] => Some(("", "Node")),
        _ => None,
    }
}

/// An operator of an archive.
struct ArchivedOperator {
    package: String,
    namespace: String,
    /// The name of its ClusterServiceVersion behind the first dot: `v1.2.3`.
    version: String,
    /// The last condition of its ClusterServiceVersion: phase, reason, message, time.
    condition: [String; 4],
    place: Place,
}

/// The lists of an archive that are not made of objects.
#[derive(Default)]
pub(super) struct InsightsLists {
    operators: Vec<ArchivedOperator>,
    /// The namespaces and ClusterServiceVersions of InstallPlans.
    planned: Vec<(String, String)>,
}

impl InsightsLists {
    /// Takes an item of a list; `false` if the file has none.
    pub(super) fn take(&mut self, item: Value<'_>, place: &Place) -> bool {
        match below_config(&place.file).as_deref() {
            Some(["olm_operators.json" | "olm_operators"]) => {
                // An Operator object is called after its package and namespace.
                let name = item.text_of("name");
                let Some((package, namespace)) = name.split_once('.') else { return true };
                let last = item.get("csv_conditions").and_then(|all| all.items().last());
                let of_last = |key: &str| last.map(|condition| condition.text_of(key)).unwrap_or_default();
                self.operators.push(ArchivedOperator {
                    package: package.to_owned(),
                    namespace: namespace.to_owned(),
                    version: item.text_of("version"),
                    condition: ["phase", "reason", "message", "lastTransitionTime"].map(of_last),
                    place: place.clone(),
                });
                true
            }
            Some(["installplans.json" | "installplans"]) => {
                self.planned.push((item.text_of("ns"), item.text_of("csv")));
                true
            }
            _ => false,
        }
    }

    /// Adds what the lists say, as far as it goes, and names the rest.
    pub(super) fn add_to(self, cluster: &mut Cluster) {
        let Self { operators, planned } = self;
        if operators.is_empty() {
            return;
        }
        let mut n_assumed = 0;
        for ArchivedOperator { package, namespace, version, condition: [phase, reason, message, since], place } in
            operators
        {
            let is_its = |(of, csv): &&(String, String)| {
                *of == namespace && csv.split_once('.').is_some_and(|(_, rest)| rest == version)
            };
            let known = planned.iter().find(is_its).map(|(_, csv)| csv.clone());
            n_assumed += usize::from(known.is_none() && !version.is_empty());
            let name = known
                .unwrap_or_else(|| if version.is_empty() { String::new() } else { format!("{package}.{version}") });
            cluster.collected.insert(namespace.clone());
            cluster.subscriptions.push(Subscription {
                name: package.clone(),
                namespace: namespace.clone(),
                package,
                source: UNKNOWN_SOURCE.1.to_owned(),
                source_namespace: UNKNOWN_SOURCE.0.to_owned(),
                installed: name.clone(),
                current: name.clone(),
                place: place.clone(),
                ..Subscription::default()
            });
            if !name.is_empty() {
                let number = Version::parse_tolerant(&version).map(|it| it.to_string()).unwrap_or_default();
                cluster.csvs.push(ClusterServiceVersion {
                    name,
                    namespace,
                    version: number,
                    phase,
                    reason,
                    message,
                    since,
                    place,
                    ..ClusterServiceVersion::default()
                });
            }
        }
        let (namespace, name) = UNKNOWN_SOURCE;
        cluster.warnings.push(format!(
            "an archive of Insights does not have the channels, CatalogSources and approvals of operators, nor \
             OperatorGroups and Subscriptions: `{namespace}/{name}` stands for the CatalogSource, which \
             `--source-map {namespace}/{name}=CATALOG` maps, and any channel may be meant"
        ));
        if n_assumed > 0 {
            cluster.warnings.push(
                "an archive of Insights has the versions of operators, not the names of their bundles: names are \
                 assumed to begin with the package"
                    .to_owned(),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_text;

    #[test]
    fn operators_of_an_archive_are_subscriptions_without_channels() {
        let operators = r#"[
            {"name": "till.shop", "version": "v1.0.0", "csv_conditions": [{"phase": "Pending"}, {"phase": "Succeeded"}]},
            {"name": "logs.openshift-logs", "version": "5.6.1"}, {"name": "bare.shop"}, {"name": "odd"}]"#;
        let mut cluster = read_text("a.tar!/config/olm_operators.json", operators.as_bytes()).unwrap();
        let names = |cluster: &super::Cluster| -> Vec<(String, String, String)> {
            let names = |csv: &super::ClusterServiceVersion| (csv.name.clone(), csv.version.clone(), csv.phase.clone());
            cluster.csvs.iter().map(names).collect()
        };
        let text = |it: (&str, &str, &str)| (it.0.to_owned(), it.1.to_owned(), it.2.to_owned());
        assert_eq!(names(&cluster), [("till.v1.0.0", "1.0.0", "Succeeded"), ("logs.5.6.1", "5.6.1", "")].map(text));
        assert_eq!(cluster.subscriptions.len(), 3);
        assert_eq!(cluster.warnings.len(), 2);
        let version = r#"{"metadata": {"name": "version"}, "status": {"desired": {"version": "4.16.3"}}}"#;
        cluster.add(read_text("a.tar!/config/version.json", version.as_bytes()).unwrap());
        assert_eq!(cluster.openshift, "4.16.3");
        // Elsewhere, a text without a kind is nothing.
        assert_eq!(read_text("version.json", version.as_bytes()).unwrap(), super::Cluster::default());
    }
}
