//! A namespace as a problem: the operators that may be installed, and the demands of each
//! (`docs/behaviour/olm-classic.md` section 2).
//!
//! The order of variables is the canonical one of 4.6: Subscriptions as given, then installed operators by name, then
//! the operators that these need.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use super::candidates::{Candidates, subscribed};
use super::failure::{BrokenDemand, Failure};
use super::universe::{EntryId, Universe};
use crate::solve::{Constraint, Fact, Problem, Var};
use olmdex_constraint::ConstraintError;
use olmdex_constraint::cel::{RuleError, RuleErrorKind};
use olmdex_constraint::property::{Meaning, Requirement};
use olmdex_fbc::Api;

/// The thing that a variable stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stands {
    /// A Subscription: its place in the world.
    Subscription(usize),
    /// An entry. OLM names entries without their packages, so it may be several.
    Entry(Vec<EntryId>),
    /// The fact that an API is provided once.
    Api(Api),
    /// The fact that a package is installed once.
    Package(String),
}

/// The reasons why a constraint is there.
#[derive(Debug, Clone)]
pub(super) enum Reason {
    /// There is this Subscription.
    Subscription(usize),
    /// No bundle is available for this Subscription: OLM's message.
    Invalid(usize, String),
    /// The Subscription has one of these.
    Subscribed(usize, Rc<[EntryId]>),
    /// This is installed and no Subscription refers to it.
    Unreferenced(EntryId),
    /// It must not be used.
    Deprecated(EntryId),
    /// It demands something.
    Requires(EntryId, Rc<Requirement>),
    /// The first replaces the second.
    Replaces(EntryId, EntryId),
    /// Only one of these may provide the API.
    Providers(Api, Vec<EntryId>),
    /// Only one of these may be installed, because they are one package.
    Package(String, Vec<EntryId>),
    /// The demand to be unique is always made.
    Always,
    /// A question asks for the result if this were installed.
    Wanted,
}

/// The problem, and the meaning of its variables.
#[derive(Debug, Clone, Default)]
pub(super) struct Variables {
    pub(super) problem: Problem,
    pub(super) stands: Vec<Stands>,
    reasons: Vec<Vec<Reason>>,
    by_identifier: HashMap<String, Var>,
    by_entry: HashMap<EntryId, Var>,
    /// The entry that each entry replaces.
    pub(super) replaces: HashMap<EntryId, EntryId>,
}

impl Variables {
    /// The reason why a constraint is there.
    pub(super) fn reason(&self, fact: Fact) -> &Reason {
        &self.reasons[fact.var.index()][fact.constraint]
    }

    /// The thing that a variable stands for.
    pub(super) fn stands(&self, var: Var) -> &Stands {
        &self.stands[var.index()]
    }

    /// The same problem, with one more demand: that these are chosen.
    pub(super) fn wanting(&self, vars: &[Var]) -> Self {
        let mut more = self.clone();
        for var in vars {
            more.constrain(*var, Constraint::Mandatory, Reason::Wanted);
        }
        more
    }

    /// The entry that a variable stands for.
    pub(super) fn first_entry(&self, var: Var) -> Option<EntryId> {
        match self.stands(var) {
            Stands::Entry(ids) => ids.first().copied(),
            _ => None,
        }
    }

    fn variable(&mut self, stands: Stands) -> Var {
        self.stands.push(stands);
        self.reasons.push(Vec::new());
        self.problem.variable()
    }

    fn constrain(&mut self, var: Var, constraint: Constraint, reason: Reason) {
        self.problem.constrain(var, constraint);
        self.reasons[var.index()].push(reason);
    }

    /// The variable of an entry.
    fn entry(&mut self, universe: &Universe<'_>, id: EntryId) -> Var {
        if let Some(var) = self.by_entry.get(&id) {
            return *var;
        }
        let identifier = universe.identifier(id);
        let var = match self.by_identifier.get(&identifier) {
            Some(var) => *var,
            None => {
                let var = self.variable(Stands::Entry(Vec::new()));
                self.by_identifier.insert(identifier, var);
                var
            }
        };
        if let Stands::Entry(ids) = &mut self.stands[var.index()] {
            ids.push(id);
        }
        self.by_entry.insert(id, var);
        var
    }

    fn entries(&mut self, universe: &Universe<'_>, ids: &[EntryId]) -> Vec<Var> {
        ids.iter().map(|it| self.entry(universe, *it)).collect()
    }
}

/// Makes the problem of a namespace.
///
/// With `is_installed_first` the installed operators come before the Subscriptions, as they may in OLM.
///
/// # Errors
/// The errors of OLM: if something within reach cannot be read or ordered.
pub(super) fn variables(universe: &mut Universe<'_>, is_installed_first: bool) -> Result<Variables, Failure> {
    let mut builder = Builder::default();
    let world = universe.world;
    let subscriptions = |builder: &mut Builder| {
        for idx in 0..world.subscriptions.len() {
            let var = builder.variables.variable(Stands::Subscription(idx));
            builder.subscriptions.push(var);
        }
    };
    if !is_installed_first {
        subscriptions(&mut builder);
    }
    let mut installed: Vec<EntryId> = universe.installed_entries().collect();
    installed.sort_by(|a, b| universe.entry(*a).fields.name.cmp(&universe.entry(*b).fields.name));
    for id in installed {
        let var = builder.variables.entry(universe, id);
        if universe.installed_of(id).is_some_and(|it| it.subscription.is_none()) {
            builder.variables.constrain(var, Constraint::Mandatory, Reason::Unreferenced(id));
        }
        builder.open.push_back(id);
    }
    if is_installed_first {
        subscriptions(&mut builder);
    }
    builder.close(universe)?;
    let mut failures = Vec::new();
    for idx in 0..world.subscriptions.len() {
        match builder.subscription(universe, idx) {
            Ok(()) => {}
            Err(failure) if failure.is_olm_s() => failures.push(failure),
            Err(failure) => return Err(failure),
        }
    }
    if let Some(failure) = Failure::joined(failures) {
        return Err(failure);
    }
    builder.conflicts(universe);
    builder.uniqueness(universe)?;
    Ok(builder.variables)
}

/// The demands of an entry that OLM cannot read.
fn broken(universe: &Universe<'_>, id: EntryId, meanings: &[Meaning]) -> Result<Vec<Failure>, Failure> {
    let mut failures = Vec::new();
    for meaning in meanings {
        let Meaning::Broken(error) = meaning else { continue };
        if matches!(**error, ConstraintError::Rule(RuleError { kind: RuleErrorKind::TooComplex(_), .. })) {
            // OLM reads it.
            return Err(Failure::Limit(format!("{}: {error}", universe.identifier(id))));
        }
        let place = universe.place_of_meaning(id, |it| matches!(it, Meaning::Broken(it) if Rc::ptr_eq(it, error)));
        let (error, operator) = ((**error).clone(), universe.identifier(id));
        failures.push(Failure::Constraint(Box::new(BrokenDemand { error, operator, place })));
    }
    Ok(failures)
}

/// A list of candidates, kept so that its address stays its own, and the variables of the candidates.
type SharedList = (Rc<[EntryId]>, Arc<[Var]>);

#[derive(Default)]
struct Builder {
    variables: Variables,
    candidates: Candidates,
    /// The variables of lists of candidates, by the address of the list: the bundles of a catalog share their demands.
    lists: HashMap<*const EntryId, SharedList>,
    /// The variables of the Subscriptions.
    subscriptions: Vec<Var>,
    /// Entries whose demands are still to be examined.
    open: VecDeque<EntryId>,
    closed: HashSet<EntryId>,
    /// Entries that replace an installed one, in the order of the Subscriptions.
    replacements: Vec<(EntryId, EntryId)>,
}

impl Builder {
    /// Adds the demands of all open entries, and those of the entries that they add.
    ///
    /// OLM reports everything that it cannot read of an entry, so an error does not keep it from reading the other
    /// entries.
    fn close(&mut self, universe: &mut Universe<'_>) -> Result<(), Failure> {
        let mut failures = Vec::new();
        while let Some(id) = self.open.pop_front() {
            if !self.closed.insert(id) {
                continue;
            }
            let var = self.variables.entry(universe, id);
            let meanings = Rc::clone(&universe.wording(id)?.meanings);
            if meanings.iter().any(|it| matches!(it, Meaning::Deprecated)) {
                self.variables.constrain(var, Constraint::Prohibited, Reason::Deprecated(id));
            }
            let broken = broken(universe, id, &meanings)?;
            if !broken.is_empty() {
                // OLM ignores the other requirements of such an entry.
                failures.extend(broken);
                continue;
            }
            for meaning in meanings.iter() {
                let Meaning::Requires(requirement) = meaning else { continue };
                let candidates = match self.candidates.of(universe, requirement, id) {
                    Ok(candidates) => candidates,
                    Err(failure) if failure.is_olm_s() => {
                        failures.push(failure);
                        continue;
                    }
                    Err(failure) => return Err(failure),
                };
                let vars = match self.lists.get(&candidates.as_ptr()) {
                    Some((_, vars)) => Arc::clone(vars),
                    None => {
                        let vars: Arc<[Var]> = self.variables.entries(universe, &candidates).into();
                        self.open.extend(candidates.iter().filter(|it| !self.closed.contains(it)));
                        self.lists.insert(candidates.as_ptr(), (Rc::clone(&candidates), Arc::clone(&vars)));
                        vars
                    }
                };
                let reason = Reason::Requires(id, Rc::clone(requirement));
                self.variables.constrain(var, Constraint::Dependency(vars), reason);
            }
        }
        Failure::joined(failures).map_or(Ok(()), Err)
    }

    fn subscription(&mut self, universe: &mut Universe<'_>, idx: usize) -> Result<(), Failure> {
        let var = self.subscriptions[idx];
        let subscription = &universe.world.subscriptions[idx];
        let subscribed = subscribed(universe, subscription)?;
        self.variables.constrain(var, Constraint::Mandatory, Reason::Subscription(idx));
        if let Some(invalid) = subscribed.invalid {
            self.variables.constrain(var, Constraint::Prohibited, Reason::Invalid(idx, invalid));
            return Ok(());
        }
        if let Some(current) = subscribed.current {
            self.replacements.extend(subscribed.candidates.iter().map(|it| (*it, current)));
        }
        let all: Rc<[EntryId]> = subscribed.candidates.iter().copied().chain(subscribed.current).collect();
        let vars = self.variables.entries(universe, &all);
        self.variables.constrain(var, Constraint::Dependency(vars.into()), Reason::Subscribed(idx, Rc::clone(&all)));
        universe.learn(&all)?;
        self.open.extend(all.iter());
        self.close(universe)
    }

    /// Keeps an operator from being installed together with the one that it replaces. These constraints come after the
    /// demands of an entry.
    fn conflicts(&mut self, universe: &Universe<'_>) {
        for (new, old) in std::mem::take(&mut self.replacements) {
            let (var, other) = (self.variables.entry(universe, new), self.variables.entry(universe, old));
            self.variables.constrain(var, Constraint::Conflict(other), Reason::Replaces(new, old));
            self.variables.replaces.insert(new, old);
        }
    }

    /// One provider of each API, one operator of each package.
    fn uniqueness(&mut self, universe: &Universe<'_>) -> Result<(), Failure> {
        let mut providers: BTreeMap<Api, Vec<(String, EntryId, Var)>> = BTreeMap::new();
        let mut packages: BTreeMap<String, Vec<(String, EntryId, Var)>> = BTreeMap::new();
        for (idx, var) in self.variables.problem.variables().enumerate() {
            // OLM cannot tell entries with equal identifiers apart, so they escape both rules.
            let Stands::Entry(ids) = &self.variables.stands[idx] else { continue };
            let [id] = ids.as_slice() else { continue };
            let identifier = universe.identifier(*id);
            // A property that appears twice counts twice.
            for meaning in universe.wording(*id)?.meanings.iter() {
                let item = || (identifier.clone(), *id, var);
                match meaning {
                    Meaning::Provides(api) => providers.entry(api.clone()).or_default().push(item()),
                    Meaning::Package { name, .. } => packages.entry(name.clone()).or_default().push(item()),
                    _ => {}
                }
            }
        }
        for (api, of) in providers {
            self.only_one(Stands::Api(api.clone()), of, |ids| Reason::Providers(api, ids));
        }
        for (package, of) in packages {
            self.only_one(Stands::Package(package.clone()), of, |ids| Reason::Package(package, ids));
        }
        Ok(())
    }

    fn only_one(
        &mut self,
        stands: Stands,
        mut of: Vec<(String, EntryId, Var)>,
        reason: impl FnOnce(Vec<EntryId>) -> Reason,
    ) {
        if of.len() < 2 {
            return;
        }
        of.sort_by(|a, b| a.0.cmp(&b.0));
        let (ids, vars): (Vec<EntryId>, Vec<Var>) = of.into_iter().map(|(_, id, var)| (id, var)).unzip();
        let var = self.variables.variable(stands);
        self.variables.constrain(var, Constraint::Mandatory, Reason::Always);
        self.variables.constrain(var, Constraint::AtMost(1, vars), reason(ids));
    }
}
