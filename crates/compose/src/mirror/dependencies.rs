//! Adds to a configuration the packages that its operators need and that it lacks.

use super::configuration::{Channel, Operator, Package, Range};
use olmdex_index::query::ChannelPlace;

/// Adds a package to the request for its catalog, by the place of the needed bundle. Returns whether that changes
/// anything.
pub fn ask_for(operator: &mut Operator, package: &str, place: &ChannelPlace) -> bool {
    // Everything is taken already, or the head of each channel.
    if operator.packages.is_empty() && (operator.full || place.is_head) {
        return false;
    }
    if operator.packages.is_empty() {
        return false;
    }
    let range =
        if place.is_head || operator.full { Range::default() } else { Range::new(&place.version, &place.version) };
    let channel = Channel { name: place.channel.clone(), range, ..Channel::default() };
    match operator.packages.iter_mut().find(|it| it.name == package) {
        None => {
            let default_channel = if place.is_default { String::new() } else { place.channel.clone() };
            operator.packages.push(Package {
                name: package.to_owned(),
                default_channel,
                range: Range::default(),
                channels: vec![channel],
                ..Package::default()
            });
            true
        }
        Some(package) if package.channels.is_empty() || package.channels.iter().any(|it| it.name == place.channel) => {
            false
        }
        Some(package) => {
            let range = if package.range.is_empty() { channel.range } else { Range::default() };
            package.channels.push(Channel { range, ..channel });
            true
        }
    }
}
