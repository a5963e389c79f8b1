//! The requirements of a bundle and their providers, what OLM installs with it, and its dependants.

use super::bundle::Target;
use super::error::AskError;
use super::question::{Answer, Question, State, Verdict, answer};
use super::resolution::{DEFAULT_WORK, options_of_work};
use olmdex_index::LightIndex;
use olmdex_olm::resolve::{
    BundleDemands, BundleNeeds, Demand, DemanderAnswer, Dependencies, DependencyAnswer, Failure, IndexRows, Options,
    bare_world, closure, demanders, demanding_packages, demands,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much an answer may cost.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct WorkOptions {
    /// How many conflicts the solver may run into, and a thousandth of the steps that rules may take
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = DEFAULT_WORK))]
    pub max_work: u64,
}

impl Default for WorkOptions {
    fn default() -> Self {
        Self { max_work: DEFAULT_WORK }
    }
}

impl WorkOptions {
    /// The limits of the engine.
    pub fn options(&self) -> Options {
        options_of_work(self.max_work)
    }
}

/// The requirements of a bundle and their providers, or its dependants
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct DepsQuestion {
    /// PKG (the head of its default channel), PKG@VERSION, PKG/CHANNEL (its head) or the name of a bundle
    #[cfg_attr(feature = "clap", arg(value_name = "PKG@V"))]
    pub name: String,
    /// All that OLM installs with it in an empty namespace
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "invert"))]
    #[serde(default)]
    pub closure: bool,
    /// The bundles that require something that this bundle provides
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub invert: bool,
    /// How much the answer may cost.
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub work: WorkOptions,
    /// Only this catalog; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    #[serde(default)]
    pub catalog: Vec<String>,
}

impl Question for DepsQuestion {
    const NAME: &'static str = "deps";
    const KIND: &'static str = "Dependencies";
    type Index = LightIndex;
    type Item = Dependencies;

    fn names(&self) -> Vec<&String> {
        vec![&self.name]
    }

    fn check(&self) -> Result<(), AskError> {
        match (self.closure, self.invert) {
            (true, true) => Err(AskError::Unfit {
                what: "`--closure` and `--invert` exclude each other",
                help: "leave out one of them",
            }),
            _ => Ok(()),
        }
    }

    /// An answer for each catalog that has the bundle. The verdict is negative if nothing provides something that it
    /// requires, or its closure, if wanted, cannot be installed.
    fn ask(&self, state: &State<'_, LightIndex>) -> Result<Answer<Dependencies>, AskError> {
        self.check()?;
        self.of_bundle(state.index, &Target::find(state.index, &self.catalog, &self.name)?)
    }
}

impl DepsQuestion {
    /// The answer about a bundle that is known already.
    ///
    /// # Errors
    /// If its requirements cannot be read, or a limit ends the work.
    pub fn of_bundle(&self, index: &LightIndex, target: &Target) -> Result<Answer<Dependencies>, AskError> {
        let mut warnings = Vec::new();
        let mut found = answer(dependencies(index, self, target, &mut warnings), warnings)?;
        if self.closure && found.verdict.is_negative() {
            found.notes.push(format!("{} cannot be installed; `olmdex resolve --install` shows why", target.bundle));
        }
        Ok(found)
    }
}

fn dependencies(
    index: &LightIndex,
    wish: &DepsQuestion,
    target: &Target,
    warnings: &mut Vec<String>,
) -> Result<(Vec<Dependencies>, Verdict), AskError> {
    let (catalogs, options) = (&wish.catalog, &wish.work.options());
    let Target { package, bundle } = target;
    let world = bare_world(index, catalogs)?;
    let rows = IndexRows::new(index, &world);
    let mut answers = match demands(&world, &rows, options, package, bundle) {
        // The question is about its dependants, so its own requirements may be missing.
        Err(Failure::Work(overwork)) if wish.invert => {
            warnings.push(overwork.to_string());
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
            match closure(index, target.in_catalog(&answer.catalog), options)? {
                Some(found) => answer.closure = found,
                None => is_met = false,
            }
        }
    }
    if wish.invert {
        let packages = demanding_packages(index)?;
        let (found, left_out) = demanders(&world, &rows, options, package, bundle, &packages)?;
        for it in left_out {
            warnings.push(format!("left out: {it}; raise the limit with `--max-work`"));
        }
        answers.truncate(1);
        if let Some(answer) = answers.first_mut() {
            answer.required_by = found.into_iter().map(DemanderAnswer::from).collect();
        }
    }
    Ok((answers, Verdict::negative_if(!is_met)))
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
