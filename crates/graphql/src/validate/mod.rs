//! The rules of a valid document, in the order of graphql-go: a walk through the document asks all rules at each node
//! before it goes on, so errors come in the order of the nodes, then of the rules.

mod cycles;
mod fragments;
mod literal;
mod overlap;
mod place;
mod rules;
mod suggest;

pub(crate) use self::place::VariableTypes;
use self::rules::Rules;
use crate::answer::Fault;
use crate::limits::{Budget, Excess};
use crate::schema::Schema;
use crate::syntax::ast::{Document, Step};

/// The faults of a document.
pub(crate) fn validate(
    document: &Document<'_>,
    schema: &Schema,
    variables: &VariableTypes,
    budget: &Budget,
) -> Result<Vec<Fault>, Excess> {
    let fragments = fragments::Fragments::new(document, schema, variables, budget)?;
    let mut rules = Rules::new(document, schema, variables, &fragments, budget)?;
    for step in document.walk(Document::ROOT) {
        budget.spend(1)?;
        match step {
            Step::Enter(id) => rules.enter(id)?,
            Step::Leave(id) => rules.leave(id)?,
        }
    }
    Ok(rules.faults)
}
