//! The fragments of a document: which are spread where, and which variables are used in them. Lists are in the order in
//! which graphql-go finds them, which the order of errors shows.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::place::{Place, VariableTypes};
use crate::limits::{Budget, Excess};
use crate::schema::{Schema, Shape};
use crate::syntax::ast::{Document, Id, Kind, Step};

/// A variable where it is used, with the type that is expected there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Usage<'s> {
    pub(super) variable: Id,
    pub(super) expected: Option<Shape<'s>>,
}

/// The fragments of a document.
#[derive(Debug)]
pub(super) struct Fragments<'q, 's> {
    by_name: HashMap<&'q str, Id>,
    /// The variables in each definition.
    usages: HashMap<Id, Vec<Usage<'s>>>,
    /// The spreads in each definition.
    spreads: HashMap<Id, Rc<[Id]>>,
}

impl<'q, 's> Fragments<'q, 's> {
    pub(super) fn new(
        document: &Document<'q>,
        schema: &'s Schema,
        variables: &'s VariableTypes,
        budget: &Budget,
    ) -> Result<Self, Excess> {
        budget.spend(document.len())?;
        let by_name = document.of_kind(Document::ROOT, Kind::Fragment).map(|it| (document[it].name(), it)).collect();
        let (mut usages, mut spreads) = (HashMap::new(), HashMap::new());
        for definition in document.children(Document::ROOT) {
            if matches!(document[definition].kind, Kind::Operation(_) | Kind::Fragment) {
                usages.insert(definition, usages_in(document, schema, variables, definition));
                spreads.insert(definition, spreads_in(document, definition));
            }
        }
        Ok(Self { by_name, usages, spreads })
    }

    /// A fragment; if several share a name, the last.
    pub(super) fn get(&self, name: &str) -> Option<Id> {
        self.by_name.get(name).copied()
    }

    /// The spreads in a definition.
    pub(super) fn spreads(&self, definition: Id) -> Rc<[Id]> {
        self.spreads.get(&definition).cloned().unwrap_or_default()
    }

    /// The fragments that an operation reaches.
    pub(super) fn reached(&self, document: &Document<'q>, operation: Id, budget: &Budget) -> Result<Vec<Id>, Excess> {
        let (mut reached, mut seen, mut open) = (Vec::new(), HashSet::new(), vec![operation]);
        while let Some(definition) = open.pop() {
            let spreads = self.spreads(definition);
            budget.spend(spreads.len() + 1)?;
            for spread in spreads.iter() {
                let name = document[*spread].name();
                if let Some(fragment) = self.get(name).filter(|_| seen.insert(name)) {
                    reached.push(fragment);
                    open.push(fragment);
                }
            }
        }
        Ok(reached)
    }

    /// The variables in an operation and in the fragments that it reaches.
    pub(super) fn usages(&self, operation: Id, reached: &[Id], budget: &Budget) -> Result<Vec<Usage<'s>>, Excess> {
        let mut all = Vec::new();
        for definition in std::iter::once(&operation).chain(reached) {
            let found = self.usages.get(definition).map_or(&[][..], Vec::as_slice);
            budget.spend(found.len())?;
            all.extend_from_slice(found);
        }
        Ok(all)
    }
}

fn usages_in<'s>(
    document: &Document<'_>,
    schema: &'s Schema,
    variables: &'s VariableTypes,
    definition: Id,
) -> Vec<Usage<'s>> {
    let mut usages = Vec::new();
    let mut place = Place::new(schema, variables);
    let mut walk = document.walk(definition);
    while let Some(step) = walk.next() {
        match step {
            Step::Enter(id) if document[id].kind == Kind::VariableDefinition => walk.pass_by(id),
            Step::Enter(id) => {
                place.enter(document, id);
                if document[id].kind == Kind::Variable {
                    usages.push(Usage { variable: id, expected: place.input() });
                }
            }
            Step::Leave(id) => place.leave(document[id].kind),
        }
    }
    usages
}

/// The spreads in a selection set, then those in its last selection set, and so on.
fn spreads_in(document: &Document<'_>, definition: Id) -> Rc<[Id]> {
    let mut spreads = Vec::new();
    let mut open: Vec<Id> = document.selection_set(definition).into_iter().collect();
    while let Some(set) = open.pop() {
        for selection in document.children(set) {
            match document[selection].kind {
                Kind::Spread => spreads.push(selection),
                _ => open.extend(document.selection_set(selection)),
            }
        }
    }
    spreads.into()
}
