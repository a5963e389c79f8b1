//! The possible values of arguments: names from an index, rules.
//!
//! The name of an argument's value decides its candidates; a test demands a row of the table for each. Nothing here
//! reads standard input, waits for anybody or prints.

use std::path::PathBuf;

use clap::Arg;

use crate::cli::args::sources::AskOptions;
use crate::cli::lists::all_rules;
use crate::cli::terminal::error::CommandError;
use crate::cli::terminal::report::{ColorChoice, LogFormat, Reporter};
use crate::compose::Reach;
use crate::index::Index;
use crate::index::query::Filter;

/// The candidates that a shell can offer.
#[derive(Debug)]
pub(in crate::cli) enum Offer {
    /// A list of words.
    Words(Vec<Candidate>),
    /// Files, which the shell finds itself.
    Files,
    /// Directories, which the shell finds itself.
    Directories,
}

impl Offer {
    pub(in crate::cli) fn nothing() -> Self {
        Self::Words(Vec::new())
    }
}

/// A word that can be offered.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Candidate {
    pub(in crate::cli) word: String,
    /// A description in this program's own words; empty for names.
    pub(in crate::cli) about: String,
}

impl Candidate {
    pub(in crate::cli) fn new(word: impl Into<String>, help: Option<String>) -> Self {
        let help = help.unwrap_or_default();
        Self { word: word.into(), about: help.lines().next().unwrap_or_default().to_owned() }
    }

    fn name(word: String) -> Self {
        Self { word, about: String::new() }
    }
}

/// The kind of an argument's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Wants {
    Package,
    /// A package, one of its versions or channels, or a bundle.
    Name,
    /// The same, also with a namespace in front.
    NameInNamespace,
    /// A version or a bundle of the package that the line names, else as `Name`.
    Bundle,
    /// A channel of the package that has been named.
    Channel,
    Catalog,
    PackageOrApi,
    /// An API.
    Api,
    /// A rule, or `all`.
    Rule,
    /// A command of this program.
    Commands,
    /// A file or a directory.
    Files,
    /// A directory.
    Directories,
    /// A value that cannot be guessed.
    Nothing,
}

/// The kinds of values by their names in the help. An argument with a list of possible values needs no row.
const WANTS: &[(&str, Wants)] = &[
    ("NAMESPACE|PKG", Wants::Package),
    ("PKG", Wants::Package),
    ("PACKAGE", Wants::Package),
    ("PKG@V", Wants::Name),
    ("PKG@VERSION", Wants::Name),
    ("PKG[@VERSION]", Wants::Name),
    ("PKG/CHANNEL", Wants::Name),
    ("PKG[/CHANNEL]", Wants::Name),
    ("PKG[@VERSION|/CHANNEL]", Wants::Name),
    ("[NS:]PKG[@VERSION|/CHANNEL]", Wants::NameInNamespace),
    ("[NS:]PKG@VERSION|BUNDLE", Wants::NameInNamespace),
    ("PKG[/CHANNEL][@RANGE]", Wants::Name),
    ("PKG@VERSION|BUNDLE", Wants::Name),
    ("BUNDLE", Wants::Bundle),
    ("NAME|VERSION", Wants::Bundle),
    ("CHANNEL", Wants::Channel),
    ("ENTRY", Wants::Bundle),
    ("ENTRY,…", Wants::Bundle),
    ("NAME,…", Wants::Nothing),
    ("TYPE=JSON", Wants::Nothing),
    ("CATALOG", Wants::Files),
    ("API", Wants::Api),
    ("GROUP/VERSION/KIND", Wants::Api),
    ("API|PKG", Wants::PackageOrApi),
    ("PIPELINE,…", Wants::Nothing),
    ("PIPELINE", Wants::Nothing),
    ("RULE", Wants::Rule),
    ("RULE|MESSAGE", Wants::Rule),
    ("[NAME=]PATH", Wants::Files),
    ("RULE,…", Wants::Rule),
    ("RULE=LEVEL,…", Wants::Nothing),
    ("COMMAND", Wants::Commands),
    ("SOURCE", Wants::Files),
    ("[NAME=]SOURCE", Wants::Files),
    ("[NAME=]CATALOG", Wants::Files),
    ("[REFERENCE=]SOURCE", Wants::Files),
    ("REFERENCE=CATALOG", Wants::Nothing),
    ("[TYPE] FILE", Wants::Files),
    ("IMAGE=DIR", Wants::Nothing),
    ("[NAME=]REPO", Wants::Directories),
    ("OLD", Wants::Files),
    ("STATE", Wants::Files),
    ("NEW", Wants::Files),
    ("FILE", Wants::Files),
    ("FILE|DIR", Wants::Files),
    ("FILE|DIR|-|@CONTEXT", Wants::Files),
    ("FILE|-", Wants::Files),
    ("MINOR[/FAMILY]=SOURCE", Wants::Files),
    ("CODE[:SUBJECT]", Wants::Nothing),
    ("DAY", Wants::Nothing),
    ("SPAN", Wants::Nothing),
    ("NS/NAME=CATALOG", Wants::Nothing),
    ("GATE=BOOL,…", Wants::Nothing),
    ("CLUSTER_CHANNEL", Wants::Nothing),
    ("BOOL", Wants::Nothing),
    ("DAYS", Wants::Nothing),
    ("DIGEST", Wants::Nothing),
    ("DIR|IMAGE", Wants::Files),
    ("NAME|DIR", Wants::Directories),
    ("DIR", Wants::Directories),
    ("BUNDLE_DIR", Wants::Directories),
    ("OUTDIR", Wants::Directories),
    ("ADDR", Wants::Nothing),
    ("ADDR:PORT", Wants::Nothing),
    ("ARCH", Wants::Nothing),
    ("GLOB", Wants::Package),
    ("HOST", Wants::Nothing),
    ("PORT", Wants::Nothing),
    ("PATH", Wants::Nothing),
    ("CATEGORY", Wants::Nothing),
    ("COLUMN", Wants::Nothing),
    ("IMAGE", Wants::Nothing),
    ("K", Wants::Nothing),
    ("KEY=VALUE", Wants::Nothing),
    ("KEYWORD", Wants::Nothing),
    ("LABELS", Wants::Nothing),
    ("LEVEL", Wants::Nothing),
    ("MODE", Wants::Nothing),
    ("PROVIDER", Wants::Nothing),
    ("N", Wants::Nothing),
    ("NAME:KEY=VALUE", Wants::Nothing),
    ("NAME=VALUE", Wants::Nothing),
    ("NAME=N", Wants::Nothing),
    ("NAME[=VALUE]", Wants::Nothing),
    ("OS/ARCH,…", Wants::Nothing),
    ("KIND,…", Wants::Nothing),
    ("MIRROR", Wants::Nothing),
    ("oci:DIR", Wants::Nothing),
    ("PLATFORM", Wants::Nothing),
    ("RANGE", Wants::Nothing),
    ("REGISTRY", Wants::Nothing),
    ("ORIGIN", Wants::Nothing),
    ("SECONDS", Wants::Nothing),
    ("SELECTOR", Wants::Nothing),
    ("SQL", Wants::Nothing),
    ("SUITE,…", Wants::Nothing),
    ("TARGET", Wants::Files),
    ("TEMPLATE", Wants::Nothing),
    ("TEXT", Wants::Nothing),
    ("TOOL", Wants::Nothing),
    ("VERSION", Wants::Nothing),
    ("WORDS", Wants::Nothing),
];

/// The kind of a `NAME`, which is too short a word to tell, by the argument.
const NAMES: &[(&str, Wants)] = &[
    ("deprecate", Wants::Name),
    ("name", Wants::Name),
    ("more", Wants::Name),
    ("names", Wants::Name),
    ("catalog", Wants::Catalog),
    ("old_catalog", Wants::Catalog),
    ("new_catalog", Wants::Catalog),
    ("remove", Wants::Catalog),
    ("namespace", Wants::Nothing),
    ("scope", Wants::Nothing),
    ("global_namespace", Wants::Nothing),
];

pub(in crate::cli) fn wants(argument: &Arg) -> Wants {
    row(argument).unwrap_or(Wants::Nothing)
}

fn row(argument: &Arg) -> Option<Wants> {
    let id = argument.get_id().as_str();
    let given = argument.get_value_names().and_then(|it| it.first()).map(|it| it.as_str().to_owned());
    let name = given.unwrap_or_else(|| id.to_uppercase());
    let (table, key) = if name == "NAME" { (NAMES, id) } else { (WANTS, name.as_str()) };
    table.iter().find(|it| it.0 == key).map(|it| it.1)
}

/// The words that have been typed already and decide which names there are.
#[derive(Debug, Default)]
pub(in crate::cli) struct Context {
    pub(in crate::cli) sources: Vec<String>,
    pub(in crate::cli) catalogs: Vec<String>,
    pub(in crate::cli) package: Option<String>,
}

/// Names that fit; none if there is no source to ask.
pub(in crate::cli) fn names(wanted: Wants, typed: &str, context: &Context) -> Vec<Candidate> {
    if wanted == Wants::Rule {
        let all = std::iter::once(Candidate::new("all", Some("list the rules".to_owned())));
        return all
            .chain(all_rules().into_iter().map(|it| Candidate::new(it.id, Some(it.summary.to_owned()))))
            .collect();
    }
    // The sources are opened one after another, since sources that cannot be combined still have names.
    let each: Vec<Option<&str>> = match context.sources.as_slice() {
        [] => vec![None],
        sources => sources.iter().map(|it| Some(it.as_str())).collect(),
    };
    // An error here has no reader: the line is still being typed.
    let all = each.into_iter().filter_map(|it| names_in(&open(it).ok()?, wanted, typed, context).ok());
    distinct(all.flatten()).into_iter().map(Candidate::name).collect()
}

/// Opens the source of the command, but nothing that could be read only once or never ends.
fn open(source: Option<&str>) -> Result<Index, CommandError> {
    let sources: Vec<PathBuf> = source.map(PathBuf::from).into_iter().collect();
    if let Some(source) = source {
        let path = source.split_once('=').map_or(source, |it| it.1);
        let is_safe = |it: &str| std::fs::metadata(it).is_ok_and(|it| it.is_file() || it.is_dir());
        if !is_safe(source) && !is_safe(path) {
            return Err(CommandError::usage("not a file"));
        }
    }
    let reporter = Reporter::new(ColorChoice::Never, LogFormat::Text, true, false);
    AskOptions::of_sources(&sources).open(&crate::cli::terminal::context::Context {
        reporter,
        opener: std::sync::Arc::new(crate::source::Opener::new(&std::env::temp_dir())),
        sight: crate::fbc::Sight::Named,
        keeps_indexes: true,
        found_config: Reach::Inside,
    })
}

fn names_in(index: &Index, wanted: Wants, typed: &str, context: &Context) -> Result<Vec<String>, CommandError> {
    let filter = |package: Option<&str>| Filter {
        catalogs: context.catalogs.clone(),
        package: package.map(str::to_owned),
        ..Filter::default()
    };
    let packages = || -> Result<Vec<String>, CommandError> {
        if context.catalogs.is_empty() {
            return Ok(index.package_names()?);
        }
        Ok(sorted(index.packages(&filter(None))?.into_iter().map(|it| it.package)))
    };
    let channels = |package: &str| -> Result<Vec<String>, CommandError> {
        Ok(sorted(index.channels(&filter(Some(package)))?.into_iter().map(|it| it.channel)))
    };
    Ok(match wanted {
        Wants::Package => packages()?,
        Wants::Catalog => index.catalog_names()?,
        Wants::Channel => match &context.package {
            Some(package) => channels(package)?,
            None => index.names(None)?.channels,
        },
        Wants::Bundle => match &context.package {
            Some(package) => {
                let bundles = index.bundles(&filter(Some(package)))?;
                let versions = bundles.iter().rev().map(|it| it.version.clone());
                distinct(versions.chain(bundles.iter().rev().map(|it| it.bundle.clone())))
            }
            None => names_in(index, Wants::Name, typed, context)?,
        },
        Wants::Name => match typed.find(['@', '/']).filter(|it| *it > 0) {
            Some(at) if typed.as_bytes()[at] == b'@' => {
                let package = &typed[..at];
                let bundles = index.bundles(&filter(Some(package)))?;
                distinct(bundles.iter().rev().map(|it| format!("{package}@{}", it.version)))
            }
            Some(at) => channels(&typed[..at])?.into_iter().map(|it| format!("{}/{it}", &typed[..at])).collect(),
            // There are many names of bundles, and users mostly mean those of a package.
            None if typed.is_empty() => packages()?,
            None => [packages()?, index.names(None)?.bundles].concat(),
        },
        Wants::NameInNamespace => match typed.split_once(':') {
            Some((namespace, rest)) => {
                let names = names_in(index, Wants::Name, rest, context)?;
                names.into_iter().map(|it| format!("{namespace}:{it}")).collect()
            }
            None => names_in(index, Wants::Name, typed, context)?,
        },
        Wants::Api => index.api_names()?,
        Wants::PackageOrApi => [packages()?, index.api_names()?].concat(),
        Wants::Rule | Wants::Commands | Wants::Files | Wants::Directories | Wants::Nothing => Vec::new(),
    })
}

fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    names.collect::<std::collections::BTreeSet<String>>().into_iter().collect()
}

/// Each once, in the order in which they come.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    names.filter(|it| seen.insert(it.clone())).collect()
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _};

    use super::row;
    use crate::cli::Cli;

    #[test]
    fn every_value_has_a_row() {
        let mut root = Cli::command();
        root.build();
        let mut open: Vec<(String, &Command)> = vec![(String::new(), &root)];
        let mut missing = Vec::new();
        while let Some((above, command)) = open.pop() {
            let path = format!("{above} {}", command.get_name());
            for argument in command.get_arguments().filter(|it| it.get_action().takes_values()) {
                if argument.get_possible_values().is_empty() && row(argument).is_none() {
                    missing.push(format!("{path}: {} {:?}", argument.get_id(), argument.get_value_names()));
                }
            }
            open.extend(command.get_subcommands().map(|it| (path.clone(), it)));
        }
        assert!(missing.is_empty(), "values of which nobody knows what to offer:\n{}", missing.join("\n"));
    }
}
