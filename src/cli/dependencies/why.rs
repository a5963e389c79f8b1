//! `olmdex why`

use std::collections::HashSet;

use clap::Args;

use crate::ask::{NamespaceQuestion, WhyAnswers};
use crate::cli::args::formats::AnswerOptions;
use crate::cli::args::name::{of_each, target};
use crate::cli::args::namespace::NamespaceOptions;
use crate::cli::print::answers::print_answers;
use crate::cli::print::sheet::{Sheet, shown};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::fbc::Name;
use crate::index::LightIndex;
use crate::resolve::{Chain, MAX_CHAINS, WhyAnswer};

/// Show why a package is in a namespace: the chains of dependencies that lead to it
///
/// Exits with 1 if nothing brings it. With `-o csv` and `-o markdown`: the requirements in these chains.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex why cert-manager --install alloydb-omni-operator
  olmdex why keda --cluster must-gather/ -i community=my-catalog/
  olmdex why prometheus --install kiali -o json")]
pub(crate) struct WhyArgs {
    /// The package, PKG@VERSION, PKG/CHANNEL (its head) or the name of a bundle
    #[arg(value_name = "PKG[@VERSION|/CHANNEL]", required = true)]
    packages: Vec<String>,
    #[command(flatten)]
    namespace: NamespaceOptions,
    #[command(flatten)]
    answer: AnswerOptions,
}

pub(crate) fn run(context: &Context, args: &WhyArgs) -> CommandResult {
    let index = args.namespace.open(context, &args.packages)?;
    let question = args.namespace.question(context)?;
    let mut told = HashSet::new();
    let (answers, exit) = of_each(context, &args.packages, |package| {
        let mut warn = |text: &str| {
            // The question is the same for each package.
            if told.insert(text.to_owned()) {
                context.reporter.warning(text);
            }
        };
        because(context, args, &index, question.clone(), package, &mut warn)
    })?;
    print_answers(args.answer, "Why", answers.into_iter().flatten().collect(), sheet)?;
    Ok(exit)
}

fn because(
    context: &Context,
    args: &WhyArgs,
    index: &LightIndex,
    question: NamespaceQuestion,
    package: &str,
    warn: &mut dyn FnMut(&str),
) -> Result<(Vec<WhyAnswer>, Exit), CommandError> {
    let wanted = match Name::parse(package) {
        Name::Plain(name) => name,
        _ => target(index, &args.namespace.ask.catalog, package)?.bundle,
    };
    let WhyAnswers { answers, has_skipped } = question.why(index, &wanted, &args.namespace.options(), warn)?;
    for answer in answers.iter().filter(|it| it.chains.len() >= MAX_CHAINS) {
        context.reporter.note(&format!("only the {MAX_CHAINS} shortest chains to {} are shown", answer.operator));
    }
    if answers.is_empty() {
        context.reporter.note(&format!("nothing pulls `{package}` into the namespace"));
    }
    let exit = if answers.is_empty() || has_skipped { Exit::No } else { Exit::Yes };
    Ok((answers, exit))
}

fn sheet(answer: &WhyAnswer) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("operator", &answer.operator);
    sheet.line("package", &answer.package);
    let line = |chain: &Chain| {
        let start = match chain.subscription.as_str() {
            "" => "installed".to_owned(),
            name => format!("Subscription {name}"),
        };
        let mut text = start;
        for (idx, link) in chain.links.iter().enumerate() {
            let between = if idx == 0 { ": ".to_owned() } else { format!(" -> ({}) ", link.requirement) };
            text.push_str(&between);
            text.push_str(&link.operator);
        }
        text
    };
    sheet.text("Because", &answer.chains.iter().map(line).collect::<Vec<_>>().join("\n"));
    let mut rows: Vec<Vec<String>> = Vec::new();
    for links in answer.chains.iter().flat_map(|it| it.links.windows(2)) {
        let row = vec![links[0].operator.clone(), links[1].requirement.clone(), shown(&links[1].place)];
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let headers = ["OPERATOR", "REQUIRES", "PLACE"];
    sheet.main(&headers, rows.clone());
    sheet.table("Requirements", &headers, rows);
    sheet
}
