//! The types around the present node of a walk through a document.

use std::collections::HashMap;

use crate::schema::{self, Argument, Directive, Field, Scalar, Schema, Shape, TypeId, TypeRef, Wrap};
use crate::syntax::ast::{Document, Id, Kind, Verb};

/// The types of a document's variables, by their definitions.
#[derive(Debug, Default)]
pub(crate) struct VariableTypes(HashMap<Id, TypeRef>);

impl VariableTypes {
    pub(crate) fn new(document: &Document<'_>, schema: &Schema) -> Self {
        let mut known = HashMap::new();
        for operation in document.children(Document::ROOT) {
            for definition in document.of_kind(operation, Kind::VariableDefinition) {
                if let Some(written) = document.type_of(definition) {
                    known.insert(definition, reference(document, schema, written));
                }
            }
        }
        Self(known)
    }

    /// The type of a definition; `None` if it is a name that there is not.
    pub(crate) fn of(&self, definition: Id) -> Option<Shape<'_>> {
        self.0.get(&definition).map(TypeRef::shape).filter(|it| it.base.is_some() || !it.wraps.is_empty())
    }
}

/// The type that a query writes.
fn reference(document: &Document<'_>, schema: &Schema, written: Id) -> TypeRef {
    let (mut at, mut wraps) = (written, Vec::new());
    loop {
        let node = &document[at];
        match node.kind {
            Kind::ListType => wraps.push(Wrap::List),
            Kind::NonNullType => wraps.push(Wrap::NonNull),
            _ => return TypeRef { wraps, base: schema.find(node.name()) },
        }
        match document.type_of(at) {
            Some(inner) => at = inner,
            None => return TypeRef { wraps, base: None },
        }
    }
}

/// The types around a place. Each is `None` if it is not known.
#[derive(Debug)]
pub(super) struct Place<'s> {
    schema: &'s Schema,
    variables: &'s VariableTypes,
    types: Vec<Option<Shape<'s>>>,
    parents: Vec<Option<TypeId>>,
    inputs: Vec<Option<Shape<'s>>>,
    fields: Vec<Option<&'s Field>>,
    pub(super) directive: Option<&'static Directive>,
    pub(super) argument: Option<&'static Argument>,
}

impl<'s> Place<'s> {
    pub(super) fn new(schema: &'s Schema, variables: &'s VariableTypes) -> Self {
        Self {
            schema,
            variables,
            types: Vec::new(),
            parents: Vec::new(),
            inputs: Vec::new(),
            fields: Vec::new(),
            directive: None,
            argument: None,
        }
    }

    /// The type of the field or fragment.
    pub(super) fn shape(&self) -> Option<Shape<'s>> {
        self.types.last().copied().flatten()
    }

    /// The object that fields are selected of.
    pub(super) fn parent(&self) -> Option<TypeId> {
        self.parents.last().copied().flatten()
    }

    /// The type that a value should have.
    pub(super) fn input(&self) -> Option<Shape<'s>> {
        self.inputs.last().copied().flatten()
    }

    pub(super) fn field(&self) -> Option<&'s Field> {
        self.fields.last().copied().flatten()
    }

    pub(super) fn enter(&mut self, document: &Document<'_>, id: Id) {
        let node = &document[id];
        match node.kind {
            Kind::SelectionSet => {
                let base = self.shape().and_then(|it| it.base).filter(|it| self.schema.is_composite(*it));
                self.parents.push(base);
            }
            Kind::Field => {
                let field = self.parent().and_then(|it| self.schema.field(it, node.name()));
                self.fields.push(field);
                self.types.push(field.map(|it| it.shape.shape()));
            }
            Kind::Directive => self.directive = schema::directive(node.name()),
            Kind::Operation(Verb::Query) => self.types.push(Some(Shape::of(self.schema.query))),
            Kind::Operation(_) => self.types.push(Some(Shape::of(self.schema.missing))),
            Kind::InlineFragment | Kind::Fragment => {
                let shape = match document.type_of(id) {
                    Some(condition) => self.schema.find(document[condition].name()).map(Shape::of),
                    None => self.shape(),
                };
                self.types.push(shape);
            }
            Kind::VariableDefinition => self.inputs.push(self.variables.of(id)),
            Kind::Argument => {
                // Inside of a directive that is not known, arguments are those of the field.
                let known = match self.directive {
                    Some(directive) => directive.arguments,
                    None => self.field().map_or(&[][..], |it| it.arguments),
                };
                self.argument = known.iter().find(|it| it.name == node.name());
                self.inputs.push(self.argument.and_then(|it| self.schema.argument_shape(it)));
            }
            Kind::List => {
                let inner = self.input().map(Shape::nullable).and_then(Shape::opened);
                self.inputs.push(inner.filter(|it| it.0 == Wrap::List).map(|it| it.1));
            }
            // No catalog has input objects.
            Kind::ObjectField => self.inputs.push(None),
            _ => {}
        }
    }

    pub(super) fn leave(&mut self, kind: Kind) {
        match kind {
            Kind::SelectionSet => drop(self.parents.pop()),
            Kind::Field => {
                self.fields.pop();
                self.types.pop();
            }
            Kind::Directive => self.directive = None,
            Kind::Operation(_) | Kind::InlineFragment | Kind::Fragment => drop(self.types.pop()),
            Kind::VariableDefinition | Kind::List | Kind::ObjectField => drop(self.inputs.pop()),
            Kind::Argument => {
                self.argument = None;
                self.inputs.pop();
            }
            _ => {}
        }
    }
}

/// Whether a written scalar is one of a kind. A variable always is.
pub(super) fn is_literal_of(document: &Document<'_>, value: Id, scalar: Scalar) -> bool {
    let node = &document[value];
    match (scalar, node.kind) {
        (Scalar::Int, Kind::Int) => node.text.parse::<i64>().is_ok(),
        (Scalar::Float, Kind::Int | Kind::Float) => node.text.parse::<f64>().is_ok_and(f64::is_finite),
        (Scalar::String, Kind::String) | (Scalar::Boolean, Kind::Boolean) => true,
        _ => false,
    }
}
