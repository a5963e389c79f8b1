//! `olmdex cache`

use std::io::{BufWriter, Write as _};
use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};

use crate::cli::args::kept_index::kept_indexes;
use crate::cli::args::registry::blob_cache;
use crate::cli::print::table::write_aligned;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::diag::counted;
use crate::file::{BlobCache, CachedBlob};

/// Show or empty the cache of images and indexes
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex cache list
  olmdex cache prune
  olmdex cache prune --older-than 0")]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    command: CacheCommand,
}

#[derive(Debug, Subcommand)]
enum CacheCommand {
    /// Show the contents of the cache, with the time of their last use
    #[command(after_help = "Examples:
  olmdex cache list
  olmdex cache list -q
  olmdex cache list | wc -l")]
    List,
    /// Remove entries that were not used for some time
    Prune(PruneArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex cache prune
  olmdex cache prune --older-than 7
  olmdex cache prune --older-than 0")]
struct PruneArgs {
    /// Days since the last use; 0 removes everything
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    older_than: u64,
}

pub(crate) fn run(context: &Context, args: &CacheArgs) -> CommandResult {
    let Some(cache) = blob_cache() else {
        let error = CommandError::usage("no cache directory: neither $XDG_CACHE_HOME nor $HOME is set");
        return Err(error.help("set one of them to an absolute path"));
    };
    let caches: Vec<BlobCache> = [Some(cache), kept_indexes()].into_iter().flatten().collect();
    match &args.command {
        CacheCommand::List => list(context, &caches),
        CacheCommand::Prune(args) => prune(context, &caches, args),
    }
}

fn list(context: &Context, caches: &[BlobCache]) -> CommandResult {
    let mut blobs = Vec::new();
    for cache in caches {
        blobs.extend(cache.list()?);
    }
    let headers = ["BLOB", "BYTES", "DAYS SINCE LAST USE"].map(str::to_owned).to_vec();
    let row = |it: &CachedBlob| vec![it.name.replacen('-', ":", 1), it.size.to_string(), days(it).to_string()];
    let rows: Vec<Vec<String>> = blobs.iter().map(row).collect();
    let mut out = BufWriter::new(std::io::stdout().lock());
    if !rows.is_empty() {
        write_aligned(Some(headers), &rows, 2, &mut out)?;
    }
    out.flush()?;
    let total: u64 = blobs.iter().map(|it| it.size).sum();
    let files = counted(blobs.len() as u64, "file");
    let directories: Vec<String> = caches.iter().map(|it| it.directory().display().to_string()).collect();
    context.reporter.note(&format!("{files}, {} MiB in {}", total.div_ceil(1 << 20), directories.join(" and ")));
    Ok(Exit::Yes)
}

fn prune(context: &Context, caches: &[BlobCache], args: &PruneArgs) -> CommandResult {
    let (mut count, mut bytes) = (0, 0);
    for cache in caches {
        for it in cache.list()? {
            if days(&it) >= args.older_than && cache.remove(&it.name)? {
                count += 1;
                bytes += it.size;
            }
        }
    }
    context.reporter.note(&format!("removed {}, {} MiB", counted(count, "file"), bytes.div_ceil(1 << 20)));
    Ok(Exit::Yes)
}

/// Whole days since a file was used.
fn days(blob: &CachedBlob) -> u64 {
    const DAY: Duration = Duration::from_secs(86_400);
    let age = SystemTime::now().duration_since(blob.used).unwrap_or_default();
    age.as_secs() / DAY.as_secs()
}
