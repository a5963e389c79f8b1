//! A user's own SQL, with limits.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::excerpt;
use crate::{Index, IndexError};
use olmdex_text::encoding::hex::hex;

/// The number of virtual machine steps that pass between two looks at the clock.
const STEPS: i32 = 1_000;

/// Bytes of a LIKE or GLOB pattern: comparing takes time that grows fast with it.
const MAX_PATTERN: i32 = 1_000;

/// The limits on the cost of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqlLimits {
    /// Rows of the answer.
    pub max_rows: usize,
    /// Time. A single function of SQL is not interrupted.
    pub max_time: Duration,
    /// Bytes of the answer, and of each value on the way to it.
    pub max_bytes: usize,
}

impl Default for SqlLimits {
    /// 100,000 rows, 30 seconds and 64 MiB.
    fn default() -> Self {
        Self { max_rows: 100_000, max_time: Duration::from_secs(30), max_bytes: 64 << 20 }
    }
}

/// The answer to a statement.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SqlResult {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<SqlValue>>,
    /// Whether there were more rows than allowed.
    pub is_cut: bool,
}

/// A value of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SqlValue {
    /// NULL
    Null,
    /// INTEGER
    Integer(i64),
    /// REAL
    Real(f64),
    /// TEXT; bytes that are no UTF-8 are replaced.
    Text(String),
    /// BLOB, in lower-case hexadecimal digits
    Blob(String),
}

impl Index {
    /// Runs one statement of a user. It can read this index, and nothing else: no other file, no setting.
    ///
    /// # Errors
    /// [`IndexError::Sql`] if the statement is wrong or does something that is not allowed, [`IndexError::Limit`] if
    /// it takes too long, [`IndexError::TooLarge`] if a value or the answer is too large.
    pub fn sql(&mut self, sql: &str, limits: SqlLimits) -> Result<SqlResult, IndexError> {
        let before = self.connection().limit(Limit::SQLITE_LIMIT_LENGTH).map_err(|error| self.failed(&error))?;
        self.max_value().store(limits.max_bytes as u64, Ordering::Relaxed);
        let result = run(self.connection_mut(), sql, limits);
        // The next question is ours again.
        self.max_value().store(u64::MAX, Ordering::Relaxed);
        let lifted = lift(self.connection_mut(), before).and_then(|()| self.watch());
        let result = result.map_err(|error| match &error {
            rusqlite::Error::SqlInputError { msg, .. } => IndexError::Sql(excerpt(msg)),
            other => match other.sqlite_error_code() {
                Some(rusqlite::ErrorCode::AuthorizationForStatementDenied) => {
                    IndexError::Sql("the statement may only read: SELECT, WITH, EXPLAIN and reading PRAGMAs".to_owned())
                }
                Some(rusqlite::ErrorCode::OperationInterrupted) => {
                    IndexError::Limit(format!("olmdex stopped the statement after {:?}", limits.max_time))
                }
                Some(rusqlite::ErrorCode::TooBig) => {
                    IndexError::TooLarge(format!("a value is larger than {} bytes", limits.max_bytes))
                }
                _ => self.failed(other),
            },
        })?;
        lifted.map_err(|error| self.failed(&error))?;
        result.ok_or_else(|| IndexError::TooLarge(format!("the answer is larger than {} bytes", limits.max_bytes)))
    }
}

/// The answer; `None` if it is too large.
fn run(connection: &mut Connection, sql: &str, limits: SqlLimits) -> rusqlite::Result<Option<SqlResult>> {
    let end = Instant::now().checked_add(limits.max_time);
    let is_over = move || end.is_some_and(|end| Instant::now() > end);
    connection.authorizer(Some(authorize))?;
    connection.progress_handler(STEPS, Some(is_over))?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(limits.max_bytes).unwrap_or(i32::MAX))?;
    connection.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MAX_PATTERN)?;
    let mut statement = connection.prepare(sql)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut result = SqlResult { columns, rows: Vec::new(), is_cut: false };
    let mut rows = statement.query([])?;
    let mut n_bytes = 0_usize;
    while let Some(row) = rows.next()? {
        if result.rows.len() == limits.max_rows {
            result.is_cut = true;
            break;
        }
        let mut values = Vec::with_capacity(result.columns.len());
        for idx in 0..result.columns.len() {
            let value = row.get_ref(idx)?;
            n_bytes = n_bytes.saturating_add(match value {
                ValueRef::Text(bytes) => bytes.len(),
                // Two digits for each byte.
                ValueRef::Blob(bytes) => bytes.len().saturating_mul(2),
                _ => size_of::<i64>(),
            });
            if n_bytes > limits.max_bytes {
                return Ok(None);
            }
            values.push(SqlValue::from(value));
        }
        result.rows.push(values);
        // Few steps may take long where values are large.
        if is_over() {
            return Err(rusqlite::Error::SqliteFailure(
                rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_INTERRUPT),
                None,
            ));
        }
    }
    Ok(Some(result))
}

/// Takes the limits off.
fn lift(connection: &mut Connection, max_length: i32) -> rusqlite::Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, max_length)?;
    connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>)
}

impl From<ValueRef<'_>> for SqlValue {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(number) => Self::Integer(number),
            ValueRef::Real(number) => Self::Real(number),
            ValueRef::Text(text) => Self::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(bytes) => Self::Blob(hex(bytes)),
        }
    }
}

fn authorize(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        // These name files or code.
        AuthAction::Function { function_name: "load_extension" | "readfile" | "writefile" | "edit" } => {
            Authorization::Deny
        }
        AuthAction::Function { .. } => Authorization::Allow,
        AuthAction::Pragma { pragma_name, pragma_value } => {
            let is_list = matches!(
                pragma_name,
                "table_info"
                    | "table_xinfo"
                    | "table_list"
                    | "index_list"
                    | "index_info"
                    | "index_xinfo"
                    | "foreign_key_list"
            );
            let is_setting = matches!(
                pragma_name,
                "user_version" | "application_id" | "page_count" | "page_size" | "freelist_count" | "data_version"
            );
            if is_list || (is_setting && pragma_value.is_none()) { Authorization::Allow } else { Authorization::Deny }
        }
        _ => Authorization::Deny,
    }
}
