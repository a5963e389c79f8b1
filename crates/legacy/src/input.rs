//! A legacy catalog as files that are read like any other: one for each package with its channels, one for each bundle.

use std::io;
use std::sync::{Arc, Mutex};

use rusqlite::Connection;

use super::blobs::{write_bundle, write_head};
use super::catalog::LegacyCatalog;
use super::cells::with_column;
use super::rules;
use super::thread_pool::{give, take};
use olmdex_fbc::{Format, Input, Level, Made};

/// A catalog that files are made of.
#[derive(Debug)]
struct Shared {
    catalog: LegacyCatalog,
    connections: Mutex<Vec<Connection>>,
}

/// A package with its channels, or one of its bundles.
#[derive(Debug)]
struct Part {
    of: Arc<Shared>,
    package: String,
    bundle: Option<String>,
}

impl LegacyCatalog {
    /// The catalog as files that are made when they are read.
    pub fn into_input(self) -> Input {
        let mut remarks = self.findings().to_vec();
        let unwritable = self.model.unwritable();
        for problem in self.problems() {
            let is_left_out = problem.package.as_deref().is_none_or(|it| unwritable.contains(it));
            if is_left_out && !problem.is_verdict {
                let message = problem.words(" is left out");
                remarks.push(rules::INCONVERTIBLE.finding(message).of_package(problem.package.clone()));
            }
        }
        let shown = self.file().path().display().to_string();
        let shared = Arc::new(Shared { catalog: self, connections: Mutex::new(Vec::new()) });
        let mut files: Vec<(String, Arc<dyn Made>)> = Vec::new();
        for package in shared.catalog.model.packages.values().filter(|it| !unwritable.contains(&it.name)) {
            let part = |bundle: Option<String>| -> Arc<dyn Made> {
                Arc::new(Part { of: Arc::clone(&shared), package: package.name.clone(), bundle })
            };
            files.push((format!("{shown}#{}", package.name), part(None)));
            for bundle in package.bundles.keys() {
                files.push((format!("{shown}#{}/{bundle}", package.name), part(Some(bundle.clone()))));
            }
        }
        let mut input = Input::made(files);
        input.remarks = remarks;
        input
    }
}

impl Made for Part {
    fn text(&self) -> io::Result<Vec<u8>> {
        let model = &self.of.catalog.model;
        let gone = || io::Error::other("the package is removed");
        let package = model.packages.get(&self.package).ok_or_else(gone)?;
        let mut out = Vec::new();
        let Some(name) = &self.bundle else {
            write_head(package, Format::Json, &mut out).map_err(io::Error::other)?;
            return Ok(out);
        };
        let bundle = package.bundles.get(name).ok_or_else(gone)?;
        let row = model.rows.bundles.get(bundle.row).ok_or_else(gone)?;
        let write = |manifests: &[u8], out: &mut Vec<u8>| {
            write_bundle(&package.name, bundle, manifests, Level::None, Format::Json, out).map_err(io::Error::other)
        };
        if row.n_manifests == 0 {
            write(b"", &mut out)?;
            return Ok(out);
        }
        let connection = match take(&self.of.connections) {
            Some(connection) => connection,
            None => self.of.catalog.file().connect().map_err(io::Error::other)?,
        };
        let written = with_column(&connection, "bundle", row.rowid, |manifests| write(manifests, &mut out));
        give(&self.of.connections, connection);
        written.map_err(io::Error::other)??;
        Ok(out)
    }
}
