//! Which addresses there are: as a page, and as a description in OpenAPI with the schema of each answer.
//!
//! What it deliberately does not do: it makes no client, and lists no address of catalogd's, which has its own description.

use maud::html;
use serde_json::{Map, Value, json};

use super::parts::table;
use super::reply::PageError;
use super::route::{List, Machine, Route};
use super::site::{Page, PageContext};

/// An address that gives data: its form, its kind of answer, what it gives, its parameters in the path and in the query.
struct Endpoint {
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
    Endpoint { path: "/index.json", kind: "CatalogList", about: "The catalogs", query: &[] },
    Endpoint {
        path: "/packages.json",
        kind: "PackageList",
        about: "Packages; SearchResult if `q` is given",
        query: LISTED,
    },
    Endpoint {
        path: "/mirror.json",
        kind: "FilterExplanation",
        about: "What a mirror keeps of packages, channels and ranges, and why",
        query: &["catalog", "full", "p"],
    },
    Endpoint { path: "/p/{package}.json", kind: "Package", about: "A package in each catalog", query: &[] },
    Endpoint { path: "/p/{package}/v/{version}.json", kind: "Bundle", about: "A version", query: &["catalog"] },
    Endpoint {
        path: "/p/{package}/v/{version}/deps.json",
        kind: "Dependencies",
        about: "What a version requires",
        query: &["catalog"],
    },
    Endpoint {
        path: "/p/{package}/v/{version}/images.json",
        kind: "Image",
        about: "The images of a version",
        query: &["catalog"],
    },
    Endpoint {
        path: "/p/{package}/c/{channel}.json",
        kind: "Graph",
        about: "The upgrade graph of a channel",
        query: &["catalog"],
    },
    Endpoint { path: "/p/{package}/path.json", kind: "UpgradePath", about: "The way that OLM takes", query: WAY },
    Endpoint {
        path: "/p/{package}/why-not.json",
        kind: "WhyNot",
        about: "Why OLM does not take a version",
        query: WAY,
    },
    Endpoint {
        path: "/p/{package}/compat.json",
        kind: "CompatList",
        about: "What may stay on a version of OpenShift",
        query: &["openshift"],
    },
    Endpoint {
        path: "/p/{package}/permissions.json",
        kind: "Permissions",
        about: "What an operator's installation grants, and what a version asks for besides another one",
        query: &["against", "catalog", "version"],
    },
    Endpoint { path: "/p/{package}/history.json", kind: "History", about: "When versions came and went", query: &[] },
    Endpoint {
        path: "/diff.json",
        kind: "CatalogDiff",
        about: "What differs between two catalogs",
        query: &["a", "b", "package"],
    },
    Endpoint {
        path: "/api/{group}/{kind}.json",
        kind: "Provider",
        about: "Who provides and requires an API; `-` is the core group",
        query: &[],
    },
    Endpoint {
        path: "/images.json",
        kind: "BundleList",
        about: "Who uses images with a text in their reference",
        query: &["page", "q"],
    },
    Endpoint { path: "/lint.json", kind: "Findings", about: "What the checks find", query: &["catalog"] },
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

/// The names in braces of a path.
fn names_in(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|it| it.split_once('}')).map(|it| it.0)
}

/// The description in OpenAPI 3.1.
pub(super) fn description() -> Result<Vec<u8>, PageError> {
    let failed = |error: serde_json::Error| PageError::Failed(error.to_string());
    let mut schemas = Map::new();
    for (kind, text) in SCHEMAS {
        // Definitions of a schema are looked for from the root of the document.
        let text = text.replace("\"#/$defs/", &format!("\"#/components/schemas/{kind}/$defs/"));
        let mut schema: Value = serde_json::from_str(&text).map_err(failed)?;
        if let Some(fields) = schema.as_object_mut() {
            fields.remove("$schema");
        }
        schemas.insert((*kind).to_owned(), schema);
    }
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
        let responses = json!({
            "200": {"description": it.about, "content": {"application/json": {"schema": schema}}},
            "404": {"description": "Something that is named is not there", "content": {"text/plain": {}}},
        });
        let get = json!({"summary": it.about, "parameters": parameters, "responses": responses});
        paths.insert(it.path.to_owned(), json!({"get": get}));
    }
    let all = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "olmdex",
            "version": olmdex_base::diag::envelope::VERSION,
            "description": "Catalogs of the Operator Lifecycle Manager. Each answer is that of the command which its page shows.",
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
        p.lead { "Each page has its answer as JSON at the same address with " code { ".json" } ". No answer needs a key." }
        @if let Some(address) = context.data(&Route::Endpoints) {
            p { a href=(address) { "OpenAPI description" } " with the schema of each answer." }
        }
        (table("Addresses", &["Address", "Kind", "Answer"], rows))
        h2 #feeds { "Feeds" }
        p { "What is new in a package is at " code { "/p/PACKAGE/feed.atom" } ", and a picture with its version at "
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
