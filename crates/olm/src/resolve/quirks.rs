//! The points where OLM itself may give another answer, and why (`docs/behaviour/olm-classic.md` 0.4, 2.5.7, 4.4.3).

use super::failure::Failure;
use super::resolution::{Options, Resolution, Verdict, resolve};
use super::rows::{Rows, World};

/// The number of other orders that are tried.
const MAX_ORDERS: usize = 24;

/// The points where OLM may differ from a resolution.
///
/// # Errors
/// The errors of [`resolve`].
pub fn quirks(
    world: &World,
    rows: &dyn Rows,
    options: &Options,
    resolution: &Resolution,
) -> Result<Vec<String>, Failure> {
    let mut quirks = Vec::new();
    for subscription in world.subscriptions.iter().filter(|it| it.channel.is_empty()) {
        let Some(operator) = resolution.operators.iter().find(|it| it.package == subscription.package) else {
            continue;
        };
        let mut channels: Vec<String> = Vec::new();
        for package in rows.package(&operator.package)?.into_iter().filter(|it| it.catalog == operator.catalog_at) {
            let with_it =
                package.graph.channels.iter().filter(|it| it.entries.iter().any(|it| it.name == operator.name));
            channels.extend(with_it.map(|it| it.name.clone()));
        }
        channels.retain(|it| *it != operator.channel);
        if !channels.is_empty() {
            quirks.push(format!(
                "the Subscription `{}` names no channel: OLM takes {} from a random one of {}, {}",
                subscription.name,
                operator.name,
                operator.channel,
                channels.join(", ")
            ));
        }
    }
    let ours = names(resolution);
    let mut others: Vec<Vec<String>> = Vec::new();
    for (order, installed_first) in orders(world.subscriptions.len()) {
        let mut reordered = world.clone();
        reordered.subscriptions = order.iter().map(|it| world.subscriptions[*it].clone()).collect();
        let options = Options { installed_first, explains: false, ..*options };
        if let Verdict::Resolved(other) = resolve(&reordered, rows, &options)? {
            let other = names(&other);
            if other != ours && !others.contains(&other) {
                others.push(other);
            }
        }
    }
    for other in others {
        let what = if other.is_empty() { "nothing".to_owned() } else { other.join(", ") };
        quirks.push(format!(
            "Subscriptions compete, and OLM looks at them in random order: it may also install {what}, and the rest later"
        ));
    }
    for other in &resolution.otherwise {
        let is_ours = |name: &str, channel: &str, catalog: usize| {
            let mut ours = resolution.operators.iter();
            ours.any(|it| (it.name.as_str(), it.channel.as_str(), it.catalog_at) == (name, channel, catalog))
        };
        let shown = other.iter().map(|(name, channel, catalog)| match is_ours(name, channel, *catalog) {
            true => name.clone(),
            false => format!("{name} (channel {channel} of {})", world.catalogs[*catalog].name),
        });
        let shown: Vec<String> = shown.collect();
        let what = if shown.is_empty() { "nothing".to_owned() } else { shown.join(", ") };
        quirks.push(format!(
            "a preferred choice is impossible, and OLM's search goes on where it was after taking it back: OLM may \
            install {what} instead, by the random order of Subscriptions"
        ));
    }
    if resolution.otherwise.is_empty()
        && resolution.is_searched
        && world.subscriptions.len() + world.installed.len() > 1
    {
        quirks.push(
            "OLM finds out that a preferred choice is impossible only when it tries it: OLM's search may then give an \
            unrelated Subscription less than its best, or nothing, until it resolves again"
                .to_owned(),
        );
    }
    Ok(quirks)
}

fn names(resolution: &Resolution) -> Vec<String> {
    let mut names: Vec<String> = resolution.operators.iter().map(|it| it.name.clone()).collect();
    names.sort();
    names
}

/// Other orders of `n` Subscriptions: all orders of a few, and of many those with each one first; each order also with
/// the installed operators first.
fn orders(n: usize) -> Vec<(Vec<usize>, bool)> {
    let plain: Vec<usize> = (0..n).collect();
    let mut orders: Vec<Vec<usize>> = Vec::new();
    if n <= 4 {
        // All of them, each by putting the next one into every place.
        orders.push(Vec::new());
        for next in 0..n {
            let with = |it: &Vec<usize>, at: usize| {
                let mut it = it.clone();
                it.insert(at, next);
                it
            };
            orders = orders.iter().flat_map(|it| (0..=it.len()).map(|at| with(it, at)).collect::<Vec<_>>()).collect();
        }
    } else {
        for first in 0..n.min(MAX_ORDERS) {
            let rest = plain.iter().copied().filter(|it| *it != first);
            orders.push(std::iter::once(first).chain(rest).collect());
        }
    }
    let with_both = |it: Vec<usize>| [(it.clone(), false), (it, true)];
    orders.into_iter().flat_map(with_both).filter(|it| *it != (plain.clone(), false)).take(2 * MAX_ORDERS).collect()
}
