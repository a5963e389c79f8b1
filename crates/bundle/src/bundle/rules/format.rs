//! The form of a bundle directory: its two directories, media type, annotations and dependencies
//! (`docs/behaviour/authoring.md` B.2).

use crate::bundle::directory::is_bundle;
use crate::community::OPENSHIFT_VERSIONS;
use crate::community::openshift::{FORMS, Form, openshift_form};

use super::contents::{Contents, Entry, File};
use super::node::Field;
use super::problem::{At, Problem};
use super::table as rules;
use olmdex_constraint::cel;
use olmdex_fbc::{Spot, Syntax};
use olmdex_text::json::{Kind, Step};
use olmdex_version::blang;

pub(super) const PREFIX: &str = "operators.operatorframework.io.bundle.";

/// The annotations of a bundle, and the file that has them.
pub(super) struct Annotations {
    pub(super) file: usize,
    pub(super) members: Vec<(String, String)>,
}

impl Annotations {
    /// The first file of `metadata/` that has some.
    pub(super) fn of(contents: &Contents) -> Option<Self> {
        contents.metadata().find_map(|(number, file)| Some(Self { file: number, members: members(file)? }))
    }

    /// The value of an annotation of the format, for example `package.v1`.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let key = format!("{PREFIX}{name}");
        self.members.iter().rev().find(|(it, _)| *it == key).map(|(_, value)| value.as_str())
    }
}

/// The members of `annotations`, if it is a map of texts.
fn members(file: &File) -> Option<Vec<(String, String)>> {
    let node = Field(Some(file.document.as_ref().ok()?.value()));
    let annotations = node.get("annotations");
    let is_json = file.origin.is_some_and(|it| it.syntax == Syntax::Json);
    if node.kind() != Kind::Object || annotations.kind() != Kind::Object {
        return None;
    }
    let fits = |kind: Kind| match kind {
        Kind::PlainString | Kind::EscapedString | Kind::Null => true,
        Kind::Number | Kind::True | Kind::False => !is_json,
        Kind::Array | Kind::Object => false,
    };
    let is_map = annotations.0.into_iter().flat_map(|it| it.members()).all(|(_, value)| fits(value.kind()));
    is_map.then(|| annotations.map())
}

/// The media type of a bundle with these files in `manifests/`; `None` if opm cannot recognize it.
pub(super) fn media_type(contents: &Contents) -> Option<&'static str> {
    let files: Vec<(usize, &File)> = contents.manifests().filter(|(_, it)| it.entry != Entry::Directory).collect();
    if files.is_empty() || files.iter().any(|(_, file)| file.entry == Entry::Other) {
        return None;
    }
    let has = |name: &str| contents.manifests().any(|(_, it)| it.name == name);
    if has("Chart.yaml") && has("values.yaml") && has("templates") {
        return Some("helm");
    }
    let is_csv =
        |(number, file): &(usize, &File)| file.object(*number).is_ok_and(|it| it.kind() == "ClusterServiceVersion");
    Some(if files.iter().any(is_csv) { "registry+v1" } else { "plain" })
}

/// Checks the format.
pub(super) fn check(contents: &Contents) -> Vec<Problem> {
    let mut found = Vec::new();
    for (is_there, name) in [(contents.has_manifests, "manifests"), (contents.has_metadata, "metadata")] {
        if !is_there {
            let message = format!("no directory `{name}/`");
            let help = match nested(contents) {
                Some(inner) => format!("name `{inner}`, which is a bundle"),
                None => format!("name the directory that holds `{name}/`, or create it"),
            };
            let at = At::Path(String::new());
            let it = Problem::new(rules::DIRECTORIES, at, message, help);
            found.push(it.reported());
        }
    }
    if !found.is_empty() {
        return found;
    }
    let media_type = media_type(contents);
    if media_type.is_none() {
        let message = "the media type of the bundle is unknown: no file of `manifests/` is readable";
        let at = At::Path("manifests".to_owned());
        let it = Problem::new(rules::EMPTY, at, message, "put the ClusterServiceVersion into `manifests/`");
        found.push(it.reported());
    }
    match Annotations::of(contents) {
        None => {
            let message = "no file of `metadata/` has bundle annotations";
            let help = format!("add `metadata/annotations.yaml` with `{PREFIX}package.v1` and the others");
            let it = Problem::new(rules::WITHOUT_ANNOTATIONS, At::Path("metadata".to_owned()), message, help);
            found.push(it.reported());
        }
        Some(annotations) => {
            check_annotations(&annotations, media_type.unwrap_or_default(), &mut found);
            check_openshift(&annotations, &mut found);
        }
    }
    found.extend(contents.manifests().filter_map(|(number, file)| second_document(number, file)));
    check_dependencies(contents, &mut found);
    check_properties(contents, &mut found);
    found
}

/// A bundle one level below.
fn nested(contents: &Contents) -> Option<String> {
    let mut inner: Vec<_> =
        std::fs::read_dir(&contents.directory).ok()?.filter_map(|it| Some(it.ok()?.path())).collect();
    inner.sort();
    let is_own = |it: &std::path::PathBuf| it.symlink_metadata().is_ok_and(|it| it.is_dir());
    inner.iter().filter(|it| is_own(it)).find(|it| is_bundle(it)).map(|it| it.display().to_string())
}

fn check_annotations(annotations: &Annotations, media_type: &str, found: &mut Vec<Problem>) {
    let at = |key: &str| At::File(annotations.file, Spot::Path(vec!["annotations".into(), key.into()]));
    for name in ["mediatype.v1", "manifests.v1", "metadata.v1", "package.v1", "channels.v1", "channel.default.v1"] {
        let key = format!("{PREFIX}{name}");
        let value = annotations.get(name);
        if value.is_none() && name != "channel.default.v1" {
            let message = format!("the annotation `{key}` is missing");
            let help = match name {
                "mediatype.v1" => format!("add `{key}: {media_type}`"),
                "manifests.v1" => format!("add `{key}: manifests/`"),
                "metadata.v1" => format!("add `{key}: metadata/`"),
                "package.v1" => format!("add `{key}` with the name of the package"),
                _ => format!("add `{key}` with the channels, separated by commas"),
            };
            let it = Problem::new(rules::ANNOTATION_ABSENT, at(&key), message, help);
            found.push(it.reported());
        }
        let text = value.unwrap_or_default();
        match name {
            "mediatype.v1" if text != media_type => {
                let message = format!(
                    "the annotation states the media type `{text}`, but by its manifests the bundle is `{media_type}`"
                );
                let help = match media_type {
                    "plain" => "put a ClusterServiceVersion into `manifests/`".to_owned(),
                    it => format!("set `{key}: {it}`"),
                };
                found.push(Problem::new(rules::MEDIA_TYPE, at(&key), message, help).reported());
            }
            "channels.v1" | "channel.default.v1" if text.is_empty() && (value.is_some() || name == "channels.v1") => {
                let message = format!("the annotation `{key}` has no value");
                let help = if name == "channels.v1" {
                    "name the channels, separated by commas"
                } else {
                    "name a channel, or remove the line"
                };
                found.push(Problem::new(rules::ANNOTATION_EMPTY, at(&key), message, help).reported());
            }
            _ => {}
        }
    }
}

/// A document of a manifest that is lost.
fn second_document(number: usize, file: &File) -> Option<Problem> {
    // The error of a first document that is no object has the same advice.
    let line = file.second_document().filter(|_| file.object(number).is_ok())?;
    let at = At::File(number, Spot::Line(line, 1));
    let message = format!("`{}` has a second document, which opm and OLM do not read", file.path);
    Some(Problem::new(rules::SECOND_DOCUMENT, at, message, "put each object into a file of its own"))
}

/// The catalogs that a bundle chooses by its versions of OpenShift.
fn check_openshift(annotations: &Annotations, found: &mut Vec<Problem>) {
    let Some((key, text)) = annotations.members.iter().rev().find(|(key, _)| key == OPENSHIFT_VERSIONS) else { return };
    let at = At::File(annotations.file, Spot::Path(vec!["annotations".into(), key.as_str().into()]));
    found.extend(match openshift_form(text) {
        Form::Good => None,
        Form::List => {
            let message = format!("`{key}` is a list, which means its lowest version and all later ones");
            Some(Problem::new(rules::OPENSHIFT_LIST, at, message, FORMS))
        }
        Form::Unreadable => {
            let message = format!("`{key}: {text}` names no versions of OpenShift");
            Some(Problem::new(rules::OPENSHIFT_VERSIONS, at, message, FORMS))
        }
    });
}

/// The first file with dependencies. The file of the annotations is not asked.
fn check_dependencies(contents: &Contents, found: &mut Vec<Problem>) {
    let annotations = Annotations::of(contents).map(|it| it.file);
    let mut is_found = false;
    for (number, file) in contents.metadata().filter(|(number, _)| Some(*number) != annotations) {
        let document = match &file.document {
            Ok(document) => document,
            Err(error) if file.name.starts_with("dependenc") && file.entry == Entry::File => {
                let spot = error.line.map_or(Spot::Start, |(line, column)| Spot::Line(line, column));
                let reason = &error.reason;
                let message = format!("`{}` is unreadable, so the bundle has no dependencies: {reason}", file.path);
                let help = "correct the file; opm silently skips it";
                found.push(Problem::new(rules::DEPENDENCIES_UNREADABLE, At::File(number, spot), message, help));
                continue;
            }
            Err(_) => continue,
        };
        let dependencies = Field(Some(document.value())).get("dependencies");
        if is_found || dependencies.n_items() == 0 {
            continue;
        }
        is_found = true;
        for (idx, item) in dependencies.items().enumerate() {
            dependency(number, idx, item, found);
        }
    }
}

/// The items of the file of properties that are written in the older form, which opm reads as properties without type
/// and value (`docs/behaviour/fbc.md` 4.5).
fn check_properties(contents: &Contents, found: &mut Vec<Problem>) {
    for (number, file) in contents.metadata() {
        let Ok(document) = &file.document else { continue };
        let properties = Field(Some(document.value())).get("properties");
        if properties.n_items() == 0 {
            continue;
        }
        for (idx, item) in properties.items().enumerate() {
            let inner = item.get("property");
            if item.get("type").is_set() || inner.kind() != Kind::Object {
                continue;
            }
            let kind = inner.text_of("type");
            let message = format!("opm does not see the property `{kind}`, which is nested below `property`");
            let help = "remove the line `property:`, and write `- type:` and `value:` in its place";
            let at = At::File(number, Spot::Key(vec!["properties".into(), idx.into(), "property".into()]));
            found.push(Problem::new(rules::PROPERTIES_NESTED, at, message, help));
        }
        // The first file that has any is the one that counts.
        return;
    }
}

fn dependency(file: usize, idx: usize, item: Field<'_>, found: &mut Vec<Problem>) {
    let kind = item.text_of("type");
    let value = item.get("value");
    let at = |rest: &[&str]| {
        let mut path: Vec<Step> = vec!["dependencies".into(), idx.into()];
        path.extend(rest.iter().map(|it| Step::from(*it)));
        At::File(file, Spot::Path(path))
    };
    let fields: &[&str] = match kind.as_str() {
        "olm.gvk" => &["group", "version", "kind"],
        "olm.package" => &["packageName", "version"],
        "olm.label" => &["label"],
        "olm.constraint" => &[],
        _ => {
            let message = format!("unknown dependency type `{kind}`");
            let help = "use `olm.package`, `olm.gvk` or `olm.constraint`; other requirements are properties";
            found.push(Problem::new(rules::DEPENDENCY_TYPE, at(&["type"]), message, help).reported());
            return;
        }
    };
    let is_text = |it: Field<'_>| matches!(it.kind(), Kind::PlainString | Kind::EscapedString | Kind::Null);
    if !matches!(value.kind(), Kind::Object | Kind::Null) || !fields.iter().all(|it| is_text(value.get(it))) {
        let message = format!("the value of this `{kind}` does not fit its type");
        let help = match kind.as_str() {
            "olm.constraint" => "write `value: {cel: {rule: …}}`".to_owned(),
            _ => format!("write an object with the strings {}", fields.join(", ")),
        };
        found.push(Problem::new(rules::DEPENDENCY_TYPE, at(&["value"]), message, help).reported());
        return;
    }
    for field in fields {
        let text = value.text_of(field);
        if text.is_empty() {
            let message = format!("the `{field}` of this `{kind}` is empty");
            let help = format!("give `{field}` a value");
            found.push(Problem::new(rules::DEPENDENCY_FIELD, at(&["value", field]), message, help).reported());
        } else if kind == "olm.package"
            && *field == "version"
            && let Err(error) = blang::Range::parse(&text)
        {
            let message = format!("`{text}` is not a version range: {error}");
            let help = "write a range such as `>=1.2.0 <2.0.0`";
            found.push(Problem::new(rules::DEPENDENCY_RANGE, at(&["value", "version"]), message, help).reported());
        }
    }
    if kind == "olm.constraint" {
        constraint(value, &at, found);
    }
}

/// Only rules of CEL are let through here, although OLM accepts more.
fn constraint(value: Field<'_>, at: &dyn Fn(&[&str]) -> At, found: &mut Vec<Problem>) {
    let cel = value.get("cel");
    let mut add = |path: &[&str], message: String, help: &str| {
        found.push(Problem::new(rules::DEPENDENCY_CONSTRAINT, at(path), message, help).reported());
    };
    if !cel.is_set() {
        let other = ["all", "any", "not", "gvk", "package"].into_iter().find(|it| value.get(it).is_set());
        match other {
            Some(other) => add(
                &["value"],
                format!("opm refuses the constraint `{other}` in a file of dependencies, although OLM understands it"),
                "write it as a CEL rule, or move it to `metadata/properties.yaml`",
            ),
            None => add(&["value"], "the constraint has no `cel`".to_owned(), "write `value: {cel: {rule: …}}`"),
        }
        return;
    }
    let rule = cel.text_of("rule");
    if rule.is_empty() {
        add(
            &["value", "cel"],
            "the constraint has no rule".to_owned(),
            "give `cel.rule` an expression, or remove the constraint",
        );
    } else if let Err(error) = cel::Rule::compile(&rule) {
        add(&["value", "cel", "rule"], format!("the rule is not valid: {error}"), "correct the expression");
    }
}
