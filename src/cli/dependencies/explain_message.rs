//! `olmdex explain-message`

use std::io::Read as _;

use clap::Args;

use crate::cli::args::formats::AnswerOptions;
use crate::cli::print::answers::print_answers;
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::explain::{MessageExplanation, decode, where_to_look};
use crate::file::system_words;

/// Explain an error message of OLM, and what to run next
///
/// Exits with 1 if the message is not known.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex explain-message 'no bundles found for package \"keda\" matching version \"9.9.9\"'
  olmdex explain-message - < message.txt
  olmdex explain-message 'bundle unpacking failed. Reason: DeadlineExceeded' -o json")]
pub(crate) struct ExplainMessageArgs {
    /// The message; `-` reads it from standard input
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    #[command(flatten)]
    answer: AnswerOptions,
}

/// How much of standard input is read.
const MAX_MESSAGE: u64 = 1 << 20;

pub(crate) fn run(_: &Context, args: &ExplainMessageArgs) -> CommandResult {
    let mut text = args.text.join(" ");
    if text == crate::source::STDIN {
        text.clear();
        let read = std::io::stdin().lock().take(MAX_MESSAGE).read_to_string(&mut text);
        read.map_err(|error| {
            CommandError::new(Exit::Input, format!("cannot read standard input: {}", system_words(&error)))
        })?;
    }
    let decoded = decode(&text);
    let is_known = decoded.is_some();
    let answer = decoded.unwrap_or_else(|| MessageExplanation {
        meaning: "This message is not known.".to_owned(),
        next: where_to_look(&text),
        ..MessageExplanation::default()
    });
    print_answers(args.answer, "MessageExplanation", vec![answer], sheet)?;
    Ok(if is_known { Exit::Yes } else { Exit::No })
}

fn sheet(answer: &MessageExplanation) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("said by", &answer.system);
    sheet.line("means", &answer.meaning);
    sheet.line("about", &answer.culprits.join(", "));
    for part in &answer.parts {
        sheet.text(&part.text, &part.meaning);
    }
    sheet.text("Run next", &answer.next.join("\n"));
    sheet
}
