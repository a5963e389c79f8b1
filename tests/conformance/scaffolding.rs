//! `fbc/07-migrate-init`: the commands that make first files.
//!
//! The output of `opm init` must be equal byte for byte. For a Dockerfile only the instructions must be equal; its
//! comments are our own.

use std::fs;
use std::path::Path;

use crate::command::{olmdex, with_links};
use crate::observed::{self, Exchange};
use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const FOLDER: Folder = Folder { name: "fbc/07-migrate-init/first-files", run };

fn run(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, path) in entries(&root.join("fbc/07-migrate-init"), "", "") {
        let Ok(text) = fs::read_to_string(path.join("observed.txt")) else { continue };
        let Ok(exchanges) = observed::parse(&text) else { continue };
        for (number, exchange) in exchanges.iter().enumerate() {
            let id = format!("fbc/07-migrate-init/{name} {number} {}", exchange.command);
            if exchange.command.starts_with("opm init ") {
                cases.push(Case::run(id, || init(&path, exchange)));
            } else if exchange.command.starts_with("opm generate dockerfile ") {
                let is_last = !exchanges[number + 1..].iter().any(|it| directory(it) == directory(exchange));
                cases.push(Case::run(id, || dockerfile(&path, exchange, is_last)));
            }
        }
    }
    cases
}

fn words(exchange: &Exchange) -> Vec<&str> {
    exchange.command.split_whitespace().skip(1).collect()
}

fn init(case: &Path, exchange: &Exchange) -> Outcome {
    let answer = olmdex(case, &words(exchange)).expect("the program starts");
    if (answer.exit_code == 0) != (exchange.exit_code == 0) {
        return Outcome::Failed(format!("exit code {}: {}", answer.exit_code, answer.stderr));
    }
    Outcome::of_equal(&String::from_utf8_lossy(&answer.stdout).into_owned(), &exchange.stdout)
}

fn directory(exchange: &Exchange) -> Option<&str> {
    words(exchange).get(2).copied()
}

fn dockerfile(case: &Path, exchange: &Exchange, is_last: bool) -> Outcome {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let copy = with_links(case, scratch.path()).expect("a copy");
    let Some(directory) = directory(exchange) else { return Outcome::NotRunnable("no directory".to_owned()) };
    let name = directory.trim_start_matches("./").trim_end_matches('/');
    let target = format!("{name}.Dockerfile");
    let is_there = exchange.stderr.contains("already exists");
    if copy.join(&target).exists() && !is_there {
        fs::remove_file(copy.join(&target)).expect("it goes");
    }
    // Empty directories were not stored.
    if !exchange.stderr.contains("no such file") && !copy.join(name).exists() {
        fs::create_dir_all(copy.join(name)).expect("a directory");
    }
    let answer = olmdex(&copy, &words(exchange)).expect("the program starts");
    if (answer.exit_code == 0) != (exchange.exit_code == 0) {
        return Outcome::Failed(format!("exit code {}: {}", answer.exit_code, answer.stderr));
    }
    let recorded = fs::read_to_string(case.join(&target)).unwrap_or_default();
    if exchange.exit_code != 0 || !is_last || recorded.is_empty() {
        return Outcome::Passed;
    }
    let instructions = |text: &str| -> Vec<String> {
        text.lines().filter(|it| !it.is_empty() && !it.starts_with('#')).map(str::to_owned).collect()
    };
    let found = fs::read_to_string(copy.join(&target)).unwrap_or_default();
    Outcome::of_equal(&instructions(&found), &instructions(&recorded))
}
