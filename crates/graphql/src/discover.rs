//! A schema made of a catalog's blobs, as catalogd makes it (`docs/behaviour/olm-v1.md` 5.6).

use std::collections::BTreeMap;

use olmdex_text::json::{Kind, Value};
use thiserror::Error;

use crate::name::{field_name, root_field_name, type_name};

/// Fields of a catalog. No real one has a hundredth of them, and the schema stays in memory.
const MAX_FIELDS: usize = 20_000;

/// The number of items of a list that determine its type.
const SAMPLED: usize = 10;

/// The reasons why a catalog has no GraphQL: in the words of catalogd, which does not store such a catalog at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Collision {
    /// Two schemas have one type.
    #[error("type name collision: schemas {first:?} and {second:?} both sanitize to GraphQL type {name:?}")]
    Type { first: String, second: String, name: String },
    /// Two schemas have one field of the root.
    #[error("query field collision: schemas {first:?} and {second:?} both map to field {name:?}")]
    Field { first: String, second: String, name: String },
    /// A field begins with a digit.
    #[error("failed to create GraphQL schema: Names must match /^[_a-zA-Z][_a-zA-Z0-9]*$/ but \"{0}\" does not.")]
    Name(String),
    /// A type has the name of another one, which may be one that each catalog has.
    #[error(
        "failed to create GraphQL schema: Schema must contain unique named types but contains multiple types named \"{0}\"."
    )]
    Types(String),
    /// A schema that cannot be made for another reason.
    #[error("failed to create GraphQL schema: {0}")]
    Refused(String),
    /// There are too many fields, a limit of our own.
    #[error("blobs have more than {MAX_FIELDS} different keys")]
    Size,
}

/// A scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scalar {
    String,
    Int,
    Float,
    Boolean,
}

/// The type of a value: a scalar, or a list of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain {
    pub(crate) scalar: Scalar,
    pub(crate) is_list: bool,
}

/// A field of the blobs of a schema.
#[derive(Debug)]
pub(crate) struct FieldDraft {
    pub(crate) plain: Plain,
    /// The keys of the objects in a list of objects.
    pub(crate) nested: BTreeMap<String, Plain>,
}

/// The blobs of a schema.
#[derive(Debug, Default)]
pub(crate) struct SchemaDraft {
    pub(crate) n_objects: usize,
    pub(crate) fields: BTreeMap<String, FieldDraft>,
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

    /// The schemas of the blobs so far, by their names.
    pub(crate) fn schemas(self) -> Result<BTreeMap<String, SchemaDraft>, Collision> {
        if self.n_fields > MAX_FIELDS {
            return Err(Collision::Size);
        }
        self.check_names()?;
        Ok(self.schemas)
    }

    fn check_names(&self) -> Result<(), Collision> {
        let (mut types, mut fields) = (BTreeMap::new(), BTreeMap::new());
        for second in self.schemas.keys() {
            let name = type_name(second);
            if let Some(first) = types.insert(name.clone(), second.clone()) {
                return Err(Collision::Type { first, second: second.clone(), name });
            }
        }
        for second in self.schemas.keys() {
            let name = root_field_name(second);
            if let Some(first) = fields.insert(name.clone(), second.clone()) {
                return Err(Collision::Field { first, second: second.clone(), name });
            }
        }
        Ok(())
    }
}

/// The type of a member of a blob, and the keys of the objects in it.
fn look(value: Value<'_>) -> (Plain, BTreeMap<String, Plain>) {
    let mut nested = BTreeMap::new();
    if value.kind() != Kind::Array {
        return (Plain { scalar: scalar_of(value), is_list: false }, nested);
    }
    let mut sample: Option<Value<'_>> = None;
    let (mut is_mixed, mut has_objects) = (false, false);
    for item in value.items().take(SAMPLED).filter(|item| !item.is_null()) {
        match sample {
            Some(first) => is_mixed |= first.kind().name() != item.kind().name(),
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
