//! Which catalog of an index a source of a cluster is: by a map, by labels, by names, and by the version of OpenShift that names have.
//!
//! What it deliberately does not do: it opens no catalog, and looks at no package.

mod family;
mod meaning;
pub mod name;

pub use family::{PlanCatalog, family_and_minor};
pub use meaning::{CatalogSources, SOURCE_LABEL, SourceMeaning, TieError};
pub use meaning::{meant, read_ties};
pub use olmdex_rules::cluster::CATALOG_NAME_LABEL;
