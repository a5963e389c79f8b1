//! `olmdex show`

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::ask::{BundleDirectory, PackageName, Question as _, ShowQuestion, Shown, State, no_package};
use crate::bundle::harmless;
use crate::cli::args::formats::{AnswerOptions, OutputFormat};
use crate::cli::args::name::{of_each, refuse_path};
use crate::cli::args::sources::SourceOptions;
use crate::cli::args::upgrade::{answers, named_alike, told};
use crate::cli::print::answers::print_answers;
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::screen::screen;
use crate::diag::counted;
use crate::fbc::Api;
use crate::file::NewDirectory;
use crate::index::Index;
use crate::index::query::{BundleDetail, ChannelDetail, Edge, PackageDetail, PropertyRow, Source as Position};
use crate::openshift::{LifecyclePhases, PhaseRow};
use crate::permissions::{AskedRule, BundlePermissions, RuleScope};

/// Show everything about a package, a channel, a version or a bundle
///
/// With `-o name` and `-o csv`: the channels of a package, the entries of a channel. `-o markdown` is a page with all
/// of it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex show keda
  olmdex show keda@2.10.1 -i my-catalog/
  olmdex show keda/stable -o json
  olmdex show keda --permissions -i my-catalog/
  olmdex show keda@2.8.1 --manifests bundle/ -i my-catalog/")]
pub(crate) struct ShowArgs {
    /// Write the manifests of a published bundle as a bundle directory, for a package those of the head of its default
    /// channel; of several bundles, each below DIR by its name. DIR must not exist, or be empty
    #[arg(long, value_name = "DIR", conflicts_with = "permissions")]
    manifests: Option<PathBuf>,
    /// Write the icon of the package to standard output, as in `--icon > keda.svg`
    #[arg(long, hide_long_help = true, conflicts_with_all = ["permissions", "manifests", "more"])]
    icon: bool,
    #[command(flatten)]
    question: ShowQuestion,
    /// More of them. Those that exist are shown, the others are errors, and the exit code is 4
    #[arg(id = "more", value_name = "NAME", hide = true)]
    more: Vec<String>,
    #[command(flatten)]
    sources: SourceOptions,
    #[command(flatten)]
    answer: AnswerOptions,
}

pub(crate) fn run(context: &Context, args: &ShowArgs) -> CommandResult {
    let questions = named_alike(&args.question, &args.more, |question, name| question.name = name);
    let sources = args.sources.of_catalogs(&args.question.catalog);
    let index = sources.open_part(context, questions.iter().flat_map(|question| question.names()))?;
    if let Some(directory) = &args.manifests {
        return write_manifests(context, args, &index, directory);
    }
    if args.icon {
        return write_icon(context, args, &index);
    }
    let (items, end) = answers(context, &questions, |question| {
        refuse_path(&index, &question.name)?;
        told(context, question.ask(&State::of(&index)))
    })?;
    let kind = ShowQuestion::kind(&items);
    let is_one_table = matches!(args.answer.output, OutputFormat::Json | OutputFormat::Yaml | OutputFormat::Csv);
    if is_one_table && items.iter().any(|it| ShowQuestion::kind(std::slice::from_ref(it)) != kind) {
        let error = CommandError::usage(format!("`-o {}` has things of one kind", args.answer.output.word()));
        return Err(error.help("ask for packages, channels and bundles one after the other, or use `-o jsonl`"));
    }
    print_answers(args.answer, kind, items, |shown| {
        let mut sheet = match shown {
            Shown::Package(package) => package_sheet(package),
            Shown::Channel(channel) => channel_sheet(channel),
            Shown::Bundle(bundle) => bundle_sheet(bundle),
            Shown::Permissions(answer) => permissions_sheet(answer),
        };
        sheet.page();
        sheet
    })?;
    end
}

/// Writes the icon of a package, of the first catalog that has one.
fn write_icon(context: &Context, args: &ShowArgs, index: &Index) -> CommandResult {
    if screen().width.is_some() {
        let error = CommandError::usage("an icon is not for a terminal");
        return Err(error.help(format!("write it into a file: `olmdex show {} --icon > icon`", args.question.name)));
    }
    let package = PackageName::find(index, &args.question.name)?.package;
    let catalogs = &args.question.catalog;
    for catalog in if catalogs.is_empty() { index.catalog_names()? } else { catalogs.clone() } {
        if let Some((media_type, bytes)) = index.served_icon(&catalog, &package)? {
            context.reporter.note(&format!("{media_type}, of `{catalog}`"));
            std::io::stdout().lock().write_all(&bytes)?;
            return Ok(Exit::Yes);
        }
    }
    let known = index.package_names()?.contains(&package);
    let none = || CommandError::new(Exit::NotFound, format!("no catalog has an icon of `{package}`"));
    Err(if known { none() } else { no_package(index, &package)?.into() })
}

/// Writes bundle directories: all of them, or nothing.
fn write_manifests(context: &Context, args: &ShowArgs, index: &Index, directory: &Path) -> CommandResult {
    let names: Vec<&String> = std::iter::once(&args.question.name).chain(&args.more).collect();
    let (found, exit) = of_each(context, &names, |name| {
        refuse_path(index, name)?;
        Ok((BundleDirectory::find(index, &args.question.catalog, name)?, Exit::Yes))
    })?;
    let Some(first) = found.first() else { return Ok(exit) };
    let has_several = names.len() > 1;
    interrupt::undo_writes(context);
    let mut new = NewDirectory::begin(directory)?;
    let mut seen: HashMap<String, &str> = HashMap::new();
    for BundleDirectory { target, unpacked, .. } in &found {
        let mut below = String::new();
        if has_several {
            below = harmless(&target.bundle);
            while seen.get(&below).is_some_and(|of| *of != target.bundle) {
                below.push('-');
            }
            if seen.insert(below.clone(), &target.bundle).is_some() {
                // It was named twice.
                continue;
            }
        }
        let below = Path::new(&below);
        for (path, text) in &unpacked.files {
            new.write(&below.join(path), text)?;
        }
    }
    let n_files = new.finish()?;
    for BundleDirectory { target, catalog, unpacked } in &found {
        if !unpacked.is_whole {
            context.reporter.warning(&format!(
                "{catalog} has no manifests of {}, only a part of its ClusterServiceVersion (`olm.csv.metadata`): \
                 deployments, permissions and definitions are missing",
                target.bundle
            ));
        }
    }
    let what = if has_several { counted(found.len() as u64, "bundle") } else { first.target.bundle.clone() };
    let files = counted(n_files as u64, "file");
    context.reporter.note(&format!("wrote {what} to {}: {files}", directory.display()));
    Ok(exit)
}

fn position(source: Option<&Position>) -> String {
    source.map(|it| format!("{}:{}:{}", it.file, it.line, it.column)).unwrap_or_default()
}

fn mark(deprecation: Option<&String>) -> String {
    if deprecation.is_some() { "deprecated".to_owned() } else { String::new() }
}

fn package_sheet(package: &PackageDetail) -> Sheet {
    let row = &package.row;
    let mut sheet = Sheet::default();
    sheet.line("Package", &row.package);
    sheet.line("Display name", &row.display_name);
    sheet.line("Provider", &row.provider);
    sheet.line("Catalog", &row.catalog);
    sheet.line("Default channel", &row.default_channel);
    sheet.line("Head", &with_version(&row.head, &row.head_version));
    sheet.line("Keywords", &package.keywords.join(", "));
    sheet.line("Icon", package.icon_mediatype.as_deref().unwrap_or_default());
    sheet.line("Deprecated", row.deprecation.as_deref().unwrap_or_default());
    if !row.is_valid && package.channel_list.is_empty() && row.default_channel.is_empty() {
        sheet.line("Valid", "not judged: its package document is not in the source");
    } else if !row.is_valid {
        sheet.line("Valid", "no: `olmdex validate` shows why");
    }
    sheet.line("File", &position(package.source.as_ref()));
    properties(&mut sheet, &package.properties);
    let rows = package.channel_list.iter().map(|it| {
        let default = if it.is_default { "default" } else { "" };
        vec![
            it.channel.clone(),
            it.head_version.clone(),
            it.entries.to_string(),
            default.to_owned(),
            mark(it.deprecation.as_ref()),
            it.head.clone(),
        ]
    });
    let (headers, rows) = (["CHANNEL", "VERSION", "ENTRIES", "DEFAULT", "STATUS", "HEAD"], rows.collect::<Vec<_>>());
    sheet.table("Channels", &headers, rows.clone());
    sheet.main(&headers, rows);
    sheet.list_names(package.channel_list.iter().map(|it| it.channel.clone()));
    let rows: Vec<Vec<String>> = package
        .bundle_list
        .iter()
        .rev()
        .map(|it| vec![it.version.clone(), it.bundle.clone(), mark(it.deprecation.as_ref()), it.channels.join(",")])
        .collect();
    let few = if rows.len() > MANY_BUNDLES { folded(&rows) } else { rows.clone() };
    let headers = ["VERSION", "BUNDLE", "STATUS", "CHANNELS"];
    sheet.table("Bundles", &headers, rows);
    sheet.for_people("Bundles", &headers, few);
    sheet.table("Lifecycle", &["MINOR", "PHASE", "FROM", "TO", "OPENSHIFT"], phases(&package.lifecycle));
    sheet.text("Description", &package.description);
    sheet
}

fn permissions_sheet(answer: &BundlePermissions) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.list_names([answer.bundle.clone()]);
    sheet.line("Bundle", &answer.bundle);
    sheet.line("Version", &answer.version);
    sheet.line("Catalog", &answer.catalog);
    // Where else it is, people want to know.
    let more = if screen().width.is_some() { "; its bundle has it, unpacked: `-i DIR`" } else { "" };
    let unknown = |bundle: &str| {
        format!("unknown: the catalog does not hold the complete ClusterServiceVersion of {bundle}{more}")
    };
    if !answer.is_known {
        sheet.line("Permissions", &unknown(&answer.bundle));
    }
    if let Some(against) = &answer.against {
        sheet.line("Against", &with_version(&against.bundle, &against.version));
        if !against.is_known {
            sheet.line("Added", &unknown(&against.bundle));
        }
    }
    let rules = answer.added.as_ref().unwrap_or(&answer.rules);
    if answer.is_for_all_namespaces && rules.iter().any(|rule| rule.scope == RuleScope::Namespace) {
        sheet.line("Install mode", "AllNamespaces alone, so OLM Classic makes cluster roles of all rules");
    }
    if rules.is_empty() && answer.is_known {
        let what = if answer.added.is_some() { "nothing more" } else { "nothing" };
        sheet.line("Asks for", what);
    }
    let groups = |it: &AskedRule| {
        let named = |it: &String| if it.is_empty() { "core".to_owned() } else { it.clone() };
        it.api_groups.iter().map(named).collect::<Vec<_>>().join(",")
    };
    let row = |it: &AskedRule| {
        let what = it.resources.iter().chain(&it.non_resource_urls).cloned().collect::<Vec<_>>().join(",");
        let scope = if it.scope == RuleScope::Cluster { "cluster" } else { "namespace" };
        let names = it.resource_names.join(",");
        vec![scope.to_owned(), it.service_account.clone(), groups(it), what, names, it.verbs.join(",")]
    };
    let headers = ["SCOPE", "ACCOUNT", "GROUPS", "RESOURCES", "NAMES", "VERBS"];
    let title = if answer.added.is_some() { "Adds" } else { "Permissions" };
    sheet.table(title, &headers, rules.iter().map(row).collect());
    sheet.main(&headers, rules.iter().map(row).collect());
    sheet
}

fn channel_sheet(channel: &ChannelDetail) -> Sheet {
    let row = &channel.row;
    let mut sheet = Sheet::default();
    sheet.line("Channel", &row.channel);
    sheet.line("Package", &row.package);
    sheet.line("Catalog", &row.catalog);
    sheet.line("Default", if row.is_default { "yes" } else { "no" });
    sheet.line("Head", &with_version(&row.head, &row.head_version));
    sheet.line("Deprecated", row.deprecation.as_deref().unwrap_or_default());
    sheet.line("File", &position(channel.source.as_ref()));
    properties(&mut sheet, &channel.properties);
    let rows = channel.entry_list.iter().map(|it| {
        vec![
            it.version.clone(),
            it.name.clone(),
            it.replaces.clone(),
            it.skips.join(","),
            it.skip_range.clone(),
            mark(it.deprecation.as_ref()),
        ]
    });
    let (headers, rows) = (["VERSION", "ENTRY", "REPLACES", "SKIPS", "SKIP RANGE", "STATUS"], rows.collect::<Vec<_>>());
    sheet.table("Entries", &headers, rows.clone());
    sheet.main(&headers, rows);
    sheet.list_names(channel.entry_list.iter().map(|it| it.name.clone()));
    sheet
}

fn bundle_sheet(bundle: &BundleDetail) -> Sheet {
    let row = &bundle.row;
    let mut sheet = Sheet::default();
    sheet.list_names([row.bundle.clone()]);
    sheet.line("Bundle", &row.bundle);
    sheet.line("Package", &row.package);
    sheet.line("Version", &row.version);
    sheet.line("Release", &row.release);
    sheet.line("Display name", &row.display_name);
    sheet.line("Provider", &bundle.provider);
    sheet.line("Catalog", &row.catalog);
    sheet.line("Channels", &row.channels.join(", "));
    sheet.line("Image", &row.image);
    sheet.line("Deprecated", row.deprecation.as_deref().unwrap_or_default());
    for deprecation in &bundle.other_deprecations {
        sheet.line("See also", deprecation);
    }
    sheet.line("Summary", &bundle.summary);
    sheet.line("Maturity", &bundle.maturity);
    sheet.line("Capability level", &bundle.capability_level);
    sheet.line("Minimum Kubernetes", &bundle.min_kube_version);
    sheet.line("OpenShift versions", &bundle.openshift_versions);
    sheet.line("Maximum OpenShift", &bundle.max_openshift_version);
    sheet.line("Supported OpenShift", &row.openshift.as_deref().unwrap_or_default().join(", "));
    sheet.line("Support ends", row.support_ends.as_deref().unwrap_or_default());
    let modes: Vec<&str> = bundle.install_modes.iter().filter(|it| it.supported).map(|it| it.kind.as_str()).collect();
    sheet.line("Install modes", &modes.join(", "));
    sheet.line("Architectures", &bundle.architectures.join(", "));
    sheet.line("Operating systems", &bundle.operating_systems.join(", "));
    sheet.line("Keywords", &bundle.keywords.join(", "));
    sheet.line("Categories", &bundle.categories.join(", "));
    sheet.line("Repository", &bundle.repository);
    sheet.line("Support", &bundle.support);
    sheet.line("Created", &bundle.created_at);
    sheet.line("Subscription", &bundle.subscription);
    sheet.line("File", &position(bundle.source.as_ref()));
    let rows = bundle.features.iter().map(|(name, value)| vec![name.clone(), value.clone()]);
    sheet.table("Features", &["FEATURE", "VALUE"], rows.collect());
    let apis = |apis: &[Api]| -> Vec<Vec<String>> {
        apis.iter().map(|it| vec![it.kind.clone(), it.version.clone(), it.group.clone()]).collect()
    };
    sheet.table("Provides", &["KIND", "VERSION", "GROUP"], apis(&bundle.provides));
    sheet.table("Requires APIs", &["KIND", "VERSION", "GROUP"], apis(&bundle.requires));
    let rows = bundle.required_packages.iter().map(|it| vec![it.package.clone(), it.range.clone()]);
    sheet.table("Requires packages", &["PACKAGE", "RANGE"], rows.collect());
    let rows = bundle.constraints.iter().map(|it| vec![it.0.get().to_owned()]);
    sheet.table("Constraints", &["CONSTRAINT"], rows.collect());
    let edges = |edges: &[Edge]| -> Vec<Vec<String>> {
        edges
            .iter()
            .map(|it| vec![it.channel.clone(), it.version.clone(), it.bundle.clone(), it.kind.clone()])
            .collect()
    };
    sheet.table("Upgrades from", &["CHANNEL", "VERSION", "BUNDLE", "BY"], edges(&bundle.upgrades_from));
    sheet.table("Upgrades to", &["CHANNEL", "VERSION", "BUNDLE", "BY"], edges(&bundle.upgrades_to));
    let rows = bundle.related_images.iter().map(|it| vec![it.image.clone(), it.name.clone()]);
    sheet.table("Related images", &["IMAGE", "NAME"], rows.collect());
    let lifecycle: Vec<LifecyclePhases> = bundle.lifecycle.iter().cloned().collect();
    sheet.table("Lifecycle", &["MINOR", "PHASE", "FROM", "TO", "OPENSHIFT"], phases(&lifecycle));
    properties(&mut sheet, &bundle.properties);
    sheet.text("Description", &bundle.description);
    sheet
}

/// A terminal shows neighbours of more bundles than these in one row if they have the same status and channels.
const MANY_BUNDLES: usize = 20;

/// Rows of bundles, the highest version first, with a row for neighbours that differ only in version and name.
fn folded(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    let run = |run: &[Vec<String>]| match run {
        [high, between @ .., low] if !between.is_empty() => {
            let mut row = high.clone();
            row[0] = format!("{} – {}", low[0], high[0]);
            row[1] = counted(run.len() as u64, "bundle");
            vec![row]
        }
        few => few.to_vec(),
    };
    rows.chunk_by(|a, b| a[2..] == b[2..]).flat_map(run).collect()
}

/// The phases of minor versions, a row each.
fn phases(lifecycle: &[LifecyclePhases]) -> Vec<Vec<String>> {
    let rows = lifecycle.iter().flat_map(|version| {
        let openshift = version.openshift.as_deref().unwrap_or_default().join(", ");
        let row = move |it: &PhaseRow| {
            vec![version.minor.clone(), it.name.clone(), it.start.clone(), it.end.clone(), openshift.clone()]
        };
        version.phases.iter().map(row)
    });
    rows.collect()
}

/// Properties that no other part of the sheet shows.
fn properties(sheet: &mut Sheet, properties: &[PropertyRow]) {
    const SHOWN: &[&str] = &[
        "olm.package",
        "olm.gvk",
        "olm.gvk.required",
        "olm.package.required",
        "olm.constraint",
        "olm.csv.metadata",
        "olm.bundle.object",
    ];
    let rows = properties
        .iter()
        .filter(|it| !SHOWN.contains(&it.kind.as_str()))
        .map(|it| vec![it.kind.clone(), it.value.as_ref().map(|value| value.get().to_owned()).unwrap_or_default()]);
    sheet.table("Other properties", &["TYPE", "VALUE"], rows.collect());
}

fn with_version(name: &str, version: &str) -> String {
    if version.is_empty() { name.to_owned() } else { format!("{name} ({version})") }
}
