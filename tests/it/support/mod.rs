//! The common parts of the tests of the command line: running the program as a user would, and scratch directories.
//!
//! Each test binary uses a part of it.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

pub mod browser;
pub mod catalog;
pub mod editor;
pub mod examples;
pub mod image;
pub mod legacy;
pub mod older_index;
pub mod recording;
pub mod registry;
pub mod schema;
pub mod server;

use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub use tempfile::TempDir;

/// Whether a command line needs a feature that this build lacks; `cargo test --all-features` runs it.
pub fn lacks_feature(command: &str) -> bool {
    (command.contains(" --instances ") && cfg!(not(feature = "jsonschema")))
        || ((command.contains(" --parquet ") || command.contains("--to parquet")) && cfg!(not(feature = "parquet")))
        || (command.contains("olmdex mcp") && cfg!(not(feature = "mcp")))
}

/// A run of the program in preparation.
#[derive(Debug, Default)]
pub struct Run {
    args: Vec<OsString>,
    stdin: Vec<u8>,
    directory: Option<PathBuf>,
    env: Vec<(OsString, OsString)>,
    /// Shell words that run before the program in the same shell, for example `ulimit -v 1000000`.
    before: Option<String>,
    /// The words behind the program in the shell, for example `| head -1`.
    behind: Option<String>,
}

/// The result of a run.
#[derive(Debug)]
pub struct Answer {
    /// The exit code; `None` if a signal ended the program.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Answer {
    /// Standard output as text.
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error as text.
    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Both, for messages of assertions; long ones are cut.
    pub fn both(&self) -> String {
        let cut = |text: String| text.chars().take(4000).collect::<String>();
        format!("exit {:?}\n--- stdout\n{}\n--- stderr\n{}", self.code, cut(self.out()), cut(self.err()))
    }

    /// Demands an exit code.
    #[track_caller]
    pub fn expect_code(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{}", self.both());
        self
    }

    /// Demands that standard output and error together hold a text.
    #[track_caller]
    pub fn expect_words(&self, words: &str) -> &Self {
        assert!(self.out().contains(words) || self.err().contains(words), "no `{words}` in\n{}", self.both());
        self
    }
}

/// A run of the program with these arguments.
pub fn olmdex<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(args: I) -> Run {
    Run { args: args.into_iter().map(|it| it.as_ref().to_owned()).collect(), ..Run::default() }
}

impl Run {
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    pub fn args<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(mut self, args: I) -> Self {
        self.args.extend(args.into_iter().map(|it| it.as_ref().to_owned()));
        self
    }

    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    pub fn in_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Runs shell words first, in the same shell: limits.
    pub fn after(mut self, shell: &str) -> Self {
        self.before = Some(shell.to_owned());
        self
    }

    /// Makes the system end it after so many seconds of processor time, which do not depend on the load of the machine.
    /// Allow ten times the need of an unoptimised program.
    pub fn within(self, seconds: u32) -> Self {
        self.after(&format!("ulimit -t {seconds}"))
    }

    /// Puts shell words behind the program: pipes and redirections. The exit code stays the program's.
    pub fn piped(mut self, shell: &str) -> Self {
        self.behind = Some(shell.to_owned());
        self
    }

    /// Runs it.
    pub fn answer(self) -> Answer {
        let program = env!("CARGO_BIN_EXE_olmdex");
        let mut command = if self.before.is_some() || self.behind.is_some() {
            let before = self.before.map(|it| format!("{it} && ")).unwrap_or_default();
            let behind = self.behind.unwrap_or_default();
            let mut shell = Command::new("bash");
            shell.arg("-c").arg(format!("{before}\"$0\" \"$@\" {behind}; exit ${{PIPESTATUS[0]}}")).arg(program);
            shell
        } else {
            Command::new(program)
        };
        without_own(&mut command).args(&self.args);
        command.envs(self.env).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = self.directory {
            command.current_dir(directory);
        }
        finish(command, self.stdin)
    }
}

/// The program, without any settings of the user: no index, no cache, no wish about colours.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_olmdex"));
    without_own(&mut command);
    command
}

/// Removes from a command's environment the user's settings for the program, and everything that would lead to a cache.
pub fn without_own(command: &mut Command) -> &mut Command {
    for name in ["OLMDEX_INDEX", "NO_COLOR", "XDG_CACHE_HOME", "HOME"] {
        command.env_remove(name);
    }
    command
}

/// Starts a command. A copy of the program cannot be started while another thread, which forks at that moment, has it
/// open for writing.
fn spawned(command: &mut Command) -> std::process::Child {
    for _ in 0..500 {
        match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            started => return started.unwrap(),
        }
    }
    command.spawn().unwrap()
}

/// Runs a prepared command with this text as its standard input.
pub fn finish(mut command: Command, stdin: Vec<u8>) -> Answer {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawned(&mut command);
    let mut input = child.stdin.take().unwrap();
    let mut errors = child.stderr.take().unwrap();
    std::thread::scope(|scope| {
        // A program that does not read its whole input closes it first, which is allowed.
        scope.spawn(move || input.write_all(&stdin));
        let stderr = scope.spawn(move || {
            let mut text = Vec::new();
            errors.read_to_end(&mut text).unwrap();
            text
        });
        let output = child.wait_with_output().unwrap();
        Answer { code: output.status.code(), stdout: output.stdout, stderr: stderr.join().unwrap() }
    })
}

/// A scratch directory, removed with the value.
pub fn scratch() -> TempDir {
    tempfile::Builder::new().prefix("olmdex-test-").tempdir().unwrap()
}

/// Data outside of the repository, such as `catalogs/community-v4.20`: beside it, or where `OLMDEX_SHARED` says.
pub fn shared(name: &str) -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    std::env::var_os("OLMDEX_SHARED").map_or_else(beside, PathBuf::from).join(name)
}

/// Writes a file below a directory and makes the directories above it.
pub fn write(root: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

/// Whether the program runs with all rights, so that modes of files do not restrict it.
pub fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout.trim_ascii() == b"0"
}

/// Runs the program as a user without rights.
pub fn as_nobody(args: &[&OsStr]) -> Answer {
    use std::os::unix::process::CommandExt as _;
    let program = env!("CARGO_BIN_EXE_olmdex");
    if !is_root() {
        let mut command = Command::new(program);
        command.args(args);
        return finish(command, Vec::new());
    }
    // The program must be reachable for the user nobody too: a home directory may keep strangers out.
    let public = scratch();
    open_to_all(public.path());
    let copy = public.path().join("olmdex");
    std::fs::copy(program, &copy).unwrap();
    let mut command = Command::new(&copy);
    // Without root's groups too: the standard library drops them with the user.
    command.uid(65_534).gid(65_534).args(args).current_dir("/");
    finish(command, Vec::new())
}

/// Lets everybody enter a directory.
pub fn open_to_all(directory: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Takes all rights to a file or directory away.
pub fn close_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
}

/// The leftover of a killed process: a workspace that nobody has locked.
#[allow(dead_code, reason = "not every program of tests has killed processes")]
pub fn left_workspace(path: &Path) {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
    std::fs::DirBuilder::new().mode(0o700).create(path).unwrap();
    let lock = path.join(".indexignore");
    std::fs::write(&lock, "").unwrap();
    let inode = |path: &Path| std::fs::metadata(path).unwrap().ino();
    std::fs::write(&lock, format!("*\n# olmdex: unfinished output, {} {}\n", inode(path), inode(&lock))).unwrap();
}
