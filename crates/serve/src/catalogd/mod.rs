//! The answers of catalogd's HTTP API, without any network (`docs/behaviour/serving.md` C): [`answer`] turns a request
//! into an answer whose body is pieces of documents, so that no catalog is in memory as a whole.
//!
//! GraphQL is there with the feature `graphql`, if its gate is open.

mod condition;
mod encoding;
mod exchange;
#[cfg(feature = "graphql")]
mod graphql;
mod path;
mod query;
mod range;

pub use encoding::{MIN_COMPRESSED, compress};
pub use exchange::{Answer, CatalogRequest, Encoding, Piece};
#[cfg(feature = "graphql")]
pub use graphql::{MAX_BODY, Schemas};
#[cfg(feature = "graphql")]
pub(crate) use path::is_graphql;
pub use path::is_own as is_own_path;

use sha2::{Digest as _, Sha256};

use self::condition::Precondition;
use self::path::{Endpoint, Route};
use olmdex_index::query::{DocumentFilter, ServedDocument};
use olmdex_index::{Index, IndexError};
use olmdex_text::encoding::hex::hex;
use olmdex_text::json::Reader;

const PLAIN: &str = "text/plain; charset=utf-8";
const JSONL: &str = "application/jsonl";

const INVALID_NAME: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
                            and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                            '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const LONG_NAME: &str = "must be no more than 253 characters";

/// The answer to a request of a refused version.
pub(crate) const VERSION_REFUSED: &str = "505 HTTP Version Not Supported: unsupported protocol version";

/// The catalogs that are served.
#[derive(Debug, Clone, Copy)]
pub struct Site<'i> {
    /// The index that holds them.
    pub index: &'i Index,
    /// When they were made, in seconds since 1970.
    pub modified: u64,
    /// Whether `metas` is offered in addition to `all`.
    pub has_metas: bool,
    /// The GraphQL schemas of the catalogs, if GraphQL is offered.
    #[cfg(feature = "graphql")]
    pub graphql: Option<&'i Schemas>,
}

impl Site<'_> {
    fn offers(&self, endpoint: Endpoint) -> bool {
        match endpoint {
            Endpoint::All => true,
            Endpoint::Metas => self.has_metas,
            #[cfg(feature = "graphql")]
            Endpoint::GraphQl => self.graphql.is_some(),
            #[cfg(not(feature = "graphql"))]
            Endpoint::GraphQl => false,
        }
    }
}

/// Makes the answer to a request.
///
/// # Errors
/// If the index is damaged.
pub fn answer(request: &CatalogRequest<'_>, site: &Site<'_>) -> Result<Answer, IndexError> {
    let (path, query) = request.target.split_once('?').unwrap_or((request.target, ""));
    let route = match path::route(request.method, path) {
        Route::Unclean(clean) => {
            let location = if query.is_empty() { clean } else { format!("{clean}?{query}") };
            return Ok(redirect(request, &location));
        }
        Route::Unknown => return Ok(refusal(request, 404, "404 page not found\n")),
        Route::Catalog(route) => route,
    };
    if !site.offers(route.endpoint) {
        return Ok(refusal(request, 404, "404 page not found\n"));
    }
    let methods: &[&str] = if route.endpoint == Endpoint::GraphQl { &["POST"] } else { &["GET", "HEAD"] };
    if !methods.contains(&request.method) {
        let mut answer = refusal(request, 405, "Method Not Allowed\n");
        answer.headers.push(("Allow", methods.join(", ")));
        return Ok(answer);
    }
    // Parameters come after the name.
    let faults = [
        (route.catalog.len() > path::MAX_NAME).then_some(LONG_NAME),
        (!path::is_subdomain(&route.catalog)).then_some(INVALID_NAME),
    ];
    let faults: Vec<&str> = faults.into_iter().flatten().collect();
    if !faults.is_empty() {
        return Ok(refusal(request, 400, &format!("invalid catalog name: {}\n", faults.join("; "))));
    }
    #[cfg(feature = "graphql")]
    if let (Endpoint::GraphQl, Some(schemas)) = (route.endpoint, site.graphql) {
        return graphql::answer(request, site.index, &route.catalog, schemas);
    }
    let filter = match route.endpoint {
        Endpoint::All | Endpoint::GraphQl => DocumentFilter::default(),
        Endpoint::Metas => match query::filter(query) {
            Some(filter) => filter,
            None => return Ok(refusal(request, 400, "400 Bad Request\n")),
        },
    };
    let Some(digest) = site.index.served_digest(&route.catalog)? else {
        return Ok(refusal(request, 404, "404 Not Found\n"));
    };
    let tag = tag(&digest, &filter);
    let mut head = vec![("Last-Modified", condition::date(site.modified))];
    // A catalog with errors has no digest.
    if !tag.is_empty() {
        head.push(("ETag", format!("\"{tag}\"")));
    }
    let precondition = condition::verdict(request, site.modified, &tag);
    match precondition {
        Precondition::Send | Precondition::NoDate => {}
        Precondition::NotModified => return Ok(bare(304, head)),
        Precondition::Failed => {
            if route.endpoint == Endpoint::All {
                head.push(("Content-Type", JSONL.to_owned()));
            }
            if request.method != "HEAD" {
                head.push(("Content-Length", "0".to_owned()));
            }
            return Ok(bare(412, head));
        }
    }
    let documents = documents(site.index, &route.catalog, &filter)?;
    head.push(("Content-Type", JSONL.to_owned()));
    Ok(match route.endpoint {
        Endpoint::All | Endpoint::GraphQl => whole(request, head, &documents, site.modified, &tag),
        Endpoint::Metas => {
            let error = (precondition == Precondition::NoDate).then_some("500 Internal Server Error\n");
            selected(request, head, &documents, error)
        }
    })
}

/// The answer of `metas`: documents, behind an error if there is one.
fn selected(
    request: &CatalogRequest<'_>,
    mut head: Vec<(&'static str, String)>,
    documents: &[ServedDocument],
    error: Option<&str>,
) -> Answer {
    let (mut len, mut status) = (length(documents), 200);
    let mut body = lines(documents, 0, len);
    if let Some(error) = error {
        let refused = refusal(request, 500, error);
        status = refused.status;
        head.retain(|(name, _)| *name == "Last-Modified");
        // A client that asks for the documents gets the length of both.
        let has_own_length = request.method == "HEAD";
        head.extend(refused.headers.into_iter().filter(|(name, _)| has_own_length || *name != "Content-Length"));
        len += refused.body.iter().map(Piece::len).sum::<u64>();
        body.splice(0..0, refused.body);
    }
    let mut answer = Answer { status, headers: head, body, encoding: Encoding::None };
    if request.method == "HEAD" {
        answer.body.clear();
    } else {
        answer.headers.push(("Content-Length", len.to_string()));
        answer.encoding = compress(request.accepted(), len, &mut answer.headers);
    }
    vary(answer)
}

/// Whether requests of a version, such as `HTTP/2.0`, are refused: of those that are well-formed all but `HTTP/1.0`,
/// `HTTP/1.1` and so on.
pub fn refuses_version(version: &str) -> bool {
    match version.as_bytes() {
        [b'H', b'T', b'T', b'P', b'/', major, b'.', minor] => {
            major.is_ascii_digit() && minor.is_ascii_digit() && *major != b'1'
        }
        _ => false,
    }
}

/// The answer to a request of a refused version, whatever it asks for; the connection ends with it.
pub fn version_refusal() -> Answer {
    let headers = vec![("Content-Type", PLAIN.to_owned())];
    let body = vec![Piece::Text(VERSION_REFUSED.to_owned())];
    Answer { status: 505, headers, body, encoding: Encoding::None }
}

/// The answer of `all`: everything, or ranges of it.
fn whole(
    request: &CatalogRequest<'_>,
    mut head: Vec<(&'static str, String)>,
    documents: &[ServedDocument],
    modified: u64,
    tag: &str,
) -> Answer {
    let len = length(documents);
    let ranges = match request.header("Range") {
        Some(text) if condition::range_counts(request, modified, tag) => range::parse(text, len),
        _ => Ok(Vec::new()),
    };
    let ranges = match ranges {
        Ok(ranges) => ranges,
        Err(range::Invalid::Form) => return refusal(request, 416, "invalid range\n"),
        Err(range::Invalid::Beyond) => {
            let mut answer = refusal(request, 416, "invalid range: failed to overlap\n");
            answer.headers.push(("Content-Range", format!("bytes */{len}")));
            return answer;
        }
    };
    let mut status = 206;
    let content_range = |(from, to): (u64, u64)| {
        // The end of an empty range is before its start.
        format!("bytes {from}-{}/{len}", i128::from(to) - 1)
    };
    let (body, n) = match *ranges {
        [] => {
            status = 200;
            (lines(documents, 0, len), len)
        }
        [one] => {
            head.push(("Content-Range", content_range(one)));
            (lines(documents, one.0, one.1), one.1 - one.0)
        }
        _ => {
            // It has the length of the real server's.
            let boundary: String = hex(&Sha256::digest(tag)).chars().take(60).collect();
            let mut body = Vec::new();
            let mut n = 0;
            let mut text = format!("--{boundary}\r\n");
            for range in &ranges {
                text.push_str(&format!("Content-Range: {}\r\nContent-Type: {JSONL}\r\n\r\n", content_range(*range)));
                n += text.len() as u64 + (range.1 - range.0);
                body.push(Piece::Text(std::mem::replace(&mut text, format!("\r\n--{boundary}\r\n"))));
                body.extend(lines(documents, range.0, range.1));
            }
            let end = format!("\r\n--{boundary}--\r\n");
            n += end.len() as u64;
            body.push(Piece::Text(end));
            head.retain(|it| it.0 != "Content-Type");
            head.push(("Content-Type", format!("multipart/byteranges; boundary={boundary}")));
            (body, n)
        }
    };
    head.push(("Accept-Ranges", "bytes".to_owned()));
    head.push(("Content-Length", n.to_string()));
    let mut answer = Answer { status, headers: head, body, encoding: Encoding::None };
    if request.method == "HEAD" {
        answer.body.clear();
    } else if status == 200 {
        answer.encoding = compress(request.accepted(), n, &mut answer.headers);
    }
    vary(answer)
}

/// The documents that a filter lets through. Blobs without a schema are in the whole catalog only, and an `olm.package`
/// belongs to no package unless it names one.
fn documents(index: &Index, catalog: &str, filter: &DocumentFilter) -> Result<Vec<ServedDocument>, IndexError> {
    let mut found = index.served_documents(catalog, filter)?;
    if *filter == DocumentFilter::default() {
        return Ok(found);
    }
    found.retain(|it| !it.schema.is_empty());
    if !filter.package.is_empty() {
        let mut own = Vec::new();
        for document in found.iter().filter(|it| it.schema == "olm.package") {
            let text = index.served_text(document.id)?;
            let mut reader = Reader::new();
            let says = reader.read(&text).ok().and_then(|it| it.get_field("package")).and_then(|it| it.as_str());
            if says.is_some_and(|it| it == filter.package) {
                own.push(document.id);
            }
        }
        found.retain(|it| it.schema != "olm.package" || own.contains(&it.id));
    }
    Ok(found)
}

/// Bytes of documents as lines.
fn length(documents: &[ServedDocument]) -> u64 {
    documents.iter().map(|it| it.size + 1).sum()
}

/// The lines of documents from one byte to before another.
fn lines(documents: &[ServedDocument], from: u64, to: u64) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for document in documents {
        let end = start + document.size + 1;
        let (first, last) = (from.max(start), to.min(end));
        if first < last {
            pieces.push(Piece::Document { id: document.id, from: first - start, to: last - start });
        }
        start = end;
    }
    pieces
}

/// The tag of a catalog and a question to it.
fn tag(digest: &[u8], filter: &DocumentFilter) -> String {
    if digest.is_empty() {
        return String::new();
    }
    let mut hasher = Sha256::new();
    hasher.update(digest);
    for text in [&filter.schema, &filter.package, &filter.name] {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hex(&hasher.finalize()[..16])
}

fn bare(status: u16, headers: Vec<(&'static str, String)>) -> Answer {
    vary(Answer { status, headers, body: Vec::new(), encoding: Encoding::None })
}

fn refusal(request: &CatalogRequest<'_>, status: u16, text: &str) -> Answer {
    let headers = vec![
        ("Content-Type", PLAIN.to_owned()),
        ("X-Content-Type-Options", "nosniff".to_owned()),
        ("Content-Length", text.len().to_string()),
    ];
    let body = if request.method == "HEAD" { Vec::new() } else { vec![Piece::Text(text.to_owned())] };
    vary(Answer { status, headers, body, encoding: Encoding::None })
}

/// Points at the clean form of a path; only a client that asked for a page gets a page.
fn redirect(request: &CatalogRequest<'_>, location: &str) -> Answer {
    let escaped: String = location.chars().fold(String::new(), |mut out, c| {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
        out
    });
    let mut headers = vec![("Location", location.to_owned())];
    let mut body = Vec::new();
    if matches!(request.method, "GET" | "HEAD") {
        headers.push(("Content-Type", "text/html; charset=utf-8".to_owned()));
        let text = format!("<a href=\"{escaped}\">Temporary Redirect</a>.\n\n");
        if request.method == "GET" {
            headers.push(("Content-Length", text.len().to_string()));
            body.push(Piece::Text(text));
        }
    } else {
        headers.push(("Content-Length", "0".to_owned()));
    }
    vary(Answer { status: 307, headers, body, encoding: Encoding::None })
}

fn vary(mut answer: Answer) -> Answer {
    answer.headers.push(("Vary", "Accept-Encoding".to_owned()));
    answer
}
