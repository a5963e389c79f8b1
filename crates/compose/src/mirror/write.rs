//! The kept part of a catalog as blobs: as opm writes them, with the changes of the filter to packages, channels and
//! deprecations.

use std::collections::{BTreeMap, BTreeSet};

use super::catalog::{Catalog, Kind, PackageFacts};
use super::filter::{Filtered, PackageExtent, Part};
use olmdex_base::diag::Place;
use olmdex_fbc::{
    Blob, Document, EntryView, Format, Input, Level, Origin, Provenance, Rank, RenderDefect, Rendering, RereadError,
    Selection, Typed, load_again, render_blob,
};
use olmdex_text::json::Expansion;

/// The blobs of a filtered catalog, in the order in which opm writes them.
#[derive(Debug, Default)]
pub struct Blobs {
    texts: BTreeMap<Rank, Vec<(Origin, Vec<u8>)>>,
    /// The documents that cannot be written, with their places: only those that YAML cannot carry, and those that were
    /// broken before.
    pub defects: Vec<(Origin, RenderDefect)>,
}

impl Blobs {
    /// The texts with their packages, in order.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.texts.iter().flat_map(|(rank, texts)| texts.iter().map(|it| (rank.package(), it.1.as_slice())))
    }

    /// All in one stream.
    pub fn to_vec(&self) -> Vec<u8> {
        self.texts().flat_map(|it| it.1.iter().copied()).collect()
    }

    /// A catalog of its own, whose documents know their places in the original one.
    pub fn into_input(self, of: &Input) -> Input {
        let made = |(origin, text): (Origin, Vec<u8>)| {
            let file = of.files.get(origin.file as usize);
            let place = match file.and_then(|it| it.made_of()) {
                Some(made_of) => made_of.start().clone(),
                None => Place::at(file.map_or("", |it| &it.shown), origin.line, origin.column),
            };
            (text, Provenance::new(place))
        };
        Input::of_others(self.texts.into_values().flatten().map(made).collect())
    }

    /// Leaves the blobs of some packages out.
    pub fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.texts.retain(|rank, _| is_kept(rank.package()));
    }
}

/// Removes the parts of a blob that are not kept. Returns whether anything is left.
fn trim(blob: &mut Blob<'_>, part: &Part) -> bool {
    match &mut blob.typed {
        Typed::Package(package) => package.default_channel = part.default_channel.clone().into(),
        Typed::Channel(channel) => {
            let Some(kept) = part.channels.get(&*channel.name) else { return false };
            if let Some(entries) = &mut channel.entries {
                entries.retain(|it| kept.contains(&*it.name));
                if let Some(relinked) = part.relinked.get(&*channel.name) {
                    let mut is_there = BTreeSet::new();
                    for entry in entries.iter_mut() {
                        if let Some(new) = relinked.get(&*entry.name) {
                            is_there.insert(&new.name);
                            entry.replaces = new.replaces.clone().into();
                            entry.skips = new.skips.iter().map(|it| it.clone().into()).collect();
                        }
                    }
                    let others = relinked.values().filter(|new| !is_there.contains(&new.name));
                    entries.extend(others.map(|new| EntryView {
                        name: new.name.clone().into(),
                        replaces: new.replaces.clone().into(),
                        skips: new.skips.iter().map(|skipped| skipped.clone().into()).collect(),
                        skip_range: new.skip_range.clone().into(),
                    }));
                }
            }
        }
        Typed::Bundle(bundle) => return part.bundles.contains(&*bundle.name),
        Typed::Deprecations(deprecations) => {
            let Some(entries) = &mut deprecations.entries else { return true };
            entries.retain(|it| match &*it.schema {
                "olm.bundle" => part.bundles.contains(&*it.name),
                "olm.channel" => part.asked.contains(&*it.name),
                _ => true,
            });
            // The real filter keeps a blob without entries, and opm accepts it.
        }
        Typed::Other => {}
    }
    true
}

/// Writes the kept parts. Packages with errors are left out.
///
/// # Errors
/// [`RereadError`] if a file of the catalog has changed.
pub fn write(input: &Input, catalog: &Catalog, filtered: &Filtered, format: Format) -> Result<Blobs, RereadError> {
    let mut origins: Vec<Origin> = Vec::new();
    for (name, kept) in &filtered.packages {
        if let (Ok(kept), Some(facts)) = (kept, catalog.packages.get(name)) {
            origins.extend(facts.documents.iter().filter(|it| may_be_kept(facts, kept, &it.1)).map(|it| it.0));
        }
    }
    origins.sort_unstable();
    let mut blobs = Blobs::default();
    // The growth of all that is written.
    let expansion = Expansion::default();
    let how = Rendering { format, level: Level::None, selection: Selection { packages: &[] }, expansion: &expansion };
    let text = |document: Document<'_>| {
        let text = document.blob.map_err(RenderDefect::Broken).and_then(|mut blob| {
            if let Some(Ok(PackageExtent::Part(part))) = filtered.packages.get(&*blob.package)
                && !trim(&mut blob, part)
            {
                return Ok(None);
            }
            render_blob(&blob, how)
        });
        (document.origin, text)
    };
    load_again(input, &origins, &text, |(origin, outcome)| {
        match outcome {
            Ok(Some((rank, text))) => blobs.texts.entry(rank).or_default().push((origin, text)),
            Ok(None) => {}
            // A part of the catalog would be missing without a word.
            Err(RenderDefect::Expands(why)) => {
                let file = input.files.get(origin.file as usize).map_or("", |file| file.shown.as_str());
                return Err(RereadError::expands(file, why));
            }
            Err(defect) => blobs.defects.push((origin, defect)),
        }
        Ok(())
    })?;
    Ok(blobs)
}

/// Whether a document needs to be read again.
fn may_be_kept(facts: &PackageFacts, kept: &PackageExtent, kind: &Kind) -> bool {
    let PackageExtent::Part(part) = kept else { return true };
    match kind {
        Kind::Channel(idx) => facts.channels.get(*idx).is_some_and(|it| part.channels.contains_key(&it.name)),
        Kind::Bundle(idx) => facts.bundles.get(*idx).is_some_and(|it| part.bundles.contains(&it.name)),
        Kind::Package | Kind::Deprecations | Kind::Other => true,
    }
}
