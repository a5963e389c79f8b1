//! The pages of help: `-h` fits a screen, `--help` and `help COMMAND` are complete, `help --all` adds the options of
//! every command.

use clap::error::{Error, ErrorKind};
use clap::{Arg, Command};

use crate::cli::shell::complete::Line;
use crate::cli::shell::groups::{self, Task};
use crate::cli::shell::layout::{Form, cut, description, heading, label, wrapped};
use crate::cli::terminal::screen;

/// Lines of a page that fits a screen.
const MAX_LINES: usize = 40;

/// Examples of a page that fits a screen.
const MAX_EXAMPLES: usize = 3;

/// Wider labels of options push their descriptions aside.
const MAX_LABEL: usize = 30;

/// The page that a command line asks for, whose `error` is a request for help. `words` follow the name of the program.
pub(in crate::cli) fn page(root: Command, places: &[(Task, u8, &str)], error: Error, words: &[String]) -> Error {
    let is_bare = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !is_bare && error.kind() != ErrorKind::DisplayHelp {
        return error;
    }
    let asked = words.strip_prefix(&["help".to_owned()][..]);
    let flag = words.iter().find(|it| *it == "-h" || *it == "--help");
    let form = match (asked, flag) {
        (Some(words), _) if words.iter().any(|it| it == "--all") => Form::All,
        (Some(_), Some(flag)) if flag == "-h" => Form::Screen,
        (Some(_), _) => Form::Whole,
        (None, Some(flag)) if flag == "--help" => Form::Whole,
        _ => Form::Screen,
    };
    let mut built = root.clone();
    built.build();
    let named: Vec<String> = asked.unwrap_or(words).iter().filter(|it| !it.starts_with('-')).cloned().collect();
    // The help of help is that of the program.
    let named = if named.first().is_some_and(|name| name == "help") { Vec::new() } else { named };
    let path = Line::new(&built, &named).path();
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let globals: Vec<Arg> = root.get_arguments().filter(|it| it.is_global_set()).cloned().collect();
    let root = root.mut_args(|it| match it.is_global_set() {
        true if form == Form::All => it.global(false),
        true => it.global(false).hide(true),
        false => it,
    });
    let root = match path.as_slice() {
        [] => groups::grouped(root, places, form),
        path => of_command(root, path, form, &globals, &built),
    };
    let flag = (!is_bare).then_some(if form == Form::Screen { "-h" } else { "--help" });
    match root.try_get_matches_from(std::iter::once("olmdex").chain(path).chain(flag)) {
        Err(shown) if shown.kind() == error.kind() => shown,
        _ => error,
    }
}

/// The root, in which the command at a path has the wanted page.
fn of_command(root: Command, path: &[&str], form: Form, globals: &[Arg], built: &Command) -> Command {
    let [name, rest @ ..] = path else {
        let wanted = form == Form::All || (form == Form::Whole && reads_images(&root));
        let mut command = root.args(globals.iter().filter(|_| wanted).map(|it| it.clone().global(false)));
        if form == Form::Screen {
            let text = screen_page(built, globals, screen::help_width());
            return command.override_help(text);
        }
        if form == Form::Whole {
            let of_all = if wanted { "" } else { ", of every command: `olmdex help --all`" };
            let pointer = format!("Options of many commands: `olmdex help options`{of_all}");
            let text = match command.get_after_help() {
                Some(text) => format!("{text}\n\n{pointer}"),
                None => pointer,
            };
            command = command.after_help(text);
        }
        return command;
    };
    match built.find_subcommand(name) {
        Some(built) => root.mut_subcommand(*name, |it| of_command(it, rest, form, globals, built)),
        None => root,
    }
}

/// Whether an argument of a command is a source, which may be an image.
fn reads_images(command: &Command) -> bool {
    let is_source = |name: &str| name.ends_with("SOURCE") || matches!(name, "IMAGE" | "DIR|IMAGE" | "OLD" | "NEW");
    let names = command.get_arguments().filter(|it| !it.is_hide_set()).filter_map(Arg::get_value_names).flatten();
    names.into_iter().any(|it| is_source(it.as_str())) || command.get_subcommands().any(reads_images)
}

/// The page of a command that fits a screen of this width. It leaves out the options that every command takes.
fn screen_page(command: &Command, globals: &[Arg], width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    lines.extend(wrapped(&about, "", width));
    lines.push(String::new());
    let usage = command.clone().render_usage().to_string();
    for line in usage.trim_end().lines() {
        let blank = line.len() - line.trim_start().len();
        lines.extend(wrapped(line, "  ", width.saturating_sub(blank)).iter().map(|it| format!("{:blank$}{it}", "")));
    }
    let is_shown = |it: &&Arg| {
        let is_of_all = globals.iter().any(|global| global.get_id() == it.get_id());
        !it.is_hide_set() && !it.is_hide_long_help_set() && !is_of_all && it.get_id() != "help"
    };
    let arguments = command.get_positionals().filter(is_shown);
    let arguments = Rows::new("Arguments", arguments.map(|it| (it.to_string(), description(it))).collect());
    let verbs = command.get_subcommands().filter(|it| !it.is_hide_set() && it.get_name() != "help");
    let about = |it: &Command| it.get_about().map(ToString::to_string).unwrap_or_default();
    let verbs = Rows::new("Commands", verbs.map(|it| (it.get_name().to_owned(), about(it))).collect());
    let mut options: Vec<&Arg> = command.get_arguments().filter(|it| !it.is_positional()).filter(is_shown).collect();
    // The options that most people need have no heading of their own.
    options.sort_by_key(|it| it.get_help_heading().is_some());
    let mut options = Rows::new("Options", options.iter().map(|it| (label(it), description(it))).collect());
    let name = command.get_bin_name().unwrap_or_default();
    let mut end = examples(command);
    end.push(String::new());
    end.push(format!("More: `{name} --help`; options of many commands: `olmdex help options`"));
    // A terminal wraps longer lines.
    let height = |lines: &[String]| lines.iter().map(|it| it.chars().count().div_ceil(width).max(1)).sum::<usize>();
    let room = MAX_LINES.saturating_sub(height(&lines) + height(&end));
    let all = [&arguments, &verbs, &options].map(|it| it.lines(width, true));
    let mut rows: Vec<String> = all.into_iter().flatten().collect();
    if height(&rows) > room {
        let others = [arguments.lines(width, false), verbs.lines(width, false)].concat();
        // A blank line and the heading come before them.
        options.limit(room.saturating_sub(height(&others) + 2), name);
        rows = [others, options.lines(width, false)].concat();
    }
    [lines, rows, end].concat().join("\n") + "\n"
}

/// Arguments or commands below a heading, each with its description.
struct Rows {
    title: &'static str,
    rows: Vec<(String, String)>,
}

impl Rows {
    fn new(title: &'static str, rows: Vec<(String, String)>) -> Self {
        Self { title, rows }
    }

    /// Leaves out the last rows if there are too many, and names the page that has them.
    fn limit(&mut self, n_lines: usize, name: &str) {
        if self.rows.len() > n_lines {
            let n_kept = n_lines.saturating_sub(1);
            let n_more = self.rows.len() - n_kept;
            self.rows.truncate(n_kept);
            self.rows.push(("    …".to_owned(), format!("{n_more} more: `{name} --help`")));
        }
    }

    /// The lines: descriptions are wrapped, or cut to one line each.
    fn lines(&self, width: usize, wraps: bool) -> Vec<String> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![String::new(), heading(self.title)];
        let label_width = self.rows.iter().map(|it| it.0.chars().count()).max().unwrap_or_default().min(MAX_LABEL);
        let indent = " ".repeat(label_width + 4);
        for (label, text) in &self.rows {
            let begin = format!("  {label:label_width$}  ");
            let room = width.saturating_sub(begin.chars().count());
            let texts = if wraps { wrapped(text, "", room) } else { vec![cut(text, room)] };
            lines.push(format!("{begin}{}", texts.join(&format!("\n{indent}"))).trim_end().to_owned());
        }
        lines.iter().flat_map(|it| it.split('\n')).map(str::to_owned).collect()
    }
}

/// The first examples, below their heading.
fn examples(command: &Command) -> Vec<String> {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines = text.lines().skip_while(|it| *it != "Examples:").skip(1).take_while(|it| it.starts_with("  "));
    let lines: Vec<String> = lines.take(MAX_EXAMPLES).map(str::to_owned).collect();
    if lines.is_empty() { lines } else { [vec![String::new(), heading("Examples")], lines].concat() }
}
