//! The list of addresses: as a page, and as a description in OpenAPI with the schema of each answer.

use std::collections::{BTreeMap, BTreeSet};

use maud::html;
use serde_json::{Map, Value, json};

use super::parts::{table, worded};
use super::reply::PageError;
use super::route::{Route, Row, name_in};
use super::site::{Page, PageContext};

/// Kinds with their schemas.
macro_rules! schemas {
    ($($kind:ident)*) => {
        &[$((stringify!($kind), include_str!(concat!("../schema/output/", stringify!($kind), ".json")))),*]
    };
}

/// The schemas of the answers.
const SCHEMAS: &[(&str, &str)] = schemas! {
    Bundle BundleList CatalogDiff CatalogList CompatList Permissions Dependencies FilterExplanation Findings Graph
    History Image Package PackageList Provider SearchResult UpgradePath WhyNot
};

/// The rows of the table of pages that are addresses of data, each with the name and the meaning of its operation, and
/// with the address.
fn endpoints() -> impl Iterator<Item = (Row, &'static str, &'static str, String)> {
    Route::all().into_iter().filter_map(|it| {
        let row = it.row();
        let path = if it == Route::Home { "/index" } else { row.path() };
        row.call.map(|(id, about)| (row, id, about, format!("{path}.json")))
    })
}

/// The names of its parameters.
fn parameters(row: Row) -> Vec<&'static str> {
    row.parameters().filter(|it| it.2).map(|it| it.0).collect()
}

/// The address of a schema's own definition, in its file and in the description.
const OWN: &str = "#/$defs/";
const COMPONENTS: &str = "#/components/schemas/";

/// The definitions that a schema refers to.
fn referred(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| match value.as_str() {
            Some(text) if key == "$ref" => found.extend(text.strip_prefix(OWN).map(str::to_owned)),
            _ => referred(value, found),
        }),
        Value::Array(items) => items.iter().for_each(|it| referred(it, found)),
        _ => {}
    }
}

/// The definitions with the same meaning in all schemas, so that one component is enough for each.
fn shared_definitions(schemas: &[(&str, Value)]) -> BTreeSet<String> {
    let mut texts: BTreeMap<&String, BTreeSet<String>> = BTreeMap::new();
    let mut needs: BTreeMap<&String, BTreeSet<String>> = BTreeMap::new();
    for (_, schema) in schemas {
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            texts.entry(name).or_default().insert(definition.to_string());
            referred(definition, needs.entry(name).or_default());
        }
    }
    let is_kind = |name: &str| schemas.iter().any(|it| it.0 == name);
    let equal = texts.iter().filter(|(name, texts)| texts.len() == 1 && !is_kind(name));
    let mut shared: BTreeSet<String> = equal.map(|it| (*it.0).clone()).collect();
    loop {
        // A definition that refers to a differing one differs, too.
        let is_whole = |name: &String| needs.get(name).is_none_or(|it| it.is_subset(&shared));
        let kept: BTreeSet<String> = shared.iter().filter(|it| is_whole(it)).cloned().collect();
        if kept.len() == shared.len() {
            return shared;
        }
        shared = kept;
    }
}

/// Turns lists of constants into enumerations. Each constant has a text of its own, but generators of clients take each
/// for a type.
fn enumerated(schema: &mut Value) {
    if let Some(fields) = schema.as_object_mut() {
        let constant = |it: &Value| it.get("const").filter(|it| it.is_string()).cloned();
        let constants = |it: &Value| it.as_array()?.iter().map(constant).collect::<Option<Vec<Value>>>();
        if let Some(constants) = fields.get("oneOf").and_then(constants) {
            fields.remove("oneOf");
            fields.insert("type".to_owned(), json!("string"));
            fields.insert("enum".to_owned(), Value::Array(constants));
        }
    }
    match schema {
        Value::Object(fields) => fields.values_mut().for_each(enumerated),
        Value::Array(items) => items.iter_mut().for_each(enumerated),
        _ => {}
    }
}

/// The components of the description. Many generators of clients do not support nested definitions, so each definition
/// is a component.
fn components() -> Result<Map<String, Value>, serde_json::Error> {
    let read = |it: &(&'static str, &str)| Ok((it.0, serde_json::from_str::<Value>(it.1)?));
    let schemas: Vec<(&str, Value)> = SCHEMAS.iter().map(read).collect::<Result<_, serde_json::Error>>()?;
    let shared = shared_definitions(&schemas);
    let mut components = Map::new();
    for (kind, mut schema) in schemas {
        let own = schema.as_object_mut().and_then(|it| it.remove("$defs"));
        let named = |name: &str| if shared.contains(name) { name.to_owned() } else { format!("{kind}{name}") };
        let names: Vec<String> = own.iter().filter_map(Value::as_object).flat_map(|it| it.keys().cloned()).collect();
        let placed = |schema: &Value| -> Result<Value, serde_json::Error> {
            let mut text = schema.to_string();
            for name in &names {
                text = text.replace(&format!("\"{OWN}{name}\""), &format!("\"{COMPONENTS}{}\"", named(name)));
            }
            let mut placed = serde_json::from_str(&text)?;
            enumerated(&mut placed);
            Ok(placed)
        };
        for (name, definition) in own.iter().filter_map(Value::as_object).flatten() {
            components.insert(named(name), placed(definition)?);
        }
        let mut schema = placed(&schema)?;
        if let Some(fields) = schema.as_object_mut() {
            fields.remove("$schema");
        }
        components.insert(kind.to_owned(), schema);
    }
    components.insert("Error".to_owned(), refusal());
    Ok(components)
}

/// The schema of an answer that is none.
fn refusal() -> Value {
    let reason = json!({
        "type": "object",
        "required": ["status", "message"],
        "properties": {
            "status": {"type": "integer", "description": "The status of HTTP"},
            "message": {"type": "string", "description": "The reason"},
            "didYouMean": {"type": "string", "description": "The name that was probably meant"},
        },
    });
    json!({
        "type": "object",
        "required": ["apiVersion", "kind", "metadata", "items"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"const": "Error"},
            "metadata": {"type": "object", "properties": {"count": {"type": "integer"}}},
            "items": {"type": "array", "items": reason},
        },
    })
}

/// The description in OpenAPI 3.1.
pub(super) fn description() -> Result<Value, PageError> {
    let failed = |error: serde_json::Error| PageError::Failed(error.to_string());
    let schemas = components().map_err(failed)?;
    let parameter = |name: &str, place: &str| json!({"name": name, "in": place, "required": place == "path", "schema": {"type": "string"}});
    let mut paths = Map::new();
    for (row, id, about, path) in endpoints() {
        let in_path = row.path().split('/').filter_map(name_in).map(|(name, _)| parameter(name, "path"));
        let parameters: Vec<Value> =
            in_path.chain(parameters(row).into_iter().map(|name| parameter(name, "query"))).collect();
        let schema = match row.kind.unwrap_or_default() {
            "PackageList" => json!({"oneOf": [
                {"$ref": "#/components/schemas/PackageList"}, {"$ref": "#/components/schemas/SearchResult"},
            ]}),
            kind => json!({"$ref": format!("#/components/schemas/{kind}")}),
        };
        let refused = |why: &str| json!({"description": why, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}});
        let responses = json!({
            "200": {"description": about, "content": {"application/json": {"schema": schema}}},
            "400": refused("A parameter is missing or not valid"),
            "404": refused("A name in the request does not exist"),
            "422": refused("The answer would be too large"),
            "500": refused("The index cannot be queried"),
        });
        let get = json!({"operationId": id, "summary": about, "parameters": parameters, "responses": responses});
        paths.insert(path, json!({"get": get}));
    }
    Ok(json!({
        "openapi": "3.1.0",
        "info": {
            "title": "olmdex",
            "version": olmdex_base::diag::envelope::VERSION,
            "description": "Catalogs of the Operator Lifecycle Manager. Each answer equals that of the command that \
                the page shows.",
        },
        "paths": paths,
        "components": {"schemas": schemas},
    }))
}

pub(super) fn page(context: PageContext<'_>) -> Page {
    let feeds = context.catalogs().map(|it| Route::CatalogFeed(it.to_owned()));
    let feeds: Vec<String> = feeds.filter_map(|it| context.to(&it)).collect();
    let rows = html! {
        @for (row, _, about, path) in endpoints() {
            @let query = parameters(row);
            tr {
                th scope="row" { code { (path) @if !query.is_empty() { "?" (query.join("=…&")) "=…" } } }
                td { code { (row.kind.unwrap_or_default()) } }
                td { (worded(about)) }
            }
        }
    };
    let body = html! {
        h1 { "For programs" }
        p.lead { "Each page has its answer as JSON at the same address with " code { ".json" } ". No request needs a \
            key." }
        @if let Some(address) = context.data(&Route::Endpoints) {
            p { a href=(address) { "OpenAPI description" } " with the schema of each answer." }
        }
        (table("Addresses", &["Address", "Kind", "Answer"], rows))
        h2 #feeds { "Feeds" }
        p { "The feed of new versions of a package is \
            at " code { "/p/PACKAGE/feed.atom" } ", and a badge with its \
            version at "
            code { "/p/PACKAGE/badge.svg" } "." }
        ul { @for it in &feeds { li { a href=(it) { (it) } } } }
    };
    Page {
        is_data: true,
        about: "The addresses of the catalogs' data".to_owned(),
        ..Page::new("For programs".to_owned(), body)
    }
}
