//! catalogd's GraphQL (`docs/behaviour/olm-v1.md` 5.6): the body of a request, the schemas of catalogs, and the
//! documents that queries ask for.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use super::encoding::compress;
use super::exchange::{Answer, CatalogRequest, Encoding, Piece};
use super::{refusal, vary};
use olmdex_graphql::{Catalog, Collector, Collision, Documents, Limits, MAX_QUERY, NoAnswer, Query};
use olmdex_index::query::DocumentFilter;
use olmdex_index::{Index, IndexError};
use olmdex_text::json::{Kind, Reader, decode_utf8, fold_eq};

/// The number of bytes of a body that are read.
pub const MAX_BODY: usize = 1 << 20;

/// The schema of a catalog, or the reason why there is none.
type Made = Arc<Result<Catalog, Collision>>;

/// The schemas of catalogs. Each is computed once, at the first request for it: all blobs are read for it.
#[derive(Debug, Default)]
pub struct Schemas {
    by_catalog: BTreeMap<String, Mutex<Option<Made>>>,
}

impl Schemas {
    /// The schemas of catalogs with these names, none computed yet.
    pub(crate) fn of<'c>(catalogs: impl IntoIterator<Item = &'c String>) -> Self {
        Self { by_catalog: catalogs.into_iter().map(|it| (it.clone(), Mutex::default())).collect() }
    }

    /// The reason why a catalog cannot be asked, in the words of catalogd; its schema is there afterwards.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn problem(&self, index: &Index, catalog: &str) -> Result<Option<String>, IndexError> {
        let made = self.get(index, catalog)?;
        let problem = made.as_ref().as_ref().err();
        Ok(problem.map(|it| {
            format!("failed to pre-build GraphQL schema for catalog \"{catalog}\": error building GraphQL schema: {it}")
        }))
    }

    fn get(&self, index: &Index, catalog: &str) -> Result<Made, IndexError> {
        let Some(place) = self.by_catalog.get(catalog) else { return made(index, catalog) };
        // Other requests for it wait meanwhile. A panic leaves the content intact.
        let mut kept = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*kept {
            return Ok(Arc::clone(known));
        }
        let new = made(index, catalog)?;
        *kept = Some(Arc::clone(&new));
        Ok(new)
    }
}

fn made(index: &Index, catalog: &str) -> Result<Made, IndexError> {
    let (mut collector, mut reader) = (Collector::default(), Reader::new());
    for document in index.served_documents(catalog, &DocumentFilter::default())? {
        if document.schema.is_empty() {
            continue;
        }
        let text = index.served_text(document.id)?;
        if let Ok(blob) = reader.read(&text) {
            collector.add(&document.schema, blob);
        }
    }
    Ok(Arc::new(collector.catalog()))
}

/// The answer to a request with a valid method and catalog name.
pub(super) fn answer(
    request: &CatalogRequest<'_>,
    index: &Index,
    catalog: &str,
    schemas: &Schemas,
) -> Result<Answer, IndexError> {
    let Some(text) = query(request.body) else { return Ok(refusal(request, 400, "Invalid request body\n")) };
    if text.is_empty() {
        return Ok(refusal(request, 400, "Query cannot be empty\n"));
    }
    if text.len() > MAX_QUERY {
        return Ok(refusal(request, 400, "Query too large\n"));
    }
    // An error in the query itself is reported before one about the catalog.
    let query = match Query::read(&text) {
        Ok(query) => query,
        Err(answer) => return Ok(json(request, answer)),
    };
    if index.served_digest(catalog)?.is_none() {
        return Ok(refusal(request, 404, "404 Not Found\n"));
    }
    let made = schemas.get(index, catalog)?;
    let failed = || refusal(request, 500, "500 Internal Server Error\n");
    // catalogd would not have stored the catalog; here only this question to it fails.
    let Ok(schema) = made.as_ref() else { return Ok(failed()) };
    let documents = Served { index, catalog, known: RefCell::default() };
    match query.answer(schema, &documents, Limits::default()) {
        Ok(answer) => Ok(json(request, answer)),
        Err(NoAnswer::Documents(error)) => Err(error),
        Err(NoAnswer::NotEncodable) => Ok(failed()),
    }
}

/// The query in a body: that of the first JSON value, as Go reads it. `None` if that is not an object with a text.
fn query(body: &[u8]) -> Option<String> {
    let text = decode_utf8(body.get(..MAX_BODY).unwrap_or(body));
    let mut reader = Reader::new();
    let (value, _) = reader.read_at(&text, 0).ok()?;
    let mut query = String::new();
    match value.kind() {
        Kind::Null => {}
        Kind::Object => {
            for (_, value) in value.members().filter(|(key, _)| key.as_str().is_some_and(|it| fold_eq(&it, "query"))) {
                if !value.is_null() {
                    query = value.as_str()?.into_owned();
                }
            }
        }
        _ => return None,
    }
    Some(query)
}

fn json(request: &CatalogRequest<'_>, body: Vec<u8>) -> Answer {
    let len = body.len() as u64;
    let mut headers = vec![("Content-Type", "application/json".to_owned()), ("Content-Length", len.to_string())];
    let encoding: Encoding = compress(request.accepted(), len, &mut headers);
    // It is written as text.
    let text = String::from_utf8(body).unwrap_or_default();
    vary(Answer { status: 200, headers, body: vec![Piece::Text(text)], encoding })
}

/// The documents of a catalog.
struct Served<'i> {
    index: &'i Index,
    catalog: &'i str,
    /// Their numbers by schemas that were asked for.
    known: RefCell<HashMap<String, Rc<[i64]>>>,
}

impl Served<'_> {
    fn of(&self, schema: &str) -> Result<Rc<[i64]>, IndexError> {
        if let Some(known) = self.known.borrow().get(schema) {
            return Ok(Rc::clone(known));
        }
        let filter = DocumentFilter { schema: schema.to_owned(), ..DocumentFilter::default() };
        let found = self.index.served_documents(self.catalog, &filter)?;
        let found: Rc<[i64]> = found.iter().map(|it| it.id).collect();
        self.known.borrow_mut().insert(schema.to_owned(), Rc::clone(&found));
        Ok(found)
    }
}

impl Documents for Served<'_> {
    type Error = IndexError;

    fn page(&self, schema: &str, offset: usize, limit: usize) -> Result<Vec<i64>, IndexError> {
        Ok(self.of(schema)?.iter().skip(offset).take(limit).copied().collect())
    }

    fn text(&self, id: i64) -> Result<String, IndexError> {
        self.index.served_text(id)
    }
}

#[cfg(test)]
mod tests {
    use super::query;

    #[test]
    fn the_query_of_a_body_is_what_go_reads() {
        for (body, expected) in [
            ("", None),
            ("not json", None),
            ("[]", None),
            ("1", None),
            ("\"x\"", None),
            ("{", None),
            ("null", Some("")),
            ("{}", Some("")),
            (" {\"query\": \"a\"} trailing", Some("a")),
            ("{\"QUERY\": \"a\", \"Query\": \"b\"}", Some("b")),
            ("{\"query\": \"a\", \"query\": null}", Some("a")),
            ("{\"query\": 1, \"query\": \"a\"}", None),
            ("{\"variables\": {\"query\": 1}, \"query\": \"\\u0061\\ud800\"}", Some("a\u{FFFD}")),
        ] {
            assert_eq!(query(body.as_bytes()).as_deref(), expected, "{body}");
        }
        assert_eq!(query(b"{\"query\": \"\xff\"}").as_deref(), Some("\u{FFFD}"));
        let long = format!("{{\"query\": \"{}\"}}", "x".repeat(super::MAX_BODY));
        assert_eq!(query(long.as_bytes()), None);
        let trailing = format!("{{\"query\": \"a\"}}{}", "x".repeat(super::MAX_BODY));
        assert_eq!(query(trailing.as_bytes()).as_deref(), Some("a"));
    }
}
