//! Digests: the names of blobs, and the proof that bytes are the requested ones.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256, Sha512};
use thiserror::Error;

use olmdex_text::encoding::hex::hex;

/// The digest of some bytes, `sha256:…` or `sha512:…`. It is safe in paths and addresses: it consists of its algorithm
/// and lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest {
    algorithm: Algorithm,
    hex: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Algorithm {
    Sha256,
    Sha512,
}

/// The reason why a text is not a digest.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is not a digest, which is `sha256:` and 64 digits, or `sha512:` and 128")]
pub struct DigestError(String);

impl Digest {
    /// The names of all algorithms.
    pub(super) const ALGORITHMS: [&str; 2] = ["sha256", "sha512"];

    /// The digest of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self { algorithm: Algorithm::Sha256, hex: hex(&Sha256::digest(bytes)) }
    }

    /// The name of its algorithm.
    pub fn algorithm(&self) -> &'static str {
        match self.algorithm {
            Algorithm::Sha256 => "sha256",
            Algorithm::Sha512 => "sha512",
        }
    }

    /// Its digits.
    pub fn hex(&self) -> &str {
        &self.hex
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let wrong = || DigestError(text.chars().take(160).flat_map(char::escape_default).collect());
        let (algorithm, hex) = text.split_once(':').ok_or_else(wrong)?;
        let (algorithm, len) = match algorithm {
            "sha256" => (Algorithm::Sha256, 64),
            "sha512" => (Algorithm::Sha512, 128),
            _ => return Err(wrong()),
        };
        let is_hex = hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if hex.len() == len && is_hex { Ok(Self { algorithm, hex: hex.to_owned() }) } else { Err(wrong()) }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.algorithm(), self.hex)
    }
}

impl<'de> serde::Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl serde::Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Makes a digest of bytes as they come.
#[derive(Clone)]
pub(super) enum Hasher {
    Sha256(Sha256),
    Sha512(Sha512),
}

impl Hasher {
    fn of(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Sha256 => Self::Sha256(Sha256::new()),
            Algorithm::Sha512 => Self::Sha512(Sha512::new()),
        }
    }

    /// One for `sha256`.
    pub(super) fn new() -> Self {
        Self::of(Algorithm::Sha256)
    }

    /// One that can be compared with a digest.
    pub(super) fn like(digest: &Digest) -> Self {
        Self::of(digest.algorithm)
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha256(it) => it.update(bytes),
            Self::Sha512(it) => it.update(bytes),
        }
    }

    pub(super) fn finish(self) -> Digest {
        match self {
            Self::Sha256(it) => Digest { algorithm: Algorithm::Sha256, hex: hex(&it.finalize()) },
            Self::Sha512(it) => Digest { algorithm: Algorithm::Sha512, hex: hex(&it.finalize()) },
        }
    }
}
