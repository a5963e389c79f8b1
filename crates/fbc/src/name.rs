//! Names of things in a catalog, as users write them.

use olmdex_version::Version;

/// A package, a version or a channel of it, or a bundle, as a word names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name {
    /// `PKG`, or a bundle's name.
    Plain(String),
    /// `PKG@VERSION`: the bundle of a package with a version, which may be typed with a `v`; or `PKG:VERSION`.
    Version(String, String),
    /// `PKG/CHANNEL`
    Channel(String, String),
}

impl Name {
    /// Takes a word apart.
    pub fn parse(text: &str) -> Self {
        // Package names have neither; channel and bundle names may.
        match text.find(['@', '/']) {
            Some(at) if at > 0 => {
                let (package, rest) = (text[..at].to_owned(), &text[at + 1..]);
                match text.as_bytes()[at] {
                    b'@' => Self::Version(package, without_v(rest).to_owned()),
                    _ => Self::Channel(package, rest.to_owned()),
                }
            }
            _ => match text.split_once(':') {
                Some((package, version)) if Version::parse_tolerant(without_v(version)).is_ok() => {
                    Self::Version(package.to_owned(), without_v(version).to_owned())
                }
                _ => Self::Plain(text.to_owned()),
            },
        }
    }

    /// The name of the package or bundle.
    pub fn text(&self) -> &str {
        match self {
            Self::Plain(name) | Self::Version(name, _) | Self::Channel(name, _) => name,
        }
    }
}

/// A version in the form of `olm.package`, without the `v` that tags and bundles put before it. Anything else stays as
/// it is.
pub fn without_v(text: &str) -> &str {
    match text.strip_prefix('v').filter(|it| it.starts_with(|c: char| c.is_ascii_digit())) {
        Some(version) if Version::parse_tolerant(version).is_ok() => version,
        _ => text,
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
            ("keda@v2.1.0", Version(text("keda"), text("2.1.0"))),
            ("keda@v2.1.0-rc.1+b", Version(text("keda"), text("2.1.0-rc.1+b"))),
            ("keda@keda.v2.1.0", Version(text("keda"), text("keda.v2.1.0"))),
            ("keda@v2x", Version(text("keda"), text("v2x"))),
            ("keda/stable", Channel(text("keda"), text("stable"))),
            ("keda/a@b/c", Channel(text("keda"), text("a@b/c"))),
            ("keda:v2.1.0", Version(text("keda"), text("2.1.0"))),
            ("ns:3scale", Plain(text("ns:3scale"))),
            ("@x", Plain(text("@x"))),
        ] {
            assert_eq!(Name::parse(typed), meant);
        }
    }
}
