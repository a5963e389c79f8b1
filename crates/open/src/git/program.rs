//! Running `git` so that nothing of a repository runs.

use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::GitError;
use super::minimum::{GitVersion, NEEDED};
use olmdex_base::diag::printable;

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

/// How many characters of what should be a version are shown.
const MAX_SHOWN: usize = 80;

/// How many bytes a record may have: a mode, a digest, and a path that is far longer than any checkout could have.
const MAX_RECORD: u64 = 64 << 10;

/// Refuses a version of git that runs commands of repositories. It is asked once, before anything is read of the first repository.
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

/// A run of git in which nothing of a repository runs.
fn bare() -> Command {
    let mut command = Command::new("git");
    UNSET.iter().for_each(|it| {
        command.env_remove(it);
    });
    // Objects that are not there stay away: fetching them would run what the configuration names.
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_OPTIONAL_LOCKS", "0");
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    // The configuration of a repository may allow a protocol, and `protocol.allow` gives in to that; this variable does not. A git that
    // knows nothing of GIT_NO_LAZY_FETCH fetches all the same, and finds nothing that it may use. Such a git is refused besides
    // ([`check_version`]), unless a wrapper hides it.
    command.env("GIT_ALLOW_PROTOCOL", "none");
    command.arg("--no-pager");
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What a run prints.
pub(super) fn output(repository: &Path, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let output = git(repository).args(arguments).output().map_err(GitError::NotRunnable)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(failed(repository, arguments, &output.stderr))
}

/// Hands over what a run prints, of which each record ends with a zero byte, as it comes. An error of the sink ends the run.
pub(super) fn each_record(
    repository: &Path,
    arguments: &[&str],
    mut sink: impl FnMut(&[u8]) -> Result<(), GitError>,
) -> Result<(), GitError> {
    let mut child = git(repository).args(arguments).spawn().map_err(GitError::NotRunnable)?;
    let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(GitError::NotRunnable(io::ErrorKind::BrokenPipe.into()));
    };
    // Read beside the output, so that git never waits for its own words to be read.
    let words = std::thread::spawn(move || {
        let mut words = Vec::new();
        let _ = err.take(MAX_WORDS as u64).read_to_end(&mut words);
        words
    });
    let mut out = BufReader::new(out);
    let mut record = Vec::new();
    let read = loop {
        record.clear();
        match out.by_ref().take(MAX_RECORD).read_until(0, &mut record) {
            Ok(0) => break Ok(()),
            Ok(_) if record.pop() == Some(0) => {
                if let Err(error) = sink(&record) {
                    break Err(error);
                }
            }
            Ok(_) => {
                let message = "a record without an end".to_owned();
                break Err(GitError::Unexpected { command: "ls-tree", message });
            }
            Err(error) => break Err(GitError::Unexpected { command: "ls-tree", message: error.to_string() }),
        }
    };
    if read.is_err() {
        let _ = child.kill();
    }
    let status = child.wait().map_err(GitError::NotRunnable)?;
    let words = words.join().unwrap_or_default();
    read?;
    if status.success() { Ok(()) } else { Err(failed(repository, arguments, &words)) }
}

/// The error of a run that failed.
fn failed(repository: &Path, arguments: &[&str], stderr: &[u8]) -> GitError {
    let words = &stderr[..stderr.len().min(MAX_WORDS)];
    let words = String::from_utf8_lossy(words);
    let message = printable(words.trim().trim_start_matches("fatal: ")).into_owned();
    let command = arguments.first().copied().unwrap_or_default().to_owned();
    GitError::Failed { repository: repository.to_owned(), command, message }
}
