//! Explains an error message of OLM on standard output.

use std::io::Read as _;

use crate::ask::Explained;
use crate::cli::args::formats::AnswerOptions;
use crate::cli::print::answers::print_answers;
use crate::cli::print::rules::print_rules;
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::explain::MessageExplanation;
use crate::file::system_words;

/// How much of standard input is read.
const MAX_MESSAGE: u64 = 1 << 20;

/// The words of a message; `-` stands for standard input.
pub(crate) fn message(words: &[String]) -> Result<String, CommandError> {
    let mut text = words.join(" ");
    if text == crate::source::STDIN {
        text.clear();
        let read = std::io::stdin().lock().take(MAX_MESSAGE).read_to_string(&mut text);
        read.map_err(|error| {
            CommandError::new(Exit::Input, format!("cannot read standard input: {}", system_words(&error)))
        })?;
    }
    Ok(text)
}

/// Prints the meaning of rules or of a message. Exits with 1 if a message is not known.
pub(crate) fn print_explained(wanted: &str, explained: Explained, options: AnswerOptions) -> CommandResult {
    match explained {
        Explained::Rules(rules) => print_rules(wanted, rules, options),
        Explained::Message { explanation, is_known } => {
            print_answers(options, "MessageExplanation", vec![*explanation], sheet)?;
            Ok(if is_known { Exit::Yes } else { Exit::No })
        }
    }
}

fn sheet(answer: &MessageExplanation) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("condition", &answer.condition);
    sheet.line("said by", &answer.system);
    sheet.line("means", &answer.meaning);
    sheet.line("about", &answer.culprits.join(", "));
    for part in &answer.parts {
        sheet.text(&part.text, &part.meaning);
    }
    sheet.text("Run next", &answer.next.join("\n"));
    for other in &answer.others {
        let title = if other.condition.is_empty() { "Also" } else { other.condition.as_str() };
        sheet.text(title, &format!("{}\n{}", other.meaning, other.next.join("\n")));
    }
    sheet
}
