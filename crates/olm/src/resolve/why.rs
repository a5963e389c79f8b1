//! The chains that bring an operator into a resolution: from a Subscription, or from something installed, to it.

use schemars::JsonSchema;
use serde::Serialize;

use super::resolution::{Because, Resolution};
use olmdex_base::diag::Place;

/// The number of chains that are given at most.
pub const MAX_CHAINS: usize = 100;

/// The reason why an operator is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhyAnswer {
    /// The operator.
    pub operator: String,
    /// Its package; empty for an installed operator that stays.
    pub package: String,
    /// The chains that bring it, the short ones first.
    pub chains: Vec<Chain>,
}

/// A chain that ends at an operator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Chain {
    /// The Subscription that it starts from; empty if it starts from something installed.
    pub subscription: String,
    /// The operators, from the first to the one that was asked about.
    pub links: Vec<Link>,
}

/// An operator of a chain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// Its name.
    pub operator: String,
    /// The requirement of the one before it, in plain words; empty for the first.
    pub requirement: String,
    /// The place of that requirement; no file for the first.
    #[serde(flatten)]
    pub place: Place,
}

impl Link {
    /// The first link of a chain.
    fn new(operator: &str) -> Self {
        Self { operator: operator.to_owned(), requirement: String::new(), place: Place::default() }
    }
}

/// The chains that bring an operator, the short ones first, [`MAX_CHAINS`] at most; none goes twice over the same
/// operator.
pub fn chains(resolution: &Resolution, operator: &str) -> Vec<Chain> {
    let reasons = |name: &str| -> &[Because] {
        let of_new = resolution.operators.iter().find(|it| it.name == name).map(|it| it.because.as_slice());
        let of_kept = || resolution.kept.iter().find(|it| it.name == name).map(|it| it.because.as_slice());
        of_new.or_else(of_kept).unwrap_or_default()
    };
    let mut found = Vec::new();
    // Unfinished chains, from their ends; the shortest first.
    let mut open: std::collections::VecDeque<Vec<Link>> = [vec![Link::new(operator)]].into();
    while let Some(chain) = open.pop_front() {
        if found.len() >= MAX_CHAINS || open.len() > MAX_CHAINS * 100 {
            break;
        }
        let Some(first) = chain.first() else { continue };
        for reason in reasons(&first.operator) {
            let Because { subscription, required_by, requirement, place, .. } = reason;
            if required_by.is_empty() {
                found.push(Chain { subscription: subscription.clone(), links: chain.clone() });
            } else if chain.iter().all(|link| link.operator != *required_by) {
                let mut longer = chain.clone();
                longer[0].requirement.clone_from(requirement);
                longer[0].place.clone_from(place);
                longer.insert(0, Link::new(required_by));
                open.push_back(longer);
            }
        }
    }
    found
}
