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
