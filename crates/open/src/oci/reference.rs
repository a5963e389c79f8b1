//! Names of images in registries: `HOST/NAME[:TAG][@DIGEST]`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::digest::Digest;
use olmdex_fbc::{is_host, is_path_component, is_tag};

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

/// The reasons why a text is not the name of an image.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// It has no registry in front.
    #[error("`{0}` does not name a registry")]
    Short(String),
    /// The registry is not a host.
    #[error("`{0}` is not a host and port")]
    Host(String),
    /// The repository has characters that none may have.
    #[error("`{0}` is not a repository name, which has lower-case letters, digits, `.`, `_`, `-` and `/`")]
    Repository(String),
    /// The tag has characters that none may have.
    #[error("`{0}` is not a tag, which has at most 128 letters, digits, `.`, `_` and `-`")]
    Tag(String),
    /// The digest is not a valid one.
    #[error("`{0}` is not a digest, which is `sha256:` and 64 digits, or `sha512:` and 128")]
    Digest(String),
}

impl Reference {
    /// The name of it in its repository: its digest, or else its tag, or else `latest`.
    pub fn name(&self) -> String {
        match (&self.digest, &self.tag) {
            (Some(digest), _) => digest.to_string(),
            (None, Some(tag)) => tag.clone(),
            (None, None) => "latest".to_owned(),
        }
    }

    /// Host and repository.
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
        let is_registry = |it: &str| it.contains(['.', ':']) || it == "localhost";
        let Some((host, repository)) = rest.split_once('/').filter(|it| is_registry(it.0)) else {
            return Err(ReferenceError::Short(shown(text)));
        };
        if !is_host_and_port(host) {
            return Err(ReferenceError::Host(shown(host)));
        }
        if repository.len() > 255 || !repository.split('/').all(is_path_component) {
            return Err(ReferenceError::Repository(shown(repository)));
        }
        if let Some(tag) = tag.as_ref().filter(|it| !is_tag(it)) {
            return Err(ReferenceError::Tag(shown(tag)));
        }
        // Docker's own registry has a short name for its official images.
        let is_official = host == "docker.io" && !repository.contains('/');
        let repository = if is_official { format!("library/{repository}") } else { repository.to_owned() };
        Ok(Self { host: host.to_owned(), repository, tag, digest })
    }
}

/// Whether a text is a host, and a port if it has one.
fn is_host_and_port(text: &str) -> bool {
    let is_port = |it: &str| it.parse::<u16>().is_ok();
    if let Some((address, rest)) = text.strip_prefix('[').and_then(|it| it.split_once(']')) {
        let has_port = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
        return address.parse::<std::net::Ipv6Addr>().is_ok() && has_port;
    }
    is_host(text) && text.split_once(':').is_none_or(|it| is_port(it.1))
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
