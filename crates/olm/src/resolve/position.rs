//! Whether a Subscription that gets nothing new is at the head of its channel, or stranded.

use schemars::JsonSchema;
use serde::Serialize;

use super::failure::Failure;
use super::resolution::Resolution;
use super::rows::{PackageRows, Rows, World};
use super::steps::is_about;
use crate::upgrade::classic::{Channel, Installed, leads_to};
use crate::upgrade::nothing_leads_on;
use olmdex_rules::cluster::Subscription;
use olmdex_version::Version;

/// A Subscription that gets nothing new.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Standing {
    /// The Subscription.
    pub subscription: String,
    /// The installed bundle.
    pub installed: String,
    /// `head` of its channel, `held` if an upgrade exists but cannot be installed, or `stranded`.
    #[schemars(with = "String")]
    pub position: Position,
    /// Why, in words.
    pub reason: String,
}

/// The position of an installed bundle in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Position {
    /// It is the head: there is nothing newer.
    Head,
    /// An upgrade from it exists and cannot be installed.
    Held,
    /// It is not the head, and nothing leads on from it: no update will ever come from this channel as it is.
    Stranded,
}

/// The positions of the Subscriptions that have something installed and get nothing new, in their order.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn standings(world: &World, rows: &dyn Rows, resolution: &Resolution) -> Result<Vec<Standing>, Failure> {
    let mut found = Vec::new();
    for subscription in &world.subscriptions {
        if resolution.operators.iter().all(|it| !is_about(subscription, it)) {
            found.extend(standing(world, rows, subscription)?);
        }
    }
    Ok(found)
}

/// The position of a Subscription; `None` if nothing is installed, or its catalog has no such channel or no order in
/// it.
fn standing(world: &World, rows: &dyn Rows, subscription: &Subscription) -> Result<Option<Standing>, Failure> {
    let Subscription { name, package, channel, source, source_namespace, installed, .. } = subscription;
    let csv = world.installed.iter().find(|it| !it.is_copied && it.name == *installed);
    let Some(csv) = csv.filter(|_| !installed.is_empty()) else { return Ok(None) };
    let is_source = |it: &PackageRows| {
        world.catalogs.get(it.catalog).is_some_and(|it| it.name == *source && it.namespace == *source_namespace)
    };
    let Some(rows) = rows.package(package)?.into_iter().find(is_source) else { return Ok(None) };
    let followed = rows.graph.channels.iter().filter(|it| channel.is_empty() || it.name == *channel);
    let channels: Vec<Channel> = followed.map(|it| Channel::new(package, it, |_| None)).collect();
    let from = Installed { name: installed.clone(), version: Version::parse_tolerant(&csv.version).ok() };
    let place = if channel.is_empty() { format!("any channel of {package}") } else { format!("{package}/{channel}") };
    let mut heads: Vec<&str> = Vec::new();
    let mut onward: Option<&str> = None;
    let mut n_orders = 0;
    for channel in &channels {
        let Ok(order) = channel.order() else { continue };
        n_orders += 1;
        if order.live.first().is_some_and(|it| it.fields.name == *installed) {
            heads.push(&channel.name);
        }
        let next = order.live.iter().find(|it| it.fields.name != *installed && leads_to(channel, it, &from));
        onward = onward.or(next.map(|it| it.fields.name.as_str()));
    }
    if n_orders == 0 {
        return Ok(None);
    }
    let (position, reason) = match (onward, heads.as_slice()) {
        (Some(next), _) => (Position::Held, format!("{next} would follow {installed}, but cannot be installed")),
        (None, []) => {
            let channels: Vec<&Channel> = channels.iter().collect();
            (Position::Stranded, nothing_leads_on(&channels, &from, &place))
        }
        (None, heads) => (Position::Head, format!("{installed} is the head of {package}/{}", heads.join(", "))),
    };
    Ok(Some(Standing { subscription: name.clone(), installed: installed.clone(), position, reason }))
}
