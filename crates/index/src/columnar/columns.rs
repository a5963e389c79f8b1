//! The values of a group of rows, column by column.

use parquet::data_type::ByteArray;

use crate::query::{Cell, ColumnKind};

/// The kind of values in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Text,
    Bytes,
    /// A day, in days since 1970.
    Day,
    Flag,
    /// Any number of texts, never NULL.
    Texts,
}

impl From<ColumnKind> for Kind {
    fn from(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Integer => Self::Integer,
            ColumnKind::Text => Self::Text,
            ColumnKind::Bytes => Self::Bytes,
        }
    }
}

/// A column of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// A value of a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'r> {
    Null,
    Integer(i64),
    Text(&'r str),
    Bytes(&'r [u8]),
    Day(i32),
    Flag(bool),
    Texts(&'r [String]),
}

impl<'r> From<Cell<'r>> for Value<'r> {
    fn from(cell: Cell<'r>) -> Self {
        match cell {
            Cell::Null => Self::Null,
            Cell::Integer(number) => Self::Integer(number),
            Cell::Text(text) => Self::Text(text),
            Cell::Bytes(bytes) => Self::Bytes(bytes),
        }
    }
}

/// The values of a column; NULL has no value, and its level is 0.
pub(super) enum Values {
    Integers(Vec<i64>),
    Bytes(Vec<ByteArray>),
    Days(Vec<i32>),
    Flags(Vec<bool>),
}

/// A column of a group of rows.
pub(super) struct Column {
    pub(super) values: Values,
    /// Whether there is a value: 1, or 0 for NULL and for a row without texts.
    pub(super) levels: Vec<i16>,
    /// For texts: whether each is a further one of its row.
    pub(super) repetitions: Option<Vec<i16>>,
}

impl Column {
    pub(super) fn new(kind: Kind) -> Self {
        let values = match kind {
            Kind::Integer => Values::Integers(Vec::new()),
            Kind::Text | Kind::Bytes | Kind::Texts => Values::Bytes(Vec::new()),
            Kind::Day => Values::Days(Vec::new()),
            Kind::Flag => Values::Flags(Vec::new()),
        };
        Self { values, levels: Vec::new(), repetitions: (kind == Kind::Texts).then(Vec::new) }
    }

    /// Adds a value. Returns the bytes that it takes; `None` if the column does not have its kind.
    pub(super) fn push(&mut self, value: Value<'_>) -> Option<usize> {
        if let Some(repetitions) = &mut self.repetitions {
            let (Value::Texts(texts), Values::Bytes(values)) = (value, &mut self.values) else { return None };
            let n_levels = texts.len().max(1);
            self.levels.extend(std::iter::repeat_n(i16::from(!texts.is_empty()), n_levels));
            repetitions.extend((0..n_levels).map(|it| i16::from(it > 0)));
            values.extend(texts.iter().map(|it| ByteArray::from(it.as_str())));
            return Some(texts.iter().map(|it| it.len() + 32).sum::<usize>() + 4);
        }
        let size = match (&mut self.values, value) {
            (_, Value::Null) => {
                self.levels.push(0);
                return Some(2);
            }
            (Values::Integers(values), Value::Integer(number)) => {
                values.push(number);
                8
            }
            (Values::Bytes(values), Value::Text(text)) => {
                values.push(ByteArray::from(text));
                text.len() + 32
            }
            (Values::Bytes(values), Value::Bytes(bytes)) => {
                values.push(ByteArray::from(bytes.to_vec()));
                bytes.len() + 32
            }
            (Values::Days(values), Value::Day(day)) => {
                values.push(day);
                4
            }
            (Values::Flags(values), Value::Flag(flag)) => {
                values.push(flag);
                1
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
            Values::Days(values) => values.clear(),
            Values::Flags(values) => values.clear(),
        }
        self.levels.clear();
        self.repetitions.iter_mut().for_each(Vec::clear);
    }
}
