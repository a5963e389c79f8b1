//! The schemas of `ci.yaml` and `release-config.yaml` (`docs/behaviour/authoring.md` A.6), in the part of JSON Schema
//! that they use.

use olmdex_base::diag::Listed;
use olmdex_text::json::{Kind, Step, Value};

/// The form that a value must have.
pub(super) enum Form {
    Text,
    Flag,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// A list: the form of its items, whether it may be empty, and whether items may repeat.
    List(&'static Form, bool, bool),
    /// An object: its fields, those that it must have, whether it may have others.
    Object(&'static [(&'static str, Form)], &'static [&'static str], bool),
}

impl Form {
    /// Whether it is that of objects with this field.
    pub(super) fn has_key(&self, key: &str) -> bool {
        matches!(self, Self::Object(fields, ..) if fields.iter().any(|(name, _)| *name == key))
    }
}

const TEXTS: Form = Form::List(&Form::Text, false, false);

/// The schema of `ci.yaml`.
pub(super) const CI: Form = Form::Object(
    &[
        ("updateGraph", Form::OneOf(&["replaces-mode", "semver-mode"])),
        ("reviewers", Form::List(&Form::Text, false, true)),
        ("merge", Form::Flag),
        ("cert_project_id", Form::Text),
        (
            "fbc",
            Form::Object(
                &[
                    ("enabled", Form::Flag),
                    ("version_promotion_strategy", Form::OneOf(&["review-needed", "always", "never"])),
                    (
                        "catalog_mapping",
                        Form::List(
                            &Form::Object(
                                &[
                                    ("template_name", Form::Text),
                                    ("catalog_names", TEXTS),
                                    ("type", Form::OneOf(&["olm.template.basic", "olm.semver"])),
                                ],
                                &["template_name", "type", "catalog_names"],
                                true,
                            ),
                            true,
                            true,
                        ),
                    ),
                ],
                &[],
                false,
            ),
        ),
    ],
    &[],
    true,
);

/// The schema of `release-config.yaml`.
pub(super) const RELEASE: Form = Form::Object(
    &[
        ("merge", Form::Flag),
        (
            "catalog_templates",
            Form::List(
                &Form::Object(
                    &[
                        ("template_name", Form::Text),
                        ("channels", TEXTS),
                        ("defaultChannel", Form::Text),
                        ("replaces", Form::Text),
                        ("skips", TEXTS),
                        ("skipRange", Form::Text),
                    ],
                    &["template_name", "channels"],
                    true,
                ),
                false,
                false,
            ),
        ),
    ],
    &["catalog_templates"],
    false,
);

/// A value that does not have its form, and its place.
pub(super) struct Misfit {
    pub(super) path: Vec<Step>,
    pub(super) message: String,
}

/// All values that do not have their form. The recursion is as deep as the form.
pub(super) fn misfits(form: &Form, value: Value<'_>, path: &mut Vec<Step>, found: &mut Vec<Misfit>) {
    let mut add = |path: &[Step], message: String| found.push(Misfit { path: path.to_vec(), message });
    let shown = || match path.iter().rev().find_map(|it| if let Step::Key(key) = it { Some(key) } else { None }) {
        Some(key) => format!("`{key}`"),
        None => "the file".to_owned(),
    };
    let wrong = |wanted: &str| format!("{} must be {wanted}, found {}", shown(), value.kind().words());
    match form {
        Form::Text if value.as_str().is_none() => add(path, wrong("a text")),
        Form::Flag if value.as_bool().is_none() => add(path, wrong("true or false")),
        Form::Text | Form::Flag => {}
        Form::OneOf(words) => {
            if value.as_str().is_none() {
                add(path, wrong("a text"));
            }
            if !value.as_str().is_some_and(|it| words.contains(&&*it)) {
                add(path, format!("{} must be one of {}", shown(), words.join(", ")));
            }
        }
        Form::List(of, may_be_empty, may_repeat) => {
            if value.kind() != Kind::Array {
                add(path, wrong("a list"));
                return;
            }
            let mut items: Vec<String> = value.items().map(|item| item.compact()).collect();
            if items.is_empty() && !may_be_empty {
                add(path, format!("{} is empty", shown()));
            }
            items.sort();
            if !may_repeat && items.windows(2).any(|it| it[0] == it[1]) {
                add(path, format!("{} has a duplicate item", shown()));
            }
            for (number, item) in value.items().enumerate() {
                path.push(number.into());
                misfits(of, item, path, found);
                path.pop();
            }
        }
        Form::Object(fields, required, is_open) => {
            if value.kind() != Kind::Object {
                add(path, wrong("an object"));
                return;
            }
            let others = if *is_open { Vec::new() } else { unknown_keys(value, fields) };
            if !others.is_empty() {
                let at = [path.as_slice(), &[Step::Key(others[0].clone())]].concat();
                add(&at, format!("{} has no field {}", shown(), Listed::quoted(others)));
            }
            for key in required.iter().filter(|key| value.get(key).is_none()) {
                add(path, format!("{} has no `{key}`", shown()));
            }
            for (key, form) in *fields {
                if let Some(member) = value.get(key) {
                    path.push(Step::Key((*key).to_owned()));
                    misfits(form, member, path, found);
                    path.pop();
                }
            }
        }
    }
}

fn unknown_keys(value: Value<'_>, fields: &[(&str, Form)]) -> Vec<String> {
    let keys = value.members().filter_map(|(key, _)| key.as_str());
    keys.filter(|key| !fields.iter().any(|it| it.0 == key)).map(|it| it.into_owned()).collect()
}
