//! The common parts of all objects: kind, names, annotations, conditions; and a way to the values below.

use std::collections::BTreeMap;

use olmdex_base::diag::Place;
use olmdex_text::json::Value;

/// An object, and its place.
pub(super) struct Object<'d> {
    pub(super) value: Value<'d>,
    pub(super) place: Place,
}

impl<'d> Object<'d> {
    /// The value at a path of keys.
    pub(super) fn at(&self, path: &[&str]) -> Option<Value<'d>> {
        path.iter().try_fold(self.value, |value, key| value.get(key))
    }

    /// The text at a path; empty if there is none.
    pub(super) fn text(&self, path: &[&str]) -> String {
        self.at(path).and_then(|it| it.as_str()).unwrap_or_default().into_owned()
    }

    /// The items of the list at a path.
    pub(super) fn items(&self, path: &[&str]) -> Vec<Value<'d>> {
        self.at(path).map(|it| it.items().collect()).unwrap_or_default()
    }

    /// The group of its `apiVersion`.
    pub(super) fn group(&self) -> String {
        let version = self.text(&["apiVersion"]);
        version.split_once('/').map(|it| it.0.to_owned()).unwrap_or_default()
    }

    pub(super) fn kind(&self) -> String {
        self.text(&["kind"])
    }

    pub(super) fn name(&self) -> String {
        self.text(&["metadata", "name"])
    }

    pub(super) fn namespace(&self) -> String {
        self.text(&["metadata", "namespace"])
    }

    pub(super) fn annotation(&self, name: &str) -> Option<String> {
        Some(self.at(&["metadata", "annotations", name])?.as_str()?.into_owned())
    }

    /// The labels whose values are texts.
    pub(super) fn labels(&self) -> BTreeMap<String, String> {
        let labels = self.at(&["metadata", "labels"]).into_iter().flat_map(|it| it.members());
        labels.filter_map(|(key, value)| Some((key.as_str()?.into_owned(), value.as_str()?.into_owned()))).collect()
    }

    pub(super) fn label(&self, name: &str) -> Option<String> {
        Some(self.at(&["metadata", "labels", name])?.as_str()?.into_owned())
    }

    /// The value at a path as compact JSON; `None` if there is none, or it is null.
    pub(super) fn json(&self, path: &[&str]) -> Option<String> {
        Some(self.at(path).filter(|it| !it.is_null())?.compact())
    }

    pub(super) fn has_label(&self, name: &str) -> bool {
        self.at(&["metadata", "labels", name]).is_some()
    }
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Condition {
    /// Its type.
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// Its reason, or empty.
    pub reason: String,
    /// Its message, or empty.
    pub message: String,
    /// When it became so, as in `2026-01-31T12:00:00Z`, or empty.
    pub since: String,
}

/// When a condition last changed: OLM Classic's InstallPlans and Kubernetes name the time alike.
fn time_of(condition: Value<'_>) -> String {
    let times = ["lastTransitionTime", "lastUpdateTime"].map(|key| condition.text_of(key));
    times.into_iter().find(|time| !time.is_empty()).unwrap_or_default()
}

impl Condition {
    pub(super) fn read(value: Value<'_>) -> Self {
        Self {
            kind: value.text_of("type"),
            status: value.text_of("status"),
            reason: value.text_of("reason"),
            message: value.text_of("message"),
            since: time_of(value),
        }
    }

    pub(super) fn all(object: &Object<'_>, path: &[&str]) -> Vec<Self> {
        object.items(path).into_iter().map(Self::read).collect()
    }

    /// The condition of a type.
    pub fn find<'c>(conditions: &'c [Self], kind: &str) -> Option<&'c Self> {
        conditions.iter().find(|it| it.kind == kind)
    }

    /// Whether a condition has a status.
    pub fn is(conditions: &[Self], kind: &str, status: &str) -> bool {
        Self::find(conditions, kind).is_some_and(|it| it.status == status)
    }
}
