//! The directory for data of this user that may be lost.

use std::path::PathBuf;

/// The directory for data that makes a second run faster: below `$XDG_CACHE_HOME`, or `~/.cache`. `None` if no absolute
/// path names either.
pub(crate) fn directory() -> Option<PathBuf> {
    let named = |variable: &str| std::env::var_os(variable).map(PathBuf::from).filter(|it| it.is_absolute());
    let caches = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|it| it.join(".cache")))?;
    Some(caches.join("olmdex"))
}
