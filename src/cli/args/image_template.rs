//! `--image-template`: the references that bundles without one get.
//!
//! What it deliberately does not do: it fills in nothing.

use crate::bundle::ImageTemplate;
use crate::cli::terminal::error::CommandError;

/// The template of the images' references, if there is one.
pub(crate) fn template(text: Option<&str>) -> Result<Option<ImageTemplate>, CommandError> {
    text.map(parsed).transpose()
}

/// A template of images' references.
pub(crate) fn parsed(text: &str) -> Result<ImageTemplate, CommandError> {
    ImageTemplate::parse(text).map_err(|error| {
        let error = CommandError::usage(format!("invalid image reference template: {error}"));
        error.help("for example `quay.io/org/{{.Package}}:v{{.Version}}`")
    })
}
