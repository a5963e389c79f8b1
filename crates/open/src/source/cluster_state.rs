//! The state of a cluster: manifests in files, directories, archives or on standard input, or the live cluster itself.

use std::io;
use std::path::PathBuf;

use super::live_cluster::{Asked, ClusterSourceError, context_of, read_live};
use super::{Opener, STDIN};
use olmdex_base::file::{MAX_WHOLE, read_stream_of};
use olmdex_rules::cluster::{self, Archives, Cluster, ClusterError};

/// The state of a cluster as its sources tell it.
#[derive(Debug, Default)]
pub struct ClusterState {
    /// The objects; the warnings include what is unknown.
    pub cluster: Cluster,
    /// The kinds of objects that a live cluster does not let this user read, in words.
    pub unknown: Vec<String>,
}

impl Opener {
    /// Everything that some sources state together: a Subscription may be in another file than the bundle that it
    /// installed. A source is a file, a directory or an archive of manifests, `-` for `stdin`, or `@` and a context of
    /// `kubectl` for a live cluster.
    ///
    /// # Errors
    /// [`ClusterSourceError`]
    pub fn cluster(
        &self,
        sources: &[PathBuf],
        asked: Asked,
        stdin: &mut dyn io::Read,
    ) -> Result<ClusterState, ClusterSourceError> {
        let mut all = ClusterState::default();
        for source in sources {
            all.cluster.add(if source.as_os_str() == STDIN {
                let text = read_stream_of(&mut *stdin, MAX_WHOLE)
                    .map_err(|error| ClusterError::Unreadable { path: source.clone(), error })?;
                cluster::read_text_within("<stdin>", &text, self.archives().limits)?
            } else if let Some(name) = source.to_str().and_then(context_of) {
                let (cluster, unknown) = read_live(name, asked)?;
                all.unknown.extend(unknown);
                cluster
            } else {
                cluster::read(source, self.archives())?
            });
        }
        Ok(all)
    }

    /// Where archives of manifests are read to, and how much of them.
    pub fn archives(&self) -> Archives<'_> {
        Archives { scratch: self.scratch(), limits: self.images.limits }
    }
}
