//! Versions, releases and the two range languages that catalogs are written in.
//!
//! * [`Version`]: a strict semantic version, read exactly as `blang/semver` v4 reads it, with the same messages
//!   ([`VersionError`]); [`Version::parse_tolerant`] is the lenient reading that some places of OLM use.
//! * [`Release`] and [`VersionRelease`]: the order of two builds of one version.
//! * [`blang::Range`]: the language of `skipRange`, of package dependencies and of package constraints.
//! * [`masterminds::Constraint`]: the language of a ClusterExtension's `version` field.
//! * [`Version::sort_key`] and [`VersionRelease::sort_key`]: bytes whose plain order is version order, for indexed
//!   columns.
//!
//! ```
//! use olmdex_version::{Version, blang::Range};
//!
//! let version = Version::parse("2.10.0")?;
//! assert!(version > Version::parse("2.9.1")?);
//! assert!(version.sort_key() > Version::parse("2.9.1")?.sort_key());
//!
//! let range = Range::parse(">=2.0.0 <3.0.0")?;
//! assert!(range.contains(&version)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate deliberately does not know where in a catalog a version stands, nor which language applies to which
//! field; it reads no files and prints nothing. It also does not improve the messages of the real systems, because
//! users search for them and `--compat` modes must repeat them.
//!
//! Every parser here takes any string and answers with a value or an error; none of them panics.

pub mod blang;
pub mod masterminds;

mod admission;
mod digit;
mod holding;
mod latest;
mod listing;
mod nearest;
mod numbered;
mod parse;
mod quote;
pub use quote::Quoted;
mod release;
mod sort_key;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

pub use holding::Holding;
pub use latest::latest_only;
pub use listing::{by_version, first_of, version_in_name, version_or_name};
pub use nearest::nearest;
pub use numbered::by_numbers;
pub use parse::{NumberPart, VersionError};
pub use release::check_release_segments;
pub use release::{BadSegment, Release, ReleaseError, ReleaseErrorReason, VersionRelease};

/// A strict semantic version: `MAJOR.MINOR.PATCH[-PRE][+BUILD]` (`docs/behaviour/olm-v1.md` 1.3,
/// `docs/behaviour/fbc.md` appendix C).
///
/// # Equality and order
///
/// `Ord`, `PartialOrd`, `Eq` and `Hash` all follow *precedence*, which ignores build metadata, because that is the only
/// order that OLM knows: `1.0.0+a == 1.0.0+b`, and a set holds just one of the two. The order of `semver::Version`,
/// which ranks build metadata, must never leak into an answer. Where the text counts (duplicate versions, output),
/// compare with [`Version::is_identical`] or the [`Display`](fmt::Display) text.
///
/// # Representation
///
/// The fields are held by the `semver` crate, which stores short identifiers without allocation. Its parser is not
/// used: it takes numeric pre-release identifiers of any size, without the limit of 64 bits, and words its errors
/// differently.
#[derive(Debug, Clone)]
pub struct Version(semver::Version);

impl Version {
    /// A version without pre-release and build metadata.
    pub const fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self(semver::Version::new(major, minor, patch))
    }

    /// Reads a strict version (`docs/behaviour/olm-v1.md` 1.3). The text is not trimmed, and no `v` is accepted.
    ///
    /// # Errors
    /// The first rule that the text breaks, in the order of the specification.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        parse::strict(text)
    }

    /// Reads a version tolerantly (`docs/behaviour/olm-v1.md` 1.3.7, `docs/behaviour/olm-classic.md` 10.2): white space
    /// around it and one leading `v` are dropped, leading zeros too, and a missing minor or patch number is 0.
    ///
    /// # Errors
    /// [`VersionError::ShortWithSuffix`] if a version of fewer than three parts has a pre-release or build metadata;
    /// otherwise the error of [`Version::parse`] for the completed text, which is the text that the message shows.
    pub fn parse_tolerant(text: &str) -> Result<Self, VersionError> {
        parse::tolerant(text)
    }

    /// The major number.
    pub fn major(&self) -> u64 {
        self.0.major
    }

    /// The minor number.
    pub fn minor(&self) -> u64 {
        self.0.minor
    }

    /// The patch number.
    pub fn patch(&self) -> u64 {
        self.0.patch
    }

    /// The pre-release identifiers, joined with dots; empty if there are none.
    pub fn pre(&self) -> &str {
        self.0.pre.as_str()
    }

    /// The build metadata, joined with dots; empty if there is none.
    pub fn build(&self) -> &str {
        self.0.build.as_str()
    }

    /// Whether the version has pre-release identifiers.
    pub fn is_prerelease(&self) -> bool {
        !self.0.pre.is_empty()
    }

    /// Compares by precedence (`docs/behaviour/olm-v1.md` 1.1.6): numbers, then the pre-release; build metadata never
    /// counts.
    pub fn cmp_precedence(&self, other: &Self) -> Ordering {
        self.0.cmp_precedence(&other.0)
    }

    /// Whether both are the same text, build metadata included.
    pub fn is_identical(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    /// The same version without build metadata.
    pub fn without_build(&self) -> Self {
        Self(semver::Version { build: semver::BuildMetadata::EMPTY, ..self.0.clone() })
    }

    /// Bytes whose order is precedence, and which are equal for versions of equal precedence.
    ///
    /// It is the key of the [`VersionRelease`] of this version without a release, so that keys of both kinds may be
    /// compared with each other. No key is the beginning of a different key. The bytes are stored in index files:
    /// changing them is a change of the file format.
    ///
    /// | part | bytes |
    /// |---|---|
    /// | major, minor, patch | each: the count of significant bytes (0 to 8), then those bytes, highest first |
    /// | no pre-release | `03` |
    /// | pre-release | its identifiers, then `00` |
    /// | release | its identifiers, then `00` (so just `00` without one) |
    /// | numeric identifier | `01`, then the number as above |
    /// | other identifier | `02`, then its ASCII bytes, then `00` |
    pub fn sort_key(&self) -> Vec<u8> {
        sort_key::encode(self, "")
    }

    /// The beginning that all [`Self::sort_key`]s of a minor version share with each other, and with no other key.
    pub fn minor_sort_key(major: u64, minor: u64) -> Vec<u8> {
        sort_key::encode_minor(major, minor)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Version {
    type Err = VersionError;

    /// Parses like [`Version::parse`].
    fn from_str(text: &str) -> Result<Self, VersionError> {
        Self::parse(text)
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp_precedence(other).is_eq()
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cmp_precedence(other)
    }
}

impl Hash for Version {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.major.hash(state);
        self.0.minor.hash(state);
        self.0.patch.hash(state);
        self.0.pre.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lowest first; the order that the specification of semantic versions gives, with OLM's boundary forms.
    const ASCENDING: &[&str] = &[
        "0.0.0-0",
        "0.0.0",
        "0.0.1",
        "0.9.9",
        "1.0.0--",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.9",
        "1.0.0-alpha.10",
        "1.0.0-alpha.1a",
        "1.0.0-alpha.beta",
        "1.0.0-alpha0",
        "1.0.0-beta",
        "1.0.0-rc.1",
        "1.0.0",
        "1.0.255",
        "1.0.256",
        "1.2.0",
        "1.11.0",
        "18446744073709551615.0.0-18446744073709551615",
        "18446744073709551615.0.0",
    ];

    #[test]
    fn order_and_keys_agree_on_the_ladder() {
        let versions: Vec<Version> = ASCENDING.iter().map(|text| Version::parse(text).unwrap()).collect();
        for (i, a) in versions.iter().enumerate() {
            for (j, b) in versions.iter().enumerate() {
                assert_eq!(a.cmp(b), i.cmp(&j), "{a} against {b}");
                assert_eq!(a.sort_key().cmp(&b.sort_key()), i.cmp(&j), "keys of {a} and {b}");
            }
        }
    }

    #[test]
    fn build_metadata_counts_for_identity_only() {
        let (a, b) = (Version::parse("1.0.0+a").unwrap(), Version::parse("1.0.0+b").unwrap());
        assert_eq!(a, b);
        assert_eq!(a.sort_key(), b.sort_key());
        assert!(!a.is_identical(&b));
        assert_eq!(std::collections::HashSet::from([a.clone(), b]).len(), 1);
        assert_eq!(a.without_build().to_string(), "1.0.0");
    }

    #[test]
    fn sort_keys_are_the_documented_bytes() {
        let cases: &[(&str, &[u8])] = &[
            ("0.0.0", &[0, 0, 0, 3, 0]),
            ("1.2.256", &[1, 1, 1, 2, 2, 1, 0, 3, 0]),
            ("1.0.0-rc.1", &[1, 1, 0, 0, 2, b'r', b'c', 0, 1, 1, 1, 0, 0]),
        ];
        for (text, key) in cases {
            assert_eq!(Version::parse(text).unwrap().sort_key(), *key, "{text}");
        }
    }
}
