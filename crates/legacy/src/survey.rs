//! The content of a bundle's manifests, found in one pass before anything is written: where each object starts and
//! ends, which one is the ClusterServiceVersion, and the images that it names.
//!
//! With it the second pass only has to cut and encode, and a bundle that cannot be read is known before the first byte
//! of output.

use std::ops::Range;
use std::sync::Mutex;

use rayon::prelude::*;
use rusqlite::Connection;

use super::cells::with_column;
use super::error::LegacyError;
use super::file::LegacyFile;
use super::rows::BundleRow;
use super::thread_pool::{give, take};
use olmdex_base::diag::shortened;
use olmdex_text::gotype::{Expected, go_type_error};
use olmdex_text::json::{self, Kind, ReadError, ReadErrorKind, Reader, Value};

/// The content of one bundle's manifests.
#[derive(Debug, Clone, Default)]
pub(super) struct Survey {
    /// The positions of the objects, in bytes.
    pub(super) objects: Vec<Range<usize>>,
    /// The object that is the ClusterServiceVersion.
    pub(super) csv: Option<usize>,
    /// Name and image, as the ClusterServiceVersion lists them.
    pub(super) images: Vec<(String, String)>,
    /// The reason why the manifests cannot be read, in opm's words.
    pub(super) broken: Option<String>,
    /// The reason why the images of the ClusterServiceVersion cannot be read, in opm's words.
    pub(super) broken_images: Option<String>,
}

/// About how many bytes of manifests one thread takes at a time.
const BATCH: u64 = 4 << 20;

/// Surveys the manifests of these bundles, each with the connection of its thread. The results are in their order.
pub(super) fn survey(file: &LegacyFile, bundles: &[&BundleRow]) -> Result<Vec<Survey>, LegacyError> {
    let batches = batches(bundles);
    let connections: Mutex<Vec<Connection>> = Mutex::new(Vec::new());
    let done: Vec<Result<Vec<Survey>, LegacyError>> = batches
        .into_par_iter()
        .map(|batch| {
            let connection = match take(&connections) {
                Some(connection) => connection,
                None => file.connect()?,
            };
            let result =
                survey_batch(&connection, &bundles[batch]).map_err(|error| LegacyError::sqlite(file.path(), &error));
            give(&connections, connection);
            result
        })
        .collect();
    let mut surveys = Vec::with_capacity(bundles.len());
    for batch in done {
        surveys.extend(batch?);
    }
    Ok(surveys)
}

/// Cuts a list of bundles by the size of their manifests.
fn batches(bundles: &[&BundleRow]) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let mut start = 0;
    let mut size = 0;
    for (idx, bundle) in bundles.iter().enumerate() {
        size += bundle.n_manifests;
        if size >= BATCH {
            batches.push(start..idx + 1);
            start = idx + 1;
            size = 0;
        }
    }
    if start < bundles.len() {
        batches.push(start..bundles.len());
    }
    batches
}

fn survey_batch(connection: &Connection, bundles: &[&BundleRow]) -> rusqlite::Result<Vec<Survey>> {
    let mut reader = Reader::new();
    bundles
        .iter()
        .map(|bundle| {
            if bundle.n_manifests == 0 {
                return Ok(Survey::default());
            }
            with_column(connection, "bundle", bundle.rowid, |manifests| survey_manifests(manifests, &mut reader))
        })
        .collect()
}

/// The reader's words where it reads one whole text.
pub(super) fn go_words(error: &ReadError) -> String {
    match error.kind {
        ReadErrorKind::UnexpectedEnd => "unexpected end of JSON input".to_owned(),
        _ => error.to_string(),
    }
}

fn survey_manifests(manifests: &[u8], reader: &mut Reader) -> Survey {
    let mut found = Survey::default();
    // Places are those of the decoded text, which differs from the bytes only where they are no UTF-8.
    let text = json::decode_utf8(manifests);
    let mut at = 0;
    loop {
        let rest = &text.as_bytes()[at..];
        let Some(blanks) = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) else { break };
        // A closing bracket between two values ends the stream without a word.
        if matches!(rest[blanks], b']' | b'}') {
            break;
        }
        let start = at + blanks;
        match reader.read_at(&text, start) {
            Ok((value, end)) => {
                if found.csv.is_none() && found.broken.is_none() {
                    look_for_csv(value, &text[start..end], &mut found);
                }
                found.objects.push(start..end);
                at = end;
            }
            Err(error) => {
                found.broken = Some(error.to_string());
                return found;
            }
        }
    }
    if found.csv.is_none() && found.broken.is_none() {
        found.broken = Some("no csv in bundle".to_owned());
    }
    found
}

fn look_for_csv(object: Value<'_>, text: &str, found: &mut Survey) {
    let kind = object.text_of("kind");
    if object.kind() != Kind::Object {
        let what = object.kind().name();
        found.broken = Some(format!("json: cannot unmarshal {what} into Go value of type map[string]interface {{}}"));
    } else if kind.is_empty() {
        found.broken = Some(format!("Object 'Kind' is missing in '{}'", shortened(text, MAX_WORDS)));
    } else if kind == "ClusterServiceVersion" {
        let name = object.get("metadata").and_then(|it| it.get("name")).and_then(|it| it.as_str());
        if name.unwrap_or_default().is_empty() {
            found.broken = Some("no csv in bundle".to_owned());
            return;
        }
        found.csv = Some(found.objects.len());
        match related_images(object) {
            Ok(images) => found.images = images,
            Err(error) => found.broken_images = Some(error),
        }
    }
}

/// The largest part of a manifest that is shown.
const MAX_WORDS: usize = 400;

/// `spec.relatedImages` as Go decodes it.
fn related_images(csv: Value<'_>) -> Result<Vec<(String, String)>, String> {
    let misfit = |value: Value<'_>, expected: Expected, field: &str| {
        let error = go_type_error(value.kind(), expected, "", &[field.into()]);
        Err(format!("unmarshal csv: {error}"))
    };
    let Some(spec) = csv.get_field("spec").filter(|it| !it.is_null()) else { return Ok(Vec::new()) };
    if spec.kind() != Kind::Object {
        return misfit(spec, Expected::Object("struct"), "spec");
    }
    let Some(list) = spec.get_field("relatedImages").filter(|it| !it.is_null()) else { return Ok(Vec::new()) };
    if list.kind() != Kind::Array {
        return misfit(list, Expected::ListOf("struct"), "spec.relatedImages");
    }
    let mut images = Vec::new();
    for item in list.items() {
        if !matches!(item.kind(), Kind::Object | Kind::Null) {
            return misfit(item, Expected::Object("struct"), "spec.relatedImages");
        }
        let mut pair = [String::new(), String::new()];
        for (text, field) in pair.iter_mut().zip(["name", "image"]) {
            let Some(value) = item.get_field(field).filter(|it| !it.is_null()) else { continue };
            match value.as_str() {
                Some(it) => *text = it.into_owned(),
                None => return misfit(value, Expected::String, &format!("spec.relatedImages.{field}")),
            }
        }
        let [name, image] = pair;
        images.push((name, image));
    }
    Ok(images)
}
