//! Whether the operators to install suit the cluster. OLM does not ask when it resolves: an operator that needs a newer
//! Kubernetes is chosen, and its ClusterServiceVersion then stays in `Pending`.

use super::resolution::Operator;
use crate::upgrade::compat::{Claims, is_published_for};
use olmdex_constraint::openshift::Minor;
use olmdex_text::json;
use olmdex_version::Version;

/// The property by which authors name the least version of Kubernetes. OLM does not read it.
const KUBE_VERSION: &str = "olm.kubeversion";

/// The known facts about a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClusterFacts {
    /// Its version of Kubernetes.
    pub kubernetes: Option<Minor>,
    /// Its version of OpenShift.
    pub openshift: Option<Minor>,
}

impl ClusterFacts {
    fn kubernetes(&self) -> Option<Minor> {
        self.kubernetes.or_else(|| Some(self.openshift?.kubernetes()))
    }

    /// The claims of an operator that do not suit the cluster, in words; `claims` are those of its bundle.
    pub fn misfits(&self, operator: &Operator, claims: &Claims) -> Vec<String> {
        let mut misfits = Vec::new();
        let name = &operator.name;
        if let Some(kubernetes) = self.kubernetes() {
            let needs_more = |least: &str| Version::parse_tolerant(least).is_ok_and(|it| Minor::of(&it) > kubernetes);
            let least = &claims.min_kube_version;
            if needs_more(least) {
                misfits.push(format!(
                    "{name} needs Kubernetes {least} (minKubeVersion), but the cluster has {kubernetes}: OLM installs \
                    it, and it stays in Pending"
                ));
            }
            let declared = operator.properties.iter().filter(|it| &*it.kind == KUBE_VERSION);
            for least in declared.filter_map(|it| kube_version(&it.value)).filter(|it| needs_more(it)) {
                misfits.push(format!(
                    "{name} declares Kubernetes {least} ({KUBE_VERSION}), and the cluster has {kubernetes}: OLM does not \
                     read this property"
                ));
            }
        }
        if let Some(openshift) = self.openshift
            && is_published_for(&claims.openshift_versions, openshift) == Some(false)
        {
            let versions = &claims.openshift_versions;
            misfits.push(format!("{name} is published for OpenShift {versions}, but the cluster has {openshift}"));
        }
        misfits
    }
}

/// `version` of the value of an `olm.kubeversion` property, or the value where it is a text.
fn kube_version(value: &str) -> Option<String> {
    let mut reader = json::Reader::new();
    let value = reader.read(value).ok()?;
    let text = value.as_str().or_else(|| value.get_field("version")?.as_str())?;
    Some(text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use olmdex_fbc::Property;

    #[test]
    fn what_does_not_suit_the_cluster_is_said() {
        let minor = |major: u64, minor: u64| Some(Minor { major, minor });
        for (facts, least, declared, openshift, expected) in [
            ((None, None), "1.99.0", "", "v4.99", ""),
            ((minor(1, 27), None), "1.28.0", "", "", "minKubeVersion"),
            ((minor(1, 28), None), "1.28.7", "", "", ""),
            ((minor(1, 27), None), "x", "", "", ""),
            ((minor(1, 27), None), "", r#"{"version": "1.28.0"}"#, "", "olm.kubeversion"),
            ((minor(1, 27), None), "", r#""1.28""#, "", "olm.kubeversion"),
            ((minor(1, 27), None), "", "[1]", "", ""),
            ((None, minor(4, 12)), "1.26.0", "", "", "minKubeVersion"),
            ((None, minor(4, 12)), "1.25.0", "", "v4.9-v4.11", "published for OpenShift v4.9-v4.11"),
            ((None, minor(4, 12)), "", "", "v4.9", ""),
            // A stated version of Kubernetes counts more than the one that follows from OpenShift.
            ((minor(1, 30), minor(4, 12)), "1.26.0", "", "", ""),
        ] {
            let facts = ClusterFacts { kubernetes: facts.0, openshift: facts.1 };
            let properties = if declared.is_empty() { Vec::new() } else { vec![Property::new(KUBE_VERSION, declared)] };
            let operator = Operator { name: "a.v1".to_owned(), properties, ..Operator::default() };
            let claims = Claims {
                min_kube_version: least.to_owned(),
                openshift_versions: openshift.to_owned(),
                ..Claims::default()
            };
            let found = facts.misfits(&operator, &claims);
            assert_eq!(found.len(), usize::from(!expected.is_empty()), "{least} {declared} {openshift}: {found:?}");
            assert!(found.concat().contains(expected), "{found:?}");
        }
    }
}
