//! The Common Expression Language as OLM uses it: one rule over the properties of one operator.
//!
//! A rule is read ([`Rule::compile`]) into a flat tree, checked for types as cel-go checks it, because the types decide
//! whether OLM accepts a rule, and evaluated. Functions recurse with the depth of a rule, which cel-go limits, and so
//! does the reader; work is counted, because strangers write catalogs.
//!
//! OLM declares no messages (protocol buffers), optional types and extensions, so there are none. Names of time zones
//! would need a database: a rule that uses one does not hold.

mod apply;
mod assign;
mod check;
mod error;
mod eval;
mod functions;
mod literal;
mod nodes;
mod number;
mod overload;
mod parse;
mod time;
mod token;
mod tree;
mod type_table;
mod value;

use error::Fault;
pub use error::{EvalError, RuleError, RuleErrorKind};
pub use value::Value;

use olmdex_text::budget::{Allowance, Budget, Exhausted};
use tree::Tree;

/// A rule that has been read and checked.
#[derive(Debug)]
pub struct Rule {
    tree: Tree,
}

/// The number of characters that a rule may have (cel-go's limit).
const MAX_CHARACTERS: usize = 100_000;

/// The number of steps that a byte of a new value costs.
const STEPS_A_BYTE: u64 = 6;
/// Bytes that the values of any rule may have.
const MIN_BYTES: u64 = 4 << 20;

/// A budget of steps for rules, and of the bytes of the values that one rule may make for one bundle. A step is a value
/// that is examined, or sixteen bytes that are copied.
pub const fn budget(steps: u64) -> Budget {
    let bytes = steps / STEPS_A_BYTE;
    Budget::new(Allowance { steps, bytes: if bytes < MIN_BYTES { MIN_BYTES } else { bytes } })
}

impl Rule {
    /// Reads and checks a rule.
    ///
    /// # Errors
    /// For the rules for which cel-go has one, in about the same words; if there are several, the first.
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
        Ok(Self { tree })
    }

    /// Whether the rule holds for properties. Any error inside the rule is an [`EvalError`], which OLM takes for a no.
    ///
    /// # Errors
    /// [`Exhausted`] if that took more steps, or kept more bytes at a time, than there were left.
    pub fn holds(&self, properties: &Value, budget: &Budget) -> Result<Result<bool, EvalError>, Exhausted> {
        eval::evaluate(&self.tree, properties, budget)
    }
}
