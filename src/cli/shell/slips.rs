//! Errors about a command line in the words that the user typed, with the words that were meant.

use std::ffi::OsString;
use std::path::Path;

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::grammar::{View, When, find, word_of};
use crate::cli::args::sources::is_path;
use crate::cli::args::words::read;

/// An error about a translated command line in the words that the user typed. `whole` is the command line as the help
/// shows it.
pub(in crate::cli) fn in_typed_words(error: &mut clap::Error, typed: &[OsString], root: &Command, whole: &Command) {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(option)) if error.kind() == ErrorKind::UnknownArgument => {
            option.split(['=', ' ']).next().and_then(|option| option.strip_prefix("--")).map(str::to_owned)
        }
        _ => None,
    };
    // clap's usage has the option that it proposes.
    let has_proposal = error.get(ContextKind::SuggestedArg).is_some();
    if has_proposal {
        plain_usage(error, typed, root);
    }
    if let Some(long) = &unknown {
        let proposed = match error.get(ContextKind::SuggestedArg) {
            Some(ContextValue::String(option)) => Some(option.trim_start_matches('-').to_owned()),
            _ => None,
        };
        // clap proposes what hardly looks alike, too.
        if proposed.is_some_and(|near| crate::diag::closest(long, [near.as_str()]).is_none()) {
            error.remove(ContextKind::SuggestedArg);
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(Vec::new()));
        }
        propose_words(error, long, whole);
    }
    point_to_help(error, typed, whole);
    place_path(error, typed, whole);
    let Some((at, word)) = word_of(typed) else { return };
    let parts = |rest: &[OsString], command: &str| {
        let both = [word.name, command].into_iter().filter_map(|name| root.find_subcommand(name));
        read(rest, &both.chain([root]).collect::<Vec<_>>())
    };
    let Some((view, _)) = word.chosen(&typed[at + 1..], &parts) else { return };
    let spoken = format!(
        "olmdex {}",
        view.command.iter().filter(|part| !part.starts_with('-')).copied().collect::<Vec<_>>().join(" ")
    );
    let is_verb = matches!(view.when, When::Verb(_) | When::VerbOnDatabase(_));
    let is_new = root.find_subcommand(word.name).is_none();
    if !word.usage.is_empty() && !is_verb && (is_new || has_proposal) {
        let usage = format!("Usage: {}", word.usage);
        error.insert(ContextKind::Usage, ContextValue::StyledStr(StyledStr::from(usage)));
    } else if let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) {
        let verb = if let When::Verb(verb) = view.when { format!(" {verb}") } else { String::new() };
        let usage = usage.to_string().replacen(&spoken, &format!("olmdex {}{verb}", word.name), 1);
        error.insert(ContextKind::Usage, ContextValue::StyledStr(StyledStr::from(usage)));
    }
    let Some(long) = unknown else { return };
    let has = |view: &&View| {
        let command = find(root, view.command);
        command.is_some_and(|command| command.get_arguments().any(|known| known.get_long() == Some(&long)))
    };
    let of_value = |view: &View| match view.when {
        When::Value(name, value) if name.trim_start_matches('-') == long => Some(format!("`{value}`")),
        _ => None,
    };
    let values: Vec<String> = word.views.iter().filter_map(of_value).collect();
    let choice = word.views.iter().filter(has).find_map(|view| view.when.choice());
    let tip = match choice {
        _ if !values.is_empty() => Some(format!("`--{long}` takes {}", values.join(", "))),
        Some(choice) => Some(format!("`--{long}` goes with `{choice}`")),
        None => None,
    };
    if let Some(tip) = tip {
        suggest(error, tip);
    }
}

/// The command that words name, and its path.
fn named<'c>(typed: &[OsString], root: &'c Command) -> (&'c Command, Vec<&'c str>) {
    let words = typed.iter().skip(1).filter_map(|word| word.to_str());
    words.fold((root, vec!["olmdex"]), |(command, mut path), word| {
        let Some(below) = command.find_subcommand(word) else { return (command, path) };
        path.push(below.get_name());
        (below, path)
    })
}

/// Gives an error the usage that the help of the command shows.
fn plain_usage(error: &mut clap::Error, typed: &[OsString], root: &Command) {
    let (command, path) = named(typed, root);
    let usage = command.clone().bin_name(path.join(" ")).render_usage();
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
}

/// Names the visible words that have an option which the typed one lacks: a similar spelling is not what the user
/// meant.
fn propose_words(error: &mut clap::Error, long: &str, whole: &Command) {
    let has = |word: &&Command| {
        let options = word.get_arguments().filter(|option| !option.is_hide_set());
        options.flat_map(|option| option.get_long_and_visible_aliases().unwrap_or_default()).any(|name| name == long)
    };
    let words = whole.get_subcommands().filter(|word| !word.is_hide_set()).filter(has);
    let words: Vec<String> = words.map(|word| format!("`{}`", word.get_name())).collect();
    if !words.is_empty() {
        suggest(error, format!("`--{long}` is an option of {}", words.join(", ")));
    }
}

/// Names the help of the command where clap only proposes to take an unknown option as a value.
fn point_to_help(error: &mut clap::Error, typed: &[OsString], whole: &Command) {
    let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested) else { return };
    if tips.iter().all(|tip| tip.to_string().starts_with("to pass '")) {
        let (_, path) = named(typed, whole);
        suggest(error, format!("`{} -h` lists the options", path.join(" ")));
    }
}

/// Names the option for a path that a command does not take by position.
fn place_path(error: &mut clap::Error, typed: &[OsString], whole: &Command) {
    let (command, path) = named(typed, whole);
    let has = |long: &str| command.get_arguments().any(|it| it.get_long() == Some(long) && !it.is_hide_set());
    let word = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(word))) => word.clone(),
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(all)))
            if all.iter().any(|it| it.starts_with("--cluster")) =>
        {
            String::new()
        }
        (ErrorKind::ValueValidation, Some(ContextValue::String(word))) if word.starts_with("--on ") => word.clone(),
        _ => return,
    };
    let is_source = is_path(&word) || Path::new(&word).exists();
    let tip = match word.as_str() {
        "" => {
            let state = typed.iter().skip(2).filter_map(|it| it.to_str()).find(|it| Path::new(it).exists());
            format!("name the objects of the cluster, or a must-gather: `--cluster {}`", state.unwrap_or("PATH"))
        }
        day if day.starts_with("--on ") && path.ends_with(&["deps"]) => {
            "`--needed-by` lists the bundles that need the package or API; `--on` is a day of the past".to_owned()
        }
        _ if is_source && path.ends_with(&["diff"]) => {
            format!("two states are compared, and `-i` is one of them: leave out `{word}`, or another one")
        }
        _ if is_source && has("input") => format!("name the source with an option: `-i {word}`"),
        _ => return,
    };
    suggest(error, tip);
}

fn suggest(error: &mut clap::Error, tip: String) {
    error.remove(ContextKind::SuggestedArg);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
}
