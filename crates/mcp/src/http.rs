//! The same tools over HTTP, as the protocol's "streamable HTTP".
//!
//! Each request is answered by itself: there are no sessions, so a restart of the server breaks no assistant. A web
//! page cannot ask: the SDK refuses every `Host` that is not this machine, and every `Origin`.

use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body::Body;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::server::{Assistant, MAX_MESSAGE, MAX_TIME};
use super::world::World;

/// The path of the tools.
pub const PATH: &str = "/mcp";

/// The time for a request to arrive, in addition to that for its answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Answers requests of assistants over HTTP, about a world that can be replaced.
pub struct HttpAssistant {
    world: Arc<RwLock<Arc<World>>>,
    service: StreamableHttpService<Assistant, NeverSessionManager>,
}

impl fmt::Debug for HttpAssistant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpAssistant").finish_non_exhaustive()
    }
}

impl HttpAssistant {
    /// Answers about a world.
    pub fn new(world: World) -> Self {
        let world = Arc::new(RwLock::new(Arc::new(world)));
        let current = Arc::clone(&world);
        let assistant = move || {
            let world = current.read().unwrap_or_else(PoisonError::into_inner);
            Ok(Assistant::new(Arc::clone(&world)))
        };
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_MESSAGE)
            .enforce_origin_validation();
        Self { world, service: StreamableHttpService::new(assistant, Arc::default(), config) }
    }

    /// Answers about another world from now on. Running questions keep theirs.
    pub fn replace(&self, world: World) {
        *self.world.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(world);
    }

    /// Answers a request.
    pub async fn respond<B>(&self, request: Request<B>) -> Response<BoxBody<Bytes, Infallible>>
    where
        B: Body + Send + 'static,
        B::Error: fmt::Display,
    {
        if request.uri().path() != PATH {
            return text(StatusCode::NOT_FOUND, "404 Not Found: assistants ask /mcp\n");
        }
        let answered = tokio::time::timeout(MAX_TIME + PATIENCE, self.service.handle(request)).await;
        answered.unwrap_or_else(|_| text(StatusCode::REQUEST_TIMEOUT, "408 Request Timeout\n"))
    }
}

fn text(status: StatusCode, words: &'static str) -> Response<BoxBody<Bytes, Infallible>> {
    let mut response = Response::new(Full::new(Bytes::from_static(words.as_bytes())).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert("content-type", http::HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
