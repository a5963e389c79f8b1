//! `olmdex path`

use clap::Args;

use super::Context;
use super::asked::{Olm, TARGET_HEADERS, UpgradeOptions, bundle, installed, installed_words, target_row};
use super::error::{CommandError, CommandResult, Exit};
use super::sheet::Sheet;
use crate::upgrade::{Generation, UpgradePath, classic_path, shortest, v1_path};

/// Show the steps that OLM takes from a version on, one after another
///
/// OLM v1 takes the highest version that is permitted at each step. `--shortest` shows instead the least number of steps,
/// for which spec.version must be set at each. Exits with 1 if the way does not get there.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex path keda --from 2.8.1
  olmdex path keda --from keda.v2.8.1 --to 2.10.1 --channel stable --olm classic
  olmdex path keda --from 2.8.1 --to 2.10.1 --shortest -o json")]
pub(crate) struct PathArgs {
    /// The package
    #[arg(value_name = "PKG")]
    package: String,
    /// Where to begin: a version, a bundle's name, or NAME@VERSION for what no catalog holds
    #[arg(long, value_name = "BUNDLE")]
    from: String,
    /// Where to end: a version or a bundle's name. Default: as far as it goes
    #[arg(long, value_name = "BUNDLE")]
    to: Option<String>,
    /// The least number of steps, over the edges of all channels that are asked (OLM v1)
    #[arg(long, requires = "to")]
    shortest: bool,
    #[command(flatten)]
    options: UpgradeOptions,
}

pub(crate) fn run(context: &Context, args: &PathArgs) -> CommandResult {
    if args.shortest && args.options.olm == Olm::Classic {
        let error = CommandError::usage("`--shortest` is about OLM v1: a Subscription cannot choose its next version");
        return Err(error.help("leave `--olm classic` out"));
    }
    let view = args.options.view(context, &args.package)?;
    let from = installed(&view, &args.from)?;
    let to = args.to.as_deref().map(|it| bundle(&view, it)).transpose()?.map(|it| it.0);
    let asked = args.options.asked(Some(from.clone()), None);
    let mut answers = Vec::new();
    if let (true, Some(to)) = (args.shortest, &to) {
        let steps = shortest(&view, &asked, &from, to);
        answers.push(UpgradePath {
            olm: Generation::V1,
            package: view.package.clone(),
            channels: asked.channels.clone(),
            from,
            to: Some(to.clone()),
            is_reached: steps.is_some(),
            reason: match &steps {
                Some(steps) => {
                    let n_steps = if steps.len() == 1 { "1 step".to_owned() } else { format!("{} steps", steps.len()) };
                    format!("{n_steps}, if spec.source.catalog.version is set to each in turn")
                }
                None => format!("no edges that OLM v1 takes lead to {to}"),
            },
            steps: steps.unwrap_or_default(),
        });
    } else {
        if args.options.classic() {
            let graph = view.graphs.first();
            answers.extend(graph.map(|it| classic_path(&view, it, &asked, &from, to.as_deref())));
        }
        if args.options.v1() {
            answers.push(v1_path(&view, &asked, &from, to.as_deref()));
        }
    }
    let is_reached = answers.iter().any(|it| it.is_reached);
    args.options.print("UpgradePath", answers, sheet)?;
    Ok(if is_reached { Exit::Yes } else { Exit::No })
}

fn sheet(answer: &UpgradePath) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("OLM", answer.olm.as_str());
    sheet.line("package", &answer.package);
    sheet.line("channels", &answer.channels.join(", "));
    sheet.line("from", &installed_words(&answer.from));
    sheet.line("to", answer.to.as_deref().unwrap_or_default());
    sheet.line("end", &answer.reason);
    sheet.table("Steps", &TARGET_HEADERS, answer.steps.iter().map(target_row).collect());
    sheet
}
