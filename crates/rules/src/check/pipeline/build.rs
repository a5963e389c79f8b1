//! The catalog in the image that a Dockerfile makes: the files that its instructions put below `/configs`, as `docker
//! build`, BuildKit and buildah decide it.
//!
//! Nothing is built: instructions that run commands on that directory, and images that nobody has read, are noted as
//! unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::build_ignore::BuildIgnore;
use super::dockerfile::{Copied, Dockerfile, Step, clean};

/// The directory of catalogs in their images.
const CONFIGS: &str = "configs";

/// No catalog has more files, and no context is listed further.
const MAX_FILES: usize = 100_000;

/// Stages may copy from each other, again and again.
const MAX_LOOKS: usize = 1_000;

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
    pub unknown: BTreeSet<(u32, String)>,
}

impl Build {
    /// The catalog that a Dockerfile makes in its context.
    pub fn of(dockerfile: &Dockerfile) -> Self {
        let ignore = BuildIgnore::of(dockerfile);
        let mut builder = Builder { dockerfile, ignore, unknown: BTreeSet::new(), n_looks: 0, n_files: 0 };
        let tree = dockerfile.stages.len().checked_sub(1).map(|last| builder.look(last, CONFIGS)).unwrap_or_default();
        let mut build = Self { unknown: builder.unknown, ..Self::default() };
        for (path, node) in tree.into_iter().filter(|it| !it.0.is_empty()) {
            match node {
                Node::File(file) => drop(build.files.insert(path, file)),
                Node::Directory(line) => drop(build.directories.insert(path, line)),
            }
        }
        let is_seen = |path: &String| !path.rsplit('/').next().unwrap_or(path).starts_with('.');
        if build.unknown.is_empty() && !build.files.keys().any(is_seen) {
            let line = build.directories.values().next().copied().unwrap_or(1);
            build.unknown.insert((line, "no file is there to be copied; is the catalog rendered first?".to_owned()));
        }
        build
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
        let directories = self.directories.iter().filter(|it| files.keys().any(|place| below(place, it.0).is_some()));
        let directories = directories.map(|(place, line)| (place.clone(), *line)).collect();
        let directories = if files.len() == self.files.len() { self.directories.clone() } else { directories };
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
    n_files: usize,
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

    /// The content of a path, without the leading slash, at the end of a stage.
    fn look(&mut self, stage: usize, wanted: &str) -> Tree {
        self.n_looks += 1;
        let Some(it) = self.dockerfile.stages.get(stage).filter(|_| self.n_looks <= MAX_LOOKS) else {
            self.note(1, "the stages copy from each other too often");
            return Tree::new();
        };
        let mut tree = self.dockerfile.base_of(stage).map(|base| self.look(base, wanted)).unwrap_or_default();
        for step in &it.steps {
            match step {
                Step::Copy(copied) => self.copy(stage, copied, wanted, &mut tree),
                Step::Run { line, text } if changes(text, wanted) => {
                    self.note(*line, format!("a command on `/{wanted}`"));
                }
                Step::Run { .. } => {}
            }
        }
        tree
    }

    fn copy(&mut self, stage: usize, copied: &Copied, wanted: &str, tree: &mut Tree) {
        let Some((target, sources)) = copied.words.split_last() else { return };
        let is_directory = target.ends_with('/') || target.ends_with("/.");
        let place = clean(target);
        let is_near = |place: &str| below(place, wanted).is_some() || below(wanted, place).is_some();
        // A single file may be copied to any name.
        if !is_near(&place) {
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
                None => return self.note(line, format!("files of the image `{name}`")),
            },
        };
        let sources: Vec<String> = sources.iter().flat_map(|source| self.named(from, source, line)).collect();
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
        let is_file = match from {
            From::Context => self.path(source).is_file(),
            From::Stage(stage) => matches!(self.look(stage, source).get(""), Some(Node::File(_))),
        };
        let name = source.rsplit('/').next().unwrap_or(source);
        let place = if is_file && is_directory { join(place, name) } else { place.to_owned() };
        // Either the place is within the wanted part, or the source has a part that goes there.
        let (inner, rest) = match (below(&place, wanted), below(wanted, &place)) {
            (Some(inner), _) => (inner, ""),
            (None, Some(rest)) if !is_file => ("", rest),
            _ => return,
        };
        let found = match from {
            From::Context => self.listed(&join(source, rest), line),
            From::Stage(stage) => self.look(stage, &join(source, rest)),
        };
        for (path, node) in found {
            let node = match node {
                Node::File(file) => Node::File(BuiltFile { line, ..file }),
                Node::Directory(_) => Node::Directory(line),
            };
            let path = join(inner, &path);
            let mut above = path.as_str();
            while let Some((directory, _)) = above.rsplit_once('/') {
                tree.entry(directory.to_owned()).or_insert(Node::Directory(line));
                above = directory;
            }
            tree.insert(path, node);
        }
    }

    /// The sources that a word names: itself, or all that match it.
    fn named(&mut self, from: From, word: &str, line: u32) -> Vec<String> {
        let is_wild = word.contains(['*', '?', '[', '\\']);
        match from {
            From::Stage(_) if is_wild => {
                self.note(line, format!("the files of another stage that match `{word}`"));
                Vec::new()
            }
            From::Stage(_) => vec![clean(word)],
            From::Context => {
                let found = self.dockerfile.matching(word);
                if found.is_empty() {
                    let context = self.dockerfile.context.display();
                    self.note(line, format!("`{word}`, which does not exist in the context `{context}`"));
                }
                found
            }
        }
    }

    fn path(&self, source: &str) -> PathBuf {
        self.dockerfile.in_context(source)
    }

    /// A file of the context, or all that a directory holds and `.dockerignore` does not hide.
    fn listed(&mut self, source: &str, line: u32) -> Tree {
        let mut tree = Tree::new();
        let mut waiting = vec![String::new()];
        while let Some(inner) = waiting.pop() {
            let relative = join(source, &inner);
            let path = self.path(&relative);
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
                let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
                waiting.extend(entries.map(|it| join(&inner, &it.file_name().to_string_lossy())));
            } else if metadata.is_file() && !is_hidden {
                self.n_files += 1;
                if self.n_files > MAX_FILES {
                    self.note(line, format!("more than {MAX_FILES} files of `{source}`"));
                    return tree;
                }
                tree.insert(inner, Node::File(BuiltFile { path, line }));
            }
        }
        tree
    }
}

/// Whether a command may change what a directory holds. Those that serve, check and show it do not.
fn changes(command: &str, wanted: &str) -> bool {
    let text = command.replace(['[', ']', '"', ','], " ");
    let path = format!("/{wanted}");
    text.split(['&', ';', '|', '\n']).filter(|part| part.contains(&path)).any(|part| {
        let words: Vec<&str> = part.split_whitespace().filter(|word| !word.starts_with("--mount")).collect();
        let name = words.first().map_or("", |word| word.rsplit('/').next().unwrap_or(word));
        let reads = match name {
            "opm" => words.iter().any(|word| ["serve", "validate"].contains(word)),
            _ => ["chmod", "chown", "chgrp", "ls", "test", "find", "cat", "du"].contains(&name),
        };
        !reads || part.contains('>') || part.contains("-delete") || part.contains("-exec")
    })
}

fn join(directory: &str, name: &str) -> String {
    match (directory, name) {
        ("", name) => name.to_owned(),
        (directory, "") => directory.to_owned(),
        (directory, name) => format!("{directory}/{name}"),
    }
}

/// The rest of a path below a directory; empty if it is the directory.
fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    if directory.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(directory)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
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
        for (text, expected) in [
            ("FROM a\nRUN opm render x > /configs/a.yaml", "2: a command on `/configs`"),
            ("FROM a\nCOPY --from=quay.io/a/b /configs /configs", "2: files of the image `quay.io/a/b`"),
            (
                "FROM a\nARG V\nCOPY catalog/$V /configs/a",
                "3: files that depend on the argument `V`; give it with `--build-arg V=…`",
            ),
            ("FROM a\nADD https://a.io/b.yaml /configs/a/b.yaml", "2: files of `https://a.io/b.yaml`"),
            ("FROM a\nADD a.tar.gz /configs", "2: the files of the archive `a.tar.gz`"),
            ("FROM a\nCOPY <<EOF /configs/a.yaml\nEOF", "2: files of `<<EOF`"),
            ("FROM a\nLABEL b=c", "1: no file is there to be copied; is the catalog rendered first?"),
        ] {
            assert_eq!(built(root, "Dockerfile", text), [expected], "{text}");
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
    fn links_do_not_lead_out_of_the_context() {
        let (repository, secret) = (repository(), tempfile::tempdir().unwrap());
        let root = repository.path();
        std::fs::write(secret.path().join("token"), "a: b\n").unwrap();
        std::os::unix::fs::symlink(secret.path(), root.join("out")).unwrap();
        std::os::unix::fs::symlink(secret.path().join("token"), root.join("more/token.yaml")).unwrap();
        for (text, expected) in [
            ("FROM a\nCOPY out /configs/a", "2: `out`, which does not exist"),
            ("FROM a\nCOPY out/token /configs/a", "2: `out/token`, which does not exist"),
            ("FROM a\nCOPY more /configs/a", "2: `more/token.yaml`, which is a symbolic link"),
        ] {
            let found = built(root, "Dockerfile", text);
            assert!(
                found.iter().any(|it| it.starts_with(expected)) && !found.iter().any(|it| it.contains("token<")),
                "{found:?}"
            );
        }
    }
}
