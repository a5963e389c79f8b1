//! The effect of a catalog change on the operators that depend on the changed bundles: each is resolved before and
//! after.
//!
//! A bundle is resolved only if the result could differ: if the bundles that meet one of its demands change, or if a
//! bundle that could meet one cannot be installed any more. This is OLM Classic; OLM v1 resolves nothing, and installs
//! no bundle that declares a dependency.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::closure::{BundleName, ClosureError, bare_world, subscribed};
use super::demand::{Demands, MetBy, demands};
use super::failure::Failure;
use super::indexed::IndexRows;
use super::resolution::{Options, Verdict, resolve};
use super::rows::World;
use crate::upgrade::Olm;
use olmdex_base::diag::Place;
use olmdex_index::Index;
use olmdex_index::query::Filter;

/// The effect of a change on an operator that depends on something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dependant {
    /// Its package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// Its requirement.
    pub requirement: String,
    /// The package of the bundle that OLM installs for the requirement before the change.
    pub provider: String,
    /// The bundle that OLM installs before the change.
    pub before: String,
    /// The bundle that OLM installs afterwards; empty if the dependant cannot be installed any more.
    pub after: String,
    /// The place where the requirement is written.
    #[serde(flatten)]
    pub place: Place,
}

impl Dependant {
    /// Whether it cannot be installed any more.
    pub fn is_lost(&self) -> bool {
        self.after.is_empty()
    }
}

/// A bundle that requires something of a package, and that OLM v1 therefore refuses, whatever the catalog has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusedByV1 {
    /// The package that provides it.
    pub provider: String,
    /// Its own package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// The type of its first property that declares a dependency, which OLM v1 names (`docs/behaviour/olm-v1.md` 2.3).
    pub property: String,
}

/// The changes for dependants, and the demands that were left out because they take too much work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dependants {
    /// By package and bundle.
    pub found: Vec<Dependant>,
    /// With OLM v1, before or after: by provider, package and bundle.
    pub refused: Vec<RefusedByV1>,
    /// The demands that were left out, in words.
    pub left_out: Vec<String>,
}

/// The operators of these packages for which something changes between two catalogs of an index. OLM Classic is asked
/// for an empty namespace with nothing but the catalog; for OLM v1 the answer is only which bundles it refuses for what
/// they require of `provider`, or of any package.
///
/// # Errors
/// If the index cannot be read.
pub fn dependants(
    index: &Index,
    before: &str,
    after: &str,
    packages: &[String],
    provider: Option<&str>,
    generations: &[Olm],
    options: &Options,
) -> Result<Dependants, ClosureError> {
    let side = [Side::new(index, before, options)?, Side::new(index, after, options)?];
    let mut found = Dependants::default();
    let mut demanding: BTreeMap<String, Pair> = BTreeMap::new();
    let rows = side.each_ref().map(|side| IndexRows::new(index, &side.world));
    let [mut old, mut new] = [0, 1].map(|at: usize| Demands::new(&side[at].world, &rows[at], options));
    for package in packages {
        let mut of = |demands: &mut Demands<'_>| answered(demands.of_package(package), &mut found);
        let (old, new) = (of(&mut old)?, of(&mut new)?);
        demanding.insert(package.clone(), (old.unwrap_or_default(), new.unwrap_or_default()));
    }
    if generations.contains(&Olm::V1) {
        refused(&side, &demanding, provider, &mut found)?;
    }
    if generations.contains(&Olm::Classic) {
        resolve_again(&side, &demanding, &mut found)?;
    }
    found.left_out.dedup();
    Ok(found)
}

/// The bundles that require something of a bundle of another package, or of the package that is asked for, and declare
/// it in a way that OLM v1 refuses.
fn refused(
    side: &[Side<'_>; 2],
    demanding: &BTreeMap<String, Pair>,
    provider: Option<&str>,
    found: &mut Dependants,
) -> Result<(), ClosureError> {
    let mut all = BTreeSet::new();
    for (package, (old, new)) in demanding {
        for (side, demands) in side.iter().zip([old, new]) {
            if demands.is_empty() {
                continue;
            }
            for it in side
                .index
                .package_graphs(&Filter::of_catalog(side.catalog), package)?
                .into_iter()
                .flat_map(|it| it.bundles)
            {
                let (Some(property), Some(demands)) = (it.dependency, demands.get(&it.name)) else { continue };
                let is_asked = |name: &&String| provider.is_none_or(|provider| provider == *name);
                let providers = demands.iter().flat_map(|it| it.1.iter()).map(|it| &it.0).filter(is_asked);
                let providers: BTreeSet<&String> = providers.collect();
                all.extend(providers.into_iter().map(|provider| RefusedByV1 {
                    provider: provider.clone(),
                    package: package.clone(),
                    bundle: it.name.clone(),
                    property: property.clone(),
                }));
                if all.len() > MAX_REFUSED {
                    found
                        .left_out
                        .push(format!("OLM v1 refuses more than {MAX_REFUSED} bundles for their dependencies"));
                    return Ok(());
                }
            }
        }
    }
    found.refused = all.into_iter().collect();
    Ok(())
}

/// The number of bundles that OLM v1 refuses, counted for each package that they require something of. Their number can
/// be the square of the number of bundles.
const MAX_REFUSED: usize = 200_000;

/// Resolves the bundles again whose result may differ.
fn resolve_again(
    side: &[Side<'_>; 2],
    demanding: &BTreeMap<String, Pair>,
    found: &mut Dependants,
) -> Result<(), ClosureError> {
    let mut lost: BTreeSet<(String, String)> = BTreeSet::new();
    let mut asked: BTreeSet<(String, String)> = BTreeSet::new();
    loop {
        let n_lost = lost.len();
        for (package, (old, new)) in demanding {
            for (bundle, demands) in old {
                let key = (package.clone(), bundle.clone());
                if asked.contains(&key) || !may_differ(demands, new.get(bundle), &lost) {
                    continue;
                }
                asked.insert(key.clone());
                let n_left_out = found.left_out.len();
                let [before, after] = side;
                let Some(providers) = before.providers(package, bundle, found)? else { continue };
                let now = after.providers(package, bundle, found)?;
                if found.left_out.len() > n_left_out {
                    continue;
                }
                if now.is_none() {
                    lost.insert(key);
                }
                let new = new.get(bundle).map_or(&[][..], Vec::as_slice);
                let mut changed = compared(package, bundle, new, &providers, now.as_ref());
                before.add_places(&mut changed)?;
                found.found.extend(changed);
            }
        }
        if lost.len() == n_lost {
            break;
        }
    }
    found.found.sort_by(|a, b| (&a.package, &a.bundle, &a.requirement).cmp(&(&b.package, &b.bundle, &b.requirement)));
    Ok(())
}

/// The demands of the bundles of a package, by the names of the bundles, before and after.
type Pair = (BTreeMap<String, Vec<MetBy>>, BTreeMap<String, Vec<MetBy>>);

/// Package and bundle that OLM installs for each demand.
type Providers = BTreeMap<String, (String, String)>;

/// One of the two catalogs.
struct Side<'a> {
    index: &'a Index,
    catalog: &'a str,
    world: World,
    options: &'a Options,
}

impl<'a> Side<'a> {
    fn new(index: &'a Index, catalog: &'a str, options: &'a Options) -> Result<Self, ClosureError> {
        Ok(Self { index, catalog, world: bare_world(index, &[catalog.to_owned()])?, options })
    }

    /// Adds where each demand is written.
    fn add_places(&self, changed: &mut [Dependant]) -> Result<(), ClosureError> {
        let Some(first) = changed.first() else { return Ok(()) };
        let rows = IndexRows::new(self.index, &self.world);
        let found = demands(&self.world, &rows, self.options, &first.package, &first.bundle)?;
        let all: Vec<_> = found.into_iter().flat_map(|it| it.demands).collect();
        for it in changed {
            let place = all.iter().find(|demand| demand.text == it.requirement).map(|it| it.place.clone());
            it.place = place.unwrap_or_default();
        }
        Ok(())
    }

    /// The bundles that OLM installs for each demand of a bundle; `None` if the bundle cannot be installed.
    fn providers(
        &self,
        package: &str,
        bundle: &str,
        found: &mut Dependants,
    ) -> Result<Option<Providers>, ClosureError> {
        let target = BundleName { catalog: self.catalog, package, bundle };
        let world = match subscribed(self.index, &self.world, target) {
            // A bundle in no channel cannot be subscribed to.
            Err(ClosureError::Question(_)) => return Ok(None),
            world => world?,
        };
        let verdict = resolve(&world, &IndexRows::new(self.index, &world), self.options);
        let Some(Verdict::Resolved(resolution)) = answered(verdict, found)? else { return Ok(None) };
        let mut providers = BTreeMap::new();
        for operator in &resolution.operators {
            for because in operator.because.iter().filter(|because| because.required_by == bundle) {
                providers.insert(because.requirement.clone(), (operator.package.clone(), operator.name.clone()));
            }
        }
        Ok(Some(providers))
    }
}

/// The value of an answer; `None` if OLM refuses, or if it takes too much work, which is noted.
fn answered<T>(answer: Result<T, Failure>, found: &mut Dependants) -> Result<Option<T>, ClosureError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Failure::Index(error)) => Err(ClosureError::Index(*error)),
        Err(failure @ (Failure::Work(_) | Failure::Limit(_))) => {
            found.left_out.push(failure.to_string());
            Ok(None)
        }
        Err(Failure::Refused(_) | Failure::Constraint(_) | Failure::Several(_)) => Ok(None),
    }
}

/// Whether the result for a bundle could differ: the providers of its demands are not the same, or are among the
/// losses.
fn may_differ(old: &[MetBy], new: Option<&Vec<MetBy>>, lost: &BTreeSet<(String, String)>) -> bool {
    let is_lost = || !lost.is_empty() && old.iter().flat_map(|it| it.1.iter()).any(|it| lost.contains(it));
    new.is_none_or(|it| it != old) || is_lost()
}

/// The demands of a bundle that have other providers than before, or none.
fn compared(
    package: &str,
    bundle: &str,
    new: &[MetBy],
    before: &Providers,
    after: Option<&Providers>,
) -> Vec<Dependant> {
    // If nothing meets one demand, the other demands are not the cause.
    let unmet: BTreeSet<&str> = new.iter().filter(|it| it.1.is_empty()).map(|it| it.0.as_str()).collect();
    let is_known = before.keys().any(|it| unmet.contains(it.as_str()));
    let is_blamed = |it: &str| !is_known || unmet.contains(it);
    let mut found = Vec::new();
    for (requirement, provider) in before {
        let now = match after.map(|it| it.get(requirement)) {
            // It cannot be installed.
            None if is_blamed(requirement) => String::new(),
            Some(Some(now)) if now.1 != provider.1 => now.1.clone(),
            // In the other catalog the dependant no longer demands it, or this is not the demand that is missing.
            _ => continue,
        };
        found.push(Dependant {
            package: package.to_owned(),
            bundle: bundle.to_owned(),
            requirement: requirement.clone(),
            provider: provider.0.clone(),
            before: provider.1.clone(),
            after: now,
            place: Place::default(),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use olmdex_fbc::Input;
    use olmdex_index::{Builder, CatalogSpec, Mode};
    use olmdex_text::tally::assert_grows_with_input;

    use super::*;

    /// An attack: each package requires an API that all packages provide.
    #[test]
    fn bundles_with_one_demand_are_compared_in_so_many_steps() {
        assert_grows_with_input(100, |size| {
            let mut text = String::new();
            for at in 0..size {
                write!(
                    text,
                    r#"{{"schema":"olm.package","name":"p{at}","defaultChannel":"c"}}
                    {{"schema":"olm.channel","package":"p{at}","name":"c","entries":[{{"name":"p{at}.v1.0.0"}}]}}
                    {{"schema":"olm.bundle","package":"p{at}","name":"p{at}.v1.0.0","image":"example.com/p:{at}","properties":[
                     {{"type":"olm.package","value":{{"packageName":"p{at}","version":"1.0.0"}}}},
                     {{"type":"olm.gvk","value":{{"group":"g","version":"v1","kind":"K"}}}},
                     {{"type":"olm.gvk.required","value":{{"group":"g","version":"v1","kind":"K"}}}}]}}"#
                )
                .unwrap();
            }
            let mut builder = Builder::in_memory();
            for name in ["old", "new"] {
                let spec = CatalogSpec { name: name.to_owned(), ..CatalogSpec::default() };
                let input = Input::bytes("c.json", Arc::from(text.as_bytes()));
                builder.add_catalog(&spec, &input, Mode::Strict).unwrap();
            }
            let index: Index = builder.into_index().unwrap();
            let packages: Vec<String> = (0..size).map(|at| format!("p{at}")).collect();
            move || {
                let found = dependants(
                    &index,
                    "old",
                    "new",
                    &packages,
                    Some("p1"),
                    &[Olm::Classic, Olm::V1],
                    &Options::default(),
                )
                .unwrap();
                assert_eq!((found.found.len(), found.refused.len(), found.left_out.len()), (0, size, 0));
            }
        });
    }
}
