//! The README's tour is true: each command in it is run, in order, and prints what stands there.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;
use std::process::Command;

use crate::support::recording::expect_recorded;

/// A line of the README, or a command with the output that stands below it.
enum Part<'a> {
    Line(&'a str),
    Command { line: &'a str, output: String },
}

/// Takes the blocks of `console` apart. Blocks with other commands than ours are not touched.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        parts.push(Part::Line(line));
        if line != "```console" || !lines.peek().is_some_and(|it| it.starts_with("$ olmdex ")) {
            continue;
        }
        while let Some(command) = lines.next_if(|it| it.starts_with("$ ")) {
            let mut output = String::new();
            while let Some(line) = lines.next_if(|it| !it.starts_with("$ ") && *it != "```") {
                output.push_str(line);
                output.push('\n');
            }
            parts.push(Part::Command { line: command, output });
        }
    }
    parts
}

/// Output of more lines than this is cut, if nobody has cut it, and this is what stays of it.
const N_WHOLE: usize = 28;
const N_CUT: usize = 24;

/// Runs a command in a shell that finds our program.
fn run(command: &str, directory: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(directory)
        .env("PATH", path)
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .env_remove("OLMDEX_INDEX")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_tour_prints_what_stands_in_the_readme() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = package.join("README.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(package.join("fixtures"), scratch.path().join("fixtures")).unwrap();
    let mut found = String::new();
    let mut n_commands = 0;
    for part in parts(&text) {
        match part {
            Part::Line(line) => found.push_str(&format!("{line}\n")),
            Part::Command { line, output } => {
                let printed = run(line.trim_start_matches("$ "), scratch.path());
                let n_lines = printed.lines().count();
                // Long output is shown up to a line of dots, which stays where somebody has put it.
                let n_shown = match n_lines {
                    _ if output.ends_with("…\n") => output.lines().count() - 1,
                    ..=N_WHOLE => n_lines,
                    _ => N_CUT,
                };
                let shown: String = printed.split_inclusive('\n').take(n_shown).collect();
                let dots = if n_shown < n_lines { "…\n" } else { "" };
                found.push_str(&format!("{line}\n{shown}{dots}"));
                n_commands += 1;
            }
        }
    }
    assert!(n_commands > 5, "the README has lost its tour");
    expect_recorded("readme", &[(path, found)]);
}
