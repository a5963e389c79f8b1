//! Asks what OLM Classic installs for a Subscription, with all dependencies and the reasons.
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

use olmdex::ask::{NamespaceQuestion, ResolutionWish, resolutions};
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

    // `olmdex::cluster::read` makes a `Cluster` of manifests, for the field `cluster`.
    let question = NamespaceQuestion {
        namespace: Some("market".to_owned()),
        install: vec!["till/stable".to_owned()],
        ..NamespaceQuestion::default()
    };
    let found = resolutions(&index, question.worlds(&index)?, &ResolutionWish::default())?;

    let mut out = String::new();
    for answer in &found.answers {
        for operator in &answer.operators {
            let why = match operator.because.first() {
                Some(it) if !it.subscription.is_empty() => format!("Subscription {} asks for it", it.subscription),
                Some(it) => format!("{} requires it", it.required_by),
                None => "it is installed".to_owned(),
            };
            out += &format!("{} from `{}`: {why}\n", operator.name, operator.channel);
        }
        // Why it cannot be resolved, in plain words.
        for sentence in answer.conflict.iter().flat_map(|it| &it.because) {
            out += &format!("{}\n", sentence.text);
        }
    }
    Ok(out)
}
