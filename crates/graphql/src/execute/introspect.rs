//! Introspection: the schema as data.

use crate::schema::{Argument, DIRECTIVES, Directive, EnumValue, Field, Meta, Schema, Shape, TypeKind, Wrap};

/// The subject of an introspection.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject<'s> {
    Schema,
    Type(Shape<'s>),
    Field(&'s Field),
    Argument(&'static Argument),
    EnumValue(&'static EnumValue),
    Directive(&'static Directive),
}

/// An element of the schema.
#[derive(Debug)]
pub(super) enum Answer<'s> {
    Nothing,
    Bool(bool),
    Text(&'s str),
    Texts(&'static [&'static str]),
    One(Subject<'s>),
    Many(Vec<Subject<'s>>),
}

impl<'s> Subject<'s> {
    pub(super) fn tell(self, schema: &'s Schema, meta: Meta, with_deprecated: bool) -> Answer<'s> {
        match self {
            Self::Schema => of_schema(schema, meta),
            Self::Type(shape) => of_type(schema, shape, meta, with_deprecated),
            Self::Field(field) => match meta {
                Meta::Name => Answer::Text(&field.name),
                Meta::Description => Answer::Text(field.description),
                Meta::Arguments => Answer::Many(field.arguments.iter().map(Subject::Argument).collect()),
                Meta::Shape => Answer::One(Subject::Type(field.shape.shape())),
                Meta::IsDeprecated => Answer::Bool(field.deprecation.is_some()),
                Meta::DeprecationReason => field.deprecation.map_or(Answer::Nothing, Answer::Text),
                _ => Answer::Nothing,
            },
            Self::Argument(argument) => match meta {
                Meta::Name => Answer::Text(argument.name),
                Meta::Description => Answer::Text(argument.description),
                Meta::Shape => {
                    schema.argument_shape(argument).map_or(Answer::Nothing, |it| Answer::One(Subject::Type(it)))
                }
                Meta::Default => argument.default.map_or(Answer::Nothing, Answer::Text),
                _ => Answer::Nothing,
            },
            Self::EnumValue(value) => match meta {
                Meta::Name => Answer::Text(value.name),
                Meta::Description => Answer::Text(value.description),
                Meta::IsDeprecated => Answer::Bool(false),
                _ => Answer::Nothing,
            },
            Self::Directive(directive) => of_directive(directive, meta),
        }
    }
}

fn of_schema(schema: &Schema, meta: Meta) -> Answer<'_> {
    match meta {
        Meta::Types => Answer::Many(schema.named().map(|it| Subject::Type(Shape::of(it.1))).collect()),
        Meta::QueryType => Answer::One(Subject::Type(Shape::of(schema.query))),
        Meta::Directives => Answer::Many(DIRECTIVES.iter().map(Subject::Directive).collect()),
        _ => Answer::Nothing,
    }
}

fn of_type<'s>(schema: &'s Schema, shape: Shape<'s>, meta: Meta, with_deprecated: bool) -> Answer<'s> {
    if let Some((wrap, inner)) = shape.opened() {
        return match meta {
            Meta::Kind => Answer::Text(if wrap == Wrap::List { "LIST" } else { "NON_NULL" }),
            Meta::OfType => Answer::One(Subject::Type(inner)),
            _ => Answer::Nothing,
        };
    }
    let Some(found) = shape.base.map(|it| schema.get(it)) else { return Answer::Nothing };
    match (meta, &found.kind) {
        (Meta::Kind, TypeKind::Scalar(_)) => Answer::Text("SCALAR"),
        (Meta::Kind, TypeKind::Enum(_)) => Answer::Text("ENUM"),
        (Meta::Kind, _) => Answer::Text("OBJECT"),
        (Meta::Name, _) => Answer::Text(&found.name),
        (Meta::Description, _) => Answer::Text(found.description),
        (Meta::Interfaces, TypeKind::Object(_)) => Answer::Many(Vec::new()),
        (Meta::Fields, TypeKind::Object(fields)) => {
            let shown = fields.values().filter(|it| with_deprecated || it.deprecation.is_none());
            Answer::Many(shown.map(Subject::Field).collect())
        }
        (Meta::EnumValues, TypeKind::Enum(values)) => Answer::Many(values.iter().map(Subject::EnumValue).collect()),
        _ => Answer::Nothing,
    }
}

fn of_directive(directive: &'static Directive, meta: Meta) -> Answer<'static> {
    let is_on = |places: &[&str]| Answer::Bool(directive.locations.iter().any(|it| places.contains(it)));
    match meta {
        Meta::Name => Answer::Text(directive.name),
        Meta::Description => Answer::Text(directive.description),
        Meta::Locations => Answer::Texts(directive.locations),
        Meta::Arguments => Answer::Many(directive.arguments.iter().map(Subject::Argument).collect()),
        Meta::OnOperation => is_on(&["QUERY", "MUTATION", "SUBSCRIPTION"]),
        Meta::OnFragment => is_on(&["FRAGMENT_SPREAD", "INLINE_FRAGMENT", "FRAGMENT_DEFINITION"]),
        Meta::OnField => is_on(&["FIELD"]),
        _ => Answer::Nothing,
    }
}
