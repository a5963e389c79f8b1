//! The fewest edits of catalogs that strand nobody.

use super::error::AskError;
use super::name::no_package;
use olmdex_base::olm::OlmSet;
use olmdex_change::edit::{PackageRepair, repairs};
use olmdex_index::Index;
use olmdex_index::query::Filter;
use olmdex_olm::upgrade::PackageView;

/// A question about stranded users.
#[derive(Debug, Default)]
pub struct RepairQuestion {
    /// The generations of OLM to ask.
    pub olm: OlmSet,
    /// The packages; all of them, if none is named.
    pub packages: Vec<String>,
    /// The catalogs, each by itself; all of them, if none is named.
    pub catalogs: Vec<String>,
}

/// The edits that would strand nobody.
#[derive(Debug, Default)]
pub struct RepairAnswers {
    /// An item for each package of a catalog in which somebody is stranded.
    pub items: Vec<PackageRepair>,
    /// How many packages of catalogs were examined.
    pub n_packages: usize,
}

impl RepairAnswers {
    /// Whether somebody stays stranded with any edits.
    pub fn is_negative(&self) -> bool {
        self.items.iter().any(|it| it.stranded_after > 0)
    }
}

impl RepairQuestion {
    /// The answer: for each channel that strands somebody the fewest edits of entries that strand nobody, each verified
    /// in both engines.
    ///
    /// # Errors
    /// [`AskError::NoPackage`]; if the index cannot be read.
    pub fn answer(&self, index: &Index) -> Result<RepairAnswers, AskError> {
        let filter = Filter { catalogs: self.catalogs.clone(), ..Filter::default() };
        let packages = if self.packages.is_empty() { index.package_names()? } else { self.packages.clone() };
        let mut views = Vec::new();
        for package in &packages {
            let graphs = index.package_graphs(&filter, package)?;
            if graphs.is_empty() && !self.packages.is_empty() {
                return Err(no_package(index, package)?);
            }
            for graph in graphs {
                let of_it = Filter::of_catalog(&graph.catalog);
                let ranks = index.catalog_ranks(&of_it)?;
                views.push(PackageView::new(package, vec![graph], &ranks));
            }
        }
        let n_packages = views.len();
        Ok(RepairAnswers { items: repairs(views, self.olm.each()), n_packages })
    }
}
