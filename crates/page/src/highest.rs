//! The highest versions in the channels of a package.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use olmdex_index::query::BundleRow;
use olmdex_text::tally;
use olmdex_version::by_numbers;

/// Channels in the shown order: by the numbers in their names, the highest first.
pub(super) fn newest_first(channels: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = channels.iter().map(String::as_str).collect();
    names.sort_by_cached_key(|name| Reverse(by_numbers(name)));
    names
}

/// The highest version in each channel of a package in a catalog.
pub(super) struct HighestInChannels {
    /// The places of the bundles among all of the package, the lowest version first.
    places: HashMap<String, usize>,
    /// For each channel its highest bundle, as in no other channel, with its place; the highest first.
    channels: Vec<(usize, BundleRow)>,
}

impl HighestInChannels {
    /// Takes bundles that are sorted by version.
    pub(super) fn of(bundles: &[BundleRow]) -> Self {
        let places = bundles.iter().enumerate().map(|(place, bundle)| (bundle.bundle.clone(), place)).collect();
        let (mut channels, mut seen): (Vec<(usize, BundleRow)>, HashSet<&str>) = Default::default();
        for (place, bundle) in bundles.iter().enumerate().rev() {
            tally::step(1);
            for channel in newest_first(&bundle.channels) {
                if seen.insert(channel) {
                    let BundleRow { bundle, version, release, .. } = bundle;
                    let (bundle, version, release) = (bundle.clone(), version.clone(), release.clone());
                    let channels_of_it = vec![channel.to_owned()];
                    channels.push((
                        place,
                        BundleRow { bundle, version, release, channels: channels_of_it, ..BundleRow::default() },
                    ));
                }
            }
        }
        Self { places, channels }
    }

    /// The channels that hold a higher version than a bundle.
    pub(super) fn above(&self, row: &BundleRow) -> Vec<&BundleRow> {
        let own = self.places.get(&row.bundle).copied().unwrap_or_default();
        let above = self.channels.iter().inspect(|_| tally::step(1)).take_while(|(place, _)| *place > own);
        above.map(|(_, it)| it).filter(|it| it.version != row.version || it.release != row.release).collect()
    }
}
