//! Values of properties that opm accepts and OLM refuses, and values that do not do what they seem to do.
//!
//! All commands share this advice: `validate` reports it before a catalog is published, `resolve` and `compat` report
//! the same about a published one.

use super::fields::label_demand;
use super::openshift::{MAX_OPENSHIFT_VERSION, read_classic, read_v1};
use super::parse::{KINDS, Reading, read};
use super::tree::{Condition, ConstraintError, DOCUMENTED_CONSTRAINT, MAX_CONSTRAINT};
use olmdex_text::json::{self, Step, Value};

/// Advice about the value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// The topic.
    pub topic: Topic,
    /// It, in words.
    pub message: String,
    /// The remedy, where it is not plain.
    pub help: Option<String>,
    /// The path inside the value.
    pub path: Vec<Step>,
}

/// A topic of advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Topic {
    /// OLM cannot read a requirement, and then resolves nothing that reaches the bundle.
    Unreadable,
    /// A rule of CEL does not compile, or is not a yes or no.
    Rule,
    /// A constraint is larger than documented.
    Size,
    /// A part of a constraint has no effect.
    WithoutEffect,
    /// Nothing can meet a constraint.
    Impossible,
    /// The highest OpenShift version cannot be read.
    MaxOpenShift,
    /// A group, version or kind does not look like one in Kubernetes.
    ApiName,
}

impl Advice {
    fn new(topic: Topic, message: impl Into<String>, path: Vec<Step>) -> Self {
        Self { topic, message: message.into(), help: None, path }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The advice about a property.
pub fn advise(kind: &str, value: Value<'_>) -> Vec<Advice> {
    match kind {
        "olm.constraint" => constraint(value),
        "olm.gvk" | "olm.gvk.required" => api_names(value, &[]),
        "olm.label.required" => label(value),
        MAX_OPENSHIFT_VERSION => max_openshift(value),
        _ => Vec::new(),
    }
}

/// Like [`advise`], for the text of a value.
pub(crate) fn of_text(kind: &str, text: &str) -> Vec<Advice> {
    let mut reader = json::Reader::new();
    reader.read_at(text, 0).map_or_else(|_| Vec::new(), |(value, _)| advise(kind, value))
}

fn constraint(value: Value<'_>) -> Vec<Advice> {
    let size = value.compact().len();
    if size > MAX_CONSTRAINT {
        return vec![Advice::new(Topic::Unreadable, ConstraintError::TooLarge.to_string(), Vec::new())];
    }
    let mut advice = Vec::new();
    if size > DOCUMENTED_CONSTRAINT {
        let message = format!("it has {size} bytes; OLM accepts it, but its documentation allows 64KB");
        advice.push(Advice::new(Topic::Size, message, Vec::new()));
    }
    match read(value) {
        Err(defects) => advice.extend(defects.into_iter().map(|it| {
            let topic = if matches!(it.error, ConstraintError::Rule(_)) { Topic::Rule } else { Topic::Unreadable };
            let is_message = it.path.last() == Some(&Step::from("failureMessage"));
            let help = if is_message { Some("put quotes around the string") } else { it.error.help() };
            Advice { topic, message: it.error.to_string(), help: help.map(str::to_owned), path: it.path }
        })),
        Ok(reading) => parts(&reading, &mut advice),
    }
    advice
}

/// The advice about the parts of a constraint that can be read.
fn parts(reading: &Reading<'_>, advice: &mut Vec<Advice>) {
    for (idx, (node, (object, place))) in reading.tree.nodes.iter().zip(&reading.objects).enumerate() {
        let at = |field: &'static str| {
            let mut path = reading.places.path(*place);
            path.push(field.into());
            path
        };
        for (kind, first) in ignored(*object) {
            let message = format!("`{kind}` is ignored next to `{first}`");
            let help = "if you need both, put both into `all`";
            advice.push(Advice::new(Topic::WithoutEffect, message, at(kind)).help(help));
        }
        match node {
            Condition::Not(parts) if idx == 0 && !parts.is_empty() => {
                let message = "a `not` at the top forbids nothing: it only requires that some operator does not match, \
                    which is nearly always true";
                let help = "use `not` inside `all` or `any`, next to a condition that selects operators";
                advice.push(Advice::new(Topic::WithoutEffect, message, at("not")).help(help));
            }
            Condition::All(parts) if parts.is_empty() => {
                advice.push(Advice::new(Topic::WithoutEffect, "an empty `all` is always met", at("all")));
            }
            Condition::Not(parts) if parts.is_empty() => {
                advice.push(Advice::new(Topic::WithoutEffect, "an empty `not` is always met", at("not")));
            }
            Condition::Any(parts) if parts.is_empty() => {
                advice.push(Advice::new(Topic::Impossible, "an empty `any` is never met", at("any")));
            }
            Condition::All(parts) => {
                let name = |it: &usize| match &reading.tree.nodes[*it] {
                    Condition::Package { name, .. } => Some(name),
                    _ => None,
                };
                let mut names: Vec<&String> = parts.iter().filter_map(name).collect();
                names.dedup();
                if let [first, second, ..] = names.as_slice() {
                    let message = format!(
                        "`all` requires one operator in both packages `{first}` and `{second}`, which cannot exist"
                    );
                    let help = "use one `olm.package.required` property for each package";
                    advice.push(Advice::new(Topic::Impossible, message, at("all")).help(help));
                }
            }
            Condition::Package { name, .. } if name.is_empty() => {
                let message = "OLM never finds a package without a name";
                let mut path = at("package");
                path.push("packageName".into());
                advice.push(Advice::new(Topic::Impossible, message, path));
            }
            Condition::Api(_) => {
                if let Some(api) = object.get_field("gvk") {
                    advice.extend(api_names(api, &at("gvk")));
                }
            }
            _ => {}
        }
    }
}

/// The kinds that a constraint names in vain, each with the one that counts.
fn ignored(object: Value<'_>) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut kinds = KINDS.into_iter().filter(move |it| object.get_field(it).is_some_and(|it| !it.is_null()));
    let first = kinds.next().unwrap_or_default();
    kinds.map(move |it| (it, first))
}

/// Names that an API of Kubernetes does not have: a demand for one is never met.
fn api_names(value: Value<'_>, above: &[Step]) -> Vec<Advice> {
    let mut advice = Vec::new();
    let mut check = |field: &'static str, is_name: &dyn Fn(&str) -> bool, help: &str| {
        let Some(text) = value.get_field(field).and_then(|it| it.as_str()).filter(|it| !it.is_empty()) else { return };
        if !is_name(&text) {
            let mut path = above.to_vec();
            path.push(field.into());
            let message = format!("`{text}` does not look like the {field} of an API");
            advice.push(Advice::new(Topic::ApiName, message, path).help(help));
        }
    };
    let is_lower = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
    let is_label = |it: &str| {
        let bytes = it.as_bytes();
        let is_edge = |it: Option<&u8>| it.is_some_and(|it| is_lower(*it));
        it.len() <= 63
            && is_edge(bytes.first())
            && is_edge(bytes.last())
            && bytes.iter().all(|it| is_lower(*it) || *it == b'-')
    };
    check(
        "group",
        &|it| it.len() <= 253 && it.split('.').all(is_label),
        "a group is a name such as `apps.example.com`: lower-case letters, digits, `-` and `.`",
    );
    check("version", &is_api_version, "a version is `v1`, `v1beta2`, `v2alpha1` or similar");
    check(
        "kind",
        &|it| {
            it.starts_with(|it: char| it.is_ascii_alphabetic())
                && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-')
        },
        "a kind is a word such as `KafkaTopic`: letters and digits",
    );
    advice
}

/// `v1`, `v1beta2`, `v2alpha1`; but catalogs also hold `v1alpha` and `v1alpha08`, which Kubernetes accepts, so every
/// ending that Kubernetes accepts may follow the first number.
fn is_api_version(text: &str) -> bool {
    let is_part = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
    let starts = text.strip_prefix('v').is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()));
    starts && text.len() <= 63 && text.bytes().all(is_part) && !text.ends_with('-')
}

fn label(value: Value<'_>) -> Vec<Advice> {
    match label_demand(&value.compact()) {
        Err(error) => vec![Advice::new(Topic::Unreadable, error.to_string(), vec!["label".into()])],
        Ok(label) if label.is_empty() => {
            let message = "only another empty label meets an empty label";
            vec![Advice::new(Topic::Impossible, message, vec!["label".into()])]
        }
        Ok(_) => Vec::new(),
    }
}

fn max_openshift(value: Value<'_>) -> Vec<Advice> {
    let text = value.compact();
    let (classic, v1) = (read_classic(&text), read_v1(&text));
    let message = match (classic, v1) {
        (Ok(_), Ok(_)) => return Vec::new(),
        (Err(classic), Err(_)) => format!("both generations of OLM refuse it: {classic}"),
        (Err(error), Ok(_)) => format!("OLM Classic refuses it: {error}"),
        (Ok(_), Err(error)) => format!("OLM v1 refuses it: {error}"),
    };
    let help = "write major and minor version as a string, as in `\"4.18\"`; OpenShift refuses updates while the \
        bundle is installed";
    vec![Advice::new(Topic::MaxOpenShift, message, Vec::new()).help(help)]
}
