//! The single demands of a constraint, and the constraint in plain words.

use super::parse::parse;
use super::tree::{Condition, ConstraintError, Reach};
use olmdex_text::api::Api;

/// An item that a constraint mentions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// The subjects of an `olm.constraint` value, in its order.
///
/// # Errors
/// If OLM cannot read it either.
pub fn leaves(value: &str) -> Result<Vec<Leaf>, ConstraintError> {
    let leaf = |it: &Condition| match it {
        Condition::Api(api) => Some(Leaf::Api(api.clone())),
        Condition::Package { name, text, .. } => Some(Leaf::Package(name.clone(), text.clone())),
        Condition::Label(label) => Some(Leaf::Label(label.clone())),
        Condition::Cel { text, .. } => Some(Leaf::Rule(text.clone())),
        Condition::All(_) | Condition::Any(_) | Condition::Not(_) => None,
    };
    Ok(parse(value)?.nodes.iter().filter_map(leaf).collect())
}

/// Whether a bundle can meet an `olm.constraint` value without having anything that the value names, as it can meet a
/// rule, `not`, or an empty `all`. A value that OLM cannot read is met by none.
pub fn may_be_met_by_any(value: &str) -> bool {
    parse(value).is_ok_and(|it| it.reach() == Reach::Everywhere)
}

/// The value of an `olm.constraint` property in plain words.
///
/// # Errors
/// If OLM cannot read it either.
pub fn plain(value: &str) -> Result<String, ConstraintError> {
    Ok(parse(value)?.plain())
}
