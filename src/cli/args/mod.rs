//! Arguments that several commands take, and their meaning.

pub(in crate::cli) mod bundle_images;
pub(in crate::cli) mod cache;
pub(in crate::cli) mod choice;
pub(in crate::cli) mod cluster;
pub(in crate::cli) mod composition;
pub(in crate::cli) mod day;
pub(in crate::cli) mod destination;
pub(in crate::cli) mod fleet;
pub(in crate::cli) mod formats;
pub(in crate::cli) mod image_template;
pub(in crate::cli) mod images;
pub(in crate::cli) mod judged;
pub(in crate::cli) mod kept_index;
pub(in crate::cli) mod legacy_source;
pub(in crate::cli) mod lifecycles;
pub(in crate::cli) mod lock_file;
pub(in crate::cli) mod lookup;
pub(in crate::cli) mod moment;
pub(in crate::cli) mod name;
pub(in crate::cli) mod namespace;
pub(in crate::cli) mod one_catalog;
pub(in crate::cli) mod operators;
pub(in crate::cli) mod output_file;
pub(in crate::cli) mod overwrite;
pub(in crate::cli) mod part;
pub(in crate::cli) mod past;
#[cfg(feature = "oci")]
pub(in crate::cli) mod registry;
pub(in crate::cli) mod source_map;
pub(in crate::cli) mod sources;
pub(in crate::cli) mod text;
pub(in crate::cli) mod two_states;
pub(in crate::cli) mod update_graph;
pub(in crate::cli) mod update_mode;
pub(in crate::cli) mod upgrade;
pub(in crate::cli) mod words;
