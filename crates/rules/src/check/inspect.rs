//! Checks of one document by itself.

use std::collections::HashSet;

use super::facts::{ChannelFacts, Draft, Facts, Inspected, LifecycleFacts, OpmLine, PackageFacts, Phase};
use super::{property, rules};
use crate::openshift::{self, Lifecycle};
use olmdex_base::diag::{Finding, Rule, may_have};
use olmdex_fbc::{
    Blob, Channel, Defect, DefectKind, Document, Entry, Failure, Package, PropertyView, Spot, Syntax, Typed,
};
use olmdex_text::json::{Step, Value};
use olmdex_text::yaml::is_utf16;
use olmdex_version::Quoted;
use olmdex_version::blang::{HOW_TO_WRITE_A_RANGE, Range};

/// Looks at one document by itself: its facts, and the findings that do not depend on the rest of the catalog.
pub fn inspect(document: &Document<'_>) -> Inspected {
    let mut inspector = Inspector { drafts: Vec::new() };
    if let Some(line) = document.unread_from {
        let (rule, message, help) = if is_utf16(document.raw) {
            (
                rules::SEVERAL_IN_UTF16,
                "opm ignores everything from here to the end of the file, because it finds no `---` in UTF-16",
                "write the file in UTF-8, or one document to a file",
            )
        } else {
            (
                rules::UNREAD_TEXT,
                "opm ignores everything from here to the next `---` or the end of the file",
                "begin each document with a line `---`; a JSON file must be strict JSON from its first character",
            )
        };
        let mut it = draft(rule, message.to_owned()).help(help);
        it.spot = Spot::Line(line, 1);
        inspector.push(it);
    }
    let facts = match &document.blob {
        Ok(blob) => inspector.blob(blob),
        Err(failure) => inspector.failure(failure, document.origin.syntax),
    };
    let image = match document.blob.as_ref().map(|it| &it.typed) {
        Ok(Typed::Bundle(bundle)) => bundle.image.to_string(),
        _ => String::new(),
    };
    // A vector that grows has room for four; most documents with a finding have one.
    inspector.drafts.shrink_to_fit();
    Inspected { origin: document.origin, facts, drafts: inspector.drafts, image, practice: None }
}

/// Collects the findings about a document. The checks of bundles and deprecations are in files of their own.
pub(super) struct Inspector {
    drafts: Vec<Draft>,
}

/// A draft without place and without words of the real tool.
pub(super) fn draft(rule: &'static Rule, message: String) -> Draft {
    Draft { rule, message, help: None, spot: Spot::Start, opm: None }
}

impl Draft {
    pub(super) fn at(mut self, path: Vec<Step>) -> Self {
        self.spot = Spot::Path(path);
        self
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn opm(mut self, phase: Phase, step: u32, text: String) -> Self {
        self.opm = Some(OpmLine { phase, step, text });
        self
    }
}

impl Inspector {
    pub(super) fn push(&mut self, draft: Draft) {
        if may_have(self.drafts.len() + 1) {
            self.drafts.push(draft);
        }
    }

    fn failure(&mut self, failure: &Failure, syntax: Syntax) -> Facts {
        for defect in &failure.defects {
            self.defect(defect, &failure.schema, syntax);
        }
        // A document without content cannot hold an item that seems to be absent.
        let is_blank = |it: &Defect| matches!(&it.kind, DefectKind::MissingSchema(blob) if blob.is_empty());
        if failure.defects.iter().all(is_blank) {
            return Facts::Other { package: String::new() };
        }
        Facts::Broken { schema: failure.schema.clone(), package: failure.package.clone() }
    }

    pub(super) fn defect(&mut self, defect: &Defect, schema: &str, syntax: Syntax) {
        let (rule, help) = match &defect.kind {
            DefectKind::Unreadable { .. } => {
                (rules::UNREADABLE_FILE, Some("hide it with `.indexignore`, or make it readable"))
            }
            DefectKind::Json { .. } => (rules::INVALID_JSON, None),
            DefectKind::Separator(_) => {
                (rules::INVALID_DOCUMENT_SEPARATOR, Some("start the document on the line after the `---`"))
            }
            DefectKind::Yaml { .. } => (rules::INVALID_YAML, None),
            DefectKind::NotAnObject(..) => {
                (rules::NOT_AN_OBJECT, Some("hide files that are not part of the catalog with `.indexignore`"))
            }
            DefectKind::CollidingKeys { .. } => (rules::COLLIDING_KEYS, Some("remove one of them")),
            DefectKind::HeadNotString { .. } => (rules::HEAD_NOT_STRING, Some("put quotes around the value")),
            DefectKind::MissingSchema(blob) if blob.is_empty() => (
                rules::MISSING_SCHEMA,
                Some(
                    "it holds nothing but comments or whitespace: move comments inside a document and remove the extra `---`",
                ),
            ),
            DefectKind::MissingSchema(_) => (
                rules::MISSING_SCHEMA,
                Some("add `schema:`, or hide the file with `.indexignore` if it is not part of the catalog"),
            ),
            DefectKind::Base64 { .. } => (rules::INVALID_BASE64, None),
            DefectKind::BundleObject { .. } => (rules::INVALID_BUNDLE_OBJECT, None),
            _ => (rules::WRONG_KIND, None),
        };
        let mut text = defect.opm_text(schema);
        if matches!(defect.kind, DefectKind::Yaml { .. }) {
            text = format!("error converting YAML to JSON: {text}");
        } else if syntax == Syntax::Yaml && defect.kind.is_in_head() {
            text = format!("error unmarshaling JSON: while decoding JSON: {text}");
        }
        let mut message = defect.kind.to_string();
        if let Spot::Path(path) = &defect.at
            && matches!(defect.kind, DefectKind::WrongKind { .. } | DefectKind::Base64 { .. })
        {
            message = format!("{}: {message}", path_text(path));
        }
        let mut it = draft(rule, message).opm(Phase::Load, 0, text);
        it.help = help.map(str::to_owned);
        it.spot = defect.at.clone();
        self.push(it);
    }

    fn blob(&mut self, blob: &Blob<'_>) -> Facts {
        self.unknown(blob);
        match &blob.typed {
            Typed::Package(package) => Facts::Package(self.package(package, blob.value)),
            Typed::Channel(channel) => Facts::Channel(self.channel(channel, blob.value)),
            Typed::Bundle(bundle) => Facts::Bundle(self.bundle(bundle, blob.value)),
            Typed::Deprecations(deprecations) => Facts::Deprecations(self.deprecations(deprecations)),
            Typed::Other => {
                self.other(blob);
                if blob.schema == openshift::SCHEMA {
                    return Facts::Lifecycle(lifecycle_facts(&Lifecycle::read(blob.value)));
                }
                Facts::Other { package: blob.package.to_string() }
            }
        }
    }

    fn package(&mut self, package: &Package<'_>, value: Value<'_>) -> PackageFacts {
        let name = &*package.name;
        if name.is_empty() {
            let text = "config contains package with no name".to_owned();
            self.push(draft(rules::PACKAGE_WITHOUT_NAME, "a package has no name".to_owned()).opm(
                Phase::Packages,
                1,
                text,
            ));
        } else if let Some(reasons) = label_defects(name) {
            let message = format!("`{name}` is not a valid package name");
            let text = format!("invalid package name {}: [{reasons}]", Quoted(name));
            let help = "use at most 63 lower-case letters, digits and `-`, with a letter or digit at both ends";
            self.push(draft(rules::INVALID_PACKAGE_NAME, message).at(vec!["name".into()]).help(help).opm(
                Phase::Packages,
                3,
                text,
            ));
        }
        if package.default_channel.is_empty() {
            let message = format!("package `{name}` has no default channel");
            self.push(draft(rules::PACKAGE_WITHOUT_DEFAULT_CHANNEL, message).at(vec!["defaultChannel".into()]));
        }
        self.property_form(&package.properties);
        self.empty_fields(value, &["package"]);
        PackageFacts { name: name.to_owned(), default_channel: package.default_channel.to_string() }
    }

    fn channel(&mut self, channel: &Channel<'_>, value: Value<'_>) -> ChannelFacts {
        let (package, name) = (&*channel.package, &*channel.name);
        if name.is_empty() {
            let message = format!("a channel of package `{package}` has no name");
            let text = format!("package {} contains channel with no name", Quoted(package));
            self.push(draft(rules::CHANNEL_WITHOUT_NAME, message).opm(Phase::Channels, 5, text));
        }
        let entries = channel.entries.as_deref().unwrap_or_default();
        if entries.is_empty() {
            let message = format!("channel `{name}` of package `{package}` has no entries");
            self.push(draft(rules::CHANNEL_WITHOUT_ENTRIES, message).at(vec!["entries".into()]));
        }
        let mut seen = HashSet::new();
        for (idx, entry) in entries.iter().enumerate() {
            let at = |field: &'static str| vec!["entries".into(), idx.into(), field.into()];
            if !seen.insert(&*entry.name) {
                let message = format!("channel `{name}` of package `{package}` lists `{}` twice", entry.name);
                let text = format!(
                    "invalid package {}, channel {}: duplicate entry {}",
                    Quoted(package),
                    Quoted(name),
                    Quoted(&entry.name)
                );
                self.push(
                    draft(rules::DUPLICATE_ENTRY, message).at(at("name")).help("merge the two into one entry").opm(
                        Phase::Channels,
                        7,
                        text,
                    ),
                );
            }
            for (skip_idx, skip) in entry.skips.iter().enumerate() {
                if skip.is_empty() {
                    let message =
                        format!("entry `{}` of channel `{name}`: item {skip_idx} of `skips` is empty", entry.name);
                    let path = vec!["entries".into(), idx.into(), "skips".into(), skip_idx.into()];
                    self.push(draft(rules::EMPTY_SKIP, message).at(path));
                }
            }
            if !entry.skip_range.is_empty() {
                self.skip_range(&entry.name, &entry.skip_range, at("skipRange"));
            }
        }
        self.property_form(&channel.properties);
        self.empty_edges(value);
        ChannelFacts {
            package: package.to_owned(),
            name: name.to_owned(),
            entries: entries.iter().map(Entry::from).collect(),
        }
    }

    /// Reports fields of entries that are present but empty, which only the text shows.
    fn empty_edges(&mut self, channel: Value<'_>) {
        let Some(entries) = channel.get_field("entries") else { return };
        for (idx, entry) in entries.items().enumerate() {
            for field in ["replaces", "skipRange"] {
                if entry.get_field(field).and_then(|it| it.as_str()).is_some_and(|it| it.is_empty()) {
                    let message = format!("`{field}` is present but empty");
                    let path = vec!["entries".into(), idx.into(), field.into()];
                    self.push(draft(rules::EMPTY_FIELD, message).at(path).help("leave out the field"));
                }
            }
        }
    }

    fn skip_range(&mut self, entry: &str, range: &str, path: Vec<Step>) {
        match Range::parse(range) {
            Err(error) => {
                let why = error.plain();
                let message = format!("entry `{entry}`: `skipRange: {range}` is not a version range: {why}");
                self.push(draft(rules::INVALID_SKIP_RANGE, message).at(path).help(HOW_TO_WRITE_A_RANGE));
            }
            Ok(range_value) if range_value.has_empty_group() => {
                let message = format!(
                    "entry `{entry}`: `skipRange: {range}` has an empty alternative, which makes opm and OLM crash"
                );
                self.push(draft(rules::UNUSABLE_SKIP_RANGE, message).at(path).help("remove the extra `||`"));
            }
            Ok(_) => {}
        }
    }

    /// Checks the demands of the real tool's server on other schemas.
    fn other(&mut self, blob: &Blob<'_>) {
        for (field, name) in [("schema", &blob.schema), ("package", &blob.package)] {
            let is_servable = name.bytes().next().is_none_or(|byte| byte.is_ascii_alphanumeric())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
            if !is_servable {
                let message = format!("the {field} `{name}` has characters that opm's server refuses");
                self.push(draft(rules::UNSERVABLE_SCHEMA_NAME, message).at(vec![field.into()]));
            }
        }
        if blob.schema == openshift::SCHEMA {
            for (Finding { rule, message, help, .. }, path) in openshift::lifecycle_defects(blob.value) {
                self.push(Draft { help, ..draft(rule, message).at(path) });
            }
        } else {
            self.empty_fields(blob.value, &["package"]);
        }
    }

    /// Top-level fields that the format's definition wants non-empty if they are there.
    pub(super) fn empty_fields(&mut self, value: Value<'_>, fields: &[&'static str]) {
        for field in fields {
            if value.get_field(field).and_then(|it| it.as_str()).is_some_and(|it| it.is_empty()) {
                let message = format!("`{field}` is present but empty");
                self.push(draft(rules::EMPTY_FIELD, message).at(vec![(*field).into()]).help("leave out the field"));
            }
        }
    }

    /// Checks the demands of the format's definition on every property.
    pub(super) fn property_form(&mut self, properties: &[PropertyView<'_>]) {
        for (idx, property) in properties.iter().enumerate() {
            if property.kind.is_empty() {
                let it = draft(rules::EMPTY_PROPERTY_TYPE, format!("property {idx} has no type"));
                self.push(it.at(vec!["properties".into(), idx.into()]));
            }
            if property.value.is_some_and(|it| it.is_null()) {
                let message = format!("property `{}` has the value `null`", property.kind);
                self.push(property::draft_at(draft(rules::NULL_PROPERTY_VALUE, message), idx, Vec::new()));
            }
        }
    }
}

fn lifecycle_facts(lifecycle: &Lifecycle) -> LifecycleFacts {
    let versions = lifecycle.versions.iter().map(|it| (it.name.clone(), it.phases.iter().map(|it| it.end).max()));
    LifecycleFacts { package: lifecycle.package.clone(), versions: versions.collect() }
}

/// A field of a property's value as text; empty if it is absent or not a string.
pub(super) fn text_of<'d>(value: Value<'d>, field: &str) -> std::borrow::Cow<'d, str> {
    value.get_field(field).and_then(|it| it.as_str()).unwrap_or_default()
}

/// A path as people write it: `entries[0].name`.
pub(super) fn path_text(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => {
                text.push('.');
                text.push_str(key);
            }
            Step::Index(idx) => text.push_str(&format!("[{idx}]")),
        }
    }
    format!("`{text}`")
}

/// The reasons why a name is not an RFC 1123 label, in the real tool's words.
fn label_defects(name: &str) -> Option<String> {
    let is_label = |text: &str| {
        let is_edge = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        text.bytes().all(|byte| is_edge(byte) || byte == b'-')
            && text.bytes().next().is_some_and(is_edge)
            && text.bytes().last().is_some_and(is_edge)
    };
    let mut reasons = Vec::new();
    if name.len() > 63 {
        reasons.push("must be no more than 63 characters");
    }
    if !is_label(name) {
        // Every dotted part being a label makes it a sub-domain.
        reasons.push(if name.len() <= 253 && name.split('.').all(is_label) {
            "must not contain dots"
        } else {
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end \
             with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
        });
    }
    (!reasons.is_empty()).then(|| reasons.join(" "))
}
