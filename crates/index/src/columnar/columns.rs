//! The values of a group of rows, column by column.

use parquet::data_type::ByteArray;

use crate::query::{Cell, ColumnKind};

/// The values of a column; NULL is none, and its level is 0.
pub(super) enum Values {
    Integers(Vec<i64>),
    Bytes(Vec<ByteArray>),
}

/// A column of a group of rows.
pub(super) struct Column {
    pub(super) values: Values,
    pub(super) levels: Vec<i16>,
}

impl Column {
    pub(super) fn new(kind: ColumnKind) -> Self {
        let values = match kind {
            ColumnKind::Integer => Values::Integers(Vec::new()),
            ColumnKind::Text | ColumnKind::Bytes => Values::Bytes(Vec::new()),
        };
        Self { values, levels: Vec::new() }
    }

    /// Adds a value. How many bytes it takes; `None` if the column has none of its kind.
    pub(super) fn push(&mut self, cell: Cell<'_>) -> Option<usize> {
        let size = match (&mut self.values, cell) {
            (_, Cell::Null) => {
                self.levels.push(0);
                return Some(2);
            }
            (Values::Integers(values), Cell::Integer(number)) => {
                values.push(number);
                8
            }
            (Values::Bytes(values), Cell::Text(text)) => {
                values.push(ByteArray::from(text));
                text.len() + 32
            }
            (Values::Bytes(values), Cell::Bytes(bytes)) => {
                values.push(ByteArray::from(bytes.to_vec()));
                bytes.len() + 32
            }
            _ => return None,
        };
        self.levels.push(1);
        Some(size)
    }

    pub(super) fn clear(&mut self) {
        match &mut self.values {
            Values::Integers(values) => values.clear(),
            Values::Bytes(values) => values.clear(),
        }
        self.levels.clear();
    }
}
