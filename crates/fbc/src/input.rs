//! The input: the files of a directory, one file, or bytes that are already there.

use std::io::{self};
use std::path::Path;
use std::sync::Arc;

use super::input_file::{Body, InputFile, Made, Sight, is_hidden};
use super::meter::Meter;
use super::origin::Origin;
use super::provenance::Provenance;
use super::walk::{TreeFile, Walked, kept, placed, walk};
use olmdex_base::diag::Finding;
use olmdex_base::file::Text;

/// The image that a catalog comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FromImage {
    /// The digest that names the image.
    pub digest: String,
    /// The mark of its content, if the input is the image itself: an image of one digest has another content for each
    /// platform.
    pub content: Option<String>,
    /// The time at which it was made, in seconds since 1970, if it is stated.
    pub created: Option<u64>,
}

/// A catalog's files in their order.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// The files.
    pub files: Vec<InputFile>,
    /// Remarks about the source, if it is not a file-based catalog.
    pub remarks: Vec<Finding>,
    /// The image that it comes from.
    pub image: Option<FromImage>,
    /// The count of the parts that have been read.
    pub meter: Arc<Meter>,
    /// Whether `.git` was left out at its root, although no ignore file hides it.
    pub skips_git: bool,
    /// Whether it is the graph of a template, whose bundles nobody has read.
    pub is_template: bool,
    /// The documents to read from it, in their order; all, if their places are not known or all are wanted.
    pub part: Option<Arc<[Origin]>>,
}

impl Input {
    /// The files below a directory that are part of the catalog, depth first, the entries of each directory sorted by
    /// the bytes of their names: all but `.git` at the root, `.indexignore` files and the files that those hide. Links
    /// to files are among them, links to directories too, but not entered. An entry that cannot be listed is there with
    /// its defect.
    ///
    /// # Errors
    /// If the directory itself cannot be listed.
    pub fn directory(root: &Path) -> io::Result<Self> {
        let mut input = Self::walked(walk(root, false)?);
        for file in &mut input.files {
            if is_hidden(Path::new(&file.relative)) {
                file.sight = Sight::Unnamed;
            }
        }
        Ok(input)
    }

    /// Like [`Self::directory`], with `.git` if the catalog lies at the root of a checkout, as opm reads it; messages
    /// show the text of hidden files, as those of opm do.
    ///
    /// # Errors
    /// If the directory itself cannot be listed.
    pub fn directory_with_git(root: &Path) -> io::Result<Self> {
        Ok(Self::walked(walk(root, true)?))
    }

    /// Files by their paths below the root of a catalog, each with its real path, in any order: those that are part of
    /// the catalog (see [`Self::directory`]). Messages show no text of files that `is_hidden` tells.
    pub fn placed<'f>(files: impl Iterator<Item = (&'f str, &'f Path)>, is_hidden: impl Fn(&Path) -> bool) -> Self {
        let mut input = Self::walked(placed(files));
        for file in input.files.iter_mut().filter(|file| is_hidden(Path::new(&file.shown))) {
            file.sight = Sight::Unnamed;
        }
        input
    }

    /// The files of a directory that is not in the file system, in any order: those that are part of the catalog (see
    /// [`Self::directory`]). `root` is the name of the directory in messages.
    pub fn tree(root: &str, files: Vec<TreeFile>, keeps_git: bool) -> Self {
        Self::walked(kept(root, files, keeps_git))
    }

    fn walked(walked: Walked) -> Self {
        Self { files: walked.files, skips_git: walked.skips_git, ..Self::default() }
    }

    /// Whether it holds not one document: it has no files, or they are empty.
    pub fn is_blank(&self) -> bool {
        self.files.iter().all(|it| it.head(1).is_ok_and(|it| it.is_empty()))
    }

    /// One file, with any name.
    pub fn file(path: &Path) -> Self {
        let relative = path.to_string_lossy().into_owned();
        let file = match path.parent().filter(|_| path.is_symlink()) {
            Some(parent) if parent.as_os_str().is_empty() => InputFile::linked(path, relative, Path::new(".")),
            Some(parent) => InputFile::linked(path, relative, parent),
            None => InputFile::in_directory(path, relative),
        };
        Self { files: vec![file], ..Self::default() }
    }

    /// Bytes that are already in memory.
    pub fn bytes(shown: &str, bytes: Arc<[u8]>) -> Self {
        let file = InputFile::of_text(shown.to_owned(), shown.to_owned(), Text::Bytes(bytes));
        Self { files: vec![file], ..Self::default() }
    }

    /// Parts of a file, each with the line of the file at which it begins.
    pub fn parts(shown: &str, texts: Vec<(u32, Vec<u8>)>) -> Self {
        let file = |(first_line, text): (u32, Vec<u8>)| InputFile {
            first_line,
            ..InputFile::of_text(shown.to_owned(), shown.to_owned(), Text::Bytes(Arc::from(text)))
        };
        Self { files: texts.into_iter().map(file).collect(), ..Self::default() }
    }

    /// Texts that were made of other files, in their order.
    pub fn of_others(texts: Vec<(Vec<u8>, Provenance)>) -> Self {
        let file = |(text, made_of): (Vec<u8>, Provenance)| {
            let shown = made_of.start().file.clone();
            let file = InputFile::of_text(shown.clone(), shown, Text::Bytes(Arc::from(text)));
            InputFile { made_of: Some(Arc::new(made_of)), ..file }
        };
        Self { files: texts.into_iter().map(file).collect(), ..Self::default() }
    }

    /// The same with other texts of some files, by their numbers. The count of what was read begins anew.
    pub fn with_texts(&self, texts: &std::collections::BTreeMap<usize, Arc<[u8]>>) -> Self {
        let file = |(number, file): (usize, &InputFile)| match texts.get(&number) {
            Some(text) => {
                InputFile::of_text(file.shown.clone(), file.relative().to_owned(), Text::Bytes(Arc::clone(text)))
            }
            None => file.clone(),
        };
        Self { files: self.files.iter().enumerate().map(file).collect(), image: None, ..Self::default() }
    }

    /// Some of its files, by their numbers.
    pub fn only(&self, numbers: &std::collections::BTreeSet<usize>) -> Self {
        let files = self.files.iter().enumerate().filter(|it| numbers.contains(&it.0)).map(|it| it.1.clone());
        Self { files: files.collect(), image: None, ..Self::default() }
    }

    /// The same input, but only these documents are read, at the origins that [`super::load()`] has found. The files
    /// keep their numbers. A file that can no longer be read counts as an unreadable one.
    pub fn only_documents(&self, mut origins: Vec<Origin>) -> Self {
        origins.sort_unstable();
        Self { part: Some(origins.into()), meter: Arc::default(), ..self.clone() }
    }

    /// The same input for a user who came to it in this way.
    #[must_use]
    pub fn seen_as(mut self, sight: Sight) -> Self {
        self.files.iter_mut().for_each(|file| file.sight = file.sight.max(sight));
        self
    }

    /// Files that are made when they are read, with their names.
    pub fn made(files: Vec<(String, Arc<dyn Made>)>) -> Self {
        let file = |(shown, made): (String, _)| InputFile {
            relative: shown.clone(),
            shown,
            body: Body::Made(made),
            made_of: None,
            sight: Sight::Named,
            first_line: 1,
        };
        Self { files: files.into_iter().map(file).collect(), ..Self::default() }
    }
}
