//! Questions and answers in general: each question is one struct, put to the same state, with an answer of the same
//! shape.
//!
//! A question is described once. Its fields are the arguments of a command (clap, feature `clap`), the arguments of an
//! assistant's tool and the parameters of an address (serde), and the properties of a schema (schemars); the comment on
//! a field is its help everywhere. A front end adds a layout for people, and decides nothing.

use std::borrow::Borrow;

use olmdex_base::diag::envelope::Envelope;
use olmdex_fbc::has_tag_or_digest;
use olmdex_index::query::{CatalogRank, Filter};
use olmdex_index::{Index, LightIndex};
use olmdex_olm::catalog_source::CatalogSources;
use olmdex_olm::namespace::NamespaceState;
use olmdex_rules::cluster::Cluster;
use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::AskError;

/// The catalogs, and what is known of a cluster: a question is put to them.
#[derive(Debug)]
pub struct State<'s, I = Index> {
    /// The catalogs.
    pub index: &'s I,
    /// The cluster, with words for it in messages.
    pub cluster: Option<(&'s Cluster, &'s str)>,
    /// Ties of CatalogSources to catalogs, as NAMESPACE/NAME=CATALOG.
    pub source_map: &'s [String],
    /// Whether the user gave the catalogs names of their own, see
    /// [`CatalogSources::new`](olmdex_olm::catalog_source::CatalogSources::new).
    pub are_named: bool,
    /// The states of the cluster's namespaces, as far as they were asked for.
    pub namespaces: &'s [NamespaceState],
}

impl<'s, I> State<'s, I> {
    /// Catalogs without a cluster.
    pub fn of(index: &'s I) -> Self {
        Self { index, cluster: None, source_map: &[], are_named: false, namespaces: &[] }
    }
}

impl<'s, I: Borrow<LightIndex>> State<'s, I> {
    /// The same state, for questions that need less of the index.
    pub(crate) fn light(&self) -> State<'s, LightIndex> {
        let Self { cluster, source_map, are_named, namespaces, .. } = *self;
        State { index: self.index.borrow(), cluster, source_map, are_named, namespaces }
    }

    /// The catalogs that the sources of a cluster mean.
    ///
    /// # Errors
    /// If a tie cannot be read, or names nothing that is known.
    pub(crate) fn sources(&self, ranks: &[CatalogRank], cluster: &Cluster) -> Result<CatalogSources, AskError> {
        Ok(CatalogSources::new(ranks, self.source_map, cluster, None, self.are_named)?)
    }

    /// The catalogs whose images are known, each with the reference: ties `REFERENCE=CATALOG` name it, which have a
    /// colon or `@` before the `=`, and CatalogSources of the cluster.
    ///
    /// # Errors
    /// If a tie names nothing that is known, or the index cannot be read.
    pub fn catalog_references(&self) -> Result<Vec<(String, String)>, AskError> {
        let ranks = self.index.borrow().catalog_ranks(&Filter::default())?;
        let nothing = Cluster::default();
        let cluster = self.cluster.map_or(&nothing, |(cluster, _)| cluster);
        let sources = self.sources(&ranks, cluster)?;
        let of_ties = self.source_map.iter().filter_map(|tie| tie.split_once('='));
        let of_ties = of_ties.filter(|(reference, _)| has_tag_or_digest(reference));
        let of_ties = of_ties.map(|(reference, catalog)| (catalog.to_owned(), reference.to_owned()));
        let with_image = cluster.catalog_sources.iter().filter(|source| !source.image.is_empty());
        let of_cluster = with_image
            .filter_map(|source| Some((sources.catalog(&source.namespace, &source.name)?, source.image.clone())));
        Ok(of_ties.chain(of_cluster).collect())
    }
}

/// A question.
pub trait Question: Default + Serialize + DeserializeOwned + JsonSchema {
    /// The command that asks it.
    const NAME: &'static str;

    /// The usual kind of the items, as their JSON has it.
    const KIND: &'static str;

    /// When it is about the operators of the cluster if the asker does not say so, in words; `None` if it has no
    /// argument for that.
    const OF_CLUSTER: Option<&'static str> = None;

    /// Whether it is about Subscriptions one by one, so that the state of a namespace decides about its answer: see
    /// [`states_for`](crate::states_for).
    const NEEDS_NAMESPACES: bool = false;

    /// The part of an index that it needs.
    type Index;

    /// An item of the answer.
    type Item: Serialize + JsonSchema;

    /// Whether it is about the operators of the cluster, if the asker does not say so.
    fn is_of_cluster(&self) -> bool {
        Self::OF_CLUSTER.is_some()
    }

    /// The kinds of its answers, each with the schema of an answer of this kind.
    fn kinds() -> Vec<(&'static str, Schema)> {
        vec![kind::<Self::Item>(Self::KIND)]
    }

    /// The kind of an answer with these items.
    fn kind(_: &[Self::Item]) -> &'static str {
        Self::KIND
    }

    /// The words that name packages. Nothing is asked about other packages.
    fn names(&self) -> Vec<&String>;

    /// Refuses a question that makes no sense, before any catalog is read.
    ///
    /// # Errors
    /// The reason.
    fn check(&self) -> Result<(), AskError> {
        Ok(())
    }

    /// The complete answer.
    ///
    /// # Errors
    /// If the question is ambiguous, or the catalogs lack its subject.
    fn ask(&self, state: &State<'_, Self::Index>) -> Result<Answer<Self::Item>, AskError>;
}

/// The answer of a question.
#[derive(Debug)]
pub struct Answer<T> {
    /// Its items.
    pub items: Vec<T>,
    /// Their meaning in one word.
    pub verdict: Verdict,
    /// Remarks about the question and the state, in the order in which they came up.
    pub warnings: Vec<String>,
    /// Ways to go on from this answer.
    pub notes: Vec<String>,
}

impl<T> Answer<T> {
    /// A positive answer without remarks.
    pub(crate) fn of(items: Vec<T>) -> Self {
        Self { items, verdict: Verdict::Yes, warnings: Vec::new(), notes: Vec::new() }
    }
}

/// A kind of answers: its name, and the schema of an answer.
pub fn kind<T: JsonSchema>(name: &'static str) -> (&'static str, Schema) {
    (name, schema_for!(Envelope<T>))
}

/// An answer in one word, which decides how a command ends.
#[derive(Debug)]
pub enum Verdict {
    /// Yes, or done.
    Yes,
    /// No, or a part of the state could not be asked.
    No,
    /// The items are a part of the answer, for these reasons.
    Part(Vec<AskError>),
}

impl Verdict {
    /// A negative verdict, or a positive one.
    pub fn negative_if(is_negative: bool) -> Self {
        if is_negative { Self::No } else { Self::Yes }
    }

    /// Whether it is negative.
    pub fn is_negative(&self) -> bool {
        matches!(self, Self::No)
    }
}

/// The items and the verdict of an answer, with the warnings that came up. An error keeps these, too.
pub(crate) fn answer<T>(
    found: Result<(Vec<T>, Verdict), AskError>,
    warnings: Vec<String>,
) -> Result<Answer<T>, AskError> {
    match found {
        Ok((items, verdict)) => Ok(Answer { items, verdict, warnings, notes: Vec::new() }),
        Err(error) if warnings.is_empty() => Err(error),
        Err(error) => Err(AskError::Warned { warnings, error: Box::new(error) }),
    }
}

/// Values that questions have as text.
pub(crate) mod as_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de};

    pub(crate) fn serialize<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(T::to_string).serialize(serializer)
    }

    pub(crate) fn deserialize<'d, T: FromStr<Err: Display>, D: Deserializer<'d>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|it| it.parse().map_err(de::Error::custom)).transpose()
    }
}
