//! Bundles, with the channels that list them.

use std::collections::HashMap;
use std::ops::Range;

use rusqlite::params;
use schemars::JsonSchema;
use serde::Serialize;

use super::Filter;
use crate::{IndexError, ListIndex};

/// A bundle of a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BundleRow {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// Its release; empty if it has none.
    pub release: String,
    /// The channels that list it, sorted.
    pub channels: Vec<String>,
    /// Its image.
    pub image: String,
    /// Its display name.
    pub display_name: String,
    /// The message, if the bundle is deprecated.
    pub deprecation: Option<String>,
    /// The last day of its support, by its lifecycle; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support_ends: Option<String>,
    /// The OpenShift versions that it is made for, by its lifecycle; absent if that states none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openshift: Option<Vec<String>>,
}

/// Bundles by package and version, as the index `bundle_package` has them: sorting them would take longer than finding
/// them. A condition on `b` follows.
macro_rules! bundles {
    ($condition:literal) => {
        concat!(
            "
SELECT c.name, b.package, b.name, b.version, b.release, coalesce(i.reference, ''), b.display_name, b.document, c.id,
       b.version_key
FROM bundle b INDEXED BY bundle_package
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
LEFT JOIN image i ON i.id = b.image
WHERE (?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1))) AND ",
            $condition,
            " ORDER BY b.package, b.version_key"
        )
    };
}

const ALL_BUNDLES: &str = bundles!("?2 IS NULL");
const BUNDLES_OF_PACKAGE: &str = bundles!("b.package = ?2");

/// The channels that list each bundle, by numbers: names of channels are few, and these rows are many.
const ALL_CHANNELS_OF_BUNDLES: &str = "
SELECT cc.catalog, n.document, cc.channel
FROM catalog_channel cc CROSS JOIN node n ON n.graph = cc.graph
WHERE n.document IS NOT NULL AND ?1 IS NULL";

const CHANNELS_OF_BUNDLES_OF_PACKAGE: &str = "
SELECT cc.catalog, n.document, cc.channel
FROM (SELECT document FROM channel WHERE package = ?1) ch
CROSS JOIN graph g ON g.channel = ch.document
CROSS JOIN catalog_channel cc ON cc.graph = g.id
CROSS JOIN node n ON n.graph = g.id
WHERE n.document IS NOT NULL";

const CHANNEL_NAMES: &str = "SELECT document, name FROM channel WHERE ?1 IS NULL OR package = ?1";

/// The channels that list each bundle.
struct Listing {
    /// Numbers and names of channels, by name.
    names: Vec<(i64, String)>,
    /// A bundle, and the place among the names of a channel that lists it: places sort as the names do, and faster.
    listed: Vec<(u128, u32)>,
}

/// A bundle of a catalog as one number.
fn listed_key(catalog: i64, document: i64) -> u128 {
    u128::from(catalog.cast_unsigned()) << 64 | u128::from(document.cast_unsigned())
}

impl Listing {
    fn read(index: &ListIndex, package: Option<&String>) -> Result<Self, IndexError> {
        let mut names: Vec<(i64, String)> =
            index.rows(CHANNEL_NAMES, [package], |row| Ok((row.get(0)?, row.get(1)?)))?;
        names.sort_unstable_by(|a, b| (&a.1, a.0).cmp(&(&b.1, b.0)));
        let places: HashMap<i64, u32> = names.iter().zip(0..).map(|((channel, _), place)| (*channel, place)).collect();
        let sql = if package.is_some() { CHANNELS_OF_BUNDLES_OF_PACKAGE } else { ALL_CHANNELS_OF_BUNDLES };
        let mut listed: Vec<(u128, u32)> = index
            .rows(sql, [package], |row| Ok((listed_key(row.get(0)?, row.get(1)?), row.get::<_, i64>(2)?)))?
            .into_iter()
            .filter_map(|(key, channel)| Some((key, *places.get(&channel)?)))
            .collect();
        listed.sort_unstable();
        Ok(Self { names, listed })
    }

    /// The names of the channels that list a bundle, sorted.
    fn channels_of(&self, catalog: i64, document: i64) -> Vec<String> {
        let key = listed_key(catalog, document);
        let first = self.listed.partition_point(|it| it.0 < key);
        let listing = self.listed[first..].iter().take_while(|it| it.0 == key);
        let mut channels: Vec<String> = Vec::new();
        for (_, name) in listing.filter_map(|it| self.names.get(it.1 as usize)) {
            if channels.last() != Some(name) {
                channels.push(name.clone());
            }
        }
        channels
    }
}

/// Rows of one package and version, as they come: the index has no order for them.
#[derive(Default)]
struct Ties {
    found: Vec<Range<usize>>,
    n_rows: usize,
    /// Package and version of the row before; the key of no version is empty.
    last: (String, Vec<u8>),
}

impl Ties {
    fn add(&mut self, package: &str, version_key: &[u8]) {
        let (last_package, last_version) = &mut self.last;
        if self.n_rows > 0 && package == last_package && version_key == last_version.as_slice() {
            match self.found.last_mut().filter(|it| it.end == self.n_rows) {
                Some(tie) => tie.end += 1,
                None => self.found.push(self.n_rows - 1..self.n_rows + 1),
            }
        } else {
            package.clone_into(last_package);
            last_version.clear();
            last_version.extend_from_slice(version_key);
        }
        self.n_rows += 1;
    }
}

impl ListIndex {
    /// The bundles, by catalog, package, version and name; those without a valid version first.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn bundles(&self, filter: &Filter) -> Result<Vec<BundleRow>, IndexError> {
        let deprecated = self.deprecated("olm.bundle", filter)?;
        let listing = Listing::read(self, filter.package.as_ref())?;
        let mut ties = Ties::default();
        let sql = if filter.package.is_some() { BUNDLES_OF_PACKAGE } else { ALL_BUNDLES };
        let mut rows = self.rows(sql, params![filter.catalogs_json(), filter.package], |row| {
            let (catalog, package, bundle): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let deprecation = match deprecated.is_empty() {
                true => None,
                false => deprecated.get(&(catalog.clone(), package.clone(), bundle.clone())).cloned(),
            };
            ties.add(&package, row.get_ref(9)?.as_blob_or_null()?.unwrap_or_default());
            Ok(BundleRow {
                catalog,
                package,
                bundle,
                version: row.get(3)?,
                release: row.get(4)?,
                channels: listing.channels_of(row.get(8)?, row.get(7)?),
                image: row.get(5)?,
                display_name: row.get(6)?,
                deprecation,
                support_ends: None,
                openshift: None,
            })
        })?;
        for tie in ties.found {
            rows[tie].sort_by(|a, b| a.bundle.cmp(&b.bundle));
        }
        // The sort is stable: with one catalog it changes nothing.
        rows.sort_by(|a, b| a.catalog.cmp(&b.catalog));
        let supported = self.supported(filter)?;
        rows.iter_mut().for_each(|it| supported.complete(it));
        if let Some(channel) = &filter.channel {
            rows.retain(|row| row.channels.contains(channel));
        }
        Ok(rows)
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("all bundles", ALL_BUNDLES),
    ("bundles of a package", BUNDLES_OF_PACKAGE),
    ("channels of bundles", ALL_CHANNELS_OF_BUNDLES),
    ("channels of bundles of a package", CHANNELS_OF_BUNDLES_OF_PACKAGE),
];
