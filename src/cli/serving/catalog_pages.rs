//! The pages of `olmdex serve`, in addition to catalogd's paths.

use crate::index::{Index, IndexError};
use crate::page::{Ask, IndexCache, Links, Reply, Site, answer};
use crate::serve::pages::{PageRequest, Pages};

/// The pages of the catalogs that are served.
#[derive(Debug)]
pub(super) struct CatalogPages(pub(super) IndexCache);

impl Pages for CatalogPages {
    fn answer(&self, index: &Index, request: &PageRequest<'_>) -> Reply {
        let &PageRequest { method, target, base, if_none_match } = request;
        let site = Site { index, cache: &self.0, links: &Links::Served, base };
        answer(site, &Ask { method, target, if_none_match })
    }

    fn prepare(&self, index: &Index) -> Result<(), IndexError> {
        self.0.prepare(index)
    }
}
