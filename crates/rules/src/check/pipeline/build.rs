//! The catalog in the image that a Dockerfile makes: the files that its instructions put below `/configs`, as `docker
//! build`, BuildKit and buildah decide it.
//!
//! Nothing is built: commands that may change that directory, and images that nobody has read, are noted as unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::build_ignore::BuildIgnore;
use super::dockerfile::{CONFIGS, Dockerfile};
use super::dockerfile_stage::{Copied, Step, are_related, below, clean, join};

/// How many files, directories, and patterns that may hide them, are looked at for one image.
const MAX_WORK: usize = 2_000_000;

/// How much a file or a directory of a context counts.
const ENTRY: usize = 20;

/// Stages may copy from each other, again and again.
const MAX_LOOKS: usize = 1_000;

/// Commands that leave the files of an image as they are.
const READERS: [&str; 22] = [
    "chmod",
    "chown",
    "chgrp",
    "ls",
    "test",
    "cat",
    "du",
    "echo",
    "true",
    "set",
    "cd",
    "stat",
    "mkdir",
    "cut",
    "sha1sum",
    "sha256sum",
    "md5sum",
    "grep",
    "head",
    "wc",
    "diff",
    "cmp",
];

/// A file of the context that is in an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltFile {
    /// Its path in the context.
    pub path: PathBuf,
    /// The line of the Dockerfile that copies it.
    pub line: u32,
}

/// The catalog in the image of a Dockerfile.
#[derive(Debug, Clone, Default)]
pub struct Build {
    /// The files, by their paths below `/configs`.
    pub files: BTreeMap<String, BuiltFile>,
    /// The directories below `/configs`, each with the line that makes it.
    pub directories: BTreeMap<String, u32>,
    /// Lines whose effect on that directory is not known, and why.
    unknown: BTreeSet<(u32, String)>,
}

impl Build {
    /// The catalog that a Dockerfile makes in its context.
    pub fn of(dockerfile: &Dockerfile) -> Self {
        let ignore = BuildIgnore::of(dockerfile);
        let ignore_is_unread = ignore.is_unread;
        let mut builder = Builder { dockerfile, ignore, unknown: BTreeSet::new(), n_looks: 0, room: MAX_WORK };
        let tree = dockerfile.stages.len().checked_sub(1).map(|last| builder.look(last, CONFIGS)).unwrap_or_default();
        let mut build = Self { unknown: builder.unknown, ..Self::default() };
        for (path, node) in tree.into_iter().filter(|it| !it.0.is_empty()) {
            match node {
                Node::File(file) => drop(build.files.insert(path, file)),
                Node::Directory(line) => drop(build.directories.insert(path, line)),
            }
        }
        if ignore_is_unread {
            build
                .unknown
                .insert((1, "an ignore file beside it or in its context cannot be read, or is too large".to_owned()));
        }
        if let Some(line) = dockerfile.cut {
            build.unknown.insert((line, "the rest of the file is not read".to_owned()));
        }
        let is_seen = |path: &String| !path.rsplit('/').next().unwrap_or(path).starts_with('.');
        if build.unknown.is_empty() && !build.files.keys().any(is_seen) {
            let copy = dockerfile.all_copies().find(|it| are_related(&it.place(), CONFIGS));
            let line = build.directories.values().next().copied().or(copy.map(|copy| copy.line)).unwrap_or(1);
            build.unknown.insert((line, "there is no file to be copied; is the catalog rendered first?".to_owned()));
        }
        build
    }

    /// Whether all of the catalog is known.
    pub fn is_known(&self) -> bool {
        self.unknown.is_empty()
    }

    /// The parts of the catalog that are not known, in words.
    pub fn unknown_parts(&self) -> Vec<String> {
        self.unknown.iter().map(|(line, why)| format!("line {line}: {why}")).collect()
    }

    /// The real paths of the files.
    pub fn real_files(&self) -> BTreeSet<PathBuf> {
        self.files.values().filter_map(|file| file.path.canonicalize().ok()).collect()
    }

    /// The part of it that comes from a directory, or a file; `None` if it has nothing of it.
    pub fn part_of(&self, path: &Path) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        let is_its = |file: &BuiltFile| file.path.canonicalize().is_ok_and(|file| file.starts_with(&path));
        let files: BTreeMap<String, BuiltFile> =
            self.files.iter().filter(|it| is_its(it.1)).map(|(place, file)| (place.clone(), file.clone())).collect();
        if files.is_empty() {
            return None;
        }
        let mut directories = self.directories.clone();
        if files.len() < self.files.len() {
            let above = files.keys().flat_map(|place| place.match_indices('/').map(|(end, _)| &place[..end]));
            let above: BTreeSet<&str> = above.collect();
            directories.retain(|place, _| above.contains(place.as_str()));
        }
        Some(Self { files, directories, unknown: self.unknown.clone() })
    }
}

/// Something below a path of an image.
#[derive(Debug, Clone)]
enum Node {
    File(BuiltFile),
    Directory(u32),
}

/// The parts of a path of an image, by their paths below it; itself has an empty one.
type Tree = BTreeMap<String, Node>;

struct Builder<'d> {
    dockerfile: &'d Dockerfile,
    ignore: BuildIgnore,
    unknown: BTreeSet<(u32, String)>,
    n_looks: usize,
    /// The work that is left.
    room: usize,
}

/// The place of sources.
#[derive(Clone, Copy)]
enum From {
    Context,
    Stage(usize),
}

impl Builder<'_> {
    fn note(&mut self, line: u32, why: impl Into<String>) {
        self.unknown.insert((line, why.into()));
    }

    /// Takes some work from what is left; whether there was that much.
    fn spends(&mut self, work: usize) -> bool {
        let left = self.room.checked_sub(work);
        self.room = left.unwrap_or_default();
        left.is_some()
    }

    /// The content of a path, without the leading slash, at the end of a stage.
    fn look(&mut self, stage: usize, wanted: &str) -> Tree {
        self.n_looks += 1;
        let Some(it) = self.dockerfile.stages.get(stage).filter(|_| self.n_looks <= MAX_LOOKS) else {
            self.note(1, "the stages copy from each other too often");
            return Tree::new();
        };
        let mut tree = Tree::new();
        if let Some(base) = self.dockerfile.base_of(stage) {
            tree = self.look(base, wanted);
            let on_build = self.dockerfile.stages[base].steps.iter().find_map(|step| match step {
                Step::OnBuild { line } => Some(*line),
                _ => None,
            });
            if let Some(line) = on_build {
                self.note(line, "`ONBUILD` may change the catalog");
            }
        }
        for step in &it.steps {
            match step {
                Step::Copy(copied) => self.copy(stage, copied, wanted, &mut tree),
                Step::Run { line, directory, text } if changes(text, directory, wanted) => {
                    self.note(*line, format!("a command may change `/{wanted}`"));
                }
                Step::Run { .. } | Step::OnBuild { .. } => {}
            }
        }
        tree
    }

    fn copy(&mut self, stage: usize, copied: &Copied, wanted: &str, tree: &mut Tree) {
        let Some((target, sources)) = copied.words.split_last() else { return };
        let is_directory = target.ends_with('/') || target.ends_with("/.");
        let place = copied.place();
        if !are_related(&place, wanted) {
            return;
        }
        let line = copied.line;
        if let Some(why) = &copied.unknown {
            return self.note(line, why.clone());
        }
        let from = match &copied.from {
            None => From::Context,
            Some(name) => match self.dockerfile.stage_of(name, stage) {
                Some(stage) => From::Stage(stage),
                None => return self.note(line, format!("the files of the image `{name}`")),
            },
        };
        let sources: Vec<String> = sources.iter().flat_map(|source| self.named(from, source, copied)).collect();
        let is_several = sources.len() > 1;
        for source in sources {
            let known = below(&place, wanted).and_then(|rest| tree.get(rest));
            let is_directory = is_directory || is_several || matches!(known, Some(Node::Directory(_)));
            self.put(from, &source, line, (&place, is_directory), (wanted, tree));
        }
    }

    /// Copies a file, or the content of a directory, to a place.
    fn put(&mut self, from: From, source: &str, line: u32, place: (&str, bool), into: (&str, &mut Tree)) {
        let ((place, is_directory), (wanted, tree)) = (place, into);
        let before = self.unknown.clone();
        let is_file = match from {
            From::Context => self.dockerfile.in_context(source).is_file(),
            From::Stage(stage) => matches!(self.look(stage, source).get(""), Some(Node::File(_))),
        };
        let name = source.rsplit('/').next().unwrap_or(source);
        let place = if is_file && is_directory { join(place, name) } else { place.to_owned() };
        // Either the place is within the wanted part, or the source has a part that goes there.
        let (inner, rest) = match (below(&place, wanted), below(wanted, &place)) {
            (Some(inner), _) => (inner, ""),
            (None, Some(rest)) if !is_file => ("", rest),
            // A file beside the wanted part does not matter, nor does what may have changed it.
            _ => {
                self.unknown = before;
                return;
            }
        };
        let found = match from {
            From::Context => self.listed(&join(source, rest), line),
            From::Stage(stage) => self.look(stage, &join(source, rest)),
        };
        if !self.spends(found.len()) {
            return self.note(line, "more files than olmdex follows");
        }
        for (path, node) in found {
            let node = match node {
                Node::File(file) => Node::File(BuiltFile { line, ..file }),
                Node::Directory(_) => Node::Directory(line),
            };
            let path = join(inner, &path);
            for (end, _) in path.match_indices('/') {
                tree.entry(path[..end].to_owned()).or_insert(Node::Directory(line));
            }
            tree.insert(path, node);
        }
    }

    /// The sources that a word names: itself, or all that match it.
    fn named(&mut self, from: From, word: &str, copied: &Copied) -> Vec<String> {
        let (line, is_wild) = (copied.line, word.contains(['*', '?', '[', '\\']));
        if let From::Stage(_) = from {
            if is_wild {
                self.note(line, format!("the files of another stage that match `{word}`"));
            }
            return Some(clean(word)).filter(|_| !is_wild).into_iter().collect();
        }
        let mut found = self.dockerfile.matching(word);
        if found.is_empty() {
            let context = self.dockerfile.context.display();
            self.note(line, format!("`{word}`, which does not exist in the context `{context}`"));
        }
        if let Some(link) = found.iter().find(|path| self.dockerfile.has_link(path)) {
            self.note(line, format!("`{link}`, which is a symbolic link, or lies behind one"));
            return Vec::new();
        }
        let (n_found, ignore) = (found.len(), &self.ignore);
        found.retain(|path| !self.dockerfile.in_context(path).is_file() || !ignore.hides(path));
        if found.len() < n_found && (found.is_empty() || !is_wild) {
            self.note(line, format!("`{word}`, which an ignore file hides from the build"));
        }
        let is_archive =
            |path: &&String| copied.is_add && self.dockerfile.in_context(path).is_file() && is_archive(path);
        if let Some(archive) = found.iter().find(is_archive).cloned() {
            self.note(line, format!("the files of the archive `{archive}`"));
            return Vec::new();
        }
        found
    }

    /// A file of the context, or all that a directory holds and no ignore file hides.
    fn listed(&mut self, source: &str, line: u32) -> Tree {
        let mut tree = Tree::new();
        if self.dockerfile.in_context(source).symlink_metadata().is_err() {
            return tree;
        }
        if self.dockerfile.has_link(source) {
            self.note(line, format!("`{source}`, which is a symbolic link, or lies behind one"));
            return tree;
        }
        let mut waiting = vec![String::new()];
        while let Some(inner) = waiting.pop() {
            if !self.spends(ENTRY + self.ignore.len()) {
                self.note(line, format!("more files of `{source}` than olmdex follows"));
                return tree;
            }
            let relative = join(source, &inner);
            let path = self.dockerfile.in_context(&relative);
            let Ok(metadata) = path.symlink_metadata() else { continue };
            let is_hidden = !relative.is_empty() && self.ignore.hides(&relative);
            if metadata.is_symlink() {
                if !is_hidden {
                    self.note(line, format!("`{relative}`, which is a symbolic link"));
                }
            } else if metadata.is_dir() {
                if !is_hidden {
                    tree.insert(inner.clone(), Node::Directory(line));
                }
                let Ok(entries) = std::fs::read_dir(&path) else {
                    self.note(line, format!("`{relative}`, which cannot be read"));
                    continue;
                };
                for entry in entries.flatten() {
                    match entry.file_name().to_str() {
                        Some(name) => waiting.push(join(&inner, name)),
                        None => self.note(line, format!("a file in `{relative}` whose name is not UTF-8")),
                    }
                }
            } else if metadata.is_file() && !is_hidden {
                tree.insert(inner, Node::File(BuiltFile { path, line }));
            }
        }
        tree
    }
}

/// Whether `ADD` unpacks a file, by its name.
fn is_archive(path: &str) -> bool {
    let packed = ["", ".gz", ".bz2", ".xz", ".zst"].iter().any(|end| path.ends_with(&format!(".tar{end}")));
    packed || [".tgz", ".tbz2", ".txz"].iter().any(|end| path.ends_with(end))
}

/// Whether a command that runs in a directory may change a path: one that is not known to leave files as they are, and
/// that names the path, something above or below it, or runs there.
fn changes(command: &str, directory: &str, wanted: &str) -> bool {
    let text = command.replace(['[', ']', '"', '\'', ',', '(', ')', '`'], " ");
    let mut directory = directory.to_owned();
    for part in text.split(['&', ';', '|', '\n']) {
        let words = part.split_whitespace();
        let words: Vec<&str> = words.skip_while(|word| word.starts_with("--") || word.contains('=')).collect();
        let name = words.first().map_or("", |word| word.rsplit('/').next().unwrap_or(word));
        let path = |word: &str| if word.starts_with('/') { clean(word) } else { clean(&format!("{directory}/{word}")) };
        // The root is above everything, and most commands run there.
        let is_near = |path: &str| !path.is_empty() && are_related(path, wanted);
        let names_it = words.iter().skip(1).any(|word| is_near(&path(word.trim_start_matches(['>', '<']))));
        let reads = match name {
            "opm" => words.iter().any(|word| ["serve", "validate"].contains(word)),
            "find" => !part.contains("-delete") && !part.contains("-exec"),
            name => READERS.contains(&name),
        };
        if (!reads || part.contains('>')) && (names_it || is_near(&directory)) && !name.is_empty() {
            return true;
        }
        if let ("cd", Some(target)) = (name, words.get(1)) {
            directory = path(target);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::build_context::BuildOptions;
    use super::Build;
    use std::path::Path;

    const FILES: [&str; 8] = [
        "catalog/v4.17/catalog.yaml",
        "catalog/v4.18/catalog.yaml",
        "catalog/v4.18/README.md",
        "catalog/v4.18/inner/b.yaml",
        "more/c.yaml",
        "more/d.json",
        "configs/e/catalog.yaml",
        "LICENSE",
    ];

    /// The build of a Dockerfile at a path of the files above, or of its own: `PLACE<SOURCE` for each file, and
    /// `LINE: WHY` for each thing that is unknown.
    fn built(root: &Path, dockerfile: &str, text: &str) -> Vec<String> {
        let path = root.join(dockerfile);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let dockerfile = BuildOptions::default().read(&path).unwrap();
        let build = Build::of(&dockerfile);
        let root = root.canonicalize().unwrap();
        let source = |path: &Path| path.canonicalize().unwrap().strip_prefix(&root).unwrap().display().to_string();
        let files = build.files.iter().map(|(place, file)| format!("{place}<{}", source(&file.path)));
        files.chain(build.unknown.iter().map(|(line, why)| format!("{line}: {why}"))).collect()
    }

    fn repository() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for name in FILES {
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "a: b\n").unwrap();
        }
        std::fs::create_dir(directory.path().join(".git")).unwrap();
        directory
    }

    #[test]
    fn files_are_where_a_build_puts_them() {
        let repository = repository();
        let root = repository.path();
        let v17 = "acorn/catalog.yaml<catalog/v4.17/catalog.yaml";
        for (text, expected) in [
            // A file by name, into a directory, and the content of a directory.
            ("FROM a\nCOPY catalog/v4.17/catalog.yaml /configs/acorn/catalog.yaml", &[v17][..]),
            ("FROM a\nCOPY catalog/v4.17/catalog.yaml /configs/acorn/", &[v17]),
            ("FROM a\nADD catalog/v4.17 /configs/acorn", &[v17]),
            ("FROM a\nADD [\"catalog/v4.17/\", \"/configs/acorn/\"]", &[v17]),
            ("FROM a\nWORKDIR /configs\nCOPY catalog/v4.17 acorn", &[v17]),
            // Arguments, environment and defaults.
            ("ARG V=4.17\nFROM a\nARG V\nENV P=acorn\nCOPY catalog/v$V /configs/${P}", &[v17]),
            ("FROM a\nCOPY catalog/v${V:-4.17} /configs/acorn", &[v17]),
            // Wildcards, several sources, and a part of a larger directory.
            ("FROM a\nCOPY more/*.json /configs/m/", &["m/d.json<more/d.json"]),
            ("FROM a\nCOPY more/c.yaml more/d.json /configs/m", &["m/c.yaml<more/c.yaml", "m/d.json<more/d.json"]),
            ("FROM a\nCOPY . /", &["e/catalog.yaml<configs/e/catalog.yaml"]),
            // A file over another one, and a file into a directory that is there.
            (
                "FROM a\nCOPY more /configs/m\nCOPY LICENSE /configs/m/c.yaml",
                &["m/c.yaml<LICENSE", "m/d.json<more/d.json"],
            ),
            (
                "FROM a\nCOPY catalog/v4.17 /configs/m\nCOPY more/d.json /configs/m",
                &["m/catalog.yaml<catalog/v4.17/catalog.yaml", "m/d.json<more/d.json"],
            ),
            // Other stages, by name, by number and below.
            ("FROM a AS b\nCOPY catalog/v4.17 /x/acorn\nFROM c\nCOPY --from=b /x /configs", &[v17]),
            ("FROM a\nCOPY catalog/v4.17 /configs/acorn\nFROM c\nCOPY --from=0 /configs /configs", &[v17]),
            (
                "FROM a AS b\nCOPY catalog/v4.17 /configs/acorn\nFROM b\nRUN [\"/bin/opm\", \"serve\", \"/configs\", \"--cache-only\"]",
                &[v17],
            ),
            ("FROM a AS b\nWORKDIR /configs\nFROM b\nCOPY catalog/v4.17 acorn", &[v17]),
            ("FROM a AS b\nARG V=4.17\nFROM b\nCOPY catalog/v${V} /configs/acorn", &[v17]),
            ("FROM a\nCOPY catalog/v${V-4.17} /configs/acorn${V+x}", &[v17]),
            // Commands that leave the catalog as it is, or change files beside it.
            (
                "FROM a AS d\nWORKDIR /app\nCOPY LICENSE b\nRUN test \"$(sha1sum b | cut -f1)\" = 1\nFROM a\nCOPY --from=d /app/b .\nCOPY catalog/v4.17 /configs/acorn",
                &[v17],
            ),
            (
                "FROM a AS d\nWORKDIR /app\nCOPY LICENSE b\nRUN make\nFROM a\nCOPY --from=d /app/b .\nCOPY catalog/v4.17 /configs/acorn",
                &[v17],
            ),
            (
                "FROM a\nWORKDIR /tmp\nCOPY catalog/v4.17 /configs/acorn\nRUN [\"/bin/opm\",\"serve\",\"/configs\"]",
                &[v17],
            ),
            (
                "FROM a\nCOPY catalog/v4.17 /configs/acorn\nRUN rm -rf /etc/configs-x && echo $((1<<2))\nRUN make",
                &[v17],
            ),
            ("FROM a\nADD catalog/v4.17 /configs/acorn\nRUN <<A cat <<B\nCOPY more /x\nA\nFROM x\nB", &[v17]),
            // Nothing of the context leads out of it.
            ("FROM a\nCOPY ../../more/d.json /configs/m/d.json", &["m/d.json<more/d.json"]),
        ] {
            assert_eq!(built(root, "Dockerfile", text), expected, "{text}");
        }
    }

    #[test]
    fn what_only_a_build_knows_is_said() {
        let repository = repository();
        let root = repository.path();
        std::fs::create_dir(root.join("hidden")).unwrap();
        std::fs::write(root.join("hidden/a.yaml"), "a: b\n").unwrap();
        std::fs::write(root.join("a.tar.gz"), "").unwrap();
        std::fs::write(root.join(".dockerignore"), "hidden\n").unwrap();
        for (text, expected) in [
            ("FROM a\nRUN opm render x > /configs/a.yaml", "2: a command may change `/configs`"),
            ("FROM a\nCOPY --from=quay.io/a/b /configs /configs", "2: the files of the image `quay.io/a/b`"),
            (
                "FROM a\nARG V\nCOPY catalog/$V /configs/a",
                "3: files that depend on the argument `V`; give it with `--build-arg V=…`",
            ),
            ("FROM a\nADD https://a.io/b.yaml /configs/a/b.yaml", "2: the files of `https://a.io/b.yaml`"),
            ("FROM a\nADD a.tar.gz /configs", "2: the files of the archive `a.tar.gz`"),
            ("FROM a\nCOPY more /configs\nRUN cd / && rm -rf configs", "3: a command may change `/configs`"),
            ("FROM a\nCOPY more /configs\nRUN rm -rf configs/m", "3: a command may change `/configs`"),
            ("FROM a\nCOPY more /configs\nRUN <<E\nrm -r /configs/m\nE", "3: a command may change `/configs`"),
            ("FROM a\nCOPY more /configs\nRUN <<E\nls", "3: the rest of the file is not read"),
            (
                "FROM a AS b\nONBUILD COPY more /configs\nFROM b\nCOPY more /configs",
                "2: `ONBUILD` may change the catalog",
            ),
            (
                "FROM a AS b\nWORKDIR /w\nRUN opm render\nFROM a\nCOPY --from=b /w /configs",
                "3: a command may change `/w`",
            ),
            ("FROM a\nCOPY more/${V#x} /configs", "2: files that depend on `${V#x}`"),
            ("FROM a\nCOPY hidden /configs", "2: there is no file to be copied; is the catalog rendered first?"),
            (
                "FROM a\nCOPY more /configs\nCOPY hidden/a.yaml /configs",
                "3: `hidden/a.yaml`, which an ignore file hides from the build",
            ),
            ("FROM a\nCOPY <<EOF /configs/a.yaml\nEOF", "2: the files of `<<EOF`"),
            ("FROM a\nLABEL b=c", "1: there is no file to be copied; is the catalog rendered first?"),
        ] {
            let mut found = built(root, "Dockerfile", text);
            found.retain(|it| it.starts_with(|first: char| first.is_ascii_digit()));
            assert_eq!(found, [expected], "{text}");
        }
        let absent = built(root, "Dockerfile", "FROM a\nCOPY absent /configs/a");
        assert!(
            absent.len() == 1 && absent[0].starts_with("2: `absent`, which does not exist in the context"),
            "{absent:?}"
        );
        // Stages that copy from each other twice each.
        let stage =
            |at: usize| format!("FROM a AS s{at}\nCOPY --from=s{} /x /x/a\nCOPY --from=s{} /x /x/b\n", at - 1, at - 1);
        let text = format!(
            "FROM a AS s0\nCOPY more /x\n{}FROM a\nCOPY --from=s29 /x /configs\n",
            (1..30).map(stage).collect::<String>()
        );
        assert!(built(root, "Dockerfile", &text).iter().any(|it| it.ends_with("copy from each other too often")));
    }

    #[test]
    fn the_context_is_the_directory_that_has_the_sources_or_that_a_pipeline_says() {
        let repository = repository();
        let root = repository.path();
        let text = "FROM a\nARG V=4.18\nCOPY catalog/v$V/catalog.yaml /configs/acorn/";
        let of = |minor: &str| [format!("acorn/catalog.yaml<catalog/v{minor}/catalog.yaml")];
        assert_eq!(built(root, ".konflux/Dockerfile.catalog", text), of("4.18"));
        assert_eq!(
            built(root, "catalog/v4.18/Dockerfile", "FROM a\nCOPY inner /configs/b"),
            ["b/b.yaml<catalog/v4.18/inner/b.yaml"]
        );
        std::fs::create_dir(root.join(".tekton")).unwrap();
        let run = "kind: PipelineRun\nspec:\n  params:\n  - {name: dockerfile, value: .konflux/Dockerfile.catalog}\n  - {name: build-args, value: [V=4.17]}\n";
        std::fs::write(root.join(".tekton/push.yaml"), run).unwrap();
        assert_eq!(built(root, ".konflux/Dockerfile.catalog", text), of("4.17"));
        std::fs::write(root.join(".dockerignore"), "*\n!catalog/v4.18/inner\n").unwrap();
        assert_eq!(
            built(root, "Dockerfile", "FROM a\nCOPY catalog /configs"),
            ["v4.18/inner/b.yaml<catalog/v4.18/inner/b.yaml"]
        );
    }

    #[test]
    fn small_files_take_little_work() {
        let repository = repository();
        let root = repository.path();
        let doubled = format!("FROM a\nENV A={}\n{}", "x".repeat(16), "ENV A=$A$A$A$A$A\n".repeat(14));
        let copied = format!("FROM a AS b\nENV A={}\n{}", "x".repeat(30_000), "FROM b AS b\nENV B=1\n".repeat(20_000));
        let stages: String = (0..50_000).map(|at| format!("FROM a AS b{at}\n")).collect();
        let deep = format!("FROM a\n{}", "WORKDIR a\nRUN x\n".repeat(60_000));
        for text in [doubled, copied, stages, deep] {
            let found = built(root, "Dockerfile", &text);
            assert!(found.iter().any(|it| it.ends_with("the rest of the file is not read")), "{found:?}");
        }
        for at in 0..1_000 {
            std::fs::create_dir_all(root.join(format!("d/{at}"))).unwrap();
        }
        let copies: String = (0..3_000).map(|at| format!("COPY d /configs/{at}\n")).collect();
        let found = built(root, "Dockerfile", &format!("FROM a\n{copies}"));
        assert!(found.iter().any(|it| it.contains("than olmdex follows")), "{} {:?}", found.len(), found.first());
        std::fs::write(root.join(".dockerignore"), "x/y/z\n".repeat(10_000)).unwrap();
        let found = built(root, "Dockerfile", "FROM a\nCOPY d /configs/d\n");
        assert!(found.iter().any(|it| it.contains("than olmdex follows")), "{found:?}");
    }

    #[test]
    fn links_do_not_lead_out_of_the_context() {
        let (repository, secret) = (repository(), tempfile::tempdir().unwrap());
        let root = repository.path();
        std::fs::write(secret.path().join("token"), "a: b\n").unwrap();
        std::os::unix::fs::symlink(secret.path(), root.join("out")).unwrap();
        std::os::unix::fs::symlink(secret.path().join("token"), root.join("more/token.yaml")).unwrap();
        for (text, expected) in [
            ("FROM a\nCOPY out /configs/a", "2: `out`, which is a symbolic link"),
            ("FROM a\nCOPY out/token /configs/a", "2: `out/token`, which is a symbolic link"),
            (
                "FROM a AS x\nCOPY . /\nFROM b\nCOPY --from=x /out/token /configs/a",
                "4: `out/token`, which is a symbolic link",
            ),
            ("FROM a\nCOPY more /configs/a", "2: `more/token.yaml`, which is a symbolic link"),
        ] {
            let found = built(root, "Dockerfile", text);
            assert!(
                found.iter().any(|it| it.starts_with(expected) || it[3..].starts_with(&expected[3..]))
                    && !found.iter().any(|it| it.contains("token<")),
                "{found:?}"
            );
        }
    }
}
