//! Dependencies: what OLM Classic installs and upgrades together, and why (`docs/behaviour/olm-classic.md`).
//!
//! A [`World`] is a namespace: its Subscriptions, what is installed, the CatalogSources. [`resolve()`] reads of the catalogs
//! only what can matter ([`Rows`]), makes a problem of it and has it solved. The answer is one that OLM may give; where OLM
//! gives a random one of several, it is the canonical one of 4.6, and where OLM's search gives a wrong one, it is the right
//! one.
//!
//! What it deliberately does not do: no SQL, no reading of manifests, no printing.
//!
//! # How a namespace is resolved
//!
//! A `World` is a namespace: Subscriptions, what is installed, CatalogSources. `resolve::universe` reads of the catalogs, through the
//! trait `Rows`, only the packages that something in reach names or needs, a few queries each, and of their bundles what they say only
//! when one is looked at, so the cost grows with the reachable part. `resolve::variables` makes a problem of it: a variable for each entry in reach, constraints as OLM makes them, in
//! its order, each with the reason why it is there. `solve` takes choice after choice the first candidate that a complete answer
//! still contains, so nothing is ever taken back, and OLM's two known defects, which are about taking back, cannot occur. Runs of the SAT
//! engine are few: all choices to come are first tried together with the best of each, and halved until they can be had; of
//! thousands of candidates that cannot be had, halving finds the first that can.
//!
//! What cannot be satisfied is asked a second time with a switch for every constraint; the engine says which it needs, and one after
//! the other is left out until nothing can be spared. The reasons of those constraints are the story. Why a Subscription does not get
//! its best is found in the same way, with that best demanded.
//!
//! A rule of CEL is read into a flat tree, checked for types in cel-go's order, because the order decides what open types become, and
//! translated into steps for a small machine. All three use stacks of their own and count their work.
//!
//! Beside each choice stands what it was preferred to, and by which criterion (`resolve::preference`, the same criteria in the same
//! order as `resolve::candidates`). What OLM does not ask is a warning: definitions that operators of other namespaces own or require
//! (`resolve::other_namespaces`), and versions of Kubernetes and OpenShift that do not suit the cluster (`resolve::fitness`). Where a
//! Subscription gets nothing new, `resolve::position` tells whether it is at the head, held or stranded.

mod answer;
mod candidates;
mod closure;
mod conflict;
mod demand;
mod dependants;
mod explain;
mod failure;
mod fitness;
mod generations;
mod indexed;
mod installed;
mod namespace_conflicts;
mod needs;
mod olm_words;
mod other_namespaces;
mod position;
mod preference;
mod question;
mod quirks;
pub mod registry;
mod repair;
mod resolution;
mod rows;
mod stats;
mod steps;
mod universe;
mod variables;
mod why;

pub use answer::{
    BecauseAnswer, BehindAnswer, ConflictAnswer, CoreFact, FailureAnswer, KeptAnswer, OperatorAnswer, Outcome,
    ResolutionAnswer, StepsAnswer,
};
pub use closure::{
    BundleName, ClosureAnswer, ClosureError, DemanderAnswer, Dependencies, DependencyAnswer, PartialClosure,
    PlaceAnswer, bare_world, closure, partial_closure,
};
pub use conflict::{Conflict, ConflictFact, FactKind, Named};
pub use demand::{
    BundleDemands, BundleNeeds, Demand, Demander, Demands, MAX_NAMED, Met, Need, Providers, demanders,
    demanding_packages, demands, is_met,
};
pub use dependants::{Dependant, Dependants, RefusedByV1, dependants};
pub use explain::{Sentence, story, with_origin};
pub use failure::{BrokenDemand, Failure, Overwork};
pub use fitness::ClusterFacts;
pub use generations::{Course, Generation, MAX_GENERATIONS, after, generations};
pub use indexed::IndexRows;
pub use namespace_conflicts::{Crossing, across};
pub use needs::{Dependency, Needs, left_out, needs};
pub use position::{Position, Standing, standings};
pub use preference::Preference;
pub use question::{Bundles, Install, Installed, Question, QuestionError};
pub use quirks::quirks;
pub use repair::{Repair, repairs};
pub use resolution::{Because, Behind, Kept, Operator, Options, Preferred, Provision, Resolution, Verdict, resolve};
pub use rows::{Catalog, OperatorGroups, PackageRows, PlainRows, Rows, World};
pub use stats::Size;
pub use steps::{NewSubscription, Steps, UpdatedSubscription, steps};
pub use why::{Chain, Link, MAX_CHAINS, WhyAnswer, chains};
