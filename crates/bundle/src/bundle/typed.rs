//! Whether the manifests fit the types that opm decodes them into (`docs/behaviour/fbc.md` 4.5).
//!
//! opm decodes in steps, and each step has words of its own around those of the decoder. The first misfit is the error.

use super::error::BundleError;
use super::manifest::Manifest;
use super::written;
use olmdex_fbc::Spot;
use olmdex_text::gotype::{Decoder, GoType, Misfit};
use olmdex_text::json::{Kind, Step, Value};

/// The files of a directory, with their names.
pub(super) type Files = [(String, Vec<u8>)];

/// The directory in the places of findings: [`Files`] have names without it.
const MANIFESTS: &str = "manifests";

/// A misfit of a manifest, with the steps that lead to the value that was decoded.
pub(super) struct Wrong {
    /// The number of the file.
    file: usize,
    misfit: Misfit,
    /// The words of opm around those of the decoder.
    around: String,
}

impl Wrong {
    /// With its place in the files.
    pub(super) fn error(self, files: &Files) -> BundleError {
        let Misfit { path, .. } = &self.misfit;
        let shown = files.get(self.file).map_or_else(String::new, |(name, _)| format!("{MANIFESTS}/{name}"));
        let text = files.get(self.file).map_or(&[][..], |it| &it.1);
        BundleError::Misfit {
            place: Box::new(written::place(&shown, text, &Spot::Path(path.clone()))),
            field: self.misfit.field(),
            message: self.misfit.message(),
            opm: format!("{}{}", self.around, self.misfit.go),
        }
    }

    /// The error, in our words, and its place: the file and the path.
    pub(super) fn parts(&self) -> (usize, &[Step], String) {
        let field = self.misfit.field();
        let message = match field.as_str() {
            "" => format!("the document {}", self.misfit.message()),
            field => format!("`{field}` {}", self.misfit.message()),
        };
        (self.file, &self.misfit.path, message)
    }
}

/// Checks each object by itself: the own fields of a ClusterServiceVersion, and CustomResourceDefinitions as a whole.
pub(super) fn objects(manifests: &[Manifest]) -> Vec<Wrong> {
    let mut all = Vec::new();
    for manifest in manifests.iter().filter(|it| it.is_csv()) {
        for part in [GoType::TYPE_META, GoType::METADATA] {
            add(&mut all, manifest, "", part.misfits(manifest.value(), Decoder::Library));
        }
    }
    for manifest in manifests.iter().filter(|it| it.kind == "CustomResourceDefinition") {
        let Some((known, version)) = definition_type(&manifest.api_version) else { continue };
        let around = format!("error decoding {version} CRD: ");
        match known {
            Some(of) => add(&mut all, manifest, &around, of.misfits(manifest.value(), Decoder::Kubernetes)),
            None => {
                let go = format!(
                    "no kind \"CustomResourceDefinition\" is registered for version \"{}\" in scheme \"pkg/registry/bundle.go\"",
                    manifest.api_version
                );
                let message = format!("is `{}`, which has no CustomResourceDefinitions", manifest.api_version);
                add(&mut all, manifest, &around, vec![Misfit::wording(vec!["apiVersion".into()], message, go)]);
            }
        }
    }
    all
}

/// The type of a definition and its version, if opm looks at it: only the version decides that. There is no type in
/// other groups.
fn definition_type(api_version: &str) -> Option<(Option<GoType>, &str)> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let of = match version {
        "v1" => GoType::DEFINITION,
        "v1beta1" => GoType::OLD_DEFINITION,
        _ => return None,
    };
    Some(((group == "apiextensions.k8s.io").then_some(of), version))
}

/// The APIs that a ClusterServiceVersion lists: those of servers come first.
pub(super) fn apis(csv: &Manifest) -> Vec<Wrong> {
    let mut all = Vec::new();
    let value = csv.value();
    if value.get("spec").is_some_and(|it| !matches!(it.kind(), Kind::Object | Kind::Null)) {
        all.extend(no_fields(csv, value));
        return all;
    }
    for (list, around) in
        [("apiservicedefinitions", "error getting apiservice definitions: "), ("customresourcedefinitions", "")]
    {
        let Some(definitions) = field(value, list) else { continue };
        let found = GoType::LISTED_APIS.misfits(definitions, Decoder::Library);
        add(&mut all, csv, around, found.into_iter().map(|it| below(&["spec", list], it)).collect());
        // opm follows a pointer for each item, and crashes.
        for which in ["owned", "required"] {
            let items = definitions.get_field(which).into_iter().flat_map(|it| it.items()).enumerate();
            for (idx, _) in items.filter(|it| it.1.is_null()) {
                let path = vec!["spec".into(), list.into(), which.into(), idx.into()];
                let (message, go) = ("must be an object, found null".to_owned(), CRASH.to_owned());
                add(&mut all, csv, "", vec![Misfit::wording(path, message, go)]);
            }
        }
    }
    all
}

/// The error with which Go ends when it follows a null pointer.
const CRASH: &str = "runtime error: invalid memory address or nil pointer dereference";

/// The version and the release of a ClusterServiceVersion.
pub(super) fn version(csv: &Manifest) -> Vec<Wrong> {
    let mut all = Vec::new();
    let value = csv.value();
    if let Some(version) = field(value, "version") {
        let found = GoType::TEXT.misfits(version, Decoder::Library);
        add(&mut all, csv, "", found.into_iter().map(|it| below(&["spec", "version"], it)).collect());
    }
    if let Some(release) = field(value, "release") {
        let fits = matches!(release.kind(), Kind::Null | Kind::Number) || release.as_str().is_some();
        if !fits {
            let message = format!("must be a string or a number, found {}", release.kind().words());
            let path = vec!["spec".into(), "release".into()];
            let go = "release field must be a string or number".to_owned();
            add(&mut all, csv, "", vec![Misfit::wording(path, message, go)]);
        }
    }
    all
}

/// The images that a ClusterServiceVersion lists, and those of its deployments.
pub(super) fn images(csv: &Manifest) -> Vec<Wrong> {
    let mut all = Vec::new();
    let value = csv.value();
    if let Some(images) = field(value, "relatedImages") {
        let found = GoType::RELATED_IMAGES.misfits(images, Decoder::Library);
        add(&mut all, csv, "", found.into_iter().map(|it| below(&["spec", "relatedImages"], it)).collect());
    }
    if let Some(spec) = value.get("spec") {
        let found = GoType::DEPLOYMENTS.misfits(spec, Decoder::Library);
        add(&mut all, csv, "", found.into_iter().map(|it| below(&["spec"], it)).collect());
    }
    all
}

/// The edges of a ClusterServiceVersion, which only a legacy catalog asks for.
pub(super) fn edges(csv: &Manifest) -> Vec<Wrong> {
    let mut all = Vec::new();
    let value = csv.value();
    for (name, of) in [("replaces", GoType::TEXT), ("skips", GoType::TEXTS)] {
        let found = field(value, name).map(|it| of.misfits(it, Decoder::Library)).unwrap_or_default();
        add(&mut all, csv, "", found.into_iter().map(|it| below(&["spec", name], it)).collect());
    }
    all
}

fn no_fields(csv: &Manifest, value: Value<'_>) -> Option<Wrong> {
    let spec = value.get("spec")?;
    let message = format!("must be an object, found {}", spec.kind().words());
    let found = spec.kind().name();
    let go = format!("json: cannot unmarshal {found} into Go value of type map[string]*json.RawMessage");
    let misfit = Misfit::wording(vec!["spec".into()], message, go);
    let around = "error getting apiservice definitions: error unmarshaling into object map: ".to_owned();
    Some(Wrong { file: csv.file, misfit, around })
}

/// A field of `spec`, by exactly this name.
fn field<'d>(csv: Value<'d>, name: &str) -> Option<Value<'d>> {
    csv.get("spec")?.get(name).filter(|it| !it.is_null())
}

/// A misfit of a part as one of the whole.
fn below(steps: &[&str], misfit: Misfit) -> Misfit {
    let path = steps.iter().map(|it| Step::from(*it)).chain(misfit.path).collect();
    Misfit { path, ..misfit }
}

fn add(all: &mut Vec<Wrong>, manifest: &Manifest, around: &str, misfits: Vec<Misfit>) {
    let wrong = |misfit| Wrong { file: manifest.file, misfit, around: around.to_owned() };
    all.extend(misfits.into_iter().map(wrong));
}

/// Refuses the first misfit, in the words that opm has around those of a step.
pub(super) fn refuse(wrong: Vec<Wrong>, around: &str, files: &Files) -> Result<(), BundleError> {
    match wrong.into_iter().next() {
        None => Ok(()),
        Some(it) if it.misfit.go == CRASH => Err(it.error(files)),
        Some(it) => Err(Wrong { around: format!("{around}{}", it.around), ..it }.error(files)),
    }
}
