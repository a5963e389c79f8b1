//! `olmdex export --parquet`

use std::path::{Path, PathBuf};

use crate::ask::catalog_findings;
use crate::cli::args::sources::AskOptions;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::progress::Progress;
use crate::columnar::{ColumnarError, write};
use crate::diag::counted;

impl From<ColumnarError> for CommandError {
    fn from(error: ColumnarError) -> Self {
        match error {
            ColumnarError::Index(error) => error.into(),
            ColumnarError::File(error) => error.into(),
            other => Self::new(Exit::Input, other.to_string()),
        }
    }
}

pub(super) fn run(context: &Context, sources: &[String], target: &Path) -> CommandResult {
    let sources: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
    let index = AskOptions::of_sources(&sources).open(context)?;
    let progress = Progress::start(context, format!("writing {}", target.display()));
    interrupt::undo_writes(context);
    let written = write::<CommandError>(&index, target, |catalog| Ok(catalog_findings(&index, catalog)?))?;
    drop(progress);
    let (views, rows) = (counted(written.views as u64, "view"), counted(written.rows, "row"));
    let months = counted(written.months as u64, "month");
    context.reporter.note(&format!("wrote {}: {views}, {rows}; {months} of catalogs", target.display()));
    Ok(Exit::Yes)
}
