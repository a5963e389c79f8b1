//! The tasks of newcomers in six roles, as they type them with nothing but the help at hand: `fixtures/tasks/ROLE.txt`
//! has each task with its first command line, the exit code, and a decisive line of the answer. A task that needs a
//! second try says why, and has both.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{lacks_feature, olmdex, scratch, without_own};

/// The number of tasks, and how many of them must work at the first try.
const TASKS: usize = 101;
const AT_FIRST_TRY: usize = 97;

/// A command line with its result.
struct Try {
    command: String,
    exit: i32,
    has: String,
}

struct Task {
    /// Its number, for example `a1`: the letter is the role.
    id: String,
    tries: Vec<Try>,
    /// Why the first try is not sufficient.
    why: String,
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn tasks() -> Vec<Task> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(package().join("fixtures/tasks")).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    let texts = files.iter().map(|it| std::fs::read_to_string(it).unwrap());
    texts.flat_map(|text| text.split("\n\n").map(task).collect::<Vec<_>>()).collect()
}

fn task(text: &str) -> Task {
    let mut lines = text.trim().lines();
    let (id, _) = lines.next().unwrap().split_once(' ').unwrap();
    let mut task = Task { id: id.to_owned(), tries: Vec::new(), why: String::new() };
    for line in lines {
        let (what, value) = line.split_once(' ').unwrap_or_else(|| panic!("{id}: {line}"));
        match what {
            "$" => task.tries.push(Try { command: value.to_owned(), exit: -1, has: String::new() }),
            "exit" => task.tries.last_mut().unwrap().exit = value.parse().unwrap(),
            "has" => task.tries.last_mut().unwrap().has = value.to_owned(),
            "why" => task.why = value.to_owned(),
            _ => panic!("{id}: {line}"),
        }
    }
    assert!(
        task.tries.iter().all(|it| it.exit >= 0 && !it.has.is_empty()),
        "{id}: each try has an exit code and a line"
    );
    task
}

/// A directory with all that the tasks are about.
fn workspace() -> tempfile::TempDir {
    let directory = scratch();
    let root = directory.path();
    let fixtures = package().join("fixtures");
    let copy = |from: &Path, to: &Path| {
        assert!(Command::new("cp").arg("-r").arg(from).arg(to).status().unwrap().success());
    };
    copy(&fixtures.join("help/."), root);
    for name in ["bundle", "catalog", "next"] {
        copy(&fixtures.join("guides").join(name), root);
    }
    copy(&package().join("fixtures/planner"), root);
    // A pull request that removes an entry and leaves the one that replaced it.
    copy(&root.join("catalog"), &root.join("pr"));
    let file = root.join("pr/postgres.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let dropped = text.replacen("  - name: postgres.v1.1.0\n    replaces: postgres.v1.0.1\n", "", 1);
    assert_ne!(text, dropped);
    std::fs::write(&file, dropped).unwrap();
    // A repository whose ClusterServiceVersion has another name.
    std::fs::create_dir(root.join("named-csv")).unwrap();
    copy(&root.join("operators"), &root.join("named-csv"));
    let manifests = root.join("named-csv/operators/shop/1.1.0/manifests");
    std::fs::rename(manifests.join("shop.clusterserviceversion.yaml"), manifests.join("csv.yaml")).unwrap();
    for line in [
        "build community=my-catalog -O index.db",
        "build v4.19=old-catalog v4.20=my-catalog -O versions.db",
        "build community-4.16=old-catalog community-4.17=my-catalog -O cluster.db",
        "export --legacy my-catalog -O legacy.db -q",
    ] {
        let (code, text) = run(&format!("olmdex {line}"), root);
        assert_eq!(code, 0, "{line}: {text}");
    }
    directory
}

/// Runs a command line in a shell. Returns its exit code, and both of its outputs.
fn run(line: &str, directory: &Path) -> (i32, String) {
    // Any SQLite reads the same from an index as `sqlite3`.
    if let Some(("index.db", sql)) = line.strip_prefix("sqlite3 ").and_then(|it| it.split_once(' ')) {
        let connection = rusqlite::Connection::open(directory.join("index.db")).unwrap();
        let found: i64 = connection.query_row(sql.trim_matches('\''), [], |it| it.get(0)).unwrap();
        return (0, found.to_string());
    }
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let output = without_own(&mut Command::new("sh"))
        .args(["-c", line])
        .current_dir(directory)
        .env("PATH", path)
        .env("SOURCE_DATE_EPOCH", "1767225600")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned()).concat();
    (output.status.code().unwrap_or(-1), text)
}

#[test]
fn tasks_work_at_the_first_try() {
    let tasks = tasks();
    let ids: BTreeSet<&str> = tasks.iter().map(|it| it.id.as_str()).collect();
    assert_eq!((tasks.len(), ids.len()), (TASKS, TASKS));
    let made = workspace();
    let mut failures = Vec::new();
    for task in &tasks {
        // A second try goes on with the files of the first.
        let directory = scratch();
        let copied = Command::new("cp").arg("-r").arg(made.path().join(".")).arg(directory.path()).status().unwrap();
        assert!(copied.success());
        for Try { command, exit, has } in task.tries.iter().filter(|it| !lacks_feature(&it.command)) {
            let (code, text) = run(command, directory.path());
            if code != *exit || !text.contains(has) {
                failures.push(format!("{}: {command}\nexit {code}, and no `{has}` in\n{text}", task.id));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    let again: Vec<&Task> = tasks.iter().filter(|it| it.tries.len() > 1).collect();
    assert!(again.iter().all(|it| !it.why.is_empty()), "a second try needs a reason");
    let at_first = tasks.len() - again.len();
    assert!(at_first >= AT_FIRST_TRY, "only {at_first} work at the first try");
}

/// The words of the first command that runs the program, without the program's name.
fn words(line: &str) -> Vec<&str> {
    let of_program = line.split("olmdex ").nth(1).unwrap_or_default();
    let end = of_program.find(['|', '>', ';', '&', '\'', '"']).unwrap_or(of_program.len());
    of_program[..end].split_whitespace().collect()
}

#[test]
fn options_of_a_first_try_are_in_the_help() {
    const NOUNS: [&str; 9] = ["cache", "edit", "help", "image", "legacy", "list", "lock", "mirror", "template"];
    let mut unknown = Vec::new();
    for task in tasks().into_iter().filter(|task| !lacks_feature(&task.tries[0].command)) {
        let words = words(&task.tries[0].command);
        let Some(command) = words.first() else { continue };
        let verb = words.get(1).filter(|it| NOUNS.contains(command) && !it.starts_with('-') && **it != "keda");
        let page = |last: &str| {
            let page = [*command].into_iter().chain(verb.copied()).chain([last]);
            olmdex(page.collect::<Vec<_>>()).answer().out()
        };
        let of_word = olmdex([*command, "--help"]).answer().out();
        let shared = ["--all", "options"].map(|topic| olmdex(["help", topic]).answer().out());
        let text = [page("--help"), of_word].concat() + &shared.concat();
        for option in words.iter().filter(|it| it.len() > 1 && it.starts_with('-')) {
            let is_there = text.split([' ', ',', '\n', '=', '[', '`']).any(|it| it == *option);
            if !is_there {
                unknown.push(format!("{}: {option}", task.id));
            }
        }
    }
    assert!(unknown.is_empty(), "no help says\n{}", unknown.join("\n"));
}
