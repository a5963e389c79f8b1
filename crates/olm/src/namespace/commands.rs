//! The commands that change objects of a cluster.
//!
//! Names come from a cluster, so each is checked before it is written: a name that Kubernetes accepts needs no quotes,
//! and any other text gets no command.

use crate::resolve::Edit;
use olmdex_text::encoding::shell::word;
use olmdex_text::json::Tree;

/// The resource of Subscriptions, by a name that no other API group has.
pub const SUBSCRIPTIONS: &str = "subscriptions.operators.coreos.com";

/// A name that means the same to a shell and to Kubernetes; `None` for any other text.
pub fn plain_name(text: &str) -> Option<&str> {
    let is_plain = !text.is_empty()
        && !text.starts_with('-')
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'-' | b'_' | b'+'));
    is_plain.then_some(text)
}

/// The words of a command that gives one field of an object a value.
pub fn merge_patch(path: &[&str], value: impl Into<Tree>) -> String {
    let patch = path.iter().rev().fold(value.into(), |value, key| Tree::object().with(key, value));
    format!("--type merge -p {}", word(&patch.compact()))
}

/// Writes commands for one namespace. A command with a name that is not plain is left out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Commands<'n>(pub(super) &'n str);

impl Commands<'_> {
    fn command(&self, verb: &str, resource: &str, name: &str, more: &str) -> Vec<String> {
        let words = || {
            let (namespace, name) = (plain_name(self.0)?, plain_name(name)?);
            let more = if more.is_empty() { String::new() } else { format!(" {more}") };
            Some(format!("oc -n {namespace} {verb} {resource} {name}{more}"))
        };
        words().into_iter().collect()
    }

    /// A command about an object of the cluster, such as a definition.
    pub(super) fn of_cluster(&self, verb: &str, resource: &str, name: &str) -> Vec<String> {
        let more = if verb == "get" { " -o yaml" } else { "" };
        plain_name(name).map(|name| format!("oc {verb} {resource} {name}{more}")).into_iter().collect()
    }

    pub(super) fn delete(&self, resource: &str, name: &str) -> Vec<String> {
        self.command("delete", resource, name, "")
    }

    pub(super) fn get(&self, resource: &str, name: &str) -> Vec<String> {
        self.command("get", resource, name, "-o yaml")
    }

    pub(super) fn describe(&self, resource: &str, name: &str) -> Vec<String> {
        self.command("describe", resource, name, "")
    }

    /// Lists objects; a selector of labels may be empty.
    pub(super) fn list(&self, resource: &str, selector: &str) -> Vec<String> {
        let namespace = plain_name(self.0);
        let label = if selector.is_empty() { String::new() } else { format!(" -l {}", word(selector)) };
        namespace.map(|namespace| format!("oc -n {namespace} get {resource}{label}")).into_iter().collect()
    }

    pub(super) fn approve(&self, install_plan: &str) -> Vec<String> {
        self.command("patch", "installplan", install_plan, &merge_patch(&["spec", "approved"], true))
    }

    /// The commands that change objects as a repair does.
    pub(super) fn of_edit(&self, edit: &Edit) -> Vec<String> {
        let set = |subscription: &str, spec: Tree| {
            self.command("patch", SUBSCRIPTIONS, subscription, &merge_patch(&["spec"], spec))
        };
        match edit {
            Edit::ForgetStart { subscription } => {
                set(subscription, Tree::object().with("startingCSV", Tree::Raw("null".to_owned())))
            }
            Edit::Follow { subscription, channel, source } => {
                let spec = Tree::object().with("channel", channel);
                let source = source.as_ref();
                let spec = spec.with_some("source", source.map(|it| &it.0));
                set(subscription, spec.with_some("sourceNamespace", source.map(|it| &it.1)))
            }
            Edit::Delete { subscription, csv } => {
                let subscription = subscription.iter().flat_map(|name| self.delete(SUBSCRIPTIONS, name));
                subscription.chain(csv.iter().flat_map(|name| self.delete("csv", name))).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_get_into_commands() {
        for text in ["", "a b", "$(x)", "a;b", "-f", "ä", "a\nb", "'"] {
            assert_eq!(plain_name(text), None, "{text:?}");
            assert_eq!(Commands("till").approve(text), [""; 0], "{text:?}");
            assert_eq!(Commands(text).approve("till"), [""; 0], "{text:?}");
        }
        assert_eq!(plain_name("till.v1.0.0"), Some("till.v1.0.0"));
    }
}
