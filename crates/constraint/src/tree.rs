//! `olm.constraint`: a tree of conditions on one operator (`docs/behaviour/olm-classic.md` 3.1, 3.2).
//!
//! Trees come from catalogs and may be as deep as JSON allows, so they are kept flat, and no function here recurses.

use std::rc::Rc;

use thiserror::Error;

use super::cel::{Rule, RuleError, RuleErrorKind};
use olmdex_text::api::Api;
use olmdex_version::Quoted;
use olmdex_version::blang::{Range, RangeError};

/// The number of bytes that a constraint may have. The documentation says half of that.
pub const MAX_CONSTRAINT: usize = 131_072;
/// The number of bytes that the documentation says that a constraint may have.
pub(crate) const DOCUMENTED_CONSTRAINT: usize = 65_536;

/// The reasons why a requirement cannot be read. OLM then resolves nothing at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// It has too many bytes.
    #[error("parse olm.constraint: olm.constraint value is greater than max constraint size {MAX_CONSTRAINT} bytes")]
    TooLarge,
    /// It has a field that OLM does not know.
    #[error("parse olm.constraint: json: unknown field {}", Quoted(.0))]
    UnknownField(String),
    /// It does not have the form that it should have.
    #[error("parse olm.constraint: json: {0}")]
    Json(String),
    /// It, or a part of it, demands nothing.
    #[error("convert olm.constraint to resolver predicate: constraint is empty")]
    Empty,
    /// A range of versions cannot be read.
    #[error("convert olm.constraint to resolver predicate: {0}")]
    Range(RangeError),
    /// A rule cannot be used.
    #[error("convert olm.constraint to resolver predicate: {0}")]
    Rule(RuleError),
    /// Another property that demands something cannot be read.
    #[error("{0}")]
    Property(String),
}

impl ConstraintError {
    /// The remedy, where it is not plain.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::UnknownField(field) if field == "name" => {
                Some("Red Hat's documentation writes `package: {name: …}`; OLM reads only `packageName`")
            }
            Self::Empty => Some("it needs one of gvk, package, all, any, not, cel"),
            Self::Rule(RuleError { kind: RuleErrorKind::NotBool, .. }) => {
                Some("a property's value has no type: wrap it, as in `bool(properties[0].value)`")
            }
            _ => None,
        }
    }
}

/// A condition on one operator. Conditions inside it have higher numbers.
#[derive(Debug, Clone)]
pub enum Condition {
    /// It provides an API.
    Api(Api),
    /// It is of a package, in a range of versions.
    Package {
        /// The name of the package.
        name: String,
        /// The range as its author wrote it.
        text: String,
        /// The range as it is understood.
        range: Range,
    },
    /// It has a label.
    Label(String),
    /// All of these nodes hold.
    All(Vec<usize>),
    /// One of these nodes holds.
    Any(Vec<usize>),
    /// None of these nodes holds.
    Not(Vec<usize>),
    /// A rule of CEL holds.
    Cel {
        /// The rule as it is understood.
        rule: Rc<Rule>,
        /// The rule as its author wrote it.
        text: String,
        /// The message that its author wants OLM to show if it does not hold, or empty.
        message: String,
    },
}

/// A whole condition; the first node is its root.
#[derive(Debug)]
pub struct Tree {
    /// The conditions, each before its parts.
    pub nodes: Vec<Condition>,
    /// The message of each node for a condition that is not met; OLM shows it for `cel` only.
    pub messages: Vec<String>,
}

/// The places where candidates for a condition may be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Only where one of these nodes holds.
    Leaves(Vec<usize>),
    /// Anywhere.
    Everywhere,
}

/// Answers about an operator for nodes without parts.
pub trait Facts<E> {
    /// Whether it holds.
    ///
    /// # Errors
    /// If the fact is not available.
    fn leaf(&self, node: &Condition) -> Result<bool, E>;
}

impl Tree {
    pub(crate) fn leaf(node: Condition) -> Self {
        Self { nodes: vec![node], messages: vec![String::new()] }
    }

    /// The condition at a node, by itself.
    pub(crate) fn part(&self, root: usize) -> Self {
        let mut part = Self { nodes: Vec::new(), messages: Vec::new() };
        // Each node with the parent that it gets in the new tree.
        let mut open: Vec<(usize, Option<usize>)> = vec![(root, None)];
        while let Some((idx, parent)) = open.pop() {
            let number = part.nodes.len();
            let mut inside = Vec::new();
            part.nodes.push(match &self.nodes[idx] {
                Condition::All(parts) => {
                    inside.clone_from(parts);
                    Condition::All(Vec::new())
                }
                Condition::Any(parts) => {
                    inside.clone_from(parts);
                    Condition::Any(Vec::new())
                }
                Condition::Not(parts) => {
                    inside.clone_from(parts);
                    Condition::Not(Vec::new())
                }
                leaf => leaf.clone(),
            });
            part.messages.push(self.messages[idx].clone());
            if let Some(Condition::All(parts) | Condition::Any(parts) | Condition::Not(parts)) =
                parent.and_then(|it: usize| part.nodes.get_mut(it))
            {
                parts.push(number);
            }
            open.extend(inside.into_iter().rev().map(|it| (it, Some(number))));
        }
        part
    }

    /// Whether an operator meets the condition.
    pub fn holds<E>(&self, facts: &impl Facts<E>) -> Result<bool, E> {
        if let [only] = self.nodes.as_slice()
            && !matches!(only, Condition::All(_) | Condition::Any(_) | Condition::Not(_))
        {
            return facts.leaf(only);
        }
        let mut holds = vec![false; self.nodes.len()];
        for (idx, node) in self.nodes.iter().enumerate().rev() {
            holds[idx] = match node {
                Condition::All(parts) => parts.iter().all(|it| holds[*it]),
                Condition::Any(parts) => parts.iter().any(|it| holds[*it]),
                Condition::Not(parts) => !parts.iter().any(|it| holds[*it]),
                leaf => facts.leaf(leaf)?,
            };
        }
        Ok(holds[0])
    }

    /// The places where operators that meet the condition may be.
    pub fn reach(&self) -> Reach {
        let mut reach = vec![Reach::Everywhere; self.nodes.len()];
        for (idx, node) in self.nodes.iter().enumerate().rev() {
            reach[idx] = match node {
                Condition::Api(_) | Condition::Package { .. } | Condition::Label(_) => Reach::Leaves(vec![idx]),
                Condition::Cel { .. } | Condition::Not(_) => Reach::Everywhere,
                // One part that is found is enough, so only one is kept.
                Condition::All(parts) => {
                    let found = parts.iter().find(|it| reach[**it] != Reach::Everywhere).copied();
                    found.map_or(Reach::Everywhere, |it| std::mem::replace(&mut reach[it], Reach::Everywhere))
                }
                Condition::Any(parts) => {
                    let mut leaves = Some(Vec::new());
                    for part in parts {
                        match (&mut leaves, std::mem::replace(&mut reach[*part], Reach::Everywhere)) {
                            (Some(all), Reach::Leaves(more)) => all.extend(more),
                            _ => leaves = None,
                        }
                    }
                    leaves.map_or(Reach::Everywhere, Reach::Leaves)
                }
            };
        }
        reach.swap_remove(0)
    }

    /// The condition for people: with brackets, and `not` where it belongs.
    pub(crate) fn plain(&self) -> String {
        self.written(leaf_plain, |idx, node, n_parts| {
            // A single part needs no brackets, and neither does the root.
            let (before, after) = if idx == 0 || n_parts == 1 { ("", "") } else { ("(", ")") };
            match node {
                Condition::Any(_) => Words { none: "nothing that there is", before, between: " or ", after },
                Condition::Not(_) if n_parts == 1 => {
                    Words { none: "anything", before: "not ", between: " or ", after: "" }
                }
                Condition::Not(_) => Words { none: "anything", before: "not (", between: " or ", after: ")" },
                _ => Words { none: "anything", before, between: " and ", after },
            }
        })
    }

    /// The condition as OLM words it: parts are joined without brackets, and `not` shows only between parts.
    pub(crate) fn text(&self) -> String {
        self.written(leaf_text, |_, node, _| {
            let between = match node {
                Condition::Any(_) => " or ",
                Condition::Not(_) => " and not ",
                _ => " and ",
            };
            Words { none: "", before: "", between, after: "" }
        })
    }

    /// The condition as a text; `words` gives those of a node with parts, by its number and how many parts it has.
    fn written(&self, leaf: fn(&Condition) -> String, words: impl Fn(usize, &Condition, usize) -> Words) -> String {
        enum Piece {
            Condition(usize),
            Text(&'static str),
        }
        let mut text = String::new();
        let mut open = vec![Piece::Condition(0)];
        while let Some(piece) = open.pop() {
            let idx = match piece {
                Piece::Text(word) => {
                    text.push_str(word);
                    continue;
                }
                Piece::Condition(idx) => idx,
            };
            let node = &self.nodes[idx];
            let (Condition::All(parts) | Condition::Any(parts) | Condition::Not(parts)) = node else {
                text.push_str(&leaf(node));
                continue;
            };
            let words = words(idx, node, parts.len());
            if parts.is_empty() {
                text.push_str(words.none);
                continue;
            }
            text.push_str(words.before);
            open.push(Piece::Text(words.after));
            for (at, part) in parts.iter().enumerate().rev() {
                open.push(Piece::Condition(*part));
                if at > 0 {
                    open.push(Piece::Text(words.between));
                }
            }
        }
        text
    }
}

/// The words around the parts of a node.
struct Words {
    /// Instead of parts.
    none: &'static str,
    before: &'static str,
    between: &'static str,
    after: &'static str,
}

/// A condition without parts in OLM's words.
pub(crate) fn leaf_text(node: &Condition) -> String {
    match node {
        Condition::Api(api) => {
            format!("providing an API with group: {}, version: {}, kind: {}", api.group, api.version, api.kind)
        }
        Condition::Package { name, text, .. } => format!("with package: {name} and with version in range: {text}"),
        Condition::Label(label) => format!("with label: {label}"),
        Condition::Cel { text, message, .. } => {
            format!("with constraint: {} and message: {}", Quoted(text), Quoted(message))
        }
        Condition::All(_) | Condition::Any(_) | Condition::Not(_) => String::new(),
    }
}

/// A condition without parts for people.
fn leaf_plain(node: &Condition) -> String {
    match node {
        Condition::Api(api) => format!("the API {api}"),
        Condition::Package { name, text, .. } => format!("package {name} {text}"),
        Condition::Label(label) => format!("the label {label}"),
        Condition::Cel { text, .. } => format!("an operator with `{text}`"),
        Condition::All(_) | Condition::Any(_) | Condition::Not(_) => String::new(),
    }
}
