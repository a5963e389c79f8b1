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

mod adding;
mod catalog;
mod change;
mod deprecation;
mod documents;
mod entries;
mod error;
mod join;
mod mend;
mod object;
mod promotion;
mod removal;
pub mod rules;
mod sides;
mod simulate;
mod splice;
mod survey;
mod target;
mod verdict;

pub use adding::at_level;
pub use catalog::{CatalogEdit, bundles_of};
pub use change::{Change, Edges};
pub use documents::{FileEdit, PackageDocuments};
pub use error::EditError;
pub use join::join;
pub use mend::Mend;
pub use sides::{AFTER, BEFORE, before_and_after};
pub use simulate::{Advice, Effect, KeptBundle, Question, Simulated, Simulation, Way, simulate};
pub use survey::Survey;
pub use target::Target;
pub use verdict::{Verdict, judge};

#[cfg(test)]
mod tests;
