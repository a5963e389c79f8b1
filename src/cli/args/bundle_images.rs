//! The places where commands that render templates look for the bundles of images.

use std::path::PathBuf;

use clap::Args;

use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::diag::{Finding, closest, counted};
use crate::source::{BundlePlaces, Images, ImagesError};
use crate::template::rules;

/// The sources of the bundles of images.
#[derive(Debug, Clone, Args)]
pub(crate) struct BundleImageArgs {
    /// The bundle of an image: its directory, or an image in a layout or archive; may be repeated
    #[arg(long, value_name = "IMAGE=DIR", value_parser = parse_given)]
    bundle: Vec<(String, PathBuf)>,
    /// A tree of bundle directories, found by `images.json` or by their names, or a layout; may be repeated
    #[arg(long, value_name = "DIR")]
    bundles: Vec<PathBuf>,
    /// A catalog or index that has bundles; may be repeated
    #[arg(long, alias = "from", value_name = "SOURCE")]
    with: Vec<PathBuf>,
    /// Fetch missing images from their registries
    #[cfg(feature = "oci")]
    #[arg(long)]
    pull: bool,
}

fn parse_given(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((image, path)) if !image.is_empty() && !path.is_empty() => Ok((image.to_owned(), PathBuf::from(path))),
        _ => Err("write it as IMAGE=DIR".to_owned()),
    }
}

impl BundleImageArgs {
    /// The given images that nothing asks for, each with the one that the user may have meant.
    pub(crate) fn not_among<'s>(&'s self, asked: &'s [&'s str]) -> impl Iterator<Item = (&'s str, Option<&'s str>)> {
        let given = self.bundle.iter().map(|it| it.0.as_str()).filter(|it| !asked.contains(it));
        given.map(|it| (it, closest(it, asked.iter().copied())))
    }

    /// Opens the named places.
    pub(crate) fn open<'c>(&self, context: &'c Context) -> Result<Images<'c>, CommandError> {
        #[cfg(feature = "oci")]
        let pulls = self.pull;
        #[cfg(not(feature = "oci"))]
        let pulls = false;
        let (given, trees, catalogs) = (self.bundle.clone(), self.bundles.clone(), self.with.clone());
        let places = BundlePlaces { given, trees, catalogs, pulls };
        Ok(Images::at(&context.opener, &places, &mut std::io::stdin().lock())?)
    }
}

/// The places of bundles that a source names without their content: those of the images of a template, and those whose
/// definitions a catalog lacks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TemplateBundleArgs {
    /// A tree of bundle directories, or a layout, with the bundles of a template's images; may be repeated
    #[arg(id = "template-bundles", long = "bundles", value_name = "DIR", hide = true)]
    pub(crate) bundles: Vec<PathBuf>,
    /// A catalog or index that has the bundles of a template's images; may be repeated
    #[arg(id = "template-catalogs", long = "with", value_name = "SOURCE", hide = true)]
    pub(crate) with: Vec<PathBuf>,
}

impl TemplateBundleArgs {
    /// The places, if any is named.
    pub(crate) fn places(&self) -> Option<BundlePlaces> {
        let places =
            BundlePlaces { trees: self.bundles.clone(), catalogs: self.with.clone(), ..BundlePlaces::default() };
        (places != BundlePlaces::default()).then_some(places)
    }
}

impl From<ImagesError> for CommandError {
    fn from(error: ImagesError) -> Self {
        match error {
            ImagesError::Source(error) => error.into(),
            error @ ImagesError::NotThere(_) => Self::new(Exit::Input, error.to_string())
                .help("name a bundle directory, a directory of such directories, or an OCI layout"),
            error => Self::usage(error.to_string()),
        }
    }
}

/// Shows the findings that prevent rendering.
pub(crate) fn not_rendered(context: &Context, shown: &str, findings: &[Finding]) -> CommandError {
    context.reporter.findings(findings);
    let is_unknown = |it: &Finding| it.rule == rules::UNAVAILABLE && it.message.ends_with("not known offline");
    let exit = if !findings.is_empty() && findings.iter().all(is_unknown) { Exit::NotFound } else { Exit::Input };
    let errors = counted(findings.len() as u64, "error");
    CommandError::new(exit, format!("`{shown}` cannot be rendered: {errors}"))
}
