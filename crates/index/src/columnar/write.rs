//! An index into files: its views, and its catalogs by month.

use std::path::{Path, PathBuf};

use super::columns::{Field, Value};
use super::error::ColumnarError;
use super::partition::write_catalogs;
use super::table::{Layout, Table};
use crate::Index;
use olmdex_base::diag::Finding;
use olmdex_base::file::NewDirectory;

/// Rows of a group of a view.
const MAX_ROWS: usize = 100_000;

/// The numbers of written parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// How many views.
    pub views: usize,
    /// The number of rows that they have together.
    pub rows: u64,
    /// The number of months of all catalogs.
    pub months: usize,
}

/// Writes an index into a new directory, which appears when all is written: each documented view as `VIEW.parquet`, and
/// of each catalog and month `catalog=NAME/month=YYYY-MM/` with `bundles.parquet`, `history.parquet` and
/// `findings.parquet`. `findings` gives those of a catalog.
///
/// # Errors
/// [`ColumnarError`]
pub fn write<E: From<ColumnarError>>(
    index: &Index,
    target: &Path,
    findings: impl FnMut(&str) -> Result<Vec<Finding>, E>,
) -> Result<Written, E> {
    let mut directory = NewDirectory::begin(target).map_err(ColumnarError::from)?;
    let mut written = Written { views: 0, rows: 0, months: 0 };
    for view in index.views().map_err(ColumnarError::from)? {
        written.rows += write_view(index, &view, &mut directory)?;
        written.views += 1;
    }
    written.months = write_catalogs(index, &mut directory, findings)?;
    directory.finish().map_err(ColumnarError::from)?;
    Ok(written)
}

fn write_view(index: &Index, view: &str, directory: &mut NewDirectory) -> Result<u64, ColumnarError> {
    let columns = index.view_columns(view)?.into_iter();
    let fields: Vec<Field> = columns.map(|it| Field { name: it.name, kind: it.kind.into() }).collect();
    let layout = Layout { name: view, fields: &fields, sorted_by: &[], max_rows: MAX_ROWS };
    let mut table = Table::begin(directory, PathBuf::from(format!("{view}.parquet")), &layout)?;
    index.view_rows(view, |cells| table.push(cells.iter().map(|it| Value::from(*it))))?;
    table.finish()
}
