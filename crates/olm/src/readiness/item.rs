//! The readiness of one operator for OLM v1: its conditions and the conclusion from them.

use schemars::JsonSchema;
use serde::Serialize;

use super::bundle::BundleTraits;
use super::condition::{Acknowledgement, Condition, Met, RULES};
use super::state::{Moving, State, state_of};
use crate::upgrade::v1::Gates;
use olmdex_index::query::KnownCsv;

/// The readiness of an operator for OLM v1.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Readiness {
    /// The conclusion.
    pub state: State,
    /// Why, in words.
    pub reason: String,
    /// The package.
    pub package: String,
    /// The catalog; absent if it is not known.
    pub catalog: Option<String>,
    /// The Subscription, as `NAMESPACE/NAME`; absent for a package of a catalog.
    pub subscription: Option<String>,
    /// The ClusterExtension that has taken its place.
    pub cluster_extension: Option<String>,
    /// The installed bundle, or the one of the catalog. Empty if there is none.
    pub bundle: String,
    /// Its version, or empty.
    pub version: String,
    /// Every condition, in the order of their identifiers.
    pub conditions: Vec<Condition>,
    /// The packages on which it depends, if that is a reason.
    pub depends_on: Vec<String>,
    /// The Subscriptions on the cluster that depend on it, as `NAMESPACE/NAME`.
    pub dependents: Vec<String>,
    /// Warnings to read before it moves.
    pub warnings: Vec<String>,
}

impl Readiness {
    /// One that is not known yet.
    pub fn new(package: String) -> Self {
        Self { package, ..Self::default() }
    }

    /// Draws the conclusion from the conditions.
    pub fn finish(&mut self, acknowledged: &[Acknowledgement], moving: Moving) {
        let place = |id: &str| RULES.iter().position(|it| it.id == id);
        self.conditions.sort_by_key(|it| place(it.id));
        self.state = state_of(&mut self.conditions, acknowledged, moving);
        self.depends_on = self.conditions.iter().flat_map(|it| it.depends_on.iter().cloned()).collect();
        let wanted = match self.state {
            State::Ineligible => Met::No,
            State::NotKnown => Met::NotKnown,
            _ => {
                self.reason = self.good_reason();
                return;
            }
        };
        let decisive = self.conditions.iter().filter(|it| it.verdict == wanted && it.decides());
        let decisive =
            decisive.filter(|it| moving == Moving::Installed || it.verdict == Met::No || it.acknowledgement.is_none());
        self.reason = decisive.map(|it| it.reason.as_str()).collect::<Vec<_>>().join("; ");
    }

    /// The reason why no condition speaks against it.
    fn good_reason(&self) -> String {
        let unmet = self.conditions.iter().filter(|it| it.verdict == Met::No).map(|it| it.reason.as_str());
        let unmet: Vec<&str> = unmet.collect();
        let open = self.conditions.iter().filter(|it| it.verdict == Met::NotKnown).map(|it| it.id);
        let open: Vec<&str> = open.collect();
        let mut text = match unmet.as_slice() {
            [] => "no condition speaks against it".to_owned(),
            unmet => format!("acknowledged: {}", unmet.join("; ")),
        };
        if !open.is_empty() {
            text.push_str(&format!("; not known: {}", open.join(", ")));
        }
        text
    }

    /// Warns about the effect on webhooks.
    pub fn warn_of_webhooks(&mut self, traits: &BundleTraits, gates: &Gates) {
        if traits.obstacles.webhooks.is_empty() {
            if traits.obstacles.known != KnownCsv::Whole && !gates.has_certificates() {
                self.warnings.push(
                    "not known whether it has webhooks, which OLM v1 refuses without certificates: `oc get csv -o yaml` \
                     or the bundle's manifests show them"
                        .to_owned(),
                );
            }
            return;
        }
        self.warnings.push(if gates.has_certificates() {
            "its webhooks get new certificates, and the operator restarts".to_owned()
        } else {
            "no feature gate provides certificates: OLM v1 refuses its webhooks".to_owned()
        });
    }
}
