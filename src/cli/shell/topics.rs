//! The topics of `olmdex help` that are not about one command, which also are sections of the manual pages.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt::Write as _;

use clap::{Arg, Command};

use super::layout::{description, label, wrapped};
use crate::cli::args::choice::HEADING;

/// A topic: its words, its heading, and rows of a term with its meaning.
struct Topic {
    words: &'static [&'static str],
    heading: &'static str,
    about: &'static str,
    rows: &'static [(&'static str, &'static str)],
}

const TOPICS: &[Topic] = &[
    Topic {
        words: &["sources", "source"],
        heading: "SOURCES",
        about: "Commands take these sources by position or with `-i`, and tell them apart by their content. NAME= before \
            a source gives its catalog a name. Only `docker://`, an ImageSetConfiguration without a \
            copy of its catalog and `--cluster @` use the network.",
        rows: &[
            ("index.db", "an index of `olmdex build`; without any source $OLMDEX_INDEX, then ./index.db"),
            ("DIR, FILE, -", "a file-based catalog in YAML or JSON; `-` is standard input"),
            ("FILE.db", "a legacy SQLite catalog of opm"),
            ("DIR", "a bundle directory, an OCI layout, an operator repository, a must-gather"),
            ("FILE.tar", "an archive of any of these, or of an image; also with gzip, zstd or xz"),
            ("oci:DIR[:TAG]", "an image in an OCI layout; also `oci-archive:`, `docker-archive:` and `dir:`"),
            ("docker://HOST/NAME[:TAG]", "an image in a registry"),
            ("git:REF:PATH", "a path in a commit of the repository here"),
            ("NAME@DAY", "a catalog of an index on an earlier day (`build --git`), for `diff`"),
        ],
    },
    Topic {
        words: &["names", "name"],
        heading: "NAMES",
        about: "A word is a path if it begins with `/`, `./` or `../`, is `-`, or ends in .db, .json, .yaml, .yml or \
            .tar. Any other word is a name first, and a path if no catalog has the name and there is such a file.",
        rows: &[
            ("PKG", "a package: the head of its default channel where a version is needed"),
            ("PKG@VERSION", "a version, with or without `v`; also as two words, PKG VERSION"),
            ("PKG/CHANNEL", "a channel: its head where a version is needed"),
            ("BUNDLE", "the name of a bundle, such as keda.v2.10.1"),
            ("NAME@VERSION", "a bundle that no catalog holds, with `--installed`"),
        ],
    },
    Topic {
        words: &["exit-codes", "exit-code", "exit-status"],
        heading: "EXIT STATUS",
        about: "The exit code is the same in every command:",
        rows: &[
            ("0", "yes, or done"),
            ("1", "no, or there are findings"),
            ("2", "wrong usage"),
            ("3", "input that cannot be read, or that is not what it should be"),
            ("4", "a name that does not exist; the message proposes others"),
            ("5", "a limit was reached"),
            ("70", "a bug in olmdex"),
        ],
    },
    Topic {
        words: &["environment"],
        heading: "ENVIRONMENT",
        about: "Options on the command line take precedence over these variables:",
        rows: &[
            ("OLMDEX_INDEX", "the index to ask without `-i`"),
            ("OLMDEX_PAGER, PAGER", "the program that shows long answers on a terminal; default: less"),
            ("NO_COLOR", "no colours"),
            ("COLUMNS", "the width of the terminal"),
            ("SOURCE_DATE_EPOCH", "the present, in seconds since 1970, for output that states a time"),
            ("XDG_CACHE_HOME", "the directory above the cache; default: ~/.cache"),
            ("REGISTRY_AUTH_FILE, DOCKER_CONFIG", "credentials of registries, as podman and docker read them"),
            ("KUBECONFIG", "the kubeconfig for `--cluster @CONTEXT`"),
        ],
    },
    Topic {
        words: &["files"],
        heading: "FILES",
        about: "",
        rows: &[
            ("index.db", "the index to ask without `-i` and $OLMDEX_INDEX"),
            ("olmdex.toml", "options of `check` and `validate`, and catalogs to compose; found here or above"),
            ("operators.lock", "the operators that `olmdex lock` pins"),
            ("~/.cache/olmdex", "images, and indexes of files that were asked about; see `olmdex cache`"),
        ],
    },
];

/// The word of the topic about options that many commands share.
const OF_OPTIONS: &str = "options";

/// Options that mean the same in many commands; so do those that choose findings.
const SHARED: &[&str] = &[
    "no_headers",
    "quote_formulas",
    "sort_by",
    "on",
    "max_work",
    "max_bytes",
    "path_in_image",
    "update_mode",
    "max_nested_paths",
    "migrate_level",
    "keep_going",
    "source_map",
    "feature_gates",
    "catalog_selector",
    "upgrade_constraint_policy",
    "global_namespace",
    "ignore_missing_catalogs",
    "kubernetes",
    "lifecycles",
    "date",
];

/// Whether the topic about options describes an option, so that the help of a command does without it.
pub(super) fn is_shared(option: &Arg) -> bool {
    option.get_help_heading() == Some(HEADING) || SHARED.contains(&option.get_id().as_str())
}

/// The options that many commands share, each once, with its description.
fn shared_options(root: &Command) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    // The first command that has an option describes it.
    let mut open: VecDeque<&Command> = VecDeque::from([root]);
    while let Some(command) = open.pop_front() {
        open.extend(command.get_subcommands());
        for option in command.get_arguments().filter(|option| is_shared(option) && !option.is_hide_set()) {
            let label = label(option);
            if !found.iter().any(|known| known.0 == label) {
                found.push((label, description(option)));
            }
        }
    }
    found.sort();
    found
}

/// A text above rows, for a terminal.
fn text_of<T: AsRef<str>>(about: &str, rows: &[(T, T)]) -> String {
    let mut text = String::new();
    if !about.is_empty() {
        // Writing into a `String` does not fail.
        let _ = writeln!(text, "{}\n", wrapped(about, "", WIDTH).join("\n"));
    }
    let width = rows.iter().map(|row| row.0.as_ref().chars().count()).max().unwrap_or_default();
    for (term, meaning) in rows {
        let lines = wrapped(meaning.as_ref(), "", WIDTH.saturating_sub(width + 4));
        let _ = writeln!(text, "  {:width$}  {}", term.as_ref(), lines.join(&format!("\n{}", " ".repeat(width + 4))));
    }
    text
}

/// The width of a topic on a terminal.
const WIDTH: usize = 80;

/// The text about the topic that a command line asks for. `root` gives the whole command line.
pub(in crate::cli) fn asked(words: &[OsString], root: impl FnOnce() -> Command) -> Option<String> {
    let [_, help, word] = words else { return None };
    if help == "help" && word == OF_OPTIONS {
        let about = "Many commands take these options. `olmdex help --all` has those that every command takes.";
        let mut root = root();
        root.build();
        return Some(text_of(about, &shared_options(&root)));
    }
    let is_it = |topic: &&Topic| topic.words.iter().any(|known| word == known);
    TOPICS.iter().find(is_it).filter(|_| help == "help").map(|topic| text_of(topic.about, topic.rows))
}

/// The words of the topics, for the help.
pub(in crate::cli) fn words() -> Vec<&'static str> {
    TOPICS.iter().map(|topic| topic.words[0]).chain([OF_OPTIONS]).collect()
}

/// The topics as sections of a manual page.
pub(super) fn sections() -> String {
    let mut text = String::new();
    for topic in TOPICS {
        let _ = writeln!(text, ".SH {}", topic.heading);
        if !topic.about.is_empty() {
            let _ = writeln!(text, "{}", roff(topic.about));
        }
        for (term, meaning) in topic.rows {
            let _ = writeln!(text, ".TP\n{}\n{}", roff(term), roff(meaning));
        }
    }
    text
}

/// A line of a manual page: no character in it is a command of roff.
fn roff(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::{TOPICS, asked, sections};
    use crate::cli::terminal::error::Exit;

    #[test]
    fn each_topic_fits_a_terminal_and_the_manual() {
        let manual = sections();
        for topic in TOPICS {
            for word in topic.words {
                let text = asked(&["olmdex".into(), "help".into(), (*word).into()], crate::cli::plain).unwrap();
                assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
                assert!(crate::cli::whole().find_subcommand(word).is_none(), "{word} is a command");
            }
            assert!(manual.contains(&format!(".SH {}\n", topic.heading)));
        }
    }

    #[test]
    fn each_exit_code_is_explained() {
        let codes = asked(&["olmdex".into(), "help".into(), "exit-codes".into()], crate::cli::plain).unwrap();
        for exit in [Exit::Yes, Exit::No, Exit::Usage, Exit::Input, Exit::NotFound, Exit::Limit, Exit::Bug] {
            assert!(codes.contains(&format!("\n  {} ", exit.code())), "{codes}");
        }
    }
}
