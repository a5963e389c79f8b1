//! Dockerfiles, as far as the pipelines read them: stages, copied files, labels.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::dockerfile_reader::stages_of;
use super::dockerfile_stage::{Copied, Stage, Step, below, named_stage};
use olmdex_base::file::read_regular_of;

/// The directory of catalogs in their images.
pub(super) const CONFIGS: &str = "configs";

/// No Dockerfile is larger.
const MAX_FILE: u64 = 1 << 20;

/// A Dockerfile.
#[derive(Debug, Clone)]
pub struct Dockerfile {
    /// Its name in messages.
    pub shown: String,
    /// Its path.
    pub path: PathBuf,
    /// The directory that sources are copied from.
    pub context: PathBuf,
    /// The root of its repository, if it is in one.
    pub root: Option<PathBuf>,
    /// The number of different builds of it in the pipelines of the repository.
    pub n_builds: usize,
    pub(super) stages: Vec<Stage>,
    /// The line from which on it was not read, if it reaches a limit.
    pub(super) cut: Option<u32>,
}

impl Dockerfile {
    /// Reads a file, for a build with these values of arguments. The files that it copies are in its directory.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path, arguments: &BTreeMap<String, String>) -> io::Result<Self> {
        let text = read_regular_of(path, MAX_FILE)?;
        Ok(Self::of(path, &String::from_utf8_lossy(&text), arguments))
    }

    /// Takes a text for the file at a path.
    pub(super) fn of(path: &Path, text: &str, arguments: &BTreeMap<String, String>) -> Self {
        let (stages, cut) = stages_of(text, arguments);
        let context = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self {
            shown: path.to_string_lossy().into_owned(),
            path: path.to_owned(),
            context: context.to_owned(),
            root: None,
            n_builds: 0,
            stages,
            cut,
        }
    }

    /// The image that the last stage is built on, over the stages before it, with the line; empty if it is not known.
    pub(super) fn base(&self) -> Option<(&str, u32)> {
        self.first_stage().map(|it| (it.base.as_str(), it.line))
    }

    /// Whether a build can choose that image by an argument.
    pub(super) fn is_base_by_argument(&self) -> bool {
        self.first_stage().is_some_and(|it| it.is_by_argument)
    }

    fn first_stage(&self) -> Option<&Stage> {
        let mut at = self.stages.len().checked_sub(1)?;
        while let Some(earlier) = self.base_of(at) {
            at = earlier;
        }
        self.stages.get(at)
    }

    /// The stage that a stage is built on, unless that is an image.
    pub(super) fn base_of(&self, stage: usize) -> Option<usize> {
        named_stage(self.stages.get(..stage)?, &self.stages.get(stage)?.base)
    }

    /// The stage before another one that `--from` names or counts.
    pub(super) fn stage_of(&self, name: &str, before: usize) -> Option<usize> {
        let by_number = || name.parse().ok().filter(|number| *number < before);
        named_stage(self.stages.get(..before)?, name).or_else(by_number)
    }

    /// A path in the context, as it is below the working directory: without `./` in front.
    pub(super) fn in_context(&self, path: &str) -> PathBuf {
        match self.context.as_os_str() == "." && !path.is_empty() {
            true => PathBuf::from(path),
            false => self.context.join(path),
        }
    }

    /// The value of a label of the image, with the line.
    pub(super) fn label(&self, key: &str) -> Option<(&str, u32)> {
        let stage = self.stages.last()?;
        stage.labels.iter().rev().find(|it| it.0 == key).map(|it| (it.1.as_str(), it.2))
    }

    /// The copies to places below `/configs`.
    pub(super) fn copies(&self) -> Vec<&Copied> {
        self.all_copies().filter(|it| it.target == "/configs" || it.target.starts_with("/configs/")).collect()
    }

    /// The copies of all stages.
    pub(super) fn all_copies(&self) -> impl Iterator<Item = &Copied> {
        self.stages.iter().flat_map(|it| &it.steps).filter_map(|step| match step {
            Step::Copy(copied) => Some(copied),
            _ => None,
        })
    }

    /// Whether it is that of a catalog: it copies to `/configs`, or is built on an image that serves catalogs.
    pub fn is_of_catalog(&self) -> bool {
        let serves = |it: &Stage| ["operator-registry", "/opm:", "/opm@"].iter().any(|part| it.base.contains(part));
        let is_below = |it: &Copied| below(&it.place(), CONFIGS).is_some();
        self.all_copies().any(is_below) || self.stages.iter().any(serves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Dockerfile {
        Dockerfile::of(Path::new("Dockerfile"), text, &BTreeMap::new())
    }

    #[test]
    fn the_base_is_that_of_the_last_stage() {
        for (text, expected) in [
            ("FROM a:1", "a:1"),
            ("FROM a:1 AS one\nFROM b:2\n", "b:2"),
            ("FROM a:1 AS one\nFROM one AS two\nFROM TWO", "a:1"),
            ("ARG TAG=v4.18\nFROM a:${TAG}", "a:v4.18"),
            ("FROM a:${TAG:-v4.19}", "a:v4.19"),
            ("FROM --platform=linux/amd64 a:1", "a:1"),
            ("# escape=`\nFROM `\n  a:1", "a:1"),
            ("FROM $NOTHING", ""),
            ("FROM a:1\nRUN <<EOF\nFROM b:2\nEOF", "a:1"),
        ] {
            assert_eq!(read(text).base().unwrap().0, expected, "{text}");
            assert_eq!(read(text).is_base_by_argument(), text.contains('$'), "{text}");
        }
        assert!(read("LABEL a=b").base().is_none());
    }

    #[test]
    fn labels_and_copies_are_read_with_their_variables() {
        let it = read(
            "ARG DIR=catalog\nFROM a:1\nARG DIR\nENV TO /configs\nLABEL a=b \\\n  # a comment\n  c=\"d e\"\nLABEL f g h\nADD --chown=1 $DIR ${TO}/foo\nCOPY [\"x y\", \"/configs\"]\nCOPY --from=b /x /configs/bar\nCOPY z /else\n",
        );
        assert_eq!(it.label("c"), Some(("d e", 5)));
        assert_eq!(it.label("f"), Some(("g h", 8)));
        let copies: Vec<(String, &str, bool)> =
            it.copies().iter().map(|it| (it.sources.join(","), it.target.as_str(), it.from.is_some())).collect();
        let expected = [("catalog", "/configs/foo", false), ("x y", "/configs", false), ("/x", "/configs/bar", true)];
        assert_eq!(copies, expected.map(|(a, b, c)| (a.to_owned(), b, c)));
    }
}
