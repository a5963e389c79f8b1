//! Listening, accepting under limits, reloading, and ending without losing a request.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::Request;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{oneshot, watch};
use tokio_rustls::TlsAcceptor;

use super::connections::{Admitted, Connection, Connections, Peer};
use super::counters::Counters;
use super::event::Event;
use super::gather::gathering;
use super::observed::Observed;
use super::own_port::OwnPort;
use super::request_line::WithRequestLine;
use super::state::Shared;
use super::tls::{Acceptors, TlsError, TlsFiles};
use super::{grpc, http};
use crate::snapshot::Snapshot;
use olmdex_base::file::{allow_many_files, system_words};
use olmdex_fbc::Stamp;

/// Streams at once on a connection.
const MAX_STREAMS: u32 = 250;
/// Bytes of all headers of a request.
const MAX_HEADERS: u32 = 16 << 10;
/// Bytes of an answer that wait for a slow client.
const MAX_WAITING: usize = 64 << 10;
/// The time that a client may take to send the headers of a request, and to agree on a cipher.
const HEADER_PATIENCE: Duration = Duration::from_secs(5);
/// The time that requests may take after the end was asked for.
const GRACE: Duration = Duration::from_secs(25);
/// The time without a part of an answer after which a connection is ended then: an answer may take a minute to make.
const WORKING: Duration = Duration::from_millis(1_500);
/// The interval of looking for such connections.
const SWEEP_AT_END: Duration = Duration::from_millis(200);
/// The interval of checks whether the index was replaced.
const POLL: Duration = Duration::from_millis(400);
/// The interval at which a silent client is asked whether it is still there, and the time that it has for its answer.
const KEEP_ALIVE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(10));
/// The interval of checks whether clients take too long.
const SWEEP: Duration = Duration::from_secs(1);
/// Threads for work other than questions to the index: reading it again, and settling it.
const THREADS: usize = 2;
/// The same for a port whose answers are made elsewhere: a long one must not prevent a new index from being read.
const OWN_THREADS: usize = 2;

/// A port of the gRPC registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grpc {
    /// Its address.
    pub address: SocketAddr,
    /// The catalog; `None` for the first.
    pub catalog: Option<String>,
}

/// The reasons why nothing is served.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The runtime cannot be made, or a signal cannot be waited for.
    #[error("cannot start: {}", system_words(.0))]
    Start(std::io::Error),
    /// A port cannot be listened on.
    #[error("cannot listen on {address}: {}", system_words(.source))]
    Listen {
        address: SocketAddr,
        /// The option of the command line that chooses the port.
        option: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// The configuration of a server.
pub struct Server {
    /// The gRPC ports.
    pub grpc: Vec<Grpc>,
    /// The HTTP port.
    pub http: Option<SocketAddr>,
    /// A port whose answers are made elsewhere.
    pub own: Option<OwnPort>,
    /// Whether HTTP offers `metas`.
    pub has_metas: bool,
    /// Whether HTTP offers GraphQL.
    #[cfg(feature = "graphql")]
    pub has_graphql: bool,
    /// Whether each answer is an event.
    pub tells_calls: bool,
    /// Names of this server in addition to `localhost` and addresses.
    pub hosts: Vec<String>,
    /// The origin whose scripts may read the answers of HTTP, or `*`.
    pub cors: Option<String>,
    /// The certificate; without one, connections are not encrypted. It is read again when one of its files is replaced.
    pub tls: Option<TlsFiles>,
    /// The catalogs.
    pub snapshot: Snapshot,
    /// A file that is checked for a new state.
    pub watched: Option<PathBuf>,
    /// Prepares catalogs while they are served: nobody waits for it.
    pub settle: Arc<dyn Fn(&Snapshot) + Send + Sync>,
    /// Makes the catalogs anew.
    pub reload: Box<dyn Fn() -> Result<Snapshot, String> + Send + Sync>,
    /// Receives the events.
    pub tell: Arc<dyn Fn(Event) + Send + Sync>,
}

impl Server {
    /// Serves until SIGTERM or SIGINT.
    ///
    /// # Errors
    /// [`ServeError`] if a port cannot be opened.
    pub fn run(self) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(THREADS + if self.own.is_some() { OWN_THREADS } else { 0 })
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
        // A file that is replaced during the start is not the one that was read.
        let mut index = Watch::new(self.watched);
        let mut certificate = Watch::new(self.tls.iter().flat_map(|it| [it.certificate.clone(), it.key.clone()]));
        let acceptors = self.tls.as_ref().map(TlsFiles::read).transpose()?;
        let mut problem = acceptors.as_ref().and_then(Acceptors::problem);
        let n_ports = self.grpc.len() + usize::from(self.http.is_some()) + usize::from(self.own.is_some());
        let connections = Arc::new(Connections::new(n_ports, allow_many_files()));
        let shared = Shared::new(self.snapshot, self.has_metas, self.hosts, self.cors, acceptors, connections.clock());
        let shared = shared.map_err(ServeError::Start)?;
        #[cfg(feature = "graphql")]
        let shared = shared.with_graphql(self.has_graphql);
        let shared = Arc::new(shared);
        if self.tells_calls {
            shared.tell_calls(Arc::clone(&self.tell));
        }
        let (stop, stopped) = watch::channel(false);
        let listeners = listeners(&self.grpc, self.http, self.own, &*self.tell).await?;
        if let Some(why) = &problem {
            (self.tell)(Event::OutOfDate(why.clone()));
        }
        for (number, (listener, offer)) in listeners.into_iter().enumerate() {
            let port = Port { number, listener, offer };
            tokio::spawn(accept(port, Arc::clone(&shared), Arc::clone(&connections), stopped.clone()));
        }
        tokio::spawn(sweep(Arc::clone(&shared), Arc::clone(&connections)));
        let settle = || {
            let (settle, snapshot) = (Arc::clone(&self.settle), shared.snapshot());
            tokio::task::spawn_blocking(move || settle(&snapshot));
        };
        settle();
        let reload: Arc<dyn Fn() -> Result<Snapshot, String> + Send + Sync> = Arc::from(self.reload);
        // Signals are answered while a new state is made.
        let mut reloading: Option<Making> = None;
        let mut is_due = false;
        loop {
            let mut reloaded = None;
            let must_reload = tokio::select! {
                _ = terminate.recv() => break,
                _ = interrupt.recv() => break,
                _ = hangup.recv() => true,
                result = made(&mut reloading) => {
                    reloading = None;
                    reloaded = Some(result);
                    false
                }
                () = tokio::time::sleep(POLL), if reloading.is_none() => index.has_changed(),
            };
            if let Some(files) = self.tls.as_ref().filter(|_| certificate.has_changed()) {
                (self.tell)(renewed(files, &shared));
            }
            // A certificate may expire while it is used.
            let now = shared.acceptors().and_then(|it| it.problem());
            if now != problem {
                if let Some(why) = &now {
                    (self.tell)(Event::OutOfDate(why.clone()));
                }
                problem = now;
            }
            is_due |= must_reload;
            if is_due && reloading.is_none() {
                is_due = false;
                reloading = Some(make(&reload));
            }
            if let Some(result) = reloaded {
                (self.tell)(reloaded_with(result, &shared, settle));
            }
        }
        shared.stop();
        (self.tell)(Event::Stopping);
        // Close the listeners, and tell clients to send no more requests.
        let _ = stop.send(true);
        drop(stopped);
        last_answers(&connections).await;
        Ok(())
    }
}

/// A state that is being made.
type Making = oneshot::Receiver<Result<Snapshot, String>>;

/// Makes a state on a thread of its own: questions may hold all threads for slow work.
fn make(reload: &Arc<dyn Fn() -> Result<Snapshot, String> + Send + Sync>) -> Making {
    let (sender, receiver) = oneshot::channel();
    let reload = Arc::clone(reload);
    std::thread::spawn(move || {
        // Nobody waits for it when the server stops.
        let _ = sender.send(reload());
    });
    receiver
}

/// Waits for a state that is being made, for ever if none is.
async fn made(making: &mut Option<Making>) -> Result<Result<Snapshot, String>, oneshot::error::RecvError> {
    match making {
        Some(making) => making.await,
        None => std::future::pending().await,
    }
}

/// Waits for the answers that clients are taking.
async fn last_answers(connections: &Connections) {
    let idle = async {
        loop {
            tokio::time::sleep(SWEEP_AT_END).await;
            connections.end_idle(WORKING);
        }
    };
    tokio::select! {
        () = connections.all_gone() => {}
        () = idle => {}
        () = tokio::time::sleep(GRACE) => {}
    }
}

/// Serves a new state, or says why there is none.
fn reloaded_with(
    result: Result<Result<Snapshot, String>, oneshot::error::RecvError>,
    shared: &Shared,
    settle: impl Fn(),
) -> Event {
    match result {
        Ok(Ok(snapshot)) => {
            shared.replace(snapshot);
            settle();
            Counters::add(&shared.counters.reloads);
            Event::Reloaded
        }
        result => {
            Counters::add(&shared.counters.failed_reloads);
            let why = result.ok().and_then(Result::err);
            Event::NotReloaded(why.unwrap_or_else(|| "a bug in olmdex".to_owned()))
        }
    }
}

/// Reads the certificate again.
fn renewed(files: &TlsFiles, shared: &Shared) -> Event {
    match files.read() {
        Ok(acceptors) => {
            shared.renew(acceptors);
            Event::Renewed
        }
        // One file may have been replaced, and the other soon will be.
        Err(error) => Event::NotRenewed(error),
    }
}

/// Opens the ports, and reports them.
async fn listeners(
    grpc: &[Grpc],
    http: Option<SocketAddr>,
    own: Option<OwnPort>,
    tell: &(dyn Fn(Event) + Send + Sync),
) -> Result<Vec<(TcpListener, Offer)>, ServeError> {
    let mut listeners = Vec::new();
    for port in grpc {
        listeners.push((listen(port.address, "--port").await?, Offer::Grpc(port.catalog.as_deref().map(Arc::from))));
    }
    if let Some(address) = http {
        listeners.push((listen(address, "--http").await?, Offer::Http));
    }
    if let Some(own) = own {
        listeners.push((listen(own.address, own.option).await?, Offer::Own(Arc::new(own))));
    }
    for (listener, offer) in &listeners {
        let address = listener.local_addr().map_err(ServeError::Start)?;
        let (protocol, catalog) = match offer {
            Offer::Grpc(catalog) => ("gRPC", catalog.as_deref().map(str::to_owned)),
            Offer::Http => ("HTTP", None),
            Offer::Own(own) => (own.protocol, None),
        };
        tell(Event::Listening { protocol, address, catalog });
    }
    Ok(listeners)
}

async fn listen(address: SocketAddr, option: &'static str) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, option, source })
}

/// Files that are checked again and again.
struct Watch {
    files: Vec<(PathBuf, Option<Stamp>)>,
}

impl Watch {
    fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let files = paths.into_iter().map(|path| {
            let stamp = stamp_of(&path);
            (path, stamp)
        });
        Self { files: files.collect() }
    }

    /// Whether a file is another one than the last time. Between the old and the new there may be none for a moment.
    fn has_changed(&mut self) -> bool {
        let mut has_changed = false;
        for (path, stamp) in &mut self.files {
            let found = stamp_of(path);
            if found.is_some() && found != *stamp {
                *stamp = found;
                has_changed = true;
            }
        }
        has_changed
    }
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    std::fs::metadata(path).ok().map(|metadata| Stamp::of_content(&metadata))
}

/// The offer of a port.
#[derive(Clone)]
enum Offer {
    Grpc(Option<Arc<str>>),
    Http,
    Own(Arc<OwnPort>),
}

impl Offer {
    /// Whether it speaks HTTP/1, for which hyper limits the time of a client's first bytes.
    fn is_http1(&self) -> bool {
        !matches!(self, Self::Grpc(_))
    }
}

/// A port that is open.
struct Port {
    number: usize,
    listener: TcpListener,
    offer: Offer,
}

async fn accept(port: Port, shared: Arc<Shared>, connections: Arc<Connections>, mut stopped: watch::Receiver<bool>) {
    let Port { number, listener, offer } = port;
    loop {
        let (stream, address) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(_) => {
                    // Out of descriptors, for example.
                    connections.end_one(number);
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    continue;
                }
            },
            _ = stopped.changed() => break,
        };
        Counters::add(&shared.counters.connections);
        let admitted = connections.admit(number, Peer::from(address.ip()), offer.is_http1());
        let (offer, shared, stopped) = (offer.clone(), Arc::clone(&shared), stopped.clone());
        tokio::spawn(async move {
            let Admitted { connection, .. } = &admitted;
            tokio::select! {
                () = serve(stream, offer, Arc::clone(&shared), stopped, connection) => {}
                () = connection.ended() => Counters::add(&shared.counters.ended_connections),
            }
        });
    }
}

/// Ends connections that take longer than they may, for as long as the server runs.
async fn sweep(shared: Arc<Shared>, connections: Arc<Connections>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        connections.end_overdue();
        shared.budget.end_overdue();
    }
}

async fn serve(
    stream: TcpStream,
    offer: Offer,
    shared: Arc<Shared>,
    stopped: watch::Receiver<bool>,
    connection: &Arc<Connection>,
) {
    let _ = stream.set_nodelay(true);
    let acceptor = shared.acceptors().map(|it| match offer {
        Offer::Grpc(_) => it.grpc,
        Offer::Http | Offer::Own(_) => it.http,
    });
    match acceptor {
        None => serve_one(stream, offer, shared, stopped, connection).await,
        Some(acceptor) => {
            if let Some(stream) = encrypted(&acceptor, stream).await {
                serve_one(stream, offer, shared, stopped, connection).await;
            }
        }
    }
}

/// The connection after both sides have agreed on how to encrypt it; `None` if they cannot, or the client takes too
/// long.
async fn encrypted<S: Stream>(acceptor: &TlsAcceptor, stream: S) -> Option<impl Stream> {
    tokio::time::timeout(HEADER_PATIENCE, acceptor.accept(stream)).await.ok()?.ok()
}

/// A connection, encrypted or not.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Stream for S {}

async fn serve_one<S: Stream>(
    stream: S,
    offer: Offer,
    shared: Arc<Shared>,
    stopped: watch::Receiver<bool>,
    connection: &Arc<Connection>,
) {
    let stream = Observed::new(stream, Arc::clone(connection), offer.is_http1());
    let asking = Arc::clone(connection);
    match offer {
        Offer::Grpc(catalog) => {
            let service = service_fn(move |request| {
                asking.asked();
                let (shared, catalog, connection) = (Arc::clone(&shared), catalog.clone(), Arc::clone(&asking));
                async move { Ok::<_, Infallible>(grpc::respond(shared, connection, catalog, request).await) }
            });
            let mut builder = conn::http2::Builder::new(TokioExecutor::new());
            builder
                .timer(TokioTimer::new())
                .max_concurrent_streams(MAX_STREAMS)
                .max_header_list_size(MAX_HEADERS)
                .max_send_buf_size(MAX_WAITING)
                .keep_alive_interval(KEEP_ALIVE.0)
                .keep_alive_timeout(KEEP_ALIVE.1);
            let run = |stream| {
                let connection = builder.serve_connection(TokioIo::new(stream), service);
                until(stopped, connection, |it| it.graceful_shutdown())
            };
            gathering(stream, run).await;
        }
        Offer::Http => {
            let (stream, lines) = WithRequestLine::new(stream);
            let service = service_fn(move |request: Request<Incoming>| {
                asking.asked();
                if request.body().is_end_stream() {
                    lines.expect_next();
                }
                http::respond(Arc::clone(&shared), Arc::clone(&asking), request, lines.is_refused())
            });
            let connection = http1().serve_connection(TokioIo::new(stream), service);
            until(stopped, connection, |it| it.graceful_shutdown()).await;
        }
        Offer::Own(own) => {
            let service = service_fn(move |request| {
                asking.asked();
                Counters::add(&shared.counters.requests);
                let (method, address) = (request.method().clone(), request.uri().clone());
                let (start, protocol, shared) = (Instant::now(), own.protocol, Arc::clone(&shared));
                let answering = (own.respond)(request);
                async move {
                    let response = answering.await;
                    let status = response.status().as_u16();
                    shared.answered(protocol, || format!("{method} {address}: {status}"), start.elapsed());
                    Ok::<_, Infallible>(response)
                }
            });
            let connection = http1().serve_connection(TokioIo::new(stream), service);
            until(stopped, connection, |it| it.graceful_shutdown()).await;
        }
    }
}

/// HTTP/1 within the limits of a connection.
fn http1() -> conn::http1::Builder {
    let mut builder = conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_PATIENCE).max_buf_size(MAX_HEADERS as usize);
    builder
}

/// Serves a connection until its client goes, or until the server ends and the client has its answers. The client
/// notices errors on its connection by itself.
async fn until<C: Future>(mut stopped: watch::Receiver<bool>, connection: C, shut: impl FnOnce(Pin<&mut C>)) {
    let mut connection = pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => {}
        _ = stopped.changed() => {
            shut(connection.as_mut());
            let _ = connection.await;
        }
    }
}
