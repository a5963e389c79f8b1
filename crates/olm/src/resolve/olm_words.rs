//! Constraints in OLM's words, which appear in the conditions of Subscriptions (`docs/behaviour/olm-classic.md` 4.7).
use olmdex_base::diag::Listed;

use super::universe::{EntryId, Universe};
use super::variables::Reason;

/// A constraint in OLM's words; empty for one that OLM does not mention.
pub(super) fn message(universe: &Universe<'_>, reason: &Reason) -> String {
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
