//! Images in registries: how they are fetched, harm that they could do, and the data that registries get from us.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use olmdex::oci::registry::{HttpOptions, Registries, RegistryOptions};

use crate::support::image::{CONFIGS, Layer, image};
use crate::support::registry::{Registry, Response, answer, certified};
use crate::support::{Answer, Run, olmdex, scratch, write};

const TILL: &str = "schema: olm.package\nname: till\n";

type Blobs = (std::collections::BTreeMap<String, Vec<u8>>, String, usize);

fn till() -> Blobs {
    image((CONFIGS, "/configs"), &[Layer::new().file("configs/till.yaml", TILL).finish()])
}

/// A run in a home of its own.
fn run(home: &Path, args: &[&str]) -> Run {
    let home = home.to_str().unwrap();
    let run = olmdex(args).env("HOME", home).env("XDG_CACHE_HOME", &format!("{home}/cache"));
    let run = run.env("XDG_RUNTIME_DIR", &format!("{home}/run")).env("XDG_CONFIG_HOME", &format!("{home}/config"));
    run.env("OLMDEX_TEST_RETRY_MS", "1").env("CONTAINERS_REGISTRIES_CONF", &format!("{home}/registries.conf"))
}

fn render(home: &Path, source: &str) -> Answer {
    run(home, &["render", "--plain-http", source]).answer()
}

#[test]
fn an_image_in_a_registry_is_a_source_and_is_fetched_once() {
    let home = scratch();
    let registry = Registry::start();
    let digest = registry.add("org/till", "v1", till());
    let tag = registry.name("org/till:v1");
    assert!(render(home.path(), &tag).expect_code(0).out().contains("till"));
    assert!(registry.requests().iter().all(|it| it.header("authorization").is_empty()));
    registry.forget_requests();
    // The tag still names the same image.
    render(home.path(), &tag).expect_code(0);
    let again: Vec<_> = registry.requests().into_iter().map(|it| it.method).collect();
    assert_eq!(again, ["HEAD"]);
    registry.forget_requests();
    for source in [tag.clone(), registry.name(&format!("org/till@{digest}"))] {
        run(home.path(), &["render", "--offline", "--plain-http", &source]).answer().expect_code(0);
    }
    // A digest names the same for ever.
    render(home.path(), &registry.name(&format!("org/till@{digest}"))).expect_code(0);
    assert!(registry.requests().is_empty());
    let other = registry.name("org/other:v1");
    run(home.path(), &["render", "--offline", "--plain-http", &other])
        .answer()
        .expect_code(3)
        .expect_words("is not in the cache");
    // The tag moves on.
    let moved = image(
        (CONFIGS, "/configs"),
        &[Layer::new().file("configs/b.yaml", "schema: olm.package\nname: bell\n").finish()],
    );
    registry.add("org/till", "v1", moved);
    assert!(render(home.path(), &tag).expect_code(0).out().contains("bell"));
    render(home.path(), &registry.name("org/nothing:v1")).expect_code(3).expect_words("no image `");
}

#[test]
fn a_build_of_an_image_that_is_the_same_asks_once() {
    const SMALLEST: &str = include_str!("../../fixtures/catalogs/smallest/catalog.yaml");
    let catalog = |text: &str| {
        let layer = Layer::new().file("configs/catalog.yaml", text).finish();
        image((CONFIGS, "/configs"), &[layer])
    };
    let home = scratch();
    let registry = Registry::start();
    let first = registry.add("org/shop", "v1", catalog(SMALLEST));
    let tag = registry.name("org/shop:v1");
    let index = home.path().join("index.db");
    let build = |name: &str, source: &str, more: &[&str]| {
        let output = index.to_str().unwrap();
        let named = format!("{name}={source}");
        let args = [&["build", "-v", "--plain-http", &named, "-o", output], more].concat();
        registry.forget_requests();
        let answer = run(home.path(), &args).answer();
        answer.expect_code(0);
        answer
    };
    let methods = || registry.requests().into_iter().map(|it| it.method).collect::<Vec<_>>();
    let info = || run(home.path(), &["info", index.to_str().unwrap()]).answer().expect_code(0).out();
    build("shop", &tag, &[]);
    assert!(info().contains(&first));
    let again = build("shop", &tag, &[]);
    again.expect_words("the index already has this image").expect_words("index.db is up to date");
    assert_eq!(methods(), ["HEAD"]);
    // Not even the blobs in the cache are read.
    std::fs::remove_dir_all(home.path().join("cache/olmdex/blobs")).unwrap();
    build("shop", &registry.name(&format!("org/shop@{first}")), &[]).expect_words("wrote");
    build("shop", &tag, &["--verify"]).expect_words("read 1 file");
    build("shop", &tag, &[]).expect_words("the index already has this image");
    // Another name, other labels and other content make another catalog.
    build("other", &tag, &[]).expect_words("wrote");
    build("shop", &tag, &["--label", "shop:team=a"]).expect_words("wrote");
    let second = registry.add("org/shop", "v1", catalog(&format!("{SMALLEST}---\nschema: more\n")));
    build("shop", &tag, &[]).expect_words("wrote");
    let text = info();
    assert!(text.contains(&first) && text.contains(&second), "{text}");
    // A copy of a catalog knows its image and can be read.
    let copy = home.path().join("copy.db");
    let copied = || {
        let args = ["build", "-v", index.to_str().unwrap(), "-o", copy.to_str().unwrap()];
        run(home.path(), &args).answer()
    };
    copied().expect_code(0);
    copied().expect_code(0).expect_words("up to date").expect_words("read 1 file");
    let json = run(home.path(), &["info", copy.to_str().unwrap(), "-o", "json"]).answer().expect_code(0).out();
    assert!(json.contains(&format!("\"image\": \"{second}\"")), "{json}");
}

#[test]
fn servers_show_who_they_are_and_may_ask_it_of_us() {
    let key = || rcgen::KeyPair::generate().unwrap();
    let named = |name: &str| rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
    let mut of_authority = rcgen::CertificateParams::default();
    of_authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let authority_key = key();
    let authority = of_authority.self_signed(&authority_key).unwrap();
    let issuer = rcgen::Issuer::from_params(&of_authority, &authority_key);
    let (server_key, client_key) = (key(), key());
    let server = named("127.0.0.1").signed_by(&server_key, &issuer).unwrap();
    let client = named("client").signed_by(&client_key, &issuer).unwrap();
    let provider = || Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        || rustls::ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions().unwrap();
    let pair = || (vec![server.der().clone()], rustls::pki_types::PrivatePkcs8KeyDer::from(server_key.serialize_der()));
    let (chain, key) = pair();
    let open = Registry::start_with_tls(builder().with_no_client_auth().with_single_cert(chain, key.into()).unwrap());
    let mut roots = rustls::RootCertStore::empty();
    roots.add(authority.der().clone()).unwrap();
    let verifier = rustls::server::WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider());
    let (chain, key) = pair();
    let asking = builder().with_client_cert_verifier(verifier.build().unwrap()).with_single_cert(chain, key.into());
    let asking = Registry::start_with_tls(asking.unwrap());
    for registry in [&open, &asking] {
        registry.add("org/till", "v1", till());
    }
    let home = scratch();
    let render = |registry: &Registry, more: &[&str]| {
        let name = registry.name("org/till:v1");
        let args = [&["render", name.as_str()], more].concat();
        run(home.path(), &args).answer()
    };
    // An unknown certificate is not trusted, unless an option asks for it.
    render(&open, &[]).expect_code(3).expect_words("certificate");
    assert!(open.requests().is_empty());
    render(&open, &["--tls-verify=false"]).expect_code(0);
    let place = |registry: &Registry, name: &str| format!("config/containers/certs.d/{}/{name}", registry.address);
    for registry in [&open, &asking] {
        write(home.path(), &place(registry, "ca.crt"), authority.pem());
    }
    render(&open, &[]).expect_code(0);
    render(&asking, &[]).expect_code(3);
    assert!(asking.requests().is_empty());
    write(home.path(), &place(&asking, "client.cert"), client.pem());
    render(&asking, &[]).expect_code(3).expect_words("client.key");
    write(home.path(), &place(&asking, "client.key"), client_key.serialize_pem());
    render(&asking, &[]).expect_code(0);
    // The certificate must have the right name, and a connection without TLS is refused.
    let other = named("other.example.com").signed_by(&server_key, &issuer).unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(server_key.serialize_der());
    let other = builder().with_no_client_auth().with_single_cert(vec![other.der().clone()], key.into()).unwrap();
    let other = Registry::start_with_tls(other);
    write(home.path(), &place(&other, "ca.crt"), authority.pem());
    render(&other, &[]).expect_code(3).expect_words("certificate");
    render(&Registry::start(), &[]).expect_code(3);
    render(&open, &["--plain-http"]).expect_code(3);
}

#[test]
fn names_that_are_none_reach_no_network() {
    let home = scratch();
    for (name, words) in [
        ("catalog:v1", "name the registry too: `docker://docker.io/catalog:v1`"),
        ("quay.io/Org/x", "is not a repository"),
        ("quay.io/org/x:a b", "is not a tag"),
        ("quay.io/org/x@sha256:12", "is not a digest"),
        ("user:pass@quay.io/x", "is not a digest"),
    ] {
        render(home.path(), &format!("docker://{name}")).expect_code(3).expect_words(words);
    }
}

/// Every lie of a registry ends in an error message, and leaves nothing wrong in the cache.
#[test]
fn a_registry_that_lies_is_not_believed() {
    type Lie = fn(&mut Response);
    let cases: [(&str, Lie, &str); 6] = [
        ("/blobs/", |it| it.body = b"other bytes".to_vec(), "the content of sha256:"),
        ("/blobs/", |it| it.body.extend_from_slice(&[0; 4096]), "has more than the"),
        ("/manifests/sha256", |it| it.body.push(b' '), "the content of sha256:"),
        ("/manifests/", |it| it.body = vec![b' '; 5 << 20], "larger than 4 MiB"),
        ("/manifests/", |it| it.body = b"{\"layers\": [], \"config\": {}, \"manifests\": []}".to_vec(), "is ambiguous"),
        ("/manifests/", |it| it.body = b"{".to_vec(), "cannot be decoded"),
    ];
    for (number, (path, lie, words)) in cases.into_iter().enumerate() {
        let home = scratch();
        let registry = Registry::start_with(move |request, content| {
            let mut response = answer(request, content);
            (request.method == "GET" && request.target.contains(path)).then(|| {
                lie(&mut response);
                response
            })
        });
        let digest = registry.add("x", "1", till());
        let name = if path.ends_with("sha256") { format!("x@{digest}") } else { "x:1".to_owned() };
        let refused = render(home.path(), &registry.name(&name));
        refused.expect_code(3).expect_words(words);
        assert!(refused.stdout.is_empty(), "case {number}");
    }
}

#[test]
fn what_breaks_off_is_taken_up_again() {
    let home = scratch();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let registry = Registry::start_with(move |request, content| {
        let mut response = answer(request, content);
        let is_layer = request.target.contains("/blobs/") && response.body.len() > 1500;
        is_layer.then(|| {
            counted.fetch_add(1, Ordering::Relaxed);
            response.cut_after = Some(700);
            response
        })
    });
    let layer = Layer::new().file("configs/till.yaml", &format!("{TILL}description: {}\n", "x".repeat(3000)));
    registry.add("x", "1", image((CONFIGS, "/configs"), &[layer.finish()]));
    render(home.path(), &registry.name("x:1")).expect_code(0).expect_words("till");
    assert!(count.load(Ordering::Relaxed) >= 3);
    let ranges: Vec<String> = registry.requests().iter().map(|it| it.header("range").to_owned()).collect();
    assert!(ranges.contains(&"bytes=700-".to_owned()) && ranges.contains(&"bytes=1400-".to_owned()), "{ranges:?}");
}

#[test]
fn servers_that_are_busy_are_asked_again_and_not_for_ever() {
    for (failures, code) in [(3, 0), (100, 3)] {
        let home = scratch();
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let registry = Registry::start_with(move |_, _| {
            let status = if counted.load(Ordering::Relaxed).is_multiple_of(2) { 429 } else { 503 };
            (counted.fetch_add(1, Ordering::Relaxed) < failures)
                .then(|| Response::of(status, "").with("retry-after", "0"))
        });
        registry.add("x", "1", till());
        let found = render(home.path(), &registry.name("x:1"));
        found.expect_code(code);
        if code == 3 {
            found.expect_words("answers with status");
            assert_eq!(count.load(Ordering::Relaxed), 5);
        }
    }
}

/// A registry that demands a token, which it issues itself.
fn with_tokens() -> Registry {
    Registry::start_with(|request, _| {
        let host = request.header("host").to_owned();
        if request.target.starts_with("/token") {
            // user:secret
            let is_known = request.header("authorization") == "Basic dXNlcjpzZWNyZXQ=";
            let is_ours = request.target.contains("scope=repository%3Ax%3Apull");
            return Some(if is_known && is_ours {
                Response::of(200, "{\"token\": \"t0ken\"}")
            } else {
                Response::of(401, "{}")
            });
        }
        if request.header("authorization") == "Bearer t0ken" {
            return None;
        }
        let challenge = format!("Bearer realm=\"http://{host}/token\",service=\"s\",scope=\"repository:x:pull\"");
        Some(Response::of(401, "{}").with("www-authenticate", challenge))
    })
}

#[test]
fn credentials_are_found_where_docker_and_podman_keep_them() {
    let registry = with_tokens();
    registry.add("x", "1", till());
    let name = registry.name("x:1");
    let entry = |key: &str| format!("{{\"auths\": {{\"{key}\": {{\"auth\": \"dXNlcjpzZWNyZXQ=\"}}}}}}");
    let address = registry.address.as_str();
    for file in [".docker/config.json", "config/containers/auth.json", "run/containers/auth.json"] {
        for key in [address.to_owned(), format!("{address}/x"), format!("https://{address}/v1/")] {
            let home = scratch();
            write(home.path(), file, entry(&key));
            render(home.path(), &name).expect_code(0);
        }
    }
    let home = scratch();
    let file = write(home.path(), "mine.json", entry(address));
    run(home.path(), &["render", "--plain-http", "--authfile", file.to_str().unwrap(), &name]).answer().expect_code(0);
    // Without credentials, with those of others, and with those for a longer name.
    let home = scratch();
    render(home.path(), &name).expect_code(3).expect_words("olmdex found no credentials: log in with `skopeo login");
    write(home.path(), ".docker/config.json", entry(&format!("{address}/other")));
    render(home.path(), &name).expect_code(3).expect_words("olmdex found no credentials");
    write(home.path(), ".docker/config.json", format!("{{\"auths\": {{\"{address}\": {{\"auth\": \"YTpi\"}}}}}}"));
    render(home.path(), &name).expect_code(3).expect_words("the credentials that olmdex found do not allow it");
    write(home.path(), ".docker/config.json", "{\"auths\": {\"x\": {\"auth\": \"c2VjcmV0\"");
    let broken = render(home.path(), &name);
    broken.expect_code(3).expect_words("cannot be decoded: line 1");
    assert!(!broken.both().contains("c2VjcmV0"));
    // A helper.
    let home = scratch();
    let helper = write(
        home.path(),
        "bin/docker-credential-test",
        "#!/bin/sh\nread -r host\nenv | grep -q secret && exit 3\necho '{\"ServerURL\": \"x\", \"Username\": \"user\", \"Secret\": \"secret\"}'\n",
    );
    std::fs::set_permissions(&helper, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    write(home.path(), ".docker/config.json", format!("{{\"credHelpers\": {{\"{address}\": \"test\"}}}}"));
    let path = format!("{}:{}", home.path().join("bin").display(), std::env::var("PATH").unwrap());
    run(home.path(), &["render", "--plain-http", &name]).env("PATH", &path).answer().expect_code(0);
    write(home.path(), ".docker/config.json", format!("{{\"credHelpers\": {{\"{address}\": \"../../bin/sh\"}}}}"));
    render(home.path(), &name).expect_code(3).expect_words("is not the name of a credential helper");
}

#[test]
fn nobody_else_is_told_who_we_are() {
    let elsewhere = Registry::start();
    let target = elsewhere.address.clone();
    let registry = Registry::start_with(move |request, _| {
        if request.target.contains("/blobs/") {
            let url = format!("http://{target}{}", request.target);
            return Some(Response::of(307, "").with("location", url));
        }
        // user:secret
        let is_known = request.header("authorization") == "Basic dXNlcjpzZWNyZXQ=";
        (!is_known).then(|| Response::of(401, "").with("www-authenticate", "Basic realm=\"x\""))
    });
    registry.add("x", "1", till());
    elsewhere.add("x", "1", till());
    let home = scratch();
    let auths = format!("{{\"auths\": {{\"{}\": {{\"auth\": \"dXNlcjpzZWNyZXQ=\"}}}}}}", registry.address);
    write(home.path(), ".docker/config.json", auths);
    let answer = run(home.path(), &["render", "-v", "--plain-http", &registry.name("x:1")]).answer();
    answer.expect_code(0);
    let seen = elsewhere.requests();
    assert!(!seen.is_empty() && seen.iter().all(|it| it.header("authorization").is_empty()));
    for text in ["secret", "dXNlcjpzZWNyZXQ="] {
        assert!(!answer.both().contains(text));
        let mut grep = std::process::Command::new("grep");
        assert!(!grep.arg("-rq").arg(text).arg(home.path().join("cache")).status().unwrap().success(), "{text}");
    }
}

#[test]
fn redirects_and_challenges_end() {
    let loops: [fn(&str) -> Response; 3] = [
        |target| Response::of(302, "").with("location", target),
        |_| Response::of(302, "").with("location", "file:///etc/passwd"),
        |_| Response::of(401, "").with("www-authenticate", "Bearer realm=\"http://127.0.0.1:1/t\",service=\"s\""),
    ];
    for (answer, words) in
        loops.into_iter().zip(["redirects more than 5 times", "which is not a valid address", "127.0.0.1:1"])
    {
        let home = scratch();
        let registry = Registry::start_with(move |request, _| Some(answer(&request.target)));
        render(home.path(), &registry.name("x:1")).expect_code(3).expect_words(words);
        assert!(registry.requests().len() < 20);
    }
}

#[test]
fn images_come_from_mirrors_if_these_are_named() {
    let mirror = Registry::start();
    let digest = mirror.add("mirrored/till", "v1", till());
    let home = scratch();
    let set = |policy: &str| {
        format!(
            "apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nspec:\n  imageDigestMirrors:\n  - source: registry.invalid/org\n    mirrors: [{}/mirrored]\n{policy}",
            mirror.address
        )
    };
    let file = write(home.path(), "mirrors.yaml", set(""));
    let file = file.to_str().unwrap();
    let source = format!("docker://registry.invalid/org/till@{digest}");
    run(home.path(), &["render", "--plain-http", "--mirrors", file, &source])
        .answer()
        .expect_code(0)
        .expect_words("till");
    // The mirror does not apply to tags, so there is no source.
    write(home.path(), "mirrors.yaml", set("    mirrorSourcePolicy: NeverContactSource\n"));
    run(home.path(), &["render", "--plain-http", "--mirrors", file, "docker://registry.invalid/org/till:v1"])
        .answer()
        .expect_code(3)
        .expect_words("is blocked, and has no mirror for tags");
    let conf = format!(
        "[[registry]]\nprefix = \"registry.invalid\"\nlocation = \"{}/mirrored\"\n[aliases]\ntill = \"registry.invalid/till\"\n",
        mirror.address
    );
    write(home.path(), "registries.conf", conf);
    render(home.path(), "docker://registry.invalid/till:v1").expect_code(0);
    render(home.path(), "docker://till").expect_code(3).expect_words("no image `");
}

#[test]
fn a_signature_that_is_demanded_is_not_passed_over() {
    let home = scratch();
    let registry = Registry::start();
    registry.add("x", "1", till());
    write(
        home.path(),
        "config/containers/policy.json",
        "{\"default\": [{\"type\": \"signedBy\", \"keyType\": \"GPGKeys\"}]}",
    );
    render(home.path(), &registry.name("x:1"))
        .expect_code(3)
        .expect_words("demands a signature of")
        .expect_words("skopeo copy");
    assert!(registry.requests().is_empty());
}

#[test]
fn a_cache_is_shared_by_processes_and_survives_what_is_left_in_it() {
    let home = scratch();
    let registry = Registry::start();
    let layer = Layer::new().file("configs/till.yaml", &format!("{TILL}description: {}\n", "x".repeat(300_000)));
    registry.add("x", "1", image((CONFIGS, "/configs"), &[layer.finish()]));
    let name = registry.name("x:1");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| render(home.path(), &name).expect_code(0).expect_words("till").out().len());
        }
    });
    let blobs = home.path().join("cache/olmdex/blobs");
    let largest = || {
        let files = std::fs::read_dir(&blobs).unwrap().map(|it| it.unwrap().path());
        files.max_by_key(|it| it.metadata().unwrap().len()).unwrap()
    };
    // A process was killed in the middle; another one wrote wrong bytes; somebody put links there.
    let path = largest();
    let whole = std::fs::read(&path).unwrap();
    let partial = path.with_extension("partial");
    for text in [&whole[..100_000], &[b'x'; 400_000][..], &[b'x'; 1000]] {
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&partial, text).unwrap();
        render(home.path(), &name).expect_code(0);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
    render(home.path(), &name).expect_code(0);
    assert!(std::fs::read("/etc/passwd").unwrap() != whole);
}

#[test]
fn a_damaged_blob_of_the_cache_is_fetched_again() {
    let home = scratch();
    let registry = Registry::start();
    registry.add("x", "1", till());
    let (name, blobs) = (registry.name("x:1"), home.path().join("cache/olmdex/blobs"));
    let whole = render(home.path(), &name).expect_code(0).out();
    let kept = || {
        let mut all: Vec<_> = std::fs::read_dir(&blobs).unwrap().map(|it| it.unwrap().path()).collect();
        all.retain(|it| it.file_name().unwrap().to_str().unwrap().starts_with("sha256-"));
        all.sort();
        all
    };
    let good: Vec<_> = kept().iter().map(|it| std::fs::read(it).unwrap()).collect();
    assert_eq!(good.len(), 3, "a manifest, a configuration and a layer");
    type Damage = fn(&[u8]) -> Vec<u8>;
    let damages: [Damage; 4] = [
        |it| it[..it.len() / 2].to_vec(),
        |it| [it, b"more"].concat(),
        |it| it.iter().map(|byte| byte ^ 1).collect(),
        |_| Vec::new(),
    ];
    for (path, good) in kept().iter().zip(&good) {
        for damage in damages {
            let damaged = damage(good);
            std::fs::write(path, &damaged).unwrap();
            let offline = run(home.path(), &["render", "--offline", "--plain-http", &name]).answer();
            offline.expect_code(3).expect_words("without `--offline`");
            let is_manifest = good.starts_with(b"{") && good.windows(8).any(|it| it == b"\"layers\"");
            if !is_manifest {
                offline.expect_words(&format!("the cached blob `{}` is damaged", path.display()));
            }
            assert_eq!(std::fs::read(path).unwrap(), damaged, "nothing is lost offline");
            assert_eq!(render(home.path(), &name).expect_code(0).out(), whole);
            assert_eq!(std::fs::read(path).unwrap(), *good, "{}", path.display());
        }
    }
    // Corrupt data from the registry itself is not asked for again and again.
    let lies = Registry::start_with(|request, content| {
        let is_layer = request.target.contains("/blobs/");
        is_layer.then(|| answer(request, content)).map(|mut it| {
            it.body.iter_mut().for_each(|byte| *byte ^= 1);
            it
        })
    });
    lies.add("x", "1", till());
    let other = scratch();
    render(other.path(), &lies.name("x:1")).expect_code(3).expect_words("does not match its digest");
    let n_blobs = lies.requests().iter().filter(|it| it.target.contains("/blobs/")).count();
    assert_eq!(n_blobs, 1);
}

#[test]
fn a_registry_that_sends_byte_by_byte_is_given_up() {
    for (what, words) in
        [("/manifests/", "a document took longer than 100ms"), ("/blobs/", "fewer than 30720 bytes passed")]
    {
        let home = scratch();
        let registry = Registry::start_with(move |request, content| {
            let is_dripping = request.target.contains(what);
            Some(Response { is_dripping, ..answer(request, content) })
        });
        registry.add("x", "1", till());
        let source = registry.name("x:1");
        let slow = run(home.path(), &["render", "--plain-http", &source]).env("OLMDEX_TEST_PACE_MS", "100").answer();
        slow.expect_code(3).expect_words("is too slow").expect_words(words).expect_words("--mirrors");
    }
}

#[test]
fn images_are_looked_up_where_their_references_say() {
    let home = scratch();
    let registry = Registry::start();
    let digest = registry.add("org/till", "v1", till());
    let (there, gone) =
        (format!("{}/org/till@{digest}", registry.address), format!("{}/org/gone:v1", registry.address));
    let closed = Registry::start_with(|_, _| Some(Response::of(403, "")));
    let closed = format!("{}/x:1", closed.address);
    let bundle = |image: &str, related: &str| {
        format!(
            "schema: olm.bundle\nname: till.v1\npackage: till\nimage: {image}\nrelatedImages: [{{name: a, image: '{related}'}}]\nproperties: [{{type: olm.package, value: {{packageName: till, version: 1.0.0}}}}]\n"
        )
    };
    let catalog = |image: &str, related: &str| {
        let text = format!(
            "schema: olm.package\nname: till\ndefaultChannel: a\n---\nschema: olm.channel\nname: a\npackage: till\nentries: [{{name: till.v1}}]\n---\n{}",
            bundle(image, related)
        );
        write(home.path(), "catalog/till.yaml", text).parent().unwrap().to_str().unwrap().to_owned()
    };
    let path = catalog(&there, &gone);
    let verify = |args: &[&str]| {
        run(home.path(), &[&["images", "till", "--plain-http", "-i", &path][..], args].concat()).answer()
    };
    let table = verify(&["--verify", "-o", "table"]);
    table.expect_code(1).expect_words("linux/amd64").expect_words(&format!("`{gone}` is missing"));
    let json = verify(&["--verify", "-o", "json"]).out();
    assert!(json.contains("\"status\": \"found\"") && json.contains(&digest), "{json}");
    catalog(&there, &there);
    verify(&["--verify"]).expect_code(0).expect_words(&there);
    catalog(&there, &closed);
    verify(&["--verify"]).expect_code(1).expect_words(&format!("`{closed}` is unknown"));
    // In a layout, by digest.
    let layers = [Layer::new().file("configs/till.yaml", TILL).finish()];
    crate::support::image::layout(&home.path().join("layout"), (CONFIGS, "/configs"), &layers);
    catalog(&there, &there);
    let layout = format!("--verify=oci:{}", home.path().join("layout").display());
    verify(&[&layout, "-o", "wide"]).expect_code(0).expect_words("found");
    catalog(&gone, &gone);
    verify(&[&layout]).expect_code(1).expect_words("is missing");
}

#[test]
fn a_lookup_that_is_interrupted_is_taken_up_again() {
    let home = scratch();
    let is_stuck = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let (stuck, kept) = (Arc::clone(&is_stuck), home.path().join("cache/olmdex"));
    let is_kept = move || std::fs::read_dir(&kept).is_ok_and(|it| it.flatten().any(|it| it.path().is_file()));
    let waits = is_kept.clone();
    let registry = Registry::start();
    let other = Registry::start_with(move |_, _| {
        while stuck.load(Ordering::Relaxed) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        None
    });
    let image =
        |registry: &Registry| format!("{}/org/till@{}", registry.address, registry.add("org/till", "v1", till()));
    let text = format!(
        "schema: olm.package\nname: till\ndefaultChannel: a\n---\nschema: olm.channel\nname: a\npackage: till\nentries: [{{name: till.v1}}]\n---\nschema: olm.bundle\nname: till.v1\npackage: till\nimage: {}\nrelatedImages: [{{name: a, image: '{}'}}]\nproperties: [{{type: olm.package, value: {{packageName: till, version: 1.0.0}}}}]\n",
        image(&registry),
        image(&other)
    );
    write(home.path(), "catalog/till.yaml", text);
    let args = ["images", "till", "--plain-http", "--verify", "-i", "catalog"];
    let environment = [("HOME", ""), ("XDG_CACHE_HOME", "cache"), ("XDG_CONFIG_HOME", "config")];
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_olmdex"));
    command.args(args).current_dir(home.path()).stdout(std::process::Stdio::null());
    command.envs(environment.map(|(name, path)| (name, home.path().join(path))));
    let mut child = command.spawn().unwrap();
    for _ in 0..2000 {
        if waits() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(is_kept());
    child.kill().unwrap();
    child.wait().unwrap();
    is_stuck.store(false, Ordering::Relaxed);
    let asked = || {
        for it in [&registry, &other] {
            it.forget_requests();
        }
        let answer = run(home.path(), &args).in_directory(home.path()).answer();
        answer.expect_code(0);
        let was_asked = |it: &Registry| !it.requests().is_empty();
        (was_asked(&registry), was_asked(&other), answer.err().contains("before it was interrupted"))
    };
    assert_eq!(asked(), (false, true, true));
    // Results of a complete run are not reused: the registry may have lost an image that the cache has.
    assert_eq!(asked(), (true, true, false));
    other.content.lock().unwrap().manifests.clear();
    run(home.path(), &args).in_directory(home.path()).answer().expect_code(1).expect_words("is missing");
}

/// A proxy that opens tunnels to one place, whatever the requested target. Returns its address, and the data that it
/// received before a tunnel.
fn proxy(to: &str) -> (String, Arc<std::sync::Mutex<Vec<String>>>) {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let asked: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
    let (seen, to) = (Arc::clone(&asked), to.to_owned());
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let (seen, to) = (Arc::clone(&seen), to.clone());
            std::thread::spawn(move || {
                let mut client = client;
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && client.read(&mut byte).is_ok_and(|it| it == 1) {
                    head.push(byte[0]);
                }
                let head = String::from_utf8(head).unwrap();
                let is_tunnel = head.starts_with("CONNECT ");
                seen.lock().unwrap().push(head);
                if !is_tunnel {
                    let _ = client.write_all(b"HTTP/1.1 403 no\r\ncontent-length: 0\r\n\r\n");
                    return;
                }
                client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
                let server = std::net::TcpStream::connect(to).unwrap();
                let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut from_client, &mut to_server);
                    let _ = to_server.shutdown(std::net::Shutdown::Write);
                });
                let (mut server, mut client) = (server, client);
                let _ = std::io::copy(&mut server, &mut client);
                let _ = client.shutdown(std::net::Shutdown::Both);
            });
        }
    });
    (address, asked)
}

/// A proxy learns the requested host, but neither the user nor the content of requests. A host of `NO_PROXY` is asked
/// without it.
#[test]
fn a_proxy_is_told_where_and_not_who() {
    let (certificate, config) = certified(&["registry.example", "127.0.0.1"]);
    // user:secret
    let registry = Registry::start_with_tls_and(config, |request, _| {
        let is_known = request.header("authorization") == "Basic dXNlcjpzZWNyZXQ=";
        (!is_known).then(|| Response::of(401, "").with("www-authenticate", "Basic realm=\"x\""))
    });
    registry.add("x", "1", till());
    let (proxy, asked) = proxy(&registry.address);
    let home = scratch();
    let auths = format!(
        "{{\"auths\": {{\"registry.example\": {{\"auth\": \"dXNlcjpzZWNyZXQ=\"}}, \"{}\": {{\"auth\": \"dXNlcjpzZWNyZXQ=\"}}}}}}",
        registry.address
    );
    write(home.path(), ".docker/config.json", auths);
    write(home.path(), "config/containers/certs.d/registry.example/ca.crt", certificate.pem());
    let render = |source: &str| {
        let run = run(home.path(), &["render", source]).env("HTTPS_PROXY", &format!("http://{proxy}"));
        run.env("NO_PROXY", "127.0.0.1").env("https_proxy", "").env("ALL_PROXY", "").env("HTTP_PROXY", "")
    };
    render("docker://registry.example/x:1").answer().expect_code(0).expect_words("till");
    let heads = std::mem::take(&mut *asked.lock().unwrap());
    assert!(!heads.is_empty());
    for head in heads {
        assert!(head.starts_with("CONNECT registry.example:443 HTTP/1.1\r\n"), "{head}");
        let lower = head.to_lowercase();
        assert!(!lower.contains("authorization") && !lower.contains("dxnlcjpzzwnyzxq"), "{head}");
    }
    let direct = run(home.path(), &["render", "--tls-verify=false", &registry.name("x:1")]);
    let direct = direct.env("HTTPS_PROXY", &format!("http://{proxy}")).env("NO_PROXY", "127.0.0.1");
    direct.answer().expect_code(0);
    assert!(asked.lock().unwrap().is_empty(), "a host of NO_PROXY was asked through the proxy");
}

/// Files that another user may have written are not read, and nothing is written where others can.
#[test]
fn a_cache_that_others_can_write_to_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = scratch();
    let registry = Registry::start();
    registry.add("x", "1", till());
    let name = registry.name("x:1");
    let fetched = || {
        registry.forget_requests();
        render(home.path(), &name).expect_code(0).expect_words("till");
        registry.requests().iter().filter(|it| it.method == "GET" && it.target.contains("/blobs/")).count()
    };
    let all = fetched();
    assert!(all > 0 && fetched() == 0);
    let blobs = home.path().join("cache/olmdex/blobs");
    let set = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let files = || std::fs::read_dir(&blobs).unwrap().map(|it| it.unwrap().path()).collect::<Vec<_>>();
    for mode in [0o777, 0o770, 0o707] {
        let before = files();
        set(&blobs, mode);
        assert_eq!(fetched(), all, "{mode:o}");
        assert_eq!(files(), before, "{mode:o}");
        set(&blobs, 0o700);
        assert_eq!(fetched(), 0, "{mode:o}");
    }
    // A file that also has a name of somebody else, or that others can write.
    for path in files() {
        let other = home.path().join("other");
        std::fs::hard_link(&path, &other).unwrap();
        render(home.path(), &name).expect_code(0);
        std::fs::write(&other, "mine").unwrap();
        render(home.path(), &name).expect_code(0).expect_words("till");
        std::fs::remove_file(other).unwrap();
        render(home.path(), &name).expect_code(0);
        set(&path, 0o666);
        render(home.path(), &name).expect_code(0).expect_words("till");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o022, 0, "{}", path.display());
    }
}

/// The blobs that a cache holds, whole and partial ones.
fn cached(home: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(home.join("cache/olmdex/blobs")).into_iter().flatten();
    entries.map(|it| it.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// Finding S8: a layer of 10^15 bytes filled the disk, and what had come stayed.
#[test]
fn a_blob_that_no_image_could_use_is_not_fetched() {
    for (part, size, code, words) in [
        ("layers", 1_000_000_000_000_000_u64, 5, "a layer may have"),
        ("layers", (2 << 30) + 1, 5, "a layer may have"),
        ("config", 1_000_000_000_000_000, 3, "configuration of the image is larger than 4 MiB"),
        // The blob is longer than that.
        ("layers", 10, 3, "has more than the 10 bytes that its manifest says"),
        ("config", 10, 3, "has more than the 10 bytes that its manifest says"),
    ] {
        let home = scratch();
        let registry = Registry::start();
        let (mut blobs, digest, _) = till();
        let mut manifest: serde_json::Value = serde_json::from_slice(&blobs.remove(&digest).unwrap()).unwrap();
        let descriptor = if part == "config" { &mut manifest["config"] } else { &mut manifest["layers"][0] };
        descriptor["size"] = size.into();
        let blob = descriptor["digest"].as_str().unwrap().to_owned();
        {
            let mut content = registry.content.lock().unwrap();
            content.manifests.insert("x/1".to_owned(), manifest.to_string().into_bytes());
            content.blobs = blobs;
        }
        let answer = render(home.path(), &registry.name("x:1"));
        answer.expect_code(code).expect_words(words);
        let asked = registry.requests().iter().any(|it| it.target.contains(&blob));
        assert_eq!(asked, size == 10, "{part} {size}");
        let left = cached(home.path());
        assert!(!left.iter().any(|it| it.ends_with(".partial") || blob.ends_with(&it[7..])), "{part} {size}: {left:?}");
    }
}

/// The address of a server that begins each answer and then sends the same for ever.
fn endless(begin: &str, more: &str) -> std::net::SocketAddr {
    use std::io::{Read as _, Write as _};

    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let (begin, more) = (begin.to_owned(), more.repeat(40));
    std::thread::spawn(move || {
        for stream in server.incoming() {
            let (begin, more) = (begin.clone(), more.clone());
            std::thread::spawn(move || {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(begin.as_bytes());
                while stream.write_all(more.as_bytes()).is_ok() {
                    // More at once is refused as one large head or line.
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            });
        }
    });
    address
}

/// Finding S14: `100 Continue` without an end kept the program busy.
#[test]
fn an_answer_begins_at_last() {
    let address = endless("", "HTTP/1.1 100 Continue\r\n\r\n");
    let home = scratch();
    let answer = render(home.path(), &format!("docker://{address}/x:1"));
    answer.expect_code(3).expect_words("sends more than 256 KiB before an answer");
    assert_eq!(cached(home.path()), Vec::<String>::new());
}

/// Extensions of chunks and trailers are no content, and had no limit.
#[test]
fn an_answer_ends_at_last() {
    let stalled = "body data reading stalled";
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/vnd.oci.image.manifest.v1+json\r\n\
        transfer-encoding: chunked\r\n\r\n";
    for (begin, more, words) in [
        ("5\r\nhello\r\n0\r\n", "x-more: 0123456789\r\n", "that are no content"),
        ("5;", "more=0123456789;", stalled),
        ("", "0\r\nx: y\r\n", "that are no content"),
    ] {
        let address = endless(&format!("{head}{begin}"), more);
        let home = scratch();
        let answer = render(home.path(), &format!("docker://{address}/x:1"));
        answer.expect_code(3).expect_words(words);
        assert_eq!(cached(home.path()), Vec::<String>::new());
    }
}

/// Finding S21: a list of tags that links in circles was read a million times.
#[test]
fn a_list_in_circles_ends() {
    let registry = Registry::start_with(|request, content| {
        let n = content.requests.len();
        let link = format!("</v2/x/tags/list?last=b&n={n}>; rel=\"next\"");
        let page = Response::of(200, "{\"tags\": [\"b\", \"a\"]}").with("link", link);
        request.target.starts_with("/v2/x/tags/list").then_some(page)
    });
    let http = HttpOptions { is_plain: true, ..HttpOptions::default() };
    let registries = Registries::new(RegistryOptions { http, ..RegistryOptions::default() });
    let image = registries.image(registry.name("x:1").trim_start_matches("docker://")).unwrap();
    assert_eq!(image.tags().unwrap(), ["a", "b"]);
    assert_eq!(registry.requests().len(), 2);
}

/// Finding S13: a proxy saw the credentials for a registry on this machine.
#[test]
fn a_registry_on_this_machine_is_asked_without_a_proxy() {
    let registry = Registry::start();
    registry.add("x", "1", till());
    let (proxy, asked) = proxy(&registry.address);
    let home = scratch();
    let port = registry.address.rsplit(':').next().unwrap();
    for host in ["localhost", "127.0.0.1", "127.9.9.9"] {
        if host == "127.9.9.9" {
            // Nothing listens there, and no proxy is asked either.
            let answer = proxied(home.path(), &format!("docker://{host}:{port}/x:1"), &proxy);
            answer.expect_code(3);
        } else {
            proxied(home.path(), &format!("docker://{host}:{port}/x:1"), &proxy).expect_code(0).expect_words("till");
        }
        assert!(asked.lock().unwrap().is_empty(), "{host} was asked through the proxy");
    }
}

fn proxied(home: &Path, source: &str, proxy: &str) -> Answer {
    let proxy = format!("http://{proxy}");
    let run = run(home, &["render", "--plain-http", source]);
    let names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let run = names.iter().fold(run, |run, name| run.env(name, &proxy));
    run.env("NO_PROXY", "").env("no_proxy", "").answer()
}
