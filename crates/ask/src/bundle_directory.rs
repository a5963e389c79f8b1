//! The bundle directory of a bundle that a catalog holds.

use super::bundle::Target;
use super::error::AskError;
use super::name::no_version;
use olmdex_bundle::bundle::{PublishedIn, UnpackedBundle, unpacked};
use olmdex_fbc::Typed;
use olmdex_fbc::blob::decode;
use olmdex_index::Index;
use olmdex_index::query::Filter;
use olmdex_text::json::Reader;

/// The directory of a bundle of a catalog.
#[derive(Debug)]
pub struct BundleDirectory {
    /// The bundle.
    pub target: Target,
    /// The catalog that it is from.
    pub catalog: String,
    /// Its files.
    pub unpacked: UnpackedBundle,
}

impl BundleDirectory {
    /// The directory of the bundle that a name stands for, from the named catalog or the preferred one.
    ///
    /// # Errors
    /// The errors of [`Target::find`]; [`AskError::Unpack`].
    pub fn find(index: &Index, catalogs: &[String], name: &str) -> Result<Self, AskError> {
        let target = Target::find(index, catalogs, name)?;
        let catalog = target.catalog(index, catalogs)?;
        let document = match &catalog {
            Some(catalog) => index.bundle_document(catalog, &target.bundle)?,
            None => None,
        };
        let (Some(catalog), Some(text)) = (catalog, document) else {
            return Err(no_version(index, catalogs, &target.package, &target.bundle)?);
        };
        let filter = Filter::in_catalog(&catalog, &target.package);
        let own = index.bundles(&filter)?.into_iter().find(|row| row.bundle == target.bundle);
        let package = index.packages(&filter)?.into_iter().next();
        let published = PublishedIn {
            channels: own.map(|row| row.channels).unwrap_or_default(),
            default_channel: package.map(|row| row.default_channel).unwrap_or_default(),
        };
        let mut reader = Reader::new();
        let blob = reader.read(&text).ok().and_then(|value| decode(value, false).ok());
        match blob.as_ref().map(|blob| &blob.typed) {
            Some(Typed::Bundle(bundle)) => Ok(Self { unpacked: unpacked(bundle, &published)?, target, catalog }),
            _ => Err(no_version(index, catalogs, &target.package, &target.bundle)?),
        }
    }
}
