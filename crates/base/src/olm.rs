//! Which OLM: the one that Subscriptions have, or the one that ClusterExtensions have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A generation of OLM.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Generation")]
pub enum Olm {
    /// OLM Classic: Subscriptions.
    #[default]
    Classic,
    /// OLM v1: ClusterExtensions.
    V1,
}

crate::named!(Olm => as_str);

/// The systems that a question is put to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum OlmSet {
    /// OLM Classic: Subscriptions
    Classic,
    /// OLM v1: ClusterExtensions
    V1,
    /// Both, one after the other
    #[default]
    Both,
}

impl From<Olm> for OlmSet {
    fn from(olm: Olm) -> Self {
        match olm {
            Olm::Classic => Self::Classic,
            Olm::V1 => Self::V1,
        }
    }
}

impl OlmSet {
    /// Whether OLM Classic is asked.
    pub fn is_classic(self) -> bool {
        self != Self::V1
    }

    /// Whether OLM v1 is asked.
    pub fn is_v1(self) -> bool {
        self != Self::Classic
    }

    /// Each of them, in their order.
    pub fn each(self) -> &'static [Olm] {
        match self {
            Self::Classic => &[Olm::Classic],
            Self::V1 => &[Olm::V1],
            Self::Both => &[Olm::Classic, Olm::V1],
        }
    }
}
