//! Reading a version: the strict grammar, the tolerant one, and the messages of both.

use std::fmt;

use super::Version;
use super::quote::Quoted;

/// The reasons why a text is not a version. The `Display` text is the real library's, byte for byte
/// (`docs/behaviour/fbc.md` appendix C).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VersionError {
    /// The text is empty.
    #[error("Version string empty")]
    Empty,
    /// There are fewer than two dots.
    #[error("No Major.Minor.Patch elements found")]
    TooFewParts,
    /// A number has something other than digits in it.
    #[error("Invalid character(s) found in {part} number {}", Quoted(.text))]
    InvalidNumber { part: NumberPart, text: String },
    /// A number starts with a superfluous zero.
    #[error("{} number must not contain leading zeroes {}", .part.capitalised(), Quoted(.text))]
    LeadingZeroes { part: NumberPart, text: String },
    /// A number has no digits at all.
    #[error("strconv.ParseUint: parsing \"\": invalid syntax")]
    EmptyNumber,
    /// A number does not fit 64 bits.
    #[error("strconv.ParseUint: parsing {}: value out of range", Quoted(.text))]
    NumberOutOfRange { text: String },
    /// A pre-release identifier is empty.
    #[error("Prerelease is empty")]
    EmptyPreRelease,
    /// A numeric pre-release identifier starts with a superfluous zero.
    #[error("Numeric PreRelease version must not contain leading zeroes {}", Quoted(.text))]
    PreReleaseLeadingZeroes { text: String },
    /// A pre-release identifier has something other than ASCII letters, digits and hyphens in it.
    #[error("Invalid character(s) found in prerelease {}", Quoted(.text))]
    InvalidPreRelease { text: String },
    /// A build identifier is empty.
    #[error("Build meta data is empty")]
    EmptyBuild,
    /// A build identifier has something other than ASCII letters, digits and hyphens in it.
    #[error("Invalid character(s) found in build meta data {}", Quoted(.text))]
    InvalidBuild { text: String },
    /// A version of fewer than three parts has a pre-release or build metadata (tolerant reading only).
    #[error("Short version cannot contain PreRelease/Build meta data")]
    ShortWithSuffix,
}

/// One of the three numbers of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberPart {
    /// The first number.
    Major,
    /// The second number.
    Minor,
    /// The third number.
    Patch,
}

impl NumberPart {
    fn capitalised(self) -> &'static str {
        match self {
            Self::Major => "Major",
            Self::Minor => "Minor",
            Self::Patch => "Patch",
        }
    }
}

impl fmt::Display for NumberPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Major => "major",
            Self::Minor => "minor",
            Self::Patch => "patch",
        })
    }
}

pub(super) fn strict(text: &str) -> Result<Version, VersionError> {
    if text.is_empty() {
        return Err(VersionError::Empty);
    }
    let mut parts = text.splitn(3, '.');
    let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(VersionError::TooFewParts);
    };
    let major = number(NumberPart::Major, major)?;
    let minor = number(NumberPart::Minor, minor)?;
    // The first `+` counts before the first `-`: `1.0.0+a-b` has no pre-release.
    let (rest, build) = split_suffix(rest, '+');
    let (patch, pre) = split_suffix(rest, '-');
    let patch = number(NumberPart::Patch, patch)?;
    let pre = pre.map_or(Ok(semver::Prerelease::EMPTY), pre_release)?;
    let build = build.map_or(Ok(semver::BuildMetadata::EMPTY), build_metadata)?;
    Ok(Version(semver::Version { major, minor, patch, pre, build }))
}

pub(super) fn tolerant(text: &str) -> Result<Version, VersionError> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(drop_leading_zeros).collect();
    if parts.len() < 3 {
        if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
            return Err(VersionError::ShortWithSuffix);
        }
        parts.resize(3, "0".to_owned());
    }
    strict(&parts.join("."))
}

/// A part that would be left without a first digit gets a zero, which then shows up in messages (`"0latest"`).
fn drop_leading_zeros(part: &str) -> String {
    if part.len() <= 1 {
        return part.to_owned();
    }
    let stripped = part.trim_start_matches('0');
    if stripped.starts_with(|c: char| c.is_ascii_digit()) { stripped.to_owned() } else { format!("0{stripped}") }
}

fn split_suffix(text: &str, mark: char) -> (&str, Option<&str>) {
    match text.split_once(mark) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn number(part: NumberPart, text: &str) -> Result<u64, VersionError> {
    if !is_digits(text) {
        return Err(VersionError::InvalidNumber { part, text: text.to_owned() });
    }
    if has_leading_zero(text) {
        return Err(VersionError::LeadingZeroes { part, text: text.to_owned() });
    }
    unsigned(text)
}

fn unsigned(digits: &str) -> Result<u64, VersionError> {
    if digits.is_empty() {
        return Err(VersionError::EmptyNumber);
    }
    digits.parse().map_err(|_overflow| VersionError::NumberOutOfRange { text: digits.to_owned() })
}

/// The dot-separated identifiers of a pre-release, each by [`check_pre_identifier`].
fn pre_release(text: &str) -> Result<semver::Prerelease, VersionError> {
    text.split('.').try_for_each(check_pre_identifier)?;
    Ok(checked_pre_release(text))
}

/// The value of a pre-release (or release) whose identifiers have all passed [`check_pre_identifier`].
pub(super) fn checked_pre_release(text: &str) -> semver::Prerelease {
    semver::Prerelease::new(text).expect("identifiers that are non-empty, ASCII and without leading zeros are accepted")
}

/// The rules of one pre-release identifier (`docs/behaviour/olm-v1.md` 1.3.4).
pub(super) fn check_pre_identifier(text: &str) -> Result<(), VersionError> {
    if text.is_empty() {
        Err(VersionError::EmptyPreRelease)
    } else if is_digits(text) {
        if has_leading_zero(text) {
            return Err(VersionError::PreReleaseLeadingZeroes { text: text.to_owned() });
        }
        unsigned(text).map(drop)
    } else if is_identifier(text) {
        Ok(())
    } else {
        Err(VersionError::InvalidPreRelease { text: text.to_owned() })
    }
}

fn build_metadata(text: &str) -> Result<semver::BuildMetadata, VersionError> {
    for identifier in text.split('.') {
        if identifier.is_empty() {
            return Err(VersionError::EmptyBuild);
        }
        if !is_identifier(identifier) {
            return Err(VersionError::InvalidBuild { text: identifier.to_owned() });
        }
    }
    Ok(semver::BuildMetadata::new(text).expect("identifiers that are non-empty and ASCII are accepted"))
}

/// Whether there are only ASCII digits; true for the empty text, as in the real library, whose callers check for
/// emptiness in different ways.
pub(super) fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

fn is_identifier(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

fn has_leading_zero(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(result: Result<Version, VersionError>) -> String {
        result.map_or_else(|error| error.to_string(), |version| format!("= {version}"))
    }

    #[test]
    fn strict_versions() {
        let cases = [
            ("0.0.0", "= 0.0.0"),
            ("1.2.3-a.1+b.01", "= 1.2.3-a.1+b.01"),
            ("1.0.0+a-b", "= 1.0.0+a-b"),
            ("1.0.0--", "= 1.0.0--"),
            ("", "Version string empty"),
            ("1", "No Major.Minor.Patch elements found"),
            ("1.0", "No Major.Minor.Patch elements found"),
            ("v1.0.0", r#"Invalid character(s) found in major number "v1""#),
            ("1.x.0", r#"Invalid character(s) found in minor number "x""#),
            ("1.0.0 ", r#"Invalid character(s) found in patch number "0 ""#),
            ("1.0.0.0", r#"Invalid character(s) found in patch number "0.0""#),
            ("a.b.c", r#"Invalid character(s) found in major number "a""#),
            ("01.0.0", r#"Major number must not contain leading zeroes "01""#),
            ("0.00.0", r#"Minor number must not contain leading zeroes "00""#),
            ("0.0.00", r#"Patch number must not contain leading zeroes "00""#),
            ("..", r#"strconv.ParseUint: parsing "": invalid syntax"#),
            ("0.0.18446744073709551616", r#"strconv.ParseUint: parsing "18446744073709551616": value out of range"#),
            ("1.0.0-", "Prerelease is empty"),
            ("1.0.0-a..b", "Prerelease is empty"),
            ("1.0.0-01", r#"Numeric PreRelease version must not contain leading zeroes "01""#),
            ("1.0.0-18446744073709551616", r#"strconv.ParseUint: parsing "18446744073709551616": value out of range"#),
            ("1.0.0-a_b", r#"Invalid character(s) found in prerelease "a_b""#),
            ("1.0.0-é\n", "Invalid character(s) found in prerelease \"é\\n\""),
            ("1.0.0+", "Build meta data is empty"),
            ("1.0.0+a+b", r#"Invalid character(s) found in build meta data "a+b""#),
            // The pre-release is judged before the build metadata, the patch number before both.
            ("1.0.0-_+_", r#"Invalid character(s) found in prerelease "_""#),
            ("1.0.x-_+_", r#"Invalid character(s) found in patch number "x""#),
        ];
        for (text, expected) in cases {
            assert_eq!(outcome(strict(text)), expected, "{text:?}");
        }
    }

    #[test]
    fn tolerant_versions() {
        let cases = [
            ("1", "= 1.0.0"),
            ("v4.18", "= 4.18.0"),
            ("\t v1.2.3\n", "= 1.2.3"),
            ("01.02.003", "= 1.2.3"),
            ("00.0.0", "= 0.0.0"),
            ("1.2.03-rc.1+01", "= 1.2.3-rc.1+01"),
            ("1.2.00-rc", "= 1.2.0-rc"),
            ("1.2-rc1", "Short version cannot contain PreRelease/Build meta data"),
            ("1-2.3", r#"Invalid character(s) found in major number "1-2""#),
            ("1.2.3-01", r#"Numeric PreRelease version must not contain leading zeroes "01""#),
            ("", r#"strconv.ParseUint: parsing "": invalid syntax"#),
            ("1..2", r#"strconv.ParseUint: parsing "": invalid syntax"#),
            ("bad", r#"Invalid character(s) found in major number "0bad""#),
            ("V1", r#"Invalid character(s) found in major number "0V1""#),
            ("vv1", r#"Invalid character(s) found in major number "0v1""#),
            ("v 1", r#"Invalid character(s) found in major number "0 1""#),
            ("1.2.3.4", r#"Invalid character(s) found in patch number "3.4""#),
            ("1.2.x", r#"Invalid character(s) found in patch number "x""#),
        ];
        for (text, expected) in cases {
            assert_eq!(outcome(tolerant(text)), expected, "{text:?}");
        }
    }
}
