//! catalogd's GraphQL: a schema made of a catalog's blobs, and queries answered by `async-graphql`
//! (`docs/behaviour/olm-v1.md` 5.6).
//!
//! # How a query is answered
//!
//! 1. [`Collector`] looks at each blob once; its fields and their types make a [`Catalog`].
//! 2. [`Query::read`] reads a text, and counts its depth, aliases and fields. A refusal at this step needs no catalog.
//! 3. [`Query::answer`] has `async-graphql` apply its rules and run the query; documents are read when their turn
//!    comes, one at a time.
//!
//! Where Go has no order (maps), answers here are sorted by name, so that they are always the same.
//!
//! No text can end the stack: brackets and fragments inside each other have a limit, and so has all work that a query
//! can cause ([`Limits`]).
//!
//! This crate deliberately knows no index and no server, has no mutations, subscriptions or input objects, and takes no
//! variables, which catalogd ignores.

mod coerce;
mod discover;
mod documents;
mod limits;
mod measure;
mod name;
mod record;
mod resolve;
mod schema;
mod write;

use std::sync::Arc;

use async_graphql::parser::parse_query;
use async_graphql::parser::types::ExecutableDocument;
use async_graphql::{Request, ServerError, Value, Variables};
use thiserror::Error;

pub use self::discover::{Collector, Collision};
pub use self::documents::Documents;
use self::limits::{Excess, at_most};
pub use self::limits::{Limits, MAX_QUERY};
use self::measure::{Widths, check_text, measure};
use self::resolve::{Session, Stop, run};
use self::write::{refusal, write};

/// A catalog that can be queried.
#[derive(Debug)]
pub struct Catalog {
    schema: async_graphql::dynamic::Schema,
}

impl Collector {
    /// The catalog of all these blobs.
    ///
    /// # Errors
    /// [`Collision`] if two things would have one name.
    pub fn catalog(self) -> Result<Catalog, Collision> {
        schema::build(self.schemas()?).map(|schema| Catalog { schema })
    }
}

/// The reasons why there is no answer.
#[derive(Debug, Error)]
pub enum NoAnswer<E> {
    /// The documents cannot be read.
    #[error("the documents cannot be read")]
    Documents(E),
    /// The answer has a number that JSON has no word for.
    #[error("json: unsupported value")]
    NotEncodable,
}

/// A query that is not too complex.
#[derive(Debug)]
pub struct Query {
    document: ExecutableDocument,
    widths: Widths,
}

impl Query {
    /// Reads a query.
    ///
    /// # Errors
    /// The answer, if the text is not a query or exceeds a limit.
    pub fn read(text: &str) -> Result<Self, Vec<u8>> {
        at_most(text.len(), MAX_QUERY, "length in bytes").and_then(|()| check_text(text)).map_err(exceeded)?;
        let document = parse_query(text).map_err(|error| {
            let error = ServerError::from(error);
            refusal(ServerError { message: format!("query parse error: {}", error.message), ..error })
        })?;
        let widths = measure(&document).map_err(exceeded)?;
        Ok(Self { document, widths })
    }

    /// The answer: JSON, with a line break behind it.
    ///
    /// # Errors
    /// [`NoAnswer`] if the documents cannot be read, or have a number that cannot be written.
    pub fn answer<D: Documents>(
        self,
        catalog: &Catalog,
        documents: &D,
        limits: Limits,
    ) -> Result<Vec<u8>, NoAnswer<D::Error>> {
        let session = Arc::new(Session::new(limits, self.widths));
        let mut request = Request::new("").variables(defaults(&self.document)).data(Arc::clone(&session));
        request.set_parsed_query(self.document);
        match run(catalog.schema.execute(request), &session, documents) {
            Ok(response) => Ok(write(response, &session.budget).unwrap_or_else(exceeded)),
            Err(Stop::Excess(Excess::NotEncodable)) => Err(NoAnswer::NotEncodable),
            Err(Stop::Excess(excess)) => Ok(exceeded(excess)),
            Err(Stop::Documents(error)) => Err(NoAnswer::Documents(error)),
        }
    }
}

fn exceeded(excess: Excess) -> Vec<u8> {
    refusal(ServerError::new(excess.to_string(), None))
}

/// The variables with their default values, which the crate does not see in `@skip` and `@include`.
fn defaults(document: &ExecutableDocument) -> Variables {
    let mut variables = Variables::default();
    for (_, operation) in document.operations.iter() {
        for definition in &operation.node.variable_definitions {
            if let Some(value) = &definition.node.default_value {
                variables.insert(definition.node.name.node.clone(), Value::clone(&value.node));
            }
        }
    }
    variables
}
