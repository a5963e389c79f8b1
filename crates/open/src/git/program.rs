//! Running `git` so that no code of a repository runs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::GitError;
use super::minimum::{GitVersion, NEEDED};
use olmdex_base::diag::printable;

/// The settings for every run, whatever the repository configures.
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

/// Variables that would replace the named repository by another one, or run something.
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

/// The number of bytes of git's own words that are kept.
const MAX_WORDS: usize = 2000;

/// The number of characters that are shown of a text that should be a version.
const MAX_SHOWN: usize = 80;

/// Refuses a version of git that runs commands of repositories. It is asked once, before anything is read of the first
/// repository.
pub(super) fn check_version() -> Result<(), GitError> {
    static CHECKED: OnceLock<()> = OnceLock::new();
    if CHECKED.get().is_some() {
        return Ok(());
    }
    let output = bare().arg("version").output().map_err(GitError::NotRunnable)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = GitVersion::parse(&text).filter(|_| output.status.success());
    let can_be_told = || {
        let output = bare().args(["--no-lazy-fetch", "version"]).output();
        output.is_ok_and(|it| it.status.success())
    };
    if version.is_some_and(|it| it.is_enough() || (it.may_be_repaired() && can_be_told())) {
        CHECKED.get_or_init(|| ());
        return Ok(());
    }
    let found = match version {
        Some(version) => version.to_string(),
        None => {
            let words: String = text.lines().next().unwrap_or_default().chars().take(MAX_SHOWN).collect();
            format!("of the version `{}`", printable(&words))
        }
    };
    Err(GitError::TooOld { found, needed: NEEDED })
}

/// A run of git on a repository.
pub(super) fn git(repository: &Path) -> Command {
    let mut command = bare();
    command.arg("-C").arg(repository);
    command
}

/// A run of git in which no code of a repository runs.
fn bare() -> Command {
    let mut command = Command::new("git");
    UNSET.iter().for_each(|it| {
        command.env_remove(it);
    });
    // Missing objects stay missing: fetching them would run a command of the configuration.
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_OPTIONAL_LOCKS", "0");
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    // The configuration of a repository may allow a protocol, and `protocol.allow` yields to that; this variable does
    // not. A git that does not know GIT_NO_LAZY_FETCH fetches anyway, and finds no protocol that it may use. Such a git
    // is also refused ([`check_version`]), unless a wrapper hides its version.
    command.env("GIT_ALLOW_PROTOCOL", "none");
    command.args(["--no-pager", "--literal-pathspecs"]);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The output of a run.
pub(super) fn output(repository: &Path, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let output = git(repository).args(arguments).output().map_err(GitError::NotRunnable)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(failed(repository, arguments, &output.stderr))
}

/// The error of a run that failed.
fn failed(repository: &Path, arguments: &[&str], stderr: &[u8]) -> GitError {
    let words = &stderr[..stderr.len().min(MAX_WORDS)];
    let words = String::from_utf8_lossy(words);
    let message = printable(words.trim().trim_start_matches("fatal: ")).into_owned();
    let command = arguments.first().copied().unwrap_or_default().to_owned();
    GitError::Failed { repository: repository.to_owned(), command, message }
}
