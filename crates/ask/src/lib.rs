//! Questions and their complete answers: from words, names or objects of Kubernetes to a typed question, and from a question to all that
//! there is to say, with reasons, warnings, what stands still and what would repair it. Commands, pages and editors ask here and lay
//! out what they get, so that all of them say the same.
//!
//! | to know | ask |
//! |---|---|
//! | what there is of a package, channel or bundle | [`show()`], [`search()`] |
//! | what a rule or a message of OLM means | [`explain()`] |
//! | which package or bundle a word names | [`PackageName::find`], [`Target::find`] |
//! | which catalog is meant | [`Catalogs::choose`] |
//! | what OLM installs in namespaces | [`NamespaceQuestion::worlds`], [`resolutions`] |
//! | whether a catalog is valid | [`check_catalog`] |
//! | what a bundle requires, and who needs it | [`dependencies()`], of many bundles [`NeedsOfPackage`] |
//! | why something is in a namespace | [`NamespaceQuestion::why`] |
//! | where an entry stands in its channel | [`Entries`] |
//! | what differs between catalogs, and what that means | [`changes`], [`SimulationQuestion`] |
//! | what may stay on a later version of OpenShift | [`CompatQuestion::answer`] |
//! | whether the versions that manifests pin exist, and what comes next | [`PinQuestion::answer`] |
//! | which rights a version asks for, and which of them are new | [`permissions()`] |
//! | what can move to OLM v1, and what takes its place there | [`ReadinessQuestion::answer`] |
//! | in which catalogs a package is, and what would publish it in another | [`WhereisQuestion::answer`] |
//! | how a cluster gets to a later version of OpenShift | [`plan_of`] |
//! | what OLM upgrades to, by which way, and why not | [`UpgradeQuestion::updates`], [`UpgradeQuestion::paths`], [`UpgradeQuestion::why_not`] |
//!
//! What it deliberately does not do: it reads no files and no command line, and prints nothing.

mod bundle;
mod catalog;
mod compat;
mod dependencies;
mod entry;
mod error;
mod explain;
mod findings;
mod hint;
mod images;
mod locks;
mod many_needs;
mod name;
mod namespace;
mod openshift;
mod permissions;
mod pins;
mod plan;
mod readiness;
mod resolution;
mod search;
mod show;
mod simulation;
mod sql;
mod upgrade;
mod upgrade_answers;
mod whereis;
mod why;

pub use bundle::{Target, looks_like_range, of_version};
pub use catalog::{Catalogs, CatalogsOfVersion, must_have, openshift_of_catalog};
pub use compat::{CompatAnswers, CompatQuestion, stays_at};
pub use dependencies::{DependencyAnswers, DependencyWish, dependencies, needs};
pub use entry::{Entries, EntryStanding, EntryUpdates};
pub use error::AskError;
pub use explain::{Explained, all_rules, explain, explain_message, rules_named};
pub use findings::{DifferenceWish, Differences, changes, differences, package_findings};
pub use hint::{Help, Hint, guess, guess_bundle, left_out};
pub use images::{
    BundlePlace, Uninstallable, add_dependencies, bundles_between, bundles_named, bundles_of_cluster, image_warning,
};
pub use locks::asked_of_lock;
pub use many_needs::{NeedsOfCatalogs, NeedsOfPackage};
pub use name::{PackageName, nearest_versions, no_api, no_channel, no_package, no_version};
pub use namespace::{NamespaceQuestion, Worlds};
pub use olmdex_olm::permissions::{AskedRule, BundlePermissions, RuleScope};
pub use olmdex_olm::resolve::{BundleNeeds, Dependencies, MAX_NAMED, Need};
pub use olmdex_olm::upgrade::compat::Compatibility;
pub use olmdex_olm::upgrade::v1::Gates;
pub use olmdex_olm::upgrade::{
    Generation, InstalledBundle, Move, PathStep, Stay, Updates, UpgradePath, Verdict, WhyNot, check_catalog,
    check_catalog_noting, check_graph, cut_advice,
};
pub use openshift::{minor, openshift_of};
pub use permissions::{permissions, permissions_of};
pub use pins::{PinAnswers, PinQuestion};
pub use plan::{basis_of_index, must_lead_between_extended, must_lead_on, plan_of};
pub use readiness::{ReadinessAnswers, ReadinessQuestion};
pub use resolution::{Cost, DEFAULT_WORK, ResolutionWish, Resolutions, options_of_work, resolutions};
pub use search::{Retry, nearest_names, retries, search};
pub use show::{Shown, show};
pub use simulation::{SeenBundle, SimulationQuestion};
pub use sql::{SqlRow, sql_rows};
pub use upgrade::{Channels, Olm, PackageQuestion, PackageQuestions, UpgradeQuestion, Warn, bundle, installed};
pub use upgrade_answers::{FewestWish, PathWish, Paths, UpdateAnswers, WhyNotAnswers};
pub use whereis::{
    AbsenceReason, CatalogPresence, ChannelPresence, FileChange, KnownFrom, MirroredCatalog, SmallestChange,
    WhereisAnswers, WhereisQuestion,
};
pub use why::WhyAnswers;
