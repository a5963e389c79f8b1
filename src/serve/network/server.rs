//! Listening, accepting under limits, reloading, and ending without losing a request.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Semaphore, watch};

use super::counters::Counters;
use super::state::Shared;
use super::{grpc, http};
use crate::serve::snapshot::Snapshot;

/// Connections at once.
const MAX_CONNECTIONS: usize = 1024;
/// Streams at once on a connection.
const MAX_STREAMS: u32 = 250;
/// Bytes of all headers of a request.
const MAX_HEADERS: u32 = 16 << 10;
/// How long a client may take to send the headers of a request.
const HEADER_PATIENCE: Duration = Duration::from_secs(5);
/// How long requests may take after the end was asked for.
const GRACE: Duration = Duration::from_secs(25);
/// How often it is looked whether the index was replaced.
const POLL: Duration = Duration::from_millis(400);
/// How often a silent client is asked whether it is still there, and how long it may take to say so.
const KEEP_ALIVE: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(20));

/// A port of the gRPC registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grpc {
    /// Where it listens.
    pub address: SocketAddr,
    /// The catalog; `None` for the first.
    pub catalog: Option<String>,
}

/// Why nothing is served.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The runtime cannot be made, or a signal cannot be waited for.
    #[error("cannot start: {0}")]
    Start(std::io::Error),
    /// A port cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
}

/// What happens while it serves, for who prints.
#[derive(Debug)]
pub enum Event {
    /// A port is open: what it offers and where.
    Listening {
        /// `gRPC` or `HTTP`.
        protocol: &'static str,
        /// Where.
        address: SocketAddr,
        /// The catalog of a gRPC port, if it has a certain one.
        catalog: Option<String>,
    },
    /// The catalogs were read again.
    Reloaded,
    /// They could not be; the old ones stay.
    NotReloaded(String),
    /// It was told to end.
    Stopping,
}

/// What is to be served.
pub struct Server {
    /// The gRPC ports.
    pub grpc: Vec<Grpc>,
    /// The HTTP port.
    pub http: Option<SocketAddr>,
    /// Whether HTTP offers `metas`.
    pub has_metas: bool,
    /// Names of this server besides `localhost` and addresses.
    pub hosts: Vec<String>,
    /// The catalogs.
    pub snapshot: Snapshot,
    /// A file that is looked at for a new state.
    pub watched: Option<PathBuf>,
    /// Makes the catalogs anew.
    pub reload: Box<dyn Fn() -> Result<Snapshot, String> + Send + Sync>,
    /// Is told what happens.
    pub tell: Box<dyn Fn(Event) + Send + Sync>,
}

impl Server {
    /// Serves until SIGTERM or SIGINT.
    ///
    /// # Errors
    /// [`ServeError`] if a port cannot be opened.
    pub fn run(self) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(8)
            .enable_all()
            .build()
            .map_err(ServeError::Start)?;
        let result = runtime.block_on(self.serve());
        runtime.shutdown_timeout(Duration::from_secs(1));
        result
    }

    async fn serve(self) -> Result<(), ServeError> {
        let mut terminate = signal(SignalKind::terminate()).map_err(ServeError::Start)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(ServeError::Start)?;
        let mut hangup = signal(SignalKind::hangup()).map_err(ServeError::Start)?;
        let shared = Arc::new(Shared::new(self.snapshot, self.has_metas, self.hosts));
        let (stop, stopped) = watch::channel(false);
        let limit = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut listeners = Vec::new();
        for port in &self.grpc {
            listeners.push((listen(port.address).await?, Offer::Grpc(port.catalog.as_deref().map(Arc::from))));
        }
        if let Some(address) = self.http {
            listeners.push((listen(address).await?, Offer::Http));
        }
        for (listener, offer) in &listeners {
            let address = listener.local_addr().map_err(ServeError::Start)?;
            let (protocol, catalog) = match offer {
                Offer::Grpc(catalog) => ("gRPC", catalog.as_deref().map(str::to_owned)),
                Offer::Http => ("HTTP", None),
            };
            (self.tell)(Event::Listening { protocol, address, catalog });
        }
        for (listener, offer) in listeners {
            tokio::spawn(accept(listener, offer, Arc::clone(&shared), Arc::clone(&limit), stopped.clone()));
        }
        let reload: Arc<dyn Fn() -> Result<Snapshot, String> + Send + Sync> = Arc::from(self.reload);
        let mut stamp = self.watched.as_deref().and_then(stamp_of);
        loop {
            let must_reload = tokio::select! {
                _ = terminate.recv() => break,
                _ = interrupt.recv() => break,
                _ = hangup.recv() => true,
                () = tokio::time::sleep(POLL) => {
                    let found = self.watched.as_deref().and_then(stamp_of);
                    // Between the old and the new there may be none for a moment.
                    let is_new = found.is_some() && found != stamp;
                    if is_new {
                        stamp = found;
                    }
                    is_new
                }
            };
            if must_reload {
                let make = Arc::clone(&reload);
                match tokio::task::spawn_blocking(move || make()).await {
                    Ok(Ok(snapshot)) => {
                        shared.replace(snapshot);
                        Counters::add(&shared.counters.reloads);
                        (self.tell)(Event::Reloaded);
                    }
                    result => {
                        Counters::add(&shared.counters.failed_reloads);
                        let why = result.ok().and_then(Result::err);
                        (self.tell)(Event::NotReloaded(why.unwrap_or_else(|| "a bug in olmdex".to_owned())));
                    }
                }
            }
        }
        shared.stop();
        (self.tell)(Event::Stopping);
        // Who listens goes away, and who is connected is told to ask nothing more.
        let _ = stop.send(true);
        drop(stopped);
        let all = u32::try_from(MAX_CONNECTIONS).unwrap_or(u32::MAX);
        let _ = tokio::time::timeout(GRACE, limit.acquire_many(all)).await;
        Ok(())
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })
}

/// What tells whether a file was replaced.
fn stamp_of(path: &Path) -> Option<(u64, u64, i64, i64)> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(path).ok()?;
    Some((found.ino(), found.size(), found.mtime(), found.mtime_nsec()))
}

/// What a port offers.
#[derive(Clone)]
enum Offer {
    Grpc(Option<Arc<str>>),
    Http,
}

async fn accept(
    listener: TcpListener,
    offer: Offer,
    shared: Arc<Shared>,
    limit: Arc<Semaphore>,
    mut stopped: watch::Receiver<bool>,
) {
    loop {
        // A connection more than there may be waits to be accepted.
        let Ok(permit) = Arc::clone(&limit).acquire_owned().await else { break };
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => {
                    // Out of descriptors, for example: others may end soon.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            _ = stopped.changed() => break,
        };
        Counters::add(&shared.counters.connections);
        let (offer, shared, stopped) = (offer.clone(), Arc::clone(&shared), stopped.clone());
        tokio::spawn(async move {
            let _permit = permit;
            let _ = stream.set_nodelay(true);
            match offer {
                Offer::Grpc(catalog) => serve_grpc(stream, catalog, shared, stopped).await,
                Offer::Http => serve_http(stream, shared, stopped).await,
            }
        });
    }
}

async fn serve_grpc(
    stream: TcpStream,
    catalog: Option<Arc<str>>,
    shared: Arc<Shared>,
    mut stopped: watch::Receiver<bool>,
) {
    let service = service_fn(move |request| {
        let (shared, catalog) = (Arc::clone(&shared), catalog.clone());
        async move { Ok::<_, std::convert::Infallible>(grpc::respond(shared, catalog, request).await) }
    });
    let connection = conn::http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEADERS)
        .keep_alive_interval(KEEP_ALIVE.0)
        .keep_alive_timeout(KEEP_ALIVE.1)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // What goes wrong on a connection is the client's to notice.
    tokio::select! {
        _ = connection.as_mut() => {}
        _ = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

async fn serve_http(stream: TcpStream, shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    let service = service_fn(move |request| http::respond(Arc::clone(&shared), request));
    let connection = conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_PATIENCE)
        .max_buf_size(MAX_HEADERS as usize)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => {}
        _ = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
