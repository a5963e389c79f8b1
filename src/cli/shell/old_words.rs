//! The words that were commands of their own before version 0.3. They stay, and mean what they always meant.

use std::ffi::OsString;
use std::io::IsTerminal as _;

use super::vocabulary::is_command;
use crate::cli::terminal::report::Reporter;

/// Each old word with the new words for it.
pub(super) const OLD_WORDS: &[(&str, &str)] = &[
    ("updates", "upgrades"),
    ("path", "upgrades --steps"),
    ("why-not", "upgrades --to VERSION"),
    ("history", "log"),
    ("blame", "log --by-commit"),
    ("bisect", "log --bisect RULE"),
    ("stranded", "log --stranded"),
    ("whereis", "list --by-catalog"),
    ("lifecycle", "list --support-ends"),
    ("info", "list --space"),
    ("installed", "list installed"),
    ("provides", "list apis"),
    ("requires", "deps --needed-by"),
    ("why", "deps --why"),
    ("check-graph", "check --only graph --strict"),
    ("bundle", "check"),
    ("repo", "check"),
    ("doctor", "check"),
    ("crd-check", "diff --only crd"),
    ("compat", "plan --only blockers"),
    ("platform-path", "plan --only platform"),
    ("v1", "plan --to olm-v1"),
    ("init", "edit new-package"),
    ("release", "edit release"),
    ("z-stream", "edit z-stream"),
    ("simulate", "edit impact"),
    ("legacy", "edit"),
    ("onboard", "template onboard"),
    ("filter", "mirror filter"),
    ("outdated", "lock outdated"),
    ("renovate", "lock renovate"),
    ("generate", "image dockerfile"),
    ("push", "image push"),
    ("pull", "image pull"),
    ("man", "help --man"),
    ("completion", "help --completion"),
];

/// Names the new words to a person who types an old one.
pub(in crate::cli) fn name_the_new(words: &[OsString], reporter: Reporter) {
    let is_read_by_people = std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
    let Some(typed) = (1..words.len()).find(|at| is_command(words, *at) && !is_option(&words[*at])) else { return };
    let found = OLD_WORDS.iter().find(|(old, _)| words[typed] == *old);
    if let Some((old, new)) = found.filter(|_| is_read_by_people) {
        reporter.note(&format!("`olmdex {old}` has been `olmdex {new}` since 0.3; the old name still works"));
    }
}

fn is_option(word: &OsString) -> bool {
    word.to_string_lossy().starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::CommandLine;

    #[test]
    fn answers_name_commands_by_the_same_new_words() {
        let mut n_new = 0;
        for (old, new) in OLD_WORDS {
            let named = CommandLine::of(old).about(std::iter::empty());
            assert!(named == format!("olmdex {old}") || named == format!("olmdex {new}"), "{old}: {named}");
            n_new += usize::from(named == format!("olmdex {new}"));
        }
        assert_eq!(n_new, 8);
    }

    #[test]
    fn the_changelog_has_the_old_and_the_new_words() {
        let changelog = include_str!("../../../CHANGELOG.md");
        for (old, new) in OLD_WORDS {
            let row = changelog.lines().find(|line| line.starts_with('|') && line.contains(&format!("`{old}`")));
            assert!(row.is_some_and(|row| row.contains(&format!("`{new}`"))), "{old} | {new}: {row:?}");
        }
    }
}
