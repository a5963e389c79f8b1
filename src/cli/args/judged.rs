//! Catalogs with the errors in them, and the findings about their upgrade graphs.

use std::path::{Path, PathBuf};

use super::sources::AskOptions;
use crate::ask::{GraphCheckAnswer, GraphCheckQuestion, JudgedCatalog};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::diag::Finding;
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

/// The findings about the upgrade graphs of sources, each by itself, without those of `validate`; with a base only what
/// is new against it.
pub(crate) fn graph_findings(
    context: &Context,
    sources: &[PathBuf],
    base: Option<&Path>,
) -> Result<Vec<Finding>, CommandError> {
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    let base = base.map(|path| older(context, path)).transpose()?;
    let mut all = Vec::new();
    for source in sources {
        let now = judged(context, &AskOptions::of_sources(std::slice::from_ref(source)))?;
        let GraphCheckAnswer { findings, .. } = GraphCheckQuestion::default().answer(now, base.as_ref())?;
        let is_of_graph = |finding: &Finding| rules::ALL.iter().any(|rule| rule.id == finding.rule.id);
        all.extend(findings.into_iter().filter(is_of_graph));
    }
    Ok(all)
}
