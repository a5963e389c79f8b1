//! The candidates for the end of a command line that is being typed.
//!
//! Options, commands and values come from clap's own description of the command line, so nothing here can go stale.
//! `candidates` knows the values of arguments.

use clap::{Arg, ArgAction, Command};

use crate::cli::shell::candidates::{Candidate, Context, Offer, Wants, names, wants};

/// A command line so far: its command, its arguments, and the owner of the next word.
#[derive(Debug)]
pub(in crate::cli) struct Line<'a> {
    /// The whole command line.
    root: &'a Command,
    command: &'a Command,
    /// The arguments so far, with their values; those of flags are empty.
    given: Vec<(&'a Arg, String)>,
    /// An option that waits for its value.
    pending: Option<&'a Arg>,
    n_positional: usize,
    /// Whether `--` has been typed.
    is_past_options: bool,
}

impl<'a> Line<'a> {
    /// Reads the words before the one to complete, as clap will.
    pub(in crate::cli) fn new(root: &'a Command, words: &[String]) -> Self {
        let mut line =
            Self { root, command: root, given: Vec::new(), pending: None, n_positional: 0, is_past_options: false };
        for word in words {
            line.push(word);
        }
        line
    }

    fn push(&mut self, word: &str) {
        if let Some(option) = self.pending.take() {
            self.given.push((option, word.to_owned()));
        } else if self.is_past_options || !word.starts_with('-') || word == "-" {
            self.push_positional(word);
        } else if word == "--" {
            self.is_past_options = true;
        } else if let Some(name) = word.strip_prefix("--") {
            let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
            if let Some(option) = self.long(name) {
                self.push_option(option, value);
            }
        } else {
            let (option, value) = self.shorts(&word[1..]);
            if let Some(option) = option {
                self.push_option(option, value);
            }
        }
    }

    fn push_option(&mut self, option: &'a Arg, value: Option<&str>) {
        match value {
            None if option.get_action().takes_values() => self.pending = Some(option),
            value => self.given.push((option, value.unwrap_or_default().to_owned())),
        }
    }

    fn push_positional(&mut self, word: &str) {
        if self.n_positional == 0
            && !self.is_past_options
            && let Some(command) = self.command.find_subcommand(word)
        {
            self.command = command;
            return;
        }
        if let Some(argument) = self.positional() {
            self.given.push((argument, word.to_owned()));
        }
        self.n_positional += 1;
    }

    fn long(&self, name: &str) -> Option<&'a Arg> {
        let is_it = |it: &&Arg| {
            it.get_long() == Some(name) || it.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
        };
        self.command.get_arguments().find(is_it)
    }

    /// Short options in one word: those before the last are flags. Returns the last, with the text after it.
    fn shorts<'w>(&mut self, letters: &'w str) -> (Option<&'a Arg>, Option<&'w str>) {
        for (at, letter) in letters.char_indices() {
            let is_it = |it: &&Arg| it.get_short() == Some(letter);
            let Some(option) = self.command.get_arguments().find(is_it) else { return (None, None) };
            let rest = &letters[at + letter.len_utf8()..];
            if option.get_action().takes_values() {
                return (Some(option), (!rest.is_empty()).then(|| rest.strip_prefix('=').unwrap_or(rest)));
            }
            self.given.push((option, String::new()));
        }
        (None, None)
    }

    /// The positional argument that comes next.
    fn positional(&self) -> Option<&'a Arg> {
        let is_repeated = |it: &&Arg| it.get_num_args().is_some_and(|n| n.max_values() > 1);
        let mut all = self.command.get_positionals();
        all.nth(self.n_positional).or_else(|| self.command.get_positionals().last().filter(is_repeated))
    }

    /// The words of the command so far, without the name of the program.
    pub(in crate::cli) fn path(&self) -> Vec<String> {
        let name = self.command.get_bin_name().unwrap_or_default();
        name.split(' ').skip(1).map(str::to_owned).collect()
    }

    /// The candidates for a word that begins with `typed`.
    pub(in crate::cli) fn offer(mut self, typed: &str) -> Offer {
        if let Some(option) = self.pending {
            return self.values(option, "", typed);
        }
        if self.is_past_options || !typed.starts_with('-') {
            return self.free(typed);
        }
        if let Some((name, value)) = typed.strip_prefix("--").and_then(|it| it.split_once('=')) {
            let option = self.long(name).filter(|it| it.get_action().takes_values());
            return option
                .map_or_else(Offer::nothing, |it| self.values(it, &typed[..typed.len() - value.len()], value));
        }
        if !typed.starts_with("--")
            && let (Some(option), Some(value)) = self.shorts(&typed[1..])
        {
            return self.values(option, &typed[..typed.len() - value.len()], value);
        }
        Offer::Words(self.options(typed))
    }

    /// Commands and values of positional arguments, or options if neither fits.
    fn free(&self, typed: &str) -> Offer {
        if self.n_positional == 0 && self.command.has_subcommands() {
            let shown = self.command.get_subcommands().filter(|it| !it.is_hide_set());
            let words = shown.map(|it| Candidate::new(it.get_name(), it.get_about().map(ToString::to_string)));
            let mut words: Vec<_> = words.filter(|it| it.word.starts_with(typed)).collect();
            // A first word may also be a value.
            if let Some(Offer::Words(values)) = self.positional().map(|argument| self.values(argument, "", typed)) {
                words.extend(values);
            }
            return Offer::Words(words);
        }
        match self.positional() {
            Some(argument) => self.values(argument, "", typed),
            None if typed.is_empty() && !self.is_past_options => Offer::Words(self.options("--")),
            None => Offer::nothing(),
        }
    }

    /// The options that may still be given.
    fn options(&self, typed: &str) -> Vec<Candidate> {
        let is_open = |it: &&Arg| {
            let is_repeated = matches!(it.get_action(), ArgAction::Append | ArgAction::Count);
            !it.is_hide_set() && (is_repeated || !self.given.iter().any(|(given, _)| given.get_id() == it.get_id()))
        };
        let options = self.command.get_arguments().filter(is_open);
        let words = options.filter_map(|it| {
            let help = it.get_help().map(ToString::to_string);
            Some(Candidate::new(format!("--{}", it.get_long()?), help))
        });
        words.filter(|it| it.word.starts_with(typed)).collect()
    }

    /// The values of an argument; `before` precedes the value in the same word.
    fn values(&self, argument: &Arg, before: &str, typed: &str) -> Offer {
        // In a list only the last value is still being typed.
        let (earlier, typed) = match argument.get_value_delimiter().and_then(|it| typed.rfind(it)) {
            Some(at) => typed.split_at(at + 1),
            None => ("", typed),
        };
        let possible = argument.get_possible_values();
        let candidates = if !possible.is_empty() {
            let shown = possible.into_iter().filter(|it| !it.is_hide_set());
            shown.map(|it| Candidate::new(it.get_name(), it.get_help().map(ToString::to_string))).collect()
        } else {
            match wants(argument) {
                Wants::Files => return Offer::Files,
                Wants::Directories => return Offer::Directories,
                Wants::Nothing => return Offer::nothing(),
                Wants::Commands => {
                    let shown = self.root.get_subcommands().filter(|it| !it.is_hide_set());
                    shown.map(|it| Candidate::new(it.get_name(), it.get_about().map(ToString::to_string))).collect()
                }
                wanted => names(wanted, typed, &self.context()),
            }
        };
        // In a list, a name with a comma would become two.
        let fitting = candidates.into_iter().filter(|it| it.word.starts_with(typed) && !it.word.contains(','));
        // A value that begins with `-` would look like an option.
        let fitting = fitting.filter(|it| !it.word.starts_with('-'));
        Offer::Words(
            fitting.map(|it| Candidate { word: format!("{before}{earlier}{}", it.word), about: it.about }).collect(),
        )
    }

    /// The words so far that decide where names come from.
    fn context(&self) -> Context {
        let mut context = Context::default();
        for (argument, value) in &self.given {
            match wants(argument) {
                Wants::Package | Wants::Name | Wants::PackageOrApi if context.package.is_none() => {
                    let end = value.find(['@', '/']).filter(|it| *it > 0).unwrap_or(value.len());
                    context.package = Some(value[..end].to_owned());
                }
                Wants::Catalog => context.catalogs.push(value.clone()),
                Wants::Files if argument.get_id() == "input" || argument.is_positional() => {
                    context.sources.push(value.clone());
                }
                _ => {}
            }
        }
        context
    }
}
