//! Writing catalogs in forms that other programs read.
//!
//! What it deliberately does not do: it makes none of them; the rooms below do.

pub(super) mod export;
mod legacy;
#[cfg(feature = "page")]
mod site;
#[cfg(feature = "parquet")]
mod views;
