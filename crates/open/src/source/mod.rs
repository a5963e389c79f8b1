//! Recognizes sources, by content and only Dockerfiles by name, and opens any of them.
//!
//! Nothing is fetched unless a name begins with `docker://`.
//!
//! This module deliberately does not judge the content. It writes temporary files and the cache only.

mod built;
mod bundle_files;
mod bundle_images;
mod bundle_tree;
mod cluster_state;
mod error;
mod image;
mod live_cluster;
mod named;
mod recognized;
mod repository_parts;
mod revision;

use std::collections::BTreeSet;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use self::built::built;
pub use self::built::input_of;
pub use self::bundle_images::{BundlePlaces, Images, ImagesError};
pub use self::cluster_state::ClusterState;
pub use self::error::SourceError;
use self::error::unreadable;
pub use self::image::ImageSource;
pub use self::live_cluster::{Asked, ClusterSourceError};
use self::named::Named;
pub use self::named::{is_revision, local_path, path_and_tag};
pub use self::recognized::{Recognized, is_image_set, names_image_set};
pub use self::repository_parts::RepositoryParts;
#[cfg(feature = "oci")]
use crate::oci::registry::{Registries, RegistryOptions};
use crate::oci::{Content, ImageOptions, ImageSelector, Layout, Mirrors, OciError, SavedImage, SkopeoDirectory, Store};
use crate::template::{BundleImages, CompositePart, Template, template_texts};
use olmdex_base::archive;
use olmdex_base::diag::{Finding, Listed};
use olmdex_base::file::{MAX_WHOLE, Scratch, Text, is_open_pipe, open_regular, read_named_of, read_stream_of};
use olmdex_bundle::bundle::{self, Bundle, BundleError, ImageTemplate, SourceFile, package_manifest};
use olmdex_fbc::{BundleFiles, Format, Input, Level, Sight};
use olmdex_index as index;
use olmdex_legacy::{self as legacy, Fidelity, LegacyCatalog};
use olmdex_rules::check::pipeline::BuildOptions;
use olmdex_text::encoding::shell::word;

/// A source that a user named.
#[derive(Debug)]
pub enum Source {
    /// A catalog in files: a directory, a file, standard input, an image or an archive, a bundle, or a legacy SQLite
    /// catalog, whose blobs are made when they are read.
    Catalog(Input),
    /// An SQLite database, by its path: an index, or a file that [`olmdex_index::Index::open`] will refuse with words.
    Index(PathBuf),
}

/// The name that stands for standard input.
pub const STDIN: &str = "-";

/// First bytes of every SQLite file.
const SQLITE_MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Bytes of the header of an SQLite file.
const SQLITE_HEADER: usize = 100;

/// Whether a file carries the mark of an index.
pub fn is_index(path: &Path) -> bool {
    // A pipe may never get any bytes.
    path.is_file() && header(path).is_ok_and(|it| index::has_mark(&it))
}

/// The bytes of a file that would be the header of a database.
fn header(path: &Path) -> io::Result<Vec<u8>> {
    let mut header = Vec::with_capacity(SQLITE_HEADER);
    std::fs::File::open(path)?.take(SQLITE_HEADER as u64).read_to_end(&mut header)?;
    Ok(header)
}

/// The source that a name stands for.
#[derive(Debug)]
pub enum SourceOrImage<'o> {
    /// A source that is not in an image.
    Source(Source),
    /// An image that may hold one.
    Image(ImageSource<'o>),
}

/// The source at a name, before a catalog is made of it.
enum RecognisedSource<'o> {
    /// A catalog or a database.
    Source(Source),
    /// The files of a directory that is not a bundle.
    Files(PathBuf, Input),
    BundleDirectory(PathBuf),
    /// The content of an archive that is not an image, and the remarks about it.
    Archived(Content, Vec<Finding>),
    /// An image.
    Image(ImageSource<'o>),
}

/// How templates are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TemplateUse {
    /// As files.
    #[default]
    Text,
    /// As the catalogs of their graphs.
    Graph,
    /// Not at all: the bundles are needed.
    Refused,
}

/// Where the bundles of the images in templates are, and what opens these places: no template is among them, or it
/// could name itself.
#[derive(Debug)]
struct TemplateBundles {
    opener: Opener,
    places: BundlePlaces,
}

/// Opens sources. Content that it had to put into temporary files stays until it is dropped.
#[derive(Debug)]
pub struct Opener {
    /// How images are read, and where temporary files go.
    pub images: ImageOptions,
    /// The template for the image references of bundles from directories and layouts; without it they have none.
    bundle_image: Option<ImageTemplate>,
    /// The registries that images are in.
    #[cfg(feature = "oci")]
    pub registries: Arc<Registries>,
    /// How templates are opened.
    pub templates: TemplateUse,
    /// Where the bundles of the images in templates are.
    bundles: Option<Arc<TemplateBundles>>,
    /// How images are built from Dockerfiles.
    pub builds: BuildOptions,
    /// Whether every directory that opm takes for a catalog is one.
    is_opm: bool,
    /// Whether `.git` at the root of a catalog is read, as opm does it.
    keeps_git: bool,
    held: Mutex<Vec<Scratch>>,
}

impl Opener {
    /// One that puts temporary files below a directory.
    pub fn new(scratch: &Path) -> Self {
        Self {
            images: ImageOptions::new(scratch.to_owned()),
            bundle_image: None,
            #[cfg(feature = "oci")]
            registries: Arc::new(Registries::new(RegistryOptions {
                scratch: scratch.to_owned(),
                ..RegistryOptions::default()
            })),
            templates: TemplateUse::default(),
            bundles: None,
            builds: BuildOptions::default(),
            is_opm: false,
            keeps_git: false,
            held: Mutex::default(),
        }
    }

    /// The same opener, but with `.git` at the root of a catalog read, as opm does it.
    #[must_use]
    pub fn keeping_git(self) -> Self {
        Self { keeps_git: true, ..self }
    }

    /// Another one that gives bundles these references.
    pub fn with_bundle_image(&self, template: Option<ImageTemplate>) -> Self {
        Self {
            images: self.images.clone(),
            bundle_image: template,
            #[cfg(feature = "oci")]
            registries: Arc::clone(&self.registries),
            templates: self.templates,
            bundles: self.bundles.clone(),
            builds: self.builds.clone(),
            is_opm: self.is_opm,
            keeps_git: self.keeps_git,
            held: Mutex::default(),
        }
    }

    /// Another one that opens templates in this way.
    pub fn with_templates(&self, templates: TemplateUse) -> Self {
        Self { templates, ..self.with_bundle_image(self.bundle_image.clone()) }
    }

    /// Another one that finds the bundles of the images in templates there.
    pub fn with_bundles(&self, places: BundlePlaces) -> Self {
        let opener = Self { bundles: None, ..self.with_templates(TemplateUse::Text) };
        let bundles = Some(Arc::new(TemplateBundles { opener, places }));
        Self { bundles, ..self.with_bundle_image(self.bundle_image.clone()) }
    }

    /// Another one that builds images in this way.
    pub fn with_builds(&self, builds: BuildOptions) -> Self {
        Self { builds, ..self.with_bundle_image(self.bundle_image.clone()) }
    }

    /// Another one that takes an image that is a catalog and a legacy database for the database, as opm does.
    pub fn preferring_databases(&self) -> Self {
        let images = ImageOptions { prefers_database: true, ..self.images.clone() };
        Self { images, ..self.with_bundle_image(self.bundle_image.clone()) }
    }

    /// Another one that takes the file at this path of an image for its database, whatever its labels.
    pub fn with_database(&self, path: Option<String>) -> Self {
        let images = ImageOptions { database: path, ..self.images.clone() };
        Self { images, ..self.with_bundle_image(self.bundle_image.clone()) }
    }

    /// Another opener that takes a directory for a catalog whenever opm does, whatever its content.
    pub fn as_opm(&self) -> Self {
        Self { is_opm: true, ..self.preferring_databases() }
    }

    /// The mirrors of images that the user named.
    ///
    /// # Errors
    /// If a file of mirrors cannot be read.
    pub fn named_mirrors(&self) -> Result<Mirrors, OciError> {
        #[cfg(feature = "oci")]
        let files: Vec<_> = self.registries.options().mirrors.iter().filter(|file| file.is_named).cloned().collect();
        #[cfg(not(feature = "oci"))]
        let files = Vec::new();
        Mirrors::read(&files)
    }

    /// The directory for temporary files.
    pub fn scratch(&self) -> &Path {
        &self.images.scratch
    }

    /// Looks at the target of `path` and opens it. `-` is `stdin`, which is read whole.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use olmdex_open::source::{Opener, Source};
    ///
    /// let mut stdin = "schema: olm.package\nname: till\n".as_bytes();
    /// let opener = Opener::new(&std::env::temp_dir());
    /// let source = opener.open(Path::new("-"), &mut stdin)?;
    /// assert!(matches!(source, Source::Catalog(input) if input.files.len() == 1));
    /// # Ok::<(), olmdex_open::source::SourceError>(())
    /// ```
    ///
    /// # Errors
    /// [`SourceError`] if there is nothing that could hold a catalog.
    pub fn open(&self, path: &Path, stdin: &mut dyn io::Read) -> Result<Source, SourceError> {
        match self.look(path, stdin)? {
            SourceOrImage::Source(source) => Ok(source),
            SourceOrImage::Image(image) => self.read(&image),
        }
    }

    /// Reads the content of an image.
    ///
    /// # Errors
    /// [`SourceError`] if that cannot be read, or could hold no catalog.
    pub fn read(&self, image: &ImageSource<'_>) -> Result<Source, SourceError> {
        let (content, remarks) = image.content(&self.images)?;
        let mut source = self.open_content(content, remarks, &image.shown, image.reference.as_deref())?;
        if let Source::Catalog(input) = &mut source {
            input.image = Some(image.origin());
        }
        Ok(source)
    }

    /// The database in an image, in a temporary file that stays as long as this opener, with the remarks about the
    /// image; `None` if the name is not that of an image, or its content is something else.
    ///
    /// # Errors
    /// [`SourceError`] if the image cannot be read.
    pub fn database(&self, path: &Path) -> Result<Option<(PathBuf, Vec<Finding>)>, SourceError> {
        let is_plain = match Named::parse(path) {
            Named::Path(path) if path.is_dir() => !Layout::is_in(&path) && !SkopeoDirectory::is_in(&path),
            Named::Path(path) => !open_regular(&path).is_ok_and(|file| archive::is_archive(&file)),
            Named::Revision(..) => true,
            _ => false,
        };
        if path.as_os_str() == STDIN || is_plain {
            return Ok(None);
        }
        let RecognisedSource::Image(image) = self.find(path)? else { return Ok(None) };
        if !image.is_database(&self.images)? {
            return Ok(None);
        }
        match image.content(&self.images)? {
            (Content::Database(text), remarks) => {
                let path = self.hold(&text).map_err(|error| unreadable(self.scratch(), error))?;
                Ok(Some((path, remarks)))
            }
            _ => Ok(None),
        }
    }

    /// Like [`Self::open`], but only the manifest and the configuration of an image are read.
    ///
    /// # Errors
    /// [`SourceError`] if there is nothing that could hold a catalog.
    pub fn look(&self, path: &Path, stdin: &mut dyn io::Read) -> Result<SourceOrImage<'_>, SourceError> {
        if path.as_os_str() == STDIN {
            let text = read_stream_of(stdin, MAX_WHOLE).map_err(|error| unreadable(path, error))?;
            let input = Input::bytes("<stdin>", Arc::from(text));
            return self.catalog_or_template(path, input).map(SourceOrImage::Source);
        }
        let shown = path.to_string_lossy();
        let source = match self.find(path)? {
            RecognisedSource::Image(image) => return Ok(SourceOrImage::Image(image)),
            RecognisedSource::Source(source) => Ok(source),
            RecognisedSource::Files(path, input) => self.open_files(&path, Some(&path), input),
            RecognisedSource::BundleDirectory(path) => {
                let wrong = |error: BundleError| SourceError::Bundle { path: path.clone(), error };
                self.catalog_of_bundle(&bundle::read_files(&path).map_err(wrong)?, &path, &shown, None)
            }
            RecognisedSource::Archived(content, remarks) => match self.open_content(content, remarks, &shown, None)? {
                Source::Catalog(input) if input.files.iter().all(|it| it.made_of().is_none()) => {
                    self.open_files(path, None, input)
                }
                source => Ok(source),
            },
        };
        source.map(SourceOrImage::Source)
    }

    /// Looks at the target of `path`.
    fn find(&self, path: &Path) -> Result<RecognisedSource<'_>, SourceError> {
        let shown = path.to_string_lossy();
        let wrong = |error: OciError| SourceError::Image { name: shown.to_string(), error };
        match Named::parse(path) {
            Named::Path(path) => self.open_path(&path),
            Named::Layout(directory, wanted) => {
                let store = Layout::open(&directory).map_err(wrong)?;
                self.find_image(store, &wanted, &shown, None)
            }
            Named::Archive(file, wanted) => self.open_archive(&file, &wanted, &shown),
            Named::Skopeo(directory) => {
                let store = SkopeoDirectory::open(&directory).map_err(wrong)?;
                self.find_image(store, &ImageSelector::default(), &shown, None)
            }
            Named::Revision(reference, below) => {
                let found = revision::files_in(&reference, &below, &self.images);
                let files = found.map_err(|error| SourceError::Git { name: shown.to_string(), error })?;
                let files = files.ok_or_else(|| SourceError::NotInRevision(shown.to_string()))?;
                let input = Input::tree(&shown, files, self.keeps_git);
                self.open_files(path, None, input).map(RecognisedSource::Source)
            }
            Named::Elsewhere("docker://", reference) => self.open_registry(&reference, &shown),
            Named::Elsewhere(transport, reference) => Err(SourceError::Transport { transport, reference }),
        }
    }

    /// An image in a registry.
    #[cfg(feature = "oci")]
    fn open_registry<'o>(&'o self, text: &str, shown: &str) -> Result<RecognisedSource<'o>, SourceError> {
        let wrong = |error: OciError| SourceError::Image { name: shown.to_owned(), error };
        let registry = self.registries.image(text).map_err(wrong)?;
        self.find_image(registry, &ImageSelector::default(), shown, Some(text))
    }

    /// An image in a registry, which this library is built without.
    #[cfg(not(feature = "oci"))]
    fn open_registry(&self, text: &str, _: &str) -> Result<RecognisedSource<'_>, SourceError> {
        Err(SourceError::Transport { transport: "docker://", reference: text.to_owned() })
    }

    /// The store of an image that is named by its transport, and which of its images is meant.
    ///
    /// # Errors
    /// [`SourceError`] if it is not the name of an image, or its store cannot be opened.
    pub fn store<'s>(&'s self, name: &str) -> Result<(Box<dyn Store + 's>, ImageSelector), SourceError> {
        let wrong = |error: OciError| SourceError::Image { name: name.to_owned(), error };
        Ok(match Named::parse(Path::new(name)) {
            Named::Layout(directory, wanted) => (Box::new(Layout::open(&directory).map_err(wrong)?), wanted),
            Named::Skopeo(directory) => {
                (Box::new(SkopeoDirectory::open(&directory).map_err(wrong)?), ImageSelector::default())
            }
            Named::Path(path) if path.is_dir() && Layout::is_in(&path) => {
                (Box::new(Layout::open(&path).map_err(wrong)?), ImageSelector::default())
            }
            #[cfg(feature = "oci")]
            Named::Elsewhere("docker://", text) => {
                (Box::new(self.registries.image(&text).map_err(wrong)?), ImageSelector::default())
            }
            _ => {
                let message = "it is not `oci:DIR`, `dir:DIR` or `docker://HOST/NAME`".to_owned();
                return Err(wrong(OciError::Choice {
                    message,
                    help: "copy it to one of these with `skopeo copy`".to_owned(),
                }));
            }
        })
    }

    fn open_path(&self, path: &Path) -> Result<RecognisedSource<'_>, SourceError> {
        let shown = path.to_string_lossy();
        let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, error))?;
        if metadata.is_dir() && bundle::is_bundle(path) {
            return Ok(RecognisedSource::BundleDirectory(path.to_owned()));
        }
        if metadata.is_dir() {
            let wrong = |error: OciError| SourceError::Image { name: shown.to_string(), error };
            if Layout::is_in(path) {
                return self.find_image(Layout::open(path).map_err(wrong)?, &ImageSelector::default(), &shown, None);
            }
            if SkopeoDirectory::is_in(path) {
                let store = SkopeoDirectory::open(path).map_err(wrong)?;
                return self.find_image(store, &ImageSelector::default(), &shown, None);
            }
            let input = if self.keeps_git { Input::directory_with_git(path) } else { Input::directory(path) };
            let input = input.map_err(|error| unreadable(path, error))?;
            return Ok(RecognisedSource::Files(path.to_owned(), input));
        }
        if !metadata.is_file() {
            if !is_open_pipe(path) {
                return Err(unreadable(path, io::Error::other("not a regular file or directory")));
            }
            // It can be read only once.
            let text = read_named_of(path, MAX_WHOLE).map_err(|error| unreadable(path, error))?;
            return Ok(RecognisedSource::Source(Source::Catalog(Input::bytes(&shown, Arc::from(text)))));
        }
        let head = header(path).map_err(|error| unreadable(path, error))?;
        if head.starts_with(SQLITE_MAGIC) {
            return self.open_database(path, &head).map(RecognisedSource::Source);
        }
        if open_regular(path).is_ok_and(|file| archive::is_archive(&file)) {
            return self.open_archive(path, &ImageSelector::default(), &shown);
        }
        if let Some(dockerfile) = (!self.is_opm).then(|| self.builds.of_catalog(path)).flatten() {
            return built(&dockerfile).map(|input| RecognisedSource::Source(Source::Catalog(input)));
        }
        self.catalog_or_template(path, Input::file(path)).map(RecognisedSource::Source)
    }

    /// The bundles of the images in templates, if the user said where they are.
    ///
    /// # Errors
    /// [`SourceError`] if a place is none.
    pub fn images_of_templates(&self) -> Result<Option<Images<'_>>, SourceError> {
        let Some(bundles) = &self.bundles else { return Ok(None) };
        match Images::at(&bundles.opener, &bundles.places, &mut io::empty()) {
            Ok(images) => Ok(Some(images)),
            Err(ImagesError::Source(error)) => Err(error),
            Err(ImagesError::NotThere(path)) => Err(SourceError::NotFound(path)),
            Err(ImagesError::Twice(image)) => Err(unreadable(Path::new(&image), io::Error::other("it is given twice"))),
        }
    }

    /// The files of a catalog, or of a template if each of them is one.
    fn catalog_or_template(&self, path: &Path, input: Input) -> Result<Source, SourceError> {
        let is_asked = self.templates != TemplateUse::Text && !self.is_opm;
        let Some(texts) = is_asked.then(|| template_texts(&input)).flatten() else {
            return Ok(Source::Catalog(input));
        };
        let refused =
            |why: &str, help: String| SourceError::Unmade { path: path.to_owned(), why: why.to_owned(), help };
        let render = |shown: &str| match path.as_os_str() == STDIN {
            true => "render it first with `olmdex template render`".to_owned(),
            false => format!("render it first: `olmdex template render {} --bundles DIR > catalog.yaml`", word(shown)),
        };
        let with_bundles = |shown: &str| {
            let render = render(shown);
            format!("a question finds them with `--bundles DIR` or `--with CATALOG`; for other commands {render}")
        };
        let (shown, text) = match texts.as_slice() {
            [] => return Ok(Source::Catalog(input)),
            [only] => only,
            [first, ..] => return Err(refused("has several templates", format!("name one of them: `{}`", first.0))),
        };
        let file = Path::new(shown);
        let parts = if file.is_file() { CompositePart::all_of(text) } else { Vec::new() };
        if parts.iter().any(|part| part.catalog != parts[0].catalog) {
            let inputs: BTreeSet<&str> = parts.iter().map(|part| part.input.as_str()).collect();
            let help = format!("name one of their templates: {}", Listed::quoted(inputs));
            return Err(refused("has the templates of several catalogs", help));
        }
        if !parts.is_empty() {
            return self.catalog_of_parts(file, &parts).map(Source::Catalog);
        }
        let images = self.images_of_templates()?;
        if self.templates == TemplateUse::Refused && images.is_none() {
            return Err(refused(
                "is a template, and this command needs the bundles in its images",
                with_bundles(shown),
            ));
        }
        let Ok((template, _)) = Template::read_graph(shown, text.clone(), None) else {
            return Err(refused("is a template with errors", format!("`olmdex validate {}` shows them", word(shown))));
        };
        match template.catalog(images.as_ref().map(|images| images as &dyn BundleImages)) {
            Ok((catalog, _)) if !catalog.is_template || self.templates == TemplateUse::Graph => {
                Ok(Source::Catalog(catalog))
            }
            Ok((_, findings)) | Err(findings) => Err(match findings.into_iter().next() {
                Some(Finding { message, help, .. }) => refused(
                    &format!("is a template, and not all of its bundles are known: {message}"),
                    help.unwrap_or_else(|| render(shown)),
                ),
                None => refused(
                    "is a template whose channels follow from the bundles in its images, or that has too many entries",
                    with_bundles(shown),
                ),
            }),
        }
    }

    /// The catalog of a composite template: those of its parts together.
    fn catalog_of_parts(&self, composite: &Path, parts: &[CompositePart]) -> Result<Input, SourceError> {
        let mut all = Input::default();
        for part in parts {
            let (file, _) =
                part.read(composite).map_err(|error| unreadable(&composite.with_file_name(&part.input), error))?;
            let file_input = Input::file(&file).seen_as(Sight::Found);
            // A part of a part would lead anywhere, even back.
            let is_composite = template_texts(&file_input)
                .is_some_and(|texts| texts.iter().any(|(_, text)| !CompositePart::all_of(text).is_empty()));
            let made =
                if is_composite { Source::Catalog(file_input) } else { self.catalog_or_template(&file, file_input)? };
            let Source::Catalog(input) = made else { continue };
            all.is_template |= input.is_template;
            all.files.extend(input.files);
            all.remarks.extend(input.remarks);
        }
        Ok(all)
    }

    /// The files of a directory, or of an archive, which has no `root`: a catalog, unless their content shows that they
    /// are none.
    fn open_files(&self, path: &Path, root: Option<&Path>, input: Input) -> Result<Source, SourceError> {
        if self.is_opm {
            return Ok(Source::Catalog(input));
        }
        let bundles = bundle::nested_bundles(root, &input);
        if !bundles.is_empty() {
            return Err(match root {
                Some(root) => {
                    let bundles = bundles.into_iter().map(|it| root.join(it)).collect();
                    SourceError::Nested { path: path.to_owned(), bundles }
                }
                None => SourceError::NestedInArchive { path: path.to_owned(), bundles },
            });
        }
        let image = |bundle: &Bundle| self.image_of(bundle, None);
        let found = package_manifest::find(root, &input);
        match found.and_then(|it| package_manifest::convert(root, &input, it, &image)) {
            None => self.catalog_or_template(path, input),
            Some(Ok(converted)) => Ok(Source::Catalog(converted)),
            Some(Err(message)) => {
                Err(SourceError::Unreadable { path: path.to_owned(), error: io::Error::other(message) })
            }
        }
    }

    fn open_database(&self, path: &Path, head: &[u8]) -> Result<Source, SourceError> {
        if !index::has_mark(head) && legacy::is_legacy(path) {
            return Ok(Source::Catalog(LegacyCatalog::open(path, self.scratch(), Fidelity::Kept)?.into_input()));
        }
        Ok(Source::Index(path.to_owned()))
    }

    /// An archive: of images, or of a catalog.
    fn open_archive(
        &self,
        path: &Path,
        wanted: &ImageSelector,
        shown: &str,
    ) -> Result<RecognisedSource<'_>, SourceError> {
        let wrong = |error: OciError| SourceError::Image { name: shown.to_owned(), error };
        let file = open_regular(path).map_err(|error| unreadable(path, error))?;
        let tree = archive::read(&Arc::new(file), self.images.limits, self.scratch(), |_| true)
            .map_err(|error| SourceError::Archive { path: path.to_owned(), error })?;
        if Layout::is_archive(&tree) {
            return self.find_image(Layout::of_archive(tree).map_err(wrong)?, wanted, shown, None);
        }
        if SavedImage::is_archive(&tree) {
            return self.find_image(SavedImage::of_archive(tree).map_err(wrong)?, wanted, shown, None);
        }
        let (content, remarks) = Content::of_tree(&tree, shown).map_err(wrong)?;
        Ok(RecognisedSource::Archived(content, remarks))
    }

    /// One image of a store. `reference` is its name in a registry, if it has one.
    fn find_image<'o>(
        &'o self,
        store: impl Store + 'o,
        wanted: &ImageSelector,
        shown: &str,
        reference: Option<&str>,
    ) -> Result<RecognisedSource<'o>, SourceError> {
        ImageSource::find(Box::new(store), wanted, &self.images, shown, reference).map(RecognisedSource::Image)
    }

    fn open_content(
        &self,
        content: Content,
        remarks: Vec<Finding>,
        shown: &str,
        reference: Option<&str>,
    ) -> Result<Source, SourceError> {
        let mut source = match content {
            Content::Catalog(directory, files) => {
                let root = format!("{shown}!{}", directory.trim_end_matches('/'));
                Source::Catalog(Input::tree(&root, files, self.keeps_git))
            }
            Content::Bundle(files) => {
                self.catalog_of_bundle(&files, Path::new(shown), &format!("{shown}!"), reference)?
            }
            Content::Database(text) => {
                let path = self.hold(&text).map_err(|error| unreadable(self.scratch(), error))?;
                let head = header(&path).map_err(|error| unreadable(&path, error))?;
                if !head.starts_with(SQLITE_MAGIC) {
                    let error = OciError::NotForOlm("the database of the image is not an SQLite file".to_owned());
                    return Err(SourceError::Image { name: shown.to_owned(), error });
                }
                self.open_database(&path, &head)?
            }
        };
        if let Source::Catalog(input) = &mut source {
            input.remarks.splice(0..0, remarks);
        }
        Ok(source)
    }

    /// Puts a database where SQLite can open it.
    fn hold(&self, text: &Text) -> io::Result<PathBuf> {
        const NAME: &str = "index.db";
        let scratch = Scratch::make(self.scratch()).map_err(io::Error::other)?;
        io::copy(&mut text.reader(), &mut scratch.create(NAME)?)?;
        let path = scratch.path().join(NAME);
        self.held.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        Ok(path)
    }

    /// A bundle as a catalog of one blob. `root` is the prefix of its files' names.
    fn catalog_of_bundle(
        &self,
        files: &BundleFiles,
        path: &Path,
        root: &str,
        reference: Option<&str>,
    ) -> Result<Source, SourceError> {
        let wrong = |error: BundleError| SourceError::Bundle { path: path.to_owned(), error };
        let bundle = Bundle::of_files(&files.manifests, &files.metadata).map_err(wrong)?;
        let image = self.image_of(&bundle, reference);
        let mut text = Vec::new();
        // Only another level or YAML could fail.
        bundle
            .write(&image, Level::None, Format::Json, &mut text)
            .map_err(|message| unreadable(path, io::Error::other(message)))?;
        let files = files.called_below(root);
        let files: Vec<SourceFile<'_>> = files.iter().map(|(shown, text)| SourceFile { shown, text }).collect();
        Ok(Source::Catalog(Input::of_others(vec![(text, bundle::made_of(&bundle, &image, &files))])))
    }

    /// The reference of a bundle's image; its name in a registry, if it came from one.
    fn image_of(&self, bundle: &Bundle, reference: Option<&str>) -> String {
        match &self.bundle_image {
            Some(template) => template.fill(bundle),
            None => reference.unwrap_or_default().to_owned(),
        }
    }
}
