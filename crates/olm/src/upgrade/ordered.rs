//! A package with the order of each of its channels, computed once.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::classic::{Channel, Order, OrderError, Package, Walker};
use olmdex_text::tally;

/// A package with the order of each of its channels.
pub(super) struct Ordered<'p> {
    pub(super) package: &'p Package,
    pub(super) orders: Vec<Result<Order<'p>, OrderError>>,
    /// The places of the channels of each name, in their order.
    by_name: HashMap<&'p str, Vec<usize>>,
    default: OnceCell<Option<Walker<'p>>>,
}

impl<'p> Ordered<'p> {
    pub(super) fn new(package: &'p Package) -> Self {
        let orders = package.channels.iter().map(Channel::order).collect();
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::with_capacity(package.channels.len());
        for (at, channel) in package.channels.iter().enumerate() {
            tally::step(1);
            by_name.entry(&channel.name).or_default().push(at);
        }
        Self { package, orders, by_name, default: OnceCell::new() }
    }

    /// The channels of a name with their orders.
    pub(super) fn channels<'o>(
        &'o self,
        name: &str,
    ) -> impl Iterator<Item = (&'p Channel, &'o Result<Order<'p>, OrderError>)> + use<'o, 'p> {
        let places = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        places.iter().inspect(|_| tally::step(1)).map(|&it| (&self.package.channels[it], &self.orders[it]))
    }

    /// The walker of the channels of a name; `None` if one of them has no order.
    pub(super) fn walker(&self, name: &str) -> Option<Walker<'p>> {
        let mut ranks = Vec::new();
        for (channel, order) in self.channels(name) {
            ranks.extend(order.as_ref().ok()?.live.iter().map(|&entry| (channel, entry)));
        }
        Some(Walker::new(ranks))
    }

    /// The walker of the default channel; `None` if it has no order.
    pub(super) fn default_walker(&self) -> Option<&Walker<'p>> {
        self.default.get_or_init(|| self.walker(&self.package.default_channel)).as_ref()
    }

    /// Whether a name is the head of a channel.
    pub(super) fn is_head(&self, channel: &str, name: &str) -> bool {
        let mut heads = self.channels(channel).filter_map(|it| it.1.as_ref().ok()?.live.first().copied());
        heads.any(|it| it.fields.name == name)
    }
}
