//! `olmdex serve` with a certificate: encrypted connections, trust, and the replacement of the certificate.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use crate::support::server::{Server, call_over};
use crate::support::{olmdex, scratch, write};

/// A self-signed certificate for this machine, and its key.
fn certificate() -> rcgen::CertifiedKey<rcgen::KeyPair> {
    rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap()
}

fn put(directory: &Path, pair: &rcgen::CertifiedKey<rcgen::KeyPair>) {
    write(directory, "tls.crt", pair.cert.pem());
    write(directory, "tls.key", pair.signing_key.serialize_pem());
}

/// A server with the certificate in a directory.
fn serve(directory: &Path) -> Server {
    let [cert, key] = ["tls.crt", "tls.key"].map(|it| directory.join(it).to_str().unwrap().to_owned());
    Server::start(directory, &["shop=fixtures/shop/in", "--tls-cert", &cert, "--tls-key", &key])
}

/// A connection of a client that trusts one certificate and speaks one protocol.
async fn connect(
    address: &str,
    trusted: &rcgen::CertifiedKey<rcgen::KeyPair>,
    protocol: &str,
) -> std::io::Result<TlsStream<tokio::net::TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.cert.der().clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let stream = tokio::net::TcpStream::connect(address).await?;
    TlsConnector::from(Arc::new(config)).connect(ServerName::try_from("localhost").unwrap(), stream).await
}

async fn health(address: &str, trusted: &rcgen::CertifiedKey<rcgen::KeyPair>) -> std::io::Result<String> {
    let mut stream = connect(address, trusted, "http/1.1").await?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await?;
    let mut answer = Vec::new();
    // The server may end the connection without TLS's own goodbye.
    let _ = stream.read_to_end(&mut answer).await;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[test]
fn both_protocols_are_encrypted_and_a_new_certificate_is_taken_without_a_restart() {
    let directory = scratch();
    let first = certificate();
    put(directory.path(), &first);
    let server = serve(directory.path());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        assert!(health(&server.http, &first).await.unwrap().starts_with("HTTP/1.1 200"));
        let stream = connect(&server.grpc, &first, "h2").await.unwrap();
        assert_eq!(call_over(stream, "/api.Registry/ListPackages", b"", None).await.0, "0");
        // A client that expects another server, or another protocol, gets nothing.
        assert!(health(&server.http, &certificate()).await.is_err());
        assert!(connect(&server.grpc, &first, "http/1.1").await.is_err());
    });
    // A client that speaks in plain text, or not at all, gets nothing either.
    let _silent = std::net::TcpStream::connect(&server.grpc).unwrap();
    let mut plain = std::net::TcpStream::connect(&server.http).unwrap();
    plain.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = std::io::Read::read_to_end(&mut plain, &mut answer);
    assert!(!answer.starts_with(b"HTTP"));

    // A new certificate without its key changes nothing.
    let second = certificate();
    write(directory.path(), "tls.crt", second.cert.pem());
    std::thread::sleep(Duration::from_secs(1));
    runtime.block_on(async { assert!(health(&server.http, &first).await.is_ok()) });
    write(directory.path(), "tls.key", second.signing_key.serialize_pem());
    let until = Instant::now() + Duration::from_secs(60);
    while runtime.block_on(health(&server.http, &second)).is_err() {
        assert!(Instant::now() < until, "the new certificate is not used");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn files_that_are_no_certificate_are_refused_before_a_port_is_open() {
    let directory = scratch();
    put(directory.path(), &certificate());
    write(directory.path(), "other.key", certificate().signing_key.serialize_pem());
    write(directory.path(), "empty.crt", "nothing\n");
    write(directory.path(), "broken.crt", "-----BEGIN CERTIFICATE-----\n%%%\n-----END CERTIFICATE-----\n");
    for (cert, key, words) in [
        ("tls.crt", "other.key", "not the key of "),
        ("empty.crt", "tls.key", "no certificate in it"),
        ("broken.crt", "tls.key", "not a certificate as PEM"),
        ("tls.crt", "tls.crt", "no private key in it"),
        ("missing.crt", "tls.key", "missing.crt"),
    ] {
        let (cert, key) = (directory.path().join(cert), directory.path().join(key));
        let run = olmdex(["serve", "fixtures/shop/in", "-p", "0", "--tls-cert"]).arg(&cert).arg("--tls-key").arg(&key);
        run.answer().expect_code(3).expect_words(words);
    }
    olmdex(["serve", "fixtures/shop/in", "-p", "0", "--tls-cert", "tls.crt"])
        .answer()
        .expect_code(2)
        .expect_words("--tls-key");
}

/// A certificate that is valid between two years.
fn certificate_of(from: i32, to: i32) -> rcgen::CertifiedKey<rcgen::KeyPair> {
    let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    (params.not_before, params.not_after) = (rcgen::date_time_ymd(from, 1, 1), rcgen::date_time_ymd(to, 1, 1));
    let signing_key = rcgen::KeyPair::generate().unwrap();
    rcgen::CertifiedKey { cert: params.self_signed(&signing_key).unwrap(), signing_key }
}

/// A server with the certificate of a directory, and its messages, line by line.
struct Talking {
    child: std::process::Child,
    lines: std::io::Lines<BufReader<std::process::ChildStderr>>,
}

impl Talking {
    fn start(directory: &Path) -> Self {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_olmdex"))
            .args(["serve", "fixtures/shop/in", "--http", "127.0.0.1:0", "--tls-cert"])
            .arg(directory.join("tls.crt"))
            .arg("--tls-key")
            .arg(directory.join("tls.key"))
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The first line with these words.
    fn says(&mut self, words: &str) -> String {
        self.lines.by_ref().map_while(Result::ok).find(|it| it.contains(words)).unwrap_or_else(|| panic!("{words}"))
    }
}

impl Drop for Talking {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_certificate_whose_time_is_over_or_to_come_is_told() {
    let directory = scratch();
    for (from, to, words) in
        [(2001, 2002, "it has expired on 2002-01-01"), (2199, 2200, "it is not valid before 2199-01-01")]
    {
        put(directory.path(), &certificate_of(from, to));
        let mut server = Talking::start(directory.path());
        server.says("HTTP on ");
        let said = server.says("certificate");
        assert_eq!(said, format!("warning: clients will refuse the certificate: {words}"));
    }
    // A damaged file does not replace a certificate; an expired certificate does, as it may be the only one.
    put(directory.path(), &certificate());
    let mut server = Talking::start(directory.path());
    server.says("HTTP on ");
    let put_away = |name: &str| std::fs::remove_file(directory.path().join(name)).unwrap();
    put_away("tls.crt");
    std::fs::create_dir(directory.path().join("tls.crt")).unwrap();
    server.says("warning: keeping the old certificate: cannot read ");
    std::fs::remove_dir(directory.path().join("tls.crt")).unwrap();
    make_fifo(&directory.path().join("tls.crt"));
    server.says("warning: keeping the old certificate: cannot read ");
    put_away("tls.crt");
    put(directory.path(), &certificate_of(2001, 2002));
    server.says("warning: clients will refuse the certificate: it has expired on 2002-01-01");
}

fn make_fifo(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn files_that_are_no_files_are_refused_before_a_port_is_open() {
    let directory = scratch();
    put(directory.path(), &certificate());
    let path = |name: &str| directory.path().join(name);
    std::fs::create_dir(path("directory")).unwrap();
    make_fifo(&path("fifo"));
    std::os::unix::fs::symlink("/dev/zero", path("device")).unwrap();
    std::os::unix::fs::symlink("loop", path("loop")).unwrap();
    std::fs::File::create(path("large")).unwrap().set_len(2 << 20).unwrap();
    for odd in ["directory", "fifo", "device", "loop", "large"] {
        for (cert, key) in [(odd, "tls.key"), ("tls.crt", odd)] {
            let run = olmdex(["serve", "fixtures/shop/in", "-p", "0", "--tls-cert"]);
            run.arg(path(cert)).arg("--tls-key").arg(path(key)).answer().expect_code(3).expect_words(odd);
        }
    }
}

/// The beginning of a ClientHello: half of the bytes that its header promises.
const HALF_HELLO: [u8; 43] = {
    let mut bytes = [7; 43];
    let head = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3];
    let mut at = 0;
    while at < head.len() {
        bytes[at] = head[at];
        at += 1;
    }
    bytes
};

#[test]
fn handshakes_that_stop_halfway_keep_nobody_out_and_end_in_time() {
    const CROWD: usize = 1_100;
    let directory = scratch();
    let trusted = certificate();
    put(directory.path(), &trusted);
    let server = serve(directory.path());
    crate::serving_attacked::run(async {
        let mut crowd = Vec::new();
        for n in 0..CROWD {
            let address = if n % 2 == 0 { &server.grpc } else { &server.http };
            let from = format!("127.0.{}.1", if n % 3 == 0 { 0 } else { n % 200 });
            let mut stream = crate::serving_attacked::connect(address, &from, None).await;
            // Nothing, a part of the header, a part of the hello, or other bytes.
            let beginning: &[u8] = match n % 8 {
                0 => b"",
                1 => &HALF_HELLO[..3],
                2 => b"\x16\x03\x01\xff\xff\x01",
                _ => &HALF_HELLO,
            };
            let _ = stream.write_all(beginning).await;
            crowd.push(stream);
        }
        // One client goes on, a byte at a time: the limit is for the whole handshake, not for each part of it.
        let mut slow = crate::serving_attacked::connect(&server.http, "127.0.0.1", None).await;
        slow.write_all(&HALF_HELLO).await.unwrap();
        let dripping = tokio::spawn(async move {
            let mut said = [0; 1];
            loop {
                let wait = Duration::from_millis(100);
                match tokio::time::timeout(wait, slow.read(&mut said)).await {
                    Ok(Ok(0) | Err(_)) => return,
                    Ok(Ok(_)) => {}
                    Err(_) => drop(slow.write_all(&[0]).await),
                }
            }
        });
        assert!(health(&server.http, &trusted).await.unwrap().starts_with("HTTP/1.1 200"));
        // The answer does not wait until the server gives the others up, after five seconds; one in eight is no
        // handshake and has been refused.
        let n_ended = crate::serving_attacked::n_ended(&mut crowd).await;
        assert!(n_ended < CROWD / 2, "{n_ended} others were ended before there was an answer");
        assert!(server.memory() < crate::serving_attacked::MAX_MEMORY, "{} MiB", server.memory());
        let stream = connect(&server.grpc, &trusted, "h2").await.unwrap();
        assert_eq!(call_over(stream, "/api.Registry/ListPackages", b"", None).await.0, "0");
        for stream in &mut crowd {
            let mut rest = Vec::new();
            // Five seconds are expected.
            assert!(tokio::time::timeout(Duration::from_secs(50), stream.read_to_end(&mut rest)).await.is_ok());
        }
        assert!(tokio::time::timeout(Duration::from_secs(50), dripping).await.is_ok());
    });
    assert_eq!(server.terminate(), Some(0));
}

#[test]
#[ignore = "needs openssl"]
fn a_connection_is_not_negotiated_again() {
    let directory = scratch();
    let trusted = certificate();
    put(directory.path(), &trusted);
    let server = serve(directory.path());
    let mut client = std::process::Command::new("openssl")
        .args(["s_client", "-tls1_2", "-connect", &server.http])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = client.stdin.take().unwrap();
    // The client negotiates again when it reads an R.
    for _ in 0..100 {
        let _ = input.write_all(b"R\n");
    }
    let told = client.wait_with_output().unwrap();
    let told = format!("{}{}", String::from_utf8_lossy(&told.stdout), String::from_utf8_lossy(&told.stderr));
    assert!(told.contains("RENEGOTIATING") && told.contains("no renegotiation"), "{told}");
    drop(input);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { assert!(health(&server.http, &trusted).await.unwrap().starts_with("HTTP/1.1 200")) });
    assert_eq!(server.terminate(), Some(0));
}
