//! Statements of SQL, with the limits of the command: read-only, in time, rows and bytes.

use std::time::Duration;

use olmdex_ask::sql_rows;
use olmdex_index::IndexError;
use olmdex_index::query::SqlLimits;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Question;
use crate::answer::{Answer, AnswerError};
use crate::world::World;

/// Bytes of an answer, and of each value on the way to it: pages show 4 KiB at a time.
const MAX_BYTES: usize = 8 << 20;

/// Run a read-only SQL query.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Sql {
    /// One statement that reads. The views are v_catalog, v_package, v_channel, v_entry, v_bundle, v_edge,
    /// v_dependency, v_api, v_image, v_property, v_deprecation, v_feature, v_category, v_keyword, v_install_mode,
    /// v_platform, v_maintainer, v_link, v_description, v_document; the functions semver_compare(a, b),
    /// semver_in_range(version, range), semver_satisfies(version, constraint).
    statement: String,
    /// Highest number of rows in the answer, 100000 at most.
    max_rows: Option<usize>,
    /// Seconds after which the statement is stopped; no more than 30.
    timeout: Option<u64>,
}

impl Question for Sql {
    fn ask(&self, world: &World) -> Result<Answer, AnswerError> {
        if self.statement.trim().is_empty() {
            return Err(AnswerError::of("no statement given").help("for example `SELECT * FROM v_catalog`"));
        }
        let most = SqlLimits::default();
        let limits = SqlLimits {
            max_rows: self.max_rows.unwrap_or(most.max_rows).min(most.max_rows),
            max_time: self.timeout.map_or(most.max_time, Duration::from_secs).min(most.max_time),
            max_bytes: MAX_BYTES,
        };
        let cut = |is_cut: bool| {
            let warning = is_cut.then(|| format!("the answer has only the first {} rows", limits.max_rows));
            warning.into_iter().collect::<Vec<_>>()
        };
        if let Some(process) = &world.sql {
            // Another question may hold the index for long.
            let file = match world.file() {
                Some(file) => file.to_owned(),
                None => process.file(&world.index())?,
            };
            let rows = process.run(&file, &self.statement, limits);
            let rows = rows.map_err(|(message, help)| AnswerError { message, help })?;
            let answer = Answer { items: rows.items, ..Answer::of::<()>("SqlResult", &[])? };
            return Ok(answer.warned(cut(rows.is_cut)));
        }
        let result = world.index().sql(&self.statement, limits).map_err(|error| match error {
            IndexError::Limit(_) => AnswerError::from(error).help("ask for less, or raise `timeout`"),
            error => error.into(),
        })?;
        Ok(Answer::of("SqlResult", &sql_rows(&result))?.warned(cut(result.is_cut)))
    }

    fn command(&self, world: &World) -> String {
        let words = world.words().option("--max-rows", self.max_rows).option("--timeout", self.timeout);
        words.names([&self.statement]).line("sql")
    }
}
