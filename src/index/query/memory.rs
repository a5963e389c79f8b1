//! What is read of one package again and again by whoever shows all its bundles and channels, one after another.
//!
//! What it deliberately does not do: it never answers for another package than the last; it keeps nothing unless it is told to.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use super::list::Deprecated;
use crate::fbc::ChannelPlaces;
use crate::index::{Index, IndexError};
use crate::tally;

/// What is kept of the last package.
#[derive(Debug, Default)]
pub(in crate::index) struct Memory {
    is_on: Cell<bool>,
    package: RefCell<String>,
    /// What is deprecated, by schema.
    deprecated: RefCell<HashMap<String, Arc<Deprecated>>>,
    /// Where the channels stand, by document and catalog.
    places: RefCell<HashMap<(i64, i64), Arc<ChannelPlaces>>>,
    /// The names of the bundles of each version.
    names: RefCell<Option<HashMap<String, Vec<String>>>>,
}

impl Memory {
    /// Forgets what is kept of another package. Whether anything is to be kept.
    fn enter(&self, package: &str) -> bool {
        if self.is_on.get() && *self.package.borrow() != package {
            package.clone_into(&mut self.package.borrow_mut());
            self.deprecated.borrow_mut().clear();
            self.places.borrow_mut().clear();
            self.names.take();
        }
        self.is_on.get()
    }
}

impl Index {
    /// From now on keeps what it has read of a package until another one is asked for. The index must not change meanwhile.
    pub fn remember_packages(&self) {
        self.memory().is_on.set(true);
    }

    /// What is deprecated of a schema in a package: what was read, or `read`.
    pub(super) fn deprecated_or(
        &self,
        schema: &str,
        package: &str,
        read: impl FnOnce() -> Result<Deprecated, IndexError>,
    ) -> Result<Arc<Deprecated>, IndexError> {
        let memory = self.memory();
        if !memory.enter(package) {
            return read().map(Arc::new);
        }
        if let Some(known) = memory.deprecated.borrow().get(schema) {
            tally::step(1);
            return Ok(Arc::clone(known));
        }
        let found = Arc::new(read()?);
        tally::step(found.len());
        memory.deprecated.borrow_mut().insert(schema.to_owned(), Arc::clone(&found));
        Ok(found)
    }

    /// Where a channel of a package stands: what was read, or `read`.
    pub(super) fn places_or(
        &self,
        package: &str,
        (document, catalog): (i64, i64),
        read: impl FnOnce() -> Result<ChannelPlaces, IndexError>,
    ) -> Result<Arc<ChannelPlaces>, IndexError> {
        let memory = self.memory();
        if !memory.enter(package) {
            return read().map(Arc::new);
        }
        if let Some(known) = memory.places.borrow().get(&(document, catalog)) {
            tally::step(1);
            return Ok(Arc::clone(known));
        }
        let found = Arc::new(read()?);
        tally::step(1);
        memory.places.borrow_mut().insert((document, catalog), Arc::clone(&found));
        Ok(found)
    }

    /// The one name of the bundles that have a version in a package, if it is known without reading them all once more.
    pub(super) fn only_name_of(&self, package: &str, version: &str) -> Result<Option<String>, IndexError> {
        let memory = self.memory();
        if !memory.enter(package) {
            return Ok(None);
        }
        let mut names = memory.names.borrow_mut();
        let by_version = match &mut *names {
            Some(known) => known,
            unknown => {
                let sql = "SELECT DISTINCT name, version, version || '-' || release FROM bundle WHERE package = ?1";
                let rows: Vec<[String; 3]> =
                    self.rows(sql, [package], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?;
                tally::step(rows.len());
                let mut by_version: HashMap<String, Vec<String>> = HashMap::with_capacity(rows.len());
                for [name, version, with_release] in rows {
                    by_version.entry(version).or_default().push(name.clone());
                    by_version.entry(with_release).or_default().push(name);
                }
                unknown.insert(by_version)
            }
        };
        tally::step(1);
        Ok(match by_version.get(version).map(Vec::as_slice) {
            Some([only]) => Some(only.clone()),
            _ => None,
        })
    }
}
