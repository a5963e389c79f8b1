//! Changes of catalogs, and what they would bring about.
//!
//! | part | what it does |
//! |---|---|
//! | [`join()`] | a bundle that is to join a catalog: what the catalog says to that |
//! | [`Change`] | what can be changed in a package, and how its documents change |
//! | [`CatalogEdit`] | the changes of a catalog, one after the other |
//! | [`PackageDocuments`] | the documents in their files, and the new texts of these |
//! | [`simulate()`] | what a change means for everybody who has a version installed |
//! | [`Survey`] | which packages of a catalog a change of one can matter to |
//! | [`judge()`] | new errors, and who is stranded |
//!
//! What it deliberately does not do: it writes nothing.
//!
//! # What an edit decides
//!
//! `edit::Change` changes the documents of one package as values; `CatalogEdit` gives the texts of the files, `judge` the new errors and warnings and who is
//! stranded. Removing a bundle always keeps a way for its users: whoever replaced it skips it, and entries that skip it keep that skip. The
//! rules that the edits follow (`docs/behaviour/authoring.md`) make that an option; without it, users of a removed version are stuck,
//! and nobody wants that by default.
//!
//! `edit::simulate` puts the catalog before and after a change into one index, follows the ways of everybody who may have a version with both engines
//! (`upgrade::Ways`, each bundle once), and asks `resolve::dependants` to resolve those again whose candidates differ. Only the files of the package, of what
//! depends on it and of what that needs are read into it (`edit::Survey`). What would strand nobody (`upgrade::extra_edge`) is the one advice of `check-graph`,
//! `validate`, `edit` and `simulate`: an edge is added to the channel in memory, the ways are followed again, and it is named only if everybody arrives. `check` lies below that
//! and knows no ways; whoever shows its findings gives it the advice as a function (`check::CutAdvice`), which is called for a chain that is cut and for nothing else.
//!
//! All changes of one command are made first, each package by a thread of its own, and judged once: what the checker keeps of the documents is what the checks of
//! upgrade graphs need, so `edit::judge` builds no index.

mod adding;
mod before_after;
mod catalog;
mod change;
mod dependents;
mod deprecation;
mod documents;
mod entries;
mod error;
mod join;
mod object;
mod promotion;
mod removal;
mod repair;
pub mod rules;
mod simulate;
mod splice;
mod target;
mod verdict;

pub use adding::at_level;
pub use before_after::{AFTER, BEFORE, before_and_after};
pub use catalog::{CatalogEdit, bundles_of};
pub use change::{Change, Edges};
pub use dependents::Survey;
pub use documents::{FileEdit, PackageDocuments};
pub use error::EditError;
pub use join::join;
pub use repair::Mend;
pub use simulate::{Advice, Effect, KeptBundle, Question, Simulated, Simulation, Way, simulate};
pub use target::Target;
pub use verdict::{EditEffects, judge};

#[cfg(test)]
mod tests;
