//! `fbc/10-serve`: the catalogs that `opm serve` refuses to serve, with its words.
//!
//! The answers of the servers are in `grpc`. The use of a cache is not compared: ours is another one.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use crate::command::with_links;
use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const FOLDER: Folder = Folder { name: "fbc/10-serve", run };

/// A start that was recorded: the command line, the message that ended it, and the exit code.
struct Start {
    command: String,
    fatal: Option<String>,
    exit_code: i32,
}

fn run(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, path) in entries(&root.join("fbc/10-serve"), "", "") {
        let Ok(text) = fs::read_to_string(path.join("observed.txt")) else { continue };
        for (number, start) in starts(&text).into_iter().enumerate() {
            // The other servers run until somebody ends them.
            if start.command.contains("--cache-only") || start.fatal.is_some() && !start.command.contains("--cache-dir")
            {
                let id = format!("fbc/10-serve/{name} {number} {}", start.command);
                cases.push(Case::run(id, || compared(&path, &start)));
            }
        }
    }
    cases
}

/// Lines of `$ command`, then the log, then `rc=0`.
fn starts(text: &str) -> Vec<Start> {
    let mut found: Vec<Start> = Vec::new();
    let mut open: Option<(String, Option<String>)> = None;
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            open = Some((command.to_owned(), None));
        } else if let Some((_, fatal)) = &mut open
            && let Some(message) = message_of(line)
        {
            *fatal = Some(message);
        } else if let Some(code) = line.strip_prefix("rc=")
            && let Some((command, fatal)) = open.take()
        {
            found.push(Start { command, fatal, exit_code: code.parse().expect("an exit code") });
        }
    }
    found
}

/// The message of a line with the reason why the server ends.
fn message_of(line: &str) -> Option<String> {
    let quoted = line.split_once("level=fatal msg=")?.1;
    serde_json::from_str(quoted).ok()
}

fn compared(case: &Path, start: &Start) -> Outcome {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let copy = with_links(case, scratch.path()).expect("a copy");
    let words: Vec<&str> = start.command.split_whitespace().skip(1).collect();
    let fatal = start.fatal.clone().unwrap_or_default();
    // Empty directories were not stored.
    if let Some(directory) = words.get(1).filter(|_| !fatal.contains("no such file")) {
        fs::create_dir_all(copy.join(directory)).expect("a directory");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_olmdex"))
        .arg0("opm")
        .args(&words)
        .current_dir(&copy)
        .output()
        .expect("the program starts");
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let found = log.lines().find_map(message_of).unwrap_or_default();
    Outcome::of_equal(&(output.status.code().unwrap_or(-1), found), &(start.exit_code, fatal))
}
