//! Why a question has no answer.

use thiserror::Error;

use super::hint::{Help, guess};
use olmdex_index::IndexError;
use olmdex_olm::catalog_source::TieError;
use olmdex_olm::resolve::{ClosureError, Failure, QuestionError};
use olmdex_olm::upgrade::Move;

/// Why a question has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AskError {
    /// No catalog has the package.
    #[error("there is no package `{package}`")]
    NoPackage {
        /// The package.
        package: String,
        /// What to do.
        help: Help,
    },
    /// There is no such catalog.
    #[error("there is no catalog `{catalog}`")]
    NoCatalog {
        /// The catalog.
        catalog: String,
        /// What to do.
        help: Help,
    },
    /// The package has no such channel.
    #[error("package `{package}` has no channel `{channel}`")]
    NoChannel {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// What to do.
        help: Help,
    },
    /// Nothing provides or requires the API.
    #[error("there is no API `{kind} of {group}`")]
    NoApi {
        /// Its group.
        group: String,
        /// Its kind.
        kind: String,
        /// What to do.
        help: Help,
    },
    /// The package has no such version.
    #[error("package `{package}` has no version `{version}`")]
    NoVersion {
        /// The package.
        package: String,
        /// The version, or a bundle's name.
        version: String,
        /// What to do.
        help: Help,
    },
    /// The package has no such version and no such bundle.
    #[error("package `{package}` has no bundle and no version `{name}`")]
    NoBundle {
        /// The package.
        package: String,
        /// The version, or a bundle's name.
        name: String,
        /// What to do.
        help: Help,
    },
    /// No package has the bundle.
    #[error("there is no bundle `{name}`")]
    NoBundleOfAny {
        /// Its name.
        name: String,
        /// What to do.
        help: Help,
    },
    /// Several bundles of the package can be meant.
    #[error("{0}")]
    SeveralBundles(String),
    /// No version is in a range.
    #[error("no version of `{of}` is in the range `{range}`")]
    NothingInRange {
        /// The package, or `PKG/CHANNEL`.
        of: String,
        /// The range.
        range: String,
    },
    /// A text is meant as a range of versions, and is none.
    #[error("`{range}` is not a range of versions: {reason}")]
    NoRange {
        /// The text.
        range: String,
        /// What is wrong.
        reason: String,
    },
    /// Neither a package nor a cluster is given.
    #[error("no package and no cluster given")]
    NothingAsked,
    /// A name and an option both say what is installed.
    #[error("`{0}` and `--installed` both say what is installed")]
    InstalledTwice(String),
    /// Nothing is installed where the question is about what is.
    #[error("{0}")]
    NothingInstalled(String),
    /// A cluster has nothing installed, as far as its manifests say.
    #[error("nothing is installed in the cluster that `--cluster` describes")]
    NothingInstalledThere,
    /// A step of the cluster leads to no later version.
    #[error("OpenShift {} is not later than {}", .0.to, .0.from)]
    NotLater(Move),
    /// Manifests have no operator.
    #[error("nothing is installed according to {0}")]
    NothingInstalledIn(String),
    /// OLM does not get from one bundle to another.
    #[error("OLM does not upgrade from {from} to {to}: {reason}")]
    NotReached {
        /// What is installed.
        from: String,
        /// What is wanted.
        to: String,
        /// Where the way ends.
        reason: String,
    },
    /// A Subscription has one channel, and several were named.
    #[error("a Subscription has one channel")]
    SeveralChannels,
    /// A Subscription names one catalog, and several have the package.
    #[error("`{package}` is in several catalogs: {}", .catalogs.join(", "))]
    SeveralCatalogs {
        /// The package.
        package: String,
        /// The catalogs.
        catalogs: Vec<String>,
    },
    /// A Subscription names one catalog, and it is not said which.
    #[error("a Subscription names one catalog")]
    WhichCatalog {
        /// Those that there are.
        catalogs: Vec<String>,
    },
    /// No package has what may be installed.
    #[error("no package has `{0}`")]
    NothingHas(String),
    /// The namespace has no resolution, and the question is about one.
    #[error("the namespace cannot be resolved")]
    Unresolved,
    /// Several catalogs can be an image that a configuration names.
    #[error("which catalog is `{image}`? The index has {}", .catalogs.join(", "))]
    WhichCatalogIs {
        /// The image.
        image: String,
        /// The catalogs.
        catalogs: Vec<String>,
    },
    /// The cluster has nothing of what is asked about.
    #[error("{0}")]
    NothingInCluster(String),
    /// The cluster has no Subscription of a name.
    #[error("{cluster} has no Subscription of `{name}`")]
    NoSubscription {
        /// The cluster, in words.
        cluster: String,
        /// The name.
        name: String,
        /// What to do.
        help: Help,
    },
    /// No catalog has a package that the cluster names.
    #[error("no catalog is known that has a package which {0} names")]
    NoCatalogForCluster(String),
    /// Neither a cluster nor something to install is given.
    #[error("nothing to resolve: no `--cluster`, no `--install`")]
    NothingToResolve,
    /// A text looks like a package in a namespace, and is none.
    #[error("`{0}` is not a package in a namespace")]
    NoNamespace(String),
    /// No catalog has a package or a bundle of the name.
    #[error("there is no package and no bundle `{name}`")]
    NothingCalled {
        /// The name.
        name: String,
        /// What to do.
        help: String,
    },
    /// There is no such rule.
    #[error("there is no rule `{name}`")]
    NoRule {
        /// What was named.
        name: String,
        /// What to do.
        help: String,
    },
    /// Neither of two catalogs has the package.
    #[error("neither catalog has a package `{package}`")]
    NoPackageInEither {
        /// The package.
        package: String,
        /// What to do.
        help: String,
    },
    /// Manifests do not say which version of OpenShift a cluster has.
    #[error("{0} has no ClusterVersion")]
    NoClusterVersion(String),
    /// A ClusterVersion names something that is no version.
    #[error("the ClusterVersion says version `{version}`: {reason}")]
    BadClusterVersion {
        /// What it says.
        version: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Extended support does not lead from one version to another.
    #[error("`--eus` does not lead from {} to {}", .0.from, .0.to)]
    NoExtendedWay(Move),
    /// It is not clear what is asked about a namespace, or the catalogs lack it.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// A tie of a CatalogSource cannot be read, or leads nowhere.
    #[error(transparent)]
    Tie(#[from] TieError),
    /// There is no resolution.
    #[error(transparent)]
    Failure(#[from] Failure),
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
    /// Whether the words of the question are wrong, or name something that is not there.
    #[must_use]
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
                | Self::Failure(_)
                | Self::Index(_)
        )
    }

    /// Whether something that is named does not exist.
    #[must_use]
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
            | Self::NothingCalled { .. }
            | Self::NoRule { .. }
            | Self::NoPackageInEither { .. }
            | Self::NoSubscription { .. }
            | Self::NoCatalogForCluster(_)
            | Self::Tie(TieError::Unknown { .. }) => true,
            Self::Question(error) => {
                !matches!(error, QuestionError::SeveralNamespaces(_) | QuestionError::OtherNamespace { .. })
            }
            _ => false,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::NoCatalog { help, .. }
            | Self::NoApi { help, .. }
            | Self::NoPackage { help, .. }
            | Self::NoChannel { help, .. }
            | Self::NoVersion { help, .. }
            | Self::NoBundle { help, .. }
            | Self::NoSubscription { help, .. }
            | Self::NoBundleOfAny { help, .. } => help.to_string(),
            Self::NothingInstalledIn(_) => {
                "it needs ClusterServiceVersions or ClusterExtensions, as `kubectl get -o yaml` prints them".to_owned()
            }
            Self::SeveralBundles(_) => "choose one of them with `--installed NAME`".to_owned(),
            Self::NothingInRange { of, .. } => format!("`olmdex list bundles {of}` lists them"),
            Self::NoRange { .. } => "a range looks like `>=2.8.0 <2.11.0`, with all three numbers".to_owned(),
            Self::NothingAsked => "name a package, or a cluster's manifests with `--cluster FILE`".to_owned(),
            Self::InstalledTwice(_) => "leave one of them out".to_owned(),
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
            Self::NoExtendedWay(_) => {
                "it leads from a version with extended support to the next one, as from 4.16 to 4.18".to_owned()
            }
            Self::NotLater(_) => "`--to` names a later minor version".to_owned(),
            Self::NotReached { .. } => "`olmdex path` shows where it goes".to_owned(),
            Self::SeveralChannels => "give one channel, or ask with `--olm v1`".to_owned(),
            Self::SeveralCatalogs { .. } => {
                "a Subscription names one: choose it with `--catalog`, or ask with `--olm v1`".to_owned()
            }
            Self::NothingHas(_) => "name a bundle, or `PKG@VERSION`".to_owned(),
            Self::Unresolved => "`olmdex resolve` with the same arguments says why".to_owned(),
            Self::WhichCatalogIs { .. } => "choose one with `--catalog`".to_owned(),
            Self::WhichCatalog { catalogs } => format!("choose it with `--catalog`: {}", catalogs.join(", ")),
            Self::NoCatalogForCluster(_) => {
                "name the catalogs with `-i`, and tie CatalogSources to them with `--source-map`".to_owned()
            }
            Self::NothingToResolve => {
                "name manifests with `--cluster FILE`, or a package with `--install PKG`".to_owned()
            }
            Self::NoNamespace(_) => {
                "write NAMESPACE:PACKAGE, as in tools:backup, also with @VERSION or /CHANNEL behind it".to_owned()
            }
            Self::Question(error) => return help_of_question(error),
            Self::Tie(error) => help_of_tie(error),
            Self::NothingInCluster(_) | Self::Failure(_) | Self::Index(_) => return None,
        })
    }
}

fn help_of_question(error: &QuestionError) -> Option<String> {
    let all = |names: &[String]| names.join(", ");
    Some(match error {
        QuestionError::SeveralNamespaces(_) => {
            "choose one with `--namespace`, or say it with each package, as in tools:backup".to_owned()
        }
        QuestionError::OtherNamespace { .. } => {
            "leave out `--namespace`, and all namespaces are answered together".to_owned()
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
        QuestionError::NoSuchBundle { .. } => "give what is in no catalog as a manifest, with `--cluster`".to_owned(),
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
