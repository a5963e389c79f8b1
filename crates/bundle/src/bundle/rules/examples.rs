//! The examples of custom resources in the annotation `alm-examples` of a ClusterServiceVersion.

use std::collections::BTreeSet;

use super::contents::Gvk;
use super::node::Field;
use super::problem::{Observed, Problem};
use super::service_version::Csv;
use super::table as rules;
use olmdex_base::diag::Severity::{Error, Warning};
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
        found.push(it.observed(csv.says(Warning, "annotations not found")));
        return;
    }
    let (name, text) = match (csv.annotation(ALM), csv.annotation(OLM)) {
        (None, None) => {
            let message = "the ClusterServiceVersion has no examples of its custom resources";
            let help = "add the annotation `alm-examples` with a list of objects, one for each API that it owns";
            let it = Problem::new(rules::WITHOUT_EXAMPLES, csv.at("metadata.annotations"), message, help);
            found.push(it.observed(csv.says(Warning, "example annotations not found")));
            return;
        }
        (Some(text), second) => {
            if second.is_some() {
                let message = "both `alm-examples` and `olm.examples` hold examples";
                let help = "keep `alm-examples`";
                let wording = "both `alm-examples` and `olm.examples` are present. Checking only `alm-examples`";
                let it = Problem::new(rules::TWO_EXAMPLES, csv.at_annotation(OLM), message, help);
                found.push(it.observed(csv.says(Warning, wording)));
            }
            (ALM, text)
        }
        (None, Some(text)) => (OLM, text),
    };
    match parsed(&text) {
        Ok(examples) => compare(csv, name, &examples, found),
        Err(Unusable::Json { offset, go }) => {
            let message = format!("`{name}` is not JSON: {go}");
            let shown = text.get(..offset).unwrap_or(&text);
            let wording = format!("invalid character at {offset}\n {shown}<--(see the invalid character)");
            let wording = Observed::new(Error, "ParseError", wording, "invalid example");
            let help = "correct the text; olmdex counts offsets from its beginning";
            found
                .push(Problem::new(rules::EXAMPLES_NOT_JSON, csv.at_annotation(name), message, help).observed(wording));
        }
        Err(Unusable::Objects(go)) => {
            let message = format!("`{name}` is not a list of Kubernetes objects: {go}");
            let wording = Observed::new(Error, "ParseError", go, "error decoding example CustomResource");
            let help = "write a list of objects, each with `apiVersion` and `kind`";
            found.push(
                Problem::new(rules::EXAMPLES_NOT_OBJECTS, csv.at_annotation(name), message, help).observed(wording),
            );
        }
    }
}

enum Unusable {
    /// The number of bytes that Go had read when it met the error.
    Json {
        offset: usize,
        go: String,
    },
    Objects(String),
}

fn parsed(text: &str) -> Result<BTreeSet<Gvk>, Unusable> {
    if text.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut reader = Reader::new();
    let value = reader.read(text).map_err(|error| {
        let behind = text.get(error.offset..).and_then(|it| it.chars().next()).map_or(0, |_| 1);
        Unusable::Json { offset: error.offset + behind, go: error.kind.to_string() }
    })?;
    // A text that starts with a brace is read as JSON, anything else as YAML.
    let around = |go: String| match text.trim_start().starts_with('{') {
        true => go,
        false => format!("error unmarshaling JSON: while decoding JSON: {go}"),
    };
    if !matches!(value.kind(), Kind::Array | Kind::Null) {
        let found = value.kind().name();
        let go = format!("json: cannot unmarshal {found} into Go value of type []unstructured.Unstructured");
        return Err(Unusable::Objects(around(go)));
    }
    let mut examples = BTreeSet::new();
    for item in value.items() {
        if !matches!(item.kind(), Kind::Object | Kind::Null) {
            let found = item.kind().name();
            let go = format!("json: cannot unmarshal {found} into Go value of type map[string]interface {{}}");
            return Err(Unusable::Objects(around(go)));
        }
        let word = |key: &str| Field(Some(item)).exact(key).string();
        if word("kind").is_empty() {
            let body = Field(Some(item)).json();
            return Err(Unusable::Objects(around(format!("Object 'Kind' is missing in '{body}'"))));
        }
        examples.insert(Gvk::of(&word("apiVersion"), &word("kind")));
    }
    Ok(examples)
}

/// Reports examples of APIs that are not provided, and provided APIs without an example.
fn compare(csv: &Csv<'_>, name: &str, examples: &BTreeSet<Gvk>, found: &mut Vec<Problem>) {
    let mut provided: BTreeSet<Gvk> = csv.services().collect();
    for owned in csv.definitions("owned") {
        if owned.name.contains('.') {
            provided.insert(owned.gvk);
            continue;
        }
        let message = format!("the name of the owned definition is not PLURAL.GROUP: `{}`", owned.name);
        let at = csv.at(&format!("spec.customresourcedefinitions.owned.{}.name", owned.idx));
        let wording = Observed {
            value: None,
            ..Observed::new(
                Error,
                "ParseError",
                "",
                format!("couldn't parse plural.group from crd name: {}", owned.name),
            )
        };
        let help = "write the name of the definition, for example `things.example.com`";
        found.push(Problem::new(rules::OWNED_NAME, at, message, help).observed(wording));
    }
    for gvk in examples.difference(&provided) {
        let message = format!("the examples have `{gvk}`, which the ClusterServiceVersion does not provide");
        let wording = Observed::new(Error, "OperationFailed", gvk.to_string(), "example must have a provided API");
        let help = "remove the example, or list the API as owned";
        found.push(Problem::new(rules::FOREIGN_EXAMPLE, csv.at_annotation(name), message, help).observed(wording));
    }
    for gvk in provided.difference(examples) {
        let message = format!("the examples have none of `{gvk}`");
        let wording = "provided API should have an example annotation";
        let wording = Observed::new(Warning, "OperationFailed", gvk.to_string(), wording);
        let help = "add an object of this API to the annotation";
        found.push(Problem::new(rules::API_WITHOUT_EXAMPLE, csv.at_annotation(name), message, help).observed(wording));
    }
}
