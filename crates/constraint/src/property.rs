//! The meaning of properties to the resolver (`docs/behaviour/olm-classic.md` 1.2).

use std::rc::Rc;

use super::advice::{self, Topic};
use super::fields::{api_of, fields, label_demand, label_of, package_of};
use super::parse;
use super::tree::{Condition, ConstraintError, Tree};
use olmdex_text::api::Api;
use olmdex_version::Version;
use olmdex_version::blang::Range;

/// A statement of an operator about itself, or a demand.
#[derive(Debug, Clone)]
pub enum Meaning {
    /// It is of this package and has this version, if that can be read.
    Package { name: String, version: Option<Version> },
    /// It provides an API.
    Provides(Api),
    /// It has a label.
    Label(String),
    /// It must not be used.
    Deprecated,
    /// It demands an operator.
    Requires(Rc<Requirement>),
    /// It demands something that cannot be read.
    Broken(Rc<ConstraintError>),
    /// Anything that the resolver does not look at.
    Other,
}

/// A demand for an operator.
#[derive(Debug)]
pub struct Requirement {
    /// Its number among the requirements of a resolution.
    pub number: usize,
    /// The condition.
    pub tree: Tree,
    /// The condition as OLM words it.
    pub text: String,
    /// The condition for people.
    pub plain: String,
    /// The message that its author wants OLM to show, or empty.
    pub message: String,
    /// Warnings about texts that OLM accepts although they do not do what they seem to do.
    pub warnings: Vec<String>,
}

/// The number of messages of parts that are shown.
const MESSAGES_SHOWN: usize = 5;
/// The number of characters of a demand that a message shows.
const SHOWN: usize = 200;

impl Requirement {
    /// The condition for people, as far as it fits into a message.
    pub fn shortened(&self) -> String {
        match self.plain.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &self.plain[..end]),
            None => self.plain.clone(),
        }
    }

    /// The parts that have something to say if they are not met, in order.
    pub fn speaking_parts(&self) -> Vec<usize> {
        let messages = self.tree.messages.iter().enumerate().skip(1);
        messages.filter(|(_, it)| !it.is_empty()).map(|(idx, _)| idx).take(MESSAGES_SHOWN).collect()
    }

    /// The parts without which the whole is not met.
    pub fn necessary_parts(&self) -> Vec<usize> {
        let mut necessary = vec![0];
        let mut at = 0;
        while let Some(idx) = necessary.get(at) {
            match &self.tree.nodes[*idx] {
                Condition::All(parts) => necessary.extend(parts),
                Condition::Any(parts) if parts.len() == 1 => necessary.extend(parts),
                _ => {}
            }
            at += 1;
        }
        necessary
    }

    /// A part as a requirement of its own.
    pub fn part(&self, idx: usize) -> Self {
        let tree = self.tree.part(idx);
        let (text, plain, message) = (tree.text(), tree.plain(), self.tree.messages[idx].clone());
        Self { number: self.number, tree, text, plain, message, warnings: Vec::new() }
    }

    /// Whether it asks one operator for several things at once.
    pub fn is_all(&self) -> bool {
        let mut at = 0;
        while let Some(Condition::All(parts) | Condition::Any(parts)) = self.tree.nodes.get(at) {
            match (parts.as_slice(), &self.tree.nodes[at]) {
                ([only], _) => at = *only,
                (several, Condition::All(_)) => return several.len() > 1,
                _ => return false,
            }
        }
        false
    }
}

/// Reads a property; `number` is given to it if it is a requirement.
pub fn read(kind: &str, value: &str, number: usize) -> Meaning {
    let requirement = |tree: Tree, warnings: Vec<String>| {
        let (text, plain) = (tree.text(), tree.plain());
        let message = tree.messages.first().cloned().unwrap_or_default();
        Meaning::Requires(Rc::new(Requirement { number, tree, text, plain, message, warnings }))
    };
    let broken = |error: ConstraintError| Meaning::Broken(Rc::new(error));
    match kind {
        "olm.package" => match package_of(value) {
            Some((name, version)) => Meaning::Package { name, version: Version::parse(&version).ok() },
            None => Meaning::Other,
        },
        "olm.gvk" => api_of(value).map_or(Meaning::Other, Meaning::Provides),
        "olm.label" => label_of(value).map_or(Meaning::Other, Meaning::Label),
        "olm.deprecated" => Meaning::Deprecated,
        "olm.gvk.required" => match fields(value, ["group", "version", "kind"]) {
            Ok([group, version, kind]) => {
                requirement(Tree::leaf(Condition::Api(Api { group, version, kind })), Vec::new())
            }
            Err(error) => broken(error),
        },
        "olm.package.required" => match fields(value, ["packageName", "versionRange"]) {
            Ok([name, text]) => match Range::parse(&text) {
                Ok(range) => requirement(Tree::leaf(Condition::Package { name, text, range }), Vec::new()),
                Err(error) => broken(ConstraintError::Property(error.to_string())),
            },
            Err(error) => broken(error),
        },
        "olm.label.required" => match label_demand(value) {
            Ok(label) => requirement(Tree::leaf(Condition::Label(label)), Vec::new()),
            Err(error) => broken(error),
        },
        "olm.constraint" => match parse::parse(value) {
            Ok(tree) => {
                // A demand that nothing can meet is reported when it turns out to be unmet.
                let topics = [Topic::Size, Topic::WithoutEffect];
                let advice = advice::of_text(kind, value).into_iter().filter(|it| topics.contains(&it.topic));
                requirement(tree, advice.map(|it| format!("an `olm.constraint`: {}", it.message)).collect())
            }
            Err(error) => broken(error),
        },
        _ => Meaning::Other,
    }
}
