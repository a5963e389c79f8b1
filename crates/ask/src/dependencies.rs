//! The requirements of a bundle and their providers, what OLM installs with it, and its dependants.

use super::bundle::Target;
use super::error::AskError;
use super::upgrade::Warn;
use olmdex_index::LightIndex;
use olmdex_olm::resolve::{
    BundleDemands, BundleNeeds, Demand, DemanderAnswer, Dependencies, DependencyAnswer, Failure, IndexRows, Options,
    bare_world, closure, demanders, demanding_packages, demands,
};

/// The parts that an answer has besides the requirements of a bundle.
#[derive(Debug, Clone, Copy, Default)]
pub struct DependencyWish {
    /// All that OLM installs with it in an empty namespace.
    pub closure: bool,
    /// Return its dependants instead of its requirements.
    pub invert: bool,
    /// How much the answer may cost.
    pub options: Options,
}

/// The requirements of a bundle.
#[derive(Debug)]
pub struct DependencyAnswers {
    /// An answer for each catalog that has it.
    pub answers: Vec<Dependencies>,
    /// Whether all its requirements are provided, and its closure, if wanted, can be installed.
    pub is_met: bool,
}

/// The requirements of a bundle in these catalogs, all of them if none is named.
///
/// # Errors
/// If its requirements cannot be read, or a limit ends the work.
pub fn dependencies(
    index: &LightIndex,
    catalogs: &[String],
    target: &Target,
    wish: DependencyWish,
    warn: Warn<'_>,
) -> Result<DependencyAnswers, AskError> {
    let Target { package, bundle } = target;
    let world = bare_world(index, catalogs)?;
    let rows = IndexRows::new(index, &world);
    let mut answers = match demands(&world, &rows, &wish.options, package, bundle) {
        // The question is about its dependants, so its own requirements may be missing.
        Err(Failure::Work(overwork)) if wish.invert => {
            warn(&overwork.to_string());
            let catalog = target.catalog(index, catalogs)?.unwrap_or_default();
            vec![requirements(catalog, package, bundle, Vec::new())]
        }
        found => {
            let requirements =
                |it: BundleDemands| requirements(it.bundle.catalog, package, &it.bundle.name, it.demands);
            found?.into_iter().map(requirements).collect()
        }
    };
    let is_provided = |it: &DependencyAnswer| !it.provided_by.is_empty();
    let mut is_met = wish.invert || answers.iter().flat_map(|it| &it.requires).all(is_provided);
    if wish.closure {
        for answer in &mut answers {
            match closure(index, target.in_catalog(&answer.catalog), &wish.options)? {
                Some(found) => answer.closure = found,
                None => is_met = false,
            }
        }
    }
    if wish.invert {
        let packages = demanding_packages(index)?;
        let (found, left_out) = demanders(&world, &rows, &wish.options, package, bundle, &packages)?;
        for it in left_out {
            warn(&format!("left out: {it}; raise the limit with `--max-work`"));
        }
        answers.truncate(1);
        if let Some(answer) = answers.first_mut() {
            answer.required_by = found.into_iter().map(DemanderAnswer::from).collect();
        }
    }
    Ok(DependencyAnswers { answers, is_met })
}

/// The requirements of a bundle of a catalog, with the first choice for each requirement.
///
/// # Errors
/// If its requirements cannot be read.
pub fn needs(
    index: &LightIndex,
    catalog: &str,
    target: &Target,
    options: &Options,
) -> Result<Vec<BundleNeeds>, AskError> {
    let world = bare_world(index, &[catalog.to_owned()])?;
    let rows = IndexRows::new(index, &world);
    let found = demands(&world, &rows, options, &target.package, &target.bundle)?;
    Ok(found.into_iter().map(BundleNeeds::from).collect())
}

/// An answer with the requirements of a bundle, and nothing else yet.
fn requirements(catalog: String, package: &str, bundle: &str, demands: Vec<Demand>) -> Dependencies {
    Dependencies {
        catalog,
        package: package.to_owned(),
        bundle: bundle.to_owned(),
        requires: demands.into_iter().map(DependencyAnswer::from).collect(),
        closure: Vec::new(),
        required_by: Vec::new(),
    }
}
