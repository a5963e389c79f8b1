//! Findings in the text of a catalog that came out of an index, at their places in the files that the index was built
//! from.

use std::collections::BTreeMap;

use super::error::IndexError;
use super::open::Index;
use super::query::Filter;
use olmdex_base::diag::{Finding, Place};
use olmdex_fbc::{ChannelPlaces, property_places};
use olmdex_text::json::{Reader, Value};
use olmdex_text::yaml::Position;

const PLACES: &str = "
SELECT f.path, cd.line, cd.\"column\", coalesce(y.marks, x'')
FROM catalog c
CROSS JOIN catalog_document cd ON cd.catalog = c.id
CROSS JOIN file f ON f.id = cd.file
LEFT JOIN layout y ON y.id = cd.layout
WHERE c.name = ?1
ORDER BY cd.position";

/// The documents of one package, or of none if its name is empty.
const PLACES_OF_PACKAGE: &str = "
SELECT f.path, cd.line, cd.\"column\", coalesce(y.marks, x'')
FROM (SELECT id FROM document WHERE package = ?2) d
CROSS JOIN catalog_document cd ON cd.document = d.id
CROSS JOIN catalog c ON c.id = cd.catalog
CROSS JOIN file f ON f.id = cd.file
LEFT JOIN layout y ON y.id = cd.layout
WHERE c.name = ?1
ORDER BY cd.position";

/// The place of a document, and its layout.
struct Source {
    file: String,
    line: u32,
    column: u32,
    layout: Vec<u8>,
}

impl Index {
    /// Moves findings about [`Self::packages_input`] of one package to the places of their documents in files.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn place_package_in_files(
        &self,
        catalog: &str,
        package: &str,
        findings: &mut [Finding],
    ) -> Result<(), IndexError> {
        self.place_lines(catalog, &[Some(""), Some(package)], findings)
    }

    /// Moves findings about [`Self::catalog_input`] to the places of their documents in files.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn place_in_files(&self, catalog: &str, findings: &mut [Finding]) -> Result<(), IndexError> {
        self.place_lines(catalog, &[None], findings)
    }

    /// Moves findings whose text has one document of these packages, or of all, on each line.
    fn place_lines(
        &self,
        catalog: &str,
        packages: &[Option<&str>],
        findings: &mut [Finding],
    ) -> Result<(), IndexError> {
        // Each document is a line.
        let mut by_line: BTreeMap<u32, Vec<&mut Place>> = BTreeMap::new();
        for place in findings.iter_mut().filter_map(|it| it.place.as_mut()) {
            by_line.entry(place.line).or_default().push(place);
        }
        if by_line.is_empty() {
            return Ok(());
        }
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Source { file: row.get(0)?, line: row.get(1)?, column: row.get(2)?, layout: row.get(3)? })
        };
        let (mut reader, mut line) = (Reader::new(), 0);
        for package in packages {
            let sources = match package {
                Some(package) => self.rows(PLACES_OF_PACKAGE, [catalog, package], read)?,
                None => self.rows(PLACES, [catalog], read)?,
            };
            let mut sources = sources.into_iter();
            let package = package.map(str::to_owned);
            let filter = Filter { catalogs: vec![catalog.to_owned()], package, ..Filter::default() };
            self.documents(&filter, |head, document| {
                line += 1;
                let (Some(source), Some(places)) = (sources.next(), by_line.remove(&line)) else { return Ok(()) };
                let value = reader.read(document).ok();
                for place in places {
                    let mut offsets = document.char_indices().map(|it| it.0);
                    let offset = offsets.nth(place.column.saturating_sub(1) as usize).unwrap_or_default();
                    *place = placed(&source, &head.schema, value, offset);
                }
                Ok::<(), IndexError>(())
            })?;
        }
        Ok(())
    }
}

/// The place in its file of an offset in a document's normal form.
fn placed(source: &Source, schema: &str, document: Option<Value<'_>>, offset: usize) -> Place {
    let is_at = |value: &Value<'_>| (value.offset()..value.end()).contains(&offset);
    let list = |name: &str| document.and_then(|it| it.get_field(name)).into_iter().flat_map(|it| it.items());
    let start = (source.line, source.column);
    match schema {
        "olm.channel" => {
            let places = ChannelPlaces::new(source.file.clone(), start, &source.layout);
            let Some((number, entry)) = list("entries").enumerate().find(|(_, it)| is_at(it)) else {
                return places.start();
            };
            let is_field = |name: &str| entry.get_field(name).is_some_and(|it| is_at(&it));
            let mut skips = entry.get_field("skips").into_iter().flat_map(|it| it.items());
            match skips.position(|it| is_at(&it)) {
                Some(item) => places.skip(number, item),
                None if is_field("replaces") => places.replaces(number),
                None if is_field("skipRange") => places.skip_range(number),
                None => places.entry(number),
            }
        }
        "olm.bundle" => {
            let start = Position { line: source.line, column: source.column };
            let number = list("properties").position(|it| is_at(&it));
            let place = number.and_then(|it| property_places(&source.layout, start).get(it).copied()).unwrap_or(start);
            Place::at(&source.file, place.line, place.column)
        }
        _ => Place::at(&source.file, start.0, start.1),
    }
}
