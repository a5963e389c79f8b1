//! The tasks of the hosted pipelines that look at one bundle beside their static tests: `yaml-lint`, `digest-pinning`
//! and `get-supported-versions` (`docs/behaviour/authoring.md` F.3).

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read as _};
use std::path::Path;

use super::file::RepositoryFile;
use super::finding::placed;
use super::operator::{annotations_of, csv_name, path, plain};
use super::publication::OPENSHIFT_VERSIONS;
use super::rules;
use super::suite::Suite;
use crate::bundle::sources::{at, items};
use olmdex_base::diag::{Finding, printable};
use olmdex_base::file::{open_below, system_words};
use olmdex_fbc::{Located, Origin, Spot, Syntax, locate_all};
use olmdex_text::json::{Reader, Step, Value};
use olmdex_text::yaml::{LintProblem, lint};

/// The task that lints the files of a bundle.
pub const YAML_LINT: &str = "yaml-lint";
const DIGEST_PINNING: &str = "digest-pinning";
/// The task that asks which catalogs take a bundle.
pub const SUPPORTED_VERSIONS: &str = "get-supported-versions";

/// No bundle has more files, or directories within directories.
const MAX_FILES: usize = 10_000;

/// No further file is linted after so many findings. One file may have as many.
const MAX_FINDINGS: usize = 10_000;

/// The largest file that is linted, in bytes.
const MAX_LINTED: u64 = 16 << 20;

/// The findings of the tasks about a bundle directory, and the reason why not all of its files were linted.
///
/// # Errors
/// If a directory or a file in it cannot be read.
pub fn hosted_findings(directory: &Path, suite: Suite) -> io::Result<(Vec<Finding>, Option<String>)> {
    let (mut found, mut unlinted) = (Vec::new(), None);
    for file in yaml_files(directory)? {
        match lint_findings(directory, &file)? {
            Some(of_file) => found.extend(of_file),
            None => {
                unlinted = Some(format!("`{}` is larger than {} MiB", printable(&file), MAX_LINTED >> 20));
            }
        }
        // The pipeline ends here, however many there are.
        if found.len() > MAX_FINDINGS {
            break;
        }
    }
    if suite == Suite::Community {
        return Ok((found, unlinted));
    }
    if let Some(csv) = csv_name(&directory.join("manifests"))
        && let Ok(csv) = RepositoryFile::read(directory, &format!("manifests/{csv}"))
    {
        found.extend(pinning(&csv));
    }
    if let Ok(annotations) = annotations_of(directory, "") {
        found.extend(supported_versions(&annotations));
    }
    Ok((found, unlinted))
}

/// The files that yamllint finds in a directory, by their names from there. No link is followed.
fn yaml_files(directory: &Path) -> io::Result<Vec<String>> {
    let (mut files, mut n_seen) = (Vec::new(), 0);
    let mut open = vec![String::new()];
    while let Some(relative) = open.pop() {
        for entry in std::fs::read_dir(directory.join(&relative))? {
            let entry = entry?;
            n_seen += 1;
            if n_seen > MAX_FILES {
                return Err(io::Error::other(format!("it has more than {MAX_FILES} files")));
            }
            let (Ok(name), kind) = (entry.file_name().into_string(), entry.file_type()?) else { continue };
            let below = if relative.is_empty() { name } else { format!("{relative}/{name}") };
            if kind.is_dir() {
                open.push(below);
            } else if kind.is_file() && [".yaml", ".yml"].iter().any(|ending| below.ends_with(ending)) {
                files.push(below);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The errors of yamllint in a file, if it is not too large. Its warnings fail no pipeline.
fn lint_findings(directory: &Path, file: &str) -> io::Result<Option<Vec<Finding>>> {
    let mut text = Vec::new();
    let shown = directory.join(file).to_string_lossy().into_owned();
    let named = |error: io::Error| io::Error::other(format!("`{}`: {}", printable(&shown), system_words(&error)));
    open_below(directory, file).and_then(|file| file.take(MAX_LINTED + 1).read_to_end(&mut text)).map_err(named)?;
    if text.len() as u64 > MAX_LINTED {
        return Ok(None);
    }
    let problems = lint(&text);
    let spots: Vec<Spot> = problems.iter().map(|problem| Spot::Line(problem.line, problem.column)).collect();
    let len = text.len() as u64;
    let origin = Origin { file: 0, line: 1, column: 1, syntax: Syntax::Yaml, offset: 0, len };
    let places = locate_all(&text, origin, &spots.iter().collect::<Vec<_>>());
    let finding = |(problem, place): (LintProblem, Located)| {
        let rule = problem.rule.map(|rule| format!(" ({rule})")).unwrap_or_default();
        let finding = rules::YAML_LINT.finding(format!("{}{rule}", problem.message));
        let help = "correct the line, or write `# yamllint disable-line` behind it";
        finding.help(help).at(place.in_file(&shown)).check(YAML_LINT)
    };
    Ok(Some(problems.into_iter().zip(places).map(finding).collect()))
}

/// An image that a ClusterServiceVersion names.
struct NamedImage {
    name: String,
    image: String,
    at: Vec<Step>,
}

/// The findings of `operator-manifest pin`, and of the comparison with `relatedImages`.
fn pinning(csv: &RepositoryFile) -> Vec<Finding> {
    let mut reader = Reader::new();
    let Ok(value) = reader.read(&csv.json) else { return Vec::new() };
    let related = related_images(value);
    let mut images = related_images(value);
    images.extend(deployed_images(value));
    images.extend(annotated_images(value));
    let add = |finding: Finding, at: &[Step]| placed(finding, DIGEST_PINNING, Some(csv), &Spot::Path(at.to_vec()), "");
    let mut found = Vec::new();
    for image in images.iter().filter(|image| !image.image.contains('@')) {
        let message = format!("the image `{}` is not named by its digest", image.image);
        let help = "write `NAME@sha256:…`; `skopeo inspect` prints the digest";
        found.push(add(rules::UNPINNED.finding(message).help(help), &image.at));
    }
    let distinct: BTreeSet<&str> = images.iter().map(|image| image.image.as_str()).collect();
    if related.len() < distinct.len() {
        let listed: BTreeSet<&str> = related.iter().map(|image| image.image.as_str()).collect();
        let missing = images.iter().find(|image| !listed.contains(image.image.as_str()));
        let first = missing.map(|image| format!(", among them not `{}`", image.image)).unwrap_or_default();
        let message = format!("`relatedImages` lists {} of {} images{first}", related.len(), distinct.len());
        let at = if related.is_empty() { path(["spec"]) } else { path(["spec", "relatedImages"]) };
        found.push(add(rules::UNRELATED.finding(message).help("list all images that the operator uses"), &at));
    }
    let mut by_name: BTreeMap<&str, &str> = BTreeMap::new();
    for image in &images {
        let first = *by_name.entry(&image.name).or_insert(&image.image);
        if first != image.image {
            let message = format!("two images have the name `{}`: `{first}` and `{}`", image.name, image.image);
            let help = "give them different names: `operator-manifest` writes both to `relatedImages`";
            found.push(add(rules::UNRELATED.finding(message).help(help), &image.at));
        }
    }
    found
}

fn related_images(csv: Value<'_>) -> Vec<NamedImage> {
    let listed = items(Some(csv), &["spec", "relatedImages"]);
    let image = |(number, value): (usize, Value<'_>)| {
        let at = [path(["spec", "relatedImages"]), vec![number.into(), "image".into()]].concat();
        Some(NamedImage { name: plain(value.get("name")?)?, image: plain(value.get("image")?)?, at })
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
                    found.push(NamedImage { name, image, at: at(vec!["image".into()]) });
                }
                for (n_variable, variable) in items(Some(container), &["env"]) {
                    let Some((name, image)) = of(variable, "name").zip(of(variable, "value")) else { continue };
                    let Some(name) = name.strip_prefix(PREFIX).map(str::to_lowercase) else { continue };
                    let steps = vec!["env".into(), n_variable.into(), "value".into()];
                    found.push(NamedImage { name, image, at: at(steps) });
                }
            }
        }
    }
    found
}

/// The images in the annotations of any object: `containerImage`, and each word that looks like an image.
fn annotated_images(csv: Value<'_>) -> Vec<NamedImage> {
    let mut found = Vec::new();
    // Each value has the number of the one around it: a path for each would take the square of their depth.
    let mut seen: Vec<(Value<'_>, Option<(usize, Step)>)> = vec![(csv, None)];
    let mut number = 0;
    while let Some(&(value, _)) = seen.get(number) {
        let annotations = at(Some(value), &["metadata", "annotations"]);
        for (key, text) in annotations.into_iter().flat_map(|annotations| annotations.members()) {
            let (Some(key), Some(text)) = (key.as_str(), text.as_str()) else { continue };
            let words: Vec<&str> = if key == "containerImage" { vec![&text] } else { images_in(&text).collect() };
            for image in words {
                let at = [steps_to(&seen, number), path(["metadata", "annotations", &key])].concat();
                found.push(NamedImage { name: annotation_name(image), image: image.to_owned(), at });
            }
        }
        let members = value.members().filter_map(|(key, member)| Some((key.as_str()?.into_owned(), member)));
        let members = members.filter(|(key, _)| key != "metadata").map(|(key, member)| (Step::Key(key), member));
        let inner = members.chain(value.items().enumerate().map(|(number, item)| (number.into(), item)));
        let holders = inner.filter(|(_, value)| value.members().next().is_some() || value.items().next().is_some());
        seen.extend(holders.map(|(step, value)| (value, Some((number, step)))).collect::<Vec<_>>());
        number += 1;
    }
    found
}

/// The path to a value.
fn steps_to(seen: &[(Value<'_>, Option<(usize, Step)>)], number: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut around = seen.get(number);
    while let Some((_, Some((number, step)))) = around {
        steps.push(step.clone());
        around = seen.get(*number);
    }
    steps.reverse();
    steps
}

/// The name that `operator-manifest` gives an image of an annotation.
fn annotation_name(image: &str) -> String {
    let last = image.rsplit('/').next().unwrap_or(image);
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
