//! Dockerfiles, as far as the pipelines read them: stages, copied files, labels.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use olmdex_base::file::read_regular_of;

/// No Dockerfile is larger.
const MAX_FILE: u64 = 1 << 20;

/// A Dockerfile.
#[derive(Debug, Clone)]
pub struct Dockerfile {
    /// Its name in messages.
    pub shown: String,
    /// Its path.
    pub path: PathBuf,
    /// The directory that sources are copied from.
    pub context: PathBuf,
    /// Whether a pipeline of the repository builds it.
    pub is_of_pipeline: bool,
    pub(super) stages: Vec<Stage>,
}

/// The instructions that make one image.
#[derive(Debug, Clone, Default)]
pub(super) struct Stage {
    pub(super) line: u32,
    pub(super) base: String,
    /// Whether an argument is a part of it, for which a build can give another value.
    pub(super) is_by_argument: bool,
    pub(super) name: Option<String>,
    pub(super) steps: Vec<Step>,
    /// The values that a stage on top of it has.
    environment: BTreeMap<String, String>,
    /// Key, value, and line.
    pub(super) labels: Vec<(String, String, u32)>,
}

/// An instruction that may change files.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Copy(Copied),
    Run { line: u32, text: String },
}

/// A `COPY` or `ADD`.
#[derive(Debug, Clone)]
pub(super) struct Copied {
    pub(super) line: u32,
    /// The sources and the target as a build reads them.
    pub(super) words: Vec<String>,
    /// The image that the sources are in, if it is another one.
    pub(super) from: Option<String>,
    /// The reason why a build's sources are not known.
    pub(super) unknown: Option<String>,
    /// The sources and the target as `fbc-inject-lifecycle` reads them.
    pub(super) sources: Vec<String>,
    pub(super) target: String,
}

impl Dockerfile {
    /// Reads a file, for a build with these values of arguments. The files that it copies are in its directory.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path, arguments: &BTreeMap<String, String>) -> io::Result<Self> {
        let text = read_regular_of(path, MAX_FILE)?;
        Ok(Self::of(path, &String::from_utf8_lossy(&text), arguments))
    }

    /// Takes a text for the file at a path.
    pub(super) fn of(path: &Path, text: &str, arguments: &BTreeMap<String, String>) -> Self {
        let mut reader = Reader { given: arguments.clone(), ..Reader::default() };
        for (line, instruction) in instructions(text) {
            reader.read(line, &instruction);
        }
        let context = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self {
            shown: path.to_string_lossy().into_owned(),
            path: path.to_owned(),
            context: context.to_owned(),
            is_of_pipeline: false,
            stages: reader.stages,
        }
    }

    /// The image that the last stage is built on, over the stages before it, with the line; empty if it is not known.
    pub(super) fn base(&self) -> Option<(&str, u32)> {
        self.first_stage().map(|it| (it.base.as_str(), it.line))
    }

    /// Whether a build can choose that image by an argument.
    pub(super) fn is_base_by_argument(&self) -> bool {
        self.first_stage().is_some_and(|it| it.is_by_argument)
    }

    fn first_stage(&self) -> Option<&Stage> {
        let mut at = self.stages.len().checked_sub(1)?;
        while let Some(earlier) = self.base_of(at) {
            at = earlier;
        }
        self.stages.get(at)
    }

    /// The stage that a stage is built on, unless that is an image.
    pub(super) fn base_of(&self, stage: usize) -> Option<usize> {
        named_stage(self.stages.get(..stage)?, &self.stages.get(stage)?.base)
    }

    /// The stage before another one that `--from` names or counts.
    pub(super) fn stage_of(&self, name: &str, before: usize) -> Option<usize> {
        let by_number = || name.parse().ok().filter(|number| *number < before);
        named_stage(self.stages.get(..before)?, name).or_else(by_number)
    }

    /// A path of the context.
    pub(super) fn in_context(&self, path: &str) -> PathBuf {
        match self.context.as_os_str() == "." && !path.is_empty() {
            true => PathBuf::from(path),
            false => self.context.join(path),
        }
    }

    /// The value of a label of the image, with the line.
    pub(super) fn label(&self, key: &str) -> Option<(&str, u32)> {
        let stage = self.stages.last()?;
        stage.labels.iter().rev().find(|it| it.0 == key).map(|it| (it.1.as_str(), it.2))
    }

    /// The copies to places below `/configs`.
    pub(super) fn copies(&self) -> Vec<&Copied> {
        let all = self.stages.iter().flat_map(|it| &it.steps).filter_map(|step| match step {
            Step::Copy(copied) => Some(copied),
            Step::Run { .. } => None,
        });
        all.filter(|it| it.target == "/configs" || it.target.starts_with("/configs/")).collect()
    }

    /// Whether it is that of a catalog: it copies to `/configs`, or is built on an image that serves catalogs.
    pub fn is_of_catalog(&self) -> bool {
        let serves = |it: &Stage| ["operator-registry", "/opm:", "/opm@"].iter().any(|part| it.base.contains(part));
        !self.copies().is_empty() || self.stages.iter().any(serves)
    }
}

/// The last of some stages with a name.
fn named_stage(stages: &[Stage], name: &str) -> Option<usize> {
    stages.iter().rposition(|it| it.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name)))
}

/// A path of an image or a context without the slashes around it, `.` and `..`.
pub(super) fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The instructions of a text with their lines: continued lines are one, comments and blank lines are left out, and so
/// are texts that follow an instruction (`<<EOF`).
fn instructions(text: &str) -> Vec<(u32, String)> {
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut escape = '\\';
    let mut is_head = true;
    let mut continued = false;
    let mut waits_for: Option<String> = None;
    for (line, number) in text.lines().zip(1_u32..) {
        let trimmed = line.trim();
        if let Some(end) = &waits_for {
            if trimmed == end {
                waits_for = None;
            }
            continue;
        }
        if let Some(comment) = trimmed.strip_prefix('#') {
            let directive = comment.split_once('=').map(|(key, value)| (key.trim().to_lowercase(), value.trim()));
            if let Some((_, value)) = directive.filter(|it| is_head && it.0 == "escape") {
                escape = value.chars().next().unwrap_or(escape);
            }
            continue;
        }
        is_head = false;
        if trimmed.is_empty() {
            continue;
        }
        let (part, continues) = match trimmed.strip_suffix(escape) {
            Some(part) => (part, true),
            None => (trimmed, false),
        };
        match found.last_mut().filter(|_| continued) {
            Some((_, whole)) => {
                whole.push(' ');
                whole.push_str(part.trim());
            }
            None => found.push((number, part.trim().to_owned())),
        }
        continued = continues;
        if !continued {
            waits_for = found.last().and_then(|it| following(&it.1));
        }
    }
    found
}

/// The word that ends the text after an instruction.
fn following(instruction: &str) -> Option<String> {
    let is_known = ["RUN", "COPY", "ADD"]
        .iter()
        .any(|it| instruction.get(..it.len()).is_some_and(|word| word.eq_ignore_ascii_case(it)));
    let (_, rest) = instruction.split_once("<<").filter(|_| is_known)?;
    let rest = rest.strip_prefix('-').unwrap_or(rest).trim_start_matches(['"', '\'']);
    let word: String = rest.chars().take_while(|it| it.is_ascii_alphanumeric() || *it == '_').collect();
    Some(word).filter(|it| !it.is_empty())
}

#[derive(Default)]
struct Reader {
    /// The values that a build gives to arguments.
    given: BTreeMap<String, String>,
    /// Arguments before the first stage.
    global: BTreeMap<String, String>,
    /// The known values of this stage, including those that are arguments no more.
    known: BTreeMap<String, String>,
    /// Arguments that only the build gives a value to.
    unset: BTreeSet<String>,
    environment: Vec<String>,
    /// The present directory in the image.
    directory: String,
    stages: Vec<Stage>,
}

impl Reader {
    fn read(&mut self, line: u32, instruction: &str) {
        let (word, rest) = instruction.split_once(char::is_whitespace).unwrap_or((instruction, ""));
        match word.to_ascii_uppercase().as_str() {
            "FROM" => self.from(line, rest),
            "ARG" => self.argument(rest),
            "ENV" => {
                for (key, value) in pairs(rest) {
                    let value = expand(&value, &self.known, true);
                    self.environment.push(key.clone());
                    if let Some(stage) = self.stages.last_mut() {
                        stage.environment.insert(key.clone(), value.clone());
                    }
                    self.known.insert(key, value);
                }
            }
            "LABEL" => {
                let known = &self.known;
                let Some(stage) = self.stages.last_mut() else { return };
                let labels = pairs(rest).into_iter().map(|(key, value)| (key, expand(&value, known, true), line));
                stage.labels.extend(labels);
            }
            "WORKDIR" => self.directory = self.absolute(&expand(rest.trim(), &self.known, true)),
            "COPY" => self.copy(line, rest, false),
            "ADD" => self.copy(line, rest, true),
            "RUN" => {
                let text = expand(rest, &self.known, true);
                let text = if self.directory.is_empty() { text } else { format!("cd {} {text}", self.directory) };
                if let Some(stage) = self.stages.last_mut() {
                    stage.steps.push(Step::Run { line, text });
                }
            }
            _ => {}
        }
    }

    /// A path below the present directory, or one that begins at the root.
    fn absolute(&self, path: &str) -> String {
        if path.starts_with('/') { path.to_owned() } else { format!("/{}/{path}", self.directory) }
    }

    fn from(&mut self, line: u32, rest: &str) {
        let words: Vec<&str> = rest.split_whitespace().filter(|it| !it.starts_with("--")).collect();
        let name = match words.as_slice() {
            [_, by, name, ..] if by.eq_ignore_ascii_case("as") => Some((*name).to_owned()),
            _ => None,
        };
        let written = words.first().copied().unwrap_or_default();
        let base = expand(written, &self.global, true);
        let is_by_argument = variables(written).any(|(name, _)| !self.given.contains_key(name));
        let environment = named_stage(&self.stages, &base).map(|it| self.stages[it].environment.clone());
        self.known = environment.unwrap_or_default();
        self.environment = self.known.keys().cloned().collect();
        self.unset.clear();
        self.directory.clear();
        let environment = self.known.clone();
        self.stages.push(Stage { line, base, is_by_argument, name, environment, ..Stage::default() });
    }

    fn argument(&mut self, rest: &str) {
        for word in words(rest) {
            let (key, value) = match word.split_once('=') {
                Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
                None => (word, None),
            };
            let given = self.given.get(&key).cloned();
            if self.stages.is_empty() {
                let value = given.or_else(|| value.map(|it| expand(&it, &self.global, true)));
                self.global.insert(key, value.unwrap_or_default());
            } else if !self.environment.contains(&key) {
                let value = given.or_else(|| value.map(|it| expand(&it, &self.known, true)));
                match value.or_else(|| self.global.get(&key).filter(|it| !it.is_empty()).cloned()) {
                    Some(value) => drop(self.known.insert(key, value)),
                    None => drop(self.unset.insert(key)),
                }
            }
        }
    }

    fn copy(&mut self, line: u32, rest: &str, is_add: bool) {
        let mut rest = rest.trim_start();
        let (mut from, mut unknown) = (None, None);
        while let Some(option) = rest.strip_prefix("--") {
            let (option, behind) = option.split_once(char::is_whitespace).unwrap_or((option, ""));
            match option.split_once('=') {
                Some(("from", name)) => from = Some(expand(name, &self.known, true)),
                _ if ["exclude", "parents", "unpack"].iter().any(|it| option.starts_with(it)) => {
                    unknown = Some(format!("files that are chosen by `--{option}`"));
                }
                _ => {}
            }
            rest = behind.trim_start();
        }
        let listed = serde_json::from_str::<Vec<String>>(rest).ok().filter(|_| rest.starts_with('['));
        let written = listed.unwrap_or_else(|| words(rest));
        let mut used = written.iter().flat_map(|it| variables(it));
        if let Some((name, _)) = used.find(|(name, behind)| behind.is_empty() && self.unset.contains(*name)) {
            unknown = Some(format!("files that depend on the argument `{name}`; give it with `--build-arg {name}=…`"));
        }
        let mut words: Vec<String> = written.iter().map(|it| expand(it, &self.known, true)).collect();
        let sources = words.iter().rev().skip(1);
        let is_archive =
            |it: &String| it.contains(".tar") || [".tgz", ".tbz2", ".txz"].iter().any(|end| it.ends_with(end));
        if let Some(source) = sources.clone().find(|it| it.contains("://") || it.contains('@') || it.starts_with("<<"))
        {
            unknown.get_or_insert_with(|| format!("files of `{source}`"));
        } else if let Some(source) = sources.clone().find(|it| is_add && is_archive(it)) {
            unknown.get_or_insert_with(|| format!("the files of the archive `{source}`"));
        }
        if let Some(target) = words.pop() {
            words.push(self.absolute(&target));
        }
        // The pipeline knows no defaults behind `:-` here.
        let mut of_pipeline: Vec<String> = written.iter().map(|it| expand(it, &self.known, false)).collect();
        let Some(stage) = self.stages.last_mut() else { return };
        if let Some(target) = of_pipeline.pop().filter(|_| !of_pipeline.is_empty()) {
            let copied = Copied { line, words, from, unknown, sources: of_pipeline, target };
            stage.steps.push(Step::Copy(copied));
        }
    }
}

/// Keys with values: `a=b c="d e"`, or one as `a b`.
fn pairs(text: &str) -> Vec<(String, String)> {
    let words = words(text);
    match words.split_first() {
        Some((key, rest)) if !key.contains('=') => vec![(key.clone(), rest.join(" "))],
        _ => words.iter().filter_map(|it| it.split_once('=')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect(),
    }
}

/// Words with the quotes taken away.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(it) = chars.next() {
        match quote {
            Some(open) if it == open => quote = None,
            Some('\'') => word.get_or_insert_default().push(it),
            _ if it == '\\' => {
                let next = chars.next().unwrap_or('\\');
                word.get_or_insert_default().push(next);
            }
            Some(_) => word.get_or_insert_default().push(it),
            None if it == '"' || it == '\'' => {
                word.get_or_insert_default();
                quote = Some(it);
            }
            None if it.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(it),
        }
    }
    words.extend(word);
    words
}

/// A text with the values of `$NAME` and `${NAME}`, and of `${NAME:-DEFAULT}` and `${NAME:+OTHER}` if `has_defaults`; a
/// name without a value becomes empty.
fn expand(text: &str, known: &BTreeMap<String, String>, has_defaults: bool) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let (name, behind) = variable(after);
        let (name, other) = match name.split_once(':').filter(|_| has_defaults) {
            Some((name, other)) => (name, other),
            None => (name, ""),
        };
        let value = known.get(name).map(String::as_str);
        out.push_str(match (other.strip_prefix('+'), other.strip_prefix('-')) {
            (Some(other), _) => value.filter(|it| !it.is_empty()).map_or("", |_| other),
            (None, Some(default)) => value.filter(|it| !it.is_empty()).unwrap_or(default),
            (None, None) => value.unwrap_or_default(),
        });
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The name behind a `$`, with what is in its braces, and the rest of the text.
fn variable(text: &str) -> (&str, &str) {
    text.strip_prefix('{').and_then(|it| it.split_once('}')).unwrap_or_else(|| {
        let end = text.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(text.len());
        text.split_at(end)
    })
}

/// The variables in a text, with what stands behind their names.
fn variables(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split('$').skip(1).map(|it| variable(it).0).map(|name| name.split_once(':').unwrap_or((name, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Dockerfile {
        Dockerfile::of(Path::new("Dockerfile"), text, &BTreeMap::new())
    }

    #[test]
    fn the_base_is_that_of_the_last_stage() {
        for (text, expected) in [
            ("FROM a:1", "a:1"),
            ("FROM a:1 AS one\nFROM b:2\n", "b:2"),
            ("FROM a:1 AS one\nFROM one AS two\nFROM TWO", "a:1"),
            ("ARG TAG=v4.18\nFROM a:${TAG}", "a:v4.18"),
            ("FROM a:${TAG:-v4.19}", "a:v4.19"),
            ("FROM --platform=linux/amd64 a:1", "a:1"),
            ("# escape=`\nFROM `\n  a:1", "a:1"),
            ("FROM $NOTHING", ""),
            ("FROM a:1\nRUN <<EOF\nFROM b:2\nEOF", "a:1"),
        ] {
            assert_eq!(read(text).base().unwrap().0, expected, "{text}");
            assert_eq!(read(text).is_base_by_argument(), text.contains('$'), "{text}");
        }
        assert!(read("LABEL a=b").base().is_none());
    }

    #[test]
    fn labels_and_copies_are_read_with_their_variables() {
        let it = read(
            "ARG DIR=catalog\nFROM a:1\nARG DIR\nENV TO /configs\nLABEL a=b \\\n  # a comment\n  c=\"d e\"\nLABEL f g h\nADD --chown=1 $DIR ${TO}/foo\nCOPY [\"x y\", \"/configs\"]\nCOPY --from=b /x /configs/bar\nCOPY z /else\n",
        );
        assert_eq!(it.label("c"), Some(("d e", 5)));
        assert_eq!(it.label("f"), Some(("g h", 8)));
        let copies: Vec<(String, &str, bool)> =
            it.copies().iter().map(|it| (it.sources.join(","), it.target.as_str(), it.from.is_some())).collect();
        let expected = [("catalog", "/configs/foo", false), ("x y", "/configs", false), ("/x", "/configs/bar", true)];
        assert_eq!(copies, expected.map(|(a, b, c)| (a.to_owned(), b, c)));
    }
}
