//! The result of operator-sdk's loader for `manifests/`, and why it stops (`docs/behaviour/authoring.md` B.4).

use super::contents::{Contents, Entry, File, Object, Undecodable};
use super::problem::{At, Problem};
use super::table as rules;
use olmdex_fbc::Spot;
use olmdex_text::gotype::{Decoder, GoType, Misfit};

/// The result of the loader for a directory.
pub(super) struct Loaded<'a> {
    /// The first ClusterServiceVersion.
    pub(super) csv: Option<Object<'a>>,
    /// All objects, in the order of the files.
    pub(super) objects: Vec<Object<'a>>,
    pub(super) found: Vec<Problem>,
    /// The error of the real loader.
    pub(super) error: Option<String>,
}

pub(super) const CRD_V1: &str = "apiextensions.k8s.io/v1";
pub(super) const CRD_V1BETA1: &str = "apiextensions.k8s.io/v1beta1";

/// Joins errors as Go does: each once, in brackets if there are several.
fn joined(errors: &[String]) -> String {
    let mut once: Vec<&str> = Vec::new();
    for error in errors {
        if !once.contains(&error.as_str()) {
            once.push(error);
        }
    }
    match once.as_slice() {
        [only] => (*only).to_owned(),
        several => format!("[{}]", several.join(", ")),
    }
}

/// A field of a manifest that does not fit its type.
fn misfitting(file: usize, kind: &str, misfit: Misfit) -> Problem {
    let message = match misfit.field().as_str() {
        "" => format!("the {kind} {}", misfit.message()),
        field => format!("`{field}` {}", misfit.message()),
    };
    Problem::new(rules::MISFIT, At::File(file, Spot::Path(misfit.path)), message, "give the field a value of its type")
}

/// Loads `manifests/`.
pub(super) fn load(contents: &Contents) -> Loaded<'_> {
    let shown = contents.shown("manifests");
    if !contents.has_manifests {
        let error =
            format!("[lstat {shown}: no such file or directory, unable to find a csv in bundle directory {shown}]");
        return Loaded { csv: None, objects: Vec::new(), found: Vec::new(), error: Some(error) };
    }
    let mut loading = Loading { contents, objects: Vec::new(), found: Vec::new(), errors: Vec::new(), stopped: None };
    for (number, file) in contents.manifests() {
        loading.file(number, file);
    }
    loading.finish(&shown)
}

struct Loading<'a> {
    contents: &'a Contents,
    objects: Vec<Object<'a>>,
    found: Vec<Problem>,
    errors: Vec<String>,
    /// The error that ended the real loader before the last file.
    stopped: Option<String>,
}

impl<'a> Loading<'a> {
    fn file(&mut self, number: usize, file: &'a File) {
        let path = self.contents.shown(&file.path);
        let at = At::Path(file.path.clone());
        if file.entry == Entry::Directory {
            let go = format!("bundle manifests dir contains directory: {path}");
            let message = format!("`{}` is a directory", file.path);
            let help = "put all manifests directly into `manifests/`, or move the directory out of it";
            self.refuse(Problem::new(rules::STRAY_MANIFEST, at, message, help), go);
        } else if file.name.starts_with('.') {
            let go = format!("bundle manifests dir has hidden file: {path}");
            let message = format!("`{}` is a hidden file", file.path);
            self.refuse(Problem::new(rules::STRAY_MANIFEST, at, message, "remove the file from `manifests/`"), go);
        } else if file.entry == Entry::Other {
            let go = format!("unable to load file {path}: not a regular file");
            let message = format!("`{}` is not a readable file, or is a symbolic link out of the bundle", file.path);
            let help = "put the manifest itself there, and check its permissions";
            self.refuse(Problem::new(rules::UNREADABLE_MANIFEST, at, message, help), go);
        } else {
            match file.object(number) {
                Ok(object) => self.object(number, file, object),
                Err(error) => self.undecodable(number, file, &error),
            }
        }
    }

    fn undecodable(&mut self, number: usize, file: &File, error: &Undecodable) {
        let spot = error.line.map_or(Spot::Start, |(line, column)| Spot::Line(line, column));
        let reason = match error.go.as_str() {
            "EOF" => "it is empty",
            it if it.contains("Object 'Kind' is missing") => "it has no `kind`",
            it => it.strip_prefix("error converting YAML to JSON: ").unwrap_or(it),
        };
        let message = format!("`{}` is not a Kubernetes object: {reason}", file.path);
        let help = "correct the file, or move it out of `manifests/`";
        let go = format!("unable to decode object: {}", error.go);
        self.refuse(Problem::new(rules::UNREADABLE_MANIFEST, At::File(number, spot), message, help), go);
    }

    fn object(&mut self, number: usize, file: &File, object: Object<'a>) {
        let is_csv = object.kind() == "ClusterServiceVersion";
        let is_first = is_csv && self.csv().is_none();
        self.objects.push(object);
        if is_csv && !is_first {
            let first = self.csv().and_then(|it| self.contents.files.get(it.file)).map_or("", |it| it.path.as_str());
            let message = format!("`{}` is a second ClusterServiceVersion; the first is `{first}`", file.path);
            let found = Problem::new(
                rules::SEVERAL_CSVS,
                At::File(number, Spot::Start),
                message,
                "keep one ClusterServiceVersion in a bundle",
            );
            self.stop(found, "invalid bundle: contains multiple CSVs".to_owned());
        } else if is_csv {
            // Files of JSON are read as YAML, too.
            if let Some(misfit) = GoType::SERVICE_VERSION.misfit(object.value, Decoder::Yaml) {
                let go = format!("error unmarshaling JSON: while decoding JSON: {}", misfit.go);
                let go = format!("unable to parse CSV {}: {go}", file.name);
                self.stop(misfitting(number, "ClusterServiceVersion", misfit), go);
            }
        } else if object.kind() == "CustomResourceDefinition" {
            let version = object.api_version();
            let of = match version.as_str() {
                CRD_V1 => GoType::DEFINITION,
                CRD_V1BETA1 => GoType::OLD_DEFINITION,
                _ => {
                    let go = format!("unsupported CRD version {version} for {}", file.name);
                    let message = format!("`{version}` has no CustomResourceDefinition");
                    let at = At::File(number, Spot::Path(vec!["apiVersion".into()]));
                    let help = "use `apiextensions.k8s.io/v1`";
                    return self.stop(Problem::new(rules::MISFIT, at, message, help), go);
                }
            };
            if let Some(misfit) = of.misfit(object.value, Decoder::Yaml) {
                let go = format!("error unmarshaling JSON: while decoding JSON: {}", misfit.go);
                let go = format!("unable to parse CRD {}: {go}", file.name);
                self.stop(misfitting(number, "CustomResourceDefinition", misfit), go);
            }
        }
    }

    fn csv(&self) -> Option<&Object<'a>> {
        self.objects.iter().find(|it| it.kind() == "ClusterServiceVersion")
    }

    /// The real loader goes on to the next file.
    fn refuse(&mut self, found: Problem, go: String) {
        if self.stopped.is_none() {
            self.errors.push(go.clone());
        }
        self.found.push(found.wording(format!("error loading objs in directory: {go}")));
    }

    /// The real loader has no bundle.
    fn stop(&mut self, found: Problem, go: String) {
        self.found.push(found.wording(format!("error loading objs in directory: {go}")));
        self.stopped.get_or_insert(go);
    }

    fn finish(mut self, shown: &str) -> Loaded<'a> {
        let csv = self.csv().copied();
        let mut errors = Vec::new();
        if csv.is_none() {
            let go = format!("unable to find a csv in bundle directory {shown}");
            let found = Problem::new(
                rules::WITHOUT_CSV,
                At::Path("manifests".to_owned()),
                "`manifests/` has no ClusterServiceVersion",
                "put the ClusterServiceVersion of this version into `manifests/`",
            );
            self.found.push(found.wording(go.clone()));
            errors.push(go);
        } else if let Some(stopped) = self.stopped {
            errors.push(format!("error loading objs in directory: {stopped}"));
            errors.push("no bundle csv found".to_owned());
            errors.push(format!("unable to load bundle from directory {shown}"));
        } else if !self.errors.is_empty() {
            errors.push(format!("error loading objs in directory: {}", joined(&self.errors)));
        }
        let error = (!errors.is_empty()).then(|| joined(&errors));
        Loaded { csv, objects: self.objects, found: self.found, error }
    }
}
