//! catalogd's HTTP API on a connection, the pages, `/healthz` and `/metrics`.
//!
//! Bodies are made in small batches, so that a slow client holds neither a thread nor a connection to the index.

use std::convert::Infallible;
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use flate2::write::GzEncoder;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::{Request, Response, StatusCode, Version};
use tokio::sync::mpsc;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;

use super::counters::Counters;
use super::state::Shared;
use crate::index::{Index, IndexError};
use crate::page::{self, Links};
use crate::serve::catalogd::{Answer, Asked, Encoding, Piece, Site, VERSION_REFUSED, answer, compress, is_own_path};
use crate::serve::snapshot::Snapshot;

pub(super) type Body = UnsyncBoxBody<Bytes, std::io::Error>;

/// Pieces that are made at once.
const BATCH: usize = 16;

/// Bytes of a body that is sent as a whole.
const MAX_WHOLE: usize = 64 << 10;

/// How long a client may take nothing.
const PATIENCE: Duration = Duration::from_secs(300);

const PLAIN: &str = "text/plain; charset=utf-8";

/// Answers a request.
pub(super) async fn respond(
    shared: Arc<Shared>,
    request: Request<Incoming>,
    is_version_refused: bool,
) -> Result<Response<Body>, Infallible> {
    let start = Instant::now();
    let (method, address) = (request.method().clone(), request.uri().clone());
    let response = if is_version_refused { version_refused() } else { answered(&shared, request).await };
    shared.answered("HTTP", || format!("{method} {address}: {}", response.status().as_u16()), start.elapsed());
    Ok(response)
}

/// What a request of another version than HTTP/1 gets, and no other on its connection.
fn version_refused() -> Response<Body> {
    let mut response = text_answer(StatusCode::HTTP_VERSION_NOT_SUPPORTED, VERSION_REFUSED);
    let headers = response.headers_mut();
    headers.remove("x-content-type-options");
    headers.insert("connection", hyper::header::HeaderValue::from_static("close"));
    let reason = b"HTTP Version Not Supported: unsupported protocol version";
    response.extensions_mut().insert(hyper::ext::ReasonPhrase::from_static(reason));
    response
}

async fn answered(shared: &Shared, request: Request<Incoming>) -> Response<Body> {
    Counters::add(&shared.counters.requests);
    let is_get = matches!(request.method().as_str(), "GET" | "HEAD");
    if request.version() == Version::HTTP_11
        && request.uri().authority().is_none()
        && !request.headers().contains_key("host")
    {
        let text = "400 Bad Request: missing required Host header";
        return text_answer(StatusCode::BAD_REQUEST, text);
    }
    match request.uri().path() {
        "/healthz" | "/metrics" if is_get && !shared.is_host_allowed(&request) => {
            return text_answer(StatusCode::FORBIDDEN, "403 Forbidden: unknown Host\n");
        }
        "/healthz" if is_get && shared.is_stopping() => {
            return text_answer(StatusCode::SERVICE_UNAVAILABLE, "stopping\n");
        }
        "/healthz" if is_get => return text_answer(StatusCode::OK, "ok\n"),
        "/metrics" if is_get => {
            return text_answer(StatusCode::OK, &metrics(shared));
        }
        path if shared.snapshot().shelf.is_some() && !is_own_path(path) => {
            return match shared.is_host_allowed(&request) {
                true => page(shared, request).await,
                false => text_answer(StatusCode::FORBIDDEN, "403 Forbidden: unknown Host\n"),
            };
        }
        _ => {}
    }
    let snapshot = shared.snapshot();
    let has_metas = shared.has_metas;
    let asked = Arc::clone(&snapshot);
    let start = Instant::now();
    let made = tokio::task::spawn_blocking(move || {
        let pairs = request.headers().iter();
        let headers: Vec<(&str, &str)> = pairs
            .map(|(name, value)| (name.as_str(), std::str::from_utf8(value.as_bytes()).unwrap_or_default()))
            .collect();
        let target = request.uri().path_and_query().map_or("/", |it| it.as_str());
        let question = Asked { method: request.method().as_str(), target, headers: &headers };
        asked.ask(|index| {
            let site = Site { index, modified: asked.modified, has_metas };
            let made = answer(&question, &site)?;
            let whole = whole(&made, index)?;
            Ok::<_, IndexError>((made, whole))
        })
    });
    let made = made.await;
    shared.counters.api_times.add(start.elapsed());
    let Ok(Ok((made, whole))) = made else {
        return text_answer(StatusCode::INTERNAL_SERVER_ERROR, "500 Internal Server Error\n");
    };
    let mut response = Response::builder().status(made.status);
    for (name, value) in &made.headers {
        response = response.header(*name, value);
    }
    let body = match whole {
        Some(bytes) => full(bytes),
        None => streamed(snapshot, made),
    };
    response.body(body).unwrap_or_else(|_| text_answer(StatusCode::INTERNAL_SERVER_ERROR, ""))
}

/// What Prometheus collects.
fn metrics(shared: &Shared) -> String {
    let snapshot = shared.snapshot();
    shared.counters.text((snapshot.catalogs.len(), snapshot.n_bundles), snapshot.modified)
}

/// Answers with a page.
async fn page(shared: &Shared, request: Request<Incoming>) -> Response<Body> {
    let failed = || text_answer(StatusCode::INTERNAL_SERVER_ERROR, "500 Internal Server Error\n");
    Counters::add(&shared.counters.pages);
    let Ok(_turn) = shared.pages.acquire().await else { return failed() };
    let start = Instant::now();
    let snapshot = shared.snapshot();
    let made = tokio::task::spawn_blocking(move || {
        let shelf = snapshot.shelf.as_ref()?;
        let header = |name: &str| request.headers().get(name).and_then(|it| it.to_str().ok());
        let target = request.uri().path_and_query().map_or("/", |it| it.as_str());
        let method = request.method().as_str();
        let ask = page::Ask { method, target, if_none_match: header("if-none-match") };
        let reply = snapshot.ask(|index| page::answer(page::Site { index, shelf, links: &Links::Served }, &ask));
        let mut headers = vec![("accept-encoding", header("accept-encoding").unwrap_or_default())];
        headers.retain(|it| !it.1.is_empty());
        let question = Asked { method, target, headers: &headers };
        let body = reply.body;
        let mut answer =
            Answer { status: reply.status, headers: reply.headers, body: Vec::new(), encoding: Encoding::None };
        answer.headers.push(("Vary", "Accept-Encoding".to_owned()));
        compress(&question, body.len() as u64, &mut answer);
        let mut packer = Packer::new(answer.encoding);
        packer.add(&body);
        Some((answer, packer.finish()))
    });
    let made = made.await;
    shared.counters.page_times.add(start.elapsed());
    let Ok(Some((answer, body))) = made else { return failed() };
    let mut response = Response::builder().status(answer.status);
    for (name, value) in &answer.headers {
        response = response.header(*name, value);
    }
    response.body(full(body)).unwrap_or_else(|_| failed())
}

/// The body of a small answer.
fn whole(answer: &Answer, index: &Index) -> Result<Option<Vec<u8>>, IndexError> {
    let size = answer.body.iter().map(|piece| match piece {
        Piece::Text(text) => text.len(),
        Piece::Document { from, to, .. } => usize::try_from(to - from).unwrap_or(usize::MAX),
    });
    if size.fold(0, usize::saturating_add) > MAX_WHOLE {
        return Ok(None);
    }
    let mut packer = Packer::new(answer.encoding);
    for piece in &answer.body {
        packer.add(&piece.bytes(index)?);
    }
    Ok(Some(packer.finish()))
}

/// The body of a large answer.
fn streamed(snapshot: Arc<Snapshot>, answer: Answer) -> Body {
    let (to, from) = mpsc::channel::<Result<Bytes, std::io::Error>>(2);
    tokio::spawn(async move {
        let mut pieces = answer.body.into_iter();
        let mut packer = Packer::new(answer.encoding);
        loop {
            let batch: Vec<Piece> = pieces.by_ref().take(BATCH).collect();
            let is_end = batch.is_empty();
            let asked = Arc::clone(&snapshot);
            let made = tokio::task::spawn_blocking(move || {
                asked.ask(|index| batch.iter().try_for_each(|piece| piece.bytes(index).map(|it| packer.add(&it))))?;
                let bytes = if is_end { packer.finish_in_place() } else { packer.take() };
                Ok::<_, IndexError>((bytes, packer))
            });
            let Ok(Ok((bytes, rest))) = made.await else {
                let _ = to.send(Err(std::io::Error::other("the index cannot be read"))).await;
                return;
            };
            packer = rest;
            if bytes.is_empty() && !is_end {
                continue;
            }
            let sent = tokio::time::timeout(PATIENCE, to.send(Ok(Bytes::from(bytes)))).await;
            if is_end || !matches!(sent, Ok(Ok(()))) {
                return;
            }
        }
    });
    StreamBody::new(ReceiverStream::new(from).map(|it| it.map(Frame::data))).boxed_unsync()
}

/// Compresses what is added to it, or not.
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

    /// What there is to send so far.
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

fn full(bytes: Vec<u8>) -> Body {
    Full::new(Bytes::from(bytes)).map_err(|never| match never {}).boxed_unsync()
}

fn text_answer(status: StatusCode, text: &str) -> Response<Body> {
    let mut response = Response::new(full(text.as_bytes().to_vec()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert("content-type", hyper::header::HeaderValue::from_static(PLAIN));
    headers.insert("x-content-type-options", hyper::header::HeaderValue::from_static("nosniff"));
    response
}
