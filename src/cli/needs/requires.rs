//! `olmdex requires`

use std::borrow::Cow;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::Context;
use crate::cli::args::sources::AskOptions;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::cli::args::name::unknown_package;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::constraint::{Leaf, leaves, plain};
use crate::index::query::{ApiPattern, Filter, UseRow};

/// List the bundles that require an API or a package, by themselves or inside an `olm.constraint`
///
/// Exits with 1 if none does.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex requires cert-manager.io/v1/Issuer
  olmdex requires prometheus -i community=catalog/
  olmdex requires Kafka -o json")]
pub(crate) struct RequiresArgs {
    /// A package, or an API: GROUP/VERSION/KIND, of which parts may be empty, KIND or KIND.VERSION.GROUP
    #[arg(value_name = "API|PKG")]
    what: String,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

/// A bundle that requires something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Requirer {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// The channels that have it.
    pub channels: Vec<String>,
    /// What it requires.
    pub requirement: String,
    /// The type of the property that says so.
    pub property: String,
}

pub(crate) fn run(context: &Context, args: &RequiresArgs) -> CommandResult {
    let index = args.ask.open(context)?;
    let filter = Filter { catalogs: args.ask.catalog.clone(), ..Filter::default() };
    let is_api = args.what.contains('/') || args.what.starts_with(|c: char| c.is_ascii_uppercase());
    let packages = index.package_names()?;
    let pattern = is_api.then(|| ApiPattern::parse(&args.what));
    let mut rows = Vec::new();
    let mut n_rules = 0;
    match &pattern {
        Some(pattern) => {
            rows.extend(index.requirers_of_api(&filter, pattern)?.into_iter().map(|it| {
                let api =
                    crate::fbc::Api { group: it.what.0.clone(), version: it.what.1.clone(), kind: it.what.2.clone() };
                row(it, format!("the API {api}"), "olm.gvk.required")
            }));
        }
        None => {
            rows.extend(index.requirers_of_package(&filter, &args.what)?.into_iter().map(|it| {
                let text = format!("package {} {}", it.what.0, it.what.1);
                row(it, text, "olm.package.required")
            }));
        }
    }
    for it in index.bundles_with_property(&filter, "olm.constraint")? {
        // One that cannot be read requires nothing that could be named; `validate` and `deps` speak of it.
        let (Ok(leaves), Ok(text)) = (leaves(&it.what.1), plain(&it.what.1)) else { continue };
        n_rules += usize::from(leaves.iter().any(|it| matches!(it, Leaf::Rule(_))));
        let is_meant = leaves.iter().any(|leaf| match (leaf, &pattern) {
            (Leaf::Api(api), Some(pattern)) => {
                let fits = |part: &str, wanted: &str| wanted.is_empty() || part.eq_ignore_ascii_case(wanted);
                fits(&api.group, &pattern.group)
                    && fits(&api.version, &pattern.version)
                    && fits(&api.kind, &pattern.kind)
            }
            (Leaf::Package(name, _), None) => *name == args.what,
            _ => false,
        });
        if is_meant {
            rows.push(row(it, text, "olm.constraint"));
        }
    }
    rows.sort_by_cached_key(|it| {
        let version = crate::version::Version::parse(&it.version).ok().map(|it| it.sort_key());
        (it.catalog.clone(), it.package.clone(), version, it.bundle.clone(), it.requirement.clone())
    });
    rows.dedup();
    if rows.is_empty() {
        if !is_api && !packages.contains(&args.what) {
            let error: CommandError = unknown_package(&index, &args.what)?;
            return Err(error);
        }
        context.reporter.note("nothing found");
    }
    if n_rules > 0 {
        let constraints = if n_rules == 1 { "1 constraint".to_owned() } else { format!("{n_rules} constraints") };
        context.reporter.note(&format!(
            "{constraints} with rules of CEL: rules are not searched; `olmdex deps PKG@VERSION --invert` asks them too"
        ));
    }
    let exit = if rows.is_empty() { Exit::No } else { Exit::Yes };
    table::print(rows, &args.rows)?;
    Ok(exit)
}

fn row(it: UseRow, requirement: String, property: &str) -> Requirer {
    let UseRow { catalog, package, bundle, version, channels, .. } = it;
    Requirer { catalog, package, bundle, version, channels, requirement, property: property.to_owned() }
}

impl Row for Requirer {
    const KIND: &'static str = "Requirement";

    fn columns() -> Vec<Column> {
        vec![
            column("CATALOG"),
            column("PACKAGE"),
            column("VERSION"),
            wide("BUNDLE"),
            column("CHANNELS"),
            column("REQUIRES"),
            wide("PROPERTY"),
        ]
    }

    fn cells(&self) -> Vec<Cow<'_, str>> {
        let Self { catalog, package, bundle, version, channels, requirement, property } = self;
        vec![
            Cow::from(catalog),
            Cow::from(package),
            Cow::from(version),
            Cow::from(bundle),
            channels.join(",").into(),
            Cow::from(requirement),
            Cow::from(property),
        ]
    }

    fn name(&self) -> String {
        self.bundle.clone()
    }
}
