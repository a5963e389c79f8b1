//! A catalog that was made of a template.

use std::sync::Arc;

use thiserror::Error;

use super::images::ImageContent;
use olmdex_base::archive::LIFT_LIMITS;
use olmdex_bundle::bundle::Bundle;
use olmdex_fbc::{self as fbc, Format, Input, Level, Rank, RenderDefect, Rendering, Selection};
use olmdex_text::json::Expansion;
use olmdex_text::json::{self, Reader};

/// A part of the catalog.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// A blob of the template, as JSON. It is written as it is, at every level.
    Own(String),
    /// A bundle from its files, with its image.
    Files(Arc<Bundle>, String),
    /// A bundle that a catalog has, as JSON.
    Blob(Arc<str>),
}

/// A catalog that was made of a template.
#[derive(Debug, Default)]
pub struct Rendered {
    pub(super) parts: Vec<Part>,
}

/// The reasons why a catalog cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The manifests of a bundle cannot be migrated.
    #[error("cannot migrate a bundle: {0}")]
    Unmigratable(String),
    /// Something cannot be written in this format.
    #[error("{0}")]
    Unwritable(String),
    /// Its indentation is larger than the input may become.
    #[error("{0}")]
    Expands(String),
}

impl WriteError {
    /// The remedy.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Unmigratable(_) => {
                "correct the ClusterServiceVersion of the bundle, or render without `--migrate-level`"
            }
            Self::Unwritable(_) => "use `-o json`, which can represent every character",
            Self::Expands(_) => LIFT_LIMITS,
        }
    }
}

impl Part {
    /// The bundle of an image, with the reference that the template has.
    pub(super) fn of(content: ImageContent, image: &str) -> Self {
        match content {
            ImageContent::Files(bundle) => Self::Files(bundle, image.to_owned()),
            ImageContent::Blob(text) => Self::Blob(Arc::from(text)),
        }
    }

    /// The bundle as JSON, with manifests.
    pub(super) fn json(&self) -> String {
        match self {
            Self::Own(text) => text.clone(),
            Self::Blob(text) => text.to_string(),
            Self::Files(bundle, image) => {
                let mut text = Vec::new();
                // Only another level or YAML could fail.
                let _ = bundle.write(image, Level::None, Format::Json, &mut text);
                json::decode_utf8(&text).into_owned()
            }
        }
    }

    fn write(
        &self,
        format: Format,
        level: Level,
        expansion: &Expansion,
    ) -> Result<Option<(Rank, Vec<u8>)>, WriteError> {
        let (text, level): (&str, _) = match self {
            Self::Files(bundle, image) => {
                let mut text = Vec::new();
                bundle.write(image, level, format, &mut text).map_err(|message| {
                    let is_of_migration = message.starts_with("migrate: ");
                    let message = format!("{message} (bundle `{}`)", bundle.name);
                    if is_of_migration { WriteError::Unmigratable(message) } else { WriteError::Unwritable(message) }
                })?;
                return Ok((!text.is_empty()).then(|| (Rank::of_bundle(&bundle.package, &bundle.name), text)));
            }
            Self::Own(text) => (text, Level::None),
            Self::Blob(text) => (text, level),
        };
        let mut reader = Reader::new();
        // Both were read before; a blob that cannot be read again counts as absent.
        let Ok(value) = reader.read(text) else { return Ok(None) };
        let Ok(blob) = fbc::blob::decode(value, false) else { return Ok(None) };
        let how = Rendering { format, level, selection: Selection { packages: &[] }, expansion };
        let is_of_image = matches!(self, Self::Blob(_));
        let rendered = if is_of_image { fbc::render_blob_of_image(&blob, how) } else { fbc::render_blob(&blob, how) };
        rendered.map_err(|defect| match defect {
            RenderDefect::Unmigratable(message) => WriteError::Unmigratable(message),
            RenderDefect::Unwritable(error) => {
                WriteError::Unwritable(format!("{} `{}`: {error}", blob.schema, blob.name))
            }
            RenderDefect::Expands(error) => WriteError::Expands(format!("{} `{}`: {error}", blob.schema, blob.name)),
            RenderDefect::Broken(failure) => {
                let words = failure.defects.first().map(|it| it.kind.to_string()).unwrap_or_default();
                WriteError::Unwritable(format!("{} `{}`: {words}", blob.schema, blob.name))
            }
        })
    }
}

impl Rendered {
    /// The catalog as opm writes it: by package, kind and name.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write(&self, format: Format, level: Level, out: &mut Vec<u8>) -> Result<(), WriteError> {
        let expansion = Expansion::default();
        let mut texts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            texts.extend(part.write(format, level, &expansion)?);
        }
        texts.sort_by(|a, b| a.0.cmp(&b.0));
        for (_, text) in texts {
            out.extend_from_slice(&text);
        }
        Ok(())
    }

    /// Like [`Self::input`], with manifests migrated to a level.
    ///
    /// # Errors
    /// [`WriteError`] if a bundle cannot be migrated.
    pub fn input_at(&self, shown: &str, level: Level) -> Result<Input, WriteError> {
        if level == Level::None {
            return Ok(self.input(shown));
        }
        let mut text = Vec::new();
        self.write(Format::Json, level, &mut text)?;
        Ok(Input::bytes(shown, Arc::from(text)))
    }

    /// The catalog as a source of its own, named `shown` in messages.
    pub fn input(&self, shown: &str) -> Input {
        Input::bytes(shown, Arc::from(self.text().into_bytes()))
    }

    /// The blobs as JSON, in the order of the template.
    pub(super) fn text(&self) -> String {
        self.parts.iter().map(|part| part.json() + "\n").collect()
    }
}
