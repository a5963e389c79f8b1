//! The commands by task, as the help shows them.
//!
//! What it deliberately does not do: it describes none; each command does that itself.

use std::fmt::Write as _;

use clap::Command;

/// Where a new user begins.
const FIRST_STEPS: &str = "  olmdex validate my-catalog/                    check a catalog
  olmdex build my-catalog/                       make ./index.db, which the commands below ask
  olmdex updates keda@2.10.1                     what OLM upgrades it to
  olmdex why-not keda@2.12.0 --installed 2.10.1  why it does not take another version";

/// What commands are for, in the order of the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cli) enum Task {
    Catalogs,
    Upgrades,
    Clusters,
    Needs,
    Legacy,
    Author,
    Mirror,
    Serve,
    Shell,
}

/// Has the root's help list the commands by task: each is at a place among those of its task.
pub(in crate::cli) fn grouped(root: Command, places: &[(Task, u8, &str)]) -> Command {
    let help = (Task::Shell, u8::MAX, "help");
    let is_shown = |name: &str| root.find_subcommand(name).is_some_and(|it| !it.is_hide_set());
    let mut shown: Vec<_> = places.iter().copied().filter(|it| is_shown(it.2)).chain([help]).collect();
    shown.sort_unstable();
    let about = |name: &str| match name {
        "help" => "Print the help of a command".to_owned(),
        _ => root.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string).unwrap_or_default(),
    };
    let width = shown.iter().map(|it| it.2.len()).max().unwrap_or_default();
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    // Writing into a `String` does not fail.
    for of_task in shown.chunk_by(|a, b| a.0 == b.0) {
        let _ = writeln!(text, "\n{}", heading(&format!("{:?}", of_task[0].0)));
        for (_, _, name) in of_task {
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

    #[test]
    fn each_command_has_a_place_of_its_own() {
        let mut places: Vec<_> = crate::cli::PLACES.iter().map(|it| (it.0, it.1)).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), crate::cli::PLACES.len());
    }

    #[test]
    fn each_line_fits_a_terminal() {
        for command in crate::cli::Cli::command().get_subcommands().filter(|it| !it.is_hide_set()) {
            let about = command.get_about().unwrap().to_string();
            assert!(about.len() <= 80, "{} is described in {} characters: {about}", command.get_name(), about.len());
        }
    }
}
