//! Building and asking on the command line in a hostile world: rights, pipes, disks, names, damage.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::ffi::OsStr;
use std::path::Path;

use crate::support::{as_nobody, olmdex, open_to_all, scratch, write};

fn fixtures() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"))
}

/// An index of the shop in a new directory.
fn shop() -> (tempfile::TempDir, std::path::PathBuf) {
    let directory = scratch();
    let target = directory.path().join("index.db");
    olmdex(["build"])
        .arg(format!("shop={}", fixtures().join("shop/in").display()))
        .arg("-o")
        .arg(&target)
        .answer()
        .expect_code(0);
    (directory, target)
}

#[test]
fn a_read_only_index_in_a_read_only_directory_answers_anybody() {
    use std::os::unix::fs::PermissionsExt as _;
    let (directory, target) = shop();
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o444)).unwrap();
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o555)).unwrap();
    for arguments in [vec!["list", "bundles"], vec!["show", "till"], vec!["search", "receipt"], vec!["info"]] {
        let mut arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        if arguments[0] != "info" {
            arguments.push(OsStr::new("-i"));
        }
        arguments.push(target.as_os_str());
        as_nobody(&arguments).expect_code(0);
    }
    let build: [&OsStr; 4] = [OsStr::new("build"), fixtures().as_os_str(), OsStr::new("-o"), target.as_os_str()];
    let answer = as_nobody(&build);
    // The command reports why it cannot build here, and leaves nothing behind.
    assert_ne!(answer.code, Some(0), "{}", answer.both());
    assert_ne!(answer.code, Some(70), "{}", answer.both());
    open_to_all(directory.path());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_damaged_index_is_an_error_with_a_way_out_for_every_command() {
    let (directory, target) = shop();
    let whole = std::fs::read(&target).unwrap();
    let commands: [&[&str]; 5] =
        [&["list", "bundles", "-i"], &["show", "till", "-i"], &["search", "receipt", "-i"], &["render"], &["validate"]];
    let run = |bytes: &[u8], what: &str| {
        let path = write(directory.path(), "damaged.db", bytes);
        for command in commands {
            let answer = olmdex(command.iter().copied()).arg(&path).answer();
            assert_eq!(answer.code, Some(3), "{what}: {command:?}: {}", answer.both());
            answer.expect_words("help:");
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{what}: a reader must not write");
    };
    run(&whole[..whole.len() / 2], "half of it");
    run(&whole[..50], "fifty bytes");
    let mut scribbled = whole.clone();
    for page in scribbled.chunks_mut(4096).skip(1) {
        page.fill(0xA5);
    }
    run(&scribbled, "all pages but the first overwritten");
    let mut newer = whole.clone();
    newer[60..64].copy_from_slice(&1000_i32.to_be_bytes());
    run(&newer, "a newer schema");
    // One overwritten page: an error or a right answer, never a crash.
    for page in 1..whole.len() / 4096 {
        let mut one = whole.clone();
        one[page * 4096..(page + 1) * 4096].fill(0xFF);
        let path = write(directory.path(), "damaged.db", &one);
        for command in commands {
            let answer = olmdex(command.iter().copied()).arg(&path).answer();
            assert!(matches!(answer.code, Some(0 | 1 | 3 | 4)), "page {page}: {command:?}: {}", answer.both());
        }
    }
}

#[test]
fn hostile_names_are_stored_asked_and_shown() {
    let directory = scratch();
    let channel = "\u{1b}[2Jstable'; DROP TABLE bundle; --\n<script>|\"\u{202e}";
    let bundle = "foo.v1.0.0\u{7}\u{9b}31m'\"";
    let blobs = [
        serde_json::json!({"schema": "olm.package", "name": "foo", "defaultChannel": channel, "description": "\u{1b}]0;title\u{7}"}),
        serde_json::json!({"schema": "olm.channel", "package": "foo", "name": channel, "entries": [{"name": bundle}]}),
        serde_json::json!({"schema": "olm.bundle", "package": "foo", "name": bundle, "image": "quay.io/foo/foo:v1",
            "properties": [{"type": "olm.package", "value": {"packageName": "foo", "version": "1.0.0"}}]}),
    ];
    let catalog = write(directory.path(), "catalog.json", blobs.map(|it| it.to_string()).join("\n"));
    let target = directory.path().join("index.db");
    olmdex(["build", "-o"]).arg(&target).arg(&catalog).answer().expect_code(0);
    let name = format!("foo/{channel}");
    let commands: [&[&str]; 8] = [
        &["list", "channels", "-o", "wide"],
        &["list", "channels", "-o", "markdown"],
        &["list", "bundles", "-o", "name"],
        &["show", "foo"],
        &["show", &name],
        &["show", bundle],
        &["sql", "SELECT * FROM v_channel"],
        &["show", "foo/\u{1b}[31m"],
    ];
    for command in commands {
        let answer = olmdex(command.iter().copied()).arg("-i").arg(&target).answer();
        assert!(matches!(answer.code, Some(0 | 4)), "{command:?}: {}", answer.both());
        let shown = answer.out() + &answer.err();
        let is_safe = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
        assert!(shown.chars().all(is_safe), "{command:?} shows control characters: {shown:?}");
        assert!(!command.contains(&"markdown") || !shown.contains("<script>"), "{shown}");
    }
    // Data formats carry names as they are.
    let answer = olmdex(["list", "channels", "-o", "json", "-i"]).arg(&target).answer();
    let value: serde_json::Value = serde_json::from_slice(&answer.expect_code(0).stdout).unwrap();
    assert_eq!(value["items"][0]["channel"], channel);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let (_directory, target) = shop();
    for command in ["list bundles", "show till", "sql 'SELECT * FROM v_document a, v_document b, v_document c'"] {
        let words = format!("{} {command} -i {} | head -1", env!("CARGO_BIN_EXE_olmdex"), target.display());
        let output = std::process::Command::new("sh").args(["-c", &words]).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{words}: {output:?}");
        assert!(!output.stdout.is_empty(), "{words}");
    }
}

#[test]
fn a_statement_that_takes_too_long_is_stopped() {
    let (_directory, target) = shop();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    olmdex(["sql", endless, "--timeout", "1", "-i"]).arg(&target).answer().expect_code(5).expect_words("stopped");
}

#[test]
fn a_statement_cannot_write_or_leave_the_index() {
    let (directory, target) = shop();
    let before = std::fs::read(&target).unwrap();
    let elsewhere = directory.path().join("elsewhere.db");
    for statement in [
        "DELETE FROM bundle".to_owned(),
        "CREATE TABLE t (a)".to_owned(),
        format!("ATTACH '{}' AS x", elsewhere.display()),
        format!("VACUUM INTO '{}'", elsewhere.display()),
        "PRAGMA query_only = 0".to_owned(),
        "PRAGMA user_version = 9".to_owned(),
        "SELECT load_extension('x')".to_owned(),
    ] {
        olmdex(["sql", &statement, "-i"]).arg(&target).answer().expect_code(2);
    }
    assert_eq!(std::fs::read(&target).unwrap(), before);
    assert!(!elsewhere.exists());
}

#[test]
fn broken_packages_can_be_left_out() {
    let directory = scratch();
    let target = directory.path().join("index.db");
    for name in ["shop", "five-mistakes"] {
        let copy = std::process::Command::new("cp")
            .arg("-r")
            .arg(fixtures().join(name).join("in"))
            .arg(directory.path().join(name))
            .status();
        assert!(copy.unwrap().success());
    }
    // The broken catalog has a `till` too, so together they have one broken package.
    let both = directory.path().join("both");
    std::fs::create_dir(&both).unwrap();
    for name in ["shop", "five-mistakes"] {
        std::fs::rename(directory.path().join(name), both.join(name)).unwrap();
    }
    olmdex(["build", "-o"]).arg(&target).arg(&both).answer().expect_code(1).expect_words("--keep-going");
    assert!(!target.exists());
    olmdex(["build", "--keep-going", "-o"])
        .arg(&target)
        .arg(&both)
        .answer()
        .expect_code(1)
        .expect_words("left out `till`");
    let answer = olmdex(["list", "packages", "-o", "name", "-i"]).arg(&target).answer();
    assert_eq!(answer.out(), "ledger\n");
}

#[test]
fn an_index_is_a_source_like_any_other() {
    let (directory, target) = shop();
    let copy = directory.path().join("copy.db");
    olmdex(["build", "-o"]).arg(&copy).arg(format!("renamed={}", target.display())).answer().expect_code(0);
    let render = |path: &Path| olmdex(["render"]).arg(path).answer().expect_code(0).stdout.clone();
    assert_eq!(render(&target), render(&copy));
    assert_eq!(render(&target), render(&fixtures().join("shop/in")));
    let answer = olmdex(["list", "catalogs", "-o", "name", "-i"]).arg(&copy).answer();
    assert_eq!(answer.out(), "renamed\n");
    // Two indexes at once, one of them renamed.
    let answer = olmdex(["list", "packages", "-o", "csv", "--no-headers", "-i"])
        .arg(&copy)
        .arg("-i")
        .arg(format!("other={}", target.display()))
        .answer();
    assert_eq!(answer.expect_code(0).out().lines().count(), 4);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /dev/full")]
fn a_full_disk_for_the_output_is_an_error() {
    let (_directory, target) = shop();
    let words = format!("{} list bundles -i {} > /dev/full", env!("CARGO_BIN_EXE_olmdex"), target.display());
    let output = std::process::Command::new("sh").args(["-c", &words]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

/// A package with channels 1.9, 1.10 and a default channel, whose head is not the highest version.
fn numbered_channels(root: &Path) -> std::path::PathBuf {
    let mut text = String::from("schema: olm.package\nname: gauge\ndefaultChannel: stable\n");
    for (channel, version) in [("stable", "1.8.0"), ("gauge-1.9", "1.9.0"), ("gauge-1.10", "1.10.0")] {
        text.push_str(&format!(
            "---\nschema: olm.channel\npackage: gauge\nname: {channel}\nentries: [{{name: gauge.v{version}}}]\n---\nschema: olm.bundle\npackage: gauge\nname: gauge.v{version}\nimage: quay.io/x/gauge:v{version}\nproperties:\n- {{type: olm.package, value: {{packageName: gauge, version: {version}}}}}\n"
        ));
    }
    write(root, "gauges/catalog.yaml", text)
}

#[test]
fn channels_are_shown_the_newest_first_as_on_pages() {
    let directory = scratch();
    numbered_channels(directory.path());
    let names = olmdex(["show", "gauge", "-i", "gauges", "-o", "name"]).in_directory(directory.path()).answer();
    assert_eq!(names.out(), "stable\ngauge-1.10\ngauge-1.9\n");
}

#[test]
fn version_means_the_same_in_every_list_of_packages() {
    let directory = scratch();
    numbered_channels(directory.path());
    let column = |args: &[&str], header: &str| {
        let answer = olmdex(args.iter().copied()).args(["-i", "gauges", "-o", "csv"]).in_directory(directory.path());
        let text = answer.answer().out();
        let mut lines = text.lines().map(|it| it.split(',').map(str::to_owned).collect::<Vec<_>>());
        let at = lines.next().unwrap().iter().position(|it| it == header).unwrap();
        lines.next().unwrap()[at].clone()
    };
    for command in [&["list", "packages"][..], &["search", "gauge"]] {
        assert_eq!(column(command, "DEFAULT HEAD"), "1.8.0", "{command:?}");
        assert_eq!(column(command, "HIGHEST VERSION"), "1.10.0", "{command:?}");
    }
    assert_eq!(column(&["search", "gauge"], "NEWEST MATCH"), "1.10.0");
}
