//! The files of a context that a build does not see: `.dockerignore`, `.containerignore`, and those beside a
//! Dockerfile.

use std::path::PathBuf;

use super::dockerfile::Dockerfile;
use super::dockerfile_stage::clean;
use olmdex_base::file::read_regular_of;
use olmdex_fbc::glob_matches;

/// No such file is larger.
const MAX_FILE: u64 = 64 << 10;

/// Patterns, of which the last one that matches decides.
#[derive(Debug, Default)]
pub(super) struct BuildIgnore {
    /// The parts of each, and whether it brings files back.
    patterns: Vec<(Vec<String>, bool)>,
    /// Whether there is one that cannot be read.
    pub(super) is_unread: bool,
}

impl BuildIgnore {
    /// The patterns for a Dockerfile: those of a file beside it with its name, else those of its context.
    pub(super) fn of(dockerfile: &Dockerfile) -> Self {
        let own = |ending: &str| PathBuf::from(format!("{}.{ending}", dockerfile.path.display()));
        let candidates = [
            own("dockerignore"),
            own("containerignore"),
            dockerfile.in_context(".containerignore"),
            dockerfile.in_context(".dockerignore"),
        ];
        match candidates.iter().find(|path| path.symlink_metadata().is_ok()).map(|path| read_regular_of(path, MAX_FILE))
        {
            Some(Ok(text)) => Self::parse(&String::from_utf8_lossy(&text)),
            Some(Err(_)) => Self { is_unread: true, ..Self::default() },
            None => Self::default(),
        }
    }

    fn parse(text: &str) -> Self {
        let lines = text.trim_start_matches('\u{feff}').lines().filter(|line| !line.starts_with('#')).map(str::trim);
        let pattern = |line: &str| {
            let (line, brings_back) = line.strip_prefix('!').map_or((line, false), |line| (line.trim(), true));
            (clean(line).split('/').map(str::to_owned).collect(), brings_back)
        };
        Self { patterns: lines.filter(|line| !line.is_empty()).map(pattern).collect(), is_unread: false }
    }

    /// The number of patterns.
    pub(super) fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether the build does not see a file of the context.
    pub(super) fn hides(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let last = self.patterns.iter().rev().find(|(pattern, _)| matches(pattern, &parts));
        last.is_some_and(|(_, brings_back)| !brings_back)
    }
}

/// Whether a pattern matches a path or a directory above it. `**` is any number of directories.
fn matches(pattern: &[String], path: &[&str]) -> bool {
    // Whether the pattern so far can end before each part.
    let mut ends = vec![false; path.len() + 1];
    ends[0] = true;
    for part in pattern {
        let mut next = vec![false; path.len() + 1];
        for at in 0..=path.len() {
            next[at] = match part.as_str() {
                "**" => ends[at] || (at > 0 && next[at - 1]),
                _ => at > 0 && ends[at - 1] && glob_matches(part.as_bytes(), path[at - 1].as_bytes()),
            };
        }
        ends = next;
    }
    ends.iter().skip(1).any(|ends| *ends)
}

#[cfg(test)]
mod tests {
    use super::BuildIgnore;

    #[test]
    fn the_last_pattern_that_matches_decides() {
        for (text, hidden, seen) in [
            ("*\n!catalog", &["README.md", "a/b"][..], &["catalog", "catalog/a.yaml"][..]),
            ("/docs/\n", &["docs", "docs/a"], &["a/docs"]),
            ("**/*.md\n!README.md", &["a/b.md", "c.md"], &["README.md", "a.yaml"]),
            ("# a\n\ncatalog/**/tmp", &["catalog/tmp", "catalog/a/b/tmp/c"], &["tmp", "catalog/a"]),
            ("*/temp*\n", &["a/temp", "a/temporary.txt"], &["temp", "a/b/temp"]),
            ("", &[], &["a"]),
        ] {
            let ignore = BuildIgnore::parse(text);
            assert!(hidden.iter().all(|path| ignore.hides(path)), "{text}");
            assert!(!seen.iter().any(|path| ignore.hides(path)), "{text}");
        }
    }
}
