//! Dockerfiles as sources: the catalog that a build of them puts below `/configs`.

use super::error::SourceError;
use olmdex_base::diag::Listed;
use olmdex_fbc::Input;
use olmdex_rules::check::pipeline::{Build, Dockerfile};

/// The catalog that a Dockerfile makes.
pub(super) fn built(dockerfile: &Dockerfile) -> Result<Input, SourceError> {
    let build = Build::of(dockerfile);
    let refused =
        |why: String, help: &str| SourceError::Unmade { path: dockerfile.path.clone(), why, help: help.to_owned() };
    if !build.unknown.is_empty() {
        let parts: Vec<String> = build.unknown.iter().map(|(line, why)| format!("line {line}: {why}")).collect();
        let why = format!("makes a catalog that is not known from it: {}", Listed::of(&parts));
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
    Input::placed(files, &dockerfile.context)
}
