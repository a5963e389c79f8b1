//! The namespace that a question is about: from manifests, from options, or from both.

use std::path::PathBuf;

use clap::Args;

use crate::ask::{AskError, NamespaceQuestion, WorkOptions};
use crate::cli::args::cluster::{Asked, read_cluster_telling, shown};
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::AskOptions;
use crate::cli::args::upgrade::parse_minor;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::constraint::openshift::Minor;
use crate::index::WholeOrLight;
use crate::resolve::Options;

/// The options for the contents of a namespace and the wishes for it.
#[derive(Debug, Clone, Args)]
pub(crate) struct NamespaceOptions {
    /// Manifests of the cluster: a file, a directory (a must-gather) or `-`; or `@` and a context, which `oc` or
    /// `kubectl` read; may be repeated
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT")]
    cluster: Vec<PathBuf>,
    /// Subscribe: PKG, PKG@VERSION (to start with), PKG/CHANNEL or PKG@CHANNEL, or the name of a bundle; in a namespace
    /// of its own as NS:PKG; may be repeated
    #[arg(long, value_name = "[NS:]PKG[@VERSION|/CHANNEL]")]
    install: Vec<String>,
    /// The installed bundles: PKG, PKG@VERSION, PKG/CHANNEL (its head) or the name of a bundle, also as BUNDLE@CHANNEL
    /// with the channel of its Subscription; in a namespace of its own as NS:PKG; may be repeated
    #[arg(long, value_name = "[NS:]PKG@VERSION|BUNDLE")]
    installed: Vec<String>,
    /// Leave out this package of the cluster, as if it were uninstalled; may be repeated
    #[arg(long, value_name = "PKG", requires = "cluster", hide_long_help = true)]
    uninstall: Vec<String>,
    #[command(flatten)]
    source_map: SourceMapOption,
    /// The namespace; that of the manifests, if they have just one
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// The namespace whose catalogs all namespaces see. Default: openshift-marketplace if the manifests have it, else
    /// olm
    #[arg(long, value_name = "NAME", hide_long_help = true)]
    global_namespace: Option<String>,
    /// Skip Subscriptions to catalogs that are not given
    #[arg(long)]
    ignore_missing_catalogs: bool,
    /// The cluster's version of OpenShift; that of the ClusterVersion of the manifests, if they have one
    #[arg(long, value_name = "VERSION", value_parser = parse_minor)]
    openshift: Option<Minor>,
    /// The cluster's version of Kubernetes, if it is not the one of its version of OpenShift
    #[arg(long, value_name = "VERSION", value_parser = parse_minor, hide_long_help = true)]
    kubernetes: Option<Minor>,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    pub(crate) ask: AskOptions,
}

impl NamespaceOptions {
    pub(crate) fn options(&self) -> Options {
        Options { explains: true, ..self.work.options() }
    }

    /// Opens the catalogs; words that the question names are no paths.
    pub(crate) fn open(&self, context: &Context, words: &[String]) -> Result<WholeOrLight, CommandError> {
        self.ask.refuse_paths(words)?;
        self.ask.open_followed(context)
    }

    /// The question that the options ask.
    pub(crate) fn question(&self, context: &Context) -> Result<NamespaceQuestion, CommandError> {
        if self.cluster.is_empty() && self.install.is_empty() && self.installed.is_empty() {
            return Err(AskError::NothingToResolve.into());
        }
        let mut cluster = read_cluster_telling(context, &self.cluster, Asked::Operators)?;
        for package in &self.uninstall {
            if !cluster.uninstall(package) {
                let words = format!("{} has no Subscription of `{package}`", shown(&self.cluster));
                return Err(CommandError::new(Exit::NotFound, words));
            }
        }
        Ok(NamespaceQuestion {
            cluster,
            install: self.install.clone(),
            installed: self.installed.clone(),
            source_map: self.source_map.source_map.clone(),
            namespace: self.namespace.clone(),
            global_namespace: self.global_namespace.clone(),
            ignores_missing: self.ignore_missing_catalogs,
            openshift: self.openshift,
            kubernetes: self.kubernetes,
            catalogs: self.ask.catalog.clone(),
            are_named: self.ask.names_catalogs(),
        })
    }
}
