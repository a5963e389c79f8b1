//! The size of the program: a change that makes it larger raises a limit here, and its commit says what for.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::print_stdout, reason = "`--nocapture` shows the sizes of all crates")]

use std::collections::BTreeMap;

use crate::tidy::{Source, sources};

/// The most lines of code of `src` and `crates`: without tests, comments and blank lines.
const MAX_CODE: usize = 167_997;

/// The most types: structs and enums.
const MAX_TYPES: usize = 2_377;

/// The lines of code of a file, and its types.
fn size(source: &Source) -> (usize, usize) {
    let lines = source.code().map(|(_, line)| line.trim());
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    code.fold((0, 0), |(n_lines, n_types), line| {
        let is_visibility = |word: &&str| word.starts_with("pub") || word.ends_with(')');
        let word = line.split_whitespace().find(|word| !is_visibility(word));
        (n_lines + 1, n_types + usize::from(matches!(word, Some("struct" | "enum"))))
    })
}

#[test]
fn the_program_grows_only_on_purpose() {
    let mut by_crate: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for source in sources() {
        let name = match source.path.strip_prefix("crates/") {
            Some(rest) => rest.split('/').next().unwrap(),
            None => "src",
        };
        let (lines, types) = size(&source);
        let of_crate = by_crate.entry(name.to_owned()).or_default();
        *of_crate = (of_crate.0 + lines, of_crate.1 + types);
    }
    let mut all = (0, 0);
    for (name, (lines, types)) in &by_crate {
        println!("{name:<12}{lines:>8}{types:>7}");
        all = (all.0 + lines, all.1 + types);
    }
    println!("{:<12}{:>8}{:>7}", "sum", all.0, all.1);
    assert!(by_crate.len() > 20, "crates are missing");
    assert!(all.0 <= MAX_CODE, "{} lines of code, more than {MAX_CODE}", all.0);
    assert!(all.1 <= MAX_TYPES, "{} types, more than {MAX_TYPES}", all.1);
}
