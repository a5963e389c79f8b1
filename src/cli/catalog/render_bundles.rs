//! `olmdex render` of bundle directories.

use std::io::Write;
use std::path::PathBuf;

use rayon::prelude::*;

use crate::bundle::{Bundle, BundleError, ImageTemplate};
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::fbc::{Format, Level};

/// Prints the blobs of bundle directories, by package and name.
pub(super) fn render(
    sources: &[PathBuf],
    template: Option<&ImageTemplate>,
    (level, format): (Level, Format),
    mut out: impl Write,
) -> CommandResult {
    let blob = |path: &PathBuf| -> Result<(String, String, Vec<u8>), CommandError> {
        let bundle = Bundle::read(path).map_err(|error| refused(path, &error))?;
        let image = template.map(|it| it.fill(&bundle)).unwrap_or_default();
        let mut text = Vec::new();
        bundle
            .write(&image, level, format, &mut text)
            .map_err(|message| CommandError::new(Exit::Input, format!("`{}`: {message}", path.display())))?;
        Ok((bundle.package, bundle.name, text))
    };
    let mut blobs = sources.par_iter().map(blob).collect::<Result<Vec<_>, _>>()?;
    blobs.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    for (_, _, text) in blobs {
        out.write_all(&text)?;
    }
    out.flush()?;
    Ok(Exit::Yes)
}

fn refused(path: &std::path::Path, error: &BundleError) -> CommandError {
    CommandError::new(Exit::Input, format!("`{}` is not a bundle: {error}", path.display())).help(error.help())
}
