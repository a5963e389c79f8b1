//! Whether fields with one name in an answer can be merged: they must be one field, with the same arguments and the
//! same type, and the same must hold for the selections below them.
//!
//! graphql-go compares fragments that spread themselves until its stack overflows and the program ends. Here each is
//! compared once on a way from fragment to fragment.

use std::collections::HashMap;
use std::rc::Rc;

use super::fragments::Fragments;
use crate::limits::{Budget, Excess, check_nested};
use crate::schema::{Schema, Shape, TypeId};
use crate::syntax::ast::{Document, Id, Kind};
use crate::syntax::print::print;

/// Two fields that cannot be merged.
#[derive(Debug)]
pub(super) struct Conflict<'q> {
    /// Their name in the answer.
    name: &'q str,
    why: String,
    left: Vec<Id>,
    right: Vec<Id>,
}

impl Conflict<'_> {
    pub(super) fn message(&self) -> String {
        format!(
            "Fields \"{}\" conflict because {}. Use different aliases on the fields to fetch both if this was intentional.",
            self.name, self.why
        )
    }

    /// The fields.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Id> {
        self.left.iter().chain(&self.right).copied()
    }
}

/// A field that is selected.
#[derive(Debug, Clone, Copy)]
struct Selected<'s> {
    parent: Option<TypeId>,
    field: Id,
    shape: Option<Shape<'s>>,
}

/// The fields of a selection set, with those of its inline fragments.
#[derive(Debug, Default)]
struct Set<'q, 's> {
    by_name: HashMap<&'q str, Vec<Selected<'s>>>,
    names: Vec<&'q str>,
    spreads: Vec<&'q str>,
}

/// Compares the fields of a document.
#[derive(Debug)]
pub(super) struct Overlap<'d, 'q, 's> {
    document: &'d Document<'q>,
    schema: &'s Schema,
    fragments: &'d Fragments<'q, 's>,
    budget: &'d Budget,
    sets: HashMap<Id, Rc<Set<'q, 's>>>,
    /// Pairs of fragments that were compared, and whether only one of both could be there.
    compared: HashMap<(&'q str, &'q str), bool>,
    /// Fragments that a selection set is being compared with.
    way: Vec<&'q str>,
}

type Conflicts<'q> = Vec<Conflict<'q>>;

impl<'d, 'q, 's> Overlap<'d, 'q, 's> {
    pub(super) fn new(
        document: &'d Document<'q>,
        schema: &'s Schema,
        fragments: &'d Fragments<'q, 's>,
        budget: &'d Budget,
    ) -> Self {
        let (sets, compared, way) = (HashMap::new(), HashMap::new(), Vec::new());
        Self { document, schema, fragments, budget, sets, compared, way }
    }

    /// The conflicts in a selection set, fragments included.
    pub(super) fn within(&mut self, parent: Option<TypeId>, set: Id) -> Result<Conflicts<'q>, Excess> {
        let mut conflicts = Vec::new();
        let own = self.set(parent, set)?;
        for name in &own.names {
            let fields = own.by_name.get(name).map_or(&[][..], Vec::as_slice);
            for (number, first) in fields.iter().enumerate() {
                for second in fields.iter().skip(number + 1) {
                    conflicts.extend(self.fields(false, name, *first, *second, 0)?);
                }
            }
        }
        for (number, spread) in own.spreads.iter().enumerate() {
            self.set_and_fragment(&mut conflicts, false, &own, spread, 0)?;
            for other in own.spreads.iter().skip(number + 1) {
                self.two_fragments(&mut conflicts, false, (*spread, *other), 0)?;
            }
        }
        Ok(conflicts)
    }

    /// The conflicts of a selection set with a fragment, and of that one with the fragments in it.
    fn set_and_fragment(
        &mut self,
        conflicts: &mut Conflicts<'q>,
        is_either: bool,
        own: &Rc<Set<'q, 's>>,
        name: &'q str,
        depth: usize,
    ) -> Result<(), Excess> {
        check_nested(depth)?;
        let Some(other) = self.fragment(name)? else { return Ok(()) };
        if self.way.contains(&name) {
            return Ok(());
        }
        self.way.push(name);
        self.between(conflicts, is_either, own, &other, depth)?;
        for inner in &other.spreads {
            self.set_and_fragment(conflicts, is_either, &other, inner, depth + 1)?;
        }
        self.way.pop();
        Ok(())
    }

    fn two_fragments(
        &mut self,
        conflicts: &mut Conflicts<'q>,
        is_either: bool,
        (first, second): (&'q str, &'q str),
        depth: usize,
    ) -> Result<(), Excess> {
        check_nested(depth)?;
        self.budget.spend(1)?;
        if first == second {
            return Ok(());
        }
        let (Some(one), Some(other)) = (self.fragment(first)?, self.fragment(second)?) else { return Ok(()) };
        // A comparison that assumed both to be there covers every other one.
        if self.compared.get(&(first, second)).is_some_and(|it| is_either || !it) {
            return Ok(());
        }
        self.compared.insert((first, second), is_either);
        self.compared.insert((second, first), is_either);
        self.between(conflicts, is_either, &one, &other, depth)?;
        for inner in &other.spreads {
            self.two_fragments(conflicts, is_either, (first, inner), depth + 1)?;
        }
        for inner in &one.spreads {
            self.two_fragments(conflicts, is_either, (inner, second), depth + 1)?;
        }
        Ok(())
    }

    /// The conflicts of each field of one set with each of another.
    fn between(
        &mut self,
        conflicts: &mut Conflicts<'q>,
        is_either: bool,
        own: &Set<'q, 's>,
        other: &Set<'q, 's>,
        depth: usize,
    ) -> Result<(), Excess> {
        self.budget.spend(own.names.len() + 1)?;
        for name in &own.names {
            let (Some(firsts), Some(seconds)) = (own.by_name.get(name), other.by_name.get(name)) else { continue };
            for first in firsts {
                for second in seconds {
                    conflicts.extend(self.fields(is_either, name, *first, *second, depth)?);
                }
            }
        }
        Ok(())
    }

    /// The conflict of two fields.
    fn fields(
        &mut self,
        is_either: bool,
        name: &'q str,
        first: Selected<'s>,
        second: Selected<'s>,
        depth: usize,
    ) -> Result<Option<Conflict<'q>>, Excess> {
        self.budget.spend(1)?;
        let document = self.document;
        let (one, other) = (&document[first.field], &document[second.field]);
        let conflict = |why: String| Some(Conflict { name, why, left: vec![first.field], right: vec![second.field] });
        let is_object = |it: Option<TypeId>| it.is_some_and(|it| self.schema.is_composite(it));
        // A value has one of two object types, never both.
        let is_either =
            is_either || (first.parent != second.parent && is_object(first.parent) && is_object(second.parent));
        if !is_either {
            if one.name() != other.name() {
                return Ok(conflict(format!("{} and {} are different fields", one.name(), other.name())));
            }
            if !self.has_same_arguments(first.field, second.field)? {
                return Ok(conflict("they have differing arguments".to_owned()));
            }
        }
        if let (Some(a), Some(b)) = (first.shape, second.shape)
            && self.is_contrary(a, b)
        {
            let (a, b) = (self.schema.show(a), self.schema.show(b));
            return Ok(conflict(format!("they return conflicting types {a} and {b}")));
        }
        let sets = (document.selection_set(first.field), document.selection_set(second.field));
        let (Some(one), Some(other)) = sets else { return Ok(None) };
        let base = |it: Selected<'s>| it.shape.and_then(|it| it.base);
        let found = self.two_sets(is_either, (base(first), one), (base(second), other), depth + 1)?;
        if found.is_empty() {
            return Ok(None);
        }
        let why: Vec<String> =
            found.iter().map(|it| format!("subfields \"{}\" conflict because {}", it.name, it.why)).collect();
        let why = why.join(" and ");
        self.budget.spend(why.len() / 16)?;
        let (mut left, mut right) = (vec![first.field], vec![second.field]);
        for inner in &found {
            left.extend(&inner.left);
            right.extend(&inner.right);
        }
        Ok(Some(Conflict { name, why, left, right }))
    }

    /// The conflicts between the selections below two fields.
    fn two_sets(
        &mut self,
        is_either: bool,
        (first, one): (Option<TypeId>, Id),
        (second, other): (Option<TypeId>, Id),
        depth: usize,
    ) -> Result<Conflicts<'q>, Excess> {
        check_nested(depth)?;
        let mut conflicts = Vec::new();
        let (one, other) = (self.set(first, one)?, self.set(second, other)?);
        // The selection below a field begins a path of its own.
        let way = std::mem::take(&mut self.way);
        self.between(&mut conflicts, is_either, &one, &other, depth)?;
        for spread in &other.spreads {
            self.set_and_fragment(&mut conflicts, is_either, &one, spread, depth)?;
        }
        for spread in &one.spreads {
            self.set_and_fragment(&mut conflicts, is_either, &other, spread, depth)?;
        }
        for first in &one.spreads {
            for second in &other.spreads {
                self.two_fragments(&mut conflicts, is_either, (first, second), depth)?;
            }
        }
        self.way = way;
        Ok(conflicts)
    }

    fn has_same_arguments(&self, first: Id, second: Id) -> Result<bool, Excess> {
        let document = self.document;
        let of = |field: Id| document.of_kind(field, Kind::Argument).collect::<Vec<Id>>();
        let (firsts, seconds) = (of(first), of(second));
        if firsts.len() != seconds.len() {
            return Ok(false);
        }
        for argument in firsts {
            self.budget.spend(seconds.len())?;
            let name = document[argument].name();
            let Some(same) = seconds.iter().find(|it| document[**it].name() == name) else { return Ok(false) };
            let text = |it: Id| document.value(it).map(|it| print(document, it)).unwrap_or_default();
            let (one, other) = (text(argument), text(*same));
            self.budget.spend((one.len() + other.len()) / 16)?;
            if one != other {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether no value has both types. Two objects are not contrary here: they are compared field by field.
    fn is_contrary(&self, first: Shape<'_>, second: Shape<'_>) -> bool {
        let (mut a, mut b) = (first, second);
        loop {
            match (a.opened(), b.opened()) {
                (Some((outer, inner)), Some((other, other_inner))) if outer == other => (a, b) = (inner, other_inner),
                (None, None) => return (self.schema.is_leaf(a) || self.schema.is_leaf(b)) && a.base != b.base,
                _ => return true,
            }
        }
    }

    fn fragment(&mut self, name: &str) -> Result<Option<Rc<Set<'q, 's>>>, Excess> {
        let document = self.document;
        let Some(fragment) = self.fragments.get(name) else { return Ok(None) };
        let Some(set) = document.selection_set(fragment) else { return Ok(None) };
        let condition = document.type_of(fragment).and_then(|it| self.schema.find(document[it].name()));
        self.set(condition, set).map(Some)
    }

    /// The fields of a selection set. The first caller decides its type.
    fn set(&mut self, parent: Option<TypeId>, set: Id) -> Result<Rc<Set<'q, 's>>, Excess> {
        if let Some(known) = self.sets.get(&set) {
            return Ok(Rc::clone(known));
        }
        let mut found = Set::default();
        self.collect(parent, set, &mut found, 0)?;
        let found = Rc::new(found);
        self.sets.insert(set, Rc::clone(&found));
        Ok(found)
    }

    fn collect(&self, parent: Option<TypeId>, set: Id, found: &mut Set<'q, 's>, depth: usize) -> Result<(), Excess> {
        check_nested(depth)?;
        let document = self.document;
        for selection in document.children(set) {
            self.budget.spend(1)?;
            let node = &document[selection];
            match node.kind {
                Kind::Field => {
                    let fields = parent.and_then(|it| self.schema.fields(it));
                    let shape = fields.and_then(|it| it.get(node.name())).map(|it| it.shape.shape());
                    let name = node.response_name();
                    let same = found.by_name.entry(name).or_default();
                    if same.is_empty() {
                        found.names.push(name);
                    }
                    same.push(Selected { parent, field: selection, shape });
                }
                Kind::Spread if !found.spreads.contains(&node.name()) => {
                    self.budget.spend(found.spreads.len() / 8)?;
                    found.spreads.push(node.name());
                }
                Kind::InlineFragment => {
                    let condition = document.type_of(selection);
                    let inner = condition.map_or(parent, |it| self.schema.find(document[it].name()));
                    if let Some(set) = document.selection_set(selection) {
                        self.collect(inner, set, found, depth + 1)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}
