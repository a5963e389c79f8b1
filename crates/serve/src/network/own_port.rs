//! A port whose answers are made outside of this crate.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Incoming;
use hyper::{Request, Response};

/// The body of an answer.
pub type Body = UnsyncBoxBody<Bytes, std::io::Error>;

/// A body that was made elsewhere.
pub fn body(body: impl hyper::body::Body<Data = Bytes, Error = Infallible> + Send + 'static) -> Body {
    body.map_err(|never| match never {}).boxed_unsync()
}

/// An answer in the making.
pub type Answering = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// A port of HTTP with answers of its own, for programs on this machine.
pub struct OwnPort {
    /// The protocol, in words.
    pub protocol: &'static str,
    /// Its address.
    pub address: SocketAddr,
    /// The option of the command line that chooses it.
    pub option: &'static str,
    /// Answers a request.
    pub respond: Arc<dyn Fn(Request<Incoming>) -> Answering + Send + Sync>,
}
