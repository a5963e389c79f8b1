//! Questions of `ask` as tools: the schema of the arguments, the answer and the command line are those of the question.

use std::borrow::Borrow;

use clap::Args;
use olmdex_ask::{Question, State, Verdict, states_for};
use olmdex_index::{Index, LightIndex};
use schemars::{Schema, json_schema, schema_for};
use serde_json::{Map, Value, json};

use super::catalog::known_catalogs;
use crate::answer::{Answer, AnswerError, Outcome};
use crate::world::World;

/// The argument that leaves out the cluster of the server.
const CLUSTER: &str = "cluster";

/// An option of commands that is no argument: a client must not choose how much work the server does.
const MAX_WORK: &str = "max_work";

/// The schema of the arguments.
pub(crate) fn schema<Q: Question>() -> Schema {
    let mut schema = schema_for!(Q);
    schema.insert("additionalProperties".to_owned(), false.into());
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.remove(MAX_WORK);
        if let Some(when) = Q::OF_CLUSTER {
            let about = format!("Whether the contents of the cluster count, if the server knows one. Default: {when}");
            let cluster = json_schema!({"type": ["boolean", "null"], "description": about});
            properties.insert(CLUSTER.to_owned(), cluster.to_value());
        }
    }
    schema
}

/// Answers a call.
pub(crate) fn call<Q: Question + Args>(world: &World, mut arguments: Map<String, Value>) -> Outcome
where
    Index: Borrow<Q::Index>,
{
    if let Err(fault) = put_in_order(&mut arguments, &schema::<Q>()) {
        return Outcome::Invalid(fault);
    }
    let wants_cluster = match arguments.remove(CLUSTER) {
        None => None,
        Some(Value::Bool(wanted)) => Some(wanted),
        Some(_) => return Outcome::Invalid(format!("`{CLUSTER}` is true or false")),
    };
    let catalogs = arguments.get("catalog").and_then(Value::as_array).into_iter().flatten();
    let catalogs: Vec<String> = catalogs.filter_map(Value::as_str).map(str::to_owned).collect();
    let question: Q = match serde_json::from_value(Value::Object(arguments)) {
        Ok(question) => question,
        Err(error) => return Outcome::Invalid(error.to_string()),
    };
    let wants_cluster = wants_cluster.unwrap_or_else(|| question.is_of_cluster());
    let line = world.with_cluster(world.words(), wants_cluster).question(&question);
    Outcome::Asked(answered(world, &question, &catalogs, wants_cluster), line.line(Q::NAME))
}

/// Refuses arguments that the schema does not know, and makes lists: assistants often pass one word, or null.
pub(crate) fn put_in_order(arguments: &mut Map<String, Value>, schema: &Schema) -> Result<(), String> {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    arguments.retain(|_, value| !value.is_null());
    for (name, value) in arguments {
        let Some(property) = properties.get(name) else {
            let known: Vec<String> = properties.keys().map(|it| format!("`{it}`")).collect();
            return Err(format!("unknown field `{name}`, expected one of {}", known.join(", ")));
        };
        if property["type"] == "array" && value.is_string() {
            *value = json!([value]);
        }
    }
    Ok(())
}

fn answered<Q: Question>(
    world: &World,
    question: &Q,
    catalogs: &[String],
    wants_cluster: bool,
) -> Result<Answer, AnswerError>
where
    Index: Borrow<Q::Index>,
{
    question.check()?;
    let index = world.index();
    known_catalogs(&index, catalogs)?;
    let cluster = world.cluster.as_ref().filter(|_| wants_cluster);
    let cluster_of_state = cluster.map(|(cluster, words)| (cluster, words.as_str()));
    let (source_map, are_named) = (world.source_map.as_slice(), world.are_named);
    let light: State<'_, LightIndex> =
        State { index: &**index, cluster: cluster_of_state, source_map, are_named, namespaces: &[] };
    // The namespace decides about the operators in it.
    let namespaces = states_for(std::slice::from_ref(question), &light, catalogs)?;
    let state =
        State { index: (*index).borrow(), cluster: cluster_of_state, source_map, are_named, namespaces: &namespaces };
    let found = question.ask(&state)?;
    let unknown = world.unknown.iter().filter(|_| wants_cluster).cloned();
    let mut warnings: Vec<String> = unknown.chain(found.warnings).collect();
    if let Verdict::Part(errors) = found.verdict {
        warnings.extend(errors.iter().map(ToString::to_string));
    }
    warnings.extend(found.notes);
    Ok(Answer::of(Q::kind(&found.items), &found.items)?.warned(warnings))
}
