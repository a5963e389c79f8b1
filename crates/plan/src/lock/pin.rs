//! One operator, pinned to a bundle.

use super::error::LockError;
use super::file::{Images, LockedCatalog, LockedOperator};
use olmdex_index::query::{BundleSelector, Filter};
use olmdex_index::{Index, IndexError};
use olmdex_olm::upgrade::{EngineQuestion, Olm, PackageView, classic, refused_words, v1, v1_refusal};
use olmdex_open::oci::Digest;
use olmdex_version::{Version, blang};

/// An operator to pin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The package.
    pub package: String,
    /// The channel; empty for the default one of a Subscription, and for all channels of a ClusterExtension.
    pub channel: String,
    /// The range of versions, in the language of OLM Classic or v1; empty for the newest.
    pub constraint: String,
    /// The generation of OLM that installs it.
    pub olm: Olm,
    /// The catalog and the bundle that are installed, and are to be locked whatever is newer.
    pub installed: Option<(String, String)>,
}

/// Pins an operator to the newest bundle that fits its request, in one of these catalogs, or in all of them if none are
/// named.
///
/// # Errors
/// [`LockError`]
pub fn pin(index: &Index, catalogs: &[String], ask: &Ask, lists_images: bool) -> Result<LockedOperator, LockError> {
    let filter = Filter { catalogs: catalogs.to_vec(), ..Filter::default() };
    let view = PackageView::read(index, &filter, &ask.package)?;
    if view.graphs.is_empty() {
        let known = index.package_names()?;
        return Err(LockError::Unknown { what: "package", name: ask.package.clone(), of: String::new(), known });
    }
    let mut operator = LockedOperator {
        package: ask.package.clone(),
        catalog: String::new(),
        olm: ask.olm,
        channel: ask.channel.clone(),
        constraint: ask.constraint.clone(),
        bundle: String::new(),
        version: String::new(),
        image: String::new(),
        checksum: String::new(),
        entry: String::new(),
        images: if lists_images { Images::List(Vec::new()) } else { Images::Digest(String::new()) },
        required_by: Vec::new(),
        because: Vec::new(),
    };
    match ask.olm {
        _ if let Some(installed) = &ask.installed => (operator.catalog, operator.bundle) = installed.clone(),
        Olm::Classic => choose_classic(&view, &mut operator)?,
        Olm::V1 => {
            let channels = Some(ask.channel.clone()).filter(|it| !it.is_empty()).into_iter().collect();
            let asked = EngineQuestion { channels, version: ask.constraint.clone(), ..EngineQuestion::default() };
            let found = v1::resolve_only(&asked.question(&ask.package), view.catalogs())
                .map_err(|error| LockError::NoBundle { package: ask.package.clone(), why: error.to_string() })?;
            if let Some(refusal) = v1_refusal(&view, &asked, &found) {
                let why = refused_words(&found.bundle, &refusal);
                return Err(LockError::NoBundle { package: ask.package.clone(), why });
            }
            (operator.catalog, operator.bundle) = (found.catalog, found.bundle);
        }
    }
    fill(index, &mut operator)?;
    Ok(operator)
}

/// The bundle that a Subscription without anything installed gets, or the newest bundle of its channel in the range.
fn choose_classic(view: &PackageView, operator: &mut LockedOperator) -> Result<(), LockError> {
    let [graph] = view.graphs.as_slice() else {
        let catalogs = view.graphs.iter().map(|it| it.catalog.clone()).collect();
        return Err(LockError::SeveralCatalogs { package: view.package.clone(), catalogs });
    };
    if operator.channel.is_empty() {
        operator.channel.clone_from(&graph.default_channel);
    }
    operator.catalog.clone_from(&graph.catalog);
    let no_bundle = |why: String| LockError::NoBundle { package: view.package.clone(), why };
    let package = classic::Package::new(graph);
    let Some(channel) = package.channels_named(&operator.channel).first() else {
        let known = package.channels.iter().map(|it| it.name.clone()).collect();
        let of = format!("package `{}`", view.package);
        return Err(LockError::Unknown { what: "channel", name: operator.channel.clone(), of, known });
    };
    let order = channel.order().map_err(|error| no_bundle(error.to_string()))?;
    let is_in = range(&operator.constraint)?;
    let found = if operator.constraint.is_empty() {
        order.live.first().copied()
    } else {
        // Versions that the chain still has can be the start.
        order.live.iter().copied().find(|it| it.version.as_ref().is_some_and(&is_in))
    };
    let Some(found) = found else {
        return Err(no_bundle(format!("no version of channel `{}` is in `{}`", channel.name, operator.constraint)));
    };
    operator.bundle.clone_from(&found.fields.name);
    Ok(())
}

/// Whether a version is in a range of OLM Classic; an empty text contains every version.
pub(super) fn range(text: &str) -> Result<impl Fn(&Version) -> bool, LockError> {
    let parsed = if text.is_empty() {
        None
    } else {
        let wrong = |error: blang::RangeError| LockError::Range { range: text.to_owned(), why: error.plain() };
        Some(blang::Range::parse(text).map_err(wrong)?)
    };
    Ok(move |version: &Version| parsed.as_ref().is_none_or(|it| it.contains(version).unwrap_or(false)))
}

/// Completes a pin with the present facts in the catalog about its bundle. Returns whether the catalog has the bundle;
/// if it does not, the pin stays unchanged.
pub(super) fn fill(index: &Index, operator: &mut LockedOperator) -> Result<bool, IndexError> {
    let selector = BundleSelector::of(std::slice::from_ref(&operator.catalog), &operator.package, &operator.bundle);
    let Some(detail) = index.show_bundle(&selector)?.into_iter().next() else { return Ok(false) };
    let text = index.bundle_document(&operator.catalog, &operator.bundle)?.unwrap_or_default();
    operator.checksum = Digest::of(text.as_bytes()).to_string();
    operator.version = detail.row.version;
    let own = std::iter::once(detail.row.image.clone());
    let mut images: Vec<String> =
        own.chain(detail.related_images.into_iter().map(|it| it.image)).filter(|it| !it.is_empty()).collect();
    images.sort();
    images.dedup();
    operator.image = detail.row.image;
    operator.images = match operator.images {
        Images::List(_) => Images::List(images),
        Images::Digest(_) => Images::Digest(Digest::of(images.join("\n").as_bytes()).to_string()),
    };
    operator.entry = match operator.channel.as_str() {
        "" => String::new(),
        _ => entry_digest(index, operator)?.unwrap_or_default(),
    };
    Ok(true)
}

/// The digest of the edges that an entry has.
fn entry_digest(index: &Index, operator: &LockedOperator) -> Result<Option<String>, IndexError> {
    let filter = Filter {
        catalogs: vec![operator.catalog.clone()],
        package: Some(operator.package.clone()),
        channel: Some(operator.channel.clone()),
    };
    let found = index.entries(&filter)?.into_iter().find(|it| it.bundle == operator.bundle);
    Ok(found.map(|it| {
        let value = serde_json::json!({
            "channel": it.channel, "name": it.bundle, "replaces": it.replaces, "skipRange": it.skip_range, "skips": it.skips,
        });
        Digest::of(value.to_string().as_bytes()).to_string()
    }))
}

/// The catalogs of pins in their present state; those that the index does not have are left out.
pub(super) fn catalogs(index: &Index, operators: &[LockedOperator]) -> Result<Vec<LockedCatalog>, IndexError> {
    let mut names: Vec<&str> = operators.iter().map(|it| it.catalog.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let filter = Filter { catalogs: names.iter().map(|it| (*it).to_owned()).collect(), ..Filter::default() };
    if filter.catalogs.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for row in index.catalogs(&filter)? {
        let digest = Digest::of(&index.content_of_catalog(&row.catalog)?).to_string();
        // The repository of the source, with the digest of the image.
        let image = match row.image.as_str() {
            "" => String::new(),
            digest => {
                let reference = row.source.split_once("://").map_or(row.source.as_str(), |it| it.1);
                let name = reference.split_once('@').map_or(reference, |it| it.0);
                let name = match name.rsplit_once(':') {
                    Some((name, tag)) if !tag.contains('/') => name,
                    _ => name,
                };
                format!("{name}@{digest}")
            }
        };
        found.push(LockedCatalog { name: row.catalog, source: row.source, digest, image });
    }
    Ok(found)
}
