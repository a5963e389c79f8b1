//! Steps in the few words that a list of them has room for.

use super::answer::{PathElement, PlanStep, StepKind};
use super::prose::subject_words;
use olmdex_base::diag::counted;
use olmdex_version::Version;

/// The version at the end of a bundle's name; the whole name if there is none.
pub(super) fn version_of(bundle: &str) -> &str {
    let after = |separator: &str| {
        let mut places = bundle.match_indices(separator).map(|(at, it)| &bundle[at + it.len()..]);
        places.find(|it| Version::parse(it).is_ok())
    };
    [".v", "-v", ".", "-"].into_iter().find_map(after).unwrap_or(bundle)
}

/// The common beginning of the names of a package's bundles.
fn stem(bundle: &str) -> &str {
    &bundle[..bundle.len() - version_of(bundle).len()]
}

/// Whether two names belong to bundles of one package, as far as names tell.
pub(super) fn is_alike(one: &str, other: &str) -> bool {
    !stem(one).is_empty() && stem(one) == stem(other)
}

fn element_words(element: &PathElement) -> String {
    match element {
        PathElement::Bundle(bundle) => version_of(bundle).to_owned(),
        PathElement::Together(bundles) => bundles.join(" + "),
    }
}

impl PlanStep {
    /// The updates that it leads over: `2.4.2 … 2.5.14`.
    fn chain(&self) -> String {
        match self.path.as_slice() {
            [] => String::new(),
            [one] => element_words(one),
            [first, last] => format!("{}, then {}", element_words(first), element_words(last)),
            [first, .., last] => format!("{} … {}", element_words(first), element_words(last)),
        }
    }

    /// How many InstallPlans it needs an approval for.
    pub(super) fn n_approvals(&self) -> usize {
        if self.approval.as_deref() != Some("Manual") {
            return 0;
        }
        match self.kind {
            StepKind::Operator | StepKind::Operators => self.path.len(),
            StepKind::Channel => self.then.len(),
            StepKind::Wait => 1,
            _ => 0,
        }
    }

    /// Whether it is about the platform.
    pub fn is_of_platform(&self) -> bool {
        matches!(
            self.kind,
            StepKind::Platform | StepKind::ChannelOfCluster | StepKind::PausePools | StepKind::ResumePools
        )
    }

    /// The step in a line, with the ends of a long chain of updates.
    pub fn short_title(&self) -> String {
        let subject = subject_words(self.subject.as_deref().unwrap_or_default());
        let title = match self.kind {
            StepKind::Wait if self.n_approvals() > 0 => return format!("Approve the waiting update of {subject}"),
            StepKind::Operator => format!("Update {subject} to {}", self.chain()),
            StepKind::Operators => format!("Update the operators of {subject} together to {}", self.chain()),
            StepKind::Extension if self.is_by_itself() => {
                format!("Update ClusterExtension {subject} to {}", self.chain())
            }
            StepKind::Extension if self.set.is_empty() => {
                format!("Wait until ClusterExtension {subject} has {}", self.chain())
            }
            StepKind::Extension => format!("Change ClusterExtension {subject}; OLM v1 updates it to {}", self.chain()),
            StepKind::Wait if !self.path.is_empty() => format!("Wait for {} in {subject}", self.chain()),
            StepKind::Wait => format!("Wait for {subject}"),
            StepKind::Mend => format!("Repair {subject}"),
            StepKind::Uninstall => format!("Uninstall {subject}"),
            _ => self.title(),
        };
        match (self.n_approvals(), self.path.len()) {
            (0, 0..=2) => title,
            (0, n) => format!("{title}, {}", counted(n as u64, "update")),
            (n, _) => format!("{title}, {}", counted(n as u64, "approval")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_is_known_by_its_version() {
        for (bundle, version) in [
            ("keda.v2.10.1", "2.10.1"),
            ("quay-operator.v3.15.0-rc.1", "3.15.0-rc.1"),
            ("3scale.v2.x.v0.11.0", "0.11.0"),
            ("till-v1.0.0", "1.0.0"),
            ("till.1.0.0", "1.0.0"),
            ("till-1.0.0", "1.0.0"),
            ("till", "till"),
            ("", ""),
            (".v", ".v"),
        ] {
            assert_eq!(version_of(bundle), version, "{bundle}");
        }
        assert!(is_alike("keda.v1.0.0", "keda.v2.0.0") && !is_alike("keda.v1.0.0", "till.v1.0.0"));
        assert!(!is_alike("keda", "till"), "a name without a version tells nothing");
    }

    #[test]
    fn a_long_chain_is_its_ends() {
        let step = |n: usize, approval: &str| PlanStep {
            subject: Some("keda/keda".to_owned()),
            approval: Some(approval.to_owned()),
            path: (1..=n).map(|it| PathElement::Bundle(format!("keda.v1.{it}.0"))).collect(),
            ..PlanStep::new(StepKind::Operator)
        };
        for (n, approval, title) in [
            (1, "Automatic", "Update keda to 1.1.0"),
            (2, "Automatic", "Update keda to 1.1.0, then 1.2.0"),
            (18, "Automatic", "Update keda to 1.1.0 … 1.18.0, 18 updates"),
            (1, "Manual", "Update keda to 1.1.0, 1 approval"),
            (18, "Manual", "Update keda to 1.1.0 … 1.18.0, 18 approvals"),
        ] {
            assert_eq!(step(n, approval).short_title(), title);
        }
    }
}
