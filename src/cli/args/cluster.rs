//! The state of a cluster as an argument: manifests in files, directories or on standard input.
//!
//! What it deliberately does not do: it asks no cluster.

use std::path::PathBuf;

use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cluster::{self, Cluster, ClusterError};
use crate::oci::OciError;

/// All that the manifests say together: a Subscription may stand in another file than what it installed.
pub(crate) fn read_cluster(context: &Context, paths: &[PathBuf]) -> Result<Cluster, CommandError> {
    let mut all = Cluster::default();
    for path in paths {
        all.add(if path.as_os_str() == crate::source::STDIN {
            let mut text = Vec::new();
            let read = std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut text);
            read.map_err(|error| ClusterError::Unreadable { path: path.clone(), error })?;
            cluster::read_text("<stdin>", &text)?
        } else {
            cluster::read(path, context.archives())?
        });
    }
    Ok(all)
}

/// The paths of manifests, for messages.
pub(crate) fn shown(paths: &[PathBuf]) -> String {
    paths.iter().map(|it| format!("`{}`", it.display())).collect::<Vec<_>>().join(", ")
}

impl From<ClusterError> for CommandError {
    fn from(error: ClusterError) -> Self {
        let (exit, help) = match &error {
            ClusterError::Archive { error, .. } => {
                (if error.is_limit() { Exit::Limit } else { Exit::Input }, OciError::help_of(error))
            }
            _ => (Exit::Input, "manifests are YAML or JSON, as `kubectl get … -o yaml` prints them".to_owned()),
        };
        Self::new(exit, error.to_string()).help(help)
    }
}
