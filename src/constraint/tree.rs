//! `olm.constraint`: a tree of conditions on one operator (`spec/olm-classic.md` 3.1, 3.2).
//!
//! Trees come from catalogs and may be as deep as JSON allows, so they are kept flat, and nothing here recurses.
//!
//! What it deliberately does not do: it does not know which operators there are.

use std::rc::Rc;

use thiserror::Error;

use super::cel::{Rule, RuleError, RuleErrorKind};
use crate::fbc::Api;
use crate::json::{self, Kind, Value};
use crate::version::Quoted;
use crate::version::blang::{Range, RangeError};

/// How many bytes a constraint may have. The documentation says half of that.
pub const MAX_CONSTRAINT: usize = 131_072;
/// How many bytes the documentation says that a constraint may have.
pub(crate) const DOCUMENTED_CONSTRAINT: usize = 65_536;

/// Why a requirement cannot be read. OLM then resolves nothing at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// It has too many bytes.
    #[error("parse olm.constraint: olm.constraint value is greater than max constraint size {MAX_CONSTRAINT} bytes")]
    TooLarge,
    /// It has a field that OLM does not know.
    #[error("parse olm.constraint: json: unknown field {}", Quoted(.0))]
    UnknownField(String),
    /// It is not what it should be.
    #[error("parse olm.constraint: json: {0}")]
    Json(String),
    /// It, or something inside it, demands nothing.
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
    /// What to do about it, where that is not plain.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::UnknownField(field) if field == "name" => {
                Some("product documentation writes `package: {name: …}`; OLM reads only `packageName`")
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
#[derive(Debug)]
pub(crate) enum Node {
    Api(Api),
    Package { name: String, text: String, range: Range },
    Label(String),
    All(Vec<usize>),
    Any(Vec<usize>),
    Not(Vec<usize>),
    Cel { rule: Rc<Rule>, text: String, message: String },
}

/// A whole condition; the first node is its root.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
}

/// Where candidates for a condition may be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Only where one of these is.
    Leaves(Vec<usize>),
    /// Anywhere.
    Everywhere,
}

/// What a node says of an operator, asked for those without parts.
pub(crate) trait Facts<E> {
    fn leaf(&self, node: &Node) -> Result<bool, E>;
}

impl Tree {
    pub(crate) fn leaf(node: Node) -> Self {
        Self { nodes: vec![node] }
    }

    /// Whether an operator meets the condition.
    pub(crate) fn holds<E>(&self, facts: &impl Facts<E>) -> Result<bool, E> {
        if let [only] = self.nodes.as_slice()
            && !matches!(only, Node::All(_) | Node::Any(_) | Node::Not(_))
        {
            return facts.leaf(only);
        }
        let mut holds = vec![false; self.nodes.len()];
        for (idx, node) in self.nodes.iter().enumerate().rev() {
            holds[idx] = match node {
                Node::All(parts) => parts.iter().all(|it| holds[*it]),
                Node::Any(parts) => parts.iter().any(|it| holds[*it]),
                Node::Not(parts) => !parts.iter().any(|it| holds[*it]),
                leaf => facts.leaf(leaf)?,
            };
        }
        Ok(holds[0])
    }

    /// Where operators may be that meet the condition.
    pub(crate) fn reach(&self) -> Reach {
        let mut reach = vec![Reach::Everywhere; self.nodes.len()];
        for (idx, node) in self.nodes.iter().enumerate().rev() {
            reach[idx] = match node {
                Node::Api(_) | Node::Package { .. } | Node::Label(_) => Reach::Leaves(vec![idx]),
                Node::Cel { .. } | Node::Not(_) => Reach::Everywhere,
                // One part that is found is enough, and one is all that is kept.
                Node::All(parts) => {
                    let found = parts.iter().find(|it| reach[**it] != Reach::Everywhere).copied();
                    found.map_or(Reach::Everywhere, |it| std::mem::replace(&mut reach[it], Reach::Everywhere))
                }
                Node::Any(parts) => {
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
        enum Piece {
            Node(usize),
            Text(&'static str),
        }
        let mut text = String::new();
        let mut open = vec![Piece::Node(0)];
        while let Some(piece) = open.pop() {
            let idx = match piece {
                Piece::Text(between) => {
                    text.push_str(between);
                    continue;
                }
                Piece::Node(idx) => idx,
            };
            let (parts, before, between, none) = match &self.nodes[idx] {
                Node::All(parts) => (parts, "(", " and ", "anything"),
                Node::Any(parts) => (parts, "(", " or ", "nothing that there is"),
                Node::Not(parts) => (parts, "not (", " or ", "anything"),
                leaf => {
                    text.push_str(&leaf_plain(leaf));
                    continue;
                }
            };
            // A single part needs no brackets, and neither does the root.
            let is_bare = idx == 0 || parts.len() == 1;
            let is_not = matches!(self.nodes[idx], Node::Not(_));
            match (parts.is_empty(), is_bare) {
                (true, _) => {
                    text.push_str(none);
                    continue;
                }
                (false, true) if is_not => text.push_str("not "),
                (false, true) => {}
                (false, false) => {
                    text.push_str(before);
                    open.push(Piece::Text(")"));
                }
            }
            if is_not && is_bare && parts.len() > 1 {
                text.push('(');
                open.push(Piece::Text(")"));
            }
            for (at, part) in parts.iter().enumerate().rev() {
                open.push(Piece::Node(*part));
                if at > 0 {
                    open.push(Piece::Text(between));
                }
            }
        }
        text
    }

    /// The condition as OLM words it: parts are joined without brackets, and `not` shows only between parts.
    pub(crate) fn text(&self) -> String {
        enum Piece {
            Node(usize),
            Text(&'static str),
        }
        let mut text = String::new();
        let mut open = vec![Piece::Node(0)];
        while let Some(piece) = open.pop() {
            let idx = match piece {
                Piece::Text(between) => {
                    text.push_str(between);
                    continue;
                }
                Piece::Node(idx) => idx,
            };
            let (parts, between) = match &self.nodes[idx] {
                Node::All(parts) => (parts, " and "),
                Node::Any(parts) => (parts, " or "),
                Node::Not(parts) => (parts, " and not "),
                leaf => {
                    text.push_str(&leaf_text(leaf));
                    continue;
                }
            };
            for (at, part) in parts.iter().enumerate().rev() {
                open.push(Piece::Node(*part));
                if at > 0 {
                    open.push(Piece::Text(between));
                }
            }
        }
        text
    }
}

/// Something that a constraint speaks of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leaf {
    /// An API.
    Api(Api),
    /// A package, with a range of its versions.
    Package(String, String),
    /// A label.
    Label(String),
    /// A rule.
    Rule(String),
}

/// What the value of an `olm.constraint` property speaks of, in its order.
///
/// # Errors
/// If OLM cannot read it either.
pub fn leaves(value: &str) -> Result<Vec<Leaf>, ConstraintError> {
    let leaf = |it: &Node| match it {
        Node::Api(api) => Some(Leaf::Api(api.clone())),
        Node::Package { name, text, .. } => Some(Leaf::Package(name.clone(), text.clone())),
        Node::Label(label) => Some(Leaf::Label(label.clone())),
        Node::Cel { text, .. } => Some(Leaf::Rule(text.clone())),
        Node::All(_) | Node::Any(_) | Node::Not(_) => None,
    };
    Ok(parse(value)?.nodes.iter().filter_map(leaf).collect())
}

/// The value of an `olm.constraint` property in plain words.
///
/// # Errors
/// If OLM cannot read it either.
pub fn plain(value: &str) -> Result<String, ConstraintError> {
    Ok(parse(value)?.plain())
}

/// A condition without parts in OLM's words.
pub(crate) fn leaf_text(node: &Node) -> String {
    match node {
        Node::Api(api) => {
            format!("providing an API with group: {}, version: {}, kind: {}", api.group, api.version, api.kind)
        }
        Node::Package { name, text, .. } => format!("with package: {name} and with version in range: {text}"),
        Node::Label(label) => format!("with label: {label}"),
        Node::Cel { text, message, .. } => {
            format!("with constraint: {} and message: {}", Quoted(text), Quoted(message))
        }
        Node::All(_) | Node::Any(_) | Node::Not(_) => String::new(),
    }
}

/// A condition without parts for people.
fn leaf_plain(node: &Node) -> String {
    match node {
        Node::Api(api) => format!("the API {api}"),
        Node::Package { name, text, .. } => format!("package {name} {text}"),
        Node::Label(label) => format!("the label {label}"),
        Node::Cel { text, .. } => format!("an operator with `{text}`"),
        Node::All(_) | Node::Any(_) | Node::Not(_) => String::new(),
    }
}

/// What an object of the format is, and so which fields it has.
#[derive(Clone, Copy)]
enum Shape {
    Constraint,
    Api,
    Package,
    Cel,
    Compound,
}

impl Shape {
    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Constraint => &["failureMessage", "gvk", "package", "cel", "all", "any", "not"],
            Self::Api => &["group", "kind", "version"],
            Self::Package => &["packageName", "versionRange"],
            Self::Cel => &["rule"],
            Self::Compound => &["constraints"],
        }
    }
}

/// Reads the value of an `olm.constraint` property.
pub(crate) fn parse(text: &str) -> Result<Tree, ConstraintError> {
    if text.len() > MAX_CONSTRAINT {
        return Err(ConstraintError::TooLarge);
    }
    let mut reader = json::Reader::new();
    // What follows the first value is not looked at.
    let (value, _) = reader.read_at(text, 0).map_err(|error| ConstraintError::Json(error.to_string()))?;
    check_fields(value)?;
    convert(value)
}

/// Refuses fields that OLM does not know, in the order of the text, also where they would not count.
fn check_fields(value: Value<'_>) -> Result<(), ConstraintError> {
    let mut open = vec![(value, Shape::Constraint)];
    while let Some((value, shape)) = open.pop() {
        match value.kind() {
            Kind::Null => continue,
            Kind::Object => {}
            other => return Err(ConstraintError::Json(format!("cannot unmarshal {} into Go value", other.name()))),
        }
        let mut inside = Vec::new();
        for (key, value) in value.members() {
            let name = key.as_str().unwrap_or_default();
            let field = shape.fields().iter().find(|it| json::fold_eq(&name, it));
            let Some(field) = field else { return Err(ConstraintError::UnknownField(name.into_owned())) };
            let next = match *field {
                "gvk" => Some(Shape::Api),
                "package" => Some(Shape::Package),
                "cel" => Some(Shape::Cel),
                "all" | "any" | "not" => Some(Shape::Compound),
                _ => None,
            };
            match (next, value.kind()) {
                (_, Kind::Null) => {}
                (Some(next), _) => inside.push((value, next)),
                (None, Kind::Array) if *field == "constraints" => {
                    inside.extend(value.items().map(|it| (it, Shape::Constraint)));
                }
                (None, Kind::PlainString | Kind::EscapedString) if *field != "constraints" => {}
                (None, other) => {
                    let what = format!("cannot unmarshal {} into Go struct field {field}", other.name());
                    return Err(ConstraintError::Json(what));
                }
            }
        }
        open.extend(inside.into_iter().rev());
    }
    Ok(())
}

fn convert(value: Value<'_>) -> Result<Tree, ConstraintError> {
    let mut nodes: Vec<Node> = Vec::new();
    // With the place of the node that the constraint is a part of.
    let mut open: Vec<(Value<'_>, Option<usize>)> = vec![(value, None)];
    while let Some((value, parent)) = open.pop() {
        let idx = nodes.len();
        let present = |name: &str| value.get_field(name).filter(|it| !it.is_null());
        let text = |of: Value<'_>, name: &str| string(of, name);
        let kinds = ["gvk", "package", "all", "any", "not", "cel"];
        let Some((kind, of)) = kinds.iter().find_map(|kind| Some((*kind, present(kind)?))) else {
            return Err(ConstraintError::Empty);
        };
        nodes.push(match kind {
            "gvk" => Node::Api(api(of)),
            "package" => {
                let (name, range) = (text(of, "packageName"), text(of, "versionRange"));
                let parsed = Range::parse(&range).map_err(ConstraintError::Range)?;
                Node::Package { name, text: range, range: parsed }
            }
            "cel" => {
                let (rule, message) = (text(of, "rule"), text(value, "failureMessage"));
                let compiled = Rule::compile(&rule).map_err(ConstraintError::Rule)?;
                Node::Cel { rule: Rc::new(compiled), text: rule, message }
            }
            compound => {
                let parts: Vec<_> = of
                    .get_field("constraints")
                    .into_iter()
                    .flat_map(|it| it.items())
                    .map(|it| (it, Some(idx)))
                    .collect();
                open.extend(parts.into_iter().rev());
                match compound {
                    "all" => Node::All(Vec::new()),
                    "any" => Node::Any(Vec::new()),
                    _ => Node::Not(Vec::new()),
                }
            }
        });
        if let Some(Node::All(parts) | Node::Any(parts) | Node::Not(parts)) = parent.and_then(|it| nodes.get_mut(it)) {
            parts.push(idx);
        }
    }
    Ok(Tree { nodes })
}

/// The text of a field; empty without it.
pub(crate) fn string(of: Value<'_>, name: &str) -> String {
    of.get_field(name).and_then(|it| it.as_str()).unwrap_or_default().into_owned()
}

/// The API of an object with group, version and kind.
pub(crate) fn api(of: Value<'_>) -> Api {
    Api { group: string(of, "group"), version: string(of, "version"), kind: string(of, "kind") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_too_deep() {
        let deep = |n: usize| {
            let open = "{\"all\":{\"constraints\":[".repeat(n);
            format!("{open}{{\"gvk\":{{\"kind\":\"K\"}}}}{}", "]}}".repeat(n))
        };
        let tree = parse(&deep(3000)).unwrap();
        assert_eq!(tree.nodes.len(), 3001);
        assert_eq!(tree.text(), "providing an API with group: , version: , kind: K");
        assert_eq!(tree.reach(), Reach::Leaves(vec![3000]));
        assert_eq!(parse(&deep(6000)).unwrap_err(), ConstraintError::TooLarge);
    }

    #[test]
    fn fields_are_those_of_olm() {
        for (text, error) in [
            (
                r#"{"package":{"name":"blue","versionRange":"1.0.0"}}"#,
                "parse olm.constraint: json: unknown field \"name\"",
            ),
            (r#"{"gvk":{"kind":"K"},"all":{"x":1}}"#, "parse olm.constraint: json: unknown field \"x\""),
            (r#"{"any":{"constraints":[{}]}}"#, "convert olm.constraint to resolver predicate: constraint is empty"),
            ("null", "convert olm.constraint to resolver predicate: constraint is empty"),
            (
                r#"{"cel":{"rule":"1"}}"#,
                "convert olm.constraint to resolver predicate: cel expressions must have type Bool",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), error, "{text}");
        }
        let tree = parse(r#"{"GVK":{"Kind":"K"},"cel":{"rule":"nonsense"}} trailing"#).unwrap();
        assert_eq!(tree.nodes.len(), 1);
    }
}
