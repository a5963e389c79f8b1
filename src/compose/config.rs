//! Reading `olmdex.toml`. A key that nobody knows is an error: an option with a typo would be one that is silently not there.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::error::ConfigError;
use crate::check::practice::Profile;
use crate::diag::selection::{Layer, Level, check_word};
use crate::diag::{Rule, closest};
use crate::file;

/// How many bytes the file may have.
const MAX_LEN: u64 = 1 << 20;

/// The options of a file.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The file, as it is shown.
    pub path: PathBuf,
    /// Which findings are chosen.
    pub layer: Layer,
    /// The profiles of good practice that hold.
    pub profiles: Vec<Profile>,
    /// Whether warnings count as errors.
    pub strict: bool,
    /// The file of known findings.
    pub baseline: Option<PathBuf>,
    /// The catalogs, by name.
    pub catalogs: Vec<NamedCatalog>,
}

/// A catalog that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCatalog {
    /// The name.
    pub name: String,
    /// Where it is.
    pub source: PathBuf,
    /// The reference that an ImageSetConfiguration calls it by.
    pub image: Option<String>,
    /// Higher is preferred.
    pub priority: i64,
    /// Labels, by their keys.
    pub labels: BTreeMap<String, String>,
}

/// Options of olmdex for a directory and what is below it. Paths are relative to the file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "olmdex.toml")]
struct Form {
    /// Which findings are shown, and how bad they are.
    findings: FindingsForm,
    /// Catalogs, by name. `olmdex build` without sources builds them.
    catalogs: BTreeMap<Word, CatalogForm>,
}

/// Which findings are shown, and how bad they are. A rule is an identifier, a name, the beginning of identifiers (`W08`), or `ALL`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct FindingsForm {
    /// Show these rules, and no others.
    select: Vec<Word>,
    /// Hide these rules.
    ignore: Vec<Word>,
    /// Give rules another severity; `off` hides them.
    severity: BTreeMap<Word, Level>,
    /// For `validate`: the rules of good practice that hold besides, `certified`, `community`, `disconnected` or `konflux`.
    profile: Vec<Word>,
    /// Treat warnings as errors.
    strict: bool,
    /// The file of known findings, for `validate`, `check-graph` and `build`.
    baseline: Option<PathWord>,
}

/// A catalog.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CatalogForm {
    /// Where it is: a directory, a file, or another index that holds one catalog.
    source: PathWord,
    /// The reference of its image, by which an ImageSetConfiguration calls it.
    #[serde(default)]
    image: Option<String>,
    /// Higher is preferred.
    #[serde(default)]
    priority: i64,
    /// Labels, by their keys.
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

// A text that knows where it stands. This is no documentation, which would come into the schema of each text.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(transparent, inline)]
struct Word(#[schemars(with = "String")] Spanned<String>);

/// A path, relative to the file.
type PathWord = Word;

impl Word {
    fn text(&self) -> &str {
        self.0.get_ref()
    }
}

/// The JSON Schema of the file, for editors.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Form)
}

/// Reads a file of options. `known` are all rules that it may name.
///
/// # Errors
/// If it cannot be read, is larger than a mebibyte or no regular file, or something in it is not what it should be.
pub fn read(path: &Path, known: &[&'static Rule]) -> Result<Config, ConfigError> {
    let content =
        file::read_regular_of(path, MAX_LEN).map_err(|source| ConfigError::Io { path: path.to_owned(), source })?;
    parse(path, &content, known)
}

/// As [`read()`], of a text that is already here.
///
/// # Errors
/// If something in it is not what it should be.
pub fn parse(path: &Path, content: &[u8], known: &[&'static Rule]) -> Result<Config, ConfigError> {
    let reader = Reader { path, content };
    let text = std::str::from_utf8(content).map_err(|error| {
        let at = error.valid_up_to();
        reader.wrong(at..at, "this is not UTF-8".to_owned(), None)
    })?;
    let form: Form = toml::from_str(text).map_err(|error| reader.misfit(&error))?;
    let FindingsForm { select, ignore, severity, profile, strict, baseline } = form.findings;
    for word in select.iter().chain(&ignore).chain(severity.keys()) {
        check_word(known, word.text())
            .map_err(|error| reader.wrong(word.0.span(), error.to_string(), Some(error.help())))?;
    }
    let texts = |words: Vec<Word>| words.into_iter().map(|it| it.0.into_inner()).collect();
    let severity = severity.into_iter().map(|(word, level)| (word.0.into_inner(), level)).collect();
    let layer = Layer { select: texts(select), ignore: texts(ignore), severity };
    let profiles = profile.iter().map(|it| reader.profile(it)).collect::<Result<_, ConfigError>>()?;
    let baseline = baseline.map(|it| reader.path(&it)).transpose()?;
    let catalog = |(name, form): (Word, CatalogForm)| {
        let CatalogForm { source, image, priority, labels } = form;
        let source = reader.path(&source)?;
        Ok(NamedCatalog { name: reader.name(&name)?, source, image, priority, labels })
    };
    let catalogs = form.catalogs.into_iter().map(catalog).collect::<Result<_, ConfigError>>()?;
    Ok(Config { path: path.to_owned(), layer, profiles, strict, baseline, catalogs })
}

/// A text that is being read.
struct Reader<'t> {
    path: &'t Path,
    content: &'t [u8],
}

impl Reader<'_> {
    /// What is wrong at a place.
    fn wrong(&self, span: Range<usize>, message: String, help: Option<String>) -> ConfigError {
        let before = &self.content[..span.start.min(self.content.len())];
        let line = before.iter().filter(|it| **it == b'\n').count() + 1;
        let start = before.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        ConfigError::Content { path: self.path.to_owned(), line, column, message, help }
    }

    /// What the TOML reader refuses. Of a key or a value that it does not know it lists, in backticks, those that it does.
    fn misfit(&self, error: &toml::de::Error) -> ConfigError {
        let words: Vec<&str> = error.message().split('`').skip(1).step_by(2).collect();
        let (message, help) = match (error.message().split('`').next().unwrap_or_default(), words.as_slice()) {
            ("unknown field ", [word, known @ ..]) => (format!("there is no key `{word}` here"), guess(word, known)),
            ("unknown variant ", [word, known @ ..]) => {
                (format!("there is no value `{word}` here"), guess(word, known))
            }
            ("missing field ", [word, ..]) => (format!("the key `{word}` is missing"), None),
            _ => (error.message().trim_end().replace('\n', "; "), None),
        };
        self.wrong(error.span().unwrap_or_default(), message, help)
    }

    /// A path, as it is from where the program runs.
    fn path(&self, word: &Word) -> Result<PathBuf, ConfigError> {
        // Without a name it would be the directory; `-` would be standard input.
        if matches!(word.text(), "" | "-") {
            let help = Some("name a directory or a file, relative to this file".to_owned());
            return Err(self.wrong(word.0.span(), format!("`{}` is not a path", word.text()), help));
        }
        Ok(self.path.parent().unwrap_or(Path::new("")).join(word.text()))
    }

    /// A profile of good practice.
    fn profile(&self, word: &Word) -> Result<Profile, ConfigError> {
        Profile::find(word.text()).ok_or_else(|| {
            let message = format!("there is no profile `{}`", word.text());
            self.wrong(word.0.span(), message, guess(word.text(), &Profile::ALL.map(Profile::name)))
        })
    }

    /// The name of a catalog, as it may be written before a source on the command line.
    fn name(&self, word: &Word) -> Result<String, ConfigError> {
        let name = word.text();
        if name.is_empty() || !name.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-')) {
            let help = Some("use letters, digits, `.`, `_` and `-`".to_owned());
            return Err(self.wrong(word.0.span(), format!("`{name}` is not a name for a catalog"), help));
        }
        Ok(name.to_owned())
    }
}

/// What was meant, or what there is.
fn guess(word: &str, known: &[&str]) -> Option<String> {
    match closest(word, known.iter().copied()) {
        Some(meant) => Some(format!("did you mean `{meant}`?")),
        None if known.is_empty() => None,
        None => Some(format!("there are {}", known.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Severity;

    static RULE: Rule =
        Rule { id: "W0805", name: "example", severity: Severity::Warning, summary: "", explanation: "", example: "" };

    fn parsed(text: &str) -> Result<Config, ConfigError> {
        parse(Path::new("../olmdex.toml"), text.as_bytes(), &[&RULE])
    }

    #[test]
    fn everything_that_a_file_may_say_is_read() {
        let text = "[findings]\nselect = ['W']\nignore = ['example']\nseverity = { W0805 = 'error' }\nprofile = ['konflux']\nstrict = true
baseline = 'b.json'\n[catalogs.b]\nsource = '/b'\nimage = 'quay.io/b:v1'\n[catalogs.a]\nsource = 'x/a'\npriority = -3\nlabels = { k = 'v' }\n";
        let config = parsed(text).unwrap();
        assert_eq!((config.layer.select, config.layer.ignore), (vec!["W".to_owned()], vec!["example".to_owned()]));
        assert_eq!(config.layer.severity, [("W0805".to_owned(), Level::Error)]);
        assert_eq!(config.profiles, [Profile::Konflux]);
        assert_eq!((config.strict, config.baseline), (true, Some(PathBuf::from("../b.json"))));
        let labels = BTreeMap::from([("k".to_owned(), "v".to_owned())]);
        let a =
            NamedCatalog { name: "a".to_owned(), source: PathBuf::from("../x/a"), image: None, priority: -3, labels };
        let b = NamedCatalog {
            name: "b".to_owned(),
            source: PathBuf::from("/b"),
            image: Some("quay.io/b:v1".to_owned()),
            priority: 0,
            labels: BTreeMap::default(),
        };
        assert_eq!(config.catalogs, [a, b]);
        assert!(parsed("").unwrap().catalogs.is_empty());
    }

    #[test]
    fn what_is_wrong_has_a_place_and_a_way_out() {
        for (text, message, help) in [
            ("\n[findings]\n selct = []", "3:2: there is no key `selct` here", "did you mean `select`?"),
            ("x = 1", "1:1: there is no key `x` here", "there are `findings`, `catalogs`"),
            ("[findings]\nignore = ['W0805', 'W0806']", "2:20: there is no rule `W0806`", "did you mean `W0805`?"),
            (
                "[findings.severity]\nW0805 = 'wraning'",
                "2:9: there is no value `wraning` here",
                "did you mean `warning`?",
            ),
            ("[findings.severity]\nexmaple = 'off'", "2:1: there is no rule `exmaple`", "did you mean `example`?"),
            ("[catalogs.'a b']\nsource = 'x'", "1:11: `a b` is not a name for a catalog", "use letters"),
            ("[catalogs.a]\nsource = '-'", "2:10: `-` is not a path", "name a directory"),
            ("[catalogs.a]\npriority = 1", "1:1: the key `source` is missing", ""),
            ("[findings]\nprofile = ['konfluks']", "2:12: there is no profile `konfluks`", "did you mean `konflux`?"),
            ("[findings]\nprofile = ['']", "2:12: there is no profile ``", "there are `certified`, `community`, "),
            ("[findings]\nstrict = 1", "2:10: invalid type: integer `1`, expected a boolean", ""),
            ("é = ", "1:", ""),
        ] {
            let error = parsed(text).unwrap_err();
            let shown = error.to_string();
            assert!(shown.starts_with(&format!("../olmdex.toml:{message}")), "{text}: {shown}");
            assert!(error.help().unwrap_or_default().starts_with(help), "{text}: {:?}", error.help());
        }
    }

    #[test]
    fn hostile_texts_are_errors() {
        let deep = format!("x = {}", "[".repeat(100_000));
        let dotted = format!("{}a = 1", "a.".repeat(100_000));
        let tables = format!("x = {}", "{a=".repeat(100_000));
        for text in [deep.as_bytes(), dotted.as_bytes(), tables.as_bytes(), b"\xff", b"a = \"\0\"", b"[[[["] {
            assert!(parse(Path::new("olmdex.toml"), text, &[&RULE]).is_err());
        }
    }
}
