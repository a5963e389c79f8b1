//! The help of the visible words: the options and verbs of all commands that a word takes over, in one description.

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, ArgGroup, Command};

use super::grammar::{ALL, Shape, View, WORDS, When, Word, find};
use crate::cli::shell::groups::Task;
use crate::cli::shell::topics;

/// The whole command line as the help shows it: with the words, and without the commands that they take over.
pub(in crate::cli) fn described(root: Command, places: &[(Task, u8, &str)]) -> Command {
    let hidden = |name: &str| places.iter().any(|place| place.2 == name && place.0 == Task::Hidden);
    let words: Vec<Command> =
        WORDS.iter().filter(|word| word.name != "help").map(|word| description(word, &root)).collect();
    let root = root.mut_subcommands(|command| {
        let is_hidden = hidden(command.get_name());
        if is_hidden { command.hide(true) } else { command }
    });
    let root = words.into_iter().fold(root, |root, word| {
        let name = word.get_name().to_owned();
        if root.find_subcommand(&name).is_some() {
            root.mut_subcommand(name, |_| word.clone())
        } else {
            root.subcommand(word)
        }
    });
    root.mut_subcommands(without_shared)
}

/// Options by their former names, which stay, and by those that the help shows.
const PRESENT_NAMES: &[(&str, &str)] = &[("compat", "as"), ("version", "range"), ("old", "base")];

/// A command whose help leaves out the options that a topic of the help describes for all commands.
fn without_shared(command: Command) -> Command {
    let command = command.mut_args(|option| {
        let shown = PRESENT_NAMES.iter().find(|name| {
            let has_name = option.get_all_aliases().is_some_and(|aliases| aliases.contains(&name.1));
            option.get_long() == Some(name.0) && has_name
        });
        let option = shown.copied().into_iter().fold(option, |option, (former, name)| option.long(name).alias(former));
        if topics::is_shared(&option) { option.hide_short_help(true).hide_long_help(true) } else { option }
    });
    command.mut_subcommands(without_shared)
}

/// A word with the options and verbs of all its commands.
fn description(word: &Word, root: &Command) -> Command {
    let mut made = root.find_subcommand(word.name).cloned().unwrap_or_else(|| Command::new(word.name));
    if !word.about.is_empty() {
        made = made.about(word.about);
    }
    if !word.usage.is_empty() {
        made = made.override_usage(word.usage);
    }
    if !word.examples.is_empty() {
        made = made.after_help(word.examples).after_long_help(word.examples);
    }
    if word.views.iter().any(|view| matches!(view.when, When::Verb(_))) {
        // Options of all verbs that are there are none of the verbs that come.
        let of_all: Vec<Arg> = made.get_arguments().filter(|option| option.is_global_set()).cloned().collect();
        let of_verb = of_all.iter().map(|option| option.clone().global(false));
        made = made.mut_args(|option| option.global(false)).mut_subcommands(|verb| verb.args(of_verb.clone()));
    }
    // The options of the word alone come first, and without a heading.
    let mut views: Vec<&View> = word.views.iter().collect();
    views.sort_by_key(|view| (!matches!(view.when, When::Always), matches!(view.when, When::Flag(_))));
    for view in views {
        let Some(command) = find(root, view.command) else { continue };
        made = match view.when {
            When::Verb(verb) => with_verb(made, (word.name, verb), command, view),
            When::VerbOnDatabase(_) => made,
            _ if view.shape == Shape::SourcesByOption => made,
            When::Option(option, _)
                if !view.help.is_empty() && (view.when.is_own_option() || matches!(view.shape, Shape::Without(_))) =>
            {
                with_one_option(made, command, option, view.help)
            }
            _ => with_options(made, command, view.when.choice().map(|choice| format!("With {choice}")).as_deref()),
        };
    }
    for view in word.views {
        made = with_choice(made, view);
    }
    let is_of_word = |option: &Arg| word.of_word.contains(&option.get_id().as_str());
    made = made
        .mut_subcommands(|verb| verb.mut_args(|option| if is_of_word(&option) { option.hide(true) } else { option }));
    let is_replaced = |option: &Arg| {
        let is_own = !option.is_positional() || word.replaced == ALL;
        is_own && (word.replaced == ALL || word.replaced.contains(&option.get_id().as_str()))
    };
    made.mut_args(|option| if is_replaced(&option) { option.hide(true).required(false) } else { option })
}

/// A word with a verb, which is a command by its other name.
fn with_verb(word: Command, (name, verb): (&str, &'static str), command: &Command, view: &View) -> Command {
    if word.find_subcommand(verb).is_some() {
        return word;
    }
    let mut made = command.clone().name(verb).hide(false);
    if command.get_name() == name {
        // Its verbs are the word's.
        made = Command::new(verb).args(command.get_arguments().map(|option| plain(option, None)));
        made = command.get_about().cloned().into_iter().fold(made, Command::about);
    }
    // An option that the verb stands for, and those that cannot be given with it.
    let fixed = view.command.iter().find_map(|part| part.strip_prefix("--"));
    if let Some(fixed) = fixed.and_then(|long| command.get_arguments().find(|option| option.get_long() == Some(long))) {
        let is_choice = |group: &&ArgGroup| !(*group).clone().is_multiple();
        let mut built = command.clone();
        built.build();
        let groups = built.get_groups().filter(|group| group.get_args().any(|id| id == fixed.get_id()));
        let of_groups: Vec<_> = groups.filter(is_choice).flat_map(ArgGroup::get_args).collect();
        let excluded = command.get_arg_conflicts_with(fixed);
        let is_out = |option: &Arg| {
            of_groups.contains(&option.get_id()) || excluded.iter().any(|other| other.get_id() == option.get_id())
        };
        made = made.mut_args(|option| if is_out(&option) { option.hide(true) } else { option });
    }
    if let Some((about, examples)) = view.help.split_once('\n') {
        made = made.about(about).long_about(about).after_help(examples).after_long_help(examples);
    } else {
        let spoken = format!("olmdex {}", view.command.join(" "));
        let in_word = |text: &StyledStr| text.to_string().replace(&spoken, &format!("olmdex {name} {verb}"));
        made = command.get_after_help().map(in_word).into_iter().fold(made, Command::after_help);
        made = command.get_after_long_help().map(in_word).into_iter().fold(made, Command::after_long_help);
    }
    // The options of a word are none of its verbs'.
    word.args_conflicts_with_subcommands(true).subcommand_negates_reqs(true).subcommand(made)
}

/// A word with the options of a command that it does not have yet.
fn with_options(mut word: Command, command: &Command, heading: Option<&str>) -> Command {
    let has_positions = word.get_positionals().next().is_some();
    for option in command.get_arguments().filter(|option| !(option.is_positional() && has_positions)) {
        let is_same = |known: &Arg| {
            let is_named = |name: &str| {
                known.get_long() == Some(name) || known.get_all_aliases().unwrap_or_default().contains(&name)
            };
            known.get_id() == option.get_id()
                || option.get_long().is_some_and(is_named)
                || (known.get_short().is_some() && known.get_short() == option.get_short())
        };
        if !word.get_arguments().any(is_same) {
            word = word.arg(plain(option, heading));
        }
    }
    word
}

/// A word with one option of a command, which chooses it; its other options are few people's.
fn with_one_option(word: Command, command: &Command, option: &str, help: &'static str) -> Command {
    let long = option.trim_start_matches('-');
    let is_it = |known: &&Arg| known.get_long() == Some(long);
    let known = word.get_arguments().find(is_it).map(|known| known.get_id().clone());
    match (known, command.get_arguments().find(is_it)) {
        (Some(id), _) => word.mut_arg(id, |known| known.help(help).long_help(help).help_heading(None)),
        (None, Some(option)) => word.arg(plain(option, None).help(help).long_help(help)),
        (None, None) => word,
    }
}

/// An option for the help alone: what it demands and excludes is the command's own affair.
fn plain(option: &Arg, heading: Option<&str>) -> Arg {
    let mut made = Arg::new(option.get_id().clone()).action(option.get_action().clone());
    made = option.get_long().map(str::to_owned).into_iter().fold(made, Arg::long);
    made = option.get_short().into_iter().fold(made, Arg::short);
    let aliases = option.get_all_aliases().unwrap_or_default().into_iter();
    made = made.aliases(aliases.filter(|alias| PRESENT_NAMES.iter().any(|name| name.1 == *alias)).map(str::to_owned));
    made = option.get_help().cloned().into_iter().fold(made, Arg::help);
    made = option.get_long_help().cloned().into_iter().fold(made, Arg::long_help);
    let heading = heading.filter(|_| !topics::is_shared(option)).or(option.get_help_heading()).map(str::to_owned);
    made = heading.into_iter().fold(made, |made, text| made.help_heading(text));
    if let Some(names) = option.get_value_names().filter(|_| option.get_action().takes_values()) {
        made = made.value_names(names.to_vec()).value_parser(option.get_value_parser().clone());
    }
    made = option.get_num_args().filter(|_| option.is_positional()).into_iter().fold(made, Arg::num_args);
    made.hide(option.is_hide_set()).hide_possible_values(option.is_hide_possible_values_set())
}

/// A word with the option that chooses a command.
fn with_choice(word: Command, view: &View) -> Command {
    let (name, value) = match view.when {
        When::Flag(name) => (name, None),
        When::Value(name, value) => (name, Some(value)),
        When::Option(name, other) if name != other => (name, Some("")),
        _ => return word,
    };
    let long = name.trim_start_matches('-');
    let known = word.get_arguments().find(|known| known.get_long() == Some(long)).map(|known| known.get_id().clone());
    match (known, value) {
        // Another value of an option that is there.
        (Some(id), Some(value)) if !value.is_empty() => word.mut_arg(id, |known| with_value(known, value, view.help)),
        (Some(_), _) => word,
        (None, None) => word.arg(Arg::new(long).long(long).action(ArgAction::SetTrue).help(view.help)),
        (None, Some("")) => word.arg(Arg::new(long).long(long).value_name(long.to_uppercase()).help(view.help)),
        (None, Some(value)) => {
            word.arg(Arg::new(long).long(long).value_name(value).help(format!("`{value}`: {}", view.help)))
        }
    }
}

fn with_value(option: Arg, value: &str, help: &str) -> Arg {
    let names =
        option.get_value_names().map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>().join("|"));
    let text = option.get_help().map(ToString::to_string).unwrap_or_default();
    let text = if help.is_empty() { text } else { format!("{text}; `{value}`: {help}") };
    option.value_name(format!("{}|{value}", names.unwrap_or_default())).help(text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use clap::{Arg, Command};

    use crate::cli::shell::old_words::OLD_WORDS;

    /// The files of the repository whose texts people read.
    fn texts() -> Vec<(PathBuf, String)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut open: Vec<PathBuf> = ["src", "crates", "docs", "README.md"].map(|name| root.join(name)).to_vec();
        let mut found = Vec::new();
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            let ending = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
            let is_test = path.ends_with("tests.rs") || path.components().any(|it| it.as_os_str() == "tests");
            // The guides of behaviour are about the real systems.
            let is_about_others = path.components().any(|it| it.as_os_str() == "behaviour");
            if !matches!(ending, "rs" | "md") || is_test || is_about_others {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
            let is_told = |line: &&str| ending == "md" || !line.trim_start().starts_with("//");
            let lines: Vec<&str> = text.lines().filter(is_told).collect();
            // A literal goes on behind the indentation of the next line.
            let joined = lines.join("\n").split("\\\n").map(str::trim_start).collect::<Vec<_>>().join("");
            found.push((path.strip_prefix(root).unwrap().to_owned(), joined));
        }
        found
    }

    /// Texts in backquotes, and lines of a console.
    fn quoted(text: &str) -> impl Iterator<Item = &str> {
        let in_quotes = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
        in_quotes.chain(text.lines().filter_map(|line| line.strip_prefix("$ ")))
    }

    /// The long names of visible options of a command, and of all its visible verbs.
    fn visible(command: &Command, of_all: bool, found: &mut BTreeSet<String>) {
        let options = command.get_arguments().filter(|option| !option.is_hide_set());
        found.extend(options.flat_map(|it| it.get_long_and_visible_aliases().unwrap_or_default()).map(str::to_owned));
        for verb in command.get_subcommands().filter(|verb| of_all && !verb.is_hide_set()) {
            visible(verb, of_all, found);
        }
    }

    /// The options that a line names.
    fn options(line: &str) -> Vec<&str> {
        let words = line.split(|c: char| c.is_whitespace() || "=[]|,;…'\"".contains(c));
        let is_name = |name: &&str| name.len() > 1 && name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        words.filter_map(|word| word.strip_prefix("--")).filter(is_name).collect()
    }

    /// Parts of lines about other programs, and about abilities that old words alone have.
    const OTHERS: [&str; 19] = [
        "--scoped",
        "--src-tls-verify",
        "--dest-tls-verify",
        "--override-arch",
        "--features",
        "--no-lazy-fetch",
        "--debug",
        "--address",
        "--pid",
        "bundle --suite",
        "bundle bundle ",
        "--optional-values",
        "--salvage",
        "olmdex bisect",
        "olmdex legacy",
        "--only crd",
        "--json",
        "--man",
        "--completion",
    ];

    /// Options of the feature `mcp`, which the tests of a clone are built without.
    const ABSENT: &[&str] = if cfg!(feature = "mcp") { &[] } else { &["--mcp"] };

    /// The help of a command has what hints, messages and guides tell people to type.
    #[test]
    fn hints_name_commands_and_options_that_the_help_shows() {
        let mut root = crate::cli::whole();
        root.build();
        let globals: BTreeSet<String> =
            root.get_arguments().filter(|it| it.is_global_set()).filter_map(Arg::get_long).map(str::to_owned).collect();
        let mut anywhere = globals.clone();
        visible(&root, true, &mut anywhere);
        // `edit` takes the options of these for a legacy file, and `export --to files` those of the last.
        for command in ["legacy", "migrate"] {
            root.find_subcommand(command).unwrap().get_subcommands().for_each(|it| visible(it, true, &mut anywhere));
            visible(root.find_subcommand(command).unwrap(), false, &mut anywhere);
        }
        let mut faults = BTreeSet::new();
        let mut n_lines = 0;
        for (path, text) in texts() {
            // Its table has old and new words.
            let is_table = |line: &&str| line.starts_with('|') && path.ends_with("common.md");
            let text = text.lines().filter(|line| !is_table(line)).collect::<Vec<_>>().join("\n");
            let lines = quoted(&text).filter(|line| !OTHERS.iter().chain(ABSENT).any(|other| line.contains(other)));
            for line in lines {
                for command in line.split("olmdex ").skip(1).filter(|command| !command.starts_with("help ")) {
                    n_lines += 1;
                    let own = command.split([';', '&', '|', '>']).next().unwrap_or_default();
                    let (mut at, mut shown) = (&root, globals.clone());
                    for word in own.split_whitespace().take_while(|word| !word.starts_with('-')) {
                        let Some(below) = at.find_subcommand(word) else { break };
                        at = below;
                    }
                    let first = own.split_whitespace().next().unwrap_or_default();
                    let is_old = OLD_WORDS.iter().any(|(old, _)| *old == first);
                    visible(at, at.get_name() == "olmdex" || at.get_name() == "edit", &mut shown);
                    shown.extend(
                        ["mode", "image-template", "path"].map(str::to_owned).into_iter().filter(|_| first == "edit"),
                    );
                    let hidden = options(own).into_iter().filter(|name| !shown.contains(*name));
                    let hidden: Vec<String> = hidden.map(|name| format!("--{name}")).collect();
                    if is_old || !hidden.is_empty() {
                        faults.insert(format!("{}: olmdex {own}: {}", path.display(), hidden.join(" ")));
                    }
                }
                let is_option = line.starts_with("--") && !line.contains("olmdex ");
                for name in options(line).into_iter().filter(|name| is_option && !anywhere.contains(*name)) {
                    faults.insert(format!("{}: --{name}", path.display()));
                }
            }
        }
        let faults: Vec<String> = faults.into_iter().collect();
        assert!(faults.is_empty() && n_lines > 400, "{n_lines}\n{}", faults.join("\n"));
    }
}
