//! `olmdex export --parquet`

use std::path::{Path, PathBuf};

use crate::cli::args::sources::AskOptions;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::progress::Progress;
use crate::columnar::{ColumnarError, write_views};
use crate::diag::counted;

pub(super) fn run(context: &Context, sources: &[String], target: &Path) -> CommandResult {
    let sources: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
    let index = AskOptions::of_sources(&sources).open(context)?;
    let progress = Progress::start(context, format!("writing {}", target.display()));
    interrupt::undo_writes(context);
    let written = write_views(&index, target).map_err(|error| match error {
        ColumnarError::Index(error) => error.into(),
        ColumnarError::File(error) => error.into(),
        other => CommandError::new(Exit::Input, other.to_string()),
    })?;
    drop(progress);
    let (views, rows) = (counted(written.views as u64, "view"), counted(written.rows, "row"));
    context.reporter.note(&format!("wrote {}: {views}, {rows}", target.display()));
    Ok(Exit::Yes)
}
