//! Repositories of operators, as the community keeps them: a directory for each operator, with a bundle directory for
//! each version, `ci.yaml`, release configurations and templates.
//!
//! | part | what it does |
//! |---|---|
//! | [`Operator`] | reads the directory of an operator |
//! | [`release()`] | what a release configuration does to templates |
//! | [`Repository`] | finds the repository around a path, its settings and its `catalogs/` |
//! | [`Publications`] | whether an operator is in the catalog of a version of OpenShift, and what would put it there |
//! | [`check_catalogs()`] | what the pipelines say of catalogs in it |
//! | [`check_change()`] | what they say of the extent of a change |
//! | [`findings()`] | what the pipelines say of an operator before they take a change |
//!
//! The rules are in `docs/behaviour/authoring.md` A.5, A.6, C.3, C.4, F.2, F.3 and F.5.

mod catalogs;
mod change;
mod check;
mod checks;
mod configuration;
mod fields;
mod file;
mod finding;
mod graph;
mod hosted;
mod marketplace;
mod npm;
mod onboarding;
pub(crate) mod openshift;
mod operator;
mod publication;
mod release;
mod repository;
pub mod rules;
mod schema;
mod settings_file;
mod suite;

pub use catalogs::check_catalogs;
pub use change::check_change;
pub use check::{check_operator, check_version, default_channel, findings, heads, update_graph_of};
pub use hosted::{HostedChecks, SUPPORTED_VERSIONS, hosted_checks};
pub use onboarding::{NewTemplate, Onboarding, OnboardingError, OnboardingWish, SupportPolicy, onboard};
pub use openshift::kubernetes_of;
pub use operator::{Operator, RepositoryError, VersionDirectory};
pub use publication::{
    ChangedFile, NewContent, OPENSHIFT_VERSIONS, Publication, PublicationChange, PublicationReason,
    PublicationReasonKind, Publications, PublishedHead,
};
pub use release::{ReleaseError, TemplateEdit, catalog_level, release};
pub use repository::{OperatorCatalog, Repository, directories};
pub use settings_file::{is_settings, settings_findings};
pub use suite::{Suite, suite_findings};
