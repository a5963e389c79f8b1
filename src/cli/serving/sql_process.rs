//! Statements of assistants, each in a process of its own: SQLite cannot interrupt one function of two large values.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::fbc::Stamp;
use crate::file::Scratch;
use crate::index::query::SqlLimits;
use crate::index::{Index, IndexError};
use crate::json::unindent;
use crate::mcp::{SqlProcess, SqlRows};

/// The exit code of a statement that reached a limit.
const LIMIT: i32 = 5;

/// The name of the copy of an index in memory.
const COPY: &str = "index.db";

/// Bytes that JSON adds to an answer, for the names of its columns and the blanks before them.
const NAMES: u64 = 64 << 20;

/// Runs `olmdex sql`.
#[derive(Debug)]
pub(super) struct OwnSql {
    scratch: PathBuf,
    /// The copy of an index in memory.
    copy: Mutex<Option<(Scratch, PathBuf)>>,
    /// The index that the other questions are about.
    stamp: Option<Stamp>,
}

/// The answer of the command.
#[derive(Deserialize)]
struct Envelope {
    items: Vec<Box<RawValue>>,
}

/// A line of its log.
#[derive(Deserialize)]
struct Line {
    level: String,
    message: String,
    help: Option<String>,
}

impl OwnSql {
    pub(super) fn new(scratch: &Path, index: &Index) -> Self {
        let stamp = if index.is_in_memory() { None } else { stamp_of(index.path()) };
        Self { scratch: scratch.to_owned(), copy: Mutex::default(), stamp }
    }
}

impl SqlProcess for OwnSql {
    fn file(&self, index: &Index) -> Result<PathBuf, IndexError> {
        if !index.is_in_memory() {
            return Ok(index.path().to_owned());
        }
        let mut copy = self.copy.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, path)) = &*copy {
            return Ok(path.clone());
        }
        let scratch = Scratch::make(&self.scratch)?;
        let path = scratch.path().join(COPY);
        scratch.create(COPY).map_err(|source| IndexError::Read { path: path.clone(), source })?;
        index.copy_to(&path)?;
        *copy = Some((scratch, path.clone()));
        Ok(path)
    }

    fn run(&self, file: &Path, statement: &str, limits: SqlLimits) -> Result<SqlRows, (String, Option<String>)> {
        let failed = |error: std::io::Error| {
            (format!("cannot run the statement: {error}"), Some("ask for fewer rows or columns".to_owned()))
        };
        if self.stamp.is_some() && stamp_of(file) != self.stamp {
            let message = format!("`{}` was replaced after it was opened", file.display());
            return Err((message, Some("start the server again".to_owned())));
        }
        let mut child = spawn(file, limits).map_err(failed)?;
        // A byte may take six in JSON.
        let max_answer = NAMES + 6 * limits.max_bytes as u64;
        let answer = answer(&mut child, statement, max_answer);
        // It ends by itself soon after its time, unless nobody reads what it prints.
        if answer.is_err() {
            let _ = child.kill();
        }
        let status = child.wait().map_err(failed)?;
        let (out, log) = answer.map_err(failed)?;
        let is_limit = status.code() == Some(LIMIT);
        // Items are compact, and their keys stay in the order of the statement.
        if let Ok(Envelope { items }) = serde_json::from_slice(&unindent(&out))
            && (status.success() || is_limit)
        {
            let items = items.into_iter().map(|item| item.get().to_owned()).collect();
            return Ok(SqlRows { items, is_cut: is_limit });
        }
        let mut lines = log.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Line>(line).ok());
        let error = lines.rfind(|line| line.level == "error");
        let (message, help) =
            error.map_or((format!("the statement ended with {status}"), None), |it| (it.message, it.help));
        // The help of the command names its options.
        Err((message, if is_limit { Some("ask for less, or raise `timeout`".to_owned()) } else { help }))
    }
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    std::fs::metadata(path).ok().map(|metadata| Stamp::of_content(&metadata))
}

fn spawn(file: &Path, limits: SqlLimits) -> std::io::Result<Child> {
    // The program itself, also after its file was replaced.
    let own = Path::new("/proc/self/exe");
    let program = if own.exists() { own.to_owned() } else { std::env::current_exe()? };
    Command::new(program)
        .args(["sql", "-", "-o", "json", "--log-format", "json", "--threads", "1"])
        .arg(format!("--max-rows={}", limits.max_rows))
        .arg(format!("--max-bytes={}", limits.max_bytes))
        .arg(format!("--timeout={}", limits.max_time.as_secs()))
        .env("OLMDEX_INDEX", file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// The output of a process and its log.
fn answer(child: &mut Child, statement: &str, max: u64) -> std::io::Result<(Vec<u8>, Vec<u8>)> {
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(statement.as_bytes())?;
    }
    let (mut out, mut log) = (Vec::new(), Vec::new());
    if let Some(stdout) = child.stdout.take() {
        stdout.take(max).read_to_end(&mut out)?;
    }
    if out.len() as u64 == max {
        return Err(std::io::Error::other("the answer is too large"));
    }
    if let Some(stderr) = child.stderr.take() {
        stderr.take(max).read_to_end(&mut log)?;
    }
    Ok((out, log))
}
