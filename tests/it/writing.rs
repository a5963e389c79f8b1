//! The outputs of commands in places that somebody else has used before: links, special files and foreign directories
//! under every name that the commands use themselves, other writers at the same time, and signals.
//!
//! Findings A2, A3, A4, A5, A12 and A13 of the measurement of 0.1.0.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use olmdex::file::{NewDirectory, Replacement};

use crate::support::legacy::legacy_file;
use crate::support::{TempDir, olmdex, program, scratch, write};

/// A command that writes: its arguments, with `OUT` as the target, and whether that is a directory.
struct Writer {
    args: &'static [&'static str],
    /// The target's name.
    out: &'static str,
    is_directory: bool,
    /// Whether the target exists already.
    is_replacement: bool,
}

const WRITERS: &[Writer] = &[
    Writer { args: &["build", "a=shop", "-o", "OUT"], out: "out.db", is_directory: false, is_replacement: false },
    Writer { args: &["build", "b=next", "-o", "OUT"], out: "old.db", is_directory: false, is_replacement: true },
    Writer { args: &["migrate", "legacy.db", "OUT"], out: "tree", is_directory: true, is_replacement: false },
    Writer { args: &["migrate", "shop", "OUT"], out: "empty", is_directory: true, is_replacement: true },
    Writer {
        args: &["export", "--legacy", "shop", "-o", "OUT"],
        out: "out.db",
        is_directory: false,
        is_replacement: false,
    },
    Writer {
        args: &["export", "--legacy", "shop", "-o", "OUT"],
        out: "old-legacy.db",
        is_directory: false,
        is_replacement: true,
    },
    Writer {
        args: &["legacy", "rm", "legacy.db", "-p", "foo", "-o", "OUT"],
        out: "out.db",
        is_directory: false,
        is_replacement: false,
    },
    Writer {
        args: &["legacy", "prune", "legacy.db", "-p", "foo", "-o", "OUT"],
        out: "old-legacy.db",
        is_directory: false,
        is_replacement: true,
    },
    Writer {
        args: &["legacy", "prune-stranded", "legacy.db", "-o", "OUT"],
        out: "out.db",
        is_directory: false,
        is_replacement: false,
    },
    Writer {
        args: &[
            "legacy",
            "deprecate-truncate",
            "legacy.db",
            "-b",
            "example.com/bar:v0.1.0",
            "--allow-package-removal",
            "-o",
            "OUT",
        ],
        out: "out.db",
        is_directory: false,
        is_replacement: false,
    },
    Writer {
        args: &["z-stream", "kiln", "--channel", "stable", "--apply", "-i", "kiln"],
        out: "kiln/catalog.yaml",
        is_directory: false,
        is_replacement: true,
    },
];

impl Writer {
    fn command(&self, root: &Path, out: &str) -> Command {
        let mut command = program();
        command.args(self.args.iter().map(|it| if *it == "OUT" { out } else { *it }));
        command.current_dir(root).env("TMPDIR", root).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }
}

/// The inputs of the commands.
fn seeds() -> &'static Path {
    static SEEDS: OnceLock<TempDir> = OnceLock::new();
    SEEDS
        .get_or_init(|| {
            let directory = scratch();
            let root = directory.path();
            let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
            for (from, to) in [("shop/in", "shop"), ("shop-next/in", "next"), ("catalogs/kiln", "kiln")] {
                copy(&fixtures.join(from), &root.join(to));
            }
            olmdex(["build", "-q", "a=shop", "-o", "old.db"]).in_directory(root).answer().expect_code(0);
            olmdex(["export", "-q", "--legacy", "next", "-o", "old-legacy.db"])
                .in_directory(root)
                .answer()
                .expect_code(0);
            let legacy = legacy_file(root, "two-packages", "");
            assert_eq!(legacy, root.join("legacy.db"));
            std::fs::create_dir(root.join("empty")).unwrap();
            directory
        })
        .path()
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-rL").arg(from).arg(to).status().unwrap().success());
}

/// Fresh seeds in `work`, and beside it files that must not change.
fn fresh() -> (TempDir, PathBuf) {
    let directory = scratch();
    let root = directory.path().join("work");
    copy(seeds(), &root);
    let precious = directory.path().join("precious");
    std::fs::create_dir_all(precious.join("below")).unwrap();
    std::fs::write(precious.join("file"), "precious").unwrap();
    std::fs::write(precious.join("below/file"), "more").unwrap();
    (directory, root)
}

/// Everything below a directory: kind, mode, and content or target.
fn tree(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).unwrap().map(Result::unwrap) {
            let (path, metadata) = (entry.path(), entry.path().symlink_metadata().unwrap());
            let content = if metadata.is_symlink() {
                std::fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else if metadata.is_file() {
                std::fs::read(&path).unwrap()
            } else {
                Vec::new()
            };
            if metadata.is_dir() {
                open.push(path.clone());
            }
            found.insert(path.strip_prefix(root).unwrap().to_owned(), (metadata.mode(), content));
        }
    }
    found
}

/// Makes something at a path. `precious` is a directory that must not change.
type Planting = fn(path: &Path, precious: &Path);

const PLANTINGS: &[(&str, Planting)] = &[
    ("a link to a file", |path, precious| symlink(precious.join("file"), path).unwrap()),
    ("a link to a directory", |path, precious| symlink(precious, path).unwrap()),
    ("a dangling link", |path, precious| symlink(precious.join("none"), path).unwrap()),
    ("a hard link", |path, precious| std::fs::hard_link(precious.join("file"), path).unwrap()),
    ("a named pipe", |path, _| make_pipe(path)),
    ("a socket", |path, _| drop(std::os::unix::net::UnixListener::bind(path).unwrap())),
    ("a file", |path, _| std::fs::write(path, "mine").unwrap()),
    ("a directory of somebody's", |path, _| {
        std::fs::create_dir(path).unwrap();
        std::fs::write(path.join("diary"), "mine").unwrap();
    }),
    ("a directory with a lock that is a link", |path, precious| {
        std::fs::create_dir(path).unwrap();
        symlink(precious.join("file"), path.join(".indexignore")).unwrap();
    }),
    ("a directory with a lock that has another name", |path, precious| {
        std::fs::create_dir(path).unwrap();
        std::fs::hard_link(precious.join("file"), path.join(".indexignore")).unwrap();
    }),
    ("a directory with a lock that is a pipe", |path, _| {
        std::fs::create_dir(path).unwrap();
        make_pipe(&path.join(".indexignore"));
    }),
    ("a directory with the marker of another one", |path, precious| {
        std::fs::create_dir(path).unwrap();
        std::fs::write(path.join(".indexignore"), "*\n# olmdex: unfinished output, 1 2\n").unwrap();
        std::fs::write(path.join("diary"), "mine").unwrap();
        symlink(precious, path.join("files")).unwrap();
        symlink(precious.join("file"), path.join("new")).unwrap();
    }),
    ("a directory with an empty lock and something else", |path, precious| {
        std::fs::create_dir(path).unwrap();
        std::fs::write(path.join(".indexignore"), "").unwrap();
        symlink(precious.join("file"), path.join("new")).unwrap();
    }),
];

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// The names that a running write of `out` uses, one by one, and those that only version 0.1.0 used, together.
fn hidden_names(writer: &Writer) -> Vec<Vec<PathBuf>> {
    let out = Path::new(writer.out);
    let beside = |before: &str, after: &str| {
        let mut name = OsString::from(before);
        name.push(out.file_name().unwrap());
        name.push(after);
        out.with_file_name(name)
    };
    if writer.args[0] == "z-stream" {
        // Other files there are part of the catalog.
        return vec![vec![beside(".", ".olmdex")]];
    }
    let mut former: Vec<_> =
        ["-build", "-legacy", "-migrate", "-edit"].map(|it| beside(".", &format!(".olmdex{it}"))).into();
    let mut names = vec![vec![beside(".", ".olmdex")]];
    if !writer.is_directory {
        former.push(beside(".", ".olmdex-build-journal"));
        names.extend([vec![beside("", "-journal")], vec![beside("", "-wal")]]);
    }
    names.push(former);
    names
}

/// Runs a command that must end soon.
fn run(mut command: Command) -> (Option<i32>, String) {
    let mut child = command.spawn().unwrap();
    for _ in 0..15_000 {
        if child.try_wait().unwrap().is_some() {
            let output = child.wait_with_output().unwrap();
            return (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    panic!("{command:?} does not end");
}

/// A thing that is planted under a name that a command uses itself stays as it is, and so does everything that it leads
/// to. The command reports it, or does its work.
#[test]
fn nothing_planted_is_followed_emptied_or_waited_for() {
    for writer in WRITERS {
        for names in hidden_names(writer) {
            // No code uses the former names, and commands that change legacy files write like `build`: one case of each
            // kind is enough.
            let is_known = names.len() > 1 || writer.args[0] == "legacy";
            let telling = [
                "a link to a file",
                "a link to a directory",
                "a named pipe",
                "a directory with the marker of another one",
            ];
            for (what, plant) in PLANTINGS.iter().filter(|it| !is_known || telling.contains(&it.0)) {
                let (directory, root) = fresh();
                let precious = directory.path().join("precious");
                for name in &names {
                    plant(&root.join(name), &precious);
                }
                let shown = format!("{:?} with {what} as {names:?}", writer.args);
                let (mut expected, outside) = (tree(&root), tree(&precious));
                let (code, words) = run(writer.command(&root, writer.out));
                assert!(tree(&precious) == outside, "{shown}: something else has changed\n{words}");
                let mut after = tree(&root);
                let planted = |tree: &mut BTreeMap<PathBuf, _>| {
                    let is_planted = |it: &PathBuf| names.iter().any(|name| it.starts_with(name));
                    let of_it: Vec<_> = tree.keys().filter(|it| is_planted(it)).cloned().collect();
                    of_it.into_iter().map(|it| (it.clone(), tree.remove(&it))).collect::<Vec<_>>()
                };
                assert!(
                    planted(&mut after) == planted(&mut expected),
                    "{shown}: what was planted has changed\n{words}"
                );
                let shows = |it: &PathBuf| words.contains(&*it.file_name().unwrap().to_string_lossy());
                if code != Some(0) {
                    assert_eq!(code, Some(3), "{shown}: {words}");
                    assert!(names.iter().all(shows), "{shown}: {words}");
                    assert!(after == expected, "{shown}: refused, and something has changed");
                }
                let name = names[0].to_string_lossy();
                let is_used_now = name.ends_with(".olmdex");
                // SQLite would play a journal with content back when somebody opens the new file.
                let is_journal = ["-journal", "-wal"].iter().any(|it| name.ends_with(it))
                    && name.starts_with(writer.out)
                    && ["a link to a file", "a hard link", "a file"].contains(what);
                assert_eq!(code != Some(0), is_used_now || is_journal, "{shown}: {words}");
            }
        }
    }
}

/// The same in a directory that is filled in place.
#[test]
fn nothing_planted_in_a_directory_that_is_filled_is_followed() {
    for (what, plant) in PLANTINGS {
        let (directory, root) = fresh();
        let precious = directory.path().join("precious");
        plant(&root.join("empty/.olmdex"), &precious);
        let (before, outside) = (tree(&root), tree(&precious));
        for target in [".", "../empty"] {
            let mut command = program();
            command.args(["migrate", "../legacy.db", target]).current_dir(root.join("empty")).stderr(Stdio::piped());
            let (code, words) = run(command);
            assert!(matches!(code, Some(2 | 3)), "{what}: {words}");
            assert!(tree(&precious) == outside && tree(&root) == before, "{what}: something has changed\n{words}");
        }
    }
}

/// A target that is not a replaceable file stays as it is.
#[test]
fn only_regular_files_are_replaced() {
    for writer in WRITERS.iter().filter(|it| it.args.contains(&"OUT")) {
        for (what, plant) in PLANTINGS.iter().filter(|it| !it.0.contains("directory with")) {
            let (directory, root) = fresh();
            let precious = directory.path().join("precious");
            plant(&root.join("target"), &precious);
            let (before, outside) = (tree(&root), tree(&precious));
            let (code, words) = run(writer.command(&root, "target"));
            let shown = format!("{:?} to {what}", writer.args);
            assert!(matches!(code, Some(2 | 3)), "{shown}: {code:?} {words}");
            assert!(words.contains("target"), "{shown}: {words}");
            assert!(tree(&precious) == outside && tree(&root) == before, "{shown}: something has changed\n{words}");
        }
        // Planting a device needs rights; a device that every system has is refused as well.
        let (_directory, root) = fresh();
        let (code, words) = run(writer.command(&root, "/dev/null"));
        assert!(matches!(code, Some(2 | 3)) && !Path::new("/dev/null").is_file(), "{:?}: {words}", writer.args);
    }
}

/// A file keeps its permissions and its owner, but not the right to run as somebody else.
#[test]
fn a_replaced_file_keeps_permissions_and_owner() {
    for writer in WRITERS.iter().filter(|it| it.is_replacement && !it.is_directory) {
        let (_directory, root) = fresh();
        let target = root.join(writer.out);
        std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o4640)).unwrap();
        let is_root = std::os::unix::fs::chown(&target, Some(65_534), Some(65_534)).is_ok();
        if is_root {
            // A change of the owner clears it.
            std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o4640)).unwrap();
        }
        let before = target.metadata().unwrap();
        let (code, words) = run(writer.command(&root, writer.out));
        assert_eq!(code, Some(0), "{:?}: {words}", writer.args);
        let after = target.metadata().unwrap();
        assert_ne!(after.ino(), before.ino(), "{:?} has replaced the file", writer.args);
        assert_eq!(after.mode() & 0o7777, 0o640, "{:?}", writer.args);
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()), "{:?}", writer.args);
    }
}

/// Each of several writers at the same time ends as done or refused, and the result is that of one that was done.
fn race(rounds: usize, delay: Option<u64>) {
    for writer in WRITERS.iter().filter(|it| it.args.contains(&"OUT")) {
        let (_directory, root) = fresh();
        // Four of the same kind, two of which write something else.
        let others = |it: &str| match it {
            "a=shop" => "a=next".to_owned(),
            "b=next" => "b=shop".to_owned(),
            "shop" => "next".to_owned(),
            it => it.to_owned(),
        };
        let target = root.join(writer.out);
        let mut results: Vec<Vec<u8>> = Vec::new();
        let clear = || {
            let _ = std::fs::remove_dir_all(&target);
            let _ = std::fs::remove_file(&target);
            let old = seeds().join(writer.out);
            if old.exists() {
                copy(&old, &target);
            }
        };
        for is_other in [false, true] {
            clear();
            let mut command = writer.command(&root, writer.out);
            if is_other {
                let args: Vec<_> = command.get_args().map(|it| others(&it.to_string_lossy())).collect();
                command = program();
                command.args(args).current_dir(&root).env("TMPDIR", &root).stderr(Stdio::piped());
            }
            assert_eq!(run(command).0, Some(0), "{:?}", writer.args);
            results.push(packed(&target));
        }
        // Two builds one after the other leave the catalogs of both; after that, only the last catalog counts.
        let is_cumulative = writer.args[0] == "build";
        for round in 0..rounds {
            clear();
            let children: Vec<_> = (0..4)
                .map(|number| {
                    let mut command = writer.command(&root, writer.out);
                    if number % 2 == 1 {
                        let args: Vec<_> = command.get_args().map(|it| others(&it.to_string_lossy())).collect();
                        command = program();
                        command.args(args).current_dir(&root).env("TMPDIR", &root);
                        command.stdout(Stdio::null()).stderr(Stdio::piped());
                    }
                    if let Some(delay) = delay {
                        command
                            .env("OLMDEX_TEST_LOCK_DELAY_MS", ((round * 7 + number * 13) as u64 % delay).to_string());
                    }
                    command.spawn().unwrap()
                })
                .collect();
            let mut done = Vec::new();
            for (number, child) in children.into_iter().enumerate() {
                let output = child.wait_with_output().unwrap();
                let words = String::from_utf8_lossy(&output.stderr).into_owned();
                match output.status.code() {
                    Some(0) => done.push(number % 2),
                    Some(2 | 3) => assert!(
                        words.contains("another process") || words.contains("must be empty"),
                        "{:?}, round {round}: {words}",
                        writer.args
                    ),
                    code => panic!("{:?}, round {round}: {code:?} {words}", writer.args),
                }
            }
            let shown = format!("{:?}, round {round}", writer.args);
            assert!(!done.is_empty(), "{shown}: nobody has written");
            let found = packed(&target);
            assert!(
                is_cumulative || done.iter().any(|it| results[*it] == found),
                "{shown}: what is there is of nobody who has written"
            );
            if is_cumulative {
                let listed = olmdex(["list", "catalogs", "-i"]).arg(&target).answer();
                assert_eq!(listed.code, Some(0), "{shown}: {}", listed.both());
            }
            let left: Vec<_> = std::fs::read_dir(&root)
                .unwrap()
                .map(|it| it.unwrap().file_name())
                .filter(|it| it.to_string_lossy().ends_with(".olmdex"))
                .collect();
            assert!(left.is_empty(), "{shown}: {left:?} is left");
        }
    }
}

/// The content of a file, or of all files of a directory.
fn packed(path: &Path) -> Vec<u8> {
    if path.is_file() {
        return std::fs::read(path).unwrap();
    }
    format!("{:?}", tree(path).into_iter().map(|(path, (_, content))| (path, content)).collect::<Vec<_>>()).into_bytes()
}

#[test]
fn one_of_several_writers_wins() {
    race(3, None);
}

#[test]
fn one_of_several_writers_wins_with_slow_locks() {
    race(3, Some(40));
}

#[test]
#[ignore = "needs minutes"]
fn one_of_several_writers_wins_a_thousand_times() {
    race(1000, None);
    race(1000, Some(40));
}

/// A writer waits for another one of the same target, for as long as `--wait` says.
#[test]
fn a_writer_waits_for_its_turn() {
    for writer in WRITERS.iter().filter(|it| it.args.contains(&"OUT")) {
        let (_directory, root) = fresh();
        let target = root.join(writer.out);
        let hold = || -> Box<dyn std::any::Any> {
            match writer.is_directory {
                true => Box::new(NewDirectory::begin(&target).unwrap()),
                false => Box::new(Replacement::begin(&target).unwrap()),
            }
        };
        let held = hold();
        let mut impatient = writer.command(&root, writer.out);
        impatient.args(["--wait", "0"]);
        let (code, words) = run(impatient);
        assert_eq!(code, Some(3), "{:?}: {words}", writer.args);
        assert!(words.contains("another process is writing") && words.contains("--wait"), "{words}");
        let patient = writer.command(&root, writer.out).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(600));
        drop(held);
        let output = patient.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{:?}: {}", writer.args, String::from_utf8_lossy(&output.stderr));
        // Nobody at a terminal reads it.
        assert!(!String::from_utf8_lossy(&output.stderr).contains("waiting"), "{:?}", writer.args);
    }
}

/// A signal undoes a write as a whole or lets it finish as a whole, and the message tells which.
#[test]
fn a_signal_leaves_the_old_or_the_new_and_says_which() {
    let directory = scratch();
    let big = "UPDATE operatorbundle SET bundle = CAST(bundle AS TEXT) || '{\"kind\":\"X\",\"x\":\"' || hex(zeroblob(1500000)) || '\"}'";
    let source = legacy_file(directory.path(), "two-packages", big);
    let root = directory.path().join("work");
    std::fs::create_dir(&root).unwrap();
    // The command, its target, and whether the target is an existing directory that cannot be replaced.
    let cases: [(&[&str], &str, bool); 5] = [
        (&["migrate", "SOURCE", "OUT"], "tree", false),
        (&["migrate", "SOURCE", "OUT"], "link", true),
        (&["export", "--legacy", "SOURCE", "-o", "OUT"], "out.db", false),
        (&["legacy", "prune", "SOURCE", "-p", "foo", "-o", "OUT"], "out.db", false),
        (&["build", "a=SOURCE", "-o", "OUT"], "out.db", false),
    ];
    for (args, out, is_filled) in cases {
        let target = root.join(out);
        let clear = || {
            for name in ["tree", "real", "link", "out.db"] {
                let path = root.join(name);
                let _ = std::fs::remove_dir_all(&path);
                let _ = std::fs::remove_file(&path);
            }
            if is_filled {
                std::fs::create_dir(root.join("real")).unwrap();
                symlink("real", root.join("link")).unwrap();
            }
        };
        let command = || {
            let mut command = program();
            let word = |it: &&str| it.replace("SOURCE", &source.to_string_lossy()).replace("OUT", out);
            command.args(args.iter().map(word)).current_dir(&root).stdout(Stdio::null()).stderr(Stdio::piped());
            command
        };
        clear();
        let started = std::time::Instant::now();
        assert_eq!(run(command()).0, Some(0), "{args:?}");
        let took = started.elapsed();
        let new = packed(&target);
        for round in 0..10 {
            let signal = ["TERM", "INT"][round % 2];
            clear();
            let child = command().spawn().unwrap();
            std::thread::sleep(took.mul_f64(0.1 * f64::from(u32::try_from(round).unwrap()) + 0.05));
            let kill = Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).output().unwrap();
            let output = child.wait_with_output().unwrap();
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            let shown = format!("{args:?}, SIG{signal} at {round} tenths ({kill:?}): {words}");
            let exists = if is_filled { std::fs::read_dir(&target).unwrap().next().is_some() } else { target.exists() };
            assert!(!exists || packed(&target) == new, "{shown}: neither the old nor the new");
            match output.status.code() {
                Some(0) => assert!(exists, "{shown}"),
                Some(130) if words.contains("was not written") => assert!(!exists, "{shown}"),
                Some(130) if words.contains("was written") => assert!(exists, "{shown}"),
                // The signal came before there was anything to undo, or after the end.
                Some(130) | None => {}
                code => panic!("{shown}: {code:?}"),
            }
            let left: Vec<_> = std::fs::read_dir(&root).unwrap().map(|it| it.unwrap().file_name()).collect();
            assert!(!left.iter().any(|it| it.to_string_lossy().starts_with('.')), "{shown}: {left:?} is left");
        }
    }
}

/// A catalog of `n` files.
fn files(root: &Path, n: usize) {
    for at in 0..n {
        let text = format!(
            "schema: olm.package\nname: p{at}\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p{at}\nname: a\n\
             entries: [{{name: p{at}.v1.0.0}}]\n---\nschema: olm.bundle\npackage: p{at}\nname: p{at}.v1.0.0\nimage: q.io/p:1\n\
             properties:\n- {{type: olm.package, value: {{packageName: p{at}, version: 1.0.0}}}}\n"
        );
        write(root, &format!("c/p{at}.yaml"), text);
    }
}

fn hidden(directory: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let names = entries.map(|it| it.unwrap().file_name().into_string().unwrap());
    names.filter(|it| it.starts_with('.')).collect()
}

/// The signal comes while the command waits for the lock of its first workspace: every command must have the handler by
/// then, and must begin no other workspace before the process has ended.
#[test]
fn a_signal_at_the_first_workspace_leaves_none() {
    // The command, and the places of its workspaces.
    let cases: [(&[&str], &str); 3] = [
        (&["edit", "add-property", "tested=true", "--where", "1", "-q", "-i", "c"], "c"),
        (&["man", "--dir", "pages"], "pages"),
        (&["build", "c", "-q", "-o", "out.db"], "."),
    ];
    for (args, place) in cases {
        let directory = scratch();
        let root = directory.path();
        files(root, 20);
        std::fs::create_dir(root.join("pages")).unwrap();
        let mut command = program();
        command.args(args).current_dir(root).env("OLMDEX_TEST_LOCK_DELAY_MS", "300");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while hidden(&root.join(place)).is_empty() {
            assert!(child.try_wait().unwrap().is_none(), "{args:?}: it made no workspace");
            std::thread::sleep(Duration::from_millis(1));
        }
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{args:?}");
        let left = hidden(&root.join(place));
        assert!(left.is_empty(), "{args:?}: {left:?}");
    }
}

/// The system sends a signal to a process that writes more than `ulimit -f` allows.
#[test]
fn a_limit_of_file_sizes_is_an_error_and_leaves_nothing() {
    let directory = scratch();
    let root = directory.path();
    files(root, 20);
    write(root, "c/long.yaml", format!("schema: custom\npackage: p0\nname: long\ntext: {}\n", "x".repeat(5000)));
    let before = tree(root);
    // Blocks of 1024 bytes.
    let limited = |args: &[&str]| olmdex(args).in_directory(root).after("ulimit -f 1");
    let cases: [&[&str]; 3] =
        [&["build", "c", "-o", "out.db"], &["build", "c", "-o", "out.db.zst"], &["migrate", "c", "out"]];
    for args in cases {
        let answer = limited(args).answer();
        answer.expect_code(3).expect_words("ulimit -f");
        assert_eq!(tree(root), before, "{args:?}");
    }
    let answer = limited(&["render", "c"]).piped("> rendered.yaml").answer();
    answer.expect_code(3).expect_words("file too large");
}
