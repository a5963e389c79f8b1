//! The list of addresses: as a page, and as a description in OpenAPI with the schema of each answer.

use std::collections::{BTreeMap, BTreeSet};

use maud::html;
use serde_json::{Map, Value, json};

use super::parts::table;
use super::reply::PageError;
use super::route::{List, Machine, Route};
use super::site::{Page, PageContext};

/// An address of data: its form, its kind of answer, its content, its parameters in the path and in the query.
struct Endpoint {
    /// The name of the operation, from which generators of clients make a function.
    id: &'static str,
    path: &'static str,
    kind: &'static str,
    about: &'static str,
    query: &'static [&'static str],
}

const LISTED: &[&str] =
    &["arch", "capability", "catalog", "category", "feature", "mode", "page", "provider", "q", "sort", "status"];
const WAY: &[&str] = &["catalog", "channel", "from", "olm", "to"];

/// All of them, as people look for them.
const ENDPOINTS: &[Endpoint] = &[
    Endpoint { id: "listCatalogs", path: "/index.json", kind: "CatalogList", about: "The catalogs", query: &[] },
    Endpoint {
        id: "listPackages",
        path: "/packages.json",
        kind: "PackageList",
        about: "Packages; SearchResult if `q` is given",
        query: LISTED,
    },
    Endpoint {
        id: "getMirrorList",
        path: "/mirror.json",
        kind: "FilterExplanation",
        about: "The versions that a mirror keeps for packages, channels and ranges, with the reasons",
        query: &["catalog", "full", "p"],
    },
    Endpoint {
        id: "getPackage",
        path: "/p/{package}.json",
        kind: "Package",
        about: "A package in each catalog",
        query: &[],
    },
    Endpoint {
        id: "getVersion",
        path: "/p/{package}/v/{version}.json",
        kind: "Bundle",
        about: "A version",
        query: &["catalog"],
    },
    Endpoint {
        id: "getRequirements",
        path: "/p/{package}/v/{version}/deps.json",
        kind: "Dependencies",
        about: "The requirements of a version",
        query: &["catalog"],
    },
    Endpoint {
        id: "getImages",
        path: "/p/{package}/v/{version}/images.json",
        kind: "Image",
        about: "The images of a version",
        query: &["catalog"],
    },
    Endpoint {
        id: "getChannel",
        path: "/p/{package}/c/{channel}.json",
        kind: "Graph",
        about: "The upgrade graph of a channel",
        query: &["catalog"],
    },
    Endpoint {
        id: "getUpgradePath",
        path: "/p/{package}/path.json",
        kind: "UpgradePath",
        about: "The upgrade path that OLM takes",
        query: WAY,
    },
    Endpoint {
        id: "getWhyNot",
        path: "/p/{package}/why-not.json",
        kind: "WhyNot",
        about: "Why OLM does not take a version",
        query: WAY,
    },
    Endpoint {
        id: "getCompatibility",
        path: "/p/{package}/compat.json",
        kind: "CompatList",
        about: "The versions that may stay on a version of OpenShift",
        query: &["openshift"],
    },
    Endpoint {
        id: "getPermissions",
        path: "/p/{package}/permissions.json",
        kind: "Permissions",
        about: "The permissions that an installation grants, and those that a version asks for in addition to another \
            version",
        query: &["against", "catalog", "version"],
    },
    Endpoint {
        id: "getHistory",
        path: "/p/{package}/history.json",
        kind: "History",
        about: "When versions were added and removed",
        query: &[],
    },
    Endpoint {
        id: "compareCatalogs",
        path: "/diff.json",
        kind: "CatalogDiff",
        about: "The differences between two catalogs",
        query: &["a", "b", "package"],
    },
    Endpoint {
        id: "getApi",
        path: "/api/{group}/{kind}.json",
        kind: "Provider",
        about: "The operators that provide and require an API; `-` is the core group",
        query: &[],
    },
    Endpoint {
        id: "searchImages",
        path: "/images.json",
        kind: "BundleList",
        about: "The operators that use images with a given text in the reference",
        query: &["page", "q"],
    },
    Endpoint {
        id: "getFindings",
        path: "/lint.json",
        kind: "Findings",
        about: "The findings of the checks",
        query: &["catalog"],
    },
];

/// The schemas of the answers.
const SCHEMAS: &[(&str, &str)] = &[
    ("Bundle", include_str!("../schema/output/Bundle.json")),
    ("BundleList", include_str!("../schema/output/BundleList.json")),
    ("CatalogDiff", include_str!("../schema/output/CatalogDiff.json")),
    ("CatalogList", include_str!("../schema/output/CatalogList.json")),
    ("CompatList", include_str!("../schema/output/CompatList.json")),
    ("Permissions", include_str!("../schema/output/Permissions.json")),
    ("Dependencies", include_str!("../schema/output/Dependencies.json")),
    ("FilterExplanation", include_str!("../schema/output/FilterExplanation.json")),
    ("Findings", include_str!("../schema/output/Findings.json")),
    ("Graph", include_str!("../schema/output/Graph.json")),
    ("History", include_str!("../schema/output/History.json")),
    ("Image", include_str!("../schema/output/Image.json")),
    ("Package", include_str!("../schema/output/Package.json")),
    ("PackageList", include_str!("../schema/output/PackageList.json")),
    ("Provider", include_str!("../schema/output/Provider.json")),
    ("SearchResult", include_str!("../schema/output/SearchResult.json")),
    ("UpgradePath", include_str!("../schema/output/UpgradePath.json")),
    ("WhyNot", include_str!("../schema/output/WhyNot.json")),
];

/// The names of the parameters in a path: those in braces.
fn names_in(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|it| it.split_once('}')).map(|it| it.0)
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
pub(super) fn description() -> Result<Vec<u8>, PageError> {
    let failed = |error: serde_json::Error| PageError::Failed(error.to_string());
    let schemas = components().map_err(failed)?;
    let parameter = |name: &str, place: &str| json!({"name": name, "in": place, "required": place == "path", "schema": {"type": "string"}});
    let mut paths = Map::new();
    for it in ENDPOINTS {
        let in_path = names_in(it.path).map(|name| parameter(name, "path"));
        let parameters: Vec<Value> = in_path.chain(it.query.iter().map(|name| parameter(name, "query"))).collect();
        let schema = match it.kind {
            "PackageList" => json!({"oneOf": [
                {"$ref": "#/components/schemas/PackageList"}, {"$ref": "#/components/schemas/SearchResult"},
            ]}),
            kind => json!({"$ref": format!("#/components/schemas/{kind}")}),
        };
        let refused = |why: &str| json!({"description": why, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}});
        let responses = json!({
            "200": {"description": it.about, "content": {"application/json": {"schema": schema}}},
            "400": refused("A parameter is missing or not valid"),
            "404": refused("A name in the request does not exist"),
            "422": refused("The answer would be too large"),
            "500": refused("The index cannot be queried"),
        });
        let get = json!({"operationId": it.id, "summary": it.about, "parameters": parameters, "responses": responses});
        paths.insert(it.path.to_owned(), json!({"get": get}));
    }
    let all = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "olmdex",
            "version": olmdex_base::diag::envelope::VERSION,
            "description": "Catalogs of the Operator Lifecycle Manager. Each answer equals that of the command that \
                the page shows.",
        },
        "paths": paths,
        "components": {"schemas": schemas},
    });
    let mut out = serde_json::to_vec_pretty(&all).map_err(failed)?;
    out.push(b'\n');
    Ok(out)
}

pub(super) fn page(context: PageContext<'_>) -> Page {
    let feeds = context.catalogs().map(|it| Route::Machine(Machine::CatalogFeed(it.to_owned())));
    let feeds: Vec<String> = feeds.filter_map(|it| context.to(&it)).collect();
    let rows = html! {
        @for it in ENDPOINTS {
            tr {
                th scope="row" { code { (it.path) @if !it.query.is_empty() { "?" (it.query.join("=…&")) "=…" } } }
                td { code { (it.kind) } }
                td { (it.about) }
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
        title: "For programs".to_owned(),
        trail: vec![("Catalogs".to_owned(), Route::Home), ("Packages".to_owned(), Route::Packages(List::default()))],
        commands: Vec::new(),
        more_data: Vec::new(),
        is_data: true,
        data: None,
        about: "The addresses of the catalogs' data".to_owned(),
        body,
    }
}
