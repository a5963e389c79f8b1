//! The meaning of a rule, or of a message of OLM.

use super::error::AskError;
use olmdex_base::diag::{Rule, closest};
use olmdex_rules::check::practice::Profile;
use olmdex_rules::explain::{MessageExplanation, decode, where_to_look};

/// The meaning of a text.
#[derive(Debug)]
pub enum Explained {
    /// It names rules.
    Rules(Vec<&'static Rule>),
    /// It is a message.
    Message {
        /// The meaning, and the commands to run next.
        explanation: Box<MessageExplanation>,
        is_known: bool,
    },
}

/// Explains a text: a rule by its identifier or name, `all` rules, those of a pipeline, or a message.
///
/// # Errors
/// [`AskError::NoRule`] for a word that is none of these.
pub fn explain(text: &str) -> Result<Explained, AskError> {
    match rules_named(text) {
        // A word that is not a message is a rule that does not exist.
        Err(error) if !text.contains(char::is_whitespace) && decode(text).is_none() => Err(error),
        Err(_) => Ok(explain_message(text)),
        Ok(rules) => Ok(Explained::Rules(rules)),
    }
}

/// The rules that a word names: one by its identifier or name, `all`, or those of a pipeline.
///
/// # Errors
/// [`AskError::NoRule`]
pub fn rules_named(word: &str) -> Result<Vec<&'static Rule>, AskError> {
    let all = all_rules();
    if word == "all" {
        return Ok(all);
    }
    if let Some(profile) = Profile::find(word) {
        return Ok(profile.rules().to_vec());
    }
    if let Some(rule) = all.iter().find(|it| it.id.eq_ignore_ascii_case(word) || it.name.eq_ignore_ascii_case(word)) {
        return Ok(vec![rule]);
    }
    let names = all.iter().flat_map(|it| [it.id, it.name]);
    let help = match closest(word, names) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "`olmdex explain all` lists the rules; of a condition, give the message, too".to_owned(),
    };
    Err(AskError::NoRule { name: word.to_owned(), help })
}

/// Explains a message.
pub fn explain_message(text: &str) -> Explained {
    let decoded = decode(text);
    let is_known = decoded.is_some();
    let explanation = decoded.unwrap_or_else(|| MessageExplanation {
        meaning: "This message is unknown.".to_owned(),
        next: where_to_look(text),
        ..MessageExplanation::default()
    });
    Explained::Message { explanation: Box::new(explanation), is_known }
}

/// The rules of all modules that have some.
pub fn all_rules() -> Vec<&'static Rule> {
    use olmdex_bundle::{bundle, community};
    use olmdex_rules::{check, cluster, crd, openshift};
    [
        check::rules::ALL,
        check::practice::rules::ALL,
        check::pipeline::rules::ALL,
        olmdex_legacy::rules::ALL,
        olmdex_olm::upgrade::rules::ALL,
        olmdex_olm::resolve::rules::ALL,
        crd::rules::ALL,
        crd::bundle_rules::ALL,
        cluster::rules::ALL,
        bundle::rules::table::ALL,
        bundle::package_manifest::rules::ALL,
        olmdex_change::edit::rules::ALL,
        olmdex_compose::mirror::rules::ALL,
        olmdex_open::oci::rules::ALL,
        olmdex_open::template::rules::ALL,
        community::rules::ALL,
        openshift::rules::ALL,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Explained, all_rules, explain};
    use crate::AskError;

    #[test]
    fn each_rule_has_an_identifier_and_a_name_of_its_own() {
        let rules = all_rules();
        let mut seen = BTreeSet::new();
        for rule in &rules {
            assert!(seen.insert(rule.id) && seen.insert(rule.name), "{} {}", rule.id, rule.name);
        }
    }

    #[test]
    fn a_word_is_a_rule_and_a_sentence_a_message() {
        assert!(matches!(explain("e0207"), Ok(Explained::Rules(rules)) if rules.len() == 1));
        assert!(matches!(explain("E9999"), Err(AskError::NoRule { .. })));
        assert!(matches!(explain("it broke somehow"), Ok(Explained::Message { is_known: false, .. })));
    }
}
