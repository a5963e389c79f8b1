//! An index as Parquet files, for engines that read many indexes as one table: the documented views, one file each, and
//! catalogs by month.
//!
//! Every column but a list is optional; numbers are 64 bits wide, texts UTF-8, days are dates. The columns are the same
//! for every index of one schema, also where an index has no value for one, so that the files of thousands can be read
//! together. Rows are written in groups of bounded size; those of a month are sorted, so that engines pass over groups
//! by their least and greatest values.

mod columns;
mod error;
mod partition;
mod table;
mod write;

pub use error::ColumnarError;
pub use write::{Written, write};
