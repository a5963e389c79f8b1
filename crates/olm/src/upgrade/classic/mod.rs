//! OLM Classic: the upgrades of a Subscription (`docs/behaviour/olm-classic.md` 2.5, 2.6, 2.8).
//!
//! A [`Package`] holds channels; [`Channel::order`] gives the entries that count, head first; [`Package::candidates`]
//! the bundles that may follow an installed one, most preferred first; [`Package::path`] the steps that OLM takes one
//! after another.
//!
//! Some rules are surprising, and are kept because the real system has them: an entry that another one skips is never a
//! target, whatever its own fields say; among several edges the one nearest to the head is taken, not the one to the
//! highest version; no other catalog ever supplies an upgrade, whatever the documentation says.

mod order;
mod step;

pub use super::channel::{Channel, Entries, Entry};
pub use order::{Order, OrderError};
pub use step::{End, Installed, Package, Path, Step, Walker, leads_to};
