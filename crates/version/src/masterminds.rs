//! Version constraints as `Masterminds/semver` 3.5 reads them: `~1.2 || >=2.0, <3` (`docs/behaviour/olm-v1.md` 1.1).
//!
//! Wildcards, partial versions, `~`, `^` and hyphen ranges, with the surprises of the real library: `>1` starts at
//! 2.0.0, `<=*` is 0.0.z, `~0.0.0` is everything. A group of a constraint admits a pre-release only if one of its items
//! has a pre-release itself.

use std::cmp::Ordering;

use super::Version;
use super::admission::MAX_CHARS;
pub use super::admission::api_server_admits;
use super::parse::is_digits;
use super::quote::Quoted;

mod scan;

/// The greatest length of a constraint in bytes.
pub const MAX_LEN: usize = 512;
/// The greatest number of groups that `||` joins.
pub(crate) const MAX_GROUPS: usize = 32;
/// The greatest length in bytes of the version of an item, after its wildcards are filled in.
const MAX_VERSION_LEN: usize = 256;

/// The reason why the API server refuses a ClusterExtension whose `version` is this range, although OLM v1 could read
/// it. `None` if the API server accepts it, or if OLM v1 cannot read it either and reports that itself
/// (`docs/behaviour/olm-v1.md` 1.1.10).
pub fn api_server_refusal(range: &str) -> Option<String> {
    if range.is_empty() || Constraint::parse(range).is_err() || api_server_admits(range) {
        return None;
    }
    let why = match range.chars().count() > MAX_CHARS {
        true => format!("Too long: may not be more than {MAX_CHARS}"),
        false => {
            let help = "write comparisons such as \">=1.0.0 <2.0.0\", without hyphen ranges, leading zeros and \"*\"";
            format!("invalid version expression; {help}")
        }
    };
    Some(format!("the API server refuses the version range {}: {why}", Quoted(range)))
}

/// A parsed constraint: groups joined by OR, of items joined by AND.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    groups: Vec<Group>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    items: Vec<Item>,
    /// Whether any item has a pre-release; if none has, no pre-release is admitted.
    open_to_prereleases: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    operator: Operator,
    kind: Kind,
    major: u64,
    minor: u64,
    patch: u64,
    pre: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Tilde,
    Caret,
}

/// The first number of an item that is a wildcard or missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The major number: `*`.
    Any,
    /// The minor number: `1`, `1.x`.
    Major,
    /// The patch number: `1.2`, `1.2.x`.
    Minor,
    /// None: `1.2.3`.
    Full,
}

/// The reasons why a text is not a constraint. The `Display` text is the real library's, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// It is longer than [`MAX_LEN`].
    #[error("constraint string is too long (max {MAX_LEN} bytes)")]
    TooLong,
    /// It has more than `MAX_GROUPS` groups.
    #[error("too many constraint groups (max {MAX_GROUPS})")]
    TooManyGroups,
    /// A group does not follow the grammar.
    #[error("improper constraint: {}", Quoted(.group))]
    Improper {
        /// The group, with hyphen ranges already written as comparisons.
        group: String,
    },
    /// An item follows the grammar, but its version is not valid: a number over 64 bits, a stray `|`, a wildcard with
    /// something beside it, a numeric pre-release identifier with a leading zero, or too long.
    #[error("constraint parser error")]
    InvalidVersion,
}

impl Constraint {
    /// Reads a constraint (`docs/behaviour/olm-v1.md` 1.1.1 to 1.1.4).
    ///
    /// # Errors
    ///
    /// The limits first; then, group by group, the grammar and the versions of the items.
    pub fn parse(text: &str) -> Result<Self, ConstraintError> {
        if text.len() > MAX_LEN {
            return Err(ConstraintError::TooLong);
        }
        let text = scan::rewrite_hyphen_ranges(text);
        if text.split("||").count() > MAX_GROUPS {
            return Err(ConstraintError::TooManyGroups);
        }
        let groups = text.split("||").map(Group::parse).collect::<Result<_, _>>()?;
        Ok(Self { groups })
    }

    /// Whether the version satisfies the constraint (`docs/behaviour/olm-v1.md` 1.1.5 to 1.1.7). Build metadata never
    /// counts.
    pub fn matches(&self, version: &Version) -> bool {
        self.groups.iter().any(|group| group.admits(version))
    }
}

impl std::str::FromStr for Constraint {
    type Err = ConstraintError;

    /// Parses like [`Constraint::parse`].
    fn from_str(text: &str) -> Result<Self, ConstraintError> {
        Self::parse(text)
    }
}

impl Group {
    fn parse(text: &str) -> Result<Self, ConstraintError> {
        let Some(scanned) = scan::group(text) else {
            return Err(ConstraintError::Improper { group: text.to_owned() });
        };
        let items = scanned.iter().map(Item::from_scanned).collect::<Result<Vec<_>, _>>()?;
        let open_to_prereleases = items.iter().any(|item| !item.pre.is_empty());
        Ok(Self { items, open_to_prereleases })
    }

    fn admits(&self, version: &Version) -> bool {
        (self.open_to_prereleases || !version.is_prerelease()) && self.items.iter().all(|item| item.admits(version))
    }
}

impl Item {
    /// Fills in missing components and wildcards (`docs/behaviour/olm-v1.md` 1.1.3). Components behind the first
    /// wildcard are not even looked at; the pre-release is.
    fn from_scanned(scanned: &scan::Item<'_>) -> Result<Self, ConstraintError> {
        let [major, minor, patch] = scanned.version.components;
        let is_wild = |component: &str| matches!(component, "" | "x" | "X" | "*");
        let (kind, filled) = if is_wild(major) {
            (Kind::Any, ["0", "0", "0"])
        } else if is_wild(minor) {
            (Kind::Major, [major, "0", "0"])
        } else if is_wild(patch) {
            (Kind::Minor, [major, minor, "0"])
        } else {
            (Kind::Full, [major, minor, patch])
        };
        let pre = scanned.version.pre;
        let len = match kind {
            Kind::Full => scanned.version.text.len(),
            _ => {
                filled.iter().map(|part| part.len()).sum::<usize>() + 2 + if pre.is_empty() { 0 } else { pre.len() + 1 }
            }
        };
        let has_padded_number = pre.split('.').any(|id| id.len() > 1 && id.starts_with('0') && is_digits(id));
        if len > MAX_VERSION_LEN || has_padded_number {
            return Err(ConstraintError::InvalidVersion);
        }
        let [major, minor, patch] = filled.map(|part| part.parse::<u64>());
        match (major, minor, patch) {
            (Ok(major), Ok(minor), Ok(patch)) => {
                Ok(Self { operator: scanned.operator, kind, major, minor, patch, pre: pre.to_owned() })
            }
            _ => Err(ConstraintError::InvalidVersion),
        }
    }

    /// The table of `docs/behaviour/olm-v1.md` 1.1.7.
    fn admits(&self, version: &Version) -> bool {
        let order = self.order_of(version);
        let same_major = version.major() == self.major;
        let same_minor = same_major && version.minor() == self.minor;
        let same_patch = same_minor && version.patch() == self.patch;
        match self.operator {
            Operator::Equal if self.kind == Kind::Full => order == Ordering::Equal,
            Operator::Equal | Operator::Tilde => {
                order != Ordering::Less
                    && match self.kind {
                        Kind::Any => true,
                        Kind::Major => same_major,
                        Kind::Minor => same_minor,
                        Kind::Full => same_minor || self.is_zero(),
                    }
            }
            Operator::NotEqual => match self.kind {
                Kind::Full | Kind::Any => order != Ordering::Equal,
                Kind::Major => !same_major,
                Kind::Minor => !same_minor || version.pre() != self.pre,
            },
            Operator::Greater => match self.kind {
                Kind::Full => order == Ordering::Greater,
                Kind::Minor => (version.major(), version.minor()) > (self.major, self.minor),
                Kind::Major => version.major() > self.major,
                Kind::Any => version.major() > 0 || order == Ordering::Greater,
            },
            Operator::GreaterOrEqual => order != Ordering::Less,
            Operator::Less => order == Ordering::Less,
            Operator::LessOrEqual => match self.kind {
                Kind::Full => order != Ordering::Greater,
                Kind::Minor => (version.major(), version.minor()) <= (self.major, self.minor),
                Kind::Major => version.major() <= self.major,
                Kind::Any => same_minor,
            },
            Operator::Caret => {
                order != Ordering::Less
                    && match self.kind {
                        Kind::Any => same_patch,
                        Kind::Major => same_major,
                        Kind::Minor if self.major == 0 => same_minor,
                        Kind::Full if self.major == 0 && self.minor == 0 => same_patch,
                        Kind::Full if self.major == 0 => same_minor,
                        Kind::Minor | Kind::Full => same_major,
                    }
            }
        }
    }

    fn is_zero(&self) -> bool {
        (self.major, self.minor, self.patch) == (0, 0, 0)
    }

    /// The order of the version and the item's version.
    fn order_of(&self, version: &Version) -> Ordering {
        (version.major(), version.minor(), version.patch())
            .cmp(&(self.major, self.minor, self.patch))
            .then_with(|| cmp_pre(version.pre(), &self.pre))
    }
}

/// Compares pre-releases. [`Version::cmp_precedence`] does not fit, because an item may have a part that no version may
/// have: a numeric identifier over 64 bits, which the real library takes for a word.
fn cmp_pre(a: &str, b: &str) -> Ordering {
    // A number is lower than a word.
    fn key(id: &str) -> (bool, u64, &str) {
        match id.parse::<u64>().ok().filter(|_| is_digits(id)) {
            Some(number) => (false, number, ""),
            None => (true, 0, id),
        }
    }
    // No pre-release at all is the highest.
    a.is_empty().cmp(&b.is_empty()).then_with(|| a.split('.').map(key).cmp(b.split('.').map(key)))
}

#[cfg(test)]
mod tests;
