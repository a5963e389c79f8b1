//! Catalogs of an index and templates, for several checks of catalogs.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::check;
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

/// The findings about a template.
pub(super) fn template_findings(shown: &str, text: Arc<[u8]>) -> Vec<Finding> {
    match Template::read(shown, text, None) {
        Ok(template) => template.remarks,
        Err(findings) => findings,
    }
}

/// Catalogs, by their names if they are those of an index.
pub(super) type CatalogParts = (Vec<(String, Input)>, Option<Index>);

/// The catalogs of an index, to be read once more.
pub(super) fn catalogs_of(path: &Path) -> Result<CatalogParts, CommandError> {
    let index = Index::open(path)?;
    let mut inputs = Vec::new();
    for name in index.catalog_names()? {
        let input = index.catalog_input(&name)?;
        inputs.push((name, input));
    }
    Ok((inputs, Some(index)))
}

/// Directories that define each other's packages are more likely catalogs of their own than parts of one.
pub(super) fn point_to_catalogs(command: &str, path: &Path, input: &Input, found: &mut [Finding]) {
    let is_duplicate = |it: &&mut Finding| it.rule.id == check::rules::DUPLICATE_PACKAGE.id;
    if found.iter_mut().filter(is_duplicate).count() == 0 {
        return;
    }
    let relative = input.files.iter().map(|it| it.relative().split_once('/').map(|it| it.0));
    let Some(directories) = relative.collect::<Option<BTreeSet<&str>>>() else { return };
    let directory_of = |shown: &str| {
        let below = Path::new(shown).strip_prefix(path).ok()?;
        directories.get(below.iter().next()?.to_str()?).copied()
    };
    let mut involved: BTreeSet<&str> = BTreeSet::new();
    for finding in found.iter_mut().filter(is_duplicate) {
        let second = finding.place.as_ref().and_then(|it| directory_of(&it.file));
        let first = finding.help.as_deref().and_then(|it| directory_of(it.rsplit_once(" is at ")?.1));
        if let (Some(first), Some(second)) = (first, second)
            && first != second
        {
            involved.extend([first, second]);
        }
    }
    if involved.len() < 2 || involved != directories {
        return;
    }
    let root = path.display().to_string();
    let help = format!("these look like several catalogs: `olmdex {command} {}/*`", root.trim_end_matches('/'));
    found.iter_mut().filter(is_duplicate).for_each(|it| it.help = Some(help.clone()));
}
