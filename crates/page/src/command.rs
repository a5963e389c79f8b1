//! The command line that gives the answer of a page.

use olmdex_base::diag::printable;
use olmdex_text::encoding::shell;

/// A command of this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    verb: &'static str,
    names: Vec<String>,
    options: Vec<(&'static str, String)>,
    flags: Vec<&'static str>,
    /// How it takes the catalogs.
    takes: Takes,
}

/// How a command takes the catalogs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// As an option.
    Option,
    /// As its first arguments, the given number of them.
    Arguments(usize),
}

impl Command {
    pub(super) fn new(verb: &'static str) -> Self {
        Self { verb, names: Vec::new(), options: Vec::new(), flags: Vec::new(), takes: Takes::Option }
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

    /// The same with an option that has no value.
    pub(super) fn flag(mut self, flag: &'static str) -> Self {
        self.flags.push(flag);
        self
    }

    /// The command as a user types it into a shell; `source` names the catalogs.
    pub(super) fn line(&self, source: &[String]) -> String {
        let mut words = vec!["olmdex".to_owned(), self.verb.to_owned()];
        let names = self.names.iter().map(|it| quoted(it));
        let mut options: Vec<&(&str, String)> = self.options.iter().collect();
        if let Takes::Arguments(n_times) = self.takes {
            let files: Vec<&String> = source.iter().filter(|it| *it != "-i").collect();
            // If each source is one catalog, the source stands for its catalog.
            let is_catalog = |it: &(&str, String)| CATALOG_OPTIONS.contains(&it.0);
            let meant = self.options.iter().filter(|it| is_catalog(it));
            let meant: Option<Vec<&String>> =
                meant.map(|it| files.iter().find(|file| is_of_catalog(file, &it.1)).copied()).collect();
            match meant.filter(|it| files.len() > 1 && it.len() == n_times) {
                Some(meant) => {
                    options.retain(|it| !is_catalog(it));
                    words.extend(meant.into_iter().map(|it| quoted(taken_apart(it).1)));
                }
                None => {
                    (0..n_times).for_each(|_| words.extend(files.iter().map(|it| quoted(taken_apart(it).1))));
                }
            }
        }
        // A name that looks like an option must not be read as one.
        let is_plain = |text: &String| !text.starts_with('-');
        let is_named_last = !self.names.iter().all(is_plain);
        if !is_named_last {
            words.extend(names.clone());
        }
        for (option, value) in options {
            match is_plain(value) {
                true => words.extend([(*option).to_owned(), quoted(value)]),
                false => words.push(format!("{option}={}", quoted(value))),
            }
        }
        words.extend(self.flags.iter().map(|it| (*it).to_owned()));
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

/// The options of `diff` that name a catalog.
const CATALOG_OPTIONS: [&str; 2] = ["--old-catalog", "--new-catalog"];

/// The name and the path of `NAME=PATH`, which `-i` takes and arguments do not.
fn taken_apart(source: &str) -> (Option<&str>, &str) {
    let is_name = |it: &str| !it.is_empty() && it.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    match source.split_once('=') {
        Some((name, path)) if is_name(name) => (Some(name), path),
        _ => (None, source),
    }
}

/// Whether a catalog comes from a source: by the name that the user gave it, else by that of its directory or file.
fn is_of_catalog(source: &str, catalog: &str) -> bool {
    match taken_apart(source) {
        (Some(name), _) => name == catalog,
        (None, path) => {
            let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            last == catalog || last.split('.').next() == Some(catalog)
        }
    }
}

/// A word as a shell takes it, and as a terminal shows it.
fn quoted(word: &str) -> String {
    shell::word(&printable(word))
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

    #[test]
    fn arguments_are_paths_without_names() {
        let words = |all: &[&str]| all.iter().flat_map(|it| ["-i".to_owned(), (*it).to_owned()]).collect::<Vec<_>>();
        let diff = Command::of_sources("diff", 2).option("--old-catalog", "4.9").option("--new-catalog", "b");
        for (sources, line) in [
            (&["4.9=x/old", "4.8=a", "y/b"][..], "olmdex diff x/old y/b"),
            (&["index.db"], "olmdex diff index.db index.db --old-catalog 4.9 --new-catalog b"),
        ] {
            assert_eq!(diff.line(&words(sources)), line);
        }
        let validate = Command::of_sources("validate", 1);
        assert_eq!(validate.line(&words(&["4.9=x/old", "./p=q", "y"])), "olmdex validate x/old ./p=q y");
        let list = Command::new("list").name("catalogs");
        assert_eq!(list.line(&words(&["4.9=x/old", "y"])), "olmdex list catalogs -i 4.9=x/old -i y");
    }
}
