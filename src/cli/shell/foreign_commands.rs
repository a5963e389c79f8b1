//! Maps the commands that users of opm and kubectl type to the commands of this program.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::terminal::error::with_feature;

/// Words at the beginning of a command line, and their replacements. Longer ones come before their beginnings.
const INSTEAD: &[(&[&str], &str)] = &[
    (&["alpha", "list", "packages"], "`olmdex list packages -i SOURCE`"),
    (&["alpha", "list", "channels"], "`olmdex list channels [PKG] -i SOURCE`"),
    (&["alpha", "list", "bundles"], "`olmdex list bundles [PKG] -i SOURCE`"),
    (&["alpha", "list"], "`olmdex list packages|channels|bundles -i SOURCE`"),
    (&["alpha", "render-graph"], "`olmdex graph [PKG] -i SOURCE`"),
    (&["alpha", "diff"], "`olmdex diff OLD NEW`"),
    (&["alpha", "bundle", "validate"], "`olmdex bundle DIR`, on the unpacked bundle"),
    (&["alpha"], "opm's `alpha list` is `olmdex list`, its `alpha render-graph` is `olmdex graph`"),
    (&["index", "add"], "`olmdex legacy add FILE -b IMAGE,… -O NEW`, on the index's database file"),
    (&["index", "rm"], "`olmdex legacy rm FILE -p PKG -O NEW`, on the index's database file"),
    (&["index", "prune"], "`olmdex legacy prune FILE -p PKG -O NEW`, on the index's database file"),
    (&["index", "prune-stranded"], "`olmdex legacy prune-stranded FILE -O NEW`, on the index's database file"),
    (&["index", "deprecatetruncate"], "`olmdex legacy deprecate-truncate FILE -b IMAGE -O NEW`"),
    (&["index"], "`olmdex legacy` changes a legacy index; `olmdex migrate FILE DIR` converts it to files"),
    (&["registry", "add"], "`olmdex legacy add FILE -b IMAGE,… -O NEW`"),
    (&["registry", "rm"], "`olmdex legacy rm FILE -p PKG -O NEW`"),
    (&["registry", "prune"], "`olmdex legacy prune FILE -p PKG -O NEW`"),
    (&["registry", "prune-stranded"], "`olmdex legacy prune-stranded FILE -O NEW`"),
    (&["registry", "deprecatetruncate"], "`olmdex legacy deprecate-truncate FILE -b IMAGE -O NEW`"),
    (&["registry"], "`olmdex legacy` changes a legacy catalog; `olmdex migrate FILE DIR` converts it to files"),
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
        assert_eq!(instead(&words("alpha list bundles catalog keda")), Some(INSTEAD[2].1));
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
