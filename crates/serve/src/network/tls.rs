//! The certificate of the server, and the connections that are encrypted with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use thiserror::Error;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::validity::Validity;
use olmdex_base::file;
use olmdex_base::file::system_words;

/// Bytes that a file of certificates or of a key may have.
const MAX_LEN: u64 = 1 << 20;

/// The files of a certificate, both as PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, and after it those that lead to a root.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

/// The reasons why a certificate cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {}: {}", path.display(), system_words(.source))]
    Read { path: PathBuf, source: std::io::Error },
    /// It does not have the form that it should have.
    #[error("{}: {why}", path.display())]
    Content { path: PathBuf, why: String },
}

impl TlsError {
    fn content(path: &Path, why: impl Into<String>) -> Self {
        Self::Content { path: path.to_owned(), why: why.into() }
    }
}

/// The encryption of plain connections: the protocol is agreed on at the beginning.
#[derive(Clone)]
pub(super) struct Acceptors {
    pub(super) grpc: TlsAcceptor,
    pub(super) http: TlsAcceptor,
    /// When each of the certificates counts, as far as that can be read.
    validities: Vec<Validity>,
}

impl Acceptors {
    /// The reason why clients will refuse the certificate now, if its time has not come or is over.
    pub(super) fn problem(&self) -> Option<String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        self.validities.iter().find_map(|it| it.problem(now))
    }
}

impl TlsFiles {
    /// Reads both files.
    ///
    /// # Errors
    /// [`TlsError`]
    pub(super) fn read(&self) -> Result<Acceptors, TlsError> {
        let content = |path: &Path| {
            file::read_regular_of(path, MAX_LEN).map_err(|source| TlsError::Read { path: path.to_owned(), source })
        };
        let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&content(&self.certificate)?)
            .collect::<Result<_, _>>()
            .map_err(|error| TlsError::content(&self.certificate, format!("not a certificate as PEM: {error}")))?;
        if certificates.is_empty() {
            return Err(TlsError::content(&self.certificate, "no certificate in it: expected `BEGIN CERTIFICATE`"));
        }
        let key = PrivateKeyDer::from_pem_slice(&content(&self.key)?)
            .map_err(|_| TlsError::content(&self.key, "no private key in it: expected `BEGIN PRIVATE KEY`"))?;
        let validities = certificates.iter().filter_map(|it| Validity::of(it)).collect();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|it| it.with_no_client_auth().with_single_cert(certificates, key))
            .map_err(|error| {
                let why = format!("not the key of {}: {error}", self.certificate.display());
                TlsError::content(&self.key, why)
            })?;
        let speaking = |protocol: &[u8]| {
            let mut config = config.clone();
            config.alpn_protocols = vec![protocol.to_vec()];
            TlsAcceptor::from(Arc::new(config))
        };
        Ok(Acceptors { grpc: speaking(b"h2"), http: speaking(b"http/1.1"), validities })
    }
}
