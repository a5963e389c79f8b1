//! OLM Classic: what a Subscription is upgraded to (`docs/behaviour/olm-classic.md` 2.5, 2.6, 2.8).
//!
//! A [`Package`] holds channels; [`Channel::order`] gives the entries that count, head first; [`Package::candidates`] what
//! may follow an installed bundle, most preferred first; [`Package::path`] the steps that OLM takes one after another.
//!
//! Rules that surprise, and are kept because the real system has them: an entry that another one skips is never a target,
//! whatever its own fields say; of several edges the one nearest to the head is taken, not the one to the highest
//! version; no other catalog ever supplies an upgrade, whatever the documents say.
//!
//! What it deliberately does not do: no dependencies. The first candidate is what OLM takes if all that it needs can be
//! installed too; if not, OLM takes a later one.

mod order;
mod step;

pub use super::channel::{Channel, Entries, Entry};
pub use order::{Order, OrderError};
pub use step::{End, Installed, Package, Path, Paths, Step, Walker, leads_to};
