//! `olmdex deps`

use clap::Args;

use crate::ask::{DepsQuestion, Question as _, State};
use crate::cli::args::formats::AnswerOptions;
use crate::cli::args::name::refuse_path;
use crate::cli::args::sources::SourceOptions;
use crate::cli::args::upgrade::{answers, named_alike, told};
use crate::cli::print::answers::print_answers;
use crate::cli::print::sheet::{Sheet, shown};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandResult;
use crate::resolve::Dependencies;

/// Show what a bundle requires and who provides it, or who needs it
///
/// Exits with 1 if nothing provides something that it requires, or it cannot be resolved. With `-o name`, `-o csv` and
/// `-o markdown`: the first choice for each requirement; with --closure the bundles that are installed together; with
/// --invert its dependants.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex deps alloydb-omni-operator@1.4.1
  olmdex deps kiali --closure -i community=my-catalog/
  olmdex deps cert-manager --invert -o json")]
pub(crate) struct DepsArgs {
    #[command(flatten)]
    question: DepsQuestion,
    /// More of them. Those that exist are answered, the others are errors, and the exit code is 4
    #[arg(id = "more", value_name = "PKG@V", hide = true)]
    more: Vec<String>,
    #[command(flatten)]
    sources: SourceOptions,
    #[command(flatten)]
    answer: AnswerOptions,
}

pub(crate) fn run(context: &Context, args: &DepsArgs) -> CommandResult {
    let questions = named_alike(&args.question, &args.more, |question, name| question.name = name);
    let sources = args.sources.of_catalogs(&args.question.catalog);
    sources.refuse_paths(questions.iter().flat_map(|question| question.names()))?;
    let index = sources.open_light(context)?;
    let (items, end) = answers(context, &questions, |question| {
        refuse_path(&index, &question.name)?;
        told(context, question.ask(&State::of(&index)))
    })?;
    print_answers(args.answer, DepsQuestion::KIND, items, |it| sheet(it, &args.question))?;
    end
}

const REQUIRED_BY: [&str; 6] = ["CATALOG", "PACKAGE", "BUNDLE", "CHANNELS", "REQUIRES", "PLACE"];
const REQUIRES: [&str; 5] = ["WHAT", "FIRST CHOICE", "PROVIDED BY", "MESSAGE", "PLACE"];
const TOGETHER: [&str; 5] = ["BUNDLE", "VERSION", "CATALOG", "CHANNEL", "BECAUSE"];

fn sheet(answer: &Dependencies, question: &DepsQuestion) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("catalog", &answer.catalog);
    sheet.line("package", &answer.package);
    sheet.line("bundle", &answer.bundle);
    if question.invert {
        let rows = answer.required_by.iter().map(|it| {
            let (catalog, package, bundle) = (it.catalog.clone(), it.package.clone(), it.bundle.clone());
            vec![catalog, package, bundle, it.channels.join(","), it.requirement.clone(), shown(&it.place)]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        sheet.list_names(answer.required_by.iter().map(|it| it.bundle.clone()));
        sheet.main(&REQUIRED_BY, rows.clone());
        sheet.line("required by", if answer.required_by.is_empty() { "nobody" } else { "" });
        sheet.table("Required by", &REQUIRED_BY, rows);
        return sheet;
    }
    sheet.line("requires", if answer.requires.is_empty() { "nothing" } else { "" });
    let rows = answer.requires.iter().map(|it| {
        let mut packages: Vec<String> = Vec::new();
        for place in &it.provided_by {
            let text = format!("{} of {}", place.package, place.catalog);
            if !packages.contains(&text) {
                packages.push(text);
            }
        }
        let first = it.provided_by.first().map(|it| format!("{} ({})", it.bundle, it.channel));
        let nobody = match (it.is_broken, it.is_all) {
            (true, _) => "",
            (false, true) => "no single operator",
            (false, false) => "nobody",
        };
        vec![
            it.requirement.clone(),
            first.unwrap_or_else(|| nobody.to_owned()),
            packages.join(", "),
            it.message.clone(),
            shown(&it.place),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    sheet.table("Requires", &REQUIRES, rows.clone());
    if !question.closure {
        let first = answer.requires.iter().filter_map(|it| it.provided_by.first());
        sheet.list_names(first.map(|it| it.bundle.clone()));
        sheet.main(&REQUIRES, rows);
    }
    let rows = answer.closure.iter().map(|it| {
        let (bundle, version) = (it.bundle.clone(), it.version.clone());
        vec![bundle, version, it.catalog.clone(), it.channel.clone(), it.because.join("; ")]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if question.closure {
        sheet.list_names(answer.closure.iter().map(|it| it.bundle.clone()));
        sheet.main(&TOGETHER, rows.clone());
    }
    sheet.table("Installed together", &TOGETHER, rows);
    sheet
}
