//! Questions as command lines, by clap's description of their arguments.

use std::marker::PhantomData;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command};
use olmdex_text::encoding::shell;
use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde::de::value::{Error, StrDeserializer};
use serde_json::{Map, Value};

use super::question::Question;

/// A command line: options first, then words without an option.
#[derive(Debug, Default)]
pub struct CommandLine {
    options: Vec<String>,
    names: Vec<String>,
}

impl CommandLine {
    /// Adds an option with a value, if it has one.
    #[must_use]
    pub fn option(self, option: &str, value: Option<impl ToString>) -> Self {
        self.options(option, value.map(|it| it.to_string()))
    }

    /// Adds an option for each value.
    #[must_use]
    pub fn options<V: AsRef<str>>(mut self, option: &str, values: impl IntoIterator<Item = V>) -> Self {
        for value in values {
            let value = value.as_ref();
            // A separate value that begins with a dash would be read as an option.
            if value.starts_with('-') {
                self.options.push(format!("{option}={value}"));
            } else {
                self.options.extend([option.to_owned(), value.to_owned()]);
            }
        }
        self
    }

    /// Adds an option without a value, if it is chosen.
    #[must_use]
    pub fn flag(mut self, option: &str, is_chosen: bool) -> Self {
        self.options.extend(is_chosen.then(|| option.to_owned()));
        self
    }

    /// Adds words that need no option.
    #[must_use]
    pub fn names<'n>(mut self, names: impl IntoIterator<Item = &'n String>) -> Self {
        self.names.extend(names.into_iter().cloned());
        self
    }

    /// Adds the words of a question: what it leaves to the defaults needs none.
    #[must_use]
    pub fn question<Q: Question + Args>(self, question: &Q) -> Self {
        let (given, usual) = (fields(question), fields(&Q::default()));
        let command = Q::augment_args(Command::new(Q::NAME));
        // Catalogs are named beside their sources.
        let (of_sources, others): (Vec<&Arg>, Vec<&Arg>) =
            command.get_arguments().partition(|it| it.get_id() == "catalog");
        of_sources.into_iter().chain(others).fold(self, |line, argument| {
            let id = argument.get_id().as_str();
            let value = given.get(id).filter(|it| Some(*it) != usual.get(id));
            let values: Vec<String> = match value {
                None | Some(Value::Null) => Vec::new(),
                Some(Value::Array(values)) => values.iter().map(text).collect(),
                Some(value) => vec![text(value)],
            };
            match argument.get_long() {
                None => line.names(&values),
                Some(long) if value == Some(&Value::Bool(true)) => line.flag(&format!("--{long}"), true),
                Some(long) => line.options(&format!("--{long}"), values),
            }
        })
    }

    /// The whole line, for a shell.
    #[must_use]
    pub fn line(self, command: &str) -> String {
        let separator = self.names.iter().any(|it| it.starts_with('-')).then(|| "--".to_owned());
        let words = self.options.into_iter().chain(["-o".to_owned(), "json".to_owned()]);
        let words: Vec<String> = words.chain(separator).chain(self.names).map(|it| shell::word(&it)).collect();
        format!("olmdex {command} {}", words.join(" "))
    }
}

/// The fields of a question.
fn fields<Q: Question>(question: &Q) -> Map<String, Value> {
    match serde_json::to_value(question) {
        Ok(Value::Object(fields)) => fields,
        // A question is a struct of texts, numbers and lists.
        _ => Map::new(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Reads one of the words of a type, as its schema lists and describes them.
pub fn one_of<T: JsonSchema + DeserializeOwned + Clone + Send + Sync + 'static>() -> impl TypedValueParser<Value = T> {
    WordParser(PhantomData)
}

struct WordParser<T>(PhantomData<fn() -> T>);

impl<T> Clone for WordParser<T> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}

impl<T: JsonSchema + DeserializeOwned + Clone + Send + Sync + 'static> WordParser<T> {
    fn words() -> Vec<PossibleValue> {
        let schema = schema_for!(T).to_value();
        let words = schema["oneOf"].as_array().into_iter().flatten().map(|word| {
            let about = word["description"].as_str().unwrap_or_default();
            PossibleValue::new(text(&word["const"])).help(about.to_owned())
        });
        words.collect()
    }
}

impl<T: JsonSchema + DeserializeOwned + Clone + Send + Sync + 'static> TypedValueParser for WordParser<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &std::ffi::OsStr) -> Result<T, clap::Error> {
        let word = value.to_str().unwrap_or_default();
        T::deserialize(StrDeserializer::<Error>::new(word)).map_err(|_| {
            let refused = PossibleValuesParser::new(Self::words()).parse_ref(command, arg, value);
            refused.err().unwrap_or_else(|| clap::Error::new(clap::error::ErrorKind::InvalidValue))
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Self::words().into_iter()))
    }
}

#[cfg(test)]
mod tests {
    use super::CommandLine;
    use crate::{GateOptions, OlmSet, PathQuestion, UpgradeOptions};

    #[test]
    fn a_shell_reads_the_same_words() {
        let question = PathQuestion {
            name: Some("it's; rm -rf ~".to_owned()),
            installed: Some("2.8.1".to_owned()),
            shortest: true,
            alternatives: Some(3),
            options: UpgradeOptions {
                channel: vec!["-x".to_owned()],
                olm: OlmSet::V1,
                catalog_selector: "a in (b, c), !d,e=f".parse().ok(),
                gates: GateOptions { feature_gates: "BundleReleaseSupport=t,BoxcutterRuntime=false".parse().ok() },
                catalog: vec!["4.17".to_owned()],
                ..UpgradeOptions::default()
            },
            ..PathQuestion::default()
        };
        assert_eq!(
            CommandLine::default().question(&question).line("path"),
            r"olmdex path --catalog 4.17 --installed 2.8.1 --shortest --alternatives 3 --channel=-x --olm v1 --feature-gates BundleReleaseSupport=true --catalog-selector 'e=f,a in (b,c),!d' -o json 'it'\''s; rm -rf ~'"
        );
        let line = CommandLine::default().names([&"-i".to_owned()]);
        assert_eq!(line.line("show"), "olmdex show -o json -- -i");
    }
}
