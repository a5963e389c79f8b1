//! The effects of the difference between two states of a catalog on everybody who has a version installed. The index
//! has both states, as [`before_and_after`](olmdex_change::edit::before_and_after) makes it.

use std::collections::BTreeSet;

use super::error::AskError;
use super::upgrade::{Warn, installed};
use olmdex_base::olm::OlmSet;
use olmdex_change::edit::{AFTER, BEFORE, Question, Simulation, simulate};
use olmdex_fbc::Name;
use olmdex_index::Index;
use olmdex_index::query::Filter;
use olmdex_olm::resolve::{Dependants, Failure, Options, demanding_packages, dependants};
use olmdex_olm::upgrade::{InstalledBundle, PackageView};

/// The most names in the channels of a package: each is a user whose way is followed twice, and takes 600 bytes.
const MAX_NAMES: usize = 250_000;

/// A bundle that may be installed, from a channel of a package.
#[derive(Debug, Clone)]
pub struct SeenBundle {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The bundle.
    pub bundle: InstalledBundle,
}

impl SeenBundle {
    /// The bundles of a package in the channels of all catalogs of an index but one.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn of_package(index: &Index, package: &str, but: Option<&str>) -> Result<Vec<Self>, AskError> {
        let view = PackageView::read(index, &Filter::default(), package)?;
        let mut seen = Vec::new();
        for graph in view.graphs.iter().filter(|it| but != Some(it.catalog.as_str())) {
            let Some(own) = view.of_catalog(&graph.catalog) else { continue };
            for channel in &graph.channels {
                for entry in channel.entries.iter() {
                    let Some(found) = own.bundles().iter().find(|it| it.name == entry.name) else { continue };
                    let bundle = InstalledBundle::held(found.name.clone(), found.version.clone());
                    seen.push(Self { package: package.to_owned(), channel: channel.name.clone(), bundle });
                }
            }
        }
        Ok(seen)
    }
}

/// The bundles that may be installed, and the generations of OLM to ask.
#[derive(Debug)]
pub struct SimulationQuestion<'q> {
    /// The generations of OLM to ask.
    pub olm: OlmSet,
    /// Other bundles that may be installed: bundles by name, versions, or PKG@VERSION.
    pub installed: &'q [String],
    /// Bundles of other catalogs that may be installed.
    pub seen: &'q [SeenBundle],
}

impl SimulationQuestion<'_> {
    /// The effects of the difference, package by package.
    ///
    /// # Errors
    /// [`AskError::NothingHas`]; if a named version does not exist.
    pub fn of_catalogs(&self, index: &Index, warn: Warn<'_>) -> Result<Vec<Simulation>, AskError> {
        let filter = Filter::of_catalog(BEFORE);
        let mut all = Vec::new();
        let mut known: BTreeSet<&str> = BTreeSet::new();
        for row in index.packages(&filter)? {
            let view = view(index, BEFORE, &row.package)?;
            let mut installed = Vec::new();
            for text in self.installed {
                if let Some(it) = installed_of(&view, text) {
                    installed.push(it);
                    known.insert(text);
                }
            }
            all.push(self.simulated(index, view, &installed)?);
        }
        if let Some(text) = self.installed.iter().find(|it| !known.contains(it.as_str())) {
            if let Name::Version(package, version) = Name::parse(text)
                && let Some(of_it) = all.iter().find(|it| it.package == package)
            {
                installed(index, &view(index, BEFORE, &of_it.package)?, &version)?;
            }
            return Err(AskError::NothingHas(text.clone()));
        }
        // A dependant is listed with the package that it depends on.
        let Dependants { found, refused, .. } = self.dependants(index, None, warn)?;
        for it in found {
            match all.iter_mut().find(|of| of.package == it.provider) {
                Some(simulation) => simulation.dependants.push(it),
                None => {
                    let package = it.provider.clone();
                    all.push(Simulation { package, dependants: vec![it], ..Simulation::default() });
                }
            }
        }
        for of_provider in refused.chunk_by(|a, b| a.provider == b.provider) {
            if let Some(simulation) = all.iter_mut().find(|of| of.package == of_provider[0].provider) {
                simulation.refused_by_v1.extend_from_slice(of_provider);
            }
        }
        all.retain(|it| !it.users.is_empty() || !it.dependants.is_empty());
        Ok(all)
    }

    /// The effects of the difference on one package.
    ///
    /// # Errors
    /// If a named version does not exist.
    pub fn of_package(&self, index: &Index, package: &str, warn: Warn<'_>) -> Result<Simulation, AskError> {
        let view = view(index, BEFORE, package)?;
        let installed = self.installed.iter().map(|it| match installed_of(&view, it) {
            Some(found) => Ok(found),
            None => installed(index, &view, it),
        });
        let installed: Vec<InstalledBundle> = installed.collect::<Result<_, _>>()?;
        let mut simulation = self.simulated(index, view, &installed)?;
        let Dependants { found, refused, .. } = self.dependants(index, Some(package), warn)?;
        simulation.dependants = found;
        simulation.refused_by_v1 = refused;
        Ok(simulation)
    }

    fn simulated(
        &self,
        index: &Index,
        before: PackageView,
        installed: &[InstalledBundle],
    ) -> Result<Simulation, AskError> {
        let after = view(index, AFTER, &before.package)?;
        let channels = before.graphs.iter().flat_map(|graph| &graph.channels);
        let entries = channels.flat_map(|channel| channel.entries.iter());
        let n_names: usize = entries.map(|entry| 1 + entry.skips.len()).sum();
        if n_names > MAX_NAMES {
            let package = &before.package;
            let words = format!("the channels of `{package}` name {n_names} bundles; a simulation takes {MAX_NAMES}");
            return Err(Failure::Limit(words).into());
        }
        let of_it = self.seen.iter().filter(|it| it.package == before.package);
        let seen: Vec<(String, InstalledBundle)> = of_it.map(|it| (it.channel.clone(), it.bundle.clone())).collect();
        let question = Question { generations: self.olm.each(), installed, seen: &seen };
        Ok(simulate(&before, &after, &question))
    }

    /// The changes for operators that depend on something, except for those of the package itself.
    fn dependants(&self, index: &Index, package: Option<&str>, warn: Warn<'_>) -> Result<Dependants, AskError> {
        let packages = demanding_packages(index)?.into_iter().filter(|name| Some(name.as_str()) != package);
        let packages: Vec<String> = packages.collect();
        let found = dependants(index, BEFORE, AFTER, &packages, package, self.olm.each(), &Options::default())?;
        for reason in &found.left_out {
            warn(&format!("left out operators that depend on others: {reason}"));
        }
        Ok(found)
    }
}

fn view(index: &Index, catalog: &str, package: &str) -> Result<PackageView, AskError> {
    Ok(PackageView::read(index, &Filter::of_catalog(catalog), package)?)
}

/// The bundle of a package that a text names: a bundle that it has, `PKG@VERSION`, or a name that begins with that of
/// the package.
fn installed_of(view: &PackageView, text: &str) -> Option<InstalledBundle> {
    let of_package = text.strip_prefix(view.package.as_str());
    if let Some(version) = of_package.and_then(|it| it.strip_prefix('@')) {
        return view.find_installed(version).ok();
    }
    let is_its = view.find(text).is_some_and(|it| it.name == text) || of_package.is_some_and(|it| it.starts_with('.'));
    view.find_installed(text).ok().filter(|_| is_its)
}
