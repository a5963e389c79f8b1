//! Operators pinned to bundles.

use super::bundle::{bundle_called, looks_like_range};
use olmdex_fbc::without_v;
use olmdex_index::Index;
use olmdex_olm::resolve::Options;
use olmdex_olm::upgrade::Olm;
use olmdex_plan::lock::{Ask, Lock, LockError, lock_all};
use olmdex_version::Version;

/// Reads `PKG[/CHANNEL][@RANGE]` as a wish for a lock; `None` if it names no package.
pub fn asked_of_lock(text: &str, olm: Olm) -> Option<Ask> {
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

/// A question about the bundles to lock.
#[derive(Default)]
pub struct LockQuestion<'q> {
    /// The catalogs; all of them, if none is named.
    pub catalogs: &'q [String],
    /// The wishes; a bundle's name in place of a package stands for its version.
    pub wishes: Vec<Ask>,
    /// Whether to list the images, instead of their digest only.
    pub lists_images: bool,
    /// Limits for the search of the bundles that OLM Classic installs with them; `None` to lock none of these.
    pub dependencies: Option<Options>,
}

/// A lock.
#[derive(Debug)]
pub struct LockAnswer {
    /// The lock.
    pub lock: Lock,
    /// The requirements that nothing meets, in words.
    pub missing: Vec<String>,
}

impl LockQuestion<'_> {
    /// The answer.
    ///
    /// # Errors
    /// If nothing can be locked for a wish, or the index cannot be read.
    pub fn answer(mut self, index: &Index) -> Result<LockAnswer, LockError> {
        for wish in self.wishes.iter_mut().filter(|it| it.channel.is_empty() && it.constraint.is_empty()) {
            if let Some(found) = bundle_called(index, &wish.package)? {
                (wish.package, wish.constraint) = (found.package, found.version);
            }
        }
        let (lock, missing) =
            lock_all(index, self.catalogs, &self.wishes, self.lists_images, self.dependencies.as_ref())?;
        Ok(LockAnswer { lock, missing })
    }
}
