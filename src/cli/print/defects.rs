//! Reports on standard error the problems that keep documents from being rendered.

use crate::check;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::diag::Place;
use crate::fbc::{Input, Origin, RenderDefect};

/// The help for a ClusterServiceVersion that cannot be made a property.
pub(crate) const UNMIGRATABLE: &str = "fix the ClusterServiceVersion, or leave out `--migrate-level`";

/// Reports each document that cannot be rendered, with its place.
pub(crate) fn report(context: &Context, input: &Input, defects: &[(Origin, RenderDefect)]) {
    for (origin, defect) in defects {
        match defect {
            RenderDefect::Broken(failure) => {
                for finding in check::failure_findings(input, *origin, failure) {
                    context.reporter.finding(&finding);
                }
            }
            RenderDefect::Unmigratable(error) => {
                let message = format!("{}: {error}", place(input, *origin));
                context.reporter.error(&CommandError::new(Exit::Input, message).help(UNMIGRATABLE));
            }
            RenderDefect::Expands(error) => {
                let message = format!("{}: {error}", place(input, *origin));
                context.reporter.error(&CommandError::new(Exit::Limit, message));
            }
            RenderDefect::Unwritable(error) => {
                let message = format!("{}: {error}", place(input, *origin));
                let error = CommandError::new(Exit::Input, message);
                context.reporter.error(&error.help("use `-o json`, which can represent every character"));
            }
        }
    }
}

/// The place at which a document starts.
fn place(input: &Input, origin: Origin) -> Place {
    let file = input.files.get(origin.file as usize);
    match file.and_then(|it| it.made_of()) {
        Some(made_of) => made_of.start().clone(),
        None => Place::at(file.map_or("", |it| &it.shown), origin.line, origin.column),
    }
}
