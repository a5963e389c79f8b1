//! `olmdex validate --fix`: fixes each finding that has one safe answer in the files, all of them or none.
//!
//! For the safety of the files, this code follows no link out of a catalog, and writes nothing that would make one less
//! valid.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::ask::check_catalog_noting;
use crate::check::{self, Report};
use crate::cli::print::difference::print_difference;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::write_edits::{in_files, write_all};
use crate::compose::{Choice, Chosen};
use crate::diag::baseline::Scope;
use crate::diag::{Finding, Rule};
use crate::edit::{CatalogEdit, Change, FileEdit, PackageFix};
use crate::fbc::Input;
use crate::file::finish_left;

/// Fixes the chosen findings, or prints what that would change, and returns the findings that would be left.
pub(super) fn fix(
    context: &Context,
    sources: &[PathBuf],
    choice: &Choice,
    practices: &[&'static Rule],
    dry_run: bool,
) -> Result<Vec<Chosen>, CommandError> {
    let mut mended: Vec<(&Path, Input, Vec<FileEdit>)> = Vec::new();
    let mut left = Vec::new();
    for path in sources {
        let mut input = files(context, path)?;
        if !dry_run {
            // Finish an edit that was killed first.
            finish_left(input.files.iter().filter_map(|it| it.path()));
            input = files(context, path)?;
        }
        let catalog = mend(&input, choice, practices)?;
        if dry_run {
            left.push(chosen(catalog.input(), choice, practices)?);
        }
        let edits = catalog.files().cloned().collect();
        mended.push((path.as_path(), input, edits));
    }
    let edits = || mended.iter().flat_map(|(_, _, it)| it);
    for edit in edits() {
        if let Some(why) = edit.rewritten {
            let message = format!("{}: rewriting a document drops its comments: {why}", edit.path.display());
            context.reporter.warning(&message);
        }
    }
    if dry_run {
        for edit in edits() {
            print_difference(context, &edit.path, 1, &edit.before, &edit.after)?;
        }
        if edits().next().is_none() {
            context.reporter.note("nothing changes");
        }
        return Ok(left);
    }
    interrupt::undo_writes(context);
    let all = mended.iter().flat_map(|(catalog, input, edits)| edits.iter().map(move |it| (*catalog, input, it)));
    write_all(all, false)?;
    for edit in edits() {
        context.reporter.note(&format!("wrote {}", edit.path.display()));
    }
    Ok(left)
}

fn files(context: &Context, path: &Path) -> Result<Input, CommandError> {
    let help = "`--fix` edits directories and files; `olmdex migrate` converts other sources to a directory";
    in_files(path, context.open(path)?, help)
}

/// The findings of a catalog that are chosen.
fn chosen(input: &Input, choice: &Choice, practices: &[&'static Rule]) -> Result<Chosen, CommandError> {
    let Report { mut findings, practices: mut of_practice, .. } =
        check_catalog_noting(input, None, practices, &mut |_| {});
    findings.append(&mut of_practice);
    let rules = [check::all_rules(), practices.to_vec()].concat();
    // Known findings are left alone, and they are not written down as known before the others are fixed.
    let choice = Choice { write_to: None, ..choice.clone() };
    Ok(choice.apply(findings, &Scope { rules: &rules, packages: &[], is_whole: true })?)
}

/// A catalog in which every fixable finding is fixed.
fn mend(input: &Input, choice: &Choice, practices: &[&'static Rule]) -> Result<CatalogEdit, CommandError> {
    let mut fixes: BTreeMap<String, BTreeSet<PackageFix>> = BTreeMap::new();
    for Finding { rule, package, .. } in chosen(input, choice, practices)?.findings {
        if let (Some(fix), Some(package)) = (PackageFix::of(rule), package) {
            fixes.entry(package).or_default().insert(fix);
        }
    }
    let mut catalog = CatalogEdit::new(input.clone());
    let changes = |fixes: BTreeSet<PackageFix>| fixes.into_iter().map(Change::PackageFix).collect();
    let changes: Vec<(String, Vec<Change>)> = fixes.into_iter().map(|(package, it)| (package, changes(it))).collect();
    for (package, verdict) in catalog.change_all(&changes)? {
        if let Some(error) = verdict.errors.first() {
            let message = format!("package `{package}` would not be valid: {}; nothing was written", error.message);
            return Err(CommandError::new(Exit::No, message));
        }
    }
    Ok(catalog)
}
