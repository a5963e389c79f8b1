//! `--source-map`, which every option `--cluster` goes with.

use clap::Args;

use crate::catalog_source::TieError;
use crate::cli::args::name::with_guess;
use crate::cli::speak::error::{CommandError, Exit};

/// Which catalog a CatalogSource is.
#[derive(Debug, Clone, Args)]
pub(crate) struct SourceMapOption {
    /// Which catalog, or family of catalogs, a CatalogSource of the cluster is; may be repeated. Default: the catalog with the label
    /// `catalogsource`, else that of its name, else that of the cluster's version of OpenShift in the family of its name
    #[arg(long, value_name = "NS/NAME=CATALOG")]
    pub(crate) source_map: Vec<String>,
}

impl From<TieError> for CommandError {
    fn from(error: TieError) -> Self {
        let text = error.to_string();
        match error {
            TieError::NoTie(_) => Self::usage(text)
                .help("write NAMESPACE/NAME=CATALOG, as in openshift-marketplace/community-operators=community"),
            TieError::Unknown { name, known } => {
                with_guess(Self::new(Exit::NotFound, text), &name, &known, &format!("there are {}", known.join(", ")))
            }
        }
    }
}
