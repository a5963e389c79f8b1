//! The output of the commands, in every format: each file `fixtures/asking/COMMAND/CASE.txt` is a command line with its
//! exit code and both of its outputs. A new case needs its first line only; CONTRIBUTING.md says how to record the
//! rest.
//!
//! Each case runs in a directory of its own, with the fixtures and an index of the shop, `shop.db`, which is asked
//! unless the command line names another source.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::support::recording::expect_recorded;
use crate::support::{lacks_feature, olmdex, scratch, without_own};

/// A case as its file begins.
pub(crate) struct Case {
    pub file: PathBuf,
    /// The name of its folder: the tested command.
    pub about: String,
    /// The command line, for a shell.
    pub command: String,
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The entries of a directory, sorted.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = std::fs::read_dir(directory).unwrap().map(|it| it.unwrap().path()).collect();
    found.sort();
    found
}

/// All cases, sorted.
pub(crate) fn cases() -> Vec<Case> {
    let folders = entries(&package().join("fixtures/asking"));
    let of = |folder: &PathBuf| {
        let about = folder.file_name().unwrap().to_str().unwrap().to_owned();
        entries(folder).into_iter().map(move |file| {
            let text = std::fs::read_to_string(&file).unwrap();
            let line = text.lines().next().and_then(|it| it.strip_prefix("$ "));
            let command = line.unwrap_or_else(|| panic!("{}: the first line is no command", file.display()));
            Case { about: about.clone(), command: command.to_owned(), file }
        })
    };
    folders.iter().flat_map(of).collect()
}

/// Runs a command line in a directory, in which this program is `olmdex`.
fn in_shell(command: &str, directory: &Path, index: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    without_own(&mut Command::new("sh"))
        .args(["-c", command])
        .current_dir(directory)
        .env("PATH", &path)
        .env("OLMDEX_INDEX", index)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// A directory with the fixtures, which are links unless a command may write them, and `shop.db`.
fn asked_directory(shop: &Path, is_copy: bool) -> TempDir {
    let directory = scratch();
    let fixtures = directory.path().join("fixtures");
    if is_copy {
        let ours = |it: &PathBuf| !["asking", "recorded"].iter().any(|name| it.ends_with(name));
        let folders = entries(&package().join("fixtures")).into_iter().filter(ours);
        std::fs::create_dir(&fixtures).unwrap();
        assert!(Command::new("cp").arg("-r").args(folders).arg(&fixtures).status().unwrap().success());
    } else {
        std::os::unix::fs::symlink(package().join("fixtures"), fixtures).unwrap();
    }
    if shop.exists() {
        std::fs::copy(shop, directory.path().join("shop.db")).unwrap();
    }
    directory
}

/// A directory with the index of the shop.
fn shop() -> TempDir {
    let directory = asked_directory(Path::new("none"), false);
    let build = "olmdex build shop=fixtures/shop/in -o shop.db --priority shop=5 --label shop:tier=demo";
    assert!(in_shell(build, directory.path(), "shop.db").status.success());
    directory
}

#[test]
fn every_command_prints_what_is_recorded() {
    let shop = shop();
    let found = |case: Case| {
        // A found file of options reads nothing behind a link.
        let directory = asked_directory(&shop.path().join("shop.db"), case.command.contains("olmdex.toml"));
        let output = in_shell(&case.command, directory.path(), "shop.db");
        let text = format!(
            "$ {}\n--- exit code {}\n--- standard output\n{}--- standard error\n{}",
            case.command,
            output.status.code().unwrap_or(-1),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        (case.file, if case.about == "help" { without_optional_commands(&text) } else { text })
    };
    let cases = cases().into_iter().filter(|it| !lacks_feature(&it.command));
    expect_recorded("asking", &cases.map(found).collect::<Vec<_>>());
}

/// Whether a proposed command can be run as it stands: nothing in it stands for something else.
fn is_complete(command: &str) -> bool {
    let stands = |word: &str| word.chars().filter(char::is_ascii_uppercase).count() > 1 && !word.contains(['/', '.']);
    // A server does not end by itself. Edits and locks have tests of their own, which run the proposed ones.
    let is_topic = ["help", "explain", "serve", "edit", "lock"].iter().any(|word| command[7..].starts_with(word));
    !command.contains(['…', '<', '\n'])
        && !is_topic
        && command.split(' ').count() > 2
        && !command.split(' ').any(stands)
}

/// Each command that a message proposes runs where the message was printed, on what it was about (mirrors, "proposed
/// commands"). One that stands only for its name or an option lacks something, and is parsed by another test.
#[test]
fn each_proposed_command_runs() {
    let shop = shop();
    let mut proposed: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases().into_iter().filter(|it| !lacks_feature(&it.command)) {
        let text = std::fs::read_to_string(&case.file).unwrap();
        let printed = text.split_once("--- exit code").map(|it| it.1.to_owned()).unwrap_or_default();
        for command in printed.split('`').skip(1).step_by(2).filter(|it| it.starts_with("olmdex ") && is_complete(it)) {
            let Case { file, about, command: line } = &case;
            let case = Case { file: file.clone(), about: about.clone(), command: line.clone() };
            proposed.entry(command.to_owned()).or_default().push(case);
        }
    }
    let lacks_words = [
        "required arguments were not provided",
        "a value is required",
        "needs a source",
        "`<stdin>` is empty",
        "no catalog given",
    ];
    let (mut failures, mut n_run) = (Vec::new(), 0);
    for (command, cases) in proposed {
        let mut said = String::new();
        let mut is_answered = |index: &str, directory: &Path| {
            let output = in_shell(&command, directory, index);
            said = format!("{:?} {}", output.status.code(), String::from_utf8_lossy(&output.stderr));
            // The commands for templates print another form of a file that opm refuses.
            let is_answered = matches!(output.status.code(), Some(0 | 1)) || !output.stdout.is_empty();
            is_answered || lacks_words.iter().any(|words| said.contains(words))
        };
        let runs = cases.iter().any(|case| {
            let is_copy = command.contains("--fix") || case.command.contains("olmdex.toml");
            let directory = asked_directory(&shop.path().join("shop.db"), is_copy);
            let directory = directory.path();
            let my_catalog = directory.join("fixtures/help/my-catalog");
            std::os::unix::fs::symlink(my_catalog, directory.join("my-catalog")).unwrap();
            let words = case.command.split(' ').map(|word| word.rsplit('=').next().unwrap_or_default());
            let sources = words.filter(|word| !word.is_empty() && directory.join(word).exists());
            let is_answered_before = is_answered("shop.db", directory);
            is_answered_before || {
                in_shell(&case.command, directory, "shop.db");
                ["shop.db"].into_iter().chain(sources).any(|source| is_answered(source, directory))
            }
        });
        n_run += 1;
        if !runs {
            failures.push(format!("{command}\n  of {}: {said}", cases[0].file.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(n_run > 40, "only {n_run} are proposed");
}

/// A list of commands as a build with the default features prints it.
fn without_optional_commands(text: &str) -> String {
    let lines = text.split_inclusive('\n').filter(|it| !it.starts_with("  mcp "));
    lines.map(|it| it.replace(", mcp\n", "\n")).collect()
}

#[test]
fn every_folder_is_a_command_and_its_cases_are_about_it() {
    let cases = cases();
    assert!(cases.len() > 250, "only {} cases are left", cases.len());
    let mut last = String::new();
    for case in cases {
        let mut runs = case.command.split("olmdex ").skip(1);
        // The cases of `help` are about no single command.
        let is_about = case.about == "help" || runs.any(|it| it.split_whitespace().next() == Some(&case.about));
        assert!(is_about, "{} does not run `olmdex {}`", case.file.display(), case.about);
        if last != case.about && case.about != "help" && !lacks_feature(&case.command) {
            olmdex([&case.about, "--help"]).answer().expect_code(0);
            last = case.about;
        }
    }
}

#[test]
fn no_message_has_a_number_of_the_system() {
    let said = |it: &Case| std::fs::read_to_string(&it.file).unwrap().contains("(os error");
    let found: Vec<Case> = cases().into_iter().filter(said).collect();
    let shown: Vec<String> = found.iter().map(|it| it.file.display().to_string()).collect();
    assert!(shown.is_empty(), "`file::system_words` says it for people:\n{}", shown.join("\n"));
}

/// The content of a longer line belongs into a file below `fixtures/`.
const MAX_LEN: usize = 240;

#[test]
fn command_lines_can_be_read() {
    let long: Vec<String> = cases()
        .iter()
        .filter(|it| it.command.chars().count() > MAX_LEN)
        .map(|it| format!("{}: {} characters", it.file.display(), it.command.chars().count()))
        .collect();
    assert!(long.is_empty(), "more than {MAX_LEN} characters; let files say it:\n{}", long.join("\n"));
}

/// The folders of `fixtures/` that `fixtures`, `language_server` and the conformance test run as a whole, or that hold
/// SQL.
const OF_OTHERS: &[&str] = &[
    "assistant",
    "editor",
    "five-mistakes",
    "guides",
    "help",
    "legacy",
    "planner",
    "recorded",
    "rules",
    "shop",
    "shop-next",
    "tasks",
];

/// The text of all tests.
fn sources() -> String {
    let mut text = String::new();
    let mut open = vec![package().join("tests")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(entries(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            text.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
    text
}

#[test]
fn no_fixture_is_without_a_user() {
    let cases = cases();
    let words: Vec<&str> = cases.iter().flat_map(|it| it.command.split([' ', '=', ';'])).collect();
    let sources = sources();
    let root = package().join("fixtures");
    let is_of_others = |path: &PathBuf| path.ends_with("asking") || OF_OTHERS.iter().any(|it| path.ends_with(it));
    let mut unused = Vec::new();
    let mut open = entries(&root);
    open.retain(|it| !is_of_others(it));
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(entries(&path));
            continue;
        }
        // A file is used under its own name or that of a folder around it, except for the folder of its kind.
        let path = path.strip_prefix(&root).unwrap();
        let names = path.ancestors().filter(|it| it.components().count() > 1).map(|it| it.to_str().unwrap());
        let is_used = |name: &str| {
            words.iter().any(|it| it.strip_prefix("fixtures/") == Some(name)) || sources.contains(&format!("{name}\""))
        };
        if !names.into_iter().any(is_used) {
            unused.push(path.display().to_string());
        }
    }
    assert!(unused.is_empty(), "no case in fixtures/asking and no test names\n{}", unused.join("\n"));
}
