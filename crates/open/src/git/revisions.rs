//! Which commits stand for the past: the last of each day, those with tags, or all.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::GitError;
use super::program::output;
use olmdex_text::calendar::Day;

/// Which commits are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Every {
    /// The last of each day (UTC), along first parents.
    #[default]
    Day,
    /// Those with a tag.
    Tag,
    /// All, along first parents.
    Commit,
}

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

/// How much of a digest is its short name.
const SHORT: usize = 12;

fn is_digest(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|it| it.is_ascii_hexdigit())
}

/// The revisions of a range, the oldest first.
pub(super) fn revisions(repository: &Path, range: &str, every: Every) -> Result<Vec<Revision>, GitError> {
    if range.starts_with('-') || range.is_empty() || range.bytes().any(|it| it.is_ascii_control() || it == b' ') {
        return Err(GitError::NotPlain { text: range.to_owned(), what: "a range of commits, as main or v1.0..main" });
    }
    let mut arguments = vec!["rev-list", "--timestamp"];
    if every != Every::Tag {
        arguments.push("--first-parent");
    }
    arguments.extend(["--end-of-options", range, "--"]);
    let text = output(repository, &arguments)?;
    let unexpected = |line: &str| GitError::Unexpected { command: "rev-list", message: format!("`{line}`") };
    let tags = if every == Every::Tag { tags(repository)? } else { HashMap::new() };
    let mut found = Vec::new();
    let mut days: BTreeSet<Day> = BTreeSet::new();
    for line in String::from_utf8_lossy(&text).lines() {
        let (time, commit) = line.split_once(' ').filter(|it| is_digest(it.1)).ok_or_else(|| unexpected(line))?;
        let time: i64 = time.parse().map_err(|_| unexpected(line))?;
        let (day, commit) = (Day::of_unix(time), commit.to_owned());
        match every {
            // The newest comes first.
            Every::Day if !days.insert(day) => {}
            Every::Day => found.push(Revision { name: day.to_string(), commit, day, time }),
            Every::Commit => found.push(Revision { name: commit[..SHORT].to_owned(), commit, day, time }),
            Every::Tag => {
                let names = tags.get(&commit).into_iter().flatten();
                found.extend(names.map(|it| Revision { name: it.clone(), commit: commit.clone(), day, time }));
            }
        }
    }
    found.reverse();
    Ok(found)
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
