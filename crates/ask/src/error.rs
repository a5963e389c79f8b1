//! Why a question has no answer.

use thiserror::Error;

use super::hint::{Help, guess};
use olmdex_bundle::bundle::UnpackError;
use olmdex_compose::mirror::NamelessError;
use olmdex_index::IndexError;
use olmdex_olm::catalog_source::TieError;
use olmdex_olm::resolve::{ClosureError, Failure, QuestionError};
use olmdex_olm::upgrade::{Move, ZStreamError};

/// Why a question has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AskError {
    /// No catalog has the package.
    #[error("no package `{package}`")]
    NoPackage { package: String, help: Help },
    /// There is no such catalog.
    #[error("no catalog `{catalog}`")]
    NoCatalog { catalog: String, help: Help },
    /// The package has no such channel.
    #[error("package `{package}` has no channel `{channel}`")]
    NoChannel { package: String, channel: String, help: Help },
    /// Nothing provides or requires the API.
    #[error("no API `{kind} of {group}`")]
    NoApi { group: String, kind: String, help: Help },
    /// The package has no such version.
    #[error("package `{package}` has no version `{version}`")]
    NoVersion {
        package: String,
        /// The version, or a bundle's name.
        version: String,
        /// The way out.
        help: Help,
    },
    /// The package has no such version and no such bundle.
    #[error("package `{package}` has no bundle and no version `{name}`")]
    NoBundle {
        package: String,
        /// The version, or a bundle's name.
        name: String,
        /// The way out.
        help: Help,
    },
    /// No package has the bundle.
    #[error("no bundle `{name}`")]
    NoBundleOfAny { name: String, help: Help },
    /// Several bundles of the package can be meant.
    #[error("{0}")]
    SeveralBundles(String),
    /// No version is in a range.
    #[error("no version of `{of}` is in the range `{range}`")]
    NothingInRange {
        /// The package, or `PKG/CHANNEL`.
        of: String,
        range: String,
    },
    /// A text is meant as a range of versions, and is none.
    #[error("`{range}` is not a version range: {reason}")]
    NoRange { range: String, reason: String },
    /// A bundle has no directory.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// The parts of the question do not fit together.
    #[error("{what}")]
    Unfit {
        /// The parts, and why they do not fit.
        what: &'static str,
        /// The way out.
        help: &'static str,
    },
    /// Something else is to be said before the reason.
    #[error("{error}")]
    Warned { warnings: Vec<String>, error: Box<AskError> },
    /// Neither a package nor a cluster is given.
    #[error("no package and no cluster given")]
    NothingAsked,
    /// A name and an option both name the installed bundle.
    #[error("`{0}` and `--installed` both name the installed version")]
    InstalledTwice(String),
    /// Nothing is installed, and the question is about an installed bundle.
    #[error("{0}")]
    NothingInstalled(String),
    /// A cluster has nothing installed, according to its manifests.
    #[error("the cluster that `--cluster` describes has no installed operators")]
    NothingInstalledThere,
    /// A step of the cluster leads to no later version.
    #[error("OpenShift {} is not later than {}", .0.to, .0.from)]
    NotLater(Move),
    /// Manifests have no operator.
    #[error("{0} shows no installed operators")]
    NothingInstalledIn(String),
    /// OLM does not get from one bundle to another.
    #[error("OLM does not upgrade from {from} to {to}: {reason}")]
    NotReached { from: String, to: String, reason: String },
    /// A Subscription has one channel, and several were named.
    #[error("a Subscription has one channel")]
    SeveralChannels,
    /// A Subscription names one catalog, and several have the package.
    #[error("`{package}` is in several catalogs: {}", .catalogs.join(", "))]
    SeveralCatalogs { package: String, catalogs: Vec<String> },
    /// A Subscription names one catalog, and the question does not.
    #[error("a Subscription names one catalog")]
    WhichCatalog { catalogs: Vec<String> },
    /// No package has a bundle that may be installed.
    #[error("no package has `{0}`")]
    NothingHas(String),
    /// The namespace has no resolution, and the question is about one.
    #[error("OLM cannot resolve the namespace")]
    Unresolved,
    /// Several catalogs may have an image that a configuration names.
    #[error("which catalog is `{image}`? The index has {}", .catalogs.join(", "))]
    WhichCatalogIs { image: String, catalogs: Vec<String> },
    /// No catalog is known to have an installed bundle.
    #[error("{0}")]
    Unplaced(String),
    /// The cluster has none of the things in the question.
    #[error("{0}")]
    NothingInCluster(String),
    /// The cluster has nothing of a name.
    #[error("{cluster} has no namespace, package or Subscription `{name}`")]
    NotInCluster {
        /// The cluster, in words.
        cluster: String,
        name: String,
        /// The way out.
        help: Help,
    },
    /// The cluster has no Subscription of a name.
    #[error("{cluster} has no Subscription of `{name}`")]
    NoSubscription {
        /// The cluster, in words.
        cluster: String,
        name: String,
        /// The way out.
        help: Help,
    },
    /// No catalog has a package that the cluster names.
    #[error("no known catalog has a package that {0} names")]
    NoCatalogForCluster(String),
    /// Neither a cluster nor something to install is given.
    #[error("nothing to resolve: no `--cluster`, no `--install`")]
    NothingToResolve,
    /// A text looks like a package in a namespace, and is none.
    #[error("`{0}` is not a package in a namespace")]
    NoNamespace(String),
    /// No catalog has a package or a bundle of the name.
    #[error("no package or bundle `{name}`")]
    NothingCalled { name: String, help: String },
    /// The catalogs of a picture have different paths, and it marks one.
    #[error("the catalogs have different paths, but a picture can mark only one")]
    SeveralPaths { catalogs: Vec<String> },
    /// The versions of a channel do not show which patch release is the latest.
    #[error(transparent)]
    NoZStream(ZStreamError),
    /// There is no such rule.
    #[error("no rule `{name}`")]
    NoRule { name: String, help: String },
    /// Neither of two catalogs has the package.
    #[error("neither catalog has a package `{package}`")]
    NoPackageInEither { package: String, help: String },
    /// Manifests do not show which version of OpenShift a cluster has.
    #[error("{0} holds no ClusterVersion")]
    NoClusterVersion(String),
    /// A ClusterVersion has a version that is not valid.
    #[error("the ClusterVersion has the invalid version `{version}`: {reason}")]
    BadClusterVersion {
        /// The version as it is written there.
        version: String,
        /// The fault of that version.
        reason: String,
    },
    /// A way has no start: neither the question nor the cluster has a version of OpenShift.
    #[error("the manifests hold no ClusterVersion")]
    NoStartOfPath,
    /// A text is meant as a version of OpenShift, and is none.
    #[error("`{0}` is not a version: write it as 4.18 or 4.18.3")]
    NotOpenshift(String),
    /// The target is before the present version of OpenShift.
    #[error("{to} is before {from}")]
    Downgrade { from: String, to: String },
    /// Extended support does not lead from one version to another.
    #[error("`--eus` does not lead from {} to {}", .0.from, .0.to)]
    NoExtendedWay(Move),
    /// A question about a namespace is ambiguous, or the catalogs lack its subject.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// A tie of a CatalogSource cannot be read, or leads nowhere.
    #[error(transparent)]
    Tie(#[from] TieError),
    /// There is no resolution.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// A configuration asks for something that no catalog could have.
    #[error(transparent)]
    Nameless(#[from] NamelessError),
    /// The catalogs cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl From<ClosureError> for AskError {
    fn from(error: ClosureError) -> Self {
        match error {
            ClosureError::Failure(error) => error.into(),
            ClosureError::Question(error) => error.into(),
            ClosureError::Index(error) => error.into(),
        }
    }
}

impl AskError {
    /// Whether the words of the question are wrong, or name something that does not exist.
    pub(crate) fn is_about_words(&self) -> bool {
        !matches!(
            self,
            Self::NothingInCluster(_)
                | Self::NothingInstalledThere
                | Self::NothingInstalledIn(_)
                | Self::NotReached { .. }
                | Self::NoClusterVersion(_)
                | Self::BadClusterVersion { .. }
                | Self::Unresolved
                | Self::NoZStream(_)
                | Self::Failure(_)
                | Self::Index(_)
        )
    }

    /// The reason by itself, without the warnings before it.
    #[must_use]
    pub fn bare(self) -> Self {
        match self {
            Self::Warned { error, .. } => *error,
            error => error,
        }
    }

    /// Whether something named does not exist.
    pub fn is_not_found(&self) -> bool {
        match self {
            Self::NoCatalog { .. }
            | Self::NoApi { .. }
            | Self::NoPackage { .. }
            | Self::NoChannel { .. }
            | Self::NoVersion { .. }
            | Self::NoBundle { .. }
            | Self::NoBundleOfAny { .. }
            | Self::SeveralBundles(_)
            | Self::NothingInRange { .. }
            | Self::NothingHas(_)
            | Self::Unplaced(_)
            | Self::NothingCalled { .. }
            | Self::NoRule { .. }
            | Self::NoPackageInEither { .. }
            | Self::NoSubscription { .. }
            | Self::NotInCluster { .. }
            | Self::NoCatalogForCluster(_)
            | Self::Tie(TieError::Unknown { .. }) => true,
            Self::Warned { error, .. } => error.is_not_found(),
            Self::Question(error) => {
                !matches!(error, QuestionError::SeveralNamespaces(_) | QuestionError::OtherNamespace { .. })
            }
            _ => false,
        }
    }

    /// The remedy.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::NoCatalog { help, .. }
            | Self::NoApi { help, .. }
            | Self::NoPackage { help, .. }
            | Self::NoChannel { help, .. }
            | Self::NoVersion { help, .. }
            | Self::NoBundle { help, .. }
            | Self::NoSubscription { help, .. }
            | Self::NotInCluster { help, .. }
            | Self::NoBundleOfAny { help, .. } => help.to_string(),
            Self::NothingInstalledIn(_) => {
                "it needs ClusterServiceVersions or ClusterExtensions, as `kubectl get -o yaml` prints them".to_owned()
            }
            Self::SeveralBundles(_) => "choose one of them with `--installed NAME`".to_owned(),
            Self::NothingInRange { of, .. } => format!("`olmdex list bundles {of}` lists them"),
            Self::NoRange { .. } => "write a range as `>=2.8.0 <2.11.0`, with all three numbers".to_owned(),
            Self::NothingAsked => "name a package, or a cluster's manifests with `--cluster FILE`".to_owned(),
            Self::InstalledTwice(_) => "leave out one of them".to_owned(),
            Self::NothingInstalled(_) => "name it: `PKG@VERSION`, or `--installed BUNDLE`".to_owned(),
            Self::NothingInstalledThere => {
                "it has neither ClusterServiceVersions nor ClusterExtensions with a bundle".to_owned()
            }
            Self::NothingCalled { help, .. } | Self::NoRule { help, .. } | Self::NoPackageInEither { help, .. } => {
                help.clone()
            }
            Self::NoClusterVersion(_) | Self::BadClusterVersion { .. } => {
                "give the cluster's version with `--openshift VERSION`".to_owned()
            }
            Self::NoStartOfPath => "name the version: `olmdex plan --only platform VERSION --to …`".to_owned(),
            Self::Downgrade { .. } => "OpenShift does not support downgrades".to_owned(),
            Self::NoExtendedWay(_) => {
                "`--eus` leads from a version with extended support to a later one, as from 4.16 to 4.18".to_owned()
            }
            Self::NotLater(_) => "name a later minor version with `--to`".to_owned(),
            Self::NotReached { .. } => "`olmdex upgrades --steps` shows where its upgrades lead".to_owned(),
            Self::SeveralChannels => "give one channel, or use `--olm v1`".to_owned(),
            Self::SeveralCatalogs { .. } => {
                "a Subscription names one catalog: choose it with `--catalog`, or use `--olm v1`".to_owned()
            }
            Self::NothingHas(_) => "name a bundle, or `PKG@VERSION`".to_owned(),
            Self::Unresolved => "`olmdex resolve` with the same arguments shows why".to_owned(),
            Self::SeveralPaths { catalogs } => format!("choose a catalog with `--catalog`: {}", catalogs.join(", ")),
            Self::NoZStream(_) => "each entry needs a bundle with a version, and each version must differ".to_owned(),
            Self::WhichCatalogIs { image, .. } => format!("name its source: `-i {image}=SOURCE`"),
            Self::WhichCatalog { catalogs } => format!("choose it with `--catalog`: {}", catalogs.join(", ")),
            Self::NoCatalogForCluster(_) => {
                "name the catalogs with `-i`, and map CatalogSources to them with `--source-map`".to_owned()
            }
            Self::NothingToResolve => {
                "name manifests with `--cluster FILE`, or a package with `--install PKG`".to_owned()
            }
            Self::NoNamespace(_) => {
                "write NAMESPACE:PACKAGE, as in tools:backup, with @VERSION or /CHANNEL after it if needed".to_owned()
            }
            Self::Unfit { help, .. } => (*help).to_owned(),
            Self::Unpack(UnpackError::OnlyImage(_)) => {
                "the image has them: `oc image extract IMAGE --path /:DIR` unpacks it".to_owned()
            }
            Self::Warned { error, .. } => return error.help(),
            Self::Question(error) => return help_of_question(error),
            Self::Tie(error) => help_of_tie(error),
            Self::NotOpenshift(_)
            | Self::NothingInCluster(_)
            | Self::Unplaced(_)
            | Self::Nameless(_)
            | Self::Unpack(_)
            | Self::Failure(_)
            | Self::Index(_) => return None,
        })
    }
}

fn help_of_question(error: &QuestionError) -> Option<String> {
    let all = |names: &[String]| names.join(", ");
    Some(match error {
        QuestionError::SeveralNamespaces(_) => {
            "choose one with `--namespace`, or name it with each package, as in tools:backup".to_owned()
        }
        QuestionError::OtherNamespace { .. } => {
            "leave out `--namespace` to ask about all namespaces together".to_owned()
        }
        QuestionError::NoSuchNamespace { name, known } => guess(name, known, &format!("there are {}", all(known))),
        QuestionError::NoSuchCatalog { catalog, known, .. } => {
            let help = format!(
                "name it with `-i {catalog}=SOURCE`, or leave such Subscriptions out with `--ignore-missing-catalogs`"
            );
            guess(catalog, known, &help)
        }
        QuestionError::NoSuchPackage { name, known } => guess(name, known, LIST_PACKAGES),
        QuestionError::NoSuchChoice { name, known, .. } => {
            guess(name, known, &format!("its channels are {}", all(known)))
        }
        QuestionError::NoSuchBundle { .. } => {
            "if a bundle is in no catalog, give its manifest with `--cluster`".to_owned()
        }
        _ => return None,
    })
}

fn help_of_tie(error: &TieError) -> String {
    match error {
        TieError::NoTie(_) => {
            "write NAMESPACE/NAME=CATALOG, as in openshift-marketplace/community-operators=community".to_owned()
        }
        TieError::Unknown { name, known } => guess(name, known, &format!("there are {}", known.join(", "))),
    }
}

/// How to see which packages there are.
pub(super) const LIST_PACKAGES: &str = "`olmdex list packages` shows what there is";
