//! `olmdex lifecycle`

use std::borrow::Cow;
use std::path::PathBuf;

use clap::Args;

use crate::ask::{LifecycleAnswers, LifecycleQuestion, installed_operators, one_of};
use crate::calendar::Day;
use crate::cli::args::cluster::{Asked, named_cluster};
use crate::cli::args::day::{Span, day, parse_day, parse_span};
use crate::cli::args::lifecycles::read_lifecycles;
use crate::cli::args::sources::AskOptions;
use crate::cli::args::upgrade::parse_minor;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::constraint::openshift::Minor;
use crate::openshift::{LifecycleRow, PlatformFit, SupportLevel};

/// Show how long versions are supported, and on which OpenShift versions
///
/// Red Hat's catalogs hold lifecycles: for each minor version of an operator its phases of support, and the OpenShift
/// versions that it is made for. A package or version without a lifecycle may still be supported. Exits with 1 if
/// something in the question is not supported on the day, not made for the OpenShift version, or not known.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex lifecycle --lifecycles lifecycles.yaml --date 2026-08-20
  olmdex lifecycle keda@2.9.0 --lifecycles lifecycles.yaml --openshift 4.18 --date 2026-08-20
  olmdex lifecycle --lifecycles lifecycles.yaml --date 2026-08-20 --ending-within 6m -o json")]
pub(crate) struct LifecycleArgs {
    /// The packages, also as PKG@VERSION. Default: all that have a lifecycle
    #[arg(value_name = "PKG@VERSION")]
    packages: Vec<String>,
    /// Also the versions that this cluster has installed: manifests, a must-gather, `-`, or `@CONTEXT`
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT")]
    cluster: Vec<PathBuf>,
    /// Lifecycles in files, in addition to those of the catalogs; may be repeated
    #[arg(long, value_name = "FILE")]
    lifecycles: Vec<PathBuf>,
    /// The day. Default: that of $SOURCE_DATE_EPOCH, else today (UTC)
    #[arg(long, value_name = "DAY", value_parser = parse_day)]
    date: Option<Day>,
    /// Whether they are made for this version of OpenShift
    #[arg(long, value_name = "VERSION", value_parser = parse_minor)]
    openshift: Option<Minor>,
    /// Only versions that are supported now and will not be after this time: 90d, 6m, 1y
    #[arg(long, value_name = "SPAN", value_parser = parse_span)]
    ending_within: Option<Span>,
    /// Phases that count as supported; extended phases are add-ons that are paid for
    #[arg(long, value_parser = one_of::<SupportLevel>(), default_value = "extended")]
    support: SupportLevel,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

impl Row for LifecycleRow {
    const KIND: &'static str = "LifecycleList";

    const COLUMNS: &'static [Column<Self>] = &[
        wide("SOURCE", |it| Cow::from(&it.source)),
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("MINOR", |it| Cow::from(&it.minor)),
        column("SUPPORT", |it| it.support.words().into()),
        column("PHASE ENDS", |it| it.support.ends.as_deref().unwrap_or_default().into()),
        column("SUPPORT ENDS", |it| it.support.support_ends.as_deref().unwrap_or_default().into()),
        column("OPENSHIFT", |it| it.openshift.as_deref().unwrap_or_default().join(", ").into()),
        column("COMPATIBILITY", |it| it.compatibility.map_or("", PlatformFit::as_str).into()),
        wide("DATE", |it| Cow::from(&it.date)),
    ];

    fn name(&self) -> String {
        format!("{}@{}", self.package, self.minor)
    }
}

pub(crate) fn run(context: &Context, args: &LifecycleArgs) -> CommandResult {
    let day = day(args.date)?;
    let mut names = args.packages.clone();
    if let Some((cluster, shown)) = named_cluster(context, &args.cluster, Asked::Operators)? {
        let installed = installed_operators(&cluster).into_iter().filter(|it| !it.version.is_empty());
        names.extend(installed.map(|it| format!("{}@{}", it.package, it.version)));
        if names.is_empty() {
            return Err(CommandError::new(Exit::No, format!("{shown} holds no operator")));
        }
    }
    // A file is enough.
    let index = if args.lifecycles.is_empty() || args.ask.is_given() {
        Some(args.ask.open_part(context, &names)?)
    } else {
        None
    };
    let all = read_lifecycles(context, index.as_ref(), &args.ask.catalog, &args.lifecycles)?;
    let question = LifecycleQuestion {
        names: &names,
        lifecycles: &all,
        day,
        openshift: args.openshift,
        ending_by: args.ending_within.map(|it| it.after(day)),
        support: args.support,
    };
    let LifecycleAnswers { rows, is_negative, notes } = question.answer(index.as_ref())?;
    notes.iter().for_each(|it| context.reporter.note(it));
    if rows.is_empty() && names.is_empty() && args.ending_within.is_none() {
        let error = CommandError::new(Exit::No, "the catalogs hold no lifecycles");
        return Err(error.help("only Red Hat's catalogs hold them; add others with `--lifecycles FILE`"));
    }
    table::print(rows, &args.rows)?;
    if args.date.is_none() {
        context.reporter.note(&format!("support as of {day} (choose another day with `--date`)"));
    }
    Ok(if is_negative { Exit::No } else { Exit::Yes })
}
