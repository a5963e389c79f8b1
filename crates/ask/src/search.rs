//! Searches for packages, by words and conditions.

use super::error::AskError;
use olmdex_index::Index;
use olmdex_index::query::{Hit, SearchQuery, Status};

/// The packages that are found, the best first; only those of these statuses, if any are named.
///
/// # Errors
/// If the index cannot be read.
pub fn search(index: &Index, query: &SearchQuery, statuses: &[Status]) -> Result<Vec<Hit>, AskError> {
    let mut hits = index.search(query)?;
    index.retain_with_status(&mut hits, statuses)?;
    Ok(hits)
}
