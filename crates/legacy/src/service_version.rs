//! The facts of a ClusterServiceVersion for which older schemas have no columns.

use base64::Engine as _;

use olmdex_fbc::service_version::CsvView;
use olmdex_fbc::{Api, csv_metadata};
use olmdex_text::json::{self, Kind, Reader};

/// Facts of a ClusterServiceVersion.
#[derive(Debug, Default)]
pub(super) struct CsvFacts {
    pub(super) version: String,
    pub(super) skip_range: String,
    /// Required APIs.
    pub(super) required: Vec<Api>,
    /// Images of deployments, and those that are listed.
    pub(super) images: Vec<String>,
}

/// Reads facts; `None` if the text is not a JSON object.
pub(super) fn facts(bytes: &[u8], reader: &mut Reader) -> Option<CsvFacts> {
    let text = json::decode_utf8(bytes);
    let csv = CsvView::of_object(reader.read(&text).ok().filter(|it| it.kind() == Kind::Object)?);
    let mut images = csv.deployed_images();
    images.extend(csv.related_images().map(|(_, image)| image));
    Some(CsvFacts {
        version: csv.text("version"),
        skip_range: csv.annotation("olm.skipRange").unwrap_or_default().into_owned(),
        required: csv.definitions("required").chain(csv.services("required")).map(|it| it.api).collect(),
        images,
    })
}

/// An icon's bytes and media type.
pub(super) type Icon = (Vec<u8>, String);

/// The icon in a ClusterServiceVersion, as the real tool takes it; `Ok(None)` if there is none or it is empty.
///
/// # Errors
/// The words of Go's decoder if the text is not a ClusterServiceVersion; and `Ok(Err(…))` if only the icon's base64 is
/// wrong, which the real tool treats as no icon.
pub(super) fn icon(bytes: &[u8], reader: &mut Reader) -> Result<Result<Option<Icon>, String>, String> {
    let text = json::decode_utf8(bytes);
    if text.trim().is_empty() {
        return Err("unexpected end of JSON input".to_owned());
    }
    let csv = reader.read(&text).map_err(|error| super::survey::go_words(&error))?;
    csv_metadata::check(csv)?;
    let Some((data, mediatype)) = CsvView::of_object(csv).icon() else { return Ok(Ok(None)) };
    let engine = &base64::engine::general_purpose::GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        base64::engine::GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
    );
    let decode = |text: &str| engine.decode(text.replace(['\r', '\n'], ""));
    let Ok(data) = decode(&data).or_else(|_| decode(&data.replace(' ', ""))) else {
        return Ok(Err("the icon is not base64".to_owned()));
    };
    Ok(Ok((!data.is_empty()).then_some((data, mediatype))))
}
