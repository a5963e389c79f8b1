//! Rows of lifecycles.

use rusqlite::{Connection, Result, Statement, params};

use olmdex_rules::openshift::{Lifecycle, coerce};
use olmdex_version::Version;

/// The statements that write lifecycles.
pub(super) struct Statements<'c> {
    version: Statement<'c>,
    phase: Statement<'c>,
    platform: Statement<'c>,
}

impl<'c> Statements<'c> {
    pub(super) fn new(connection: &'c Connection) -> Result<Self> {
        Ok(Self {
            version: connection.prepare("INSERT INTO lifecycle_version VALUES (?, ?, ?, ?, ?)")?,
            phase: connection.prepare("INSERT INTO lifecycle_phase VALUES (?, ?, ?, ?, ?, ?)")?,
            platform: connection.prepare("INSERT INTO lifecycle_platform VALUES (?, ?, ?, ?, ?, ?)")?,
        })
    }

    /// The rows of a document.
    pub(super) fn write(&mut self, document: i64, lifecycle: &Lifecycle) -> Result<()> {
        for (number, version) in lifecycle.versions.iter().enumerate() {
            let key = coerce(&version.name).map(|it| Version::minor_sort_key(it.major, it.minor));
            self.version.execute(params![document, number, version.name, key, version.platforms.is_some()])?;
            for (position, it) in version.phases.iter().enumerate() {
                let (start, end) = (it.start.to_string(), it.end.to_string());
                self.phase.execute(params![document, number, position, it.name, start, end])?;
            }
            for (place, it) in version.platforms.iter().flatten().enumerate() {
                if it.versions.is_empty() {
                    self.platform.execute(params![document, number, place, 0, it.name, None::<String>])?;
                }
                for (position, listed) in it.versions.iter().enumerate() {
                    self.platform.execute(params![document, number, place, position, it.name, listed])?;
                }
            }
        }
        Ok(())
    }
}
