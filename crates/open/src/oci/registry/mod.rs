//! Registries, version 2 of their protocol (`docs/behaviour/serving.md` A.4.1).
//!
//! No answer of a registry is trusted: manifests and blobs are compared with their digests, sizes and redirects are
//! bounded, and credentials go only to the host that they are for.

mod address;
mod challenge;
mod credentials;
mod fetch;
mod head;
mod http;
mod list;
mod pace;
mod policy;
mod send;

use std::collections::HashMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::Deserialize;
use ureq::http::Method;

use self::challenge::Challenge;
pub use self::credentials::{CredentialFile, Credentials};
pub use self::http::HttpOptions;
use self::http::{Answer, Http, Payload, Sent};
pub use self::pace::Pace;
use super::digest::{Digest, Hasher};
use super::document::Descriptor;
use super::error::OciError;
use super::image::ImageOptions;
use super::mirrors::{Endpoint, MirrorFile, Mirrors};
use super::reference::Reference;
use super::store::{ImageSelector, Store};
use olmdex_base::file::BlobCache;
use olmdex_text::encoding::percent;

/// The types of manifests that are asked for, in the order of preference.
const MANIFEST_TYPES: &str = "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json, application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json";

/// No manifest is larger, and no token's document.
const MAX_MANIFEST: u64 = 4 << 20;

/// The settings for registries.
#[derive(Debug, Clone, Default)]
pub struct RegistryOptions {
    /// How servers are spoken to.
    pub http: HttpOptions,
    /// The files that may hold credentials, in the order in which they are read.
    pub credentials: Vec<CredentialFile>,
    /// The files that redirect images to other places; later files override earlier ones.
    pub mirrors: Vec<MirrorFile>,
    /// The policies that say whether an image needs a signature; the first that is there counts.
    pub policies: Vec<PathBuf>,
    /// The cache of blobs.
    pub cache: Option<BlobCache>,
    /// Whether nothing is fetched.
    pub is_offline: bool,
    /// The directory for temporary files.
    pub scratch: PathBuf,
    /// How much of an image is fetched.
    pub limits: BlobLimits,
}

/// The sizes of blobs that are fetched.
#[derive(Debug, Clone, Copy)]
pub struct BlobLimits {
    /// Bytes of one blob.
    pub each: u64,
    /// Bytes of all blobs of an image.
    pub all: u64,
}

impl Default for BlobLimits {
    fn default() -> Self {
        let options = ImageOptions::new(PathBuf::new());
        Self::of(&options)
    }
}

impl BlobLimits {
    /// The limits of the layers of images when they are decompressed. Compressed, no useful layer is larger.
    pub fn of(options: &ImageOptions) -> Self {
        Self { each: options.limits.archive, all: options.image_limit }
    }
}

/// The registries of images: the known facts about them, and the connections to them.
#[derive(Debug)]
pub struct Registries {
    options: RegistryOptions,
    http: Http,
    /// Read when the first image is asked for.
    mirrors: OnceLock<Mirrors>,
    /// Bytes of blobs that have come.
    fetched: Arc<AtomicU64>,
}

/// One image in a registry.
#[derive(Debug)]
pub struct Registry<'r> {
    options: &'r RegistryOptions,
    reference: Reference,
    http: &'r Http,
    fetched: &'r AtomicU64,
    /// The bytes of all blobs that were asked for, as the manifest states them.
    wanted: AtomicU64,
    credentials: Option<Credentials>,
    endpoints: Vec<Endpoint>,
    /// The values of the header `authorization`, by host and actions.
    tokens: Mutex<HashMap<(String, String), String>>,
    /// The manifests from the registry, so that none is fetched twice.
    manifests: Mutex<HashMap<Digest, Vec<u8>>>,
}

impl Registries {
    /// Prepares the use of registries. Nothing is read or fetched yet.
    pub fn new(options: RegistryOptions) -> Self {
        Self { http: Http::new(options.http.clone()), options, mirrors: OnceLock::new(), fetched: Arc::default() }
    }

    /// Their settings.
    pub fn options(&self) -> &RegistryOptions {
        &self.options
    }

    /// The number of bytes of blobs that have been fetched, while they are.
    pub fn fetched(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.fetched)
    }

    /// Prepares to read or write an image by its name, or by an alias of it. Nothing is fetched yet.
    ///
    /// # Errors
    /// If it is no name; if the image may not be used; if the configuration of its registry cannot be read.
    pub fn image(&self, name: &str) -> Result<Registry<'_>, OciError> {
        let options = &self.options;
        let mirrors = match self.mirrors.get() {
            Some(mirrors) => mirrors,
            None => {
                let mirrors = Mirrors::read(&options.mirrors)?;
                self.mirrors.get_or_init(|| mirrors)
            }
        };
        let reference: Reference = mirrors.alias(name).unwrap_or(name).parse()?;
        if let Some(policy) = options.policies.iter().find(|it| it.exists()) {
            policy::check(policy, &reference)?;
        }
        Ok(Registry {
            options,
            http: &self.http,
            fetched: &self.fetched,
            wanted: AtomicU64::new(0),
            credentials: credentials::find(&options.credentials, &reference)?,
            endpoints: mirrors.endpoints(&reference)?,
            reference,
            tokens: Mutex::default(),
            manifests: Mutex::default(),
        })
    }
}

impl Registry<'_> {
    /// The reference of this image.
    pub fn reference(&self) -> &Reference {
        &self.reference
    }

    /// An address of the repository at an endpoint.
    fn url(&self, endpoint: &Endpoint, path: &str) -> String {
        self.address(endpoint, &format!("/v2/{}/{path}", endpoint.repository))
    }

    /// An address at an endpoint.
    fn address(&self, endpoint: &Endpoint, path: &str) -> String {
        // Docker's registry has another host than its name.
        let host = if endpoint.host == "docker.io" { "registry-1.docker.io" } else { &endpoint.host };
        format!("{}://{host}{path}", self.http.scheme())
    }

    /// Asks the places where the image may be, one after the other, until one has it. If none has it, the error of the
    /// last place is reported.
    fn ask_all(&self, mut ask: impl FnMut(&Endpoint) -> Result<Answer, OciError>) -> Result<Answer, OciError> {
        let mut first = None;
        for endpoint in &self.endpoints {
            match ask(endpoint) {
                Ok(answer) => return Ok(answer),
                // The last place is the one that was named, and knows best.
                Err(error) => first = Some(error),
            }
        }
        Err(first.unwrap_or_else(|| OciError::Unknown(self.reference.to_string())))
    }

    /// Sends a request, with credentials if the registry asks for them. Any answer but a success is an error.
    fn send(&self, endpoint: &Endpoint, mut sent: Sent<'_>, actions: &str) -> Result<Answer, OciError> {
        sent.is_insecure = endpoint.is_insecure;
        let host = address::host_of(&sent.url);
        let key = (host.clone(), actions.to_owned());
        let known = self.tokens.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let plain = sent.headers.len();
        sent.headers.extend(known.map(|it| ("authorization", it)));
        let mut answer = self.http.send(&sent)?;
        if answer.status == 401 && address::is_same_host(&answer.url, &sent.url) {
            let challenge = answer.header("www-authenticate").and_then(Challenge::parse);
            if let Some(authorization) = self.authorization(endpoint, challenge, actions)? {
                self.tokens.lock().unwrap_or_else(PoisonError::into_inner).insert(key, authorization.clone());
                sent.headers.truncate(plain);
                sent.headers.push(("authorization", authorization));
                answer = self.http.send(&sent)?;
            }
        }
        match answer.status {
            // The sender of a blob handles the status for one that is too large.
            200..=299 | 413 => Ok(answer),
            401 | 403 => Err(OciError::Refused {
                host,
                name: endpoint.repository.clone(),
                had_credentials: self.credentials_for(endpoint).is_some(),
            }),
            404 => Err(OciError::Unknown(format!("{}/{}", endpoint.host, self.shown(endpoint)))),
            status => Err(OciError::registry(format!("`{host}` answers with status {status}{}", reason(answer)))),
        }
    }

    fn shown(&self, endpoint: &Endpoint) -> String {
        let name = self.reference.name();
        let separator = if name.contains(':') { '@' } else { ':' };
        format!("{}{separator}{name}", endpoint.repository)
    }

    /// The credentials, if they are for this host: mirrors have their own.
    fn credentials_for(&self, endpoint: &Endpoint) -> Option<Credentials> {
        if endpoint.host == self.reference.host && endpoint.repository == self.reference.repository {
            return self.credentials.clone();
        }
        let mirror =
            Reference { host: endpoint.host.clone(), repository: endpoint.repository.clone(), tag: None, digest: None };
        credentials::find(&self.options.credentials, &mirror).ok().flatten()
    }

    /// The answer to a challenge.
    fn authorization(
        &self,
        endpoint: &Endpoint,
        challenge: Option<Challenge>,
        actions: &str,
    ) -> Result<Option<String>, OciError> {
        let credentials = self.credentials_for(endpoint);
        match (challenge, credentials) {
            (Some(Challenge::Basic), Some(Credentials::Basic { user, password })) => Ok(Some(basic(&user, &password))),
            (Some(Challenge::Bearer { realm, service, scope }), credentials) => {
                let scope =
                    if scope.is_empty() { format!("repository:{}:{actions}", endpoint.repository) } else { scope };
                self.token(&endpoint.host, &realm, &service, &scope, credentials).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Gets a token.
    fn token(
        &self,
        host: &str,
        realm: &str,
        service: &str,
        scope: &str,
        credentials: Option<Credentials>,
    ) -> Result<String, OciError> {
        #[derive(Deserialize)]
        struct Token {
            #[serde(default)]
            token: String,
            #[serde(default)]
            access_token: String,
        }
        address::check_realm(&format!("{}://{host}/", self.http.scheme()), realm)?;
        let query = |pairs: &[(&str, &str)]| {
            let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={}", encoded(value))).collect();
            pairs.join("&")
        };
        let body;
        let sent = match &credentials {
            Some(Credentials::IdentityToken(token)) => {
                body = query(&[
                    ("grant_type", "refresh_token"),
                    ("service", service),
                    ("scope", scope),
                    ("client_id", "olmdex"),
                    ("refresh_token", token),
                ]);
                Sent {
                    method: Method::POST,
                    headers: vec![("content-type", "application/x-www-form-urlencoded".to_owned())],
                    body: Some(Payload::Bytes(body.as_bytes())),
                    ..Sent::get(realm.to_owned())
                }
            }
            other => {
                let separator = if realm.contains('?') { '&' } else { '?' };
                let url = format!("{realm}{separator}{}", query(&[("service", service), ("scope", scope)]));
                let mut sent = Sent::get(url);
                if let Some(Credentials::Basic { user, password }) = other {
                    sent.headers.push(("authorization", basic(user, password)));
                }
                sent
            }
        };
        let at = address::host_of(realm);
        let answer = self.http.send(&sent)?;
        if answer.status != 200 {
            let name = scope.split(':').nth(1).unwrap_or_default().to_owned();
            return Err(OciError::Refused { host: at, name, had_credentials: credentials.is_some() });
        }
        let wrong = || OciError::registry(format!("`{at}` gives no token"));
        let token: Token = serde_json::from_slice(&answer.text(MAX_MANIFEST)?).map_err(|_| wrong())?;
        let token = if token.token.is_empty() { token.access_token } else { token.token };
        let is_plain = !token.is_empty() && token.bytes().all(|it| it.is_ascii_graphic());
        if is_plain { Ok(format!("Bearer {token}")) } else { Err(wrong()) }
    }

    /// Fetches a manifest by its tag or digest.
    fn fetch_manifest(&self, name: &str) -> Result<(Vec<u8>, String), OciError> {
        let answer = self.ask_all(|endpoint| {
            let mut sent = Sent::get(self.url(endpoint, &format!("manifests/{name}")));
            sent.headers.push(("accept", MANIFEST_TYPES.to_owned()));
            self.send(endpoint, sent, "pull")
        })?;
        let kind = answer.header("content-type").unwrap_or_default().to_owned();
        let text = answer.text(MAX_MANIFEST + 1)?;
        if text.len() as u64 > MAX_MANIFEST {
            return Err(OciError::document("manifest", format!("is larger than {} MiB", MAX_MANIFEST >> 20)));
        }
        Ok((text, kind))
    }

    /// The digest that a tag names now, without fetching the image: one request.
    ///
    /// # Errors
    /// [`OciError::Unknown`]; or if the registry does not answer.
    pub fn digest_of_tag(&self) -> Result<Option<Digest>, OciError> {
        if let Some(digest) = &self.reference.digest {
            return Ok(Some(digest.clone()));
        }
        Ok(self.head()?.header("docker-content-digest").and_then(|it| it.parse().ok()))
    }

    /// Asks whether the registry has the image, even if its manifest is in the cache.
    ///
    /// # Errors
    /// The errors of [`Self::digest_of_tag`].
    pub fn confirm(&self) -> Result<(), OciError> {
        // A manifest outside the cache is fetched anyway, which asks the registry.
        let is_cached = self.reference.digest.as_ref().is_some_and(|it| self.cached_manifest(it).is_some());
        if is_cached && !self.options.is_offline { self.head().map(drop) } else { Ok(()) }
    }

    fn head(&self) -> Result<Answer, OciError> {
        let name = self.reference.name();
        self.ask_all(|endpoint| {
            let mut sent = Sent::get(self.url(endpoint, &format!("manifests/{name}")));
            sent.method = Method::HEAD;
            sent.headers.push(("accept", MANIFEST_TYPES.to_owned()));
            self.send(endpoint, sent, "pull")
        })
    }

    /// A reference to a manifest of this repository.
    ///
    /// # Errors
    /// The errors of [`Self::digest_of_tag`].
    pub fn describe(&self, digest: &Digest) -> Result<Descriptor, OciError> {
        let (text, media_type) = self.fetch_manifest(&digest.to_string())?;
        let mut hasher = Hasher::like(digest);
        hasher.update(&text);
        let found = hasher.finish();
        if found != *digest {
            return Err(OciError::WrongDigest { expected: digest.clone(), found });
        }
        let size = text.len() as u64;
        Ok(Descriptor::new(&media_type, found, size))
    }

    fn remember(&self, digest: &Digest, text: Vec<u8>) {
        self.manifests.lock().unwrap_or_else(PoisonError::into_inner).insert(digest.clone(), text);
    }

    fn remembered(&self, digest: &Digest) -> Option<Vec<u8>> {
        self.manifests.lock().unwrap_or_else(PoisonError::into_inner).get(digest).cloned()
    }
}

impl Store for Registry<'_> {
    fn root(&self, _: &ImageSelector) -> Result<Descriptor, OciError> {
        // The digest of the last fetch under this tag, if the tag still names it.
        let named = match &self.reference.digest {
            Some(digest) => Some(digest.clone()),
            None if self.options.is_offline => {
                Some(self.noted().ok_or_else(|| OciError::Offline(self.reference.to_string()))?)
            }
            None if self.noted().is_some() => self.digest_of_tag()?,
            None => None,
        };
        if let Some(digest) = &named
            && let Some(text) = self.cached_manifest(digest)
        {
            let size = text.len();
            self.remember(digest, text);
            return Ok(Descriptor::new("", digest.clone(), size as u64));
        }
        if self.options.is_offline {
            return Err(OciError::Offline(self.reference.to_string()));
        }
        let name = named.as_ref().map_or_else(|| self.reference.name(), Digest::to_string);
        let (text, kind) = self.fetch_manifest(&name)?;
        let digest = named.unwrap_or_else(|| Digest::of(&text));
        self.keep_manifest(&digest, &text);
        self.note(&digest);
        let size = text.len();
        self.remember(&digest, text);
        Ok(Descriptor::new(&kind, digest, size as u64))
    }

    fn blob(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + Send>, OciError> {
        self.fetched(descriptor)
    }

    fn forget_damaged(&self, descriptor: &Descriptor) -> Result<bool, OciError> {
        self.forget(&descriptor.digest)
    }

    fn manifest(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + Send>, OciError> {
        if let Some(text) = self.remembered(&descriptor.digest).or_else(|| self.cached_manifest(&descriptor.digest)) {
            return Ok(Box::new(std::io::Cursor::new(text)));
        }
        if self.options.is_offline {
            return Err(OciError::Offline(descriptor.digest.to_string()));
        }
        let (text, _) = self.fetch_manifest(&descriptor.digest.to_string())?;
        self.keep_manifest(&descriptor.digest, &text);
        Ok(Box::new(std::io::Cursor::new(text)))
    }
}

/// The reason in an error answer, if it has the form that registries use.
fn reason(answer: Answer) -> String {
    let text = answer.text(16 << 10).unwrap_or_default();
    let Ok(said) = serde_json::from_slice::<serde_json::Value>(&text) else { return String::new() };
    match said.pointer("/errors/0").filter(|first| first.is_object()) {
        Some(first) => {
            let word = |key: &str| first[key].as_str().unwrap_or_default();
            let text = format!(": {} {}", word("code"), word("message"));
            olmdex_base::diag::shortened(&olmdex_base::diag::printable(text.trim_end()), 200)
        }
        None => String::new(),
    }
}

fn basic(user: &str, password: &str) -> String {
    use base64::Engine as _;
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}")))
}

/// A text in the query of an address.
fn encoded(text: &str) -> String {
    percent::encoded(text, percent::RESERVED)
}
