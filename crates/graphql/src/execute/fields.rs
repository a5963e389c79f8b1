//! The selection of fields of an object, with fragments followed and directives obeyed. The selection below a set of
//! nodes is computed once, however many objects there are.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::operation::{Operation, Written};
use crate::limits::{Budget, Excess, check_nested};
use crate::schema::{Field, Scalar, Schema, TypeId};
use crate::syntax::ast::{Document, Id, Kind};

/// A field that is selected.
#[derive(Debug)]
pub(super) struct Collected<'q, 's> {
    /// Its name in the answer.
    pub(super) name: &'q str,
    pub(super) nodes: Rc<[Id]>,
    pub(super) field: &'s Field,
}

/// The fields that are selected below nodes, by type and nodes.
type CollectedCache<'q, 's> = HashMap<(TypeId, Rc<[Id]>), Rc<[Collected<'q, 's>]>>;

/// Computes the selection.
#[derive(Debug)]
pub(super) struct Fields<'d, 'q, 's> {
    document: &'d Document<'q>,
    schema: &'s Schema,
    operation: &'d Operation<'d, 'q>,
    budget: &'d Budget,
    fragments: HashMap<&'q str, Id>,
    known: CollectedCache<'q, 's>,
}

impl<'d, 'q, 's> Fields<'d, 'q, 's> {
    pub(super) fn new(
        document: &'d Document<'q>,
        schema: &'s Schema,
        operation: &'d Operation<'d, 'q>,
        budget: &'d Budget,
    ) -> Self {
        let fragments = document.of_kind(Document::ROOT, Kind::Fragment);
        let fragments = fragments.map(|it| (document[it].name(), it)).collect();
        Self { document, schema, operation, budget, fragments, known: HashMap::new() }
    }

    /// The places of nodes.
    pub(super) fn places(&self, nodes: &[Id]) -> Vec<usize> {
        nodes.iter().map(|it| self.document[*it].at).collect()
    }

    /// The fields that nodes select of an object, by their names in the answer.
    pub(super) fn of(&mut self, id: TypeId, nodes: &Rc<[Id]>) -> Result<Rc<[Collected<'q, 's>]>, Excess> {
        let key = (id, Rc::clone(nodes));
        if let Some(known) = self.known.get(&key) {
            return Ok(Rc::clone(known));
        }
        let mut found: BTreeMap<&'q str, Vec<Id>> = BTreeMap::new();
        let mut seen = HashSet::new();
        for node in nodes.iter() {
            self.collect(id, *node, &mut found, &mut seen, 0)?;
        }
        let collected = found.into_iter().filter_map(|(name, nodes)| {
            let field = self.schema.field(id, self.document[*nodes.first()?].name())?;
            Some(Collected { name, nodes: nodes.into(), field })
        });
        let collected: Rc<[Collected<'q, 's>]> = collected.collect();
        self.known.insert(key, Rc::clone(&collected));
        Ok(collected)
    }

    fn collect(
        &self,
        id: TypeId,
        owner: Id,
        found: &mut BTreeMap<&'q str, Vec<Id>>,
        seen: &mut HashSet<&'q str>,
        depth: usize,
    ) -> Result<(), Excess> {
        check_nested(depth)?;
        let document = self.document;
        let Some(set) = document.selection_set(owner) else { return Ok(()) };
        for selection in document.children(set) {
            self.budget.spend(1)?;
            let node = &document[selection];
            if !self.is_included(selection) {
                continue;
            }
            match node.kind {
                Kind::Field => found.entry(node.response_name()).or_default().push(selection),
                Kind::Spread => {
                    let fragment = self.fragments.get(node.name()).filter(|_| seen.insert(node.name()));
                    if let Some(fragment) = fragment.filter(|it| self.applies(**it, id)) {
                        self.collect(id, *fragment, found, seen, depth + 1)?;
                    }
                }
                _ if self.applies(selection, id) => self.collect(id, selection, found, seen, depth + 1)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether the condition of a fragment is met.
    fn applies(&self, fragment: Id, id: TypeId) -> bool {
        let condition = self.document.type_of(fragment);
        condition.is_none_or(|it| self.schema.find(self.document[it].name()) == Some(id))
    }

    /// Whether `@skip` and `@include` keep it; the last one of each counts.
    fn is_included(&self, selection: Id) -> bool {
        let document = self.document;
        let says = |name: &str| {
            let mut directives = document.of_kind(selection, Kind::Directive);
            let last = directives.by_ref().filter(|it| document[*it].name() == name).last()?;
            self.operation.written(last, "if", Scalar::Boolean)
        };
        says("skip") != Some(Written::Bool(true)) && says("include") != Some(Written::Bool(false))
    }
}
