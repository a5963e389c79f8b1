//! A memory for data of one package that is read again and again while all its bundles and channels are shown, one
//! after another.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use olmdex_fbc::ChannelPlaces;
use olmdex_text::tally;

/// Catalog, package and name to message.
pub(super) type Deprecated = HashMap<(String, String, String), String>;

/// The kept data of the last package.
#[derive(Debug, Default)]
pub(super) struct Memory {
    is_on: Cell<bool>,
    package: RefCell<String>,
    /// The deprecations, by schema.
    deprecated: RefCell<HashMap<String, Arc<Deprecated>>>,
    /// The places of the channels, by document and catalog.
    places: RefCell<HashMap<(i64, i64), Arc<ChannelPlaces>>>,
    /// The names of the bundles of each version.
    names: RefCell<Option<HashMap<String, Vec<String>>>>,
}

impl Memory {
    /// From now on keeps the data that is read.
    pub(super) fn turn_on(&self) {
        self.is_on.set(true);
    }

    /// Keeps the data that is read while something is done.
    pub(super) fn while_on<T>(&self, work: impl FnOnce() -> T) -> T {
        let was_on = self.is_on.replace(true);
        let done = work();
        if !was_on {
            // The file may have other rows when it is read the next time.
            self.is_on.set(false);
            self.forget();
        }
        done
    }

    fn forget(&self) {
        self.package.borrow_mut().clear();
        self.deprecated.borrow_mut().clear();
        self.places.borrow_mut().clear();
        self.names.take();
    }

    /// Forgets the data of another package. Returns whether anything is to be kept.
    fn enter(&self, package: &str) -> bool {
        if self.is_on.get() && *self.package.borrow() != package {
            self.forget();
            package.clone_into(&mut self.package.borrow_mut());
        }
        self.is_on.get()
    }

    /// The deprecations of a schema in a package: the kept ones, or those from `read`.
    pub(super) fn deprecated<E>(
        &self,
        schema: &str,
        package: &str,
        read: impl FnOnce() -> Result<Deprecated, E>,
    ) -> Result<Arc<Deprecated>, E> {
        if !self.enter(package) {
            return read().map(Arc::new);
        }
        kept(&self.deprecated, schema.to_owned(), read)
    }

    /// The places of a channel of a package: the kept ones of its document in a catalog, or those from `read`.
    pub(super) fn places<E>(
        &self,
        package: &str,
        channel: (i64, i64),
        read: impl FnOnce() -> Result<ChannelPlaces, E>,
    ) -> Result<Arc<ChannelPlaces>, E> {
        if !self.enter(package) {
            return read().map(Arc::new);
        }
        kept(&self.places, channel, read)
    }

    /// The name of the only bundle of a version in a package. `read` gives the names of its bundles, each with its
    /// version without and with its release. `None` if there are several, or nothing is kept.
    pub(super) fn only_name<E>(
        &self,
        package: &str,
        version: &str,
        read: impl FnOnce() -> Result<Vec<[String; 3]>, E>,
    ) -> Result<Option<String>, E> {
        if !self.enter(package) {
            return Ok(None);
        }
        let mut names = self.names.borrow_mut();
        let by_version = match &mut *names {
            Some(known) => known,
            unknown => {
                let mut by_version: HashMap<String, Vec<String>> = HashMap::new();
                for [name, version, with_release] in read()? {
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

/// The value that is kept under a key, or the one from `read`.
fn kept<K: Eq + Hash, V, E>(
    known: &RefCell<HashMap<K, Arc<V>>>,
    key: K,
    read: impl FnOnce() -> Result<V, E>,
) -> Result<Arc<V>, E> {
    if let Some(known) = known.borrow().get(&key) {
        return Ok(Arc::clone(known));
    }
    let found = Arc::new(read()?);
    known.borrow_mut().insert(key, Arc::clone(&found));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn deprecated(name: &str) -> Result<Deprecated, Infallible> {
        let key = (String::new(), String::new(), name.to_owned());
        Ok(Deprecated::from([(key, "old".to_owned())]))
    }

    #[test]
    fn only_the_last_package_is_kept_and_only_if_that_is_wanted() {
        let memory = Memory::default();
        let name_of = |package: &str, read: &str| {
            let Ok(found) = memory.deprecated("olm.bundle", package, || deprecated(read));
            found.keys().next().unwrap().2.clone()
        };
        assert_eq!((name_of("p", "a"), name_of("p", "b")), ("a".to_owned(), "b".to_owned()));
        memory.turn_on();
        assert_eq!((name_of("p", "c"), name_of("p", "d")), ("c".to_owned(), "c".to_owned()));
        assert_eq!((name_of("q", "e"), name_of("p", "f")), ("e".to_owned(), "f".to_owned()));
    }

    #[test]
    fn a_version_of_several_bundles_has_no_only_name() {
        let memory = Memory::default();
        memory.turn_on();
        let rows = || {
            let rows = [["a", "1.0.0", "1.0.0-"], ["b", "1.0.0", "1.0.0-2"], ["c", "2.0.0", "2.0.0-"]];
            Ok::<_, Infallible>(rows.map(|it| it.map(str::to_owned)).into())
        };
        for (version, name) in [("1.0.0", None), ("1.0.0-2", Some("b")), ("2.0.0", Some("c")), ("3.0.0", None)] {
            let Ok(found) = memory.only_name("p", version, rows);
            assert_eq!(found.as_deref(), name, "{version}");
        }
    }
}
