//! Looks images up, in a layout or in the registries of their references.
//!
//! An interrupted run is continued by the next one: its results are kept until a run is complete.

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
use crate::oci::{BlobSizes, ImageSelector, Presence, Status};

/// Looks an image up by its reference.
type Lookup<'c> = Box<dyn Fn(&str) -> ImageRecord + Sync + 'c>;

/// A found image, and the blobs that its bytes consist of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ImageRecord {
    pub(crate) presence: Presence,
    pub(crate) blobs: BlobSizes,
}

impl From<(Presence, BlobSizes)> for ImageRecord {
    fn from((presence, blobs): (Presence, BlobSizes)) -> Self {
        Self { presence, blobs }
    }
}

/// How many images are looked up at once.
const AT_ONCE: usize = 8;

/// How often results are kept.
const EVERY: Duration = Duration::from_secs(1);

/// How long an interrupted run can be continued.
const A_DAY: u64 = 24 * 60 * 60;

/// Looks images up, in the order of their references. `place` is a layout, or empty for registries.
pub(crate) fn look_up(context: &Context, place: &str, images: &[&str]) -> Result<Vec<ImageRecord>, CommandError> {
    let options = &context.opener.images;
    let (look, kept): (Lookup<'_>, _) = if place.is_empty() {
        (in_registries(context)?, LookupCache::of(images))
    } else {
        let (store, _) = context.opener.store(place)?;
        let look = Box::new(move |image: &str| {
            let digest = image.split_once('@').and_then(|it| it.1.parse().ok());
            let tag = if digest.is_none() { Some(image.to_owned()) } else { None };
            Presence::of(&*store, &ImageSelector { tag, digest }, image, options).into()
        });
        (look, LookupCache::default())
    };
    let before = kept.before();
    if !before.is_empty() {
        let n = counted(before.len() as u64, "image");
        context
            .reporter
            .note(&format!("the last run found {n} before it was interrupted; olmdex does not look them up again"));
    }
    let done = Arc::new(AtomicUsize::new(0));
    let _progress = Progress::counting(context, "looking up images".to_owned(), Arc::clone(&done), images.len());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(AT_ONCE).build().map_err(std::io::Error::other)?;
    let one = |image: &&str| {
        let seen = match before.get(*image) {
            Some(known) => known.clone(),
            None => look(image),
        };
        done.fetch_add(1, Ordering::Relaxed);
        kept.add(&seen);
        seen
    };
    let found = pool.install(|| images.par_iter().map(one).collect());
    kept.forget();
    Ok(found)
}

/// Looks images up in the registries of their references.
#[cfg(feature = "oci")]
fn in_registries(context: &Context) -> Result<Lookup<'_>, CommandError> {
    let (options, registries) = (&context.opener.images, &context.opener.registries);
    Ok(Box::new(move |image| {
        let found = registries.image(image).and_then(|it| it.confirm().map(|()| it));
        match found {
            Ok(registry) => Presence::of(&registry, &ImageSelector::default(), image, options).into(),
            Err(error) => ImageRecord { presence: Presence::failed(image, &error), blobs: BlobSizes::new() },
        }
    }))
}

/// Looks images up in the registries of their references, which this build does not support.
#[cfg(not(feature = "oci"))]
fn in_registries(_: &Context) -> Result<Lookup<'_>, CommandError> {
    let error = CommandError::usage("this build of olmdex has no support for registries");
    Err(error.help("name an OCI layout: `--verify=oci:DIR`"))
}

/// The part of a run that is kept.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Run {
    /// Seconds since 1970 when it began.
    started: u64,
    found: Vec<ImageRecord>,
}

/// The images that a run has found so far, kept in the user's cache directory.
#[derive(Default)]
struct LookupCache {
    /// The cache, and the key of these images there.
    place: Option<(Cache, Vec<u8>)>,
    run: Mutex<(Run, Option<Instant>)>,
}

impl LookupCache {
    /// Reads what an earlier run for the same images kept.
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

    /// The images that were found before this run.
    fn before(&self) -> HashMap<String, ImageRecord> {
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        run.0.found.iter().map(|it| (it.presence.image.clone(), it.clone())).collect()
    }

    /// Adds a found image. A missing one may exist by the next run, so it is not kept.
    fn add(&self, seen: &ImageRecord) {
        let Some((cache, key)) = &self.place else { return };
        if seen.presence.status != Status::Found {
            return;
        }
        let mut run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        if run.0.found.iter().all(|it| it.presence.image != seen.presence.image) {
            run.0.found.push(seen.clone());
        }
        if run.1.is_none_or(|it| it.elapsed() >= EVERY) {
            run.1 = Some(Instant::now());
            // If it cannot be kept, only the next run takes longer.
            let _ = serde_json::to_vec(&run.0).map(|it| cache.write(key, &it));
        }
    }

    /// Forgets the kept answer, so that the next run asks for everything again.
    fn forget(&self) {
        let was_kept = |(cache, key): &(Cache, Vec<u8>)| cache.read(key).is_some_and(|it| !it.is_empty());
        if let Some((cache, key)) = self.place.as_ref().filter(|it| was_kept(it)) {
            let _ = cache.write(key, b"");
        }
    }
}
