//! Requests: certificates, redirects, patience.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ureq::http::{HeaderMap, Method, Request, Response, Uri};
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector as _, DefaultConnector};
use ureq::{Agent, Body, SendBody};

use super::super::error::OciError;
use super::address::{check_redirect, host_of, is_same_host, is_this_machine};
use super::head::{BoundedBody, HeadLimit, within_limit};
use super::pace::{Pace, Paced, TooSlow};
use olmdex_base::file::Text;

/// The number of times that a request is repeated after a temporary failure.
const ATTEMPTS: u32 = 5;

/// The number of redirects that are followed.
const REDIRECTS: usize = 5;

/// Without progress for this long, a connection is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// The longest that a server may make us wait.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The settings for connections to servers.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Whether certificates are verified.
    pub verifies: bool,
    /// Without TLS.
    pub is_plain: bool,
    /// Directories with certificates by host, as `certs.d` of docker and podman.
    pub certificates: Vec<PathBuf>,
    /// The wait before the first repetition; it doubles each time.
    pub first_wait: Duration,
    /// How slow a server may be.
    pub pace: Pace,
}

impl Default for HttpOptions {
    fn default() -> Self {
        let first_wait = Duration::from_secs(1);
        Self { verifies: true, is_plain: false, certificates: Vec::new(), first_wait, pace: Pace::default() }
    }
}

/// Speaks to servers.
#[derive(Debug)]
pub(super) struct Http {
    options: HttpOptions,
    /// The agents by host, and by whether its certificate is verified.
    agents: Mutex<Vec<((String, bool), Agent)>>,
}

/// The body of a request.
#[derive(Clone, Copy)]
pub(super) enum Payload<'a> {
    Bytes(&'a [u8]),
    /// A part of a file: its start, and its length in bytes.
    Part(&'a Text, u64, u64),
}

/// A request that can be sent more than once.
pub(super) struct Sent<'a> {
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Option<Payload<'a>>,
    /// Whether the certificate of the server is not verified.
    pub(super) is_insecure: bool,
}

impl Sent<'_> {
    pub(super) fn get(url: String) -> Self {
        Self { method: Method::GET, url, headers: Vec::new(), body: None, is_insecure: false }
    }
}

/// An answer, with the address that it came from.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) url: String,
    body: Body,
    pace: Pace,
}

impl Answer {
    /// Its body, however long it is.
    pub(super) fn reader(self) -> impl Read {
        Paced::new(BoundedBody(self.body.into_with_config().limit(u64::MAX).reader()), self.pace)
    }

    /// The error for a failure while its body was read.
    pub(super) fn failed(url: &str, error: io::Error) -> OciError {
        match TooSlow::of(&error) {
            Some(slow) => OciError::TooSlow { host: host_of(url), message: slow.to_string() },
            // Asking again would be answered in the same way; a connection that breaks off is another matter.
            None if error.kind() == io::ErrorKind::InvalidData => {
                OciError::Network { host: host_of(url), message: error.to_string() }
            }
            None => OciError::Io(error),
        }
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|it| it.to_str().ok())
    }

    /// The beginning of its body, for a small document.
    pub(super) fn text(self, most: u64) -> Result<Vec<u8>, OciError> {
        let mut text = Vec::new();
        let body = BoundedBody(self.body.into_with_config().limit(u64::MAX).reader()).take(most);
        let read = Paced::document(body, self.pace).read_to_end(&mut text);
        read.map_err(|error| Self::failed(&self.url, error))?;
        Ok(text)
    }
}

impl Http {
    pub(super) fn new(options: HttpOptions) -> Self {
        Self { options, agents: Mutex::default() }
    }

    /// The scheme of addresses.
    pub(super) fn scheme(&self) -> &'static str {
        if self.options.is_plain { "http" } else { "https" }
    }

    fn agent(&self, host: &str, is_insecure: bool) -> Result<Agent, OciError> {
        let verifies = self.options.verifies && !is_insecure;
        let key = (host.to_owned(), verifies);
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, agent)) = agents.iter().find(|it| it.0 == key) {
            return Ok(agent.clone());
        }
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("olmdex/", env!("CARGO_PKG_VERSION")))
            .accept_encoding("identity")
            .timeout_connect(Some(Duration::from_secs(30)))
            .timeout_recv_response(Some(PATIENCE))
            .timeout_per_read(Some(PATIENCE))
            .timeout_per_write(Some(PATIENCE))
            .max_response_header_size(64 << 10)
            .tls_config(self.tls(host, verifies)?);
        if is_this_machine(host) {
            // No proxy reaches it, and none may see the credentials for it. Go, docker and podman do the same.
            config = config.proxy(None);
        }
        let connector = DefaultConnector::default().chain(HeadLimit);
        let agent = Agent::with_parts(config.build(), connector, DefaultResolver::default());
        agents.push((key, agent.clone()));
        Ok(agent)
    }

    fn tls(&self, host: &str, verifies: bool) -> Result<TlsConfig, OciError> {
        let ring = Arc::new(rustls::crypto::ring::default_provider());
        let config = TlsConfig::builder().unversioned_rustls_crypto_provider(ring).disable_verification(!verifies);
        if self.options.is_plain {
            return Ok(config.build());
        }
        // An error of the system matters only if a server needs its certificates.
        let system = rustls_native_certs::load_native_certs().certs;
        let mut roots: Vec<Certificate<'static>> =
            system.iter().map(|it| Certificate::from_der(it.as_ref()).to_owned()).collect();
        let mut client = None;
        for directory in &self.options.certificates {
            let (more, own) = certificates_in(&directory.join(host))?;
            roots.extend(more);
            client = client.or(own);
        }
        Ok(config.root_certs(RootCerts::new_with_certs(&roots)).client_cert(client).build())
    }

    /// Sends a request, repeats it as often as that makes sense, and follows redirects. A redirect to another host
    /// carries no credentials.
    pub(super) fn send(&self, sent: &Sent<'_>) -> Result<Answer, OciError> {
        let mut url = sent.url.clone();
        let first = host_of(&url);
        for _ in 0..=REDIRECTS {
            let is_elsewhere = !is_same_host(&url, &sent.url);
            let answer = self.send_patiently(sent, &url, is_elsewhere)?;
            let is_redirect = matches!(answer.status, 301 | 302 | 303 | 307 | 308);
            let Some(target) = answer.header("location").filter(|_| is_redirect).map(str::to_owned) else {
                return Ok(answer);
            };
            if sent.body.is_some() || matches!(sent.method, Method::PUT | Method::POST) {
                return Err(OciError::registry(format!("`{first}` redirects uploads")));
            }
            url = absolute(&url, &target)?;
            check_redirect(&sent.url, &url)?;
        }
        Err(OciError::registry(format!("`{first}` redirects more than {REDIRECTS} times")))
    }

    fn send_patiently(&self, sent: &Sent<'_>, url: &str, is_elsewhere: bool) -> Result<Answer, OciError> {
        let host = host_of(url);
        let agent = self.agent(&host, sent.is_insecure)?;
        let mut wait = self.options.first_wait;
        for attempt in 1.. {
            let result = send_once(&agent, sent, url, is_elsewhere, self.options.pace);
            let asked = match &result {
                Ok(answer) if answer.status == 429 || answer.status >= 500 => {
                    answer.header("retry-after").and_then(|it| it.trim().parse().ok()).map(Duration::from_secs)
                }
                Err(error) if may_pass(error) => None,
                Ok(_) => return result.map_err(|error| unreachable_host(&host, &error)),
                Err(error) => return Err(unreachable_host(&host, error)),
            };
            if attempt >= ATTEMPTS {
                return result.map_err(|error| unreachable_host(&host, &error));
            }
            std::thread::sleep(asked.unwrap_or(wait).min(LONGEST_WAIT));
            wait *= 2;
        }
        Err(OciError::registry(format!("`{host}` does not answer")))
    }
}

fn send_once(agent: &Agent, sent: &Sent<'_>, url: &str, is_elsewhere: bool, pace: Pace) -> Result<Answer, ureq::Error> {
    let mut request = Request::builder().method(sent.method.clone()).uri(url);
    for (name, value) in &sent.headers {
        if !(is_elsewhere && *name == "authorization") {
            request = request.header(*name, value);
        }
    }
    let response: Response<Body> = match sent.body {
        Some(Payload::Bytes(bytes)) => {
            let (len, mut body) = (bytes.len(), Paced::new(bytes, pace));
            let request = request.header("content-length", len).body(SendBody::from_reader(&mut body))?;
            within_limit(|| agent.run(request))?
        }
        Some(Payload::Part(text, start, len)) => {
            let mut body = Paced::new(text.reader().starting_at(start).take(len), pace);
            let request = request.header("content-length", len).body(SendBody::from_reader(&mut body))?;
            within_limit(|| agent.run(request))?
        }
        None if matches!(sent.method, Method::POST | Method::PUT | Method::PATCH) => {
            let request = request.header("content-length", 0).body(SendBody::none())?;
            within_limit(|| agent.run(request))?
        }
        None => {
            let request = request.body(SendBody::none())?;
            within_limit(|| agent.run(request))?
        }
    };
    let (parts, body) = response.into_parts();
    Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, url: url.to_owned(), body, pace })
}

/// Whether it may work later.
fn may_pass(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Io(error) => {
            TooSlow::of(error).is_none()
                && !matches!(error.kind(), std::io::ErrorKind::ConnectionRefused | std::io::ErrorKind::InvalidData)
        }
        ureq::Error::Timeout(_) | ureq::Error::Protocol(_) => true,
        _ => false,
    }
}

fn unreachable_host(host: &str, error: &ureq::Error) -> OciError {
    let slow = if let ureq::Error::Io(error) = error { TooSlow::of(error) } else { None };
    match slow {
        Some(slow) => OciError::TooSlow { host: host.to_owned(), message: slow.to_string() },
        None => OciError::Network { host: host.to_owned(), message: error.to_string() },
    }
}

/// The address that a redirect leads to.
pub(super) fn absolute(from: &str, target: &str) -> Result<String, OciError> {
    let wrong = || {
        OciError::registry(format!(
            "`{}` redirects to `{}`, which is not a valid address",
            host_of(from),
            target.escape_default()
        ))
    };
    if target.starts_with("https://") || target.starts_with("http://") {
        target.parse::<Uri>().map_err(|_| wrong())?;
        return Ok(target.to_owned());
    }
    let base: Uri = from.parse().map_err(|_| wrong())?;
    let scheme = base.scheme_str().unwrap_or("https");
    let url = if let Some(rest) = target.strip_prefix("//") {
        format!("{scheme}://{rest}")
    } else if target.starts_with('/') {
        format!("{scheme}://{}{target}", host_of(from))
    } else if target.contains("://") || target.contains(':') && !target.contains('/') {
        return Err(wrong());
    } else {
        let path = base.path();
        let directory = &path[..=path.rfind('/').unwrap_or(0)];
        format!("{scheme}://{}{directory}{target}", host_of(from))
    };
    url.parse::<Uri>().map_err(|_| wrong())?;
    Ok(url)
}

/// Certificates of authorities, and our own, in a directory: `*.crt`, and `*.cert` with `*.key`.
fn certificates_in(directory: &Path) -> Result<(Vec<Certificate<'static>>, Option<ClientCert>), OciError> {
    let wrong = |path: &Path, what: &str| OciError::registry(format!("the certificate `{}` {what}", path.display()));
    let mut roots = Vec::new();
    let mut client = None;
    let Ok(entries) = std::fs::read_dir(directory) else { return Ok((roots, client)) };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|it| it.path()).collect();
    paths.sort();
    let read = |path: &Path| {
        olmdex_base::file::read_regular_of(path, 4 << 20)
            .map_err(|error| wrong(path, &format!("cannot be read: {error}")))
    };
    for path in paths {
        let extension = path.extension().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        match extension.as_str() {
            "crt" => {
                for item in ureq::tls::parse_pem(&read(&path)?) {
                    match item.map_err(|_| wrong(&path, "cannot be decoded"))? {
                        ureq::tls::PemItem::Certificate(it) => roots.push(it),
                        _ => return Err(wrong(&path, "is not one")),
                    }
                }
            }
            "cert" => {
                let key = path.with_extension("key");
                let mut chain = Vec::new();
                for item in ureq::tls::parse_pem(&read(&path)?).flatten() {
                    if let ureq::tls::PemItem::Certificate(it) = item {
                        chain.push(it);
                    }
                }
                let key = PrivateKey::from_pem(&read(&key)?).map_err(|_| wrong(&key, "is not a key"))?;
                client = client.or(Some(ClientCert::new_with_certs(&chain, key)));
            }
            _ => {}
        }
    }
    Ok((roots, client))
}
