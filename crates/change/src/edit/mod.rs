//! Changes of catalogs, and their effects.
//!
//! | part | what it does |
//! |---|---|
//! | [`join()`] | the findings about a bundle that is to join a catalog |
//! | [`Change`] | the possible changes to a package, and their effects on its documents |
//! | [`CatalogEdit`] | the changes of a catalog, one after the other, and what words for them name |
//! | [`Addition`] | a bundle that is added: its edges, its form, and what the catalog has against it |
//! | [`PackageDocuments`] | the documents in their files, and the new texts of these |
//! | [`simulate()`] | the effects of a change on everybody who has a version installed |
//! | [`repairs()`] | the fewest edits that strand nobody |
//! | [`Survey`] | the packages of a catalog that a change of one can affect |
//! | [`judge()`] | new errors, and stranded users |
//!
//! # What an edit decides
//!
//! `edit::Change` changes the documents of one package as trees; `CatalogEdit` returns the texts of the files, `judge`
//! the new errors and warnings and the stranded users. The removal of a bundle always keeps a way for its users: the
//! entry that replaced it skips it, and entries that skip it keep that skip. The rules that the edits follow
//! (`docs/behaviour/authoring.md`) make that an option; without it, users of a removed version are stuck, which is a
//! bad default.
//!
//! `edit::simulate` puts the catalog before and after a change into one index, follows the ways of everybody who may
//! have a version with both engines (`upgrade::UpgradeRoutes`, each bundle once), and asks `resolve::dependants` to
//! resolve again the dependants whose candidates differ. It reads only the files of the package, of its dependants and
//! of the packages that these need (`edit::Survey`). The edge that would strand nobody (`upgrade::extra_edge`) is the
//! one advice of `check-graph`, `validate`, `edit` and `simulate`: an edge is added to the channel in memory, the ways
//! are followed again, and it is named only if everybody arrives. `check` is below that and knows no ways; a caller
//! that shows its findings passes the advice as a function (`check::CutAdvice`), which is called for a chain that is
//! cut and for nothing else.
//!
//! All changes of one command are made first, each package by a thread of its own, and judged once: the checker keeps
//! the data of the documents that the checks of upgrade graphs need, so `edit::judge` builds no index.

mod adding;
mod addition;
mod before_after;
mod catalog;
mod change;
mod dependents;
mod deprecation;
mod described;
mod documents;
mod entries;
mod error;
mod join;
mod promotion;
mod removal;
mod repair;
mod repairs;
pub mod rules;
mod simulate;
mod splice;
mod target;
mod verdict;
mod words;

pub use addition::{Added, Addition, bundle_in};
pub use before_after::{AFTER, BEFORE, before_and_after};
pub use catalog::CatalogEdit;
pub use change::{Change, Edges};
pub use dependents::Survey;
pub use described::DescribedBundle;
pub use documents::{FileEdit, PackageDocuments};
pub use error::EditError;
pub use join::join;
pub use repair::PackageFix;
pub use repairs::{LeftUser, PackageRepair, RepairEdit, repairs};
pub use simulate::{Advice, Effect, KeptBundle, Question, Simulated, Simulation, Way, simulate};
pub use target::Target;
pub use verdict::{EditEffects, judge};

#[cfg(test)]
mod tests;
