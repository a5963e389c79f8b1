//! The directory that a build sees and the values that it gives to arguments: as an option says, as a pipeline of the
//! repository says, or the nearest directory that has the sources.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::dockerfile::{CONFIGS, Dockerfile};
use super::dockerfile_stage::{Copied, below, clean, join};
use olmdex_base::file::read_regular_of;
use olmdex_fbc::{glob_matches, is_hidden};
use olmdex_text::{json, yaml};

/// Where the pipelines of a repository are.
const PIPELINES: &str = ".tekton";

/// The largest pipeline and file of arguments that is read, and all pipelines together.
const MAX_FILE: u64 = 1 << 20;
const MAX_ALL: usize = 16 << 20;

/// The most Dockerfiles of one directory.
const MAX_DOCKERFILES: usize = 1_000;

/// The most sources that a wildcard names.
const MAX_MATCHES: usize = 100_000;

/// How images are built from Dockerfiles.
#[derive(Debug, Clone, Default)]
pub struct BuildOptions {
    context: Option<PathBuf>,
    arguments: BTreeMap<String, String>,
    known: KnownRuns,
}

impl BuildOptions {
    /// The directory that sources are copied from, and the values of arguments; those of pipelines where they say
    /// nothing.
    pub fn new(context: Option<PathBuf>, arguments: BTreeMap<String, String>) -> Self {
        Self { context, arguments, known: KnownRuns::default() }
    }

    /// The Dockerfile at a path, if its name and its instructions are those of a catalog's.
    pub fn of_catalog(&self, path: &Path) -> Option<Dockerfile> {
        let is_of_catalog = || Dockerfile::read(path, &self.arguments).is_ok_and(|it| it.is_of_catalog());
        if is_dockerfile(path) && is_of_catalog() { self.read(path).ok() } else { None }
    }

    /// Reads a Dockerfile as it is built: in the context of these options, of the pipeline in `.tekton` that builds it,
    /// or in the nearest directory, up to the root of the repository, that has all that it copies to `/configs`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self, path: &Path) -> io::Result<Dockerfile> {
        let whole = path.canonicalize()?;
        let directory = path.parent().unwrap_or(Path::new(""));
        let (above, root) = directories_above(directory);
        let runs = root.as_deref().map(|root| self.known.of(root)).unwrap_or_default();
        let runs: Vec<&Run> = runs.iter().filter(|run| run.builds(&whole)).collect();
        let mut arguments = runs.first().map(|run| run.arguments.clone()).unwrap_or_default();
        arguments.extend(self.arguments.clone());
        let mut dockerfile = Dockerfile::read(path, &arguments)?;
        let known = self.context.clone().or_else(|| runs.first()?.context.clone());
        if let Some(context) = known.or_else(|| above.into_iter().find(|context| dockerfile.has_sources_in(context))) {
            dockerfile.context = context;
        }
        dockerfile.n_builds = runs.iter().map(|run| (&run.context, &run.arguments)).collect::<BTreeSet<_>>().len();
        dockerfile.root = root.and_then(|root| root.canonicalize().ok());
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
    let (above, _) = directories_above(directory);
    let mut all = Vec::new();
    for directory in above.into_iter().flat_map(|it| [it.join(".konflux"), it].into_iter().rev()) {
        let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
        let names =
            entries.filter(|it| it.file_type().is_ok_and(|it| it.is_file())).map(|it| PathBuf::from(it.file_name()));
        let mut found: Vec<PathBuf> = names.filter(|name| is_dockerfile(name)).collect();
        found.sort();
        let directory = directory.strip_prefix(".").unwrap_or(&directory);
        all.extend(found.into_iter().take(MAX_DOCKERFILES).map(|name| directory.join(name)));
    }
    all
}

/// A directory and those above it up to the root of its repository, and that root; without a repository, up to the
/// present directory. They are named from there.
fn directories_above(directory: &Path) -> (Vec<PathBuf>, Option<PathBuf>) {
    let own = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let (Ok(whole), Ok(here)) = (own.canonicalize(), Path::new(".").canonicalize()) else {
        return (vec![own.to_owned()], None);
    };
    let above: Vec<&Path> = whole.ancestors().collect();
    let is_root = |path: &&Path| path.join(".git").exists() || path.join(PIPELINES).is_dir();
    let root = above.iter().position(is_root);
    let end = root.or_else(|| above.iter().position(|it| *it == here)).unwrap_or(0);
    // The user's own names are kept as far as they go up the same way.
    let written: Vec<&Path> = own.ancestors().collect();
    let or_here = |path: &Path| if path.as_os_str().is_empty() { PathBuf::from(".") } else { path.to_owned() };
    let name = |(at, path): (usize, &Path)| {
        let written = written.get(at).map(|it| or_here(it));
        let is_same = |it: &PathBuf| it.canonicalize().is_ok_and(|it| it == path);
        written.filter(is_same).unwrap_or_else(|| path.strip_prefix(&here).map_or(path.to_owned(), or_here))
    };
    let names: Vec<PathBuf> = above.into_iter().take(end + 1).enumerate().map(name).collect();
    let root = root.and_then(|root| names.get(root).cloned());
    (names, root)
}

/// The builds of the pipelines of repositories, by their roots: each is read once.
#[derive(Debug, Clone, Default)]
struct KnownRuns(Arc<Mutex<BTreeMap<PathBuf, Arc<Vec<Run>>>>>);

/// A build of a pipeline.
#[derive(Debug)]
struct Run {
    /// The Dockerfile, where it may be.
    dockerfile: [PathBuf; 2],
    /// The context, if it is known and no hidden directory.
    context: Option<PathBuf>,
    arguments: BTreeMap<String, String>,
}

impl KnownRuns {
    fn of(&self, root: &Path) -> Arc<Vec<Run>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let runs = known.entry(root.to_owned()).or_insert_with(|| Arc::new(runs_of(root)));
        Arc::clone(runs)
    }
}

/// The builds of the pipelines of a repository.
fn runs_of(root: &Path) -> Vec<Run> {
    let entries = std::fs::read_dir(root.join(PIPELINES)).into_iter().flatten().flatten().map(|it| it.path());
    let is_yaml = |it: &PathBuf| it.extension().is_some_and(|it| it == "yaml" || it == "yml");
    let mut files: Vec<PathBuf> = entries.filter(is_yaml).collect();
    files.sort();
    let (mut runs, mut room) = (Vec::new(), MAX_ALL);
    for text in files.iter().filter_map(|file| read_within(root, file)) {
        let Some(left) = room.checked_sub(text.len()) else { break };
        room = left;
        for chunk in yaml::split(&text, 1).filter_map(Result::ok) {
            let mut converted = Vec::new();
            if yaml::to_json(&chunk.text, &mut converted).is_err() {
                continue;
            }
            let converted = String::from_utf8_lossy(&converted);
            let mut reader = json::Reader::new();
            let run = reader.read(&converted).ok().filter(|run| run.text_of("kind") == "PipelineRun");
            runs.extend(run.and_then(|run| Run::read(root, run)));
        }
    }
    runs
}

impl Run {
    fn read(root: &Path, run: json::Value<'_>) -> Option<Self> {
        let spec = run.get("spec")?;
        let given: Vec<json::Value<'_>> = spec.get("params").into_iter().flat_map(|it| it.items()).collect();
        let declared = spec.get("pipelineSpec").and_then(|it| it.get("params"));
        let declared: Vec<json::Value<'_>> = declared.into_iter().flat_map(|it| it.items()).collect();
        let of_run = given.iter().map(|it| (it, "value"));
        let parameters: Vec<_> = of_run.chain(declared.iter().map(|it| (it, "default"))).collect();
        let named = |name: &str| {
            let mut own = parameters.iter().filter(|it| it.0.text_of("name") == name);
            own.find_map(|(parameter, field)| parameter.get(field))
        };
        // The cluster fills in references.
        let is_plain = |text: &str| !text.is_empty() && !text.contains("$(") && !text.contains("{{");
        let text = |name: &str| named(name)?.as_str().map(Cow::into_owned).filter(|it| is_plain(it));
        let is_known =
            named("path-context").is_none_or(|it| it.as_str().is_some_and(|it| it.is_empty() || is_plain(&it)));
        let context = clean(&text("path-context").unwrap_or_default());
        let file = clean(&text("dockerfile").unwrap_or_else(|| "Dockerfile".to_owned()));
        let mut words: Vec<String> = Vec::new();
        if let Some(file) = text("build-args-file") {
            let text = read_within(root, &root.join(clean(&file))).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            words.extend(text.lines().map(str::trim).filter(|line| !line.starts_with('#')).map(str::to_owned));
        }
        let listed = named("build-args");
        words.extend(listed.into_iter().flat_map(|it| it.items().filter_map(|it| Some(it.as_str()?.into_owned()))));
        let pairs = words.iter().filter_map(|word| word.split_once('='));
        Some(Self {
            // The task looks for it in the context, and then in the repository.
            dockerfile: [root.join(&context).join(&file), root.join(&file)],
            arguments: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            context: Some(match (root.as_os_str() == ".", context.is_empty()) {
                (true, false) => PathBuf::from(&context),
                (_, true) => root.to_owned(),
                (false, false) => root.join(&context),
            })
            .filter(|_| is_known && !is_hidden_source(Path::new(&context))),
        })
    }

    /// Whether it builds a Dockerfile, given by its real path.
    fn builds(&self, dockerfile: &Path) -> bool {
        let is_it = |place: &PathBuf| place.canonicalize().is_ok_and(|place| place == dockerfile);
        self.dockerfile.iter().find(|place| place.is_file()).is_some_and(is_it)
    }
}

/// Whether a path below the root of a repository is in a hidden directory. Repositories have the sources of their
/// images in `.konflux`.
pub fn is_hidden_source(path: &Path) -> bool {
    is_hidden(path.strip_prefix(".konflux").unwrap_or(path))
}

/// Reads a small file of a repository. A link may lead to any file of the user, whose text messages would show.
fn read_within(root: &Path, path: &Path) -> Option<Vec<u8>> {
    let is_within = path.canonicalize().ok()?.starts_with(root.canonicalize().ok()?);
    is_within.then(|| read_regular_of(path, MAX_FILE).ok()).flatten()
}

impl Dockerfile {
    /// The paths in the context that a word of `COPY` names, as they are written or by a wildcard.
    pub(super) fn matching(&self, word: &str) -> Vec<String> {
        let mut found = vec![String::new()];
        for part in clean(word).split('/').filter(|part| !part.is_empty()) {
            let mut next = Vec::new();
            for directory in found {
                let plain = join(&directory, part);
                if self.in_context(&plain).symlink_metadata().is_ok() {
                    next.push(plain);
                    continue;
                }
                if !part.contains(['*', '?', '[', '\\']) || self.has_link(&directory) {
                    continue;
                }
                let entries = std::fs::read_dir(self.in_context(&directory)).into_iter().flatten().flatten();
                let names = entries.map(|it| it.file_name().to_string_lossy().into_owned());
                let names: BTreeSet<String> =
                    names.filter(|name| glob_matches(part.as_bytes(), name.as_bytes())).take(MAX_MATCHES).collect();
                next.extend(names.iter().map(|name| join(&directory, name)));
            }
            next.truncate(MAX_MATCHES);
            found = next;
        }
        found
    }

    /// Whether a path of the context is a link, or lies behind one, which may lead anywhere.
    pub(super) fn has_link(&self, path: &str) -> bool {
        let real = |path: &str| self.in_context(path).canonicalize().ok();
        real(path).zip(real("")).is_none_or(|(real, context)| real != context.join(path))
    }

    /// Whether a directory has all that is copied to `/configs` from the context, or, if only other stages copy from
    /// it, all that they copy.
    fn has_sources_in(&self, context: &Path) -> bool {
        let known = |it: &&Copied| it.from.is_none() && it.unknown.is_none();
        let is_near = |it: &&Copied| below(&it.place(), CONFIGS).is_some();
        let mut copies: Vec<&Copied> = self.all_copies().filter(known).filter(is_near).collect();
        if copies.is_empty() {
            copies = self.all_copies().filter(known).collect();
        }
        let there = Self { context: context.to_owned(), ..self.clone() };
        copies.iter().flat_map(|it| it.built_sources()).all(|source| !there.matching(source).is_empty())
    }
}
