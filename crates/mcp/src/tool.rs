//! The tools: names, descriptions and schemas, and the way from a call to an answer.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use clap::Args;
use olmdex_ask::{
    self as ask, CompatQuestion, DepsQuestion, DiagnoseQuestion, ImagesQuestion, PathQuestion, ReadinessQuestion,
    SearchQuestion, ShowQuestion, StandingsQuestion, UpdatesQuestion, WhyNotQuestion, kind,
};
use olmdex_index::Index;
use olmdex_index::query::{Change, SqlValue};
use olmdex_olm::resolve::ResolutionAnswer;
use olmdex_rules::explain::{MessageExplanation, RuleExplanation};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::{Schema, schema_for};
use serde_json::{Map, Value, json};

use super::answer::Outcome;
use super::question::{Diff, Explain, Plan, Question, Resolve, Sql, asked};
use super::world::World;

/// A tool as the table has it.
struct Row {
    name: String,
    title: &'static str,
    about: &'static str,
    input: fn() -> Schema,
    /// The kinds of its answer, with the schema of each.
    output: fn() -> Vec<(&'static str, Schema)>,
    call: fn(&World, Map<String, Value>) -> Outcome,
}

fn call<Q: Question>(world: &World, mut arguments: Map<String, Value>) -> Outcome {
    if let Err(fault) = asked::put_in_order(&mut arguments, &schema_for!(Q)) {
        return Outcome::Invalid(fault);
    }
    match serde_json::from_value::<Q>(Value::Object(arguments)) {
        Ok(question) => {
            let mut answer = question.ask(world);
            if let Ok(answer) = &mut answer
                && question.is_of_cluster()
            {
                answer.warnings.splice(0..0, world.unknown.iter().cloned());
            }
            Outcome::Asked(answer, question.command(world))
        }
        Err(error) => Outcome::Invalid(error.to_string()),
    }
}

fn row<Q: Question>(
    name: &'static str,
    title: &'static str,
    about: &'static str,
    output: fn() -> Vec<(&'static str, Schema)>,
) -> Row {
    Row { name: name.to_owned(), title, about, input: || schema_for!(Q), output, call: call::<Q> }
}

/// The tool of a question.
fn asks<Q: ask::Question + Args>(title: &'static str, about: &'static str) -> Row
where
    Index: Borrow<Q::Index>,
{
    let name = Q::NAME.replace(['-', ' '], "_");
    Row { name, title, about, input: asked::schema::<Q>, output: Q::kinds, call: asked::call::<Q> }
}

/// All tools, in the order in which they are listed.
fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| about_packages().into_iter().chain(about_catalogs()).collect())
}

/// The tools for questions about one package or namespace.
fn about_packages() -> Vec<Row> {
    vec![
        asks::<SearchQuestion>(
            "Search packages",
            "Find operator packages by words, provided APIs, images, features, categories or architectures. \
            Words, APIs and images may be those of any version; the rest is about the default head. Use it first if you do not know the exact package name.",
        ),
        asks::<ShowQuestion>(
            "Show a package, channel or bundle",
            "Show everything that the catalogs have under one name: a package (`keda`), a version (`keda@2.10.1`), \
            a channel (`keda/stable`) or a bundle. With `permissions`, its RBAC.",
        ),
        asks::<UpdatesQuestion>(
            "The next upgrade by OLM",
            "The bundle to which OLM Classic and OLM v1 upgrade an installed operator now, with the catalog entry \
            that permits it and its place in the file.",
        ),
        asks::<PathQuestion>(
            "Upgrade path",
            "All upgrades that OLM makes from a version one after another, or with `shortest` the fewest steps to \
            a version, and the fields to set before each.",
        ),
        asks::<StandingsQuestion>(
            "Which versions can get to the newest",
            "For every version of a package, whether upgrades of OLM Classic lead to the newest of the default channel \
            or to another version, and how many; with `stuck`, only those from which none lead there.",
        ),
        asks::<WhyNotQuestion>(
            "Why OLM does not take a version",
            "Why OLM does not install or upgrade to a version, condition by condition, and the changes that would \
            make it.",
        ),
        asks::<DiagnoseQuestion>(
            "Why operators are stuck",
            "The state of each namespace of the cluster: what keeps its operators from their next version, in the order \
            in which OLM asks, with the messages explained and the changes that help.",
        ),
        row::<Resolve>(
            "resolve",
            "Resolve a namespace",
            "The operators that OLM Classic installs and upgrades together in a namespace, and why; or why \
            OLM cannot resolve it, and what would repair that.",
            || vec![kind::<ResolutionAnswer>("Resolution")],
        ),
        asks::<DepsQuestion>(
            "Dependencies of a bundle",
            "The requirements of a bundle and their providers; with `closure`, all operators installed with it; \
            with `invert`, the operators that need it.",
        ),
    ]
}

/// The tools for questions about images, catalogs, clusters and messages.
fn about_catalogs() -> Vec<Row> {
    vec![
        asks::<ImagesQuestion>(
            "Images of operators",
            "The container images that operators need, each once: bundle images and \
            related images; for mirroring.",
        ),
        row::<Diff>(
            "diff",
            "Compare two catalogs",
            "The differences between two catalogs of this server: packages, channels, edges, bundles, images, \
            APIs; and which changes break upgrades.",
            || vec![kind::<Change>("CatalogDiff")],
        ),
        asks::<CompatQuestion>(
            "Blockers of an OpenShift upgrade",
            "Which operators block or do not support a later version of OpenShift, by which signal, and the fewest \
            steps that lift a blocker.",
        ),
        row::<Plan>(
            "plan",
            "Plan a cluster upgrade",
            "The upgrade plan for the cluster that this server was started with: status, blockers, decisions and \
            ordered steps. The tool runs nothing.",
            || vec![("Plan", schema_for!(olmdex_plan::plan::Plan))],
        ),
        asks::<ReadinessQuestion>(
            "Operators that can move to OLM v1",
            "Which operators can move from OLM Classic to OLM v1, and which \
            conditions keep the others.",
        ),
        row::<Explain>(
            "explain",
            "Explain a rule or message",
            "The meaning of a rule (`E0207`) or of an error message of OLM, and what \
            to run next.",
            || vec![kind::<RuleExplanation>("RuleExplanation"), kind::<MessageExplanation>("MessageExplanation")],
        ),
        row::<Sql>(
            "sql",
            "Query by SQL",
            "Run one read-only SQL statement over the views of the index (SQLite). For questions \
            that no other tool answers.",
            || vec![kind::<BTreeMap<String, SqlValue>>("SqlResult")],
        ),
    ]
}

/// The names of the tools.
pub fn names() -> Vec<&'static str> {
    rows().iter().map(|it| it.name.as_str()).collect()
}

/// The schema of a kind of answer of a tool, as in the command's output.
pub fn output_schema(tool: &str, kind: &str) -> Option<Value> {
    let row = rows().iter().find(|it| it.name == tool)?;
    Some((row.output)().into_iter().find(|it| it.0 == kind)?.1.to_value())
}

/// The schema of the arguments of a tool.
pub fn input_schema(tool: &str) -> Option<Value> {
    let row = rows().iter().find(|it| it.name == tool)?;
    Some(Value::Object(input(row)))
}

/// The tools as they are listed.
pub(crate) fn tools() -> &'static [Tool] {
    static TOOLS: OnceLock<Vec<Tool>> = OnceLock::new();
    TOOLS.get_or_init(|| rows().iter().map(described).collect())
}

/// Calls a tool; `None` if there is none of this name.
pub(crate) fn ask(world: &World, name: &str, arguments: Map<String, Value>) -> Option<Outcome> {
    let row = rows().iter().find(|it| it.name == name)?;
    Some((row.call)(world, arguments))
}

fn described(row: &Row) -> Tool {
    let mut tool = Tool::new(row.name.clone(), row.about, Arc::new(input(row)));
    tool.title = Some(row.title.to_owned());
    tool.output_schema = Some(Arc::new(output((row.output)())));
    tool.annotations =
        Some(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false));
    tool
}

/// The schema of the arguments, with the cursor that every tool takes.
fn input(row: &Row) -> JsonObject {
    let mut schema = object((row.input)());
    schema.remove("title");
    let cursor = json!({
        "type": "string",
        "description": "The place to continue, from `nextCursor` of the previous page; the other arguments stay the \
            same.",
    });
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.insert("cursor".to_owned(), cursor);
    }
    schema
}

/// The schema of the answers: that of the command, with `page`.
fn output(kinds: Vec<(&'static str, Schema)>) -> JsonObject {
    let mut definitions = Map::new();
    let mut branches = Vec::new();
    for (kind, schema) in kinds {
        let mut branch = object(schema);
        branch.remove("$schema");
        if let Some(Value::Object(own)) = branch.remove("$defs") {
            definitions.extend(own);
        }
        branch.insert("title".to_owned(), kind.into());
        if let Some(Value::Object(properties)) = branch.get_mut("properties") {
            if let Some(Value::Object(of_kind)) = properties.get_mut("kind") {
                of_kind.insert("const".to_owned(), kind.into());
            }
            properties.insert("page".to_owned(), json!({"$ref": "#/$defs/Page"}));
        }
        branches.push(Value::Object(branch));
    }
    definitions.insert("Page".to_owned(), page_schema());
    let mut schema = match branches.as_mut_slice() {
        [Value::Object(only)] => std::mem::take(only),
        _ => object_of(json!({"type": "object", "anyOf": branches})),
    };
    schema.insert("$defs".to_owned(), Value::Object(definitions));
    schema
}

fn page_schema() -> Value {
    let text = |about: &str| json!({"type": "string", "description": about});
    let number = |about: &str| json!({"type": "integer", "minimum": 0, "description": about});
    json!({
        "type": "object",
        "description": "The part of the answer on this page.",
        "properties": {
            "command": text("The command line that gives the whole answer."),
            "total": number("Items of the whole answer."),
            "first": number("The number of the first item of this page, from 0."),
            "shown": number("Items that begin on this page."),
            "left": number("Items that begin on later pages."),
            "leftBytes": number("Remaining bytes of text."),
            "nextCursor": text("The argument `cursor` for the next page."),
            "lastGoesOn": {"type": "boolean", "description": "Whether the last item continues in the text of the next \
                page."},
            "warnings": {"type": "array", "items": {"type": "string"}},
            "warningsLeft": number("Number of warnings not shown."),
            "cut": {"type": "array", "description": "The places of shortened strings and lists; the text has them in \
                full.",
                "items": {"type": "object"}},
            "cutLeft": number("Number of shortened places not listed."),
        },
        "required": ["command", "total", "shown", "left"],
    })
}

fn object(schema: Schema) -> JsonObject {
    let mut value = schema.to_value();
    without_widths(&mut value);
    object_of(value)
}

/// Removes the widths of whole numbers, such as `uint64`: they are not formats of JSON Schema, and clients warn of
/// each. The recursion is as deep as the schema in the code.
fn without_widths(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, it| {
                key != "format" || !it.as_str().is_some_and(|it| it.starts_with("uint") || it.starts_with("int"))
            });
            fields.values_mut().for_each(without_widths);
        }
        Value::Array(items) => items.iter_mut().for_each(without_widths),
        _ => {}
    }
}

fn object_of(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
