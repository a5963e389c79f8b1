//! How images are read, whichever command reads them.

use clap::Args;

use crate::oci::Platform;
use crate::source::Opener;

/// How images are read.
#[derive(Debug, Clone, Args)]
pub(crate) struct ImageArgs {
    /// Which image of an index is read: OS/ARCHITECTURE. Default: Linux on this processor
    #[arg(long, global = true, help_heading = "Images", value_name = "PLATFORM")]
    platform: Option<Platform>,
    /// Read images and archives of any size
    #[arg(long, global = true, help_heading = "Images")]
    no_image_limits: bool,
}

impl ImageArgs {
    /// What opens sources.
    pub(crate) fn opener(self) -> Opener {
        let mut opener = Opener::new(&std::env::temp_dir());
        if self.no_image_limits {
            opener.images = opener.images.unlimited();
        }
        if let Some(platform) = self.platform {
            opener.images.platform = platform;
        }
        opener
    }
}
