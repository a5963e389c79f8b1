//! The source of the blobs of answers.

/// The store of a catalog's documents.
pub trait Documents {
    /// The reason why they cannot be read.
    type Error;

    /// The numbers of the documents of a schema behind the first `offset`, `limit` at most, in the order of the
    /// catalog.
    ///
    /// # Errors
    /// If they cannot be read.
    fn page(&self, schema: &str, offset: usize, limit: usize) -> Result<Vec<i64>, Self::Error>;

    /// The JSON text of a document.
    ///
    /// # Errors
    /// If it cannot be read.
    fn text(&self, id: i64) -> Result<String, Self::Error>;
}
