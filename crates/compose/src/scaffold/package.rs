//! The blob of a new package.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use super::media_type::media_type;
use olmdex_fbc::{self as fbc, Format, Level, RenderDefect, Rendering, Selection};
use olmdex_text::json::{Expansion, Reader, Tree};

/// Why there is no blob.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PackageError {
    /// The icon has no content.
    #[error("the icon is empty")]
    EmptyIcon,
    /// The icon is not an image.
    #[error("the icon is not an image")]
    NotAnImage,
    /// The package has no name.
    #[error("the package has no name")]
    NoName,
    /// A character cannot be written.
    #[error("{0}")]
    Unwritable(String),
}

/// The blob of a package, as opm writes it; the description and the icon come from files.
///
/// # Errors
/// [`PackageError`]
pub fn package(
    name: &str,
    channel: &str,
    description: &str,
    icon: Option<&[u8]>,
    format: Format,
) -> Result<Vec<u8>, PackageError> {
    let blob = Tree::of_texts([("schema", "olm.package"), ("name", name), ("defaultChannel", channel)]);
    let mut blob = blob.with_text("description", description);
    if let Some(icon) = icon {
        if icon.is_empty() {
            return Err(PackageError::EmptyIcon);
        }
        let media_type = media_type(icon).ok_or(PackageError::NotAnImage)?;
        let icon = Tree::object().with("base64data", STANDARD.encode(icon)).with("mediatype", media_type);
        blob = blob.with("icon", icon);
    }
    let text = blob.compact();
    let mut reader = Reader::new();
    let unwritable = |error: &dyn std::fmt::Display| PackageError::Unwritable(error.to_string());
    let value = reader.read(&text).map_err(|error| unwritable(&error))?;
    let Ok(blob) = fbc::blob::decode(value, false) else { return Err(PackageError::NoName) };
    let (selection, expansion) = (Selection { packages: &[] }, Expansion::default());
    let how = Rendering { format, level: Level::None, selection, expansion: &expansion };
    match fbc::render_blob(&blob, how) {
        Ok(Some((_, text))) => Ok(text),
        Err(RenderDefect::Unwritable(error)) => Err(unwritable(&error)),
        _ => Err(PackageError::NoName),
    }
}
