//! The content of a registry: its repositories, and the tags of one.
//!
//! A registry sends lists in pages and says where the next one is. It may say anything: only an address of the same
//! list on the same host is followed, and only after a page with a new name.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::Registry;
use super::http::Sent;
use crate::oci::error::OciError;

/// The number of names that a list may have.
const MAX_NAMES: usize = 1_000_000;

/// The number of bytes that the names of a list may have.
const MAX_BYTES: usize = 64 << 20;

/// The number of pages that a list may have. Registries send 50 names a page or more.
const MAX_PAGES: usize = 20_000;

/// The number of bytes that a page may have.
const MAX_PAGE: u64 = 8 << 20;

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    repositories: Option<Vec<String>>,
    #[serde(default)]
    tags: Option<Vec<String>>,
}

impl Registry<'_> {
    /// The repositories of the registry that has this image, sorted. Some registries do not list them.
    ///
    /// # Errors
    /// If the registry does not answer.
    pub fn repositories(&self) -> Result<Vec<String>, OciError> {
        self.list("_catalog", "registry:catalog:*", |it| it.repositories)
    }

    /// The tags of the repository, sorted.
    ///
    /// # Errors
    /// [`OciError::Unknown`] if there is no such repository; or if the registry does not answer.
    pub fn tags(&self) -> Result<Vec<String>, OciError> {
        let path = format!("{}/tags/list", self.reference.repository);
        self.list(&path, "pull", |it| it.tags)
    }

    fn list(
        &self,
        path: &str,
        actions: &str,
        names: impl Fn(Page) -> Option<Vec<String>>,
    ) -> Result<Vec<String>, OciError> {
        // A mirror need not have everything; the place that was named is the last one.
        let Some(endpoint) = self.endpoints.last() else {
            return Err(OciError::Unknown(self.reference.to_string()));
        };
        let mut next = Some(format!("/v2/{path}?n=1000"));
        let (mut found, mut n_bytes, mut n_pages) = (BTreeSet::new(), 0, 0);
        while let Some(address) = next {
            let answer = self.send(endpoint, Sent::get(self.address(endpoint, &address)), actions)?;
            let link = answer.header("link").map(str::to_owned);
            let text = answer.text(MAX_PAGE + 1)?;
            if text.len() as u64 > MAX_PAGE {
                return Err(OciError::document("list", format!("is larger than {} MiB", MAX_PAGE >> 20)));
            }
            let page: Page = serde_json::from_slice(&text).map_err(|error| OciError::undecodable("list", &error))?;
            // A page without a new name is the last one: a list may link in circles.
            let mut has_new = false;
            for name in names(page).unwrap_or_default() {
                let len = name.len();
                if found.insert(name) {
                    has_new = true;
                    n_bytes += len;
                }
            }
            n_pages += 1;
            if found.len() > MAX_NAMES || n_bytes > MAX_BYTES || n_pages > MAX_PAGES {
                let limits = format!("{MAX_NAMES} names, {} MiB or {MAX_PAGES} pages", MAX_BYTES >> 20);
                return Err(OciError::document("list", format!("has more than {limits}")));
            }
            next = link.and_then(|it| next_page(&it, path)).filter(|_| has_new);
        }
        Ok(found.into_iter().collect())
    }
}

/// The path of the next page, if a header names one of the same list: `</v2/_catalog?last=b&n=1000>; rel="next"`.
fn next_page(link: &str, path: &str) -> Option<String> {
    let (address, rest) = link.trim().strip_prefix('<')?.split_once('>')?;
    if !rest.contains("next") || !address.bytes().all(|it| it.is_ascii_graphic()) {
        return None;
    }
    // Some registries send the whole address; whatever its host, the present one is asked.
    let local = match address.split_once("://") {
        Some((_, after)) => &after[after.find('/')?..],
        None => address,
    };
    let query = local.strip_prefix("/v2/")?.strip_prefix(path)?.strip_prefix('?')?;
    Some(format!("/v2/{path}?{query}"))
}

#[cfg(test)]
mod tests {
    use super::next_page;

    #[test]
    fn only_the_same_list_is_read_on() {
        for (link, wanted) in [
            ("</v2/_catalog?last=b&n=1>; rel=\"next\"", Some("/v2/_catalog?last=b&n=1")),
            ("<https://elsewhere/v2/_catalog?last=b>; rel=next", Some("/v2/_catalog?last=b")),
            ("</v2/x/tags/list?last=b>; rel=\"next\"", None),
            ("</v2/_catalog/../../secret?x>; rel=\"next\"", None),
            ("</v2/_catalog?last=b>; rel=\"prev\"", None),
            ("<https:///v2/_catalog?a b>; rel=\"next\"", None),
            ("/v2/_catalog?last=b", None),
            ("<https://x>; rel=\"next\"", None),
            ("", None),
        ] {
            assert_eq!(next_page(link, "_catalog").as_deref(), wanted, "{link}");
        }
    }
}
