//! Why a namespace cannot be resolved: the facts that contradict each other.

use super::universe::{EntryId, Universe};
use super::variables::{Reason, Variables};
use crate::solve::{Constraint, Fact};
use olmdex_base::diag::{Listed, Place};
use olmdex_constraint::property::Meaning;
use olmdex_fbc::Api;
use schemars::JsonSchema;
use serde::Serialize;

/// Facts that contradict each other, none of which can be left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conflict {
    /// The facts, in an order that can be told: requests first.
    pub facts: Vec<ConflictFact>,
    /// Warnings about input that OLM accepts and its documentation does not.
    pub warnings: Vec<String>,
}

/// One of the facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictFact {
    /// In OLM's words.
    pub message: String,
    /// Its kind.
    pub kind: FactKind,
    /// The place where it is written.
    pub place: Place,
}

/// The kinds of facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FactKind {
    /// There is this Subscription.
    Subscription { name: String },
    /// No bundle is available for the Subscription.
    Invalid { name: String },
    /// The Subscription needs one of these.
    Subscribed {
        name: String,
        /// The bundles that it can have, most preferred first.
        candidates: Vec<Named>,
    },
    /// This is installed, and no Subscription refers to it.
    Unreferenced { operator: Named },
    /// This is deprecated.
    Deprecated { operator: Named },
    /// An operator demands another.
    Requires {
        operator: Named,
        /// The demand, in plain words.
        text: String,
        /// The message of the demand's author, or empty.
        message: String,
        /// The messages of the author about its parts, as far as they apply.
        part_messages: Vec<String>,
        /// The bundles that meet it, most preferred first.
        candidates: Vec<Named>,
        /// Whether it asks one operator for several things at once.
        is_all: bool,
    },
    /// The one replaces the other.
    Replaces { operator: Named, installed: Named },
    /// Only one of these may be installed, because they provide the same API.
    Providers { api: Api, operators: Vec<Named> },
    /// Only one of these may be installed, because they are of one package.
    Package { package: String, operators: Vec<Named> },
}

/// An operator by its names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(description = "A candidate that was not taken.")]
pub struct Named {
    /// OLM's identifier for it.
    #[serde(skip)]
    pub identifier: String,
    /// Name of the bundle.
    pub name: String,
    /// Its package, or empty.
    pub package: String,
    /// Its channel; empty for an installed bundle.
    pub channel: String,
    /// Its catalog; empty for an installed bundle.
    pub catalog: String,
    /// The place where it is written.
    #[serde(skip)]
    pub place: Place,
}

impl Conflict {
    pub(super) fn new(universe: &Universe<'_>, variables: &Variables, core: &[Fact]) -> Self {
        Self { facts: facts(universe, variables, core), warnings: universe.warnings.clone() }
    }

    /// The message that OLM writes into the conditions of the Subscriptions.
    pub fn olm_text(&self) -> String {
        let messages = self.messages();
        if messages.is_empty() {
            return "constraints not satisfiable".to_owned();
        }
        format!("constraints not satisfiable: {}", messages.join(", "))
    }

    /// The facts in OLM's words, in its order.
    pub fn messages(&self) -> Vec<&str> {
        let mut messages: Vec<&str> = self.facts.iter().map(|it| it.message.as_str()).collect();
        messages.sort_unstable();
        messages
    }
}

/// The facts of a core.
pub(super) fn facts(universe: &Universe<'_>, variables: &Variables, core: &[Fact]) -> Vec<ConflictFact> {
    let candidates = |fact: Fact| match variables.problem.constraint(fact) {
        Constraint::Dependency(vars) => {
            vars.iter().filter_map(|it| variables.first_entry(*it)).map(|it| named(universe, it)).collect()
        }
        _ => Vec::new(),
    };
    let fact = |fact: &Fact| {
        let reason = variables.reason(*fact);
        let kind = kind(universe, reason, || candidates(*fact))?;
        Some(ConflictFact { message: message(universe, reason), place: place(universe, reason), kind })
    };
    core.iter().filter_map(fact).collect()
}

pub(super) fn named(universe: &Universe<'_>, id: EntryId) -> Named {
    let channel = universe.channel_of(id);
    let catalog = channel.and_then(|it| universe.world.catalogs.get(it.catalog));
    Named {
        identifier: universe.identifier(id),
        name: universe.entry(id).fields.name.clone(),
        package: universe.bundle(id).package.clone(),
        channel: channel.map(|it| it.name.clone()).unwrap_or_default(),
        catalog: catalog.map(|it| it.name.clone()).unwrap_or_default(),
        place: universe.bundle(id).place().clone(),
    }
}

fn kind(universe: &Universe<'_>, reason: &Reason, candidates: impl FnOnce() -> Vec<Named>) -> Option<FactKind> {
    let subscription = |idx: &usize| universe.world.subscriptions[*idx].name.clone();
    let all = |ids: &[EntryId]| ids.iter().map(|it| named(universe, *it)).collect();
    Some(match reason {
        Reason::Subscription(idx) => FactKind::Subscription { name: subscription(idx) },
        Reason::Invalid(idx, _) => FactKind::Invalid { name: subscription(idx) },
        Reason::Subscribed(idx, _) => FactKind::Subscribed { name: subscription(idx), candidates: candidates() },
        Reason::Unreferenced(id) => FactKind::Unreferenced { operator: named(universe, *id) },
        Reason::Deprecated(id) => FactKind::Deprecated { operator: named(universe, *id) },
        Reason::Requires(id, requirement) => FactKind::Requires {
            is_all: requirement.is_all(),
            operator: named(universe, *id),
            text: requirement.plain.clone(),
            message: requirement.message.clone(),
            part_messages: universe.part_messages(requirement),
            candidates: candidates(),
        },
        Reason::Replaces(new, old) => {
            FactKind::Replaces { operator: named(universe, *new), installed: named(universe, *old) }
        }
        Reason::Providers(api, ids) => FactKind::Providers { api: api.clone(), operators: all(ids) },
        Reason::Package(package, ids) => FactKind::Package { package: package.clone(), operators: all(ids) },
        Reason::Always | Reason::Wanted => return None,
    })
}

fn place(universe: &Universe<'_>, reason: &Reason) -> Place {
    let from_catalog =
        |ids: &[EntryId]| ids.iter().find(|it| universe.channel_of(**it).is_some()).or(ids.first()).copied();
    match reason {
        Reason::Subscription(idx) | Reason::Invalid(idx, _) => universe.world.subscriptions[*idx].place.clone(),
        // The channel states which bundles a Subscription can have, and which bundle replaces which.
        Reason::Subscribed(_, ids) => ids.first().map(|it| universe.place_of_entry(*it)).unwrap_or_default(),
        Reason::Replaces(id, from) => universe.place_of_edge(*id, *from),
        Reason::Unreferenced(id) => universe.bundle(*id).place().clone(),
        Reason::Deprecated(id) => universe.place_of_meaning(*id, |it| matches!(it, Meaning::Deprecated)),
        Reason::Requires(id, requirement) => universe.place_of_demand(*id, requirement),
        Reason::Providers(api, ids) => match from_catalog(ids) {
            Some(id) => universe.place_of_meaning(id, |it| matches!(it, Meaning::Provides(it) if it == api)),
            None => Place::default(),
        },
        Reason::Package(_, ids) => from_catalog(ids).map(|it| universe.bundle(it).place().clone()).unwrap_or_default(),
        Reason::Always | Reason::Wanted => Place::default(),
    }
}

/// A constraint in OLM's words, which appear in the conditions of Subscriptions (`docs/behaviour/olm-classic.md` 4.7);
/// empty for one that OLM does not mention.
fn message(universe: &Universe<'_>, reason: &Reason) -> String {
    let subscription = |idx: &usize| universe.world.subscriptions[*idx].name.as_str();
    let identifier = |id: &EntryId| universe.identifier(*id);
    let identifiers = |ids: &[EntryId]| ids.iter().map(identifier).collect::<Vec<String>>();
    match reason {
        Reason::Subscription(idx) => format!("subscription {} exists", subscription(idx)),
        Reason::Invalid(_, words) => words.clone(),
        Reason::Subscribed(idx, ids) => match identifiers(ids).as_slice() {
            [] => format!("no operators found matching the criteria of subscription {}", subscription(idx)),
            [only] => format!("subscription {} requires {only}", subscription(idx)),
            several => format!(
                "subscription {} requires at least one of {}",
                subscription(idx),
                Listed::of(several).last_word("or")
            ),
        },
        Reason::Unreferenced(id) => {
            let name = &universe.entry(*id).fields.name;
            format!("clusterserviceversion {name} exists and is not referenced by a subscription")
        }
        Reason::Deprecated(id) => format!("bundle {} is deprecated", identifier(id)),
        Reason::Requires(id, requirement) => {
            format!("bundle {} requires an operator {}", universe.entry(*id).fields.name, requirement.text)
        }
        Reason::Replaces(new, old) => format!("{} conflicts with {}", identifier(new), identifier(old)),
        Reason::Providers(api, ids) => {
            format!("{} provide {}", Listed::of(identifiers(ids)).last_word("and"), api.olm_text())
        }
        Reason::Package(package, ids) => {
            format!("{} originate from package {package}", Listed::of(identifiers(ids)).last_word("and"))
        }
        Reason::Always | Reason::Wanted => String::new(),
    }
}
