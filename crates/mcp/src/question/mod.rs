//! The questions: the arguments of each tool, the call of `ask` that answers it, and the command that gives the same
//! answer.

pub(crate) mod asked;
mod catalog;
mod cluster;
mod resolve;
mod sql;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::answer::{Answer, AnswerError};
use super::world::World;

pub(crate) use catalog::{Diff, Explain, known_catalogs};
pub(crate) use cluster::Plan;
pub(crate) use resolve::Resolve;
pub(crate) use sql::Sql;

/// A question that is read from the arguments of a call.
pub(crate) trait Question: DeserializeOwned + JsonSchema {
    /// Its answer.
    fn ask(&self, world: &World) -> Result<Answer, AnswerError>;

    /// The command that gives the same answer.
    fn command(&self, world: &World) -> String;

    /// Whether it is about the cluster, if the server knows one, and does not report the unknown parts of the cluster
    /// itself.
    fn is_of_cluster(&self) -> bool {
        false
    }
}
