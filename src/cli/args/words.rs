//! The words of a command line before they are parsed: moves sources of `-i` to their position in a command that takes
//! them there, and turns `PKG VERSION` into `PKG@VERSION`. So every command accepts both forms, and reads one.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Args, Command};

use crate::cli::args::sources::is_path;
use crate::fbc::without_v;
use crate::version::Version;

/// Declares `-i` in a command that takes its sources by position. [`placed`] moves its values there.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SourceOption {
    /// The source, as other commands take it; may be repeated where several are taken
    #[arg(id = SOURCE_OPTION, short = 'i', long = "input", value_name = "SOURCE", action = ArgAction::Append, value_parser = unplaced)]
    _input: Vec<String>,
}

const SOURCE_OPTION: &str = "source_option";

/// A source that was not moved must not be ignored.
fn unplaced(_: &str) -> Result<String, &'static str> {
    Err("name the source without an option")
}

/// Names of positions that sources have.
const SOURCES: &[&str] = &["SOURCE", "[NAME=]SOURCE", "[NAME=]PATH", "OLD", "NEW", "FILE", "DIR", "NAME|DIR"];

/// Names of positions that packages and bundles have.
const NAMES: &[&str] = &["PKG", "[NS:]PKG", "NAME", "BUNDLE", "API|PKG", "ENTRY"];

/// Commands with positions for channels.
const OF_CHANNELS: &[&str] = &["edit", "z-stream"];

/// A command that takes a channel, or a version that stands for its channel.
const OF_CHANNEL_OR_VERSION: &str = "z-stream";

/// The name of such a position.
const OF_CHANNEL: &str = "PKG/CHANNEL";

/// A command line with each source at its position and each version at its package. `arguments` describes the command
/// of a name, `globals` are the options of all commands.
pub(in crate::cli) fn placed(
    words: Vec<OsString>,
    arguments: impl Fn(&str) -> Option<Command>,
    globals: impl Fn() -> Command,
) -> Vec<OsString> {
    // The description of a command for clap takes time, which few lines need.
    let may_change = |word: &OsString| {
        let changes = |it: &str| it.contains(',') || is_version(it) || may_name_source(it) || OF_CHANNELS.contains(&it);
        word.to_str().is_some_and(changes)
    };
    if !words.iter().skip(1).any(may_change) {
        return words;
    }
    let Some((start, chain)) = command_of(&words, &arguments) else { return words };
    let globals = globals();
    let described: Vec<&Command> = chain.iter().chain([&globals]).collect();
    let parts = read(&words[start..], &described);
    let Some(command) = chain.last() else { return words };
    let is_sources_option = command.get_arguments().any(|it| it.get_id() == SOURCE_OPTION);
    let parts = if is_sources_option { with_sources_placed(parts, command) } else { parts };
    let parts = with_versions_joined(with_lists_split(parts, command), command);
    words.into_iter().take(start).chain(parts.into_iter().flat_map(|it| it.words)).collect()
}

/// Adds to an error about a missing source how to name one.
pub(in crate::cli) fn propose_source(error: &mut clap::Error) {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return };
    let is_source = |it: &String| SOURCES.iter().any(|name| it.trim_end_matches("...") == format!("<{name}>"));
    if error.kind() == ErrorKind::MissingRequiredArgument && missing.iter().any(is_source) {
        let tip = "name the source without an option, or with `-i PATH`".to_owned();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
}

fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or(word);
    digits.starts_with(|c: char| c.is_ascii_digit()) && Version::parse_tolerant(digits).is_ok()
}

fn may_name_source(word: &str) -> bool {
    word.starts_with("--input") || (word.starts_with('-') && !word.starts_with("--") && word.contains('i'))
}

/// The command of a line with the commands that contain it, and the index of its first own word.
fn command_of(words: &[OsString], arguments: impl Fn(&str) -> Option<Command>) -> Option<(usize, Vec<Command>)> {
    let named = |it: &OsString| it.to_str().filter(|it| !it.starts_with('-')).and_then(&arguments);
    let (mut at, command) = words.iter().enumerate().skip(1).find_map(|(at, it)| Some((at, named(it)?)))?;
    let mut chain = vec![command];
    while let Some(verb) = words.get(at + 1).and_then(|it| chain.last()?.find_subcommand(it)).cloned() {
        chain.push(verb);
        at += 1;
    }
    Some((at + 1, chain))
}

/// The role of some words of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Role {
    /// An option, with its value if it has one.
    Option,
    /// `-i` with its source.
    Source,
    /// A word that its position gives a meaning.
    Position,
    /// `--`, and the words after it.
    Rest,
}

#[derive(Debug, Clone)]
pub(in crate::cli) struct Part {
    pub(in crate::cli) role: Role,
    pub(in crate::cli) words: Vec<OsString>,
}

/// Takes the words of a command apart, by the descriptions of these commands.
pub(in crate::cli) fn read(words: &[OsString], described: &[&Command]) -> Vec<Part> {
    let find = |is_it: &dyn Fn(&Arg) -> bool| described.iter().find_map(|it| it.get_arguments().find(|arg| is_it(arg)));
    let mut parts = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut part = |role, words: Vec<OsString>| parts.push(Part { role, words });
        match word.to_str() {
            Some("--") => {
                part(Role::Rest, [word.clone()].into_iter().chain(rest.by_ref().cloned()).collect());
            }
            Some(text) if text.starts_with("--") => {
                let (name, value) = match text[2..].split_once('=') {
                    Some((name, value)) => (name, Some(OsString::from(value))),
                    None => (&text[2..], None),
                };
                let is_it =
                    |it: &Arg| it.get_long() == Some(name) || it.get_all_aliases().is_some_and(|it| it.contains(&name));
                let option = find(&is_it);
                if option.is_some_and(|it| it.get_id() == SOURCE_OPTION) {
                    match value.or_else(|| next_value(&mut rest)) {
                        Some(value) => part(Role::Source, vec![value]),
                        None => part(Role::Option, vec![word.clone()]),
                    }
                } else if value.is_none() && option.is_some_and(takes_next) {
                    part(Role::Option, [word.clone()].into_iter().chain(rest.next().cloned()).collect());
                } else {
                    part(Role::Option, vec![word.clone()]);
                }
            }
            Some(text) if text.len() > 1 && text.starts_with('-') => {
                // Letters of flags may be written together, before one that takes a value.
                let valued = text.char_indices().skip(1).find_map(|(at, letter)| {
                    let option = find(&|it| it.get_short() == Some(letter)).filter(|it| takes_next(it))?;
                    Some((at, at + letter.len_utf8(), option.get_id() == SOURCE_OPTION))
                });
                match valued {
                    Some((at, end, true)) => {
                        if at > 1 {
                            part(Role::Option, vec![text[..at].into()]);
                        }
                        let value = Some(text[end..].trim_start_matches('=')).filter(|it| !it.is_empty());
                        match value.map(OsString::from).or_else(|| next_value(&mut rest)) {
                            Some(value) => part(Role::Source, vec![value]),
                            None => part(Role::Option, vec!["-i".into()]),
                        }
                    }
                    Some((_, end, false)) if end == text.len() => {
                        part(Role::Option, [word.clone()].into_iter().chain(rest.next().cloned()).collect());
                    }
                    _ => part(Role::Option, vec![word.clone()]),
                }
            }
            _ => part(Role::Position, vec![word.clone()]),
        }
    }
    parts
}

/// The next word, if it can be a value.
fn next_value<'w>(rest: &mut (impl Iterator<Item = &'w OsString> + Clone)) -> Option<OsString> {
    let next = rest.clone().next().filter(|it| *it == "-" || !it.as_encoded_bytes().starts_with(b"-"))?;
    rest.next();
    Some(next.clone())
}

/// The option of a command that a word names.
fn option_of<'c>(command: &'c Command, word: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|it| match word.strip_prefix("--") {
        Some(name) => it.get_long() == Some(name),
        None => it.get_short().is_some_and(|short| word.strip_prefix('-') == Some(short.encode_utf8(&mut [0; 4]))),
    })
}

/// Whether the word after an option is its value.
fn takes_next(option: &Arg) -> bool {
    option.get_action().takes_values() && !option.is_require_equals_set()
}

/// The name of the position that a command gives the word of this number.
fn position(command: &Command, number: usize) -> Option<&str> {
    let last = command.get_positionals().last();
    let it = command.get_positionals().nth(number).or(last)?;
    it.get_value_names().and_then(|it| it.first()).map(|it| it.as_str())
}

/// Turns sources into words at their position: the same place if the command takes nothing but sources, else before or
/// behind the other words.
fn with_sources_placed(parts: Vec<Part>, command: &Command) -> Vec<Part> {
    let n_positions = command.get_positionals().count();
    let is_source = |number: usize| position(command, number).is_some_and(|it| SOURCES.contains(&it));
    let placed = |it: Part| Part { role: Role::Position, ..it };
    if (0..n_positions).all(is_source) {
        return parts.into_iter().map(|it| if it.role == Role::Source { placed(it) } else { it }).collect();
    }
    let (sources, mut others): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(|it| it.role == Role::Source);
    let end = others.iter().position(|it| it.role == Role::Rest).unwrap_or(others.len());
    let at = if is_source(0) { 0 } else { end };
    others.splice(at..at, sources.into_iter().map(placed));
    others
}

/// Whether a word in the usage stands for packages or bundles.
fn is_name(usage: &str) -> bool {
    let is_it = |name: &&str| usage.strip_prefix(*name).is_some_and(|it| !it.starts_with(char::is_alphanumeric));
    usage != OF_CHANNEL && NAMES.iter().any(is_it)
}

/// `a,b` becomes `a b`, and `-p a,b` becomes `-p a -p b`, where a command takes several names: no name has a comma.
fn with_lists_split(parts: Vec<Part>, command: &Command) -> Vec<Part> {
    let takes_names = |it: &&Arg| {
        let is_list =
            matches!(it.get_action(), ArgAction::Append) || it.get_num_args().is_some_and(|n| n.max_values() > 1);
        is_list && it.get_value_names().and_then(|names| names.first()).is_some_and(|name| is_name(name))
    };
    let split = |part: Part| {
        let taker = match (part.role, part.words.first().and_then(|it| it.to_str())) {
            (Role::Position, _) => command.get_positionals().last(),
            (Role::Option, Some(option)) => option_of(command, option),
            _ => None,
        };
        let list = part.words.last().and_then(|it| it.to_str()).filter(|_| taker.as_ref().is_some_and(takes_names));
        let is_plain = |it: &str| it.starts_with(char::is_alphanumeric) && !it.contains(char::is_whitespace);
        let names: Vec<&str> = list.map(|it| it.split(',').collect()).unwrap_or_default();
        if names.len() < 2 || !names.iter().all(|it| is_plain(it)) {
            return vec![part];
        }
        let before = &part.words[..part.words.len() - 1];
        let one = |name: &&str| Part { role: part.role, words: [before, &[name.into()]].concat() };
        names.iter().map(one).collect()
    };
    parts.into_iter().flat_map(split).collect()
}

/// `PKG VERSION` becomes `PKG@VERSION`, and `PKG CHANNEL` becomes `PKG/CHANNEL` in a command that takes nothing else.
fn with_versions_joined(parts: Vec<Part>, command: &Command) -> Vec<Part> {
    let is_position = |it: &&Part| it.role == Role::Position;
    let n_taken = command.get_positionals().count();
    let takes_channel = position(command, 0) == Some(OF_CHANNEL)
        && parts.iter().filter(is_position).count() == n_taken + 1
        && command.get_positionals().all(|it| it.get_num_args().is_none_or(|it| it.max_values() == 1));
    // For an option that takes packages, a version behind it cannot be a source.
    let takes_no_version = (0..n_taken).all(|it| position(command, it).is_some_and(|it| SOURCES.contains(&it)));
    let is_of_packages = |option: &Part| {
        let found = option.words.first().and_then(|it| it.to_str()).and_then(|it| option_of(command, it));
        let name = found.and_then(|it| it.get_value_names()).and_then(|it| it.first());
        takes_no_version && option.words.len() == 2 && name.is_some_and(|it| is_name(it))
    };
    let is_whole = |it: &&str| !it.contains(['@', '/']) && !is_path(it) && !is_version(it);
    let mut joined: Vec<Part> = Vec::with_capacity(parts.len());
    let mut n_positions = 0;
    for part in parts {
        if part.role != Role::Position {
            joined.push(part);
            continue;
        }
        let text = part.words.first().and_then(|it| it.to_str()).unwrap_or_default();
        if is_version(text)
            && let Some(option) = joined.last_mut().filter(|it| it.role == Role::Option && is_of_packages(it))
            && let Some(value) = option.words.last_mut()
            && value.to_str().is_some_and(|it| is_whole(&it))
        {
            value.push("@");
            value.push(text);
            continue;
        }
        let takes_version =
            n_positions > 0 && position(command, n_positions - 1).is_some_and(is_name) && is_version(text);
        let is_of_channel = command.get_name() == OF_CHANNEL_OR_VERSION && Version::parse(without_v(text)).is_ok();
        let separator = if takes_version || is_of_channel { "@" } else { "/" };
        let joins = takes_version || (takes_channel && n_positions == 1);
        let last =
            joined.last_mut().filter(|it| joins && it.role == Role::Position).and_then(|it| it.words.first_mut());
        match last {
            Some(last) if last.to_str().as_ref().is_some_and(is_whole) => {
                last.push(separator);
                last.push(text);
            }
            _ => {
                n_positions += 1;
                joined.push(part);
            }
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use clap::Args as _;

    use super::placed;
    use crate::cli::{GlobalArgs, arguments_of};

    #[test]
    fn each_word_comes_to_its_position() {
        let globals = || GlobalArgs::augment_args(clap::Command::new("olmdex"));
        for (typed, read) in [
            // Sources, if nothing else has a position.
            ("validate -i a -i b", "validate a b"),
            ("validate a --input=b c", "validate a b c"),
            ("validate -qib --select W08", "validate -q b --select W08"),
            ("validate -i", "validate -i"),
            ("validate -i -q", "validate -i -q"),
            ("validate -i - -q", "validate - -q"),
            ("validate --ignore -i", "validate --ignore -i"),
            ("diff old -i new", "diff old new"),
            ("-q validate -i a", "-q validate a"),
            ("bundle validate -i a --with b", "bundle validate a --with b"),
            // Before other words, or behind them.
            ("migrate out -i old.db", "migrate old.db out"),
            ("push -i a oci:b:v1", "push a oci:b:v1"),
            ("legacy add bundle -i old.db -o new.db", "legacy add old.db bundle -o new.db"),
            ("template convert -i a basic", "template convert basic a"),
            ("template render -i a semver", "template render semver a"),
            // In other commands it stays.
            ("show keda -i a", "show keda -i a"),
            ("generate dockerfile a -i b", "generate dockerfile a -i b"),
            // Versions.
            ("show keda 2.1.0", "show keda@2.1.0"),
            ("show keda v2.1.0 -i a", "show keda@v2.1.0 -i a"),
            ("show keda.v2.1.0 2.1.0", "show keda.v2.1.0@2.1.0"),
            ("show keda/stable 2.1.0", "show keda/stable 2.1.0"),
            ("images a 1.0.0 b c 2.1", "images a@1.0.0 b c@2.1"),
            ("images --catalog a 1.0.0", "images --catalog a 1.0.0"),
            ("list bundles keda 2.1.0", "list bundles keda@2.1.0"),
            ("list bundles 2.1.0", "list bundles 2.1.0"),
            ("list bundles keda --limit 5", "list bundles keda --limit 5"),
            ("why-not keda 2.1.0 --installed 2.0.0", "why-not keda@2.1.0 --installed 2.0.0"),
            ("edit remove keda 2.1.0 -i a", "edit remove keda@2.1.0 -i a"),
            ("platform-path 4.16 4.18", "platform-path 4.16 4.18"),
            ("search kafka 2", "search kafka 2"),
            ("validate keda 2.1.0", "validate keda 2.1.0"),
            ("show ./a.db 2.1.0", "show ./a.db 2.1.0"),
            // Channels.
            ("edit default-channel keda stable-2.1", "edit default-channel keda/stable-2.1"),
            ("edit -i a default-channel keda 2.1", "edit -i a default-channel keda 2.1"),
            ("edit default-channel keda stable -i a", "edit default-channel keda/stable -i a"),
            ("edit default-channel keda 2.1", "edit default-channel keda/2.1"),
            ("edit default-channel keda/stable", "edit default-channel keda/stable"),
            ("edit set-edges keda/stable keda 2.1.0", "edit set-edges keda/stable keda@2.1.0"),
            ("edit set-edges stable keda 2.1.0 -i a", "edit set-edges stable/keda 2.1.0 -i a"),
            ("z-stream keda stable", "z-stream keda/stable"),
            ("z-stream keda 2.1", "z-stream keda/2.1"),
            ("z-stream keda v2.1.0", "z-stream keda@v2.1.0"),
            // Packages that an option names.
            ("filter -p keda 2.1.0 -i a", "filter -p keda@2.1.0 -i a"),
            ("filter --package keda v2.1.0 --package b", "filter --package keda@v2.1.0 --package b"),
            ("filter -p keda/stable 2.1.0", "filter -p keda/stable 2.1.0"),
            ("filter -c file 2.1.0", "filter -c file 2.1.0"),
            ("diff -p keda 2.1.0", "diff -p keda@2.1.0"),
            // Lists.
            ("show keda,kiali@1.0.0", "show keda kiali@1.0.0"),
            ("list bundles keda,kiali 1.0.0", "list bundles keda kiali@1.0.0"),
            ("filter -p keda,kiali -i a,b", "filter -p keda -p kiali -i a,b"),
            ("search a,b", "search a,b"),
            ("diff a,b c", "diff a,b c"),
        ] {
            let words = |text: &str| text.split(' ').map(Into::into).collect::<Vec<std::ffi::OsString>>();
            let line = |text: &str| words(&format!("olmdex {text}"));
            assert_eq!(placed(line(typed), arguments_of, globals), line(read), "{typed}");
        }
    }
}
