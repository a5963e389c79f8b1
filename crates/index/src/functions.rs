//! The SQL functions of an index.
//!
//! | function | result |
//! |---|---|
//! | `semver_compare(a, b)` | -1, 0 or 1 by precedence |
//! | `semver_in_range(version, range)` | 1 or 0: a range in the syntax of blang/semver, as in `skipRange` |
//! | `range_holds(version, range)` | the same, but 0 for a text that cannot be read, as OLM takes a `skipRange` |
//! | `semver_satisfies(version, constraint)` | 1 or 0: a constraint in the syntax of Masterminds/semver, as in OLM v1 |
//! | `semver_key(version)` | bytes whose order is precedence, as `bundle.version_key` |
//! | `unpack(codec, size, bytes)` | the text of a row of `document_text` or `text`; `v_document_json` and `v_description` use it |
//! | `unpack_with(size, bytes, codec, size, bytes)` | a text that was packed with another one as its dictionary; `document_text` uses it |
//!
//! For an argument that is not a version, or is NULL, every answer is NULL: data is not always valid, and a query over
//! thousands of rows should not stop at one. A range or constraint that cannot be read is an error: the author of the
//! query writes it. (Ranges of data are valid in an index that `build` has made, `required_package` aside.)

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, Error, Result};

use super::compression;
use olmdex_version::Version;
use olmdex_version::blang::Range;
use olmdex_version::masterminds::Constraint;

/// Registers the functions. Returns the length that they may give to a text, which is bounded only for statements of
/// users.
pub(super) fn register(connection: &Connection) -> Result<Arc<AtomicU64>> {
    let max_value = Arc::new(AtomicU64::new(u64::MAX));
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("semver_compare", 2, flags, |context| {
        let (Some(a), Some(b)) = (version(context, 0), version(context, 1)) else { return Ok(None) };
        Ok(Some(a.cmp_precedence(&b) as i32))
    })?;
    connection
        .create_scalar_function("semver_key", 1, flags, |context| Ok(version(context, 0).map(|it| it.sort_key())))?;
    connection.create_scalar_function("semver_in_range", 2, flags, |context| {
        let Some(text) = text(context, 1) else { return Ok(None) };
        let range = context.get_or_create_aux(1, |_| Range::parse(text))?;
        match version(context, 0) {
            Some(version) => range.contains(&version).map(Some).map_err(user_error),
            None => Ok(None),
        }
    })?;
    let parsed = Mutex::new(Parsed::default());
    connection.create_scalar_function("range_holds", 2, flags, move |context| {
        let (Some(version), Some(range)) = (text(context, 0), text(context, 1)) else { return Ok(false) };
        // A panic cannot leave a part of a value behind: a text is parsed before it is put in.
        Ok(parsed.lock().unwrap_or_else(PoisonError::into_inner).holds(version, range))
    })?;
    connection.create_scalar_function("semver_satisfies", 2, flags, |context| {
        let Some(text) = text(context, 1) else { return Ok(None) };
        let constraint = context.get_or_create_aux(1, |_| Constraint::parse(text))?;
        Ok(version(context, 0).map(|version| constraint.matches(&version)))
    })?;
    let max = Arc::clone(&max_value);
    connection.create_scalar_function("unpack_with", 5, flags, move |context| {
        let number = |idx| context.get_raw(idx).as_i64();
        let bytes = |idx| context.get_raw(idx).as_blob();
        let (Ok(size), Ok(packed), Ok(codec), Ok(base_size), Ok(base)) =
            (number(0), bytes(1), number(2), number(3), bytes(4))
        else {
            return Ok(None);
        };
        check_length(size.max(base_size), &max)?;
        let text = compression::load(codec, base_size, base).and_then(|it| compression::load_with(size, packed, &it));
        text.map(Some).ok_or_else(|| Error::UserFunctionError("the stored text is damaged".into()))
    })?;
    let max = Arc::clone(&max_value);
    connection.create_scalar_function("unpack", 3, flags, move |context| {
        let (Ok(codec), Ok(size)) = (context.get_raw(0).as_i64(), context.get_raw(1).as_i64()) else {
            return Ok(None);
        };
        let Ok(bytes) = context.get_raw(2).as_blob() else { return Ok(None) };
        check_length(size, &max)?;
        match compression::load(codec, size, bytes) {
            Some(text) => Ok(Some(String::from_utf8_lossy(&text).into_owned())),
            None => Err(Error::UserFunctionError("the stored text is damaged".into())),
        }
    })?;
    Ok(max_value)
}

/// Refuses a text of this length before memory is taken for it: SQLite looks at a value only when it is there.
fn check_length(size: i64, max: &AtomicU64) -> Result<()> {
    if u64::try_from(size).is_ok_and(|size| size > max.load(Ordering::Relaxed)) {
        return Err(Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_TOOBIG), None));
    }
    Ok(())
}

/// The number of parsed texts of a kind that are kept.
const MAX_PARSED: usize = 10_000;

/// The bytes of a text that is kept for the next row; longer ones are read again.
const MAX_REMEMBERED: usize = 4 << 10;

/// Versions and ranges that have been read. Recursive queries ask about the same few again and again, in an order in
/// which SQLite's own cache, which is for constants, does not help.
#[derive(Default)]
struct Parsed {
    versions: Known<Version>,
    ranges: Known<Range>,
}

impl Parsed {
    /// Whether a range holds a version.
    fn holds(&mut self, version: &str, range: &str) -> bool {
        let version = self.versions.get(version, |text| Version::parse(text).ok());
        let range = self.ranges.get(range, |text| Range::parse(text).ok());
        version.zip(range).is_some_and(|(version, range)| range.contains(version).unwrap_or(false))
    }
}

/// The results of parsing texts.
struct Known<T> {
    short: HashMap<String, Option<T>>,
    /// The last long one.
    long: Option<T>,
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self { short: HashMap::new(), long: None }
    }
}

impl<T> Known<T> {
    fn get(&mut self, text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<&T> {
        if text.len() > MAX_REMEMBERED {
            self.long = parse(text);
            return self.long.as_ref();
        }
        if !self.short.contains_key(text) {
            if self.short.len() >= MAX_PARSED {
                self.short.clear();
            }
            self.short.insert(text.to_owned(), parse(text));
        }
        self.short.get(text)?.as_ref()
    }
}

fn text<'c>(context: &'c Context<'_>, idx: usize) -> Option<&'c str> {
    context.get_raw(idx).as_str().ok()
}

fn version(context: &Context<'_>, idx: usize) -> Option<Version> {
    Version::parse(text(context, idx)?).ok()
}

fn user_error(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::UserFunctionError(Box::new(error))
}
