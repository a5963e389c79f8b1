//! Maps the commands that users of opm and kubectl type to the commands of this program.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::terminal::error::{CommandError, Exit, with_feature};
use crate::cli::terminal::report::{ColorChoice, LogFormat, Reporter};
use crate::explain::old_command;

/// Words at the beginning of a command line, and their replacements. Longer ones come before their beginnings.
const INSTEAD: &[(&[&str], &str)] = &[
    (&["alpha", "render-graph"], "`olmdex graph [PKG] -i SOURCE`"),
    (&["alpha", "diff"], "`olmdex diff OLD NEW`"),
    (&["alpha", "bundle", "validate"], "`olmdex check DIR`, on the unpacked bundle"),
    (&["alpha"], "opm's `alpha list` is `olmdex list`, its `alpha render-graph` is `olmdex graph`"),
    (&["index"], "`olmdex edit` changes a legacy index; `olmdex export FILE --to files -O DIR` converts it to files"),
    (
        &["registry"],
        "`olmdex edit` changes a legacy catalog; `olmdex export FILE --to files -O DIR` converts it to files",
    ),
    (&["version"], "`olmdex --version`"),
    (&["get", "packagemanifests"], "`olmdex list packages`"),
    (&["get"], "`olmdex list packages|channels|bundles|catalogs`"),
    (&["describe"], "`olmdex show NAME`"),
    (&["packages"], "`olmdex list packages`"),
    (&["channels"], "`olmdex list channels [PKG]`"),
    (&["bundles"], "`olmdex list bundles [PKG]`"),
    (&["catalogs"], "`olmdex list catalogs`"),
    (&["upgrade"], "`olmdex upgrades PKG@VERSION`"),
    (&["import"], "`olmdex build SOURCE` builds an index"),
    (&["lint"], "`olmdex check PATH`"),
    (&["format"], "`olmdex render SOURCE -o yaml` prints a catalog as opm formats it"),
    (&["fmt"], "`olmdex render SOURCE -o yaml` prints a catalog as opm formats it"),
    (&["tree"], "`olmdex deps PKG` shows what a package needs, and `olmdex graph PKG` its upgrades"),
];

/// Adds to an error about a word or option of another tool the command to type here.
pub(in crate::cli) fn redirect(error: &mut clap::Error, words: &[String]) {
    let tip = match error.kind() {
        ErrorKind::InvalidSubcommand => lacking(words).or_else(|| instead(words).map(str::to_owned)),
        ErrorKind::UnknownArgument => match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(option)) if matches!(option.as_str(), "-p" | "--package" | "--packages") => {
                Some("name packages without an option: `olmdex COMMAND PKG`".to_owned())
            }
            _ => None,
        },
        _ => None,
    };
    if let Some(tip) = tip {
        // A word with a similar spelling is not what the user meant.
        error.remove(ContextKind::SuggestedSubcommand);
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
}

/// Ends an old command of opm or oc-mirror with the commands to type instead. `None` for any other command line. An old
/// command stands behind the name of this program, or of the other tool, under which this program was started.
pub(in crate::cli) fn instead_of_old(words: &[OsString], format: LogFormat) -> Option<Exit> {
    let mut words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let name = Path::new(words.first()?).file_name()?.to_string_lossy().into_owned();
    // Options that all commands have may come first.
    let n_options = words.iter().skip(1).take_while(|word| word.starts_with('-')).count();
    words.drain(1..=n_options);
    let mut behind = words.iter().skip(1).map(String::as_str);
    let (first, second) = (behind.next()?, behind.next().unwrap_or_default());
    match name.as_str() {
        // These run, as they did.
        "opm" if matches!((first, second), ("registry", "serve") | ("alpha", _)) => return None,
        "opm" | "oc-mirror" => words[0] = name,
        _ if matches!(first, "index" | "registry" | "alpha") => words[0] = "opm".to_owned(),
        _ => return None,
    }
    let explanation = old_command(&words)?;
    let command: Vec<&str> = words.iter().map(String::as_str).take_while(|word| !word.starts_with('-')).collect();
    let message = format!("olmdex does what `{}` did with other commands", command.join(" "));
    let error = CommandError::usage(message);
    let reporter = Reporter::new(ColorChoice::Auto, format, false, false);
    let parts = || [&explanation].into_iter().chain(&explanation.others);
    if format == LogFormat::Json {
        let commands: Vec<String> = parts().flat_map(|part| &part.next).map(|line| format!("`{line}`")).collect();
        reporter.error(&error.help(format!("{} {}", explanation.meaning, commands.join("; "))));
    } else {
        reporter.error(&error);
        for part in parts() {
            reporter.plain(&part.meaning);
            part.next.iter().for_each(|line| reporter.plain(&format!("  {line}")));
        }
    }
    Some(Exit::Usage)
}

/// Our own commands that few builds have, each with its feature.
const OPTIONAL: &[(&str, bool)] = &[("mcp", cfg!(feature = "mcp")), ("serve", cfg!(feature = "serve"))];

/// Why a build lacks one of our own commands.
fn lacking(words: &[String]) -> Option<String> {
    let first = words.iter().find(|it| !it.starts_with('-'))?;
    let (name, _) = OPTIONAL.iter().find(|it| it.0 == first && !it.1)?;
    Some(format!("`{name}` needs the feature `{name}`, which this build of olmdex lacks; {}", with_feature(name)))
}

fn instead(words: &[String]) -> Option<&'static str> {
    let plain: Vec<&str> = words.iter().map(String::as_str).filter(|it| !it.starts_with('-')).collect();
    INSTEAD.iter().find(|it| plain.starts_with(it.0)).map(|it| it.1)
}

#[cfg(test)]
mod tests {
    use super::{INSTEAD, OPTIONAL, instead, lacking};

    /// `olmdex mcp` in a build without it is no slip of the pen for `compat`.
    #[test]
    fn a_command_that_the_build_lacks_is_named_with_its_feature() {
        for (name, is_built) in OPTIONAL {
            let words = vec!["-q".to_owned(), (*name).to_owned(), "compat".to_owned()];
            assert_eq!(lacking(&words).is_none(), *is_built, "{name}");
        }
        assert_eq!(lacking(&["path".to_owned()]), None);
    }

    #[test]
    fn the_longest_beginning_counts() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(instead(&words("alpha diff old new")), Some("`olmdex diff OLD NEW`"));
        assert_eq!(instead(&words("-v version")), Some("`olmdex --version`"));
        assert_eq!(instead(&words("frobnicate")), None);
    }

    #[test]
    fn no_command_of_ours_is_sent_elsewhere() {
        let root = crate::cli::whole();
        for (words, tip) in INSTEAD {
            assert!(root.find_subcommand(words[0]).is_none(), "{words:?}");
            let named = tip.split("olmdex ").nth(1).and_then(|it| it.split([' ', '`']).next()).unwrap_or_default();
            assert!(named == "--version" || root.find_subcommand(named).is_some(), "{tip}");
        }
    }
}
