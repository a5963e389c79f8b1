//! `olmdex export --site`

use std::path::{Path, PathBuf};

use crate::ask::guess;
use crate::cli::args::sources::AskOptions;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::progress::Progress;
use crate::diag::{counted, grouped};
use crate::page::{ExportError, IndexCache, export};
use crate::re2::Pattern;

pub(super) fn run(context: &Context, sources: &[String], globs: &[String], target: &Path) -> CommandResult {
    let patterns = globs.iter().map(|it| pattern(it)).collect::<Result<Vec<_>, _>>()?;
    let sources: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
    let ask = AskOptions::of_sources(&sources);
    let index = ask.open(context)?;
    let cache = IndexCache::new(&index, ask.as_words()?)?;
    let progress = Progress::start(context, format!("writing {}", target.display()));
    interrupt::undo_writes(context);
    let is_wanted = |name: &str| patterns.is_empty() || patterns.iter().any(|it| it.is_match(name));
    let found = export(&index, &cache, &is_wanted, target).map_err(|error| match error {
        ExportError::Index(error) => error.into(),
        ExportError::Needs(error) => error.into(),
        ExportError::File(error) => error.into(),
        ExportError::TooLarge(_) => CommandError::new(Exit::Limit, error.to_string())
            .help("write the pages of some packages with `--package`; `olmdex serve` makes all of them on demand"),
        ExportError::NoPackage => {
            let error = CommandError::new(Exit::NotFound, "no package has a matching name");
            let names = index.package_names().unwrap_or_default();
            let otherwise = "`olmdex list packages` shows what there is";
            error.help(globs.first().map_or(otherwise.to_owned(), |it| guess(it, &names, otherwise)))
        }
        other => CommandError::new(Exit::Input, other.to_string()),
    })?;
    drop(progress);
    let (packages, files) = (counted(found.packages as u64, "package"), counted(found.files as u64, "file"));
    let kilobytes = grouped(found.bytes.div_ceil(1000));
    context.reporter.note(&format!("wrote {}: {packages}, {files}, {kilobytes} kB; open index.html", target.display()));
    Ok(Exit::Yes)
}

/// A glob as a pattern of a whole name.
fn pattern(glob: &str) -> Result<Pattern, CommandError> {
    let mut text = String::from(r"\A(?s:");
    for c in glob.chars() {
        match c {
            '*' => text.push_str(".*"),
            '?' => text.push('.'),
            c if c.is_ascii_punctuation() => text.extend(['\\', c]),
            c => text.push(c),
        }
    }
    text.push_str(r")\z");
    Pattern::parse(&text)
        .map_err(|error| CommandError::usage(format!("`{glob}` is not a valid pattern of `*` and `?`: {error}")))
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn a_glob_is_a_whole_name() {
        for (glob, name, is_match) in [
            ("k*", "keda", true),
            ("k*", "xk", false),
            ("k?da", "keda", true),
            ("a.b", "axb", false),
            ("*-operator", "x-operator", true),
            ("[a]", "a", false),
        ] {
            assert_eq!(pattern(glob).ok().map(|it| it.is_match(name)), Some(is_match), "{glob} {name}");
        }
    }
}
