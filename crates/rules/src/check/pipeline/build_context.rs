//! The directory that a build sees and the values that it gives to arguments: as an option says, as a pipeline of the
//! repository says, or the nearest directory that has the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::dockerfile::{Dockerfile, clean};
use olmdex_base::file::read_regular_of;
use olmdex_fbc::glob_matches;
use olmdex_text::{json, yaml};

/// Where the pipelines of a repository are.
const PIPELINES: &str = ".tekton";

/// The most pipelines and the largest one that are read, and the largest file of arguments.
const MAX_PIPELINES: usize = 1_000;
const MAX_FILE: u64 = 1 << 20;

/// The most sources that a wildcard names.
const MAX_MATCHES: usize = 100_000;

/// How images are built from Dockerfiles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// The directory that sources are copied from.
    pub context: Option<PathBuf>,
    /// The values of arguments.
    pub arguments: BTreeMap<String, String>,
}

impl BuildOptions {
    /// The Dockerfile at a path, if its name and its instructions are those of a catalog's.
    pub fn of_catalog(&self, path: &Path) -> Option<Dockerfile> {
        let dockerfile = if is_dockerfile(path) { self.read(path).ok()? } else { return None };
        dockerfile.is_of_catalog().then_some(dockerfile)
    }

    /// Reads a Dockerfile as it is built: in the context of these options, of the pipeline in `.tekton` that builds it,
    /// or in the nearest directory, up to the root of the repository, that has all that it copies to `/configs`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self, path: &Path) -> io::Result<Dockerfile> {
        let (above, root) = directories_above(path);
        let of_pipeline = root.as_deref().and_then(|root| of_pipeline(root, path));
        let is_of_pipeline = of_pipeline.is_some();
        let Self { context, mut arguments } = of_pipeline.unwrap_or_default();
        arguments.extend(self.arguments.clone());
        let mut dockerfile = Dockerfile { is_of_pipeline, ..Dockerfile::read(path, &arguments)? };
        let known = self.context.clone().or(context);
        if let Some(context) = known.or_else(|| above.into_iter().find(|context| dockerfile.has_sources_in(context))) {
            dockerfile.context = context;
        }
        Ok(dockerfile)
    }
}

/// Whether a path is that of a Dockerfile or a Containerfile, by its name.
pub fn is_dockerfile(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let words = ["dockerfile", "containerfile"];
    words.iter().any(|word| name.starts_with(word) || name.ends_with(word)) && !name.ends_with("ignore")
}

/// The Dockerfiles in a directory and in those above it up to the root of the repository, and in `.konflux` there, the
/// nearest first.
pub fn dockerfiles_near(directory: &Path) -> Vec<PathBuf> {
    let (above, _) = directories_above(&directory.join("Dockerfile"));
    let mut all = Vec::new();
    for directory in above.into_iter().flat_map(|it| [it.join(".konflux"), it].into_iter().rev()) {
        let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
        let names =
            entries.filter(|it| it.file_type().is_ok_and(|it| it.is_file())).map(|it| PathBuf::from(it.file_name()));
        let mut found: Vec<PathBuf> = names.filter(|name| is_dockerfile(name)).collect();
        found.sort();
        let directory = directory.strip_prefix(".").unwrap_or(&directory);
        all.extend(found.into_iter().take(MAX_PIPELINES).map(|name| directory.join(name)));
    }
    all
}

/// The directories of a file, from its own up to the root of its repository, and that root. Without a repository, those
/// that its path names.
fn directories_above(path: &Path) -> (Vec<PathBuf>, Option<PathBuf>) {
    let named = |path: &Path| if path.as_os_str().is_empty() { PathBuf::from(".") } else { path.to_owned() };
    let is_root = |path: &Path| path.join(".git").exists() || path.join(PIPELINES).is_dir();
    let written: Vec<PathBuf> = path.ancestors().skip(1).map(named).collect();
    if let Some(root) = written.iter().position(|it| is_root(it)) {
        return (written[..=root].to_vec(), Some(written[root].clone()));
    }
    let whole = path.canonicalize().unwrap_or_default();
    let whole: Vec<PathBuf> = whole.ancestors().skip(1).map(Path::to_owned).collect();
    match whole.iter().position(|it| is_root(it)) {
        Some(root) => {
            let below = written.len().min(root);
            let above = written[..below].iter().chain(&whole[below..=root]).cloned().collect();
            (above, Some(whole[root].clone()))
        }
        None if path.is_absolute() => (written.into_iter().take(1).collect(), None),
        None => (written, None),
    }
}

/// The context and the arguments with which a pipeline of the repository builds a Dockerfile.
fn of_pipeline(root: &Path, dockerfile: &Path) -> Option<BuildOptions> {
    let entries = std::fs::read_dir(root.join(PIPELINES)).ok()?.flatten().map(|it| it.path());
    let mut files: Vec<PathBuf> = entries.filter(|it| it.extension().is_some_and(|it| it == "yaml")).collect();
    files.sort();
    let wanted = dockerfile.canonicalize().ok()?;
    files.iter().take(MAX_PIPELINES).find_map(|file| {
        let text = read_within(root, file)?;
        // Few pipelines build this file, and to parse all of them takes time.
        let name = dockerfile.file_name()?.to_string_lossy();
        if !String::from_utf8_lossy(&text).contains(&*name) {
            return None;
        }
        yaml::split(&text, 1).find_map(|chunk| {
            let mut converted = Vec::new();
            yaml::to_json(&chunk.ok()?.text, &mut converted).ok()?;
            let converted = String::from_utf8_lossy(&converted);
            let mut reader = json::Reader::new();
            let run = reader.read(&converted).ok()?;
            (run.text_of("kind") == "PipelineRun").then(|| of_run(root, &wanted, run)).flatten()
        })
    })
}

fn of_run(root: &Path, wanted: &Path, run: json::Value<'_>) -> Option<BuildOptions> {
    let parameters: Vec<json::Value<'_>> = run.get("spec")?.get("params")?.items().collect();
    let named = |name: &str| parameters.iter().find(|it| it.text_of("name") == name);
    let text = |name: &str| named(name).map(|it| it.text_of("value")).filter(|it| !it.is_empty());
    let context = clean(&text("path-context").unwrap_or_default());
    let file = text("dockerfile").unwrap_or_else(|| "Dockerfile".to_owned());
    // The task looks for it in the context, and then in the repository.
    let places = [root.join(&context).join(&file), root.join(&file)];
    if !places.iter().any(|place| place.canonicalize().is_ok_and(|place| place == wanted)) {
        return None;
    }
    let mut words: Vec<String> = Vec::new();
    if let Some(file) = text("build-args-file") {
        let text = read_within(root, &root.join(clean(&file))).unwrap_or_default();
        let lines = String::from_utf8_lossy(&text).lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
        words.extend(lines.into_iter().filter(|line| !line.starts_with('#')));
    }
    let listed = named("build-args").and_then(|it| it.get("value"));
    words.extend(listed.into_iter().flat_map(|it| it.items().filter_map(|it| it.as_str().map(|it| it.to_string()))));
    let pairs = words.iter().filter_map(|word| word.split_once('='));
    let arguments = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let context = match (root.as_os_str() == ".", context.is_empty()) {
        (true, false) => PathBuf::from(context),
        (_, true) => root.to_owned(),
        (false, false) => root.join(context),
    };
    Some(BuildOptions { context: Some(context), arguments })
}

/// Reads a small file of a repository. A link may lead to any file of the user, whose text messages would show.
fn read_within(root: &Path, path: &Path) -> Option<Vec<u8>> {
    let is_within = path.canonicalize().ok()?.starts_with(root.canonicalize().ok()?);
    is_within.then(|| read_regular_of(path, MAX_FILE).ok()).flatten()
}

impl Dockerfile {
    /// The paths in the context that a word of `COPY` names, as they are written or by a wildcard; none that leads out
    /// of it.
    pub(super) fn matching(&self, word: &str) -> Vec<String> {
        let mut found = vec![String::new()];
        for part in clean(word).split('/').filter(|part| !part.is_empty()) {
            let mut next = Vec::new();
            for directory in found {
                let plain = joined(&directory, part);
                if self.in_context(&plain).symlink_metadata().is_ok() {
                    next.push(plain);
                    continue;
                }
                if !part.contains(['*', '?', '[', '\\']) {
                    continue;
                }
                let entries = std::fs::read_dir(self.in_context(&directory)).into_iter().flatten().flatten();
                let names = entries.map(|it| it.file_name().to_string_lossy().into_owned());
                let names: BTreeSet<String> =
                    names.filter(|name| glob_matches(part.as_bytes(), name.as_bytes())).take(MAX_MATCHES).collect();
                next.extend(names.iter().map(|name| joined(&directory, name)));
            }
            next.truncate(MAX_MATCHES);
            found = next;
        }
        found.retain(|path| self.is_within(path));
        found
    }

    /// Whether no link on the way leads out of the context.
    fn is_within(&self, path: &str) -> bool {
        let real = |path: PathBuf| path.canonicalize().ok();
        real(self.in_context(path)).zip(real(self.in_context(""))).is_some_and(|(path, root)| path.starts_with(root))
    }

    /// Whether a directory has all that is copied to `/configs` from the context.
    fn has_sources_in(&self, context: &Path) -> bool {
        let copies = self.copies();
        let sources = copies.iter().filter(|it| it.from.is_none() && it.unknown.is_none());
        let mut sources = sources.flat_map(|it| it.words.split_last().map(|it| it.1).unwrap_or_default());
        let there = Self { context: context.to_owned(), ..self.clone() };
        sources.all(|source| !there.matching(source).is_empty())
    }
}

fn joined(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}
