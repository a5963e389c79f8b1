//! The basis of every part of olmdex: findings, files, replies and archives.
//!
//! | module | what it does |
//! |---|---|
//! | [`diag`] | findings as data, their renderers (text, JSON, SARIF, …), baselines, and the envelope of JSON answers |
//! | [`file`](mod@file) | writes files and directories whole or not at all, one writer at a time |
//! | [`http`] | the reply with a page, which the makers of pages and the server share |
//! | [`budget`] | the work and the memory that something made by a stranger may cost |
//! | [`olm`] | which OLM a question is about |
//! | [`archive`] | reads tar archives as trees of names, in memory, without unpacking |
//!
//! Only [`file`](mod@file) creates, replaces and deletes files, in this crate and in all that use it.
//!
//! This crate deliberately does not print, and it knows no rule of catalogs.

pub mod archive;
pub mod diag;
pub mod file;
pub mod http;
pub mod olm;

pub use olmdex_text::budget;

/// The name that JSON has for a variant without fields; empty for any other value.
pub fn variant_name<T: serde::Serialize>(variant: &T) -> &'static str {
    serde_variant::to_variant_name(variant).unwrap_or_default()
}

/// Gives a type whose variants have no fields a method with the name that JSON has for a variant.
#[macro_export]
macro_rules! named {
    ($kind:ty => $method:ident) => {
        impl $kind {
            /// Its name, as JSON has it.
            #[must_use]
            pub fn $method(self) -> &'static str {
                $crate::variant_name(&self)
            }
        }
    };
}
