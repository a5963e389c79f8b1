//! The sources that `olmdex check` has opened, and what is found about their catalogs by themselves.

use std::rc::Rc;

use crate::ask::{JudgedCatalog, check_catalog_noting};
use crate::check::{Inspected, Report, SeveralCatalogs};
use crate::cli::args::judged::findings_of_graphs;
use crate::cli::args::sources::NamedSource;
use crate::cli::catalog::pipelines::CatalogImage;
use crate::cli::terminal::error::CommandError;
use crate::diag::{Finding, Rule};
use crate::fbc::{Input, InputFile};
use crate::index::Index;
use crate::source::Recognized;

/// So many bytes of catalogs are judged at a time. Larger ones are judged one after the other, since they take memory.
pub(super) const BYTES_AT_ONCE: u64 = 8 << 20;

/// A source that is open.
pub(super) struct OpenSource {
    pub(super) number: usize,
    pub(super) source: NamedSource,
    pub(super) recognized: Recognized,
    /// Whether it is what it was recognized as: catalogs.
    pub(super) is_catalog: bool,
    /// Whether no file was left out because it is hidden.
    pub(super) is_whole: bool,
    pub(super) image: Option<CatalogImage>,
    pub(super) index: Option<Rc<Index>>,
    /// The catalogs, by their names if they are those of an index; or what an archive has instead.
    pub(super) catalogs: Vec<(String, Input)>,
}

impl OpenSource {
    /// Its catalogs, each with what has to be known to judge it.
    pub(super) fn to_judge(
        &self,
        is_unbuilt: bool,
        is_part: bool,
        are_graphs_wanted: bool,
    ) -> impl Iterator<Item = CatalogToJudge<'_>> {
        let openshift = self.image.as_ref().and_then(CatalogImage::openshift);
        // The images of a repository may be for any OpenShift.
        let is_alone = is_unbuilt || (is_part && self.image.is_some() && openshift.is_none());
        let is_read = are_graphs_wanted && self.index.is_none() && self.is_whole;
        self.catalogs.iter().map(move |(name, input)| {
            let mut shown = self.source.shown();
            if !name.is_empty() {
                shown = format!("{shown}#{name}");
            }
            let mut several = SeveralCatalogs::default();
            several.begin(self.number, shown, input, openshift);
            CatalogToJudge { name: &self.source.name, input, several, is_alone, is_read }
        })
    }

    pub(super) fn n_bytes(&self) -> u64 {
        self.catalogs.iter().flat_map(|(_, input)| &input.files).filter_map(InputFile::size).sum()
    }
}

/// A catalog that is judged without those beside it.
pub(super) struct CatalogToJudge<'o> {
    name: &'o str,
    input: &'o Input,
    /// This catalog only, without its documents.
    several: SeveralCatalogs,
    /// Whether it is no fragment of an index.
    is_alone: bool,
    /// Whether its graphs are read too.
    is_read: bool,
}

/// The findings about a catalog, and its documents.
pub(super) struct JudgedSource {
    pub(super) report: Report,
    /// The findings about its graphs, if these were read.
    pub(super) graphs: Option<Vec<Finding>>,
    /// The catalog with its documents.
    pub(super) several: SeveralCatalogs,
}

impl CatalogToJudge<'_> {
    pub(super) fn judge(mut self, practices: &[&'static Rule]) -> Result<JudgedSource, CommandError> {
        let mut note = |inspected: &Inspected| {
            if !self.is_alone {
                self.several.note(inspected);
            }
        };
        let (report, catalog) = match self.is_read {
            true => JudgedCatalog::read(self.name, self.input, practices, &mut note)?,
            false => (check_catalog_noting(self.input, None, practices, &mut note), None),
        };
        let graphs = catalog.map(|catalog| findings_of_graphs(catalog, None)).transpose()?;
        Ok(JudgedSource { report, graphs, several: self.several })
    }
}

/// The name of a recognised kind, for people.
pub(super) fn kind_in_words(recognized: &Recognized) -> &'static str {
    match recognized {
        Recognized::Catalog => "a catalog",
        Recognized::Templates => "catalog templates",
        Recognized::Bundles(_) => "bundle directories",
        Recognized::Repository => "an operator repository",
        Recognized::Legacy => "a legacy SQLite file",
        Recognized::Settings => "the settings of an operator",
        Recognized::Manifests => "manifests",
        Recognized::ImageSets => "configurations of oc-mirror",
    }
}
