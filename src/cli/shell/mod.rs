//! The parts that the shell and its users meet: completion, manual pages, the list of commands, words of other tools.

pub(in crate::cli) mod candidates;
pub(in crate::cli) mod complete;
pub(in crate::cli) mod completion;
pub(in crate::cli) mod foreign_commands;
pub(in crate::cli) mod grammar;
pub(in crate::cli) mod groups;
pub(in crate::cli) mod help;
pub(in crate::cli) mod layout;
pub(in crate::cli) mod man;
pub(in crate::cli) mod old_words;
pub(in crate::cli) mod slips;
pub(in crate::cli) mod topics;
pub(in crate::cli) mod vocabulary;
pub(in crate::cli) mod word_help;
