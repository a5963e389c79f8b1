//! Which catalog of an index a source of a cluster is: by a map, by labels, by names, and by the version of OpenShift that names have.
//!
//! What it deliberately does not do: it opens no catalog, and looks at no package.

mod family;
mod meaning;
pub(crate) mod name;

pub use crate::cluster::CATALOG_NAME_LABEL;
pub use family::{PlanCatalog, family_and_minor};
pub use meaning::{CatalogSources, SOURCE_LABEL, SourceMeaning, TieError};
pub(crate) use meaning::{meant, read_ties};
