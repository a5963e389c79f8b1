//! Catalogs with the errors in them, and the findings about their upgrade graphs.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use rayon::iter::{IntoParallelRefMutIterator as _, ParallelIterator as _};

use super::sources::AskOptions;
use crate::ask::{GraphCheckAnswer, GraphCheckQuestion, JudgedCatalog, check_catalog_noting};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::diag::{Finding, FindingSet, Rule};
use crate::source::{Source, is_revision};
use crate::upgrade::rules;

/// The catalogs of sources with the errors that are in them.
pub(crate) fn judged(context: &Context, ask: &AskOptions) -> Result<JudgedCatalog, CommandError> {
    let (index, findings) = ask.look(context).and_then(|it| it.import_judged(context))?;
    Ok(JudgedCatalog { index, findings })
}

/// The one catalog that others are compared with.
pub(crate) fn older(context: &Context, path: &Path) -> Result<JudgedCatalog, CommandError> {
    let old = judged(context, &AskOptions::of_sources(&[path.to_owned()]))?;
    if old.index.catalog_names()?.len() > 1 {
        let error = CommandError::usage(format!("`{}` has several catalogs", path.display()));
        return Err(error.help("give a source with one catalog"));
    }
    Ok(old)
}

/// A catalog whose upgrade graphs are checked.
#[derive(Debug)]
pub(crate) struct GraphSource {
    /// The source that the user named, by which its place in a base is found.
    pub(crate) named: PathBuf,
    /// The number of the part of a check that it is.
    pub(crate) part: usize,
    /// The source to open: another one if a Dockerfile makes the catalog.
    pub(crate) opened: PathBuf,
    /// The findings about its graphs, if they are known already.
    pub(crate) found: Option<Vec<Finding>>,
}

/// The place of a source in a base of several catalogs: at its path, or by its name.
fn below(context: &Context, base: &Path, source: &Path) -> Option<PathBuf> {
    at_path(context, base, source).or_else(|| at_path(context, base, Path::new(source.file_name()?)))
}

/// The same path below a base, if something is there.
pub(crate) fn at_path(context: &Context, base: &Path, source: &Path) -> Option<PathBuf> {
    let is_plain = source.is_relative() && source.components().all(|it| matches!(it, Component::Normal(_)));
    let path = is_plain.then(|| in_base(base, source))?;
    let is_there = if is_revision(base) { context.open(&path).is_ok() } else { path.exists() };
    is_there.then_some(path)
}

/// A path below a base. The whole of a revision is `git:REF:`; in it, paths begin at the current directory.
fn in_base(base: &Path, place: &Path) -> PathBuf {
    match base.to_str().filter(|text| is_revision(base) && text.ends_with(':')) {
        Some(text) => PathBuf::from(format!("{text}./{}", place.display())),
        None => base.join(place),
    }
}

/// The catalogs before a change, one for each source: below the base if it has a place for any of the sources, and the
/// base itself otherwise.
fn bases(context: &Context, sources: &[GraphSource], base: &Path) -> Vec<Option<PathBuf>> {
    let own: Vec<_> = sources.iter().map(|source| below(context, base, &source.named)).collect();
    if own.iter().any(Option::is_some) { own } else { vec![Some(base.to_owned()); sources.len()] }
}

/// The indexes that are in memory at a time, of about 40 MB for the largest catalogs.
const AT_ONCE: usize = 4;

/// The findings about the upgrade graphs of a catalog, without those of `validate`; with an older one the new findings.
pub(crate) fn findings_of_graphs(
    now: JudgedCatalog,
    old: Option<&JudgedCatalog>,
) -> Result<Vec<Finding>, CommandError> {
    let is_of_graph = |finding: &Finding| rules::ALL.iter().any(|rule| rule.id == finding.rule.id);
    let GraphCheckAnswer { findings, .. } = GraphCheckQuestion::default().answer(now, old)?;
    Ok(findings.into_iter().filter(is_of_graph).collect())
}

/// The findings about the upgrade graphs of sources, of each by itself, without those of `validate`; with a base only
/// what is new against it.
pub(crate) fn graph_findings(
    context: &Context,
    sources: &mut [GraphSource],
    base: Option<&Path>,
) -> Result<Vec<Vec<Finding>>, CommandError> {
    let open = |source: &GraphSource| judged(context, &AskOptions::of_sources(std::slice::from_ref(&source.opened)));
    let Some(base) = base else {
        // No other thread can help an import to fill its index, so several are made at once.
        for some in sources.chunks_mut(AT_ONCE) {
            let unknown = some.par_iter_mut().filter(|source| source.found.is_none());
            let found: Vec<Result<(), CommandError>> = unknown
                .map(|source| {
                    source.found = Some(findings_of_graphs(open(source)?, None)?);
                    Ok(())
                })
                .collect();
            found.into_iter().collect::<Result<(), _>>()?;
        }
        return Ok(sources.iter_mut().filter_map(|source| source.found.take()).collect());
    };
    let mut read: Option<(PathBuf, JudgedCatalog)> = None;
    let mut all = Vec::new();
    for (source, base) in sources.iter().zip(bases(context, sources, base)) {
        if let Some(path) = base.as_ref().filter(|path| read.as_ref().is_none_or(|read| read.0 != **path)) {
            read = Some((path.clone(), older(context, path)?));
        }
        all.push(findings_of_graphs(open(source)?, read.as_ref().filter(|_| base.is_some()).map(|read| &read.1))?);
    }
    Ok(all)
}

/// Leaves out the findings about catalogs that the base of a change has, too.
pub(crate) fn retain_new(
    context: &Context,
    sources: &[GraphSource],
    (base, practices): (Option<&Path>, &[&'static Rule]),
    findings: &mut Vec<Finding>,
) -> Result<(), CommandError> {
    let Some(base) = base.filter(|_| !sources.is_empty()) else { return Ok(()) };
    let paths: BTreeSet<PathBuf> = bases(context, sources, base).into_iter().flatten().collect();
    let mut known = Vec::new();
    for path in paths {
        if let Source::Catalog(input) = context.open(&path)? {
            let report = check_catalog_noting(&input, None, practices, &mut |_| {});
            known.extend(report.findings.into_iter().chain(report.practices));
        }
    }
    let known: FindingSet = known.into_iter().collect();
    findings.retain(|finding| !known.has(finding));
    Ok(())
}
