//! `olmdex mirror delta`

use std::borrow::Cow;
use std::io::{BufWriter, Write as _};

use clap::Args;

use super::selections::{Places, Selections};
use crate::ask::{DeltaMetadata, DeltaStep, MirrorDelta, MirrorDeltaQuestion, MirrorState};
use crate::cli::args::formats::OutputFormat;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, write_yaml};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandResult, Exit};
use crate::diag::counted;
use crate::diag::envelope::Envelope;

/// Show which blobs to copy from one state of a mirror to another, and which can be removed
///
/// OLD and NEW are layouts (`oci:DIR`, all images of it), locks, ImageSetConfigurations, lists of references, or
/// catalogs. Rows are in a safe order: layers, configurations, manifests, indexes, tags; then the removable ones, in
/// reverse. Layers that images share count once. Blobs come from the named layouts, and from `--at`. The command copies
/// and deletes nothing. Exits with 1 if an image is without its manifest.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex mirror delta oci:my-layout oci:next-layout
  olmdex mirror delta oci:my-layout my-catalog/ -c imageset.yaml
  olmdex mirror delta operators.lock my-catalog/ -i my-catalog/ --at oci:my-layout -o json")]
pub(super) struct DeltaArgs {
    #[command(flatten)]
    selections: Selections,
    #[command(flatten)]
    places: Places,
    #[command(flatten)]
    rows: RowOptions,
}

impl Row for DeltaStep {
    const KIND: &'static str = "MirrorDelta";

    const COLUMNS: &'static [Column<Self>] = &[
        column("ACTION", |it| it.action.as_str().into()),
        column("KIND", |it| it.kind.as_str().into()),
        column("DIGEST", |it| Cow::from(&it.digest)),
        column("BYTES", |it| it.size.map(|it| it.to_string()).unwrap_or_default().into()),
        column("IMAGES", |it| it.images.join(",").into()),
        column("MESSAGE", |it| Cow::from(&it.message)),
    ];

    const BELOW: &'static [&'static [&'static str]] = &[&["IMAGES", "MESSAGE"]];

    fn name(&self) -> String {
        match (self.digest.as_str(), self.images.as_slice()) {
            ("", [only]) => only.clone(),
            (digest, _) => digest.to_owned(),
        }
    }
}

pub(super) fn run(context: &Context, args: &DeltaArgs) -> CommandResult {
    let ([old, new], exit) = args.selections.states(context, &args.places)?;
    let delta = MirrorDeltaQuestion { old: &old, new: &new }.answer();
    say(context, &old, &new, &delta.metadata);
    let is_complete =
        delta.metadata.pull.unknown_images + delta.metadata.remove.unknown_images == 0 && delta.metadata.held_back == 0;
    print(args, delta)?;
    Ok(if exit == Exit::Yes && !is_complete { Exit::No } else { exit })
}

/// Reports the totals, and how much is not known.
fn say(context: &Context, old: &MirrorState, new: &MirrorState, metadata: &DeltaMetadata) {
    for (state, name) in [(old, "OLD"), (new, "NEW")] {
        for image in &state.images {
            let Ok(blobs) = &image.blobs else { continue };
            if !blobs.absent.is_empty() {
                let manifests = counted(blobs.absent.len() as u64, "manifest");
                let message = format!("{name} holds `{}` for some platforms only", image.name);
                context.reporter.warning(&format!("{message}: it lacks {manifests} of its index"));
            }
        }
    }
    let unknown = |state: &MirrorState| state.images.iter().filter(|it| it.blobs.is_err()).count() as u64;
    if !new.unlisted.is_empty() {
        let unlisted = new.unlisted.join(", ");
        let message = format!("NEW also asks for {unlisted}, which olmdex does not list, so nothing of OLD can go");
        context.reporter.warning(&message);
    }
    let help = "name the place of the manifests with `--at`";
    match (unknown(old), unknown(new)) {
        (0, 0) => {}
        (of_old, 0) => context.reporter.warning(&format!(
            "no manifest is available for {} of OLD: the mirror may already have some of the blobs to copy; {help}",
            counted(of_old, "image")
        )),
        (_, of_new) => {
            let stay = match metadata.held_back {
                0 => String::new(),
                n => format!(", so {} of OLD that they may share stay", counted(n as u64, "blob")),
            };
            let images = counted(of_new, "image");
            let message = format!("no manifest is available for {images} of NEW");
            context.reporter.warning(&format!("{message}: their blobs are unknown{stay}; {help}"));
        }
    }
    let words = [("to copy", metadata.pull), ("can go", metadata.remove), ("stay", metadata.keep)].map(|(what, it)| {
        let images = match it.unknown_images {
            0 => String::new(),
            n => format!(" and {}", counted(n as u64, "whole image")),
        };
        format!("{what}: {}, {} bytes{images}", counted(it.blobs as u64, "blob"), it.bytes)
    });
    context.reporter.note(&words.join("; "));
}

fn print(args: &DeltaArgs, delta: MirrorDelta) -> Result<(), crate::cli::terminal::error::CommandError> {
    // The order of the steps and the totals are a part of the answer.
    let envelope = |delta: MirrorDelta| Envelope::with(DeltaStep::KIND, delta.metadata, delta.steps);
    let mut out = BufWriter::new(std::io::stdout().lock());
    match args.rows.output {
        OutputFormat::Json => envelope(delta).write(&mut out)?,
        OutputFormat::Yaml => write_yaml(&envelope(delta), &mut out)?,
        _ => {
            drop(out);
            return table::print(delta.steps, &args.rows);
        }
    }
    out.flush()?;
    Ok(())
}
