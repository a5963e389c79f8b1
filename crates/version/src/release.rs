//! Releases: the order of two builds of the same version, and their form in build metadata.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::parse::{check_pre_identifier, checked_pre_release};
use super::quote::Quoted;
use super::{Version, VersionError, sort_key};

/// The release of a bundle: dot-separated identifiers under the rules of pre-releases, at most
/// [`Release::MAX_LEN`] bytes (`docs/behaviour/fbc.md` 2.2, `docs/behaviour/olm-v1.md` 1.4.4). It is never empty.
///
/// Releases order like pre-releases: identifier by identifier, numbers by value and below words, a prefix first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release(semver::Prerelease);

impl Release {
    /// The greatest length in bytes (which the message calls characters).
    pub const MAX_LEN: usize = 20;

    /// Reads a release.
    ///
    /// The empty text is an error here, though a catalog may write it: there it means that there is no release, and the
    /// caller has to know that ([`Release::parse_optional`]).
    ///
    /// # Errors
    /// The texts of `docs/behaviour/fbc.md` 3.2, rule 14.
    pub fn parse(text: &str) -> Result<Self, ReleaseError> {
        let error = |reason| ReleaseError { text: text.to_owned(), reason };
        if text.len() > Self::MAX_LEN {
            return Err(error(ReleaseErrorReason::TooLong));
        }
        let segments = text.split('.').enumerate();
        let bad: Vec<BadSegment> = segments
            .filter_map(|(index, it)| check_pre_identifier(it).err().map(|error| BadSegment { index, error }))
            .collect();
        if !bad.is_empty() {
            return Err(error(ReleaseErrorReason::Segments(bad)));
        }
        Ok(Self(checked_pre_release(text)))
    }

    /// Reads a release as a catalog writes it: the empty text is no release.
    ///
    /// # Errors
    /// The errors of [`Release::parse`].
    pub fn parse_optional(text: &str) -> Result<Option<Self>, ReleaseError> {
        if text.is_empty() { Ok(None) } else { Self::parse(text).map(Some) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// Whether the segments of a release are valid, however long it is.
///
/// # Errors
/// Finds the first segment that is not valid.
pub fn check_release_segments(text: &str) -> Result<(), VersionError> {
    text.split('.').try_for_each(check_pre_identifier)
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Release {
    type Err = ReleaseError;

    /// Parses like [`Release::parse`].
    fn from_str(text: &str) -> Result<Self, ReleaseError> {
        Self::parse(text)
    }
}

/// The reason why a text is not a release (`docs/behaviour/fbc.md` 3.2, rule 14).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid release {}: {reason}", Quoted(.text))]
pub struct ReleaseError {
    /// The text.
    pub text: String,
    /// The fault of the segment.
    pub reason: ReleaseErrorReason,
}

/// The fault of a release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseErrorReason {
    /// It is longer than [`Release::MAX_LEN`] bytes.
    #[error("exceeds maximum length of {} characters", Release::MAX_LEN)]
    TooLong,
    /// Identifiers break the rules of pre-release identifiers; a line each.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Segments(Vec<BadSegment>),
}

/// A segment of a release that is not an identifier of a pre-release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("segment {index}: {error}")]
pub struct BadSegment {
    /// Its place, from 0.
    pub index: usize,
    /// The rule that it breaks.
    pub error: VersionError,
}

/// A version and the release that orders the builds of it.
///
/// `Ord`, `Eq` and `Hash` follow precedence, as those of [`Version`] do: the version (build metadata ignored), then no
/// release below any release, then the release (`docs/behaviour/fbc.md` 2.2, `docs/behaviour/olm-v1.md` 1.4.6).
///
/// A release that a catalog explicitly leaves empty is no release here; a caller that must write it back keeps that
/// fact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionRelease {
    /// The version. With an explicit release it may have build metadata, which is ignored.
    pub version: Version,
    /// The release, if there is one.
    pub release: Option<Release>,
}

impl VersionRelease {
    /// Splits a version that has no explicit release: build metadata that would be a valid release is the release and
    /// leaves the version; any other stays where it is (`docs/behaviour/olm-v1.md` 1.4.3).
    pub fn from_build_metadata(version: Version) -> Self {
        match Release::parse(version.build()) {
            Ok(release) => Self { version: version.without_build(), release: Some(release) },
            Err(_not_a_release) => Self { version, release: None },
        }
    }

    /// The one version text that represents both: the release as build metadata, in place of any that the version has
    /// (`docs/behaviour/olm-v1.md` 1.4.7); the inverse of [`VersionRelease::from_build_metadata`].
    pub fn to_build_metadata(&self) -> Version {
        let Some(release) = &self.release else { return self.version.clone() };
        let build = semver::BuildMetadata::new(release.as_str()).expect("releases obey stricter rules than metadata");
        Version(semver::Version { build, ..self.version.0.clone() })
    }

    /// Compares by precedence, as `Ord` does.
    pub fn cmp_precedence(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }

    /// Bytes whose order is the order of versions with releases. See [`Version::sort_key`] for the format.
    pub fn sort_key(&self) -> Vec<u8> {
        sort_key::encode(&self.version, self.release.as_ref().map_or("", Release::as_str))
    }
}

impl From<Version> for VersionRelease {
    /// The version without a release; its build metadata stays.
    fn from(version: Version) -> Self {
        Self { version, release: None }
    }
}

impl fmt::Display for VersionRelease {
    /// `<version>` or `<version>-<release>`, the text by which a catalog tells versions apart (`docs/behaviour/fbc.md`
    /// 2.2). It cannot be read back: a release looks like more of the pre-release.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.release {
            Some(release) => write!(f, "{}-{release}", self.version),
            None => self.version.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases() {
        let cases = [
            ("1", "= 1"),
            ("0", "= 0"),
            ("1.alpha.2", "= 1.alpha.2"),
            ("a-b", "= a-b"),
            ("12345678901234567890", "= 12345678901234567890"),
            ("", r#"invalid release "": segment 0: Prerelease is empty"#),
            (
                "1.01",
                r#"invalid release "1.01": segment 1: Numeric PreRelease version must not contain leading zeroes "01""#,
            ),
            ("1_2", r#"invalid release "1_2": segment 0: Invalid character(s) found in prerelease "1_2""#),
            ("1..2", r#"invalid release "1..2": segment 1: Prerelease is empty"#),
            (
                "18446744073709551616",
                r#"invalid release "18446744073709551616": segment 0: strconv.ParseUint: parsing "18446744073709551616": value out of range"#,
            ),
            (
                "aaaaaaaaaaaaaaaaaaaaa",
                r#"invalid release "aaaaaaaaaaaaaaaaaaaaa": exceeds maximum length of 20 characters"#,
            ),
        ];
        for (text, expected) in cases {
            let outcome = Release::parse(text).map_or_else(|error| error.to_string(), |release| format!("= {release}"));
            assert_eq!(outcome, expected, "{text:?}");
        }
        assert_eq!(Release::parse_optional(""), Ok(None));
    }

    #[test]
    fn splitting_build_metadata() {
        let cases = [
            ("1.0.0", "1.0.0", None),
            ("1.0.0+1", "1.0.0", Some("1")),
            ("1.0.0-pre+1.alpha.2", "1.0.0-pre", Some("1.alpha.2")),
            ("1.0.0+01", "1.0.0+01", None),
            ("1.0.0+1.01", "1.0.0+1.01", None),
            ("1.0.0+123456789012345678901", "1.0.0+123456789012345678901", None),
            ("1.0.0+18446744073709551616", "1.0.0+18446744073709551616", None),
        ];
        for (text, version, release) in cases {
            let split = VersionRelease::from_build_metadata(Version::parse(text).unwrap());
            assert_eq!(split.version.to_string(), version, "{text}");
            assert_eq!(split.release.as_ref().map(Release::as_str), release, "{text}");
            assert_eq!(split.to_build_metadata().to_string(), text);
        }
    }

    #[test]
    fn order_of_versions_with_releases() {
        let descending = [
            "1.0.0+a.1",
            "1.0.0+a",
            "1.0.0+A",
            "1.0.0+-1",
            "1.0.0+10",
            "1.0.0+2",
            "1.0.0+1.1",
            "1.0.0+1",
            "1.0.0",
            "1.0.0-rc.1+5",
            "1.0.0-rc.1",
        ];
        let all: Vec<VersionRelease> =
            descending.iter().map(|text| VersionRelease::from_build_metadata(Version::parse(text).unwrap())).collect();
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                assert_eq!(a.cmp(b), j.cmp(&i), "{a} against {b}");
                assert_eq!(a.sort_key().cmp(&b.sort_key()), j.cmp(&i), "keys of {a} and {b}");
            }
        }
        let bare = Version::parse("1.0.0").unwrap();
        assert_eq!(bare.sort_key(), VersionRelease::from(bare).sort_key());
    }
}
