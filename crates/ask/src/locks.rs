//! Reads a name as a wish for a lock.

use super::bundle::looks_like_range;
use olmdex_fbc::without_v;
use olmdex_olm::upgrade::Generation;
use olmdex_plan::lock::Ask;
use olmdex_version::Version;

/// Reads `PKG[/CHANNEL][@RANGE]` as a wish for a lock; `None` if it names no package.
#[must_use]
pub fn asked_of_lock(text: &str, olm: Generation) -> Option<Ask> {
    let (of, constraint) = match text.rsplit_once('@').filter(|it| !it.0.is_empty()) {
        // A channel may have an `@` in its name.
        Some((of, range)) if !of.contains('/') || looks_like_range(range) || Version::parse_tolerant(range).is_ok() => {
            (of, range)
        }
        _ => (text, ""),
    };
    let (package, channel) = of.split_once('/').unwrap_or((of, ""));
    (!package.is_empty()).then(|| Ask {
        package: package.to_owned(),
        channel: channel.to_owned(),
        constraint: without_v(constraint.trim()).to_owned(),
        olm,
    })
}
