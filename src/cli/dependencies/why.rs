//! `olmdex why`

use clap::Args;

use crate::ask::WhyAnswers;
use crate::cli::args::formats::AnswerOptions;
use crate::cli::args::name::target;
use crate::cli::args::namespace::NamespaceOptions;
use crate::cli::print::answers::print_answers;
use crate::cli::print::sheet::{Sheet, shown};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandResult, Exit};
use crate::fbc::Name;
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
    #[arg(value_name = "PKG[@VERSION|/CHANNEL]")]
    package: String,
    #[command(flatten)]
    namespace: NamespaceOptions,
    #[command(flatten)]
    answer: AnswerOptions,
}

pub(crate) fn run(context: &Context, args: &WhyArgs) -> CommandResult {
    let index = args.namespace.open(context, Some(&args.package))?;
    let wanted = match Name::parse(&args.package) {
        Name::Plain(name) => name,
        _ => target(&index, &args.namespace.ask.catalog, &args.package)?.bundle,
    };
    let question = args.namespace.question(context)?;
    let warn = &mut |text: &str| context.reporter.warning(text);
    let WhyAnswers { answers, has_skipped } = question.why(&index, &wanted, &args.namespace.options(), warn)?;
    for answer in answers.iter().filter(|it| it.chains.len() >= MAX_CHAINS) {
        context.reporter.note(&format!("only the {MAX_CHAINS} shortest chains to {} are shown", answer.operator));
    }
    if answers.is_empty() {
        context.reporter.note(&format!("nothing pulls `{}` into the namespace", args.package));
    }
    let exit = if answers.is_empty() || has_skipped { Exit::No } else { Exit::Yes };
    print_answers(args.answer, "Why", answers, sheet)?;
    Ok(exit)
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
