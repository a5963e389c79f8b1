//! The Common Expression Language as OLM uses it: one rule over the properties of one operator (`spec/olm-classic.md` 3.3).
//!
//! A library reads the text and expands the macros. It knows neither types nor a bound on work,
//! and catalogs are written by strangers: so the checker, which accepts what cel-go's accepts, and the evaluator, which
//! counts its steps, are ours.
//!
//! What it deliberately does not do: no messages (protocol buffers), no optional types, no extensions, no names of time
//! zones: OLM has none of the first three, and the last would need a database. A rule that needs them is refused or does not
//! hold.

mod apply;
mod check;
mod eval;
mod expr;
mod functions;
mod parse;
mod time;
mod value;

use thiserror::Error;

pub use eval::{EvalError, Fuel, OutOfFuel};
pub use value::Value;

use expr::Expr;

/// A rule that has been read and checked.
#[derive(Debug)]
pub struct Rule {
    expr: Expr,
    /// Whether its tree is so deep that it is evaluated on a thread with room for that.
    is_deep: bool,
}

/// Trees up to this depth are evaluated where they are asked for.
const DEEP: usize = 300;

/// Why a rule cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RuleError {
    /// It has too many characters.
    #[error("ERROR: <input>:-1:0: expression code point size exceeds limit: size: {size}, limit {limit}")]
    Size {
        /// How many characters it has.
        size: usize,
        /// How many it may have.
        limit: usize,
    },
    /// Brackets are nested too deeply.
    #[error("ERROR: <input>:-1:0: expression recursion limit exceeded: {limit}")]
    Depth {
        /// How deep they may be.
        limit: usize,
    },
    /// A chain of operators is too long to be worked on. OLM has no such limit.
    #[error("a chain of operators is longer than {limit}")]
    Chain {
        /// How long it may be.
        limit: usize,
    },
    /// The text is no expression; the library's words.
    #[error("{0}")]
    Syntax(String),
    /// Something is named that does not exist.
    #[error("undeclared reference to '{0}'")]
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
}

impl Rule {
    /// Reads and checks a rule.
    ///
    /// # Errors
    /// Where cel-go has one, in about the same words.
    pub fn compile(text: &str) -> Result<Self, RuleError> {
        let (expr, depth) = parse::parse(text)?;
        Ok(Self { expr, is_deep: depth > DEEP })
    }

    /// Whether the rule holds for properties. Whatever goes wrong inside the rule is a [`EvalError`], which OLM takes for
    /// a no.
    ///
    /// # Errors
    /// [`OutOfFuel`] if that took more steps than there were left.
    pub fn holds(&self, properties: &Value, fuel: &Fuel) -> Result<Result<bool, EvalError>, OutOfFuel> {
        if !self.is_deep {
            return eval::evaluate(&self.expr, properties, fuel);
        }
        let (left, limit) = (fuel.left(), fuel.limit());
        let evaluate = || {
            let fuel = Fuel::new(left);
            (eval::evaluate(&self.expr, properties, &fuel), left - fuel.left())
        };
        let evaluated = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(parse::STACK).spawn_scoped(scope, evaluate);
            thread.ok().and_then(|it| it.join().ok())
        });
        // Without a thread the rule counts as one that takes too long.
        let (holds, spent) = evaluated.ok_or(OutOfFuel { limit })?;
        fuel.spend(spent)?;
        holds.map_err(|_| OutOfFuel { limit })
    }
}
