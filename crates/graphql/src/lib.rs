//! catalogd's GraphQL: a schema made of a catalog's blobs, and queries answered with the words of graphql-go, which
//! catalogd uses (`docs/behaviour/olm-v1.md` 5.6).
//!
//! # How a query is answered
//!
//! 1. [`Collector`] looks at each blob once; its fields and their types make a [`Catalog`].
//! 2. [`Query::read`] makes a document of a text, and counts its depth, aliases and fields. A refusal at this step
//!    needs no catalog.
//! 3. `validate` walks through the document and asks all rules at each node, so that errors come in the order of
//!    graphql-go.
//! 4. `execute` writes the answer; documents are read when their turn comes, one at a time.
//!
//! Where Go has no order (maps), answers here are sorted by name, so that they are always the same.
//!
//! No text can end the stack: documents are flat, code that walks through them follows links, and the few ways that
//! need a stack have a limit ([`Limits`]).
//!
//! This crate deliberately knows no index and no server, has no mutations, subscriptions or input objects, and takes no
//! variables, which catalogd ignores.

mod answer;
mod complexity;
mod documents;
mod execute;
mod limits;
mod schema;
mod syntax;
mod validate;

use thiserror::Error;

use self::answer::{Fault, end, refusal};
pub use self::documents::Documents;
use self::execute::{Stop, execute};
use self::limits::{Budget, Excess};
pub use self::limits::{Limits, MAX_QUERY};
pub use self::schema::{Collector, Collision};
use self::syntax::ast::Document;
use self::syntax::{Parser, SyntaxError};
use self::validate::{VariableTypes, validate};

/// A catalog that can be queried.
#[derive(Debug)]
pub struct Catalog {
    schema: schema::Schema,
}

impl Collector {
    /// The catalog of all these blobs.
    ///
    /// # Errors
    /// [`Collision`] if two things would have one name.
    pub fn catalog(&self) -> Result<Catalog, Collision> {
        self.schema().map(|schema| Catalog { schema })
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
pub struct Query<'q> {
    text: &'q str,
    document: Document<'q>,
}

impl<'q> Query<'q> {
    /// Reads a query.
    ///
    /// # Errors
    /// The answer, if the text is not a query or exceeds a limit of catalogd.
    pub fn read(text: &'q str) -> Result<Self, Vec<u8>> {
        let refused = |message: Vec<u8>| refusal(text, &[Fault::new(message, Vec::new())]);
        let document = Parser::parse(text)
            .map_err(|SyntaxError(message)| refused([b"query parse error: ", &message[..]].concat()))?;
        complexity::check(&document).map_err(|it| refused(it.to_string().into_bytes()))?;
        Ok(Self { text, document })
    }

    /// The answer: JSON, with a line break behind it.
    ///
    /// # Errors
    /// [`NoAnswer`] if the documents cannot be read, or have a number that cannot be written.
    pub fn answer<D: Documents>(
        &self,
        catalog: &Catalog,
        documents: &D,
        limits: Limits,
    ) -> Result<Vec<u8>, NoAnswer<D::Error>> {
        let budget = Budget::new(limits);
        let exceeded = |it: Excess| Ok(refusal(self.text, &[Fault::new(it.to_string(), Vec::new())]));
        let schema = &catalog.schema;
        let variables = VariableTypes::new(&self.document, schema);
        match validate(&self.document, schema, &variables, &budget) {
            Ok(faults) if faults.is_empty() => {}
            Ok(faults) => return Ok(refusal(self.text, &faults)),
            Err(excess) => return exceeded(excess),
        }
        match execute(&self.document, schema, documents, &budget) {
            Ok((data, faults)) => {
                let mut out = b"{\"data\":".to_vec();
                out.extend_from_slice(&data);
                end(self.text, &faults, &mut out);
                Ok(out)
            }
            Err(Stop::Fault(fault)) => Ok(refusal(self.text, &[fault])),
            Err(Stop::Excess(excess)) => exceeded(excess),
            Err(Stop::Documents(error)) => Err(NoAnswer::Documents(error)),
            Err(Stop::NotEncodable) => Err(NoAnswer::NotEncodable),
        }
    }
}
