//! Costs must not grow with the square of a channel: ranges that hold each other, chains and fans of ten thousand
//! entries are asked and drawn within bounds, or refused with the option that lifts them. Statements of SQL keep their
//! limits, and endless input is not read.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Answer, TempDir, olmdex, scratch, without_own, write};

fn version(at: usize) -> String {
    format!("{}.{}.{}", 1 + at / 1000, at / 10 % 100, at % 10)
}

/// An index of a channel of `n` entries, each of which replaces the one before and has the fields from `more`.
fn channel(n: usize, more: impl Fn(usize) -> String) -> TempDir {
    let directory = scratch();
    let mut text = String::from("{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"c\"}\n");
    text.push_str("{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"c\",\"entries\":[");
    for at in 0..n {
        let comma = if at == 0 { "" } else { "," };
        let replaces = if at == 0 { String::new() } else { format!(",\"replaces\":\"p.v{}\"", version(at - 1)) };
        write!(text, "{comma}{{\"name\":\"p.v{}\"{replaces}{}}}", version(at), more(at)).unwrap();
    }
    text.push_str("]}\n");
    for at in 0..n {
        let version = version(at);
        writeln!(
            text,
            "{{\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":\"p.v{version}\",\"image\":\"example.com/p:{version}\",\
             \"properties\":[{{\"type\":\"olm.package\",\"value\":{{\"packageName\":\"p\",\"version\":\"{version}\"}}}}]}}"
        )
        .unwrap();
    }
    write(directory.path(), "catalog/catalog.json", text);
    olmdex(["build", "catalog", "-o", "index.db", "-q"]).in_directory(directory.path()).answer().expect_code(0);
    directory
}

/// Runs a command in little memory; if it does not end, it is killed after a minute of processor time, far above the
/// need of a build without optimisation.
fn bounded(directory: &Path, args: &[&str]) -> Answer {
    olmdex(args).in_directory(directory).after("ulimit -v 1500000; ulimit -t 60").answer()
}

const N: usize = 10_000;
/// A size at which quadratic edges would run out of memory, but which is quickly made.
const MANY: usize = 3_000;

/// The answer is larger than the buffer of a pipe, so it cannot be written without a reader.
#[test]
fn a_reader_that_closes_the_pipe_does_not_change_the_exit_code() {
    let directory = channel(MANY, |_| String::new());
    for command in ["simulate --remove p -i index.db --olm classic", "check-graph p -i index.db --old old.db -o json"] {
        if command.starts_with("check-graph") {
            std::fs::rename(directory.path().join("index.db"), directory.path().join("old.db")).unwrap();
            let path = directory.path().join("catalog/catalog.json");
            let text = std::fs::read_to_string(&path).unwrap();
            let renamed: Vec<String> = text.lines().map(|it| it.replace("p.v", "p.r")).collect();
            write(directory.path(), "catalog/catalog.json", renamed.join("\n"));
            olmdex(["build", "catalog", "-o", "index.db", "-q"]).in_directory(directory.path()).answer().expect_code(0);
        }
        let line = format!("(\"$0\" {command}; echo $? > code) | head -c 10 > head");
        let ended =
            Command::new("sh").args(["-c", &line, env!("CARGO_BIN_EXE_olmdex")]).current_dir(directory.path()).status();
        assert!(ended.unwrap().success());
        assert_eq!(std::fs::read_to_string(directory.path().join("code")).unwrap(), "1\n", "{command}");
    }
}

#[test]
fn ten_thousand_ranges_over_everything_are_walked_and_drawn() {
    let directory = channel(N, |_| ",\"skipRange\":\">=0.0.0\"".to_owned());
    let directory = directory.path();
    let (first, middle, head) = (version(0), version(N / 2), version(N - 1));
    for (to, alternatives) in [(&head, "1"), (&middle, "1"), (&head, "3"), (&middle, "3")] {
        let mut args = vec!["path", "p", "--from", &first, "--to", to, "--shortest", "-o", "json"];
        args.extend(["--alternatives", alternatives]);
        let answer = bounded(directory, &args);
        answer.expect_code(0);
        let found: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
        let of_v1 = found["items"].as_array().unwrap().iter().filter(|it| it["olm"] == "v1");
        let n_steps: Vec<usize> = of_v1.map(|it| it["steps"].as_array().unwrap().len()).collect();
        let wanted: &[usize] = if alternatives == "1" { &[1] } else { &[1, 2, 2] };
        assert_eq!(n_steps, wanted, "{to}");
    }
    for args in [
        &["why-not", "p@9.0.0", "--installed", "1.0.0"][..],
        &["compat", "--openshift", "4.16"],
        &["updates", "p", "--installed", "5.5.0"],
        &["path", "p", "--from", "1.0.0"],
    ] {
        let answer = bounded(directory, args);
        assert!(matches!(answer.code, Some(0 | 1)), "{args:?}: {}", answer.both());
    }
    let answer = bounded(directory, &["check-graph", "p"]);
    assert!(answer.expect_code(1).stdout.len() < 20 << 20, "{} bytes", answer.stdout.len());
    let answer = bounded(directory, &["graph", "p", "-o", "svg"]);
    assert!(answer.expect_code(0).stdout.len() < 5 << 20, "{} bytes", answer.stdout.len());
    let answer = bounded(directory, &["graph", "p", "-o", "html"]);
    assert!(answer.expect_code(0).stdout.len() < 20 << 20, "{} bytes", answer.stdout.len());
    for format in ["json", "dot", "text", "mermaid"] {
        let answer = bounded(directory, &["graph", "p", "-o", format]);
        answer.expect_code(5).expect_words("--max-edges");
        assert!(answer.stdout.is_empty(), "{format}");
    }
}

#[test]
fn other_shapes_stay_bounded_too() {
    type Fields = fn(usize) -> String;
    let shapes: [(&str, Fields); 6] = [
        ("half", |at| if at % 2 == 0 { String::new() } else { format!(",\"skipRange\":\">=0.0.0 <{}\"", version(at)) }),
        ("chain", |at| format!(",\"skipRange\":\">={} <{}\"", version(at.saturating_sub(1)), version(at))),
        ("window", |at| format!(",\"skipRange\":\">={} <{}\"", version(at.saturating_sub(100)), version(at))),
        ("down", |at| format!(",\"skipRange\":\">{}\"", version(at))),
        ("hole", |at| format!(",\"skipRange\":\"!={}\"", version(at))),
        ("fan", |at| {
            let names: Vec<String> = (0..MANY - 2).map(|it| format!("\"p.v{}\"", version(it))).collect();
            if at + 1 == MANY { format!(",\"skips\":[{}]", names.join(",")) } else { String::new() }
        }),
    ];
    for (shape, more) in shapes {
        let directory = channel(MANY, more);
        let head = version(MANY - 1);
        for args in [
            &["path", "p", "--from", "1.0.0", "--to", &head, "--shortest"][..],
            &["path", "p", "--from", "1.0.0", "--to", &head, "--shortest", "--alternatives", "3"],
            &["path", "p", "--from", "1.0.0"],
            &["check-graph", "p"],
            &["graph", "p", "-o", "svg"],
            &["graph", "p"],
        ] {
            let answer = bounded(directory.path(), args);
            assert!(matches!(answer.code, Some(0 | 1 | 5)), "{shape} {args:?}: {}", answer.both());
            if answer.code == Some(5) {
                answer.expect_words("--max-");
            }
        }
    }
}

#[test]
fn many_channels_are_validated_in_time() {
    let directory = scratch();
    let mut text = String::from("{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"c0\"}\n");
    for at in 0..50_000 {
        writeln!(text, "{{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"c{at}\",\"entries\":[{{\"name\":\"p.v1.0.0\"}}]}}")
            .unwrap();
    }
    text.push_str(
        "{\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":\"p.v1.0.0\",\"image\":\"example.com/p:1\",\
         \"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"p\",\"version\":\"1.0.0\"}}]}\n",
    );
    write(directory.path(), "catalog.json", text);
    bounded(directory.path(), &["validate", "catalog.json"]).expect_code(0);
}

#[test]
fn a_statement_keeps_its_limits() {
    let directory = channel(3, |_| String::new());
    let directory = directory.path();
    let table = [
        ("SELECT instr(zeroblob(90000000), zeroblob(40000000)||x'01')", "--max-bytes"),
        ("SELECT instr(zeroblob(9000000), zeroblob(4000000)||x'01')", "--timeout"),
        (
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT hex(zeroblob(10000000)) FROM c",
            "--max-bytes",
        ),
        (
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT length(hex(zeroblob(10000000 + x % 7))) FROM c",
            "--timeout",
        ),
        ("SELECT zeroblob(300000000)", "--max-bytes"),
        (
            "SELECT group_concat(hex(zeroblob(1000000))) FROM (SELECT 1 FROM v_entry, v_entry, v_entry, v_entry)",
            "--max-bytes",
        ),
        ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c", "--timeout"),
    ];
    for (statement, option) in table {
        // A busy machine takes long to fill the allowed memory.
        let seconds = if option == "--timeout" { "2" } else { "30" };
        let answer = bounded(directory, &["sql", statement, "--timeout", seconds]);
        answer.expect_code(5).expect_words(option);
        assert!(answer.stdout.is_empty(), "{statement}");
    }
    bounded(directory, &["sql", "SELECT length(zeroblob(300000000))", "--max-bytes", "400000000"])
        .expect_code(0)
        .expect_words("300000000");
}

#[test]
fn a_foreign_schema_runs_nothing() {
    let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x, x, x, x, x FROM c";
    // The attacks on a good index.
    for change in [
        format!("DROP TABLE catalog; CREATE VIEW catalog(id, name, priority, source, source_digest) AS {endless}"),
        format!("CREATE TRIGGER t AFTER INSERT ON catalog BEGIN INSERT INTO meta {endless}; END"),
        "ALTER TABLE catalog ADD COLUMN more TEXT".to_owned(),
        format!("CREATE VIEW search_x AS {endless}"),
        "DROP VIEW v_edge".to_owned(),
    ] {
        let directory = channel(3, |_| String::new());
        let path = directory.path().join("index.db");
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch(&format!("PRAGMA foreign_keys = OFF; {change}")).unwrap();
        connection.close().unwrap();
        for args in [
            &["list", "catalogs"][..],
            &["sql", "SELECT 1"],
            &["show", "p"],
            &["build", "more=catalog", "-o", "index.db"],
            &["build", "index.db", "-o", "new.db"],
            &["info", "index.db"],
        ] {
            let answer = bounded(directory.path(), args);
            answer.expect_code(3).expect_words("schema");
            assert!(!directory.path().join("new.db").exists());
        }
        let answer = bounded(directory.path(), &["complete", "--current=p", "--", "show"]);
        assert_eq!(answer.expect_code(0).out(), "words\n");
    }
}

#[test]
fn a_strange_history_is_refused_in_words() {
    for change in [
        "UPDATE refinery_schema_history SET checksum = '1'",
        "UPDATE refinery_schema_history SET name = 'other'",
        "INSERT INTO refinery_schema_history VALUES (77, 'x', 'x', 'x')",
        "DELETE FROM refinery_schema_history",
        "DROP TABLE refinery_schema_history; CREATE TABLE refinery_schema_history (a, b)",
    ] {
        let directory = channel(3, |_| String::new());
        let connection = rusqlite::Connection::open(directory.path().join("index.db")).unwrap();
        connection.execute_batch(&format!("{change}; PRAGMA user_version = 1")).unwrap();
        connection.close().unwrap();
        for args in [&["build", "--migrate", "-o", "index.db"][..], &["build", "more=catalog", "-o", "index.db"]] {
            let answer = bounded(directory.path(), args);
            answer.expect_code(3);
            assert!(!answer.err().contains("bug"), "{}", answer.both());
        }
    }
}

#[test]
fn special_files_are_refused_in_words() {
    let directory = channel(3, |_| String::new());
    let pipe = directory.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(directory.path().join("socket")).unwrap();
    for special in ["pipe", "socket", "/dev/zero"] {
        for args in [
            &["list", "packages", "-i", special][..],
            &["validate", special],
            &["render", special],
            &["build", special, "-o", "new.db"],
            &["diff", special, "index.db"],
            &["info", special],
            &["doctor", special],
            &["migrate", special, "out"],
            &["check-graph", "--old", special],
            &["resolve", "--cluster", special],
            &["path", "p", "--extension", special],
            &["crd-check", special, special],
        ] {
            let answer = bounded(directory.path(), args);
            answer.expect_code(3);
            answer.expect_words("not a regular file");
        }
    }
    std::fs::create_dir(directory.path().join("tree")).unwrap();
    std::fs::rename(&pipe, directory.path().join("tree/.indexignore")).unwrap();
    bounded(directory.path(), &["validate", "tree"]).expect_code(1).expect_words("not a regular file");
}

#[test]
fn an_index_that_is_cut_while_it_is_read_kills_nobody() {
    let directory = channel(3000, |_| String::new());
    let whole = std::fs::read(directory.path().join("index.db")).unwrap();
    let path = directory.path().join("cut.db");
    for round in 0..30_u64 {
        std::fs::write(&path, &whole).unwrap();
        let run = {
            let directory = directory.path().to_owned();
            std::thread::spawn(move || olmdex(["list", "bundles", "-i", "cut.db"]).in_directory(directory).answer())
        };
        std::thread::sleep(Duration::from_millis(1 + round % 10));
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(4096 * (1 + round)).unwrap();
        let answer = run.join().unwrap();
        assert!(matches!(answer.code, Some(0 | 3)), "{}", answer.both());
    }
}

#[test]
fn what_people_read_steers_nothing() {
    let directory = scratch();
    let name = "p.v1\u{1b}[31m\u{202e}";
    let channel = "[x](javascript:alert)`c`";
    let blobs = [
        serde_json::json!({"schema": "olm.package", "name": "p", "defaultChannel": channel}),
        serde_json::json!({"schema": "olm.channel", "package": "p", "name": channel, "entries": [{"name": name}]}),
        serde_json::json!({"schema": "olm.channel", "package": "p", "name": "=1+1", "entries": [{"name": name}]}),
        serde_json::json!({"schema": "olm.bundle", "package": "p", "name": name, "image": "example.com/p:1",
            "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}]}),
    ];
    write(directory.path(), "c/c.json", blobs.iter().map(|it| format!("{it}\n")).collect::<String>());
    let run = |args: &[&str]| {
        let answer = olmdex(args).args(["-i", "c"]).in_directory(directory.path()).answer();
        answer.expect_code(0);
        answer.out()
    };
    let bundles = ["list", "bundles", "-o"];
    for format in ["csv", "markdown", "table", "wide", "name"] {
        let out = run(&[&bundles[..], &[format]].concat());
        assert!(!out.contains(['\u{1b}', '\u{202e}']), "{format}: {out:?}");
    }
    for format in ["mermaid", "dot", "svg", "html", "text"] {
        let out = run(&["graph", "p", "-o", format]);
        assert!(!out.contains(['\u{1b}', '\u{202e}']), "{format}: {out:?}");
    }
    let channels = run(&["list", "channels", "-o", "markdown"]);
    assert!(channels.contains("\\[x\\](javascript:alert)\\`c\\`"), "{channels}");
    let sql = ["sql", "SELECT '=1+1', '+2', '-3', '@x', 'a=b', '\t=1', 4", "-o", "csv", "--no-headers"];
    assert_eq!(run(&sql), "=1+1,+2,-3,@x,a=b,\t=1,4\n");
    assert_eq!(run(&[&sql[..], &["--quote-formulas"]].concat()), "'=1+1,'+2,'-3,'@x,a=b,'\t=1,4\n");
    assert!(run(&["list", "channels", "-o", "csv", "--quote-formulas"]).contains("'=1+1"));
}

/// glibc reserves 64 MiB of addresses for the heap of each thread. A thread that gets none makes six system calls at
/// each allocation.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn few_addresses_are_shared_by_few_threads() {
    use std::io::{Read as _, Write as _};

    // The editor's server waits for its input, so that there is time to count its threads.
    let threads = |limit: &str| -> usize {
        let mut command = Command::new("bash");
        command.args(["-c", &format!("{limit} exec \"$0\" lsp --no-config"), env!("CARGO_BIN_EXE_olmdex")]);
        without_own(&mut command).env_remove("MALLOC_ARENA_MAX").env_remove("RAYON_NUM_THREADS");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
        let message = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        child.stdin.as_mut().unwrap().write_all(message.as_bytes()).unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0; 16]).unwrap();
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        status.lines().find_map(|it| it.strip_prefix("Threads:")).unwrap().trim().parse().unwrap()
    };
    let n_cores = std::thread::available_parallelism().unwrap().get();
    let few = threads("ulimit -v 500000;");
    assert_eq!(threads("ulimit -v 1100000;") - few, n_cores.min(4) - 1, "a thread for each 256 MiB");
    let of_user = threads("ulimit -v 1100000; export RAYON_NUM_THREADS=1;");
    assert!(of_user <= few, "{of_user} threads where the user wants one");
    let directory = channel(MANY, |_| String::new());
    let answer = olmdex(["validate", "catalog"]).in_directory(directory.path()).after("ulimit -v 400000; ulimit -t 20");
    answer.answer().expect_code(0);
}
