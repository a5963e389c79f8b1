//! Pages for people, over the same port as catalogd's paths. The program hands them to the server.

use std::fmt::Debug;

use olmdex_base::http::Reply;
use olmdex_index::{Index, IndexError};

/// A request that is not one of catalogd's.
#[derive(Debug, Clone, Copy)]
pub struct PageRequest<'r> {
    /// The method.
    pub method: &'r str,
    /// Path and query.
    pub target: &'r str,
    /// The scheme and host that were asked, such as `https://catalogs.example.com`; empty if the request names none.
    pub base: &'r str,
    /// The header `If-None-Match`.
    pub if_none_match: Option<&'r str>,
}

/// The pages of the catalogs of one snapshot. Several threads ask at once.
pub trait Pages: Debug + Send + Sync {
    /// Answers a request, out of a connection to the index of the snapshot.
    fn answer(&self, index: &Index, request: &PageRequest<'_>) -> Reply;

    /// Prepares the data that the first page would wait for.
    ///
    /// # Errors
    /// [`IndexError`] if the index cannot be read.
    fn prepare(&self, index: &Index) -> Result<(), IndexError>;
}
