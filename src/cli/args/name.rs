//! Names as arguments: a package, a version or channel of it, or a bundle.

use std::collections::BTreeSet;

use crate::cli::speak::error::{CommandError, Exit};
use crate::diag::{closest, closest_of_same_numbers};
use crate::edit::Named;
use crate::index::Index;
use crate::index::query::Filter;
use crate::version::{self, first_of};

/// What a name argument says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NameArgument {
    /// `PKG`, or a bundle's name.
    Plain(String),
    /// `PKG@VERSION`
    Version(String, String),
    /// `PKG/CHANNEL`
    Channel(String, String),
}

impl From<NameArgument> for Named {
    fn from(name: NameArgument) -> Self {
        match name {
            NameArgument::Plain(name) => Self::Plain(name),
            NameArgument::Version(package, version) => Self::Version(package, version),
            NameArgument::Channel(package, channel) => Self::Channel(package, channel),
        }
    }
}

impl NameArgument {
    pub(crate) fn parse(text: &str) -> Self {
        // Package names have neither; channel and bundle names may.
        match text.find(['@', '/']) {
            Some(at) if at > 0 => {
                let (package, rest) = (text[..at].to_owned(), text[at + 1..].to_owned());
                if text.as_bytes()[at] == b'@' { Self::Version(package, rest) } else { Self::Channel(package, rest) }
            }
            _ => Self::Plain(text.to_owned()),
        }
    }
}

/// A package, with what its argument says besides: `PKG`, `PKG@VERSION`, `PKG/CHANNEL` or a bundle's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackageArgument {
    pub(crate) package: String,
    /// The version or bundle that was named.
    pub(crate) installed: Option<String>,
    pub(crate) channel: Option<String>,
}

impl PackageArgument {
    /// A package as a whole.
    pub(crate) fn of(package: &str) -> Self {
        Self { package: package.to_owned(), installed: None, channel: None }
    }

    /// Takes an argument apart. A plain name that no package has, but a bundle or an edge, means the bundle.
    pub(crate) fn find(index: &Index, text: &str) -> Result<Self, CommandError> {
        refuse_path(index, text)?;
        Ok(match NameArgument::parse(text) {
            NameArgument::Version(package, version) => Self { package, installed: Some(version), channel: None },
            NameArgument::Channel(package, channel) => Self { package, installed: None, channel: Some(channel) },
            NameArgument::Plain(name) => {
                let mut packages = index.packages_of_bundle(&name)?;
                if packages.is_empty() {
                    packages = index.packages_mentioning(&name)?;
                }
                match packages.into_iter().next() {
                    Some(package) if package != name && !index.package_names()?.contains(&name) => {
                        Self { package, installed: Some(name), channel: None }
                    }
                    _ => Self { package: name, installed: None, channel: None },
                }
            }
        })
    }
}

/// A name that is a path is more likely a source than a channel of a package.
pub(crate) fn refuse_path(index: &Index, text: &str) -> Result<(), CommandError> {
    let package = text.split(['@', '/']).next().unwrap_or_default();
    if std::path::Path::new(text).exists() && !index.package_names()?.iter().any(|it| it == package) {
        let error = CommandError::new(Exit::NotFound, format!("`{text}` is a file or directory, not a package"));
        return Err(error.help(format!("to query it, give it as a source: `-i {text}`")));
    }
    Ok(())
}

/// The package that a command looks at as a whole: its name, or that of one of its bundles.
pub(crate) fn whole_package(index: &Index, text: &str) -> Result<String, CommandError> {
    match NameArgument::parse(text) {
        NameArgument::Plain(_) => Ok(PackageArgument::find(index, text)?.package),
        NameArgument::Version(package, _) | NameArgument::Channel(package, _) => {
            let error =
                CommandError::usage(format!("this command looks at whole packages, and `{text}` is a part of one"));
            Err(error.help(format!("name the package: `{package}`")))
        }
    }
}

/// The error about a package that is nowhere.
pub(crate) fn unknown_package(index: &Index, package: &str) -> Result<CommandError, CommandError> {
    let names = index.package_names()?;
    let error = CommandError::new(Exit::NotFound, format!("there is no package `{package}`"));
    let filter = Filter { package: Some(package.to_owned()), ..Filter::default() };
    if let Some(elsewhere) = left_out(index.packages(&filter)?.into_iter().map(|it| it.catalog)) {
        return Ok(error.help(elsewhere));
    }
    Ok(with_guess(error, package, &names, "`olmdex list packages` shows what there is"))
}

/// The error about a channel that a package does not have.
pub(crate) fn unknown_channel(index: &Index, package: &str, channel: &str) -> Result<CommandError, CommandError> {
    let names = index.names(Some(package))?.channels;
    let error = CommandError::new(Exit::NotFound, format!("package `{package}` has no channel `{channel}`"));
    let filter = Filter { package: Some(package.to_owned()), channel: Some(channel.to_owned()), ..Filter::default() };
    if let Some(elsewhere) = left_out(index.channels(&filter)?.into_iter().map(|it| it.catalog)) {
        return Ok(error.help(elsewhere));
    }
    let has = if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
    Ok(with_guess(error, channel, &names, &has))
}

/// The error about a version that a package does not have in these catalogs, all of them if none is named.
pub(crate) fn unknown_version(
    index: &Index,
    catalogs: &[String],
    package: &str,
    version: &str,
) -> Result<CommandError, CommandError> {
    let all = index.bundles(&Filter { package: Some(package.to_owned()), ..Filter::default() })?;
    let is_asked = |catalog: &String| catalogs.is_empty() || catalogs.contains(catalog);
    if !all.iter().any(|it| is_asked(&it.catalog)) {
        return unknown_package(index, package);
    }
    let error = CommandError::new(Exit::NotFound, format!("package `{package}` has no version `{version}`"));
    let having = all.iter().filter(|it| it.version == version || it.bundle == version);
    if let Some(elsewhere) = left_out(having.map(|it| it.catalog.clone())) {
        return Ok(error.help(elsewhere));
    }
    let asked = all.into_iter().filter(|it| is_asked(&it.catalog));
    let bundles: Vec<(String, String)> = asked.map(|it| (it.bundle, it.version)).collect();
    Ok(with_bundle_guess(error, version, &bundles, &format!("`olmdex list bundles {package}` lists what there is")))
}

/// That other catalogs than those that were asked have what was not found; `None` if none has it.
pub(crate) fn left_out(catalogs: impl Iterator<Item = String>) -> Option<String> {
    let names: BTreeSet<String> = catalogs.map(|it| format!("`{it}`")).collect();
    let names: Vec<String> = names.into_iter().collect();
    match names.as_slice() {
        [] => None,
        [only] => Some(format!("catalog {only} has it: choose that one with `--catalog`, or leave `--catalog` out")),
        several => {
            let names = first_of(several.iter(), several.len());
            Some(format!("the catalogs {names} have it: choose one of them with `--catalog`, or leave `--catalog` out"))
        }
    }
}

pub(crate) fn with_guess(error: CommandError, name: &str, names: &[String], otherwise: &str) -> CommandError {
    match closest(name, names.iter().map(String::as_str).filter(|it| *it != name)) {
        Some(meant) => error.help(format!("did you mean `{meant}`?")),
        None => error.help(otherwise),
    }
}

/// As [`with_guess`], of names and versions of bundles of a package. Another version is not a slip: of these the nearest are named, and
/// from where to where they go.
pub(crate) fn with_bundle_guess(
    error: CommandError,
    text: &str,
    bundles: &[(String, String)],
    otherwise: &str,
) -> CommandError {
    let names = bundles.iter().flat_map(|(name, version)| [name.as_str(), version.as_str()]);
    if let Some(meant) = closest_of_same_numbers(text, names) {
        return error.help(format!("did you mean `{meant}`?"));
    }
    let named = text.rsplit_once('@').map_or(text, |it| it.1);
    let plain = version::Version::parse_tolerant(named).ok();
    let wanted = plain.clone().or_else(|| version::version_in_name(named));
    // Of bundles of many packages those count that are called alike.
    let stem = |it: &str| it.split('.').next().unwrap_or_default().to_owned();
    let (stem_of_text, is_plain) = (stem(named), plain.is_some());
    let alike: Vec<_> = bundles.iter().filter(|it| is_plain || stem(&it.0) == stem_of_text).collect();
    let is_wanted = |it: &&&(String, String)| wanted.is_some() && version::Version::parse(&it.1).ok() == wanted;
    if let Some((meant, _)) = alike.iter().filter(is_wanted).min() {
        return error.help(format!("did you mean `{meant}`?"));
    }
    match wanted.and_then(|it| version::nearest(Some(&it), alike.iter().map(|it| it.1.as_str()))) {
        Some(near) => error.help(format!("{near}; {otherwise}")),
        None => error.help(otherwise),
    }
}

#[cfg(test)]
mod tests {
    use super::NameArgument::{self, Channel, Plain, Version};

    #[test]
    fn names_are_told_apart_by_their_first_separator() {
        let text = |it: &str| it.to_owned();
        for (typed, meant) in [
            ("keda", Plain(text("keda"))),
            ("keda.v2.1.0", Plain(text("keda.v2.1.0"))),
            ("keda@2.1.0", Version(text("keda"), text("2.1.0"))),
            ("keda/stable", Channel(text("keda"), text("stable"))),
            ("keda/a@b/c", Channel(text("keda"), text("a@b/c"))),
            ("@x", Plain(text("@x"))),
        ] {
            assert_eq!(NameArgument::parse(typed), meant);
        }
    }
}
