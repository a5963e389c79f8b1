//! `olmdex serve` with a certificate: what is encrypted, for whom, and what happens when the certificate is replaced.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::io::Write as _;
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

/// A certificate for this machine, which vouches for itself, and its key.
fn certificate() -> rcgen::CertifiedKey<rcgen::KeyPair> {
    rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap()
}

fn put(directory: &Path, pair: &rcgen::CertifiedKey<rcgen::KeyPair>) {
    write(directory, "tls.crt", pair.cert.pem());
    write(directory, "tls.key", pair.signing_key.serialize_pem());
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
    // The server may end the connection without the goodbye of TLS.
    let _ = stream.read_to_end(&mut answer).await;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[test]
fn both_protocols_are_encrypted_and_a_new_certificate_is_taken_without_a_restart() {
    let directory = scratch();
    let first = certificate();
    put(directory.path(), &first);
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (cert, key) = (path("tls.crt"), path("tls.key"));
    let server = Server::start(directory.path(), &["shop=fixtures/shop/in", "--tls-cert", &cert, "--tls-key", &key]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        assert!(health(&server.http, &first).await.unwrap().starts_with("HTTP/1.1 200"));
        let stream = connect(&server.grpc, &first, "h2").await.unwrap();
        assert_eq!(call_over(stream, "/api.Registry/ListPackages", b"", None).await.0, "0");
        // Who expects another server, or another protocol, gets nothing.
        assert!(health(&server.http, &certificate()).await.is_err());
        assert!(connect(&server.grpc, &first, "http/1.1").await.is_err());
    });
    // Neither does who speaks in plain text, or not at all.
    let _silent = std::net::TcpStream::connect(&server.grpc).unwrap();
    let mut plain = std::net::TcpStream::connect(&server.http).unwrap();
    plain.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = std::io::Read::read_to_end(&mut plain, &mut answer);
    assert!(!answer.starts_with(b"HTTP"));

    // Half of a new certificate changes nothing.
    let second = certificate();
    write(directory.path(), "tls.crt", second.cert.pem());
    std::thread::sleep(Duration::from_secs(1));
    runtime.block_on(async { assert!(health(&server.http, &first).await.is_ok()) });
    write(directory.path(), "tls.key", second.signing_key.serialize_pem());
    let until = Instant::now() + Duration::from_secs(10);
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
