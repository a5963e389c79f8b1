//! Dependencies: what OLM Classic installs and upgrades together, and why (`docs/behaviour/olm-classic.md`).
//!
//! A [`World`] is a namespace: its Subscriptions, what is installed, the CatalogSources. [`resolve()`] reads of the catalogs
//! only what can matter ([`Rows`]), makes a problem of it and has it solved. The answer is one that OLM may give; where OLM
//! gives a random one of several, it is the canonical one of 4.6, and where OLM's search gives a wrong one, it is the right
//! one.
//!
//! What it deliberately does not do: no SQL, no reading of manifests, no printing.

mod across;
mod answer;
mod candidates;
mod closure;
mod conflict;
mod demand;
mod dependants;
mod elsewhere;
mod explain;
mod failure;
mod fitness;
mod generations;
mod indexed;
mod installed;
mod message;
mod needs;
mod preference;
mod question;
mod quirks;
pub mod registry;
mod repair;
mod resolution;
mod rows;
mod size;
mod standing;
mod steps;
mod universe;
mod variables;
mod why;

pub use across::{Crossing, across};
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
pub use needs::{Dependency, Needs, left_out, needs};
pub use preference::Preference;
pub use question::{Bundles, Install, Installed, Question, QuestionError};
pub use quirks::quirks;
pub use repair::{Repair, repairs};
pub use resolution::{Because, Behind, Kept, Operator, Options, Preferred, Provision, Resolution, Verdict, resolve};
pub use rows::{Catalog, OperatorGroups, PackageRows, PlainRows, Rows, World};
pub use size::Size;
pub use standing::{Position, Standing, standings};
pub use steps::{NewSubscription, Steps, UpdatedSubscription, steps};
pub use why::{Chain, Link, MAX_CHAINS, WhyAnswer, chains};
