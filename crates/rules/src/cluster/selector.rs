//! Label selectors, as Kubernetes has them (`docs/behaviour/olm-v1.md` 2.3.1).

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use olmdex_text::json::Value;
use olmdex_version::Quoted;

/// A label selector: all of its parts must match. An empty one matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelector {
    /// Labels with their values.
    pub match_labels: BTreeMap<String, String>,
    /// Expressions over labels.
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

/// An expression over one label.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelectorRequirement {
    /// The label's key.
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: String,
    /// The values of `In` and `NotIn`.
    pub values: Vec<String>,
}

const NAME_PART: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                         alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                         '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
                     start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used \
                     for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
/// Longest name of a label, and longest value.
const MAX_LEN: usize = 63;
/// Longest prefix of a label's key.
const MAX_PREFIX_LEN: usize = 253;

impl FromStr for LabelSelector {
    /// The part that has none of these forms.
    type Err = String;

    /// Reads a selector as `kubectl -l` takes it: `key=value`, `key!=value`, `key in (a,b)`, `key notin (a,b)`, `key`
    /// and `!key`, with commas between.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut selector = Self::default();
        let mut rest = text;
        while !rest.trim().is_empty() {
            // A comma inside parentheses belongs to a list.
            let depth_zero = |at: usize| rest[..at].matches('(').count() == rest[..at].matches(')').count();
            let end = rest.match_indices(',').map(|it| it.0).find(|&at| depth_zero(at)).unwrap_or(rest.len());
            let part = rest[..end].trim();
            rest = rest.get(end + 1..).unwrap_or_default();
            let requirement = |key: &str, operator: &str, values: &str| LabelSelectorRequirement {
                key: key.trim().to_owned(),
                operator: operator.to_owned(),
                values: values.split(',').map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect(),
            };
            let list = |word: &str| {
                let (key, list) = part.split_once(word)?;
                Some((key, list.trim().strip_prefix('(')?.strip_suffix(')')?))
            };
            if let Some((key, values)) = list(" notin ") {
                selector.match_expressions.push(requirement(key, "NotIn", values));
            } else if let Some((key, values)) = list(" in ") {
                selector.match_expressions.push(requirement(key, "In", values));
            } else if let Some((key, value)) = part.split_once("!=") {
                selector.match_expressions.push(requirement(key, "NotIn", value));
            } else if let Some((key, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
                selector.match_labels.insert(key.trim().to_owned(), value.trim().to_owned());
            } else if let Some(key) = part.strip_prefix('!') {
                selector.match_expressions.push(requirement(key, "DoesNotExist", ""));
            } else if !part.is_empty() && !part.contains([' ', '(', ')']) {
                selector.match_expressions.push(requirement(part, "Exists", ""));
            } else {
                return Err(format!("`{part}` is not part of a label selector"));
            }
        }
        Ok(selector)
    }
}

impl fmt::Display for LabelSelector {
    /// The text that `kubectl -l` takes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels = self.match_labels.iter().map(|(key, value)| format!("{key}={value}"));
        let expressions = self.match_expressions.iter().map(|it| match it.operator.as_str() {
            "In" => format!("{} in ({})", it.key, it.values.join(",")),
            "NotIn" => format!("{} notin ({})", it.key, it.values.join(",")),
            "DoesNotExist" => format!("!{}", it.key),
            _ => it.key.clone(),
        });
        f.write_str(&labels.chain(expressions).collect::<Vec<_>>().join(","))
    }
}

impl LabelSelector {
    /// The selector in an object.
    pub(super) fn read(selector: Value<'_>) -> Self {
        let words = |value: Value<'_>| value.as_str().unwrap_or_default().into_owned();
        let requirement = |it: Value<'_>| LabelSelectorRequirement {
            key: it.text_of("key"),
            operator: it.text_of("operator"),
            values: items(it, "values").map(words).collect(),
        };
        let labels = selector.get("matchLabels").into_iter().flat_map(|it| it.members());
        Self {
            match_labels: labels.map(|(key, value)| (words(key), words(value))).collect(),
            match_expressions: items(selector, "matchExpressions").map(requirement).collect(),
        }
    }

    /// Finds out whether the selector can be used at all.
    ///
    /// # Errors
    /// Kubernetes' words for the first thing that is wrong.
    pub fn validate(&self) -> Result<(), String> {
        for (key, value) in &self.match_labels {
            check_key(key)?;
            check_value(0, key, value)?;
        }
        for LabelSelectorRequirement { key, operator, values } in &self.match_expressions {
            let takes_values = match operator.as_str() {
                "In" | "NotIn" => true,
                "Exists" | "DoesNotExist" => false,
                other => return Err(format!("{} is not a valid label selector operator", Quoted(other))),
            };
            check_key(key)?;
            if takes_values && values.is_empty() {
                let text = "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty";
                return Err(text.to_owned());
            }
            if !takes_values && !values.is_empty() {
                let list = serde_json::to_string(values).unwrap_or_default();
                return Err(format!(
                    "values: Invalid value: {list}: values set must be empty for exists and does not exist"
                ));
            }
            for (idx, value) in values.iter().enumerate() {
                check_value(idx, key, value)?;
            }
        }
        Ok(())
    }

    /// Whether the selector matches labels. An expression with an invalid operator matches nothing.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.match_labels.iter().all(|(key, value)| labels.get(key) == Some(value))
            && self.match_expressions.iter().all(|it| match (it.operator.as_str(), labels.get(&it.key)) {
                ("In", Some(value)) => it.values.contains(value),
                ("NotIn", Some(value)) => !it.values.contains(value),
                ("NotIn" | "DoesNotExist", None) | ("Exists", Some(_)) => true,
                _ => false,
            })
    }
}

fn items<'d>(of: Value<'d>, key: &str) -> impl Iterator<Item = Value<'d>> + use<'d> {
    of.get(key).into_iter().flat_map(|it| it.items())
}

/// Letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.
fn is_word(text: &str) -> bool {
    let ends = |it: Option<char>| it.is_some_and(|c| c.is_ascii_alphanumeric());
    ends(text.chars().next())
        && ends(text.chars().last())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// A name in lower case of the domain name system.
fn is_subdomain(text: &str) -> bool {
    text.split('.').all(|part| {
        let ends = |it: Option<char>| it.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        ends(part.chars().next())
            && ends(part.chars().last())
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    })
}

fn check_key(key: &str) -> Result<(), String> {
    let mut wrong: Vec<String> = Vec::new();
    let (prefix, name) = match key.split_once('/') {
        None => (None, key),
        Some((_, rest)) if rest.contains('/') => {
            let text = "a valid label key has a name, with an optional prefix of a DNS subdomain and '/' before it";
            return Err(format!("key: Invalid value: {}: {text}", Quoted(key)));
        }
        Some((prefix, name)) => (Some(prefix), name),
    };
    match prefix {
        Some("") => wrong.push("prefix part must be non-empty".to_owned()),
        Some(prefix) if prefix.len() > MAX_PREFIX_LEN => {
            wrong.push(format!("prefix part must be no more than {MAX_PREFIX_LEN} bytes"));
        }
        Some(prefix) if !is_subdomain(prefix) => wrong.push("prefix part must be a DNS subdomain".to_owned()),
        _ => {}
    }
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else if name.len() > MAX_LEN {
        wrong.push(format!("name part must be no more than {MAX_LEN} bytes"));
    }
    if !is_word(name) {
        wrong.push(NAME_PART.to_owned());
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("key: Invalid value: {}: {}", Quoted(key), wrong.join("; ")))
}

fn check_value(idx: usize, key: &str, value: &str) -> Result<(), String> {
    let mut wrong: Vec<String> = Vec::new();
    if value.len() > MAX_LEN {
        wrong.push(format!("must be no more than {MAX_LEN} bytes"));
    }
    if !value.is_empty() && !is_word(value) {
        wrong.push(VALUE.to_owned());
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("values[{idx}][{key}]: Invalid value: {}: {}", Quoted(value), wrong.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::LabelSelector;

    #[test]
    fn selectors_are_read_as_kubectl_takes_them() {
        for (text, labels, expressions) in [
            ("", 0, ""),
            ("a=b", 1, ""),
            ("a==b, c=d", 2, ""),
            ("a!=b", 0, "a NotIn b"),
            ("a in (b, c),d notin (e)", 0, "a In b c;d NotIn e"),
            ("a,!b", 0, "a Exists;b DoesNotExist"),
        ] {
            let selector = text.parse::<LabelSelector>().unwrap();
            assert_eq!(selector.match_labels.len(), labels, "{text}");
            let words = selector
                .match_expressions
                .iter()
                .map(|it| [it.key.clone(), it.operator.clone(), it.values.join(" ")].join(" ").trim_end().to_owned());
            assert_eq!(words.collect::<Vec<_>>().join(";"), expressions, "{text}");
        }
        for text in ["a in b", "(a", "a b"] {
            assert!(text.parse::<LabelSelector>().is_err(), "{text}");
        }
    }
}
