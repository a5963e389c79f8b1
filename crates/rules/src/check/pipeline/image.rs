//! Konflux's checks of the Dockerfile of a fragment: base image, OpenShift, labels, and whether lifecycle data finds
//! its place.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::dockerfile::Dockerfile;
use super::dockerfile_stage::Copied;
use super::outcome::{Outcome, Unchecked, finding};
use super::rules;
use olmdex_base::diag::Finding;
use olmdex_constraint::openshift::Minor;

const CONFIGS_LABEL: &str = "operators.operatorframework.io.index.configs.v1";
const OPENSHIFT_LABEL: &str = "com.redhat.fbc.openshift.version";

/// The repositories that a base image may be in.
const BASES: [&str; 5] = [
    "registry.redhat.io/openshift4/ose-operator-registry",
    "registry.redhat.io/openshift4/ose-operator-registry-rhel9",
    "registry.redhat.io/openshift5/ose-operator-registry",
    "registry.redhat.io/openshift5/ose-operator-registry-rhel9",
    "brew.registry.redhat.io/rh-osbs/openshift-ose-operator-registry-rhel9",
];

/// From here on, lifecycle data is put into catalogs.
const WITH_LIFECYCLES: Minor = Minor { major: 5, minor: 0 };

/// The OpenShift that a Dockerfile names, if it is one and `validate-fbc` understands it: the tag of the base image. A
/// list in a label is not understood.
pub fn openshift_of(dockerfile: &Dockerfile) -> Option<Minor> {
    if dockerfile.label(OPENSHIFT_LABEL).is_some() {
        return None;
    }
    // A base image that is not allowed ends the task before anything else is checked.
    let (base, _) = dockerfile.base().filter(|it| BASES.contains(&repository(it.0)))?;
    let (major, minor) = tag(base).trim_start_matches(|it: char| it.is_ascii_alphabetic()).split_once('.')?;
    let minor = minor.split('.').next()?;
    let number = |it: &str| it.bytes().all(|it| it.is_ascii_digit()).then(|| it.parse().ok()).flatten();
    Some(Minor { major: number(major)?, minor: number(minor)? })
}

/// The outcome of `validate-fbc` and `fbc-inject-lifecycle`.
pub(super) fn check(dockerfile: Option<&Dockerfile>) -> Outcome {
    let Some(dockerfile) = dockerfile else {
        let missing = "no Dockerfile is known to copy the catalog; name it with `--dockerfile`";
        let base = Unchecked::new(rules::VALIDATE_FBC, format!("the base image: {missing}"));
        let unchecked = vec![base, Unchecked::new(rules::INJECT_LIFECYCLE, missing)];
        return Outcome { unchecked, ..Outcome::default() };
    };
    let mut outcome = Outcome::default();
    match dockerfile.base() {
        Some((base, line)) if !base.is_empty() && !base.ends_with([':', '/', '@']) => {
            base_image(dockerfile, base, line, &mut outcome);
        }
        _ => {
            let why = format!("the base image: `{}` does not name it without arguments", dockerfile.shown);
            outcome.unchecked.push(Unchecked::new(rules::VALIDATE_FBC, why));
        }
    }
    if dockerfile.label(CONFIGS_LABEL).is_none() {
        let message = format!("`{CONFIGS_LABEL}` is not set");
        let help = format!("write `LABEL {CONFIGS_LABEL}=/configs`");
        outcome.findings.push(finding(rules::NO_CONFIGS_LABEL, &dockerfile.shown, 1, message, &help));
    }
    match versions(dockerfile) {
        Ok(versions) if versions.is_empty() => {
            let why = "the Dockerfile does not state its OpenShift version";
            outcome.unchecked.push(Unchecked::new(rules::INJECT_LIFECYCLE, why));
        }
        Ok(versions) if versions.iter().all(|it| (it.major, it.minor) >= (WITH_LIFECYCLES.major, 0)) => {
            outcome.findings.extend(lifecycles(dockerfile));
        }
        Ok(_) => {}
        Err(it) => outcome.findings.push(*it),
    }
    outcome
}

fn base_image(dockerfile: &Dockerfile, base: &str, line: u32, outcome: &mut Outcome) {
    let repository = repository(base);
    if !BASES.contains(&repository) {
        let message = format!("the base image is not OpenShift's operator registry: `{base}`");
        let help = "use `registry.redhat.io/openshift4/ose-operator-registry-rhel9` with the tag of the OpenShift \
            version, such as `v4.18`";
        outcome.findings.push(finding(rules::BASE_IMAGE, &dockerfile.shown, line, message, help));
    }
    if tag(base).is_empty() && dockerfile.label(OPENSHIFT_LABEL).is_none() {
        let message = format!("the base image has no tag that states the OpenShift version of the fragment: `{base}`");
        let help = format!("write the tag, as in `{repository}:v4.18`");
        outcome.findings.push(finding(rules::NO_OPENSHIFT, &dockerfile.shown, line, message, &help));
    }
}

/// The name of an image without tag and digest.
fn repository(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or(image);
    match image.rfind(':') {
        Some(at) if !image[at..].contains('/') => &image[..at],
        _ => image,
    }
}

fn tag(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or(image);
    image.get(repository(image).len()..).unwrap_or_default().trim_start_matches(':')
}

/// The OpenShifts that a Dockerfile is for; none if its base image is not known or has no tag.
fn versions(dockerfile: &Dockerfile) -> Result<Vec<Minor>, Box<Finding>> {
    let wrong = |line: u32, message: String, check: &'static str| {
        let help = "write versions as `v4.18` or `4.18`, and in a label as `[\"v4.18\", \"v4.19\"]`";
        Err(Box::new(finding(rules::NO_OPENSHIFT, &dockerfile.shown, line, message, help).check(check)))
    };
    if let Some((value, line)) = dockerfile.label(OPENSHIFT_LABEL) {
        let listed: Vec<String> = serde_json::from_str(value).unwrap_or_default();
        let versions: Option<Vec<Minor>> = listed.iter().map(|it| minor(it)).collect();
        return match versions {
            Some(versions) if !versions.is_empty() => Ok(versions),
            _ => wrong(
                line,
                format!("`{OPENSHIFT_LABEL}` is not a list of OpenShift versions: `{value}`"),
                rules::VALIDATE_FBC,
            ),
        };
    }
    match dockerfile.base().map(|(base, line)| (tag(base), line)) {
        None | Some(("", _)) => Ok(Vec::new()),
        Some((tag, line)) => match minor(tag) {
            Some(it) => Ok(vec![it]),
            // The default of an argument is not what the pipeline builds with.
            None if dockerfile.is_base_by_argument() => Ok(Vec::new()),
            None => wrong(
                line,
                format!("the tag of the base image is not an OpenShift version: `{tag}`"),
                rules::INJECT_LIFECYCLE,
            ),
        },
    }
}

/// `v4.18` or `4.18`, of OpenShift 4 to 9.
fn minor(text: &str) -> Option<Minor> {
    let (major, minor) = text.strip_prefix('v').unwrap_or(text).split_once('.')?;
    let is_plain =
        !minor.is_empty() && minor.bytes().all(|it| it.is_ascii_digit()) && (minor == "0" || !minor.starts_with('0'));
    let major = major.parse().ok().filter(|it| (4..=9).contains(it) && major.len() == 1)?;
    Some(Minor { major, minor: minor.parse().ok().filter(|_| is_plain)? })
}

/// Reports places where lifecycle data would be lost.
fn lifecycles(dockerfile: &Dockerfile) -> Vec<Finding> {
    let shown = &dockerfile.shown;
    let lost = |line: u32, message: String, help: &str| finding(rules::LIFECYCLE_LOST, shown, line, message, help);
    let copies = dockerfile.copies();
    if copies.is_empty() {
        let message = "the Dockerfile copies nothing to `/configs`, so lifecycle data has no place".to_owned();
        return vec![lost(1, message, "copy the directory of the catalog: `COPY catalog /configs`")];
    }
    let wild = copies.iter().find(|it| it.sources.iter().any(|it| it.contains(['*', '?', '[', ']'])));
    if let Some(copy) = wild {
        let message = format!("the copy to `{}` has a wildcard: `{}`", copy.target, copy.sources.join(" "));
        return vec![lost(copy.line, message, "name the directory")];
    }
    let packages = match packages(dockerfile, &copies) {
        Ok(packages) => packages,
        Err((line, message)) => return vec![lost(line, message, "copy the directory of the catalog from the sources")],
    };
    let first = copies.first().map_or(1, |it| it.line);
    let mut found = Vec::new();
    for package in packages {
        let placed =
            copies.iter().filter(|it| it.from.is_none()).find_map(|copy| directory(dockerfile, copy, &package));
        match placed {
            None => {
                let message = format!(
                    "the Dockerfile does not copy the directory of package `{package}` to `/configs`, so its lifecycle \
                    data is lost"
                );
                let help = format!("copy it as a directory: `COPY catalog/{package} /configs/{package}`");
                found.push(lost(first, message, &help));
            }
            Some((directory, line)) if directory.join("lifecycle.json").exists() => {
                let message = format!("`{}` already exists", directory.join("lifecycle.json").display());
                found.push(lost(line, message, "remove it: the pipeline writes it"));
            }
            Some(_) => {}
        }
    }
    found
}

/// The packages that the pipeline sees: by the targets, or else by the directories in the sources.
fn packages(dockerfile: &Dockerfile, copies: &[&Copied]) -> Result<BTreeSet<String>, (u32, String)> {
    let named = copies.iter().filter_map(|it| it.target.trim_matches('/').strip_prefix("configs/"));
    let named: BTreeSet<String> = named.filter_map(|it| it.split('/').next()).map(str::to_owned).collect();
    if !named.is_empty() {
        return Ok(named);
    }
    let mut found = BTreeSet::new();
    for copy in copies.iter().filter(|it| it.from.is_none()) {
        for source in &copy.sources {
            let wrong = |what: &str| (copy.line, format!("`{source}`, which is copied to `{}`, {what}", copy.target));
            let path =
                below(dockerfile, source).ok_or_else(|| wrong("is not below the directory of the Dockerfile"))?;
            if !path.exists() {
                return Err(wrong("does not exist"));
            }
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            let directories = entries.filter(|it| it.file_type().is_ok_and(|it| it.is_dir()));
            let names = directories.map(|it| it.file_name().to_string_lossy().into_owned());
            found.extend(names.filter(|it| !it.starts_with('.')));
        }
    }
    let line = copies.first().map_or(1, |it| it.line);
    let none = || (line, "the copy to `/configs` holds no package directory".to_owned());
    Some(found).filter(|it| !it.is_empty()).ok_or_else(none)
}

/// The directory of a package that an instruction copies, with the line.
fn directory(dockerfile: &Dockerfile, copy: &Copied, package: &str) -> Option<(PathBuf, u32)> {
    let target = copy.target.trim_matches('/');
    if target != "configs" && target.strip_prefix("configs/") != Some(package) {
        return None;
    }
    copy.sources.iter().find_map(|source| {
        let path = below(dockerfile, source)?;
        let is_its_own = target != "configs" && path.file_name().is_some_and(|it| it.to_string_lossy() == package);
        let path = if is_its_own { path } else { path.join(package) };
        path.is_dir().then_some((path, copy.line))
    })
}

/// A path below the context; `None` if it leads out of it.
fn below(dockerfile: &Dockerfile, source: &str) -> Option<PathBuf> {
    let mut depth = 0_usize;
    for part in Path::new(source).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth = depth.checked_sub(1)?,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(dockerfile.context.join(source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_images_come_apart() {
        for (image, expected) in [
            ("a.io/b/c:v4.18", ("a.io/b/c", "v4.18")),
            ("a.io:5000/b/c", ("a.io:5000/b/c", "")),
            ("a.io:5000/b:1@sha256:00", ("a.io:5000/b", "1")),
            ("a.io/b@sha256:00", ("a.io/b", "")),
        ] {
            assert_eq!((repository(image), tag(image)), expected, "{image}");
        }
    }

    #[test]
    fn the_openshift_is_in_the_tag() {
        for (tag, expected) in [
            (":v4.16", Some((4, 16))),
            (":4.17", Some((4, 17))),
            (":v5.0", Some((5, 0))),
            (":v4.17.3", Some((4, 17))),
            (":latest", None),
            ("@sha256:00", None),
        ] {
            let text = format!("FROM {}{tag}", BASES[1]);
            let it = Dockerfile::of(Path::new("D"), &text, &std::collections::BTreeMap::new());
            assert_eq!(openshift_of(&it).map(|it| (it.major, it.minor)), expected, "{tag}");
        }
        for (version, expected) in
            [("v4.9", true), ("4.10", true), ("v4.09", false), ("v3.11", false), ("v10.1", false), ("v4", false)]
        {
            assert_eq!(minor(version).is_some(), expected, "{version}");
        }
    }
}
