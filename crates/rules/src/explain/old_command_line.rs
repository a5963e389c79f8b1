//! A command line of opm or oc-mirror, taken apart as the library of their options does it.

use std::collections::{BTreeMap, BTreeSet};

use olmdex_text::encoding::shell::{split, word};

/// Options without a value. All others have one.
const SWITCHES: &[&str] = &[
    "allow-package-removal",
    "catalogs",
    "channels",
    "debug",
    "enable-alpha",
    "generate",
    "help",
    "overwrite-latest",
    "permissive",
    "skip-migrate",
    "skip-tls",
    "skip-tls-verify",
    "use-http",
    "v1",
    "v2",
];

/// The options and words behind the name of a command.
#[derive(Debug, Default)]
pub(super) struct OldCommandLine {
    values: BTreeMap<String, Vec<String>>,
    switches: BTreeSet<String>,
    pub(super) words: Vec<String>,
}

/// The words of a text that may be a command line, from the name of the program on.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let mut words = split(&text.replace("\\\n", " "));
    words.retain(|word| !word.is_empty());
    let is_before = |word: &String| {
        matches!(word.as_str(), "$" | "#" | "sudo") || word.split_once('=').is_some_and(|(name, _)| is_variable(name))
    };
    let n_before = words.iter().take_while(|word| is_before(word)).count();
    words.drain(..n_before);
    // The form of a plugin.
    if words.starts_with(&["oc".to_owned(), "mirror".to_owned()]) {
        words.splice(..2, ["oc-mirror".to_owned()]);
    }
    words
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

impl OldCommandLine {
    /// Takes words apart. `shorts` are the letters of this command with their options.
    pub(super) fn read(words: &[String], shorts: &[(char, &'static str)]) -> Self {
        let mut line = Self::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            if word == "--" {
                line.words.extend(rest.by_ref().cloned());
            } else if let Some(option) = word.strip_prefix("--") {
                let (name, value) = match option.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (option, None),
                };
                line.add(name, value, &mut rest);
            } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                let mut letters = letters.chars();
                let first = letters.next().unwrap_or_default();
                let value = Some(letters.as_str()).filter(|value| !value.is_empty());
                let value = value.map(|value| value.strip_prefix('=').unwrap_or(value).to_owned());
                let name = shorts.iter().find(|it| it.0 == first).map_or("", |it| it.1);
                line.add(name, value, &mut rest);
            } else {
                line.words.push(word.clone());
            }
        }
        line
    }

    fn add<'w>(&mut self, name: &str, value: Option<String>, rest: &mut impl Iterator<Item = &'w String>) {
        if SWITCHES.contains(&name) {
            if value.as_deref() != Some("false") {
                self.switches.insert(name.to_owned());
            }
        } else if let Some(value) = value.or_else(|| rest.next().cloned()) {
            self.values.entry(name.to_owned()).or_default().push(value);
        }
    }

    pub(super) fn has(&self, switch: &str) -> bool {
        self.switches.contains(switch)
    }

    /// The values of an option that is a list. A value that would be an option of the next command is none.
    pub(super) fn list(&self, name: &str) -> Vec<&str> {
        let values = self.values.get(name).into_iter().flatten().flat_map(|value| value.split(','));
        values.map(str::trim).filter(|value| !value.is_empty() && !value.starts_with('-')).collect()
    }

    /// The last value of an option.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let value = self.values.get(name)?.last()?.trim();
        Some(value).filter(|value| !value.is_empty() && !value.starts_with('-'))
    }
}

/// A command line of olmdex in the making.
#[derive(Debug, Clone)]
pub(super) struct NewCommandLine(String);

impl NewCommandLine {
    pub(super) fn new(command: &str) -> Self {
        Self(format!("olmdex {command}"))
    }

    /// With a word.
    pub(super) fn word(mut self, text: &str) -> Self {
        self.0.push(' ');
        self.0.push_str(&word(text));
        self
    }

    pub(super) fn words<'w>(self, texts: impl IntoIterator<Item = &'w str>) -> Self {
        texts.into_iter().fold(self, Self::word)
    }

    /// With an option for each value.
    pub(super) fn option<'w>(self, name: &str, values: impl IntoIterator<Item = &'w str>) -> Self {
        values.into_iter().fold(self, |line, value| line.word(name).word(value))
    }

    pub(super) fn switch(self, name: &str, is_set: bool) -> Self {
        if is_set { self.word(name) } else { self }
    }

    /// As it is typed.
    pub(super) fn typed(self) -> String {
        self.0
    }
}
