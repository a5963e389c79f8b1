//! `olmdex updates`

use clap::Args;

use crate::ask::{UpdateAnswers, UpgradeQuestion};
use crate::cli::args::upgrade::{TARGET_HEADERS, UpgradeOptions, installed_words, manager_headers, target_row};
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandResult, Exit};
use crate::upgrade::{Olm, Target, Updates, Verdict};

/// Show what OLM would install or upgrade to next, and the alternatives
///
/// With `-o name`, `-o csv` and `-o markdown`: the bundle that OLM takes, then the others that the catalog permits.
/// Exits with 1 if every chosen generation of OLM is stuck; being at the head is fine.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex updates keda@2.10.1
  olmdex updates keda/stable --installed keda.v2.10.1 --olm classic
  olmdex updates keda --installed keda.v1.0.9@1.0.9 --version '<3' --olm v1 -o json
  olmdex updates keda --installed 2.10.1 --as-documented --catalog community -i index.db
  olmdex updates --cluster must-gather/")]
pub(crate) struct UpdatesArgs {
    /// The package; a version or bundle is the installed one, a channel is the Subscription's. Default: every operator
    /// of `--cluster`
    #[arg(value_name = "PKG[@VERSION|/CHANNEL]", required_unless_present = "cluster")]
    name: Option<String>,
    /// Installed bundle: a version, a bundle's name, or NAME@VERSION for a bundle that no catalog holds. Default: none
    #[arg(long, value_name = "BUNDLE")]
    installed: Option<String>,
    /// The version range of a ClusterExtension (OLM v1)
    #[arg(long, value_name = "RANGE")]
    version: Option<String>,
    /// Look where OLM Classic's documentation says that it looks: also in other catalogs than the Subscription's, which
    /// `--catalog` names. OLM itself does not
    #[arg(long, requires = "name")]
    as_documented: bool,
    #[command(flatten)]
    options: UpgradeOptions,
}

pub(crate) fn run(context: &Context, args: &UpdatesArgs) -> CommandResult {
    let (question, index) = args.options.question(context, args.name.as_ref())?;
    let question = UpgradeQuestion { installed: args.installed.clone(), version: args.version.clone(), ..question };
    let warn = &mut |text: &str| context.reporter.warning(text);
    let UpdateAnswers { answers, is_negative } = match args.as_documented {
        true => question.updates_as_documented(&index, warn)?,
        false => question.updates(&index, warn)?,
    };
    args.options.print("Updates", answers, sheet)?;
    Ok(if is_negative { Exit::No } else { Exit::Yes })
}

fn sheet(answer: &Updates) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("OLM", answer.olm.as_str());
    sheet.line("package", &answer.package);
    sheet.line("catalog", answer.catalog.as_deref().unwrap_or_default());
    sheet.line("manager", answer.managed_by.as_deref().unwrap_or_default());
    sheet.line("channels", &answer.channels.join(", "));
    sheet.line("version", &answer.version_range);
    sheet.line("installed", &answer.installed.as_ref().map(installed_words).unwrap_or_default());
    let bundle = answer.target.as_ref().map_or("", |it| it.bundle.as_str());
    let now = match answer.verdict {
        Verdict::Install => format!("installs {bundle}"),
        Verdict::Update => format!("upgrades to {bundle}"),
        Verdict::Current => "stays: up to date".to_owned(),
        Verdict::Stuck => "stays: no upgrade available".to_owned(),
        Verdict::Error => "fails".to_owned(),
        Verdict::Refused => "installs nothing: OLM v1 refuses the resolved version".to_owned(),
    };
    sheet.line("now", &now);
    sheet.line("reason", &answer.reason);
    let is_taken = matches!(answer.verdict, Verdict::Install | Verdict::Update);
    if answer.olm == Olm::V1
        && answer.target.as_ref().is_some_and(|it| is_taken && it.supports_all_namespaces.is_none())
    {
        sheet.line("unknown", "whether OLM v1 installs it: the catalog does not state its install modes");
    }
    // The absence of a deprecation needs no words.
    for condition in answer.conditions.iter().filter(|it| it.status == "True" && it.kind != "Deprecated") {
        sheet.line(&condition.kind, &condition.message);
    }
    let taken = answer.target.iter().filter(|_| matches!(answer.verdict, Verdict::Install | Verdict::Update));
    let all: Vec<(&str, &Target)> =
        taken.map(|it| ("yes", it)).chain(answer.others.iter().map(|it| ("no", it))).collect();
    sheet.list_names(all.iter().map(|it| it.1.bundle.clone()));
    let headers: Vec<&str> =
        [manager_headers(answer.managed_by.as_ref()), vec!["TAKEN"], TARGET_HEADERS.to_vec()].concat();
    let row = |(is_taken, target): &(&str, &Target)| {
        let first = [answer.olm.as_str().to_owned(), answer.package.clone()];
        let rest = [(*is_taken).to_owned()].into_iter().chain(target_row(target));
        first.into_iter().chain(answer.managed_by.clone()).chain(rest).collect()
    };
    sheet.main(&headers, all.iter().map(row).collect());
    sheet.table("Also permitted", &TARGET_HEADERS, answer.others.iter().map(target_row).collect());
    sheet
}
