//! The documented views as they are: which there are, their columns with types, and their rows one after another.

use rusqlite::types::ValueRef;

use crate::{Index, IndexError};

/// The kind of values in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Whole numbers.
    Integer,
    /// Texts.
    Text,
    /// Bytes.
    Bytes,
}

/// A column of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewColumn {
    /// Its name.
    pub name: String,
    /// The kind of its values, if they are not NULL.
    pub kind: ColumnKind,
}

/// A value of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'r> {
    /// NULL
    Null,
    /// INTEGER
    Integer(i64),
    /// TEXT
    Text(&'r str),
    /// BLOB
    Bytes(&'r [u8]),
}

const VIEWS: &str = "SELECT name FROM sqlite_schema WHERE type = 'view' AND name LIKE 'v!_%' ESCAPE '!' ORDER BY name";

const COLUMNS: &str = "SELECT name, type FROM pragma_table_info(?1) ORDER BY cid";

/// Columns that are worked out, so that SQLite has no type for them, and are numbers; the other ones are texts.
const COUNTED: [&str; 4] = ["documents", "entries", "is_default", "packages"];

impl Index {
    /// The names of the documented views, sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn views(&self) -> Result<Vec<String>, IndexError> {
        self.rows(VIEWS, [], |row| row.get(0))
    }

    /// The columns of a view, in their order. They are the same in every index of one schema.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn view_columns(&self, view: &str) -> Result<Vec<ViewColumn>, IndexError> {
        self.rows(COLUMNS, [view], |row| {
            let (name, declared): (String, String) = (row.get(0)?, row.get(1)?);
            let kind = match declared.as_str() {
                "INTEGER" => ColumnKind::Integer,
                "BLOB" => ColumnKind::Bytes,
                "" if COUNTED.contains(&name.as_str()) => ColumnKind::Integer,
                _ => ColumnKind::Text,
            };
            Ok(ViewColumn { name, kind })
        })
    }

    /// Hands out the rows of a view, one at a time.
    ///
    /// # Errors
    /// If there is no such view, or the index is damaged; and the errors of `each`.
    pub fn view_rows<E: From<IndexError>>(
        &self,
        view: &str,
        mut each: impl FnMut(&[Cell<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |error: rusqlite::Error| E::from(self.failed(&error));
        let sql = format!("SELECT * FROM \"{}\"", view.replace('"', "\"\""));
        let mut statement = self.connection().prepare(&sql).map_err(failed)?;
        let n_columns = statement.column_count();
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let mut cells = Vec::with_capacity(n_columns);
            for idx in 0..n_columns {
                cells.push(match row.get_ref(idx).map_err(failed)? {
                    ValueRef::Null => Cell::Null,
                    ValueRef::Integer(number) => Cell::Integer(number),
                    ValueRef::Text(text) => match std::str::from_utf8(text) {
                        Ok(text) => Cell::Text(text),
                        Err(_) => return Err(E::from(self.damaged_document())),
                    },
                    ValueRef::Blob(bytes) => Cell::Bytes(bytes),
                    // No view has numbers with fractions.
                    ValueRef::Real(_) => return Err(E::from(self.damaged_document())),
                });
            }
            each(&cells)?;
        }
        Ok(())
    }
}
