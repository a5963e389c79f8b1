//! The acknowledgements that an administrator must give before an update: two ConfigMaps.

use super::object::Object;
use olmdex_base::diag::Place;

/// Namespace and name of the ConfigMap with the gates, and of the one with the acknowledgements.
const GATES: (&str, &str) = ("openshift-config-managed", "admin-gates");
const ACKS: (&str, &str) = ("openshift-config", "admin-acks");

/// Gates and their acknowledgements.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AdminGates {
    /// Each gate with its text.
    pub gates: Vec<(String, String)>,
    /// The gates that were acknowledged.
    pub acknowledged: Vec<String>,
    /// The place where the gates are written.
    pub place: Place,
}

impl AdminGates {
    /// Takes a ConfigMap; whether it is one of the two.
    pub(super) fn add(&mut self, object: &Object<'_>) -> bool {
        let (namespace, name) = (object.namespace(), object.name());
        let data = object.at(&["data"]);
        let data = data.into_iter().flat_map(|it| it.members()).filter_map(|(key, value)| {
            Some((key.as_str()?.into_owned(), value.as_str().unwrap_or_default().into_owned()))
        });
        if (namespace.as_str(), name.as_str()) == GATES {
            self.gates = data.collect();
            self.place = object.place.clone();
            return true;
        }
        if (namespace.as_str(), name.as_str()) == ACKS {
            self.acknowledged = data.filter(|(_, value)| value == "true").map(|it| it.0).collect();
            return true;
        }
        false
    }

    /// The gates that are closed for updates of a minor version of OpenShift.
    pub fn closed(&self, minor: impl std::fmt::Display) -> impl Iterator<Item = &(String, String)> {
        let prefix = format!("ack-{minor}-");
        self.gates.iter().filter(move |(name, _)| name.starts_with(&prefix) && !self.acknowledged.contains(name))
    }
}
