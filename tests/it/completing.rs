//! Completion: the candidates at each place, and shells that run and misread nothing when names are hostile.
//!
//! The shells are run as people run them, on a pseudo-terminal if they have no other way to complete. A shell that is
//! not installed is skipped with a message.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{TempDir, olmdex, scratch, write};

/// The candidates for the last word of a command line, which is still being typed.
fn offered(directory: &Path, line: &[&str]) -> Vec<String> {
    let (current, before) = line.split_last().unwrap();
    let run = olmdex(["complete", &format!("--current={current}"), "--"]).args(before).in_directory(directory);
    let answer = run.answer();
    answer.expect_code(0);
    assert_eq!(answer.err(), "", "{line:?}");
    answer.out().lines().map(|it| it.split('\t').next().unwrap().to_owned()).collect()
}

/// An index of the shop as `index.db`.
fn shop() -> TempDir {
    let directory = scratch();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/shop/in");
    let source = format!("shop={}", fixtures.display());
    olmdex(["build", &source, "-o", "index.db"]).in_directory(directory.path()).answer().expect_code(0);
    directory
}

#[test]
fn what_is_offered_fits_its_place() {
    let directory = shop();
    // A command line; words that must be offered, and words that must not.
    let table: &[(&[&str], &[&str], &[&str])] = &[
        (&[""], &["words", "build", "show", "upgrades"], &["complete", "legacy", "till"]),
        (&["upgrades", "t"], &["words", "till"], &[]),
        (&["upgrades", "till", "--st"], &["words", "--steps"], &[]),
        (&["mirror", ""], &["words", "filter", "status", "delta", "delete"], &[]),
        (&["sh"], &["words", "show"], &["search"]),
        (&["legacy", "p"], &["words", "prune", "prune-stranded"], &["rm", "till"]),
        (&["list", "p"], &["words", "packages"], &["till"]),
        (&["list", "channels", "t"], &["words", "till"], &[]),
        (&["show", ""], &["words", "till"], &["till.v1.0.0", "--output"]),
        (&["show", "till."], &["till.v1.0.0", "till.v1.2.0"], &["till"]),
        (&["show", "till@"], &["words", "till@1.2.0", "till@1.1.0", "till@1.0.0"], &["till"]),
        (&["show", "till/"], &["words", "till/stable"], &[]),
        (&["show", "nothing/"], &["words"], &["till/stable"]),
        (&["show", "till", ""], &["words", "ledger"], &["--output"]),
        (&["z-stream", "till/stable", ""], &["words", "--output", "--catalog"], &["till"]),
        (&["show", "till", "-o", ""], &["words", "json", "yaml", "table"], &["till", "text"]),
        (&["search", "-o", "j"], &["words", "json", "jsonl"], &["till", "csv"]),
        (&["search", "--output=j"], &["--output=json", "--output=jsonl"], &["json"]),
        (&["search", "-oj"], &["-ojson", "-ojsonl"], &["json"]),
        (&["search", "-qo", "j"], &["json", "jsonl"], &[]),
        (&["search", "x", "--no-headers", "--"], &["--output", "--catalog", "--quiet"], &["--no-headers"]),
        (&["updates", "till", "--channel", ""], &["words", "stable"], &["till"]),
        (&["updates", "--channel=s", "till"], &["words", "till"], &[]),
        (&["path", "till", "--from", "1."], &["1.2.0", "1.1.0"], &["till.v1.0.0"]),
        (&["why-not", "till@1"], &["till@1.0.0"], &[]),
        (&["resolve", "--install", "tools:till@1"], &["tools:till@1.0.0"], &["till@1.0.0"]),
        (&["resolve", "--install", "t"], &["words", "till"], &[]),
        (&["list", "bundles", "--catalog", ""], &["words", "shop"], &["till"]),
        (&["diff", "index.db", "index.db", "--old-catalog", ""], &["words", "shop"], &[]),
        (&["render", "index.db", "-p", "t"], &["words", "till"], &[]),
        (&["show", "-i", ""], &["files"], &["words"]),
        (&["validate", ""], &["files"], &[]),
        (&["migrate", "index.db", ""], &["directories"], &[]),
        (&["man", "--dir", ""], &["directories"], &[]),
        (&["man", "lo"], &["words", "log", "lock"], &["show"]),
        (&["validate", "--explain", "E00"], &["words", "E0001"], &["all"]),
        (&["validate", "--explain", ""], &["words", "all", "E0001"], &[]),
        (&["completion", ""], &["words", "bash", "zsh", "fish", "elvish", "powershell"], &[]),
        (&["--color", "a"], &["words", "auto", "always"], &["never"]),
        (&["--quiet", "show", "t"], &["words", "till"], &[]),
        (&["help", "sho"], &["words", "show"], &[]),
        (&["sql", ""], &["words"], &["till"]),
        (&["show", "--", "t"], &["words", "till"], &[]),
        (&["show", "--", "-"], &["words"], &["--output"]),
        (&["unknown", "x", ""], &["words"], &["till"]),
        (&["show", "till@1.0.0", "--bogus=", "-Z", ""], &["words"], &[]),
    ];
    for (line, wanted, unwanted) in table {
        let found = offered(directory.path(), line);
        for word in *wanted {
            assert!(found.iter().any(|it| it == word), "{line:?} does not offer {word}: {found:?}");
        }
        for word in *unwanted {
            assert!(!found.iter().any(|it| it == word), "{line:?} offers {word}: {found:?}");
        }
    }
    let versions = offered(directory.path(), &["show", "till@"]);
    assert_eq!(versions, ["words", "till@1.2.0", "till@1.1.0", "till@1.0.0"], "newest first");
}

#[test]
fn names_come_from_the_source_that_is_named() {
    let directory = scratch();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/shop/in");
    std::fs::create_dir(directory.path().join("empty")).unwrap();
    let source = fixtures.to_str().unwrap();
    assert_eq!(offered(directory.path(), &["show", "t"]), ["words"], "nothing to ask");
    for named in
        [&["-i", source][..], &[&format!("-i{source}")], &["--input", source], &[&format!("--input=x={source}")]]
    {
        let line = [&["show"], named, &["t"]].concat();
        assert!(offered(directory.path(), &line).contains(&"till".to_owned()), "{line:?}");
    }
    assert_eq!(offered(directory.path(), &["show", "-i", "empty", "t"]), ["words"]);
    let answer = olmdex(["complete", "--current=t", "--", "show"])
        .in_directory(directory.path())
        .env("OLMDEX_INDEX", source)
        .answer();
    assert!(answer.expect_code(0).out().contains("\ntill\n"), "{}", answer.both());
}

#[test]
fn nothing_is_read_that_could_block() {
    let directory = scratch();
    let pipe = directory.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let pipe = pipe.to_str().unwrap();
    for source in ["-", pipe, "/dev/zero", "/dev/stdin", "gone"] {
        let started = std::time::Instant::now();
        assert_eq!(offered(directory.path(), &["show", "-i", source, "t"]), ["words"], "{source}");
        assert!(started.elapsed() < Duration::from_secs(60), "{source}");
    }
    write(directory.path(), "index.db", "SQLite format 3\0 and nothing that follows");
    assert_eq!(offered(directory.path(), &["show", "t"]), ["words"]);
}

/// Texts that must never be offered, as the end of a name.
const HOSTILE: &[&str] = &[
    "$(touch${IFS}PWN)",
    "`touch${IFS}PWN`",
    "$(touch PWN)",
    ";touch PWN;",
    "|touch PWN",
    "&touch PWN&",
    "\ntouch PWN\n",
    "'",
    "\"",
    "'$(touch PWN)'",
    "\"$(touch PWN)\"",
    " b",
    "\tb",
    "*",
    "?",
    "{a,b}",
    "~",
    "!!",
    "#",
    ">PWN",
    "<PWN",
    "\\",
    "(touch PWN)",
    "\u{1b}[31m",
    "\u{202e}",
    "\r",
    "%d",
    "^",
    ",b",
    "é",
];

/// A catalog in an index, in which every name is as hostile as possible.
fn hostile_index() -> TempDir {
    let directory = scratch();
    let mut names: Vec<String> = HOSTILE.iter().map(|it| format!("zebra.v{it}")).collect();
    names.extend(["-zebra", "--output", "-i", "=zebra", "@zebra", "~root", "$HOME"].map(str::to_owned));
    let mut blobs = vec![serde_json::json!({"schema": "olm.package", "name": "zebra", "defaultChannel": "zoo"})];
    // The head skips all others, so that the channel has one head.
    let head = serde_json::json!({"name": "zebra.v1.0.0", "skips": names});
    let others = names.iter().map(|it| serde_json::json!({"name": it}));
    let entries: Vec<_> = others.chain([head]).collect();
    blobs.push(serde_json::json!({"schema": "olm.channel", "package": "zebra", "name": "zoo", "entries": entries}));
    for name in &names {
        let entries = [serde_json::json!({"name": "zebra.v1.0.0"})];
        let channel = name.replacen("zebra.v", "zoo-", 1);
        blobs.push(
            serde_json::json!({"schema": "olm.channel", "package": "zebra", "name": channel, "entries": entries}),
        );
    }
    names.push("zebra.v1.0.0".to_owned());
    for (at, name) in names.iter().enumerate() {
        let version = if name.ends_with("v1.0.0") { "1.0.0".to_owned() } else { format!("0.0.{at}") };
        let property =
            serde_json::json!({"type": "olm.package", "value": {"packageName": "zebra", "version": version}});
        blobs.push(serde_json::json!({"schema": "olm.bundle", "package": "zebra", "name": name,
            "image": "example.com/zebra:1", "properties": [property]}));
    }
    let text: String = blobs.iter().map(|it| format!("{it}\n")).collect();
    write(directory.path(), "catalog/catalog.json", text);
    olmdex(["build", "catalog", "-o", "index.db"]).in_directory(directory.path()).answer().expect_code(0);
    directory
}

#[test]
fn only_names_that_no_shell_expands_are_offered() {
    let directory = hostile_index();
    for (line, wanted) in [
        (&["show", "ze"][..], &["words", "zebra", "zebra.v1.0.0"][..]),
        (&["path", "zebra", "--from", "zeb"], &["words", "zebra.v1.0.0"]),
        (&["path", "zebra", "--from", "-"], &["words"]),
        (&["updates", "zebra", "--channel", "zo"], &["words", "zoo"]),
        (&["show", "zebra/zo"], &["words", "zebra/zoo"]),
        (&["show", "-- "], &["words"]),
        (&["show", "zebra.v$"], &["words"]),
        (&["show", "zebra.v'"], &["words"]),
    ] {
        assert_eq!(offered(directory.path(), line), wanted, "{line:?}");
    }
}

/// Types lines into a shell on a pseudo-terminal, and returns the final arguments of `olmdex`. `prepare` loads the
/// completion and makes `olmdex` a function that writes its arguments to the file `called`.
fn typed(directory: &Path, shell: &[&str], prepare: &str, lines: &[&str]) -> Vec<String> {
    let called = directory.join("called");
    let _ = std::fs::remove_file(&called);
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut child = Command::new("script")
        .args(["-qec", &shell.join(" "), "/dev/null"])
        .current_dir(directory)
        .env("PATH", path)
        .env("TERM", "dumb")
        .env("HOME", directory)
        .env_remove("OLMDEX_INDEX")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut keys = child.stdin.take().unwrap();
    let wait_for = |n_lines: usize| {
        for _ in 0..200 {
            let n = std::fs::read_to_string(&called).map_or(0, |it| it.lines().count());
            if n >= n_lines {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    std::thread::sleep(Duration::from_millis(500));
    keys.write_all(format!("{prepare}\nolmdex ready\n").as_bytes()).unwrap();
    wait_for(1);
    for (at, line) in lines.iter().enumerate() {
        for part in line.split_inclusive('\t') {
            keys.write_all(part.as_bytes()).unwrap();
            keys.flush().unwrap();
            std::thread::sleep(Duration::from_millis(400));
        }
        keys.write_all(b"\n").unwrap();
        wait_for(at + 2);
    }
    let _ = keys.write_all(b"exit\n");
    drop(keys);
    std::thread::sleep(Duration::from_millis(200));
    let _ = child.kill();
    let _ = child.wait();
    assert!(!directory.join("PWN").exists(), "{shell:?} ran a name");
    let called = std::fs::read_to_string(called).unwrap_or_default();
    called.lines().skip(1).map(str::to_owned).collect()
}

/// The typed keys, with tabs, and the arguments that must result in every shell.
const TYPED: &[(&str, &str)] = &[
    ("olmdex sho\tzebra.v\t", "<show><zebra.v1.0.0>"),
    ("olmdex show zebra@1\t", "<show><zebra@1.0.0>"),
    ("olmdex updates zebra --channel zo\t", "<updates><zebra><--channel><zoo>"),
    ("olmdex path zebra --from zeb\t", "<path><zebra><--from><zebra.v1.0.0>"),
    ("olmdex search --output=mark\t", "<search><--output=markdown>"),
    ("olmdex show -i ind\tzebra.v1\t", "<show><-i><index.db><zebra.v1.0.0>"),
];

#[test]
#[ignore = "needs bash and script"]
fn bash_completes_and_runs_nothing() {
    let directory = hostile_index();
    let prepare =
        "PS1='$ '; source <(command olmdex completion bash); olmdex() { { printf '<%s>' \"$@\"; echo; } >> called; }";
    let lines: Vec<&str> = TYPED.iter().map(|it| it.0).chain(["olmdex show \t", "olmdex show 'zebra.v1\t"]).collect();
    let found = typed(directory.path(), &["bash", "--norc", "--noprofile", "-i"], prepare, &lines);
    let mut wanted: Vec<&str> = TYPED.iter().map(|it| it.1).collect();
    wanted.extend(["<show><zebra>", "<show><zebra.v1.0.0>"]);
    assert_eq!(found, wanted);
}

#[test]
#[ignore = "needs zsh and script"]
fn zsh_completes_and_runs_nothing() {
    let directory = hostile_index();
    let prepare = "PS1='$ '; autoload -U compinit; compinit -u -D; source <(command olmdex completion zsh); \
                   olmdex() { { printf '<%s>' \"$@\"; echo; } >> called; }";
    let lines: Vec<&str> = TYPED.iter().map(|it| it.0).collect();
    let found = typed(directory.path(), &["zsh", "-f", "-i"], prepare, &lines);
    let wanted: Vec<&str> = TYPED.iter().map(|it| it.1).collect();
    assert_eq!(found, wanted);
}

#[test]
#[ignore = "needs fish"]
fn fish_completes_and_runs_nothing() {
    let directory = hostile_index();
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let complete = |line: &str| -> Vec<String> {
        let script = "command olmdex completion fish | source; complete --do-complete $argv[1]";
        let output = Command::new("fish")
            .args(["--no-config", "-c", script, line])
            .current_dir(directory.path())
            .env("PATH", &path)
            .env("HOME", directory.path())
            .env_remove("OLMDEX_INDEX")
            .output()
            .unwrap();
        assert!(!directory.path().join("PWN").exists(), "fish ran a name");
        String::from_utf8(output.stdout).unwrap().lines().map(|it| it.split('\t').next().unwrap().to_owned()).collect()
    };
    for (line, wanted) in [
        ("olmdex sho", &["show"][..]),
        ("olmdex show zebra.v", &["zebra.v1.0.0"]),
        ("olmdex show zebra@1", &["zebra@1.0.0"]),
        ("olmdex show 'zebra.v", &["zebra.v1.0.0"]),
        ("olmdex updates zebra --channel zo", &["zoo"]),
        ("olmdex path zebra --from zeb", &["zebra.v1.0.0"]),
        ("olmdex search --output=mark", &["--output=markdown"]),
        ("olmdex show -i ind", &["index.db"]),
        ("olmdex show --input=ind", &["--input=index.db"]),
        // A second name: what stands before it is not run.
        ("olmdex show $(touch PWN)`touch PWN` zebra.v", &["zebra.v1.0.0"]),
    ] {
        let found: Vec<String> = complete(line).iter().map(|it| it.trim_end_matches('/').to_owned()).collect();
        assert_eq!(found, wanted, "{line}");
    }
}

#[test]
#[ignore = "needs elvish and script"]
fn elvish_completes_and_runs_nothing() {
    let directory = hostile_index();
    // Elvish offers a list; Enter takes the chosen item.
    let prepare = "eval (e:olmdex completion elvish | slurp); fn olmdex {|@a| each {|it| print '<'$it'>' } $a >> called; echo >> called }";
    let lines = ["olmdex show zebra.v\t", "olmdex show zebra@1\t"];
    let found = typed(directory.path(), &["elvish", "-norc"], prepare, &lines);
    assert_eq!(found, ["<show><zebra.v1.0.0>", "<show><zebra@1.0.0>"]);
}
