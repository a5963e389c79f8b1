//! Writing catalogs in forms that other programs read.

pub(super) mod export;
mod legacy;
#[cfg(feature = "page")]
mod site;
#[cfg(feature = "parquet")]
mod views;
