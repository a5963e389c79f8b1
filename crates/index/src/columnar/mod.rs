//! The documented views of an index as Parquet files, one each, for engines that read many indexes as one table.
//!
//! Every column is optional; numbers are 64 bits wide, texts UTF-8. The columns are the same for every index of one schema, also where an index
//! has no value for one, so that the files of thousands can be read together. Rows are written in groups of bounded size.
//!
//! What it deliberately does not do: it reads no Parquet, and chooses no rows; `olmdex sql` does.

mod columns;
mod write;

pub use write::{ColumnarError, Written, write_views};
