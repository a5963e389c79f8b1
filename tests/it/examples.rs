//! The programs of `examples/` print the output in their first comments.

use std::error::Error;
use std::path::Path;

#[expect(dead_code, reason = "here it is not a program")]
#[path = "../../examples/index.rs"]
mod index;
#[expect(dead_code, reason = "here it is not a program")]
#[path = "../../examples/resolve.rs"]
mod resolve;
#[expect(dead_code, reason = "here it is not a program")]
#[path = "../../examples/upgrade.rs"]
mod upgrade;
#[expect(dead_code, reason = "here it is not a program")]
#[path = "../../examples/validate.rs"]
mod validate;

type Answer = fn(&Path) -> Result<String, Box<dyn Error>>;

/// Each program with its text.
const EXAMPLES: &[(&str, &str, Answer)] = &[
    ("index", include_str!("../../examples/index.rs"), index::answer),
    ("resolve", include_str!("../../examples/resolve.rs"), resolve::answer),
    ("upgrade", include_str!("../../examples/upgrade.rs"), upgrade::answer),
    ("validate", include_str!("../../examples/validate.rs"), validate::answer),
];

#[test]
fn every_example_prints_what_it_says() {
    let shop = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/shop/in");
    for (name, text, answer) in EXAMPLES {
        let block = text.split("//! ```text\n").nth(1).and_then(|it| it.split("//! ```\n").next()).unwrap_or_default();
        let said: String = block.lines().map(|it| format!("{}\n", it.trim_start_matches("//!").trim_start())).collect();
        let printed = answer(&shop).unwrap_or_else(|error| format!("{error}\n"));
        assert_eq!(printed, said, "{name}");
    }
}

#[test]
fn every_example_is_run_here_and_in_ci() -> std::io::Result<()> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ci = std::fs::read_to_string(package.join(".ci/run"))?;
    for entry in std::fs::read_dir(package.join("examples"))? {
        let file = entry?.file_name().to_string_lossy().into_owned();
        let name = file.trim_end_matches(".rs");
        assert!(EXAMPLES.iter().any(|(it, ..)| *it == name), "nobody runs {file}");
        assert!(ci.contains(name), ".ci/run does not run {file}");
    }
    Ok(())
}
