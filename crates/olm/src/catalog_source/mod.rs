//! The catalog of an index that a source of a cluster means: by a map, by labels, by names, and by the version of
//! OpenShift in names.

mod family;
mod meaning;
mod served;
mod usual;

pub use family::{PlanCatalog, SourceName, family_and_minor, is_for};
pub use meaning::{CatalogSources, SOURCE_LABEL, SourceMeaning, TieError, read_ties};
pub use olmdex_rules::cluster::CATALOG_NAME_LABEL;
pub use served::served_catalogs;
pub use usual::{name_of_image, usual_image, usual_source};
