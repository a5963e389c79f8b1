//! A question about namespaces of a cluster: the contents of manifests, and additions in words.

use std::collections::HashSet;

use super::bundle::Target;
use super::catalog::Catalogs;
use super::error::AskError;
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::Name;
use olmdex_index::LightIndex;
use olmdex_index::query::{CatalogRank, Filter};
use olmdex_olm::catalog_source::CatalogSources;
use olmdex_olm::resolve::{ClusterFacts, IndexRows, Install, Installed, Question, QuestionError, World};
use olmdex_rules::cluster::{Cluster, ClusterExtension};
use olmdex_version::Version;

/// The contents of namespaces, and the wishes for them.
#[derive(Debug, Clone, Default)]
pub struct NamespaceQuestion {
    /// The contents of the manifests.
    pub cluster: Cluster,
    /// The bundles to subscribe to: PKG, PKG@VERSION, PKG/CHANNEL, PKG@CHANNEL or the name of a bundle, also as NS:PKG.
    pub install: Vec<String>,
    /// Other installed bundles: PKG, PKG@VERSION, PKG/CHANNEL or the name of a bundle, also as BUNDLE@CHANNEL and
    /// NS:PKG.
    pub installed: Vec<String>,
    /// Ties of CatalogSources to catalogs, as NAMESPACE/NAME=CATALOG.
    pub source_map: Vec<String>,
    /// The namespace; if none is named, all of the manifests and of the wishes.
    pub namespace: Option<String>,
    /// The namespace whose catalogs all namespaces see.
    pub global_namespace: Option<String>,
    /// Whether Subscriptions to unavailable catalogs are skipped.
    pub ignores_missing: bool,
    /// The cluster's version of OpenShift, if it is not that of the manifests.
    pub openshift: Option<Minor>,
    /// The cluster's version of Kubernetes, if it is not that of its version of OpenShift.
    pub kubernetes: Option<Minor>,
    /// The catalogs to ask; all, if none is named.
    pub catalogs: Vec<String>,
    /// Whether the user gave the catalogs names of their own, see [`CatalogSources::new`].
    pub are_named: bool,
}

/// The namespaces of a cluster, each as a world.
#[derive(Debug, Default)]
pub struct Worlds {
    /// The worlds, by namespace.
    pub worlds: Vec<World>,
    /// Other known facts about the cluster.
    pub facts: ClusterFacts,
    /// Remarks on facts that were ignored.
    pub warnings: Vec<String>,
    /// The contents of the manifests.
    pub cluster: Cluster,
    /// Whether a Subscription was skipped, since its catalog is not available.
    pub has_skipped: bool,
}

impl NamespaceQuestion {
    /// The namespaces of the question: the named one, else all in which the manifests or the wishes have something.
    ///
    /// # Errors
    /// If the question is ambiguous, or the catalogs lack its subject.
    pub fn worlds(self, index: &LightIndex) -> Result<Worlds, AskError> {
        self.of_namespaces(index, true)
    }

    fn of_namespaces(self, index: &LightIndex, may_be_several: bool) -> Result<Worlds, AskError> {
        let facts = self.facts();
        let cluster = self.cluster.clone();
        let (mut question, ranks) = self.question(index, &facts)?;
        let namespaces = question.namespaces()?;
        if !may_be_several && namespaces.len() != 1 {
            return Err(QuestionError::SeveralNamespaces(namespaces).into());
        }
        // Missing facts about one namespace must not keep the others back.
        question.ignores_missing |= namespaces.len() > 1;
        let (mut worlds, mut warnings, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        for namespace in &namespaces {
            let (world, found) = complete(&question.about(namespace), &ranks, index)?;
            worlds.push(world);
            warnings.extend(found.into_iter().filter(|it| seen.insert(it.clone())));
        }
        warnings.extend(question.cluster.extensions.iter().filter_map(ClusterExtension::version_refusal));
        let has_skipped = question.skipped(&ranks, &namespaces) > 0;
        Ok(Worlds { worlds, facts, warnings, cluster, has_skipped })
    }

    /// As [`Self::worlds`], for a question that must be about one namespace.
    ///
    /// # Errors
    /// The errors of [`Self::worlds`], and [`QuestionError::SeveralNamespaces`].
    pub fn world(self, index: &LightIndex) -> Result<(World, Worlds), AskError> {
        let mut all = self.of_namespaces(index, false)?;
        match all.worlds.pop() {
            Some(world) => Ok((world, all)),
            None => Err(QuestionError::SeveralNamespaces(Vec::new()).into()),
        }
    }

    fn facts(&self) -> ClusterFacts {
        let read = Version::parse_tolerant(&self.cluster.openshift).ok().map(|it| Minor::of(&it));
        ClusterFacts { kubernetes: self.kubernetes, openshift: self.openshift.or(read) }
    }

    fn question(self, index: &LightIndex, facts: &ClusterFacts) -> Result<(Question, Vec<CatalogRank>), AskError> {
        let has_words = !self.install.is_empty() || !self.installed.is_empty();
        let packages = if has_words { index.package_names()? } else { Vec::new() };
        let install: Result<Vec<Install>, AskError> =
            self.install.iter().map(|it| to_install(index, &packages, it)).collect();
        let installed: Result<Vec<Installed>, AskError> =
            self.installed.iter().map(|it| that_is_installed(index, &packages, &self.catalogs, it)).collect();
        let mut question = Question {
            cluster: self.cluster.into(),
            namespace: self.namespace,
            global_namespace: self.global_namespace,
            install: install?,
            installed: installed?,
            ignores_missing: self.ignores_missing,
            ..Question::default()
        };
        let ranks = index.catalog_ranks(&Filter { catalogs: self.catalogs, ..Filter::default() })?;
        let all: Catalogs = ranks.iter().collect();
        let others = facts.openshift.map(|it| all.of_other_versions(it)).unwrap_or_default();
        question.other_versions = others.into_iter().map(str::to_owned).collect();
        let sources =
            CatalogSources::new(&ranks, &self.source_map, &question.cluster, facts.openshift, self.are_named)?;
        question.tie(&sources);
        Ok((question, ranks))
    }
}

/// A name, and the text behind its first separator.
fn split(text: &str) -> (String, Option<String>) {
    match text.find(['@', '/']) {
        Some(at) if at > 0 => (text[..at].to_owned(), Some(text[at + 1..].to_owned())),
        _ => (text.to_owned(), None),
    }
}

fn to_install(index: &LightIndex, packages: &[String], text: &str) -> Result<Install, AskError> {
    let (namespace, text) = in_namespace(index, packages, text)?;
    let (package, choice) = split(text);
    if packages.contains(&package) {
        return Ok(Install { namespace, package, choice });
    }
    Ok(match index.packages_of_bundle(text)?.into_iter().next() {
        Some(package) => Install { namespace, package, choice: Some(text.to_owned()) },
        None => Install { namespace, package, choice },
    })
}

/// A bundle, or else a version or the head of a channel of a package.
fn that_is_installed(
    index: &LightIndex,
    packages: &[String],
    catalogs: &[String],
    text: &str,
) -> Result<Installed, AskError> {
    let (namespace, text) = in_namespace(index, packages, text)?;
    let (name, channel) = split(text);
    if !packages.contains(&name) || !index.packages_of_bundle(&name)?.is_empty() {
        return Ok(Installed { namespace, bundle: name, channel });
    }
    let bundle = Target::find(index, catalogs, text)?.bundle;
    let channel = channel.filter(|_| matches!(Name::parse(text), Name::Channel(..)));
    Ok(Installed { namespace, bundle, channel })
}

/// The namespace at the beginning of a text, as in `tools:backup`, and the rest. If a package or bundle has a colon in
/// its own name, that is not a namespace.
fn in_namespace<'t>(
    index: &LightIndex,
    packages: &[String],
    text: &'t str,
) -> Result<(Option<String>, &'t str), AskError> {
    let Some((namespace, rest)) = text.split_once(':') else { return Ok((None, text)) };
    let package = text.split(['@', '/']).next().unwrap_or_default();
    if packages.iter().any(|it| it == package) || !index.packages_of_bundle(text)?.is_empty() {
        return Ok((None, text));
    }
    let is_label = !namespace.is_empty()
        && namespace.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-');
    if !is_label || rest.is_empty() {
        return Err(AskError::NoNamespace(text.to_owned()));
    }
    Ok((Some(namespace.to_owned()), rest))
}

/// The world of the question's namespace.
fn complete(question: &Question, ranks: &[CatalogRank], index: &LightIndex) -> Result<(World, Vec<String>), AskError> {
    let (mut world, warnings) = question.world(ranks)?;
    let bare = world.clone();
    let rows = IndexRows::new(index, &bare);
    question.complete(&mut world, &rows, index)?;
    Ok((world, warnings))
}
