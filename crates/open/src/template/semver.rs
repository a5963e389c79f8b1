//! Semver templates: bundles by how stable they are (`docs/behaviour/fbc.md` 5.6).

use std::collections::BTreeMap;

use super::document::Document;
use super::images::Head;
use super::lists::{TemplateImage, check_reference, list, text, wrong_kind};
use super::rules;
use super::streams::{ChannelOptions, Channels, Member, Stream, Width, channels};
use olmdex_base::diag::{Finding, closest};
use olmdex_fbc::Spot;
use olmdex_text::json::{self, Kind, Reader, Step, Value};
use olmdex_version::Version;

/// The content of a semver template.
#[derive(Debug)]
pub(super) struct Semver {
    wanted: ChannelOptions,
    /// The bundles of each stream.
    pub(super) streams: Vec<(Stream, Vec<TemplateImage>)>,
}

/// The package that it generates, without the bundles.
#[derive(Debug)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) channels: Channels,
}

const FIELDS: [&str; 7] = [
    "schema",
    "generateMajorChannels",
    "generateMinorChannels",
    "defaultChannelTypePreference",
    "candidate",
    "fast",
    "stable",
];

impl Semver {
    /// Reads a template.
    ///
    /// # Errors
    /// All errors in it.
    pub(super) fn read(document: &Document) -> Result<Self, Vec<Finding>> {
        let mut findings = Vec::new();
        let mut reader = Reader::new();
        let Ok(value) = reader.read(&document.json) else { return Err(findings) };
        strict(document, value, &[], &FIELDS, &mut findings);
        let major = flag(document, value, "generateMajorChannels", &mut findings);
        let minor = flag(document, value, "generateMinorChannels", &mut findings) || !major;
        let (preference, path) = text(document, value, &[], "defaultChannelTypePreference", &mut findings);
        let preferred = match preference.as_str() {
            "" if minor => Width::Minor,
            "" | "major" => Width::Major,
            _ => Width::Minor,
        };
        let refusal = match preference.as_str() {
            "major" if !major => {
                Some("the template generates no `major` channels: set `generateMajorChannels: true`".to_owned())
            }
            "minor" if !minor => {
                Some("the template generates no `minor` channels: set `generateMinorChannels: true`".to_owned())
            }
            "" | "major" | "minor" => None,
            other => Some(format!("`{other}` is not `major` or `minor`")),
        };
        if let Some(message) = refusal {
            findings.push(rules::PREFERENCE.finding(message).at(document.place(&Spot::Path(path))));
        }
        let mut streams = Vec::new();
        for stream in Stream::ALL {
            let Some((key, it)) = value.get_field_with_key(stream.name()).filter(|it| !it.1.is_null()) else {
                continue;
            };
            let path = vec![Step::Key(key.as_str().unwrap_or_default().into_owned())];
            if it.kind() != Kind::Object {
                findings.push(wrong_kind(document, stream.name(), "an object with `bundles`", it, path));
                continue;
            }
            streams.push((stream, listed(document, it, &path, &mut findings)));
        }
        if findings.is_empty() && streams.iter().all(|it| it.1.is_empty()) {
            let message = "the template lists no bundles";
            let help = "list images below `candidate`, `fast` or `stable`: `bundles: [{image: …}]`";
            findings.push(rules::NO_BUNDLES.finding(message).at(document.place(&Spot::Start)).help(help));
        }
        if findings.is_empty() {
            Ok(Self { wanted: ChannelOptions { major, minor, preferred }, streams })
        } else {
            Err(findings)
        }
    }

    /// The package and its channels, computed from the bundles of the images.
    ///
    /// # Errors
    /// All bundles that do not fit.
    pub(super) fn package(&self, document: &Document, heads: &BTreeMap<&str, Head>) -> Result<Package, Vec<Finding>> {
        let mut findings = Vec::new();
        let mut package: Option<String> = None;
        let mut streams = Vec::new();
        for (stream, listed) in &self.streams {
            let mut members: Vec<Member> = Vec::new();
            for listed in listed {
                let mut refuse = |message: String, help: &str| {
                    let at = Spot::Path(listed.path.clone());
                    findings.push(rules::UNFIT_BUNDLE.finding(message).at(document.place(&at)).help(help));
                };
                let Some(head) = heads.get(listed.image.as_str()) else { continue };
                let name = &head.name;
                let [[found, version, _]] = head.packages.as_slice() else {
                    refuse(format!("`{name}` does not have exactly one `olm.package`"), "correct the bundle");
                    continue;
                };
                let version = match Version::parse(version) {
                    Ok(version) => version,
                    Err(error) => {
                        refuse(format!("`{name}` has the version `{version}`: {error}"), "correct the bundle");
                        continue;
                    }
                };
                let first = package.get_or_insert_with(|| found.clone());
                if first != found {
                    let message =
                        format!("`{name}` belongs to package `{found}`, but the bundles before it belong to `{first}`");
                    refuse(message, "write a template for each package");
                    continue;
                }
                if members.iter().any(|it| it.name == *name) {
                    refuse(format!("`{name}` is listed twice in `{}`", stream.name()), "list it once");
                    continue;
                }
                let same = members.iter().find(|it| it.version.cmp_precedence(&version).is_eq());
                if let Some(Member { name: other, .. }) = same {
                    let message = format!(
                        "the versions of `{name}` and `{other}` have no order: {version}, and the same with other \
                        build metadata"
                    );
                    refuse(message, "list one of them; a substitutes template can substitute one for the other");
                    continue;
                }
                members.push(Member { name: name.clone(), version });
            }
            streams.push((*stream, members));
        }
        match package {
            Some(name) if findings.is_empty() => Ok(Package { name, channels: channels(&streams, self.wanted) }),
            _ => Err(findings),
        }
    }
}

/// The bundles of a stream.
fn listed(document: &Document, stream: Value<'_>, path: &[Step], findings: &mut Vec<Finding>) -> Vec<TemplateImage> {
    strict(document, stream, path, &["bundles"], findings);
    let mut all = Vec::new();
    for (path, item) in list(document, stream, path, "bundles", findings) {
        if item.kind() != Kind::Object {
            findings.push(wrong_kind(document, "bundles", "a list of objects with an `image`", item, path));
            continue;
        }
        strict(document, item, &path, &["image"], findings);
        let n_findings = findings.len();
        let (image, path) = text(document, item, &path, "image", findings);
        let listed = TemplateImage { image, path };
        if findings.len() == n_findings {
            findings.extend(check_reference(document, &listed));
        }
        all.push(listed);
    }
    all
}

fn flag(document: &Document, of: Value<'_>, field: &str, findings: &mut Vec<Finding>) -> bool {
    let Some((key, value)) = of.get_field_with_key(field).filter(|it| !it.1.is_null()) else { return false };
    value.as_bool().unwrap_or_else(|| {
        let path = vec![Step::Key(key.as_str().unwrap_or_default().into_owned())];
        findings.push(wrong_kind(document, field, "`true` or `false`", value, path));
        false
    })
}

/// Members that the schema does not have, and those that are there twice.
fn strict(document: &Document, of: Value<'_>, path: &[Step], fields: &[&str], findings: &mut Vec<Finding>) {
    let mut seen: Vec<String> = Vec::new();
    for (key, _) in of.members() {
        let key = key.as_str().unwrap_or_default().into_owned();
        let at = || Spot::Key([path, &[Step::Key(key.clone())]].concat());
        if seen.contains(&key) {
            let message = format!("the key `{key}` occurs twice");
            findings.push(rules::REPEATED_KEY.finding(message).at(document.place(&at())).help("merge the two"));
        } else if !fields.iter().any(|it| json::fold_eq(&key, it)) {
            let message = format!("a semver template has no field `{key}` here");
            let help = match closest(&key, fields.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("there are {}", fields.join(", ")),
            };
            findings.push(rules::UNKNOWN_FIELD.finding(message).at(document.place(&at())).help(help));
        }
        seen.push(key);
    }
}
