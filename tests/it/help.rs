//! The help texts: each command is described, each has three examples, and each example runs.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;
use std::process::Command;

use crate::support::{lacks_feature, olmdex, scratch, without_own};

/// The commands that the help lists, with those below `legacy`.
fn commands() -> Vec<String> {
    let listed = |of: &[&str]| -> Vec<String> {
        let text = olmdex(["help"]).args(of).answer().expect_code(0).out();
        let names = text.lines().filter_map(|it| it.strip_prefix("  ")).filter(|it| !it.starts_with([' ', '-']));
        names.filter_map(|it| it.split_once("  ").map(|it| it.0.to_owned())).filter(|it| !it.contains(' ')).collect()
    };
    let below = listed(&["legacy"]).into_iter().map(|it| format!("legacy {it}"));
    let mut all: Vec<String> = listed(&[]).into_iter().chain(below).filter(|it| !it.ends_with("help")).collect();
    all.sort();
    all.dedup();
    all
}

/// The lines below `Examples:` in the help of a command.
fn examples(command: &str) -> Vec<String> {
    let mut words: Vec<&str> = command.split(' ').collect();
    words.push("--help");
    let text = olmdex(words).answer().expect_code(0).out();
    let lines = text.lines().skip_while(|it| *it != "Examples:").skip(1);
    lines.take_while(|it| it.starts_with("  ")).map(|it| it.trim().to_owned()).collect()
}

/// A directory with all that the examples name.
fn workspace() -> tempfile::TempDir {
    let directory = scratch();
    let help = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/help");
    let copied = Command::new("cp").arg("-r").arg(help.join(".")).arg(directory.path()).status().unwrap();
    assert!(copied.success());
    for line in [
        "build community=my-catalog -o index.db",
        "build v4.19=old-catalog v4.20=my-catalog -o versions.db",
        "export --legacy my-catalog -o legacy.db -q",
    ] {
        let output = run(&format!("olmdex {line}"), directory.path());
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    directory
}

fn run(line: &str, directory: &Path) -> std::process::Output {
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    without_own(&mut Command::new("sh"))
        .args(["-c", line])
        .current_dir(directory)
        .env("PATH", path)
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .output()
        .unwrap()
}

#[test]
fn each_command_has_three_examples_that_run() {
    let made = workspace();
    let mut failures = Vec::new();
    let mut n_run = 0;
    for command in commands() {
        let lines = examples(&command);
        let ours: Vec<&String> = lines.iter().filter(|it| it.starts_with(&format!("olmdex {command}"))).collect();
        // A line that is wrapped cannot be copied.
        failures.extend(lines.iter().filter(|it| !it.starts_with("olmdex ")).map(|it| format!("wrapped: {it}")));
        if ours.len() < 3 {
            failures.push(format!("`{command}` has {} examples", ours.len()));
        }
        for line in ours.into_iter().filter(|it| !lacks_feature(it)) {
            // An example may change what another one reads.
            let directory = scratch();
            let copied =
                Command::new("cp").arg("-r").arg(made.path().join(".")).arg(directory.path()).status().unwrap();
            assert!(copied.success());
            // No test needs a network: an example that does gets as far as it can.
            let is_far = line.contains("docker://");
            let output = run(
                &match command.as_str() {
                    // A server does not end by itself.
                    "serve" => format!("{line} --cache-only"),
                    _ if is_far => format!("{line} --offline"),
                    _ => line.clone(),
                },
                directory.path(),
            );
            n_run += 1;
            let message = String::from_utf8_lossy(&output.stderr);
            let is_stopped = is_far && message.contains("`--offline` keeps olmdex from");
            // A question may have the answer no.
            if !matches!(output.status.code(), Some(0 | 1)) && !is_stopped {
                failures.push(format!("{line}\n{:?} {message}", output.status.code()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(n_run > 90, "only {n_run} examples were found");
}

/// The first steps that the help of the program names.
#[test]
fn the_first_steps_run() {
    let directory = workspace();
    // They make it themselves.
    std::fs::remove_file(directory.path().join("index.db")).unwrap();
    let text = olmdex(["--help"]).answer().expect_code(0).out();
    let steps: Vec<&str> = text.lines().filter_map(|it| it.strip_prefix("  olmdex ")).collect();
    assert!(steps.len() >= 4, "{text}");
    for step in steps {
        let command = step.split("  ").next().unwrap();
        let output = run(&format!("olmdex {command}"), directory.path());
        assert!(matches!(output.status.code(), Some(0 | 1)), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
