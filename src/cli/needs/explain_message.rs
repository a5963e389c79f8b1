//! `olmdex explain-message`

use std::io::Read as _;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::Context;
use crate::cli::args::upgrade::AnswerFormat;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::cli::print::envelope::print_answers;
use crate::cli::print::sheet::Sheet;
use crate::resolve::{decode, where_to_look};

/// Say what the message of a Subscription, ClusterExtension or ClusterCatalog means, and what to run next
///
/// Exits with 1 if the message is not known.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex explain-message 'no bundles found for package \"keda\" matching version \"9.9.9\"'
  kubectl get subscription keda -o jsonpath='{.status.conditions[*].message}' | olmdex explain-message -
  olmdex explain-message 'constraints not satisfiable: subscription a exists, subscription a requires c/ns/s/a.v1' -o json")]
pub(crate) struct ExplainMessageArgs {
    /// The message; `-` reads it from standard input
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = AnswerFormat::Text)]
    output: AnswerFormat,
}

/// What a message means.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageExplanation {
    /// Who says it: `OLM Classic`, `OLM v1`, `catalogd`; empty if the message is not known.
    pub system: String,
    /// What it means.
    pub meaning: String,
    /// Its parts, each with what it means.
    pub parts: Vec<PartExplanation>,
    /// The names that it is about.
    pub culprits: Vec<String>,
    /// Commands to run next; of a message that is not known, where its cause may show.
    pub next: Vec<String>,
}

/// A part of a message.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartExplanation {
    /// Its text.
    pub text: String,
    /// What it means.
    pub meaning: String,
}

/// How much of standard input is read.
const MAX_MESSAGE: u64 = 1 << 20;

pub(crate) fn run(_: &Context, args: &ExplainMessageArgs) -> CommandResult {
    let mut text = args.text.join(" ");
    if text == crate::source::STDIN {
        text.clear();
        let read = std::io::stdin().lock().take(MAX_MESSAGE).read_to_string(&mut text);
        read.map_err(|error| CommandError::new(Exit::Input, format!("cannot read standard input: {error}")))?;
    }
    let decoded = decode(&text);
    let is_known = decoded.is_some();
    let decoded = decoded.unwrap_or_default();
    let answer = MessageExplanation {
        system: decoded.system,
        meaning: if is_known { decoded.meaning } else { "This message is not known.".to_owned() },
        parts: decoded.parts.into_iter().map(|it| PartExplanation { text: it.text, meaning: it.meaning }).collect(),
        culprits: decoded.culprits,
        next: if is_known { decoded.next } else { where_to_look(&text) },
    };
    print_answers(args.output, "MessageExplanation", vec![answer], sheet)?;
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
