//! `ExperimentalListPackageCustomSchemas`: documents of schemas of others (`docs/behaviour/serving.md` B.5).

use super::Registry;
use super::refusal::Refusal;
use super::value::encode_struct;
use olmdex_index::query::{DocumentFilter, ServedDocument};
use olmdex_text::json::Reader;

/// The header that a client must send with the value `true`, and with no other, to get anything.
pub const ACKNOWLEDGEMENT: &str = "x-acknowledge-experimental";

/// Schemas that have questions of their own.
const OWN: &[&str] = &["olm.package", "olm.channel", "olm.bundle", "olm.deprecations"];

impl Registry<'_> {
    /// The documents of a schema and a package, in the order of the catalog. Documents without a package belong to the
    /// empty one.
    ///
    /// # Errors
    /// [`Refusal::NoSchema`], [`Refusal::NotAName`].
    pub fn custom_list(
        &self,
        is_acknowledged: bool,
        schema: &str,
        package: &str,
    ) -> Result<Vec<ServedDocument>, Refusal> {
        if !is_acknowledged {
            return Ok(Vec::new());
        }
        if schema.is_empty() {
            return Err(Refusal::NoSchema);
        }
        for (what, text) in [("schema", schema), ("packageName", package)] {
            if !(is_name(text) || (what == "packageName" && text.is_empty())) {
                return Err(Refusal::NotAName { what, text: text.to_owned() });
            }
        }
        if OWN.contains(&schema) {
            return Ok(Vec::new());
        }
        let filter = DocumentFilter { schema: schema.to_owned(), package: package.to_owned(), name: String::new() };
        let mut found = self.index.served_documents(self.catalog, &filter)?;
        found.retain(|it| it.package == package);
        Ok(found)
    }

    /// A document as the bytes of a `google.protobuf.Struct`.
    ///
    /// # Errors
    /// [`Refusal::Index`].
    pub fn custom_document(&self, document: ServedDocument) -> Result<Vec<u8>, Refusal> {
        let text = self.index.served_text(document.id)?;
        let mut reader = Reader::new();
        match reader.read(&text) {
            Ok(value) => Ok(encode_struct(value)),
            Err(error) => Err(Refusal::Unreadable { bundle: document.name, message: error.to_string() }),
        }
    }
}

/// Whether the real server takes a text for a schema or a package.
pub fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|it| it.is_ascii_alphanumeric())
        && bytes.all(|it| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'_' | b'-'))
}
