//! `olmdex generate`, in opm's form: `olmdex image DIR` does the same

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::dockerfile;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandResult;
use crate::scaffold::{DEFAULT_IMAGE, Dockerfile};

/// Write files that go with a catalog
#[derive(Debug, Args)]
#[command(
    hide = true,
    after_help = "Examples:
  olmdex generate dockerfile my-catalog
  olmdex generate dockerfile my-catalog --base-image scratch
  olmdex generate dockerfile my-catalog -l maintainer=ada,quay.expires-after=2w"
)]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Dockerfile(DockerfileArgs),
}

/// Write a Dockerfile that puts a catalog into an image, beside its directory
///
/// `olmdex image push` makes and sends such an image without one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex generate dockerfile my-catalog
  olmdex generate dockerfile my-catalog --base-image scratch
  olmdex generate dockerfile my-catalog -b quay.io/example/opm:v1.73.0")]
struct DockerfileArgs {
    /// The directory of the catalog
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The image that the catalog is put into; `scratch` for one without a server
    #[arg(short = 'i', long, value_name = "IMAGE", default_value = DEFAULT_IMAGE)]
    base_image: String,
    /// The image whose opm fills the cache
    #[arg(short, long, value_name = "IMAGE", default_value = DEFAULT_IMAGE)]
    builder_image: String,
    /// Labels of the image; may be repeated
    #[arg(short = 'l', long, value_name = "KEY=VALUE")]
    extra_labels: Vec<String>,
    /// Both images, as older releases of opm have it
    #[arg(long, value_name = "IMAGE", hide = true, conflicts_with = "base_image")]
    binary_image: Option<String>,
}

pub(crate) fn run(context: &Context, args: &GenerateArgs) -> CommandResult {
    match &args.verb {
        Verb::Dockerfile(args) => dockerfile(context, args),
    }
}

fn dockerfile(context: &Context, args: &DockerfileArgs) -> CommandResult {
    let (base, builder) = match &args.binary_image {
        Some(image) if args.builder_image == DEFAULT_IMAGE => (image, image),
        Some(image) => (image, &args.builder_image),
        None => (&args.base_image, &args.builder_image),
    };
    let labels = dockerfile::labels(&args.extra_labels)?;
    dockerfile::write(context, &args.directory, &Dockerfile { base, builder, labels: &labels })
}
