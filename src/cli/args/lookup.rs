//! Looking images up, in a layout or where their references say.
//!
//! A run that is interrupted is taken up by the next one: what it had found is kept until a run gets to the end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::cli::args::cache;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::cli::terminal::progress::Progress;
use crate::diag::counted;
use crate::file::Cache;
use crate::oci::{Presence, Status, Wanted};

/// Looks an image up by its reference.
type Look<'c> = Box<dyn Fn(&str) -> Presence + Sync + 'c>;

/// How many images are looked up at once.
const AT_ONCE: usize = 8;

/// How often what was found is kept.
const EVERY: Duration = Duration::from_secs(1);

/// For how long a run that was interrupted is taken up.
const A_DAY: u64 = 24 * 60 * 60;

/// Looks images up, in the order of their references. `place` is a layout, or empty for registries.
pub(crate) fn look_up(context: &Context, place: &str, images: &[&str]) -> Result<Vec<Presence>, CommandError> {
    let options = &context.opener.images;
    let (look, kept): (Look<'_>, _) = if place.is_empty() {
        (in_registries(context)?, Kept::of(images))
    } else {
        let (store, _) = context.opener.store(place)?;
        let look = Box::new(move |image: &str| {
            let digest = image.split_once('@').and_then(|it| it.1.parse().ok());
            let tag = if digest.is_none() { Some(image.to_owned()) } else { None };
            Presence::of(&*store, &Wanted { tag, digest }, image, options)
        });
        (look, Kept::default())
    };
    let before = kept.before();
    if !before.is_empty() {
        let n = counted(before.len() as u64, "image");
        context
            .reporter
            .note(&format!("{n} were found before the last run was interrupted, and are not looked up again"));
    }
    let done = Arc::new(AtomicUsize::new(0));
    let _progress = Progress::counting(context, "looking up images".to_owned(), Arc::clone(&done), images.len());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(AT_ONCE).build().map_err(std::io::Error::other)?;
    let one = |image: &&str| {
        let presence = match before.get(*image) {
            Some(known) => known.clone(),
            None => look(image),
        };
        done.fetch_add(1, Ordering::Relaxed);
        kept.add(&presence);
        presence
    };
    let found = pool.install(|| images.par_iter().map(one).collect());
    kept.forget();
    Ok(found)
}

/// Looks images up where their references say.
#[cfg(feature = "oci")]
fn in_registries(context: &Context) -> Result<Look<'_>, CommandError> {
    let (options, registries) = (&context.opener.images, &context.opener.registries);
    Ok(Box::new(move |image| {
        let found = registries.image(image).and_then(|it| it.confirm().map(|()| it));
        match found {
            Ok(registry) => Presence::of(&registry, &Wanted::default(), image, options),
            Err(error) => Presence::failed(image, &error),
        }
    }))
}

/// Looks images up where their references say, which this program is built without.
#[cfg(not(feature = "oci"))]
fn in_registries(_: &Context) -> Result<Look<'_>, CommandError> {
    let error = CommandError::usage("this olmdex is built without registries");
    Err(error.help("name a layout: `--verify=oci:DIR`"))
}

/// What is kept of a run.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Run {
    /// Seconds since 1970 when it began.
    started: u64,
    found: Vec<Presence>,
}

/// What a run has found so far, in the user's cache directory.
#[derive(Default)]
struct Kept {
    /// The cache, and the key of these images there.
    place: Option<(Cache, Vec<u8>)>,
    run: Mutex<(Run, Option<Instant>)>,
}

impl Kept {
    /// What is kept of a run for the same images.
    fn of(images: &[&str]) -> Self {
        let key = format!("images\n{}", images.join("\n")).into_bytes();
        let place = cache::directory().map(|it| (Cache::at(&it), key));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
        let text = place.as_ref().and_then(|(cache, key)| cache.read(key));
        let run = text.and_then(|it| serde_json::from_slice::<Run>(&it).ok());
        let run = run.filter(|it| now.checked_sub(it.started).is_some_and(|it| it < A_DAY));
        let run = run.unwrap_or(Run { started: now, found: Vec::new() });
        Self { place, run: Mutex::new((run, None)) }
    }

    /// What was found before this run.
    fn before(&self) -> HashMap<String, Presence> {
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        run.0.found.iter().map(|it| (it.image.clone(), it.clone())).collect()
    }

    /// Adds what was found. What was not may be there the next time.
    fn add(&self, presence: &Presence) {
        let Some((cache, key)) = &self.place else { return };
        if presence.status != Status::Found {
            return;
        }
        let mut run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        if run.0.found.iter().all(|it| it.image != presence.image) {
            run.0.found.push(presence.clone());
        }
        if run.1.is_none_or(|it| it.elapsed() >= EVERY) {
            run.1 = Some(Instant::now());
            // That it cannot be kept costs the next run time, and nothing else.
            let _ = serde_json::to_vec(&run.0).map(|it| cache.write(key, &it));
        }
    }

    /// The next run asks for everything again.
    fn forget(&self) {
        let was_kept = |(cache, key): &(Cache, Vec<u8>)| cache.read(key).is_some_and(|it| !it.is_empty());
        if let Some((cache, key)) = self.place.as_ref().filter(|it| was_kept(it)) {
            let _ = cache.write(key, b"");
        }
    }
}
