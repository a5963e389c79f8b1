//! The upgrade path that a picture marks, which is one for all catalogs that it shows.

use super::error::AskError;
use super::upgrade::{PackageQuestion, Warn, bundle, installed};
use olmdex_base::olm::OlmSet;
use olmdex_index::Index;
use olmdex_index::query::{Filter, PackageGraph};
use olmdex_olm::upgrade::{EngineQuestion, PackageView};

/// A question about paths in a picture.
#[derive(Debug, Default)]
pub struct MarkedPathQuestion {
    /// The package.
    pub package: String,
    /// Where the path starts: a version or a bundle.
    pub from: String,
    /// The end of the path; as far as possible without one.
    pub to: Option<String>,
    /// The channels; all if none is named.
    pub channels: Vec<String>,
    /// The generation of OLM that goes it.
    pub olm: OlmSet,
    /// The catalogs; all if none is named.
    pub catalogs: Vec<String>,
}

impl MarkedPathQuestion {
    /// The bundles on the path, beginning with its start, in catalogs with their graphs of the package. A catalog may
    /// know only the first steps.
    ///
    /// # Errors
    /// [`AskError::SeveralPaths`]; if a bundle does not exist or the index cannot be read.
    pub fn answer(
        &self,
        index: &Index,
        catalogs: &[(&str, &[PackageGraph])],
        warn: Warn<'_>,
    ) -> Result<Vec<String>, AskError> {
        let ranks = index.catalog_ranks(&Filter { catalogs: self.catalogs.clone(), ..Filter::default() })?;
        let mut paths = Vec::with_capacity(catalogs.len());
        for (_, graphs) in catalogs {
            paths.push(self.path_in(index, PackageView::new(&self.package, graphs.to_vec(), &ranks), warn)?);
        }
        paths.sort_by_key(Vec::len);
        let longest = paths.pop().unwrap_or_default();
        if paths.iter().all(|it| longest.starts_with(it)) {
            return Ok(longest);
        }
        Err(AskError::SeveralPaths { catalogs: catalogs.iter().map(|it| it.0.to_owned()).collect() })
    }

    fn path_in(&self, index: &Index, view: PackageView, warn: Warn<'_>) -> Result<Vec<String>, AskError> {
        let from = installed(index, &view, &self.from)?;
        let to = self.to.as_deref().map(|it| bundle(&view, it)).transpose()?.map(|it| it.name);
        let asked = EngineQuestion {
            installed: Some(from.clone()),
            channels: self.channels.clone(),
            ..EngineQuestion::default()
        };
        let question = PackageQuestion::new(self.olm, view, asked);
        let Some(path) = question.paths(&from, to.as_deref()).into_iter().next() else { return Ok(Vec::new()) };
        if !path.is_reached {
            warn(&path.reason);
        }
        Ok([from.name].into_iter().chain(path.steps.into_iter().map(|it| it.target.bundle)).collect())
    }
}
