//! The parts that every catalog's schema has: scalars, the summary, directives, and the types that tell about types.
//! Their words are seen in answers, so they are those of graphql-go.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Argument, Directive, Entry, EnumValue, Field, Meta, Origin, Scalar, Schema, Type, TypeId, TypeKind, TypeRef, Wrap,
};

const EXECUTABLE: &[&str] = &["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"];

/// The directives that queries may use.
pub(crate) const DIRECTIVES: &[Directive] = &[
    Directive {
        name: "include",
        description: "Directs the executor to include this field or fragment only when the `if` argument is true.",
        locations: EXECUTABLE,
        arguments: &[condition("Included when true.")],
    },
    Directive {
        name: "skip",
        description: "Directs the executor to skip this field or fragment when the `if` argument is true.",
        locations: EXECUTABLE,
        arguments: &[condition("Skipped when true.")],
    },
    Directive {
        name: "deprecated",
        description: "Marks an element of a GraphQL schema as no longer supported.",
        locations: &["FIELD_DEFINITION", "ENUM_VALUE"],
        arguments: &[Argument {
            name: "reason",
            description: "Explains why this element was deprecated, usually also including a suggestion for how to access \
                          supported similar data. Formattedin [Markdown](https://daringfireball.net/projects/markdown/).",
            scalar: Scalar::String,
            is_required: false,
            default: Some("\"No longer supported\""),
        }],
    },
];

const fn condition(description: &'static str) -> Argument {
    Argument { name: "if", description, scalar: Scalar::Boolean, is_required: true, default: None }
}

const TYPE_KINDS: &[EnumValue] = &[
    value("SCALAR", "Indicates this type is a scalar."),
    value("OBJECT", "Indicates this type is an object. `fields` and `interfaces` are valid fields."),
    value("INTERFACE", "Indicates this type is an interface. `fields` and `possibleTypes` are valid fields."),
    value("UNION", "Indicates this type is a union. `possibleTypes` is a valid field."),
    value("ENUM", "Indicates this type is an enum. `enumValues` is a valid field."),
    value("INPUT_OBJECT", "Indicates this type is an input object. `inputFields` is a valid field."),
    value("LIST", "Indicates this type is a list. `ofType` is a valid field."),
    value("NON_NULL", "Indicates this type is a non-null. `ofType` is a valid field."),
];

const LOCATIONS: &[EnumValue] = &[
    value("QUERY", "Location adjacent to a query operation."),
    value("MUTATION", "Location adjacent to a mutation operation."),
    value("SUBSCRIPTION", "Location adjacent to a subscription operation."),
    value("FIELD", "Location adjacent to a field."),
    value("FRAGMENT_DEFINITION", "Location adjacent to a fragment definition."),
    value("FRAGMENT_SPREAD", "Location adjacent to a fragment spread."),
    value("INLINE_FRAGMENT", "Location adjacent to an inline fragment."),
    value("SCHEMA", "Location adjacent to a schema definition."),
    value("SCALAR", "Location adjacent to a scalar definition."),
    value("OBJECT", "Location adjacent to a object definition."),
    value("FIELD_DEFINITION", "Location adjacent to a field definition."),
    value("ARGUMENT_DEFINITION", "Location adjacent to an argument definition."),
    value("INTERFACE", "Location adjacent to an interface definition."),
    value("UNION", "Location adjacent to a union definition."),
    value("ENUM", "Location adjacent to an enum definition."),
    value("ENUM_VALUE", "Location adjacent to an enum value definition."),
    value("INPUT_OBJECT", "Location adjacent to an input object type definition."),
    value("INPUT_FIELD_DEFINITION", "Location adjacent to an input object field definition."),
];

const fn value(name: &'static str, description: &'static str) -> EnumValue {
    EnumValue { name, description }
}

const WITH_DEPRECATED: &[Argument] = &[Argument {
    name: "includeDeprecated",
    description: "",
    scalar: Scalar::Boolean,
    is_required: false,
    default: Some("false"),
}];

const OLD: Option<&str> = Some("Use `locations`.");

/// A field: its name, its type, its origin, and its description.
struct Row(&'static str, &'static str, Origin, &'static str);

/// An object: its name, its description and its fields.
struct Table(&'static str, &'static str, &'static [Row]);

/// A field that tells about types, without a description.
const fn row(name: &'static str, shape: &'static str, meta: Meta) -> Row {
    Row(name, shape, Origin::Meta(meta), "")
}

const TABLES: &[Table] = &[
    Table(
        "CatalogSummary",
        "",
        &[
            Row("totalSchemas", "Int", Origin::TotalSchemas, ""),
            Row("schemas", "[SchemaSummary]", Origin::SummarySchemas, ""),
        ],
    ),
    Table(
        "SchemaSummary",
        "",
        &[
            Row("name", "String", Origin::SchemaName, ""),
            Row("totalObjects", "Int", Origin::TotalObjects, ""),
            Row("totalFields", "Int", Origin::TotalFields, ""),
        ],
    ),
    Table(
        "__Schema",
        "A GraphQL Schema defines the capabilities of a GraphQL server. It exposes all available types and directives on the \
         server, as well as the entry points for query, mutation, and subscription operations.",
        &[
            Row("types", "[__Type!]!", Origin::Meta(Meta::Types), "A list of all types supported by this server."),
            Row(
                "queryType",
                "__Type!",
                Origin::Meta(Meta::QueryType),
                "The type that query operations will be rooted at.",
            ),
            Row(
                "mutationType",
                "__Type",
                Origin::Meta(Meta::Nothing),
                "If this server supports mutation, the type that mutation operations will be rooted at.",
            ),
            Row(
                "subscriptionType",
                "__Type",
                Origin::Meta(Meta::Nothing),
                "If this server supports subscription, the type that subscription operations will be rooted at.",
            ),
            Row(
                "directives",
                "[__Directive!]!",
                Origin::Meta(Meta::Directives),
                "A list of all directives supported by this server.",
            ),
        ],
    ),
    Table(
        "__Type",
        "The fundamental unit of any GraphQL Schema is the type. There are many kinds of types in GraphQL as represented by the \
         `__TypeKind` enum.\n\nDepending on the kind of a type, certain fields describe information about that type. Scalar \
         types provide no information beyond a name and description, while Enum types provide their values. Object and Interface \
         types provide the fields they describe. Abstract types, Union and Interface, provide the Object types possible at \
         runtime. List and NonNull types compose other types.",
        &[
            row("kind", "__TypeKind!", Meta::Kind),
            row("name", "String", Meta::Name),
            row("description", "String", Meta::Description),
            row("fields", "[__Field!]", Meta::Fields),
            row("interfaces", "[__Type!]", Meta::Interfaces),
            row("possibleTypes", "[__Type!]", Meta::Nothing),
            row("enumValues", "[__EnumValue!]", Meta::EnumValues),
            row("inputFields", "[__InputValue!]", Meta::Nothing),
            row("ofType", "__Type", Meta::OfType),
        ],
    ),
    Table(
        "__Field",
        "Object and Interface types are described by a list of Fields, each of which has a name, potentially a list of \
         arguments, and a return type.",
        &[
            row("name", "String!", Meta::Name),
            row("description", "String", Meta::Description),
            row("args", "[__InputValue!]!", Meta::Arguments),
            row("type", "__Type!", Meta::Shape),
            row("isDeprecated", "Boolean!", Meta::IsDeprecated),
            row("deprecationReason", "String", Meta::DeprecationReason),
        ],
    ),
    Table(
        "__InputValue",
        "Arguments provided to Fields or Directives and the input fields of an InputObject are represented as Input Values \
         which describe their type and optionally a default value.",
        &[
            row("name", "String!", Meta::Name),
            row("description", "String", Meta::Description),
            row("type", "__Type!", Meta::Shape),
            Row(
                "defaultValue",
                "String",
                Origin::Meta(Meta::Default),
                "A GraphQL-formatted string representing the default value for this input value.",
            ),
        ],
    ),
    Table(
        "__EnumValue",
        "One possible value for a given Enum. Enum values are unique values, not a placeholder for a string or numeric value. \
         However an Enum value is returned in a JSON response as a string.",
        &[
            row("name", "String!", Meta::Name),
            row("description", "String", Meta::Description),
            row("isDeprecated", "Boolean!", Meta::IsDeprecated),
            row("deprecationReason", "String", Meta::DeprecationReason),
        ],
    ),
    Table(
        "__Directive",
        "A Directive provides a way to describe alternate runtime execution and type validation behavior in a GraphQL document. \
         \n\nIn some cases, you need to provide options to alter GraphQL's execution behavior in ways field arguments will not \
         suffice, such as conditionally including or skipping a field. Directives provide this by describing additional \
         information to the executor.",
        &[
            row("name", "String!", Meta::Name),
            row("description", "String", Meta::Description),
            row("locations", "[__DirectiveLocation!]!", Meta::Locations),
            row("args", "[__InputValue!]!", Meta::Arguments),
            row("onOperation", "Boolean!", Meta::OnOperation),
            row("onFragment", "Boolean!", Meta::OnFragment),
            row("onField", "Boolean!", Meta::OnField),
        ],
    ),
];

const META: &[Row] = &[
    Row("__schema", "__Schema!", Origin::Meta(Meta::Schema), "Access the current type schema of this server."),
    Row("__type", "__Type", Origin::Meta(Meta::TypeByName), "Request the type information of a single type."),
    Row("__typename", "String!", Origin::Meta(Meta::TypeName), "The name of the current Object type at runtime."),
];

fn arguments_of(table: &str, name: &str) -> &'static [Argument] {
    match (table, name) {
        ("__Type", "fields" | "enumValues") => WITH_DEPRECATED,
        ("", "__type") => {
            &[Argument { name: "name", description: "", scalar: Scalar::String, is_required: true, default: None }]
        }
        _ => &[],
    }
}

fn describe(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::String => {
            "The `String` scalar type represents textual data, represented as UTF-8 character sequences. The String type is most \
             often used by GraphQL to represent free-form human-readable text."
        }
        Scalar::Int => {
            "The `Int` scalar type represents non-fractional signed whole numeric values. Int can represent values between \
             -(2^31) and 2^31 - 1. "
        }
        Scalar::Float => {
            "The `Float` scalar type represents signed double-precision fractional values as specified by \
             [IEEE 754](http://en.wikipedia.org/wiki/IEEE_floating_point). "
        }
        Scalar::Boolean => "The `Boolean` scalar type represents `true` or `false`.",
    }
}

/// Collects the types of a schema.
#[derive(Debug)]
pub(super) struct Builder {
    types: Vec<Type>,
    scalars: [Option<TypeId>; 4],
}

impl Builder {
    /// A builder with the scalars that every schema has; `Float` is there only if it is used.
    pub(super) fn new() -> Self {
        let mut builder = Self { types: Vec::new(), scalars: [None; 4] };
        for scalar in [Scalar::String, Scalar::Int, Scalar::Boolean] {
            builder.scalar(scalar);
        }
        builder
    }

    pub(super) fn add(&mut self, it: Type) -> TypeId {
        let id = TypeId(u32::try_from(self.types.len()).unwrap_or(u32::MAX));
        self.types.push(it);
        id
    }

    pub(super) fn scalar(&mut self, scalar: Scalar) -> TypeId {
        if let Some(id) = self.scalars[scalar as usize] {
            return id;
        }
        let kind = TypeKind::Scalar(scalar);
        let id = self.add(Type { name: scalar.name().to_owned(), description: describe(scalar), kind });
        self.scalars[scalar as usize] = Some(id);
        id
    }

    /// The schema, or the name that several types have.
    pub(super) fn finish(mut self, mut root: BTreeMap<String, Field>, entries: Vec<Entry>) -> Result<Schema, String> {
        let object = |description| (description, TypeKind::Object(BTreeMap::new()));
        let mut own = BTreeMap::new();
        for scalar in [Scalar::String, Scalar::Int, Scalar::Boolean] {
            own.insert(scalar.name(), self.scalar(scalar));
        }
        for Table(name, description, _) in TABLES {
            let (description, kind) = object(description);
            own.insert(name, self.add(Type { name: (*name).to_owned(), description, kind }));
        }
        for (name, description, values) in [
            ("__TypeKind", "An enum describing what kind of type a given `__Type` is", TYPE_KINDS),
            (
                "__DirectiveLocation",
                "A Directive can be adjacent to many parts of the GraphQL language, a __DirectiveLocation describes one such \
                 possible adjacencies.",
                LOCATIONS,
            ),
        ] {
            own.insert(name, self.add(Type { name: name.to_owned(), description, kind: TypeKind::Enum(values) }));
        }
        for Table(name, _, rows) in TABLES {
            let fields = fields(name, rows, &own);
            if let Some(found) = own.get(name).and_then(|it| self.types.get_mut(it.0 as usize)) {
                found.kind = TypeKind::Object(fields);
            }
        }
        root.extend(fields("", &[Row("summary", "CatalogSummary", Origin::Summary, "")], &own));
        let kind = TypeKind::Object(root);
        let query = self.add(Type { name: "Query".to_owned(), description: "", kind });
        let by_name = self.by_name()?;
        let missing = self.add(Type { name: "<nil>".to_owned(), description: "", kind: TypeKind::Missing });
        let meta = fields("", META, &own);
        Ok(Schema { types: self.types, by_name, meta, query, missing, entries })
    }

    fn by_name(&self) -> Result<BTreeMap<String, TypeId>, String> {
        let mut names = BTreeSet::new();
        let mut twice: Vec<&String> = self.types.iter().map(|it| &it.name).filter(|it| !names.insert(*it)).collect();
        twice.sort();
        if let Some(name) = twice.first() {
            return Err((*name).clone());
        }
        Ok((0..).map(TypeId).zip(&self.types).map(|(id, it)| (it.name.clone(), id)).collect())
    }
}

fn fields(table: &str, rows: &[Row], own: &BTreeMap<&str, TypeId>) -> BTreeMap<String, Field> {
    let fields = rows.iter().map(|Row(name, shape, origin, description)| {
        let is_old = matches!(origin, Origin::Meta(Meta::OnOperation | Meta::OnFragment | Meta::OnField));
        let field = Field {
            name: (*name).to_owned(),
            description,
            arguments: arguments_of(table, name),
            shape: reference(shape, own),
            deprecation: OLD.filter(|_| is_old),
            origin: *origin,
        };
        ((*name).to_owned(), field)
    });
    fields.collect()
}

/// Reads a reference as the tables write it.
fn reference(text: &str, own: &BTreeMap<&str, TypeId>) -> TypeRef {
    let mut wraps = Vec::new();
    let mut rest = text;
    loop {
        if let Some(inner) = rest.strip_suffix('!') {
            wraps.push(Wrap::NonNull);
            rest = inner;
        } else if let Some(inner) = rest.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            wraps.push(Wrap::List);
            rest = inner;
        } else {
            return TypeRef { wraps, base: own.get(rest).copied() };
        }
    }
}
