//! A registry on this machine that follows its instructions, lies included.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A request as it came.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(String::as_str).unwrap_or_default()
    }
}

/// A response.
#[derive(Debug, Clone, Default)]
pub struct Response {
    /// 0 is no answer: the connection ends.
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// How many bytes of the body are really sent before the connection ends.
    pub cut_after: Option<usize>,
    /// Whether it is sent byte by byte, with a pause behind each, while the other side listens.
    pub is_dripping: bool,
}

impl Response {
    pub fn of(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, body: body.into(), ..Self::default() }
    }

    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

/// The content of a registry, and the requests that it has seen.
#[derive(Debug, Default)]
pub struct Content {
    /// The blobs by digest.
    pub blobs: BTreeMap<String, Vec<u8>>,
    /// Manifests by `NAME/REFERENCE`.
    pub manifests: BTreeMap<String, Vec<u8>>,
    pub requests: Vec<Request>,
}

/// Changes an answer, or replaces it.
type Hook = dyn Fn(&Request, &mut Content) -> Option<Response> + Send + Sync;

/// A registry that listens until it is dropped.
pub struct Registry {
    pub address: String,
    pub content: Arc<Mutex<Content>>,
    is_over: Arc<AtomicBool>,
}

impl Registry {
    /// One that behaves.
    pub fn start() -> Self {
        Self::start_with(|_, _| None)
    }

    /// A registry that gives the answers of `hook`, if it makes one.
    pub fn start_with(hook: impl Fn(&Request, &mut Content) -> Option<Response> + Send + Sync + 'static) -> Self {
        Self::listen(Arc::new(hook), None)
    }

    /// A registry that speaks TLS, and gives the answers of `hook`, if it makes one.
    pub fn start_with_tls_and(
        config: rustls::ServerConfig,
        hook: impl Fn(&Request, &mut Content) -> Option<Response> + Send + Sync + 'static,
    ) -> Self {
        Self::listen(Arc::new(hook), Some(Arc::new(config)))
    }

    /// A registry that speaks TLS.
    pub fn start_with_tls(config: rustls::ServerConfig) -> Self {
        Self::listen(Arc::new(|_: &Request, _: &mut Content| None), Some(Arc::new(config)))
    }

    fn listen(hook: Arc<Hook>, tls: Option<Arc<rustls::ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let content = Arc::new(Mutex::new(Content::default()));
        let is_over = Arc::new(AtomicBool::new(false));
        let (shared, over) = (Arc::clone(&content), Arc::clone(&is_over));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let (shared, hook, tls) = (Arc::clone(&shared), Arc::clone(&hook), tls.clone());
                std::thread::spawn(move || {
                    let Ok(stream) = stream else { return };
                    match tls.map(|it| rustls::ServerConnection::new(it).unwrap()) {
                        None => serve(stream, &shared, &*hook),
                        Some(tls) => serve(rustls::StreamOwned::new(tls, stream), &shared, &*hook),
                    }
                });
            }
        });
        Self { address, content, is_over }
    }

    /// Adds an image under a name and a tag.
    pub fn add(&self, name: &str, tag: &str, image: (BTreeMap<String, Vec<u8>>, String, usize)) -> String {
        let (mut blobs, digest, _) = image;
        let manifest = blobs.remove(&digest).unwrap();
        let mut content = self.content.lock().unwrap();
        content.manifests.insert(format!("{name}/{tag}"), manifest.clone());
        content.manifests.insert(format!("{name}/{digest}"), manifest);
        content.blobs.extend(blobs);
        digest
    }

    /// The name of an image here.
    pub fn name(&self, image: &str) -> String {
        format!("docker://{}/{image}", self.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.content.lock().unwrap().requests.clone()
    }

    pub fn forget_requests(&self) {
        self.content.lock().unwrap().requests.clear();
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // This connection wakes the listener.
        let _ = TcpStream::connect(&self.address);
    }
}

/// A self-signed certificate for some names, and the configuration of a server with it.
pub fn certified(names: &[&str]) -> (rcgen::Certificate, rustls::ServerConfig) {
    let key = rcgen::KeyPair::generate().unwrap();
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let certificate = rcgen::CertificateParams::new(names).unwrap().self_signed(&key).unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(key.serialize_der());
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key.into())
        .unwrap();
    (certificate, config)
}

fn serve(stream: impl Read + Write, content: &Mutex<Content>, hook: &Hook) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        let response = {
            let mut content = content.lock().unwrap();
            content.requests.push(request.clone());
            hook(&request, &mut content).unwrap_or_else(|| answer(&request, &mut content))
        };
        if response.status == 0 {
            return;
        }
        let mut head = format!("HTTP/1.1 {} X\r\ncontent-length: {}\r\n", response.status, response.body.len());
        for (name, value) in &response.headers {
            if name == "content-length" {
                head = head
                    .replace(&format!("content-length: {}", response.body.len()), &format!("content-length: {value}"));
            } else {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        let body = if request.method == "HEAD" { &[][..] } else { &response.body };
        let body = &body[..response.cut_after.unwrap_or(body.len()).min(body.len())];
        let stream = reader.get_mut();
        if response.is_dripping {
            let text = [head.as_bytes(), b"\r\n", body].concat();
            let drip = |byte: &u8| {
                std::thread::sleep(std::time::Duration::from_millis(2));
                stream.write_all(&[*byte]).and_then(|()| stream.flush()).is_ok()
            };
            text.iter().all(drip);
            return;
        }
        if stream.write_all(head.as_bytes()).is_err()
            || stream.write_all(b"\r\n").is_err()
            || stream.write_all(body).is_err()
            || stream.flush().is_err()
            || response.cut_after.is_some()
        {
            return;
        }
    }
}

fn read(reader: &mut BufReader<impl Read>) -> Option<Request> {
    let mut line = String::new();
    if reader.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let mut words = line.split_whitespace();
    let mut request =
        Request { method: words.next()?.to_owned(), target: words.next()?.to_owned(), ..Request::default() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => request.headers.insert(name.to_lowercase(), value.trim().to_owned()),
            None => break,
        };
    }
    while request.header("transfer-encoding") == "chunked" {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let length = usize::from_str_radix(line.trim(), 16).ok()?;
        let mut chunk = vec![0; length + 2];
        reader.read_exact(&mut chunk).ok()?;
        request.body.extend_from_slice(&chunk[..length]);
        if length == 0 {
            return Some(request);
        }
    }
    let length: usize = request.header("content-length").parse().unwrap_or(0);
    request.body = vec![0; length];
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

/// The answer of a registry that behaves.
pub fn answer(request: &Request, content: &mut Content) -> Response {
    let path = request.target.split('?').next().unwrap_or_default();
    let query = request.target.split_once('?').map(|it| it.1.to_owned()).unwrap_or_default();
    let Some(rest) = path.strip_prefix("/v2/") else { return Response::of(404, "") };
    if rest.is_empty() {
        return Response::of(200, "{}");
    }
    if rest == "_catalog" || rest.ends_with("/tags/list") {
        return list(rest, &query, content);
    }
    if let Some((name, reference)) = rest.split_once("/manifests/") {
        let key = format!("{name}/{reference}");
        if request.method == "PUT" {
            let digest = super::image::digest(&request.body);
            content.manifests.insert(key, request.body.clone());
            content.manifests.insert(format!("{name}/{digest}"), request.body.clone());
            return Response::of(201, "").with("docker-content-digest", digest);
        }
        return match content.manifests.get(&key) {
            Some(text) => {
                let value: serde_json::Value = serde_json::from_slice(text).unwrap_or_default();
                let kind = value["mediaType"].as_str().unwrap_or("application/vnd.oci.image.manifest.v1+json");
                Response::of(200, text.clone())
                    .with("content-type", kind)
                    .with("docker-content-digest", super::image::digest(text))
            }
            None => {
                Response::of(404, "{\"errors\": [{\"code\": \"MANIFEST_UNKNOWN\", \"message\": \"manifest unknown\"}]}")
            }
        };
    }
    if let Some((_, upload)) = rest.split_once("/blobs/uploads/") {
        return match request.method.as_str() {
            "POST" => Response::of(202, "").with("location", format!("{path}1?state=a")),
            // skopeo sends a blob before it knows its digest.
            "PATCH" => {
                content.blobs.insert(path.to_owned(), request.body.clone());
                let end = request.body.len().saturating_sub(1);
                Response::of(202, "").with("location", format!("{path}?state=b")).with("range", format!("0-{end}"))
            }
            "PUT" => {
                let digest = query.split('&').find_map(|it| it.strip_prefix("digest=")).unwrap_or_default();
                let digest = digest.replace("%3A", ":");
                let sent = content.blobs.remove(path);
                let body = if request.body.is_empty() { sent.unwrap_or_default() } else { request.body.clone() };
                if super::image::digest(&body) != digest {
                    return Response::of(400, "{\"errors\": [{\"code\": \"DIGEST_INVALID\", \"message\": \"wrong\"}]}");
                }
                content.blobs.insert(digest, body);
                Response::of(201, "")
            }
            _ => Response::of(405, upload.as_bytes().to_vec()),
        };
    }
    if let Some((_, digest)) = rest.split_once("/blobs/") {
        let Some(blob) = content.blobs.get(digest) else { return Response::of(404, "") };
        let from = request.header("range").strip_prefix("bytes=").and_then(|it| it.trim_end_matches('-').parse().ok());
        return match from {
            Some(from) if from < blob.len() => Response::of(206, blob[from..].to_vec())
                .with("content-range", format!("bytes {from}-{}/{}", blob.len() - 1, blob.len())),
            _ => Response::of(200, blob.clone()),
        };
    }
    Response::of(404, "")
}

/// A list in pages of two names, whatever size was asked for.
fn list(path: &str, query: &str, content: &Content) -> Response {
    let keys = || content.manifests.keys().filter_map(|it| it.rsplit_once('/'));
    let (key, mut names): (&str, Vec<&str>) = match path.strip_suffix("/tags/list") {
        None => ("repositories", keys().map(|it| it.0).collect()),
        Some(repository) => {
            let tags = keys().filter(|(of, name)| *of == repository && !name.contains(':'));
            ("tags", tags.map(|it| it.1).collect())
        }
    };
    names.dedup();
    if names.is_empty() {
        return Response::of(404, "");
    }
    let after = query.split('&').find_map(|it| it.strip_prefix("last=")).unwrap_or_default();
    let mut left = names.iter().filter(|it| **it > after);
    let page: Vec<&&str> = left.by_ref().take(2).collect();
    let mut response = Response::of(200, format!("{{\"{key}\": {}}}", serde_json::to_string(&page).unwrap()));
    if left.next().is_some() {
        response = response.with("link", format!("</v2/{path}?last={}&n=2>; rel=\"next\"", page[1]));
    }
    response
}
