//! Reading of images, the same for all commands.

use crate::cli::terminal::context::Context;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::oci::{Layout, Platform};
use crate::source::Opener;

/// Options for reading images.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Images")]
pub(crate) struct ImageArgs {
    /// Platform whose image of an index is read: OS/ARCHITECTURE. Default: Linux on this processor
    #[arg(long, global = true, value_name = "PLATFORM")]
    platform: Option<Platform>,
    /// Read images, archives, objects of git and documents of any size, and keep any number of findings
    #[arg(long, global = true)]
    no_image_limits: bool,
    #[cfg(feature = "oci")]
    #[command(flatten)]
    registry: super::registry::RegistryArgs,
}

impl ImageArgs {
    /// Makes the opener of sources with these limits.
    pub(crate) fn opener(self) -> Opener {
        let mut opener = Opener::new(&std::env::temp_dir());
        if self.no_image_limits {
            opener.images = opener.images.unlimited();
            crate::json::lift_expansion_limit();
            crate::diag::lift_finding_limit();
        }
        if let Some(platform) = self.platform {
            opener.images.platform = platform;
        }
        #[cfg(feature = "oci")]
        {
            let options = self.registry.options(&opener.images);
            opener.registries = std::sync::Arc::new(crate::oci::registry::Registries::new(options));
        }
        opener
    }
}

/// The directory of a layout that a word names as a whole, regardless of the images in it.
pub(crate) fn layout_of(named: &Path) -> Option<PathBuf> {
    if let Some(directory) = named.to_str().and_then(|it| it.strip_prefix("oci:")) {
        return Some(PathBuf::from(directory));
    }
    (named.is_dir() && Layout::is_in(named)).then(|| named.to_owned())
}

/// Tells which image a catalog has for its name, and how to name another one.
pub(crate) fn note_usual(context: &Context, catalog: &str, reference: &str) {
    context.reporter.note(&format!(
        "the image of {catalog} is `{reference}`, as its name tells; name another one with `-i REFERENCE=SOURCE`"
    ));
}

/// Reports the wishes that are not listed, in words.
pub(crate) fn note_unlisted(context: &Context, unlisted: &[&str]) {
    if !unlisted.is_empty() {
        let unlisted = unlisted.join(", ");
        context.reporter.note(&format!("the configuration also asks for {unlisted}, which olmdex does not list"));
    }
}
