//! Words of arguments: lists that may be one word, and the words that options of commands take.

use std::borrow::Cow;

use olmdex_ask::{Compatibility, OlmSet};
use olmdex_olm::readiness::Acknowledgement;
use olmdex_rules::openshift::SupportLevel;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

/// Several words. Assistants often pass one word, or null, instead of a list.
#[derive(Debug, Default, Clone)]
pub(crate) struct List(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum ListInput {
            One(String),
            Several(Vec<String>),
            None(()),
        }
        let input =
            ListInput::deserialize(deserializer).map_err(|_| serde::de::Error::custom("expected a list of strings"))?;
        Ok(Self(match input {
            ListInput::One(word) => vec![word],
            ListInput::Several(words) => words,
            ListInput::None(()) => Vec::new(),
        }))
    }
}

impl JsonSchema for List {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "List".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<String>::json_schema(generator)
    }
}

/// Declares an enum of words that stands for one of ours.
macro_rules! choices {
    ($(#[$doc:meta])* $name:ident for $of:ty => $($variant:ident: $word:literal, $value:expr;)*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
        #[schemars(inline)]
        pub(crate) enum $name {
            $(#[serde(rename = $word)] $variant,)*
        }

        impl $name {
            pub(crate) fn value(self) -> $of {
                match self { $(Self::$variant => $value,)* }
            }

            pub(crate) fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

choices! {
    /// A generation of OLM.
    OlmWord for OlmSet =>
    Classic: "classic", OlmSet::Classic;
    V1: "v1", OlmSet::V1;
    Both: "both", OlmSet::Both;
}

choices! {
    /// The verdict of a bundle on a version of OpenShift.
    VerdictWord for Compatibility =>
    Blocks: "blocks", Compatibility::Blocks;
    Excluded: "excluded", Compatibility::Excluded;
    Unknown: "unknown", Compatibility::Unknown;
    NotExcluded: "not-excluded", Compatibility::NotExcluded;
    Stated: "stated", Compatibility::Stated;
}

choices! {
    /// The phases that count as supported.
    SupportWord for SupportLevel =>
    Full: "full", SupportLevel::Full;
    Maintenance: "maintenance", SupportLevel::Maintenance;
    Extended: "extended", SupportLevel::Extended;
}

choices! {
    /// The conditions that the user acknowledges.
    AcknowledgementWord for Acknowledgement =>
    WatchScopeChange: "watch-scope-change", Acknowledgement::WatchScopeChange;
    OperatorCondition: "operator-condition", Acknowledgement::OperatorCondition;
    Olmv0ApiAccess: "olmv0-api-access", Acknowledgement::Olmv0ApiAccess;
    ScopedServiceaccount: "scoped-serviceaccount", Acknowledgement::ScopedServiceaccount;
    NotSteadyState: "not-steady-state", Acknowledgement::NotSteadyState;
    CatalogPriority: "catalog-priority", Acknowledgement::CatalogPriority;
}
