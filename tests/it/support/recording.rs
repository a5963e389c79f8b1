//! Recorded texts: the results of a test are compared with files of the repository, or written there anew.
//!
//! CONTRIBUTING.md says under "How to record" when and how. This module writes nowhere but among the recorded texts,
//! and never touches the answers of the real systems.

use std::path::{Path, PathBuf};

/// The switch: with the value 1, tests write their results instead of comparing them.
const SWITCH: &str = "OLMDEX_RECORD";

/// The places of recorded texts.
const PLACES: &[&str] = &["fixtures", "schema", "docs", "README.md", "ARCHITECTURE.md"];

/// The answers of the real systems, which none of our results may replace.
const FOREIGN: &str = "fixtures/recorded";

/// Demands that each file holds the result, or writes it there while the switch is on. `test` is the name with which
/// `cargo test --test it` runs the caller.
#[track_caller]
pub fn expect_recorded(test: &str, found: &[(PathBuf, impl AsRef<[u8]>)]) {
    let is_on = std::env::var_os(SWITCH).is_some_and(|it| it == "1");
    let mut differences = Vec::new();
    for (path, text) in found {
        let recorded = std::fs::read(path).unwrap_or_default();
        let text = text.as_ref();
        if recorded == text {
            continue;
        }
        if is_on {
            assert!(may_be_written(path), "{} is no place of recorded texts", path.display());
            std::fs::write(path, text).unwrap();
        } else {
            let recorded = String::from_utf8_lossy(&recorded);
            differences.push(format!("{}\n{}", shown(path), difference(&recorded, &String::from_utf8_lossy(text))));
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {} recorded texts differ (`-` recorded, `+` found)\n\n{}\nIf this is meant: {SWITCH}=1 cargo test --test it {test}",
        differences.len(),
        found.len(),
        differences.join("\n")
    );
}

fn shown(path: &Path) -> std::path::Display<'_> {
    path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(path).display()
}

fn may_be_written(path: &Path) -> bool {
    let Ok(path) = path.strip_prefix(env!("CARGO_MANIFEST_DIR")) else { return false };
    let is_plain = path.components().all(|it| matches!(it, std::path::Component::Normal(_)));
    is_plain && PLACES.iter().any(|it| path.starts_with(it)) && !path.starts_with(FOREIGN)
}

/// Lines of context around a difference.
const N_AROUND: usize = 2;

/// The lines in which two texts differ, with some around them.
fn difference(recorded: &str, found: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (recorded.split_inclusive('\n').collect(), found.split_inclusive('\n').collect());
    // How many lines two tails have in common, in order.
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for (i, before) in old.iter().enumerate().rev() {
        for (j, after) in new.iter().enumerate().rev() {
            common[i][j] =
                if before == after { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines: Vec<(char, &str)> = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            lines.push(('-', old[i]));
            i += 1;
        } else {
            lines.push(('+', new[j]));
            j += 1;
        }
    }
    let mut text = String::new();
    let mut is_left_out = false;
    for (idx, (mark, line)) in lines.iter().enumerate() {
        let around = &lines[idx.saturating_sub(N_AROUND)..(idx + N_AROUND + 1).min(lines.len())];
        if around.iter().all(|it| it.0 == ' ') {
            is_left_out = true;
            continue;
        }
        if std::mem::take(&mut is_left_out) {
            text.push_str("    ⋮\n");
        }
        let (line, end) = line.strip_suffix('\n').map_or((*line, " (without a line end)\n"), |it| (it, "\n"));
        text.push_str(&format!("  {mark} {line}{end}"));
    }
    text
}

#[test]
fn a_difference_shows_what_changed_and_what_stands_around_it() {
    let old = "a\nb\nc\nd\ne\nf\n";
    assert_eq!(
        difference(old, "a\nb\nc\nD\ne\nf"),
        "    ⋮\n    b\n    c\n  - d\n  + D\n    e\n  - f\n  + f (without a line end)\n"
    );
    assert_eq!(difference("a\n", "a\nb\n"), "    a\n  + b\n");
    assert_eq!(difference("", ""), "");
}

#[test]
fn only_recorded_texts_are_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for place in ["fixtures/asking/list/plain.txt", "schema/index.sql", "docs/rules.md", "README.md"] {
        assert!(may_be_written(&root.join(place)), "{place}");
    }
    for place in
        ["src/lib.rs", "fixtures/recorded/v1/in/a.json", "fixtures/../src/lib.rs", "README.md.orig", "../README.md"]
    {
        assert!(!may_be_written(&root.join(place)), "{place}");
    }
    assert!(!may_be_written(Path::new("/etc/fixtures")));
}
