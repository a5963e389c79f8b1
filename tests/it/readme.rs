//! The README and the guides are true: each of their commands runs, in order, with the shown output; pictures are the
//! commands' own; links lead somewhere.
//!
//! Each document has a directory of its own, which holds a copy of `fixtures/guides`, with `old.sql` as the legacy file
//! that it describes, and the other fixtures below `fixtures`.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::lacks_feature;
use crate::support::recording::expect_recorded;

/// The directory of the pictures that documents draw and show.
const PICTURES: &str = "docs/pictures";

/// The first guide for each kind of user.
const GUIDES: &[&str] = &[
    "README.md",
    "docs/author.md",
    "docs/legacy-owner.md",
    "docs/maintainer.md",
    "docs/platform-team.md",
    "docs/portal-builder.md",
    "docs/upgrade-planner.md",
];

/// A line of a document, or a command with its output below it.
enum Part<'a> {
    Line(&'a str),
    Command { line: &'a str, output: String },
}

/// Takes the blocks of `console` apart. Blocks with foreign commands are left alone.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        parts.push(Part::Line(line));
        if line != "```console" || !lines.peek().is_some_and(|it| it.starts_with("$ olmdex ")) {
            continue;
        }
        while let Some(command) = lines.next_if(|it| it.starts_with("$ ")) {
            let mut output = String::new();
            while let Some(line) = lines.next_if(|it| !it.starts_with("$ ") && *it != "```") {
                output.push_str(line);
                output.push('\n');
            }
            parts.push(Part::Command { line: command, output });
        }
    }
    parts
}

/// The highest number of lines of output that is not cut automatically; longer output keeps this many.
const N_WHOLE: usize = 28;
const N_CUT: usize = 24;

/// Runs a command in a shell that finds our program.
fn run(command: &str, directory: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_olmdex"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(directory)
        .env("PATH", path)
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .env_remove("OLMDEX_INDEX")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn copy(from: &Path, to: &Path) {
    let mut open = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = open.pop() {
        if !from.is_dir() {
            std::fs::copy(from, to).unwrap();
            continue;
        }
        std::fs::create_dir_all(&to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            open.push((entry.path(), to.join(entry.file_name())));
        }
    }
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a folder of the repository; empty if there is no such folder.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = entries.map(|it| it.unwrap().path()).filter(|it| it.is_file()).collect();
    files.sort();
    files
}

/// The README and the guides.
fn walks() -> Vec<PathBuf> {
    let mut walks = vec![package().join("README.md")];
    walks.extend(files_of(&package().join("docs")).into_iter().filter(|it| !it.ends_with("rules.md")));
    walks
}

/// The expected texts of a document and of the pictures that it draws.
fn walked(path: &Path) -> Vec<(PathBuf, String)> {
    let text = std::fs::read_to_string(path).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    copy(&package().join("fixtures/guides"), scratch.path());
    let legacy = std::fs::read_to_string(scratch.path().join("old.sql")).unwrap();
    rusqlite::Connection::open(scratch.path().join("old.db")).unwrap().execute_batch(&legacy).unwrap();
    std::os::unix::fs::symlink(package().join("fixtures"), scratch.path().join("fixtures")).unwrap();
    let pictures = scratch.path().join(PICTURES);
    std::fs::create_dir_all(&pictures).unwrap();
    let mut found = String::new();
    for part in parts(&text) {
        match part {
            Part::Line(line) => found.push_str(&format!("{line}\n")),
            Part::Command { line, output } if lacks_feature(line) => found.push_str(&format!("{line}\n{output}")),
            Part::Command { line, output } => {
                let printed = run(line.trim_start_matches("$ "), scratch.path());
                let n_lines = printed.lines().count();
                // Long output is shown up to a line of dots, which stays where an author has put it.
                let n_shown = match n_lines {
                    _ if output.ends_with("…\n") => output.lines().count() - 1,
                    ..=N_WHOLE => n_lines,
                    _ => N_CUT,
                };
                let shown: String = printed.split_inclusive('\n').take(n_shown).collect();
                let dots = if n_shown < n_lines { "…\n" } else { "" };
                found.push_str(&format!("{line}\n{shown}{dots}"));
            }
        }
    }
    let drawn = files_of(&pictures)
        .into_iter()
        .map(|it| (package().join(PICTURES).join(it.file_name().unwrap()), std::fs::read_to_string(it).unwrap()));
    std::iter::once((path.to_owned(), found)).chain(drawn).collect()
}

#[test]
fn the_readme_and_the_guides_print_and_draw_what_they_show() {
    let walks = walks();
    let mut found: Vec<(PathBuf, String)> = Vec::new();
    std::thread::scope(|scope| {
        let running: Vec<_> = walks.iter().map(|it| scope.spawn(|| walked(it))).collect();
        for one in running {
            found.extend(one.join().unwrap());
        }
    });
    let drawn: BTreeSet<&Path> = found.iter().map(|it| it.0.as_path()).collect();
    // The picture of a terminal is drawn by a test of terminals.
    for picture in files_of(&package().join(PICTURES)).into_iter().filter(|it| !it.ends_with("terminal.svg")) {
        assert!(drawn.contains(picture.as_path()), "no document draws {}", picture.display());
    }
    expect_recorded("readme", &found);
}

/// The twins that a test runs in place of parts of the first minute that need a network, a cluster or time.
const TWINS: &[(&str, &str)] = &[
    (
        "community-operators-v4.20=docker://registry.redhat.io/redhat/community-operator-index:v4.20",
        "community-operators-v4.19=oci:registry:latest",
    ),
    ("--to 4.20", "--to 4.19"),
    ("--cluster @", "--cluster must-gather/"),
    ("serve index.db --http 127.0.0.1:8080", "export index.db --to site -O site"),
    ("search database", "search postgres"),
];

#[test]
fn the_first_minute_of_the_readme_works_without_a_network() {
    let text = std::fs::read_to_string(package().join("README.md")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    for (from, to) in [("catalog", "my-catalog"), ("catalog", "catalog"), ("cluster", "must-gather")] {
        copy(&package().join("fixtures/guides").join(from), &scratch.path().join(to));
    }
    copy(&package().join("fixtures/guides/olmdex.toml"), &scratch.path().join("olmdex.toml"));
    run("olmdex image build community --destination oci:registry:latest -q", scratch.path());
    let mut n_run = 0;
    let mut is_shell = false;
    for line in text.lines() {
        is_shell = if line.starts_with("```") { line == "```sh" } else { is_shell };
        if !is_shell || !line.starts_with("olmdex ") {
            continue;
        }
        let twin = TWINS.iter().fold(line.to_owned(), |line, (real, twin)| line.replace(real, twin));
        let printed = run(&format!("{twin}; echo exit $?"), scratch.path());
        // Findings and blockers are answers, too.
        assert!(printed.ends_with("exit 0\n") || printed.ends_with("exit 1\n"), "{line}\n{printed}");
        n_run += 1;
    }
    assert_eq!(n_run, 9, "lines of the first minute");
}

#[test]
fn the_readme_is_short_and_narrow() {
    let text = std::fs::read_to_string(package().join("README.md")).unwrap();
    assert!(text.lines().count() <= 150);
    let rows = text.lines().filter(|line| line.starts_with('|'));
    assert_eq!(rows.filter(|row| row.chars().count() > 120).collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn the_readme_and_each_guide_have_commands_that_are_run() {
    for path in GUIDES {
        let text = std::fs::read_to_string(package().join(path)).unwrap();
        let n_commands = parts(&text).iter().filter(|it| matches!(it, Part::Command { .. })).count();
        assert!(n_commands >= 5, "{path}: {n_commands} commands");
    }
}

/// The documents whose links are followed: all except for those below `fixtures`, which are data.
fn documents() -> Vec<PathBuf> {
    let folders = ["", "docs", "docs/behaviour", "packaging", "schema", "schema/output", "migrations"];
    let files = folders.iter().flat_map(|it| files_of(&package().join(it)));
    files.filter(|it| it.extension().is_some_and(|it| it == "md")).collect()
}

/// The prose lines of a document: without blocks of code, and without code between backticks.
fn prose(text: &str) -> Vec<String> {
    let mut is_code = false;
    let mut prose = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            prose.push(line.split('`').step_by(2).collect::<Vec<_>>().join("`"));
        }
    }
    prose
}

/// The targets of links and pictures, as written.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        for (start, end) in [("](", ')'), ("src=\"", '"'), ("href=\"", '"')] {
            for (at, _) in line.match_indices(start) {
                let rest = &line[at + start.len()..];
                links.extend(rest.split_once(end).map(|it| it.0.to_owned()));
            }
        }
    }
    links
}

/// The names under which the headings of a document can be linked to, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut is_code = false;
    let mut anchors = BTreeSet::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let title = line.trim_start_matches('#');
        if is_code || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let is_kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
        let name: String = title.trim().to_lowercase().chars().filter(is_kept).collect();
        let name = name.replace(' ', "-");
        let n = seen.entry(name.clone()).or_default();
        anchors.insert(if *n == 0 { name } else { format!("{name}-{n}") });
        *n += 1;
    }
    anchors
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut dead = Vec::new();
    let mut n_followed = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let is_there = target.exists()
                && (anchor.is_empty()
                    || std::fs::read_to_string(&target).is_ok_and(|it| anchors(&it).contains(anchor)));
            if !is_there {
                dead.push(format!("{}: {link}", path.strip_prefix(package()).unwrap().display()));
            }
            n_followed += 1;
        }
    }
    assert!(n_followed > 30, "links are no longer found");
    assert!(dead.is_empty(), "links that lead nowhere:\n{}", dead.join("\n"));
}

#[test]
fn links_are_taken_from_prose_alone() {
    let text = "[a](b.md) `[c](d.md)` <img src=\"e.svg\">\n```\n[f](g.md)\n```\n## Of `--json`, twice\n## Of `--json`, twice\n";
    assert_eq!(links(text), ["b.md", "e.svg"]);
    assert_eq!(Vec::from_iter(anchors(text)), ["of---json-twice", "of---json-twice-1"]);
}
