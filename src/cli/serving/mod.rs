//! Serving catalogs, and being taken for opm.

pub(super) mod opm;
pub(super) mod serve;
mod shown;
