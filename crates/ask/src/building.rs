//! Builders of indexes whose findings name the edge that helps a channel that is cut; only the engines know that edge.

use std::path::Path;

use olmdex_index::{Builder, IndexError, LightIndex, ListIndex};
use olmdex_olm::upgrade::cut_advice;

/// A builder of an index in memory.
pub fn builder() -> Builder {
    Builder::in_memory().advised_by(cut_advice)
}

/// A builder of a light index in memory, for lists and for questions that follow dependencies.
pub fn light_builder() -> Builder<LightIndex> {
    Builder::light().advised_by(cut_advice)
}

/// A builder of an index in memory for checks of upgrade graphs only.
pub fn builder_for_graphs() -> Builder<LightIndex> {
    Builder::for_graphs().advised_by(cut_advice)
}

/// A builder of an index in memory that answers lists only.
pub fn builder_for_lists() -> Builder<ListIndex> {
    Builder::for_lists().advised_by(cut_advice)
}

/// A builder of the index in a file.
///
/// # Errors
/// If the file cannot be opened, or is not an index.
pub fn builder_of(file: &Path) -> Result<Builder, IndexError> {
    Ok(Builder::open(file)?.advised_by(cut_advice))
}
