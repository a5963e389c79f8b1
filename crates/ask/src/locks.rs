//! Operators pinned to bundles.

use std::borrow::Borrow;

use super::bundle::{bundle_called, looks_like_range};
use super::diagnosis::words_about_installed;
use super::error::AskError;
use super::installed::{PlacedOperators, installed_operators};
use super::question::{Answer, State, Verdict};
use olmdex_fbc::without_v;
use olmdex_index::{Index, LightIndex};
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
        installed: None,
    })
}

/// The wishes for the bundles that a cluster has installed, with the channels and ranges of its objects: an update then
/// goes where OLM goes. A bundle that no catalog has makes the answer a part.
///
/// # Errors
/// [`AskError::NothingInstalledThere`], or if the index cannot be read.
pub fn wishes_of_cluster(
    state: &State<'_, impl Borrow<LightIndex>>,
    catalogs: &[String],
) -> Result<Answer<Ask>, AskError> {
    let state = &state.light();
    let Some((cluster, _)) = state.cluster else { return Err(AskError::NothingAsked) };
    let PlacedOperators { operators, faults } = PlacedOperators::find(state, cluster, catalogs)?;
    let mut answer = Answer::of(Vec::new());
    answer.warnings = words_about_installed(state, catalogs)?;
    for operator in installed_operators(cluster).into_iter().filter(|operator| operator.bundle.is_empty()) {
        let (whose, package) = (operator.whose(), &operator.package);
        answer.warnings.push(format!("{whose} has not installed `{package}`: nothing to lock"));
    }
    for (operator, (catalog, package, bundle)) in operators {
        if operator.name.is_empty() && !cluster.subscriptions.is_empty() {
            answer.warnings.push(format!("no Subscription has installed {bundle}: OLM does not update it"));
        }
        if operator.channels.len() > 1 {
            let (whose, channels) = (operator.whose(), operator.channels.join(", "));
            answer.warnings.push(format!("{whose} names several channels ({channels}): the lock names none"));
        }
        answer.items.push(Ask {
            package,
            channel: if let [only] = operator.channels.as_slice() { only.clone() } else { String::new() },
            constraint: operator.range,
            olm: operator.olm,
            installed: Some((catalog, bundle)),
        });
    }
    if !faults.is_empty() {
        answer.verdict = Verdict::Part(faults);
    }
    Ok(answer)
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
        for wish in self
            .wishes
            .iter_mut()
            .filter(|it| it.channel.is_empty() && it.constraint.is_empty() && it.installed.is_none())
        {
            if let Some(found) = bundle_called(index, &wish.package)? {
                (wish.package, wish.constraint) = (found.package, found.version);
            }
        }
        let (lock, missing) =
            lock_all(index, self.catalogs, &self.wishes, self.lists_images, self.dependencies.as_ref())?;
        Ok(LockAnswer { lock, missing })
    }
}
