//! Dependencies: the operators that OLM Classic installs and upgrades together, and why
//! (`docs/behaviour/olm-classic.md`).
//!
//! A [`World`] is a namespace: its Subscriptions, its installed operators, the CatalogSources. [`resolve()`] reads only
//! those parts of the catalogs that can matter ([`Rows`]), makes a problem of them and has it solved. The answer is one
//! that OLM may give. If OLM gives a random one of several, the answer is the canonical one of 4.6; if OLM's search
//! gives a wrong one, the answer is the right one.
//!
//! # How a namespace is resolved
//!
//! A `World` is a namespace: Subscriptions, installed operators, CatalogSources. `resolve::universe` reads the catalogs
//! through the trait `Rows`: only the packages that something in reach names or needs, a few queries each, and the
//! content of a bundle only when the bundle is looked at. The cost therefore grows with the reachable part.
//! `resolve::variables` makes a problem of it: a variable for each entry in reach, and the constraints that OLM makes,
//! in OLM's order, each with the reason why it is there. For choice after choice, `solve` takes the first candidate
//! that a complete answer still contains. Nothing is ever taken back, so OLM's two known defects, which are about
//! taking back, cannot occur. Runs of the SAT engine are few: all choices to come are first tried together with the
//! best candidate of each, and halved until they are possible; among thousands of impossible candidates, halving finds
//! the first possible one.
//!
//! A problem that cannot be satisfied is solved a second time with a switch for every constraint. The engine reports
//! which constraints it needs, and one after the other is left out until each remaining one is necessary. The reasons
//! of those constraints are the explanation. The reason why a Subscription does not get its best candidate is found in
//! the same way, with that candidate demanded.
//!
//! A rule of CEL is read into a flat tree, checked for types in cel-go's order, because the order decides what open
//! types become, and translated into steps for a small machine. All three use stacks of their own and count their work.
//!
//! Each choice is reported with the candidates that it was preferred to, and with the criterion (`resolve::preference`,
//! the same criteria in the same order as `resolve::candidates`). Facts that OLM does not ask for become warnings:
//! definitions that operators of other namespaces own or require (`resolve::other_namespaces`), and versions of
//! Kubernetes and OpenShift that do not suit the cluster (`resolve::fitness`). If a Subscription gets nothing new,
//! `resolve::position` tells whether it is at the head, held or stranded.

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
mod other_namespaces;
mod otherwise;
mod plain_rows;
mod position;
mod preference;
mod question;
mod quirks;
pub mod registry;
mod repair;
mod resolution;
mod rows;
pub mod rules;
mod steps;
mod universe;
mod unmet;
mod variables;
mod why;

pub use answer::{BehindAnswer, ConflictAnswer, CoreFact, FailureAnswer, Outcome, ResolutionAnswer};
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
pub use generations::{Course, MAX_GENERATIONS, Round, after, generations, generations_until};
pub use indexed::IndexRows;
pub use namespace_conflicts::{Crossing, across};
pub use needs::{Dependency, Needs, left_out, needs};
pub(crate) use other_namespaces::{csv_apis, operator_apis};
pub use plain_rows::PlainRows;
pub use position::{Position, Standing, standings};
pub use preference::Preference;
pub use question::{Install, Installed, Question, QuestionError};
pub use quirks::quirks;
pub use repair::{Edit, Repair, failure_repairs, held_repairs, repairs, resolution_after};
pub use resolution::{Because, Behind, Operator, Options, Preferred, Resolution, RetainedOperator, Verdict, resolve};
pub use rows::{Catalog, OperatorGroups, PackageRows, Rows, World};
pub use steps::{NewSubscription, Steps, UpdatedSubscription, is_about, steps};
pub use unmet::{DemandingBundle, NearProvider, Unmet, UnmetDemand, unmet};
pub use why::{Chain, Link, MAX_CHAINS, WhyAnswer, chains};
