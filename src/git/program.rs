//! Running `git` so that nothing of a repository runs.
//!
//! What it deliberately does not do: it knows no objects.

use std::path::Path;
use std::process::{Command, Stdio};

use super::GitError;
use crate::diag::printable;

/// What is set for every run, whatever the repository says.
const SETTINGS: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.alternateRefsCommand=",
    "core.sshCommand=false",
    "protocol.allow=never",
    "protocol.ext.allow=never",
    "credential.helper=",
    "diff.external=",
    "core.askPass=false",
    "log.showSignature=false",
];

/// Variables that would put another repository in the place of the one that was named, or run something.
const UNSET: &[&str] = &[
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_EXTERNAL_DIFF",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
];

/// How many bytes of git's own words are kept.
const MAX_WORDS: usize = 2000;

/// A run of git on a repository.
pub(super) fn git(repository: &Path) -> Command {
    let mut command = Command::new("git");
    UNSET.iter().for_each(|it| {
        command.env_remove(it);
    });
    // Objects that are not there stay away: fetching them would run what the configuration names.
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_OPTIONAL_LOCKS", "0");
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    // The configuration of a repository may allow a protocol, and `protocol.allow` gives in to that; this variable does not. A git that
    // knows nothing of GIT_NO_LAZY_FETCH fetches all the same, and finds nothing that it may use.
    command.env("GIT_ALLOW_PROTOCOL", "none");
    command.arg("--no-pager");
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command.arg("-C").arg(repository).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What a run prints.
pub(super) fn output(repository: &Path, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let output = git(repository).args(arguments).output().map_err(GitError::NotRunnable)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let words = &output.stderr[..output.stderr.len().min(MAX_WORDS)];
    let words = String::from_utf8_lossy(words);
    let message = printable(words.trim().trim_start_matches("fatal: ")).into_owned();
    let command = arguments.first().copied().unwrap_or_default().to_owned();
    Err(GitError::Failed { repository: repository.to_owned(), command, message })
}
