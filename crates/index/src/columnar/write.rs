//! Views into files, group of rows by group of rows.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use thiserror::Error;

use super::columns::{Column, Values};
use crate::query::{ColumnKind, ViewColumn};
use crate::{Index, IndexError};
use olmdex_base::file::{FileError, NewDirectory};

/// Rows of a group.
const MAX_ROWS: usize = 100_000;

/// Bytes of the values of a group, before they are packed.
const MAX_BYTES: usize = 16 << 20;

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// How many views.
    pub views: usize,
    /// How many rows they have together.
    pub rows: u64,
}

/// Why nothing was written.
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
    #[error("column `{column}` of {view} has a value of another kind")]
    Kind {
        /// The view.
        view: String,
        /// The column.
        column: String,
    },
    /// A view cannot be packed.
    #[error("{view} cannot be written: {source}")]
    Pack {
        /// The view.
        view: String,
        /// Why.
        source: ParquetError,
    },
}

/// Writes each documented view of an index as `VIEW.parquet` into a new directory, which appears when all are written.
///
/// # Errors
/// [`ColumnarError`]
pub fn write_views(index: &Index, target: &Path) -> Result<Written, ColumnarError> {
    let mut directory = NewDirectory::begin(target)?;
    let mut written = Written { views: 0, rows: 0 };
    for view in index.views()? {
        written.rows += write_view(index, &view, &mut directory)?;
        written.views += 1;
    }
    directory.finish()?;
    Ok(written)
}

fn write_view(index: &Index, view: &str, directory: &mut NewDirectory) -> Result<u64, ColumnarError> {
    let columns = index.view_columns(view)?;
    let packed = |source| ColumnarError::Pack { view: view.to_owned(), source };
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("olmdex {}", crate::SCHEMA_VERSION))
        .build();
    let out = Out { directory, path: PathBuf::from(format!("{view}.parquet")), failure: None };
    let schema = Arc::new(schema(view, &columns).map_err(packed)?);
    let mut writer = SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(packed)?;
    let mut group: Vec<Column> = columns.iter().map(|it| Column::new(it.kind)).collect();
    let (mut n_rows, mut n_bytes, mut n_all) = (0, 0, 0);
    index.view_rows(view, |cells| {
        for ((column, cell), of) in group.iter_mut().zip(cells).zip(&columns) {
            let kind = || ColumnarError::Kind { view: view.to_owned(), column: of.name.clone() };
            n_bytes += column.push(*cell).ok_or_else(kind)?;
        }
        n_rows += 1;
        n_all += 1;
        if n_rows >= MAX_ROWS || n_bytes >= MAX_BYTES {
            write_group(&mut writer, &mut group).map_err(packed)?;
            (n_rows, n_bytes) = (0, 0);
        }
        Ok::<(), ColumnarError>(())
    })?;
    if n_rows > 0 {
        write_group(&mut writer, &mut group).map_err(packed)?;
    }
    let finished = writer.finish().map(drop);
    // What the file system says is more than that writing failed.
    match (writer.inner_mut().failure.take(), finished) {
        (Some(error), _) => Err(error.into()),
        (None, Err(error)) => Err(packed(error)),
        (None, Ok(())) => Ok(n_all),
    }
}

fn schema(view: &str, columns: &[ViewColumn]) -> Result<Type, ParquetError> {
    let field = |it: &ViewColumn| {
        let (physical, logical) = match it.kind {
            ColumnKind::Integer => (Physical::INT64, None),
            ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnKind::Bytes => (Physical::BYTE_ARRAY, None),
        };
        let builder = Type::primitive_type_builder(&it.name, physical).with_repetition(Repetition::OPTIONAL);
        builder.with_logical_type(logical).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder(view).with_fields(fields).build()
}

fn write_group(writer: &mut SerializedFileWriter<Out<'_>>, group: &mut [Column]) -> Result<(), ParquetError> {
    let mut rows = writer.next_row_group()?;
    for column in group.iter_mut() {
        let Some(mut out) = rows.next_column()? else { break };
        let levels = Some(column.levels.as_slice());
        match &column.values {
            Values::Integers(values) => out.typed::<Int64Type>().write_batch(values, levels, None)?,
            Values::Bytes(values) => out.typed::<ByteArrayType>().write_batch(values, levels, None)?,
        };
        out.close()?;
        column.clear();
    }
    rows.close()?;
    Ok(())
}

/// A file of the directory.
struct Out<'d> {
    directory: &'d mut NewDirectory,
    path: PathBuf,
    /// What the file system said.
    failure: Option<FileError>,
}

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.directory.write(&self.path, bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                let told = io::Error::other(error.to_string());
                self.failure.get_or_insert(error);
                Err(told)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
