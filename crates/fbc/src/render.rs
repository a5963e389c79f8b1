//! From a document to the output of `opm render` for it.

use super::blob::{Blob, Failure, Typed};
use super::csv_metadata::{self, Level};
use super::objects::for_each_object;
use super::render_order::Rank;
use super::write::{Format, check_indentation, write_migrated, write_noting, write_yaml};
use olmdex_text::json::{Anchor, Expansion};
use olmdex_text::yaml::YamlWriteError;

/// The content to render.
#[derive(Debug, Clone, Copy)]
pub struct Selection<'a> {
    /// Names of packages; all blobs if empty.
    pub packages: &'a [String],
}

impl Selection<'_> {
    /// Whether blobs of this package are rendered.
    pub fn takes(&self, package: &str) -> bool {
        self.packages.is_empty() || self.packages.iter().any(|it| it == package)
    }
}

/// The reasons why a document was not rendered.
#[derive(Debug, Clone)]
pub enum RenderDefect {
    /// It could not be decoded.
    Broken(Failure),
    /// Its ClusterServiceVersion cannot be made a property; opm's words.
    Unmigratable(String),
    /// It cannot be written in the format.
    Unwritable(YamlWriteError),
    /// Its indentation is larger than the input may become.
    Expands(&'static str),
}

/// Unused bytes that a text may keep.
const MAX_SPARE: usize = 1 << 20;

/// The result of a document: its rank and another value, nothing, or the defect.
pub(super) type Outcome<T> = Result<Option<(Rank, T)>, RenderDefect>;

/// The content to render, and how.
#[derive(Debug, Clone, Copy)]
pub struct Rendering<'a> {
    /// How blobs are written.
    pub format: Format,
    /// How manifests are kept.
    pub level: Level,
    /// The blobs that are rendered.
    pub selection: Selection<'a>,
    /// The growth of all that is written.
    pub expansion: &'a Expansion,
}

/// Renders one blob, if it is selected and written at all.
///
/// # Errors
/// [`RenderDefect`]. Bundle objects that cannot be read count, although they are written unread.
pub fn render_blob(blob: &Blob<'_>, how: Rendering<'_>) -> Result<Option<(Rank, Vec<u8>)>, RenderDefect> {
    render_noting(blob, how, &mut Vec::new())
}

/// Like [`render_blob`], for a bundle that stands for that of an image: its metadata has the order in which opm writes
/// that of images, and not the order of keys.
///
/// # Errors
/// Those of [`render_blob`].
pub fn render_blob_of_image(blob: &Blob<'_>, how: Rendering<'_>) -> Result<Option<(Rank, Vec<u8>)>, RenderDefect> {
    let in_order = match &blob.typed {
        Typed::Bundle(bundle) if how.format == Format::Json => csv_metadata::in_order(bundle),
        _ => None,
    };
    render_with(blob, how, in_order, &mut Vec::new())
}

/// Like [`render_blob`]; notes where long strings of the document are written, as far as that is known.
pub(super) fn render_noting(blob: &Blob<'_>, how: Rendering<'_>, noted: &mut Vec<Anchor>) -> Outcome<Vec<u8>> {
    render_with(blob, how, None, noted)
}

fn render_with(
    blob: &Blob<'_>,
    how: Rendering<'_>,
    metadata: Option<String>,
    noted: &mut Vec<Anchor>,
) -> Outcome<Vec<u8>> {
    let Some(rank) = rank_of(blob, how)? else { return Ok(None) };
    let metadata = match &blob.typed {
        _ if metadata.is_some() => metadata,
        Typed::Bundle(bundle) if how.level == Level::CsvMetadata => {
            csv_metadata::of_bundle(bundle).map_err(RenderDefect::Unmigratable)?
        }
        _ => None,
    };
    check_indentation(blob, how.format, how.expansion).map_err(RenderDefect::Expands)?;
    // Most texts are about as long as their source.
    let mut text = Vec::with_capacity(blob.value.end() - blob.value.offset() + 1);
    let written = match &metadata {
        Some(metadata) => write_migrated(blob, metadata, how.format, &mut text),
        None if how.format == Format::Json => {
            write_noting(blob, &mut text, Some(noted));
            Ok(())
        }
        None => write_yaml(blob, None, &mut text),
    };
    written.map_err(|error| match error {
        YamlWriteError::Expands(error) => RenderDefect::Expands(error),
        error => RenderDefect::Unwritable(error),
    })?;
    if text.capacity() - text.len() > MAX_SPARE {
        text.shrink_to_fit();
    }
    Ok(Some((rank, text)))
}

/// The rank of a blob, if it is selected and written at all.
pub(super) fn rank_of(blob: &Blob<'_>, how: Rendering<'_>) -> Result<Option<Rank>, RenderDefect> {
    if let Typed::Bundle(bundle) = &blob.typed {
        for_each_object(bundle, |_| ()).map_err(|defect| {
            let (schema, package) = (blob.schema.to_string(), blob.package.to_string());
            RenderDefect::Broken(Failure { schema, package, defects: vec![defect] })
        })?;
    }
    Ok(Rank::of(blob).filter(|it| how.selection.takes(it.package())))
}
