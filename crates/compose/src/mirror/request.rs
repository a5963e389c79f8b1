//! A request on a command line: `PKG[/CHANNEL][@RANGE]`, in the form of a configuration.

use std::collections::BTreeMap;

use thiserror::Error;

use super::configuration::{Channel, Operator, Package, Range};
use olmdex_fbc::without_v;
use olmdex_version::Version;

/// The reason why a text is not a request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AskedError {
    /// A name is missing.
    #[error("`{0}` is not PKG[/CHANNEL][@RANGE]")]
    Form(String),
    /// The range is more than two bounds.
    #[error("`{0}` is not a range that an ImageSetConfiguration can hold")]
    Range(String),
    /// Ranges are given for a package and for one of its channels.
    #[error("package `{0}` has a range, and so does one of its channels")]
    BothLevels(String),
    /// Something is asked for twice.
    #[error("`{0}` is requested twice")]
    Twice(String),
}

impl AskedError {
    /// The remedy.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Form(_) => "for example `keda`, `keda/stable`, `keda@2.9.0` or `keda/stable@>=2.9.0 <=2.10.1`",
            Self::Range(_) => "write `1.2.0`, `>=1.2.0`, `<=2.0.0` or `>=1.2.0 <=2.0.0`",
            Self::BothLevels(_) => "give each channel a separate range",
            Self::Twice(_) => "leave out one of them",
        }
    }
}

/// The packages that texts ask for. Several channels of a package are several texts.
///
/// # Errors
/// [`AskedError`].
pub fn packages(texts: &[String]) -> Result<Vec<Package>, AskedError> {
    let mut operator = Operator::default();
    let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
    for text in texts {
        let is_version = |it: &&str| Version::parse_tolerant(without_v(it)).is_ok();
        let (names, range) = match (text.split_once('@'), text.split_once(' ')) {
            (Some((names, range)), _) => (names, parse_range(without_v(range))?),
            // `PKG VERSION`, quoted as one word of a shell.
            (None, Some((name, version))) if is_version(&version) => (name, parse_range(without_v(version))?),
            _ => (text.as_str(), Range::default()),
        };
        let (name, channel) = match names.split_once('/') {
            Some((name, channel)) => (name, Some(channel)),
            None => (names, None),
        };
        if name.is_empty() || channel == Some("") {
            return Err(AskedError::Form(text.clone()));
        }
        let known = positions.get(name).copied();
        let is_new = known.is_none();
        let at = known.unwrap_or_else(|| {
            operator.packages.push(Package { name: name.to_owned(), ..Package::default() });
            positions.insert(name, operator.packages.len() - 1);
            operator.packages.len() - 1
        });
        let package = &mut operator.packages[at];
        match channel {
            None if is_new || package.range.is_empty() && package.channels.iter().all(|it| it.range.is_empty()) => {
                if !is_new && range.is_empty() {
                    return Err(AskedError::Twice(text.clone()));
                }
                package.range = range;
            }
            None => return Err(AskedError::BothLevels(name.to_owned())),
            Some(channel) if package.channels.iter().any(|it| it.name == channel) => {
                return Err(AskedError::Twice(text.clone()));
            }
            Some(_) if !range.is_empty() && !package.range.is_empty() => {
                return Err(AskedError::BothLevels(name.to_owned()));
            }
            Some(channel) => package.channels.push(Channel { name: channel.to_owned(), range, ..Channel::default() }),
        }
    }
    Ok(operator.packages)
}

/// Two bounds at most: a version, `>=a`, `<=b`, both of these, or `a - b`.
fn parse_range(text: &str) -> Result<Range, AskedError> {
    let wrong = || AskedError::Range(text.to_owned());
    let is_version = |it: &str| Version::parse_tolerant(it).is_ok();
    if let Some((min, max)) = text.split_once(" - ") {
        let (min, max) = (min.trim(), max.trim());
        return if is_version(min) && is_version(max) { Ok(Range::new(min, max)) } else { Err(wrong()) };
    }
    if is_version(text) {
        return Ok(Range::new(text, text));
    }
    let mut range = Range::default();
    let spaced = text.replace(">=", " >=").replace("<=", " <=").replace(">= ", ">=").replace("<= ", "<=");
    for word in spaced.split([' ', ',']).filter(|it| !it.is_empty()) {
        let (bound, version) = match (word.strip_prefix(">="), word.strip_prefix("<=")) {
            (Some(version), _) => (&mut range.min, version),
            (_, Some(version)) => (&mut range.max, version),
            _ => return Err(wrong()),
        };
        if !is_version(version) || !bound.is_empty() {
            return Err(wrong());
        }
        version.clone_into(bound);
    }
    if range.is_empty() { Err(wrong()) } else { Ok(range) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Package, AskedError> {
        packages(&[text.to_owned()]).map(|it| it[0].clone())
    }

    #[test]
    fn forms_are_told_apart() {
        assert_eq!(one("keda").unwrap().range, Range::default());
        assert_eq!(one("keda@1.2.0").unwrap().range, Range::new("1.2.0", "1.2.0"));
        assert_eq!(one("keda@>=1.2.0 <=2.0.0").unwrap().range, Range::new("1.2.0", "2.0.0"));
        assert_eq!(one("keda@>= 1.2.0,<=2.0.0").unwrap().range, Range::new("1.2.0", "2.0.0"));
        assert_eq!(one("keda@1.2.0 - 2.0.0").unwrap().range, Range::new("1.2.0", "2.0.0"));
        let package = one("keda/stable@<=2.0.0").unwrap();
        assert_eq!(
            package.channels,
            [Channel { name: "stable".to_owned(), range: Range::new("", "2.0.0"), ..Channel::default() }]
        );
        for text in ["", "@1.0.0", "keda/", "/stable", "keda@", "keda@>1.0.0", "keda@x", "keda@>=1 >=2"] {
            assert!(one(text).is_err(), "{text}");
        }
    }

    #[test]
    fn channels_of_a_package_are_put_together() {
        let texts = ["keda/stable".to_owned(), "keda/fast@>=1.0.0".to_owned(), "kiali".to_owned()];
        let found = packages(&texts).unwrap();
        assert_eq!((found.len(), found[0].channels.len()), (2, 2));
        let twice = |texts: &[&str]| packages(&texts.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(twice(&["a", "a"]), Err(AskedError::Twice("a".to_owned())));
        assert_eq!(twice(&["a/b", "a/b"]), Err(AskedError::Twice("a/b".to_owned())));
        assert_eq!(twice(&["a@1.0.0", "a/b@1.0.0"]), Err(AskedError::BothLevels("a".to_owned())));
        assert_eq!(twice(&["a/b@1.0.0", "a@1.0.0"]), Err(AskedError::BothLevels("a".to_owned())));
    }
}
