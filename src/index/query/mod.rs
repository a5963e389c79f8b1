//! The questions that an index answers.
