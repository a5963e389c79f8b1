//! Serves catalogs and assistants, and acts as opm.

#[cfg(all(feature = "mcp", feature = "serve"))]
mod assistant;
#[cfg(feature = "serve")]
mod cache_directory;
#[cfg(feature = "serve")]
mod catalog_pages;
#[cfg(feature = "serve")]
mod gates;
#[cfg(feature = "mcp")]
pub(super) mod mcp;
#[cfg(feature = "serve")]
pub(super) mod opm;
#[cfg(feature = "serve")]
mod planned;
#[cfg(feature = "serve")]
pub(super) mod serve;
#[cfg(feature = "mcp")]
mod sql_process;
