//! Something that keeps operators of a namespace from their next version, and the changes that remove it.

use schemars::JsonSchema;
use serde::Serialize;

use olmdex_base::diag::Place;
use olmdex_rules::explain::decode;

/// The effect of an obstacle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Nothing changes until somebody acts.
    Stops,
    /// OLM waits for an approval, or for something that is under way.
    Waits,
    /// It will stop a later step.
    Later,
    /// The input does not tell.
    Unknown,
}

impl Effect {
    /// The effect in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Stops => "nothing changes until somebody acts",
            Self::Waits => "it waits",
            Self::Later => "it will stop a later step",
            Self::Unknown => "the input does not tell",
        }
    }
}

/// The kind of an obstacle, in the order in which OLM comes upon them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObstacleCode {
    /// A CatalogSource does not answer.
    CatalogUnreachable,
    /// A Subscription names a CatalogSource that the cluster does not have.
    CatalogMissing,
    /// A namespace does not see the CatalogSource that a Subscription names.
    CatalogNotVisible,
    /// The content of a CatalogSource is not given.
    CatalogNotGiven,
    /// The namespace has no OperatorGroup, or several.
    OperatorGroupCount,
    /// An InstallPlan waits for an approval.
    ApprovalNeeded,
    /// An InstallPlan failed.
    InstallPlanFailed,
    /// An InstallPlan is being carried out.
    InstallPlanRunning,
    /// The InstallPlan that a Subscription waits for is gone, or not in the input.
    InstallPlanMissing,
    /// A bundle is being unpacked, or could not be.
    BundleUnpacking,
    /// A condition of a Subscription reports an error that no other obstacle explains.
    SubscriptionCondition,
    /// The namespace cannot be resolved.
    ResolutionFailed,
    /// olmdex cannot tell within its limits whether the namespace can be resolved.
    ResolutionUnknown,
    /// An operator stays although a version follows it: other operators keep it.
    HeldBack,
    /// No version follows an operator that is not the head of its channel.
    Stranded,
    /// A ClusterServiceVersion failed.
    ServiceVersionFailed,
    /// A ClusterServiceVersion is being installed, or waits for its requirements.
    ServiceVersionPending,
    /// The ClusterServiceVersion of a Subscription is gone, or not in the input.
    ServiceVersionMissing,
    /// No Subscription names a ClusterServiceVersion.
    Unmanaged,
    /// An operator does not want to be upgraded now.
    NotUpgradeable,
    /// An operator does not support the namespaces that its OperatorGroup targets.
    UnsupportedOperatorGroup,
    /// The cluster does not serve a version that an installed operator owns.
    VersionNotServed,
    /// The cluster stores objects in a version that an operator to be installed does not list.
    StoredVersionLost,
    /// An operator does not suit the cluster.
    Misfit,
    /// OLM v1 cannot install or upgrade.
    ExtensionStuck,
}

impl ObstacleCode {
    /// Whether it is an InstallPlan that exists already.
    pub fn is_install_plan(self) -> bool {
        matches!(
            self,
            Self::ApprovalNeeded | Self::InstallPlanFailed | Self::InstallPlanRunning | Self::InstallPlanMissing
        )
    }
}

/// Something that keeps operators from their next version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Obstacle {
    /// Its kind.
    pub code: ObstacleCode,
    /// Its effect.
    pub effect: Effect,
    /// The Subscriptions and ClusterServiceVersions that it concerns; empty if it concerns the whole namespace.
    pub subjects: Vec<String>,
    /// The object that shows it, as `KIND NAMESPACE/NAME`.
    pub object: String,
    /// Since when, as in `2026-01-31T12:00:00Z`, or empty.
    pub since: String,
    /// A sentence without a full stop.
    pub text: String,
    /// The words of the cluster, or those that OLM has for it; empty if there are none.
    pub message: String,
    /// The meaning of that message, or empty.
    pub meaning: String,
    /// More about the reason, in sentences.
    pub because: Vec<String>,
    /// The consequence if nobody does anything, or empty.
    pub consequence: String,
    /// Single changes that remove it, the smallest first.
    pub remedies: Vec<Remedy>,
    /// The place where the object is written.
    #[serde(flatten)]
    pub place: Place,
}

/// A change that removes an obstacle.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Remedy {
    /// The change.
    pub change: String,
    /// The commands that make it; empty if a name in them is none that Kubernetes accepts.
    pub commands: Vec<String>,
    /// The bundles that OLM installs then; `None` if resolving again cannot tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installs: Option<Vec<String>>,
}

impl Obstacle {
    pub(crate) fn new(code: ObstacleCode, effect: Effect, object: String, text: String, place: &Place) -> Self {
        Self {
            code,
            effect,
            subjects: Vec::new(),
            object,
            since: String::new(),
            text,
            message: String::new(),
            meaning: String::new(),
            because: Vec::new(),
            consequence: String::new(),
            remedies: Vec::new(),
            place: place.clone(),
        }
    }

    pub(crate) fn of(mut self, subjects: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.subjects = subjects.into_iter().map(Into::into).collect();
        self
    }

    pub(crate) fn since(mut self, since: &str) -> Self {
        since.clone_into(&mut self.since);
        self
    }

    pub(crate) fn message(mut self, message: &str) -> Self {
        self.message = without_secrets(message);
        self.meaning = decode(message).map(|it| it.meaning).unwrap_or_default();
        self
    }

    pub(crate) fn then(mut self, consequence: &str) -> Self {
        consequence.clone_into(&mut self.consequence);
        self
    }

    pub(crate) fn remedy(mut self, change: impl Into<String>, commands: Vec<String>) -> Self {
        self.remedies.push(Remedy { change: change.into(), commands, installs: None });
        self
    }

    /// Whether it concerns a Subscription, or a ClusterServiceVersion without one.
    pub fn concerns(&self, subject: &str) -> bool {
        self.subjects.is_empty() || self.subjects.iter().any(|it| it == subject)
    }

    /// Whether OLM may go on in spite of it: an upgrade is promised only where nothing else is known or missing. OLM
    /// never upgrades what no Subscription has installed.
    pub fn permits(&self) -> bool {
        match self.code {
            ObstacleCode::ResolutionUnknown => false,
            ObstacleCode::Unmanaged => self.effect == Effect::Unknown,
            _ => self.effect != Effect::Stops,
        }
    }

    /// Whether it keeps its subjects from the next version now.
    pub fn is_now(&self) -> bool {
        matches!(self.effect, Effect::Stops | Effect::Waits)
    }
}

/// A message without the credentials that addresses and headers in it carry: people paste it into tickets.
fn without_secrets(message: &str) -> String {
    const MARK: &str = "…";
    const KEYS: [&str; 4] = ["password=", "token=", "secret=", "key="];
    let mut hides_next = false;
    let word = |word: &str| {
        if std::mem::take(&mut hides_next) {
            return MARK.to_owned();
        }
        hides_next = ["bearer", "basic"].contains(&word.trim_end_matches(':').to_ascii_lowercase().as_str());
        let lower = word.to_ascii_lowercase();
        if let Some(at) = KEYS.iter().filter_map(|key| Some(lower.find(key)? + key.len())).min()
            && word.is_char_boundary(at)
        {
            return format!("{}{MARK}", &word[..at]);
        }
        let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
        let end = rest.find(['/', '?', '#', '"']).unwrap_or(rest.len());
        match rest[..end].rfind('@') {
            Some(at) => format!("{scheme}://{MARK}{}", &rest[at..]),
            None => word.to_owned(),
        }
    };
    message.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::without_secrets;

    #[test]
    fn credentials_in_messages_are_hidden() {
        for (message, shown) in [
            ("all is well", "all is well"),
            (
                "Get \"https://joe:s3cret@registry.example.com/v2/\": denied",
                "Get \"https://…@registry.example.com/v2/\": denied",
            ),
            ("Get https://registry.example.com/a@sha256:00", "Get https://registry.example.com/a@sha256:00"),
            ("header Authorization: Bearer abc.def", "header Authorization: Bearer …"),
            ("url /x?token=abc&a=b failed", "url /x?token=… failed"),
        ] {
            assert_eq!(without_secrets(message), shown);
        }
    }
}
