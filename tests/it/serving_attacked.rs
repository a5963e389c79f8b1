//! `olmdex serve` under attack: crowds of clients that connect, ask and take nothing. Each time the health check
//! answers, others get their answers, and memory stays small.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::server::Server;
use crate::support::{scratch, write};

/// Resident memory that the server may have of its own, in MiB.
pub(crate) const MAX_MEMORY: u64 = 60;

/// More connections than a port accepts.
const CROWD: usize = 1_100;

/// A catalog whose answers have a megabyte each.
fn big_catalog(directory: &Path, n_bundles: usize) -> String {
    let description = "large and larger ".repeat(4_000);
    let mut catalog = r#"{"schema": "olm.package", "name": "big", "defaultChannel": "stable"}"#.to_owned();
    let entries: Vec<String> =
        (0..n_bundles).map(|it| format!(r#"{{"name": "big.v1.0.{it}", "skipRange": "<1.0.{it}"}}"#)).collect();
    write!(
        catalog,
        r#"{{"schema": "olm.channel", "package": "big", "name": "stable", "entries": [{}]}}"#,
        entries.join(",")
    )
    .unwrap();
    for n in 0..n_bundles {
        write!(
            catalog,
            r#"
{{"schema": "olm.bundle", "package": "big", "name": "big.v1.0.{n}", "image": "quay.io/example/big:v{n}", "properties": [
  {{"type": "olm.package", "value": {{"packageName": "big", "version": "1.0.{n}"}}}},
  {{"type": "olm.csv.metadata", "value": {{"displayName": "Big {n}", "description": "{n} {description}"}}}}]}}"#
        )
        .unwrap();
    }
    // Only the last entry is a head.
    write(
        directory,
        "big/catalog.json",
        catalog.replacen(&format!(r#""skipRange": "<1.0.{}""#, n_bundles - 1), &skips(n_bundles), 1),
    );
    format!("big={}", directory.join("big").display())
}

fn skips(n_bundles: usize) -> String {
    let names: Vec<String> = (0..n_bundles - 1).map(|it| format!(r#""big.v1.0.{it}""#)).collect();
    format!(r#""skips": [{}]"#, names.join(","))
}

fn allow_many_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
}

/// A connection from an address of this machine. `buffer` is how much the system accepts for us.
pub(crate) async fn connect(to: &str, from: &str, buffer: Option<u32>) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(from.parse().unwrap(), 0)).unwrap();
    if let Some(buffer) = buffer {
        socket.set_recv_buffer_size(buffer).unwrap();
    }
    socket.connect(to.parse().unwrap()).await.unwrap()
}

/// The answer to a request, over a new connection; empty if there is none in time.
async fn get(server: &Server, target: &str) -> Vec<u8> {
    let asked = async {
        let mut stream = connect(&server.http, "127.0.0.1", None).await;
        let request = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        answer
    };
    tokio::time::timeout(Duration::from_secs(60), asked).await.unwrap_or_default()
}

async fn assert_healthy(server: &Server) {
    for _ in 0..3 {
        let answer = get(server, "/healthz").await;
        assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    }
    assert!(server.memory() < MAX_MEMORY, "{} MiB", server.memory());
}

/// How many pages the server was asked for.
const ASKED: &str = "olmdex_pages_total ";

/// How many pages the server has made.
const MADE: &str = "olmdex_answer_seconds_count{kind=\"page\"} ";

/// A number that the server counts.
async fn counted(server: &Server, name: &str) -> usize {
    let metrics = String::from_utf8(get(server, "/metrics").await).unwrap();
    metrics.lines().find_map(|it| it.strip_prefix(name)).unwrap().parse().unwrap()
}

/// How many of these connections the server has ended.
pub(crate) async fn n_ended(streams: &mut [TcpStream]) -> usize {
    let mut n = 0;
    for stream in streams {
        let mut said = Vec::new();
        let read = tokio::time::timeout(Duration::from_millis(1), stream.read_to_end(&mut said)).await;
        n += usize::from(read.is_ok());
    }
    n
}

pub(crate) fn run(attack: impl Future<Output = ()>) {
    allow_many_files();
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(attack);
}

#[test]
fn silent_clients_keep_nobody_out() {
    let directory = scratch();
    let server = Server::start(directory.path(), &["shop=fixtures/shop/in"]);
    run(async {
        for (name, address) in [("gRPC", &server.grpc), ("HTTP", &server.http)] {
            let mut crowd = Vec::new();
            for n in 0..CROWD {
                // Some come from one address, others from many.
                let from = format!("127.0.{}.1", if n % 2 == 0 { 0 } else { n % 200 });
                crowd.push(connect(address, &from, None).await);
            }
            assert_healthy(&server).await;
            let mut n_gone = 0;
            for _ in 0..10 {
                n_gone = n_ended(&mut crowd).await;
                if n_gone >= CROWD - 384 {
                    break;
                }
            }
            assert!(n_gone >= CROWD - 384, "{name}: {n_gone}");
            let status = tokio::task::spawn_blocking({
                let grpc = server.grpc.clone();
                move || Server::call_at(&grpc, "/api.Registry/ListPackages", b"").0
            });
            assert_eq!(status.await.unwrap(), "0", "{name}");
        }
    });
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn silent_clients_are_ended_in_time() {
    let directory = scratch();
    let server = Server::start(directory.path(), &["shop=fixtures/shop/in"]);
    run(async {
        let mut crowd = Vec::new();
        for n in 0..60 {
            let address = if n % 2 == 0 { &server.grpc } else { &server.http };
            let mut stream = connect(address, "127.0.0.1", None).await;
            let beginning: &[u8] = match n % 3 {
                0 => b"",
                1 if n % 2 == 0 => b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                1 => b"GET / HTTP/1.1\r\nHo",
                _ => b"G",
            };
            stream.write_all(beginning).await.unwrap();
            crowd.push(stream);
        }
        for stream in &mut crowd {
            let mut rest = Vec::new();
            // Five seconds are expected.
            let ended = tokio::time::timeout(Duration::from_secs(50), stream.read_to_end(&mut rest)).await;
            assert!(ended.is_ok());
        }
        assert_healthy(&server).await;
    });
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn clients_that_take_nothing_over_http_cost_little() {
    let directory = scratch();
    let source = big_catalog(directory.path(), 100);
    let server = Server::start(directory.path(), &[&source]);
    run(async {
        let mut crowd = Vec::new();
        for n in 0..CROWD {
            let from = format!("127.0.{}.1", n % 100);
            let mut stream = connect(&server.http, &from, Some(2048)).await;
            let target = if n % 10 == 0 { "/p/big" } else { "/catalogs/big/api/v1/all" };
            let _ = stream.write_all(format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).await;
            crowd.push(stream);
        }
        assert_healthy(&server).await;
        // A client that reads gets the whole answer, while the others are connected.
        let answer = get(&server, "/catalogs/big/api/v1/all").await;
        assert!(answer.len() > 6_000_000, "{}", answer.len());
        assert!(get(&server, "/").await.starts_with(b"HTTP/1.1 200"));
        assert_healthy(&server).await;
        drop(crowd);
    });
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn streams_that_take_nothing_cost_little() {
    const N_CONNECTIONS: usize = 60;
    const N_STREAMS: usize = 50;
    let directory = scratch();
    let source = big_catalog(directory.path(), 100);
    let server = Server::start(directory.path(), &[&source]);
    run(async {
        let mut crowd = Vec::new();
        for n in 0..N_CONNECTIONS {
            let stream = connect(&server.grpc, &format!("127.0.{n}.1"), None).await;
            let (mut client, connection) = hyper::client::conn::http2::Builder::new(TokioExecutor::new())
                .initial_stream_window_size(if n % 2 == 0 { 0 } else { 1 })
                .handshake(TokioIo::new(stream))
                .await
                .unwrap();
            tokio::spawn(connection);
            let (method, message) = match n % 3 {
                0 => ("ListBundles", &b"\0\0\0\0\0"[..]),
                1 => ("GetBundle", &b"\0\0\0\0\x19\x0a\x03big\x12\x06stable\x1a\x0abig.v1.0.9"[..]),
                _ => ("GetBundleForChannel", &b"\0\0\0\0\x0d\x0a\x03big\x12\x06stable"[..]),
            };
            for _ in 0..N_STREAMS {
                if client.ready().await.is_err() {
                    break;
                }
                let request = hyper::Request::post(format!("http://{}/api.Registry/{method}", server.grpc))
                    .header("content-type", "application/grpc")
                    .body(Full::new(Bytes::from_static(message)))
                    .unwrap();
                crowd.push(tokio::spawn(client.send_request(request)));
            }
        }
        assert_healthy(&server).await;
        let call = tokio::task::spawn_blocking({
            let grpc = server.grpc.clone();
            move || Server::call_at(&grpc, "/api.Registry/ListBundles", b"")
        });
        let (status, answer) = call.await.unwrap();
        assert!(status == "0" && answer.len() > 10_000, "{status} {}", answer.len());
        assert_healthy(&server).await;
        drop(crowd);
    });
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn nothing_is_worked_out_for_clients_that_have_gone() {
    /// Fewer than may wait for a turn.
    const N_CLIENTS: usize = 30;
    let directory = scratch();
    let source = big_catalog(directory.path(), 400);
    let server = Server::start(directory.path(), &[&source]);
    run(async {
        let mut all_made = Vec::new();
        // On a busy machine, the server may make many pages before the clients have gone.
        for round in 0..10 {
            let (asked, made) = (counted(&server, ASKED).await, counted(&server, MADE).await);
            let mut crowd = Vec::new();
            for n in 0..N_CLIENTS {
                let mut stream = connect(&server.http, "127.0.0.1", None).await;
                let target = format!("/p/big/path?from=1.0.{}", round * N_CLIENTS + n);
                let _ = stream.write_all(format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).await;
                crowd.push(stream);
            }
            let all_wait = async { while counted(&server, ASKED).await < asked + N_CLIENTS {} };
            tokio::time::timeout(Duration::from_secs(60), all_wait).await.unwrap();
            // All of them wait for a turn now, and the next page has its turn after theirs.
            drop(crowd);
            assert!(get(&server, "/").await.starts_with(b"HTTP/1.1 200"));
            all_made.push(counted(&server, MADE).await - made);
            if all_made.last().is_some_and(|it| *it < N_CLIENTS / 2) {
                break;
            }
        }
        assert!(all_made.last().is_some_and(|it| *it < N_CLIENTS / 2), "of {N_CLIENTS} pages: {all_made:?}");
        assert_healthy(&server).await;
    });
    assert_eq!(server.terminate(), Some(0));
}
