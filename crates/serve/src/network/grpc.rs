//! The gRPC registry on a connection: frames in, questions asked on threads that may wait, frames out.
//!
//! A stream holds neither a thread nor a connection to the index while its client is slow: messages are made in small
//! batches.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Buf as _, Bytes};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response};
use prost::Message as _;
use tokio::sync::mpsc;
use tonic::codec::{DecodeBuf, Decoder};
use tonic::{Status, Streaming};

use super::body::{Body, Frames, Whole};
use super::budget::{CALL, Lease, MAX_BATCH};
use super::connections::Connection;
use super::counters::Counters;
use super::state::Shared;
use super::work::NoAnswer;
use crate::answers::{Messages, Question};
use crate::registry::call::{Method, RegistryMethod, method};
use crate::registry::encoded::Encoded;
use crate::registry::message::Texts;
use crate::registry::reflection::{Reflection, Request as Reflected};
use crate::registry::{ACKNOWLEDGEMENT, Code, Refusal, Registry};
use crate::snapshot::Snapshot;
use olmdex_base::diag::printable;

/// Bytes of a question.
const MAX_QUESTION: usize = 64 << 10;

/// The time that a client may take to send a question after its headers.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest time between two questions of a client about the offered services.
const IDLE: Duration = Duration::from_secs(60);

/// The number of batches of messages that wait to be sent.
const N_WAITING: usize = 2;

/// Bytes of messages that are made before others may ask.
const MAX_TURN: usize = 256 << 10;

/// Questions as bytes: the code that reads them knows their meaning.
struct Raw;

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

/// Answers a request.
pub(super) async fn respond(
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    catalog: Option<Arc<str>>,
    request: Request<Incoming>,
) -> Response<Body> {
    const GRPC: &str = "application/grpc";
    Counters::add(&shared.counters.calls);
    let header = |name: &str| request.headers().get(name).map_or(&b""[..], |it| it.as_bytes());
    if request.method() != hyper::Method::POST || !header("content-type").starts_with(GRPC.as_bytes()) {
        let mut response = Response::new(Body::default());
        *response.status_mut() = hyper::StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return response;
    }
    let encoding = header("grpc-encoding");
    if !matches!(encoding, b"" | b"identity") {
        let encoding = printable(&String::from_utf8_lossy(encoding)).into_owned();
        let mut response =
            Status::unimplemented(format!("messages compressed with {encoding} are not read")).into_http();
        response.headers_mut().insert("grpc-accept-encoding", HeaderValue::from_static("identity"));
        return response;
    }
    let method = match method(request.uri().path()) {
        Ok(method) => method,
        Err(message) => return Status::unimplemented(message).into_http(),
    };
    let start = Instant::now();
    let (head, body) = request.into_parts();
    let questions = Streaming::new_request(Raw, body, None, Some(MAX_QUESTION));
    let is_acknowledged = head.headers.get(ACKNOWLEDGEMENT).is_some_and(|it| it.as_bytes() == b"true");
    let call = Call { connection: &connection, catalog, method, path: head.uri.path(), is_acknowledged };
    let result = answer(&shared, call, questions).await;
    let took = start.elapsed();
    shared.counters.grpc_times.add(took);
    shared.answered("gRPC", || head.uri.path().to_owned(), took);
    match result {
        Ok(body) => {
            let mut response = Response::new(body);
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(GRPC));
            response
        }
        Err(status) => {
            Counters::add(&shared.counters.refused_calls);
            status.into_http()
        }
    }
}

/// One call.
struct Call<'p> {
    connection: &'p Arc<Connection>,
    catalog: Option<Arc<str>>,
    method: Method,
    /// The path of the method.
    path: &'p str,
    /// Whether the client has acknowledged that the method is experimental.
    is_acknowledged: bool,
}

async fn answer(shared: &Arc<Shared>, call: Call<'_>, mut questions: Streaming<Bytes>) -> Result<Body, Status> {
    let Call { connection, catalog, method, path, is_acknowledged } = call;
    // A call costs memory before its answer is there. A few of each connection need not wait, which is enough for
    // health checks.
    let held = Some(shared.budget.hold(connection, CALL).await.map_err(|_| busy(shared))?);
    if method == Method::Reflection {
        return Ok(reflect(Arc::clone(shared), Arc::clone(connection), questions));
    }
    let Ok(raw) = tokio::time::timeout(PATIENCE, questions.message()).await else {
        return Err(Status::deadline_exceeded("the request has sent no message"));
    };
    let Some(raw) = raw? else {
        return Err(Status::internal("the request has no message"));
    };
    let unreadable = |error: prost::DecodeError| Status::internal(format!("the message cannot be read: {error}"));
    let question = Texts::decode(raw.clone()).map_err(unreadable)?;
    let snapshot = shared.snapshot();
    let catalog: Arc<str> = match catalog {
        Some(catalog) => catalog,
        None => snapshot.catalogs.first().map(|it| Arc::from(it.as_str())).unwrap_or_default(),
    };
    match method {
        Method::Reflection => Err(Status::internal("it is answered above")),
        Method::HealthCheck => {
            // 1: serving, 2: not serving
            let status = if shared.is_stopping() { 2 } else { 1 };
            Ok(Whole::small(Messages::from([vec![0x08, status].into()]), held).into())
        }
        Method::Registry(RegistryMethod::ListBundles) => {
            let keys = ask(shared, &snapshot, &catalog, |registry| registry.list_keys()).await?;
            let source = Source { shared: Arc::clone(shared), connection: Arc::clone(connection), snapshot, catalog };
            Ok(batches(source, keys, |registry, key| registry.listed(key).map(Encoded::of_bundle)))
        }
        Method::Registry(method) => {
            let asked = Question { catalog: Arc::clone(&catalog), method: path.to_owned(), message: raw.clone() };
            // This thread need not wait for a connection to the index then.
            if let Some(messages) = snapshot.answers.get(&asked) {
                return whole(shared, connection, messages, held).await;
            }
            let call = move |registry: &Registry<'_>| {
                let mut messages = Vec::new();
                registry.call(method, &question, |message| {
                    messages.push(message);
                    true
                })?;
                Ok(messages)
            };
            let messages = match method.is_about_one() {
                true => ask_at_once(shared, &snapshot, &catalog, call).await?,
                false => ask(shared, &snapshot, &catalog, call).await?,
            };
            let messages = Messages::from(messages);
            snapshot.answers.add(asked, &messages);
            whole(shared, connection, messages, held).await
        }
        Method::CustomSchemas => {
            let found = ask(shared, &snapshot, &catalog, move |registry| {
                registry.custom_list(is_acknowledged, &question.first, &question.second)
            });
            let found = found.await?;
            let source = Source { shared: Arc::clone(shared), connection: Arc::clone(connection), snapshot, catalog };
            Ok(batches(source, found, |registry, it| registry.custom_document(it).map(Encoded::from)))
        }
    }
}

/// The body of an answer whose messages exist. The share of its call pays for a short one; a long one is not made
/// before there is room.
async fn whole(
    shared: &Arc<Shared>,
    connection: &Arc<Connection>,
    messages: Messages,
    held: Option<Lease>,
) -> Result<Body, Status> {
    let kept: usize = messages.iter().map(Encoded::held).sum();
    let held = match kept <= CALL {
        true => held,
        false => Some(shared.budget.hold(connection, kept).await.map_err(|_| busy(shared))?),
    };
    let len: usize = messages.iter().map(Encoded::len).sum();
    Ok(match len <= CALL {
        true => Whole::small(messages, held),
        false => Whole::large(messages, held, Arc::clone(&shared.budget), Arc::clone(connection)),
    }
    .into())
}

/// Too many wait already, or clients take too little.
fn busy(shared: &Shared) -> Status {
    Counters::add(&shared.counters.refused_for_load);
    Status::unavailable("too many calls wait for an answer")
}

/// Asks right here if a connection to the index is idle: the answer takes less time than to wake another thread.
async fn ask_at_once<T: Send + 'static>(
    shared: &Shared,
    snapshot: &Arc<Snapshot>,
    catalog: &Arc<str>,
    question: impl FnOnce(&Registry<'_>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Status> {
    match snapshot.idle() {
        Some(index) => question(&Registry { index: &index, catalog }).map_err(|it| status(&it)),
        None => ask(shared, snapshot, catalog, question).await,
    }
}

/// Asks on a thread that may wait.
async fn ask<T: Send + 'static>(
    shared: &Shared,
    snapshot: &Arc<Snapshot>,
    catalog: &Arc<str>,
    question: impl FnOnce(&Registry<'_>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Status> {
    let catalog = Arc::clone(catalog);
    let asked = shared
        .queues
        .grpc
        .ask(snapshot, move |index| question(&Registry { index, catalog: &catalog }).map_err(|it| status(&it)));
    asked.await.map_err(|error| match error {
        NoAnswer::Busy => busy(shared),
        NoAnswer::Failed => Status::internal("the question could not be answered"),
    })?
}

fn status(refusal: &Refusal) -> Status {
    match refusal.code() {
        Code::Unknown => Status::unknown(refusal.to_string()),
        Code::InvalidArgument => Status::invalid_argument(refusal.to_string()),
        Code::Internal => Status::internal(refusal.to_string()),
    }
}

/// The source and the destination of messages.
struct Source {
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    snapshot: Arc<Snapshot>,
    catalog: Arc<str>,
}

/// Messages that are made while they are sent: as many at once as find room, so that a client that reads quickly is not
/// woken for each.
fn batches<I: Send + 'static>(
    source: Source,
    items: Vec<I>,
    make: fn(&Registry<'_>, I) -> Result<Encoded, Refusal>,
) -> Body {
    let (to, from) = mpsc::channel(N_WAITING);
    tokio::spawn(async move {
        let Source { shared, connection, snapshot, catalog } = source;
        let mut items = items.into_iter();
        while items.len() > 0 && to.reserve().await.is_ok() {
            let turn = to.clone();
            // Waits until clients have taken the bytes that were sent to others.
            let Ok(held) = shared.budget.hold(&connection, MAX_BATCH).await else {
                let _ = to.send(Err(busy(&shared))).await;
                break;
            };
            let (budget, holder) = (Arc::clone(&shared.budget), Arc::clone(&connection));
            let made = ask(&shared, &snapshot, &catalog, move |registry| {
                let mut n_bytes = 0;
                let mut held = Some(held);
                while turn.capacity() > 0 && n_bytes < MAX_TURN && items.len() > 0 {
                    let Some(batch) = held.take().or_else(|| budget.try_hold(&holder, MAX_BATCH).ok()) else { break };
                    let mut frames = Frames::default();
                    let mut made = Ok(());
                    while frames.len() < MAX_BATCH && made.is_ok() {
                        let Some(item) = items.next() else { break };
                        made = make(registry, item).map(|message| frames.add(&message));
                    }
                    n_bytes += frames.len();
                    if frames.len() > 0 {
                        // There is room for it, unless the receiver is gone.
                        let _ = turn.try_send(Ok(frames.held(batch)));
                    }
                    made?;
                }
                Ok(items)
            });
            match made.await {
                Ok(rest) => items = rest,
                Err(status) => {
                    let _ = to.send(Err(status)).await;
                    break;
                }
            }
        }
    });
    Body::Made(from)
}

/// Reflection goes on as long as the client asks.
fn reflect(shared: Arc<Shared>, connection: Arc<Connection>, mut questions: Streaming<Bytes>) -> Body {
    let (to, from) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut reflection = Reflection::default();
        loop {
            let asked = tokio::time::timeout(IDLE, questions.message())
                .await
                .unwrap_or_else(|_| Err(Status::deadline_exceeded("nothing was asked for a minute")));
            let question = match asked {
                Ok(Some(bytes)) => bytes,
                Ok(None) => break,
                Err(status) => {
                    let _ = to.send(Err(status)).await;
                    break;
                }
            };
            let answer = Reflected::decode(question)
                .map_err(|error| Status::internal(format!("the message cannot be read: {error}")))
                .and_then(|it| reflection.answer(it).map_err(|it| status(&it)));
            let frames = match answer {
                Ok(answer) => {
                    let frames = Frames::of(&[Encoded::of(&answer)]);
                    let held = shared.budget.hold(&connection, frames.len()).await;
                    held.map(|it| frames.held(it)).map_err(|_| busy(&shared))
                }
                Err(status) => Err(status),
            };
            let is_error = frames.is_err();
            if to.send(frames).await.is_err() || is_error {
                break;
            }
        }
    });
    Body::Made(from)
}
