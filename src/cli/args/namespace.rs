//! The namespace that a question is about: from manifests, from flags, or from both.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::bundle::Target;
use crate::cli::args::cluster::read_cluster;
use crate::cli::args::name::{NameArgument, with_guess};
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::AskOptions;
use crate::cli::args::upgrade::parse_minor;
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, Exit};
use crate::cluster::Cluster;
use crate::constraint::openshift::Minor;
use crate::index::Index;
use crate::index::query::{CatalogRank, Filter};
use crate::resolve::{
    CatalogSources, ClusterFacts, IndexRows, Install, Installed, Options, Question, QuestionError, World,
};
use crate::solve::Limits;
use crate::version::Version;

/// How much an answer may cost.
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkOptions {
    /// How many conflicts the solver may run into, and a thousandth of the steps that rules may take
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    max_work: u64,
}

impl WorkOptions {
    pub(crate) fn options(&self) -> Options {
        Options {
            limits: Limits { conflicts: self.max_work },
            steps: self.max_work.saturating_mul(1000),
            ..Options::default()
        }
    }
}

/// What a namespace has and wants.
#[derive(Debug, Clone, Args)]
pub(crate) struct NamespaceOptions {
    /// Manifests of the cluster: a file, a directory (a must-gather) or `-`; may be repeated
    #[arg(long, value_name = "FILE|DIR|-")]
    cluster: Vec<PathBuf>,
    /// Subscribe: PKG, PKG@VERSION (to start with), PKG/CHANNEL or PKG@CHANNEL, or the name of a bundle; in a namespace of its own as
    /// NS:PKG; may be repeated
    #[arg(long, value_name = "[NS:]PKG[@VERSION|/CHANNEL]")]
    install: Vec<String>,
    /// What is installed: PKG, PKG@VERSION, PKG/CHANNEL (its head) or the name of a bundle, also as BUNDLE@CHANNEL with the
    /// channel of its Subscription; in a namespace of its own as NS:PKG; may be repeated
    #[arg(long, value_name = "[NS:]PKG@VERSION|BUNDLE")]
    installed: Vec<String>,
    #[command(flatten)]
    source_map: SourceMapOption,
    /// The namespace; that of the manifests, if they have just one
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// The namespace whose catalogs all namespaces see. Default: openshift-marketplace if the manifests know it, else olm
    #[arg(long, value_name = "NAME")]
    global_namespace: Option<String>,
    /// Skip Subscriptions to catalogs that are not given
    #[arg(long)]
    ignore_missing_catalogs: bool,
    /// The cluster's version of OpenShift; that of the ClusterVersion of the manifests, if they have one
    #[arg(long, value_name = "VERSION", value_parser = parse_minor)]
    openshift: Option<Minor>,
    /// The cluster's version of Kubernetes, if it is not the one of its version of OpenShift
    #[arg(long, value_name = "VERSION", value_parser = parse_minor)]
    kubernetes: Option<Minor>,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    pub(crate) ask: AskOptions,
}

/// The namespaces of a cluster, each as a world.
pub(crate) struct Worlds {
    pub(crate) worlds: Vec<World>,
    pub(crate) facts: ClusterFacts,
    /// Remarks on what could not be counted with.
    pub(crate) warnings: Vec<String>,
    pub(crate) cluster: Cluster,
    /// Whether a Subscription was passed over.
    pub(crate) has_skipped: bool,
}

impl NamespaceOptions {
    pub(crate) fn options(&self) -> Options {
        Options { explains: true, ..self.work.options() }
    }

    /// The namespace, what is known of its cluster, and remarks on what could not be counted with.
    pub(crate) fn world(
        &self,
        context: &Context,
        index: &Index,
    ) -> Result<(World, ClusterFacts, Vec<String>, bool), CommandError> {
        let (question, facts, ranks) = self.question(context, index)?;
        let namespaces = question.namespaces()?;
        let has_skipped = question.skipped(&ranks, &namespaces) > 0;
        let [namespace] = namespaces.as_slice() else {
            return Err(QuestionError::SeveralNamespaces(namespaces).into());
        };
        let (world, warnings) = complete(&question.about(namespace), &ranks, index)?;
        Ok((world, facts, warnings, has_skipped))
    }

    /// The namespaces: the one that was named, else all that the manifests or what is to be installed have something in.
    pub(crate) fn worlds(&self, context: &Context, index: &Index) -> Result<Worlds, CommandError> {
        let (mut question, facts, ranks) = self.question(context, index)?;
        let namespaces = question.namespaces()?;
        // What is not known of one namespace must not keep the others back.
        question.ignores_missing |= namespaces.len() > 1;
        let (mut worlds, mut warnings) = (Vec::new(), Vec::new());
        for namespace in &namespaces {
            let (world, found) = complete(&question.about(namespace), &ranks, index)?;
            worlds.push(world);
            for it in found {
                if !warnings.contains(&it) {
                    warnings.push(it);
                }
            }
        }
        let has_skipped = question.skipped(&ranks, &namespaces) > 0;
        Ok(Worlds { worlds, facts, warnings, cluster: question.cluster, has_skipped })
    }

    fn question(
        &self,
        context: &Context,
        index: &Index,
    ) -> Result<(Question, ClusterFacts, Vec<CatalogRank>), CommandError> {
        if self.cluster.is_empty() && self.install.is_empty() && self.installed.is_empty() {
            let error = CommandError::usage("nothing to resolve: no `--cluster`, no `--install`");
            return Err(error.help("name manifests with `--cluster FILE`, or a package with `--install PKG`"));
        }
        let manifests = read_cluster(context, &self.cluster)?;
        let facts = self.facts(&manifests);
        let split = |text: &str| match text.find(['@', '/']) {
            Some(at) if at > 0 => (text[..at].to_owned(), Some(text[at + 1..].to_owned())),
            _ => (text.to_owned(), None),
        };
        let packages =
            if self.install.is_empty() && self.installed.is_empty() { Vec::new() } else { index.package_names()? };
        let mut install = Vec::new();
        for text in &self.install {
            let (namespace, text) = in_namespace(index, &packages, text)?;
            let (package, choice) = split(text);
            // Else it is the name of a bundle.
            let of_bundle = if packages.contains(&package) { Vec::new() } else { index.packages_of_bundle(text)? };
            install.push(match of_bundle.into_iter().next() {
                Some(package) => Install { namespace, package, choice: Some(text.to_owned()) },
                None => Install { namespace, package, choice },
            });
        }
        let mut installed = Vec::new();
        for text in &self.installed {
            let (namespace, text) = in_namespace(index, &packages, text)?;
            let (name, channel) = split(text);
            // A bundle, or else a version or the head of a channel of a package.
            installed.push(if packages.contains(&name) && index.packages_of_bundle(&name)?.is_empty() {
                let bundle = Target::find(index, &self.ask.catalog, text)?.bundle;
                let channel = channel.filter(|_| matches!(NameArgument::parse(text), NameArgument::Channel(..)));
                Installed { namespace, bundle, channel }
            } else {
                Installed { namespace, bundle: name, channel }
            });
        }
        let mut question = Question {
            cluster: manifests,
            namespace: self.namespace.clone(),
            global_namespace: self.global_namespace.clone(),
            install,
            installed,
            ignores_missing: self.ignore_missing_catalogs,
            ..Question::default()
        };
        let ranks = index.catalog_ranks(&Filter { catalogs: self.ask.catalog.clone(), ..Filter::default() })?;
        let sources = CatalogSources::new(
            &ranks,
            &self.source_map.source_map,
            &question.cluster,
            facts.openshift,
            self.ask.names_catalogs(),
        )?;
        question.tie(&sources);
        Ok((question, facts, ranks))
    }
}

/// The namespace that a text begins with, as in `tools:backup`, and the rest. The name of a package or bundle that has a colon itself is no
/// namespace.
fn in_namespace<'t>(
    index: &Index,
    packages: &[String],
    text: &'t str,
) -> Result<(Option<String>, &'t str), CommandError> {
    let Some((namespace, rest)) = text.split_once(':') else { return Ok((None, text)) };
    let package = text.split(['@', '/']).next().unwrap_or_default();
    if packages.iter().any(|it| it == package) || !index.packages_of_bundle(text)?.is_empty() {
        return Ok((None, text));
    }
    let is_label = !namespace.is_empty()
        && namespace.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-');
    if !is_label || rest.is_empty() {
        let error = CommandError::usage(format!("`{text}` is not a package in a namespace"));
        return Err(error.help("write NAMESPACE:PACKAGE, as in tools:backup, also with @VERSION or /CHANNEL behind it"));
    }
    Ok((Some(namespace.to_owned()), rest))
}

/// The world of the question's namespace.
fn complete(question: &Question, ranks: &[CatalogRank], index: &Index) -> Result<(World, Vec<String>), CommandError> {
    let (mut world, warnings) = question.world(ranks)?;
    let bare = world.clone();
    let rows = IndexRows::new(index, &bare);
    question.complete(&mut world, &rows, index)?;
    Ok((world, warnings))
}

impl NamespaceOptions {
    fn facts(&self, manifests: &Cluster) -> ClusterFacts {
        let read = Version::parse_tolerant(&manifests.openshift).ok().map(|it| Minor::of(&it));
        ClusterFacts { kubernetes: self.kubernetes, openshift: self.openshift.or(read) }
    }
}

impl From<QuestionError> for CommandError {
    fn from(error: QuestionError) -> Self {
        let text = error.to_string();
        let not_found = || Self::new(Exit::NotFound, text.clone());
        match error {
            QuestionError::SeveralNamespaces(_) => {
                Self::usage(text).help("choose one with `--namespace`, or say it with each package, as in tools:backup")
            }
            QuestionError::OtherNamespace { .. } => {
                Self::usage(text).help("leave out `--namespace`, and all namespaces are answered together")
            }
            QuestionError::NoSuchNamespace { name, known } => {
                with_guess(not_found(), &name, &known, &format!("there are {}", known.join(", ")))
            }
            QuestionError::NoSuchCatalog { catalog, known, .. } => {
                let help = format!(
                    "name it with `-i {catalog}=SOURCE`, or leave such Subscriptions out with `--ignore-missing-catalogs`"
                );
                with_guess(not_found(), &catalog, &known, &help)
            }
            QuestionError::NoSuchPackage { name, known } => {
                with_guess(not_found(), &name, &known, "`olmdex list packages` shows what there is")
            }
            QuestionError::NoSuchChoice { name, known, .. } => {
                with_guess(not_found(), &name, &known, &format!("its channels are {}", known.join(", ")))
            }
            QuestionError::NoSuchBundle { .. } => {
                not_found().help("give what is in no catalog as a manifest, with `--cluster`")
            }
            QuestionError::Index(error) => error.into(),
        }
    }
}
