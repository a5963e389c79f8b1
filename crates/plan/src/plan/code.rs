//! The codes of blockers, decisions, unknowns and reasons.

use std::fmt;

use serde::{Deserialize, Serialize};

use olmdex_constraint::openshift::Minor;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)+) => {
        /// A blocker, a decision, something unknown or a reason, in a word.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        pub enum Code {
            $($(#[$doc])* $name,)+
            /// A code that names a version or a condition of OLM v1, or comes from a plan that another version of this
            /// program has saved.
            Other(String),
        }

        impl Code {
            /// Its name.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$name => $text,)+
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for Code {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$name,)+
                    _ => Self::Other(text.to_owned()),
                }
            }
        }
    };
}

codes! {
    /// An administrator must acknowledge the update.
    AdminAck = "admin-ack",
    /// A client requests an API that a version on the way no longer has.
    ApiRemoved = "api-removed",
    /// The channel has an update.
    Behind = "behind",
    /// A fleet: the installed bundle keeps the cluster at its version.
    Blocks = "blocks",
    /// No catalog is given for a version on the way.
    CatalogMissing = "catalog-missing",
    /// A fleet: it is not known which catalog has an installed bundle.
    CatalogUnknown = "catalog-unknown",
    /// The package has no such channel any more.
    ChannelGone = "channel-gone",
    /// The other channel is in the catalogs before and after the update.
    ChannelInBoth = "channel-in-both",
    /// The other channel is not in the catalog before the update.
    ChannelOnlyLater = "channel-only-later",
    /// The graph data have no such channel.
    ClusterChannelMissing = "cluster-channel-missing",
    /// A ClusterOperator is degraded.
    ClusterOperatorDegraded = "clusteroperator-degraded",
    /// A ClusterOperator lets the cluster go no further.
    ClusterOperator = "clusteroperator",
    /// The ClusterVersion lets the cluster go no further.
    ClusterVersion = "clusterversion",
    /// It is unknown whether the installed bundle works on a version.
    CompatibilityUnstated = "compatibility-unstated",
    /// The update has a risk that may apply.
    ConditionalRisk = "conditional-risk",
    /// A fleet: a Subscription and a ClusterExtension manage one operator.
    Conflict = "conflict",
    /// A Subscription names a missing ClusterServiceVersion.
    CsvMissing = "csv-missing",
    /// The plan leads from one version with extended support to the next.
    Eus = "eus",
    /// A fleet: the installed bundle excludes the later version.
    Excluded = "excluded",
    /// `olm.maxOpenShiftVersion` cannot be read.
    InvalidMaxVersion = "invalid-max-version",
    /// `olm.maxOpenShiftVersion` keeps the cluster at its version.
    MaxOpenShiftVersion = "max-openshift-version",
    /// The update needs a newer Kubernetes.
    NeedsKubernetes = "needs-kubernetes",
    /// The update service knows no update.
    NoEdge = "no-edge",
    /// No Subscription manages the operator.
    NoSubscription = "no-subscription",
    /// The installed bundle is not made for a version.
    NotCompatible = "not-compatible",
    /// A Subscription or ClusterExtension has installed nothing.
    NotInstalled = "not-installed",
    /// A fleet: the input shows nothing that is installed.
    NothingInstalled = "nothing-installed",
    /// OLM is updating.
    OlmUpdating = "olm-updating",
    /// The operator asks not to be updated.
    OperatorCondition = "operatorcondition",
    /// Only another channel leads on.
    OtherChannel = "other-channel",
    /// The Subscription and the installed bundle name different packages.
    PackageContradicts = "package-contradicts",
    /// The catalog does not have the package.
    PackageGone = "package-gone",
    /// Minor versions are updated one by one.
    Platform = "platform",
    /// The platform is updating.
    PlatformUpdating = "platform-updating",
    /// A pool of machines is degraded.
    PoolDegraded = "pool-degraded",
    /// A pool of machines is paused.
    PoolPaused = "pool-paused",
    /// The API server refuses a ClusterExtension.
    RefusedByApiServer = "refused-by-api-server",
    /// OLM v1 resolves a bundle and refuses to install it.
    RefusedByOlmV1 = "refused-by-olm-v1",
    /// The cluster does not accept the release.
    ReleaseNotAccepted = "release-not-accepted",
    /// The catalog of another version has another name.
    SourceOfVersion = "source-of-version",
    /// It is not known which catalog a CatalogSource is.
    SourceUnknown = "source-unknown",
    /// A fleet: a part of the state of the cluster cannot be read.
    StateIncomplete = "state-incomplete",
    /// Nothing leads on from the installed bundle.
    Stranded = "stranded",
    /// Two Subscriptions are about one package.
    SubscriptionTwice = "subscription-twice",
    /// The input has no Subscriptions.
    SubscriptionsMissing = "subscriptions-missing",
    /// The support of the installed bundle has ended.
    SupportEnded = "support-ended",
    /// The operator is not well.
    Unhealthy = "unhealthy",
    /// OLM cannot resolve the namespace.
    Unresolved = "unresolved",
    /// An update is under way.
    UpdateInFlight = "update-in-flight",
    /// The cluster does not retrieve updates.
    UpdatesNotRetrieved = "updates-not-retrieved",
}

impl Code {
    /// The code for an installed bundle that is not made for this version.
    pub(super) fn not_compatible_with(minor: Minor) -> Self {
        Self::Other(format!("not-compatible-with-{minor}"))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<String> for Code {
    fn from(text: String) -> Self {
        Self::from(&*text)
    }
}

impl From<Code> for String {
    fn from(code: Code) -> Self {
        code.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_they_are_written() {
        for (code, text) in [
            (Code::AdminAck, r#""admin-ack""#),
            (Code::not_compatible_with(Minor { major: 4, minor: 18 }), r#""not-compatible-with-4.18""#),
        ] {
            assert_eq!(serde_json::to_string(&code).unwrap(), text);
            assert_eq!(serde_json::from_str::<Code>(text).unwrap(), code);
        }
        assert_eq!(
            serde_json::from_str::<Code>("1").unwrap_err().to_string(),
            "invalid type: integer `1`, expected a string at line 1 column 1"
        );
    }
}
