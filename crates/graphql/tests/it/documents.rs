//! A catalog in memory.

use std::time::Duration;

use olmdex_graphql::{Catalog, Collector, Documents, Limits, Query};
use olmdex_text::json::Reader;
use serde_json::Value;

/// Blobs with their schemas.
pub(crate) struct Blobs(Vec<(String, String)>);

impl Blobs {
    /// One on each line.
    pub(crate) fn read(text: &str) -> Self {
        let blob = |line: &str| {
            let value: Value = serde_json::from_str(line).unwrap();
            (value["schema"].as_str().unwrap_or_default().to_owned(), line.to_owned())
        };
        Self(text.lines().map(blob).collect())
    }

    pub(crate) fn catalog(&self) -> Result<Catalog, String> {
        let (mut collector, mut reader) = (Collector::default(), Reader::new());
        for (schema, text) in &self.0 {
            collector.add(schema, reader.read(text).unwrap());
        }
        collector.catalog().map_err(|error| error.to_string())
    }
}

impl Documents for Blobs {
    type Error = ();

    fn page(&self, schema: &str, offset: usize, limit: usize) -> Result<Vec<i64>, ()> {
        let of_schema = (0..).zip(&self.0).filter(|it| it.1.0 == schema);
        Ok(of_schema.map(|it| it.0).skip(offset).take(limit).collect())
    }

    fn text(&self, id: i64) -> Result<String, ()> {
        usize::try_from(id).ok().and_then(|it| self.0.get(it)).map(|it| it.1.clone()).ok_or(())
    }
}

/// The recorded cases of a file.
pub(crate) fn recorded(text: &str) -> Vec<Value> {
    text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

/// The answer to a query, or the reason why there is none. Only counted limits decide: a loaded machine must not.
pub(crate) fn asked(blobs: &Blobs, query: &str) -> String {
    asked_within(blobs, query, Limits { time: Duration::from_secs(600), ..Limits::default() })
}

pub(crate) fn asked_within(blobs: &Blobs, query: &str, limits: Limits) -> String {
    let bytes = match Query::read(query) {
        Err(answer) => answer,
        Ok(query) => match blobs.catalog() {
            Err(collision) => return format!("ERR {collision}"),
            Ok(catalog) => match query.answer(&catalog, blobs, limits) {
                Err(error) => return format!("ERR {error}"),
                Ok(answer) => answer,
            },
        },
    };
    let text = String::from_utf8(bytes).unwrap();
    text.strip_suffix('\n').unwrap().to_owned()
}
