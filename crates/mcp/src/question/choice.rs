//! Words of arguments: lists that may be one word, and the words that options of commands take.

use std::borrow::Cow;

use olmdex_base::variant_name;
use olmdex_rules::openshift::SupportLevel;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};

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

/// The phases that count as supported.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub(crate) enum SupportWord {
    Full,
    Maintenance,
    Extended,
}

impl SupportWord {
    pub(crate) fn value(self) -> SupportLevel {
        match self {
            Self::Full => SupportLevel::Full,
            Self::Maintenance => SupportLevel::Maintenance,
            Self::Extended => SupportLevel::Extended,
        }
    }

    pub(crate) fn word(self) -> &'static str {
        variant_name(&self)
    }
}
