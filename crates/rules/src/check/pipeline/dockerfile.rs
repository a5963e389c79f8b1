//! Dockerfiles, as far as the pipelines read them: stages, copied files, labels.

use std::collections::BTreeMap;
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
    /// The directory that sources are copied from.
    pub context: PathBuf,
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
    pub(super) copies: Vec<Copied>,
    /// Key, value, and line.
    pub(super) labels: Vec<(String, String, u32)>,
}

/// A `COPY` or `ADD`.
#[derive(Debug, Clone)]
pub(super) struct Copied {
    pub(super) line: u32,
    pub(super) sources: Vec<String>,
    pub(super) target: String,
    /// Whether the sources are in another image.
    pub(super) is_from_stage: bool,
}

impl Dockerfile {
    /// Reads a file. The files that it copies are in its directory.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        let text = read_regular_of(path, MAX_FILE)?;
        let context = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Self::of(&path.to_string_lossy(), context, &String::from_utf8_lossy(&text)))
    }

    /// Takes a text for the file; `shown` is its name in messages, `context` the directory that it copies from.
    pub fn of(shown: &str, context: &Path, text: &str) -> Self {
        let mut reader = Reader::default();
        for (line, instruction) in instructions(text) {
            reader.read(line, &instruction);
        }
        Self { shown: shown.to_owned(), context: context.to_owned(), stages: reader.stages }
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
        // A stage names an earlier one, or an image.
        loop {
            let stage = &self.stages[at];
            let earlier = self.stages[..at]
                .iter()
                .rposition(|it| it.name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(&stage.base)));
            match earlier {
                Some(earlier) => at = earlier,
                None => return Some(stage),
            }
        }
    }

    /// The value of a label of the image, with the line.
    pub(super) fn label(&self, key: &str) -> Option<(&str, u32)> {
        let stage = self.stages.last()?;
        stage.labels.iter().rev().find(|it| it.0 == key).map(|it| (it.1.as_str(), it.2))
    }

    /// The copies to places below `/configs`.
    pub(super) fn copies(&self) -> Vec<&Copied> {
        let all = self.stages.iter().flat_map(|it| &it.copies);
        all.filter(|it| it.target == "/configs" || it.target.starts_with("/configs/")).collect()
    }

    /// Whether it is that of a catalog: it copies to `/configs`, or is built on an image that serves catalogs.
    pub fn is_of_catalog(&self) -> bool {
        let serves = |it: &Stage| ["operator-registry", "/opm:", "/opm@"].iter().any(|part| it.base.contains(part));
        !self.copies().is_empty() || self.stages.iter().any(serves)
    }

    /// The package whose directory a directory becomes, if it is copied to `/configs/PACKAGE`.
    pub(super) fn package_of(&self, directory: &Path) -> Option<String> {
        let directory = directory.canonicalize().ok()?;
        let is_it = |source: &String| self.context.join(source).canonicalize().is_ok_and(|it| it == directory);
        let copies = self.copies();
        let copy = copies.iter().find(|it| !it.is_from_stage && it.sources.iter().any(is_it))?;
        let name = copy.target.trim_matches('/').strip_prefix("configs/")?;
        Some(name.to_owned()).filter(|it| !it.is_empty() && !it.contains('/'))
    }
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
    /// Arguments before the first stage.
    global: BTreeMap<String, String>,
    /// The known values of this stage, including those that are arguments no more.
    known: BTreeMap<String, String>,
    environment: Vec<String>,
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
                    self.known.insert(key, value);
                }
            }
            "LABEL" => {
                let known = &self.known;
                let Some(stage) = self.stages.last_mut() else { return };
                let labels = pairs(rest).into_iter().map(|(key, value)| (key, expand(&value, known, true), line));
                stage.labels.extend(labels);
            }
            "COPY" | "ADD" => self.copy(line, rest),
            _ => {}
        }
    }

    fn from(&mut self, line: u32, rest: &str) {
        let words: Vec<&str> = rest.split_whitespace().filter(|it| !it.starts_with("--")).collect();
        let name = match words.as_slice() {
            [_, by, name, ..] if by.eq_ignore_ascii_case("as") => Some((*name).to_owned()),
            _ => None,
        };
        let written = words.first().copied().unwrap_or_default();
        let (base, is_by_argument) = (expand(written, &self.global, true), written.contains('$'));
        self.known.clear();
        self.environment.clear();
        self.stages.push(Stage { line, base, is_by_argument, name, ..Stage::default() });
    }

    fn argument(&mut self, rest: &str) {
        for word in words(rest) {
            let (key, value) = match word.split_once('=') {
                Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
                None => (word, None),
            };
            if self.stages.is_empty() {
                let value = value.map(|it| expand(&it, &self.global, true)).unwrap_or_default();
                self.global.insert(key, value);
            } else if !self.environment.contains(&key) {
                let value = value.map(|it| expand(&it, &self.known, true));
                if let Some(value) = value.or_else(|| self.global.get(&key).cloned()) {
                    self.known.insert(key, value);
                }
            }
        }
    }

    fn copy(&mut self, line: u32, rest: &str) {
        let mut rest = rest.trim_start();
        let mut is_from_stage = false;
        while let Some(option) = rest.strip_prefix("--") {
            is_from_stage |= option.starts_with("from=");
            rest = option.split_once(char::is_whitespace).map(|it| it.1.trim_start()).unwrap_or_default();
        }
        let listed = serde_json::from_str::<Vec<String>>(rest).ok().filter(|_| rest.starts_with('['));
        let mut words = listed.unwrap_or_else(|| words(rest));
        let Some(stage) = self.stages.last_mut() else { return };
        // The pipeline knows no defaults behind `:-` here.
        let full = |it: &String| expand(it, &self.known, false);
        if let Some(target) = words.pop().filter(|_| !words.is_empty()) {
            let (sources, target) = (words.iter().map(full).collect(), full(&target));
            stage.copies.push(Copied { line, sources, target, is_from_stage });
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

/// A text with the values of `$NAME` and `${NAME}`, and of `${NAME:-DEFAULT}` if `has_defaults`; a name without a value
/// becomes empty.
fn expand(text: &str, known: &BTreeMap<String, String>, has_defaults: bool) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let (name, behind) = match after.strip_prefix('{').and_then(|it| it.split_once('}')) {
            Some(parts) => parts,
            None => {
                let end = after.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(after.len());
                after.split_at(end)
            }
        };
        let (name, default) = match name.split_once(":-").filter(|_| has_defaults) {
            Some((name, default)) => (name, default),
            None => (name, ""),
        };
        out.push_str(known.get(name).map_or(default, String::as_str));
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Dockerfile {
        Dockerfile::of("Dockerfile", Path::new("."), text)
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
            it.copies().iter().map(|it| (it.sources.join(","), it.target.as_str(), it.is_from_stage)).collect();
        let expected = [("catalog", "/configs/foo", false), ("x y", "/configs", false), ("/x", "/configs/bar", true)];
        assert_eq!(copies, expected.map(|(a, b, c)| (a.to_owned(), b, c)));
    }
}
