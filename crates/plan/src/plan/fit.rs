//! Whether a bundle may stay at a version of OpenShift: the rules that the cluster enforces come first, then the
//! lifecycle, then the claims of the bundle.

use super::catalogs::Catalogs;
use super::code::Code;
use super::operator::Operator;
use super::question::PlanQuestion;
use olmdex_constraint::openshift::{MAX_OPENSHIFT_VERSION, Minor, highest_classic, highest_v1};
use olmdex_index::IndexError;
use olmdex_olm::upgrade::Olm;
use olmdex_olm::upgrade::compat::{Claims, Compatibility, Signal, judge};
use olmdex_rules::openshift::{Lifecycle, Support};

/// The highest version that a bundle states, or the reason why it cannot be read.
pub(super) struct Highest {
    pub(super) code: Code,
    pub(super) value: String,
    /// The text, in OLM's words.
    pub(super) text: String,
}

/// Judges bundles of an operator.
pub(super) struct Judge<'q> {
    question: &'q PlanQuestion<'q>,
    catalogs: &'q Catalogs<'q>,
    path: &'q [Minor],
    operator: &'q Operator,
    lifecycle: Option<&'q Lifecycle>,
}

impl<'q> Judge<'q> {
    pub(super) fn new(
        question: &'q PlanQuestion<'q>,
        catalogs: &'q Catalogs<'q>,
        path: &'q [Minor],
        operator: &'q Operator,
    ) -> Self {
        let lifecycle = question.lifecycles.iter().find(|it| it.package == operator.package);
        Self { question, catalogs, path, operator, lifecycle }
    }

    /// The claims of a bundle. The cluster has those of an installed bundle; for another bundle they come from the
    /// first catalog on the way that holds it.
    pub(super) fn claims(&self, bundle: &str) -> Result<Claims, IndexError> {
        let mut claims = Claims::default();
        for minor in self.path {
            let view = self.catalogs.view(self.operator, *minor)?;
            let mut bundles = view.iter().flat_map(|it| &it.graphs).flat_map(|it| &it.bundles);
            if let Some(found) = bundles.find(|it| it.name == bundle) {
                claims = Claims::from(found);
                break;
            }
        }
        if bundle == self.operator.installed {
            match &self.operator.own_max {
                Some(Ok(values)) => claims.max_openshift_versions.clone_from(values),
                Some(Err(error)) => claims.unreadable = Some(error.clone()),
                None => {}
            }
            if !self.operator.min_kube_version.is_empty() {
                claims.min_kube_version.clone_from(&self.operator.min_kube_version);
            }
        }
        Ok(claims)
    }

    /// The compatibility of a bundle with a version, and the evidence.
    pub(super) fn fit(&self, bundle: &str, version: &str, at: Minor) -> Result<(Compatibility, String), IndexError> {
        let listed = self.lifecycle.and_then(|it| it.version(version)?.openshift());
        let claims = self.claims(bundle)?;
        let claims = Claims { lifecycle: listed.map(<[String]>::to_vec).or(claims.lifecycle.clone()), ..claims };
        let before = self.path.iter().take_while(|it| **it != at).last().copied().unwrap_or(at);
        let judgement = judge(&claims, self.operator.olm, before, at);
        Ok(match judgement.verdict {
            // The author wrote an open lower bound before the version existed; without its catalog there is no other
            // sign of support.
            Compatibility::NotExcluded if !self.has_catalog(at) => {
                (Compatibility::Unknown, format!("{}; the catalog of {at} is not given", judgement.reason()))
            }
            verdict => (verdict, judgement.reason()),
        })
    }

    fn has_catalog(&self, at: Minor) -> bool {
        !self.catalogs.names(&self.operator.families, at).is_empty()
    }

    /// Why a bundle blocks.
    pub(super) fn highest(&self, bundle: &str) -> Result<Highest, IndexError> {
        let claims = self.claims(bundle)?;
        let name = match &self.operator.namespace {
            Some(namespace) => format!("{namespace}/{bundle}"),
            None => format!("bundle \"{bundle}\" for ClusterExtension \"{}\"", self.operator.name),
        };
        let read = match (&claims.unreadable, self.operator.olm) {
            (Some(error), _) => Err(error.clone()),
            (None, Olm::Classic) => highest_classic(&claims.max_openshift_versions),
            (None, Olm::V1) => highest_v1(&claims.max_openshift_versions),
        };
        Ok(match read {
            Ok(highest) => {
                let value = highest.map(|it| it.to_string()).unwrap_or_default();
                let text = format!("maximum supported OCP version for {name} is {value}");
                Highest { code: Code::MaxOpenShiftVersion, value, text }
            }
            Err(error) => Highest {
                code: Code::InvalidMaxVersion,
                value: claims.max_openshift_versions.join(", "),
                text: format!("{name} has invalid {MAX_OPENSHIFT_VERSION} properties: {error}"),
            },
        })
    }

    /// The support of a version on the day of the plan.
    pub(super) fn support(&self, version: &str) -> Support {
        self.lifecycle.map_or_else(Support::no_data, |it| it.support(version, self.question.day))
    }

    /// Whether the bundle's claim about Kubernetes keeps it from a version of OpenShift.
    pub(super) fn needs_kubernetes(&self, bundle: &str, at: Minor) -> Result<Option<String>, IndexError> {
        let judgement = judge(&self.claims(bundle)?, self.operator.olm, at, at);
        let mut evidence = judgement.evidence.into_iter();
        let found = evidence.find(|it| it.signal == Signal::MinKubeVersion && it.verdict == Compatibility::Excluded);
        Ok(found.map(|it| it.reason))
    }
}
