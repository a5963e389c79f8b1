//! `--image-template`: the references for bundles without one.

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
