//! `olmdex filter --repair`: writes the nearest configuration that works into its file.

use std::io::Write as _;
use std::path::Path;

use serde_json::Value;

use super::arguments::FilterArgs;
use super::entries;
use super::output::repair_text;
use crate::ask::MirrorCatalog;
use crate::cli::args::text::misread;
use crate::cli::print::difference::print_difference;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::fbc::{Syntax, edit_document};
use crate::file::{finish_left, write_over};
use crate::mirror::{self, Dialect, Operator, Proposal, RepairAnswer, Request};
use crate::yaml;

pub(super) fn run(context: &Context, args: &FilterArgs, path: &Path, text: &[u8]) -> CommandResult {
    let configuration = mirror::decode(text, Dialect::Named);
    let configuration = configuration.map_err(|error| misread(path, text, Dialect::Named, &error))?;
    if yaml::split(text, 1).filter(Result::is_ok).count() > 1 {
        let error = CommandError::new(Exit::Input, format!("`{}` has several documents", path.display()));
        return Err(error.help("oc-mirror reads only the first; move the others to separate files"));
    }
    let mut operators = configuration.operators.clone();
    let mut exit = Exit::Yes;
    let mut renamed = false;
    // The packages that names stand for are known only once the catalogs are open, so these must be read.
    let mut opened = entries::open(context, operators.clone(), &args.asked.input, args.asked.catalog.as_deref())?;
    for (operator, entry) in operators.iter_mut().zip(&opened) {
        for package in &mut operator.packages {
            if entry.catalog.packages.contains_key(&package.name) {
                continue;
            }
            let names = entry.catalog.names.iter().map(String::as_str);
            let meant = mirror::meant(&package.name, names);
            let (name, catalog) = (&package.name, &entry.name);
            match meant.first() {
                Some(meant) => {
                    context.reporter.note(&format!("catalog `{catalog}` has no package `{name}`: write `{meant}`"));
                    (*meant).clone_into(&mut package.name);
                    renamed = true;
                }
                None => {
                    let message = format!("catalog `{catalog}` has no package `{name}`, and none of a similar name");
                    context.reporter.error(&CommandError::new(Exit::NotFound, message));
                    exit = Exit::NotFound;
                }
            }
        }
    }
    if renamed {
        opened = entries::open(context, operators.clone(), &args.asked.input, args.asked.catalog.as_deref())?;
    }
    let mut is_changed = renamed;
    for (operator, entry) in operators.iter_mut().zip(&opened) {
        // Leaving `full` out changes the requests for all packages, so the others are checked again.
        loop {
            let was_full = operator.full;
            let (changed, found) = repair_packages(context, args, operator, entry);
            is_changed |= changed;
            if found != Exit::Yes {
                exit = found;
            }
            if operator.full == was_full {
                break;
            }
        }
    }
    if !is_changed {
        if !args.dry_run && path.as_os_str() != "-" {
            finish_left(std::iter::once(path));
        }
        if exit == Exit::Yes {
            context.reporter.note("nothing to repair");
        }
        return Ok(exit);
    }
    let text = String::from_utf8_lossy(text);
    let renamed = mirror::rename(&text, &configuration.operators, &operators);
    write(context, args, path, &text, &renamed, &operators)?;
    Ok(exit)
}

/// Repairs the requests for the packages of a catalog. Returns whether anything changed.
fn repair_packages(
    context: &Context,
    args: &FilterArgs,
    operator: &mut Operator,
    entry: &MirrorCatalog,
) -> (bool, Exit) {
    let (mut is_changed, mut exit) = (false, Exit::Yes);
    for (name, facts) in entry.catalog.packages.iter().filter(|it| !it.0.is_empty()) {
        let request = Request::of(operator, name);
        let Some(trouble) = mirror::trouble(name, facts, &request, args.release()) else { continue };
        let words = format!("package `{name}`: {}", mirror::in_words(&trouble, facts));
        let proposals = mirror::repairs(name, facts, &request, args.release());
        let answer = |it: &Proposal| {
            repair_text(&RepairAnswer {
                changes: it.changes.clone(),
                bundles: it.n_bundles,
                added: it.n_added,
                dropped: it.n_dropped,
            })
        };
        let Some(first) = proposals.first() else {
            let error = CommandError::new(Exit::No, words);
            context
                .reporter
                .error(&error.help("no change to the configuration helps; `--explain` shows what is wrong"));
            exit = Exit::No;
            continue;
        };
        context.reporter.note(&words);
        context.reporter.note(&format!("  {}", answer(first)));
        for it in proposals.iter().skip(1) {
            context.reporter.note(&format!("  or: {}", answer(it)));
        }
        operator.full = first.request.is_full;
        if operator.packages.is_empty() {
            // This catalog is taken as a whole, so its other packages are listed, too.
            let names = entry.catalog.packages.keys().filter(|it| !it.is_empty());
            operator.packages =
                names.map(|it| mirror::Package { name: it.clone(), ..mirror::Package::default() }).collect();
        }
        if let Some(package) = operator.packages.iter_mut().find(|it| it.name == *name) {
            *package = first.request.package.clone();
        }
        is_changed = true;
    }
    (is_changed, exit)
}

/// Writes the operators into the file; `renamed` is its old text with the new names.
fn write(
    context: &Context,
    args: &FilterArgs,
    path: &Path,
    old: &str,
    renamed: &str,
    operators: &[Operator],
) -> Result<(), CommandError> {
    let text = renamed.as_bytes();
    let wrong = |what: &str| CommandError::new(Exit::Input, format!("cannot change `{}`: {what}", path.display()));
    let mut converted = Vec::new();
    yaml::to_json(text, &mut converted).map_err(|error| wrong(&error.to_string()))?;
    let mut value: Value = serde_json::from_slice(&converted).map_err(|error| wrong(&error.to_string()))?;
    mirror::put(&mut value, operators);
    let edited = edit_document(text, Syntax::Yaml, &value.to_string()).map_err(|error| wrong(&error.to_string()))?;
    if let Some(why) = edited.rewritten {
        context.reporter.warning(&format!("rewriting the file drops its comments: {why}"));
    }
    // The written text must read back as the repaired configuration.
    let again = mirror::decode(edited.text.as_bytes(), Dialect::Named)?;
    if again.operators != operators {
        return Err(wrong("its syntax does not allow an edit in place").help("write the changes by hand"));
    }
    if args.dry_run {
        return print_difference(context, path, 1, old, &edited.text);
    }
    if path.as_os_str() == "-" {
        std::io::stdout().lock().write_all(edited.text.as_bytes())?;
        return Ok(());
    }
    interrupt::undo_writes(context);
    write_over(path, Some(old.as_bytes()), edited.text.as_bytes())?;
    context.reporter.note(&format!("wrote {}", path.display()));
    Ok(())
}
