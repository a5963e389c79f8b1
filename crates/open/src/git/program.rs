//! Running `git` so that no code of a repository runs.

use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::GitError;
use super::minimum::{GitVersion, NEEDED};
use super::patience::{PATIENCE, Watched};
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
    // This file repeats the parents of commits, and git believes it.
    "core.commitGraph=false",
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
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_CONFIG",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
    "GIT_TRACE_PACKET",
    "GIT_TRACE_PACKFILE",
    "GIT_TRACE_PACK_ACCESS",
    "GIT_TRACE_PERFORMANCE",
    "GIT_TRACE_REFS",
    "GIT_TRACE_SETUP",
    "GIT_TRACE_SHALLOW",
];

/// The number of bytes of git's own words that are kept.
const MAX_WORDS: u64 = 2000;

/// The number of characters that are shown of a text that should be a version.
const MAX_SHOWN: usize = 80;

/// Refuses a version of git that runs commands of repositories. It is asked once, before anything is read of the first
/// repository.
pub(super) fn check_version() -> Result<(), GitError> {
    static CHECKED: OnceLock<()> = OnceLock::new();
    if CHECKED.get().is_some() {
        return Ok(());
    }
    let Said { is_good, out, .. } = said(bare().current_dir("/").arg("version"), "version")?;
    let text = String::from_utf8_lossy(&out);
    let version = GitVersion::parse(&text).filter(|_| is_good);
    let can_be_told =
        || said(bare().current_dir("/").args(["--no-lazy-fetch", "version"]), "version").is_ok_and(|it| it.is_good);
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
    // A file of the repository that gives commits other parents.
    command.env("GIT_GRAFT_FILE", "/dev/null");
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
    let command = arguments.first().copied().unwrap_or_default();
    let said = said(git(repository).args(arguments), command)?;
    if said.is_good { Ok(said.out) } else { Err(failed(repository, command, &said.complaint)) }
}

/// The values of the settings in a file whose names match a pattern; none of a file that it includes.
pub(super) fn settings_of(file: &Path, pattern: &str) -> Result<Vec<Vec<u8>>, GitError> {
    let mut command = bare();
    // In a repository, git would first read all settings of that.
    command
        .current_dir("/")
        .args(["config", "--no-includes", "-z", "--file"])
        .arg(file)
        .args(["--get-regexp", pattern]);
    let out = said(&mut command, "config")?.out;
    let values = out.split(|it| *it == 0).filter_map(|it| {
        let at = it.iter().position(|it| *it == b'\n')?;
        Some(it[at + 1..].to_vec())
    });
    Ok(values.collect())
}

/// The output of a run, and how it ended.
struct Said {
    is_good: bool,
    out: Vec<u8>,
    /// The beginning of its complaints.
    complaint: Vec<u8>,
}

fn said(command: &mut Command, name: &str) -> Result<Said, GitError> {
    let mut child = command.spawn().map_err(GitError::NotRunnable)?;
    let (from, complaint) = (child.stdout.take(), child.stderr.take());
    let Some(from) = from else { return Err(GitError::NotRunnable(io::ErrorKind::BrokenPipe.into())) };
    // Git cannot go on if nobody reads its complaints.
    let complaint = std::thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut complaint) = complaint {
            let _ = complaint.by_ref().take(MAX_WORDS).read_to_end(&mut kept);
            let _ = io::copy(&mut complaint, &mut io::sink());
        }
        kept
    });
    let mut watched = Watched::new(child, from, PATIENCE);
    let mut out = Vec::new();
    let read = watched.read_to_end(&mut out).and_then(|_| watched.finish());
    let is_good = read.map_err(|error| not_read(name, &error))?;
    Ok(Said { is_good, out, complaint: complaint.join().unwrap_or_default() })
}

/// The error of output that could not be read.
pub(super) fn not_read(command: &str, error: &io::Error) -> GitError {
    match error.kind() {
        io::ErrorKind::TimedOut => GitError::TooSlow { command: command.to_owned(), seconds: PATIENCE.as_secs() },
        _ => GitError::Unexpected { command: command.to_owned(), message: error.to_string() },
    }
}

/// The error of a run that failed.
fn failed(repository: &Path, command: &str, complaint: &[u8]) -> GitError {
    let words = String::from_utf8_lossy(complaint);
    let message = printable(words.trim().trim_start_matches("fatal: ")).into_owned();
    GitError::Failed { repository: repository.to_owned(), command: command.to_owned(), message }
}
