//! The image of a catalog or of a legacy database, packed: whether it may be sent, and the files of its layer.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use olmdex_base::diag::{Finding, Severity, counted};
use olmdex_base::file::Text;
use olmdex_compose::compose::{Composition, Files, FilesError};
use olmdex_compose::mirror::Blobs;
use olmdex_fbc::{Format, Input, Level, Origin, RenderDefect, Rendering, RereadError, Selection, Sorted};
use olmdex_legacy::{LegacyError, package_file};
use olmdex_olm::upgrade::check_catalog;
use olmdex_open::oci::pack::{self, Base, LayerWriter, PackedImage, Payload};
use olmdex_open::oci::{Content, Image, ImageOptions, ImageSelector, OciError, PlatformOf};
use olmdex_open::source::SourceError;
use olmdex_text::json::Expansion;

/// The files of a catalog in an image.
#[derive(Debug, Clone, Copy)]
pub enum CatalogFiles<'c> {
    /// A legacy database.
    Database(&'c Text),
    /// Those of a directory, as they are.
    AsWritten(&'c Input),
    /// One of each package, in JSON.
    ByPackage(&'c Input),
    /// Those of a composed catalog, as `olmdex render` writes them.
    Composed(&'c Composition, Format),
    /// One of each package that a filter has kept, in JSON.
    Kept(&'c Blobs),
}

/// The rest of an image.
#[derive(Debug)]
pub struct ImageParts<'p> {
    /// The images that it is made from; one for each platform.
    pub bases: Vec<Base>,
    /// The platforms of an image without a base.
    pub platforms: &'p [PlatformOf],
    /// Its labels, without that of catalogs.
    pub labels: &'p BTreeMap<String, String>,
    /// The time at which it was made, as RFC 3339.
    pub created: Option<&'p str>,
    /// How its bases were read, and where temporary files go.
    pub options: &'p ImageOptions,
    /// Its name in the findings about it; without one, an image that is not valid is made, too.
    pub checked_as: Option<&'p str>,
}

/// The reasons why a catalog cannot be packed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CatalogImageError {
    /// Documents cannot be rendered.
    #[error("the catalog cannot be rendered: `olmdex render` shows why")]
    Defects { input: Box<Input>, defects: Vec<(Origin, RenderDefect)> },
    /// A file cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file has changed since it was read.
    #[error(transparent)]
    Reread(#[from] RereadError),
    /// A composed catalog has no such files.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The name of a package is not that of a directory.
    #[error(transparent)]
    Name(#[from] LegacyError),
    /// The system reports an error about a temporary file.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The image cannot be made.
    #[error(transparent)]
    Image(#[from] OciError),
    /// The catalog in the image would not be valid: the errors.
    #[error("the catalog would not be valid ({})", counted(.0.len() as u64, "error"))]
    Invalid(Vec<Finding>),
}

impl CatalogFiles<'_> {
    /// Makes the image of them.
    ///
    /// # Errors
    /// [`CatalogImageError`]
    pub fn image(self, parts: ImageParts<'_>) -> Result<PackedImage, CatalogImageError> {
        let payload = if matches!(self, Self::Database(_)) { Payload::Database } else { Payload::Catalog };
        let mut layer = LayerWriter::begin(&parts.options.scratch, &parts.bases, payload)?;
        self.write(&mut layer)?;
        let image = pack::catalog(&layer.finish()?, parts.platforms, parts.bases, parts.labels, parts.created)?;
        if let Some(name) = parts.checked_as.filter(|_| payload == Payload::Catalog) {
            let mut errors = self.remarks();
            errors.extend(findings(&image, name, parts.options)?);
            errors.retain(|finding| finding.rule.severity == Severity::Error);
            if !errors.is_empty() {
                return Err(CatalogImageError::Invalid(errors));
            }
        }
        Ok(image)
    }

    /// The remarks about the source.
    fn remarks(self) -> Vec<Finding> {
        match self {
            Self::AsWritten(input) | Self::ByPackage(input) => input.remarks.clone(),
            Self::Composed(composition, _) => composition.input().remarks,
            Self::Kept(_) | Self::Database(_) => Vec::new(),
        }
    }

    fn write(self, layer: &mut LayerWriter) -> Result<(), CatalogImageError> {
        let expansion = Expansion::default();
        match self {
            Self::Database(text) => layer.add("index.db", text.len(), &mut text.reader())?,
            Self::AsWritten(input) => {
                for file in &input.files {
                    let path = || PathBuf::from(&file.shown);
                    let text = file.whole().map_err(|error| SourceError::Unreadable { path: path(), error })?;
                    layer.add(file.relative(), text.len() as u64, &mut &*text)?;
                }
            }
            Self::ByPackage(input) => {
                let selection = Selection { packages: &[] };
                let how = Rendering { format: Format::Json, level: Level::None, selection, expansion: &expansion };
                let mut sorted = Sorted::new(how);
                let defects = sorted.read(input);
                if !defects.is_empty() {
                    return Err(CatalogImageError::Defects { input: Box::new(input.clone()), defects });
                }
                sorted.write(|package, text| {
                    layer.add_piece(&file_of(package)?, text)?;
                    Ok::<(), CatalogImageError>(())
                })?;
            }
            Self::Composed(composition, format) => {
                let mut files = Files::of(composition, format, Level::None, &expansion);
                if !files.defects.is_empty() {
                    let (input, defects) = files.defects.swap_remove(0);
                    return Err(CatalogImageError::Defects { input: Box::new(input.clone()), defects });
                }
                files.write(|path, text| {
                    layer.add_piece(path, text)?;
                    Ok::<(), CatalogImageError>(())
                })?;
            }
            Self::Kept(blobs) => {
                let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
                for (package, text) in blobs.texts() {
                    files.entry(file_of(package)?).or_default().extend_from_slice(text);
                }
                for (path, text) in &files {
                    layer.add_piece(path, text)?;
                }
            }
        }
        Ok(())
    }
}

/// The findings of the catalog that readers of an image get, with the layers of its base.
fn findings(image: &PackedImage, name: &str, options: &ImageOptions) -> Result<Vec<Finding>, OciError> {
    let opened = Image::open(image, &ImageSelector::default(), options)?;
    let (content, mut findings) = Content::read(image, &opened, options, name)?;
    let Content::Catalog(directory, files) = content else {
        return Err(OciError::NotForOlm("its labels are not those of a catalog".to_owned()));
    };
    let input = Input::tree(&format!("{name}!{}", directory.trim_end_matches('/')), files, false);
    findings.extend(check_catalog(&input, None).findings);
    Ok(findings)
}

/// The file of a package; blobs without package have one, too.
fn file_of(package: &str) -> Result<PathBuf, LegacyError> {
    if package.is_empty() { Ok(PathBuf::from("catalog.json")) } else { package_file(package, "json") }
}
