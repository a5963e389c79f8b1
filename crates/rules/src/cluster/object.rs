//! The common parts of all objects: kind, names, annotations; and a way to the values below.

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
