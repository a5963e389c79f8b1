//! The state of a cluster as an argument: manifests in files, directories or on standard input, or the live cluster
//! itself.

use std::path::PathBuf;

use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cluster::{Cluster, ClusterError};
pub(crate) use crate::source::Asked;
use crate::source::{ClusterSourceError, ClusterState};

/// Everything that the manifests state together. The warnings also name what a live cluster does not let this user
/// read.
pub(crate) fn read_cluster(context: &Context, paths: &[PathBuf]) -> Result<Cluster, CommandError> {
    Ok(read(context, paths, Asked::Operators)?.cluster)
}

/// As [`read_cluster`], for a command that does not print the warnings of a cluster: this function reports what is not
/// known of a live one.
pub(crate) fn read_cluster_telling(
    context: &Context,
    paths: &[PathBuf],
    asked: Asked,
) -> Result<Cluster, CommandError> {
    let ClusterState { cluster, unknown } = read(context, paths, asked)?;
    unknown.iter().for_each(|text| context.reporter.warning(text));
    Ok(cluster)
}

/// The same, with words for the cluster in messages; `None` without paths.
pub(crate) fn named_cluster(
    context: &Context,
    paths: &[PathBuf],
    asked: Asked,
) -> Result<Option<(Cluster, String)>, CommandError> {
    match paths {
        [] => Ok(None),
        paths => Ok(Some((read_cluster_telling(context, paths, asked)?, shown(paths)))),
    }
}

fn read(context: &Context, paths: &[PathBuf], asked: Asked) -> Result<ClusterState, CommandError> {
    Ok(context.opener.cluster(paths, asked, &mut std::io::stdin().lock())?)
}

/// The paths of manifests, for messages.
pub(crate) fn shown(paths: &[PathBuf]) -> String {
    paths.iter().map(|it| format!("`{}`", it.display())).collect::<Vec<_>>().join(", ")
}

impl From<ClusterSourceError> for CommandError {
    fn from(error: ClusterSourceError) -> Self {
        let exit = match &error {
            error if error.is_limit() => Exit::Limit,
            ClusterSourceError::NotAContext { .. } => Exit::Usage,
            ClusterSourceError::Forbidden { .. } => Exit::No,
            _ => Exit::Input,
        };
        let made = Self::new(exit, error.to_string());
        match error.help() {
            Some(help) => made.help(help),
            None => made,
        }
    }
}

impl From<ClusterError> for CommandError {
    fn from(error: ClusterError) -> Self {
        ClusterSourceError::from(error).into()
    }
}
