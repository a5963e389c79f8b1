//! Words that mean the same in every command: other spellings of options, and verbs that a noun does without.
//!
//! Each is handled in one place, so that no command can forget one; help shows none of them.

use std::ffi::OsString;

use clap::{Arg, Command};

/// An option, and its other name if nothing else has that name.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("output", "format"),
    ("installed", "from"),
    ("compat", "as"),
    ("version", "range"),
    ("old", "base"),
    ("sort-by", "sort"),
    ("permissions", "rbac"),
];

/// Options that other tools have, and the same here.
const OTHER_WORDS: &[(&str, &str)] = &[("--json", "--output=json"), ("--deprecated", "--status=deprecated")];

/// Nouns with the verb that may be left out.
const SILENT_VERBS: &[(&str, &str)] = &[("bundle", "validate"), ("repo", "check"), ("mirror", "plan")];

/// A command and those below it, with the other names of their options.
pub(in crate::cli) fn with_other_names(command: Command) -> Command {
    let taken: Vec<String> = command.get_arguments().flat_map(names).collect();
    let is_free = |name: &str| !taken.iter().any(|it| it == name);
    // The question is about the newer of two states.
    let compares = !is_free("old") && is_free("new");
    let command = command.mut_args(|argument| {
        let long = argument.get_long().unwrap_or_default();
        match OTHER_NAMES.iter().find(|it| it.0 == long && is_free(it.1)) {
            Some((_, other)) => argument.alias(*other),
            None if compares && long == "input" => argument.alias("new"),
            None => argument,
        }
    });
    command.mut_subcommands(with_other_names)
}

/// The long names of an argument.
fn names(argument: &Arg) -> Vec<String> {
    let others = argument.get_all_aliases().unwrap_or_default();
    argument.get_long().into_iter().chain(others).map(str::to_owned).collect()
}

/// A command line in the declared words. The first word is the program.
pub(in crate::cli) fn translated(words: Vec<OsString>) -> Vec<OsString> {
    let without_verb = SILENT_VERBS.iter().find_map(|(noun, verb)| {
        let at = words.iter().position(|it| it == noun).filter(|at| is_command(&words, *at))?;
        (words.get(at + 1)? == verb).then_some(at + 1)
    });
    // The words after `complete` are not a command line of their own.
    let completes = words.get(1).is_some_and(|it| it == "complete");
    let mut is_past_options = false;
    let words = words.into_iter().enumerate().filter(|(at, _)| Some(*at) != without_verb).map(|(_, word)| {
        is_past_options |= word == "--";
        let other = OTHER_WORDS.iter().find(|it| word == it.0 && !is_past_options && !completes);
        other.map_or(word, |it| OsString::from(it.1))
    });
    words.collect()
}

/// Whether a word is the command: only options and their values come before it.
pub(super) fn is_command(words: &[OsString], at: usize) -> bool {
    let is_option = |at: usize| words[at].to_string_lossy().starts_with('-');
    at > 0 && (1..at).all(|it| is_option(it) || words[it] == "help" || (it > 1 && is_option(it - 1)))
}

#[cfg(test)]
mod tests {
    use clap::builder::PossibleValue;

    use super::translated;
    use crate::cli::args::formats::{FINDINGS, ROWS};

    #[test]
    fn other_words_are_understood() {
        for (given, meant) in [
            ("olmdex list packages --json", "olmdex list packages --output=json"),
            ("olmdex list --deprecated", "olmdex list --status=deprecated"),
            ("olmdex show -- --json", "olmdex show -- --json"),
            ("olmdex bundle validate dir", "olmdex bundle dir"),
            ("olmdex -q --color never repo check .", "olmdex -q --color never repo ."),
            ("olmdex help mirror plan", "olmdex help mirror"),
            ("olmdex bundle ./validate", "olmdex bundle ./validate"),
            ("olmdex show bundle validate", "olmdex show bundle validate"),
            ("olmdex complete --current --json", "olmdex complete --current --json"),
        ] {
            let words = translated(given.split(' ').map(Into::into).collect());
            assert_eq!(words, meant.split(' ').collect::<Vec<_>>(), "{given}");
        }
    }

    #[test]
    fn no_name_means_two_options() {
        // Building it asserts that.
        crate::cli::whole().build();
    }

    #[test]
    fn a_format_is_called_alike_everywhere() {
        let mut open = vec![crate::cli::whole()];
        while let Some(command) = open.pop() {
            open.extend(command.get_subcommands().cloned());
            let Some(output) = command.get_arguments().find(|it| it.get_long() == Some("output")) else { continue };
            let values = output.get_possible_values();
            let shown: Vec<&str> = values.iter().filter(|it| !it.is_hide_set()).map(PossibleValue::get_name).collect();
            assert!(!shown.contains(&"text") && !shown.contains(&"plain"), "{}: {shown:?}", command.get_name());
            assert!(output.is_hide_set() || !shown.is_empty(), "`-o` of {} is no format", command.get_name());
            if shown.contains(&"table") {
                let takes = |word: &str| values.iter().any(|it| it.matches(word, false));
                assert!(takes("text") || takes("plain"), "{}", command.get_name());
            }
        }
    }
    /// A `match` on formats ends with the default one, which would stand for a forgotten format without a word (issue
    /// 52.6).
    #[test]
    fn each_special_format_is_shown_in_a_transcript() {
        let mut open: Vec<_> =
            crate::cli::plain().get_subcommands().map(|it| (it.get_name().to_owned(), it.clone())).collect();
        while let Some((name, command)) = open.pop() {
            open.extend(command.get_subcommands().map(|it| (name.clone(), it.clone())));
            let Some(output) = command.get_arguments().find(|it| it.get_long() == Some("output")) else { continue };
            let is_common = |word: &str| ROWS.named(word).or(FINDINGS.named(word)).is_some();
            let values = output.get_possible_values();
            let special: Vec<&str> = values.iter().map(PossibleValue::get_name).filter(|it| !is_common(it)).collect();
            if special.is_empty() {
                continue;
            }
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/asking").join(&name);
            let cases =
                std::fs::read_dir(folder).unwrap().map(|it| std::fs::read_to_string(it.unwrap().path()).unwrap());
            let asked: Vec<String> = cases.filter_map(|it| it.lines().next().map(str::to_owned)).collect();
            for word in special {
                let ends = [format!("-o {word}"), format!("-o {word} ")];
                let has = |line: &String| line.ends_with(&ends[0]) || line.contains(&ends[1]);
                assert!(asked.iter().any(has), "no case of fixtures/asking/{name} has `-o {word}`");
            }
        }
    }
}
