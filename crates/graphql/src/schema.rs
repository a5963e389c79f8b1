//! The schema of a catalog for `async-graphql`. Fields are put in by their names, since answers list them so.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_graphql::Value;
use async_graphql::dynamic::{Field, InputValue, Object, Schema, SchemaBuilder, TypeRef};

use crate::discover::{Collision, FieldDraft, Plain, Scalar, SchemaDraft};
use crate::limits::MAX_DEPTH;
use crate::name::{is_valid, root_field_name, type_name};
use crate::record::{Member, Record};
use crate::resolve::{MAX_PAGE, Meter, documents, member, summary};

/// The types that every catalog has.
const OWN: &[&str] = &["Boolean", "CatalogSummary", "Float", "ID", "Int", "Query", "SchemaSummary", "String"];

/// The schema of the blobs of a catalog.
pub(crate) fn build(schemas: BTreeMap<String, SchemaDraft>) -> Result<Schema, Collision> {
    let entries = schemas.iter().map(|(name, draft)| Some(entry(name, draft))).collect();
    let total = Member::Leaf(Value::from(schemas.len()));
    let content: Record = [("schemas".to_owned(), Member::Objects(entries)), ("totalSchemas".to_owned(), total)].into();
    let content = Field::new("summary", TypeRef::named("CatalogSummary"), summary(Arc::new(content)));
    let (mut root, mut types) = (BTreeMap::from([("summary".to_owned(), content)]), Vec::new());
    for (schema, draft) in schemas {
        let (own, name) = (type_name(&schema), root_field_name(&schema));
        if !is_valid(&name) {
            return Err(Collision::Name(name));
        }
        blobs(&own, &draft.fields, &mut types);
        let field = Field::new(&name, TypeRef::named_list(own), documents(schema, draft))
            .argument(argument("limit", "Maximum number of items to return", MAX_PAGE))
            .argument(argument("offset", "Number of items to skip", 0));
        root.insert(name, field);
    }
    let mut names: Vec<&str> = OWN.iter().copied().chain(types.iter().map(Object::type_name)).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Collision::Types(pair[0].to_owned()));
    }
    let int = TypeRef::named(TypeRef::INT);
    let schemas = [("schemas", TypeRef::named_list("SchemaSummary")), ("totalSchemas", int.clone())];
    let entry = [("name", TypeRef::named(TypeRef::STRING)), ("totalFields", int.clone()), ("totalObjects", int)];
    types.push(object("Query", root.into_values()));
    types.push(object("CatalogSummary", schemas.map(|(name, shape)| Field::new(name, shape, member))));
    types.push(object("SchemaSummary", entry.map(|(name, shape)| Field::new(name, shape, member))));
    let schema = types.into_iter().fold(Schema::build("Query", None, None), SchemaBuilder::register);
    // Suggestions would compare a name with all others.
    let schema = schema.limit_depth(MAX_DEPTH).limit_recursive_depth(MAX_DEPTH).disable_suggestions().extension(Meter);
    schema.finish().map_err(|error| Collision::Refused(error.to_string()))
}

/// Adds the types of a schema's blobs.
fn blobs(own: &str, fields: &BTreeMap<String, FieldDraft>, types: &mut Vec<Object>) {
    let mut made = Vec::with_capacity(fields.len());
    for (name, draft) in fields {
        let shape = if draft.nested.is_empty() {
            shape(draft.plain)
        } else {
            let inner = own.to_owned() + &type_name(name);
            let nested = draft.nested.iter().map(|(name, plain)| Field::new(name, shape(*plain), member));
            types.push(object(&inner, nested));
            TypeRef::named_list(inner)
        };
        made.push(Field::new(name, shape, member));
    }
    types.push(object(own, made));
}

fn object(name: &str, fields: impl IntoIterator<Item = Field>) -> Object {
    let empty = Object::new(name).description("");
    fields.into_iter().fold(empty, |object, field| object.field(field.description("")))
}

fn argument(name: &str, description: &str, default: usize) -> InputValue {
    InputValue::new(name, TypeRef::named(TypeRef::INT)).description(description).default_value(default)
}

fn shape(plain: Plain) -> TypeRef {
    let name = match plain.scalar {
        Scalar::String => TypeRef::STRING,
        Scalar::Int => TypeRef::INT,
        Scalar::Float => TypeRef::FLOAT,
        Scalar::Boolean => TypeRef::BOOLEAN,
    };
    if plain.is_list { TypeRef::named_list(name) } else { TypeRef::named(name) }
}

/// The summary's words about a schema.
fn entry(name: &str, draft: &SchemaDraft) -> Arc<Record> {
    let fields = [
        ("name", Value::from(name)),
        ("totalFields", Value::from(draft.fields.len())),
        ("totalObjects", Value::from(draft.n_objects)),
    ];
    Arc::new(fields.into_iter().map(|(name, value)| (name.to_owned(), Member::Leaf(value))).collect())
}
