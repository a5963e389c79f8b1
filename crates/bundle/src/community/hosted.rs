//! The tasks of the hosted pipelines that look at one bundle beside their static tests: `yaml-lint`, `digest-pinning`
//! and `get-supported-versions` (`docs/behaviour/authoring.md` F.3).

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read as _};
use std::path::Path;

use super::file::RepositoryFile;
use super::finding::placed;
use super::operator::{annotations_of, path, plain};
use super::publication::OPENSHIFT_VERSIONS;
use super::rules;
use crate::bundle::sources::{at, items};
use olmdex_base::diag::{Finding, Rule, counted, printable};
use olmdex_base::file::{open_below, system_words};
use olmdex_fbc::{Located, Origin, Spot, Syntax, locate_all};
use olmdex_text::json::{Reader, Step, Value};
use olmdex_text::yaml::{LintProblem, lint};

const YAML_LINT: &str = "yaml-lint";
const DIGEST_PINNING: &str = "digest-pinning";
/// The task that asks which catalogs take a bundle.
pub const SUPPORTED_VERSIONS: &str = "get-supported-versions";

/// The most files and directories of a bundle. More are an error.
const MAX_FILES: usize = 10_000;

/// No further file is linted after so many findings. One file may have as many.
const MAX_FINDINGS: usize = 10_000;

/// The largest file that is linted, and all files of a bundle together, in bytes.
const MAX_LINTED: u64 = 16 << 20;
const MAX_LINTED_TOGETHER: usize = 128 << 20;

/// The most images of a ClusterServiceVersion, and how deep the objects are whose annotations are read. Python, in
/// which `operator-manifest` is written, refuses some more levels.
const MAX_IMAGES: usize = 1_000;
const MAX_LEVELS: usize = 100;

/// The results of the tasks for a bundle.
#[derive(Debug, Default)]
pub struct HostedChecks {
    /// The findings.
    pub findings: Vec<Finding>,
    /// The tasks of which a part was not checked, each with the reason.
    pub unchecked: Vec<(&'static str, String)>,
}

/// The checks of the tasks that look at a bundle directory; only those of certified operators look at its images and
/// its versions of OpenShift.
///
/// # Errors
/// If a directory or a file in it cannot be read.
pub fn hosted_checks(directory: &Path, is_certified: bool) -> io::Result<HostedChecks> {
    let mut checks = HostedChecks::default();
    let (mut csvs, mut n_bytes) = (Vec::new(), 0);
    for file in yaml_files(directory, &mut checks)? {
        let Some(text) = read(directory, &file)? else {
            let why = format!("`{}` is larger than {} MiB", printable(&file), MAX_LINTED >> 20);
            checks.unchecked.push((YAML_LINT, why));
            continue;
        };
        n_bytes += text.len();
        if n_bytes > MAX_LINTED_TOGETHER {
            let why = format!("its files have more than {} MiB together", MAX_LINTED_TOGETHER >> 20);
            checks.unchecked.extend([(YAML_LINT, why.clone()), (DIGEST_PINNING, why)]);
            break;
        }
        // The pipeline ends with the first, however many there are.
        if checks.findings.len() <= MAX_FINDINGS {
            checks.findings.extend(lint_findings(directory, &file, &text));
        }
        if is_certified && csvs.len() < 2 {
            csvs.extend(service_version(directory, &file, text));
        }
    }
    if !is_certified {
        return Ok(checks);
    }
    match csvs.as_slice() {
        [csv] => pinning(csv, &mut checks),
        [] => checks.unchecked.push((DIGEST_PINNING, "no ClusterServiceVersion can be read".to_owned())),
        [_, second, ..] => {
            let finding = rules::UNPINNED.finding("the bundle has more than one ClusterServiceVersion");
            let finding = finding.help("remove all but one");
            checks.findings.push(placed(finding, DIGEST_PINNING, Some(second), &Spot::Start, ""));
        }
    }
    if let Ok(annotations) = annotations_of(directory, "") {
        checks.findings.extend(supported_versions(&annotations));
    }
    Ok(checks)
}

/// The files that yamllint finds in a directory, by their names from there. No link is followed.
fn yaml_files(directory: &Path, checks: &mut HostedChecks) -> io::Result<Vec<String>> {
    let (mut files, mut n_seen, mut n_skipped) = (Vec::new(), 0, 0);
    let mut open = vec![String::new()];
    while let Some(relative) = open.pop() {
        for entry in std::fs::read_dir(directory.join(&relative))? {
            let entry = entry?;
            n_seen += 1;
            if n_seen > MAX_FILES {
                return Err(io::Error::other(format!("it has more than {MAX_FILES} files")));
            }
            let kind = entry.file_type()?;
            let Ok(name) = entry.file_name().into_string() else {
                n_skipped += 1;
                continue;
            };
            let is_yaml = name == ".yamllint" || [".yaml", ".yml"].iter().any(|ending| name.ends_with(ending));
            let below = if relative.is_empty() { name } else { format!("{relative}/{name}") };
            if kind.is_dir() {
                open.push(below);
            } else if kind.is_file() && is_yaml {
                files.push(below);
            } else if is_yaml {
                n_skipped += 1;
            }
        }
    }
    if n_skipped > 0 {
        let skipped = counted(n_skipped, "link or special file");
        checks.unchecked.push((YAML_LINT, format!("olmdex does not read {skipped} in it")));
    }
    files.sort();
    Ok(files)
}

/// The text of a file; `None` if it is too large.
fn read(directory: &Path, file: &str) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    let named = |error: io::Error| io::Error::other(format!("`{}`: {}", printable(file), system_words(&error)));
    open_below(directory, file).and_then(|file| file.take(MAX_LINTED + 1).read_to_end(&mut text)).map_err(named)?;
    Ok(Some(text).filter(|text| text.len() as u64 <= MAX_LINTED))
}

/// The errors of yamllint in a file. Its warnings fail no pipeline.
fn lint_findings(directory: &Path, file: &str, text: &[u8]) -> Vec<Finding> {
    let shown = directory.join(file).to_string_lossy().into_owned();
    let problems = lint(text);
    let spots: Vec<Spot> = problems.iter().map(|problem| Spot::Line(problem.line, problem.column)).collect();
    let len = text.len() as u64;
    let origin = Origin { file: 0, line: 1, column: 1, syntax: Syntax::Yaml, offset: 0, len };
    let places = locate_all(text, origin, &spots.iter().collect::<Vec<_>>());
    let finding = |(problem, place): (LintProblem, Located)| {
        let (rule, help) = match problem.rule {
            Some(rule) => {
                (format!(" ({rule})"), "correct the line; `# yamllint disable-line` behind it is an exception")
            }
            None => (String::new(), "correct the file: the pipeline cannot read it either"),
        };
        let finding = rules::YAML_LINT.finding(format!("{}{rule}", problem.message));
        finding.help(help).at(place.in_file(&shown)).check(YAML_LINT)
    };
    problems.into_iter().zip(places).map(finding).collect()
}

/// A file whose object is a ClusterServiceVersion, whatever its name.
fn service_version(directory: &Path, file: &str, text: Vec<u8>) -> Option<RepositoryFile> {
    let shown = directory.join(file).to_string_lossy().into_owned();
    let file = RepositoryFile::of(shown, text).ok()?;
    let mut reader = Reader::new();
    let is_csv = reader.read(&file.json).is_ok_and(|value| {
        value.get("kind").and_then(|kind| kind.as_str()).is_some_and(|kind| kind == "ClusterServiceVersion")
    });
    is_csv.then_some(file)
}

/// An image that a ClusterServiceVersion names, or the place where it names one by other means.
struct NamedImage {
    name: String,
    image: Option<String>,
    at: Vec<Step>,
}

/// The findings of `operator-manifest pin`, and of the comparison with `relatedImages`.
fn pinning(csv: &RepositoryFile, checks: &mut HostedChecks) {
    let mut reader = Reader::new();
    let Ok(value) = reader.read(&csv.json) else { return };
    let related: Vec<NamedImage> = related_images(value);
    let n_related = related.len();
    let mut images = related;
    images.extend(deployed_images(value));
    let is_whole = annotated_images(value, &mut Vec::new(), &mut images);
    if images.len() > MAX_IMAGES || !is_whole {
        images.truncate(MAX_IMAGES);
        let why = format!("it has more than {MAX_IMAGES} images, or objects in more than {MAX_LEVELS} levels");
        checks.unchecked.push((DIGEST_PINNING, why));
    }
    let mut found: Vec<(&'static Rule, String, &str, Vec<Step>)> = Vec::new();
    for image in &images {
        let Some(reference) = &image.image else {
            let message = format!("`RELATED_IMAGE_{}` has no `value` of its own", image.name.to_uppercase());
            let help = "write the image as `value`: `operator-manifest` refuses `valueFrom`";
            found.push((rules::UNPINNED, message, help, image.at.clone()));
            continue;
        };
        if !reference.contains('@') {
            let message = format!("the image `{reference}` is not named by its digest");
            let help = "write `NAME@sha256:…`; `skopeo inspect` prints the digest";
            found.push((rules::UNPINNED, message, help, image.at.clone()));
        }
    }
    let named = || images.iter().filter_map(|image| Some((image, image.image.as_deref()?)));
    let distinct: BTreeSet<&str> = named().map(|(_, reference)| reference).collect();
    if n_related < distinct.len() {
        let listed: BTreeSet<&str> = named().take(n_related).map(|(_, reference)| reference).collect();
        let missing = distinct.iter().find(|reference| !listed.contains(*reference));
        let first = missing.map(|reference| format!(", among them not `{reference}`")).unwrap_or_default();
        let message = format!("`relatedImages` lists {n_related} of {} images{first}", distinct.len());
        let at = if n_related == 0 { path(["spec"]) } else { path(["spec", "relatedImages"]) };
        found.push((rules::UNRELATED, message, "list all images that the operator uses", at));
    }
    let mut by_name: BTreeMap<&str, &str> = BTreeMap::new();
    for (image, reference) in named() {
        let first = *by_name.entry(&image.name).or_insert(reference);
        if first != reference {
            let message = format!("two images have the name `{}`: `{first}` and `{reference}`", image.name);
            let help = "give them different names: `operator-manifest` writes both to `relatedImages`";
            found.push((rules::UNRELATED, message, help, image.at.clone()));
        }
    }
    let spots: Vec<Spot> = found.iter().map(|(.., at)| Spot::Path(at.clone())).collect();
    for ((rule, message, help, _), place) in found.into_iter().zip(csv.places(&spots)) {
        checks.findings.push(rule.finding(message).help(help).at(place).check(DIGEST_PINNING));
    }
}

fn related_images(csv: Value<'_>) -> Vec<NamedImage> {
    let listed = items(Some(csv), &["spec", "relatedImages"]);
    let image = |(number, value): (usize, Value<'_>)| {
        let at = [path(["spec", "relatedImages"]), vec![number.into(), "image".into()]].concat();
        Some(NamedImage { name: plain(value.get("name")?)?, image: Some(plain(value.get("image")?)?), at })
    };
    listed.filter_map(image).collect()
}

/// The images of containers, and those in their variables `RELATED_IMAGE_…`.
fn deployed_images(csv: Value<'_>) -> Vec<NamedImage> {
    const PREFIX: &str = "RELATED_IMAGE_";
    let mut found = Vec::new();
    let deployments = ["spec", "install", "spec", "deployments"];
    for (n_deployment, deployment) in items(Some(csv), &deployments) {
        for list in ["containers", "initContainers"] {
            let pod = ["spec", "template", "spec", list];
            for (n_container, container) in items(Some(deployment), &pod) {
                let container_at =
                    [path(deployments), vec![n_deployment.into()], path(pod), vec![n_container.into()]].concat();
                let at = |steps: Vec<Step>| [container_at.clone(), steps].concat();
                let of = |value: Value<'_>, key: &str| value.get(key).and_then(plain);
                if let (Some(name), Some(image)) = (of(container, "name"), of(container, "image")) {
                    found.push(NamedImage { name, image: Some(image), at: at(vec!["image".into()]) });
                }
                for (n_variable, variable) in items(Some(container), &["env"]) {
                    let name = of(variable, "name").and_then(|name| Some(name.strip_prefix(PREFIX)?.to_lowercase()));
                    let Some(name) = name else { continue };
                    let image = of(variable, "value").filter(|_| variable.get("valueFrom").is_none());
                    let steps = vec!["env".into(), n_variable.into()];
                    found.push(NamedImage { name, image, at: at(steps) });
                }
            }
        }
    }
    found
}

/// The images in the annotations of any object: `containerImage`, and each word that looks like an image. Whether all
/// annotations were read.
fn annotated_images(value: Value<'_>, steps: &mut Vec<Step>, found: &mut Vec<NamedImage>) -> bool {
    if steps.len() > MAX_LEVELS || found.len() > MAX_IMAGES {
        return false;
    }
    let annotations = at(Some(value), &["metadata", "annotations"]);
    for (key, text) in annotations.into_iter().flat_map(|annotations| annotations.members()) {
        let (Some(key), Some(text)) = (key.as_str(), text.as_str()) else { continue };
        let words: BTreeSet<&str> = match &*key {
            "containerImage" => BTreeSet::from([&*text]),
            _ => images_in(&text).take(MAX_IMAGES + 1).collect(),
        };
        for image in words {
            let at = [steps.clone(), path(["metadata", "annotations", &key])].concat();
            found.push(NamedImage { name: annotation_name(image), image: Some(image.to_owned()), at });
        }
    }
    let members = value.members().filter_map(|(key, member)| Some((Step::from(key.as_str()?.as_ref()), member)));
    let members = members.filter(|(key, _)| *key != Step::from("metadata"));
    let inner = members.chain(value.items().enumerate().map(|(number, item)| (number.into(), item)));
    let mut is_whole = true;
    for (step, value) in inner {
        if value.members().next().is_some() || value.items().next().is_some() {
            steps.push(step);
            is_whole &= annotated_images(value, steps, found);
            steps.pop();
        }
    }
    is_whole
}

/// The name that `operator-manifest` gives an image of an annotation.
fn annotation_name(image: &str) -> String {
    // The host, the namespace, and the rest.
    let last = image.splitn(3, '/').last().unwrap_or(image);
    let (repository, tag) = last.rsplit_once('@').or_else(|| last.rsplit_once(':')).unwrap_or((last, "latest"));
    format!("{repository}-{}-annotation", tag.trim_start_matches("sha256:"))
}

/// The words of a text that `operator-manifest` takes for images: `REGISTRY.DOMAIN/…/NAME:TAG` or with a digest.
fn images_in(text: &str) -> impl Iterator<Item = &str> {
    let is_of_word = |letter: char| letter.is_ascii_alphanumeric() || "/-._@:".contains(letter);
    let words = text.split(move |letter: char| !is_of_word(letter));
    words.map(|word| word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric())).filter(|word| is_image(word))
}

fn is_image(word: &str) -> bool {
    let is_name = |name: &str| {
        let ends = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
        let inner = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
        ends(name.chars().next()) && ends(name.chars().next_back()) && name.chars().all(inner)
    };
    let mut parts: Vec<&str> = word.split('/').collect();
    let (Some(last), true) = (parts.pop(), !parts.is_empty()) else { return false };
    let (host, port) = parts[0].split_once(':').map_or((parts[0], None), |(host, port)| (host, Some(port)));
    let is_port = port.is_none_or(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    let is_tagged = match last.split_once('@') {
        Some((name, digest)) => {
            let digits = digest.strip_prefix("sha256:");
            is_name(name) && digits.is_some_and(|it| it.len() == 64 && it.bytes().all(|byte| byte.is_ascii_hexdigit()))
        }
        None => last.split_once(':').is_some_and(|(name, tag)| is_name(name) && is_name(tag)),
    };
    host.contains('.') && is_name(host) && is_port && parts[1..].iter().all(|part| is_name(part)) && is_tagged
}

/// The catalogs of certified operators take a bundle only for the versions of OpenShift that it names.
fn supported_versions(annotations: &RepositoryFile) -> Option<Finding> {
    let mut reader = Reader::new();
    let all = reader.read(&annotations.json).ok()?.get("annotations");
    let text = all.and_then(|all| all.get(OPENSHIFT_VERSIONS)).and_then(plain);
    if text.is_some_and(|text| !text.is_empty()) {
        return None;
    }
    let message = format!("`{OPENSHIFT_VERSIONS}` is not set, so no catalog of certified operators takes the bundle");
    let help = "write `v4.N` for that version and all later ones, `=v4.N` for that one alone, or a range `v4.A-v4.B`";
    let finding = rules::NO_OPENSHIFT_VERSIONS.finding(message).help(help);
    Some(placed(finding, SUPPORTED_VERSIONS, Some(annotations), &Spot::Path(path(["annotations"])), ""))
}
