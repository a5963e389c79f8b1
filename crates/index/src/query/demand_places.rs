//! The places of properties in bundles: an answer about a requirement points to the requirement, not to the bundle.

use std::collections::HashMap;

use rusqlite::params;

use crate::{IndexError, LightIndex};
use olmdex_base::diag::Place;
use olmdex_constraint::fields::api_of;
use olmdex_fbc::Api;
use olmdex_fbc::{Property, property_places};
use olmdex_text::yaml::Position;

const PROPERTIES: &str = "
SELECT position, type, coalesce(value, 'null')
FROM property
WHERE document = ?1 AND type NOT IN ('olm.bundle.object', 'olm.csv.metadata')
ORDER BY position";

const MARKS: &str = "
SELECT y.marks
FROM catalog_document cd
CROSS JOIN file f ON f.id = cd.file
CROSS JOIN layout y ON y.id = cd.layout
WHERE cd.document = ?1 AND f.path = ?2 AND cd.line = ?3 AND cd.\"column\" = ?4
LIMIT 1";

impl LightIndex {
    /// The place of the first property for which `is_it` holds, given type and value, in the bundle that starts at a
    /// place; the start of the bundle, if there is none or its place is not known.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn place_of_property(
        &self,
        document: i64,
        bundle: &Place,
        is_it: impl Fn(&str, &str) -> bool,
    ) -> Result<Place, IndexError> {
        let numbers = self.rows(PROPERTIES, [document], |row| {
            let is_meant = is_it(row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
            is_meant.then(|| row.get::<_, usize>(0)).transpose()
        })?;
        match numbers.into_iter().flatten().next() {
            Some(number) => PropertyPlaces::new(self).of_number(document, bundle, number),
            None => Ok(bundle.clone()),
        }
    }

    /// The properties of a bundle that starts at a place, as type and value, with their places; in the order of the
    /// document, and without those that hold manifests.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn places_of_properties(&self, document: i64, bundle: &Place) -> Result<Vec<(Property, Place)>, IndexError> {
        let properties = self.rows(PROPERTIES, [document], |row| {
            Ok((row.get::<_, usize>(0)?, Property::new(row.get::<_, String>(1)?, row.get::<_, String>(2)?)))
        })?;
        let positions = self.positions_of_properties(document, bundle)?;
        let place = |number: usize| match positions.get(number) {
            Some(at) => Place::at(&bundle.file, at.line, at.column),
            None => bundle.clone(),
        };
        Ok(properties.into_iter().map(|(number, property)| (property, place(number))).collect())
    }

    /// The positions of all properties of a bundle; none if they are not known.
    fn positions_of_properties(&self, document: i64, bundle: &Place) -> Result<Vec<Position>, IndexError> {
        let parameters = params![document, bundle.file, bundle.line, bundle.column];
        let marks: Vec<Vec<u8>> = self.rows(MARKS, parameters, |row| row.get(0))?;
        let start = Position { line: bundle.line, column: bundle.column };
        Ok(marks.first().map(|marks| property_places(marks, start)).unwrap_or_default())
    }
}

/// The places of properties, those of the last bundle kept: a bundle may have thousands that an answer names.
pub(super) struct PropertyPlaces<'i> {
    index: &'i LightIndex,
    bundle: Option<(i64, Place)>,
    positions: Vec<Position>,
    /// The numbers of the properties that require APIs, as far as they were asked for.
    apis: Option<HashMap<Api, usize>>,
}

impl<'i> PropertyPlaces<'i> {
    pub(super) fn new(index: &'i LightIndex) -> Self {
        Self { index, bundle: None, positions: Vec::new(), apis: None }
    }

    /// The place of the property of a number in the bundle that starts at a place; that of the bundle, if it is not
    /// known.
    pub(super) fn of_number(&mut self, document: i64, bundle: &Place, number: usize) -> Result<Place, IndexError> {
        self.look_at(document, bundle)?;
        Ok(self.at(bundle, number))
    }

    /// The place of the first property that requires an API.
    pub(super) fn of_required_api(&mut self, document: i64, bundle: &Place, api: &Api) -> Result<Place, IndexError> {
        self.look_at(document, bundle)?;
        if self.apis.is_none() {
            let mut apis = HashMap::new();
            let required = self.index.rows(PROPERTIES, [document], |row| {
                let is_required = row.get_ref(1)?.as_str()? == "olm.gvk.required";
                let api = if is_required { api_of(row.get_ref(2)?.as_str()?) } else { None };
                Ok((row.get::<_, usize>(0)?, api))
            })?;
            for (number, api) in required {
                if let Some(api) = api {
                    apis.entry(api).or_insert(number);
                }
            }
            self.apis = Some(apis);
        }
        let number = self.apis.as_ref().and_then(|apis| apis.get(api)).copied();
        Ok(number.map_or_else(|| bundle.clone(), |number| self.at(bundle, number)))
    }

    fn look_at(&mut self, document: i64, bundle: &Place) -> Result<(), IndexError> {
        let is_last = self.bundle.as_ref().is_some_and(|(last, place)| *last == document && place == bundle);
        if !is_last {
            self.positions = self.index.positions_of_properties(document, bundle)?;
            (self.bundle, self.apis) = (Some((document, bundle.clone())), None);
        }
        Ok(())
    }

    fn at(&self, bundle: &Place, number: usize) -> Place {
        let position = self.positions.get(number);
        position.map_or_else(|| bundle.clone(), |at| Place::at(&bundle.file, at.line, at.column))
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] =
    &[("properties of a bundle with their numbers", PROPERTIES), ("layout of a document at a place", MARKS)];
