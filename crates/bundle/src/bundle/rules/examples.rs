//! The examples of custom resources in the annotation `alm-examples` of a ClusterServiceVersion.

use std::collections::BTreeSet;

use super::contents::{api_of, go_form};
use super::node::Field;
use super::problem::Problem;
use super::service_version::{Csv, KIND};
use super::table as rules;
use olmdex_fbc::Api;
use olmdex_text::json::{Kind, Reader};

const ALM: &str = "alm-examples";
const OLM: &str = "olm.examples";

pub(super) fn check(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    if !csv.node.at("metadata.annotations").is_filled() {
        let it = Problem::new(
            rules::WITHOUT_ANNOTATIONS_OF_CSV,
            csv.at("metadata"),
            "the ClusterServiceVersion has no annotations",
            "add at least `alm-examples`, `capabilities` and `categories`",
        );
        found.push(it.reported_as(KIND));
        return;
    }
    let (name, text) = match (csv.annotation(ALM), csv.annotation(OLM)) {
        (None, None) => {
            let message = "the ClusterServiceVersion has no examples of its custom resources";
            let help = "add the annotation `alm-examples` with a list of objects, one for each API that it owns";
            let it = Problem::new(rules::WITHOUT_EXAMPLES, csv.at("metadata.annotations"), message, help);
            found.push(it.reported_as(KIND));
            return;
        }
        (Some(text), second) => {
            if second.is_some() {
                let message = "both `alm-examples` and `olm.examples` hold examples";
                let help = "keep `alm-examples`";
                let it = Problem::new(rules::TWO_EXAMPLES, csv.at_annotation(OLM), message, help);
                found.push(it.reported_as(KIND));
            }
            (ALM, text)
        }
        (None, Some(text)) => (OLM, text),
    };
    match parsed(&text) {
        Ok(examples) => compare(csv, name, &examples, found),
        Err(Unusable::Json(reason)) => {
            let message = format!("`{name}` is not JSON: {reason}");
            let help = "correct the text; olmdex counts offsets from its beginning";
            let it = Problem::new(rules::EXAMPLES_NOT_JSON, csv.at_annotation(name), message, help);
            found.push(it.reported_as("ParseError"));
        }
        Err(Unusable::Objects(reason)) => {
            let message = format!("`{name}` is not a list of Kubernetes objects: {reason}");
            let help = "write a list of objects, each with `apiVersion` and `kind`";
            let it = Problem::new(rules::EXAMPLES_NOT_OBJECTS, csv.at_annotation(name), message, help);
            found.push(it.reported_as("ParseError"));
        }
    }
}

enum Unusable {
    Json(String),
    Objects(String),
}

fn parsed(text: &str) -> Result<BTreeSet<Api>, Unusable> {
    if text.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut reader = Reader::new();
    let value = reader.read(text).map_err(|error| Unusable::Json(error.kind.to_string()))?;
    if !matches!(value.kind(), Kind::Array | Kind::Null) {
        return Err(Unusable::Objects(format!("it is {}", value.kind().words())));
    }
    let mut examples = BTreeSet::new();
    for (idx, item) in value.items().enumerate() {
        if !matches!(item.kind(), Kind::Object | Kind::Null) {
            return Err(Unusable::Objects(format!("item {} is {}", idx + 1, item.kind().words())));
        }
        let word = |key: &str| Field(Some(item)).exact(key).string();
        if word("kind").is_empty() {
            return Err(Unusable::Objects(format!("item {} has no `kind`", idx + 1)));
        }
        examples.insert(api_of(&word("apiVersion"), &word("kind")));
    }
    Ok(examples)
}

/// Reports examples of APIs that are not provided, and provided APIs without an example.
fn compare(csv: &Csv<'_>, name: &str, examples: &BTreeSet<Api>, found: &mut Vec<Problem>) {
    let mut provided: BTreeSet<Api> = csv.services().collect();
    for owned in csv.definitions("owned") {
        if owned.name.contains('.') {
            provided.insert(owned.gvk);
            continue;
        }
        let message = format!("the name of the owned definition is not PLURAL.GROUP: `{}`", owned.name);
        let at = csv.at(&format!("spec.customresourcedefinitions.owned.{}.name", owned.idx));
        let help = "write the name of the definition, for example `things.example.com`";
        found.push(Problem::new(rules::OWNED_NAME, at, message, help).reported_as("ParseError"));
    }
    for gvk in examples.difference(&provided) {
        let message = format!("the examples have `{}`, which the ClusterServiceVersion does not provide", go_form(gvk));
        let help = "remove the example, or list the API as owned";
        let it = Problem::new(rules::FOREIGN_EXAMPLE, csv.at_annotation(name), message, help);
        found.push(it.reported_as("OperationFailed"));
    }
    for gvk in provided.difference(examples) {
        let message = format!("the examples have none of `{}`", go_form(gvk));
        let help = "add an object of this API to the annotation";
        let it = Problem::new(rules::API_WITHOUT_EXAMPLE, csv.at_annotation(name), message, help);
        found.push(it.reported_as("OperationFailed"));
    }
}
