//! `olmdex provides`

use std::borrow::Cow;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::Context;
use super::ask::AskOptions;
use super::error::{CommandResult, Exit};
use super::table::{self, Column, Row, RowOptions, column, wide};
use crate::index::query::{ApiPattern, Filter};

/// List the bundles that provide an API
///
/// Exits with 1 if none does.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex provides keda.sh/v1alpha1/ScaledObject
  olmdex provides Prometheus -i community=catalog/
  olmdex provides Kafka.v1beta2.kafka.strimzi.io -o csv")]
pub(crate) struct ProvidesArgs {
    /// GROUP/VERSION/KIND, of which parts may be empty; also KIND, GROUP or KIND.VERSION.GROUP
    #[arg(value_name = "API")]
    api: String,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

/// A bundle that provides an API.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Provider {
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
    /// The API: group, version and kind.
    pub api: crate::fbc::Api,
}

pub(crate) fn run(context: &Context, args: &ProvidesArgs) -> CommandResult {
    let index = args.ask.open(context)?;
    let filter = Filter { catalogs: args.ask.catalog.clone(), ..Filter::default() };
    let found = index.providers(&filter, &ApiPattern::parse(&args.api))?;
    let rows: Vec<Provider> = found
        .into_iter()
        .map(|it| Provider {
            catalog: it.catalog,
            package: it.package,
            bundle: it.bundle,
            version: it.version,
            channels: it.channels,
            api: crate::fbc::Api { group: it.what.0, version: it.what.1, kind: it.what.2 },
        })
        .collect();
    let is_found = !rows.is_empty();
    if !is_found {
        context.reporter.note("nothing found");
    }
    table::print(rows, &args.rows)?;
    Ok(if is_found { Exit::Yes } else { Exit::No })
}

impl Row for Provider {
    const KIND: &'static str = "Provider";

    fn columns() -> Vec<Column> {
        vec![column("CATALOG"), column("PACKAGE"), column("VERSION"), wide("BUNDLE"), column("CHANNELS"), column("API")]
    }

    fn cells(&self) -> Vec<Cow<'_, str>> {
        let Self { catalog, package, bundle, version, channels, api } = self;
        vec![
            Cow::from(catalog),
            Cow::from(package),
            Cow::from(version),
            Cow::from(bundle),
            channels.join(",").into(),
            api.to_string().into(),
        ]
    }

    fn name(&self) -> String {
        self.bundle.clone()
    }
}
