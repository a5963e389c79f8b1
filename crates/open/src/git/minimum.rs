//! The versions of git that can be kept from fetching objects that a repository lacks.
//!
//! `GIT_NO_LAZY_FETCH` came with 2.45.0, and with the security releases of 2024-05-14 (CVE-2024-32004, CVE-2024-32465)
//! into the lines before that, back to 2.39. The other settings of a run are older: `--end-of-options` 2.24,
//! `core.alternateRefsCommand` 2.20, `protocol.allow` 2.12, `GIT_OPTIONAL_LOCKS` 2.15, `GIT_ALLOW_PROTOCOL` 2.3.10.

use std::fmt;

/// The first version of a line, `MAJOR.MINOR`, that can be used. Lines after the last one can be used from their
/// beginning.
const FIRST: [GitVersion; 7] = [
    GitVersion(2, 39, 4),
    GitVersion(2, 40, 2),
    GitVersion(2, 41, 1),
    GitVersion(2, 42, 2),
    GitVersion(2, 43, 4),
    GitVersion(2, 44, 1),
    LAST,
];

/// The first version of the last of these lines.
const LAST: GitVersion = GitVersion(2, 45, 0);

/// The required version, in words.
pub(super) const NEEDED: &str =
    "2.45.0, or 2.39.4, 2.40.2, 2.41.1, 2.42.2, 2.43.4, 2.44.1 or a later one of these lines";

/// A version of git, without the parts that vendors add to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GitVersion(u32, u32, u32);

impl GitVersion {
    /// The version in the output of `git version`, as in `git version 2.39.5 (Apple Git-154)`; `None` if there is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let version = text.lines().next()?.trim().strip_prefix("git version ")?.split_whitespace().next()?;
        let mut numbers = version.split(['.', '-']);
        let mut number = || numbers.next().map(str::parse::<u32>);
        let (major, minor) = (number()?.ok()?, number()?.ok()?);
        // `2.45.rc0` and `2.45.GIT` are versions shortly before or after `2.45.0`.
        let patch = number().and_then(Result::ok).unwrap_or(0);
        Some(Self(major, minor, patch))
    }

    /// The first usable version of its line.
    fn first_of_line(self) -> Option<Self> {
        FIRST.into_iter().find(|it| (it.0, it.1) == (self.0, self.1))
    }

    /// Whether this version obeys the setting that forbids it to fetch by itself.
    pub(super) fn is_enough(self) -> bool {
        self >= self.first_of_line().unwrap_or(LAST)
    }

    /// Whether it may be enough in spite of its number: distributions repair old versions, and leave the number. Such a
    /// git knows the option `--no-lazy-fetch`, which came with the variable.
    pub(super) fn may_be_repaired(self) -> bool {
        self.first_of_line().is_some()
    }
}

impl fmt::Display for GitVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_with_whatever_vendors_add() {
        for (text, version, is_enough) in [
            ("git version 2.47.3\n", Some((2, 47, 3)), true),
            ("git version 2.39.5 (Apple Git-154)\n", Some((2, 39, 5)), true),
            ("git version 2.39.3 (Apple Git-146)", Some((2, 39, 3)), false),
            ("git version 2.47.1.windows.1\r\n", Some((2, 47, 1)), true),
            ("git version 2.45.0.rc0", Some((2, 45, 0)), true),
            ("git version 2.45.0-rc1", Some((2, 45, 0)), true),
            ("git version 2.44.GIT", Some((2, 44, 0)), false),
            ("git version 2.44.0", Some((2, 44, 0)), false),
            ("git version 2.44.1", Some((2, 44, 1)), true),
            ("git version 2.43.3", Some((2, 43, 3)), false),
            ("git version 2.43.7", Some((2, 43, 7)), true),
            ("git version 2.42.1", Some((2, 42, 1)), false),
            ("git version 2.42.2", Some((2, 42, 2)), true),
            ("git version 2.41.0", Some((2, 41, 0)), false),
            ("git version 2.41.1", Some((2, 41, 1)), true),
            ("git version 2.40.1", Some((2, 40, 1)), false),
            ("git version 2.40.2", Some((2, 40, 2)), true),
            ("git version 2.39.4.dirty", Some((2, 39, 4)), true),
            ("git version 2.38.99", Some((2, 38, 99)), false),
            ("git version 2.34.1", Some((2, 34, 1)), false),
            ("git version 1.8.3.1", Some((1, 8, 3)), false),
            ("git version 2.51.0.123.gabcdef1", Some((2, 51, 0)), true),
            ("git version 2.100.0\nbuilt from commit: x\n", Some((2, 100, 0)), true),
            ("git version 3.0.0-rc0", Some((3, 0, 0)), true),
            ("git version 2", None, false),
            ("git version x.y.z", None, false),
            ("git version ", None, false),
            ("git version 99999999999.1.1", None, false),
            ("hub version 2.47.3", None, false),
            ("", None, false),
        ] {
            let found = GitVersion::parse(text);
            assert_eq!(found, version.map(|(major, minor, patch)| GitVersion(major, minor, patch)), "{text:?}");
            assert_eq!(found.is_some_and(GitVersion::is_enough), is_enough, "{text:?}");
        }
    }

    #[test]
    fn the_words_name_the_first_version_of_each_line() {
        for first in FIRST {
            assert!(NEEDED.contains(&first.to_string()), "{first}");
        }
    }
}
