//! Questions and their complete answers: from words, names or objects of Kubernetes to a typed question, and from a
//! question to its complete answer, with reasons, warnings, operators that stand still and repairs. Commands, pages and
//! editors ask here and only lay out the answers, so that all of them give the same.
//!
//! [`open()`] opens catalogs as one index, and [`Opener::cluster`] reads a cluster.
//!
//! | to know | ask |
//! |---|---|
//! | the contents of a package, channel or bundle | [`ShowQuestion`], [`SearchQuestion`] |
//! | what a rule or a message of OLM means | [`explain()`] |
//! | which package or bundle a word names | [`PackageName::find`], [`Target::find`] |
//! | which catalog is meant | [`Catalogs::choose`] |
//! | what OLM installs in namespaces | [`NamespaceQuestion::worlds`], [`resolutions`] |
//! | whether a catalog or a template is valid | [`check_catalog`], [`judge_template`] |
//! | the image of a catalog | [`CatalogFiles::image`] |
//! | the images of bundles | [`ImagesQuestion`] |
//! | the requirements in whole catalogs that nothing meets | [`unmet_requirements`] |
//! | the requirements of a bundle, and its dependants | [`DepsQuestion`], of many bundles [`NeedsOfPackage`] |
//! | why something is in a namespace | [`NamespaceQuestion::why`] |
//! | the position of an entry in its channel | [`Entries`] |
//! | the faults of upgrade graphs, and since when | [`GraphCheckQuestion::answer`] |
//! | how patch releases upgrade straight to the latest | [`ZStreamQuestion::answer`] |
//! | which upgrades of catalogs change definitions as OLM refuses it | [`DefinitionQuestion::answer`] |
//! | whether OLM refuses the definitions of one upgrade | [`DefinitionComparison::answer`] |
//! | which edits of catalogs would strand nobody | [`RepairQuestion::answer`] |
//! | the differences between catalogs, and their effects | [`changes`], [`SimulationQuestion`] |
//! | the bundles that may stay on a later version of OpenShift | [`CompatQuestion`] |
//! | whether the versions that manifests pin exist, and which upgrade comes next | [`PinQuestion::answer`] |
//! | which rights a version asks for, and which of them are new | [`ShowQuestion`], [`permissions_of`] |
//! | the operators that can move to OLM v1, and their replacements there | [`ReadinessQuestion`] |
//! | the catalogs of a package, and the change that would publish it in another | [`WhereisQuestion::answer`] |
//! | the part of a catalog that a mirror keeps, and its dependencies | [`MirrorCatalog::keep`], [`with_mirror_needs`] |
//! | the blobs to copy from one state of a mirror to another, and those that can be removed | [`MirrorDeltaQuestion::answer`] |
//! | when something was last good, and who was stranded when | [`BisectQuestion::answer`], [`strandings`] |
//! | the state of many clusters, and which are upgraded together | [`FleetAsker`] |
//! | how to upgrade a cluster to a later version of OpenShift | [`plan_of`] |
//! | how long versions are supported | [`LifecycleQuestion::answer`] |
//! | the bundles that operators are pinned to | [`LockQuestion::answer`] |
//! | the updates of OpenShift from one version to another | [`PlatformPathQuestion::answer`] |
//! | what OLM upgrades to, by which path, and why not | [`UpdatesQuestion`], [`PathQuestion`], [`WhyNotQuestion`] |
//!
//! This crate deliberately reads no command line and prints nothing. It reads only the files that [`open()`] is given.

mod building;
mod bundle;
mod bundle_directory;
mod catalog;
mod catalog_image;
#[cfg(feature = "clap")]
mod command_line;
mod compat;
mod definitions;
mod dependencies;
mod diagnosis;
mod entry;
mod error;
mod explain;
mod findings;
mod fleet;
mod graph_check;
mod hint;
mod image_set_check;
mod images;
mod installed;
mod lifecycle;
mod locks;
mod many_needs;
mod marked_path;
mod mirror_catalog;
mod mirror_delta;
mod mirror_needs;
mod name;
mod namespace;
mod openshift;
mod package_changes;
mod past;
mod permissions;
mod pins;
mod plan;
mod plan_replay;
mod platform_path;
mod question;
mod readiness;
mod repairs;
mod requirements;
mod resolution;
mod search;
mod show;
mod simulation;
mod sources;
mod sql;
mod standings;
mod template;
mod template_copies;
mod upgrade;
mod upgrades;
mod whereis;
mod why;
mod z_stream;

pub use building::{builder, builder_for_graphs, builder_for_lists, builder_of, light_builder};
pub use bundle::{Target, bundle_called, looks_like_range, of_version};
pub use bundle_directory::BundleDirectory;
pub use catalog::{Catalogs, CatalogsOfVersion, must_have, openshift_of_catalog, successions};
pub use catalog_image::{CatalogFiles, CatalogImageError, ImageParts};
#[cfg(feature = "clap")]
pub use command_line::{CommandLine, one_of};
pub use compat::{CompatQuestion, VerdictWord, blocking, stays_at};
pub use definitions::{
    ComparedDefinitions, DefinitionComparison, DefinitionOwners, DefinitionQuestion, Definitions, carried_objects,
};
pub use dependencies::{DepsQuestion, WorkOptions, needs};
pub use diagnosis::{DiagnoseQuestion, states_for};
pub use entry::{Entries, EntryStanding, EntryUpdates};
pub use error::AskError;
pub use explain::{Explained, all_rules, explain, explain_message, rules_named};
pub use findings::{
    DifferenceWish, Differences, catalog_findings, changes, differences, findings_of_rules, must_be_in_either,
    package_findings,
};
pub use fleet::{FleetAsker, FleetPlan, FleetQuestion};
pub use graph_check::{GraphCheckAnswer, GraphCheckQuestion, JudgedCatalog};
pub use hint::{Help, Hint, guess, guess_bundle, left_out};
pub use image_set_check::{ImageSetAnswer, ImageSetError, ImageSetQuestion, KnownCatalogs};
pub use images::{ConfiguredBundles, ImagesQuestion, KnownImages, bundles_of_configuration};
pub use installed::{InstalledOperator, images_of_installed, installed_operators};
pub use lifecycle::{LifecycleAnswers, LifecycleQuestion};
pub use locks::{LockAnswer, LockQuestion, asked_of_lock, wishes_of_cluster};
pub use many_needs::{NeedsOfCatalogs, NeedsOfPackage};
pub use marked_path::MarkedPathQuestion;
pub use mirror_catalog::{KeepError, KeptPart, KeptRemark, MirrorCatalog};
pub use mirror_delta::{
    DeltaAction, DeltaKind, DeltaMetadata, DeltaStep, DeltaTotal, MirrorDelta, MirrorDeltaQuestion, MirrorState,
    StateImage,
};
pub use mirror_needs::{MirrorRemark, with_mirror_needs};
pub use name::{PackageName, nearest_versions, no_api, no_channel, no_package, no_version};
pub use namespace::{NamespaceQuestion, Worlds};
pub use olmdex_base::olm::{Olm, OlmSet};
pub use olmdex_index::query::Filter;
pub use olmdex_olm::catalog_source::usual_image;
pub use olmdex_olm::permissions::{AskedRule, BundlePermissions, RuleScope};
pub use olmdex_olm::resolve::{BundleNeeds, Dependencies, MAX_NAMED, Need};
pub use olmdex_olm::upgrade::classic::Step;
pub use olmdex_olm::upgrade::compat::Compatibility;
pub use olmdex_olm::upgrade::v1::Gates;
pub use olmdex_olm::upgrade::{
    ChannelChange, Goal, InstalledBundle, LeftOutRange, Move, NamedVersion, Outlook, OutlookVerdict, PathStep, Setting,
    Standing, Stay, Updates, UpgradePath, Verdict as UpdateVerdict, WhyNot, check_catalog, check_catalog_noting,
    check_graph, cut_advice,
};
pub use olmdex_open::source::{Asked, Opener};
pub use olmdex_rules::cluster::Cluster;
pub use openshift::{mentioned_minors, minor, openshift_of};
pub use package_changes::{PackageChangeKind, PackageChanges, by_package, stranded};
pub use past::{BisectQuestion, Bisection, Stranding, strandings};
pub use permissions::permissions_of;
pub use pins::{PinAnswers, PinQuestion};
pub use plan::{basis_of_index, must_lead_between_extended, must_lead_on, plan_of};
pub use platform_path::{PlatformEnds, PlatformPathQuestion};
pub use question::{Answer, Question, State, Verdict, kind};
pub use readiness::{ReadinessQuestion, v1_install_warnings};
pub use repairs::{RepairAnswers, RepairQuestion};
pub use requirements::{JudgedRequirement, RequirementAnswers, RequiringCatalog, unmet_requirements};
pub use resolution::{DEFAULT_WORK, PAGE_WORK, ResolutionWish, Resolutions, options_of_work, resolutions};
pub use search::{Conditions, Retry, SearchQuestion, nearest_names, retries, search};
pub use show::{ShowQuestion, Shown};
pub use simulation::{SeenBundle, SimulationQuestion};
pub use sources::{CatalogNames, LoadError, LoadedCatalog, LoadedSource, NamedSource, load_into, only_catalog, open};
pub use sql::{SqlRow, sql_rows};
pub use standings::{StandingsQuestion, VersionStanding, standings};
pub use template::{JudgedTemplate, judge_template};
pub use template_copies::TemplateCopies;
pub use upgrade::{
    GateOptions, PackageQuestion, PackageQuestions, UpgradeOptions, Warn, add_catalogs, bundle, installed,
};
pub use upgrades::{PathQuestion, UpdatesQuestion, WhyNotQuestion};
pub use whereis::{
    AbsenceReason, CatalogPresence, ChannelPresence, FileChange, KnownFrom, MirroredCatalog, SmallestChange,
    WhereisAnswers, WhereisQuestion,
};
pub use why::WhyAnswers;
pub use z_stream::{CatalogZStream, ZStreamQuestion};
