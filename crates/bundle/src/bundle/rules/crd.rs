//! A CustomResourceDefinition by itself, as Kubernetes validates it (`docs/behaviour/authoring.md` B.7).
//!
//! Known rules: name, namespace, group, scope, names, versions, storage, the older single `version`, per-version fields
//! beside top-level ones, printer columns without name, type or path, conversion, approval of protected groups, and
//! `preserveUnknownFields`.
//!
//! This module does not check schemas and `status`, which the real validators leave out too. It also does not check
//! rare parts: labels, finalizers and owners of the object, subresources, selectable fields, JSON paths of columns,
//! certificates of webhooks.

use std::collections::BTreeSet;

use super::contents::Object;
use super::loader::CRD_V1BETA1;
use super::names::{dns1035_label, dns1123_subdomain};
use super::node::Field;
use super::problem::{At, Problem, steps};
use super::table as rules;
use olmdex_base::diag::Rule;
use olmdex_fbc::Spot;
use olmdex_text::json::{Kind, Step};
use olmdex_version::Quoted;

/// A version of a definition after defaulting.
pub(super) struct Served {
    pub(super) name: String,
    storage: bool,
}

/// A definition after defaulting.
pub(super) struct Definition<'a> {
    pub(super) file: usize,
    pub(super) node: Field<'a>,
    pub(super) is_v1beta1: bool,
    pub(super) name: String,
    pub(super) group: String,
    pub(super) kind: String,
    plural: String,
    pub(super) versions: Vec<Served>,
    /// The single version that only v1beta1 has.
    pub(super) version: String,
}

impl<'a> Definition<'a> {
    /// The definition, if the object is one of a known version.
    pub(super) fn of(object: &Object<'a>) -> Option<Self> {
        let version = object.api_version();
        let is_v1beta1 = version == CRD_V1BETA1;
        if object.kind() != "CustomResourceDefinition" || !(is_v1beta1 || version == super::loader::CRD_V1) {
            return None;
        }
        let node = Field(Some(object.value));
        let spec = node.get("spec");
        let versions = spec
            .get("versions")
            .items()
            .map(|it| Served { name: it.text_of("name"), storage: it.get("storage").is_true() });
        Some(Self {
            file: object.file,
            node,
            is_v1beta1,
            name: node.at("metadata.name").text(),
            group: spec.text_of("group"),
            kind: spec.at("names.kind").text(),
            plural: spec.at("names.plural").text(),
            versions: versions.collect(),
            version: if is_v1beta1 { spec.text_of("version") } else { String::new() },
        })
    }

    /// Whether it is named PLURAL.GROUP.
    pub(super) fn is_well_named(&self) -> bool {
        self.name.strip_prefix(&self.plural).and_then(|it| it.strip_prefix('.')) == Some(&self.group)
    }

    fn spec(&self, path: &str) -> Field<'a> {
        self.node.get("spec").at(path)
    }
}

/// The kinds of errors of Kubernetes that occur.
#[derive(Clone, Copy)]
enum Wrong<'a> {
    Required,
    Forbidden,
    /// With the value, which is a text.
    Invalid(&'a str),
    /// The value is not a text.
    InvalidValue,
    /// The value is none of those that are supported.
    Unsupported(&'a str),
}

impl Wrong<'_> {
    /// The type of the finding.
    fn kind(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Forbidden => "FieldValueForbidden",
            Self::Invalid(_) | Self::InvalidValue => "FieldValueInvalid",
            Self::Unsupported(_) => "FieldValueNotSupported",
        }
    }
}

struct Check<'a, 'f> {
    definition: &'a Definition<'a>,
    found: &'f mut Vec<Problem>,
}

impl Check<'_, '_> {
    /// `field` is the path as Kubernetes writes it, `path` that of the document.
    fn add(&mut self, rule: &'static Rule, field: &str, path: Vec<Step>, wrong: Wrong<'_>, detail: &str, help: &str) {
        let message = match wrong {
            Wrong::Required if detail.is_empty() => format!("`{field}` is missing"),
            Wrong::Required => format!("`{field}` is missing: {detail}"),
            Wrong::Forbidden => format!("`{field}` is not allowed: {detail}"),
            Wrong::Unsupported(text) => format!("`{field}` is `{text}`, which is not a {}", field_word(field)),
            Wrong::Invalid(text) => format!("`{field}` is `{text}`: {detail}"),
            Wrong::InvalidValue if field.ends_with("preserveUnknownFields") => {
                format!("`{field}` is true, which Kubernetes no longer accepts")
            }
            Wrong::InvalidValue => format!("`{field}`: {detail}"),
        };
        let message = format!("definition `{}`: {message}", self.definition.name);
        let at = At::File(self.definition.file, Spot::Path(path));
        self.found.push(Problem::new(rule, at, message, help).reported_as(wrong.kind()));
    }

    /// A field whose path in the document is the one that Kubernetes writes.
    fn plain(&mut self, rule: &'static Rule, field: &str, wrong: Wrong<'_>, detail: &str, help: &str) {
        let path = steps(&field.replace('[', ".").replace(']', ""));
        self.add(rule, field, path, wrong, detail, help);
    }
}

fn field_word(field: &str) -> &'static str {
    if field.ends_with("scope") { "scope" } else { "strategy" }
}

/// Checks a definition.
pub(super) fn check(definition: &Definition<'_>, found: &mut Vec<Problem>) {
    let mut check = Check { definition, found };
    check.metadata();
    check.group_and_scope();
    check.versions();
    check.names();
    check.columns();
    check.conversion();
    check.approval();
    check.preserve_unknown_fields();
}

impl Check<'_, '_> {
    fn metadata(&mut self) {
        let metadata = self.definition.node.get("metadata");
        let name = self.definition.name.clone();
        if name.is_empty() {
            if metadata.text_of("generateName").is_empty() {
                let detail = "name or generateName is required";
                self.plain(rules::CRD_NAME, "metadata.name", Wrong::Required, detail, "name it PLURAL.GROUP");
            }
        } else {
            let wanted = format!("{}.{}", self.definition.plural, self.definition.group);
            let mut wrong = dns1123_subdomain(&name);
            if name != wanted {
                wrong.push("must be spec.names.plural+\".\"+spec.group".to_owned());
            }
            let help = format!("name it `{wanted}`");
            for detail in wrong {
                self.plain(rules::CRD_NAME, "metadata.name", Wrong::Invalid(&name), &detail, &help);
            }
        }
        if !metadata.text_of("namespace").is_empty() {
            let help = "remove the namespace: definitions belong to the cluster";
            let detail = "not allowed on this type";
            self.plain(rules::CRD_NAMESPACE, "metadata.namespace", Wrong::Forbidden, detail, help);
        }
    }

    fn group_and_scope(&mut self) {
        let group = self.definition.group.clone();
        let (rule, field) = (rules::CRD_GROUP, "spec.group");
        let help = "write a domain that you own, for example `example.com`";
        let wrong = dns1123_subdomain(&group);
        if group.is_empty() {
            self.plain(rule, field, Wrong::Required, "", help);
        } else if !wrong.is_empty() {
            self.plain(rule, field, Wrong::Invalid(&group), &wrong.join(","), help);
        } else if !group.contains('.') {
            self.plain(rule, field, Wrong::Invalid(&group), "should be a domain with at least one dot", help);
        }
        let scope = self.definition.spec("scope").text();
        let help = "write `Namespaced` or `Cluster`";
        if scope.is_empty() {
            if !self.definition.is_v1beta1 {
                self.plain(rules::CRD_SCOPE, "spec.scope", Wrong::Required, "", help);
            }
        } else if !["Cluster", "Namespaced"].contains(&scope.as_str()) {
            self.plain(rules::CRD_SCOPE, "spec.scope", Wrong::Unsupported(&scope), "", help);
        }
    }

    fn versions(&mut self) {
        let definition = self.definition;
        let help = "rename the version, for example `v1`";
        for (idx, version) in definition.versions.iter().enumerate() {
            let wrong = dns1035_label(&version.name);
            if !wrong.is_empty() {
                let field = format!("spec.versions[{idx}].name");
                let wrong_value = Wrong::Invalid(&version.name);
                self.plain(rules::CRD_VERSIONS, &field, wrong_value, &wrong.join(","), help);
            }
        }
        if definition.is_v1beta1 {
            self.both_levels();
            let items: Vec<Field<'_>> = definition.spec("versions").items().collect();
            for (field, what) in [
                (
                    "schema",
                    "per-version schemas may not all be set to identical values (top-level validation should be used instead)",
                ),
                (
                    "subresources",
                    "per-version subresources may not all be set to identical values (top-level subresources should be used instead)",
                ),
                (
                    "additionalPrinterColumns",
                    "per-version additionalPrinterColumns may not all be set to identical values (top-level additionalPrinterColumns should be used instead)",
                ),
            ] {
                let first = items.first().map(|it| it.get(field).json()).unwrap_or_default();
                let is_same = |it: &Field<'_>| it.get(field).is_set() && it.get(field).json() == first;
                if !items.is_empty() && items.iter().all(is_same) {
                    let help = "move the field from the versions to `spec`";
                    self.plain(rules::CRD_VERSIONS, "spec.versions", Wrong::InvalidValue, what, help);
                }
            }
        }
        let names: BTreeSet<&str> = definition.versions.iter().map(|it| it.name.as_str()).collect();
        if names.len() < definition.versions.len() {
            let help = "remove the repeated version, or give it another name";
            let detail = "must contain unique version names";
            self.plain(rules::CRD_VERSIONS, "spec.versions", Wrong::InvalidValue, detail, help);
        }
        let is_single = definition.versions.is_empty() && !definition.version.is_empty();
        let n_storage = definition.versions.iter().filter(|it| it.storage).count() + usize::from(is_single);
        if n_storage != 1 {
            let detail = "must have exactly one version marked as storage version";
            let help = "set `storage: true` for one version and `storage: false` for the others";
            self.plain(rules::CRD_STORAGE, "spec.versions", Wrong::InvalidValue, detail, help);
        }
        if !definition.version.is_empty() {
            let version = definition.version.clone();
            let wrong = dns1035_label(&version);
            if !wrong.is_empty() {
                self.plain(rules::CRD_VERSIONS, "spec.version", Wrong::Invalid(&version), &wrong.join(","), help);
            }
            if definition.versions.first().is_some_and(|it| it.name != version) {
                let detail = "must match the first version in spec.versions";
                let help = "remove `spec.version`, or list that version first";
                self.plain(rules::CRD_VERSIONS, "spec.version", Wrong::Invalid(&version), detail, help);
            }
        }
    }

    /// Fields that v1beta1 has at the top or in each version, but not in both.
    fn both_levels(&mut self) {
        let definition = self.definition;
        for (top, inner, what) in [
            ("validation", "schema", "top-level and per-version schemas are mutually exclusive"),
            ("subresources", "subresources", "top-level and per-version subresources are mutually exclusive"),
            (
                "additionalPrinterColumns",
                "additionalPrinterColumns",
                "top-level and per-version additionalPrinterColumns are mutually exclusive",
            ),
        ] {
            let is_inner = definition.spec("versions").items().any(|it| it.get(inner).is_set());
            if is_inner && definition.spec(top).is_set() {
                let help = "keep the field in one of the two places";
                self.plain(rules::CRD_VERSIONS, &format!("spec.{top}"), Wrong::Forbidden, what, help);
            }
        }
    }

    fn names(&mut self) {
        let definition = self.definition;
        let kind = definition.kind.clone();
        let or = |text: String, default: String| if text.is_empty() { default } else { text };
        let singular = or(definition.spec("names.singular").text(), kind.to_lowercase());
        let list_kind = if kind.is_empty() { String::new() } else { format!("{kind}List") };
        let list_kind = or(definition.spec("names.listKind").text(), list_kind);
        let plural = definition.plural.clone();
        let help = "use lower-case letters, digits and `-`";
        for (field, text, is_lower) in [
            ("plural", &plural, true),
            ("singular", &singular, true),
            ("kind", &kind, false),
            ("listKind", &list_kind, false),
        ] {
            let path = format!("spec.names.{field}");
            if text.is_empty() {
                self.plain(rules::CRD_NAMES, &path, Wrong::Required, "", "give the name");
                continue;
            }
            let wrong = if is_lower { dns1035_label(text) } else { dns1035_label(&text.to_lowercase()) };
            let detail = match is_lower {
                true => wrong.join(","),
                false => format!("may have mixed case, but should otherwise match: {}", wrong.join(",")),
            };
            if !wrong.is_empty() {
                self.plain(rules::CRD_NAMES, &path, Wrong::Invalid(text), &detail, help);
            }
        }
        for (list, node) in [("shortNames", "names.shortNames"), ("categories", "names.categories")] {
            for (idx, text) in definition.spec(node).texts().iter().enumerate() {
                let wrong = dns1035_label(text);
                if !wrong.is_empty() {
                    let field = format!("spec.names.{list}[{idx}]");
                    self.plain(rules::CRD_NAMES, &field, Wrong::Invalid(text), &wrong.join(","), help);
                }
            }
        }
        if !kind.is_empty() && kind == list_kind {
            let detail = "kind and listKind may not be the same";
            let help = "name the list, for example, `ThingList`";
            self.plain(rules::CRD_NAMES, "spec.names.listKind", Wrong::Invalid(&list_kind), detail, help);
        }
    }

    fn columns(&mut self) {
        let definition = self.definition;
        let mut lists = vec![("spec.additionalPrinterColumns".to_owned(), definition.spec("additionalPrinterColumns"))];
        let versions = definition.spec("versions").items().enumerate();
        lists.extend(versions.map(|(idx, it)| {
            (format!("spec.versions[{idx}].additionalPrinterColumns"), it.get("additionalPrinterColumns"))
        }));
        let (types, formats) = (
            ["boolean", "date", "integer", "number", "string"],
            ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"],
        );
        for (path, list) in lists {
            for (idx, column) in list.items().enumerate() {
                let field = |name: &str| format!("{path}[{idx}].{name}");
                if column.text_of("name").is_empty() {
                    self.plain(rules::CRD_COLUMN, &field("name"), Wrong::Required, "", "name the column");
                }
                let text = column.text_of("type");
                let one_of = format!("must be one of {}", types.join(","));
                let help = "use one of these types";
                if text.is_empty() {
                    self.plain(rules::CRD_COLUMN, &field("type"), Wrong::Required, &one_of, help);
                } else if !types.contains(&text.as_str()) {
                    self.plain(rules::CRD_COLUMN, &field("type"), Wrong::Invalid(&text), &one_of, help);
                }
                let text = column.text_of("format");
                if !text.is_empty() && !formats.contains(&text.as_str()) {
                    let one_of = format!("must be one of {}", formats.join(","));
                    let help = "use one of these formats";
                    self.plain(rules::CRD_COLUMN, &field("format"), Wrong::Invalid(&text), &one_of, help);
                }
                if column.text_of("jsonPath").is_empty() {
                    let help = "give the path of the value, for example `.status.phase`";
                    self.plain(rules::CRD_COLUMN, &field("JSONPath"), Wrong::Required, "", help);
                }
            }
        }
    }

    fn conversion(&mut self) {
        let definition = self.definition;
        let conversion = definition.spec("conversion");
        let strategy = match conversion.text_of("strategy") {
            it if it.is_empty() => "None".to_owned(),
            it => it,
        };
        let preserves = definition.spec("preserveUnknownFields");
        if strategy != "None" && (preserves.is_true() || definition.is_v1beta1 && !preserves.is_set()) {
            let detail = "must be None if spec.preserveUnknownFields is true";
            let help = "set `preserveUnknownFields: false`";
            self.plain(rules::CRD_CONVERSION, "spec.conversion.strategy", Wrong::Invalid(&strategy), detail, help);
        }
        if !["None", "Webhook"].contains(&strategy.as_str()) {
            let wrong = Wrong::Unsupported(&strategy);
            self.plain(rules::CRD_CONVERSION, "spec.conversion.strategy", wrong, "", "write `None` or `Webhook`");
        }
        let (client, versions) = match definition.is_v1beta1 {
            true => (conversion.get("webhookClientConfig"), conversion.get("conversionReviewVersions")),
            false => (conversion.at("webhook.clientConfig"), conversion.at("webhook.conversionReviewVersions")),
        };
        let (client_field, versions_field) =
            ("spec.conversion.webhookClientConfig", "spec.conversion.conversionReviewVersions");
        let rule = rules::CRD_CONVERSION;
        if strategy != "Webhook" {
            let detail = "should not be set when strategy is not set to Webhook";
            for (is_set, field) in [(client.is_set(), client_field), (versions.n_items() > 0, versions_field)] {
                if is_set {
                    self.plain(rule, field, Wrong::Forbidden, detail, "set `strategy: Webhook`, or remove the webhook");
                }
            }
            return;
        }
        let help = "name the Service or the URL of the webhook";
        if !client.is_set() {
            self.plain(rule, client_field, Wrong::Required, "required when strategy is set to Webhook", help);
        } else if client.get("url").is_set() == client.get("service").is_set() {
            self.plain(rule, client_field, Wrong::Required, "exactly one of url or service is required", help);
        } else if client.get("service").is_set() {
            for (key, detail) in [("name", "service name is required"), ("namespace", "service namespace is required")]
            {
                if client.get("service").text_of(key).is_empty() {
                    self.plain(rule, &format!("{client_field}.service.{key}"), Wrong::Required, detail, help);
                }
            }
        }
        let texts = versions.texts();
        if texts.is_empty() && !definition.is_v1beta1 {
            let help = "list the versions of ConversionReview that the webhook understands: `[v1]`";
            self.plain(rule, versions_field, Wrong::Required, "", help);
        } else if !texts.is_empty() && !texts.iter().any(|it| it == "v1" || it == "v1beta1") {
            let detail = "must include at least one of v1, v1beta1";
            self.plain(rule, versions_field, Wrong::InvalidValue, detail, "add `v1`");
        }
    }

    fn approval(&mut self) {
        let group = &self.definition.group;
        let is_of = |domain: &str| group == domain || group.ends_with(&format!(".{domain}"));
        if !is_of("k8s.io") && !is_of("kubernetes.io") {
            return;
        }
        let key = "api-approved.kubernetes.io";
        let text = self.definition.node.at("metadata.annotations").exact(key).text();
        let (field, path) =
            (format!("metadata.annotations[{key}]"), vec!["metadata".into(), "annotations".into(), key.into()]);
        let begin = format!("protected groups must have approval annotation {}", Quoted(key));
        let see = "see https://github.com/kubernetes/enhancements/pull/1111";
        let help = "use your own group; groups of Kubernetes need the URL of an approval";
        let rule = rules::CRD_APPROVAL;
        if text.is_empty() {
            self.add(rule, &field, path, Wrong::Required, &format!("{begin}, {see}"), help);
        } else if !(text.starts_with("unapproved") || text.contains("://") || text.starts_with('/')) {
            let detail = format!("{begin} with either a URL or a reason starting with \"unapproved\", {see}");
            self.add(rule, &field, path, Wrong::Invalid(&text), &detail, help);
        }
    }

    fn preserve_unknown_fields(&mut self) {
        let field = self.definition.spec("preserveUnknownFields");
        let is_default = self.definition.is_v1beta1 && field.kind() == Kind::Null;
        if field.is_true() || is_default {
            let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
            let help = match is_default {
                true => {
                    "move the definition to `apiextensions.k8s.io/v1`: Kubernetes 1.22 and later do not serve v1beta1"
                }
                false => {
                    "remove the field, and set `x-kubernetes-preserve-unknown-fields: true` in the schema where it is needed"
                }
            };
            self.plain(rules::CRD_PRESERVES, "spec.preserveUnknownFields", Wrong::InvalidValue, detail, help);
        }
    }
}
