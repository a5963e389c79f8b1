//! The help texts: each command has a description and three examples, and each example runs.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::process::Command;

use crate::support::examples::{examples, run, workspace};
use crate::support::{lacks_feature, olmdex, scratch};

/// The commands that the help lists, and those below them.
fn commands() -> Vec<String> {
    let mut all = Vec::new();
    let mut open = vec![String::new()];
    while let Some(above) = open.pop() {
        let text = page("help", &above);
        let lists =
            |it: &str| !it.starts_with("First steps") && !it.starts_with("Examples") && !it.starts_with("Options");
        let mut is_list = false;
        for line in text.lines() {
            if !line.starts_with(' ') && line.ends_with(':') {
                // Below a command, only one heading is above commands.
                is_list = lists(line) && (above.is_empty() || line == "Commands:");
            }
            let name = line.strip_prefix("  ").and_then(|it| it.split_once("  ")).map(|it| it.0.trim());
            if let Some(name) = name.filter(|it| is_list && !it.is_empty() && !it.contains(' ') && *it != "help") {
                open.push(format!("{above} {name}").trim().to_owned());
            }
        }
        all.push(above);
    }
    all.retain(|it| !it.is_empty());
    all.sort();
    all.dedup();
    all
}

/// A page of help, as on a terminal of 80 columns.
fn page(how: &str, command: &str) -> String {
    let words = command.split(' ').filter(|it| !it.is_empty());
    let words: Vec<&str> =
        if how == "help" { [how].into_iter().chain(words).collect() } else { words.chain([how]).collect() };
    olmdex(words).env("COLUMNS", "80").answer().expect_code(0).out()
}

#[test]
fn each_command_has_three_examples_that_run() {
    let made = workspace();
    let mut failures = Vec::new();
    let mut n_run = 0;
    for command in commands() {
        let lines = examples(&command);
        let ours: Vec<&String> = lines.iter().filter(|it| it.starts_with(&format!("olmdex {command}"))).collect();
        // A wrapped line cannot be copied.
        failures.extend(lines.iter().filter(|it| !it.starts_with("olmdex ")).map(|it| format!("wrapped: {it}")));
        if ours.len() < 3 {
            failures.push(format!("`{command}` has {} examples", ours.len()));
        }
        for line in ours.into_iter().filter(|it| !lacks_feature(it)) {
            // An example may change the input of another one.
            let directory = scratch();
            let copied =
                Command::new("cp").arg("-r").arg(made.path().join(".")).arg(directory.path()).status().unwrap();
            assert!(copied.success());
            // No test needs a network: an example that does goes as far as it can.
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
            let is_stopped = is_far && message.contains("`--offline` forbids");
            // A question may have the answer no.
            if !matches!(output.status.code(), Some(0 | 1)) && !is_stopped {
                failures.push(format!("{line}\n{:?} {message}", output.status.code()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(n_run > 90, "only {n_run} examples were found");
}

/// Lines on a terminal of 80 columns.
fn height(text: &str) -> usize {
    text.lines().map(|it| it.chars().count().div_ceil(80).max(1)).sum()
}

#[test]
fn short_help_fits_a_screen() {
    let commands = commands();
    assert!(commands.len() > 55, "{commands:?}");
    for command in &commands {
        let text = page("-h", command);
        assert!(height(&text) <= 40, "`{command} -h` has {} lines:\n{text}", height(&text));
        assert!(text.contains("\nExamples:\n"), "{command}: {text}");
    }
    let alone = olmdex([""; 0]).env("COLUMNS", "80").answer();
    let alone = alone.expect_code(2).err();
    assert!(height(&alone) <= 45, "{alone}");
    assert_eq!(alone, page("-h", ""));
    let steps = alone.find("First steps:").unwrap();
    let tasks = ["Catalogs", "Upgrades", "Authoring", "Mirroring", "Serving"];
    let places: Vec<usize> = tasks.iter().map(|it| alone.find(&format!("\n  {it} ")).unwrap()).collect();
    assert!(steps < places[0] && places.is_sorted(), "{alone}");
    for command in commands.iter().filter(|it| !it.contains(' ')) {
        assert!(alone.contains(command), "{command} is not listed");
    }
}

#[test]
fn what_every_command_takes_is_in_the_help_of_all() {
    // Issue 53: the commands fit a screen.
    assert!(page("--help", "").lines().count() <= 55, "{}", page("--help", ""));
    let global = ["--trust-config", "--no-pager", "--tls-verify", "--offline"];
    let has = |text: &str| global.map(|it| text.contains(it));
    assert_eq!(has(&page("help", "")), [false; 4]);
    assert_eq!(has(&olmdex(["help", "--all"]).answer().expect_code(0).out()), [true; 4]);
    assert_eq!(has(&olmdex(["help", "--all", "init"]).answer().expect_code(0).out()), [true; 4]);
    for (command, reads_images) in
        [("init", false), ("edit deprecate", false), ("show", true), ("pull", true), ("validate", true)]
    {
        assert_eq!(has(&page("--help", command)), [reads_images; 4], "{command}");
        assert_eq!(page("--help", command), page("help", command));
        assert_eq!(has(&page("-h", command)), [false; 4], "{command}");
    }
    // A word that another tool has is still answered.
    let answer = olmdex(["help", "nonsense"]).answer();
    assert!(answer.expect_code(2).err().contains("unrecognized subcommand"), "{}", answer.both());
}

#[test]
fn the_list_of_commands_is_wrapped() {
    let text = olmdex(["help"]).env("COLUMNS", "40").answer().expect_code(0).out();
    let list = text.split("Catalogs:").nth(1).unwrap().split("Options:").next().unwrap();
    assert!(list.lines().all(|it| it.chars().count() <= 40), "{list}");
}

/// The first steps that the help of the program names.
#[test]
fn the_first_steps_run() {
    let directory = workspace();
    // The steps build the index themselves.
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
