//! `olmdex filter --with-deps`: the dependencies of the kept operators.

use std::collections::BTreeSet;

use super::arguments::FilterArgs;
use super::entries::{self, Entry};
use crate::ask::{KeptOperators, MirrorRemark, left_out_of_mirror, mirror_needs};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cli::terminal::progress::Progress;
use crate::index::{Builder, CatalogSpec, Index, Mode};

/// Adds the dependencies of the kept operators to the entries, and reports them.
pub(super) fn add(context: &Context, args: &FilterArgs, entries: &mut Vec<Entry>) -> Result<Exit, CommandError> {
    let (held, names) = index(context, entries)?;
    let Some(index) = index_of(&held, entries) else { return Ok(Exit::Yes) };
    let options = args.work.options();
    let needs = mirror_needs(index, &kept(entries, &names), args.release(), &options)?;
    let mut exit = Exit::Yes;
    for remark in &needs.remarks {
        match remark {
            MirrorRemark::Added(text) => context.reporter.note(text),
            MirrorRemark::Missing(text) => {
                context.reporter.warning(text);
                exit = Exit::No;
            }
        }
    }
    for (entry, operator) in std::mem::take(entries).into_iter().zip(needs.operators) {
        entries.push(match operator {
            Some(operator) => entries::reopen(entry, operator)?,
            None => entry,
        });
    }
    // A range of the configuration may leave out a dependency; the ranges do not change.
    if let Some(index) = index_of(&held, entries) {
        for it in left_out_of_mirror(index, &kept(entries, &names), args.release(), &options)? {
            context.reporter.warning(&it);
            exit = Exit::No;
        }
    }
    Ok(exit)
}

/// The index of all catalogs: one that was made for them, or the one from which they come.
fn index_of<'i>(held: &'i Option<Index>, entries: &'i [Entry]) -> Option<&'i Index> {
    held.as_ref().or_else(|| Some(&*entries.first()?.index.as_ref()?.0))
}

fn kept<'q>(entries: &'q [Entry], names: &'q [String]) -> Vec<KeptOperators<'q>> {
    let kept = |(entry, name): (&'q Entry, &'q String)| KeptOperators {
        name,
        shown: &entry.name,
        catalog: &entry.catalog,
        operator: &entry.operator,
    };
    entries.iter().zip(names).map(kept).collect()
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
