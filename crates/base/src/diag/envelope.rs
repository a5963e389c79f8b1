//! The envelope of every JSON answer.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Place, Tally};

/// This program's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The wrapper of every JSON output.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Envelope<T, M = Metadata> {
    /// Version of the output's form: `olmdex/v1`.
    pub api_version: String,
    /// The kind of the items.
    pub kind: String,
    /// About the answer as a whole.
    pub metadata: M,
    /// The answer.
    pub items: Vec<T>,
}

/// About an answer as a whole.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The number of items.
    pub count: usize,
    /// The things that were asked for and are not listed, in words; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_listed: Vec<String>,
}

/// A version that an object pins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PinState {
    /// The object: `Subscription NAMESPACE/NAME` or `ClusterExtension NAME`.
    pub object: String,
    /// Its package.
    pub package: String,
    /// The bundle that its `startingCSV` names, or its range of versions; `null` if it pins nothing.
    pub pin: Option<String>,
    /// Whether the catalog has it; `null` if there is no pin, or the catalog is not known.
    pub exists: Option<bool>,
    /// The pin before the change; `null` if there was none or it is the same.
    pub from: Option<String>,
    /// The upgrades from that pin to this one, each of which is approved by itself; empty if there are none.
    pub path: Vec<String>,
    /// The bundle that OLM offers next; `null` if there is none.
    pub next: Option<String>,
}

/// A configuration of oc-mirror, compared with its catalogs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageSetState {
    /// Its file.
    pub file: String,
    /// The number of images that it mirrors, of what was compared.
    pub images: usize,
    /// The images that it mirrors and did not mirror before the change; empty without a state before.
    pub added: Vec<String>,
    /// The images that it mirrored before the change and no longer mirrors; empty without a state before.
    pub removed: Vec<String>,
    /// The parts of it that were not compared, in words.
    pub not_compared: Vec<String>,
}

/// A requirement that nothing meets, for all versions of a package that make it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnmetRequirement {
    /// The catalog that has the package.
    pub catalog: String,
    /// The versions of OpenShift on whose clusters nothing meets it; empty if no catalog's name states a version.
    pub openshift: Vec<String>,
    /// The package.
    pub package: String,
    /// The requirement, or the error in it.
    pub requirement: String,
    /// The message of its author, or empty.
    pub message: String,
    /// Whether it cannot be read.
    pub is_broken: bool,
    /// Whether each part of it is met, but by no single bundle.
    pub is_scattered: bool,
    /// The lowest version that requires it.
    pub since: DemandingVersion,
    /// The highest version that requires it.
    pub until: DemandingVersion,
    /// The number of versions that require it.
    pub n_versions: usize,
    /// The channels whose head requires it.
    pub heads: Vec<String>,
    /// The packages that come near: they provide the API in another version, or are the package and have no version in
    /// the range.
    pub providers: Vec<PossibleProvider>,
    /// The package that is required, if no catalog has it; otherwise `null`.
    pub absent: Option<String>,
    /// The place where the lowest version states the requirement.
    #[serde(flatten)]
    pub place: Place,
}

/// A version that requires something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemandingVersion {
    /// The bundle.
    pub bundle: String,
    /// Its version, or empty.
    pub version: String,
}

/// A package that comes near to meeting a requirement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PossibleProvider {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The versions of the required API that it provides; empty if a package is required.
    pub api_versions: Vec<String>,
    /// Its lowest version, if the package is required; otherwise `null`.
    pub lowest: Option<String>,
    /// Its highest version, if the package is required; otherwise `null`.
    pub highest: Option<String>,
}

/// The extent of the comparison of definitions that upgrades change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionChecks {
    /// The number of upgrades that the channels of the catalogs have between bundles that they list: an edge of several
    /// channels is one.
    pub edges: usize,
    /// The number of upgrades that were checked: the objects of both bundles are available.
    pub compared: usize,
    /// The number of pairs of different definitions that they have; each was compared once.
    pub pairs: usize,
    /// The number of definitions that cannot be read.
    pub unreadable: usize,
}

/// An upgrade that changes a definition in a way that OLM refuses or warns of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusedUpgrade {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The channels that have the upgrade.
    pub channels: Vec<String>,
    /// The bundle that is installed.
    pub from: String,
    /// The bundle that is upgraded to.
    pub to: String,
    /// The name of the definition.
    pub definition: String,
    /// Whether OLM refuses it, and does not only warn.
    pub is_refused: bool,
    /// The rule.
    pub rule: String,
    /// The error, in words.
    pub message: String,
}

/// About findings as a whole.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingsMetadata {
    /// The number of items.
    pub count: usize,
    /// The number of findings that are not among the items, by the layer that hides them; only if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<BTreeMap<String, usize>>,
    /// The number of existing objects that were checked; only if some were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<usize>,
    /// The packages of the catalog that own each definition; only if a catalog was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owners: Option<BTreeMap<String, Vec<String>>>,
    /// The versions that Subscriptions and ClusterExtensions pin; only if manifests were compared with catalogs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pins: Option<Vec<PinState>>,
    /// The configurations of oc-mirror with their images; only if they were compared with catalogs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_sets: Option<Vec<ImageSetState>>,
    /// How much of the definitions of catalogs was compared; only if all upgrades were asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition_checks: Option<DefinitionChecks>,
    /// Each upgrade that changes a definition in a way that OLM refuses or warns of; only if all upgrades were asked
    /// about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused_upgrades: Option<Vec<RefusedUpgrade>>,
    /// The requirements of bundles that nothing meets; only on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmet: Option<Vec<UnmetRequirement>>,
    /// The parts of a repository that were checked; only if one was taken apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<CheckedPart>>,
    /// The tasks of each pipeline, in its order, with their results; only if a pipeline was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipelines: Option<Vec<PipelineVerdict>>,
    /// The checks of a pipeline that could not be made here, each with the missing input; only if a pipeline was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_checked: Option<Vec<String>>,
}

/// A part of a repository, and the numbers of findings in each of its checks; `null` if a check was not made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckedPart {
    /// Its path.
    pub part: String,
    /// Its kind.
    pub kind: String,
    /// The checks of catalogs, templates or bundles.
    pub valid: Option<Tally>,
    /// Those of the upgrade graphs.
    pub graph: Option<Tally>,
    /// Those of the pipelines.
    pub pipeline: Option<Tally>,
}

/// The results of the tasks of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PipelineVerdict {
    /// Its name.
    pub pipeline: String,
    /// The verdict in words.
    pub verdict: String,
    /// All of its tasks.
    pub tasks: Vec<TaskVerdict>,
}

/// The result of a task of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskVerdict {
    /// Its name in the definition of the pipeline.
    pub task: String,
    /// Its result.
    pub result: TaskResult,
    /// The number of errors that are of this task.
    pub errors: usize,
    /// The reasons why it was not run, or the parts of it that were not checked.
    pub reasons: Vec<String>,
}

/// A result of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TaskResult {
    /// It has no reason to fail.
    Passed,
    /// It would fail.
    Failed,
    /// Some of it was not checked, and the rest has no reason to fail.
    NotChecked,
    /// The pipeline would leave it out.
    NotRun,
    /// It prepares something, or reports.
    JudgesNothing,
}

impl<T: Serialize> Envelope<T> {
    /// Answers of a kind.
    pub fn new(kind: &str, items: Vec<T>) -> Self {
        let metadata = Metadata { count: items.len(), not_listed: Vec::new() };
        Self::with(kind, metadata, items)
    }
}

impl<T: Serialize, M: Serialize> Envelope<T, M> {
    /// Answers of a kind, with metadata about them as a whole.
    pub fn with(kind: &str, metadata: M, items: Vec<T>) -> Self {
        Self { api_version: "olmdex/v1".to_owned(), kind: kind.to_owned(), metadata, items }
    }

    /// Writes it as indented JSON, with a line break at the end.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }
}
