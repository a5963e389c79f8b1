//! What is wrong with one document by itself.

use std::collections::HashSet;

use super::facts::{
    BundleFacts, ChannelFacts, DeprecationFacts, DeprecationsFacts, Draft, EntryFacts, Facts, Inspected, OpmLine,
    PackageFacts, Phase,
};
use super::{check_image, property, rules};
use crate::diag::Rule;
use crate::fbc::{
    Blob, Bundle, Channel, Defect, DefectKind, Deprecations, Document, Failure, Package, Property, Spot, Syntax, Typed,
    for_each_object,
};
use crate::json::{Step, Value};
use crate::version::blang::Range;
use crate::version::{Quoted, Release, Version, VersionRelease};

/// Looks at one document by itself: its facts, and what is wrong with it whatever the rest of the catalog holds.
#[must_use]
pub fn inspect(document: &Document<'_>) -> Inspected {
    let mut inspector = Inspector { drafts: Vec::new() };
    let facts = match &document.blob {
        Ok(blob) => inspector.blob(blob),
        Err(failure) => inspector.failure(failure, document.origin.syntax),
    };
    Inspected { origin: document.origin, facts, drafts: inspector.drafts }
}

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
    fn push(&mut self, draft: Draft) {
        self.drafts.push(draft);
    }

    fn failure(&mut self, failure: &Failure, syntax: Syntax) -> Facts {
        for defect in &failure.defects {
            self.defect(defect, &failure.schema, syntax);
        }
        // A document without content cannot hold what seems to be absent elsewhere.
        let is_blank = |it: &Defect| matches!(&it.kind, DefectKind::MissingSchema(blob) if blob.is_empty());
        if failure.defects.iter().all(is_blank) {
            return Facts::Other { package: String::new() };
        }
        Facts::Broken { schema: failure.schema.clone(), package: failure.package.clone() }
    }

    fn defect(&mut self, defect: &Defect, schema: &str, syntax: Syntax) {
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
                (rules::NOT_AN_OBJECT, Some("hide files that are no catalog with `.indexignore`"))
            }
            DefectKind::CollidingKeys { .. } => (rules::COLLIDING_KEYS, Some("remove one of them")),
            DefectKind::HeadNotString { .. } => (rules::HEAD_NOT_STRING, Some("put quotes around the value")),
            DefectKind::MissingSchema(blob) if blob.is_empty() => (
                rules::MISSING_SCHEMA,
                Some(
                    "it holds nothing but comments or blanks: move comments inside a document and remove the extra `---`",
                ),
            ),
            DefectKind::MissingSchema(_) => {
                (rules::MISSING_SCHEMA, Some("add `schema:`, or hide the file with `.indexignore` if it is no catalog"))
            }
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
        match &blob.typed {
            Typed::Package(package) => Facts::Package(self.package(package, blob.value)),
            Typed::Channel(channel) => Facts::Channel(self.channel(channel, blob.value)),
            Typed::Bundle(bundle) => Facts::Bundle(self.bundle(bundle, blob.value)),
            Typed::Deprecations(deprecations) => Facts::Deprecations(self.deprecations(deprecations)),
            Typed::Other => {
                self.other(blob);
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
        if let Some(entries) = value.get_field("entries") {
            for (idx, entry) in entries.items().enumerate() {
                for field in ["replaces", "skipRange"] {
                    if entry.get_field(field).and_then(|it| it.as_str()).is_some_and(|it| it.is_empty()) {
                        let message = format!("`{field}` is present but empty");
                        let path = vec!["entries".into(), idx.into(), field.into()];
                        self.push(draft(rules::EMPTY_FIELD, message).at(path).help("leave the field out"));
                    }
                }
            }
        }
        ChannelFacts {
            package: package.to_owned(),
            name: name.to_owned(),
            entries: entries
                .iter()
                .map(|it| EntryFacts {
                    name: it.name.to_string(),
                    replaces: it.replaces.to_string(),
                    skips: it.skips.iter().map(ToString::to_string).collect(),
                    skip_range: it.skip_range.to_string(),
                })
                .collect(),
        }
    }

    fn skip_range(&mut self, entry: &str, range: &str, path: Vec<Step>) {
        match Range::parse(range) {
            Err(error) => {
                let message = format!("entry `{entry}`: `{range}` is not a range of versions: {error}");
                let help = "separate comparators by blanks and write versions in full, for example `>=1.0.0 <1.2.0`";
                self.push(draft(rules::INVALID_SKIP_RANGE, message).at(path).help(help));
            }
            Ok(range_value) if range_value.has_empty_group() => {
                let message =
                    format!("entry `{entry}`: `{range}` has an empty alternative; the real tools crash on it");
                self.push(draft(rules::UNUSABLE_SKIP_RANGE, message).at(path).help("remove the extra `||`"));
            }
            Ok(_) => {}
        }
    }

    fn bundle(&mut self, bundle: &Bundle<'_>, value: Value<'_>) -> BundleFacts {
        let (package, name) = (&*bundle.package, &*bundle.name);
        let mut complaints = Vec::new();
        if package.is_empty() {
            let message = format!("bundle `{name}` names no package");
            let text = format!("package name must be set for bundle {}", Quoted(name));
            self.push(draft(rules::BUNDLE_WITHOUT_PACKAGE, message).at(vec!["package".into()]).opm(
                Phase::Bundles,
                8,
                text,
            ));
        }
        if name.is_empty() {
            complaints.push((31, "name must be set".to_owned()));
            let message = format!("a bundle of package `{package}` has no name");
            self.push(draft(rules::BUNDLE_WITHOUT_NAME, message).at(vec!["name".into()]));
        }
        let mut n_objects = 0;
        if let Err(defect) = for_each_object(bundle, |_| n_objects += 1) {
            self.defect(&defect, "olm.bundle", Syntax::Json);
        }
        self.properties(bundle);
        self.images(bundle);
        let version = self.bundle_version(bundle, &mut complaints);
        if bundle.image.is_empty() && n_objects == 0 {
            complaints.push((33, "bundle image must be set".to_owned()));
            let message = format!("bundle `{name}` has no image");
            self.push(draft(rules::BUNDLE_WITHOUT_IMAGE, message).at(vec!["image".into()]));
        }
        self.property_form(&bundle.properties);
        self.empty_fields(value, &[]);
        BundleFacts { package: package.to_owned(), name: name.to_owned(), version, complaints }
    }

    /// Rules 10 to 12, and the warnings about dependencies.
    fn properties(&mut self, bundle: &Bundle<'_>) {
        let (package, name) = (&*bundle.package, &*bundle.name);
        let mut package_properties = Vec::new();
        let mut n_csv_metadata = 0;
        for (idx, property) in bundle.properties.iter().enumerate() {
            let kind = &*property.kind;
            if let Some(misfit) = property::check(kind, property.value) {
                let text = format!(
                    "parse properties for bundle {}: parse property[{idx}] of type {}: {}",
                    Quoted(name),
                    Quoted(kind),
                    misfit.opm
                );
                let message = match misfit.path.as_slice() {
                    [] => format!("property `{kind}` of bundle `{name}`: {}", misfit.message),
                    path => format!("property `{kind}` of bundle `{name}`, {}: {}", path_text(path), misfit.message),
                };
                let it = draft(rules::INVALID_PROPERTY, message).opm(Phase::Bundles, 10, text);
                self.push(property::draft_at(it, idx, misfit.path));
                if kind == "olm.package" {
                    package_properties.push(idx);
                }
                continue;
            }
            let Some(value) = property.value else { continue };
            match kind {
                "olm.package" => package_properties.push(idx),
                "olm.csv.metadata" => {
                    n_csv_metadata += 1;
                    if n_csv_metadata == 2 {
                        let message = format!("bundle `{name}` has several `olm.csv.metadata` properties");
                        self.push(property::draft_at(draft(rules::SEVERAL_CSV_METADATA, message), idx, Vec::new()));
                    }
                }
                "olm.gvk" | "olm.gvk.required" if !value.is_null() => {
                    let missing: Vec<&str> =
                        ["group", "version", "kind"].into_iter().filter(|it| text_of(value, it).is_empty()).collect();
                    // The core API group has no name.
                    if !missing.is_empty() && missing != ["group"] {
                        let message =
                            format!("property `{kind}` of bundle `{name}` has no {}", missing.join(" and no "));
                        self.push(property::draft_at(draft(rules::INCOMPLETE_API, message), idx, Vec::new()));
                    }
                }
                "olm.package.required" if !value.is_null() => self.required_package(name, idx, value),
                _ => {}
            }
        }
        if package_properties.len() != 1 {
            let n_found = package_properties.len();
            let message = format!("bundle `{name}` has {n_found} `olm.package` properties, exactly one is needed");
            let text = format!(
                "package {} bundle {} must have exactly 1 \"olm.package\" property, found {n_found}",
                Quoted(package),
                Quoted(name)
            );
            let mut path: Vec<Step> = vec!["properties".into()];
            path.extend(package_properties.get(1).map(|&idx| Step::Index(idx)));
            self.push(draft(rules::PACKAGE_PROPERTY_COUNT, message).at(path).opm(Phase::Bundles, 11, text));
        }
        for idx in package_properties {
            let property = &bundle.properties[idx];
            let Some(value) = property.value else { continue };
            let found = text_of(value, "packageName");
            // What is absent or no text at all has been reported as that.
            if found != package && !package.is_empty() && property::check(&property.kind, property.value).is_none() {
                let message = format!(
                    "bundle `{name}` belongs to package `{package}`, but its `olm.package` property says `{found}`"
                );
                let text =
                    format!("package {} does not match \"olm.package\" property {}", Quoted(package), Quoted(&found));
                let it = draft(rules::PACKAGE_PROPERTY_MISMATCH, message).opm(Phase::Bundles, 12, text);
                self.push(property::draft_at(it, idx, vec!["packageName".into()]));
            }
        }
    }

    fn required_package(&mut self, bundle: &str, idx: usize, value: Value<'_>) {
        if text_of(value, "packageName").is_empty() {
            let message = format!("bundle `{bundle}` requires a package without a name");
            let it = draft(rules::REQUIRED_PACKAGE_WITHOUT_NAME, message);
            self.push(property::draft_at(it, idx, vec!["packageName".into()]));
        }
        let range = text_of(value, "versionRange");
        if let Err(error) = Range::parse(&range) {
            let message = format!("bundle `{bundle}`: `{range}` is not a range of versions: {error}");
            let it = draft(rules::INVALID_VERSION_RANGE, message);
            self.push(property::draft_at(it, idx, vec!["versionRange".into()]));
        }
    }

    /// Rule 13.
    fn images(&mut self, bundle: &Bundle<'_>) {
        let (package, name) = (&*bundle.package, &*bundle.name);
        let related = bundle.related_images.iter().enumerate().map(|(idx, it)| (Some(idx), &it.image));
        for (idx, image) in [(None, &bundle.image)].into_iter().chain(related).filter(|(_, image)| !image.is_empty()) {
            let Err(error) = check_image(image) else { continue };
            let (field, path) = match idx {
                None => ("image".to_owned(), vec!["image".into()]),
                Some(idx) => {
                    (format!("relatedImages[{idx}].image"), vec!["relatedImages".into(), idx.into(), "image".into()])
                }
            };
            let message = format!("bundle `{name}`: `{image}` is not a valid image reference: {error}");
            let text = format!(
                "package {} bundle {} {field}: invalid image pull spec {}: {error}",
                Quoted(package),
                Quoted(name),
                Quoted(image)
            );
            let mut it = draft(rules::INVALID_IMAGE, message).at(path).opm(Phase::Bundles, 13, text);
            if let Some((scheme, rest)) = image.split_once("://") {
                it = it.help(format!("leave out `{scheme}://`: `{rest}`"));
            }
            self.push(it);
        }
        for (idx, related) in bundle.related_images.iter().enumerate() {
            if related.image.is_empty() {
                let called = if related.name.is_empty() { String::new() } else { format!(" (`{}`)", related.name) };
                let message = format!("bundle `{name}`: related image {idx}{called} has no reference");
                let path = vec!["relatedImages".into(), idx.into(), "image".into()];
                self.push(draft(rules::RELATED_IMAGE_WITHOUT_REFERENCE, message).at(path));
            }
        }
    }

    /// Rule 14, and what the second pass says of versions. Gives the version that no other bundle may have.
    fn bundle_version(&mut self, bundle: &Bundle<'_>, complaints: &mut Vec<(u8, String)>) -> Option<String> {
        let (package, name) = (&*bundle.package, &*bundle.name);
        let (idx, value) = bundle
            .properties
            .iter()
            .enumerate()
            .filter(|(_, it)| it.kind == "olm.package")
            .find_map(|(idx, it)| it.value.map(|value| (idx, value)))
            .filter(|(idx, value)| property::check(&bundle.properties[*idx].kind, Some(*value)).is_none())?;
        let text = text_of(value, "version");
        let version = match Version::parse(&text) {
            Ok(version) => Some(version),
            Err(error) => {
                let message = format!("bundle `{name}`: `{text}` is not a semantic version: {error}");
                let opm = format!("error parsing bundle {} version {}: {error}", Quoted(name), Quoted(&text));
                let it = draft(rules::INVALID_VERSION, message).opm(Phase::Bundles, 14, opm);
                self.push(property::draft_at(it, idx, vec!["version".into()]));
                None
            }
        };
        let release_text = text_of(value, "release");
        let release = match Release::parse_optional(&release_text) {
            Ok(release) => release,
            Err(error) => {
                let message = format!("bundle `{name}`: {error}");
                let opm =
                    format!("error parsing bundle {} release version {}: {error}", Quoted(name), Quoted(&release_text));
                let it = draft(rules::INVALID_RELEASE, message).opm(Phase::Bundles, 14, opm);
                self.push(property::draft_at(it, idx, vec!["release".into()]));
                None
            }
        };
        let version = version?;
        if let Some(release) = &release {
            let normalized = format!("{package}-v{version}-{release}");
            if name != normalized {
                complaints.push((
                    31,
                    format!("name {} does not match normalized name {}", Quoted(name), Quoted(&normalized)),
                ));
                let message = format!("bundle `{name}` has a release, so its name must be `{normalized}`");
                self.push(draft(rules::RELEASE_NAME_MISMATCH, message).at(vec!["name".into()]));
            }
            if !version.build().is_empty() {
                complaints.push((35, "cannot use build metadata in version with a release version".to_owned()));
                let message = format!("bundle `{name}`: version `{version}` has build metadata and a release");
                let it = draft(rules::RELEASE_WITH_BUILD_METADATA, message);
                self.push(property::draft_at(it, idx, vec!["version".into()]));
            }
        }
        Some(VersionRelease { version, release }.to_string())
    }

    fn deprecations(&mut self, deprecations: &Deprecations<'_>) -> DeprecationsFacts {
        let package = &*deprecations.package;
        let entries = deprecations.entries.as_deref().unwrap_or_default();
        let mut seen = HashSet::new();
        for (idx, entry) in entries.iter().enumerate() {
            let at = |field: &'static str| vec!["entries".into(), idx.into(), "reference".into(), field.into()];
            let (schema, name) = (&*entry.schema, &*entry.name);
            let go_reference =
                format!("declcfg.PackageScopedReference{{Schema:{}, Name:{}}}", Quoted(schema), Quoted(name));
            let step = deprecation_step(idx);
            if schema.is_empty() {
                let message = format!("deprecation {idx} of package `{package}` does not say what it is about");
                let text = format!("schema must be set for deprecation entry [{idx}] for package {}", Quoted(package));
                self.push(draft(rules::DEPRECATION_WITHOUT_SCHEMA, message).at(at("schema")).opm(
                    Phase::Deprecations,
                    step,
                    text,
                ));
            } else if !seen.insert((schema, name)) {
                let message = format!("package `{package}`: `{schema}` `{name}` is deprecated twice");
                let text = format!("duplicate deprecation entry {go_reference} for package {}", Quoted(package));
                self.push(draft(rules::DUPLICATE_DEPRECATION, message).at(at("name")).opm(
                    Phase::Deprecations,
                    step + 1,
                    text,
                ));
            } else if schema == "olm.package" {
                if !name.is_empty() {
                    let message = format!("the deprecation of package `{package}` has a name (`{name}`)");
                    let text = format!(
                        "package name must be empty for deprecated package {} (specified {})",
                        Quoted(package),
                        Quoted(name)
                    );
                    let it = draft(rules::DEPRECATED_PACKAGE_WITH_NAME, message).at(at("name")).help("remove the name");
                    self.push(it.opm(Phase::Deprecations, step + 2, text));
                }
            } else if schema != "olm.channel" && schema != "olm.bundle" {
                let message = format!("package `{package}`: a `{schema}` cannot be deprecated");
                let text = format!(
                    "cannot deprecate object {go_reference} referenced by entry {idx} for package {}: object schema unknown",
                    Quoted(package)
                );
                let it = draft(rules::UNKNOWN_DEPRECATION_SCHEMA, message).at(at("schema"));
                self.push(it.opm(Phase::Deprecations, step + 2, text));
            }
            if entry.message.is_empty() {
                let message = format!("deprecation {idx} of package `{package}` has no message");
                let path = vec!["entries".into(), idx.into(), "message".into()];
                self.push(draft(rules::DEPRECATION_WITHOUT_MESSAGE, message).at(path));
            }
        }
        DeprecationsFacts {
            package: package.to_owned(),
            entries: entries
                .iter()
                .map(|it| DeprecationFacts {
                    schema: it.schema.to_string(),
                    name: it.name.to_string(),
                    has_message: !it.message.is_empty(),
                })
                .collect(),
        }
    }

    /// What the real tool's server demands of other schemas.
    fn other(&mut self, blob: &Blob<'_>) {
        for (field, name) in [("schema", &blob.schema), ("package", &blob.package)] {
            let is_servable = name.bytes().next().is_none_or(|byte| byte.is_ascii_alphanumeric())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
            if !is_servable {
                let message = format!("the {field} `{name}` has characters that the real tool's server refuses");
                self.push(draft(rules::UNSERVABLE_SCHEMA_NAME, message).at(vec![field.into()]));
            }
        }
        self.empty_fields(blob.value, &["package"]);
    }

    /// Top-level fields that the format's definition wants non-empty if they are there.
    fn empty_fields(&mut self, value: Value<'_>, fields: &[&'static str]) {
        for field in fields {
            if value.get_field(field).and_then(|it| it.as_str()).is_some_and(|it| it.is_empty()) {
                let message = format!("`{field}` is present but empty");
                self.push(draft(rules::EMPTY_FIELD, message).at(vec![(*field).into()]).help("leave the field out"));
            }
        }
    }

    /// What the format's definition demands of every property.
    fn property_form(&mut self, properties: &[Property<'_>]) {
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

/// Rank of the first message about a deprecation.
pub(super) fn deprecation_step(idx: usize) -> u32 {
    u32::try_from(idx).unwrap_or(u32::MAX / 4).saturating_mul(4).saturating_add(100)
}

/// A field of a property's value as text; empty if it is absent or not a string.
fn text_of<'d>(value: Value<'d>, field: &str) -> std::borrow::Cow<'d, str> {
    value.get_field(field).and_then(|it| it.as_str()).unwrap_or_default()
}

/// A path as people write it: `entries[0].name`.
fn path_text(path: &[Step]) -> String {
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

/// What keeps a name from being an RFC 1123 label, in the real tool's words.
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
