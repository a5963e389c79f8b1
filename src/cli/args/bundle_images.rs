//! Where the bundles of images are looked for, for commands that render templates.
//!
//! What it deliberately does not do: it renders nothing.

use std::path::PathBuf;

use clap::Args;

use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::diag::{Finding, closest, counted};
use crate::source::{Images, ImagesError};
use crate::template::rules;

/// Where the bundles of images come from.
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
    /// Fetch from their registries what is not found otherwise
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
    /// Nothing was named.
    pub(crate) fn none() -> Self {
        Self {
            bundle: Vec::new(),
            bundles: Vec::new(),
            with: Vec::new(),
            #[cfg(feature = "oci")]
            pull: false,
        }
    }

    /// The images that were given a directory and that nothing asks for, each with the one that may be meant.
    pub(crate) fn not_among<'s>(&'s self, asked: &'s [&'s str]) -> impl Iterator<Item = (&'s str, Option<&'s str>)> {
        let given = self.bundle.iter().map(|it| it.0.as_str()).filter(|it| !asked.contains(it));
        given.map(|it| (it, closest(it, asked.iter().copied())))
    }

    /// Opens what was named.
    pub(crate) fn open<'c>(&self, context: &'c Context) -> Result<Images<'c>, CommandError> {
        #[cfg(feature = "oci")]
        let pulls = self.pull;
        #[cfg(not(feature = "oci"))]
        let pulls = false;
        let mut images = Images::new(&context.opener, pulls);
        for (image, path) in &self.bundle {
            images.give(image, path)?;
        }
        for path in &self.bundles {
            images.add_directory(path)?;
        }
        for path in &self.with {
            images.add_catalog(path, &mut std::io::stdin().lock())?;
        }
        Ok(images)
    }
}

impl From<ImagesError> for CommandError {
    fn from(error: ImagesError) -> Self {
        match error {
            ImagesError::Source(error) => error.into(),
            error @ ImagesError::NotThere(_) => {
                Self::new(Exit::Input, error.to_string()).help("name a bundle directory, a tree of them, or a layout")
            }
            error => Self::usage(error.to_string()),
        }
    }
}

/// Shows what stands in the way of rendering.
pub(crate) fn not_rendered(context: &Context, shown: &str, findings: &[Finding]) -> CommandError {
    context.reporter.findings(findings);
    let is_unknown = |it: &Finding| it.rule == rules::UNAVAILABLE && it.message.ends_with("not known offline");
    let exit = if !findings.is_empty() && findings.iter().all(is_unknown) { Exit::NotFound } else { Exit::Input };
    let errors = counted(findings.len() as u64, "error");
    CommandError::new(exit, format!("`{shown}` cannot be rendered: {errors}"))
}
