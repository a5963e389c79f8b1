//! Sending images: blobs that the registry does not have, then manifests, the one with the tag last.

use ureq::http::Method;

use super::super::document::{Descriptor, Index};
use super::super::error::OciError;
use super::super::mirrors::Endpoint;
use super::super::pack::{Packed, PackedImage};
use super::address::upload;
use super::http::{Payload, Sent, absolute};
use super::{MAX_MANIFEST, Registry};
use olmdex_base::file::Text;

/// The size of a part for a registry that takes no more at once.
const CHUNK: u64 = 32 << 20;

/// The actions on a repository that is written to.
const ACTIONS: &str = "pull,push";

impl Registry<'_> {
    /// The place that is written to: never a mirror.
    fn target(&self) -> Endpoint {
        let named = |it: &&Endpoint| it.host == self.reference.host && it.repository == self.reference.repository;
        self.endpoints.iter().find(named).cloned().unwrap_or_else(|| Endpoint {
            host: self.reference.host.clone(),
            repository: self.reference.repository.clone(),
            is_insecure: false,
        })
    }

    /// Sends an image under the tag of this name. Returns how many blobs were sent, and how many were there.
    ///
    /// # Errors
    /// If the registry does not take it.
    pub fn push(&self, image: &PackedImage) -> Result<(usize, usize), OciError> {
        let target = self.target();
        let (mut sent, mut there) = (0, 0);
        for (descriptor, text) in &image.blobs {
            if self.has_blob(&target, descriptor)? {
                there += 1;
            } else {
                self.send_blob(&target, descriptor, text)?;
                sent += 1;
            }
        }
        for manifest in &image.manifests {
            self.send_manifest(&target, manifest, &manifest.descriptor.digest.to_string())?;
        }
        self.send_manifest(&target, &image.root, &self.reference.name())?;
        Ok((sent, there))
    }

    fn has_blob(&self, target: &Endpoint, descriptor: &Descriptor) -> Result<bool, OciError> {
        let mut head = Sent::get(self.url(target, &format!("blobs/{}", descriptor.digest)));
        head.method = Method::HEAD;
        match self.send(target, head, ACTIONS) {
            Ok(_) => Ok(true),
            Err(OciError::Unknown(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn send_blob(&self, target: &Endpoint, descriptor: &Descriptor, text: &Text) -> Result<(), OciError> {
        let url = self.begin(target)?;
        let whole = Payload::Part(text, 0, text.len());
        let answer =
            self.send(target, put(&with_digest(&url, descriptor), whole, "application/octet-stream"), ACTIONS)?;
        if answer.status != 413 {
            return Ok(());
        }
        let mut url = self.begin(target)?;
        let mut at = 0;
        while at < text.len() {
            let len = CHUNK.min(text.len() - at);
            let mut sent = put(&url, Payload::Part(text, at, len), "application/octet-stream");
            sent.method = Method::PATCH;
            sent.headers.push(("content-range", format!("{at}-{}", at + len - 1)));
            let answer = self.send(target, sent, ACTIONS)?;
            if answer.status == 413 {
                return Err(OciError::registry(format!(
                    "`{}` does not accept a blob of {} bytes",
                    target.host,
                    text.len()
                )));
            }
            url = location(&answer)?;
            at += len;
        }
        self.send(
            target,
            put(&with_digest(&url, descriptor), Payload::Bytes(b""), "application/octet-stream"),
            ACTIONS,
        )?;
        Ok(())
    }

    /// Asks where a blob is to be sent.
    fn begin(&self, target: &Endpoint) -> Result<String, OciError> {
        let mut post = Sent::get(self.url(target, "blobs/uploads/"));
        post.method = Method::POST;
        location(&self.send(target, post, ACTIONS)?)
    }

    fn send_manifest(&self, target: &Endpoint, manifest: &Packed, name: &str) -> Result<(), OciError> {
        let url = self.url(target, &format!("manifests/{name}"));
        let answer =
            self.send(target, put(&url, Payload::Bytes(&manifest.text), &manifest.descriptor.media_type), ACTIONS);
        match answer {
            Ok(answer) => self.note_referrer(target, manifest, answer.header("oci-subject").is_some()),
            Err(OciError::Registry { message })
                if message.contains("MANIFEST_INVALID") || message.contains("status 415") =>
            {
                let message = format!("{message}; it may accept only artifacts of version 1.0: `--image-spec v1.0`");
                Err(OciError::Registry { message })
            }
            Err(error) => Err(error),
        }
    }

    /// If a registry keeps no lists of the manifests that belong to another one, a tag does: an index of them.
    fn note_referrer(&self, target: &Endpoint, manifest: &Packed, is_noted: bool) -> Result<(), OciError> {
        let value: serde_json::Value = serde_json::from_slice(&manifest.text).unwrap_or_default();
        let Some(subject) = value.get("subject").and_then(|it| it.get("digest")).and_then(|it| it.as_str()) else {
            return Ok(());
        };
        if is_noted {
            return Ok(());
        }
        let tag = subject.replacen(':', "-", 1);
        let mut get = Sent::get(self.url(target, &format!("manifests/{tag}")));
        get.headers.push(("accept", "application/vnd.oci.image.index.v1+json".to_owned()));
        let mut index = match self.send(target, get, ACTIONS) {
            Ok(answer) => serde_json::from_slice::<Index>(&answer.text(MAX_MANIFEST)?)
                .map_err(|_| OciError::document("list of referrers", "cannot be decoded"))?,
            Err(OciError::Unknown(_)) => Index { manifests: Vec::new() },
            Err(error) => return Err(error),
        };
        if index.manifests.iter().all(|it| it.digest != manifest.descriptor.digest) {
            index.manifests.push(manifest.descriptor.clone());
            let kind = "application/vnd.oci.image.index.v1+json";
            let text =
                serde_json::json!({"schemaVersion": 2, "mediaType": kind, "manifests": index.manifests}).to_string();
            let url = self.url(target, &format!("manifests/{tag}"));
            self.send(target, put(&url, Payload::Bytes(text.as_bytes()), kind), ACTIONS)?;
        }
        Ok(())
    }
}

fn put<'a>(url: &str, body: Payload<'a>, kind: &str) -> Sent<'a> {
    let headers = vec![("content-type", kind.to_owned())];
    Sent { method: Method::PUT, url: url.to_owned(), headers, body: Some(body), is_insecure: false }
}

/// The address to which a registry wants the next part.
fn location(answer: &super::http::Answer) -> Result<String, OciError> {
    let target =
        answer.header("location").ok_or_else(|| OciError::registry("the registry does not name an upload location"))?;
    let url = absolute(&answer.url, target)?;
    // Credentials go with it.
    upload(&answer.url, &url)
}

fn with_digest(url: &str, descriptor: &Descriptor) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}digest={}", super::encoded(&descriptor.digest.to_string()))
}
