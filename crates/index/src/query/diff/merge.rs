//! Two sorted maps, side by side.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Every key of two maps once, in order, with the values that it has in them.
pub(super) fn of_both<'m, K: Ord, V>(
    old: &'m BTreeMap<K, V>,
    new: &'m BTreeMap<K, V>,
) -> impl Iterator<Item = (&'m K, Option<&'m V>, Option<&'m V>)> {
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    std::iter::from_fn(move || {
        let order = match (old.peek(), new.peek()) {
            (Some((a, _)), Some((b, _))) => a.cmp(b),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        match order {
            Ordering::Less => old.next().map(|(key, value)| (key, Some(value), None)),
            Ordering::Greater => new.next().map(|(key, value)| (key, None, Some(value))),
            Ordering::Equal => {
                let (key, value) = old.next()?;
                Some((key, Some(value), new.next().map(|it| it.1)))
            }
        }
    })
}
