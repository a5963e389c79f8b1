//! One file: rows in groups of bounded size.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::columns::{Column, Field, Kind, Value, Values};
use super::error::ColumnarError;
use olmdex_base::file::{FileError, NewDirectory};

/// Bytes of the values of a group, before they are packed.
const MAX_BYTES: usize = 16 << 20;

/// The content of a file.
pub(super) struct Layout<'l> {
    /// The name of its rows, for messages.
    pub(super) name: &'l str,
    pub(super) fields: &'l [Field],
    /// By which columns the rows are sorted, as the writer of rows keeps it.
    pub(super) sorted_by: &'l [usize],
    /// Rows of a group.
    pub(super) max_rows: usize,
}

/// A file that is being written.
pub(super) struct Table<'d, 'l> {
    layout: &'l Layout<'l>,
    writer: SerializedFileWriter<Out<'d>>,
    group: Vec<Column>,
    n_rows: usize,
    n_bytes: usize,
    n_all: u64,
}

impl<'d, 'l> Table<'d, 'l> {
    pub(super) fn begin(
        directory: &'d mut NewDirectory,
        path: PathBuf,
        layout: &'l Layout<'l>,
    ) -> Result<Self, ColumnarError> {
        let packed = |source| ColumnarError::Pack { view: layout.name.to_owned(), source };
        let sorted = |it: &usize| SortingColumn {
            column_idx: i32::try_from(*it).unwrap_or_default(),
            descending: false,
            nulls_first: true,
        };
        let sorting = layout.sorted_by.iter().map(sorted).collect::<Vec<_>>();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("olmdex {}", crate::SCHEMA_VERSION))
            .set_sorting_columns((!sorting.is_empty()).then_some(sorting))
            .build();
        let schema = Arc::new(schema(layout).map_err(packed)?);
        let out = Out { directory, path, failure: None };
        let writer = SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(packed)?;
        let group = layout.fields.iter().map(|it| Column::new(it.kind)).collect();
        Ok(Self { layout, writer, group, n_rows: 0, n_bytes: 0, n_all: 0 })
    }

    pub(super) fn push<'r>(&mut self, row: impl Iterator<Item = Value<'r>>) -> Result<(), ColumnarError> {
        let name = self.layout.name;
        for ((column, value), of) in self.group.iter_mut().zip(row).zip(self.layout.fields) {
            let kind = || ColumnarError::Kind { view: name.to_owned(), column: of.name.clone() };
            self.n_bytes += column.push(value).ok_or_else(kind)?;
        }
        self.n_rows += 1;
        self.n_all += 1;
        if self.n_rows >= self.layout.max_rows || self.n_bytes >= MAX_BYTES { self.write_group() } else { Ok(()) }
    }

    /// The number of rows that it has.
    pub(super) fn finish(mut self) -> Result<u64, ColumnarError> {
        if self.n_rows > 0 {
            self.write_group()?;
        }
        let finished = self.writer.finish().map(drop);
        self.told(finished).map(|()| self.n_all)
    }

    fn write_group(&mut self) -> Result<(), ColumnarError> {
        (self.n_rows, self.n_bytes) = (0, 0);
        let written = write_group(&mut self.writer, &mut self.group);
        self.told(written)
    }

    /// The result of writing. The error of the file system says more than the fact that writing failed.
    fn told(&mut self, written: Result<(), ParquetError>) -> Result<(), ColumnarError> {
        match (self.writer.inner_mut().failure.take(), written) {
            (Some(error), _) => Err(error.into()),
            (None, Err(source)) => Err(ColumnarError::Pack { view: self.layout.name.to_owned(), source }),
            (None, Ok(())) => Ok(()),
        }
    }
}

fn schema(layout: &Layout<'_>) -> Result<Type, ParquetError> {
    let primitive = |name: &str, physical, logical, repetition| {
        let builder = Type::primitive_type_builder(name, physical).with_repetition(repetition);
        builder.with_logical_type(logical).build().map(Arc::new)
    };
    let field = |it: &Field| {
        let (physical, logical) = match it.kind {
            Kind::Integer => (Physical::INT64, None),
            Kind::Text | Kind::Texts => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Bytes => (Physical::BYTE_ARRAY, None),
            Kind::Day => (Physical::INT32, Some(LogicalType::Date)),
            Kind::Flag => (Physical::BOOLEAN, None),
        };
        if it.kind != Kind::Texts {
            return primitive(&it.name, physical, logical, Repetition::OPTIONAL);
        }
        // The three levels that the format asks of lists.
        let element = primitive("element", physical, logical, Repetition::REQUIRED)?;
        let list = Type::group_type_builder("list").with_repetition(Repetition::REPEATED).with_fields(vec![element]);
        let outer = Type::group_type_builder(&it.name).with_repetition(Repetition::REQUIRED);
        outer
            .with_logical_type(Some(LogicalType::List))
            .with_fields(vec![Arc::new(list.build()?)])
            .build()
            .map(Arc::new)
    };
    let fields = layout.fields.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder(layout.name).with_fields(fields).build()
}

fn write_group(writer: &mut SerializedFileWriter<Out<'_>>, group: &mut [Column]) -> Result<(), ParquetError> {
    let mut rows = writer.next_row_group()?;
    for column in group.iter_mut() {
        let Some(mut out) = rows.next_column()? else { break };
        let (levels, repetitions) = (Some(column.levels.as_slice()), column.repetitions.as_deref());
        match &column.values {
            Values::Integers(values) => out.typed::<Int64Type>().write_batch(values, levels, repetitions)?,
            Values::Bytes(values) => out.typed::<ByteArrayType>().write_batch(values, levels, repetitions)?,
            Values::Days(values) => out.typed::<Int32Type>().write_batch(values, levels, repetitions)?,
            Values::Flags(values) => out.typed::<BoolType>().write_batch(values, levels, repetitions)?,
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
    /// The error of the file system.
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
