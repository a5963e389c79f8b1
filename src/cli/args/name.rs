//! Names as arguments.

use std::path::Path;

use crate::ask::{PackageName, Target};
use crate::cli::args::sources::{is_path, not_a_name};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::fbc::Name;
use crate::index::LightIndex;

/// Refuses a text that can only be a path, and an existing path that no catalog has as a name: it is more likely a
/// source than a channel of a package.
pub(crate) fn refuse_path(index: &LightIndex, text: &str) -> Result<(), CommandError> {
    if is_path(text) {
        return Err(not_a_name(text));
    }
    if Path::new(text).exists() {
        let name = PackageName::find(index, text)?;
        let is_known = name.installed.is_some() && matches!(Name::parse(text), Name::Plain(_));
        if !is_known && !index.package_names()?.contains(&name.package) {
            return Err(not_a_name(text));
        }
    }
    Ok(())
}

/// The answers about names, each with its exit code, and the worst code. One name that does not exist is an error;
/// if there are several, it is reported, and the others are answered.
pub(crate) fn of_each<N, T>(
    context: &Context,
    names: impl IntoIterator<Item = N, IntoIter: ExactSizeIterator>,
    mut ask: impl FnMut(N) -> Result<(T, Exit), CommandError>,
) -> Result<(Vec<T>, Exit), CommandError> {
    let names = names.into_iter();
    let has_several = names.len() > 1;
    let mut answers = Vec::with_capacity(names.len());
    let mut worst = Exit::Yes;
    for name in names {
        match ask(name) {
            Ok((answer, exit)) => {
                answers.push(answer);
                worst = worst.max(exit);
            }
            Err(error) if has_several && error.exit == Exit::NotFound => {
                worst = worst.max(error.exit);
                context.reporter.error(&error);
            }
            Err(error) => return Err(error),
        }
    }
    Ok((answers, worst))
}

/// The package that a command treats as a whole, also if a part of it is named.
pub(crate) fn whole_package(context: &Context, index: &LightIndex, text: &str) -> Result<String, CommandError> {
    let name = package(index, text)?;
    if name.is_part() && index.package_names()?.contains(&name.package) {
        context.reporter.note(&format!(
            "`{text}` is a part of package `{}`, and this command takes whole packages only",
            name.package
        ));
    }
    Ok(name.package)
}

/// The packages that a command reads as a whole, before any source is open: `PKG@VERSION` and `PKG/CHANNEL` are parts.
pub(crate) fn whole_packages(context: &Context, texts: &[String]) -> Vec<String> {
    let whole = |text: &String| {
        let name = PackageName::parse(text);
        if name.is_part() {
            let package = &name.package;
            context.reporter.note(&format!(
                "`{text}` is a part of package `{package}`, and this command takes whole packages only"
            ));
        }
        name.package
    };
    texts.iter().map(whole).collect()
}

/// The package that an argument names, with the other parts of the name.
pub(crate) fn package(index: &LightIndex, text: &str) -> Result<PackageName, CommandError> {
    refuse_path(index, text)?;
    Ok(PackageName::find(index, text)?)
}

/// The bundle that an argument means.
pub(crate) fn target(index: &LightIndex, catalogs: &[String], text: &str) -> Result<Target, CommandError> {
    refuse_path(index, text)?;
    Ok(Target::find(index, catalogs, text)?)
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ArgAction, Command};

    /// Commands about one thing: it is written, or a second word has another meaning.
    const OF_ONE: &[&str] = &[
        "edit default-channel",
        "edit rename-channel",
        "edit set-edges",
        "edit new-package",
        "edit z-stream",
        "edit add",
        "edit release",
        "release",
        "z-stream",
        "init",
        "image",
        "image build",
    ];

    #[test]
    fn a_command_that_takes_a_name_takes_several() {
        const NAMES: [&str; 6] = ["NAME", "PKG", "BUNDLE", "API", "ENTRY", "PACKAGE"];
        let is_name = |argument: &&Arg| {
            let word = argument.get_value_names().and_then(|all| all.first()).map(ToString::to_string);
            word.is_some_and(|word| {
                word.split(|c: char| !c.is_alphabetic()).next().is_some_and(|it| NAMES.contains(&it))
            })
        };
        let is_list = |argument: &&Arg| {
            matches!(argument.get_action(), ArgAction::Append)
                || argument.get_num_args().is_some_and(|n| n.max_values() > 1)
        };
        let mut open: Vec<(String, Command)> = vec![(String::new(), crate::cli::whole())];
        let (mut n_seen, mut failures) = (0, Vec::new());
        while let Some((path, command)) = open.pop() {
            let inside = |it: &Command| (format!("{path} {}", it.get_name()).trim().to_owned(), it.clone());
            open.extend(command.get_subcommands().filter(|it| it.get_name() != "help").map(inside));
            if !command.get_positionals().any(|it| is_name(&it)) || OF_ONE.contains(&path.as_str()) {
                continue;
            }
            n_seen += 1;
            if !command.get_positionals().any(|it| is_list(&it)) {
                failures.push(path);
            }
        }
        assert!(failures.is_empty(), "{failures:?} take one name");
        assert!(n_seen > 25, "{n_seen}");
    }
}
