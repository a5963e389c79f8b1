//! Searches for packages, by words and conditions.

use super::error::AskError;
use olmdex_index::Index;
use olmdex_index::query::{ApiPattern, Hit, SearchQuery, Status};

/// What is searched for. All conditions must hold for one bundle.
#[derive(Debug, Clone, Default)]
pub struct SearchWish {
    /// Words.
    pub words: Vec<String>,
    /// APIs, as GROUP/VERSION/KIND with parts that may be left empty.
    pub provides: Vec<String>,
    /// Parts of references of images.
    pub images: Vec<String>,
    /// Features, as NAME or NAME=VALUE.
    pub features: Vec<String>,
    /// Categories.
    pub categories: Vec<String>,
    /// Keywords.
    pub keywords: Vec<String>,
    /// Capability levels, any of them.
    pub capabilities: Vec<String>,
    /// Architectures.
    pub architectures: Vec<String>,
    /// Providers, any of them.
    pub providers: Vec<String>,
    /// Install modes.
    pub install_modes: Vec<String>,
    /// The catalogs to ask; all, if none is named.
    pub catalogs: Vec<String>,
}

impl SearchWish {
    /// The search as the index takes it.
    #[must_use]
    pub fn query(self) -> SearchQuery {
        let feature = |it: &String| match it.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (it.clone(), None),
        };
        SearchQuery {
            words: self.words.join(" "),
            provides: self.provides.iter().map(|it| ApiPattern::parse(it)).collect(),
            images: self.images,
            features: self.features.iter().map(feature).collect(),
            categories: self.categories,
            keywords: self.keywords,
            capabilities: self.capabilities,
            architectures: self.architectures,
            providers: self.providers,
            install_modes: self.install_modes,
            catalogs: self.catalogs,
        }
    }
}

/// The packages that are found, the best first; only those of these statuses, if any are named.
///
/// # Errors
/// If the index cannot be read.
pub fn search(index: &Index, query: &SearchQuery, statuses: &[Status]) -> Result<Vec<Hit>, AskError> {
    let mut hits = index.search(query)?;
    index.retain_with_status(&mut hits, statuses)?;
    Ok(hits)
}
