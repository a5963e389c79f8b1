//! Questions as command lines, by clap's description of their arguments.

use std::marker::PhantomData;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command};
use olmdex_base::diag::printable;
use olmdex_text::encoding::shell;
use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde::de::value::{Error, StrDeserializer};
use serde_json::{Map, Value};

use super::question::Question;
use super::sources::NamedSource;

/// A command line: options, and words without an option.
#[derive(Debug, Clone, Default)]
pub struct CommandLine {
    command: &'static str,
    /// How many sources are its first arguments; none if they are options.
    n_sources: usize,
    options: Vec<(String, Option<String>)>,
    names: Vec<String>,
}

/// The options of `diff` that choose a catalog of a source.
const CHOICES: [&str; 2] = ["--old-catalog", "--new-catalog"];

/// The words of commands that the help does not show, with the option that chooses the answer.
const WORDS: [(&str, &str, Option<&str>); 8] = [
    ("updates", "upgrades", None),
    ("path", "upgrades", Some("--steps")),
    ("history", "log", None),
    ("blame", "log", Some("--by-commit")),
    ("provides", "list apis", None),
    ("filter", "mirror filter", None),
    ("requires", "deps", Some("--needed-by")),
    ("compat", "plan", Some("--only blockers")),
];

impl CommandLine {
    /// A line of a command.
    pub fn of(command: &'static str) -> Self {
        Self { command, ..Self::default() }
    }

    /// A line of a command that takes sources as its first arguments.
    pub fn of_sources(command: &'static str, n_sources: usize) -> Self {
        Self { n_sources, ..Self::of(command) }
    }

    /// Adds an option with a value, if it has one.
    #[must_use]
    pub fn option(self, option: &str, value: Option<impl ToString>) -> Self {
        self.options(option, value.map(|it| it.to_string()))
    }

    /// Adds an option for each value.
    #[must_use]
    pub fn options<V: AsRef<str>>(mut self, option: &str, values: impl IntoIterator<Item = V>) -> Self {
        self.options.extend(values.into_iter().map(|value| (option.to_owned(), Some(value.as_ref().to_owned()))));
        self
    }

    /// Adds an option without a value, if it is chosen.
    #[must_use]
    pub fn flag(mut self, option: &str, is_chosen: bool) -> Self {
        self.options.extend(is_chosen.then(|| (option.to_owned(), None)));
        self
    }

    /// Adds words that need no option.
    #[must_use]
    pub fn names<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names.extend(names.into_iter().map(N::into));
        self
    }

    /// Adds the words of a question: what it leaves to the defaults needs none.
    #[must_use]
    pub fn question<Q: Question + Args>(self, question: &Q) -> Self {
        let (given, usual) = (fields(question), fields(&Q::default()));
        let command = Q::augment_args(Command::new(Q::NAME));
        // Catalogs are named beside their sources, which come first.
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

    /// The whole line for a shell, with its answer as JSON.
    pub fn line(self, command: &str) -> String {
        let Self { options, names, .. } = self.option("-o", Some("json"));
        let separator = names.iter().any(|it| it.starts_with('-')).then(|| "--".to_owned());
        let words: Vec<String> = words(options).chain(separator).chain(names).map(|it| shell::word(&it)).collect();
        format!("olmdex {command} {}", words.join(" "))
    }

    /// The whole line as people type it and a terminal shows it, with these sources.
    pub fn about<'s>(&self, sources: impl Iterator<Item = &'s String>) -> String {
        let Self { command, n_sources, mut options, mut names } = self.clone();
        options.sort_by_key(|it| it.0 == "--catalog");
        if n_sources == 0 {
            options.extend(sources.map(|it| ("-i".to_owned(), Some(it.clone()))));
        } else {
            let sources: Vec<NamedSource> = sources.map(|it| NamedSource::parse(it)).collect();
            let is_single = sources.len() == 1;
            let asked: Vec<String> = options.iter().filter(is_choice).filter_map(|it| it.1.clone()).collect();
            let is_known = |source: &NamedSource| asked.iter().any(|catalog| is_of(source, catalog));
            let rest: Vec<&NamedSource> = sources.iter().filter(|source| is_single || !is_known(source)).collect();
            let path_of = |source: &NamedSource| source.path.to_string_lossy().into_owned();
            let mut paths: Vec<String> = Vec::new();
            options.retain(|option| {
                let Some(catalog) = option.1.as_ref().filter(|_| is_choice(&option)) else { return true };
                let named = sources.iter().find(|source| is_of(source, catalog)).filter(|_| !is_single);
                // A source of several catalogs is asked for one of them.
                let (path, is_kept) = match (named, rest.as_slice()) {
                    (Some(source), _) => (path_of(source), false),
                    (None, [only]) => (path_of(only), true),
                    (None, _) => (format!("SOURCE-WITH-{catalog}"), false),
                };
                paths.push(path);
                is_kept
            });
            let all = || sources.iter().cycle().take(n_sources * sources.len()).map(path_of).collect();
            names.splice(0..0, if paths.len() == n_sources { paths } else { all() });
        }
        // A target asks for the steps by itself.
        let is_chosen = options.iter().any(|it| it.0 == "--to");
        // A name that looks like an option must not be read as one.
        let (first, last) = match names.iter().any(|it| it.starts_with('-')) {
            true => (Vec::new(), [vec!["--".to_owned()], names].concat()),
            false => (names, Vec::new()),
        };
        let words = first.into_iter().chain(words(options)).chain(last).map(|it| shell::word(&printable(&it)));
        let (word, view) = WORDS.iter().find(|it| it.0 == command).map_or((command, None), |it| (it.1, it.2));
        let view = view.filter(|_| !is_chosen).map(str::to_owned);
        ["olmdex".to_owned(), word.to_owned()].into_iter().chain(words).chain(view).collect::<Vec<_>>().join(" ")
    }
}

/// Whether an option chooses a catalog of a source.
fn is_choice(option: &&(String, Option<String>)) -> bool {
    CHOICES.contains(&option.0.as_str())
}

/// Whether a source is a catalog: by the name that the user gave it, else by that of its directory or file.
fn is_of(source: &NamedSource, catalog: &str) -> bool {
    source.name == catalog || !source.is_named && source.path.file_name().is_some_and(|it| it == catalog)
}

/// Options as words. A separate value that begins with a dash would be read as an option.
fn words(options: Vec<(String, Option<String>)>) -> impl Iterator<Item = String> {
    options.into_iter().flat_map(|(option, value)| match value {
        Some(value) if value.starts_with('-') => vec![format!("{option}={value}")],
        value => [option].into_iter().chain(value).collect(),
    })
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
            PossibleValue::new(text(&word["const"])).help(about.trim_end_matches('.').to_owned())
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
        let line = CommandLine::default().names(["-i"]);
        assert_eq!(line.line("show"), "olmdex show -o json -- -i");
    }
    fn about(line: &CommandLine, sources: &[&str]) -> String {
        let sources: Vec<String> = sources.iter().map(|it| (*it).to_owned()).collect();
        line.about(sources.iter())
    }

    #[test]
    fn names_are_words_whatever_they_hold() {
        let show =
            |name: &str| about(&CommandLine::of("show").names([name]).option("--catalog", Some("c")), &["my index.db"]);
        assert_eq!(show("keda@1.0.0"), "olmdex show keda@1.0.0 --catalog c -i 'my index.db'");
        assert_eq!(show("$(x) 'y'"), "olmdex show '$(x) '\\''y'\\''' --catalog c -i 'my index.db'");
        assert_eq!(show("--version"), "olmdex show --catalog c -i 'my index.db' -- --version");
        assert_eq!(about(&CommandLine::of("path").option("--to", Some("-x")), &[]), "olmdex upgrades --to=-x");
        assert_eq!(about(&CommandLine::of("path").names(["keda"]), &[]), "olmdex upgrades keda --steps");
        let blockers = about(&CommandLine::of("compat").names(["keda"]).option("--openshift", Some("4.16")), &[]);
        assert_eq!(blockers, "olmdex plan keda --openshift 4.16 --only blockers");
    }

    #[test]
    fn arguments_are_paths_without_names() {
        let diff = CommandLine::of_sources("diff", 2);
        let diff = diff.option("--old-catalog", Some("4.9")).option("--new-catalog", Some("b"));
        for (sources, line) in [
            (&["4.9=x/old", "4.8=a", "y/b"][..], "olmdex diff x/old y/b"),
            (&["index.db"], "olmdex diff index.db index.db --old-catalog 4.9 --new-catalog b"),
            (&["4.9=index.db"], "olmdex diff index.db index.db --old-catalog 4.9 --new-catalog b"),
            (&["4.9=x/old", "index.db"], "olmdex diff x/old index.db --new-catalog b"),
            (&["4.9=x/old", "one.db", "two.db"], "olmdex diff x/old SOURCE-WITH-b"),
        ] {
            assert_eq!(about(&diff, sources), line);
        }
        let validate = CommandLine::of_sources("validate", 1);
        assert_eq!(about(&validate, &["4.9=x/old", "./p=q", "y"]), "olmdex validate x/old ./p=q y");
        let list = CommandLine::of("list").names(["catalogs"]);
        assert_eq!(about(&list, &["4.9=x/old", "y"]), "olmdex list catalogs -i 4.9=x/old -i y");
    }
}
