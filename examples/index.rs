//! Puts a catalog into an index and asks for its contents, and for the providers of an API.
//!
//! `cargo run --example index [DIRECTORY]` reads `fixtures/shop/in`.
//!
//! ```text
//! ledger: 1 channel, 2 bundles, ledger.v1.1.0 at the head of `stable`
//! till: 2 channels, 3 bundles, till.v1.1.0 at the head of `stable`
//! ledger.v1.0.0 provides Ledger
//! ledger.v1.1.0 provides Ledger
//! ```
#![expect(clippy::print_stdout, reason = "an example is a program")]

use std::error::Error;
use std::path::{Path, PathBuf};

use olmdex::diag::counted;
use olmdex::fbc::Input;
use olmdex::index::query::{ApiPattern, Filter};
use olmdex::index::{Builder, CatalogSpec, Mode};

fn main() -> Result<(), Box<dyn Error>> {
    let named = std::env::args_os().nth(1).map(PathBuf::from);
    let directory = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/shop/in"));
    print!("{}", answer(&directory)?);
    Ok(())
}

pub(crate) fn answer(directory: &Path) -> Result<String, Box<dyn Error>> {
    // `Builder::open` writes an `index.db` instead, and `Index::open` reads one.
    let mut builder = Builder::in_memory();
    let spec = CatalogSpec { name: "shop".to_owned(), ..CatalogSpec::default() };
    builder.add_catalog(&spec, &Input::directory(directory)?, Mode::Strict)?;
    let index = builder.into_index()?;

    let mut out = String::new();
    for package in index.packages(&Filter::default())? {
        let (channels, bundles) = (counted(package.channels, "channel"), counted(package.bundles, "bundle"));
        let (name, head, channel) = (&package.package, &package.head, &package.default_channel);
        out += &format!("{name}: {channels}, {bundles}, {head} at the head of `{channel}`\n");
    }
    let ledgers = ApiPattern::parse("ledgers.shop.example.com/v1/Ledger");
    for provider in index.providers(&Filter::default(), &ledgers)? {
        out += &format!("{} provides {}\n", provider.bundle, provider.api.kind);
    }
    Ok(out)
}
