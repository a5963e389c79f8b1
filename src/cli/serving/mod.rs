//! Serving catalogs, and being taken for opm.

mod allocator;
pub(super) mod opm;
pub(super) mod serve;
