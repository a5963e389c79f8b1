//! Follows OLM Classic from an installed bundle to the head of a channel, and says what permits each step.
//!
//! `cargo run --example upgrade [DIRECTORY]` takes the till of `fixtures/shop/in`.
//!
//! ```text
//! till.v1.0.0 in `candidate`: to till.v1.2.0 by skipRange >=1.0.0 <1.2.0
//! till.v1.2.0 is at the head
//! ```
#![expect(clippy::print_stdout, reason = "an example is a program")]

use std::error::Error;
use std::path::{Path, PathBuf};

use olmdex::fbc::Input;
use olmdex::index::query::Filter;
use olmdex::index::{Builder, CatalogSpec, Mode};
use olmdex::upgrade::classic::{End, Installed, Package};
use olmdex::version::Version;

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

    let graphs = index.package_graphs(&Filter::default(), "till")?;
    let package = Package::new(graphs.first().ok_or("the catalog has no package `till`")?);
    // What is installed need not be in the catalog.
    let installed = Installed { name: "till.v1.0.0".to_owned(), version: Some(Version::parse("1.0.0")?) };
    let path = package.path(Some("candidate"), &installed)?;

    let mut out = String::new();
    let mut at = installed.name;
    for step in path.steps {
        let permits: Vec<String> =
            step.permits.iter().map(|it| format!("{} {}", it.field.as_str(), it.value)).collect();
        out += &format!("{at} in `{}`: to {} by {}\n", step.channel, step.bundle, permits.join(" and "));
        at = step.bundle;
    }
    out += &match path.end {
        End::Head => format!("{at} is at the head\n"),
        End::Stranded => format!("no upgrade available from {at}\n"),
        End::Loop => format!("the path comes back to {at}\n"),
    };
    Ok(out)
}
