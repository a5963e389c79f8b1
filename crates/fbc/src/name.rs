//! What somebody calls something in a catalog.

/// A package, a version or a channel of it, or a bundle, as a word names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name {
    /// `PKG`, or a bundle's name.
    Plain(String),
    /// `PKG@VERSION`: the bundle of a package with a version.
    Version(String, String),
    /// `PKG/CHANNEL`
    Channel(String, String),
}

impl Name {
    /// Takes a word apart.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        // Package names have neither; channel and bundle names may.
        match text.find(['@', '/']) {
            Some(at) if at > 0 => {
                let (package, rest) = (text[..at].to_owned(), text[at + 1..].to_owned());
                if text.as_bytes()[at] == b'@' { Self::Version(package, rest) } else { Self::Channel(package, rest) }
            }
            _ => Self::Plain(text.to_owned()),
        }
    }

    /// The name of the package or bundle.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Plain(name) | Self::Version(name, _) | Self::Channel(name, _) => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Name::{self, Channel, Plain, Version};

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
            assert_eq!(Name::parse(typed), meant);
        }
    }
}
