//! Dockerfiles as sources: the catalog that a build of them puts below `/configs`.

use super::error::SourceError;
use olmdex_base::diag::Listed;
use olmdex_fbc::Input;
use olmdex_rules::check::pipeline::{Build, Dockerfile, is_hidden_source};

/// The catalog that a Dockerfile makes.
pub(super) fn built(dockerfile: &Dockerfile) -> Result<Input, SourceError> {
    let build = Build::of(dockerfile);
    let refused =
        |why: String, help: &str| SourceError::Unmade { path: dockerfile.path.clone(), why, help: help.to_owned() };
    if !build.is_known() {
        let why = format!("makes a catalog that only a build knows: {}", Listed::of(build.unknown_parts()));
        return Err(refused(why, "build the image, and name that; or name the catalog's directory"));
    }
    if build.files.is_empty() {
        return Err(refused("copies no file to `/configs`".to_owned(), "name the catalog's directory"));
    }
    Ok(input_of(&build, dockerfile))
}

/// The files of a build as a catalog.
pub fn input_of(build: &Build, dockerfile: &Dockerfile) -> Input {
    let files = build.files.iter().map(|(relative, file)| (relative.as_str(), file.path.as_path()));
    let root = dockerfile.root.clone().or_else(|| dockerfile.context.canonicalize().ok());
    Input::placed(files, |path| {
        let real = path.canonicalize().ok();
        let below = real.as_deref().zip(root.as_deref()).and_then(|(real, root)| real.strip_prefix(root).ok());
        below.is_none_or(is_hidden_source)
    })
}
