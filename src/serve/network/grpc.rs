//! The gRPC registry on a connection: frames in, questions asked on threads that may wait, frames out.
//!
//! A stream holds neither a thread nor a connection to the index while its client is slow: messages are made in small batches.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Buf as _, Bytes};
use hyper::body::Incoming;
use prost::Message as _;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::server::StreamingService;
use tonic::{Status, Streaming};

use super::counters::Counters;
use super::state::Shared;
use crate::serve::answers::{Messages, Question};
use crate::serve::registry::call::{Method, RegistryMethod, method};
use crate::serve::registry::encoded::Encoded;
use crate::serve::registry::message::Texts;
use crate::serve::registry::reflection::{Reflection, Request as Reflected};
use crate::serve::registry::{ACKNOWLEDGEMENT, Code, Refusal, Registry};
use crate::serve::snapshot::Snapshot;

/// Bytes of a question.
const MAX_QUESTION: usize = 64 << 10;

/// Messages that are made at once, and how many wait to be sent.
const BATCH: usize = 32;

/// How long a client may take nothing.
const PATIENCE: Duration = Duration::from_secs(300);

/// Messages as bytes: what they mean is known to who asked.
#[derive(Debug, Default, Clone, Copy)]
struct Raw;

impl Codec for Raw {
    type Encode = Encoded;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Encoded;
    type Error = Status;

    fn encode(&mut self, item: Encoded, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.reserve(item.len());
        item.write(to);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

type Sent = Result<Encoded, Status>;
type Answers = ReceiverStream<Sent>;

/// Answers a request.
pub(super) async fn respond(
    shared: Arc<Shared>,
    catalog: Option<Arc<str>>,
    request: hyper::Request<Incoming>,
) -> hyper::Response<tonic::body::Body> {
    Counters::add(&shared.counters.calls);
    let is_grpc = request.method() == hyper::Method::POST
        && request.headers().get("content-type").is_some_and(|it| it.as_bytes().starts_with(b"application/grpc"));
    if !is_grpc {
        let mut response = hyper::Response::new(tonic::body::Body::default());
        *response.status_mut() = hyper::StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return response;
    }
    match method(request.uri().path()) {
        Err(message) => Status::unimplemented(message).into_http(),
        Ok(method) => {
            let call = Call { shared, catalog, method, path: request.uri().clone() };
            let grpc = tonic::server::Grpc::new(Raw).max_decoding_message_size(MAX_QUESTION);
            let mut grpc = grpc.max_encoding_message_size(usize::MAX);
            grpc.streaming(call, request).await
        }
    }
}

/// One call.
struct Call {
    shared: Arc<Shared>,
    catalog: Option<Arc<str>>,
    method: Method,
    /// The path that names it.
    path: hyper::Uri,
}

impl StreamingService<Bytes> for Call {
    type Response = Encoded;
    type ResponseStream = Answers;
    type Future = Pin<Box<dyn Future<Output = Result<tonic::Response<Answers>, Status>> + Send>>;

    fn call(&mut self, request: tonic::Request<Streaming<Bytes>>) -> Self::Future {
        let (shared, catalog, method) = (Arc::clone(&self.shared), self.catalog.clone(), self.method);
        let path = self.path.clone();
        Box::pin(async move {
            let start = Instant::now();
            let result = answer(Arc::clone(&shared), catalog, (method, path.path()), request).await;
            let took = start.elapsed();
            shared.counters.grpc_times.add(took);
            shared.answered("gRPC", || path.path().to_owned(), took);
            if result.is_err() {
                Counters::add(&shared.counters.refused_calls);
            }
            result.map(tonic::Response::new)
        })
    }
}

async fn answer(
    shared: Arc<Shared>,
    catalog: Option<Arc<str>>,
    (method, path): (Method, &str),
    request: tonic::Request<Streaming<Bytes>>,
) -> Result<Answers, Status> {
    let header = request.metadata().get(ACKNOWLEDGEMENT);
    let is_acknowledged = header.is_some_and(|it| it.as_encoded_bytes() == b"true");
    let mut questions = request.into_inner();
    if method == Method::Reflection {
        return Ok(reflect(questions));
    }
    let Some(raw) = questions.message().await? else {
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
            Ok(one_after_another(Arc::from([vec![0x08, status].into()])))
        }
        Method::Registry(RegistryMethod::ListBundles) => {
            let keys = ask(&snapshot, &catalog, |registry| registry.list_keys()).await?;
            Ok(batches(snapshot, catalog, keys, |registry, key| registry.listed(key).map(Encoded::of_bundle)))
        }
        Method::Registry(method) => {
            let asked = Question { catalog: Arc::clone(&catalog), method: path.to_owned(), message: raw.clone() };
            // This thread need not wait for a connection to the index then.
            if let Some(messages) = snapshot.answers.get(&asked) {
                return Ok(one_after_another(messages));
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
                true => ask_at_once(&snapshot, &catalog, call).await?,
                false => ask(&snapshot, &catalog, call).await?,
            };
            let messages = Messages::from(messages);
            snapshot.answers.add(asked, &messages);
            Ok(one_after_another(messages))
        }
        Method::CustomSchemas => {
            let found = ask(&snapshot, &catalog, move |registry| {
                registry.custom_list(is_acknowledged, &question.first, &question.second)
            });
            let found = found.await?;
            Ok(batches(Arc::clone(&snapshot), catalog, found, |registry, it| {
                registry.custom_document(it).map(Encoded::from)
            }))
        }
    }
}

/// Asks right here if a connection to the index is idle: the answer takes less time than to wake another thread.
async fn ask_at_once<T: Send + 'static>(
    snapshot: &Arc<Snapshot>,
    catalog: &Arc<str>,
    question: impl FnOnce(&Registry<'_>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Status> {
    match snapshot.idle() {
        Some(index) => question(&Registry { index: &index, catalog }).map_err(|it| status(&it)),
        None => ask(snapshot, catalog, question).await,
    }
}

/// Asks on a thread that may wait.
async fn ask<T: Send + 'static>(
    snapshot: &Arc<Snapshot>,
    catalog: &Arc<str>,
    question: impl FnOnce(&Registry<'_>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Status> {
    let (snapshot, catalog) = (Arc::clone(snapshot), Arc::clone(catalog));
    let asked = tokio::task::spawn_blocking(move || {
        snapshot.ask(|index| question(&Registry { index, catalog: &catalog })).map_err(|it| status(&it))
    });
    asked.await.map_err(|_| Status::internal("the question could not be answered"))?
}

fn status(refusal: &Refusal) -> Status {
    match refusal.code() {
        Code::Unknown => Status::unknown(refusal.to_string()),
        Code::InvalidArgument => Status::invalid_argument(refusal.to_string()),
        Code::Internal => Status::internal(refusal.to_string()),
    }
}

/// Messages that are there already.
fn one_after_another(messages: Messages) -> Answers {
    let (to, from) = mpsc::channel(messages.len().clamp(1, BATCH));
    // The usual single message needs no task.
    if messages.len() <= BATCH {
        for message in messages.iter() {
            // There is room for all of them.
            let _ = to.try_send(Ok(message.clone()));
        }
    } else {
        tokio::spawn(async move {
            for message in messages.iter() {
                if !send(&to, Ok(message.clone())).await {
                    break;
                }
            }
        });
    }
    ReceiverStream::new(from)
}

/// Messages that are made while they are sent.
fn batches<I: Send + 'static>(
    snapshot: Arc<Snapshot>,
    catalog: Arc<str>,
    items: Vec<I>,
    make: fn(&Registry<'_>, I) -> Result<Encoded, Refusal>,
) -> Answers {
    let (to, from) = mpsc::channel(BATCH);
    tokio::spawn(async move {
        let mut items = items.into_iter();
        loop {
            let batch: Vec<I> = items.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            let made = ask(&snapshot, &catalog, move |registry| {
                Ok(batch.into_iter().map(|item| make(registry, item).map_err(|it| status(&it))).collect::<Vec<_>>())
            });
            let made = made.await.unwrap_or_else(|status| vec![Err(status)]);
            for message in made {
                let is_error = message.is_err();
                if !send(&to, message).await || is_error {
                    return;
                }
            }
        }
    });
    ReceiverStream::new(from)
}

/// Reflection goes on as long as the client asks.
fn reflect(mut questions: Streaming<Bytes>) -> Answers {
    let (to, from) = mpsc::channel(BATCH);
    tokio::spawn(async move {
        let mut reflection = Reflection::default();
        loop {
            let question = match questions.message().await {
                Ok(Some(bytes)) => bytes,
                Ok(None) => break,
                Err(status) => {
                    send(&to, Err(status)).await;
                    break;
                }
            };
            let answer = Reflected::decode(question)
                .map_err(|error| Status::internal(format!("the message cannot be read: {error}")))
                .and_then(|it| reflection.answer(it).map_err(|it| status(&it)));
            let is_error = answer.is_err();
            if !send(&to, answer.map(|it| Encoded::of(&it))).await || is_error {
                break;
            }
        }
    });
    ReceiverStream::new(from)
}

/// Hands a message on. Whether anybody still listens.
async fn send(to: &mpsc::Sender<Sent>, message: Sent) -> bool {
    matches!(tokio::time::timeout(PATIENCE, to.send(message)).await, Ok(Ok(())))
}
