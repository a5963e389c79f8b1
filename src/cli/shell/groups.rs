//! The commands by task, as the help shows them.

use std::fmt::Write as _;

use clap::Command;

use crate::cli::shell::layout::{Form, heading, wrapped};
use crate::cli::shell::topics;
use crate::cli::terminal::screen;

/// The first steps of a new user.
const FIRST_STEPS: &str = "  olmdex check my-catalog/                       check a catalog, a bundle, or anything else
  olmdex build my-catalog/                       make ./index.db, which the commands below ask
  olmdex upgrades keda@2.10.1                    what OLM upgrades it to
  olmdex upgrades keda@2.10.1 --to 2.12.0        the steps there, or why OLM does not take it";

/// The tasks of commands, in the order of the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cli) enum Task {
    Catalogs,
    Upgrades,
    Authoring,
    Mirroring,
    Serving,
    /// No place in the help.
    Hidden,
}

/// Makes the root's help list the commands by task: each has a place among those of its task.
pub(in crate::cli) fn grouped(root: Command, places: &[(Task, u8, &str)], form: Form) -> Command {
    let help = (Task::Serving, u8::MAX, "help");
    let mut shown: Vec<_> = places.iter().copied().filter(|it| it.0 != Task::Hidden).chain([help]).collect();
    shown.sort_unstable();
    let about = |name: &str| match name {
        "help" => "Print help; `--man`: manual pages, `--completion`: for a shell".to_owned(),
        _ => root.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string).unwrap_or_default(),
    };
    let width = screen::help_width();
    let mut text = String::from("{about-with-newline}\n");
    let _ = write!(text, "{}\n{FIRST_STEPS}\n", heading("First steps"));
    // Writing into a `String` does not fail.
    if form == Form::Screen {
        text.push('\n');
        let of_task = |it: &(Task, u8, &str)| format!("{:?}", it.0);
        let label_width = shown.iter().map(|it| of_task(it).len()).max().unwrap_or_default();
        for of_group in shown.chunk_by(|a, b| a.0 == b.0) {
            let names: Vec<&str> = of_group.iter().map(|it| it.2).collect();
            push_row(&mut text, &of_task(&of_group[0]), label_width, &names.join(", "), width);
        }
        text.push_str("\nUsage: olmdex <COMMAND> [OPTIONS]\n\n");
        text.push_str("`olmdex help` describes the commands, `olmdex COMMAND -h` describes one of them,\n");
        text.push_str("and `olmdex help --all` the options that every command takes.");
    } else {
        let name_width = shown.iter().map(|it| it.2.len()).max().unwrap_or_default();
        let _ = write!(text, "\n{{usage-heading}} {{usage}}\n");
        for of_group in shown.chunk_by(|a, b| a.0 == b.0) {
            let _ = writeln!(text, "\n{}", heading(&format!("{:?}", of_group[0].0)));
            for (_, _, name) in of_group {
                push_row(&mut text, name, name_width, &about(name), width);
            }
        }
        let _ = write!(text, "\n{}\n{{options}}\n\n", heading("Options"));
        text.push_str("`olmdex help COMMAND` describes the options of a command, with examples");
        text.push_str(if form == Form::All {
            "."
        } else {
            "; `olmdex help --all` describes those that every command takes."
        });
        let _ = write!(text, "\nTopics, as in `olmdex help names`: {}.", topics::words().join(", "));
    }
    root.help_template(text)
}

/// Beside names, descriptions are not narrower.
const MIN_ABOUT: usize = 30;

/// A name with its description in lines of a width: beside it, or below it if there is no room.
fn push_row(text: &mut String, name: &str, name_width: usize, about: &str, width: usize) {
    let is_below = width < name_width + 4 + MIN_ABOUT;
    let indent = " ".repeat(if is_below { 6 } else { name_width + 4 });
    let lines = wrapped(about, "", width.saturating_sub(indent.len())).join(&format!("\n{indent}"));
    // Writing into a `String` does not fail.
    let _ = match is_below {
        true => writeln!(text, "  {name}\n{indent}{lines}"),
        false => writeln!(text, "  {name:name_width$}  {lines}"),
    };
}

#[cfg(test)]
mod tests {
    use super::Task;
    use crate::cli::shell::grammar::places;

    #[test]
    fn each_command_has_a_place_of_its_own() {
        let all = places(crate::cli::PLACES).into_iter().filter(|place| place.0 != Task::Hidden);
        let mut places: Vec<_> = all.map(|place| (place.0, place.1)).collect();
        let n_all = places.len();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), n_all);
    }

    #[test]
    fn each_line_fits_a_terminal() {
        for command in crate::cli::whole().get_subcommands().filter(|it| !it.is_hide_set()) {
            let about = command.get_about().unwrap().to_string();
            // The list of commands has one line for each on a terminal of 80 columns.
            assert!(about.len() <= 68, "{} is described in {} characters: {about}", command.get_name(), about.len());
        }
    }
}
