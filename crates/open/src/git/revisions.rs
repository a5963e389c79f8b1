//! The commits that represent the past: the last of each day, those with tags, or all.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::GitError;
use super::program::output;
use olmdex_text::calendar::Day;
use olmdex_text::encoding::hex::short;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The commits that are taken, along first parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Every {
    /// The last commit of each day (UTC).
    #[default]
    Day,
    /// Commits with tags.
    Tag,
    /// All commits.
    Commit,
}

olmdex_base::named!(Every => as_str);

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The day, the tag, or the beginning of the commit's digest.
    pub name: String,
    /// The commit's digest.
    pub commit: String,
    /// The day on which it was made (UTC).
    pub day: Day,
    /// When it was made, in seconds since 1970.
    pub time: i64,
}

fn is_digest(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|it| it.is_ascii_hexdigit())
}

/// The number of commits that a range may have. The repository with the most that is known, Linux, has as many.
const MAX_COMMITS: usize = 1_500_000;
/// One more, to see that there are more.
const MAX_COUNT: &str = "--max-count=1500001";

/// The last second of the year 9999: the time in a commit may be any number.
const LAST: i64 = 253_402_300_799;

/// The revisions of a range, the oldest first.
pub(super) fn revisions(
    repository: &Path,
    range: &str,
    every: Every,
    directory: &str,
) -> Result<Vec<Revision>, GitError> {
    check_range(range)?;
    listed(repository, &[range], every, directory)
}

/// The revisions of a branch after one of its commits, the oldest first. `None` if the branch does not lead through the
/// commit along first parents, or if that cannot be known: then all of the range must be read.
pub(super) fn revisions_after(
    repository: &Path,
    after: &str,
    branch: &str,
    every: Every,
    directory: &str,
) -> Result<Option<Vec<Revision>>, GitError> {
    check_range(branch)?;
    // A range has a beginning of its own, and a tag may come to a commit of any age.
    if branch.contains("..") || branch.starts_with('^') || every == Every::Tag || !is_digest(after) {
        return Ok(None);
    }
    let excluded = format!("^{after}");
    // Without a directory git reads commits only, and says where it stopped.
    let walk = ["rev-list", "--first-parent", "--boundary", MAX_COUNT, "--end-of-options", &excluded, branch, "--"];
    // A repository that lacks the commit is another one.
    let Ok(walk) = output(repository, &walk) else { return Ok(None) };
    let walk = String::from_utf8_lossy(&walk);
    let leads_through = match walk.lines().find_map(|it| it.strip_prefix('-')) {
        Some(boundary) => boundary == after,
        None => {
            let tip = output(repository, &["rev-list", "--max-count=1", "--end-of-options", branch, "--"])?;
            String::from_utf8_lossy(&tip).trim() == after
        }
    };
    if !leads_through {
        return Ok(None);
    }
    listed(repository, &[&excluded, branch], every, directory).map(Some)
}

/// Refuses a range that git would take for something else.
fn check_range(range: &str) -> Result<(), GitError> {
    if range.starts_with('-') || range.is_empty() || range.bytes().any(|it| it.is_ascii_control() || it == b' ') {
        return Err(GitError::NotPlain {
            text: range.to_owned(),
            what: "a range of commits, such as main or v1.0..main",
        });
    }
    Ok(())
}

/// The revisions that git lists for some words, the oldest first.
fn listed(repository: &Path, words: &[&str], every: Every, directory: &str) -> Result<Vec<Revision>, GitError> {
    let mut arguments = vec!["rev-list", "--timestamp", MAX_COUNT];
    if every != Every::Tag {
        arguments.push("--first-parent");
    }
    arguments.push("--end-of-options");
    arguments.extend(words);
    arguments.push("--");
    // A tag stands for the content, whether the tagged commit changed it or not.
    if every != Every::Tag && !directory.is_empty() {
        arguments.push(directory);
    }
    let text = output(repository, &arguments)?;
    let unexpected = |line: &str| GitError::Unexpected { command: "rev-list".to_owned(), message: format!("`{line}`") };
    let tags = if every == Every::Tag { tags(repository)? } else { HashMap::new() };
    if text.iter().filter(|it| **it == b'\n').count() > MAX_COMMITS {
        let message = format!("more than {MAX_COMMITS} commits; name a shorter range");
        return Err(GitError::Unexpected { command: "rev-list".to_owned(), message });
    }
    let mut found = Vec::new();
    let mut days: BTreeSet<Day> = BTreeSet::new();
    for line in String::from_utf8_lossy(&text).lines() {
        let (time, commit) = line.split_once(' ').filter(|it| is_digest(it.1)).ok_or_else(|| unexpected(line))?;
        let time = time_of(time).ok_or_else(|| unexpected(line))?;
        let (day, commit) = (Day::of_unix(time), commit.to_owned());
        match every {
            // The newest comes first.
            Every::Day if !days.insert(day) => {}
            Every::Day => found.push(Revision { name: day.to_string(), commit, day, time }),
            Every::Commit => found.push(Revision { name: short(&commit).to_owned(), commit, day, time }),
            Every::Tag => {
                let names = tags.get(&commit).into_iter().flatten();
                found.extend(names.map(|it| Revision { name: it.clone(), commit: commit.clone(), day, time }));
            }
        }
    }
    found.reverse();
    Ok(found)
}

/// A time within the years that a day can be written of. git takes larger numbers, and prints them.
fn time_of(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let limit = if digits.len() < text.len() { 0 } else { LAST };
    Some(text.parse().unwrap_or(limit).clamp(0, LAST))
}

/// The tags of commits, each commit's in reverse order of their names.
fn tags(repository: &Path) -> Result<HashMap<String, Vec<String>>, GitError> {
    let format = "--format=%(objectname) %(*objectname) %(refname:strip=2)";
    let text = output(repository, &["for-each-ref", format, "--sort=-refname", "refs/tags"])?;
    let mut tags: HashMap<String, Vec<String>> = HashMap::new();
    for line in String::from_utf8_lossy(&text).lines() {
        let mut parts = line.splitn(3, ' ');
        let (Some(own), Some(peeled), Some(name)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let commit = if peeled.is_empty() { own } else { peeled };
        tags.entry(commit.to_owned()).or_default().push(name.to_owned());
    }
    Ok(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_within_the_years_that_have_days() {
        for (text, day) in [
            ("0", Some("1970-01-01")),
            ("-1", Some("1970-01-01")),
            ("-99999999999999999999999", Some("1970-01-01")),
            ("1772352000", Some("2026-03-01")),
            ("253402300799", Some("9999-12-31")),
            ("253402300800", Some("9999-12-31")),
            ("18446744073709551615", Some("9999-12-31")),
            ("", None),
            ("-", None),
            ("1e3", None),
            ("+1", None),
        ] {
            assert_eq!(time_of(text).map(|it| Day::of_unix(it).to_string()).as_deref(), day, "{text}");
        }
    }
}
