//! The commands by task, as the help shows them.
//!
//! What it deliberately does not do: it describes none; each command does that itself.

use std::fmt::Write as _;

use clap::Command;

/// Tasks with their commands. A test sees that each command has its place.
const GROUPS: &[(&str, &[&str])] = &[
    ("Catalogs", &["build", "validate", "render", "list", "show", "search", "diff", "history", "info", "sql"]),
    ("Upgrades", &["updates", "path", "why-not", "graph", "check-graph", "compat"]),
    ("Clusters", &["plan", "platform-path", "lifecycle"]),
    ("Needs", &["resolve", "why", "deps", "provides", "requires", "images", "crd-check", "explain-message"]),
    ("Legacy", &["migrate", "legacy", "doctor"]),
    ("Author", &["init", "bundle", "template", "release", "repo", "generate", "edit", "simulate", "z-stream", "lsp"]),
    ("Mirror", &["filter", "mirror", "lock", "outdated", "renovate", "image", "push", "pull", "cache"]),
    ("Serve", &["serve", "export"]),
    ("Shell", &["completion", "man", "help"]),
];

/// Where a new user begins.
const FIRST_STEPS: &str = "  olmdex validate my-catalog/                    check a catalog
  olmdex build my-catalog/                       make ./index.db, which the commands below ask
  olmdex updates keda@2.10.1                     what OLM upgrades it to
  olmdex why-not keda@2.12.0 --installed 2.10.1  why it does not take another version";

/// Has the root's help list the commands by task.
pub(in crate::cli) fn grouped(root: Command) -> Command {
    let about = |name: &str| match name {
        "help" => "Print the help of a command".to_owned(),
        _ => root.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string).unwrap_or_default(),
    };
    let width = GROUPS.iter().flat_map(|it| it.1).map(|it| it.len()).max().unwrap_or_default();
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (task, names) in GROUPS {
        // Writing into a `String` does not fail.
        let _ = writeln!(text, "\n{}", heading(task));
        for name in *names {
            let _ = writeln!(text, "  {name:width$}  {}", about(name));
        }
    }
    let _ = write!(text, "\n{}\n{FIRST_STEPS}\n\n{}\n{{options}}\n\n", heading("First steps"), heading("Options"));
    text.push_str("`olmdex help COMMAND` has the options of a command, with examples.");
    root.help_template(text)
}

/// As clap prints its headings.
fn heading(text: &str) -> String {
    format!("\u{1b}[1m\u{1b}[4m{text}:\u{1b}[0m")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::GROUPS;

    #[test]
    fn each_command_is_listed_once() {
        let root = crate::cli::Cli::command();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|it| it.1).copied().filter(|it| *it != "help").collect();
        let mut all: Vec<&str> =
            root.get_subcommands().filter(|it| !it.is_hide_set()).map(|it| it.get_name()).collect();
        listed.sort_unstable();
        all.sort_unstable();
        assert_eq!(listed, all);
    }

    #[test]
    fn each_line_fits_a_terminal() {
        for command in crate::cli::Cli::command().get_subcommands().filter(|it| !it.is_hide_set()) {
            let about = command.get_about().unwrap().to_string();
            assert!(about.len() <= 80, "{} is described in {} characters: {about}", command.get_name(), about.len());
        }
    }
}
