//! The catalog and the question that a path names. A path never leads to a file: it is compared with names.

use olmdex_text::encoding::percent::decoded;

/// The target of a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// Not a valid path; it would be one in this form.
    Unclean(String),
    /// An unknown path.
    Unknown,
    /// A question to a catalog.
    Catalog(CatalogRoute),
}

/// A question to a catalog.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CatalogRoute {
    pub(super) catalog: String,
    pub(super) endpoint: Endpoint,
}

/// The kinds of questions to a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endpoint {
    All,
    Metas,
    GraphQl,
}

/// Bytes of a name of a catalog.
pub(super) const MAX_NAME: usize = 253;

pub(super) fn route(method: &str, path: &str) -> Route {
    let path = without_authority(path);
    if method != "CONNECT" {
        let clean = clean(path);
        if clean != path {
            return Route::Unclean(clean);
        }
    }
    let segments: Vec<Option<String>> = path.split('/').skip(1).map(|it| unescape(it, false)).collect();
    let segments: Vec<&str> = segments.iter().map(|it| it.as_deref().unwrap_or("\0")).collect();
    match *segments {
        ["catalogs", catalog, "api", "v1", last] if !catalog.is_empty() => {
            let endpoint = match last {
                "all" => Endpoint::All,
                "metas" => Endpoint::Metas,
                "graphql" => Endpoint::GraphQl,
                _ => return Route::Unknown,
            };
            Route::Catalog(CatalogRoute { catalog: catalog.to_owned(), endpoint })
        }
        _ => Route::Unknown,
    }
}

/// Whether catalogd has to answer a path: one below `/catalogs`, or one that is not clean.
pub fn is_own(path: &str) -> bool {
    path == "/catalogs" || path.starts_with("/catalogs/") || clean(path) != path
}

/// Whether a path is one of GraphQL, whose questions are bodies.
#[cfg(feature = "graphql")]
pub(crate) fn is_graphql(path: &str) -> bool {
    matches!(route("POST", path), Route::Catalog(CatalogRoute { endpoint: Endpoint::GraphQl, .. }))
}

/// A target may name the server too.
fn without_authority(path: &str) -> &str {
    let rest = path.strip_prefix("http://").or_else(|| path.strip_prefix("https://"));
    match rest {
        Some(rest) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => path,
    }
}

/// The path without empty segments, `.` and `..`; a slash at the end stays.
fn clean(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            other => kept.push(other),
        }
    }
    let end = if path.ends_with('/') && !kept.is_empty() { "/" } else { "" };
    format!("/{}{end}", kept.join("/"))
}

/// A text without percent escapes. `None` if one is not an escape; bytes that are no text are replaced.
pub(super) fn unescape(text: &str, plus_is_blank: bool) -> Option<String> {
    decoded(text, plus_is_blank).map(|it| String::from_utf8_lossy(&it).into_owned())
}

/// Whether a text has the form of a DNS-1123 subdomain, regardless of its length.
pub(super) fn is_subdomain(text: &str) -> bool {
    let is_inner = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        bytes.first().is_some_and(|it| is_inner(*it))
            && bytes.last().is_some_and(|it| is_inner(*it))
            && bytes.iter().all(|it| is_inner(*it) || *it == b'-')
    };
    text.split('.').all(is_label)
}
