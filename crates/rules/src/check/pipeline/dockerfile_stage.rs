//! The stages of a Dockerfile, and what changes files in them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The instructions that make one image.
#[derive(Debug, Clone, Default)]
pub(super) struct Stage {
    pub(super) line: u32,
    pub(super) base: String,
    /// Whether an argument is a part of it, for which a build can give another value.
    pub(super) is_by_argument: bool,
    pub(super) name: Option<String>,
    pub(super) steps: Vec<Step>,
    /// Key, value, and line.
    pub(super) labels: Vec<(String, String, u32)>,
    /// The values and the directory that a stage on top of it begins with.
    pub(super) values: Arc<Values>,
    pub(super) directory: Arc<str>,
}

/// The values of arguments and of the environment.
#[derive(Debug, Clone, Default)]
pub(super) struct Values {
    pub(super) known: BTreeMap<String, String>,
    /// The names that are of the environment: arguments do not replace them.
    pub(super) environment: BTreeSet<String>,
    /// Arguments that only the build gives a value to.
    pub(super) unset: BTreeSet<String>,
}

/// An instruction that may change files.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Copy(Copied),
    /// A command, and the directory that it runs in.
    Run {
        line: u32,
        directory: Arc<str>,
        text: String,
    },
    /// An instruction that stages on top of it begin with.
    OnBuild {
        line: u32,
    },
}

/// A `COPY` or `ADD`.
#[derive(Debug, Clone)]
pub(super) struct Copied {
    pub(super) line: u32,
    /// The sources and the target as a build reads them.
    pub(super) words: Vec<String>,
    /// Whether archives among the sources are unpacked.
    pub(super) is_add: bool,
    /// The image that the sources are in, if it is another one.
    pub(super) from: Option<String>,
    /// The reason why a build's sources are not known.
    pub(super) unknown: Option<String>,
    /// The sources and the target as `fbc-inject-lifecycle` reads them.
    pub(super) sources: Vec<String>,
    pub(super) target: String,
}

impl Copied {
    /// The sources of a build.
    pub(super) fn built_sources(&self) -> &[String] {
        self.words.split_last().map(|it| it.1).unwrap_or_default()
    }

    /// The place of a build.
    pub(super) fn place(&self) -> String {
        clean(self.words.last().map_or("", String::as_str))
    }
}

/// The last of some stages with a name.
pub(super) fn named_stage(stages: &[Stage], name: &str) -> Option<usize> {
    stages.iter().rposition(|it| it.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name)))
}

/// A path of an image or a context without the slashes around it, `.` and `..`.
pub(super) fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// A path below a directory; either may be empty.
pub(super) fn join(directory: &str, name: &str) -> String {
    match (directory, name) {
        ("", name) => name.to_owned(),
        (directory, "") => directory.to_owned(),
        (directory, name) => format!("{directory}/{name}"),
    }
}

/// The rest of a path below a directory; empty if it is the directory.
pub(super) fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    if directory.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(directory)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Whether one path is the other, or below it.
pub(super) fn are_related(one: &str, other: &str) -> bool {
    below(one, other).is_some() || below(other, one).is_some()
}
