//! What an error message of OLM means, on standard output.

use std::io::Read as _;

use crate::cli::args::formats::AnswerOptions;
use crate::cli::print::answers::print_answers;
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::explain::{MessageExplanation, decode, where_to_look};
use crate::file::system_words;

/// How much of standard input is read.
const MAX_MESSAGE: u64 = 1 << 20;

/// Prints what a message means; `-` is the one on standard input. Exits with 1 if it is not known.
pub(crate) fn explain_message(words: &[String], options: AnswerOptions) -> CommandResult {
    let mut text = words.join(" ");
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
    print_answers(options, "MessageExplanation", vec![answer], sheet)?;
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
