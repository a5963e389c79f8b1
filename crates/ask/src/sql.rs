//! Answers to SQL as rows with names.

use olmdex_index::query::{SqlResult, SqlValue};
use serde::{Serialize, Serializer};

/// A row: column to value, in the order of the columns.
#[derive(Debug)]
pub struct SqlRow<'r>(&'r [String], &'r [SqlValue]);

impl Serialize for SqlRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().zip(self.1))
    }
}

/// The rows of an answer.
pub fn sql_rows(result: &SqlResult) -> Vec<SqlRow<'_>> {
    result.rows.iter().map(|row| SqlRow(&result.columns, row)).collect()
}
