//! `olmdex serve --feature-gates GraphQLCatalogQueries=true`: questions over HTTP, bodies that are long, slow or wrong,
//! and catalogs without a schema.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::server::Server;
use crate::support::{olmdex, scratch, write};

const GATE: &[&str] = &["--feature-gates", "GraphQLCatalogQueries=true"];
const TARGET: &str = "/catalogs/shop/api/v1/graphql";

fn ask(server: &Server, target: &str, body: &str) -> (String, String) {
    let length = format!("Content-Length: {}\r\n", body.len());
    let (head, body) = server.send_body("POST", target, "localhost", &length, body.as_bytes());
    (head.lines().next().unwrap().to_owned(), body)
}

#[test]
fn the_gate_opens_graphql_and_nothing_else() {
    let directory = scratch();
    let closed = Server::start(directory.path(), &["shop=fixtures/shop/in"]);
    assert_eq!(ask(&closed, TARGET, "{}"), ("HTTP/1.1 404 Not Found".to_owned(), "404 page not found\n".to_owned()));
    let server = Server::start(directory.path(), &[&["shop=fixtures/shop/in"], GATE].concat());
    for (target, body, status, answer) in [
        (TARGET, "{\"query\": \"{ olmpackages { name } }\"}", "200 OK", "{\"name\":\"till\"}"),
        (TARGET, "{\"query\": \"{ nope }\"}", "200 OK", "Unknown field \\\"nope\\\" on type \\\"Query\\\"."),
        (TARGET, "{}", "400 Bad Request", "Query cannot be empty\n"),
        (TARGET, "", "400 Bad Request", "Invalid request body\n"),
        ("/catalogs/nope/api/v1/graphql", "{\"query\": \"{ a }\"}", "404 Not Found", "404 Not Found\n"),
        ("/catalogs/nope/api/v1/graphql", "{\"query\": \"{ a\"}", "200 OK", "query parse error:"),
        ("/catalogs/UP/api/v1/graphql", "", "400 Bad Request", "invalid catalog name"),
    ] {
        let (head, found) = ask(&server, target, body);
        assert_eq!(head, format!("HTTP/1.1 {status}"), "{body}");
        assert!(found.contains(answer), "{body}: {found}");
    }
    let (head, body) = server.get(TARGET, "");
    assert!(
        head.starts_with("HTTP/1.1 405") && head.contains("allow: POST") && body == "Method Not Allowed\n",
        "{head}"
    );
    let (head, _) = server.send_body("POST", "/catalogs/shop/api/v1/all", "localhost", "Content-Length: 2\r\n", b"{}");
    assert!(head.starts_with("HTTP/1.1 405") && head.contains("allow: GET, HEAD"), "{head}");
    assert!(server.send("POST", TARGET, "evil.example", "").0.starts_with("HTTP/1.1 403"));
    let query = "{\"query\": \"{ __schema { types { name fields { name description } } } }\"}";
    let headers = format!("Accept-Encoding: gzip\r\nContent-Length: {}\r\n", query.len());
    let (head, _) = server.send_body("POST", TARGET, "localhost", &headers, query.as_bytes());
    assert!(head.contains("content-encoding: gzip") && head.contains("content-type: application/json"), "{head}");
}

#[test]
fn bodies_have_an_end() {
    let directory = scratch();
    let server = Server::start(directory.path(), &[&["shop=fixtures/shop/in"], GATE].concat());
    let long = format!("{{\"query\": \"{}\"}}", "x".repeat(8 << 20));
    let (head, body) = ask(&server, TARGET, &long);
    assert!(head.contains("400") && body == "Invalid request body\n", "{head} {body}");
    let chunked = "Transfer-Encoding: chunked\r\n";
    let body = b"1a\r\n{\"query\":\"{ __typename }\"}\r\n0\r\n\r\n";
    let (_, answer) = server.send_body("POST", TARGET, "localhost", chunked, body);
    assert!(answer.contains("{\"data\":{\"__typename\":\"Query\"}}"), "{answer}");
}

/// A client that does not send its body gets its answer after five seconds, and others get theirs before. On a busy
/// machine that may need more than one try.
#[test]
fn a_client_that_sends_no_body_delays_no_other_client() {
    let directory = scratch();
    let server = Server::start(directory.path(), &[&["shop=fixtures/shop/in"], GATE].concat());
    let is_first = |_| {
        let mut slow = TcpStream::connect(&server.http).unwrap();
        let head = "Host: localhost\r\nConnection: close\r\nContent-Length: 1000000";
        write!(slow, "POST {TARGET} HTTP/1.1\r\n{head}\r\n\r\n{{").unwrap();
        assert!(ask(&server, TARGET, "{\"query\": \"{ __typename }\"}").1.contains("Query"));
        slow.set_nonblocking(true).unwrap();
        let is_waiting = slow.peek(&mut [0]).is_err_and(|it| it.kind() == ErrorKind::WouldBlock);
        slow.set_nonblocking(false).unwrap();
        slow.set_read_timeout(Some(Duration::from_secs(50))).unwrap();
        let mut text = String::new();
        let _ = slow.read_to_string(&mut text);
        assert!(text.starts_with("HTTP/1.1 400") || text.is_empty(), "{text}");
        is_waiting
    };
    assert!((0..10).any(is_first), "the other client had to wait");
}

#[test]
fn a_catalog_with_a_collision_is_served_but_not_asked() {
    let directory = scratch();
    let blobs = "{\"schema\": \"a-b\", \"name\": \"x\"}\n{\"schema\": \"a.b\", \"name\": \"y\"}\n";
    write(directory.path(), "odd/catalog.json", blobs);
    let (odd, shop) = (format!("odd={}", directory.path().join("odd").display()), "shop=fixtures/shop/in");
    // Without gRPC, which refuses more catalogs.
    let mut child = Command::new(env!("CARGO_BIN_EXE_olmdex"))
        .args(["serve", shop, &odd, "--http", "127.0.0.1:0"])
        .args(GATE)
        .env("TMPDIR", directory.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let line = lines.find(|it| it.contains("HTTP on ")).unwrap();
    let http = line.split_once("HTTP on ").unwrap().1.to_owned();
    let post = |catalog: &str| {
        let mut stream = TcpStream::connect(&http).unwrap();
        let (body, head) = ("{\"query\": \"{ __typename }\"}", "Host: localhost\r\nConnection: close");
        let target = format!("/catalogs/{catalog}/api/v1/graphql");
        write!(stream, "POST {target} HTTP/1.1\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    };
    let refused = post("odd");
    assert!(refused.starts_with("HTTP/1.1 500") && refused.ends_with("500 Internal Server Error\n"), "{refused}");
    assert!(post("shop").ends_with("{\"data\":{\"__typename\":\"Query\"}}\n"));
    let warning = "failed to pre-build GraphQL schema for catalog \"odd\": error building GraphQL schema: type name collision: \
                   schemas \"a-b\" and \"a.b\" both sanitize to GraphQL type \"AB\"";
    assert!(lines.any(|it| it.contains(warning)));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn gates_that_are_not_known_are_named() {
    for (gate, says) in [
        ("Nope=true", "the gates are APIV1MetasHandler and GraphQLCatalogQueries"),
        ("GraphQLCatalogQueries", "has no value"),
        ("GraphQLCatalogQueries=2", "is neither `true` nor `false`"),
    ] {
        let answer = olmdex(["serve", "fixtures/shop/in", "--feature-gates", gate]).answer();
        assert!(answer.expect_code(2).err().contains(says), "{gate}");
    }
}
