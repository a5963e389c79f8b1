//! The result of packages, channels and ranges for one catalog: what is kept of each, the problems, and the names that
//! the catalog does not have.

use super::broken_edges::{CatalogRepair, mend};
use super::catalog::Catalog;
use super::configuration::Operator;
use super::explain::{FilterExplanation, explain};
use super::filter::{FilterVersion, Filtered, NamelessError, filter};
use super::repair::Request;
use olmdex_base::diag::closest;

/// A filtered catalog, explained.
#[derive(Debug)]
pub struct Explained {
    /// Each requested package that exists.
    pub packages: Vec<FilterExplanation>,
    /// The kept parts.
    pub filtered: Filtered,
    /// The repairs after filtering.
    pub mends: Vec<CatalogRepair>,
}

impl Explained {
    /// Whether a package cannot be filtered.
    pub fn has_refused(&self) -> bool {
        self.filtered.packages.values().any(Result::is_err)
    }
}

/// Filters a catalog, and explains each package.
///
/// # Errors
/// If the operator asks for something that no catalog could have.
pub fn explained(
    name: &str,
    catalog: &Catalog,
    operator: &Operator,
    release: FilterVersion,
) -> Result<Explained, NamelessError> {
    let mut filtered = filter(catalog, operator, release)?;
    let mends = mend(catalog, &mut filtered);
    let all = catalog.packages.iter().filter(|it| !it.0.is_empty());
    let packages = all
        .map(|(package, facts)| explain(name, package, facts, &Request::of(operator, package), &filtered, release))
        .collect();
    Ok(Explained { packages, filtered, mends })
}

/// A name that the catalog does not have; oc-mirror ignores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// A package, with the one that is probably meant.
    Package { package: String, meant: Option<String> },
    /// A channel of a package, with the one that is probably meant.
    Channel { package: String, channel: String, meant: Option<String>, known: Vec<String> },
}

/// The names that a catalog does not have. `names` are those of all its packages.
pub fn missing<'n>(
    catalog: &Catalog,
    operator: &Operator,
    names: impl Iterator<Item = &'n str> + Clone,
) -> Vec<Missing> {
    let broken = catalog.broken_packages();
    let mut found = Vec::new();
    for package in &operator.packages {
        let name = &package.name;
        let Some(facts) = catalog.packages.get(name) else {
            if !broken.contains(name.as_str()) {
                let meant = closest(name, names.clone()).map(str::to_owned);
                found.push(Missing::Package { package: name.clone(), meant });
            }
            continue;
        };
        for channel in package.channels.iter().filter(|it| facts.channel(&it.name).is_none()) {
            let known: Vec<String> = facts.channels.iter().map(|it| it.name.clone()).collect();
            found.push(Missing::Channel {
                package: name.clone(),
                channel: channel.name.clone(),
                meant: closest(&channel.name, known.iter().map(String::as_str)).map(str::to_owned),
                known,
            });
        }
    }
    found
}

/// Another default channel for a package whose own is not requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenDefault {
    /// The package.
    pub package: String,
    /// Its default channel in the catalog.
    pub old: String,
    /// The first requested channel.
    pub new: String,
}

/// Makes the first requested channel the default of packages whose default channel is not requested.
pub fn choose_defaults(catalog: &Catalog, operator: &mut Operator) -> Vec<ChosenDefault> {
    let mut chosen = Vec::new();
    for package in &mut operator.packages {
        let Some(facts) = catalog.packages.get(&package.name) else { continue };
        let asked = &package.channels;
        let is_kept = asked.is_empty() || asked.iter().any(|it| it.name == facts.default_channel);
        let Some(new) = asked.iter().find(|it| facts.channel(&it.name).is_some()) else { continue };
        if is_kept || !package.default_channel.is_empty() {
            continue;
        }
        package.default_channel.clone_from(&new.name);
        let (name, old, new) = (package.name.clone(), facts.default_channel.clone(), new.name.clone());
        chosen.push(ChosenDefault { package: name, old, new });
    }
    chosen
}
