//! How images are read, whichever command reads them.

use clap::Args;

use crate::oci::Platform;
use crate::source::Opener;

/// How images are read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Images")]
pub(crate) struct ImageArgs {
    /// Which image of an index is read: OS/ARCHITECTURE. Default: Linux on this processor
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
    /// What opens sources.
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
            let options = self.registry.options(opener.scratch());
            opener.registries = std::sync::Arc::new(crate::oci::registry::Registries::new(options));
        }
        opener
    }
}
