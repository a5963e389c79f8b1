//! Whether a CustomResourceDefinition may be upgraded: by OLM v1's preflight, by the checks of OLM Classic, and by the
//! demands of its documentation.
//!
//! | part | what it does |
//! |---|---|
//! | [`Crd`] | a definition, as v1 or v1beta1 has it |
//! | [`preflight`] | what OLM v1 refuses before it installs (`docs/behaviour/olm-v1.md` section 6) |
//! | [`classic`] | what OLM Classic refuses (`docs/behaviour/olm-classic.md` section 7), and the documented conditions (OLM's "Dependency Resolution and Upgrades") |
//! | [`outline`] | definitions and ClusterServiceVersions by their names, without schemas |
//! | [`findings`] | the verdicts of both, as findings |
//! | [`ownership`] | whether the definitions of a bundle fit each other and the list of owned ones in its ClusterServiceVersion |

pub mod bundle_rules;
pub mod classic;
mod definition;
mod field;
pub mod findings;
mod manifests;
mod objects;
pub mod outline;
pub mod ownership;
pub mod preflight;
pub mod rules;
mod schema;
#[cfg(feature = "jsonschema")]
mod validator;
mod version;
#[cfg(feature = "jsonschema")]
mod work;

pub use definition::{Crd, CrdError, CrdVersion};
pub use manifests::check_manifests;
pub use objects::Resource;
#[cfg(feature = "jsonschema")]
pub use validator::{Invalid, Validator, ValidatorError};
