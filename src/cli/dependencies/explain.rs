//! `olmdex explain`

use clap::Args;

use crate::ask::{explain, explain_message};
use crate::cli::args::formats::AnswerOptions;
use crate::cli::print::messages::{message, print_explained};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandResult;

/// Explain a rule, an error message of OLM, or an old command of opm
///
/// A rule is named by its identifier or its name, as findings show it; `all` lists the rules, the name of a pipeline
/// those that it demands. A command line of `opm index`, `opm registry`, `opm alpha list` or `oc-mirror list` becomes
/// those of olmdex. Anything else is a message: the answer has its meaning, and the commands to run next. Exits with 1
/// if the message is not known, with 4 if there is no such rule.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex explain E0207
  olmdex explain konflux
  olmdex explain all -o json
  olmdex explain 'no bundles found for package \"keda\" matching version \"9.9.9\"'
  olmdex explain 'opm index prune -f quay.io/org/index:v1 -p keda -t quay.io/org/small:v1'
  olmdex explain - < message.txt")]
pub(crate) struct ExplainArgs {
    /// A rule, `all`, a pipeline, or a message; `-` reads the message from standard input
    #[arg(value_name = "RULE|MESSAGE", required = true)]
    words: Vec<String>,
    #[command(flatten)]
    answer: AnswerOptions,
}

pub(crate) fn run(_: &Context, args: &ExplainArgs) -> CommandResult {
    let text = message(&args.words)?;
    // Standard input and several words are a message.
    let explained = match args.words.as_slice() {
        [word] if word != crate::source::STDIN => explain(word)?,
        _ => explain_message(&text),
    };
    print_explained(&text, explained, args.answer)
}
