//! `olmdex serve` among clients that are slow, silent, endless or wrong: the others get their answers.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};

use crate::support::server::Server;
use crate::support::{scratch, write};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Sends bytes and reads the answer until the server ends the connection, or says nothing for three seconds.
fn poke(address: &str, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
    // The server may close the connection before everything is sent, which is an answer as well.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

fn assert_well(server: &Server) {
    assert_eq!(server.call("/api.Registry/ListPackages", b"").0, "0");
    assert!(server.get("/healthz", "").0.starts_with("HTTP/1.1 200"));
}

#[test]
fn frames_and_headers_that_are_wrong_end_their_own_connection_only() {
    let directory = scratch();
    let server = Server::start(directory.path(), &["shop=fixtures/shop/in"]);
    let long = "x".repeat(1 << 20);
    let mut frames: Vec<Vec<u8>> = vec![
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        vec![0; 4096],
        vec![0xff; 4096],
        // A frame of sixteen megabytes that never comes, one for a stream that does not exist, one that is cut.
        [PREFACE, &[0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1]].concat(),
        [PREFACE, &[0, 0, 4, 4, 0, 0, 0, 0, 0], &[1, 2, 3, 4]].concat(),
        [PREFACE, &[0, 0, 1, 0, 0, 0, 0, 0, 9, 0]].concat(),
        [PREFACE, &[0, 0, 8, 6, 0]].concat(),
    ];
    // Headers that go on for ever, without an end.
    let mut endless = [PREFACE, &[0, 0, 1, 1, 0, 0, 0, 0, 1, 0x82]].concat();
    for _ in 0..10_000 {
        endless.extend([0, 0, 1, 9, 0, 0, 0, 0, 1, 0x82]);
    }
    frames.push(endless);
    for frame in &frames {
        poke(&server.grpc, frame);
    }
    for head in [
        format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {long}\r\n\r\n"),
        "GET / HTTP/9.9\r\n\r\n".to_owned(),
        "GET /catalogs/shop/api/v1/all HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: -1\r\n\r\n".to_owned(),
        "\0".repeat(4096),
    ] {
        let answer = poke(&server.http, head.as_bytes());
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{}", &head[..40]);
    }
    // A message with a stated length of four gigabytes, and one that cannot be read.
    assert_ne!(server.call("/api.Registry/GetPackage", &[0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]).0, "0");
    assert_ne!(server.call("/api.Registry/GetPackage", &[0xff; 64]).0, "0");
    assert_ne!(server.call("/api.Registry/GetPackage", &vec![0x0a; 1 << 20]).0, "0");
    // A compression that was not offered, of any name.
    for (encoding, status) in [("identity", "0"), ("gzip", "12"), ("\u{202e}%00", "12")] {
        let header = Some(("grpc-encoding", encoding));
        assert_eq!(server.call_with("/api.Registry/ListPackages", b"", header).0, status, "{encoding}");
    }
    assert_well(&server);
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn clients_that_wait_hold_nobody_else_up() {
    let directory = scratch();
    let server = Server::start(directory.path(), &["shop=fixtures/shop/in"]);
    // Some send nothing, some stop in the middle of a request, some take no answer.
    let mut waiting = Vec::new();
    for idx in 0..60 {
        for address in [&server.grpc, &server.http] {
            let mut stream = TcpStream::connect(address).unwrap();
            let _ = match idx % 3 {
                0 => Ok(()),
                1 => stream.write_all(if *address == server.grpc { PREFACE } else { b"GET /p/till HTTP/1.1\r\nHo" }),
                _ => stream.write_all(b"GET /catalogs/shop/api/v1/all HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            };
            waiting.push(stream);
        }
    }
    assert_well(&server);
    drop(waiting);
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn many_streams_that_read_nothing_hold_their_answer_once() {
    const N_STREAMS: usize = 200;
    let directory = scratch();
    // Its message has more than a megabyte, which the server keeps in a few hundred bytes.
    let description = "large ".repeat(100_000);
    let catalog = [
        r#"{"schema": "olm.package", "name": "big", "defaultChannel": "stable"}"#.to_owned(),
        r#"{"schema": "olm.channel", "package": "big", "name": "stable", "entries": [{"name": "big.v1.0.0"}]}"#
            .to_owned(),
        format!(
            r#"{{"schema": "olm.bundle", "package": "big", "name": "big.v1.0.0", "image": "quay.io/example/big:v1", "properties": [
            {{"type": "olm.package", "value": {{"packageName": "big", "version": "1.0.0"}}}},
            {{"type": "olm.csv.metadata", "value": {{"displayName": "Big", "description": "{description}"}}}}]}}"#
        ),
    ];
    write(directory.path(), "big/catalog.json", catalog.join("\n"));
    let source = format!("big={}", directory.path().join("big").display());
    let server = Server::start(directory.path(), &[&source]);
    let question = b"\x0a\x03big\x12\x06stable\x1a\x0abig.v1.0.0";
    for _ in 0..3 {
        let (status, answer) = server.call("/api.Registry/GetBundle", question);
        assert!(status == "0" && answer.len() > 1_200_000, "{status} {}", answer.len());
    }
    let before = server.memory();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answers = runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(&server.grpc).await.unwrap();
        let (mut client, connection) = hyper::client::conn::http2::Builder::new(TokioExecutor::new())
            .initial_stream_window_size(0)
            .handshake(TokioIo::new(stream))
            .await
            .unwrap();
        tokio::spawn(connection);
        let frame = [&[0, 0, 0, 0, u8::try_from(question.len()).unwrap()], &question[..]].concat();
        let mut answers = Vec::new();
        for _ in 0..N_STREAMS {
            client.ready().await.unwrap();
            let request = hyper::Request::post(format!("http://{}/api.Registry/GetBundle", server.grpc))
                .header("content-type", "application/grpc")
                .body(Full::new(Bytes::from(frame.clone())))
                .unwrap();
            answers.push(client.send_request(request).await.unwrap());
        }
        answers
    });
    assert_well(&server);
    let grown = server.memory().saturating_sub(before);
    assert!(grown < 60, "{grown} MiB");
    assert_eq!(answers.len(), N_STREAMS);
    drop((answers, runtime));
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn ten_thousand_streams_on_one_connection_are_answered() {
    const N_STREAMS: usize = 10_000;
    let directory = scratch();
    let server = Server::start(directory.path(), &["shop=fixtures/shop/in"]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(&server.grpc).await.unwrap();
        let (client, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let asked = |n: usize| {
            let mut client = client.clone();
            let request = hyper::Request::post(format!("http://{}/api.Registry/GetPackage", server.grpc))
                .header("content-type", "application/grpc")
                .body(Full::new(Bytes::from_static(b"\0\0\0\0\x06\x0a\x04till")))
                .unwrap();
            async move {
                client.ready().await.unwrap();
                let response = client.send_request(request).await.unwrap();
                // Every tenth call ends before its answer is read.
                if n.is_multiple_of(10) {
                    return true;
                }
                let body = response.into_body().collect().await.unwrap();
                body.trailers().and_then(|it| it.get("grpc-status")).is_some_and(|it| it == "0")
            }
        };
        let mut tasks: tokio::task::JoinSet<bool> = tokio::task::JoinSet::new();
        for n in 0..N_STREAMS {
            if tasks.len() >= 400 {
                assert!(tasks.join_next().await.unwrap().unwrap());
            }
            tasks.spawn(asked(n));
        }
        while let Some(done) = tasks.join_next().await {
            assert!(done.unwrap());
        }
    });
    // Without this, the server would wait for a client that is gone.
    drop(runtime);
    assert_well(&server);
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn another_version_of_http_is_refused_as_the_real_server_does() {
    let directory = scratch();
    let server = Server::start(directory.path(), &["shop=fixtures/shop/in"]);
    for (line, status) in [
        ("GET /catalogs/shop/api/v1/all HTTP/2.0", "505 HTTP Version Not Supported: unsupported protocol version"),
        (
            "GET /catalogs/nope/api/v1/metas?foo=1 HTTP/0.9",
            "505 HTTP Version Not Supported: unsupported protocol version",
        ),
        ("POST / HTTP/9.9", "505 HTTP Version Not Supported: unsupported protocol version"),
        ("GET /catalogs/shop/api/v1/all HTTP/1.0", "200 OK"),
        ("GET /catalogs/shop/api/v1/all HTTP/2", "400 Bad Request"),
    ] {
        // The whole message, and two pieces, the second of which ends the version.
        for cut in [0, line.len() - 3] {
            let mut stream = TcpStream::connect(&server.http).unwrap();
            stream.set_nodelay(true).unwrap();
            stream.write_all(&line.as_bytes()[..cut]).unwrap();
            std::thread::sleep(Duration::from_millis(if cut > 0 { 50 } else { 0 }));
            stream.write_all(&line.as_bytes()[cut..]).unwrap();
            stream.write_all(b"\r\nHost: localhost\r\n\r\n").unwrap();
            let mut answer = Vec::new();
            stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
            let _ = stream.read_to_end(&mut answer);
            let answer = String::from_utf8_lossy(&answer);
            let found = answer.lines().next().unwrap_or_default();
            assert_eq!(found.split_once(' ').map(|it| it.1), Some(status), "{line}: {answer}");
            if status.starts_with("505") {
                assert!(
                    answer.ends_with("\r\n\r\n505 HTTP Version Not Supported: unsupported protocol version"),
                    "{answer}"
                );
                assert!(answer.to_lowercase().contains("connection: close"), "{answer}");
            }
        }
    }
    assert_well(&server);
}

#[test]
fn the_name_of_a_catalog_is_judged_before_parameters() {
    let directory = scratch();
    let server = Server::start(directory.path(), &["shop=fixtures/shop/in"]);
    let label = "invalid catalog name: a lowercase RFC 1123 subdomain must consist of ";
    let length = "invalid catalog name: must be no more than 253 characters";
    for (name, question, wanted) in [
        ("a".repeat(254), "all", length),
        ("a".repeat(254), "metas?nope=1", length),
        ("a".repeat(253), "metas?nope=1", "400 Bad Request"),
        ("a".repeat(253), "all", "404 Not Found"),
        (
            format!("A{}", "a".repeat(253)),
            "all",
            "invalid catalog name: must be no more than 253 characters; a lowercase RFC 1123 ",
        ),
        ("UP".to_owned(), "metas?nope=1", label),
        ("shop".to_owned(), "metas?nope=1", "400 Bad Request"),
    ] {
        let (_, body) = server.get(&format!("/catalogs/{name}/api/v1/{question}"), "");
        let body = String::from_utf8_lossy(body.as_ref()).into_owned();
        assert!(body.starts_with(wanted), "{name} {question}: {body}");
    }
}
