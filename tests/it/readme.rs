//! The README's tour is true: each command in it is run, in order, and prints what stands there.
//!
//! `OLMDEX_BLESS=1 cargo test --test it readme` writes the output anew.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;
use std::process::Command;

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

/// Runs a command in a shell that finds our program.
fn run(command: &str, directory: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(directory)
        .env("PATH", path)
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
    let mut blessed = String::new();
    let mut n_commands = 0;
    for part in parts(&text) {
        match part {
            Part::Line(line) => blessed.push_str(&format!("{line}\n")),
            Part::Command { line, output } => {
                let found = run(line.trim_start_matches("$ "), scratch.path());
                // Long output is shown up to a line of dots.
                let is_cut = output.ends_with("…\n");
                let shown = if is_cut && std::env::var_os("OLMDEX_BLESS").is_none() {
                    let n_lines = output.lines().count() - 1;
                    let head: Vec<&str> = found.lines().take(n_lines).collect();
                    format!("{}\n…\n", head.join("\n"))
                } else if found.lines().count() > 28 {
                    format!("{}\n…\n", found.lines().take(24).collect::<Vec<_>>().join("\n"))
                } else {
                    found
                };
                if std::env::var_os("OLMDEX_BLESS").is_none() {
                    assert_eq!(output, shown, "{line}");
                }
                blessed.push_str(&format!("{line}\n{shown}"));
                n_commands += 1;
            }
        }
    }
    assert!(n_commands > 5, "the README has lost its tour");
    if std::env::var_os("OLMDEX_BLESS").is_some() {
        std::fs::write(path, blessed).unwrap();
    }
}
