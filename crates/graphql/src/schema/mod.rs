//! The schema: types with fields, each of which knows the origin of its values.

mod builtin;
mod discover;
mod name;
mod reference;

use std::collections::BTreeMap;

pub(crate) use self::builtin::DIRECTIVES;
pub use self::discover::{Collector, Collision};
pub(crate) use self::name::field_name;
pub(crate) use self::reference::{Shape, TypeRef, Wrap};

/// The number of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TypeId(u32);

/// A scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scalar {
    String,
    Int,
    Float,
    Boolean,
}

impl Scalar {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::String => "String",
            Self::Int => "Int",
            Self::Float => "Float",
            Self::Boolean => "Boolean",
        }
    }
}

/// The kind of a type.
#[derive(Debug)]
pub(crate) enum TypeKind {
    Scalar(Scalar),
    Object(BTreeMap<String, Field>),
    Enum(&'static [EnumValue]),
    /// The root of mutations and subscriptions, which no catalog has: an object without fields, not even `__typename`.
    Missing,
}

/// A type.
#[derive(Debug)]
pub(crate) struct Type {
    pub(crate) name: String,
    pub(crate) description: &'static str,
    pub(crate) kind: TypeKind,
}

/// A value of an enumeration.
#[derive(Debug)]
pub(crate) struct EnumValue {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
}

/// A field of an object.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) description: &'static str,
    pub(crate) arguments: &'static [Argument],
    pub(crate) shape: TypeRef,
    pub(crate) deprecation: Option<&'static str>,
    pub(crate) origin: Origin,
}

/// An argument of a field or a directive.
#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) scalar: Scalar,
    pub(crate) is_required: bool,
    /// The default in the form of queries.
    pub(crate) default: Option<&'static str>,
}

/// A directive.
#[derive(Debug)]
pub(crate) struct Directive {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) locations: &'static [&'static str],
    pub(crate) arguments: &'static [Argument],
}

/// The origin of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The documents of a schema, by its number.
    Documents(usize),
    /// A member of a document or of an object in it. A value that is not a scalar comes as JSON text.
    Member,
    /// A list of objects in a document, as it is.
    Objects,
    /// The object that describes the content of a catalog.
    Summary,
    TotalSchemas,
    SummarySchemas,
    SchemaName,
    TotalObjects,
    TotalFields,
    /// A field of introspection.
    Meta(Meta),
}

/// The fields of introspection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meta {
    Schema,
    TypeByName,
    TypeName,
    Types,
    QueryType,
    Directives,
    Kind,
    Name,
    Description,
    Fields,
    Interfaces,
    EnumValues,
    OfType,
    Arguments,
    Shape,
    IsDeprecated,
    DeprecationReason,
    Default,
    Locations,
    OnOperation,
    OnFragment,
    OnField,
    /// A source that no type of a catalog has.
    Nothing,
}

/// The blobs of one schema in a catalog.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) n_objects: usize,
    pub(crate) n_fields: usize,
}

/// All types of a catalog.
#[derive(Debug)]
pub(crate) struct Schema {
    types: Vec<Type>,
    by_name: BTreeMap<String, TypeId>,
    /// Fields that objects have without saying so.
    meta: BTreeMap<String, Field>,
    pub(crate) query: TypeId,
    /// The root of an operation that is not a query.
    pub(crate) missing: TypeId,
    pub(crate) entries: Vec<Entry>,
}

impl Schema {
    pub(crate) fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    pub(crate) fn find(&self, name: &str) -> Option<TypeId> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn scalar(&self, scalar: Scalar) -> Option<TypeId> {
        self.find(scalar.name())
    }

    pub(crate) fn argument_shape(&self, argument: &Argument) -> Option<Shape<'static>> {
        let wraps: &'static [Wrap] = if argument.is_required { &[Wrap::NonNull] } else { &[] };
        Some(Shape { wraps, base: Some(self.scalar(argument.scalar)?) })
    }

    /// All types, by their names.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&str, TypeId)> {
        self.by_name.iter().map(|(name, id)| (name.as_str(), *id))
    }

    /// The fields of an object.
    pub(crate) fn fields(&self, id: TypeId) -> Option<&BTreeMap<String, Field>> {
        match &self.get(id).kind {
            TypeKind::Object(fields) => Some(fields),
            _ => None,
        }
    }

    /// The field of an object that a query names, those included that each object or each root has.
    pub(crate) fn field(&self, parent: TypeId, name: &str) -> Option<&Field> {
        let fields = self.fields(parent)?;
        if let Some(field) = fields.get(name) {
            return Some(field);
        }
        let meta = self.meta.get(name)?;
        (parent == self.query || meta.origin == Origin::Meta(Meta::TypeName)).then_some(meta)
    }

    /// Whether its fields can be selected.
    pub(crate) fn is_composite(&self, id: TypeId) -> bool {
        matches!(self.get(id).kind, TypeKind::Object(_) | TypeKind::Missing)
    }

    /// Whether it is a scalar or an enumeration.
    pub(crate) fn is_leaf(&self, shape: Shape<'_>) -> bool {
        shape.base.is_some_and(|it| !self.is_composite(it))
    }

    /// A type as messages show it. Around a type that is not known, graphql-go loses one level.
    pub(crate) fn show(&self, shape: Shape<'_>) -> String {
        let Some(base) = shape.base else {
            return match shape.wraps.split_last() {
                Some((_, outer)) => wrapped("", outer),
                None => "<nil>".to_owned(),
            };
        };
        wrapped(&self.get(base).name, shape.wraps)
    }
}

fn wrapped(name: &str, wraps: &[Wrap]) -> String {
    let mut out: String = wraps.iter().filter(|it| **it == Wrap::List).map(|_| '[').collect();
    out.push_str(name);
    out.extend(wraps.iter().rev().map(|it| if *it == Wrap::List { ']' } else { '!' }));
    out
}

/// A directive by its name.
pub(crate) fn directive(name: &str) -> Option<&'static Directive> {
    DIRECTIVES.iter().find(|it| it.name == name)
}
