//! The reasons why there is no resolution.

use std::collections::HashSet;

use thiserror::Error;

use crate::solve::SolveError;
use crate::upgrade::classic::OrderError;
use olmdex_base::budget::Exhausted;
use olmdex_base::diag::Place;
use olmdex_constraint::ConstraintError;
use olmdex_index::IndexError;

/// The reasons why there is no resolution, apart from a contradiction.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Failure {
    /// OLM resolves nothing with such an input: its message.
    #[error("{0}")]
    Refused(String),
    /// A demand cannot be read.
    #[error("{}", .0.error)]
    Constraint(Box<BrokenDemand>),
    /// OLM reports several failures in one message. They are different, and none of them is such a list.
    #[error("[{}]", joined(.0))]
    Several(Vec<Failure>),
    /// A limit was reached.
    #[error("{0}")]
    Limit(String),
    /// The steps that demands may take are used up.
    #[error("{0}")]
    Work(Box<Overwork>),
    /// The catalogs cannot be read.
    #[error(transparent)]
    Index(#[from] Box<IndexError>),
}

/// A demand that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenDemand {
    /// The error in it.
    pub error: ConstraintError,
    /// How OLM names the operator that makes the demand.
    pub operator: String,
    /// The place where the demand is written.
    pub place: Place,
}

/// A demand that takes too much work.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the rules of `olm.constraint` take {error}; the last of them went into what {operator}{} requires: {demand}", at(.place))]
pub struct Overwork {
    /// How much it may be.
    pub error: Exhausted,
    /// How OLM names the operator that makes the demand.
    pub operator: String,
    /// The demand, in plain words.
    pub demand: String,
    /// The place where the demand is written.
    pub place: Place,
}

impl Failure {
    /// Whether a limit ended the work.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Limit(_) | Self::Work(_) => true,
            Self::Several(failures) => failures.iter().any(Self::is_limit),
            _ => false,
        }
    }
}

fn joined(failures: &[Failure]) -> String {
    failures.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A place in brackets; empty if there is none.
fn at(place: &Place) -> String {
    if place.file.is_empty() { String::new() } else { format!(" [{place}]") }
}

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Self {
        Self::Index(Box::new(error))
    }
}

impl From<OrderError> for Failure {
    fn from(error: OrderError) -> Self {
        Self::Refused(error.to_string())
    }
}

impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Self {
        Self::Limit(error.to_string())
    }
}

impl Failure {
    /// Whether OLM would fail too, and go on to other Subscriptions before it reports that.
    pub(super) fn is_olm_s(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Constraint(_) | Self::Several(_))
    }

    /// Several failures as OLM reports them: each text once.
    pub(super) fn joined(failures: Vec<Self>) -> Option<Self> {
        let mut texts: HashSet<String> = HashSet::new();
        let flat = failures.into_iter().flat_map(|it| match it {
            Self::Several(parts) => parts,
            other => vec![other],
        });
        let mut distinct: Vec<Self> = flat.filter(|it| texts.insert(it.to_string())).collect();
        match distinct.len() {
            0 | 1 => distinct.pop(),
            _ => Some(Self::Several(distinct)),
        }
    }
}
