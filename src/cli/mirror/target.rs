//! The destinations of filtered catalogs: a directory, an index, or an image.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::output::Kept;
use crate::ask::CatalogFiles;
use crate::cli::args::destination::{Destination, ImageSettings, created, pack, platform};
use crate::cli::args::overwrite::refuse_inside;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::cli::terminal::interrupt;
use crate::diag::counted;
use crate::fbc::Input;
use crate::file::NewDirectory;
use crate::index::{Builder, CatalogSpec, Mode};
use crate::legacy::package_file;

/// Writes catalogs to `target`: `docker://…` and `oci:…` are images, `….db` is an index, anything else is a directory.
/// Returns whether something there serves them.
pub(super) fn write(
    context: &Context,
    target: &str,
    base: Option<&str>,
    kept: &[Kept<'_>],
) -> Result<bool, CommandError> {
    interrupt::undo_writes(context);
    if target.starts_with("docker://") || target.starts_with("oci:") {
        return write_image(context, target, base, kept);
    }
    if base.is_some() {
        let error = CommandError::usage(format!("`--base` is for images, and `{target}` is none"));
        return Err(error.help("name `docker://HOST/NAME:TAG` or `oci:DIR:TAG`"));
    }
    let path = Path::new(target);
    if path.extension().is_some_and(|it| it == "db") {
        return write_index(context, path, kept);
    }
    for (entry, _) in kept {
        for file in &entry.input.files {
            if let Some(directory) = file.path().and_then(Path::parent) {
                refuse_inside(directory, path)?;
            }
        }
    }
    let mut directory = NewDirectory::begin(path)?;
    for (entry, part) in kept {
        let above = if kept.len() > 1 { PathBuf::from(&entry.name) } else { PathBuf::new() };
        for (package, text) in part.blobs.texts() {
            directory.write(&above.join(file_of(package)?), text)?;
        }
    }
    let n_files = directory.finish()?;
    context.reporter.note(&format!("wrote {} to {target}", counted(n_files as u64, "file")));
    Ok(false)
}

fn file_of(package: &str) -> Result<PathBuf, CommandError> {
    Ok(if package.is_empty() { PathBuf::from("catalog.json") } else { package_file(package, "json")? })
}

fn write_index(context: &Context, path: &Path, kept: &[Kept<'_>]) -> Result<bool, CommandError> {
    let mut builder = Builder::open(path)?;
    for (entry, part) in kept {
        let source = match entry.operator.catalog.as_str() {
            "" => entry.name.clone(),
            reference => reference.to_owned(),
        };
        let spec = CatalogSpec { name: entry.name.clone(), source, ..CatalogSpec::default() };
        builder.add_catalog(&spec, &Input::bytes(&entry.name, part.blobs.to_vec().into()), Mode::Strict)?;
    }
    builder.finish()?;
    context.reporter.note(&format!("wrote {}", path.display()));
    Ok(false)
}

fn write_image(context: &Context, target: &str, base: Option<&str>, kept: &[Kept<'_>]) -> Result<bool, CommandError> {
    let [(_, part)] = kept else {
        return Err(CommandError::usage(format!("`{target}` can hold one catalog, but there are {}", kept.len()))
            .help("write an index or a directory, or use one configuration per catalog"));
    };
    let created = created()?;
    let destination = Destination::parse(context, target)?;
    let settings = ImageSettings {
        name: target,
        base,
        platforms: vec![platform("linux/amd64")?],
        labels: &BTreeMap::new(),
        created: created.as_deref(),
        no_check: None,
    };
    let image = pack(context, CatalogFiles::Kept(&part.blobs), settings)?;
    destination.send(context, &image, target)?;
    context.reporter.note(&format!("wrote {target}: {}", image.root.descriptor.digest));
    Ok(image.server.is_some())
}
