//! Whether a bundle with APIs that Kubernetes 1.22 removed keeps away from OpenShift 4.9 (`docs/behaviour/authoring.md`
//! B.8).

use std::fs;
use std::io::Read as _;
use std::path::Path;

use super::options::Options;
use super::problem::{At, Problem};
use super::removed_apis::Removed;
use super::service_version::Csv;
use super::table as rules;
use olmdex_base::diag::Severity::{self, Error, Warning};
use olmdex_text::json::{Kind, Reader};
use olmdex_version::Version;

const GUIDE: &str = "https://kubernetes.io/docs/reference/using-api/deprecation-guide/#v1-22";
const LABEL: &str = "com.redhat.openshift.versions";
const MAX_VERSION: &str = "olm.maxOpenShiftVersion";

/// No Dockerfile is larger.
const MAX_DOCKERFILE: u64 = 1 << 20;

/// A complaint: ours, and that of the real validator.
struct Complaint {
    level: Severity,
    message: String,
    help: String,
    wording: String,
    at: At,
}

/// Checks the bundle, if it has removed APIs.
pub(super) fn check(csv: &Csv<'_>, removed: &Removed, options: &Options) -> Vec<Problem> {
    if removed.is_empty() {
        return Vec::new();
    }
    let listed = removed.listed();
    let mut complaints: Vec<Complaint> = max_version(csv, &listed).into_iter().collect();
    let mut repeated = Vec::new();
    match &options.index_path {
        Some(path) => complaints.extend(dockerfile(path, &listed, removed.at())),
        None => {
            // The real validator takes the errors so far for warnings as well, and forgets other warnings.
            repeated = complaints.iter().filter(|it| it.level == Error).map(|it| it.wording.clone()).collect();
            complaints.retain(|it| it.level == Error);
            complaints.push(Complaint {
                level: Warning,
                message: "the OpenShift versions of the bundle are unknown, and it has APIs that OpenShift 4.9 does \
                    not serve".to_owned(),
                help: "name the Dockerfile with `--optional-values index-path=FILE`, or move to served APIs".to_owned(),
                wording: format!(
                    "please, inform the path of its index image file via the the optional key values and the key index-path to allow this validator check the labels configuration or migrate the API(s) for {listed}. (e.g. index-path=./mypath/bundle.Dockerfile). This bundle is using APIs which were deprecated and removed in v1.22. More info: {GUIDE} "
                ),
                at: removed.at(),
            });
        }
    }
    let found = |it: Complaint| {
        let wording = csv.says(it.level, &it.wording);
        let rule = if it.level == Error { rules::OPENSHIFT_RANGE } else { rules::OPENSHIFT_UNKNOWN };
        Problem::new(rule, it.at, it.message, it.help).observed(wording)
    };
    let again = |wording: String| {
        let it = Problem::new(rules::OPENSHIFT_UNKNOWN, removed.at(), "", "").observed(csv.says(Warning, &wording));
        it.tool_only()
    };
    let repeated: Vec<Problem> = repeated.into_iter().map(again).collect();
    complaints.into_iter().map(found).chain(repeated).collect()
}

/// Whether the annotation keeps clusters with the bundle from reaching 4.9.
fn max_version(csv: &Csv<'_>, listed: &str) -> Option<Complaint> {
    let key = "olm.properties";
    let at = csv.at_annotation(key);
    let error = |message: &str, wording: String| {
        let help = "set `olm.maxOpenShiftVersion` to `4.8` among the properties, or move to served APIs";
        Some(Complaint { level: Error, message: message.to_owned(), help: help.to_owned(), wording, at: at.clone() })
    };
    let text = csv.annotation(key).unwrap_or_default();
    if text.is_empty() {
        let wording = format!(
            "csv.Annotations not specified {MAX_VERSION} for an OCP version < 4.9. This annotation is required to prevent the user from upgrading their OCP cluster before they have installed a version of their operator which is compatible with 4.9. This bundle is using APIs which were deprecated and removed in v1.22. More info: {GUIDE} which are no longer supported on 4.9. Migrate the API(s) for {listed} or use the annotation"
        );
        return error(
            "the bundle has APIs that OpenShift 4.9 does not serve, but does not keep clusters below 4.9",
            wording,
        );
    }
    let Some(value) = listed_max_version(&text) else {
        let wording = format!(
            "csv.Annotations has an invalid value specified for {key}. Please, check the value  ({text}) and ensure that it is an array such as: \"{key}\": '[{{\"type\": \"key name\", \"value\": \"key value\"}}]'"
        );
        return error("the annotation `olm.properties` is not a list of properties with string values", wording);
    };
    let Some(value) = value else {
        let wording = format!(
            "csv.Annotations.{key} with the key `{MAX_VERSION}` and a value with an OCP version which is < 4.9 is required for any operator bundle that is using APIs which were deprecated and removed in v1.22. More info: {GUIDE}. Migrate the API(s) for {listed} or use the annotation"
        );
        return error("the annotation `olm.properties` has no `olm.maxOpenShiftVersion`", wording);
    };
    let version = match Version::parse_tolerant(&value) {
        Ok(version) => version,
        Err(why) => {
            let wording =
                format!("csv.Annotations.{key} has an invalid value. Unable to parse ({value}) using semver : {why}");
            return error(&format!("`olm.maxOpenShiftVersion` is not a version: `{value}`"), wording);
        }
    };
    let cut = Version::new(version.major(), version.minor(), 0);
    if version.cmp_precedence(&cut).is_ne() {
        let wording = format!(
            "csv.Annotations.{key} has an invalid value. {MAX_VERSION} must specify only major.minor versions, {version} will be truncated to {cut}"
        );
        let message = format!("`olm.maxOpenShiftVersion` is `{value}`, but only major and minor count");
        let help = format!("write `{}.{}`", version.major(), version.minor());
        return Some(Complaint { level: Warning, message, help, wording, at });
    }
    if version.cmp_precedence(&Version::new(4, 9, 0)).is_ge() {
        let wording = format!(
            "csv.Annotations.{key} with the key and value for {MAX_VERSION} has the OCP version value {value} which is >= of 4.9. This bundle is using APIs which were deprecated and removed in v1.22. More info: {GUIDE}. Migrate the API(s) for {listed} or inform in this property an OCP version which is < 4.9"
        );
        return error(
            &format!("`olm.maxOpenShiftVersion` is `{value}`, but 4.9 does not serve the bundle's APIs"),
            wording,
        );
    }
    None
}

/// The value of the property, if the text is a list of properties whose values are texts.
fn listed_max_version(text: &str) -> Option<Option<String>> {
    let mut reader = Reader::new();
    let list = reader.read(text).ok().filter(|it| matches!(it.kind(), Kind::Array | Kind::Null))?;
    let mut found = None;
    for item in list.items() {
        let word = |key: &str| match item.get_field(key) {
            None => Some(String::new()),
            Some(value) if value.is_null() => Some(String::new()),
            Some(value) => value.as_str().map(|it| it.into_owned()),
        };
        if !matches!(item.kind(), Kind::Object | Kind::Null) {
            return None;
        }
        let (kind, value) = (word("type")?, word("value")?);
        if kind == MAX_VERSION && found.is_none() {
            found = Some(value);
        }
    }
    Some(found)
}

/// Whether the label of the Dockerfile ends below 4.9.
fn dockerfile(path: &Path, listed: &str, at: At) -> Option<Complaint> {
    let shown = path.display();
    let error = |message: String, wording: String| {
        let help = format!("set `LABEL {LABEL}=\"v4.6-v4.8\"`, or move to served APIs");
        Some(Complaint { level: Error, message, help, wording, at: at.clone() })
    };
    let begin = format!("this bundle is using APIs which were deprecated and removed in v1.22. More info: {GUIDE}");
    let annotation = format!(
        "by using the {LABEL} annotation in `metadata/annotations.yaml` to ensure that the index image will be"
    );
    let text = match read(path) {
        Ok(text) => text,
        Err(why) => {
            let (message, wording) = unreadable(&shown.to_string(), why);
            return error(message, wording);
        }
    };
    let Some(line) = text.split('\n').find(|it| it.contains(LABEL)) else {
        let wording = format!(
            "{begin}. Migrate the APIs for {listed} or provide compatible version(s) via the labels. (e.g. LABEL {LABEL}='4.6-4.8')"
        );
        return error(
            format!("`{shown}` has no label `{LABEL}`, so the bundle goes to every OpenShift version"),
            wording,
        );
    };
    let parts: Vec<&str> = line.split('=').collect();
    let Some(range) = parts.get(1) else {
        return error(format!("the label in `{shown}` has no value"), format!("invalid syntax ({line}) for ({LABEL})"));
    };
    let clean = |text: &str| text.replace(['\'', '"', 'v'], "");
    let is_too_high =
        |text: &str| Version::parse_tolerant(text).map(|it| it.cmp_precedence(&Version::new(4, 9, 0)).is_ge());
    let unparsable = |text: &str| {
        error(
            format!("the label in `{shown}` has no version: `{text}`"),
            format!("unable to parse the value ({text}) on ({LABEL})"),
        )
    };
    let reaches =
        |text: &str| format!("the label in `{shown}` includes {text}, but 4.9 does not serve the bundle's APIs");
    if let Some(exact) = parts.get(2).filter(|it| !it.is_empty()) {
        let version = clean(exact);
        return match is_too_high(&version) {
            Err(_) => unparsable(&version),
            Ok(true) => error(
                reaches(&version),
                format!(
                    "{begin}. Migrate the API(s) for {listed} or provide compatible version(s) {annotation} geneared with its label. (e.g. LABEL {LABEL}='4.6-4.8')"
                ),
            ),
            Ok(false) => None,
        };
    }
    let range = clean(range);
    if range.len() <= 1 {
        return error(
            format!("the label in `{shown}` has no value"),
            format!("unable to get the range informed on {LABEL}"),
        );
    }
    let Some(end) = range.split('-').nth(1) else {
        return error(
            format!("the label in `{shown}` has no upper bound: `{range}`"),
            format!(
                "{begin} The {range} allows to distribute it on >= 4.9. Migrate the API(s) for {listed} or provide compatible version(s) {annotation} generated with its label. (e.g. LABEL {LABEL}='4.6-4.8')"
            ),
        );
    };
    match is_too_high(end) {
        Err(_) => unparsable(end),
        Ok(true) => error(
            reaches(end),
            format!(
                "{begin}. Upgrade the APIs from for {listed} or provide compatible distribution version(s) {annotation} generated with its label. (e.g. LABEL {LABEL}='4.6-4.8')"
            ),
        ),
        Ok(false) => None,
    }
}

/// The reason why a Dockerfile cannot be read, in our words and in those of the validator.
fn unreadable(shown: &str, why: Unreadable) -> (String, String) {
    let hint = "(e.g. index-path=./mypath/bundle.Dockerfile)";
    match why {
        Unreadable::Absent(why) => (
            format!("index-path names `{shown}`, which does not exist"),
            format!(
                "the index image in the path ({shown}) was not found. Please, inform the path of the bundle operator index image via the the optional key values and the key index-path. {hint}. Error : {why}"
            ),
        ),
        Unreadable::Directory => (
            format!("index-path names `{shown}`, which is not a file"),
            format!(
                "the index image in the path ({shown}) is not file. Please, inform the path of its index image via the the optional key values and the key index-path. {hint}. The value informed is a diretory and not a file"
            ),
        ),
    }
}

enum Unreadable {
    Absent(String),
    Directory,
}

fn read(path: &Path) -> Result<String, Unreadable> {
    let absent = |why: std::io::Error| match why.kind() {
        std::io::ErrorKind::NotFound => {
            Unreadable::Absent(format!("stat {}: no such file or directory", path.display()))
        }
        _ => Unreadable::Absent(why.to_string()),
    };
    // Opening a pipe would wait for a writer.
    if !fs::metadata(path).map_err(absent)?.is_file() {
        return Err(Unreadable::Directory);
    }
    let mut text = Vec::new();
    fs::File::open(path).and_then(|it| it.take(MAX_DOCKERFILE).read_to_end(&mut text)).map_err(absent)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
