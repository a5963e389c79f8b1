//! From files to what `opm render` prints.

use super::blob::{Blob, Failure};
use super::csv_metadata::{self, Level};
use super::load::{Consumer, Document, Origin, load};
use super::objects::for_each_object;
use super::write::{Format, Rank, Sorted, write_blob, write_migrated};
use super::{Input, Typed};
use crate::yaml::YamlWriteError;

/// What is rendered.
#[derive(Debug, Clone, Copy)]
pub struct Selection<'a> {
    /// Names of packages; all blobs if empty.
    pub packages: &'a [String],
}

impl Selection<'_> {
    /// Whether blobs of this package are rendered.
    #[must_use]
    pub fn takes(&self, package: &str) -> bool {
        self.packages.is_empty() || self.packages.iter().any(|it| it == package)
    }
}

/// Why a document was not rendered.
#[derive(Debug, Clone)]
pub enum RenderDefect {
    /// It could not be decoded.
    Broken(Failure),
    /// Its ClusterServiceVersion cannot be made a property; opm's words.
    Unmigratable(String),
    /// It cannot be written in the format.
    Unwritable(YamlWriteError),
}

/// What became of a document: its rank and text, nothing, or why not.
type Outcome = Result<Option<(Rank, Vec<u8>)>, RenderDefect>;

/// What is rendered, and how.
#[derive(Debug, Clone, Copy)]
pub struct Rendering<'a> {
    /// How blobs are written.
    pub format: Format,
    /// What becomes of manifests.
    pub level: Level,
    /// Which blobs are rendered.
    pub selection: Selection<'a>,
}

impl Consumer for Rendering<'_> {
    type Output = (Origin, Outcome);

    fn document(&self, document: Document<'_>) -> Self::Output {
        let outcome = match document.blob {
            Ok(blob) => render_blob(&blob, *self),
            Err(failure) => Err(RenderDefect::Broken(failure)),
        };
        (document.origin, outcome)
    }
}

/// Renders one blob, if it is selected and written at all.
///
/// # Errors
/// [`RenderDefect`]. Bundle objects that cannot be read count, although they are written unread.
pub fn render_blob(blob: &Blob<'_>, how: Rendering<'_>) -> Outcome {
    if let Typed::Bundle(bundle) = &blob.typed {
        for_each_object(bundle, |_| ()).map_err(|defect| {
            let (schema, package) = (blob.schema.to_string(), blob.package.to_string());
            RenderDefect::Broken(Failure { schema, package, defects: vec![defect] })
        })?;
    }
    let Some(rank) = Rank::of(blob).filter(|it| how.selection.takes(it.package())) else { return Ok(None) };
    let metadata = match &blob.typed {
        Typed::Bundle(bundle) if how.level == Level::CsvMetadata => {
            csv_metadata::of_bundle(bundle).map_err(RenderDefect::Unmigratable)?
        }
        _ => None,
    };
    let mut text = Vec::new();
    let written = match &metadata {
        Some(metadata) => write_migrated(blob, metadata, how.format, &mut text),
        None => write_blob(blob, how.format, &mut text),
    };
    written.map_err(RenderDefect::Unwritable)?;
    Ok(Some((rank, text)))
}

/// Renders the documents of `input` into `sorted`, in parallel. Gives what could not be rendered, in order.
#[must_use]
pub fn render(input: &Input, how: Rendering<'_>, sorted: &mut Sorted) -> Vec<(Origin, RenderDefect)> {
    let mut defects = Vec::new();
    let done: Result<(), std::convert::Infallible> = load(input, &how, |(origin, outcome)| {
        match outcome {
            Ok(Some((rank, text))) => sorted.add(rank, text),
            Ok(None) => {}
            Err(defect) => defects.push((origin, defect)),
        }
        Ok(())
    });
    match done {
        Ok(()) => defects,
    }
}
