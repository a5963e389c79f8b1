//! The questions that an index answers, as functions of an [`Index`](super::Index) that return plain data.
//!
//! Each question is a constant SQL text, so that tests can look at its plan; answers come in a fixed order. Names that
//! do not exist give empty answers. The caller reports them and suggests others ([`ListIndex::names`]).

/// The joins from `p`, a package of the catalog `c`, to `k`, the data of its blob, and to `n` and `h`, the head of its
/// default channel.
macro_rules! default_head {
    () => {
        "LEFT JOIN package k ON k.document = p.document
LEFT JOIN graph g ON g.id = (
    SELECT cc.graph FROM channel ch CROSS JOIN catalog_channel cc ON cc.catalog = c.id AND cc.channel = ch.document
    WHERE ch.package = p.package AND ch.name = k.default_channel
)
LEFT JOIN node n ON n.graph = g.id AND n.number = g.head
LEFT JOIN bundle h ON h.document = n.document
"
    };
}

/// For each package of a catalog the bundle that one installs by default, as `head(catalog, catalog_name, package,
/// document)`: the default head, or the highest version where there is not exactly one.
macro_rules! heads {
    () => {
        concat!(
            "
WITH head AS MATERIALIZED (
SELECT c.id AS catalog, c.name AS catalog_name, p.package, coalesce(h.document, (
    SELECT x.document FROM bundle x CROSS JOIN catalog_document d INDEXED BY catalog_document_document
        ON d.document = x.document AND d.catalog = c.id
    WHERE x.package = p.package ORDER BY x.version_key DESC LIMIT 1)) AS document
FROM catalog c CROSS JOIN catalog_package p ON p.catalog = c.id
",
            default_head!(),
            ")"
        )
    };
}

/// The highest version that a package of the catalog `c` has, in any channel.
macro_rules! highest_version {
    ($package:literal) => {
        concat!(
            "coalesce((SELECT x.version FROM bundle x CROSS JOIN catalog_document d INDEXED BY catalog_document_document
        ON d.document = x.document AND d.catalog = c.id
        WHERE x.package = ",
            $package,
            " ORDER BY x.version_key DESC LIMIT 1), '')"
        )
    };
}

mod bundles;
mod channel_place;
mod contacts;
mod content;
mod demand_places;
mod dependencies;
mod dependents;
mod detail;
mod diff;
mod documents;
mod entries;
mod facets;
mod history;
mod icons;
mod image_users;
mod images;
mod info;
mod lifecycles;
mod list;
mod neighbours;
mod outdated;
mod past;
mod permissions;
mod reach;
mod releases;
mod requirers;
mod search;
mod served;
mod show;
mod sql;
mod status;
mod upgrade;
mod uses;
mod v1_facts;
mod views;

pub use bundles::BundleRow;
pub use channel_place::ChannelPlace;
pub use contacts::Contacts;
pub use dependencies::{DependencyBundle, PackageDependencies};
pub use dependents::Dependents;
pub use detail::{
    BundleDetail, BundleSelector, ChannelDetail, ConstraintRow, DEFAULT_ARCHITECTURE, DEFAULT_OPERATING_SYSTEM, Edge,
    EntryDetail, InstallMode, PackageDetail, PropertyRow, RelatedImage, RequiredPackage, Source,
};
pub use diff::{Change, ChangeKind, FindLost, LostUpgrade, NestedChanges, Side, Subject, diff_with};
pub use documents::DocumentHead;
pub use entries::EntryRow;
pub use facets::{Facet, FacetKind};
pub use history::{COMMIT_LABEL, DATE_LABEL, HistoryRow, PAST_LABEL, TIME_LABEL, TREE_LABEL};
pub use icons::IconPlace;
pub use image_users::{FoundImages, ImageUser, ImageUsers};
pub use images::ImageUse;
pub use info::{Info, Names, Size, UpdateSourceRow};
pub use lifecycles::LIFECYCLES_LABEL;
pub use list::{CatalogRow, ChannelRow, PackageRow};
pub use neighbours::Neighbour;
pub use outdated::Outdated;
pub use past::{BlameRow, Fate, StateRow};
pub use reach::{EdgeScope, NamesWithoutWay, Reach};
pub use releases::{DatedBundle, HeadDays};
pub use requirers::{Requirer, Requirers};
pub use search::{ApiPattern, BundlePlace, Hit, PackageMatch, SearchQuery};
pub use served::{DocumentFilter, EntryKey, ServedChannel, ServedDocument, ServedEntry, ServedListing, ServedPackage};
pub use sql::{SqlLimits, SqlResult, SqlValue};
pub use status::Status;
pub use upgrade::{
    BundleVersion, CatalogRank, GraphBundle, GraphChannel, GraphDeprecation, PackageGraph, PackageVersions,
};
pub use uses::{OwnedApi, Provider, UseRow};
pub use v1_facts::{InstallModes, KnownCsv, Obstacles, V1Bundle, V1Facts};
pub use views::{Cell, ColumnKind, ViewColumn};

use rusqlite::{Params, Result, Row, StatementStatus};

use super::error::IndexError;
use super::open::ListIndex;
use olmdex_text::tally;

/// The limits of an answer. The default is no limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Names of catalogs; empty for all.
    pub catalogs: Vec<String>,
    /// Name of a package.
    pub package: Option<String>,
    /// Name of a channel.
    pub channel: Option<String>,
}

impl Filter {
    /// Only one catalog.
    pub fn of_catalog(catalog: &str) -> Self {
        Self { catalogs: vec![catalog.to_owned()], ..Self::default() }
    }

    /// Only one package, in all catalogs.
    pub fn of_package(package: &str) -> Self {
        Self { package: Some(package.to_owned()), ..Self::default() }
    }

    /// Only one package of one catalog.
    pub fn in_catalog(catalog: &str, package: &str) -> Self {
        Self { package: Some(package.to_owned()), ..Self::of_catalog(catalog) }
    }

    /// The catalogs as the statements take them: a list in JSON, or NULL for all.
    fn catalogs_json(&self) -> Option<String> {
        catalogs_json(&self.catalogs)
    }
}

fn catalogs_json(catalogs: &[String]) -> Option<String> {
    if catalogs.is_empty() { None } else { serde_json::to_string(catalogs).ok() }
}

impl ListIndex {
    /// All rows of a statement.
    pub(crate) fn rows<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        mut map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> std::result::Result<Vec<T>, IndexError> {
        if self.is_unwanted() {
            return Err(IndexError::Unwanted);
        }
        let connection = self.connection();
        let map = |row: &Row<'_>| {
            tally::step(1);
            map(row)
        };
        let all = || {
            let mut statement = connection.prepare_cached(sql)?;
            let all = statement.query_map(parameters, map)?.collect::<Result<Vec<T>>>();
            if cfg!(test) {
                let n_steps = statement.reset_status(StatementStatus::VmStep);
                tally::step(usize::try_from(n_steps).unwrap_or_default());
            }
            all
        };
        all().map_err(|error| self.failed(&error))
    }
}

#[cfg(test)]
mod tests;
