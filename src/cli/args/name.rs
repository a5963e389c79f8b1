//! Names as arguments: a package, a version or channel of it, or a bundle.

use crate::cli::speak::error::{CommandError, Exit};
use crate::diag::closest;
use crate::index::Index;

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

    /// Takes an argument apart. A plain name that no package has, but a bundle, means the bundle.
    pub(crate) fn find(index: &Index, text: &str) -> Result<Self, CommandError> {
        refuse_path(index, text)?;
        Ok(match NameArgument::parse(text) {
            NameArgument::Version(package, version) => Self { package, installed: Some(version), channel: None },
            NameArgument::Channel(package, channel) => Self { package, installed: None, channel: Some(channel) },
            NameArgument::Plain(name) => match index.packages_of_bundle(&name)?.into_iter().next() {
                Some(package) if package != name && !index.package_names()?.contains(&name) => {
                    Self { package, installed: Some(name), channel: None }
                }
                _ => Self { package: name, installed: None, channel: None },
            },
        })
    }
}

/// A name that is a path is more likely a source than a channel of a package.
pub(crate) fn refuse_path(index: &Index, text: &str) -> Result<(), CommandError> {
    let package = text.split(['@', '/']).next().unwrap_or_default();
    if std::path::Path::new(text).exists() && !index.package_names()?.iter().any(|it| it == package) {
        let error = CommandError::new(Exit::NotFound, format!("`{text}` is a file or directory, not a package"));
        return Err(error.help(format!("to ask it, give it as a source: `-i {text}`")));
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
    Ok(with_guess(error, package, &names, "`olmdex list packages` shows what there is"))
}

/// The error about a channel that a package does not have.
pub(crate) fn unknown_channel(index: &Index, package: &str, channel: &str) -> Result<CommandError, CommandError> {
    let names = index.names(Some(package))?.channels;
    let error = CommandError::new(Exit::NotFound, format!("package `{package}` has no channel `{channel}`"));
    let has = if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
    Ok(with_guess(error, channel, &names, &has))
}

pub(crate) fn with_guess(error: CommandError, name: &str, names: &[String], otherwise: &str) -> CommandError {
    match closest(name, names.iter().map(String::as_str)) {
        Some(meant) => error.help(format!("did you mean `{meant}`?")),
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
