//! Templates compared with the catalogs that were rendered from them. A basic template holds packages, channels and
//! deprecations as they are in the catalog (`docs/behaviour/fbc.md` 5.6), and names the images of its bundles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use olmdex_base::diag::{Finding, Listed, Place, counted, printable};
use olmdex_fbc::{Document, Entry, Input, Origin, Package, Typed, load_all};
use olmdex_open::oci::Mirrors;
use olmdex_rules::check::practice::rules::TEMPLATE_NOT_RENDERED;

/// The parts of a message that are listed.
const MAX_LISTED: usize = 4;

/// The templates and catalogs of one check.
#[derive(Debug, Default)]
pub struct TemplateCopies {
    templates: Vec<KnownTemplate>,
    catalogs: Vec<Input>,
    mirrors: Mirrors,
}

#[derive(Debug)]
struct KnownTemplate {
    shown: String,
    directory: PathBuf,
    packages: BTreeMap<String, PackageCopy>,
}

/// The content of a package that a template and its catalog share, in any order.
#[derive(Debug, Default)]
struct PackageCopy {
    /// The documents by their names in messages, each with a text for what it says.
    documents: BTreeMap<String, String>,
    /// The images of its bundles.
    images: Vec<String>,
    /// Its `olm.package`.
    place: Option<Origin>,
}

impl TemplateCopies {
    /// None yet; images are equal whose digests are, or whose names by these mirrors.
    pub fn with_mirrors(mirrors: Mirrors) -> Self {
        Self { mirrors, ..Self::default() }
    }

    /// Adds a basic template with its catalog, and the images that it names.
    pub fn add_template(&mut self, shown: &str, catalog: &Input, images: &[String]) {
        let mut packages = packages_of(catalog);
        let mut all = packages.values_mut();
        if let (Some(only), None) = (all.next(), all.next()) {
            only.images = images.to_vec();
        }
        let directory = real(Path::new(shown)).parent().unwrap_or(Path::new("")).to_owned();
        self.templates.push(KnownTemplate { shown: shown.to_owned(), directory, packages });
    }

    /// Adds a catalog.
    pub fn add_catalog(&mut self, catalog: &Input) {
        self.catalogs.push(catalog.clone());
    }

    /// The packages of catalogs that are not what the template beside or above them renders. The nearest template
    /// counts; if several are equally near, nobody knows which it is. Where one of several catalogs below a template is
    /// what it renders, the others are of older releases.
    pub fn findings(&self) -> Vec<Finding> {
        if self.templates.is_empty() {
            return Vec::new();
        }
        let mut findings = Vec::new();
        let directories: BTreeSet<&Path> = self.templates.iter().map(|template| template.directory.as_path()).collect();
        let is_below = |path: &str| real(Path::new(path)).ancestors().any(|above| directories.contains(above));
        let is_near = |catalog: &&Input| catalog.files.iter().any(|file| is_below(&file.shown));
        let mut matched: BTreeSet<(&str, String)> = BTreeSet::new();
        for catalog in self.catalogs.iter().filter(is_near) {
            for (name, package) in packages_of(catalog) {
                let Some(origin) = package.place else { continue };
                let Some(file) = catalog.files.get(origin.file as usize) else { continue };
                let Some((template, wanted)) = self.nearest(&real(Path::new(&file.shown)), &name) else { continue };
                let differences = differences(wanted, &package, &self.mirrors);
                let copied = (template.shown.as_str(), name.clone());
                if differences.is_empty() {
                    matched.insert(copied);
                    continue;
                }
                let template = printable(&template.shown);
                let listed = Listed::of(&differences).at_most(MAX_LISTED);
                let message = format!("package `{name}` is not what `{template}` renders: {listed}");
                let help = "render it again with `olmdex template render`, or correct the template; `olmdex diff` \
                    shows more";
                let place = Place::at(&file.shown, origin.line, origin.column);
                findings.push((copied, TEMPLATE_NOT_RENDERED.finding(message).help(help).at(place).of_package(name)));
            }
        }
        findings.retain(|(copied, _)| !matched.contains(copied));
        findings.into_iter().map(|(_, finding)| finding).collect()
    }

    fn nearest(&self, file: &Path, package: &str) -> Option<(&KnownTemplate, &PackageCopy)> {
        let above = self.templates.iter().filter(|template| file.starts_with(&template.directory));
        let of_package: Vec<(&KnownTemplate, &PackageCopy)> =
            above.filter_map(|template| Some((template, template.packages.get(package)?))).collect();
        let depth = |template: &KnownTemplate| template.directory.components().count();
        let deepest = of_package.iter().map(|(template, _)| depth(template)).max()?;
        let mut nearest = of_package.into_iter().filter(|(template, _)| depth(template) == deepest);
        nearest.next().filter(|_| nearest.next().is_none())
    }
}

/// A path without links and dots, if it is there.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The differences between a package of a template and that of the catalog, in words.
fn differences(template: &PackageCopy, catalog: &PackageCopy, mirrors: &Mirrors) -> Vec<String> {
    let names: BTreeSet<&String> = template.documents.keys().chain(catalog.documents.keys()).collect();
    let mut found = Vec::new();
    for name in names {
        match (template.documents.get(name), catalog.documents.get(name)) {
            (Some(_), None) => found.push(format!("{name} is only in the template")),
            (None, Some(_)) => found.push(format!("{name} is only in the catalog")),
            (wanted, written) if wanted != written => found.push(format!("{name} differs")),
            _ => {}
        }
    }
    // A template of several packages does not say whose its images are.
    if template.images.is_empty() {
        return found;
    }
    let identities = |images: &[String]| images.iter().map(|image| mirrors.identity(image)).collect::<BTreeSet<_>>();
    let only = |these: &[String], others: &[String], owner: &str| {
        let others = identities(others);
        let only: BTreeMap<String, &String> = these.iter().map(|image| (mirrors.identity(image), image)).collect();
        let only: Vec<&String> =
            only.into_iter().filter(|(id, _)| !others.contains(id)).map(|(_, image)| image).collect();
        let first = only.first()?;
        let more = only.len() as u64 - 1;
        let others = if more > 0 { format!(" and {}", counted(more, "more image")) } else { String::new() };
        let verb = if more > 0 { "are" } else { "is" };
        Some(format!("`{first}`{others} {verb} only in the {owner}"))
    };
    found.extend(only(&template.images, &catalog.images, "template"));
    found.extend(only(&catalog.images, &template.images, "catalog"));
    found
}

/// A document as [`PackageCopy`] has it: its name with what it says, and its place if it is an `olm.package`; or the
/// image of a bundle.
enum Part {
    Named(String, String, Option<Origin>),
    Image(String),
}

/// The package of a document, and its part.
fn part_of(document: Document<'_>) -> Option<(String, Part)> {
    let blob = document.blob.ok()?;
    Some(match &blob.typed {
        Typed::Package(package) => {
            let name = package.name.to_string();
            let text = package_text(package);
            (name.clone(), Part::Named(format!("package `{name}`"), text, Some(document.origin)))
        }
        Typed::Channel(channel) => {
            let mut entries: Vec<Entry> = channel.entries.iter().flatten().map(Entry::from).collect();
            entries.sort_by(|one, other| one.name.cmp(&other.name));
            entries.iter_mut().for_each(|entry| entry.skips.sort());
            let name = format!("channel `{}`", channel.name);
            (channel.package.to_string(), Part::Named(name, format!("{entries:?}"), None))
        }
        Typed::Deprecations(deprecations) => {
            let mut entries: Vec<String> =
                deprecations.entries.iter().flatten().map(|entry| format!("{entry:?}")).collect();
            entries.sort();
            (deprecations.package.to_string(), Part::Named("deprecations".to_owned(), entries.concat(), None))
        }
        Typed::Bundle(bundle) if !bundle.image.is_empty() => {
            (bundle.package.to_string(), Part::Image(bundle.image.to_string()))
        }
        Typed::Bundle(_) | Typed::Other => return None,
    })
}

fn package_text(package: &Package<'_>) -> String {
    let icon = package.icon.as_ref().map(|icon| (&icon.data, &icon.mediatype));
    format!("{:?}", (&package.default_channel, package.description.trim(), icon))
}

fn packages_of(catalog: &Input) -> BTreeMap<String, PackageCopy> {
    let mut packages: BTreeMap<String, PackageCopy> = BTreeMap::new();
    for (package, part) in load_all(catalog, &part_of).into_iter().flatten() {
        let copy = packages.entry(package).or_default();
        match part {
            Part::Named(name, text, place) => {
                copy.place = place.or(copy.place.take());
                copy.documents.insert(name, text);
            }
            Part::Image(image) => copy.images.push(image),
        }
    }
    packages
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const HEAD: &str = "{\"schema\": \"olm.package\", \"name\": \"till\"}\n";

    fn catalog(shown: &str, images: &[&str]) -> Input {
        let bundle = |image: &&str| {
            format!(
                "{{\"schema\": \"olm.bundle\", \"name\": \"{image}\", \"package\": \"till\", \"image\": \"{image}\"}}\n"
            )
        };
        let text = HEAD.to_owned() + &images.iter().map(bundle).collect::<String>();
        Input::bytes(shown, Arc::from(text.into_bytes()))
    }

    #[test]
    fn mirrored_images_are_equal() {
        let directory = tempfile::tempdir().unwrap();
        let set = directory.path().join("set.yaml");
        let text = "kind: ImageDigestMirrorSet\nspec:\n  imageDigestMirrors:\n  - source: registry.example.com/till\n    \
            mirrors: [quay.io/build/till]\n";
        std::fs::write(&set, text).unwrap();
        let findings = |template: &[&str], released: &[&str], has_mirrors: bool| {
            let mut mirrors = Mirrors::default();
            if has_mirrors {
                mirrors.add_file(&set).unwrap();
            }
            let mut copies = TemplateCopies::with_mirrors(mirrors);
            let images: Vec<String> = template.iter().map(|image| (*image).to_owned()).collect();
            copies.add_template("t/template.yaml", &catalog("t/template.yaml", &[]), &images);
            copies.add_catalog(&catalog("t/catalog.yaml", released));
            copies.findings().len()
        };
        let (built, released) = ("quay.io/build/till:v1", "registry.example.com/till:v1");
        for (template, catalog, has_mirrors, n_findings) in [
            (built, built, false, 0),
            (built, released, false, 1),
            (built, released, true, 0),
            (built, "registry.example.com/till:v2", true, 1),
            ("quay.io/a@sha256:aa", "quay.io/b@sha256:aa", false, 0),
            ("quay.io/a@sha256:aa", "quay.io/a@sha256:bb", true, 1),
        ] {
            assert_eq!(findings(&[template], &[catalog], has_mirrors), n_findings, "{template} {catalog}");
        }
    }
}
