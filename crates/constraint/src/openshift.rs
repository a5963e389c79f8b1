//! `olm.maxOpenShiftVersion`: whether an installed bundle blocks the cluster's next minor version
//! (`docs/behaviour/olm-v1.md` section 4). Both generations of OLM ask, read the value differently, and agree on the
//! comparison.

use olmdex_text::json::{self, Kind};
use olmdex_version::{Quoted, Version};

/// The property's type.
pub const MAX_OPENSHIFT_VERSION: &str = "olm.maxOpenShiftVersion";

/// A minor version of OpenShift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Minor {
    /// Major number.
    pub major: u64,
    /// Minor number.
    pub minor: u64,
}

impl std::fmt::Display for Minor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl std::str::FromStr for Minor {
    /// The fault of the text, in words.
    type Err = String;

    /// A version as people write it.
    fn from_str(text: &str) -> Result<Self, String> {
        // `419` would be major version 419.
        if !text.contains('.') {
            return Err("a version has a dot, as in 4.18".to_owned());
        }
        match Version::parse_tolerant(text) {
            Ok(version) => Ok(Self::of(&version)),
            Err(error) => Err(format!("{error}; write a version as 4.18")),
        }
    }
}

impl Minor {
    /// The minor version of a version.
    pub fn of(version: &Version) -> Self {
        Self { major: version.major(), minor: version.minor() }
    }

    /// 4.23 and 5.0 are one release under two names.
    fn canonical(self) -> Self {
        if self == (Self { major: 4, minor: 23 }) { Self { major: 5, minor: 0 } } else { self }
    }

    /// Whether a bundle with this highest minor version lets a cluster of the other one go on to its next.
    pub fn lets_update(self, cluster: Self) -> bool {
        self.canonical() > cluster.canonical()
    }

    /// The minor version that follows: 4.22 is followed by 5.0, and that, also as 4.23, by 5.1.
    #[must_use]
    pub fn next(self) -> Self {
        let Self { major, minor } = self.canonical();
        Self { major, minor: minor.saturating_add(1) }.canonical()
    }

    /// The minor version before it: 5.0 follows 4.22. The first of another major version has none, and is its own.
    #[must_use]
    pub fn previous(self) -> Self {
        match self.canonical() {
            Self { major: 5, minor: 0 } => Self { major: 4, minor: 22 },
            Self { major, minor } => Self { major, minor: minor.saturating_sub(1) },
        }
    }

    /// Whether another one is the same release, under any name.
    pub fn is_same(self, other: Self) -> bool {
        self.canonical() == other.canonical()
    }

    /// Whether another one comes later.
    pub fn is_before(self, later: Self) -> bool {
        self.canonical() < later.canonical()
    }

    /// This and the minor versions that follow, up to and without the last.
    pub fn until(self, last: Self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |it| Some(it.next())).take_while(move |it| it.canonical() < last.canonical())
    }

    /// Whether it is the same as another or before it.
    pub fn is_at_most(self, other: Self) -> bool {
        self.canonical() <= other.canonical()
    }

    /// The minor version of Kubernetes that an OpenShift version has: 4.3 has 1.16, and each one more. For versions
    /// that are not out yet this is a guess.
    #[must_use]
    pub fn kubernetes(self) -> Self {
        let minor = match self {
            Self { major: 4, minor: minor @ 0..=2 } => minor + 12,
            Self { major: 4, minor } => minor.saturating_add(13),
            Self { major: 5, minor } => minor.saturating_add(36),
            Self { minor, .. } => minor,
        };
        Self { major: 1, minor }
    }
}

/// Reads the property as OLM v1 does: a text with exactly one dot, or a number by its literal text.
///
/// # Errors
/// The real system's message about the value. Such a value blocks.
pub fn read_v1(value: &str) -> Result<Minor, String> {
    let mut reader = json::Reader::new();
    // The first value counts; text behind it is an error of its own.
    let parsed = reader.read(value).map_err(|error| error.to_string())?;
    if let Some(text) = parsed.as_str() {
        if text.starts_with('v') || text.matches('.').count() != 1 {
            return Err("invalid version format".to_owned());
        }
        return Version::parse_tolerant(&text).map(|it| Minor::of(&it)).map_err(|error| error.to_string());
    }
    let wrong_type = |name: &str| Err(format!("invalid type {name} for olm.maxOpenshiftVersion: {}", value.trim()));
    match parsed.kind() {
        Kind::Number => read_literal(parsed.raw()),
        Kind::True | Kind::False => wrong_type("bool"),
        Kind::Array => wrong_type("[]interface {}"),
        Kind::Object => wrong_type("map[string]interface {}"),
        _ => wrong_type("<nil>"),
    }
}

/// A number counts by its digits: `4.10` is minor 10.
fn read_literal(text: &str) -> Result<Minor, String> {
    let wrong = || format!("invalid semver format {}: expected <major>.<minor>", Quoted(text));
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|c| c.is_ascii_digit());
    let (major, minor) = text.split_once('.').ok_or_else(wrong)?;
    let is_canonical = |it: &str| it == "0" || !it.starts_with('0');
    if !is_number(major) || !is_number(minor) || major.starts_with('0') || !is_canonical(minor) {
        return Err(wrong());
    }
    Version::parse_tolerant(text).map(|it| Minor::of(&it)).map_err(|error| error.to_string())
}

/// Reads the property as OLM Classic does: the raw JSON without quotes around it, read tolerantly; only major and minor
/// may be stated.
///
/// # Errors
/// The real system's message about the value. Such a value blocks.
pub(crate) fn read_classic(value: &str) -> Result<Minor, String> {
    let text = value.trim_matches('"');
    if text.is_empty() {
        return Err("value cannot be \"\" (an empty string)".to_owned());
    }
    let version =
        Version::parse_tolerant(text).map_err(|error| format!("failed to parse \"{text}\" as semver: {error}"))?;
    if version.patch() > 0 || version.is_prerelease() {
        return Err(format!(
            "property {MAX_OPENSHIFT_VERSION} must specify only <major>.<minor> version, got invalid value {version}"
        ));
    }
    Ok(Minor::of(&version))
}

/// OLM Classic's reading of all values of a bundle; `None` without a value, which never blocks.
///
/// # Errors
/// The real system's words, also for more than one value. An error blocks.
pub fn highest_classic(values: &[String]) -> Result<Option<Minor>, String> {
    match values {
        [] => Ok(None),
        [value] => read_classic(value).map(Some),
        _ => Err(format!("defining more than one \"{MAX_OPENSHIFT_VERSION}\" property is not allowed")),
    }
}

/// OLM v1's reading of all values of a bundle; `None` without a value, which never blocks.
///
/// # Errors
/// The real system's words, also for more than one value, even if they are equal. An error blocks.
pub fn highest_v1(values: &[String]) -> Result<Option<Minor>, String> {
    match values {
        [] => Ok(None),
        [value] => {
            read_v1(value).map(Some).map_err(|error| format!("error converting to semver for version {value}: {error}"))
        }
        _ => Err(format!("more than one {MAX_OPENSHIFT_VERSION} found in bundle")),
    }
}
