//! The house rules that cargo does not enforce: which code may print, which may write files, and the form of a file.
//! They keep the code in agreement with ARCHITECTURE.md; the manifests of the crates decide which crate may use which.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use regex::Regex;

/// Things that only the command line does: print, read the environment, end the program.
const FOR_CLI_ONLY: &[&str] = &[
    "println!",
    "print!",
    "eprintln!",
    "eprint!",
    "std::env::",
    "env::var",
    "process::exit",
    "io::stdout",
    "io::stderr",
];

/// Things that only `file` does: create, replace, lock and delete files.
const FOR_FILE_ONLY: &[&str] = &[
    "fs::write",
    "fs::copy",
    "fs::rename",
    "fs::remove_",
    "fs::create_dir",
    "fs::hard_link",
    "fs::set_permissions",
    "fs::symlink",
    "DirBuilder",
    "OpenOptions",
    "File::create",
    "File::options",
    "set_len(",
    "set_permissions(",
    "try_lock()",
    "unlinkat",
    "renameat",
    "mkdirat",
    "generate_to",
    "OPEN_CREATE",
    "VACUUM INTO",
];

/// Names that do not describe a module's purpose.
const EMPTY_NAMES: &[&str] = &["utils", "util", "common", "helpers", "helper", "types", "misc", "shared"];

/// The most lines of a file. A file that is one table may have more.
const MAX_LINES: usize = 800;

/// The most lines of a function, with its signature and its last brace.
const MAX_LINES_OF_FUNCTION: usize = 80;

pub(crate) struct Source {
    pub(crate) path: String,
    text: String,
}

impl Source {
    /// The lines that are compiled into the program: without tests, with their numbers.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_test_file = self.path.ends_with("/tests.rs") || self.path.contains("/tests/");
        let lines = self.text.lines().enumerate();
        // Tests are the last item of their file.
        let lines = lines.take_while(|(_, line)| line.trim() != "#[cfg(test)]").map(|(idx, line)| (idx + 1, line));
        lines.filter(move |_| !is_test_file)
    }

    /// As `code`, without comments and with the texts of strings blanked.
    pub(crate) fn bare_code(&self) -> impl Iterator<Item = (usize, String)> {
        self.code().map(|(number, line)| {
            let mut bare = String::new();
            let mut is_text = false;
            let mut is_escaped = false;
            for c in line.chars() {
                match c {
                    '"' if !is_escaped => {
                        is_text = !is_text;
                        bare.push(c);
                    }
                    _ if is_text => bare.push(' '),
                    _ => bare.push(c),
                }
                is_escaped = is_text && c == '\\' && !is_escaped;
            }
            let end = bare.find("//").unwrap_or(bare.len());
            bare.truncate(end);
            (number, bare)
        })
    }
}

/// The folders of sources: that of the program, and one for each crate.
pub(crate) fn roots() -> Vec<String> {
    let crates = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")).unwrap();
    let mut roots: Vec<String> =
        crates.map(|it| format!("crates/{}/src/", it.unwrap().file_name().to_str().unwrap())).collect();
    roots.push("src/".to_owned());
    roots.sort();
    roots
}

pub(crate) fn sources() -> Vec<Source> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = Vec::new();
    let mut open: Vec<PathBuf> = roots().iter().map(|it| home.join(it)).collect();
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    let source = |path: PathBuf| {
        let relative = path.strip_prefix(home).unwrap().to_str().unwrap().to_owned();
        Source { path: relative, text: std::fs::read_to_string(&path).unwrap() }
    };
    files.into_iter().map(source).collect()
}

#[track_caller]
fn none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n  {}", found.join("\n  "));
}

#[test]
fn only_the_command_line_prints_reads_the_environment_and_exits() {
    let mut found = Vec::new();
    for source in sources().iter().filter(|it| !it.path.starts_with("src/cli/")) {
        for (number, line) in source.bare_code() {
            for word in FOR_CLI_ONLY.iter().filter(|it| line.contains(**it)) {
                found.push(format!("{}:{number}: {word}", source.path));
            }
        }
    }
    none("work of the command line elsewhere", &found);
}

#[test]
fn only_one_room_writes_files() {
    let mut found = Vec::new();
    for source in sources().iter().filter(|it| !it.path.starts_with("crates/base/src/file/")) {
        for (number, line) in source.bare_code() {
            for word in FOR_FILE_ONLY.iter().filter(|it| line.contains(**it)) {
                found.push(format!("{}:{number}: {word}", source.path));
            }
        }
    }
    none("work of `file` elsewhere", &found);
}

/// The parts of its own layer that the proof of a migration may use: nothing that the conversion decides. It may use
/// two modules only for the words in which the conversion is asked and answers.
const OF_THE_PROOF: &[&str] =
    &["prove", "cells::", "schema_upgrade::Fidelity", "error::LegacyError", "file::", "package::Problem", "rules"];

#[test]
fn the_proof_shares_nothing_with_the_conversion() {
    let mut found = Vec::new();
    for source in sources().iter().filter(|it| it.path.starts_with("crates/legacy/src/prove/")) {
        for (number, line) in source.bare_code() {
            // The code above the proof's own modules is what it proves.
            let above = if source.path.ends_with("/mod.rs") { "use super::" } else { "use crate::" };
            let uses = line.trim().strip_prefix(above);
            let is_meant = |it: &str| OF_THE_PROOF.iter().any(|meant| it.starts_with(meant));
            if uses.is_some_and(|it| !is_meant(it)) || line.contains("super::super") {
                found.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    none("parts of the conversion that its proof uses", &found);
}

#[test]
fn every_file_says_what_it_is_and_is_not_too_long() {
    let mut found = Vec::new();
    for source in sources() {
        let is_test_file = source.path.ends_with("/tests.rs");
        if !source.text.starts_with("//!") && !is_test_file {
            found.push(format!("{} does not open with `//!`", source.path));
        }
        let n_lines = source.text.lines().count();
        let is_table = source.path.ends_with("/rules.rs");
        if n_lines > MAX_LINES && !is_table {
            found.push(format!("{} has {n_lines} lines", source.path));
        }
        let name = source.path.trim_end_matches(".rs").trim_end_matches("/mod").rsplit('/').next().unwrap_or_default();
        if EMPTY_NAMES.contains(&name) {
            found.push(format!("{} has a name that says nothing", source.path));
        }
    }
    none("files that are not as files should be", &found);
}

/// The functions of a file in rustfmt's form, each with its first line and its number of lines. Functions without a
/// body, and those of one line, are left out.
fn functions(code: &[(usize, &str)]) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    let mut open: Vec<(String, usize, &str)> = Vec::new();
    for (number, line) in code {
        let indent = &line[..line.len() - line.trim_start().len()];
        let words = line.trim_start().split_inclusive(' ').take_while(|it| !it.contains(['=', '"', '/']));
        let at: usize = words.take_while(|it| *it != "fn ").map(str::len).sum();
        let rest = line.trim_start().get(at..).and_then(|it| it.strip_prefix("fn "));
        if let Some(rest) = rest {
            let name = rest.split(['(', '<']).next().unwrap_or_default();
            open.push((name.to_owned(), *number, indent));
        }
        while let Some((_, start, own)) = open.last() {
            let is_short = start == number && line.ends_with([';', '}']);
            let is_of_signature = line.strip_prefix(own).is_some_and(|it| it.starts_with(')'));
            if is_short || (is_of_signature && line.ends_with(';')) {
                open.pop();
            } else if line.strip_prefix(own) == Some("}") {
                let (name, start, _) = open.pop().unwrap();
                found.push((name, start, number - start + 1));
            } else {
                break;
            }
        }
    }
    found
}

#[test]
fn no_function_is_too_long() {
    let mut found = Vec::new();
    let mut n_functions = 0;
    for source in sources() {
        let code: Vec<(usize, &str)> = source.code().collect();
        for (name, line, n_lines) in functions(&code) {
            n_functions += 1;
            if n_lines > MAX_LINES_OF_FUNCTION {
                found.push(format!("{}:{line}: `{name}` has {n_lines} lines", source.path));
            }
        }
    }
    none("functions that are several", &found);
    assert!(n_functions > 5_000, "only {n_functions} functions are found");
}

#[test]
fn functions_are_measured_from_their_name_to_their_brace() {
    let text = "impl A {\n    fn short() {}\n    pub(super) const fn a(\n        b: B,\n    ) -> C {\n        if b {\n        }\n    }\n    fn bodiless(\n        b: B,\n    ) -> C;\n}\n\nfn outer() {\n    fn inner() {\n        x\n    }\n}\n";
    let code: Vec<(usize, &str)> = text.lines().enumerate().map(|(idx, line)| (idx + 1, line)).collect();
    let all = functions(&code);
    let all: Vec<(&str, usize, usize)> = all.iter().map(|(name, line, n)| (name.as_str(), *line, *n)).collect();
    assert_eq!(all, [("a", 3, 6), ("inner", 15, 3), ("outer", 14, 5)]);
}

#[test]
fn nothing_is_left_for_later_and_nothing_panics_on_purpose() {
    let mut found = Vec::new();
    for source in sources() {
        for (number, line) in source.text.lines().enumerate() {
            if ["TODO", "FIXME", "XXX"].iter().any(|word| line.contains(word)) {
                found.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
            }
        }
        for (number, line) in source.bare_code() {
            for word in [".unwrap()", "panic!(", "todo!(", "unimplemented!("] {
                if line.contains(word) {
                    found.push(format!("{}:{number}: {word}", source.path));
                }
            }
        }
    }
    none("left for later, or a panic", &found);
}

/// Public items, variants and methods of a file that have no comment. Fields need none: an error shows in its message
/// what they are.
fn undocumented(source: &Source) -> Vec<String> {
    let item = Regex::new(r"^\s*pub (?:const |async )?(?:fn|struct|enum|trait|type|const|static) (\w+)").unwrap();
    let variant = Regex::new(r"^    ([A-Z]\w*)(?:[ (].*|,)$").unwrap();
    let mut found = Vec::new();
    let (mut is_documented, mut is_excused, mut is_enum, mut is_attribute) = (false, false, false, false);
    for (number, line) in source.code() {
        let text = line.trim();
        is_documented |= text.starts_with("///") || text.starts_with("#[doc");
        is_excused |= text.starts_with("#[allow(missing_docs");
        let is_of_attribute = is_attribute || text.starts_with("#[");
        is_attribute = is_of_attribute && !text.ends_with(']');
        if text.is_empty() || text.starts_with("//") || is_of_attribute {
            continue;
        }
        is_enum &= line != "}";
        let name = item.captures(line).or_else(|| variant.captures(line).filter(|_| is_enum));
        found.extend(name.filter(|_| !is_documented).map(|it| format!("{}:{number}: {}", source.path, &it[1])));
        is_enum |= line.starts_with("pub enum ") && line.ends_with('{') && !is_excused;
        (is_documented, is_excused) = (false, is_enum && is_excused);
    }
    found
}

#[test]
fn every_public_item_and_variant_is_documented() {
    let sources = sources();
    let crates = sources.iter().filter(|it| it.path.starts_with("crates/"));
    none("public items without documentation", &crates.flat_map(undocumented).collect::<Vec<_>>());
    let source = |text: &str| Source { path: "a.rs".to_owned(), text: text.to_owned() };
    let bad = source("/// A.\npub enum A {\n    B { c: u8 },\n    /// D.\n    D,\n}\nimpl A {\n    pub fn e() {}\n}\n");
    assert_eq!(undocumented(&bad), ["a.rs:3: B", "a.rs:8: e"]);
}

#[test]
fn the_landing_page_leads_to_every_crate() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lib = std::fs::read_to_string(home.join("src/lib.rs")).unwrap();
    let mut missing = Vec::new();
    for root in roots().iter().filter(|it| *it != "src/") {
        let name = root.split('/').nth(1).unwrap();
        if !lib.contains(&format!("[`olmdex_{name}`]")) {
            missing.push(format!("`src/lib.rs` does not lead to {root}"));
        }
        let first_page = std::fs::read_to_string(home.join(root).join("lib.rs")).unwrap();
        for entry in std::fs::read_dir(home.join(root)).unwrap() {
            let entry = entry.unwrap();
            let module = entry.file_name().to_str().unwrap().to_owned();
            if entry.path().is_dir() && !first_page.contains(&format!("mod {module};")) {
                missing.push(format!("{root}lib.rs does not name `{module}`"));
            }
        }
    }
    none("crates and modules that nobody finds", &missing);
}

#[test]
fn programs_of_the_landing_page_are_short() {
    let lib = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let programs: Vec<&str> = lib.split("//! ```\n").skip(1).step_by(2).collect();
    assert_eq!(programs.len(), 3, "one for each way in");
    for program in programs {
        let n_lines = program.lines().filter(|line| !line.starts_with("//! # ")).count();
        assert!(n_lines <= 15, "{n_lines} lines:\n{program}");
    }
}

/// The beginnings of paths in comments.
const CITED: &[&str] =
    &["docs/", "src/", "crates/", "tests/", "fixtures/", "benches/", "migrations/", "schema/", "fuzz/", ".ci/"];

/// The blocks of whole-line comments of a file: the number of the first line, and the text.
fn comments(text: &str) -> Vec<(usize, String)> {
    let mut blocks: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (idx, line) in text.lines().enumerate() {
        let Some(said) = line.trim().strip_prefix("//").or_else(|| line.trim().strip_prefix("-- ")) else {
            is_open = false;
            continue;
        };
        let said = said.trim_start_matches(['/', '!']).trim();
        match blocks.last_mut().filter(|_| is_open) {
            Some((_, block)) => {
                block.push(' ');
                block.push_str(said);
            }
            None => blocks.push((idx + 1, said.to_owned())),
        }
        is_open = true;
    }
    blocks
}

/// The files of the repository that have comments: their paths and texts.
fn commented_files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> =
        ["src", "crates", "tests", "benches", "migrations"].iter().map(|it| root.join(it)).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()));
        } else if path.extension().is_some_and(|it| it == "rs" || it == "sql") {
            let relative = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            found.push((relative, std::fs::read_to_string(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// The paths of the repository that a comment cites, each with the text behind it. A part in capitals, a star or an
/// ellipsis stands for any name, so the path ends before it.
fn cited_paths(comment: &str) -> Vec<(&str, &str)> {
    let is_path = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let mut found = Vec::new();
    let mut starts: Vec<usize> = CITED.iter().flat_map(|it| comment.match_indices(it)).map(|(at, _)| at).collect();
    starts.sort_unstable();
    for start in starts {
        if comment[..start].ends_with(|c: char| is_path(c) || c == '}') {
            continue;
        }
        let len = comment[start..].find(|c: char| !is_path(c)).unwrap_or(comment.len() - start);
        let (path, rest) = comment[start..].split_at(len);
        let path = path.trim_end_matches('.');
        let is_any = |part: &str| {
            let stem = part.split('.').next().unwrap_or_default();
            !stem.is_empty() && stem.chars().all(|c| c.is_ascii_uppercase() || c == '_') && stem != "README"
        };
        let named = path.split('/').take_while(|it| !is_any(it)).map(|it| it.len() + 1).sum::<usize>();
        let mut path = &path[..named.saturating_sub(1).min(path.len())];
        if rest.starts_with(['*', '…', '<', '{']) {
            path = path.rsplit_once('/').map_or(path, |it| it.0);
        }
        found.push((path, rest));
    }
    found
}

/// The cited sections behind the path of a chapter, such as `1.3, 1.4 and Appendix B.2`.
fn cited_sections(rest: &str) -> Vec<String> {
    let mut sections = Vec::new();
    let mut words = rest.trim_start_matches('`').split_whitespace().peekable();
    while let Some(word) = words.next() {
        let bare = word.trim_end_matches([',', '.', ')', ';', ':']);
        let is_last = !word.ends_with(',') && word.len() > bare.len();
        match bare {
            "section" | "and" | "to" => continue,
            "Appendix" | "appendix" => {
                let letter = words.peek().map(|it| it.trim_end_matches([',', '.', ')', ';', ':']).to_owned());
                sections.extend(letter.map(|it| format!("Appendix {it}")));
                break;
            }
            number if number.starts_with(|c: char| c.is_ascii_digit()) => sections.push(number.to_owned()),
            _ => break,
        }
        if is_last {
            break;
        }
    }
    sections
}

/// Whether a chapter has a section: a heading, a numbered paragraph, or an item of a numbered list below its heading.
fn has_section(chapter: &str, section: &str) -> bool {
    let (parent, item) = section.rsplit_once('.').unwrap_or((section, ""));
    let starts = |line: &str, number: &str| {
        let line = line.trim_start_matches(['#', ' ', '*']);
        line.strip_prefix(number).is_some_and(|rest| {
            let next = rest.strip_prefix('.').unwrap_or(rest);
            !next.starts_with(|c: char| c.is_ascii_alphanumeric())
        })
    };
    let is_heading = |line: &&str| line.starts_with('#');
    if chapter.lines().any(|line| (line.starts_with('#') || section.contains('.')) && starts(line, section)) {
        return true;
    }
    let below = chapter.lines().skip_while(|line| !is_heading(line) || !starts(line, parent)).skip(1);
    !item.is_empty()
        && below.take_while(|line| !is_heading(line)).any(|line| line.trim_start().starts_with(&format!("{item}.")))
}

#[test]
fn every_path_and_section_that_a_comment_cites_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut n_sections = 0;
    for (file, text) in commented_files() {
        for (line, comment) in comments(&text) {
            for (path, rest) in cited_paths(&comment) {
                if !root.join(path).exists() {
                    found.push(format!("{file}:{line}: `{path}` does not exist"));
                    continue;
                }
                if !path.starts_with("docs/behaviour/") || !path.ends_with(".md") {
                    continue;
                }
                let chapter = std::fs::read_to_string(root.join(path)).unwrap();
                for section in cited_sections(rest) {
                    n_sections += 1;
                    if !has_section(&chapter, &section) {
                        found.push(format!("{file}:{line}: {path} has no section {section}"));
                    }
                }
            }
        }
    }
    none("citations of what does not exist", &found);
    assert!(n_sections > 100, "only {n_sections} sections are cited: are they still found?");
}

#[test]
fn citations_are_read_as_people_write_them() {
    let paths = |text| cited_paths(text).into_iter().map(|it| it.0).collect::<Vec<_>>();
    assert_eq!(paths("as `docs/behaviour/fbc.md` 1.3 says; see src/lib.rs."), ["docs/behaviour/fbc.md", "src/lib.rs"]);
    assert_eq!(paths("fixtures/rules/ID, tests/it/*.rs, `../src/x`"), ["fixtures/rules", "tests/it"]);
    assert_eq!(cited_sections("` 1.3, 1.4 and Appendix B."), ["1.3", "1.4", "Appendix B"]);
    assert_eq!(cited_sections("` 2.4.4 to 2.4.7, 2.5)."), ["2.4.4", "2.4.7", "2.5"]);
    assert_eq!(cited_sections("` section 6) before 2"), ["6"]);
    let chapter = "## 1. One\n\n### 1.2 Two\n\n1. a\n2. b\n\n2.3.4 Text\n\n## Appendix B – x\n\n4. d\n";
    for section in ["1", "1.2", "1.2.2", "2.3.4", "Appendix B", "Appendix B.4"] {
        assert!(has_section(chapter, section), "{section}");
    }
    for section in ["2", "1.3", "1.2.3", "2.3", "Appendix C", "Appendix B.5"] {
        assert!(!has_section(chapter, section), "{section}");
    }
}

#[test]
fn no_command_uses_another_one() {
    let is_room = |it: &str| {
        [
            "author",
            "catalog",
            "dependencies",
            "exporting",
            "legacy",
            "mirror",
            "platform",
            "serving",
            "shell",
            "upgrade",
        ]
        .contains(&it)
    };
    let files = sources();
    let mut commands: BTreeSet<String> = BTreeSet::new();
    for file in &files {
        let parts: Vec<&str> = file.path.trim_end_matches(".rs").split('/').collect();
        if let ["src", "cli", room, name] = parts.as_slice()
            && is_room(room)
            && file.text.contains("\npub(crate) fn run(")
        {
            commands.insert(format!("crate::cli::{room}::{name}"));
        }
    }
    assert!(commands.len() > 25, "{commands:?}");
    for file in files.iter().filter(|it| it.path.starts_with("src/cli/") && it.path != "src/cli/mod.rs") {
        for (number, line) in file.bare_code() {
            let used = commands.iter().find(|it| {
                let rest = line.split(it.as_str()).nth(1);
                rest.is_some_and(|it| it.starts_with([':', ';', ',', ' ']))
            });
            assert!(
                used.is_none(),
                "{}:{number} uses the command {used:?}; share it in args/, print/ or the library",
                file.path
            );
        }
    }
}

/// A test that `cargo test` does not run.
struct IgnoredTest {
    place: String,
    reason: String,
    /// The crate, and the program that has the test: that of a file in `tests`, or `lib`.
    program: (String, String),
    /// Modules and function.
    name: String,
}

impl IgnoredTest {
    /// The test at an attribute in a line of a file.
    fn at(path: &str, lines: &[&str], at: usize) -> Self {
        let parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
        let (package, inner) = match parts.as_slice() {
            ["crates", name, inner @ ..] => (format!("olmdex-{name}"), inner),
            inner => ("olmdex".to_owned(), inner),
        };
        let (program, modules) = match inner {
            ["tests", program, modules @ ..] => (*program, modules),
            _ => ("lib", &inner[1..]),
        };
        let function = lines[at..].iter().find_map(|it| it.split_once("fn ")).unwrap().1;
        let function = function.split('(').next().unwrap();
        let modules = modules.iter().filter(|it| !["mod", "main", "lib"].contains(it));
        let name = modules.chain([&function]).copied().collect::<Vec<_>>().join("::");
        let reason = lines[at].split('"').nth(1).unwrap_or_default().to_owned();
        Self { place: format!("{path}:{}", at + 1), reason, program: (package, program.to_owned()), name }
    }
}

/// A `cargo test` of `.ci/run` that runs ignored tests.
struct IgnoredRun<'s> {
    packages: Vec<&'s str>,
    programs: Vec<&'s str>,
    filters: Vec<&'s str>,
    is_exact: bool,
}

impl<'s> IgnoredRun<'s> {
    fn of(line: &'s str) -> Option<Self> {
        let (before, after) = line.split_once("cargo test ")?.1.split_once(" -- ")?;
        let after: Vec<&str> = after.split_whitespace().collect();
        let before: Vec<&str> = before.split_whitespace().collect();
        let values = |option| before.windows(2).filter(move |it| it[0] == option).map(|it| it[1]);
        Some(Self {
            packages: values("-p").collect(),
            programs: values("--test").chain(before.contains(&"--lib").then_some("lib")).collect(),
            filters: after.iter().copied().filter(|it| !it.starts_with('-')).collect(),
            is_exact: after.contains(&"--exact"),
        })
        .filter(|_| after.contains(&"--ignored"))
    }

    fn has_program(&self, (package, program): &(String, String)) -> bool {
        let has_package = match self.packages.as_slice() {
            // Cargo takes the default members then.
            [] => package == "olmdex" || is_default_member(package),
            packages => packages.contains(&package.as_str()),
        };
        has_package && (self.programs.is_empty() || self.programs.contains(&program.as_str()))
    }

    fn names(&self, filter: &str, test: &IgnoredTest) -> bool {
        self.has_program(&test.program) && if self.is_exact { test.name == filter } else { test.name.contains(filter) }
    }

    fn runs(&self, test: &IgnoredTest) -> bool {
        (self.filters.is_empty() && self.has_program(&test.program))
            || self.filters.iter().any(|it| self.names(it, test))
    }
}

/// The crates whose tests `cargo test` runs without `-p`.
fn default_members() -> Vec<String> {
    let manifest = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = toml::from_str(&manifest).unwrap();
    let members = manifest["workspace"]["default-members"].as_array().unwrap();
    members.iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

fn is_default_member(package: &str) -> bool {
    package.strip_prefix("olmdex-").is_some_and(|name| default_members().contains(&format!("crates/{name}")))
}

#[test]
fn every_ignored_test_says_what_it_needs_and_is_run_in_ci() {
    let ci = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/run")).unwrap();
    let ci = ci.replace("\\\n", " ");
    let runs: Vec<IgnoredRun<'_>> = ci.lines().filter_map(IgnoredRun::of).collect();
    let mut tests = Vec::new();
    let mut found = Vec::new();
    for (path, text) in commented_files() {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            // A system that lacks something ignores the tests of it; others run them.
            let is_of_some_systems = line.trim().starts_with("#[cfg_attr(") && line.contains(", ignore");
            let is_ignored = line.trim().starts_with("#[ignore");
            if !is_ignored && !is_of_some_systems {
                continue;
            }
            let test = IgnoredTest::at(&path, &lines, at);
            let reason = if is_ignored { test.reason.as_str() } else { line.rsplit('"').nth(1).unwrap_or_default() };
            if !reason.starts_with("needs ") {
                found.push(format!("{}: `{}` does not say what it needs: {reason:?}", test.place, test.name));
            }
            if is_ignored {
                tests.push(test);
            }
        }
    }
    assert!(tests.len() > 30, "only {} ignored tests are found", tests.len());
    let left = tests.iter().filter(|test| !runs.iter().any(|it| it.runs(test)));
    found.extend(left.map(|it| format!("{}: .ci/run does not run `{}`", it.place, it.name)));
    for run in &runs {
        let of_none = run.filters.iter().filter(|filter| !tests.iter().any(|it| run.names(filter, it)));
        found.extend(of_none.map(|it| format!(".ci/run: there is no ignored test `{it}`")));
    }
    none("tests that nothing runs", &found);
}

#[test]
fn every_crate_is_tested_in_ci() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ci = std::fs::read_to_string(home.join(".ci/run")).unwrap();
    let by_default = default_members();
    let mut programs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for root in roots().iter().filter_map(|it| it.strip_suffix("/src/")) {
        if by_default.iter().any(|it| it == root) {
            continue;
        }
        let programs = programs.entry(root.replace("crates/", "-p olmdex-")).or_default();
        programs.insert("--lib".to_owned());
        for entry in std::fs::read_dir(home.join(root).join("tests")).into_iter().flatten() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            programs.insert(format!("--test {}", name.trim_end_matches(".rs")));
        }
    }
    assert!(programs.contains_key("-p olmdex-mcp"), "{programs:?}");
    for (package, programs) in programs {
        let lines: Vec<&str> = ci.lines().filter(|it| it.contains("cargo test ") && it.contains(&package)).collect();
        for program in programs {
            assert!(lines.iter().any(|it| it.contains(&program)), ".ci/run does not run `{package} {program}`");
        }
    }
}
