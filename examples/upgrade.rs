//! Follows OLM Classic from an installed bundle to the head of a channel, and prints the field that permits each step.
//!
//! `cargo run --example upgrade [DIRECTORY]` takes the till of `fixtures/shop/in`.
//!
//! ```text
//! till.v1.0.0 in `candidate`: to till.v1.2.0 by skipRange >=1.0.0 <1.2.0
//! till.v1.2.0 is a head
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example is a program")]

use std::error::Error;
use std::path::{Path, PathBuf};

use olmdex::ask::{OlmSet, PathQuestion, Question as _, State, UpgradeOptions};
use olmdex::fbc::Input;
use olmdex::index::{Builder, CatalogSpec, Mode};

fn main() -> Result<(), Box<dyn Error>> {
    let named = std::env::args_os().nth(1).map(PathBuf::from);
    let directory = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/shop/in"));
    print!("{}", answer(&directory)?);
    Ok(())
}

pub(crate) fn answer(directory: &Path) -> Result<String, Box<dyn Error>> {
    let mut builder = Builder::in_memory();
    let spec = CatalogSpec { name: "shop".to_owned(), ..CatalogSpec::default() };
    builder.add_catalog(&spec, &Input::directory(directory)?, Mode::Tolerant)?;
    let index = builder.into_index()?;

    let question = PathQuestion {
        name: Some("till/candidate".to_owned()),
        installed: Some("till.v1.0.0".to_owned()),
        options: UpgradeOptions { olm: OlmSet::Classic, ..UpgradeOptions::default() },
        ..PathQuestion::default()
    };
    let answer = question.ask(&State::of(&index))?;
    answer.warnings.iter().for_each(|warning| eprintln!("{warning}"));

    let mut out = String::new();
    for path in answer.items {
        let mut at = path.from.name;
        for step in path.steps {
            let permits = step.target.permits.iter();
            let permits: Vec<String> = permits.map(|it| format!("{} {}", it.field.as_str(), it.value)).collect();
            let channels = step.target.channels.join(", ");
            out += &format!("{at} in `{channels}`: to {} by {}\n", step.target.bundle, permits.join(" and "));
            at = step.target.bundle;
        }
        out += &format!("{}\n", path.reason);
    }
    Ok(out)
}
