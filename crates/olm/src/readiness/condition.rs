//! The conditions under which OLM v1 can take an operator over, as a table, and the result of one of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use olmdex_base::diag::Place;

/// Whether a condition is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Met {
    /// It is not met.
    No,
    /// The input does not show it.
    NotKnown,
    /// It is met.
    Yes,
}

impl Met {
    /// The words for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::NotKnown => "not known",
            Self::Yes => "yes",
        }
    }
}

/// A problem that an administrator can acknowledge: the operator moves although a condition is not met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Acknowledgement {
    /// The operator will watch all namespaces
    WatchScopeChange,
    /// No component reads its OperatorCondition any more
    OperatorCondition,
    /// It uses APIs of OLM Classic, but none of OLM v1
    Olmv0ApiAccess,
    /// It is installed with the rights of OLM v1
    ScopedServiceaccount,
    /// It is unhealthy, or an upgrade is in progress
    NotSteadyState,
    /// The priority of a catalog is cut
    CatalogPriority,
}

olmdex_base::named!(Acknowledgement => as_str);

/// A condition.
#[derive(Debug)]
pub struct Rule {
    /// Its identifier, as the migration library numbers it.
    pub id: &'static str,
    /// The fact that holds if it is met.
    pub text: &'static str,
    /// How it can be acknowledged; `None` if it cannot.
    pub acknowledgement: Option<Acknowledgement>,
    /// The remedy if it is not met.
    pub way_out: &'static str,
}

/// All conditions, in the order of reports.
pub const RULES: [Rule; 11] = [
    Rule {
        id: "C1",
        text: "the OperatorGroup targets all namespaces",
        acknowledgement: Some(Acknowledgement::WatchScopeChange),
        way_out: "clear `spec.targetNamespaces` and `spec.selector` of the OperatorGroup",
    },
    Rule {
        id: "C1a",
        text: "the operator supports AllNamespaces",
        acknowledgement: None,
        way_out: "upgrade to a version that supports AllNamespaces, or stay with OLM Classic",
    },
    Rule {
        id: "C2",
        text: "the operator declares no dependencies",
        acknowledgement: None,
        way_out: "upgrade to a version that declares none: OLM v1 resolves no dependencies",
    },
    Rule {
        id: "C3",
        text: "the operator owns no API services",
        acknowledgement: None,
        way_out: "wait for an operator-controller that renders them (operator-controller#2885), then add `--renders-api-services`",
    },
    Rule {
        id: "C4",
        text: "the operator reports no OperatorCondition",
        acknowledgement: Some(Acknowledgement::OperatorCondition),
        way_out: "find out how the operator keeps itself from upgrades without OLM Classic",
    },
    Rule {
        id: "C5",
        text: "the operator does without the APIs of OLM Classic, or knows those of OLM v1",
        acknowledgement: Some(Acknowledgement::Olmv0ApiAccess),
        way_out: "upgrade to a version whose RBAC grants olm.operatorframework.io too",
    },
    Rule {
        id: "C6",
        text: "the OperatorGroup names no service account",
        acknowledgement: Some(Acknowledgement::ScopedServiceaccount),
        way_out: "clear `spec.serviceAccountName` of the OperatorGroup",
    },
    Rule {
        id: "C7",
        text: "a ClusterCatalog serves the package",
        acknowledgement: None,
        way_out: "make a ClusterCatalog of an image that has the package",
    },
    Rule {
        id: "C8",
        text: "the operator is in a steady state",
        acknowledgement: Some(Acknowledgement::NotSteadyState),
        way_out: "wait until the ClusterServiceVersion is Succeeded and the Subscription AtLatestKnown or UpgradePending",
    },
    Rule {
        id: "C9",
        text: "the operator was not installed as a dependency",
        acknowledgement: None,
        way_out: "move or remove the operators that need it, then delete the annotation olm.generated-by of the Subscription",
    },
    Rule {
        id: "C10",
        text: "its CatalogSource can become a ClusterCatalog",
        acknowledgement: None,
        way_out: "make it a CatalogSource of type grpc with an image",
    },
];

/// The rule with an identifier.
pub(super) fn rule(id: &str) -> &'static Rule {
    // Identifiers are literals of this module; the first rule is never the answer.
    RULES.iter().find(|it| it.id == id).unwrap_or(&RULES[0])
}

/// A condition with its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// Its identifier: C1 to C10.
    pub id: &'static str,
    /// The fact that holds if it is met.
    pub condition: &'static str,
    /// Whether it is met.
    pub verdict: Met,
    /// Why, in words.
    pub reason: String,
    /// The place where that is written, if there is one.
    pub place: Option<Place>,
    /// The word that acknowledges it, if it can be acknowledged.
    pub acknowledgement: Option<Acknowledgement>,
    /// Whether it is acknowledged.
    pub is_acknowledged: bool,
    /// The remedy, if it is not met.
    pub way_out: Option<String>,
    /// The packages on which the operator depends, if that is the reason.
    pub depends_on: Vec<String>,
}

impl Condition {
    /// Whether OLM v1 itself refuses the bundle for it. The others are about moving, and can be acknowledged.
    pub fn is_refusal(&self) -> bool {
        self.verdict == Met::No && self.acknowledgement.is_none()
    }

    pub(super) fn new(id: &str, verdict: Met, reason: impl Into<String>, place: Option<Place>) -> Self {
        let rule = rule(id);
        Self {
            id: rule.id,
            condition: rule.text,
            verdict,
            reason: reason.into(),
            place: place.filter(|it| !it.file.is_empty()),
            acknowledgement: rule.acknowledgement,
            is_acknowledged: false,
            way_out: (verdict == Met::No).then(|| rule.way_out.to_owned()),
            depends_on: Vec::new(),
        }
    }

    pub(super) fn acknowledged_by(mut self, word: Acknowledgement) -> Self {
        self.acknowledgement = Some(word);
        self
    }

    /// Whether it keeps the operator where it is, or may do so.
    pub fn decides(&self) -> bool {
        self.verdict != Met::Yes && !self.is_acknowledged
    }
}

/// The condition that a ClusterCatalog serves the package (C7). The caller knows the catalogs and passes the verdict.
pub fn catalog_condition(verdict: Met, reason: String, place: Option<Place>) -> Condition {
    Condition::new("C7", verdict, reason, place)
}
