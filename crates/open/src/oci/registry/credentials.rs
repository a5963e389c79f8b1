//! Our identity for a registry: files as docker and podman write them, and helpers (`docs/behaviour/serving.md` A.4.1).
//!
//! For security, this module deliberately shows a secret to nobody but the registry of its key, and a secret has no
//! form for messages.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::super::error::{OciError, place_of};
use super::super::reference::Reference;
use olmdex_base::file::read_regular_of;

/// The largest file of credentials.
const MAX_FILE: u64 = 16 << 20;

/// The identity that a registry knows.
#[derive(Clone, PartialEq, Eq)]
pub enum Credentials {
    /// A user and a password.
    Basic { user: String, password: String },
    /// A token that is given for others.
    IdentityToken(String),
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(…)")
    }
}

/// A file of credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialFile {
    /// Its path.
    pub path: PathBuf,
    /// Whether it is docker's oldest form, without a level around its entries.
    pub is_flat: bool,
    /// Whether a user named it, so that it must exist.
    pub is_named: bool,
}

#[derive(Deserialize, Default)]
struct File {
    #[serde(default)]
    auths: BTreeMap<String, Entry>,
    #[serde(default, rename = "credHelpers")]
    helpers: BTreeMap<String, String>,
    #[serde(default, rename = "credsStore")]
    store: String,
}

#[derive(Deserialize, Default)]
struct Entry {
    #[serde(default)]
    auth: String,
    #[serde(default)]
    identitytoken: String,
}

/// The credentials in the first of the files that knows the registry of an image.
///
/// # Errors
/// If a file that is there cannot be decoded, or a helper fails.
pub(super) fn find(files: &[CredentialFile], reference: &Reference) -> Result<Option<Credentials>, OciError> {
    for file in files {
        let text = match read_regular_of(&file.path, MAX_FILE) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !file.is_named => continue,
            Err(error) => {
                let message = format!("cannot read the credentials in `{}`: {error}", file.path.display());
                return Err(OciError::Io(std::io::Error::new(error.kind(), message)));
            }
        };
        // The error may be next to a secret, so the message gives only its place.
        let wrong = |error: serde_json::Error| {
            let (path, place) = (file.path.display(), place_of(&error));
            OciError::registry(format!("the credentials in `{path}` cannot be decoded: {place}"))
        };
        let content = if file.is_flat {
            File { auths: serde_json::from_slice(&text).map_err(wrong)?, ..File::default() }
        } else {
            serde_json::from_slice(&text).map_err(wrong)?
        };
        if let Some(found) = content.find(reference)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

impl File {
    fn find(&self, reference: &Reference) -> Result<Option<Credentials>, OciError> {
        // Docker's registry goes by an older name there.
        let host = reference.host.as_str();
        let docker = "index.docker.io";
        let is_docker = host == "docker.io";
        let helper = self.helpers.get(host).or_else(|| self.helpers.get(docker).filter(|_| is_docker));
        if let Some(name) = helper {
            let server = if is_docker { "https://index.docker.io/v1/" } else { host };
            return ask(name, server);
        }
        let mut prefix = Some(reference.location());
        while let Some(key) = prefix {
            let is_key = |it: &str| {
                let plain = plain_key(it);
                plain == key || (is_docker && plain.replacen(docker, "docker.io", 1) == key)
            };
            if let Some(found) = self.auths.iter().find(|it| is_key(it.0)).and_then(|it| it.1.credentials()) {
                return Ok(Some(found));
            }
            prefix = key.rsplit_once('/').map(|it| it.0.to_owned());
        }
        if self.store.is_empty() { Ok(None) } else { ask(&self.store, host) }
    }
}

/// A key without the scheme and the path that docker writes around it.
fn plain_key(key: &str) -> &str {
    let key = key.strip_prefix("https://").or_else(|| key.strip_prefix("http://")).unwrap_or(key);
    let key = key.strip_suffix('/').unwrap_or(key);
    key.strip_suffix("/v1").or_else(|| key.strip_suffix("/v2")).unwrap_or(key)
}

impl Entry {
    fn credentials(&self) -> Option<Credentials> {
        if !self.identitytoken.is_empty() {
            return Some(Credentials::IdentityToken(self.identitytoken.clone()));
        }
        let decoded = STANDARD.decode(self.auth.trim()).ok()?;
        let text = String::from_utf8(decoded).ok()?;
        let (user, password) = text.trim_end_matches('\0').split_once(':')?;
        Some(Credentials::Basic { user: user.to_owned(), password: password.to_owned() })
    }
}

/// Asks a helper.
fn ask(name: &str, server: &str) -> Result<Option<Credentials>, OciError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Answer {
        username: String,
        secret: String,
    }
    let is_name = |it: &str| {
        !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'_' | b'-'))
    };
    if !is_name(name) {
        let message = format!("`{}` is not the name of a credential helper", name.escape_default());
        return Err(OciError::Registry { message });
    }
    let program = format!("docker-credential-{name}");
    let failed = |what: String| OciError::Registry { message: format!("the credential helper `{program}` {what}") };
    let mut command = Command::new(&program);
    command.arg("get").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| failed(format!("cannot be started: {error}")))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A helper that does not read its input reports that itself.
        let _ = stdin.write_all(server.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| failed(format!("failed: {error}")))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stdout);
        if text.contains("credentials not found") {
            return Ok(None);
        }
        return Err(failed("failed".to_owned()));
    }
    let answer: Answer =
        serde_json::from_slice(&output.stdout).map_err(|_| failed("gave no credentials".to_owned()))?;
    Ok(Some(match answer.username.as_str() {
        "<token>" => Credentials::IdentityToken(answer.secret),
        _ => Credentials::Basic { user: answer.username, password: answer.secret },
    }))
}
