//! The content of an image: a catalog, a bundle, or a database (`docs/behaviour/serving.md` A.1).

use std::io;

use super::document::Descriptor;
use super::error::OciError;
use super::image::{CONFIGS, DATABASE, Image, ImageOptions};
use super::layers::{Remarks, apply};
use super::rules;
use super::store::{Store, read_again_if_damaged};
use super::verified::Verified;
use olmdex_base::archive::{ArchiveError, Decompressed, LinkError, PathTarget, Spool, Tree, TreeEntry, clean, shown};
use olmdex_base::diag::{Finding, Listed, Place, Rule};
use olmdex_base::file::Text;
use olmdex_fbc::TreeFile;
use olmdex_fbc::{BundleFiles, MANIFESTS, MAX_BUNDLE_FILE, METADATA};

/// The label of a bundle.
const BUNDLE: &str = "operators.operatorframework.io.bundle.package.v1";

/// The option that takes the place of the label of a database.
const PATH: &str = "--path";

/// The content of an image.
#[derive(Debug)]
pub enum Content {
    /// A catalog: its directory in the image, and the files below it.
    Catalog(String, Vec<TreeFile>),
    /// A bundle.
    Bundle(BundleFiles),
    /// An SQLite database.
    Database(Text),
}

/// The number of times that layers are read again for the targets of links.
const READINGS: usize = 8;

impl Content {
    /// The content of an archive that is not an image: a bundle, if it has the two directories of one, or a catalog.
    ///
    /// # Errors
    /// [`OciError`]
    pub(crate) fn of_tree(tree: &Tree, shown: &str) -> Result<(Self, Vec<Finding>), OciError> {
        let mut findings = Findings { shown, all: Vec::new() };
        findings.add_remarks(&Remarks { climbing: tree.climbing().to_vec(), ..Remarks::default() });
        let is_directory = |name: &str| matches!(tree.find(name.as_bytes()), Ok(PathTarget::Directory(_)));
        if is_directory(MANIFESTS) && is_directory(METADATA) {
            let mut missing = Vec::new();
            let manifests = bundle_files(tree, MANIFESTS, &mut missing)?;
            let metadata = bundle_files(tree, METADATA, &mut missing)?;
            return Ok((Self::Bundle(BundleFiles { manifests, metadata }), findings.all));
        }
        let below = Below::of(tree, b"")?;
        findings.add_special(&below.special);
        Ok((Self::Catalog(String::new(), below.files), findings.all))
    }

    /// All files of an image, as its layers leave them.
    ///
    /// # Errors
    /// [`OciError`] for a layer that cannot be read, and past a limit.
    pub fn tree(store: &dyn Store, image: &Image, options: &ImageOptions) -> Result<Tree, OciError> {
        apply(store, &image.manifest.layers, &image.config.diff_ids, &[Vec::new()], options).map(|it| it.0)
    }

    /// Refuses an image that no label says the content of.
    pub(crate) fn must_be_labelled(image: &Image) -> Result<(), OciError> {
        match [CONFIGS, DATABASE, BUNDLE].iter().any(|label| image.config.labels.contains_key(*label)) {
            true => Ok(()),
            false => Err(OciError::NotForOlm(no_label(image))),
        }
    }

    /// Reads the content of an image, and the remarks about it. `shown` is its name in messages.
    ///
    /// # Errors
    /// [`OciError`]
    pub fn read(
        store: &dyn Store,
        image: &Image,
        options: &ImageOptions,
        shown: &str,
    ) -> Result<(Self, Vec<Finding>), OciError> {
        if let Some(layer) = image.database_layer() {
            return database_of(store, layer, options).map(|text| (Self::Database(text), Vec::new()));
        }
        let label = |name: &str| image.config.labels.get(name).map(String::as_bytes);
        let mut reading =
            Reading { store, image, options, roots: Vec::new(), findings: Findings { shown, all: Vec::new() } };
        let content = if let Some(path) = &options.database {
            reading.database(PATH, path.as_bytes())?
        } else if let Some(path) = label(CONFIGS).filter(|_| !image.is_database(options)) {
            if label(DATABASE).is_some() {
                let message = "the image is both a catalog and a legacy database: olmdex reads the catalog";
                reading.findings.add(rules::TWO_CATALOGS, message.to_owned());
            }
            reading.catalog(path)?
        } else if let Some(path) = label(DATABASE) {
            reading.database(DATABASE, path)?
        } else {
            Self::must_be_labelled(image)?;
            reading.bundle()?
        };
        Ok((content, reading.findings.all))
    }
}

/// The sentence that lists the existing labels.
fn no_label(image: &Image) -> String {
    const SHOWN: usize = 5;
    let labels = &image.config.labels;
    let what = "the image is not a catalog, a bundle or a database";
    if labels.is_empty() {
        return format!("{what}: it has no labels");
    }
    let shown = Listed::quoted(labels.keys().map(|label| label.escape_debug())).at_most(SHOWN);
    format!("{what}: its labels are {shown}")
}

/// The database of an artifact.
fn database_of(store: &dyn Store, layer: &Descriptor, options: &ImageOptions) -> Result<Text, OciError> {
    read_again_if_damaged(store, layer, || {
        let mut verified = Verified::new(store.blob(layer)?, layer.digest.clone(), layer.size);
        let mut spool = Spool::new(&options.scratch);
        let kept = Decompressed::new(&mut verified, options.limits).and_then(|mut it| Ok(spool.keep_in_file(&mut it)?));
        verified.finish()?;
        Ok(kept?)
    })
}

struct Findings<'a> {
    shown: &'a str,
    all: Vec<Finding>,
}

impl Findings<'_> {
    fn add(&mut self, rule: &'static Rule, message: String) {
        self.all.push(rule.finding(message).at(Place::at_line(self.shown, 1)));
    }

    /// One finding for some names.
    fn add_names(&mut self, rule: &'static Rule, one: &str, several: &str, names: &[String]) {
        match names {
            [] => {}
            [name] => self.add(rule, format!("`{name}` {one}")),
            [first, second] => self.add(rule, format!("`{first}` and `{second}` {several}")),
            [first, second, rest @ ..] => {
                self.add(rule, format!("`{first}`, `{second}` and {} more {several}", rest.len()));
            }
        }
    }

    fn add_special(&mut self, names: &[String]) {
        self.add_names(rules::PASSED_OVER, "is ignored", "are ignored", names);
    }

    fn add_remarks(&mut self, remarks: &Remarks) {
        let climbs = (
            "leads out of the root of the image and is read as a name below it",
            "lead out of the root of the image and are read as names below it",
        );
        self.add_names(rules::CLIMBING_NAME, climbs.0, climbs.1, &remarks.climbing);
        for number in &remarks.short {
            self.add(rules::WRONG_SIZE, format!("layer {number} is shorter than the manifest says"));
        }
        for number in &remarks.wrong_diff_ids {
            let message =
                format!("the configuration has no digest of the decompressed layer {number}, or a different one");
            self.add(rules::WRONG_DIFF_ID, message);
        }
        let sees = (
            "is removed by a layer above the directory of the catalog: catalogd still serves it",
            "are removed by a layer above the directory of the catalog: catalogd still serves them",
        );
        self.add_names(rules::HIDDEN_IN_OPM_ONLY, sees.0, sees.1, &remarks.removed_from_above);
    }
}

struct Reading<'a> {
    store: &'a dyn Store,
    image: &'a Image,
    options: &'a ImageOptions,
    /// The paths below which contents are wanted.
    roots: Vec<Vec<u8>>,
    findings: Findings<'a>,
}

impl Reading<'_> {
    /// The path that a label says, below the root of the image.
    fn path_of(&mut self, path: &[u8]) -> Vec<u8> {
        let (cleaned, has_climbed) = clean(path);
        if has_climbed {
            let what = if self.options.database.is_some() { PATH } else { "the label" };
            let message = format!("{what} names `{}`, which olmdex reads as `/{}`", shown(path), shown(&cleaned));
            self.findings.add(rules::OUTSIDE_LABEL, message);
        }
        cleaned
    }

    /// Reads layers until everything that `take` wants is there; `take` gives the names of files whose contents are
    /// missing.
    fn read<T>(
        &mut self,
        roots: Vec<Vec<u8>>,
        mut take: impl FnMut(&Tree) -> Result<Result<T, Vec<Vec<u8>>>, OciError>,
    ) -> Result<T, OciError> {
        self.roots = roots;
        for _ in 0..READINGS {
            let (layers, diff_ids) = (&self.image.manifest.layers, &self.image.config.diff_ids);
            let (tree, remarks) = apply(self.store, layers, diff_ids, &self.roots, self.options)?;
            match take(&tree)? {
                Ok(taken) => {
                    self.findings.add_remarks(&remarks);
                    return Ok(taken);
                }
                Err(missing) => self.roots.extend(missing),
            }
        }
        Err(OciError::Limit(format!("links lead to other layers more than {READINGS} times")))
    }

    fn catalog(&mut self, label: &[u8]) -> Result<Content, OciError> {
        let path = self.path_of(label);
        let mut special = Vec::new();
        let files = self.read(vec![path.clone()], |tree| {
            let directory = match tree.find(&path) {
                Ok(PathTarget::Directory(directory)) => directory,
                Ok(_) => return Err(labelled(CONFIGS, label, "it is not a directory")),
                Err(LinkError::Limit(limit)) => return Err(ArchiveError::Limit(limit).into()),
                Err(error) => return Err(labelled(CONFIGS, label, &error.to_string())),
            };
            let below = Below::of(tree, &directory)?;
            special = below.special;
            Ok(if below.missing.is_empty() { Ok(below.files) } else { Err(below.missing) })
        })?;
        self.findings.add_special(&special);
        Ok(Content::Catalog(format!("/{}", shown(&path)), files))
    }

    /// The file that a label or an option names.
    fn database(&mut self, label: &'static str, named: &[u8]) -> Result<Content, OciError> {
        let path = self.path_of(named);
        self.read(vec![path.clone()], |tree| match tree.find(&path) {
            Ok(PathTarget::File(text)) => Ok(Ok(text.clone())),
            Ok(PathTarget::Left(name)) => Ok(Err(vec![name.to_vec()])),
            Ok(_) => Err(labelled(label, named, "it is not a file")),
            Err(LinkError::Limit(limit)) => Err(ArchiveError::Limit(limit).into()),
            Err(error) => Err(labelled(label, named, &error.to_string())),
        })
        .map(Content::Database)
    }

    fn bundle(&mut self) -> Result<Content, OciError> {
        let names = [MANIFESTS, METADATA];
        self.read(names.iter().map(|it| it.as_bytes().to_vec()).collect(), |tree| {
            let mut missing = Vec::new();
            let mut texts = Vec::new();
            for name in names {
                texts.push(bundle_files(tree, name, &mut missing)?);
            }
            let (Some(metadata), Some(manifests)) = (texts.pop(), texts.pop()) else { return Ok(Err(missing)) };
            Ok(if missing.is_empty() { Ok(BundleFiles { manifests, metadata }) } else { Err(missing) })
        })
        .map(Content::Bundle)
    }
}

/// The files below a directory.
#[derive(Default)]
struct Below {
    files: Vec<TreeFile>,
    /// Devices and pipes.
    special: Vec<String>,
    /// Names of files whose contents were left.
    missing: Vec<Vec<u8>>,
}

impl Below {
    fn of(tree: &Tree, directory: &[u8]) -> Result<Self, OciError> {
        let mut this = Self::default();
        for (path, node) in tree.below(directory) {
            let found = match node {
                TreeEntry::Directory => continue,
                // A link to a directory is not entered; it is read like a file, which fails.
                _ => tree.find(path),
            };
            let text = match found {
                Ok(PathTarget::File(text)) => Ok(text.clone()),
                Ok(PathTarget::Left(name)) => {
                    this.missing.push(name.to_vec());
                    continue;
                }
                Ok(PathTarget::Special(what)) => {
                    this.special.push(format!("/{} ({what})", shown(path)));
                    continue;
                }
                Ok(PathTarget::Directory(_)) => Err(io::ErrorKind::IsADirectory.into()),
                Err(LinkError::Limit(limit)) => return Err(ArchiveError::Limit(limit).into()),
                Err(error) => Err(io_error(error)),
            };
            let relative = if directory.is_empty() { path } else { &path[directory.len() + 1..] };
            let components = relative.split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect();
            this.files.push(TreeFile { components, text });
        }
        Ok(this)
    }
}

/// The files right in a directory of a bundle.
fn bundle_files(tree: &Tree, name: &str, missing: &mut Vec<Vec<u8>>) -> Result<Vec<(String, Vec<u8>)>, OciError> {
    let Ok(PathTarget::Directory(directory)) = tree.find(name.as_bytes()) else {
        return Err(OciError::Missing(format!("the directory `/{name}` of the bundle")));
    };
    let mut files = Vec::new();
    for (path, _) in tree.below(&directory) {
        let base = &path[directory.len() + 1..];
        if base.contains(&b'/') {
            continue;
        }
        match tree.find(path) {
            Ok(PathTarget::File(text)) => {
                let whole = text.whole(MAX_BUNDLE_FILE).map_err(|error| match error.kind() {
                    io::ErrorKind::FileTooLarge => {
                        OciError::Limit(format!("`/{}` is larger than {} MiB", shown(path), MAX_BUNDLE_FILE >> 20))
                    }
                    _ => error.into(),
                })?;
                files.push((String::from_utf8_lossy(base).into_owned(), whole.into_owned()));
            }
            Ok(PathTarget::Left(name)) => missing.push(name.to_vec()),
            Err(LinkError::Limit(limit)) => return Err(ArchiveError::Limit(limit).into()),
            _ => {}
        }
    }
    Ok(files)
}

fn labelled(label: &'static str, path: &[u8], message: &str) -> OciError {
    OciError::Labelled { label, path: shown(path), message: message.to_owned() }
}

/// The error of the system for it.
fn io_error(error: LinkError) -> io::Error {
    let kind = match error {
        LinkError::NotFound => io::ErrorKind::NotFound,
        LinkError::NotADirectory => io::ErrorKind::NotADirectory,
        LinkError::TooManyLinks => io::ErrorKind::Other,
        LinkError::Limit(_) => io::ErrorKind::QuotaExceeded,
    };
    io::Error::new(kind, error.to_string())
}
