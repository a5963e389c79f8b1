//! `fbc/01-loading` to `06-bundle` and `08-list-graph`: commands of opm with their answers.
//!
//! Output must be equal byte for byte, and a refusal must be a refusal. The words of a refusal must be equal if
//! `--compat opm` promises them: for `validate`. Commands that we do not have are not runnable.

use std::fs;
use std::path::Path;

use crate::command::{olmdex, translate, with_links};
use crate::observed::{self, Exchange};
use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const LOADING: Folder = Folder { name: "fbc/01-loading", run: |root| run(root, "01-loading") };
pub(crate) const WALK: Folder = Folder { name: "fbc/02-walk", run: |root| run(root, "02-walk") };
pub(crate) const VALIDATE: Folder = Folder { name: "fbc/03-validate", run: |root| run(root, "03-validate") };
pub(crate) const TYPED: Folder = Folder { name: "fbc/04-typed", run: |root| run(root, "04-typed") };
pub(crate) const RENDER: Folder = Folder { name: "fbc/05-render", run: |root| run(root, "05-render") };
pub(crate) const BUNDLE: Folder = Folder { name: "fbc/06-bundle", run: |root| run(root, "06-bundle") };
pub(crate) const LIST: Folder = Folder { name: "fbc/08-list-graph", run: |root| run(root, "08-list-graph") };

fn run(root: &Path, area: &str) -> Vec<Case> {
    let directory = root.join("fbc").join(area);
    let mut cases = Vec::new();
    for (name, path) in entries(&directory, "", "") {
        if !path.is_dir() {
            continue;
        }
        let id = format!("fbc/{area}/{name}");
        match fs::read_to_string(path.join("observed.txt")) {
            Ok(text) => cases.extend(case(&id, &directory, &name, &text)),
            Err(_) => cases.push(Case::run(&id, || Outcome::NotRunnable("no recorded answer".to_owned()))),
        }
    }
    cases
}

fn case(id: &str, area: &Path, name: &str, text: &str) -> Vec<Case> {
    if text.starts_with("U+") {
        return characters(id, text);
    }
    let Ok(exchanges) = observed::parse(text) else {
        return vec![Case::run(id, || bare(area, name, text))];
    };
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    exchanges
        .iter()
        .map(|exchange| {
            let n_before = seen.entry(exchange.command.clone()).or_default();
            *n_before += 1;
            let repeated = if *n_before > 1 { format!(" ({n_before})") } else { String::new() };
            Case::run(format!("{id} {}{repeated}", exchange.command), || check(area, name, exchange))
        })
        .collect()
}

/// An answer without its command: the output and, in most cases, the exit code of `render`.
fn bare(area: &Path, name: &str, text: &str) -> Outcome {
    let (text, exit_code) = match text.trim_end().rsplit_once("rc=") {
        Some((text, code)) if code.parse::<i32>().is_ok() => (text, code.parse().unwrap_or(-1)),
        _ => (text, 0),
    };
    let is_refused = exit_code != 0;
    let exchange = Exchange {
        command: "opm render in".to_owned(),
        exit_code,
        stdout: if is_refused { String::new() } else { text.to_owned() },
        stderr: if is_refused { text.to_owned() } else { String::new() },
    };
    check(area, name, &exchange)
}

fn check(area: &Path, name: &str, exchange: &Exchange) -> Outcome {
    let Some(arguments) = translate(&exchange.command) else {
        return Outcome::NotRunnable(format!("no such command yet: {}", exchange.command));
    };
    let case = area.join(name);
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let directory =
        if area.ends_with("02-walk") { with_links(&case, scratch.path()).expect("a copy of the case") } else { case };
    // A case without a catalog has an empty one.
    if exchange.command.split_whitespace().any(|word| word == "in") && !directory.join("in").exists() {
        let copy = scratch.path().join("empty");
        fs::create_dir_all(copy.join("in")).expect("an empty catalog");
        return compare(&copy, &arguments, exchange);
    }
    let names_other_cases = arguments.iter().any(|it| it.starts_with("../") && !directory.join(it).exists());
    if names_other_cases {
        return Outcome::NotRunnable("its input is absent".to_owned());
    }
    compare(&directory, &arguments, exchange)
}

fn compare(directory: &Path, arguments: &[&str], exchange: &Exchange) -> Outcome {
    let answer = olmdex(directory, arguments).expect("the program starts");
    let stdout = String::from_utf8_lossy(&answer.stdout);
    if (answer.exit_code == 0) != (exchange.exit_code == 0) {
        return Outcome::Failed(format!(
            "exit code {}, recorded {}\n{}",
            answer.exit_code, exchange.exit_code, answer.stderr
        ));
    }
    if stdout != exchange.stdout {
        return Outcome::Failed(format!("expected {:?}\n     got {stdout:?}", exchange.stdout));
    }
    let words = fatal_message(&exchange.stderr);
    match words {
        Some(words) if arguments[0] == "validate" => Outcome::of_equal(&answer.stderr.trim_end(), &words.trim_end()),
        _ => Outcome::Passed,
    }
}

/// The message in a line of opm's log.
fn fatal_message(stderr: &str) -> Option<String> {
    let quoted = stderr.trim_end().strip_prefix("time=\"T\" level=fatal msg=")?;
    // Go's quoting is that of JSON, except for \xNN and characters that neither case has.
    serde_json::from_str(&quoted.replace("\\x", "\\u00")).ok()
}

/// `05-render/r02x`: one character a line, in a blob, as YAML and as JSON.
fn characters(id: &str, text: &str) -> Vec<Case> {
    text.lines()
        .map(|line| Case::run(format!("{id} {}", line.split(' ').next().unwrap_or_default()), || character(line)))
        .collect()
}

fn character(line: &str) -> Outcome {
    let parse = || {
        let (code, rest) = line.strip_prefix("U+")?.split_once(" yaml rc=")?;
        let (exit_code, rest) = rest.split_once(' ')?;
        let (yaml, json) = rest.split_once(" | json ")?;
        let c = char::from_u32(u32::from_str_radix(code, 16).ok()?)?;
        Some((c, exit_code == "0", python_bytes(yaml)?, python_bytes(json)?))
    };
    let Some((c, is_carried, yaml, json)) = parse() else {
        return Outcome::NotRunnable(format!("cannot read the line {line:?}"));
    };
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let text = serde_json::json!({"schema": "x", "package": "p", "v": format!("a{c}b")});
    fs::write(scratch.path().join("a.json"), text.to_string()).expect("a catalog");
    let answer = olmdex(scratch.path(), &["render", "a.json", "-o", "yaml"]).expect("the program starts");
    if (answer.exit_code == 0) != is_carried {
        return Outcome::Failed(format!("YAML: exit code {}: {}", answer.exit_code, answer.stderr));
    }
    let contains = |text: &[u8], part: &[u8]| memchr_find(text, part);
    if is_carried && !contains(&answer.stdout, &yaml) {
        return Outcome::Failed(format!("YAML: expected {yaml:?} in {:?}", String::from_utf8_lossy(&answer.stdout)));
    }
    let answer = olmdex(scratch.path(), &["render", "a.json"]).expect("the program starts");
    if !contains(&answer.stdout, &json) {
        return Outcome::Failed(format!("JSON: expected {json:?} in {:?}", String::from_utf8_lossy(&answer.stdout)));
    }
    Outcome::Passed
}

fn memchr_find(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|it| it == part)
}

/// The bytes of the first Python literal `b'…'` of a text.
fn python_bytes(text: &str) -> Option<Vec<u8>> {
    let quote = text.strip_prefix('b')?.chars().next()?;
    let mut bytes = text[2..].bytes();
    let mut out = Vec::new();
    loop {
        match bytes.next()? {
            it if it == quote as u8 => return Some(out),
            b'\\' => match bytes.next()? {
                b'n' => out.push(b'\n'),
                b't' => out.push(b'\t'),
                b'r' => out.push(b'\r'),
                b'x' => {
                    let digits = [bytes.next()?, bytes.next()?];
                    out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
                }
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
}
