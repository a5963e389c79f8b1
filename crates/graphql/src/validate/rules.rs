//! The rules of a valid document. Their messages are seen in answers, so the words are those of graphql-go.

use std::collections::{HashMap, HashSet};

use super::cycles::Cycles;
use super::fragments::{Fragments, Usage};
use super::literal::misfits;
use super::overlap::Overlap;
use super::place::{Place, VariableTypes};
use super::suggest::{cost, did_you_mean};
use crate::answer::Fault;
use crate::limits::{Budget, Excess};
use crate::schema::{self, Argument, Schema, Shape, TypeId, Wrap};
use crate::syntax::ast::{Definition, Document, Id, Kind, Name, Verb};
use crate::syntax::print::print;

/// The context of a node for the rules.
#[derive(Debug)]
pub(super) struct Rules<'d, 'q, 's> {
    document: &'d Document<'q>,
    schema: &'s Schema,
    variables: &'s VariableTypes,
    fragments: &'d Fragments<'q, 's>,
    budget: &'d Budget,
    place: Place<'s>,
    overlap: Overlap<'d, 'q, 's>,
    cycles: Cycles<'q>,
    has_cycles: bool,
    pub(super) faults: Vec<Fault>,
    n_bytes: usize,
    n_operations: usize,
    /// The number of definitions of types around the node; the types in these are not looked up.
    n_closed: usize,
    /// The field of an object that the node is in: the keys of objects in it are not compared.
    field_of_object: Option<Id>,
    used_fragments: HashSet<&'q str>,
    operation_names: HashMap<&'q str, usize>,
    fragment_names: HashMap<&'q str, usize>,
    variable_names: HashMap<&'q str, usize>,
    argument_names: HashMap<&'q str, usize>,
    keys: Vec<HashMap<&'q str, usize>>,
}

type Checked = Result<(), Excess>;

impl<'d, 'q, 's> Rules<'d, 'q, 's> {
    pub(super) fn new(
        document: &'d Document<'q>,
        schema: &'s Schema,
        variables: &'s VariableTypes,
        fragments: &'d Fragments<'q, 's>,
        budget: &'d Budget,
    ) -> Result<Self, Excess> {
        let operations = document.children(Document::ROOT);
        let (mut has_cycles, mut cycles) = (false, Cycles::default());
        for fragment in document.of_kind(Document::ROOT, Kind::Fragment) {
            has_cycles |= !cycles.find(document, fragments, fragment, budget)?.is_empty();
        }
        Ok(Self {
            document,
            schema,
            variables,
            fragments,
            budget,
            place: Place::new(schema, variables),
            overlap: Overlap::new(document, schema, fragments, budget),
            cycles: Cycles::default(),
            has_cycles,
            faults: Vec::new(),
            n_bytes: 0,
            n_operations: operations.filter(|it| matches!(document[*it].kind, Kind::Operation(_))).count(),
            n_closed: 0,
            field_of_object: None,
            used_fragments: HashSet::new(),
            operation_names: HashMap::new(),
            fragment_names: HashMap::new(),
            variable_names: HashMap::new(),
            argument_names: HashMap::new(),
            keys: Vec::new(),
        })
    }

    pub(super) fn enter(&mut self, id: Id) -> Checked {
        self.place.enter(self.document, id);
        match self.document[id].kind {
            Kind::Operation(_) => self.operation(id),
            Kind::VariableDefinition => self.variable_definition(id),
            Kind::SelectionSet => self.selection_set(id),
            Kind::Field => self.field(id),
            Kind::Spread => self.spread(id),
            Kind::InlineFragment => self.inline_fragment(id),
            Kind::Fragment => self.fragment(id),
            Kind::Argument => self.argument(id),
            Kind::Directive => self.directive(id),
            Kind::Named => self.named(id),
            Kind::Object if self.field_of_object.is_none() => {
                self.keys.push(HashMap::new());
                Ok(())
            }
            Kind::ObjectField if self.field_of_object.is_none() => self.object_field(id),
            Kind::Defined(it) => {
                self.n_closed += usize::from(is_closed(it));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn leave(&mut self, id: Id) -> Checked {
        let kind = self.document[id].kind;
        match kind {
            Kind::Document => self.unused_fragments()?,
            Kind::Operation(_) => self.end_of_operation(id)?,
            Kind::Field => self.missing_arguments(id)?,
            Kind::Object if self.field_of_object.is_none() => drop(self.keys.pop()),
            Kind::ObjectField if self.field_of_object == Some(id) => self.field_of_object = None,
            Kind::Defined(it) => self.n_closed -= usize::from(is_closed(it)),
            _ => {}
        }
        self.place.leave(kind);
        Ok(())
    }

    fn report(&mut self, message: String, at: Vec<usize>) -> Checked {
        let fault = Fault::new(message, at);
        self.n_bytes += fault.size();
        self.budget.spend(fault.size() / 16)?;
        self.budget.check_bytes(self.n_bytes)?;
        self.faults.push(fault);
        Ok(())
    }

    fn report_at(&mut self, message: String, id: Id) -> Checked {
        self.report(message, vec![self.document[id].at])
    }

    fn show(&self, shape: Shape<'_>) -> String {
        self.schema.show(shape)
    }

    fn type_name(&self, id: TypeId) -> &'s str {
        &self.schema.get(id).name
    }

    /// Checks names that must not come twice. The message gives the first one's place too.
    fn unique(&mut self, before: Option<usize>, name: Name<'_>, what: &str) -> Checked {
        match before {
            Some(before) => self.report(format!("There can {what} named \"{}\".", name.text), vec![before, name.at]),
            None => Ok(()),
        }
    }

    fn operation(&mut self, id: Id) -> Checked {
        let node = &self.document[id];
        if node.name.is_none() && self.n_operations > 1 {
            self.report_at("This anonymous operation must be the only defined operation.".to_owned(), id)?;
        }
        self.variable_names.clear();
        // The name of an operation without one is empty, and has the place of the operation.
        let name = node.name.unwrap_or(Name { text: "", at: node.at });
        let before = known(&mut self.operation_names, name);
        self.unique(before, name, "only be one operation")
    }

    fn variable_definition(&mut self, id: Id) -> Checked {
        let document = self.document;
        let name = document[id].name.unwrap_or(Name { text: "", at: 0 });
        let shape = self.variables.of(id);
        if let Some(default) = document.default_value(id) {
            if let Some((Wrap::NonNull, inner)) = shape.and_then(Shape::opened) {
                let (own, inner) = (shape.map(|it| self.show(it)).unwrap_or_default(), self.show(inner));
                let message = format!(
                    "Variable \"${}\" of type \"{own}\" is required and will not use the default value. Perhaps you meant to use type \"{inner}\".",
                    name.text
                );
                self.report_at(message, default)?;
            }
            let found = misfits(document, self.schema, shape, default, 0)?;
            if !found.is_empty() {
                let (value, found) = (print(document, default), found.join("\n"));
                let message = format!("Variable \"${}\" has invalid default value: {value}.\n{found}", name.text);
                self.report_at(message, default)?;
            }
        }
        let before = known(&mut self.variable_names, name);
        self.unique(before, name, "only be one variable")?;
        let is_output = shape.is_some_and(|it| it.base.is_none_or(|it| self.schema.is_composite(it)));
        match document.type_of(id).filter(|_| is_output) {
            Some(written) => {
                let shown = print(document, written);
                self.report_at(format!("Variable \"${}\" cannot be non-input type \"{shown}\".", name.text), written)
            }
            None => Ok(()),
        }
    }

    fn selection_set(&mut self, id: Id) -> Checked {
        let conflicts = match self.overlap.within(self.place.parent(), id) {
            // Fragments that spread themselves nest without an end, and are an error anyway.
            Err(Excess::Nested) if self.has_cycles => Vec::new(),
            found => found?,
        };
        for conflict in conflicts {
            let at = conflict.nodes().map(|it| self.document[it].at).collect();
            self.report(conflict.message(), at)?;
        }
        Ok(())
    }

    fn field(&mut self, id: Id) -> Checked {
        let name = self.document[id].name();
        self.argument_names.clear();
        if self.place.field().is_none()
            && let Some(parent) = self.place.parent()
            && let Some(fields) = self.schema.fields(parent)
        {
            self.budget.spend(cost(name) * fields.len())?;
            let hint = did_you_mean(name, fields.keys().map(String::as_str));
            let parent = self.type_name(parent);
            self.report_at(format!("Cannot query field \"{name}\" on type \"{parent}\".{hint}"), id)?;
        }
        let Some(shape) = self.place.shape() else { return Ok(()) };
        match (self.schema.is_leaf(shape), self.document.selection_set(id)) {
            (true, Some(set)) => {
                let shown = self.show(shape);
                self.report_at(format!("Field \"{name}\" of type \"{shown}\" must not have a sub selection."), set)
            }
            (false, None) => {
                let shown = self.show(shape);
                self.report_at(format!("Field \"{name}\" of type \"{shown}\" must have a sub selection."), id)
            }
            _ => Ok(()),
        }
    }

    fn missing_arguments(&mut self, id: Id) -> Checked {
        let Some(field) = self.place.field() else { return Ok(()) };
        for argument in self.required(id, field.arguments) {
            let (name, scalar) = (&field.name, argument.scalar.name());
            let argument = argument.name;
            let message =
                format!("Field \"{name}\" argument \"{argument}\" of type \"{scalar}!\" is required but not provided.");
            self.report_at(message, id)?;
        }
        Ok(())
    }

    /// The arguments that a field or directive needs and does not have.
    fn required(&self, id: Id, arguments: &'static [Argument]) -> Vec<&'static Argument> {
        let given = |name: &str| self.document.of_kind(id, Kind::Argument).any(|it| self.document[it].name() == name);
        arguments.iter().filter(|it| it.is_required && !given(it.name)).collect()
    }

    fn spread(&mut self, id: Id) -> Checked {
        let node = &self.document[id];
        let name = node.name.unwrap_or(Name { text: "", at: node.at });
        let Some(fragment) = self.fragments.get(name.text) else {
            return self.report(format!("Unknown fragment \"{}\".", name.text), vec![name.at]);
        };
        let condition = self.document.type_of(fragment).and_then(|it| self.schema.find(self.document[it].name()));
        self.impossible(id, &format!("Fragment \"{}\"", name.text), condition)
    }

    fn inline_fragment(&mut self, id: Id) -> Checked {
        let base = self.place.shape().and_then(|it| it.base);
        if let (Some(condition), Some(base)) = (self.document.type_of(id), base)
            && !self.schema.is_composite(base)
        {
            let name = self.type_name(base);
            self.report_at(format!("Fragment cannot condition on non composite type \"{name}\"."), condition)?;
        }
        let Some(shape) = self.place.shape() else { return Ok(()) };
        // Without a condition the type may be a list, which is not a possible type of its own items.
        let Some(parent) = self.place.parent() else { return Ok(()) };
        if shape == Shape::of(parent) {
            return Ok(());
        }
        let (parent, shown) = (self.type_name(parent), self.show(shape));
        self.report_at(impossible("Fragment", parent, &shown), id)
    }

    fn impossible(&mut self, id: Id, what: &str, condition: Option<TypeId>) -> Checked {
        let (Some(condition), Some(parent)) = (condition, self.place.parent()) else { return Ok(()) };
        if condition == parent {
            return Ok(());
        }
        self.report_at(impossible(what, self.type_name(parent), self.type_name(condition)), id)
    }

    fn fragment(&mut self, id: Id) -> Checked {
        let node = &self.document[id];
        let name = node.name.unwrap_or(Name { text: "", at: node.at });
        let base = self.place.shape().and_then(|it| it.base);
        if let (Some(condition), Some(base)) = (self.document.type_of(id), base)
            && !self.schema.is_composite(base)
        {
            let (name, shown) = (name.text, self.document[condition].name());
            let message = format!("Fragment \"{name}\" cannot condition on non composite type \"{shown}\".");
            self.report_at(message, condition)?;
        }
        for Fault { message, at, .. } in self.cycles.find(self.document, self.fragments, id, self.budget)? {
            self.report(String::from_utf8_lossy(&message).into_owned(), at)?;
        }
        let before = known(&mut self.fragment_names, name);
        self.unique(before, name, "only be one fragment")
    }

    fn argument(&mut self, id: Id) -> Checked {
        let document = self.document;
        let node = &document[id];
        let name = node.name.unwrap_or(Name { text: "", at: node.at });
        if let (Some(_), Some(value)) = (self.place.argument, document.value(id)) {
            let found = misfits(document, self.schema, self.place.input(), value, 0)?;
            if !found.is_empty() {
                let (shown, found) = (print(document, value), found.join("\n"));
                let message = format!("Argument \"{}\" has invalid value {shown}.\n{found}", name.text);
                self.report_at(message, value)?;
            }
        }
        self.known_argument(id, name.text)?;
        let before = known(&mut self.argument_names, name);
        match before {
            Some(before) => {
                let message = format!("There can be only one argument named \"{}\".", name.text);
                self.report(message, vec![before, name.at])
            }
            None => Ok(()),
        }
    }

    fn known_argument(&mut self, id: Id, name: &str) -> Checked {
        let is_of_directive = node_is(self.document, self.document[id].parent, Kind::Directive);
        let (arguments, owner) = match (is_of_directive, self.place.directive, self.place.field()) {
            (true, Some(directive), _) => (directive.arguments, format!("directive \"@{}\"", directive.name)),
            (false, _, Some(field)) => {
                let parent = self.place.parent().map(|it| self.type_name(it)).unwrap_or_default();
                (field.arguments, format!("field \"{}\" of type \"{parent}\"", field.name))
            }
            _ => return Ok(()),
        };
        if arguments.iter().any(|it| it.name == name) {
            return Ok(());
        }
        self.budget.spend(cost(name))?;
        let hint = did_you_mean(name, arguments.iter().map(|it| it.name));
        self.report_at(format!("Unknown argument \"{name}\" on {owner}.{hint}"), id)
    }

    fn directive(&mut self, id: Id) -> Checked {
        let name = self.document[id].name();
        self.argument_names.clear();
        let Some(directive) = schema::directive(name) else {
            return self.report_at(format!("Unknown directive \"{name}\"."), id);
        };
        let location = location(self.document, id);
        if !directive.locations.contains(&location) {
            self.report_at(format!("Directive \"{name}\" may not be used on {location}."), id)?;
        }
        for argument in self.required(id, directive.arguments) {
            let (argument, scalar) = (argument.name, argument.scalar.name());
            let message = format!(
                "Directive \"@{name}\" argument \"{argument}\" of type \"{scalar}!\" is required but not provided."
            );
            self.report_at(message, id)?;
        }
        Ok(())
    }

    fn named(&mut self, id: Id) -> Checked {
        let name = self.document[id].name();
        if self.n_closed > 0 || self.schema.find(name).is_some() {
            return Ok(());
        }
        self.budget.spend(cost(name) * self.schema.named().count())?;
        let hint = did_you_mean(name, self.schema.named().map(|it| it.0));
        self.report_at(format!("Unknown type \"{name}\".{hint}"), id)
    }

    fn object_field(&mut self, id: Id) -> Checked {
        self.field_of_object = Some(id);
        let node = &self.document[id];
        let name = node.name.unwrap_or(Name { text: "", at: node.at });
        let before = self.keys.last_mut().and_then(|it| known(it, name));
        match before {
            Some(before) => {
                let message = format!("There can be only one input field named \"{}\".", name.text);
                self.report(message, vec![before, name.at])
            }
            None => Ok(()),
        }
    }

    /// The rules about variables, which need to know the whole operation.
    fn end_of_operation(&mut self, id: Id) -> Checked {
        let document = self.document;
        let reached = self.fragments.reached(document, id, self.budget)?;
        self.used_fragments.extend(reached.iter().map(|it| document[*it].name()));
        let usages = self.fragments.usages(id, &reached, self.budget)?;
        let definitions: Vec<Id> = document.of_kind(id, Kind::VariableDefinition).collect();
        // If several share a name, the last counts.
        let defined: HashMap<&str, Id> = definitions.iter().map(|it| (document[*it].name(), *it)).collect();
        let operation = document[id].name();
        for Usage { variable, .. } in &usages {
            let name = document[*variable].name();
            if !defined.contains_key(name) {
                let by = if operation.is_empty() { String::new() } else { format!(" by operation \"{operation}\"") };
                let at = vec![document[*variable].at, document[id].at];
                self.report(format!("Variable \"${name}\" is not defined{by}."), at)?;
            }
        }
        let used: HashSet<&str> = usages.iter().map(|it| document[it.variable].name()).collect();
        for definition in &definitions {
            let name = document[*definition].name();
            if !used.contains(name) {
                let of = if operation.is_empty() { String::new() } else { format!(" in operation \"{operation}\"") };
                self.report_at(format!("Variable \"${name}\" is never used{of}."), *definition)?;
            }
        }
        for Usage { variable, expected } in usages {
            let name = document[variable].name();
            let (Some(definition), Some(expected)) = (defined.get(name), expected) else { continue };
            let Some(shape) = self.variables.of(*definition) else { continue };
            // A variable with a default value is never null.
            let has_default = document.default_value(*definition).is_some();
            let fits = match has_default && !shape.is_non_null() {
                true => shape.fits(expected.nullable()),
                false => shape.fits(expected),
            };
            if !fits {
                let (own, expected) = (self.show(shape), self.show(expected));
                let message =
                    format!("Variable \"${name}\" of type \"{own}\" used in position expecting type \"{expected}\".");
                self.report(message, vec![document[*definition].at, document[variable].at])?;
            }
        }
        Ok(())
    }

    fn unused_fragments(&mut self) -> Checked {
        let document = self.document;
        for fragment in document.of_kind(Document::ROOT, Kind::Fragment) {
            let name = document[fragment].name();
            if !self.used_fragments.contains(name) {
                self.report_at(format!("Fragment \"{name}\" is never used."), fragment)?;
            }
        }
        Ok(())
    }
}

fn impossible(what: &str, parent: &str, own: &str) -> String {
    format!("{what} cannot be spread here as objects of type \"{parent}\" can never be of type \"{own}\".")
}

/// The former place of a name; the first place stays.
fn known<'q>(names: &mut HashMap<&'q str, usize>, name: Name<'q>) -> Option<usize> {
    let before = names.get(name.text).copied();
    names.entry(name.text).or_insert(name.at);
    before
}

fn node_is(document: &Document<'_>, id: Option<Id>, kind: Kind) -> bool {
    id.is_some_and(|it| document[it].kind == kind)
}

/// Whether the types inside of a definition are not looked up.
fn is_closed(definition: Definition) -> bool {
    matches!(definition, Definition::Object | Definition::Interface | Definition::Union | Definition::InputObject)
}

/// The name of a directive's place in messages.
fn location(document: &Document<'_>, directive: Id) -> &'static str {
    let Some(owner) = document[directive].parent else { return "" };
    match document[owner].kind {
        Kind::Operation(Verb::Query) => "QUERY",
        Kind::Operation(Verb::Mutation) => "MUTATION",
        Kind::Operation(Verb::Subscription) => "SUBSCRIPTION",
        Kind::Field => "FIELD",
        Kind::Spread => "FRAGMENT_SPREAD",
        Kind::InlineFragment => "INLINE_FRAGMENT",
        Kind::Fragment => "FRAGMENT_DEFINITION",
        Kind::Defined(it) => match it {
            Definition::Schema => "SCHEMA",
            Definition::Scalar => "SCALAR",
            Definition::Object => "OBJECT",
            Definition::Field => "FIELD_DEFINITION",
            Definition::Interface => "INTERFACE",
            Definition::Union => "UNION",
            Definition::Enum => "ENUM",
            Definition::EnumValue => "ENUM_VALUE",
            Definition::InputObject => "INPUT_OBJECT",
            Definition::InputValue => {
                let of_input = Kind::Defined(Definition::InputObject);
                match node_is(document, document[owner].parent, of_input) {
                    true => "INPUT_FIELD_DEFINITION",
                    false => "ARGUMENT_DEFINITION",
                }
            }
            Definition::OperationType | Definition::Extension | Definition::Directive => "",
        },
        _ => "",
    }
}
