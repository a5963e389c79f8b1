//! The view of a person at a terminal: tables that fit, paging, progress, warnings about indexes that are too old. The
//! terminal is a pseudo-terminal of 80 columns.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use olmdex::file::Replacement;

use crate::support::recording::expect_recorded;
use crate::support::{olmdex, program, scratch};

/// Two ends of a terminal of 80 columns and 24 lines.
fn terminal() -> (OwnedFd, OwnedFd) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave = rustix::fs::open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    tcsetwinsize(&slave, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    (master, slave)
}

/// The output of a command on a terminal, without colours; `pager` is the user's setting.
fn show(args: &[&str], directory: &Path, pager: &str) -> String {
    let (master, slave) = terminal();
    let mut child = program()
        .args(args)
        .current_dir(directory)
        .env("OLMDEX_PAGER", pager)
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .env("TERM", "xterm")
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .stdout(slave.try_clone().unwrap())
        .stderr(slave)
        .spawn()
        .unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let mut buffer = [0; 4096];
        let mut master = File::from(master);
        // Reading fails as soon as the other end is closed.
        while let Ok(n @ 1..) = master.read(&mut buffer) {
            text.extend_from_slice(&buffer[..n]);
        }
        text
    });
    child.wait().unwrap();
    drop(child);
    String::from_utf8(reader.join().unwrap()).unwrap().replace('\r', "")
}

/// The commands of README's picture, each with the number of lines that it shows; none for all.
const PICTURED: [(&str, Option<usize>); 3] = [
    ("check draft", Some(13)),
    ("diagnose press --cluster must-gather.yaml -i shop", Some(19)),
    ("upgrades postgres@1.0.0 --to 1.2.0 --channel stable --olm classic -i catalog", Some(15)),
];

#[test]
fn the_picture_of_the_readme_is_what_a_terminal_shows() {
    let (directory, repository) = (scratch(), Path::new(env!("CARGO_MANIFEST_DIR")));
    for (from, to) in [
        ("guides/draft", "draft"),
        ("guides/catalog", "catalog"),
        ("clusters/stuck-in-many-ways.yaml", "must-gather.yaml"),
        ("catalogs/shop-that-moves-on", "shop"),
    ] {
        let mut copy = std::process::Command::new("cp");
        copy.arg("-r").arg(repository.join("fixtures").join(from)).arg(directory.path().join(to));
        assert!(copy.status().unwrap().success());
    }
    let mut text = String::new();
    for (command, n_lines) in PICTURED {
        let words: Vec<&str> = command.split(' ').collect();
        let shown = show(&words, directory.path(), "cat");
        let n_all = shown.lines().count();
        let n_shown = n_lines.unwrap_or(n_all).min(n_all);
        text.push_str(&format!("\u{1b}[1;32m$\u{1b}[0m \u{1b}[1molmdex {command}\u{1b}[0m\n"));
        shown.lines().take(n_shown).for_each(|line| text.push_str(&format!("{line}\n")));
        text.push_str(if n_shown < n_all { "…\n\n" } else { "\n" });
    }
    // Bright colours can be read on black.
    for colour in 31..=36 {
        for before in ["[", ";"] {
            text = text.replace(&format!("{before}{colour}m"), &format!("{before}{}m", colour + 60));
        }
    }
    let picture = anstyle_svg::Term::new().min_width_px(760).render_svg(text.trim_end());
    expect_recorded("terminals", &[(repository.join("docs/pictures/terminal.svg"), picture + "\n")]);
}

/// A text without colours.
fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').map_or(part, |it| it.1))
}

/// An index of the fixtures' shop, with its sources beside it.
fn shop() -> tempfile::TempDir {
    let directory = scratch();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for (from, to) in [("shop/in", "shop"), ("help/my-catalog", "community")] {
        let mut copy = std::process::Command::new("cp");
        copy.arg("-r").arg(fixtures.join(from)).arg(directory.path().join(to));
        assert!(copy.status().unwrap().success());
    }
    olmdex(["build", "shop", "community", "-o", "index.db", "-q"])
        .in_directory(directory.path())
        .answer()
        .expect_code(0);
    directory
}

#[test]
fn tables_fit_and_say_once_what_is_the_same() {
    let directory = shop();
    let shown = plain(&show(&["list", "bundles", "--catalog", "community"], directory.path(), "cat"));
    assert!(shown.starts_with("In all rows: CATALOG community, CHANNELS stable\nPACKAGE "), "{shown}");
    for line in shown.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    // A pipe gets the same columns whatever their content.
    let piped = olmdex(["list", "bundles", "--catalog", "community"]).in_directory(directory.path()).answer().out();
    assert!(piped.starts_with("CATALOG     PACKAGE "), "{piped}");
    // A value that does not fit is cut, and the wide table has all of it.
    let answer = ["images", "keda@2.10.1", "-q", "-o"];
    let cut = plain(&show(&[&answer[..], &["table"]].concat(), directory.path(), "cat"));
    assert!(cut.contains('…') && cut.ends_with("Cut to fit the terminal; `-o wide` shows everything.\n"), "{cut}");
    let wide = plain(&show(&[&answer[..], &["wide"]].concat(), directory.path(), "cat"));
    assert!(!wide.contains('…') && wide.lines().any(|it| it.chars().count() > 80), "{wide}");
}

#[test]
fn sheets_are_wrapped_between_words() {
    let directory = shop();
    let shown = plain(&show(&["updates", "till@1.0.0", "--catalog", "shop", "-q"], directory.path(), "cat"));
    assert!(shown.lines().all(|it| it.chars().count() <= 80), "{shown}");
    assert!(shown.contains("reason:    `replaces: till.v1.0.0` in stable\n"), "{shown}");
    let verbose = plain(&show(&["updates", "till@1.0.0", "--catalog", "shop", "-v"], directory.path(), "cat"));
    assert!(verbose.contains("reason:    its entry has `replaces: till.v1.0.0` (channel stable,"), "{verbose}");
}

#[test]
fn headers_are_bold_unless_nobody_wants_colours() {
    let directory = shop();
    let coloured = show(&["list", "channels"], directory.path(), "cat");
    assert!(coloured.contains("\u{1b}[1mCATALOG"), "{coloured}");
    let none = show(&["list", "channels", "--color", "never"], directory.path(), "cat");
    assert!(!none.contains('\u{1b}'), "{none}");
}

#[test]
fn what_decides_is_never_cut() {
    let directory = shop();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let [next, old, community, cluster] = ["shop-next/in", "help/old-catalog", "help/my-catalog", "help/must-gather"]
        .map(|it| fixtures.join(it).display().to_string());
    // People read a row for each package below a sentence, and the changes of named packages one by one.
    let shown = show(&["diff", "shop", &next], directory.path(), "cat");
    assert!(shown.starts_with("\u{1b}[31m✗\u{1b}[0m \u{1b}[1m1 package breaks something; 1 package is new"), "{shown}");
    let shown = plain(&shown);
    assert!(shown.contains("stranded: 1.0.0 has no upgrade any more") && !shown.contains('…'), "{shown}");
    assert!(shown.lines().filter(|it| !it.contains("`-o wide`")).all(|it| it.chars().count() <= 80), "{shown}");
    let shown = show(&["diff", "shop", &next, "-p", "till"], directory.path(), "cat");
    assert!(shown.contains("\u{1b}[31mstranded\u{1b}[0m"), "{shown}");
    let shown = plain(&shown);
    assert!(shown.lines().all(|it| it.chars().count() <= 80), "{shown}");
    assert!(shown.lines().take_while(|it| !it.starts_with("Cut ")).all(|it| !it.contains('…')), "{shown}");
    assert!(shown.lines().any(|it| it.ends_with("1.0.0: till.v1.1.0 → none")), "{shown}");
    let (old, community) = (format!("4.16={old}"), format!("4.17={community}"));
    let plan = ["plan", "--cluster", &cluster, "--to", "4.17", "-i", &old, "-i", &community];
    let shown = show(&plan, directory.path(), "cat");
    assert!(shown.contains("\u{1b}[31mbehind, blocks\u{1b}[0m"), "{shown}");
    let shown = plain(&shown);
    assert!(!shown.contains('…') && shown.contains("\n      INSTALLED keda.v2.8.1   TARGET keda.v2.10.1\n"), "{shown}");
    // A pipe gets the same in one line.
    let piped = olmdex(plan).in_directory(directory.path()).answer().out();
    assert!(piped.contains("keda.v2.8.1            behind         behind, blocks   keda.v2.10.1"), "{piped}");
}

/// A sentence comes first, runs of equal rows are one, both generations of OLM share a block, and places are shown on
/// demand (pages F12).
#[test]
fn a_sentence_comes_first_and_equal_rows_are_one() {
    let directory = shop();
    let path = ["path", "keda@2.8.1", "--catalog", "community"];
    let shown = plain(&show(&path, directory.path(), "cat"));
    assert!(shown.starts_with("✓ keda: 2.12.0 is 3 upgrades away\n\nOLM:  "), "{shown}");
    assert!(shown.contains("classic, v1") && shown.matches("Steps:").count() == 1, "{shown}");
    assert!(!shown.contains("PLACE"), "{shown}");
    let verbose = plain(&show(&[&path[..], &["-v"]].concat(), directory.path(), "cat"));
    assert!(verbose.contains("PLACE"), "{verbose}");
    let chain: String = (0..40).fold(String::new(), |text, at| {
        let replaces = if at > 0 { format!(", replaces: many.v1.{}.0", at - 1) } else { String::new() };
        text + &format!("- {{name: many.v1.{at}.0{replaces}}}\n")
    });
    let bundles: String = (0..40).fold(String::new(), |text, at| {
        let highest = if at < 25 { "4.18" } else { "4.20" };
        text + &format!(
            "---\nschema: olm.bundle\npackage: many\nname: many.v1.{at}.0\nimage: q.io/many:{at}\nproperties:\n\
             - {{type: olm.package, value: {{packageName: many, version: 1.{at}.0}}}}\n\
             - {{type: olm.maxOpenShiftVersion, value: '{highest}'}}\n"
        )
    });
    let text = format!(
        "schema: olm.package\nname: many\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: many\nname: stable\nentries:\n{chain}{bundles}"
    );
    crate::support::write(directory.path(), "many/catalog.yaml", text);
    let compat = plain(&show(&["compat", "many", "--openshift", "4.19", "-i", "many"], directory.path(), "cat"));
    assert!(
        compat.starts_with("✗ 25 of 40 versions block the update from 4.19 to 4.20; 1.25.0 and later do not\n"),
        "{compat}"
    );
    assert!(compat.contains("1.0.0 – 1.24.0") && compat.lines().count() < 15, "{compat}");
    let shown = plain(&show(&["show", "many", "-i", "many"], directory.path(), "cat"));
    assert!(shown.contains("1.0.0 – 1.39.0") && shown.lines().count() < 24, "{shown}");
}

#[test]
fn long_answers_go_through_the_users_pager() {
    let directory = shop();
    let paged = plain(&show(&["list", "packages"], directory.path(), "sed 's/^/paged: /'"));
    assert!(!paged.is_empty() && paged.lines().all(|it| it.starts_with("paged: ")), "{paged}");
    let unpaged = plain(&show(&["list", "packages", "--no-pager"], directory.path(), "sed 's/^/paged: /'"));
    assert!(!unpaged.contains("paged"), "{unpaged}");
    // A pager that ends early ends the answer, without a message. Later messages follow its end.
    assert_eq!(plain(&show(&["render", "shop"], directory.path(), "true")), "");
    let both = plain(&show(&["show", "absent"], directory.path(), "sed 's/^/paged: /'"));
    assert!(both.starts_with("error: no package or bundle"), "{both}");
    // If the pager cannot be started, the answer is shown without it.
    let missing = plain(&show(&["list", "packages"], directory.path(), ""));
    assert!(missing.contains("keda"), "{missing}");
}

#[test]
fn an_index_that_is_older_than_its_source_is_named() {
    let directory = shop();
    let file = directory.path().join("shop/till/package.yaml");
    let ask = || plain(&show(&["list", "packages"], directory.path(), "cat"));
    assert!(!ask().contains("older"), "{}", ask());
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}# changed\n")).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    File::options().append(true).open(&file).unwrap().set_modified(later).unwrap();
    let shown = ask();
    assert!(shown.contains("warning: the index is older than catalog `shop`: "), "{shown}");
    assert!(shown.contains("  = help: `olmdex build shop=shop -O index.db`"), "{shown}");
    let info = olmdex(["info"]).in_directory(directory.path()).answer().out();
    assert!(info.contains("catalog `shop` has changed since: "), "{info}");
    // Nobody checks every file of a source that is too large to be a catalog: the author of the index may have named
    // `/`.
    let database = rusqlite::Connection::open(directory.path().join("index.db")).unwrap();
    database.execute("UPDATE catalog SET source = '/' WHERE name = 'shop'", []).unwrap();
    drop(database);
    assert!(!ask().contains("older than catalog `shop`"), "{}", ask());
}

#[test]
fn a_plan_is_read_whole_and_keeps_its_indentation() {
    let directory = scratch();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let old = format!("4.16={}", fixtures.join("help/old-catalog").display());
    let new = format!("4.17={}", fixtures.join("help/my-catalog").display());
    let cluster = fixtures.join("clusters/half-a-must-gather");
    let args = ["plan", "--cluster", cluster.to_str().unwrap(), "--to", "4.17", "-i", &old, "-i", &new];
    let args = [&args[..], &["--date", "2026-03-01", "-q"]].concat();
    let shown = plain(&show(&args, directory.path(), "cat"));
    let (_, below) = shown.split_once("\nBlockers:\n").unwrap_or_else(|| panic!("{shown}"));
    assert!(!below.contains('…'), "{shown}");
    let words = below.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("maximum supported OCP version for shop/keda.v2.8.1 is 4.16 lifted by: update"), "{shown}");
    let (blockers, steps) = below.split_once("\nSteps:\n").unwrap();
    assert!(blockers.lines().all(|it| it.chars().count() <= 80 || !it.trim().contains(' ')), "{blockers}");
    assert!(steps.contains("\n  2. Update shop/keda to "), "{steps}");
    assert!(steps.contains("\n     because: it supports OpenShift up to 4.16"), "{steps}");
    let wide = plain(&show(&[&args[..], &["-o", "wide"]].concat(), directory.path(), "cat"));
    assert!(!wide.contains('…') && !wide.contains("Cut to"), "{wide}");
    // A command is broken only where a shell goes on, since half of it would be another command.
    let broken = steps.lines().filter(|it| it.starts_with("       ")).collect::<Vec<_>>().join("\n");
    let (steps, n_broken) = (broken.replace(" \\\n         ", " "), broken.matches(" \\\n").count());
    assert!(n_broken > 2 && broken.lines().all(|it| it.chars().count() <= 80), "{broken}");
    let steps = steps.as_str();
    let piped = olmdex(args).answer().out();
    let commands =
        |text: &str| text.lines().filter(|it| it.starts_with("       ")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(commands(steps), commands(piped.split_once("\nSteps:\n").unwrap().1), "{steps}");
    assert!(commands(steps).len() > 8, "{steps}");
}

/// Somebody at a terminal learns what a command waits for.
#[test]
fn who_waits_for_another_writer_is_told_so() {
    let directory = shop();
    let held = Replacement::begin(&directory.path().join("other.db")).unwrap();
    let shown = plain(&show(&["build", "shop", "-o", "other.db", "--wait", "1"], directory.path(), "cat"));
    drop(held);
    assert!(shown.contains("waiting up to 1 second for another process that is writing other.db"), "{shown}");
    assert!(shown.contains("error: another process is writing other.db"), "{shown}");
}
