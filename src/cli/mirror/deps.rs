//! `olmdex filter --with-deps`: the dependencies of the kept operators.

use std::collections::BTreeSet;

use super::arguments::FilterArgs;
use super::entries::{self, Entry};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cli::terminal::progress::Progress;
use crate::index::{Builder, CatalogSpec, Index, Mode};
use crate::mirror::{self, Operator, PackageExtent, heads};
use crate::resolve::{left_out, needs};

/// Adds the dependencies of the kept operators to the entries, and reports them.
pub(super) fn add(context: &Context, args: &FilterArgs, entries: &mut Vec<Entry>) -> Result<Exit, CommandError> {
    let (held, names) = index(context, entries)?;
    let index = match &held {
        Some(index) => index,
        None => match entries.first().and_then(|it| it.index.as_ref()) {
            Some((index, _)) => index,
            None => return Ok(Exit::Yes),
        },
    };
    let mut bundles = BTreeSet::new();
    for (entry, name) in entries.iter().zip(&names) {
        bundles.extend(kept_heads(args, entry).into_iter().map(|(package, bundle)| (name.clone(), package, bundle)));
    }
    let bundles: Vec<(String, String, String)> = bundles.into_iter().collect();
    let needs = needs(index, &bundles, &args.work.options())?;
    let mut exit = Exit::Yes;
    for it in &needs.missing {
        context.reporter.warning(it);
        exit = Exit::No;
    }
    let mut operators: Vec<Operator> = entries.iter().map(|it| it.operator.clone()).collect();
    let mut changed = vec![false; operators.len()];
    for dependency in &needs.dependencies {
        let (catalog, package, bundle) = (&dependency.catalog, &dependency.package, &dependency.bundle);
        let place = index.channel_place(catalog, package, bundle, &dependency.channel)?;
        let because = dependency.because.join("; ");
        let Some(at) = names.iter().position(|it| it == catalog) else {
            context.reporter.warning(&format!(
                "{because}: {bundle} of catalog `{catalog}` meets the requirement, but the configuration does not have \
                it"
            ));
            exit = Exit::No;
            continue;
        };
        if mirror::ask_for(&mut operators[at], package, &place) {
            changed[at] = true;
            let mut text =
                format!("added package `{package}`, channel `{}`, of {}: {because}", place.channel, entries[at].name);
            if !dependency.others.is_empty() {
                text.push_str(&format!("; preferred to {}", dependency.others.join(", ")));
            }
            context.reporter.note(&text);
        }
    }
    let opened = std::mem::take(entries);
    for ((entry, operator), changed) in opened.into_iter().zip(operators).zip(changed) {
        entries.push(if changed { entries::reopen(entry, operator)? } else { entry });
    }
    // A range of the configuration may leave out a dependency; the ranges do not change.
    let (mut demanders, mut kept) = (BTreeSet::new(), BTreeSet::new());
    for (entry, name) in entries.iter().zip(&names) {
        let Ok(filtered) = mirror::filter(&entry.catalog, &entry.operator, args.release()) else { continue };
        let of_entry = mirror::bundles(&entry.catalog, &filtered);
        kept.extend(of_entry.map(|(package, it)| (name.clone(), package.to_owned(), it.name.clone())));
        demanders.extend(kept_heads(args, entry).into_iter().map(|(package, it)| (name.clone(), package, it)));
    }
    let demanders: Vec<(String, String, String)> = demanders.into_iter().collect();
    let index = match &held {
        Some(index) => Some(index),
        None => entries.first().and_then(|it| it.index.as_ref()).map(|it| &it.0),
    };
    if let Some(index) = index {
        for it in left_out(index, &demanders, &kept, &args.work.options())? {
            context.reporter.warning(&it);
            exit = Exit::No;
        }
    }
    Ok(exit)
}

/// An index of all catalogs of the entries, unless they come from one already, and the names of the entries in it.
fn index(context: &Context, entries: &[Entry]) -> Result<(Option<Index>, Vec<String>), CommandError> {
    let paths: BTreeSet<_> = entries.iter().map(|it| it.index.as_ref().map(|it| it.0.path().to_owned())).collect();
    if paths.len() == 1 && paths.iter().all(Option::is_some) {
        return Ok((None, entries.iter().filter_map(|it| it.index.as_ref().map(|it| it.1.clone())).collect()));
    }
    let _progress = Progress::start(context, "looking for dependencies".to_owned());
    let mut builder = Builder::in_memory();
    let mut names = Vec::new();
    for entry in entries {
        let spec =
            CatalogSpec { name: entry.name.clone(), source: entry.operator.catalog.clone(), ..CatalogSpec::default() };
        match &entry.index {
            Some((index, name)) => builder.add_catalog(&spec, &index.catalog_input(name)?, Mode::Tolerant)?,
            None => builder.add_catalog(&spec, &entry.input, Mode::Tolerant)?,
        };
        names.push(entry.name.clone());
    }
    Ok((Some(builder.into_index()?), names))
}

/// The heads of the kept channels, with their packages.
fn kept_heads(args: &FilterArgs, entry: &Entry) -> Vec<(String, String)> {
    let Ok(filtered) = mirror::filter(&entry.catalog, &entry.operator, args.release()) else { return Vec::new() };
    let mut found = Vec::new();
    for (name, kept) in &filtered.packages {
        let (Ok(kept), Some(facts)) = (kept, entry.catalog.packages.get(name)) else { continue };
        for channel in &facts.channels {
            let is_kept = |it: &&crate::fbc::Entry| match kept {
                PackageExtent::Whole => true,
                PackageExtent::Part(part) => {
                    part.channels.get(&channel.name).is_some_and(|kept| kept.contains(&it.name))
                }
            };
            let entries: Vec<_> = channel.entries.iter().filter(is_kept).cloned().collect();
            let has = |bundle: &&&str| facts.bundles.iter().any(|it| it.name == **bundle);
            found.extend(heads(&entries).iter().filter(has).map(|it| (name.clone(), (*it).to_owned())));
        }
    }
    found
}
