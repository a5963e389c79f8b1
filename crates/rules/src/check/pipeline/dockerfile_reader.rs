//! Reads a Dockerfile as BuildKit and buildah do: instructions, the texts behind them, values of arguments and of the
//! environment.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::dockerfile_stage::{Copied, Stage, Step, Values, clean, named_stage};

/// No Dockerfile that people write has more of them, and each may keep as much as this.
const MAX_STAGES: usize = 200;
const MAX_INSTRUCTIONS: usize = 5_000;
const MAX_VALUE: usize = 32 << 10;

/// The most bytes of all values together.
const MAX_VALUES: usize = 4 << 20;

/// The stages of a text, and the line from which on it was not read, if it reaches a limit.
pub(super) fn stages_of(text: &str, given: &BTreeMap<String, String>) -> (Vec<Stage>, Option<u32>) {
    let mut reader = Reader { given: given.clone(), room: MAX_VALUES, ..Reader::default() };
    let (instructions, mut open) = instructions(text);
    for (number, (line, instruction)) in instructions.iter().enumerate() {
        if number >= MAX_INSTRUCTIONS || reader.read(*line, instruction).is_none() {
            open = Some(*line);
            break;
        }
    }
    reader.end_stage();
    (reader.stages, open)
}

/// The instructions of a text with their lines: continued lines are one, comments and blank lines are left out. The
/// texts that follow an instruction (`<<EOF`) are a part of it if it is a command. With the line of the one whose text
/// does not end.
fn instructions(text: &str) -> (Vec<(u32, String)>, Option<u32>) {
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut escape = '\\';
    let mut is_head = true;
    let mut continued = false;
    let mut waits_for: Vec<String> = Vec::new();
    for (line, number) in text.lines().zip(1_u32..) {
        let trimmed = line.trim();
        if let Some(end) = waits_for.first() {
            if trimmed == end {
                waits_for.remove(0);
            } else if let Some((_, whole)) = found.last_mut().filter(|it| is_word(&it.1, &["RUN"])) {
                whole.push('\n');
                whole.push_str(trimmed);
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
            waits_for = found.last().map(|it| following(&it.1)).unwrap_or_default();
        }
    }
    let open = found.last().filter(|_| !waits_for.is_empty()).map(|it| it.0);
    (found, open)
}

fn is_word(instruction: &str, words: &[&str]) -> bool {
    let first = instruction.split_whitespace().next().unwrap_or_default();
    words.iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// The words that end the texts after an instruction: those of `<<WORD`, `<<-WORD` and `<<"WORD"`.
fn following(instruction: &str) -> Vec<String> {
    if !instruction.contains("<<") || !is_word(instruction, &["RUN", "COPY", "ADD"]) {
        return Vec::new();
    }
    let end = |word: &str| {
        let rest = word.trim_start_matches(|it: char| it.is_ascii_digit()).strip_prefix("<<")?;
        let rest = rest.strip_prefix('-').unwrap_or(rest);
        let inner = rest.trim_matches(['"', '\'']);
        let is_name = !inner.is_empty() && inner.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
        is_name.then(|| inner.to_owned())
    };
    instruction.split_whitespace().filter_map(end).collect()
}

#[derive(Default)]
struct Reader {
    /// The values that a build gives to arguments.
    given: BTreeMap<String, String>,
    /// Arguments before the first stage.
    global: Values,
    /// The values of this stage.
    values: Arc<Values>,
    /// Whether they are still those of the stage below.
    is_shared: bool,
    /// The present directory in the image.
    directory: Arc<str>,
    /// The bytes that values may still take.
    room: usize,
    stages: Vec<Stage>,
}

impl Reader {
    /// Reads an instruction; `None` if it reaches a limit.
    fn read(&mut self, line: u32, instruction: &str) -> Option<()> {
        let (word, rest) = instruction.split_once(char::is_whitespace).unwrap_or((instruction, ""));
        match word.to_ascii_uppercase().as_str() {
            "FROM" => self.from(line, rest)?,
            "ARG" => self.argument(rest)?,
            "ENV" => {
                for (key, value) in pairs(rest) {
                    let value = self.expanded(&value)?;
                    let values = self.own_values()?;
                    values.environment.insert(key.clone());
                    values.known.insert(key, value);
                }
            }
            "LABEL" => {
                for (key, value) in pairs(rest) {
                    let value = self.expanded(&value)?;
                    if let Some(stage) = self.stages.last_mut() {
                        stage.labels.push((key, value, line));
                    }
                }
            }
            "WORKDIR" => {
                let directory = self.expanded(rest.trim())?;
                let directory = clean(&self.absolute(&directory));
                self.spend(directory.len())?;
                self.directory = directory.into();
            }
            "COPY" => self.copy(line, rest, false)?,
            "ADD" => self.copy(line, rest, true)?,
            "RUN" => {
                let directory = Arc::clone(&self.directory);
                self.step(Step::Run { line, directory, text: rest.to_owned() });
            }
            "ONBUILD" => self.step(Step::OnBuild { line }),
            _ => {}
        }
        Some(())
    }

    fn step(&mut self, step: Step) {
        if let Some(stage) = self.stages.last_mut() {
            stage.steps.push(step);
        }
    }

    /// Takes room for values; `None` if there is none.
    fn spend(&mut self, bytes: usize) -> Option<()> {
        self.room = self.room.checked_sub(bytes)?;
        Some(())
    }

    /// A text with the values of this stage.
    fn expanded(&mut self, text: &str) -> Option<String> {
        let values = Arc::clone(&self.values);
        let known = if self.stages.is_empty() { &self.global.known } else { &values.known };
        let expanded = expand(text, known, true)?;
        self.spend(expanded.len())?;
        Some(expanded)
    }

    /// The values of this stage, to be changed: a copy if they are those of the stage below.
    fn own_values(&mut self) -> Option<&mut Values> {
        if self.is_shared {
            let size = self.values.known.iter().map(|(key, value)| key.len() + value.len()).sum();
            self.spend(size)?;
            self.is_shared = false;
        }
        Some(Arc::make_mut(&mut self.values))
    }

    /// A path below the present directory, or one that begins at the root.
    fn absolute(&self, path: &str) -> String {
        if path.starts_with('/') { path.to_owned() } else { format!("/{}/{path}", self.directory) }
    }

    /// Keeps the values and the directory for the stages on top of this one.
    fn end_stage(&mut self) {
        if let Some(stage) = self.stages.last_mut() {
            stage.values = Arc::clone(&self.values);
            stage.directory = Arc::clone(&self.directory);
        }
    }

    fn from(&mut self, line: u32, rest: &str) -> Option<()> {
        self.end_stage();
        if self.stages.len() >= MAX_STAGES {
            return None;
        }
        let words: Vec<&str> = rest.split_whitespace().filter(|it| !it.starts_with("--")).collect();
        let name = match words.as_slice() {
            [_, by, name, ..] if by.eq_ignore_ascii_case("as") => Some((*name).to_owned()),
            _ => None,
        };
        let written = words.first().copied().unwrap_or_default();
        let base = expand(written, &self.global.known, true)?;
        self.spend(base.len())?;
        let is_by_argument = variables(written).any(|(name, _)| !self.given.contains_key(name));
        let below = named_stage(&self.stages, &base).and_then(|it| self.stages.get(it));
        self.values = below.map(|it| Arc::clone(&it.values)).unwrap_or_default();
        self.directory = below.map(|it| Arc::clone(&it.directory)).unwrap_or_default();
        self.is_shared = true;
        self.stages.push(Stage { line, base, is_by_argument, name, ..Stage::default() });
        Some(())
    }

    fn argument(&mut self, rest: &str) -> Option<()> {
        for word in words(rest) {
            let (key, value) = match word.split_once('=') {
                Some((key, value)) => (key.to_owned(), Some(self.expanded(value)?)),
                None => (word, None),
            };
            let value = self.given.get(&key).cloned().or(value);
            if self.stages.is_empty() {
                self.global.known.insert(key, value.unwrap_or_default());
                continue;
            }
            if self.values.environment.contains(&key) {
                continue;
            }
            let value = value.or_else(|| self.global.known.get(&key).filter(|it| !it.is_empty()).cloned());
            self.spend(value.as_ref().map_or(0, String::len))?;
            let values = self.own_values()?;
            match value {
                Some(value) => {
                    values.unset.remove(&key);
                    values.known.insert(key, value);
                }
                None => drop(values.unset.insert(key)),
            }
        }
        Some(())
    }

    fn copy(&mut self, line: u32, rest: &str, is_add: bool) -> Option<()> {
        let mut rest = rest.trim_start();
        let (mut from, mut unknown) = (None, None);
        while let Some(option) = rest.strip_prefix("--") {
            let (option, behind) = option.split_once(char::is_whitespace).unwrap_or((option, ""));
            match option.split_once('=') {
                Some(("from", name)) => from = Some(self.expanded(name)?),
                _ if ["exclude", "parents", "unpack"].iter().any(|it| option.starts_with(it)) => {
                    unknown = Some(format!("files that `--{option}` chooses"));
                }
                _ => {}
            }
            rest = behind.trim_start();
        }
        let listed = serde_json::from_str::<Vec<String>>(rest).ok().filter(|_| rest.starts_with('['));
        let written = listed.unwrap_or_else(|| words(rest));
        for (name, behind) in written.iter().flat_map(|it| variables(it)) {
            if !behind.is_empty() && !behind.trim_start_matches(':').starts_with(['-', '+']) {
                unknown = Some(format!("files that depend on `${{{name}{behind}}}`"));
            } else if behind.is_empty() && self.values.unset.contains(name) {
                unknown =
                    Some(format!("files that depend on the argument `{name}`; give it with `--build-arg {name}=…`"));
            }
        }
        let mut words = written.iter().map(|it| self.expanded(it)).collect::<Option<Vec<String>>>()?;
        let mut sources = words.iter().rev().skip(1);
        if let Some(source) = sources.find(|it| it.contains("://") || it.starts_with("git@") || it.starts_with("<<")) {
            unknown.get_or_insert_with(|| format!("the files of `{source}`"));
        }
        if let Some(target) = words.pop() {
            let target = self.absolute(&target);
            self.spend(target.len())?;
            words.push(target);
        }
        // The pipeline knows no defaults behind `:-` here.
        let values = Arc::clone(&self.values);
        let of_pipeline = written.iter().map(|it| expand(it, &values.known, false));
        let mut of_pipeline = of_pipeline.collect::<Option<Vec<String>>>()?;
        self.spend(of_pipeline.iter().map(String::len).sum())?;
        if let Some(target) = of_pipeline.pop().filter(|_| !of_pipeline.is_empty()) {
            self.step(Step::Copy(Copied { line, words, is_add, from, unknown, sources: of_pipeline, target }));
        }
        Some(())
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

/// A text with the values of `$NAME` and `${NAME}`, and of `${NAME:-DEFAULT}` and `${NAME:+OTHER}`, with and without
/// the colon, if `has_defaults`; a name without a value becomes empty. `None` if the result is too long.
fn expand(text: &str, known: &BTreeMap<String, String>, has_defaults: bool) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let (inner, behind) = variable(after);
        let (name, other) = if has_defaults { name_of(inner) } else { (inner, "") };
        let value = known.get(name).map(String::as_str);
        // With a colon, an empty value counts as none.
        let value = value.filter(|it| !it.is_empty() || !other.starts_with(':'));
        let other = other.trim_start_matches(':');
        out.push_str(match (other.strip_prefix('+'), other.strip_prefix('-')) {
            (Some(other), _) => value.map_or("", |_| other),
            (None, Some(default)) => value.unwrap_or(default),
            (None, None) => value.unwrap_or_default(),
        });
        if out.len() > MAX_VALUE {
            return None;
        }
        rest = behind;
    }
    out.push_str(rest);
    (out.len() <= MAX_VALUE).then_some(out)
}

/// The text in the braces behind a `$`, or the name, and the rest.
fn variable(text: &str) -> (&str, &str) {
    text.strip_prefix('{').and_then(|it| it.split_once('}')).unwrap_or_else(|| {
        let end = text.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(text.len());
        text.split_at(end)
    })
}

/// A name, and what stands behind it in its braces.
fn name_of(inner: &str) -> (&str, &str) {
    inner.split_at(inner.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(inner.len()))
}

/// The variables in a text, with what stands behind their names.
fn variables(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split('$').skip(1).map(|it| name_of(variable(it).0)).filter(|it| !it.0.is_empty())
}
