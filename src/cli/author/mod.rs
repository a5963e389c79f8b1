//! Commands for authors of operators.

pub(in crate::cli) mod bundle;
mod edit_add;
pub(in crate::cli) mod edits;
pub(in crate::cli) mod init;
pub(in crate::cli) mod lsp;
pub(in crate::cli) mod onboard;
pub(in crate::cli) mod release;
pub(in crate::cli) mod repo;
pub(in crate::cli) mod simulate;
pub(in crate::cli) mod template;
mod template_file;
