//! Version ranges as `blang/semver` v4 reads them: `>=1.0.0 <2.0.0 || 3.x` (`docs/behaviour/olm-v1.md` 1.2).
//!
//! The real reader is lenient in ways that nobody would design: tokens of one byte vanish, a `!` before a blank turns
//! into equality, any lower-case `x` makes a token a wildcard. Catalogs in the field depend on it, so all of that is
//! kept, and so are the messages. There is no pre-release rule here: 2.0.0-rc.1 is in `<2.0.0`.

use std::cmp::Ordering;
use std::sync::Arc;

use super::digit::is_decimal_digit;
use super::quote::Quoted;
use super::{Version, VersionError};

/// The help for a text that is not a range.
pub const HOW_TO_WRITE_A_RANGE: &str =
    "separate comparators with spaces and write versions in full, for example `>=1.0.0 <1.2.0`";

/// A parsed range: groups joined by OR, of comparators joined by AND. Copies share them: a range may have thousands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// Those of all groups.
    comparators: Arc<[Comparator]>,
    /// For each group the position behind its last comparator.
    ends: Arc<[usize]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Comparator {
    operator: Operator,
    version: Version,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

/// The reasons why a range cannot be read or evaluated. Except for [`RangeError::EmptyGroup`], the `Display` text is
/// the real library's, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeError {
    /// The first token is `||`.
    #[error("First element in range is '||'")]
    LeadingOr,
    /// The last token is `||`, or there are no tokens: the range is empty, or its tokens were too short to count.
    #[error("Last element in range is '||'")]
    TrailingOr,
    /// A token, or the expansion of a wildcard in it, has no digit.
    #[error("Could not get version from string: {}", Quoted(.token))]
    NoVersion { token: String },
    /// The text before the first digit is not an operator.
    #[error("Could not parse Range {}: Could not parse comparator {} in {}",
        Quoted(.token), Quoted(.operator), Quoted(.comparator))]
    UnknownOperator {
        token: String,
        /// The text before the first digit, without white space around it.
        operator: String,
        /// The operator and the version, joined.
        comparator: String,
    },
    /// The version of a token is not a strict version.
    #[error("Could not parse Range {}: Could not parse version {} in {}: {error}",
        Quoted(.token), Quoted(.version), Quoted(.comparator))]
    InvalidVersion { token: String, version: String, comparator: String, error: VersionError },
    /// Evaluation reached a group without comparators, between two `||`. The real library crashes here
    /// (`docs/behaviour/olm-v1.md` 1.2.9), so there is no answer to agree with.
    #[error("the range has nothing between two '||', so whether it contains {version} is undefined")]
    EmptyGroup { version: String },
}

impl RangeError {
    /// The fault in words for people: once, and without the steps of the real library.
    pub fn plain(&self) -> String {
        match self {
            Self::LeadingOr => "it begins with `||`".to_owned(),
            Self::TrailingOr => "it is empty, or ends with `||`".to_owned(),
            Self::NoVersion { token } => format!("`{token}` has no version"),
            Self::UnknownOperator { operator, .. } => format!("`{operator}` is not an operator"),
            Self::InvalidVersion { version, .. } => format!("`{version}` is not a complete version"),
            Self::EmptyGroup { .. } => "there is nothing between two `||`".to_owned(),
        }
    }
}

impl Range {
    /// Reads a range.
    ///
    /// # Errors
    ///
    /// The first of, in this order (`docs/behaviour/olm-v1.md` 1.2.7): misplaced `||`, wildcards that cannot be
    /// expanded, comparators that cannot be read. Never [`RangeError::EmptyGroup`]: the real library accepts an empty
    /// group until it has to evaluate it.
    pub fn parse(text: &str) -> Result<Self, RangeError> {
        let tokens = tokens(text);
        let expanded = or_groups(&tokens)?
            .into_iter()
            .map(|group| group.iter().map(|token| expand(token)).collect::<Result<Vec<_>, _>>())
            .collect::<Result<Vec<_>, _>>()?;
        let mut comparators = Vec::with_capacity(expanded.iter().flatten().map(Vec::len).sum());
        let mut ends = Vec::with_capacity(expanded.len());
        for group in &expanded {
            for token in group.iter().flatten() {
                comparators.push(comparator(token)?);
            }
            ends.push(comparators.len());
        }
        Ok(Self { comparators: comparators.into(), ends: ends.into() })
    }

    /// Whether the version is in the range.
    ///
    /// # Errors
    ///
    /// [`RangeError::EmptyGroup`] if no group before an empty one has the version.
    pub fn contains(&self, version: &Version) -> Result<bool, RangeError> {
        for group in self.groups() {
            if group.is_empty() {
                return Err(RangeError::EmptyGroup { version: version.to_string() });
            }
            if group.iter().all(|comparator| comparator.admits(version)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn groups(&self) -> impl Iterator<Item = &[Comparator]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(self.ends.iter()).map(|(start, &end)| &self.comparators[start..end])
    }

    /// The versions that its comparators name.
    pub(super) fn bounds(&self) -> impl Iterator<Item = &Version> {
        self.comparators.iter().map(|comparator| &comparator.version)
    }

    /// The part that it holds of a sequence of places that ascend with their versions: spans in order, none of which
    /// touches the next. `bounds` gives for a version the first place that is not below it, and the first that is above
    /// it. A version for which [`Range::contains`] fails is not held.
    pub(super) fn spans(
        &self,
        n_places: usize,
        bounds: impl Fn(&Version) -> (usize, usize),
    ) -> Vec<std::ops::Range<usize>> {
        let mut spans = Vec::new();
        for group in self.groups().take_while(|group| !group.is_empty()) {
            let (mut low, mut high) = (0, n_places);
            let mut holes = Vec::new();
            for comparator in group {
                let (first, behind) = bounds(&comparator.version);
                match comparator.operator {
                    Operator::Equal => (low, high) = (low.max(first), high.min(behind)),
                    Operator::NotEqual => holes.push((first, behind)),
                    Operator::Greater => low = low.max(behind),
                    Operator::GreaterOrEqual => low = low.max(first),
                    Operator::Less => high = high.min(first),
                    Operator::LessOrEqual => high = high.min(behind),
                }
            }
            holes.sort_unstable();
            for (first, behind) in holes {
                if low < first.min(high) {
                    spans.push(low..first.min(high));
                }
                low = low.max(behind);
            }
            if low < high {
                spans.push(low..high);
            }
        }
        spans.sort_unstable_by_key(|it| it.start);
        let mut joined: Vec<std::ops::Range<usize>> = Vec::new();
        for span in spans {
            match joined.last_mut() {
                Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
                _ => joined.push(span),
            }
        }
        joined
    }

    /// As places, the versions of an ascending list that it holds.
    pub fn spans_of<V: std::borrow::Borrow<Version>>(&self, versions: &[V]) -> Vec<std::ops::Range<usize>> {
        self.spans(versions.len(), |bound| {
            let first = versions.partition_point(|it| it.borrow() < bound);
            (first, first + versions[first..].partition_point(|it| it.borrow() <= bound))
        })
    }

    /// Whether it holds every version that another range holds, as far as the versions that both name show.
    pub fn includes(&self, other: &Self) -> bool {
        if self.has_empty_group() || other.has_empty_group() {
            return false;
        }
        let mut named: Vec<&Version> = self.bounds().chain(other.bounds()).collect();
        named.sort();
        named.dedup();
        // Each named version is a place, and so is all that lies between two of them.
        let spans = |range: &Self| {
            range.spans(2 * named.len() + 1, |version| {
                let at = named.partition_point(|it| *it < version);
                (2 * at + 1, 2 * at + 2)
            })
        };
        let own = spans(self);
        spans(other).iter().all(|part| own.iter().any(|it| it.start <= part.start && part.end <= it.end))
    }

    /// Whether there is nothing between two `||`, so that [`Range::contains`] can fail.
    pub fn has_empty_group(&self) -> bool {
        self.groups().any(<[_]>::is_empty)
    }
}

impl std::str::FromStr for Range {
    type Err = RangeError;

    /// Parses like [`Range::parse`].
    fn from_str(text: &str) -> Result<Self, RangeError> {
        Self::parse(text)
    }
}

impl Comparator {
    fn admits(&self, version: &Version) -> bool {
        let order = version.cmp_precedence(&self.version);
        match self.operator {
            Operator::Equal => order == Ordering::Equal,
            Operator::NotEqual => order != Ordering::Equal,
            Operator::Greater => order == Ordering::Greater,
            Operator::GreaterOrEqual => order != Ordering::Less,
            Operator::Less => order == Ordering::Less,
            Operator::LessOrEqual => order != Ordering::Greater,
        }
    }
}

impl Operator {
    fn from_text(text: &str) -> Option<Self> {
        Some(match text {
            "" | "=" | "==" => Self::Equal,
            "!" | "!=" => Self::NotEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterOrEqual,
            "<" => Self::Less,
            "<=" => Self::LessOrEqual,
            _ => return None,
        })
    }
}

/// Cuts the text into tokens (`docs/behaviour/olm-v1.md` 1.2.1): at blanks that do not follow `>`, `<` or `=`. Pieces
/// of fewer than two bytes, counted before the blanks inside are removed, are no tokens.
fn tokens(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut last_visible = None;
    for (at, c) in text.char_indices() {
        if c != ' ' {
            last_visible = Some(c);
        } else if !matches!(last_visible, Some('>' | '<' | '=')) {
            pieces.extend(text.get(start..at));
            start = at + 1;
        }
    }
    pieces.extend(text.get(start..));
    pieces.into_iter().filter(|piece| piece.len() >= 2).map(|piece| piece.replace(' ', "")).collect()
}

/// Splits tokens at `||` (`docs/behaviour/olm-v1.md` 1.2.2). A group may be empty, but neither the first nor the last
/// one.
fn or_groups(tokens: &[String]) -> Result<Vec<&[String]>, RangeError> {
    let groups: Vec<&[String]> = tokens.split(|token| token == "||").collect();
    if tokens.first().is_some_and(|token| token == "||") {
        Err(RangeError::LeadingOr)
    } else if groups.last().is_none_or(|group| group.is_empty()) {
        Err(RangeError::TrailingOr)
    } else {
        Ok(groups)
    }
}

/// Splits a token at its first decimal digit (`docs/behaviour/olm-v1.md` 1.2.3).
fn split(token: &str) -> Result<(&str, &str), RangeError> {
    match token.find(is_decimal_digit) {
        Some(digit) => {
            let (operator, version) = token.split_at(digit);
            Ok((operator.trim(), version))
        }
        None => Err(RangeError::NoVersion { token: token.to_owned() }),
    }
}

fn comparator(token: &str) -> Result<Comparator, RangeError> {
    let (operator_text, version_text) = split(token)?;
    let joined = || format!("{operator_text}{version_text}");
    let Some(operator) = Operator::from_text(operator_text) else {
        return Err(RangeError::UnknownOperator {
            token: token.to_owned(),
            operator: operator_text.to_owned(),
            comparator: joined(),
        });
    };
    let version = Version::parse(version_text).map_err(|error| RangeError::InvalidVersion {
        token: token.to_owned(),
        version: version_text.to_owned(),
        comparator: joined(),
        error,
    })?;
    Ok(Comparator { operator, version })
}

/// Replaces a token that has an `x` in it, wherever that is, by tokens without wildcards (`docs/behaviour/olm-v1.md`
/// 1.2.4).
fn expand(token: &str) -> Result<Vec<String>, RangeError> {
    if !token.contains('x') {
        return Ok(vec![token.to_owned()]);
    }
    let (operator, version) = split(token)?;
    let flat = flatten(version);
    // A bump that does not exist is the empty text, which the next reading of the token refuses.
    let bump = bump(version, &flat).unwrap_or_default();
    Ok(match operator {
        ">" => vec![format!(">={bump}")],
        ">=" => vec![format!(">={flat}")],
        "<" => vec![format!("<{flat}")],
        "<=" => vec![format!("<{bump}")],
        "" | "=" | "==" => vec![format!(">={flat}"), format!("<{bump}")],
        "!" | "!=" => vec![format!("<{flat}"), format!(">={bump}")],
        _ => vec![flat],
    })
}

/// The wildcard version with zeros in place of the `x`.
fn flatten(version: &str) -> String {
    let flat = version.replacen(".x.x", ".x", 1).replacen(".x", ".0", 1);
    if flat.split('.').count() == 2 { flat + ".0" } else { flat }
}

/// The first flat version above all versions of the wildcard, if the place of the `x` shows which number to raise.
fn bump(version: &str, flat: &str) -> Option<String> {
    let written: Vec<&str> = version.split('.').collect();
    let raised = match written.as_slice() {
        [_, _, "x"] => 1,
        [_, "x"] => 0,
        _ => return None,
    };
    let mut parts: Vec<String> = flat.split('.').map(str::to_owned).collect();
    let part = parts.get_mut(raised)?;
    // The real library counts in signed numbers and does not notice when they overflow.
    *part = part.parse::<i64>().ok()?.wrapping_add(1).to_string();
    Some(parts.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The versions, of a fixed ladder, that a range contains; or the message.
    fn outcome(range: &str) -> String {
        const LADDER: &[&str] = &[
            "0.9.9",
            "1.0.0-rc.1",
            "1.0.0+b",
            "1.0.1",
            "1.1.0",
            "1.2.0-a",
            "1.2.0",
            "1.2.9",
            "1.3.0-rc",
            "1.3.0",
            "2.0.0-rc",
            "2.0.0",
            "3.0.0",
        ];
        let range = match Range::parse(range) {
            Ok(range) => range,
            Err(error) => return error.to_string(),
        };
        let members = LADDER.iter().filter(|text| range.contains(&Version::parse(text).unwrap()).unwrap());
        members.copied().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn memberships() {
        let cases = [
            ("1.0.0", "1.0.0+b"),
            ("==1.0.0+other", "1.0.0+b"),
            (">=1.3.0 <2.0.0", "1.3.0 2.0.0-rc"),
            (" >=  1.3.0   < 2.0.0 ", "1.3.0 2.0.0-rc"),
            (">=\t1.3.0", "1.3.0 2.0.0-rc 2.0.0 3.0.0"),
            ("! 1.0.0", "1.0.0+b"),
            (">1.2.9 !2.0.0 !=3.0.0", "1.3.0-rc 1.3.0 2.0.0-rc"),
            (">=2.0.0 , <3.0.0 5 x", "2.0.0"),
            ("1.0.0 - 2.0.0", ""),
            ("<1.0.0 || >2.0.0", "0.9.9 1.0.0-rc.1 3.0.0"),
            ("1.x.x", "1.0.0+b 1.0.1"),
            ("1.2.x || 3.x", "1.2.0 1.2.9 1.3.0-rc 3.0.0"),
            (">1.2.x", "1.3.0 2.0.0-rc 2.0.0 3.0.0"),
            ("<=1.2.x >=1.2.0-a", "1.2.0-a 1.2.0 1.2.9 1.3.0-rc"),
            ("!=1.x", ""),
            ("^1.x", "1.0.0+b"),
            ("~1.2.x", "1.2.0"),
            (">=1.x.5 <1.2.0", "1.1.0 1.2.0-a"),
            ("9223372036854775808.x || 1.0.0", r#"Could not get version from string: "<""#),
        ];
        for (range, expected) in cases {
            assert_eq!(outcome(range), expected, "{range:?}");
        }
    }

    #[test]
    fn messages() {
        let cases = [
            ("", "Last element in range is '||'"),
            ("x", "Last element in range is '||'"),
            ("<2.0.0 ||", "Last element in range is '||'"),
            ("||", "First element in range is '||'"),
            ("|| 1.0.0", "First element in range is '||'"),
            ("latest", r#"Could not get version from string: "latest""#),
            (">1.2.3-next", r#"Could not get version from string: ">=""#),
            ("1.x.3", r#"Could not get version from string: "<""#),
            ("~1.0.0", r#"Could not parse Range "~1.0.0": Could not parse comparator "~" in "~1.0.0""#),
            (
                ">=1.0",
                r#"Could not parse Range ">=1.0": Could not parse version "1.0" in ">=1.0": No Major.Minor.Patch elements found"#,
            ),
            (
                "<2.0.0||>3.0.0",
                r#"Could not parse Range "<2.0.0||>3.0.0": Could not parse version "2.0.0||>3.0.0" in "<2.0.0||>3.0.0": Invalid character(s) found in patch number "0||>3.0.0""#,
            ),
            (
                "9223372036854775807.x",
                r#"Could not parse Range "<-9223372036854775808.0.0": Could not parse comparator "<-" in "<-9223372036854775808.0.0""#,
            ),
            // Wildcards are expanded everywhere before anything else is read.
            ("~1.0.0 foo.x", r#"Could not get version from string: "foo.x""#),
        ];
        for (range, expected) in cases {
            assert_eq!(outcome(range), expected, "{range:?}");
        }
    }

    #[test]
    fn an_empty_group_is_an_error_only_when_evaluation_gets_there() {
        let range = Range::parse(">1.0.0 || || <0.5.0").unwrap();
        assert!(range.has_empty_group());
        assert_eq!(range.contains(&Version::new(2, 0, 0)), Ok(true));
        assert_eq!(range.contains(&Version::new(0, 1, 0)), Err(RangeError::EmptyGroup { version: "0.1.0".to_owned() }));
    }
}
