//! The differences of catalogs, and the meaning of rules and messages.

use olmdex_ask::{CommandLine, DifferenceWish, Differences, Explained, differences, explain, must_have};
use olmdex_index::Index;
use olmdex_index::query::Side;
use olmdex_rules::explain::RuleExplanation;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Question;
use crate::answer::{Answer, AnswerError};
use crate::world::World;

/// A named catalog must exist.
pub(crate) fn known_catalogs(index: &Index, wanted: &[String]) -> Result<(), AnswerError> {
    let names = index.catalog_names()?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok(wanted.iter().try_for_each(|it| must_have(it, &names))?)
}

/// Compare two catalogs.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Diff {
    /// The older catalog, by its name among the catalogs of this server.
    old: String,
    /// The catalog that replaces it.
    new: String,
    /// Only these packages.
    #[serde(default)]
    package: Vec<String>,
    /// Only changes that break something: packages, channels and upgrades that are gone, bundles with other content.
    #[serde(default)]
    breaking: bool,
    /// Also list the contents of added and removed packages, channels and bundles.
    #[serde(default)]
    details: bool,
}

impl Question for Diff {
    fn ask(&self, world: &World) -> Result<Answer, AnswerError> {
        let index = world.index();
        let find = |name: &str| -> Result<String, AnswerError> {
            if let Some(found) = index.catalog_as_of(name)? {
                return Ok(found);
            }
            known_catalogs(&index, &[name.to_owned()])?;
            Err(AnswerError::of(format!("no catalog `{name}`")))
        };
        let (old, new) = (find(&self.old)?, find(&self.new)?);
        let (old, new) = (Side { index: &index, catalog: &old }, Side { index: &index, catalog: &new });
        let wish = DifferenceWish { breaking: self.breaking, details: self.details };
        let found = differences(old, new, &self.package, wish, |_| false)?;
        let Differences { changes, n_ignored, n_details, unchecked } = found;
        let mut warnings = Vec::new();
        if n_ignored > 0 {
            warnings.push(format!("{n_ignored} other changes are not breaking"));
        }
        if n_details > 0 {
            warnings.push(format!("{n_details} nested changes hidden; `details` shows them"));
        }
        if !unchecked.is_empty() {
            let names = unchecked.into_iter().collect::<Vec<_>>().join(", ");
            warnings.push(format!("not checked for breaking changes, since they are not valid: {names}"));
        }
        Ok(Answer::of("CatalogDiff", &changes)?.warned(warnings))
    }

    fn command(&self, world: &World) -> String {
        let words = CommandLine::default();
        // A catalog of the past is named as NAME@DAY.
        let plain = |name: &str| name.split('@').next().unwrap_or_default().to_owned();
        let of = |name: &str| world.catalogs.iter().find(|it| it.catalog == name || it.catalog == plain(name));
        let source = |name: &str| of(name).map_or_else(|| name.to_owned(), |it| it.source.clone());
        let choice = |name: &str| of(name).filter(|it| it.is_index).map(|_| name.to_owned());
        let words = words.option("--old-catalog", choice(&self.old)).option("--new-catalog", choice(&self.new));
        let words = words.options("--package", &self.package).flag("--breaking", self.breaking);
        words.flag("--details", self.details).names(&[source(&self.old), source(&self.new)]).line("diff")
    }
}

/// Explain a rule or a message.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Explain {
    /// A rule by its identifier or name (`E0207`), `all` rules, a pipeline (`konflux`), or an error message of OLM.
    text: String,
}

impl Question for Explain {
    fn ask(&self, _: &World) -> Result<Answer, AnswerError> {
        match explain(&self.text)? {
            Explained::Rules(rules) => {
                let rules: Vec<RuleExplanation> = rules.into_iter().map(RuleExplanation::from).collect();
                Answer::of("RuleExplanation", &rules)
            }
            Explained::Message { explanation, .. } => Answer::of("MessageExplanation", &[*explanation]),
        }
    }

    fn command(&self, _: &World) -> String {
        CommandLine::default().names([&self.text]).line("explain")
    }
}
