//! The places in a bundle's files that the parts of its blob come from, so that a finding about the blob names a file
//! and a line.

use super::blob::Bundle;
use super::manifest::{Manifest, first_document_within};
use super::written;
use olmdex_base::diag::Place;
use olmdex_fbc::service_version::CsvView;
use olmdex_fbc::{Api, BUNDLE_OBJECT, Provenance, Spot, bundle_object};
use olmdex_text::json::Expansion;
use olmdex_text::json::{Reader, Step, Value};

const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1";

/// A file of a bundle.
#[derive(Debug, Clone, Copy)]
pub struct SourceFile<'f> {
    /// The name in messages.
    pub shown: &'f str,
    /// Its content.
    pub text: &'f [u8],
}

/// A part of the blob, and where it comes from.
struct Part {
    path: Vec<Step>,
    file: usize,
    spot: Spot,
}

/// The provenance of the blob of a bundle with this image. `files` are those that it was read from, in their order.
pub fn made_of(bundle: &Bundle, image: &str, files: &[SourceFile<'_>]) -> Provenance {
    let expansion = Expansion::default();
    let read: Vec<Read> = files.iter().map(|it| Read::of(it.text, &expansion)).collect();
    let Some(csv) = read.iter().position(|it| it.is("ClusterServiceVersion")) else {
        return Provenance::new(Place::at_line(files.first().map_or("", |it| it.shown), 1));
    };
    let mut found = Finder { files: &read, csv, parts: Vec::new() };
    found.names(bundle);
    for (number, (kind, value)) in bundle.properties.iter().enumerate() {
        let path = vec!["properties".into(), number.into()];
        if let Some((file, spot)) = found.property(kind, value) {
            found.parts.push(Part { path, file, spot });
        }
    }
    found.images(&bundle.related_images(image));
    let start = written::place(files[csv].shown, files[csv].text, &Spot::Start);
    let mut made_of = Provenance::new(start);
    let mut parts = found.parts;
    parts.sort_by_key(|it| it.file);
    for of_file in parts.chunk_by(|a, b| a.file == b.file) {
        let Some(file) = of_file.first().and_then(|it| files.get(it.file)) else { continue };
        let spots: Vec<&Spot> = of_file.iter().map(|it| &it.spot).collect();
        for (part, place) in of_file.iter().zip(written::places(file.shown, file.text, &spots)) {
            made_of.add(part.path.clone(), place);
        }
    }
    made_of
}

/// A file that was read.
struct Read {
    /// Its first document as JSON; empty if it has none.
    document: String,
    reader: Reader,
    manifest: Option<Manifest>,
}

impl Read {
    fn of(text: &[u8], expansion: &Expansion) -> Self {
        let mut reader = Reader::new();
        let document = first_document_within(text, expansion)
            .map(|it| it.0)
            .filter(|it| reader.read(it).is_ok())
            .unwrap_or_default();
        Self { document, reader, manifest: Manifest::read(text, 0) }
    }

    fn value(&self) -> Option<Value<'_>> {
        (!self.document.is_empty()).then(|| self.reader.last(&self.document))
    }

    fn is(&self, kind: &str) -> bool {
        self.manifest.as_ref().is_some_and(|it| it.kind == kind)
    }
}

struct Finder<'a> {
    files: &'a [Read],
    csv: usize,
    parts: Vec<Part>,
}

fn path<const N: usize>(names: [&str; N]) -> Vec<Step> {
    names.into_iter().map(Step::from).collect()
}

pub(crate) fn at<'d>(value: Option<Value<'d>>, names: &[&str]) -> Option<Value<'d>> {
    names.iter().fold(value, |value, name| value?.get_field(name))
}

fn text(value: Option<Value<'_>>, names: &[&str]) -> String {
    at(value, names).and_then(|it| it.as_str()).unwrap_or_default().into_owned()
}

pub(crate) fn items<'d>(
    value: Option<Value<'d>>,
    names: &[&str],
) -> impl Iterator<Item = (usize, Value<'d>)> + use<'d> {
    at(value, names).into_iter().flat_map(|it| it.items()).enumerate()
}

impl Finder<'_> {
    fn csv_value(&self) -> Option<Value<'_>> {
        self.files[self.csv].value()
    }

    /// The place of a value of the ClusterServiceVersion.
    fn in_csv(&self, names: &[&str], number: Option<usize>) -> (usize, Spot) {
        let steps = names.iter().map(|it| Step::from(*it)).chain(number.map(Step::from));
        (self.csv, Spot::Path(steps.collect()))
    }

    /// Name and package.
    fn names(&mut self, bundle: &Bundle) {
        let (file, spot) = self.in_csv(&["metadata", "name"], None);
        self.parts.push(Part { path: path(["name"]), file, spot });
        let names_package = |it: &Read| text(it.value(), &["annotations", PACKAGE]) == bundle.package;
        if let Some(file) = self.files.iter().position(names_package) {
            let spot = Spot::Path(path(["annotations", PACKAGE]));
            self.parts.push(Part { path: path(["package"]), file, spot });
        }
    }

    fn property(&self, kind: &str, value: &str) -> Option<(usize, Spot)> {
        let mut reader = Reader::new();
        let read = reader.read(value).ok();
        match kind {
            BUNDLE_OBJECT => {
                let is_it = |it: &Read| it.manifest.as_ref().is_some_and(|it| bundle_object(&it.json) == value);
                let file = self.files.iter().position(is_it);
                // A property that a manifest itself contains, as opposed to one that is made of the manifest, is not
                // found.
                file.map(|it| (it, Spot::Start)).or_else(|| self.listed(kind, read))
            }
            "olm.package" => {
                let listed = self.listed(kind, read);
                Some(listed.unwrap_or_else(|| self.in_csv(&["spec", "version"], None)))
            }
            "olm.gvk" => self.provided(&Api::of_fields(read?)).or_else(|| self.listed(kind, read)),
            "olm.gvk.required" => self.required(&Api::of_fields(read?)).or_else(|| self.listed("olm.gvk", read)),
            "olm.package.required" => self.listed("olm.package", read),
            _ => self.listed(kind, read),
        }
        .or_else(|| {
            let annotation = ["metadata", "annotations", "olm.properties"];
            at(self.csv_value(), &annotation)?;
            Some((self.csv, Spot::Key(path(annotation))))
        })
    }

    /// An item of a list of properties or dependencies: the one with the fields of the value, or the first of its type.
    fn listed(&self, kind: &str, value: Option<Value<'_>>) -> Option<(usize, Spot)> {
        let mut first = None;
        for (file, read) in self.files.iter().enumerate().filter(|it| it.1.manifest.is_none()) {
            for list in ["properties", "dependencies"] {
                for (number, item) in items(read.value(), &[list]).filter(|it| text(Some(it.1), &["type"]) == kind) {
                    let found = (file, Spot::Path(vec![list.into(), number.into()]));
                    if is_of(item.get_field("value"), value) {
                        return Some(found);
                    }
                    first = first.or(Some(found));
                }
            }
        }
        first
    }

    /// The provider of an API: a definition, or the list of APIs of servers.
    fn provided(&self, api: &Api) -> Option<(usize, Spot)> {
        let is_definition = |it: &Read| {
            let names = text(it.value(), &["spec", "names", "kind"]) == api.kind;
            it.is("CustomResourceDefinition") && names && text(it.value(), &["spec", "group"]) == api.group
        };
        if let Some(file) = self.files.iter().position(is_definition) {
            let value = self.files[file].value();
            let version = items(value, &["spec", "versions"]).find(|it| text(Some(it.1), &["name"]) == api.version);
            return Some(match version {
                Some((number, _)) => (file, Spot::Path(vec!["spec".into(), "versions".into(), number.into()])),
                None => (file, Spot::Path(path(["spec", "names", "kind"]))),
            });
        }
        let view = CsvView::of_object(self.csv_value()?);
        let number = view.services("owned").position(|it| it.api == *api)?;
        Some(self.in_csv(&["spec", "apiservicedefinitions", "owned"], Some(number)))
    }

    /// The place where the ClusterServiceVersion requires an API.
    fn required(&self, api: &Api) -> Option<(usize, Spot)> {
        let view = CsvView::of_object(self.csv_value()?);
        if let Some(number) = view.definitions("required").position(|it| it.api == *api) {
            return Some(self.in_csv(&["spec", "customresourcedefinitions", "required"], Some(number)));
        }
        let number = view.services("required").position(|it| it.api == *api)?;
        Some(self.in_csv(&["spec", "apiservicedefinitions", "required"], Some(number)))
    }

    /// The related images of the blob.
    fn images(&mut self, images: &[(String, String)]) {
        for (number, (_, image)) in images.iter().enumerate() {
            if let Some(spot) = self.image(image) {
                let path = vec!["relatedImages".into(), number.into()];
                self.parts.push(Part { path, file: self.csv, spot });
            }
        }
    }

    /// The place where the ClusterServiceVersion names an image.
    fn image(&self, image: &str) -> Option<Spot> {
        let csv = self.csv_value();
        let is_it = |it: &(usize, Value<'_>)| text(Some(it.1), &["image"]) == image;
        if let Some((number, _)) = items(csv, &["spec", "relatedImages"]).find(is_it) {
            return Some(Spot::Path(vec!["spec".into(), "relatedImages".into(), number.into()]));
        }
        let deployments = ["spec", "install", "spec", "deployments"];
        let pod = ["spec", "template", "spec"];
        for (deployment, value) in items(csv, &deployments) {
            for list in ["initContainers", "containers"] {
                let containers = at(Some(value), &pod).and_then(|it| it.get_field(list));
                if let Some((container, _)) = items(containers, &[]).find(is_it) {
                    let mut steps = path(deployments);
                    steps.push(deployment.into());
                    steps.extend(path(pod).into_iter().chain([list.into(), container.into(), "image".into()]));
                    return Some(Spot::Path(steps));
                }
            }
        }
        None
    }
}

/// Whether a property was made of a written value: the texts in both are equal, and there are some. The range of a
/// package has another name in the property.
fn is_of(written: Option<Value<'_>>, property: Option<Value<'_>>) -> bool {
    let (Some(written), Some(property)) = (written, property) else { return false };
    let mut texts = property.members().filter_map(|(key, value)| Some((key.as_str()?, value.as_str()?))).peekable();
    if texts.peek().is_none() {
        return written.as_str() == property.as_str() && written.kind() == property.kind();
    }
    texts.all(|(key, value)| {
        let key = if key == "versionRange" { "version".into() } else { key };
        value.is_empty() || written.get_field(&key).and_then(|it| it.as_str()).is_some_and(|it| it == value)
    })
}
