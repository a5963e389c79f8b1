//! An explanation in the making, and the cutting of messages and commands.

use super::explanation::MessageExplanation;
use olmdex_text::encoding::shell::word;

pub(super) const CLASSIC: &str = "OLM Classic";
pub(super) const V1: &str = "OLM v1";

pub(super) const CSVS: &str = "kubectl get clusterserviceversions -A";
pub(super) const GROUPS: &str = "kubectl get operatorgroups -A -o yaml";
pub(super) const SOURCES: &str = "kubectl get catalogsources -A";
pub(super) const PLANS: &str = "kubectl get installplans -A";
pub(super) const MARKETPLACE_PODS: &str = "kubectl get pods -n openshift-marketplace";
/// The command that shows the conditions of ClusterExtensions.
pub(super) const EXTENSIONS: &str = "kubectl get clusterextensions -o yaml";
/// The command that resolves a namespace offline.
pub(super) const RESOLVE: &str = "olmdex resolve --cluster CLUSTER.yaml -i CATALOG=SOURCE";

/// A command of words, each of which is quoted to stay one word.
pub(super) fn command<const N: usize>(words: [&str; N]) -> String {
    words.map(word).join(" ")
}

/// The text between `before` and `after`; the rest if `after` is empty.
pub(super) fn between<'m>(message: &'m str, before: &str, after: &str) -> Option<&'m str> {
    let rest = &message[message.find(before)? + before.len()..];
    if after.is_empty() { Some(rest) } else { rest.split(after).next() }
}

/// The text after each occurrence of `before`, up to `after`.
pub(super) fn each<'m>(message: &'m str, before: &str, after: &str) -> Vec<&'m str> {
    message.split(before).skip(1).filter_map(|it| it.split(after).next()).collect()
}

/// A decoder's answer in the making.
pub(super) struct Made(pub(super) MessageExplanation);

impl Made {
    pub(super) fn new(system: &str, meaning: impl Into<String>) -> Self {
        Self(MessageExplanation { system: system.to_owned(), meaning: meaning.into(), ..MessageExplanation::default() })
    }

    pub(super) fn about(mut self, names: &[&str]) -> Self {
        for name in names.iter().filter(|it| !it.is_empty()) {
            if !self.0.culprits.iter().any(|it| it == name) {
                self.0.culprits.push((*name).to_owned());
            }
        }
        self
    }

    pub(super) fn next(mut self, command: impl Into<String>) -> Self {
        let command = command.into();
        if !self.0.next.contains(&command) {
            self.0.next.push(command);
        }
        self
    }

    pub(super) fn done(self) -> Option<MessageExplanation> {
        Some(self.0)
    }
}
