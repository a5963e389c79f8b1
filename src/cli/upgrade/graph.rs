//! `olmdex graph`

use crate::cli::args::formats::{Compat, Formats, OutputFormat};
use std::collections::BTreeMap;
use std::io::{BufWriter, Write as _};

use clap::Args;

use crate::ask::{MarkedPathQuestion, OlmSet, PackageName, guess, guess_bundle, no_package, no_version, one_of};
use crate::check;
use crate::cli::args::name::{self, of_each};
use crate::cli::args::sources::{AskOptions, check_names};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::progress::Progress;
use crate::cli::terminal::screen::screen;
use crate::diag::envelope::Envelope;
use crate::diag::{counted, printable};
use crate::draw::{self, Catalog, ChannelGraph, Detail, DrawError, Mermaid, MermaidOptions};
use crate::fbc::Input;
use crate::fbc::Name;
use crate::index::Index;
use crate::index::query::{Filter, PackageGraph};
use crate::upgrade::Olm;

/// Draw the upgrade graph of a package, or of a whole catalog
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  olmdex graph keda
  olmdex graph keda > keda.mmd
  olmdex graph keda/stable -o table -i my-catalog/
  olmdex graph keda -o mermaid --fold > README.mmd
  olmdex graph keda -o html --installed 2.8.1 > keda.html
  olmdex graph -i my-catalog/ -o dot > catalog.dot")]
pub(crate) struct GraphArgs {
    /// The package; with a channel only that one; with a version, or by a bundle's name, with this bundle marked, in
    /// SVG and HTML with a version also the path from it. Without a package: all packages, except in SVG and HTML
    #[arg(value_name = "PKG[@VERSION|/CHANNEL]")]
    packages: Vec<String>,
    /// The one of them that is drawn
    #[arg(skip)]
    package: Option<String>,
    /// Only this channel; may be repeated
    #[arg(long, value_name = "CHANNEL")]
    channel: Vec<String>,
    /// Only this bundle and later ones that are reachable from it
    #[arg(long, value_name = "BUNDLE")]
    minimum_edge: Option<String>,
    /// Mark the bundles and edges that OLM Classic never takes: skipped bundles, and the edges of skipped entries
    /// (Mermaid)
    #[arg(long, hide = true)]
    draw_v0_semantics: bool,
    /// Mark the path that OLM takes from this version or bundle (SVG, HTML)
    #[arg(long, value_name = "BUNDLE", requires = "packages", alias = "path-from")]
    installed: Option<String>,
    /// End of the marked path. Default: as far as possible
    #[arg(long, value_name = "BUNDLE", requires = "installed", alias = "path-to")]
    to: Option<String>,
    /// The generation of OLM that takes the marked path
    #[arg(long, value_parser = one_of::<Olm>(), value_name = "GENERATION", default_value = "classic", requires = "installed")]
    olm: Olm,
    /// Draw a line for every entry instead of folding repeated or old ones (SVG, HTML, table)
    #[arg(long)]
    every_entry: bool,
    /// Fold versions until sites such as GitHub can draw the graph: below 50,000 characters and 500 edges (Mermaid)
    #[arg(long, requires = "packages", conflicts_with_all = ["draw_v0_semantics", "compat"])]
    fold: bool,
    #[command(flatten)]
    ask: AskOptions,
    /// Output format. Default: `table` for packages on a terminal, else `mermaid`
    #[arg(short, long, value_parser = FORMATS)]
    output: Option<OutputFormat>,
    /// Refuse the same graphs as `opm alpha render-graph`, with its words and exit code 1; an unknown package has an
    /// empty graph
    #[arg(long, value_name = "TOOL")]
    pub(crate) compat: Option<Compat>,
    /// Draw at most this many edges. Default: 1000000, in SVG and HTML 200000 marks
    #[arg(long, value_name = "N")]
    max_edges: Option<usize>,
}

const FORMATS: Formats = Formats(&[
    (
        OutputFormat::Mermaid,
        "Mermaid as `opm alpha render-graph` writes it; control characters in names are escaped, with `--as` on a \
            terminal only",
    ),
    (OutputFormat::Dot, "DOT, for Graphviz"),
    (OutputFormat::Svg, "SVG: where the versions of a package can go, or the entries of a channel"),
    (OutputFormat::Html, "The same as one self-contained HTML page to move around in"),
    (OutputFormat::Json, "JSON envelope of nodes and edges"),
    (OutputFormat::Table, "The same as text; a whole catalog needs `--every-entry`"),
]);

impl GraphArgs {
    /// The same with the package's name taken apart, and the bundle or version to mark.
    fn taken_apart(&self) -> Result<(Self, Option<String>), CommandError> {
        let (mut args, mut mark) = (self.clone(), None);
        match self.package.as_deref().map(Name::parse) {
            Some(Name::Channel(package, channel)) => {
                args.package = Some(package);
                args.channel.push(channel);
            }
            Some(Name::Version(package, version)) => {
                args.package = Some(package);
                if args.installed.is_some() {
                    return Err(CommandError::usage("the name and `--installed` both say what is installed"));
                }
                if args.marks_path() {
                    args.installed = Some(version);
                } else {
                    mark = Some(version);
                }
            }
            _ => {}
        }
        Ok((args, mark))
    }

    /// The requested format, or the default one.
    fn format(&self) -> OutputFormat {
        let is_for_people = screen().is_terminal && !self.packages.is_empty() && !self.fold && self.compat.is_none();
        let by_default =
            if is_for_people && !self.draw_v0_semantics { OutputFormat::Table } else { OutputFormat::Mermaid };
        self.output.unwrap_or(by_default)
    }

    fn marks_path(&self) -> bool {
        matches!(self.format(), OutputFormat::Svg | OutputFormat::Html)
    }
}

/// A catalog that is drawn.
struct Part {
    name: String,
    /// The graphs that it was made from, if they came from an index.
    graphs: Vec<PackageGraph>,
    catalog: Catalog,
}

pub(crate) fn run(context: &Context, args: &GraphArgs) -> CommandResult {
    args.ask.refuse_paths(&args.packages)?;
    if args.fold && !matches!(args.format(), OutputFormat::Mermaid) {
        let error = CommandError::usage("`--fold` is for Mermaid only; other formats fold automatically");
        return Err(error.help("leave out `--fold`; `--every-entry` shows each entry"));
    }
    let names: Vec<Option<&String>> = match &args.packages[..] {
        [] => vec![None],
        several => several.iter().map(Some).collect(),
    };
    let named: Vec<GraphArgs> = names.iter().map(|name| GraphArgs { package: name.cloned(), ..args.clone() }).collect();
    let named = named.iter().map(GraphArgs::taken_apart).collect::<Result<Vec<_>, _>>()?;
    let opened = Opened::new(context, args, &named)?;
    let (drawn, exit) = of_each(context, named, |(args, mark)| {
        let (args, mut parts, way) = opened.parts(context, args, mark)?;
        if let Some(bundle) = &args.minimum_edge {
            parts = from_bundle(&args, parts, bundle)?;
        }
        if parts.len() > 1 {
            // Another catalog may have the requested channel or bundle.
            parts.retain(|it| !it.catalog.channels.is_empty());
        }
        Ok(((args, parts, way), Exit::Yes))
    })?;
    let (mut all, mut of_all) = (Vec::new(), None);
    for (args, parts, way) in drawn {
        all.extend(parts);
        let (_, marked) = of_all.get_or_insert_with(|| (args, Vec::new()));
        marked.extend(way);
    }
    let Some((args, way)) = of_all else { return Ok(exit) };
    match all.as_slice() {
        [only] => print(context, &args, &only.catalog, &way)?,
        _ => print_several(context, &args, all, &way)?,
    };
    Ok(exit)
}

/// The opened catalogs.
enum Opened {
    /// Files are drawn as they are, without an index: a broken catalog needs a picture most of all.
    Files(String, Catalog),
    Index(Index),
}

impl Opened {
    fn new(context: &Context, args: &GraphArgs, named: &[(GraphArgs, Option<String>)]) -> Result<Self, CommandError> {
        if named.iter().any(|(args, _)| args.package.is_some() && args.installed.is_some()) {
            if !args.marks_path() {
                let error = CommandError::usage("only SVG and HTML can mark a path");
                return Err(error.help("add `-o svg` or `-o html`; `olmdex upgrades --steps` lists the steps"));
            }
            let packages = named.iter().filter_map(|(args, _)| args.package.as_ref());
            return Ok(Self::Index(args.ask.open_part(context, packages)?));
        }
        let sources = args.ask.look(context)?;
        match sources.files() {
            Some((named, input)) => {
                check_names(&args.ask.catalog, std::slice::from_ref(&named.name))?;
                Ok(Self::Files(named.name.clone(), read(context, args, input)?))
            }
            None => Ok(Self::Index(sources.import(context)?)),
        }
    }

    /// The catalogs with the package of some arguments, and the bundles that are marked.
    fn parts(
        &self,
        context: &Context,
        mut args: GraphArgs,
        mut mark: Option<String>,
    ) -> Result<(GraphArgs, Vec<Part>, Vec<String>), CommandError> {
        let mut way = Vec::new();
        let mut parts = match self {
            Self::Files(name, catalog) => {
                find(catalog, &mut args, &mut mark)?;
                vec![Part { name: name.clone(), graphs: Vec::new(), catalog: catalog.clone() }]
            }
            Self::Index(index) if args.installed.is_some() => {
                let parts = ask(&args, index)?;
                way = marked_path(context, &args, index, &parts)?;
                parts
            }
            Self::Index(index) => {
                if let Some(name) = args.package.as_deref().filter(|_| args.compat.is_none() && mark.is_none())
                    && let PackageName { package, installed: Some(bundle), .. } = name::package(index, name)?
                {
                    (args.package, mark) = (Some(package), Some(bundle));
                }
                let parts = ask(&args, index)?;
                if let (Some(package), Some(version)) = (&args.package, &mark)
                    && !parts.iter().any(|it| it.catalog.clone().mark(package, version))
                {
                    return Err(no_version(index, &args.ask.catalog, package, version)?.into());
                }
                parts
            }
        };
        if let (Some(package), Some(name)) = (&args.package, &mark) {
            for part in &mut parts {
                part.catalog.mark(package, name);
            }
            way.extend(parts.iter().find_map(|it| it.catalog.marked.clone()));
        }
        for part in &mut parts {
            part.catalog.keep(args.package.as_deref(), &args.channel);
            if args.compat.is_some() && args.package.is_some() {
                part.catalog.channels.retain(|it| !it.entries.is_empty());
            }
        }
        Ok((args, parts, way))
    }
}

/// The bundles of the path from the installed bundle.
fn marked_path(
    context: &Context,
    args: &GraphArgs,
    index: &Index,
    parts: &[Part],
) -> Result<Vec<String>, CommandError> {
    let question = MarkedPathQuestion {
        package: args.package.clone().unwrap_or_default(),
        from: args.installed.clone().unwrap_or_default(),
        to: args.to.clone(),
        channels: args.channel.clone(),
        olm: if args.olm == Olm::Classic { OlmSet::Classic } else { OlmSet::V1 },
        catalogs: args.ask.catalog.clone(),
    };
    let catalogs: Vec<_> = parts.iter().map(|it| (it.name.as_str(), it.graphs.as_slice())).collect();
    Ok(question.answer(index, &catalogs, &mut |it| context.reporter.warning(it))?)
}

/// Keeps the entries that are reachable from a bundle, in the catalogs that have it.
fn from_bundle(args: &GraphArgs, parts: Vec<Part>, bundle: &str) -> Result<Vec<Part>, CommandError> {
    let (mut kept, mut refusal) = (Vec::new(), None);
    for mut part in parts {
        match part.catalog.keep_from(bundle) {
            Ok(()) => kept.push(part),
            Err(error) => {
                let versions = &part.catalog.versions;
                let all: Vec<_> = versions.iter().map(|it| (it.0.clone(), it.1.to_string())).collect();
                let help = guess_bundle(bundle, &all, "`olmdex list bundles` shows what there is");
                refusal = refusal.or(Some(refused(args, &error).help(help)));
            }
        }
    }
    match refusal {
        Some(error) if kept.is_empty() => Err(error),
        _ => Ok(kept),
    }
}

/// Prints the graphs of a package that several catalogs have: text and data catalog by catalog, a picture of all of
/// them together.
fn print_several(context: &Context, args: &GraphArgs, parts: Vec<Part>, way: &[String]) -> CommandResult {
    // Packages of one catalog keep their names.
    let is_of_one = parts.windows(2).all(|pair| pair[0].name == pair[1].name);
    let shown = |name: &str| if is_of_one { None } else { Some(name.to_owned()) };
    if !matches!(args.format(), OutputFormat::Table | OutputFormat::Json) {
        return print(context, args, &Catalog::joined(parts.into_iter().map(|it| (shown(&it.name), it.catalog))), way);
    }
    let is_data = args.format() == OutputFormat::Json;
    let of_part = |part: &Part| {
        let graphs = if is_data { draw::channels(&part.catalog) } else { draw::channels_by_head(&part.catalog) };
        let named = graphs.into_iter().map(|it| ChannelGraph { catalog: shown(&part.name), ..it });
        named.collect::<Vec<_>>()
    };
    let graphs: Vec<Vec<ChannelGraph>> = parts.iter().map(of_part).collect();
    check_edges(args, graphs.iter().flatten().map(|it| it.edges.len()).sum())?;
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    if is_data {
        Envelope::new("Graph", graphs.concat()).write(&mut out)?;
    } else {
        for (part, graphs) in parts.iter().zip(&graphs) {
            if let Some(name) = shown(&part.name) {
                writeln!(out, "catalog: {}\n", printable(&name))?;
            }
            draw::package_text(&part.catalog, graphs, detail(args), &mut out)?;
        }
    }
    out.flush()?;
    Ok(Exit::Yes)
}

fn detail(args: &GraphArgs) -> Detail {
    if args.every_entry { Detail::Full } else { Detail::Collapsed }
}

fn print(context: &Context, args: &GraphArgs, catalog: &Catalog, way: &[String]) -> CommandResult {
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let detail = detail(args);
    check_size(args, catalog)?;
    match args.format() {
        OutputFormat::Svg => {
            let text = draw::svg(catalog, way, detail, args.max_edges.unwrap_or(MAX_MARKS));
            out.write_all(text.map_err(|it| too_many(&it.to_string()))?.as_bytes())?;
        }
        OutputFormat::Html => {
            let text = draw::html(catalog, way, detail, args.max_edges.unwrap_or(MAX_MARKS));
            out.write_all(text.map_err(|it| too_many(&it.to_string()))?.as_bytes())?;
        }
        OutputFormat::Dot | OutputFormat::Table | OutputFormat::Json => {
            let is_data = matches!(args.format(), OutputFormat::Json);
            let graphs = if is_data { draw::channels(catalog) } else { draw::channels_by_head(catalog) };
            check_edges(args, graphs.iter().map(|it| it.edges.len()).sum())?;
            match args.format() {
                OutputFormat::Dot => draw::dot(&graphs, &mut out)?,
                OutputFormat::Table => draw::package_text(catalog, &graphs, detail, &mut out)?,
                _ => Envelope::new("Graph", graphs).write(&mut out)?,
            }
        }
        _ if args.fold => out.write_all(draw::folded_mermaid(catalog).as_bytes())?,
        _ => {
            let raw_names = args.compat.is_some() && !screen().is_terminal;
            let options = MermaidOptions { v0_semantics: args.draw_v0_semantics, raw_names };
            let drawing = Mermaid::new(catalog, options);
            check_edges(args, drawing.n_edges())?;
            for warning in drawing.warnings() {
                context.reporter.warning(warning);
            }
            drawing.write(&mut out)?;
        }
    }
    out.flush()?;
    Ok(Exit::Yes)
}

/// A whole catalog is too much to look at.
fn check_size(args: &GraphArgs, catalog: &Catalog) -> Result<(), CommandError> {
    let is_picture = match args.format() {
        OutputFormat::Svg | OutputFormat::Html => true,
        OutputFormat::Table => !args.every_entry,
        _ => false,
    };
    let is_whole = args.package.is_none() && args.channel.is_empty();
    if !(is_picture && is_whole && catalog.packages.len() > 1) {
        return Ok(());
    }
    let packages = counted(catalog.packages.len() as u64, "package");
    let error = CommandError::usage(format!("a picture shows named packages only; the catalog has {packages}"));
    let help = "`olmdex list packages -i …` names them; `-o mermaid`, `-o dot`, `-o json` and `-o table --every-entry` \
        draw a whole catalog";
    Err(error.help(help))
}

/// The highest number of edges that are written one by one by default.
const MAX_EDGES: usize = 1_000_000;

/// Marks in a picture, unless the user wants more.
const MAX_MARKS: usize = 200_000;

fn check_edges(args: &GraphArgs, found: usize) -> Result<(), CommandError> {
    let limit = args.max_edges.unwrap_or(MAX_EDGES);
    if found <= limit {
        return Ok(());
    }
    Err(too_many(&format!("the graph has {found} edges; the limit is {limit}")))
}

fn too_many(message: &str) -> CommandError {
    let help = "`--max-edges N` allows more; `-o svg` draws ranges in shared lanes; `--channel` and `--minimum-edge` \
        draw less";
    CommandError::new(Exit::Limit, message).help(help)
}

fn refused(args: &GraphArgs, error: &DrawError) -> CommandError {
    if args.compat.is_some() {
        return CommandError::new(Exit::No, error.opm());
    }
    let exit = if matches!(error, DrawError::UnknownMinimumEdge(_)) { Exit::NotFound } else { Exit::Input };
    CommandError::new(exit, error.to_string())
}

/// A catalog in files.
fn read(context: &Context, args: &GraphArgs, input: &Input) -> Result<Catalog, CommandError> {
    if args.compat.is_some() {
        let _progress = Progress::reading(context, "reading the catalog".to_owned(), input);
        // The exit code is opm's too.
        return Catalog::read_as_opm(input).map_err(|text| CommandError::new(Exit::No, text));
    }
    let mut n_broken = 0_u64;
    let _progress = Progress::reading(context, "reading the catalog".to_owned(), input);
    let catalog = Catalog::read(input, |origin, failure| {
        n_broken += 1;
        for finding in check::failure_findings(input, origin, failure) {
            context.reporter.finding(&finding);
        }
    })
    .map_err(|error| refused(args, &error).help("`olmdex validate` shows all findings"))?;
    if n_broken > 0 {
        let documents = counted(n_broken, "document");
        return Err(CommandError::new(Exit::Input, format!("{documents} cannot be read")));
    }
    Ok(catalog)
}

/// Finds the package in a catalog, and the bundle to mark.
fn find(catalog: &Catalog, args: &mut GraphArgs, mark: &mut Option<String>) -> Result<(), CommandError> {
    if let Some(name) = args.package.clone().filter(|it| args.compat.is_none() && !catalog.has_package(it))
        && let Some(package) = catalog.package_of(&name)
    {
        (args.package, *mark) = (Some(package.to_owned()), Some(name));
    }
    if let (Some(package), Some(name)) = (&args.package, mark)
        && catalog.has_package(package)
        && !catalog.clone().mark(package, name)
    {
        let of_package = catalog.channels.iter().filter(|it| it.package == *package).flat_map(|it| &it.entries);
        let version = |name: &String| catalog.versions.get(name).map(ToString::to_string).unwrap_or_default();
        let bundles: Vec<_> = of_package.map(|it| (it.name.clone(), version(&it.name))).collect();
        let error = CommandError::new(Exit::NotFound, format!("package `{package}` has no version `{name}`"));
        let help = format!("`olmdex list bundles {package}` lists what there is");
        return Err(error.help(guess_bundle(name, &bundles, &help)));
    }
    if let Some(package) = &args.package
        && args.compat.is_none()
        && !catalog.has_package(package)
    {
        let mut names: Vec<String> = catalog.channels.iter().map(|it| it.package.clone()).collect();
        names.dedup();
        let error = CommandError::new(Exit::NotFound, format!("no package `{package}`"));
        return Err(error.help(guess(package, &names, "`olmdex list packages` shows what there is")));
    }
    check_channels(args, [catalog])
}

fn filter(args: &GraphArgs) -> Filter {
    Filter { catalogs: args.ask.catalog.clone(), ..Filter::default() }
}

/// The catalogs of an index that have the package; without a package, the only catalog.
fn ask(args: &GraphArgs, index: &Index) -> Result<Vec<Part>, CommandError> {
    let filter = filter(args);
    let graphs = match &args.package {
        Some(package) => {
            let graphs = index.package_graphs(&filter, package)?;
            if graphs.is_empty() && args.compat.is_none() {
                return Err(no_package(index, package)?.into());
            }
            graphs
        }
        None => all_graphs(index, &filter)?,
    };
    let mut of_catalogs: BTreeMap<String, Vec<PackageGraph>> = BTreeMap::new();
    for graph in graphs {
        of_catalogs.entry(graph.catalog.clone()).or_default().push(graph);
    }
    if of_catalogs.len() > 1 && (args.package.is_none() || args.compat.is_some()) {
        let names: Vec<String> = of_catalogs.into_keys().collect();
        let error = CommandError::usage("`graph` draws one catalog at a time");
        return Err(error.help(format!("choose one with `--catalog`: {}", names.join(", "))));
    }
    if of_catalogs.is_empty() {
        of_catalogs.insert(String::new(), Vec::new());
    }
    let mut parts = Vec::with_capacity(of_catalogs.len());
    for (name, graphs) in of_catalogs {
        let catalog = Catalog::from_graphs(&graphs).map_err(|error| refused(args, &error))?;
        parts.push(Part { name, graphs, catalog });
    }
    check_channels(args, parts.iter().map(|it| &it.catalog))?;
    Ok(parts)
}

fn all_graphs(index: &Index, filter: &Filter) -> Result<Vec<PackageGraph>, CommandError> {
    let mut graphs = Vec::new();
    for package in index.package_names()? {
        graphs.extend(index.package_graphs(filter, &package)?);
    }
    Ok(graphs)
}

/// Named channels must exist in one of the catalogs.
fn check_channels<'c>(args: &GraphArgs, catalogs: impl IntoIterator<Item = &'c Catalog>) -> Result<(), CommandError> {
    let channels = catalogs.into_iter().flat_map(|it| &it.channels);
    let of_package = channels.filter(|it| args.package.as_ref().is_none_or(|name| &it.package == name));
    let mut names: Vec<String> = of_package.map(|it| it.name.clone()).collect();
    names.sort();
    names.dedup();
    for channel in &args.channel {
        if !names.contains(channel) {
            let error = CommandError::new(Exit::NotFound, format!("no channel `{channel}`"));
            return Err(error.help(guess(channel, &names, &format!("there are {}", names.join(", ")))));
        }
    }
    Ok(())
}
