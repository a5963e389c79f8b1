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
    /// The refusals: with any of them, the real loader has no bundle.
    pub(super) found: Vec<Problem>,
}

pub(super) const CRD_V1: &str = "apiextensions.k8s.io/v1";
pub(super) const CRD_V1BETA1: &str = "apiextensions.k8s.io/v1beta1";

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
    if !contents.has_manifests {
        // The validator of the format finds the same.
        let at = At::Path(String::new());
        let absent = Problem::new(rules::DIRECTORIES, at, "no directory `manifests/`", "");
        return Loaded { csv: None, objects: Vec::new(), found: vec![absent.reported().tool_only()] };
    }
    let mut loading = Loading { contents, objects: Vec::new(), found: Vec::new() };
    for (number, file) in contents.manifests() {
        loading.file(number, file);
    }
    loading.finish()
}

struct Loading<'a> {
    contents: &'a Contents,
    objects: Vec<Object<'a>>,
    found: Vec<Problem>,
}

impl<'a> Loading<'a> {
    fn file(&mut self, number: usize, file: &'a File) {
        let at = At::Path(file.path.clone());
        if file.entry == Entry::Directory {
            let message = format!("`{}` is a directory", file.path);
            let help = "put all manifests directly into `manifests/`, or move the directory out of it";
            self.refuse(Problem::new(rules::STRAY_MANIFEST, at, message, help));
        } else if file.name.starts_with('.') {
            let message = format!("`{}` is a hidden file", file.path);
            self.refuse(Problem::new(rules::STRAY_MANIFEST, at, message, "remove the file from `manifests/`"));
        } else if file.entry == Entry::Other {
            let message = format!("`{}` is not a readable file, or is a symbolic link out of the bundle", file.path);
            let help = "put the manifest itself there, and check its permissions";
            self.refuse(Problem::new(rules::UNREADABLE_MANIFEST, at, message, help));
        } else {
            match file.object(number) {
                Ok(object) => self.object(number, file, object),
                Err(error) => self.undecodable(number, file, &error),
            }
        }
    }

    fn undecodable(&mut self, number: usize, file: &File, error: &Undecodable) {
        let spot = error.line.map_or(Spot::Start, |(line, column)| Spot::Line(line, column));
        let message = format!("`{}` is not a Kubernetes object: {}", file.path, error.reason);
        let help = match file.second_document() {
            Some(line) => format!(
                "only the text before the first `---` is read: remove that line, so that the text from line {line} on is \
                the first document"
            ),
            None => "correct the file, or move it out of `manifests/`".to_owned(),
        };
        self.refuse(Problem::new(rules::UNREADABLE_MANIFEST, At::File(number, spot), message, help));
    }

    fn object(&mut self, number: usize, file: &File, object: Object<'a>) {
        let is_csv = object.kind() == "ClusterServiceVersion";
        let is_first = is_csv && self.csv().is_none();
        self.objects.push(object);
        if is_csv && !is_first {
            let first = self.csv().and_then(|it| self.contents.files.get(it.file)).map_or("", |it| it.path.as_str());
            let message = format!("`{}` is a second ClusterServiceVersion; the first is `{first}`", file.path);
            let help = "keep one ClusterServiceVersion in a bundle";
            self.refuse(Problem::new(rules::SEVERAL_CSVS, At::File(number, Spot::Start), message, help));
        } else if is_csv {
            // Files of JSON are read as YAML, too.
            if let Some(misfit) = GoType::SERVICE_VERSION.misfit(object.value, Decoder::Yaml) {
                self.refuse(misfitting(number, "ClusterServiceVersion", misfit));
            }
        } else if object.kind() == "CustomResourceDefinition" {
            let version = object.api_version();
            let of = match version.as_str() {
                CRD_V1 => GoType::DEFINITION,
                CRD_V1BETA1 => GoType::OLD_DEFINITION,
                _ => {
                    let message = format!("`{version}` has no CustomResourceDefinition");
                    let at = At::File(number, Spot::Path(vec!["apiVersion".into()]));
                    let help = "use `apiextensions.k8s.io/v1`";
                    return self.refuse(Problem::new(rules::MISFIT, at, message, help));
                }
            };
            if let Some(misfit) = of.misfit(object.value, Decoder::Yaml) {
                self.refuse(misfitting(number, "CustomResourceDefinition", misfit));
            }
        }
    }

    fn csv(&self) -> Option<&Object<'a>> {
        self.objects.iter().find(|it| it.kind() == "ClusterServiceVersion")
    }

    fn refuse(&mut self, found: Problem) {
        self.found.push(found.reported());
    }

    fn finish(mut self) -> Loaded<'a> {
        let csv = self.csv().copied();
        if csv.is_none() {
            let message = "`manifests/` has no ClusterServiceVersion";
            let help = "put the ClusterServiceVersion of this version into `manifests/`";
            self.refuse(Problem::new(rules::WITHOUT_CSV, At::Path("manifests".to_owned()), message, help));
        }
        Loaded { csv, objects: self.objects, found: self.found }
    }
}
