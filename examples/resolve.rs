//! Asks what OLM Classic installs for a Subscription, with all that comes along and why.
//!
//! `cargo run --example resolve [DIRECTORY]` subscribes to the till of `fixtures/shop/in`.
//!
//! ```text
//! till.v1.1.0 from `stable`: Subscription till asks for it
//! ledger.v1.1.0 from `stable`: till.v1.1.0 requires it
//! ```
#![expect(clippy::print_stdout, reason = "an example is a program")]

use std::error::Error;
use std::path::{Path, PathBuf};

use olmdex::cluster::Subscription;
use olmdex::fbc::Input;
use olmdex::index::{Builder, CatalogSpec, Mode};
use olmdex::resolve::{Because, Catalog, IndexRows, Options, Verdict, World, resolve};

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

    // `olmdex::cluster::read` makes Subscriptions and the rest from manifests.
    let till = Subscription {
        name: "till".to_owned(),
        namespace: "market".to_owned(),
        package: "till".to_owned(),
        source: "shop".to_owned(),
        source_namespace: "olm".to_owned(),
        channel: "stable".to_owned(),
        ..Subscription::default()
    };
    let world = World {
        namespace: "market".to_owned(),
        global_namespace: "olm".to_owned(),
        catalogs: vec![Catalog { name: "shop".to_owned(), namespace: "olm".to_owned(), ..Catalog::default() }],
        subscriptions: vec![till],
        ..World::default()
    };
    let mut out = String::new();
    match resolve(&world, &IndexRows::new(&index, &world), &Options::default())? {
        Verdict::Resolved(resolution) => {
            for operator in &resolution.operators {
                let why = match operator.because.first() {
                    Some(Because::Subscription { name, .. }) => format!("Subscription {name} asks for it"),
                    Some(Because::Required { by, .. }) => format!("{by} requires it"),
                    Some(Because::Installed) | None => "it is installed".to_owned(),
                };
                out += &format!("{} from `{}`: {why}\n", operator.name, operator.channel);
            }
        }
        // The facts that cannot hold together, as few as possible.
        Verdict::Unsatisfiable(conflict) => {
            for fact in &conflict.facts {
                out += &format!("{}\n", fact.message);
            }
        }
    }
    Ok(out)
}
