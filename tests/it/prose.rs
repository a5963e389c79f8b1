//! The texts that people read are plain English: no sentence begins with a relative clause, and no text has a phrase of
//! the list. The lists are in `fixtures/prose`.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use regex::Regex;

/// The columns that comments and guides may have: those of code.
const WIDTH: usize = 120;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The expressions of a list.
fn list(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("fixtures").join(name)).unwrap();
    text.lines().filter(|it| !it.is_empty() && !it.starts_with('#')).map(str::to_owned).collect()
}

/// The faults to search for.
struct Rules {
    /// An opening with the rest of its sentence.
    opening: Regex,
    phrases: Regex,
}

impl Rules {
    fn read() -> Self {
        let opening = format!(r"(?:^|[.!?:] )((?:{})[^.!?]*[.!?]?)", list("prose/openings.txt").join("|"));
        Self {
            opening: Regex::new(&opening).unwrap(),
            phrases: Regex::new(&format!("(?i)(?:{})", list("prose/phrases.txt").join("|"))).unwrap(),
        }
    }

    /// The faults of a text: sentences with a bad beginning, except for questions, and phrases.
    fn faults(&self, text: &str) -> Vec<String> {
        let is_question = |it: &str| it.ends_with('?');
        let begun = self.opening.captures_iter(text).map(|it| it[1].to_owned());
        let openings = begun.filter(|it| !is_question(it) && !it.starts_with("Of course"));
        let phrases = self.phrases.find_iter(text).map(|it| it.as_str().to_owned());
        openings.chain(phrases).collect()
    }
}

/// The files below a directory with an ending.
fn files(directory: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![root().join(directory)];
    while let Some(next) = waiting.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            if path.is_dir() && name != "target" {
                waiting.push(path);
            } else if name.ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The literals in the lines of a Rust file, without comments. Several literals of a line are several texts.
fn literals(text: &str) -> Vec<String> {
    let literal = Regex::new(r#""((?:[^"\\]|\\.)*)(?:"|\\?$)"#).unwrap();
    let mut goes_on = false;
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("//") {
            found.push(String::new());
            continue;
        }
        // A literal over several lines begins anew in each of them.
        let line = if goes_on { format!("\"{line}") } else { line.to_owned() };
        goes_on = line.ends_with('\\');
        found.push(literal.captures_iter(&line).map(|it| format!("{}\n", it[1].replace("\\n", "\n"))).collect());
    }
    found
}

/// Only sentences: a heading or a label has no full stop, and may say "What changed".
fn sentences(text: &str) -> String {
    text.lines().filter(|it| it.contains(['.', '?'])).map(|it| format!("{it}\n")).collect()
}

#[test]
fn messages_and_explanations_are_plain_english() {
    let rules = Rules::read();
    let mut faults = String::new();
    for path in files("src", ".rs").into_iter().chain(files("crates", ".rs")) {
        let shown = path.strip_prefix(root()).unwrap();
        if shown.components().any(|it| it.as_os_str() == "tests") || shown.ends_with("tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, texts) in literals(text).iter().enumerate() {
            for said in sentences(texts).lines() {
                for fault in rules.faults(said) {
                    let _ = writeln!(faults, "{}:{}: {fault}", shown.display(), number + 1);
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn guides_are_plain_english() {
    let rules = Rules::read();
    let mut faults = String::new();
    let mut pages = vec![root().join("README.md"), root().join("CONTRIBUTING.md"), root().join("ARCHITECTURE.md")];
    pages
        .extend(files("docs", ".md").into_iter().filter(|it| !it.components().any(|it| it.as_os_str() == "behaviour")));
    pages.extend(files("packaging", ".md"));
    for path in pages {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            is_code ^= line.starts_with("```");
            // Tables and headings have labels, and rules about writing have examples with GOOD and BAD.
            if is_code || line.starts_with('#') || line.starts_with('|') || line.contains("BAD") {
                continue;
            }
            for fault in rules.faults(line.trim_start_matches("- ")) {
                let _ = writeln!(faults, "{}:{}: {fault}", path.strip_prefix(root()).unwrap().display(), number + 1);
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn guides_are_no_wider_than_code() {
    // A message or a command is not broken.
    let long_quote = Regex::new("`[^`]{50,}`|`[^`]{50,}$|[^ ]{60,}").unwrap();
    let mut wide = String::new();
    let mut pages = vec![root().join("README.md"), root().join("CONTRIBUTING.md"), root().join("ARCHITECTURE.md")];
    pages.push(root().join("CHANGELOG.md"));
    // The page of rules is written by the program.
    pages.extend(files("docs", ".md").into_iter().filter(|it| !it.ends_with("rules.md")));
    pages.extend(files("packaging", ".md"));
    for path in pages {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            is_code ^= line.trim_start().starts_with("```");
            let may_be_wide = is_code || line.starts_with(['#', '|', '<']);
            if long_quote.replace_all(line, "").chars().count() > WIDTH && !may_be_wide {
                let _ = writeln!(wide, "{}:{}", path.strip_prefix(root()).unwrap().display(), number + 1);
            }
        }
    }
    assert!(wide.is_empty(), "prose of more than {WIDTH} columns:\n{wide}");
}

#[test]
fn faults_are_found_and_questions_are_not() {
    let rules = Rules::read();
    for (text, n) in [
        ("What lies deeper is not read.", 1),
        ("It is read. What lies deeper is not.", 1),
        ("Of several, the first counts.", 1),
        ("Whoever asks gets an answer.", 1),
        ("That a name is absent means nothing.", 1),
        ("That tool keeps digests.", 0),
        ("Of course it does.", 0),
        ("What does E0207 mean?", 0),
        ("Somewhat later. Offers end.", 0),
        ("The name is said twice, and mended.", 2),
        ("Amendments are recommended.", 0),
    ] {
        assert_eq!(rules.faults(text).len(), n, "{text}: {:?}", rules.faults(text));
    }
}

/// The paragraphs of the comments of a file in Rust, each with the number of its first line. Code, tables and headings
/// are left out.
fn comments(text: &str) -> Vec<(usize, String)> {
    let comment = Regex::new(r"^\s*//[/!]?(?: (.*))?$").unwrap();
    let item = Regex::new(r"^\s*(?:[-*]|\d+\.) ").unwrap();
    let mut paragraphs: Vec<(usize, String)> = Vec::new();
    let (mut is_code, mut goes_on) = (false, false);
    for (number, line) in text.lines().enumerate() {
        let Some(found) = comment.captures(line) else {
            (is_code, goes_on) = (false, false);
            continue;
        };
        let words = found.get(1).map_or("", |it| it.as_str());
        let is_fence = words.trim_start().starts_with("```");
        is_code ^= is_fence;
        let is_text = !is_code && !is_fence && !words.trim_start().starts_with(['|', '#']);
        if !is_text || words.trim().is_empty() || words.starts_with("    ") {
            goes_on = false;
            continue;
        }
        match paragraphs.last_mut() {
            Some((_, paragraph)) if goes_on && !item.is_match(words) => *paragraph += &format!(" {}", words.trim()),
            _ => paragraphs.push((number + 1, item.replace(words, "").trim().to_owned())),
        }
        goes_on = true;
    }
    paragraphs
}

/// All files in Rust.
fn rust_files() -> impl Iterator<Item = PathBuf> {
    ["src", "crates", "tests", "benches", "fuzz"].into_iter().flat_map(|it| files(it, ".rs"))
}

#[test]
fn comments_are_plain_english() {
    let rules = Rules::read();
    let mut faults = String::new();
    for path in rust_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, paragraph) in comments(&text) {
            for fault in rules.faults(&paragraph) {
                let _ = writeln!(faults, "{}:{number}: {fault}", path.strip_prefix(root()).unwrap().display());
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

/// A comment is as wide as the code: rustfmt leaves longer ones as they are.
#[test]
fn comments_are_no_wider_than_code() {
    let command = Regex::new(r"^`[^`]+`\.?$").unwrap();
    let mut wide = String::new();
    for path in rust_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
            let comment = comment.trim_start_matches(['/', '!']);
            is_code ^= comment.trim_start().starts_with("```");
            // Tables, code, and a command line or path that is longer than a line cannot be broken.
            let is_command = command.is_match(comment.trim());
            let may_be_wide = is_code || is_command || comment.starts_with(" |") || comment.starts_with("     ");
            if line.chars().count() > WIDTH && !may_be_wide && comment.trim().contains(' ') {
                let _ = writeln!(wide, "{}:{}", path.strip_prefix(root()).unwrap().display(), number + 1);
            }
        }
    }
    assert!(wide.is_empty(), "comments of more than {WIDTH} columns:\n{wide}");
}

/// The files of `fixtures/asking` are answers of all commands, so they have the texts that are put together while the
/// program runs.
#[test]
fn recorded_answers_are_plain_english() {
    let rules = Rules::read();
    let mut faults = String::new();
    for path in files("fixtures/asking", ".txt") {
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate().skip(1) {
            for fault in rules.faults(line.trim()).iter().filter(|_| line.contains(['.', '?'])) {
                let _ = writeln!(faults, "{}:{}: {fault}", path.strip_prefix(root()).unwrap().display(), number + 1);
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn comments_are_read_by_paragraphs() {
    let text = "//! One\n//! two.\n//!\n//! - Three\n//!   four.\n//! | a | b |\nlet a = 1; // aside\n/// ```\n/// What code\n/// ```\n/// Five.\n";
    let expected = [(1, "One two."), (4, "Three four."), (11, "Five.")].map(|(at, it)| (at, it.to_owned()));
    assert_eq!(comments(text), expected);
}
