//! The reasons why nothing was written.

use parquet::errors::ParquetError;
use thiserror::Error;

use crate::IndexError;
use olmdex_base::file::FileError;

/// The reasons why nothing was written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ColumnarError {
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A view has a value of another kind than its column.
    #[error("column `{column}` of {view} has a value of a different type")]
    Kind { view: String, column: String },
    /// A view cannot be packed.
    #[error("cannot write {view}: {source}")]
    Pack { view: String, source: ParquetError },
}
