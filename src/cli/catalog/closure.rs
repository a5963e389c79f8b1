//! The requirements of catalogs, for `olmdex check --closure`.

use std::rc::Rc;

use crate::ask::{JudgedRequirement, RequirementAnswers, RequiringCatalog, unmet_requirements};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cli::terminal::progress::Progress;
use crate::diag::envelope::UnmetRequirement;
use crate::diag::{Finding, counted};
use crate::fbc::Input;
use crate::index::Index;

/// The catalogs whose requirements are checked.
#[derive(Default)]
pub(crate) struct Closure {
    catalogs: Vec<RequiringCatalog>,
    /// The index of each that comes from one.
    indexes: Vec<Option<Rc<Index>>>,
}

/// The requirements that nothing meets.
pub(crate) struct ClosureFindings {
    pub(crate) findings: Vec<Finding>,
    pub(crate) unmet: Vec<UnmetRequirement>,
    /// How much was checked, in words.
    pub(crate) summary: String,
}

impl Closure {
    /// Takes another catalog.
    pub(crate) fn add(&mut self, name: &str, input: &Input, index: Option<&Rc<Index>>) {
        self.catalogs.push(RequiringCatalog { name: name.to_owned(), input: input.clone() });
        self.indexes.push(index.cloned());
    }

    /// Finds the requirements that nothing meets in the catalogs that were added.
    pub(crate) fn answer(&self, context: &Context) -> Result<ClosureFindings, CommandError> {
        if self.catalogs.is_empty() {
            let error = CommandError::new(Exit::No, "no requirement was checked: `--closure` checks catalogs only");
            return Err(error.help("name a catalog or an index"));
        }
        let _progress = Progress::start(context, "looking for the dependencies of bundles".to_owned());
        let RequirementAnswers { mut items, n_requirements } = unmet_requirements(&self.catalogs)?;
        for of_catalog in items.chunk_by_mut(|a, b| a.catalog == b.catalog) {
            let number = of_catalog.first().map(|it| it.catalog).unwrap_or_default();
            let Some(index) = self.indexes.get(number).and_then(Option::as_ref) else { continue };
            let mut findings: Vec<Finding> = of_catalog.iter().map(|it| it.finding.clone()).collect();
            index.place_in_files(&self.catalogs[number].name, &mut findings)?;
            for (item, placed) in of_catalog.iter_mut().zip(findings) {
                if let (Some(unmet), Some(place)) = (&mut item.unmet, &placed.place) {
                    unmet.place = place.clone();
                }
                item.finding = placed;
            }
        }
        let (mut findings, mut unmet) = (Vec::with_capacity(items.len()), Vec::new());
        for JudgedRequirement { finding, unmet: it, .. } in items {
            findings.push(finding);
            unmet.extend(it);
        }
        let checked = counted(n_requirements as u64, "requirement");
        let summary = match unmet.len() {
            0 => format!("{checked} checked: none is known to be unmet"),
            n => format!("{checked} checked: {n} not met"),
        };
        Ok(ClosureFindings { findings, unmet, summary })
    }
}
