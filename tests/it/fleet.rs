//! The session of `docs/fleet.md`: its statements in their order, with their answers.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::recording::expect_recorded;
use crate::support::{olmdex, scratch};

/// Runs statements, one after another, and prints the answer of each.
const RUNNER: &str = r#"
import duckdb, sys
connection = duckdb.connect()
for statement in sys.stdin.read().split("\0"):
    answer = connection.execute(statement)
    columns = [it[0] for it in answer.description or []]
    rows = answer.fetchall() if columns else []
    print(" | ".join(columns))
    for row in rows:
        print(" | ".join("NULL" if it is None else "[" + ", ".join(map(str, it)) + "]" if isinstance(it, list) else str(it) for it in row))
    print("\0", end="")
"#;

/// The blocks of SQL of the document.
fn statements(document: &str) -> Vec<&str> {
    document.split("```sql\n").skip(1).map(|it| it.split("```").next().unwrap()).collect()
}

/// Three sites: one with a past, one with two versions of a catalog, one with a catalog of another month.
fn export(directory: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut past = Command::new("sh");
    past.arg(root.join("fixtures/past/build.sh")).current_dir(directory).env("PATH", path);
    assert!(past.status().unwrap().success());
    let named = |name: &str, path: &str| format!("{name}={}", root.join("fixtures").join(path).display());
    let factory = [named("v4.19", "help/old-catalog"), named("v4.20", "help/my-catalog")];
    let store = [named("shop", "shop-next/in"), named("v4.20", "help/old-catalog")];
    for (name, sources) in [("factory", factory), ("store", store)] {
        let run = olmdex(["build", "-q", "-o"]).arg(directory.join(format!("{name}.db"))).args(sources);
        run.in_directory(directory).answer().expect_code(0);
    }
    for (site, index) in [("headquarters", "past.db"), ("factory", "factory.db"), ("store", "store.db")] {
        let run = olmdex(["export", "-q", "--parquet", &format!("fleet/{site}"), index]).in_directory(directory);
        run.answer().expect_code(0);
    }
}

#[test]
#[ignore = "needs DuckDB"]
fn the_documented_session_has_its_answers() {
    let tools = std::env::var("OLMDEX_DUCKDB").expect("OLMDEX_DUCKDB is the environment of Python with duckdb");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = std::fs::read_to_string(root.join("docs/fleet.md")).unwrap();
    let statements = statements(&document);
    assert_eq!(statements.len(), 11, "tables, and ten questions");
    let directory = scratch();
    export(directory.path());
    let mut command = Command::new(Path::new(&tools).join("bin/python"));
    command.args(["-c", RUNNER]).current_dir(directory.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), statements.join("\0").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<&str> = text.split_terminator('\0').skip(1).collect();
    assert_eq!(answers.len(), 10);
    let (tables, questions) = document.split_once("## Ten questions").unwrap();
    let mut recorded = format!("{tables}## Ten questions");
    let mut rest = questions;
    for answer in answers {
        assert!(answer.lines().count() > 1, "a question without an answer shows nothing: {answer}");
        let (question, after) = rest.split_once("```text\n").unwrap();
        recorded.push_str(&format!("{question}```text\n{answer}```"));
        rest = after.split_once("```").unwrap().1;
    }
    recorded.push_str(rest);
    expect_recorded("fleet -- --ignored", &[(root.join("docs/fleet.md"), recorded)]);
}
