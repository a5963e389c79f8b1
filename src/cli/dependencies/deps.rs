//! `olmdex deps`

use clap::Args;

use crate::ask::{DependencyAnswers, DependencyWish, dependencies};
use crate::cli::args::formats::AnswerOptions;
use crate::cli::args::name::target;
use crate::cli::args::namespace::WorkOptions;
use crate::cli::args::sources::AskOptions;
use crate::cli::print::answers::print_answers;
use crate::cli::print::sheet::{Sheet, shown};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandResult, Exit};
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
    /// PKG (the head of its default channel), PKG@VERSION, PKG/CHANNEL (its head) or the name of a bundle
    #[arg(value_name = "PKG@V")]
    name: String,
    /// All that OLM installs with it in an empty namespace
    #[arg(long, conflicts_with = "invert")]
    closure: bool,
    /// The bundles that require something that this bundle provides
    #[arg(long)]
    invert: bool,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    answer: AnswerOptions,
}

pub(crate) fn run(context: &Context, args: &DepsArgs) -> CommandResult {
    args.ask.refuse_paths([&args.name])?;
    let index = args.ask.open_light(context)?;
    let target = target(&index, &args.ask.catalog, &args.name)?;
    let wish = DependencyWish { closure: args.closure, invert: args.invert, options: args.work.options() };
    let warn = &mut |text: &str| context.reporter.warning(text);
    let DependencyAnswers { answers, is_met } = dependencies(&index, &args.ask.catalog, &target, wish, warn)?;
    if args.closure && !is_met {
        let name = &target.bundle;
        context.reporter.note(&format!("{name} cannot be installed; `olmdex resolve --install` shows why"));
    }
    print_answers(args.answer, "Dependencies", answers, |it| sheet(it, args))?;
    Ok(if is_met { Exit::Yes } else { Exit::No })
}

const REQUIRED_BY: [&str; 6] = ["CATALOG", "PACKAGE", "BUNDLE", "CHANNELS", "REQUIRES", "PLACE"];
const REQUIRES: [&str; 5] = ["WHAT", "FIRST CHOICE", "PROVIDED BY", "MESSAGE", "PLACE"];
const TOGETHER: [&str; 5] = ["BUNDLE", "VERSION", "CATALOG", "CHANNEL", "BECAUSE"];

fn sheet(answer: &Dependencies, args: &DepsArgs) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("catalog", &answer.catalog);
    sheet.line("package", &answer.package);
    sheet.line("bundle", &answer.bundle);
    if args.invert {
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
    if !args.closure {
        let first = answer.requires.iter().filter_map(|it| it.provided_by.first());
        sheet.list_names(first.map(|it| it.bundle.clone()));
        sheet.main(&REQUIRES, rows);
    }
    let rows = answer.closure.iter().map(|it| {
        let (bundle, version) = (it.bundle.clone(), it.version.clone());
        vec![bundle, version, it.catalog.clone(), it.channel.clone(), it.because.join("; ")]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if args.closure {
        sheet.list_names(answer.closure.iter().map(|it| it.bundle.clone()));
        sheet.main(&TOGETHER, rows.clone());
    }
    sheet.table("Installed together", &TOGETHER, rows);
    sheet
}
