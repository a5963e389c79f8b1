//! Whether a bundle may stay when the cluster goes to another minor version of OpenShift, by the bundle's own claims.
//!
//! There are three claims: `olm.maxOpenShiftVersion`, which the cluster enforces ([`olmdex_constraint::openshift`]);
//! `com.redhat.openshift.versions`, the OpenShift versions in whose catalogs the bundle is published; and
//! `minKubeVersion`, below which OLM Classic does not install it. Only the first two can say that a bundle is fit for a
//! version; the presence of a bundle in a catalog says nothing. A lifecycle, if there is one, makes the claim for the
//! vendor.

use schemars::JsonSchema;
use serde::Serialize;

use olmdex_base::olm::Olm;
use olmdex_constraint::openshift::{MAX_OPENSHIFT_VERSION, Minor, highest_classic, highest_v1};
use olmdex_index::query::GraphBundle;
use olmdex_rules::openshift::coerce;
use olmdex_version::Version;

/// The claims of a bundle about the versions that it works on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// The values of its `olm.maxOpenShiftVersion` properties, as JSON.
    pub max_openshift_versions: Vec<String>,
    /// The reason why the properties of the installed bundle cannot be read, if they cannot. Then the cluster does not
    /// go on.
    pub unreadable: Option<String>,
    /// Its `com.redhat.openshift.versions`, or empty.
    pub openshift_versions: String,
    /// Its `minKubeVersion`, or empty.
    pub min_kube_version: String,
    /// The OpenShift versions that the lifecycle of its version lists; `None` if it lists none.
    pub lifecycle: Option<Vec<String>>,
}

impl From<&GraphBundle> for Claims {
    fn from(bundle: &GraphBundle) -> Self {
        Self {
            max_openshift_versions: bundle.max_openshift_versions.clone(),
            unreadable: None,
            openshift_versions: bundle.openshift_versions.clone(),
            min_kube_version: bundle.min_kube_version.clone(),
            lifecycle: bundle.openshift_of_lifecycle.clone(),
        }
    }
}

/// The field that makes a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub enum Signal {
    /// The property `olm.maxOpenShiftVersion`.
    #[serde(rename = "olm.maxOpenShiftVersion")]
    MaxOpenShiftVersion,
    /// The lifecycle of the package.
    #[serde(rename = "lifecycle")]
    Lifecycle,
    /// The annotation or label `com.redhat.openshift.versions`.
    #[serde(rename = "com.redhat.openshift.versions")]
    OpenShiftVersions,
    /// The field `minKubeVersion` of the ClusterServiceVersion.
    #[serde(rename = "minKubeVersion")]
    MinKubeVersion,
}

olmdex_base::named!(Signal => as_str);

/// The compatibility of a bundle with a version of OpenShift, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Compatibility {
    /// The cluster refuses to go there while it is installed.
    Blocks,
    /// It states that it is not made for it, but nothing stops the cluster.
    Excluded,
    /// It makes no claim about it.
    Unknown,
    /// It says from which version on it works, and that this one is above.
    NotExcluded,
    /// It says that it is made for it.
    Stated,
}

impl Compatibility {
    /// In a word, for people: JSON has `notExcluded` for `not-excluded`, as it always had.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blocks => "blocks",
            Self::Excluded => "excluded",
            Self::Unknown => "unknown",
            Self::NotExcluded => "not-excluded",
            Self::Stated => "stated",
        }
    }

    /// Whether the bundle says nothing about the version of OpenShift.
    pub fn is_silent(self) -> bool {
        matches!(self, Self::Unknown | Self::NotExcluded)
    }

    /// In a few words, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Blocks => "blocks the update",
            Self::Excluded => "not supported",
            Self::Unknown => "unknown",
            Self::NotExcluded => "not excluded",
            Self::Stated => "supported",
        }
    }

    /// The meaning, for the legend of a table.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Blocks => "OpenShift refuses the update to this version while it is installed",
            Self::Excluded => "its metadata excludes this version, but does not block the update",
            Self::Unknown => "its metadata does not mention this version",
            Self::NotExcluded => "its metadata states a lowest version, and this one is not lower",
            Self::Stated => "its metadata states support for this version",
        }
    }

    /// The word for it in the JSON of a plan, in which `incompatible` stands for `excluded`.
    pub fn in_plan(self) -> &'static str {
        match self {
            Self::Excluded => "incompatible",
            other => other.as_str(),
        }
    }

    /// The verdict of [`Self::in_plan`].
    pub fn of_plan(word: &str) -> Option<Self> {
        let all = [Self::Blocks, Self::Excluded, Self::Unknown, Self::NotExcluded, Self::Stated];
        all.into_iter().find(|fit| fit.in_plan() == word)
    }

    /// Whether the bundle may stay, as far as is known.
    pub fn may_stay(self) -> bool {
        self > Self::Excluded
    }
}

/// The statement of one signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The field that states it.
    pub signal: Signal,
    /// The value of that field.
    pub value: String,
    /// The conclusion from this statement alone.
    pub verdict: Compatibility,
    /// Why, in words.
    pub reason: String,
}

/// The compatibility of a bundle with a version of OpenShift, and the evidence for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Judgement {
    /// The worst verdict of the evidence, or unknown if there is none.
    pub verdict: Compatibility,
    /// All evidence, in a fixed order.
    pub evidence: Vec<Evidence>,
}

impl Judgement {
    /// The deciding reason: that of the worst evidence.
    pub fn reason(&self) -> String {
        let decisive = self.evidence.iter().filter(|it| it.verdict == self.verdict);
        let reasons: Vec<&str> = decisive.map(|it| it.reason.as_str()).collect();
        if reasons.is_empty() { "the bundle does not mention it".to_owned() } else { reasons.join("; ") }
    }
}

/// Judges a bundle that one generation of OLM has installed on a cluster of the minor version `from` that is to be
/// upgraded to `to`. At each minor version the cluster asks for the very next one. Limits that the cluster enforces
/// count before the vendor's lifecycle, and the lifecycle counts before the statements of the bundle.
pub fn judge(claims: &Claims, olm: Olm, from: Minor, to: Minor) -> Judgement {
    let mut evidence = Vec::new();
    evidence.extend(match &claims.unreadable {
        Some(error) => Some(Evidence {
            signal: Signal::MaxOpenShiftVersion,
            value: String::new(),
            verdict: Compatibility::Blocks,
            reason: format!("its properties are unreadable: {error}"),
        }),
        None => judge_max(&claims.max_openshift_versions, olm, from, to),
    });
    let by_lifecycle = claims.lifecycle.as_deref().map(|it| judge_lifecycle(it, to));
    let wording = by_lifecycle.as_ref().map(|it| it.verdict);
    evidence.extend(by_lifecycle);
    evidence.extend(judge_range(&claims.openshift_versions, to));
    evidence.extend(judge_kube(&claims.min_kube_version, to));
    let worst = evidence.iter().map(|it| it.verdict).filter(|it| !it.may_stay()).min();
    let best = evidence.iter().map(|it| it.verdict).max();
    // A version in the vendor's list is no help if OLM does not install the bundle on it.
    let is_refused = |it: &Evidence| it.signal == Signal::MinKubeVersion && it.verdict == Compatibility::Excluded;
    let wording = wording.filter(|_| worst != Some(Compatibility::Blocks) && !evidence.iter().any(is_refused));
    Judgement { verdict: wording.or(worst).or(best).unwrap_or(Compatibility::Unknown), evidence }
}

/// A list is no range: versions that are not listed are excluded.
fn judge_lifecycle(listed: &[String], to: Minor) -> Evidence {
    let list = listed.join(", ");
    let (verdict, reason) = match listed.iter().any(|it| coerce(it) == Some(to)) {
        true => (Compatibility::Stated, format!("its lifecycle lists OpenShift {list}")),
        false if list.is_empty() => (Compatibility::Excluded, "its lifecycle lists no OpenShift version".to_owned()),
        false => (Compatibility::Excluded, format!("its lifecycle lists OpenShift {list}, not {to}")),
    };
    Evidence { signal: Signal::Lifecycle, value: list, verdict, reason }
}

fn judge_max(values: &[String], olm: Olm, from: Minor, to: Minor) -> Option<Evidence> {
    let highest = match olm {
        Olm::Classic => highest_classic(values),
        Olm::V1 => highest_v1(values),
    };
    let (verdict, reason) = match highest {
        Ok(None) => return None,
        // A value that cannot be read stops the cluster too.
        Err(error) => (Compatibility::Blocks, format!("its {MAX_OPENSHIFT_VERSION} is unreadable: {error}")),
        Ok(Some(max)) => {
            let refused = from.until(to).find(|at| !max.lets_update(*at));
            match refused {
                Some(at) => (
                    Compatibility::Blocks,
                    format!(
                        "it supports OpenShift up to {max}, so it blocks the update from OpenShift {at} to {}",
                        at.next()
                    ),
                ),
                None => (Compatibility::Stated, format!("it supports OpenShift up to {max}")),
            }
        }
    };
    Some(Evidence { signal: Signal::MaxOpenShiftVersion, value: values.join(", "), verdict, reason })
}

fn judge_range(value: &str, to: Minor) -> Option<Evidence> {
    if value.is_empty() {
        return None;
    }
    let (verdict, reason) = match Published::parse(value) {
        None => (Compatibility::Unknown, format!("`{value}` is unreadable")),
        Some(published) if !published.contains(to) => {
            (Compatibility::Excluded, format!("it is published for OpenShift {value}, not for {to}"))
        }
        Some(Published { last: None, .. }) => {
            (Compatibility::NotExcluded, format!("it is published for OpenShift {value} and all later versions"))
        }
        Some(_) => (Compatibility::Stated, format!("it is published for OpenShift {value}")),
    };
    Some(Evidence { signal: Signal::OpenShiftVersions, value: value.to_owned(), verdict, reason })
}

fn judge_kube(value: &str, to: Minor) -> Option<Evidence> {
    if value.is_empty() {
        return None;
    }
    let kube = to.kubernetes();
    let (verdict, reason) = match Version::parse_tolerant(value).ok().map(|it| Minor::of(&it)) {
        None => (Compatibility::Unknown, format!("minKubeVersion `{value}` is unreadable")),
        Some(least) if least > kube => {
            (Compatibility::Excluded, format!("it needs Kubernetes {value}, but OpenShift {to} has Kubernetes {kube}"))
        }
        Some(_) => {
            (Compatibility::NotExcluded, format!("it needs Kubernetes {value} or later; OpenShift {to} has {kube}"))
        }
    };
    Some(Evidence { signal: Signal::MinKubeVersion, value: value.to_owned(), verdict, reason })
}

/// Whether a bundle is published for a version of OpenShift, by its `com.redhat.openshift.versions`; `None` if that
/// makes no claim.
pub(crate) fn is_published_for(value: &str, openshift: Minor) -> Option<bool> {
    Published::parse(value).map(|it| it.contains(openshift))
}

/// The OpenShift versions in whose catalogs a bundle is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Published {
    first: Minor,
    /// `None`: all that follow.
    last: Option<Minor>,
}

impl Published {
    /// Reads `v4.8` (and all that follow), `=v4.8`, `v4.8-v4.10`, and the old list `v4.5,v4.6`, which means its lowest
    /// and all that follow.
    fn parse(text: &str) -> Option<Self> {
        let minor = |it: &str| -> Option<Minor> {
            let it = it.trim();
            let (major, minor) = it.strip_prefix('v').unwrap_or(it).split_once('.')?;
            Some(Minor { major: major.parse().ok()?, minor: minor.parse().ok()? })
        };
        let text = text.trim();
        if let Some(only) = text.strip_prefix('=') {
            let only = minor(only)?;
            return Some(Self { first: only, last: Some(only) });
        }
        if let Some((first, last)) = text.split_once('-') {
            return Some(Self { first: minor(first)?, last: Some(minor(last)?) });
        }
        let first = text.split(',').map(minor).collect::<Option<Vec<Minor>>>()?.into_iter().min()?;
        Some(Self { first, last: None })
    }

    fn contains(self, minor: Minor) -> bool {
        self.first.is_at_most(minor) && self.last.is_none_or(|last| minor.is_at_most(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minor(text: &str) -> Minor {
        Minor::of(&Version::parse_tolerant(text).unwrap())
    }

    #[test]
    fn a_plan_has_a_word_for_each_verdict() {
        for (verdict, word) in [
            (Compatibility::Blocks, "blocks"),
            (Compatibility::Excluded, "incompatible"),
            (Compatibility::Unknown, "unknown"),
            (Compatibility::NotExcluded, "not-excluded"),
            (Compatibility::Stated, "stated"),
        ] {
            assert_eq!((verdict.in_plan(), Compatibility::of_plan(word)), (word, Some(verdict)));
        }
        assert_eq!(Compatibility::of_plan("excluded"), None);
    }

    #[test]
    fn every_claim_has_its_verdict() {
        use Compatibility::{Blocks, Excluded, NotExcluded, Stated, Unknown};
        // max, versions, minKubeVersion, from, to, Classic, v1
        for (max, versions, kube, from, to, classic, v1) in [
            (&[][..], "", "", "4.16", "4.17", Unknown, Unknown),
            (&["\"4.17\""], "", "", "4.16", "4.17", Stated, Stated),
            (&["\"4.16\""], "", "", "4.16", "4.17", Blocks, Blocks),
            (&["\"4.17\""], "", "", "4.16", "4.18", Blocks, Blocks),
            (&["\"4.17.0\""], "", "", "4.16", "4.17", Stated, Blocks),
            (&["\"4.17\"", "\"4.17\""], "", "", "4.16", "4.17", Blocks, Blocks),
            (&["\"5.0\""], "", "", "4.22", "4.23", Stated, Stated),
            (&["\"4.23\""], "", "", "5.0", "5.1", Blocks, Blocks),
            (&[], "v4.8", "", "4.16", "4.17", NotExcluded, NotExcluded),
            (&[], "v4.8-v4.17", "", "4.16", "4.17", Stated, Stated),
            (&[], "v4.8-v4.16", "", "4.16", "4.17", Excluded, Excluded),
            (&[], "=v4.17", "", "4.16", "4.17", Stated, Stated),
            (&[], "=v4.16", "", "4.16", "4.17", Excluded, Excluded),
            (&[], "v4.9,v4.6", "", "4.16", "4.17", NotExcluded, NotExcluded),
            (&[], "4.18", "", "4.16", "4.17", Excluded, Excluded),
            (&[], "soon", "", "4.16", "4.17", Unknown, Unknown),
            (&[], "", "1.30.0", "4.16", "4.17", NotExcluded, NotExcluded),
            (&[], "", "1.31.0", "4.16", "4.17", Excluded, Excluded),
            (&["\"4.17\""], "", "1.31.0", "4.16", "4.17", Excluded, Excluded),
            (&["\"4.16\""], "v4.8-v4.17", "1.20.0", "4.16", "4.17", Blocks, Blocks),
        ] {
            let claims = Claims {
                max_openshift_versions: max.iter().map(|it| (*it).to_owned()).collect(),
                unreadable: None,
                openshift_versions: versions.to_owned(),
                min_kube_version: kube.to_owned(),
                lifecycle: None,
            };
            for (olm, expected) in [(Olm::Classic, classic), (Olm::V1, v1)] {
                let judgement = judge(&claims, olm, minor(from), minor(to));
                assert_eq!(judgement.verdict, expected, "{claims:?} {olm:?} {judgement:?}");
                assert!(!judgement.reason().is_empty());
            }
        }
    }
}
