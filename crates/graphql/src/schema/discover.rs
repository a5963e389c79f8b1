//! A schema made of a catalog's blobs, as catalogd makes it (`docs/behaviour/olm-v1.md` 5.6).

use std::collections::BTreeMap;

use olmdex_text::json::{Kind, Value};
use thiserror::Error;

use super::builtin;
use super::name::{field_name, is_valid, root_field_name, type_name};
use super::{Argument, Entry, Field, Origin, Scalar, Schema, Type, TypeId, TypeKind, TypeRef, Wrap};
use crate::syntax::print::quote;

/// Fields of a catalog. No real one has a hundredth of them, and the schema stays in memory.
const MAX_FIELDS: usize = 100_000;

/// The number of items of a list that determine its type.
const SAMPLED: usize = 10;

/// The reasons why a catalog has no GraphQL: in the words of catalogd, which does not store such a catalog at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Collision {
    /// Two schemas have one type.
    #[error(
        "type name collision: schemas {} and {} both sanitize to GraphQL type {}",
        quoted(first),
        quoted(second),
        quoted(name)
    )]
    Type {
        /// A schema.
        first: String,
        /// The other one.
        second: String,
        /// Their type.
        name: String,
    },
    /// Two schemas have one field of the root.
    #[error(
        "query field collision: schemas {} and {} both map to field {}",
        quoted(first),
        quoted(second),
        quoted(name)
    )]
    Field {
        /// A schema.
        first: String,
        /// The other one.
        second: String,
        /// Their field.
        name: String,
    },
    /// A field begins with a digit.
    #[error("failed to create GraphQL schema: Names must match /^[_a-zA-Z][_a-zA-Z0-9]*$/ but \"{0}\" does not.")]
    Name(String),
    /// A type has the name of another one, which may be one that each catalog has.
    #[error(
        "failed to create GraphQL schema: Schema must contain unique named types but contains multiple types named \"{0}\"."
    )]
    Types(String),
    /// There are too many fields, a limit of our own.
    #[error("blobs have more than {MAX_FIELDS} different keys")]
    Size,
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    quote(text, &mut out);
    out
}

/// The type of a value: a scalar, or a list of them.
#[derive(Debug, Clone, Copy)]
struct Plain {
    scalar: Scalar,
    is_list: bool,
}

#[derive(Debug)]
struct FieldDraft {
    plain: Plain,
    /// The keys of the objects in a list of objects.
    nested: BTreeMap<String, Plain>,
}

#[derive(Debug, Default)]
struct SchemaDraft {
    n_objects: usize,
    fields: BTreeMap<String, FieldDraft>,
}

/// Looks at blobs one after the other.
#[derive(Debug, Default)]
pub struct Collector {
    schemas: BTreeMap<String, SchemaDraft>,
    n_fields: usize,
}

impl Collector {
    /// Looks at a blob of a schema. A blob without a schema is ignored.
    pub fn add(&mut self, schema: &str, blob: Value<'_>) {
        if schema.is_empty() || self.n_fields > MAX_FIELDS {
            return;
        }
        if !self.schemas.contains_key(schema) {
            self.schemas.insert(schema.to_owned(), SchemaDraft::default());
            self.n_fields += 1;
        }
        let Some(found) = self.schemas.get_mut(schema) else { return };
        found.n_objects += 1;
        for (key, value) in blob.members() {
            let name = field_name(&key.as_str().unwrap_or_default());
            let (plain, nested) = look(value);
            // The first blob that has a key decides its type; lists of objects gain keys.
            let field = found.fields.entry(name).or_insert_with(|| {
                self.n_fields += 1;
                FieldDraft { plain, nested: BTreeMap::new() }
            });
            for (name, plain) in nested {
                field.nested.entry(name).or_insert_with(|| {
                    self.n_fields += 1;
                    plain
                });
            }
        }
    }

    /// The schema of the blobs so far.
    pub(crate) fn schema(&self) -> Result<Schema, Collision> {
        if self.n_fields > MAX_FIELDS {
            return Err(Collision::Size);
        }
        self.check_names()?;
        let mut builder = builtin::Builder::new();
        let mut root = BTreeMap::new();
        let mut entries = Vec::new();
        for (number, (schema, found)) in self.schemas.iter().enumerate() {
            let own = type_name(schema);
            let fields = found.fields.iter().map(|(name, it)| field(&mut builder, &own, name, it)).collect();
            let id = builder.add(Type { name: own, description: "", kind: TypeKind::Object(fields) });
            let name = root_field_name(schema);
            if !is_valid(&name) {
                return Err(Collision::Name(name));
            }
            let shape = TypeRef { wraps: vec![Wrap::List], base: Some(id) };
            root.insert(name.clone(), plain_field(name, shape, Origin::Documents(number), PAGE));
            entries.push(Entry { name: schema.clone(), n_objects: found.n_objects, n_fields: found.fields.len() });
        }
        builder.finish(root, entries).map_err(Collision::Types)
    }

    fn check_names(&self) -> Result<(), Collision> {
        let mut known: BTreeMap<String, &str> = BTreeMap::new();
        for schema in self.schemas.keys() {
            let name = type_name(schema);
            if let Some(first) = known.insert(name.clone(), schema) {
                return Err(Collision::Type { first: first.to_owned(), second: schema.clone(), name });
            }
        }
        known.clear();
        for schema in self.schemas.keys() {
            let name = root_field_name(schema);
            if let Some(first) = known.insert(name.clone(), schema) {
                return Err(Collision::Field { first: first.to_owned(), second: schema.clone(), name });
            }
        }
        Ok(())
    }
}

/// The arguments of a list of documents.
const PAGE: &[Argument] = &[
    Argument {
        name: "limit",
        description: "Maximum number of items to return",
        scalar: Scalar::Int,
        is_required: false,
        default: Some("100"),
    },
    Argument {
        name: "offset",
        description: "Number of items to skip",
        scalar: Scalar::Int,
        is_required: false,
        default: Some("0"),
    },
];

fn field(builder: &mut builtin::Builder, parent: &str, name: &str, found: &FieldDraft) -> (String, Field) {
    let (shape, origin) = if found.nested.is_empty() {
        (shape_of(builder, found.plain), Origin::Member)
    } else {
        let fields = found.nested.iter().map(|(name, plain)| {
            let field = plain_field(name.clone(), shape_of(builder, *plain), Origin::Member, &[]);
            (name.clone(), field)
        });
        let kind = TypeKind::Object(fields.collect());
        let id = builder.add(Type { name: parent.to_owned() + &type_name(name), description: "", kind });
        (TypeRef { wraps: vec![Wrap::List], base: Some(id) }, Origin::Objects)
    };
    (name.to_owned(), plain_field(name.to_owned(), shape, origin, &[]))
}

fn plain_field(name: String, shape: TypeRef, origin: Origin, arguments: &'static [Argument]) -> Field {
    Field { name, description: "", arguments, shape, deprecation: None, origin }
}

fn shape_of(builder: &mut builtin::Builder, plain: Plain) -> TypeRef {
    let base: Option<TypeId> = Some(builder.scalar(plain.scalar));
    TypeRef { wraps: if plain.is_list { vec![Wrap::List] } else { Vec::new() }, base }
}

/// The type of a member of a blob, and the keys of the objects in it.
fn look(value: Value<'_>) -> (Plain, BTreeMap<String, Plain>) {
    let mut nested = BTreeMap::new();
    if value.kind() != Kind::Array {
        return (Plain { scalar: scalar_of(value), is_list: false }, nested);
    }
    let mut sample: Option<Value<'_>> = None;
    let (mut is_mixed, mut has_objects) = (false, false);
    for item in value.items().take(SAMPLED).filter(|it| !it.is_null()) {
        match sample {
            Some(first) => is_mixed |= sort(first) != sort(item),
            None => sample = Some(item),
        }
        if item.kind() == Kind::Object {
            has_objects = true;
            for (key, value) in item.members() {
                nested.entry(field_name(&key.as_str().unwrap_or_default())).or_insert_with(|| look_nested(value));
            }
        }
    }
    let scalar = match sample {
        Some(first) if !is_mixed || has_objects => scalar_of(first),
        _ => Scalar::String,
    };
    (Plain { scalar, is_list: true }, nested)
}

/// The type of a member of an object in a list: deeper values have no types of their own.
fn look_nested(value: Value<'_>) -> Plain {
    match value.kind() {
        Kind::Array => Plain { scalar: value.items().next().map_or(Scalar::String, scalar_of), is_list: true },
        _ => Plain { scalar: scalar_of(value), is_list: false },
    }
}

fn scalar_of(value: Value<'_>) -> Scalar {
    match value.kind() {
        Kind::True | Kind::False => Scalar::Boolean,
        Kind::Number if value.as_f64().is_some_and(is_whole) => Scalar::Int,
        Kind::Number => Scalar::Float,
        _ => Scalar::String,
    }
}

/// Whether a number is one of 64 bits without a fraction.
fn is_whole(number: f64) -> bool {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    number.fract() == 0.0 && (-LIMIT..LIMIT).contains(&number)
}

/// Values of one sort have one type in Go.
fn sort(value: Value<'_>) -> u8 {
    match value.kind() {
        Kind::Null => 0,
        Kind::True | Kind::False => 1,
        Kind::Number => 2,
        Kind::PlainString | Kind::EscapedString => 3,
        Kind::Array => 4,
        Kind::Object => 5,
    }
}
