//! `olmdex explain-message`, which `olmdex explain` has become

use clap::Args;

use crate::ask::explain_message;
use crate::cli::args::formats::AnswerOptions;
use crate::cli::print::messages::{message, print_explained};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandResult;

/// Explain an error message of OLM, and what to run next
///
/// Exits with 1 if the message is not known. `olmdex explain` does the same.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct ExplainMessageArgs {
    /// The message; `-` reads it from standard input
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    #[command(flatten)]
    answer: AnswerOptions,
}

pub(crate) fn run(_: &Context, args: &ExplainMessageArgs) -> CommandResult {
    let text = message(&args.text)?;
    print_explained(&text, explain_message(&text), args.answer)
}
