//! `olmdex serve`: started on free ports, asked over both protocols, given another index, and ended.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use olmdex::yaml;

use crate::support::server::Server;
use crate::support::{olmdex, scratch, write};

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|it| it == text.as_bytes())
}

#[test]
fn a_catalog_is_served_over_both_protocols_until_it_is_told_to_end() {
    let scratch = scratch();
    let server = Server::start(scratch.path(), &["shop=fixtures/shop/in"]);
    let (status, names) = server.call("/api.Registry/ListPackages", b"");
    assert_eq!(status, "0");
    assert!(holds(&names, "till") && holds(&names, "ledger"));
    // Field 1, `till`.
    let (status, package) = server.call("/api.Registry/GetPackage", b"\x0a\x04till");
    assert!(status == "0" && holds(&package, "candidate"));
    assert_eq!(server.call("/api.Registry/GetPackage", b"\x0a\x04nope").0, "2");
    assert_eq!(server.call("/api.Registry/Nope", b"").0, "12");
    assert_eq!(server.call("/grpc.health.v1.Health/Check", b""), ("0".to_owned(), b"\0\0\0\0\x02\x08\x01".to_vec()));
    assert_eq!(server.call("/api.Registry/ListBundles", b"").0, "0");

    let (head, body) = server.get("/catalogs/shop/api/v1/metas?schema=olm.package&name=till", "");
    assert!(head.starts_with("HTTP/1.1 200 OK"));
    assert!(body.ends_with("\"name\":\"till\",\"schema\":\"olm.package\"}\n") && body.lines().count() == 1);
    let (head, _) = server.get("/catalogs/shop/api/v1/all", "");
    let tag = head.lines().find_map(|it| it.strip_prefix("etag: ")).unwrap().to_owned();
    let (head, body) = server.get("/catalogs/shop/api/v1/all", &format!("If-None-Match: {tag}\r\n"));
    assert!(head.starts_with("HTTP/1.1 304") && body.is_empty());
    let (head, _) = server.get("/catalogs/shop/api/v1/all", "Accept-Encoding: gzip\r\n");
    assert!(head.contains("content-encoding: gzip"));
    assert!(server.get("/catalogs/../../etc/passwd", "").0.starts_with("HTTP/1.1 307"));
    assert!(server.get("/healthz", "").1.contains("ok"));
    assert!(server.get("/metrics", "").1.contains("olmdex_grpc_calls_total 6"));
    assert_eq!(server.terminate(), Some(0));
}

/// The advice about a taken port names the option that chose it.
#[test]
fn a_taken_port_is_told_with_its_option() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (own, other) in [("--http", "--port"), ("--port", "--http")] {
        let answer = olmdex(["serve", "fixtures/shop/in", own, &port, other, "0", "--listen", "127.0.0.1"]).answer();
        answer.expect_code(3).expect_words(&format!("choose another port with `{own}`"));
    }
}

/// Go keeps a `#` of an address, and has reasons of its own.
#[test]
fn addresses_and_reasons_are_those_of_go() {
    let scratch = scratch();
    let server = Server::start(scratch.path(), &["shop=fixtures/shop/in"]);
    let metas = "/catalogs/shop/api/v1/metas?schema=olm.package&name=till";
    for (target, n_lines) in [(metas.to_owned(), 1), (format!("{metas}#x"), 0), (format!("{metas}%23x"), 0)] {
        let (head, body) = server.get(&target, "");
        assert!(head.starts_with("HTTP/1.1 200 OK") && body.lines().count() == n_lines, "{target}: {body}");
    }
    // The second request of a connection is read alike.
    let mut stream = TcpStream::connect(&server.http).unwrap();
    for (target, close) in [(metas.to_owned(), "keep-alive"), (format!("{metas}#x"), "close")] {
        write!(stream, "GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: {close}\r\n\r\n").unwrap();
        if close == "keep-alive" {
            let mut some = [0; 4096];
            let n = stream.read(&mut some).unwrap();
            assert!(holds(&some[..n], "\"name\":\"till\""));
        }
    }
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(holds(&rest, "200 OK") && !holds(&rest, "till"), "{}", String::from_utf8_lossy(&rest));
    for range in ["bytes=5-1", "bytes=99999999-"] {
        let (head, _) = server.get("/catalogs/shop/api/v1/all", &format!("Range: {range}\r\n"));
        assert!(head.starts_with("HTTP/1.1 416 Requested Range Not Satisfiable"), "{head}");
    }
    let mut stream = TcpStream::connect(&server.http).unwrap();
    write!(stream, "GET {metas} HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request: missing required Host header"), "{answer}");
}

#[test]
fn manifests_are_whole_and_name_the_sources_of_clusters() {
    let directory = scratch();
    let index = directory.path().join("index.db");
    let sources = ["community-v4.20=fixtures/shop/in", "own=fixtures/shop/in"];
    olmdex(["build", "-q", sources[0], sources[1], "-O"]).arg(&index).answer().expect_code(0);
    // Each catalog would have a port of its own.
    let server = Server::start(directory.path(), &[index.to_str().unwrap(), "--catalog", "own"]);
    let kinds = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.strip_prefix("kind: ")).map(str::to_owned).collect()
    };
    let file = |words: &str| {
        let (head, text) = server.get(&format!("/p/till/install.yaml?{words}"), "");
        assert!(head.starts_with("HTTP/1.1 200") && head.contains("application/yaml"), "{head}");
        text
    };
    let classic = file("catalog=community-v4.20");
    assert!(classic.contains("  source: community-operators\n  sourceNamespace: openshift-marketplace\n"), "{classic}");
    assert_eq!(kinds(&classic).last().map(String::as_str), Some("Subscription"), "{classic}");
    let own = file("catalog=own&channel=stable");
    assert!(own.contains("  source: own # the CatalogSource of this catalog on your cluster\n"), "{own}");
    let v1 = file("catalog=community-v4.20&olm=v1");
    assert_eq!(kinds(&v1), ["Namespace", "ServiceAccount", "ClusterRoleBinding", "ClusterExtension"], "{v1}");
    assert_eq!(yaml::split(v1.as_bytes(), 1).filter(Result::is_ok).count(), 4, "{v1}");
    assert!(server.get("/p/till/install.yaml?channel=nothing", "").0.starts_with("HTTP/1.1 404"));
    let page = server.get("/p/till/install?catalog=community-v4.20", "").1;
    assert!(page.contains("/p/till/install.yaml?") && page.contains("kind: ClusterRoleBinding"), "{page}");
}

#[test]
fn pages_are_beside_the_paths_of_catalogd() {
    let directory = scratch();
    let index = directory.path().join("index.db");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let shop = format!("shop={}", fixtures.join("shop/in").display());
    olmdex(["build", "-q", &shop, "-o"]).arg(&index).answer().expect_code(0);
    let server = Server::start(directory.path(), &[index.to_str().unwrap(), "--host", "catalogs.example"]);
    let (head, body) = server.get("/p/till", "");
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("content-security-policy: default-src 'none'"), "{head}");
    assert!(
        body.contains("<h1 dir=\"auto\">Till</h1>") && body.contains("olmdex show till -i PATH/TO/index.db"),
        "{body}"
    );
    let (head, _) = server.get("/p/till", "Accept-Encoding: gzip\r\n");
    assert!(head.contains("content-encoding: gzip"), "{head}");
    let tag = head.lines().find_map(|it| it.strip_prefix("etag: ")).unwrap().to_owned();
    let (head, body) = server.get("/p/till", &format!("Accept-Encoding: gzip\r\nIf-None-Match: {tag}\r\n"));
    assert!(head.starts_with("HTTP/1.1 304") && body.is_empty(), "{head}\n{body}");
    let (head, body) = server.send("HEAD", "/p/till", "localhost", "");
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("content-length: ") && body.is_empty(), "{head}\n{body}");
    assert!(server.send("GET", "/p/till", "catalogs.example:80", "").0.starts_with("HTTP/1.1 200"));
    // A site whose host name points here must not read the pages.
    let all =
        ["/", "/p/till", "/p/till.json", "/style.css", "/healthz", "/metrics", "/catalogs/shop/api/v1/all", "/nothing"];
    for target in all {
        for host in ["evil.example", "127.0.0.1:80@evil.example", "[::1", "localhost\r\nHost: evil.example"] {
            let (head, body) = server.send("GET", target, host, "");
            let is_refused = head.starts_with("HTTP/1.1 403") || head.starts_with("HTTP/1.1 400");
            assert!(is_refused && !body.contains("till"), "{target} {host}: {head}");
        }
        for host in ["[::1]", "[::1]:8080", "10.1.2.3", "localhost:1"] {
            let (head, _) = server.send("GET", target, host, "");
            assert!(!head.starts_with("HTTP/1.1 40") || target == "/nothing", "{target} {host}: {head}");
        }
    }
    // The address of a request counts more than the header.
    let refused = server.send("GET", "http://evil.example/healthz", "localhost", "").0;
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    assert!(server.get("/packages?q=", "").0.contains("location: /packages"));
    assert!(server.get("//p/till", "").0.starts_with("HTTP/1.1 307"));
    assert!(server.get("/catalogs/shop/api/v1/nothing", "").1.contains("404 page not found"));
    let metrics = server.get("/metrics", "").1;
    for line in [
        "olmdex_catalogs 1",
        "olmdex_bundles ",
        "olmdex_pages_total ",
        "olmdex_answer_seconds_bucket{kind=\"page\",le=\"+Inf\"} ",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    assert_eq!(server.terminate(), Some(0));

    let server = Server::start(directory.path(), &[index.to_str().unwrap(), "--no-pages"]);
    assert!(server.get("/p/till", "").1.contains("404 page not found"));
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn scripts_of_one_origin_may_read_answers_if_it_is_named() {
    let directory = scratch();
    let index = directory.path().join("index.db");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let shop = format!("shop={}", fixtures.join("shop/in").display());
    olmdex(["build", "-q", &shop, "-o"]).arg(&index).answer().expect_code(0);
    let index = index.to_str().unwrap();
    let allowed = "access-control-allow-origin: https://portal.example.com";
    let server = Server::start(directory.path(), &[index, "--cors", "https://portal.example.com"]);
    for target in ["/p/till.json", "/catalogs/shop/api/v1/all", "/p/till/badge.svg", "/nothing"] {
        let (head, _) = server.get(target, "Origin: https://portal.example.com\r\n");
        assert!(head.contains(allowed) && !head.contains("resource-policy: same-origin"), "{target}: {head}");
    }
    // A feed has the name by which the site was asked.
    let (_, feed) = server.send("GET", "/p/till/feed.atom", "localhost:8080", "X-Forwarded-Proto: https\r\n");
    assert!(feed.contains("href=\"https://localhost:8080/p/till\""), "{feed}");
    assert_eq!(server.terminate(), Some(0));
    let server = Server::start(directory.path(), &[index]);
    assert!(!server.get("/p/till.json", "").0.contains("access-control"));
    assert_eq!(server.terminate(), Some(0));
    for origin in ["portal.example.com", "https://portal.example.com/", "https://a b", "null", ""] {
        let answer = olmdex(["serve", index, "--http", "127.0.0.1:0", "--cors", origin]).answer();
        answer.expect_code(2).expect_words("as a browser sends it");
    }
}

#[test]
fn an_index_that_is_replaced_brings_new_answers() {
    let scratch = scratch();
    let index = scratch.path().join("index.db");
    let index = index.to_str().unwrap();
    olmdex(["build", "shop=fixtures/shop/in", "-o", index]).answer().expect_code(0);
    let server = Server::start(scratch.path(), &[index]);
    assert!(server.get("/catalogs/bell/api/v1/all", "").0.starts_with("HTTP/1.1 404"));
    write(scratch.path(), "bell/bell.yaml", "schema: example.bell\nname: ding\n");
    let bell = format!("bell={}", scratch.path().join("bell").display());
    olmdex(["build", &bell, "-o", index]).answer().expect_code(0);
    let until = Instant::now() + Duration::from_secs(60);
    while !server.get("/catalogs/bell/api/v1/all", "").1.contains("ding") {
        assert!(Instant::now() < until, "the new catalog is not served");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(server.call("/api.Registry/ListPackages", b"").0, "0");
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn a_catalog_with_errors_is_not_served() {
    let scratch = scratch();
    write(scratch.path(), "bad/bad.yaml", "schema: olm.package\nname: till\n");
    let bad = scratch.path().join("bad");
    olmdex(["serve", bad.to_str().unwrap(), "-p", "0"])
        .answer()
        .expect_code(1)
        .expect_words("default channel must be set");
}

/// glibc keeps the memory of long answers unless its variables forbid it, and only the environment can set them.
#[test]
fn the_image_and_the_manifests_give_memory_of_long_answers_back() {
    let read = |path: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let (image, manifest) = (read("packaging/Containerfile"), read("packaging/kubernetes/deployment.yaml"));
    let guide = read("docs/platform-team.md");
    for (name, value) in
        [("MALLOC_ARENA_MAX", "2"), ("MALLOC_MMAP_THRESHOLD_", "131072"), ("MALLOC_TRIM_THRESHOLD_", "524288")]
    {
        assert!(image.contains(&format!("{name}={value}")), "{name} in the image");
        assert!(
            manifest.contains(&format!("- name: {name}\n          value: \"{value}\"\n")),
            "{name} in the manifest"
        );
        assert!(guide.contains(&format!("{name}={value}")), "{name} in the guide");
    }
}

/// The `Last-Modified` header of a catalog.
fn last_modified(server: &Server, catalog: &str) -> String {
    let (head, _) = server.get(&format!("/catalogs/{catalog}/api/v1/all"), "");
    let line = head.lines().find_map(|it| it.to_lowercase().starts_with("last-modified: ").then(|| it.to_owned()));
    line.unwrap_or_else(|| panic!("no Last-Modified: {head}")).split_once(": ").unwrap().1.to_owned()
}

#[test]
fn replicas_and_restarts_agree_about_when_a_catalog_was_made() {
    let directory = scratch();
    let catalog = directory.path().join("shop");
    std::fs::create_dir(&catalog).unwrap();
    let at = |seconds| std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    for (name, seconds) in [("till.yaml", 1_787_220_000), ("ledger.yaml", 1_787_220_060)] {
        let package = name.trim_end_matches(".yaml");
        let text = format!(
            "schema: olm.package\nname: {package}\ndefaultChannel: s\n---\nschema: olm.channel\npackage: {package}\nname: s\n\
             entries: [{{name: {package}.v1}}]\n---\nschema: olm.bundle\npackage: {package}\nname: {package}.v1\nimage: \
             quay.io/shop/{package}:v1\nproperties: [{{type: olm.package, value: {{packageName: {package}, version: 1.0.0}}}}]\n"
        );
        let path = write(&catalog, name, text.as_bytes());
        std::fs::File::options().write(true).open(path).unwrap().set_modified(at(seconds)).unwrap();
    }
    let source = format!("shop={}", catalog.display());
    let newest = "Thu, 20 Aug 2026 10:01:00 GMT";
    for _ in 0..2 {
        let server = Server::start(directory.path(), &[&source]);
        assert_eq!(last_modified(&server, "shop"), newest);
        // A cache that the first replica filled is valid for the second.
        let (head, _) = server.get("/catalogs/shop/api/v1/all", &format!("If-Modified-Since: {newest}\r\n"));
        assert!(head.starts_with("HTTP/1.1 304"), "{head}");
        // catalogd answers a date that it cannot read with an error and the documents after it.
        for (endpoint, status, begins) in [("metas", "500", "500 Internal Server Error\n{"), ("all", "200", "{")] {
            let (head, body) =
                server.get(&format!("/catalogs/shop/api/v1/{endpoint}"), "If-Modified-Since: yesterday\r\n");
            assert!(head.starts_with(&format!("HTTP/1.1 {status}")) && body.starts_with(begins), "{head}\n{body}");
            assert!(head.to_lowercase().contains(&format!("content-length: {}", body.len())), "{head}");
        }
    }
    // The variable takes precedence, but not over the time of an index.
    let variable = Some(("SOURCE_DATE_EPOCH", "1700000000"));
    let server = Server::start_in(directory.path(), &[&source], variable);
    assert_eq!(last_modified(&server, "shop"), "Tue, 14 Nov 2023 22:13:20 GMT");
    let index = directory.path().join("index.db");
    olmdex(["build", &source, "-o"]).arg(&index).answer().expect_code(0);
    std::fs::File::options().write(true).open(&index).unwrap().set_modified(at(1_787_220_120)).unwrap();
    let server = Server::start_in(directory.path(), &[index.to_str().unwrap()], variable);
    assert_eq!(last_modified(&server, "shop"), "Thu, 20 Aug 2026 10:02:00 GMT");
    // An image has the time at which it was made.
    let image = format!("oci:{}:v1", directory.path().join("image").display());
    let push = olmdex(["push", catalog.to_str().unwrap(), &image]).env("SOURCE_DATE_EPOCH", "1600000000").answer();
    push.expect_code(0);
    let server = Server::start(directory.path(), &[&format!("shop={image}")]);
    assert_eq!(last_modified(&server, "shop"), "Sun, 13 Sep 2020 12:26:40 GMT");
    // A removed file leaves no time: the catalogs are still newer than those that they replace.
    let server = Server::start(directory.path(), &[&source]);
    assert_eq!(last_modified(&server, "shop"), newest);
    std::fs::remove_file(catalog.join("till.yaml")).unwrap();
    server.hang_up();
    let changed = || last_modified(&server, "shop") != newest;
    assert!((0..1_200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        changed()
    }));
}
