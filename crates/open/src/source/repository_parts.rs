//! The parts of a repository that publishes catalogs: the catalogs that its Dockerfiles make, other catalogs, templates
//! and bundles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::recognized::is_image_set;
use crate::template::template_text;
use olmdex_base::diag::{Listed, counted};
use olmdex_bundle::bundle::{FirstDocument, is_bundle};
use olmdex_bundle::community::is_settings;
use olmdex_fbc::Input;
use olmdex_rules::check::pipeline::{Build, BuildOptions, Dockerfile, is_dockerfile};

/// No repository is listed further.
const MAX_ENTRIES: usize = 200_000;

/// Directories of programs, which publish nothing.
const FOREIGN: [&str; 2] = ["vendor", "node_modules"];

/// The parts of a repository.
#[derive(Debug, Default)]
pub struct RepositoryParts {
    /// The sources, by their paths.
    pub sources: Vec<PathBuf>,
    /// The catalogs among them of which no image is made, although others have one: no Dockerfile copies them, or no
    /// pipeline builds theirs.
    pub unbuilt: BTreeSet<PathBuf>,
    /// The parts that cannot be checked, and why, in words.
    pub unknown: Vec<String>,
}

impl RepositoryParts {
    /// The parts of a directory; `None` if it has none of which an image is made, so that it is one source.
    pub fn of(directory: &Path, builds: &BuildOptions) -> Option<Self> {
        let found = Walk::below(directory);
        let mut parts = Self::default();
        if found.is_cut {
            let directory = directory.display();
            parts.unknown.push(format!("`{directory}` beyond its first {MAX_ENTRIES} files and directories"));
        }
        let dockerfiles: Vec<Dockerfile> = found.dockerfiles.iter().filter_map(|it| builds.of_catalog(it)).collect();
        let n_images = dockerfiles.len();
        if n_images == 0 && found.bundles.is_empty() {
            return None;
        }
        let covered = parts.add_images(dockerfiles);
        let is_covered = |path: &Path| path.canonicalize().is_ok_and(|path| covered.contains(&path));
        let (mut blobs, mut others) = (Vec::new(), BTreeSet::new());
        for path in found.files {
            let input = Input::file(&path);
            let Some(file) = input.files.first() else { continue };
            let ending = path.extension().map(|it| it.to_ascii_lowercase());
            let is_document = ending.is_some_and(|it| it == "yaml" || it == "yml" || it == "json");
            if !is_document || is_covered(&path) {
                others.insert(path);
            } else if template_text(file).is_some() || is_settings(&path) {
                parts.sources.push(path.clone());
                others.insert(path);
            } else if FirstDocument::of(file) == FirstDocument::Blob {
                blobs.push(path);
            } else if is_image_set(file) {
                parts.sources.push(path.clone());
                others.insert(path);
            } else {
                others.insert(path);
            }
        }
        let catalogs = parts.catalogs(directory, &blobs, &others);
        parts.sources.extend(catalogs.iter().cloned());
        parts.unbuilt.extend(catalogs.into_iter().filter(|_| n_images > 0));
        if parts.sources.is_empty() && n_images == 0 {
            // Nothing but bundles is one source.
            return None;
        }
        parts.sources.extend(found.bundles);
        parts.sources.sort();
        Some(parts)
    }

    /// Adds the Dockerfiles of catalogs, and returns the files of these.
    fn add_images(&mut self, dockerfiles: Vec<Dockerfile>) -> BTreeSet<PathBuf> {
        let mut images: Vec<_> = dockerfiles.into_iter().map(|it| (Build::of(&it), it)).collect();
        // Those that a pipeline builds count first.
        images.sort_by_key(|(_, dockerfile)| dockerfile.n_builds == 0);
        let has_pipelines = images.first().is_some_and(|it| it.1.n_builds > 0);
        let mut covered = BTreeSet::new();
        for (build, dockerfile) in images {
            let shown = &dockerfile.shown;
            let files = build.real_files();
            if has_pipelines && dockerfile.n_builds == 0 && files.iter().any(|file| covered.contains(file)) {
                self.unknown.push(format!(
                    "the catalog of `{shown}`: no pipeline in `.tekton` builds it, and others have its files"
                ));
            } else if build.is_known() {
                if has_pipelines && dockerfile.n_builds == 0 {
                    self.unbuilt.insert(dockerfile.path.clone());
                }
                self.sources.push(dockerfile.path);
                covered.extend(files);
            } else {
                covered.extend(files);
                let why = Listed::of(build.unknown_parts());
                self.unknown.push(format!("the catalog that `{shown}` makes: {why}"));
            }
        }
        covered
    }

    /// The catalogs that no Dockerfile makes: the highest directories in which all files are blobs, and single blobs
    /// among other files.
    fn catalogs(&mut self, directory: &Path, blobs: &[PathBuf], others: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let above = |path: &Path| -> Vec<PathBuf> {
            let is_end = |it: &Path| it == directory || it.as_os_str().is_empty();
            let above = path.ancestors().skip(1).take_while(|it| !is_end(it));
            above.map(Path::to_owned).collect()
        };
        let mixed: BTreeSet<PathBuf> = others.iter().flat_map(|path| above(path)).collect();
        let mut roots = BTreeSet::new();
        let mut among_others: BTreeMap<Option<PathBuf>, Vec<&PathBuf>> = BTreeMap::new();
        for blob in blobs {
            let above = above(blob);
            match above.iter().take_while(|it| !mixed.contains(*it)).last() {
                Some(root) => drop(roots.insert(root.clone())),
                None => among_others.entry(above.into_iter().next()).or_default().push(blob),
            }
        }
        for blobs in among_others.into_values() {
            let (catalogs, parts): (Vec<&PathBuf>, Vec<&PathBuf>) = blobs.into_iter().partition(|it| is_whole(it));
            roots.extend(catalogs.into_iter().cloned());
            if let Some(first) = parts.first() {
                let (n, first) = (counted(parts.len() as u64, "file"), first.display());
                let why =
                    format!("{n} with blobs of catalogs among other files, such as `{first}`; name a file to check it");
                self.unknown.push(why);
            }
        }
        roots
    }
}

/// Whether a file is by its name a whole catalog.
fn is_whole(path: &Path) -> bool {
    path.file_stem().is_some_and(|name| name == "catalog" || name == "index")
}

/// The files of a repository that may be parts.
#[derive(Default)]
struct Walk {
    dockerfiles: Vec<PathBuf>,
    bundles: Vec<PathBuf>,
    files: Vec<PathBuf>,
    is_cut: bool,
}

impl Walk {
    fn below(directory: &Path) -> Self {
        let mut found = Self::default();
        let mut n_entries = 0;
        let mut waiting = vec![directory.to_owned()];
        while let Some(path) = waiting.pop() {
            if is_bundle(&path) {
                let releases = ["release-config.yaml", "release-config.yml"].map(|name| path.join(name));
                found.files.extend(releases.into_iter().filter(|file| file.is_file()));
                found.bundles.push(path);
                continue;
            }
            for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
                n_entries += 1;
                if n_entries > MAX_ENTRIES {
                    found.is_cut = true;
                    return found;
                }
                let (name, path) = (entry.file_name(), in_directory(&path, &entry.file_name()));
                let name = name.to_string_lossy();
                let is_hidden = name.starts_with('.') && name != ".konflux";
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && !is_hidden && !FOREIGN.contains(&&*name) => waiting.push(path),
                    Ok(kind) if kind.is_file() && is_dockerfile(&path) => found.dockerfiles.push(path),
                    Ok(kind) if kind.is_file() && !is_hidden => found.files.push(path),
                    _ => {}
                }
            }
        }
        found.dockerfiles.sort();
        found.files.sort();
        found
    }
}

/// A path below a directory as a user writes it.
fn in_directory(directory: &Path, name: &std::ffi::OsStr) -> PathBuf {
    if directory.as_os_str() == "." { PathBuf::from(name) } else { directory.join(name) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::RepositoryParts;
    use olmdex_rules::check::pipeline::BuildOptions;

    const BLOB: &str = "schema: olm.package\nname: till\n";
    const TEMPLATE: &str = "schema: olm.template.basic\nentries: []\n";
    const OTHER: &str = "kind: ConfigMap\n";

    /// Names and texts.
    type Files<'f> = Vec<(&'f str, &'f str)>;

    /// The sources below a directory, `!` in front of those without an image, and `?` in front of what is unknown.
    fn parts(root: &Path) -> Vec<String> {
        let below = |path: &Path| path.strip_prefix(root).unwrap().display().to_string();
        let Some(parts) = RepositoryParts::of(root, &BuildOptions::default()) else { return Vec::new() };
        let mark = |path: &Path| if parts.unbuilt.contains(path) { "!" } else { "" };
        let sources = parts.sources.iter().map(|path| format!("{}{}", mark(path), below(path)));
        let root = format!("{}/", root.display());
        sources.chain(parts.unknown.iter().map(|why| format!("? {}", why.replace(&root, "")))).collect()
    }

    #[test]
    fn the_layouts_of_publishers_are_taken_apart() {
        let copy = |source: &str| format!("FROM a\nCOPY {source} /configs/till/\n");
        let run = |file: &str| format!("kind: PipelineRun\nspec: {{params: [{{name: dockerfile, value: {file}}}]}}\n");
        let (run_a, run_b) = (run("a.Dockerfile"), run("b.Dockerfile"));
        let (first, second, absent) = (copy("catalog/v4.17/catalog.yaml"), copy("catalog/v4.18"), copy("absent"));
        let bundle = [("bundle/manifests/csv.yaml", OTHER), ("bundle/metadata/annotations.yaml", "annotations: {}\n")];
        let catalogs = [("catalog/v4.17/catalog.yaml", BLOB), ("catalog/v4.18/catalog.yaml", BLOB)];
        let cases: &[(&str, Files<'_>, &[&str])] = &[
            ("catalogs of several OpenShifts are one source", catalogs.to_vec(), &[]),
            ("a bundle of a project is one source", bundle.to_vec(), &[]),
            (
                "a bundle beside catalogs",
                [bundle.as_slice(), &catalogs, &[("README.md", "a"), ("config/a.yaml", OTHER)]].concat(),
                &["bundle", "catalog"],
            ),
            (
                "a Dockerfile for one of two catalogs",
                [catalogs.as_slice(), &[("Containerfile.v4-17", &first), ("Dockerfile", "FROM a\nRUN make\n")]]
                    .concat(),
                &["Containerfile.v4-17", "!catalog/v4.18"],
            ),
            (
                "templates beside their catalogs, and other files",
                [
                    catalogs.as_slice(),
                    &[
                        ("a.Dockerfile", &first),
                        ("catalog/v4.17/template.yaml", TEMPLATE),
                        ("catalog/v4.17/README.md", "a"),
                    ],
                ]
                .concat(),
                &["a.Dockerfile", "catalog/v4.17/template.yaml", "!catalog/v4.18"],
            ),
            (
                "a catalog that a pipeline has to render",
                vec![(".konflux/Dockerfile.catalog", &absent), (".konflux/catalog/template.yaml", TEMPLATE)],
                &[
                    ".konflux/catalog/template.yaml",
                    "? the catalog that `.konflux/Dockerfile.catalog` makes: line 2: `absent`, which does not exist in \
                        the context `.konflux`",
                ],
            ),
            (
                "a Dockerfile that no pipeline builds",
                [
                    catalogs.as_slice(),
                    &[
                        ("a.Dockerfile", &first),
                        ("b.Dockerfile", &second),
                        ("all.Dockerfile", "FROM a\nADD catalog /configs\n"),
                    ],
                    &[(".tekton/a.yaml", &run_a), (".tekton/b.yaml", &run_b)],
                ]
                .concat(),
                &[
                    "a.Dockerfile",
                    "b.Dockerfile",
                    "? the catalog of `all.Dockerfile`: no pipeline in `.tekton` builds it, and others have its files",
                ],
            ),
            (
                "the settings of an operator that is published elsewhere, and those of another program",
                [
                    bundle.as_slice(),
                    &catalogs,
                    &[
                        ("ci.yaml", "reviewers: [a]\n"),
                        ("bundle/release-config.yaml", "catalog_templates: []\n"),
                        ("release/release-config.yml", "catalog_templates: []\n"),
                        ("hack/ci.yaml", "merge: true\njobs: []\n"),
                    ],
                ]
                .concat(),
                &["bundle", "bundle/release-config.yaml", "catalog", "ci.yaml", "release/release-config.yml"],
            ),
            (
                "blobs among other files",
                [
                    bundle.as_slice(),
                    &[
                        ("hack/catalog.yaml", BLOB),
                        ("hack/run.sh", "a"),
                        ("test/a.yaml", BLOB),
                        ("test/b.yaml", BLOB),
                        ("test/c.go", ""),
                    ],
                ]
                .concat(),
                &[
                    "bundle",
                    "hack/catalog.yaml",
                    "? 2 files with blobs of catalogs among other files, such as `test/a.yaml`; name a file to check it",
                ],
            ),
            (
                "directories of others",
                [bundle.as_slice(), &[("vendor/a.yaml", BLOB), (".github/a.yaml", BLOB), ("catalog.yaml", BLOB)]]
                    .concat(),
                &["bundle", "catalog.yaml"],
            ),
        ];
        for (title, files, expected) in cases {
            let directory = tempfile::tempdir().unwrap();
            for (name, text) in files.iter().chain(&[(".git/HEAD", "")]) {
                let path = directory.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            assert_eq!(parts(directory.path()), *expected, "{title}");
        }
    }
}
