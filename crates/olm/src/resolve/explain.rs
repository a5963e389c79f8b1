//! A contradiction as a story: the request, its requirements, and the point where they contradict.

use schemars::JsonSchema;
use serde::Serialize;

use super::conflict::{ConflictFact, FactKind, Named};
use olmdex_base::diag::{Listed, Place};

/// The number of operators that a sentence lists.
const SHOWN: usize = 4;

/// A sentence with the place of its fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sentence {
    /// The words.
    pub text: String,
    /// The place where the fact is written.
    #[serde(flatten)]
    pub place: Place,
}

/// The story of facts that contradict each other: requests first.
pub fn story(facts: &[ConflictFact]) -> Vec<Sentence> {
    let rank = |it: &FactKind| match it {
        FactKind::Subscription { .. } | FactKind::Invalid { .. } | FactKind::Subscribed { .. } => 0,
        FactKind::Unreferenced { .. } => 1,
        FactKind::Requires { .. } => 2,
        FactKind::Deprecated { .. } => 3,
        FactKind::Replaces { .. } | FactKind::Package { .. } | FactKind::Providers { .. } => 4,
    };
    let mut sorted: Vec<&ConflictFact> = facts.iter().collect();
    sorted.sort_by_key(|it| rank(&it.kind));
    // A Subscription need not be mentioned beside its demand.
    let speaks_of = |name: &str| {
        facts.iter().any(|it| match &it.kind {
            FactKind::Subscribed { name: it, .. } | FactKind::Invalid { name: it } => it == name,
            _ => false,
        })
    };
    let is_said = |it: &&&ConflictFact| !matches!(&it.kind, FactKind::Subscription { name } if speaks_of(name));
    let mut sentences: Vec<Sentence> = Vec::new();
    let mut told: Vec<(&str, &str, &[Named])> = Vec::new();
    for fact in sorted.iter().filter(is_said) {
        if let FactKind::Requires { text, message, part_messages, candidates, is_all, .. } = &fact.kind {
            // A requirement that many versions share is written once.
            let demand = (text.as_str(), message.as_str(), candidates.as_slice());
            if told.contains(&demand) {
                continue;
            }
            told.push(demand);
            let alike = sorted.iter().filter_map(|it| match &it.kind {
                FactKind::Requires { operator, text, message, candidates, .. }
                    if (text.as_str(), message.as_str(), candidates.as_slice()) == demand =>
                {
                    Some(operator.name.as_str())
                }
                _ => None,
            });
            let messages = messages(message, part_messages);
            let words = requires(&alike.collect::<Vec<&str>>(), text, *is_all, &messages, candidates);
            sentences.push(Sentence { text: words, place: fact.place.clone() });
            continue;
        }
        let sentence = Sentence { text: text(fact), place: fact.place.clone() };
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    sentences
}

fn text(fact: &ConflictFact) -> String {
    match &fact.kind {
        FactKind::Subscription { name } => format!("there is the Subscription `{name}`"),
        FactKind::Invalid { name } => {
            // OLM's words, with its Subscription in front.
            let what = fact.message.split(" referenced by subscription ").next().unwrap_or_default();
            format!("no bundle suits the Subscription `{name}`: {what}")
        }
        FactKind::Subscribed { name, candidates } => match candidates.as_slice() {
            [only] if only.channel.is_empty() => {
                format!("the Subscription `{name}` can only keep {}: no upgrade is available from it", shown(only))
            }
            [only] => format!("the Subscription `{name}` can only have {}", shown(only)),
            several => format!("the Subscription `{name}` needs {}", listed(several, "or")),
        },
        FactKind::Unreferenced { operator } => {
            format!("{} is installed and no Subscription names it, so it must stay", operator.name)
        }
        FactKind::Deprecated { operator } => {
            format!("{} is marked `olm.deprecated`, so it must not be used", shown(operator))
        }
        FactKind::Requires { operator, text, message, part_messages, candidates, is_all } => {
            let messages = messages(message, part_messages);
            requires(&[operator.name.as_str()], text, *is_all, &messages, candidates)
        }
        FactKind::Replaces { operator, installed } => {
            format!("{} replaces {}, so they cannot both be installed", shown(operator), installed.name)
        }
        FactKind::Providers { api, operators } => match distinct(operators).as_slice() {
            [only] => format!(
                "{} lists the API {api} twice, but only one operator may provide an API, and only once",
                shown(only)
            ),
            several => format!("{} provide the API {api}, which only one operator may", listed(several, "and")),
        },
        FactKind::Package { package, operators } => match distinct(operators).as_slice() {
            [only] => format!("{} states the package {package} twice", shown(only)),
            several => {
                format!(
                    "{} belong to the package {package}, and only one bundle of a package may be installed",
                    listed(several, "and")
                )
            }
        },
    }
}

/// The messages of the author, about the whole and about its parts.
fn messages<'m>(message: &'m str, parts: &'m [String]) -> Vec<&'m str> {
    let mut messages: Vec<&str> = Vec::new();
    for it in std::iter::once(message).chain(parts.iter().map(String::as_str)) {
        if !it.is_empty() && !messages.contains(&it) {
            messages.push(it);
        }
    }
    messages
}

/// The sentence about a requirement of operators and its providers.
fn requires(operators: &[&str], text: &str, is_all: bool, messages: &[&str], candidates: &[Named]) -> String {
    let who = match candidates {
        // OLM asks one operator for all of it, so each single part may well be available.
        [] if is_all => "and no single operator meets all of these".to_owned(),
        [] => "which no operator provides".to_owned(),
        [only] => format!("which only {} provides", shown(only)),
        several => format!("which {} provide", listed(several, "and")),
    };
    let quoted: Vec<String> = messages.iter().map(|it| format!("{it:?}")).collect();
    let wording = if quoted.is_empty() { String::new() } else { format!(" ({})", quoted.join("; ")) };
    let verb = if operators.len() == 1 { "requires" } else { "require" };
    format!("{} {verb} {text}{wording}, {who}", Listed::of(operators).last_word("and").at_most(SHOWN))
}

fn distinct(operators: &[Named]) -> Vec<Named> {
    let mut distinct = operators.to_vec();
    distinct.dedup();
    distinct
}

/// An operator with where it comes from.
fn shown(operator: &Named) -> String {
    with_origin(&operator.name, &operator.channel, &operator.catalog)
}

/// An operator with where it comes from; without a channel it is installed.
pub fn with_origin(name: &str, channel: &str, catalog: &str) -> String {
    if channel.is_empty() { format!("{name} (installed)") } else { format!("{name} ({channel} of {catalog})") }
}

fn listed(operators: &[Named], word: &'static str) -> Listed {
    Listed::of(operators.iter().map(shown)).last_word(word).at_most(SHOWN)
}
