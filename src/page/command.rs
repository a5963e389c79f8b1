//! The command line that gives the answer of a page.
//!
//! What it deliberately does not do: it runs nothing.

use crate::diag::printable;

/// A command of this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    verb: &'static str,
    names: Vec<String>,
    options: Vec<(&'static str, String)>,
    /// How it takes the catalogs.
    takes: Takes,
}

/// How a command takes the catalogs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// As an option.
    Option,
    /// As its first arguments, so many times.
    Arguments(usize),
}

impl Command {
    pub(super) fn new(verb: &'static str) -> Self {
        Self { verb, names: Vec::new(), options: Vec::new(), takes: Takes::Option }
    }

    /// A command that takes the catalogs as its first arguments.
    pub(super) fn of_sources(verb: &'static str, n_times: usize) -> Self {
        Self { takes: Takes::Arguments(n_times), ..Self::new(verb) }
    }

    pub(super) fn name(mut self, name: impl Into<String>) -> Self {
        self.names.push(name.into());
        self
    }

    pub(super) fn option(mut self, option: &'static str, value: impl Into<String>) -> Self {
        self.options.push((option, value.into()));
        self
    }

    pub(super) fn given(self, option: &'static str, value: Option<&String>) -> Self {
        match value {
            Some(value) => self.option(option, value),
            None => self,
        }
    }

    /// As it is typed into a shell; `source` says where the catalogs are.
    pub(super) fn line(&self, source: &[String]) -> String {
        let mut words = vec!["olmdex".to_owned(), self.verb.to_owned()];
        let names = self.names.iter().map(|it| quoted(it));
        let files = source.iter().filter(|it| *it != "-i").map(|it| quoted(it));
        if let Takes::Arguments(n_times) = self.takes {
            (0..n_times).for_each(|_| words.extend(files.clone()));
        }
        // A name that looks like an option must not be one.
        let is_plain = |text: &String| !text.starts_with('-');
        let is_named_last = !self.names.iter().all(is_plain);
        if !is_named_last {
            words.extend(names.clone());
        }
        for (option, value) in &self.options {
            match is_plain(value) {
                true => words.extend([(*option).to_owned(), quoted(value)]),
                false => words.push(format!("{option}={}", quoted(value))),
            }
        }
        if self.takes == Takes::Option {
            words.extend(source.iter().map(|it| quoted(it)));
        }
        if is_named_last {
            words.push("--".to_owned());
            words.extend(names);
        }
        words.join(" ")
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let word = printable(word);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=,+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::Command;

    #[test]
    fn names_are_words_whatever_they_hold() {
        let source = ["-i".to_owned(), "my index.db".to_owned()];
        let show = |name: &str| Command::new("show").name(name).option("--catalog", "c").line(&source);
        assert_eq!(show("keda@1.0.0"), "olmdex show keda@1.0.0 --catalog c -i 'my index.db'");
        assert_eq!(show("$(x) 'y'"), "olmdex show '$(x) '\\''y'\\''' --catalog c -i 'my index.db'");
        assert_eq!(show("--version"), "olmdex show --catalog c -i 'my index.db' -- --version");
        assert_eq!(Command::new("path").option("--to", "-x").line(&[]), "olmdex path --to=-x");
    }
}
