//! The blob of a new package.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use super::media_type::media_type;
use olmdex_fbc::{self as fbc, Format, Level, RenderDefect, Rendering, Selection};
use olmdex_text::json::Expansion;
use olmdex_text::json::{self, Reader};

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
    let mut text = b"{\"schema\":\"olm.package\"".to_vec();
    let member = |key: &str, value: &str, out: &mut Vec<u8>| {
        out.extend_from_slice(format!(",\"{key}\":").as_bytes());
        json::write_string(value, out);
    };
    member("name", name, &mut text);
    member("defaultChannel", channel, &mut text);
    if !description.is_empty() {
        member("description", description, &mut text);
    }
    if let Some(icon) = icon {
        if icon.is_empty() {
            return Err(PackageError::EmptyIcon);
        }
        let media_type = media_type(icon).ok_or(PackageError::NotAnImage)?;
        let data = STANDARD.encode(icon);
        text.extend_from_slice(
            format!(",\"icon\":{{\"base64data\":\"{data}\",\"mediatype\":\"{media_type}\"}}").as_bytes(),
        );
    }
    text.push(b'}');
    let text = json::decode_utf8(&text);
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
