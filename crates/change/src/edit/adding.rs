//! A bundle that joins a catalog: in the form of the catalog's other bundles, and with its package if that is new.

use std::path::Path;

use super::change::Change;
use super::documents::FileEdit;
use super::entries::new_channel;
use super::error::EditError;
use super::target::PACKAGE;
use super::verdict::{EditEffects, judge};
use olmdex_fbc::blob::Blob;
use olmdex_fbc::{self as fbc, Format, Input, Level, Rendering, Selection};
use olmdex_text::json::{Expansion, Reader, Tree};

/// The blob of a bundle at a level: its ClusterServiceVersion as a property, or its manifests as they are. `None` for a
/// blob that nobody writes.
///
/// # Errors
/// [`EditError::Unfit`] if the ClusterServiceVersion does not fit its type.
pub(super) fn at_level(bundle: &Blob<'_>, level: Level) -> Result<Option<Tree>, EditError> {
    let unfit = |message: String| EditError::unfit(message, "`olmdex check` shows what is wrong with it");
    let (selection, expansion) = (Selection { packages: &[] }, Expansion::default());
    let how = Rendering { format: Format::Json, level, selection, expansion: &expansion };
    match fbc::render_blob(bundle, how) {
        Ok(written) => {
            let normal = |text: &[u8]| Reader::new().read(&String::from_utf8_lossy(text)).ok().map(Tree::normal_of);
            Ok(written.and_then(|(_, text)| normal(&text)))
        }
        Err(fbc::RenderDefect::Unmigratable(error)) => Err(unfit(format!("cannot migrate the bundle: {error}"))),
        Err(_) => Err(unfit("cannot write the bundle".to_owned())),
    }
}

/// A package that is new to a catalog, with a bundle and its channels: in the one file of the catalog, or in a file of
/// its own beside the others. The first channel is the default.
///
/// # Errors
/// [`EditError`] if the package's name cannot be the name of a file, or the bundle cannot be written.
pub(super) fn new_package(
    input: &Input,
    root: &Path,
    package: &str,
    change: &Change,
) -> Result<(FileEdit, EditEffects), EditError> {
    let Change::Add { bundle, channels, edges, .. } = change else {
        return Err(EditError::unknown("package", package, Vec::new()));
    };
    let default = channels.first().map_or("", String::as_str);
    let entry = edges.as_entry(bundle.text_of_field("name"));
    let head = Tree::object().with("schema", PACKAGE).with("name", package).with("defaultChannel", default);
    let mut documents = vec![head];
    let mut known: Vec<&String> = Vec::new();
    for channel in channels {
        if !known.contains(&channel) {
            known.push(channel);
            documents.push(new_channel(package, channel, vec![entry.clone()]));
        }
    }
    documents.push(bundle.clone());
    let is_file = root.is_file();
    let format = format_of(input);
    let mut added = Vec::new();
    for document in &documents {
        let (mut reader, text) = (Reader::new(), document.compact());
        let unfit = || EditError::unfit(format!("cannot write the blobs of package `{package}`"), "check its bundle");
        let value = reader.read(&text).map_err(|_| unfit())?;
        let blob = fbc::blob::decode(value, false).map_err(|_| unfit())?;
        fbc::write_blob(&blob, format, &Expansion::default(), &mut added)?;
    }
    let added = String::from_utf8_lossy(&added).into_owned();
    let (number, path, before) = match input.files.first() {
        Some(file) if is_file => {
            let failed = |error| EditError::Io { path: root.to_owned(), error };
            let whole = file.whole().map_err(failed)?;
            let text = String::from_utf8(whole.to_vec());
            (0, root.to_owned(), text.map_err(|_| failed(std::io::Error::other("it is not UTF-8")))?)
        }
        _ => (input.files.len(), root.join(file_of_new(input, package)?), String::new()),
    };
    let line = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let after = format!("{before}{line}{added}");
    let shown = path.display().to_string();
    let bytes = |text: &str| Input::bytes(&shown, text.as_bytes().into());
    let verdict = judge(&Input::default(), &bytes(&added), &[package.to_owned()]).pop().unwrap_or_default();
    let is_new = !is_file;
    Ok((FileEdit { file: number, path, before, after, rewritten: None, is_new }, verdict))
}

fn format_of(input: &Input) -> Format {
    let is_json = |it: &fbc::InputFile| it.relative().ends_with(".json");
    if input.files.first().is_some_and(is_json) { Format::Json } else { Format::Yaml }
}

/// The file of a new package below the catalog: in a directory of its own if the other packages have some, else beside
/// their files.
pub(super) fn file_of_new(input: &Input, package: &str) -> Result<String, EditError> {
    if package.is_empty() || package.starts_with('.') || package.contains(['/', '\0']) {
        let message = format!("`{package}` is not a valid file name");
        return Err(EditError::unfit(message, "give the package another name"));
    }
    let ending = if format_of(input) == Format::Json { "json" } else { "yaml" };
    let has_directories = input.files.is_empty() || input.files.iter().any(|it| it.relative().contains('/'));
    Ok(if has_directories { format!("{package}/catalog.{ending}") } else { format!("{package}.{ending}") })
}
