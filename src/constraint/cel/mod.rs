//! The Common Expression Language as OLM uses it: one rule over the properties of one operator.
//!
//! A rule is read ([`Rule::compile`]) into a flat tree, checked for types as cel-go checks it, because the types decide
//! whether OLM accepts a rule, and translated into steps for a small machine. Reading, checking and evaluating use stacks of their own,
//! so the depth of a rule costs no stack; work is counted, because catalogs are written by strangers.
//!
//! What it deliberately does not do: no messages (protocol buffers), no optional types, no extensions: OLM declares none. No
//! names of time zones either, which would need a database: a rule that needs one does not hold.

mod apply;
mod assign;
mod check;
mod eval;
mod functions;
mod literal;
mod number;
mod parse;
mod plan;
mod time;
mod token;
mod tree;
mod type_table;
mod value;

use thiserror::Error;

pub use eval::{EvalError, Fuel, OutOfFuel};
pub use value::Value;

use plan::Plan;

/// A rule that has been read and checked.
#[derive(Debug)]
pub struct Rule {
    plan: Plan,
}

/// Why a rule cannot be used. Its text is cel-go's in form, and where it can be in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError {
    /// What is wrong.
    pub kind: RuleErrorKind,
    /// The line and the column, from 1, in characters; `None` if it is about the whole rule.
    pub at: Option<(usize, usize)>,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RuleErrorKind {
    /// It has too many characters.
    #[error("expression code point size exceeds limit: size: {size}, limit {limit}")]
    Size {
        /// How many characters it has.
        size: usize,
        /// How many it may have.
        limit: usize,
    },
    /// It is nested too deeply.
    #[error("expression recursion limit exceeded: {limit}")]
    Depth {
        /// How deep it may be.
        limit: usize,
    },
    /// The text is not an expression.
    #[error("Syntax error: {0}")]
    Syntax(String),
    /// Part of the text is not what it looks like.
    #[error("{0}")]
    Invalid(String),
    /// Something is named that does not exist.
    #[error("undeclared reference to '{0}' (in container '')")]
    Undeclared(String),
    /// A function or operator does not take these.
    #[error("found no matching overload for '{function}' applied to '{operands}'")]
    NoOverload {
        /// The function, as cel-go names operators too.
        function: String,
        /// The types of what it was applied to.
        operands: String,
    },
    /// Something cannot be done with a value of this type.
    #[error("{0}")]
    Type(String),
    /// The rule is not a yes or no.
    #[error("cel expressions must have type Bool")]
    NotBool,
    /// It cannot be worked on, although cel-go may accept it.
    #[error("the rule is too complex: {0}")]
    TooComplex(&'static str),
}

impl std::fmt::Display for RuleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.kind, self.at) {
            (RuleErrorKind::NotBool, _) => write!(f, "{}", self.kind),
            (kind, Some((line, column))) => write!(f, "ERROR: <input>:{line}:{column}: {kind}"),
            (kind, None) => write!(f, "ERROR: <input>:-1:0: {kind}"),
        }
    }
}

impl std::error::Error for RuleError {}

/// An error at a byte of the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fault {
    kind: RuleErrorKind,
    offset: Option<usize>,
}

impl Fault {
    fn at(offset: usize, kind: RuleErrorKind) -> Self {
        Self { kind, offset: Some(offset) }
    }

    fn whole(kind: RuleErrorKind) -> Self {
        Self { kind, offset: None }
    }
}

/// How many characters a rule may have (cel-go's limit).
const MAX_CHARACTERS: usize = 100_000;

impl Rule {
    /// Reads and checks a rule.
    ///
    /// # Errors
    /// Where cel-go has one, in about the same words; of several the first.
    pub fn compile(text: &str) -> Result<Self, RuleError> {
        let place = |fault: Fault| {
            let at = fault.offset.map(|offset| {
                let before = text.get(..offset).unwrap_or(text);
                let line_start = before.rfind('\n').map_or(0, |it| it + 1);
                (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
            });
            RuleError { kind: fault.kind, at }
        };
        Self::read(text).map_err(place)
    }

    fn read(text: &str) -> Result<Self, Fault> {
        let size = text.chars().count();
        if size > MAX_CHARACTERS {
            return Err(Fault::whole(RuleErrorKind::Size { size, limit: MAX_CHARACTERS }));
        }
        let mut tree = parse::parse(text)?;
        check::check(&mut tree)?;
        Ok(Self { plan: Plan::new(&tree)? })
    }

    /// Whether the rule holds for properties. Whatever goes wrong inside the rule is an [`EvalError`], which OLM takes for
    /// a no.
    ///
    /// # Errors
    /// [`OutOfFuel`] if that took more steps than there were left.
    pub fn holds(&self, properties: &Value, fuel: &Fuel) -> Result<Result<bool, EvalError>, OutOfFuel> {
        eval::evaluate(&self.plan, properties, fuel)
    }
}
