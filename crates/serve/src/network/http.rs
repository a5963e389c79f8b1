//! catalogd's HTTP API on a connection, the pages, `/healthz` and `/metrics`.
//!
//! Bodies are made in small batches, so that a slow client holds neither a thread nor a connection to the index.

use std::convert::Infallible;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use flate2::write::GzEncoder;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::{Request, Response, StatusCode, Version};
use tokio::sync::mpsc;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;

use super::budget::{Lease, leased_bytes};
use super::connections::Connection;
use super::counters::Counters;
use super::state::Shared;
#[cfg(feature = "graphql")]
use super::taken::taken;
use super::work::NoAnswer;
#[cfg(feature = "graphql")]
use crate::catalogd::is_graphql;
use crate::catalogd::{Answer, CatalogRequest, Encoding, Piece, Site, VERSION_REFUSED, answer, compress, is_own_path};
use crate::pages::PageRequest;
use crate::snapshot::Snapshot;
use olmdex_index::{Index, IndexError};

pub(super) use super::own_port::Body;

/// Bytes of a body that are made at once when others need the budget, unless one document has more.
const BATCH: u64 = 32 << 10;

/// The same when there is plenty: a turn costs as much for few bytes as for many.
const LARGE_BATCH: u64 = 256 << 10;

/// Bytes of a body that is sent as a whole.
const MAX_WHOLE: u64 = 64 << 10;

const PLAIN: &str = "text/plain; charset=utf-8";

/// Answers a request.
pub(super) async fn respond(
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    request: Request<Incoming>,
    is_version_refused: bool,
) -> Result<Response<Body>, Infallible> {
    let start = Instant::now();
    let (method, address) = (request.method().clone(), request.uri().clone());
    let mut response =
        if is_version_refused { version_refused() } else { answered(&shared, &connection, request).await };
    if let Some(origin) = shared.cors.as_ref().and_then(|it| hyper::header::HeaderValue::from_str(it).ok()) {
        let headers = response.headers_mut();
        headers.insert("access-control-allow-origin", origin);
        if headers.contains_key("cross-origin-resource-policy") {
            headers.insert("cross-origin-resource-policy", hyper::header::HeaderValue::from_static("cross-origin"));
        }
    }
    shared.answered("HTTP", || format!("{method} {address}: {}", response.status().as_u16()), start.elapsed());
    Ok(response)
}

/// The answer to a request of another version than HTTP/1; it is the only answer on its connection.
fn version_refused() -> Response<Body> {
    let mut response = text_answer(StatusCode::HTTP_VERSION_NOT_SUPPORTED, VERSION_REFUSED);
    let headers = response.headers_mut();
    headers.remove("x-content-type-options");
    headers.insert("connection", hyper::header::HeaderValue::from_static("close"));
    let reason = b"HTTP Version Not Supported: unsupported protocol version";
    response.extensions_mut().insert(hyper::ext::ReasonPhrase::from_static(reason));
    response
}

async fn answered(shared: &Arc<Shared>, connection: &Arc<Connection>, request: Request<Incoming>) -> Response<Body> {
    Counters::add(&shared.counters.requests);
    let is_get = matches!(request.method().as_str(), "GET" | "HEAD");
    if request.version() == Version::HTTP_11
        && request.uri().authority().is_none()
        && !request.headers().contains_key("host")
    {
        let text = "400 Bad Request: missing required Host header";
        let mut response = text_answer(StatusCode::BAD_REQUEST, text);
        let reason = b"Bad Request: missing required Host header";
        response.extensions_mut().insert(hyper::ext::ReasonPhrase::from_static(reason));
        return response;
    }
    if !shared.is_host_allowed(&request) {
        return text_answer(StatusCode::FORBIDDEN, "403 Forbidden: unknown Host, see `olmdex serve --host`\n");
    }
    match request.uri().path() {
        "/healthz" if is_get && shared.is_stopping() => {
            return text_answer(StatusCode::SERVICE_UNAVAILABLE, "stopping\n");
        }
        "/healthz" if is_get => return text_answer(StatusCode::OK, "ok\n"),
        "/metrics" if is_get => {
            return text_answer(StatusCode::OK, &metrics(shared));
        }
        path if shared.snapshot().pages.is_some() && !is_own_path(path) => {
            return page(shared, connection, request).await;
        }
        _ => {}
    }
    api(shared, connection, request).await
}

/// Answers a question to catalogd.
async fn api(shared: &Arc<Shared>, connection: &Arc<Connection>, request: Request<Incoming>) -> Response<Body> {
    let (request, incoming) = request.into_parts();
    #[cfg(feature = "graphql")]
    let is_graphql = shared.has_graphql && request.method == "POST" && is_graphql(request.uri.path());
    #[cfg(feature = "graphql")]
    let body = match is_graphql {
        true => match taken(shared, connection, incoming).await {
            Ok(body) => body,
            Err(_) => return busy(shared),
        },
        false => Vec::new(),
    };
    // Only GraphQL reads bodies.
    #[cfg(not(feature = "graphql"))]
    let body = {
        drop(incoming);
        Vec::new()
    };
    let snapshot = shared.snapshot();
    let has_metas = shared.has_metas;
    let modified = snapshot.modified;
    #[cfg(feature = "graphql")]
    let (catalogs, has_graphql) = (Arc::clone(&snapshot), shared.has_graphql);
    let start = Instant::now();
    let turns = &shared.queues.api;
    #[cfg(feature = "graphql")]
    let turns = if is_graphql { &shared.queues.graphql } else { turns };
    let made = turns.ask(&snapshot, move |index| {
        let pairs = request.headers.iter();
        let headers: Vec<(&str, &str)> = pairs
            .map(|(name, value)| (name.as_str(), std::str::from_utf8(value.as_bytes()).unwrap_or_default()))
            .collect();
        let target = request.uri.path_and_query().map_or("/", |it| it.as_str());
        let question = CatalogRequest { method: request.method.as_str(), target, headers: &headers, body: &body };
        let site = Site {
            index,
            modified,
            has_metas,
            #[cfg(feature = "graphql")]
            graphql: has_graphql.then_some(&catalogs.schemas),
        };
        let made = answer(&question, &site)?;
        let whole = whole(&made, index)?;
        Ok::<_, IndexError>((made, whole))
    });
    let made = made.await;
    shared.counters.api_times.add(start.elapsed());
    let (made, whole) = match made {
        Ok(Ok(made)) => made,
        Err(NoAnswer::Busy) => return busy(shared),
        Ok(Err(_)) | Err(NoAnswer::Failed) => return failed(),
    };
    let body = match whole {
        Some(bytes) => match shared.budget.hold(connection, bytes.len()).await {
            Ok(held) => leased_body(bytes, held),
            Err(_) => return busy(shared),
        },
        None => streamed(Arc::clone(shared), Arc::clone(connection), snapshot, made.body, made.encoding),
    };
    response(made.status, &made.headers, body)
}

/// The metrics that Prometheus collects.
fn metrics(shared: &Shared) -> String {
    let snapshot = shared.snapshot();
    shared.counters.text((snapshot.catalogs.len(), snapshot.n_bundles), snapshot.modified)
}

/// Answers with a page.
async fn page(shared: &Shared, connection: &Arc<Connection>, request: Request<Incoming>) -> Response<Body> {
    Counters::add(&shared.counters.pages);
    let start = Instant::now();
    let snapshot = shared.snapshot();
    let catalogs = Arc::clone(&snapshot);
    let is_encrypted = shared.acceptors().is_some();
    let made = shared.queues.pages.ask(&snapshot, move |index| {
        let pages = catalogs.pages.as_ref()?;
        let header = |name: &str| request.headers().get(name).and_then(|it| it.to_str().ok());
        let target = request.uri().path_and_query().map_or("/", |it| it.as_str());
        let method = request.method().as_str();
        let host = request.uri().authority().map(|it| it.as_str()).or_else(|| header("host")).unwrap_or_default();
        // A proxy in front may end the encryption; the header changes nothing but links.
        let is_secure = is_encrypted || header("x-forwarded-proto") == Some("https");
        let base = match host {
            "" => String::new(),
            host => format!("{}://{host}", if is_secure { "https" } else { "http" }),
        };
        let request = PageRequest { method, target, base: &base, if_none_match: header("if-none-match") };
        let reply = pages.answer(index, &request);
        let (mut headers, body) = (reply.headers, reply.body);
        headers.push(("Vary", "Accept-Encoding".to_owned()));
        let accepted = header("accept-encoding").unwrap_or_default();
        let mut packer = Packer::new(compress(accepted, body.len() as u64, &mut headers));
        packer.add(&body);
        Some((reply.status, headers, packer.finish()))
    });
    let made = made.await;
    shared.counters.page_times.add(start.elapsed());
    let (status, headers, body) = match made {
        Ok(Some(made)) => made,
        Err(NoAnswer::Busy) => return busy(shared),
        Ok(None) | Err(NoAnswer::Failed) => return failed(),
    };
    let Ok(held) = shared.budget.hold(connection, body.len()).await else { return busy(shared) };
    response(status, &headers, leased_body(body, held))
}

/// The response to send.
fn response(status: u16, headers: &[(&'static str, String)], body: Body) -> Response<Body> {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, value);
    }
    if status == 416 {
        // Go has the older name of it.
        response = response.extension(hyper::ext::ReasonPhrase::from_static(b"Requested Range Not Satisfiable"));
    }
    response.body(body).unwrap_or_else(|_| failed())
}

/// The body of a small answer.
fn whole(answer: &Answer, index: &Index) -> Result<Option<Vec<u8>>, IndexError> {
    if answer.body.iter().map(Piece::len).fold(0, u64::saturating_add) > MAX_WHOLE {
        return Ok(None);
    }
    let mut packer = Packer::new(answer.encoding);
    for piece in &answer.body {
        packer.add(&piece.bytes(index)?);
    }
    Ok(Some(packer.finish()))
}

/// Parts of a large answer that wait to be sent.
const N_WAITING: usize = 2;

/// The body of a large answer. Each part is made when one before was taken, and keeps its bytes of the budget until it
/// is sent.
fn streamed(
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    snapshot: Arc<Snapshot>,
    pieces: Vec<Piece>,
    encoding: Encoding,
) -> Body {
    let (to, from) = mpsc::channel::<Result<Bytes, std::io::Error>>(N_WAITING);
    tokio::spawn(async move {
        let mut pieces = pieces.into_iter().peekable();
        let mut packer = Packer::new(encoding);
        loop {
            // Waiting for a client that takes nothing happens here, and holds no thread, no connection to the index and
            // no bytes.
            let Ok(room) = to.reserve().await else { return };
            let max = if shared.budget.has_plenty(&connection, LARGE_BATCH) { LARGE_BATCH } else { BATCH };
            let mut batch: Vec<Piece> = Vec::new();
            let mut n_bytes = 0;
            while let Some(piece) = pieces.next_if(|it| batch.is_empty() || n_bytes + it.len() <= max) {
                n_bytes += piece.len();
                batch.push(piece);
            }
            let is_end = pieces.peek().is_none();
            let n_bytes = usize::try_from(n_bytes).unwrap_or(usize::MAX);
            let Ok(held) = shared.budget.hold(&connection, n_bytes).await else {
                room.send(Err(std::io::Error::other("clients take too little")));
                return;
            };
            let made = shared.queues.api.ask(&snapshot, move |index| {
                batch.iter().try_for_each(|piece| piece.bytes(index).map(|it| packer.add(&it)))?;
                let bytes = if is_end { packer.finish_in_place() } else { packer.take() };
                Ok::<_, IndexError>((bytes, packer))
            });
            let Ok(Ok((bytes, rest))) = made.await else {
                room.send(Err(std::io::Error::other("the index cannot be read")));
                return;
            };
            packer = rest;
            if !bytes.is_empty() {
                room.send(Ok(leased_bytes(bytes, held)));
            }
            if is_end {
                return;
            }
        }
    });
    StreamBody::new(ReceiverStream::new(from).map(|it| it.map(Frame::data))).boxed_unsync()
}

/// Compresses the bytes that are added to it, or passes them on.
enum Packer {
    Plain(Vec<u8>),
    Gzip(GzEncoder<Vec<u8>>),
    Zstd(Option<zstd::stream::write::Encoder<'static, Vec<u8>>>, Vec<u8>),
}

impl Packer {
    fn new(encoding: Encoding) -> Self {
        match encoding {
            Encoding::None => Self::Plain(Vec::new()),
            Encoding::Gzip => Self::Gzip(GzEncoder::new(Vec::new(), flate2::Compression::fast())),
            // Fails only without memory; then the body is cut, which the client sees.
            Encoding::Zstd => Self::Zstd(zstd::stream::write::Encoder::new(Vec::new(), 1).ok(), Vec::new()),
        }
    }

    /// Writing into memory does not fail.
    fn add(&mut self, bytes: &[u8]) {
        let _ = match self {
            Self::Plain(out) => out.write_all(bytes),
            Self::Gzip(out) => out.write_all(bytes),
            Self::Zstd(Some(out), _) => out.write_all(bytes),
            Self::Zstd(None, _) => Ok(()),
        };
    }

    /// Takes the bytes that are ready to be sent.
    fn take(&mut self) -> Vec<u8> {
        match self {
            Self::Plain(out) => std::mem::take(out),
            Self::Gzip(out) => std::mem::take(out.get_mut()),
            Self::Zstd(Some(out), _) => std::mem::take(out.get_mut()),
            Self::Zstd(None, rest) => std::mem::take(rest),
        }
    }

    fn finish_in_place(&mut self) -> Vec<u8> {
        match self {
            Self::Gzip(out) => {
                let _ = out.try_finish();
            }
            Self::Zstd(out, rest) => {
                if let Some(Ok(bytes)) = out.take().map(zstd::stream::write::Encoder::finish) {
                    rest.extend(bytes);
                }
            }
            Self::Plain(_) => {}
        }
        self.take()
    }

    fn finish(mut self) -> Vec<u8> {
        self.finish_in_place()
    }
}

fn leased_body(bytes: Vec<u8>, held: Lease) -> Body {
    full(leased_bytes(bytes, held))
}

fn full(bytes: Bytes) -> Body {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

fn failed() -> Response<Body> {
    text_answer(StatusCode::INTERNAL_SERVER_ERROR, "500 Internal Server Error\n")
}

/// Too many wait already.
fn busy(shared: &Shared) -> Response<Body> {
    Counters::add(&shared.counters.refused_for_load);
    let mut response = text_answer(StatusCode::SERVICE_UNAVAILABLE, "503 Service Unavailable: too many requests\n");
    response.headers_mut().insert("retry-after", hyper::header::HeaderValue::from_static("1"));
    response
}

fn text_answer(status: StatusCode, text: &str) -> Response<Body> {
    let mut response = Response::new(full(Bytes::copy_from_slice(text.as_bytes())));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert("content-type", hyper::header::HeaderValue::from_static(PLAIN));
    headers.insert("x-content-type-options", hyper::header::HeaderValue::from_static("nosniff"));
    response
}
