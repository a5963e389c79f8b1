//! `olmdex render` for the catalogs that `olmdex.toml` composes: each to its destination, or one to standard output.
//!
//! All catalogs are composed and written beside their destinations before the first one is moved there, so an error in
//! one leaves all as they are.

use std::io::Write as _;
use std::path::Path;

use crate::ask::guess;
use crate::cli::args::composition;
use crate::cli::args::legacy_source;
use crate::cli::print::defects::report;
use crate::cli::print::json_lines::blobs;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::compose::{Composition, Config, Files, NamedCatalog, Reserved};
use crate::diag::counted;
use crate::fbc::{Format, Level, Rendering, Selection, Sorted};
use crate::file::FileError;

/// The catalog to render, and how.
pub(super) struct RenderRequest<'a> {
    /// The file, if it is named.
    pub config: Option<&'a Path>,
    /// The catalogs; all that have a destination if there are none.
    pub catalogs: &'a [String],
    pub packages: &'a [String],
    pub format: Option<Format>,
    /// Whether each blob is a line of its own.
    pub is_lines: bool,
    pub level: Level,
}

pub(super) fn render(context: &Context, request: &RenderRequest<'_>) -> CommandResult {
    let config = composition::config(context, request.config, &[])?;
    let config = composition::with_catalogs(config, "olmdex render my-catalog/")?;
    match request.catalogs {
        [] => to_destinations(context, request, &config),
        [name] => print(context, request, &config, composition::named(&config, name)?),
        _ => {
            let error = CommandError::usage("`render` prints one catalog at a time");
            Err(error.help("name one with `--catalog`; without the option, olmdex writes all to their destinations"))
        }
    }
}

/// Prints one catalog.
fn print(context: &Context, request: &RenderRequest<'_>, config: &Config, catalog: &NamedCatalog) -> CommandResult {
    let composed = whole(context, config, catalog)?;
    let format = request.format.unwrap_or(catalog.format);
    let selection = Selection { packages: request.packages };
    let expansion = crate::json::Expansion::default();
    let mut sorted = Sorted::new(Rendering { format, level: request.level, selection, expansion: &expansion });
    let mut n_defects = 0;
    for part in &composed.parts {
        let defects = sorted.read(&part.input);
        n_defects += defects.len();
        report(context, &part.input, &defects);
    }
    refuse_defects(catalog, n_defects)?;
    for package in request.packages {
        if !sorted.packages().any(|it| it == package) {
            let names: Vec<String> = config_packages(&composed);
            let error = CommandError::new(Exit::NotFound, format!("no package `{package}`"));
            return Err(error.help(guess(package, &names, "`olmdex.toml` defines the contents of the catalog")));
        }
    }
    let mut out = blobs(format, request.is_lines);
    sorted.write(|_, text| out.write_all(text).map_err(CommandError::from))?;
    out.flush()?;
    Ok(Exit::Yes)
}

/// The packages of a catalog. These names are needed only if a package is missing.
fn config_packages(composed: &Composition) -> Vec<String> {
    let expansion = crate::json::Expansion::default();
    let selection = Selection { packages: &[] };
    let how = Rendering { format: Format::Json, level: Level::None, selection, expansion: &expansion };
    let mut all = Sorted::new(how);
    for part in &composed.parts {
        // Documents that cannot be rendered have been reported already.
        let _ = all.read(&part.input);
    }
    all.packages().map(str::to_owned).collect()
}

/// Writes each catalog to its destination.
fn to_destinations(context: &Context, request: &RenderRequest<'_>, config: &Config) -> CommandResult {
    if request.is_lines {
        let error = CommandError::usage("`-o jsonl` does not apply to a destination, whose files are JSON or YAML");
        return Err(error.help("use it with `--catalog NAME`, which prints the catalog"));
    }
    if !request.packages.is_empty() {
        let error = CommandError::usage("`--package` does not apply to a destination, which holds a whole catalog");
        return Err(error.help(
            "use `--package` with `--catalog NAME`, which prints the catalog, or choose `packages` in olmdex.toml",
        ));
    }
    let mut targets = Vec::new();
    for catalog in &config.catalogs {
        match &catalog.destination {
            Some(destination) => {
                destination.check(&config.path, catalog, config.reach)?;
                targets.push((catalog, destination));
            }
            None => context.reporter.detail(&format!("catalog `{}` has no destination", catalog.name)),
        }
    }
    if targets.is_empty() {
        let message = format!("no catalog of {} has a destination", config.path.display());
        let help = "add `destination = \"rendered/NAME\"` to a catalog, or print one with `--catalog NAME`";
        return Err(CommandError::usage(message).help(help));
    }
    interrupt::undo_writes(context);
    let mut reserved = Vec::new();
    for (catalog, destination) in targets {
        reserved.push((catalog, destination, Reserved::new(&destination.path)?));
    }
    // Another process may have rendered a newer state before the destinations were reserved.
    if !config.is_current() {
        return Err(FileError::Changed { path: config.path.clone() }.into());
    }
    let mut staged = Vec::new();
    for (catalog, destination, reserved) in reserved {
        let composed = whole(context, config, catalog)?;
        let expansion = crate::json::Expansion::default();
        let files = Files::of(&composed, request.format.unwrap_or(catalog.format), request.level, &expansion);
        let n_defects = files.defects.iter().map(|it| it.1.len()).sum();
        for (input, defects) in &files.defects {
            report(context, input, defects);
        }
        refuse_defects(catalog, n_defects)?;
        staged.push((catalog, destination, reserved.write(&files)?));
    }
    for (catalog, destination, staged) in staged {
        let n_files = counted(staged.n_files as u64, "file");
        let path = destination.path.display();
        let has_changed = staged.finish()?;
        context.reporter.note(&if has_changed {
            format!("catalog `{}`: wrote {n_files} to {path}", catalog.name)
        } else {
            format!("catalog `{}`: {path} is up to date", catalog.name)
        });
    }
    Ok(Exit::Yes)
}

/// A catalog that could be read completely.
fn whole(context: &Context, config: &Config, catalog: &NamedCatalog) -> Result<Composition, CommandError> {
    let composed = composition::compose(context, config, catalog)?;
    for part in &composed.parts {
        legacy_source::report(context, &part.input.remarks);
    }
    if composed.is_whole() {
        return Ok(composed);
    }
    let message = format!("catalog `{}` cannot be composed as a whole", catalog.name);
    Err(CommandError::new(Exit::Input, message).help("fix the errors above, or choose other packages"))
}

fn refuse_defects(catalog: &NamedCatalog, n_defects: usize) -> Result<(), CommandError> {
    if n_defects == 0 {
        return Ok(());
    }
    let documents = counted(n_defects as u64, "document");
    Err(CommandError::new(Exit::Input, format!("catalog `{}`: {documents} cannot be rendered", catalog.name)))
}
