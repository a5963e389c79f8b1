//! What several checks of catalogs need: the catalogs of an index, and templates.
//!
//! What it deliberately does not do: no verdict.

use std::path::Path;
use std::sync::Arc;

use crate::cli::terminal::error::CommandError;
use crate::diag::Finding;
use crate::fbc::{Input, InputFile};
use crate::index::Index;
use crate::template::{Template, template_text};

/// The texts of the files, if each of them is a template.
pub(super) fn templates_of(input: &Input) -> Option<Vec<(String, Arc<[u8]>)>> {
    let text = |file: &InputFile| Some((file.shown.clone(), template_text(file)?));
    if input.files.is_empty() { None } else { input.files.iter().map(text).collect() }
}

/// What is wrong with a template.
pub(super) fn template_findings(shown: &str, text: Arc<[u8]>) -> Vec<Finding> {
    match Template::read(shown, text, None) {
        Ok(template) => template.remarks,
        Err(findings) => findings,
    }
}

/// Catalogs, by their names if they are those of an index.
pub(super) type Opened = (Vec<(String, Input)>, Option<Index>);

/// The catalogs of an index, to be read once more.
pub(super) fn catalogs_of(path: &Path) -> Result<Opened, CommandError> {
    let index = Index::open(path)?;
    let mut inputs = Vec::new();
    for name in index.catalog_names()? {
        let input = index.catalog_input(&name)?;
        inputs.push((name, input));
    }
    Ok((inputs, Some(index)))
}
