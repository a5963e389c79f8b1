//! The arguments that `updates`, `path` and `why-not` share: the package, the installed bundle, the channel, the
//! generation of OLM.

use crate::cli::args::formats::{AnswerOptions, choices, words};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::ask::{AskError, OlmSet, UpgradeQuestion, minor};
use crate::cli::args::cluster::{Asked, read_cluster_telling, shown};
use crate::cli::args::name::refuse_path;
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::AskOptions;
use crate::cli::print::answers::print_answers;
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::cluster::LabelSelector;
use crate::constraint::openshift::Minor;
use crate::index::Index;
use crate::upgrade::v1::{Gates, Policy};
use crate::upgrade::{InstalledBundle, Permit, Target};

choices! { Words for OlmSet =>
    Classic: "classic", "OLM Classic: Subscriptions";
    V1: "v1", "OLM v1: ClusterExtensions";
    Both: "both", "Both, one after the other";
}

choices! { Words for Policy =>
    CatalogProvided: "catalog-provided" | "CatalogProvided", "Only the versions that the catalog's edges permit";
    SelfCertified: "self-certified" | "SelfCertified", "Any version, including older ones";
}

/// The feature gates of operator-controller.
#[derive(Debug, Clone, Args)]
pub(crate) struct GateOptions {
    /// The feature gates of operator-controller, as its own option takes them (OLM v1): for example
    /// `SingleOwnNamespaceInstallSupport=true,BundleReleaseSupport=true`
    #[arg(long, value_name = "GATE=BOOL,…", value_parser = Gates::parse)]
    feature_gates: Option<Gates>,
}

impl GateOptions {
    /// The gates, the default ones if none are given.
    pub(crate) fn gates(&self) -> Gates {
        self.feature_gates.unwrap_or_default()
    }
}

/// Options of questions about upgrades.
#[derive(Debug, Clone, Args)]
pub(crate) struct UpgradeOptions {
    /// The channel; may be repeated for OLM v1. Default: all, as for a Subscription or ClusterExtension without one
    #[arg(long, value_name = "CHANNEL")]
    pub(crate) channel: Vec<String>,
    /// Which generation of OLM to ask
    #[arg(long, value_parser = words::<OlmSet>(), default_value = "both")]
    pub(crate) olm: OlmSet,
    /// Whether the catalog's edges bind a ClusterExtension (OLM v1)
    #[arg(long, value_parser = words::<Policy>(), value_name = "POLICY", default_value = "catalog-provided")]
    pub(crate) upgrade_constraint_policy: Policy,
    #[command(flatten)]
    pub(crate) gates: GateOptions,
    /// The catalogs of a ClusterExtension by their labels, as `kubectl -l` takes them (OLM v1)
    #[arg(long, value_name = "SELECTOR", value_parser = LabelSelector::parse)]
    pub(crate) catalog_selector: Option<LabelSelector>,
    /// Manifests of a cluster, as `kubectl get -o yaml` or a must-gather has them: a file, a directory or `-`; or `@`
    /// and a context, which `oc` or `kubectl` read; may be repeated. Package, channel, version range, policy and the
    /// installed bundle come from its Subscriptions and ClusterExtensions, unless they are given
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT", alias = "extension")]
    pub(crate) cluster: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) source_map: SourceMapOption,
    #[command(flatten)]
    pub(crate) ask: AskOptions,
    #[command(flatten)]
    pub(crate) answer: AnswerOptions,
}

impl UpgradeOptions {
    /// The question that the options ask about a package, or about the operators of a cluster, with the index that
    /// answers it.
    pub(crate) fn question(
        &self,
        context: &Context,
        name: Option<&String>,
    ) -> Result<(UpgradeQuestion, Index), CommandError> {
        let cluster = match self.cluster.as_slice() {
            [] if name.is_none() => return Err(AskError::NothingAsked.into()),
            [] => None,
            paths => Some((read_cluster_telling(context, paths, Asked::Operators)?, shown(paths))),
        };
        let index = self.ask.open_part(context, name)?;
        name.map(|it| refuse_path(&index, it)).transpose()?;
        let question = UpgradeQuestion {
            name: name.cloned(),
            channels: self.channel.clone(),
            olm: self.olm,
            policy: self.upgrade_constraint_policy,
            gates: self.gates.gates(),
            selector: self.catalog_selector.clone(),
            cluster,
            source_map: self.source_map.source_map.clone(),
            catalogs: self.ask.catalog.clone(),
            are_named: self.ask.names_catalogs(),
            ..UpgradeQuestion::default()
        };
        Ok((question, index))
    }

    /// Prints answers; the texts are for people.
    pub(crate) fn print<T: Serialize>(
        &self,
        kind: &str,
        answers: Vec<T>,
        sheet: impl Fn(&T) -> Sheet,
    ) -> Result<(), CommandError> {
        print_answers(self.answer, kind, answers, sheet)
    }
}

/// A bundle with its version, if the name does not contain it.
pub(crate) fn bundle_words(bundle: &str, version: &str) -> String {
    if version.is_empty() || bundle.contains(version) { bundle.to_owned() } else { format!("{bundle} ({version})") }
}

/// Describes a release, to be put behind a version: a hyphen would make it look like a pre-release.
pub(crate) fn release_words(release: Option<&String>) -> String {
    release.filter(|it| !it.is_empty()).map(|it| format!(" release {it}")).unwrap_or_default()
}

/// Describes the installed bundle.
pub(crate) fn installed_words(installed: &InstalledBundle) -> String {
    let unknown = match (installed.is_name_assumed, installed.is_in_catalog) {
        (true, _) => " (assumed name), which no catalog holds",
        (false, true) => "",
        (false, false) => ", which no catalog holds",
    };
    let release = release_words(installed.release.as_ref());
    format!("{}{release}{unknown}", bundle_words(&installed.name, &installed.version))
}

/// The first headers of tables of answers: about objects of a cluster, with a column for these.
pub(crate) fn manager_headers(managed_by: Option<&String>) -> Vec<&'static str> {
    ["OLM", "PACKAGE"].into_iter().chain(managed_by.map(|_| "MANAGER")).collect()
}

/// The headers of tables of targets.
pub(crate) const TARGET_HEADERS: [&str; 7] = ["BUNDLE", "VERSION", "CATALOG", "CHANNEL", "BECAUSE", "PLACE", "STATUS"];

/// The first names of a long list, and how many more there are.
pub(crate) fn few(names: &[String]) -> String {
    const SHOWN: usize = 3;
    match names.len().checked_sub(SHOWN) {
        None | Some(0) => names.join(","),
        Some(n_more) => format!("{} +{n_more}", names[..SHOWN].join(",")),
    }
}

/// The row of a target: each field that permits it is named, with the place of the first.
pub(crate) fn target_row(target: &Target) -> Vec<String> {
    // The same field with the same value occurs in many channels.
    let mut because: Vec<(String, Vec<String>)> = Vec::new();
    for permit in &target.permits {
        let said = format!("{} {}", permit.field.as_str(), permit.value);
        match because.iter_mut().find(|it| it.0 == said) {
            Some((_, channels)) => channels.push(permit.channel.clone()),
            None => because.push((said, vec![permit.channel.clone()])),
        }
    }
    let because: Vec<String> = because.iter().map(|(said, channels)| format!("{said} in {}", few(channels))).collect();
    let deprecated = target.is_deprecated.then(|| "deprecated".to_owned());
    let refused = target.refused_for.as_ref().map(|it| format!("refused for its {it}"));
    let refusal = target.refusal.as_ref().map(|it| format!("OLM v1 refuses it: {}", it.replace('\n', " ")));
    let status: Vec<String> = deprecated.into_iter().chain(refused).chain(refusal).collect();
    let place = target.permits.first().map(Permit::place).unwrap_or_default();
    vec![
        target.bundle.clone(),
        format!("{}{}", target.version, release_words(target.release.as_ref())),
        target.catalog.clone(),
        few(&target.channels),
        because.join("; "),
        place,
        status.join("; "),
    ]
}

/// A minor version of OpenShift.
pub(crate) fn parse_minor(text: &str) -> Result<Minor, String> {
    minor(text)
}
