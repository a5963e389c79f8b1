//! `olmdex legacy add`

use std::path::PathBuf;

use clap::Args;

use super::change::{Catalog, FileArgs, change};
use crate::cli::args::image_template::template;
use crate::cli::args::update_mode::UpdateMode;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandResult;
use crate::legacy::{AddOptions, NewBundle};

/// Add bundles: directories with `manifests/` and `metadata/`, or images
///
/// All bundles are added, or none. FILE may be empty, or with `--in-place` absent: then it becomes a new catalog.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex legacy add legacy.db my-bundle/ -O larger.db
  olmdex legacy add legacy.db my-bundle/ --image-template 'quay.io/org/{{.Name}}' --in-place
  olmdex legacy add legacy.db my-bundle/ --mode semver --dry-run")]
pub(super) struct AddArgs {
    #[command(flatten)]
    file: FileArgs,
    /// Bundle directories, or images: `oci:DIR[:TAG]`, `oci-archive:FILE`, `docker-archive:FILE`, `docker://IMAGE`
    #[arg(value_name = "DIR|IMAGE")]
    bundles: Vec<PathBuf>,
    /// References of the images of bundles to pull and add; may be repeated
    #[arg(short, long = "bundle-images", value_name = "IMAGE", value_delimiter = ',')]
    bundle_images: Vec<String>,
    /// Source of upgrade edges
    #[arg(long, value_enum, default_value = "replaces", ignore_case = true)]
    mode: UpdateMode,
    /// Overwrite a bundle of the same name, if it is the head of its channels
    #[arg(long)]
    overwrite_latest: bool,
    /// The reference of the image of each bundle, with `{{.Package}}`, `{{.Name}}` and `{{.Version}}`
    #[arg(long, value_name = "TEMPLATE")]
    image_template: Option<String>,
}

pub(super) fn run(context: &Context, args: &AddArgs) -> CommandResult {
    let opener = context.opener.with_bundle_image(template(args.image_template.as_deref())?);
    let pulled = args.bundle_images.iter().filter(|it| !it.is_empty());
    let pulled = pulled.map(|it| PathBuf::from(format!("docker://{it}")));
    let mut bundles = Vec::new();
    // Everything is read before anything is written.
    for path in args.bundles.iter().cloned().chain(pulled) {
        let (bundle, image) = opener.open_bundle(&path)?;
        bundles.push(NewBundle { bundle, image });
    }
    let options = AddOptions {
        mode: args.mode.into(),
        overwrite_latest: args.overwrite_latest,
        is_permissive: args.file.permissive,
    };
    let instead = "`olmdex migrate SOURCE DIR` writes the catalog as files, and `olmdex edit add BUNDLE --channel \
        CHANNEL -i DIR` adds a bundle to them";
    let catalog = Catalog { instead, may_be_new: true };
    change(context, &args.file, catalog, |edit| edit.add(&bundles, options))
}
