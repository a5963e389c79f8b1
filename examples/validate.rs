//! Checks a catalog. All findings come from one run, each with its place.
//!
//! `cargo run --example validate [DIRECTORY]` checks `fixtures/shop/in`, which has no findings; for
//! `fixtures/five-mistakes/in` it prints five.
//!
//! ```text
//! 0 errors
//! opm would accept this catalog
//! ```
#![expect(clippy::print_stdout, reason = "an example is a program")]

use std::error::Error;
use std::path::{Path, PathBuf};

use olmdex::ask::check_catalog;
use olmdex::diag::Tally;
use olmdex::diag::text::{self, Color};
use olmdex::fbc::Input;

fn main() -> Result<(), Box<dyn Error>> {
    let named = std::env::args_os().nth(1).map(PathBuf::from);
    let directory = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/shop/in"));
    print!("{}", answer(&directory)?);
    Ok(())
}

pub(crate) fn answer(directory: &Path) -> Result<String, Box<dyn Error>> {
    // A directory, a file or bytes; `olmdex::source::Opener` recognises the kind of a path.
    let input = Input::directory(directory)?;
    let report = check_catalog(&input, None);

    let mut out = String::new();
    for finding in &report.findings {
        out += &text::finding(finding, Color::Off);
        out += "\n";
    }
    out += &format!("{}\n", Tally::of(&report.findings));
    out += match &report.opm {
        None => "opm would accept this catalog\n",
        Some(_) => "opm would refuse this catalog\n",
    };
    Ok(out)
}
