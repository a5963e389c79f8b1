//! The state of a cluster as an argument: manifests in files, directories or on standard input, or the live cluster
//! itself.

use std::path::PathBuf;

pub(crate) use crate::cli::args::live_cluster::Asked;
use crate::cli::args::live_cluster::{context_of, read_live};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cluster::{self, Cluster, ClusterError};
use crate::oci::OciError;

/// Everything that the manifests state together: a Subscription may be in another file than the bundle that it
/// installed. The warnings also name what a live cluster does not let this user read.
pub(crate) fn read_cluster(context: &Context, paths: &[PathBuf]) -> Result<Cluster, CommandError> {
    Ok(read(context, paths, Asked::Operators)?.0)
}

/// As [`read_cluster`], for a command that does not print the warnings of a cluster: this function reports what is not
/// known of a live one.
pub(crate) fn read_cluster_telling(
    context: &Context,
    paths: &[PathBuf],
    asked: Asked,
) -> Result<Cluster, CommandError> {
    let (cluster, unknown) = read(context, paths, asked)?;
    unknown.iter().for_each(|it| context.reporter.warning(it));
    Ok(cluster)
}

/// The state of a cluster, and the unknown parts of a live one.
fn read(context: &Context, paths: &[PathBuf], asked: Asked) -> Result<(Cluster, Vec<String>), CommandError> {
    let (mut all, mut unknown) = (Cluster::default(), Vec::new());
    for path in paths {
        all.add(if path.as_os_str() == crate::source::STDIN {
            let mut text = Vec::new();
            let read = std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut text);
            read.map_err(|error| ClusterError::Unreadable { path: path.clone(), error })?;
            cluster::read_text("<stdin>", &text)?
        } else if let Some(name) = path.to_str().and_then(context_of) {
            let (cluster, found) = read_live(name, asked)?;
            unknown.extend(found);
            cluster
        } else {
            cluster::read(path, context.archives())?
        });
    }
    Ok((all, unknown))
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
