//! Names of images in registries: `HOST/NAME[:TAG][@DIGEST]`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::digest::Digest;

/// The name of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The registry, with its port if it has one.
    pub host: String,
    /// The repository there.
    pub repository: String,
    /// The tag.
    pub tag: Option<String>,
    /// The digest, which counts if there is a tag too.
    pub digest: Option<Digest>,
}

/// Why a text is no name of an image.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// It has no registry in front.
    #[error("`{0}` names no registry")]
    Short(String),
    /// The registry is not a host.
    #[error("`{0}` is not a host and port")]
    Host(String),
    /// The repository has characters that none may have.
    #[error("`{0}` is not a repository: it has lower-case letters, digits, `.`, `_`, `-` and `/`")]
    Repository(String),
    /// The tag likewise.
    #[error("`{0}` is not a tag: it has at most 128 letters, digits, `.`, `_` and `-`")]
    Tag(String),
    /// The digest is none.
    #[error("`{0}` is not a digest: `sha256:` and 64 digits, or `sha512:` and 128")]
    Digest(String),
}

impl Reference {
    /// What names it in its repository: its digest, else its tag, else `latest`.
    #[must_use]
    pub fn name(&self) -> String {
        match (&self.digest, &self.tag) {
            (Some(digest), _) => digest.to_string(),
            (None, Some(tag)) => tag.clone(),
            (None, None) => "latest".to_owned(),
        }
    }

    /// Host and repository.
    #[must_use]
    pub fn location(&self) -> String {
        format!("{}/{}", self.host, self.repository)
    }
}

impl FromStr for Reference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let shown = |text: &str| text.chars().take(160).flat_map(char::escape_default).collect::<String>();
        let (rest, digest) = match text.split_once('@') {
            Some((rest, digest)) => (rest, Some(digest.parse().map_err(|_| ReferenceError::Digest(shown(digest)))?)),
            None => (text, None),
        };
        let (rest, tag) = match rest.rsplit_once(':') {
            Some((rest, tag)) if !tag.contains('/') && rest.contains('/') => (rest, Some(tag.to_owned())),
            _ => (rest, None),
        };
        let is_host = |it: &str| it.contains(['.', ':']) || it == "localhost";
        let Some((host, repository)) = rest.split_once('/').filter(|it| is_host(it.0)) else {
            return Err(ReferenceError::Short(shown(text)));
        };
        if !is_host_and_port(host) {
            return Err(ReferenceError::Host(shown(host)));
        }
        let is_component = |it: &str| {
            let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            let bytes = it.as_bytes();
            let ends = bytes.first().is_some_and(|it| is_plain(*it)) && bytes.last().is_some_and(|it| is_plain(*it));
            let separators =
                it.split(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()).filter(|it| !it.is_empty());
            let mut is_separator =
                separators.map(|it| matches!(it, "." | "_" | "__") || it.bytes().all(|it| it == b'-'));
            ends && is_separator.all(|it| it)
        };
        if repository.len() > 255 || !repository.split('/').all(is_component) {
            return Err(ReferenceError::Repository(shown(repository)));
        }
        let is_tag = |it: &String| {
            let bytes = it.as_bytes();
            let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            bytes.len() <= 128
                && bytes.first().is_some_and(is_word)
                && bytes.iter().all(|it| is_word(it) || matches!(it, b'.' | b'-'))
        };
        if let Some(tag) = tag.as_ref().filter(|it| !is_tag(it)) {
            return Err(ReferenceError::Tag(shown(tag)));
        }
        // Docker's own registry has a short name for what it calls official.
        let is_official = host == "docker.io" && !repository.contains('/');
        let repository = if is_official { format!("library/{repository}") } else { repository.to_owned() };
        Ok(Self { host: host.to_owned(), repository, tag, digest })
    }
}

/// Whether a text is a host, and a port if it has one.
fn is_host_and_port(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[').and_then(|it| it.split_once(']')) {
        Some((address, rest)) => {
            if address.parse::<std::net::Ipv6Addr>().is_err() {
                return false;
            }
            ("v6", rest.strip_prefix(':').or(rest.is_empty().then_some("443")))
        }
        None => match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, Some("443")),
        },
    };
    let is_label = |it: &str| {
        !it.is_empty()
            && it.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !it.starts_with('-')
            && !it.ends_with('-')
    };
    host.split('.').all(is_label) && port.is_some_and(|it| it.parse::<u16>().is_ok())
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.host, self.repository)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        match &self.digest {
            Some(digest) => write!(f, "@{digest}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_and_put_together() {
        let digest = format!("sha256:{}", "a".repeat(64));
        for text in [
            "quay.io/org/catalog",
            "quay.io/org/catalog:v4.16",
            "localhost/x:1",
            "127.0.0.1:5000/a/b__c.d-e:T_1",
            "[::1]:5000/a:1",
            &format!("quay.io/org/catalog:v1@{digest}"),
            &format!("quay.io/org/catalog@{digest}"),
        ] {
            assert_eq!(text.parse::<Reference>().unwrap().to_string(), text);
        }
        assert_eq!("docker.io/busybox".parse::<Reference>().unwrap().repository, "library/busybox");
        for text in [
            "catalog",
            "org/catalog:v1",
            "quay.io",
            "quay.io/",
            "quay.io/Org/x",
            "quay.io/a//b",
            "quay.io/a/../b",
            "quay.io/a:",
            "quay.io/a@sha256:12",
            "quay.io:x/a",
            "quay.io/a b",
            "user@quay.io/a",
            "quay.io/a:t?x=1",
            "-.io/a",
            "quay.io/a#b",
            "quay.io:99999/a",
            "quay.io/a%2e",
            "[::1/a",
        ] {
            assert!(text.parse::<Reference>().is_err(), "{text}");
        }
    }
}
