//! What `updates`, `path` and `why-not` share: the package, what is installed, the channel, the generation of OLM.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::cli::args::formats::AnswerFormat;
use crate::cli::args::name::{unknown_channel, unknown_package, with_bundle_guess};
use crate::cli::args::sources::AskOptions;
use crate::cli::print::answers::print_answers;
use crate::cli::print::sheet::Sheet;
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, Exit};
use crate::cluster::{self, ClusterExtension};
use crate::constraint::openshift::Minor;
use crate::index::Index;
use crate::index::query::{Filter, PackageGraph};
use crate::upgrade::v1::{LabelSelector, LabelSelectorRequirement, Policy};
use crate::upgrade::{Asked, InstalledBundle, PackageView, Permit, Target};
use crate::version::Version;

/// Generations of OLM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Olm {
    /// OLM Classic: Subscriptions
    Classic,
    /// OLM v1: ClusterExtensions
    V1,
    /// Both, one after the other
    Both,
}

impl ValueEnum for Policy {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::CatalogProvided, Self::SelfCertified]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, alias, help) = match self {
            Self::CatalogProvided => ("catalog-provided", "CatalogProvided", "Only what the catalog's edges permit"),
            Self::SelfCertified => ("self-certified", "SelfCertified", "Any version, also an older one"),
        };
        Some(PossibleValue::new(name).alias(alias).help(help))
    }
}

/// Options of questions about upgrades.
#[derive(Debug, Clone, Args)]
pub(crate) struct UpgradeOptions {
    /// The channel; may be repeated for OLM v1. Default: all, as for a Subscription or ClusterExtension without one
    #[arg(long, value_name = "CHANNEL")]
    pub(crate) channel: Vec<String>,
    /// Which generation of OLM to ask
    #[arg(long, value_enum, default_value_t = Olm::Both)]
    pub(crate) olm: Olm,
    /// Whether the catalog's edges bind a ClusterExtension (OLM v1)
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = Policy::CatalogProvided)]
    upgrade_constraint_policy: Policy,
    /// The catalogs of a ClusterExtension by their labels, as `kubectl -l` takes them (OLM v1)
    #[arg(long, value_name = "SELECTOR", value_parser = LabelSelector::parse)]
    catalog_selector: Option<LabelSelector>,
    /// A manifest of a ClusterExtension, as `kubectl get -o yaml` prints it: package, channels, version, selector, policy and
    /// what is installed come from it, unless they are given (OLM v1)
    #[arg(long, value_name = "FILE")]
    extension: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) ask: AskOptions,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = AnswerFormat::Text)]
    pub(crate) output: AnswerFormat,
}

/// How many channels may be named where a Subscription is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channels {
    /// The Subscription's own.
    One,
    /// All that it may change to.
    Several,
}

impl UpgradeOptions {
    /// Whether OLM Classic is asked. A ClusterExtension is none of its business.
    pub(crate) fn classic(&self) -> bool {
        self.olm != Olm::V1 && self.extension.is_none()
    }

    /// Whether OLM v1 is asked.
    pub(crate) fn v1(&self) -> bool {
        self.olm != Olm::Classic || self.extension.is_some()
    }

    /// The question that the options and a ClusterExtension ask together, and all that the catalogs say of the package; with
    /// the index, for what comes up later.
    pub(crate) fn question(
        &self,
        context: &Context,
        package: Option<&str>,
        installed_text: Option<&str>,
        version: Option<&String>,
        channels: Channels,
    ) -> Result<(Index, PackageView, Asked), CommandError> {
        let extension = match &self.extension {
            None => None,
            Some(path) => Some(read_extension(path, package)?),
        };
        let package = match (package, &extension) {
            (Some(package), _) => package,
            (None, Some(extension)) => &extension.package,
            (None, None) => return Err(CommandError::usage("name a package, or a manifest with `--extension`")),
        };
        let index = self.ask.open(context)?;
        let view = self.view(context, &index, package, channels)?;
        let given = installed_text.map(|it| installed(&view, it)).transpose()?;
        let mut asked = self.asked(given, version);
        if let Some(extension) = extension {
            let is_in_catalog = |name: &str| view.find(name).is_some_and(|it| it.0 == name);
            if let (None, Some((name, version))) = (&asked.installed, &extension.installed) {
                let (name, version) = (name.clone(), version.clone());
                asked.installed = Some(InstalledBundle { is_in_catalog: is_in_catalog(&name), name, version });
            }
            if asked.channels.is_empty() {
                asked.channels = extension.channels;
            }
            if asked.version.is_empty() {
                asked.version = extension.version;
            }
            if asked.selector.is_none() && extension.has_selector {
                let requirement = |(key, operator, values)| LabelSelectorRequirement { key, operator, values };
                asked.selector = Some(LabelSelector {
                    match_labels: extension.match_labels.into_iter().collect(),
                    match_expressions: extension.match_expressions.into_iter().map(requirement).collect(),
                });
            }
            // Every other text means the default.
            if extension.upgrade_constraint_policy == "SelfCertified" {
                asked.policy = Policy::SelfCertified;
            }
        }
        Ok((index, view, asked))
    }

    /// Reads all that the catalogs say of the package.
    fn view(
        &self,
        context: &Context,
        index: &Index,
        package: &str,
        channels: Channels,
    ) -> Result<PackageView, CommandError> {
        let filter = Filter { catalogs: self.ask.catalog.clone(), ..Filter::default() };
        let view = PackageView::read(index, &filter, package)?;
        if view.graphs.is_empty() {
            return Err(unknown_package(index, package)?);
        }
        self.check_channels(context, index, package, &view.graphs, channels)?;
        if self.classic() && view.graphs.len() > 1 {
            let names: Vec<&str> = view.graphs.iter().map(|it| it.catalog.as_str()).collect();
            let error = CommandError::usage(format!("`{package}` is in several catalogs: {}", names.join(", ")));
            return Err(error.help("a Subscription names one: choose it with `--catalog`, or ask with `--olm v1`"));
        }
        Ok(view)
    }

    /// As [`Self::view`], of all catalogs, with the one that a Subscription names.
    pub(crate) fn view_of_all(&self, context: &Context, package: &str) -> Result<(PackageView, String), CommandError> {
        let index = self.ask.open(context)?;
        let view = PackageView::read(&index, &Filter::default(), package)?;
        let names: Vec<&str> = view.graphs.iter().map(|it| it.catalog.as_str()).collect();
        let source = match (self.ask.catalog.as_slice(), names.as_slice()) {
            (_, []) => return Err(unknown_package(&index, package)?),
            ([only], _) => only.clone(),
            ([], [only]) => (*only).to_owned(),
            _ => {
                let error = CommandError::usage("a Subscription names one catalog");
                return Err(error.help(format!("choose it with `--catalog`: {}", names.join(", "))));
            }
        };
        self.check_channels(context, &index, package, &view.graphs, Channels::One)?;
        Ok((view, source))
    }

    fn check_channels(
        &self,
        context: &Context,
        index: &Index,
        package: &str,
        graphs: &[PackageGraph],
        channels: Channels,
    ) -> Result<(), CommandError> {
        let is_known =
            |it: &&String| graphs.iter().any(|graph| graph.channels.iter().any(|channel| &channel.name == *it));
        let (known, unknown): (Vec<&String>, Vec<&String>) = self.channel.iter().partition(is_known);
        for channel in unknown {
            // A ClusterExtension takes what the other channels have.
            if known.is_empty() || self.classic() {
                return Err(unknown_channel(index, package, channel)?);
            }
            context.reporter.warning(&format!("package `{package}` has no channel `{channel}`"));
        }
        if channels == Channels::One && self.classic() && self.channel.len() > 1 {
            let error = CommandError::usage("a Subscription has one channel");
            return Err(error.help("give one `--channel`, or ask with `--olm v1`"));
        }
        Ok(())
    }

    /// The question that the options ask by themselves.
    pub(crate) fn asked(&self, installed: Option<InstalledBundle>, version: Option<&String>) -> Asked {
        Asked {
            installed,
            channels: self.channel.clone(),
            version: version.cloned().unwrap_or_default(),
            selector: self.catalog_selector.clone(),
            policy: self.upgrade_constraint_policy,
        }
    }

    /// Prints answers; the texts are for people.
    pub(crate) fn print<T: Serialize>(
        &self,
        kind: &str,
        answers: Vec<T>,
        sheet: impl Fn(&T) -> Sheet,
    ) -> Result<(), CommandError> {
        print_answers(self.output, kind, answers, sheet)
    }
}

/// The ClusterExtension of a manifest: the only one, or that of the package.
fn read_extension(path: &Path, package: Option<&str>) -> Result<ClusterExtension, CommandError> {
    let cluster = cluster::read(path).map_err(|error| CommandError::new(Exit::Input, error.to_string()))?;
    let fits = |it: &ClusterExtension| package.is_none_or(|package| it.package == package);
    let mut found: Vec<ClusterExtension> = cluster.extensions.into_iter().filter(fits).collect();
    match (found.pop(), found.as_slice()) {
        (Some(only), []) => Ok(only),
        (None, _) => {
            let of = package.map(|it| format!(" of package `{it}`")).unwrap_or_default();
            let message = format!("`{}` has no ClusterExtension{of}", path.display());
            Err(CommandError::new(Exit::Input, message))
        }
        (Some(last), others) => {
            let mut names: Vec<&str> = others.iter().map(|it| it.package.as_str()).collect();
            names.push(&last.package);
            let error = CommandError::usage(format!("`{}` has several ClusterExtensions", path.display()));
            Err(error.help(format!("name the package: {}", names.join(", "))))
        }
    }
}

/// The installed bundle that a text names.
pub(crate) fn installed(view: &PackageView, text: &str) -> Result<InstalledBundle, CommandError> {
    view.find_installed(text).ok_or_else(|| {
        let help = "name what no catalog holds with its version: `NAME@VERSION`";
        unknown_bundle(view, text, help)
    })
}

/// A bundle of a catalog that a text names.
pub(crate) fn bundle(view: &PackageView, text: &str) -> Result<(String, String), CommandError> {
    let help = format!("`olmdex list bundles {}` lists what there is", view.package);
    view.find(text).ok_or_else(|| unknown_bundle(view, text, &help))
}

fn unknown_bundle(view: &PackageView, text: &str, otherwise: &str) -> CommandError {
    let message = format!("package `{}` has no bundle and no version `{text}`", view.package);
    with_bundle_guess(CommandError::new(Exit::NotFound, message), text, view.bundles(), otherwise)
}

/// A bundle with its version, if the name does not say it.
pub(crate) fn bundle_words(bundle: &str, version: &str) -> String {
    if version.is_empty() || bundle.contains(version) { bundle.to_owned() } else { format!("{bundle} ({version})") }
}

/// What is installed, in words.
pub(crate) fn installed_words(installed: &InstalledBundle) -> String {
    let unknown = if installed.is_in_catalog { "" } else { ", which no catalog holds" };
    format!("{}{unknown}", bundle_words(&installed.name, &installed.version))
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
    // The same field with the same value stands in many channels.
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
    let status: Vec<String> = deprecated.into_iter().chain(refused).collect();
    let place = target.permits.first().map(Permit::place).unwrap_or_default();
    vec![
        target.bundle.clone(),
        target.version.clone(),
        target.catalog.clone(),
        few(&target.channels),
        because.join("; "),
        place,
        status.join("; "),
    ]
}

/// A minor version of OpenShift.
pub(crate) fn parse_minor(text: &str) -> Result<Minor, String> {
    match Version::parse_tolerant(text) {
        Ok(version) => Ok(Minor::of(&version)),
        Err(error) => Err(format!("{error}; a version of OpenShift looks like 4.18")),
    }
}
