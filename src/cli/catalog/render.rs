//! `olmdex render`

use crate::cli::args::formats::{Compat, Formats, JSONL, MigrateLevel, OutputFormat};
use crate::cli::args::sources::source_path;
use crate::cli::args::words::SourceOption;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::ask::guess;
use crate::bundle;
use crate::cli::args::image_template;
use crate::cli::args::legacy_source::{self, is_legacy};
use crate::cli::args::name::whole_packages;
use crate::cli::catalog::render_bundles;
use crate::cli::catalog::render_composed::{self, RenderRequest};
use crate::cli::print::defects::{UNMIGRATABLE, report};
use crate::cli::print::json_lines::blobs;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::progress::Progress;
use crate::diag::{Severity, counted};
use crate::fbc::{self, Format, Input, Level, RenderDefect, Rendering, Selection, Sorted};
use crate::index::Index;
use crate::index::query::Filter;
use crate::json;
use crate::source::Source;
use crate::version::Quoted;

/// Print catalogs as FBC documents, byte for byte as `opm render` does
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  olmdex render my-catalog/ > catalog.json
  olmdex render my-catalog/ -o yaml --package keda
  olmdex render index.db --catalog community -o yaml
  olmdex render legacy.db --keep-going > catalog.json
  olmdex render    # the catalogs of olmdex.toml, each to its destination")]
pub(crate) struct RenderArgs {
    /// Catalogs: directories, files, an index.db, bundle directories, or `-` for standard input. Without any, the
    /// catalogs that olmdex.toml composes: each to its destination, or one with `--catalog` to standard output
    #[arg(value_name = "SOURCE", value_parser = source_path())]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    _source_option: SourceOption,
    /// Format of the blobs: `json`, `jsonl` (one a line) or `yaml`. Default: JSON, or the format of olmdex.toml
    #[arg(short, long, value_parser = FORMATS, hide_possible_values = true)]
    output: Option<OutputFormat>,
    /// Only this package; may be repeated
    #[arg(long, short, value_name = "PKG")]
    package: Vec<String>,
    /// Only this catalog of an index, or of olmdex.toml; may be repeated
    #[arg(long, value_name = "NAME")]
    catalog: Vec<String>,
    /// Read the catalogs from this file instead of olmdex.toml
    #[arg(long, value_name = "FILE", conflicts_with = "sources")]
    config: Option<PathBuf>,
    /// How to store manifests in bundles: `none` or `bundle-object-to-csv-metadata`
    #[arg(long, value_enum, default_value_t = MigrateLevel::None, value_name = "LEVEL", hide_possible_values = true)]
    migrate_level: MigrateLevel,
    /// All migrations, as with opm
    #[arg(long, hide = true, conflicts_with = "migrate_level")]
    migrate: bool,
    /// The reference of the image of a bundle directory: text with {{.Package}}, {{.Name}} and {{.Version}}
    #[arg(long, value_name = "TEMPLATE", alias = "alpha-image-ref-template")]
    image_template: Option<String>,
    /// Leave out the packages of a legacy catalog that cannot be converted, instead of printing nothing
    #[arg(short, long)]
    keep_going: bool,
    /// Read a legacy catalog of an old schema as another tool does, and no other single file
    #[arg(long, value_name = "TOOL")]
    pub(crate) compat: Option<Compat>,
}

const FORMATS: Formats =
    Formats(&[(OutputFormat::Json, "JSON, indented by four spaces"), JSONL, (OutputFormat::Yaml, "YAML documents")]);

impl RenderArgs {
    fn format(&self) -> Format {
        if self.output == Some(OutputFormat::Yaml) { Format::Yaml } else { Format::Json }
    }

    fn is_lines(&self) -> bool {
        self.output == Some(OutputFormat::Jsonl)
    }

    fn level(&self) -> Level {
        if self.migrate { Level::CsvMetadata } else { self.migrate_level.into() }
    }
}

pub(crate) fn run(context: &Context, args: &RenderArgs) -> CommandResult {
    let args = &RenderArgs { package: whole_packages(context, &args.package), ..args.clone() };
    if args.sources.is_empty() {
        let wanted = RenderRequest {
            config: args.config.as_deref(),
            catalogs: &args.catalog,
            packages: &args.package,
            format: args.output.map(|_| args.format()),
            is_lines: args.is_lines(),
            level: args.level(),
        };
        return render_composed::render(context, &wanted);
    }
    if let [path] = args.sources.as_slice()
        && is_legacy(path)
    {
        return render_legacy(context, args, path);
    }
    let level = args.level();
    let template = image_template::template(args.image_template.as_deref())?;
    if args.sources.iter().all(|it| bundle::is_bundle(it)) {
        let out = blobs(args.format(), args.is_lines());
        return render_bundles::render(&args.sources, template.as_ref(), (level, args.format()), out);
    }
    let mut opener = context.opener.with_bundle_image(template);
    if args.compat.is_some() {
        opener = opener.preferring_databases();
    }
    let mut sources = Vec::new();
    for path in &args.sources {
        let source = opener.open(path, &mut std::io::stdin().lock())?;
        context.note_git(path, &source);
        let is_of_file = matches!(&source, Source::Catalog(input) if input.image.is_none());
        if args.compat.is_some() && is_of_file && path.is_file() && !is_legacy(path) {
            let (path, kind) = (Quoted(&path.to_string_lossy()).to_string(), "{{  } unknown}");
            let why = format!("render reference {path}: ref {path} has unsupported file type: {kind}");
            return Err(CommandError::new(Exit::No, why).help("olmdex renders single files without `--as opm`"));
        }
        sources.push((path, source));
    }
    let selection = Selection { packages: &args.package };
    let expansion = json::Expansion::default();
    let how = Rendering { format: args.format(), level, selection, expansion: &expansion };
    let mut sorted = Sorted::new(how);
    let mut n_defects = 0;
    for (path, source) in &sources {
        match source {
            Source::Catalog(input) => {
                refuse_unless_whole(context, args, path, input)?;
                let _progress = Progress::reading(context, format!("reading {}", path.display()), input);
                let defects = sorted.read(input);
                n_defects += defects.len();
                report(context, input, &defects);
            }
            Source::Index(path) => render_index(args, path, how, &mut sorted)?,
        }
    }
    if n_defects > 0 {
        let documents = counted(n_defects as u64, "document");
        return Err(CommandError::new(Exit::Input, format!("{documents} cannot be rendered")));
    }
    for package in &args.package {
        if !sorted.packages().any(|it| it == package) {
            return Err(unknown_package(package, sources.iter().map(|(_, source)| source))?);
        }
    }
    let mut out = blobs(args.format(), args.is_lines());
    sorted.write(|_, text| out.write_all(text).map_err(CommandError::from))?;
    out.flush()?;
    Ok(Exit::Yes)
}

/// Refuses files that cannot be rendered as they are wanted.
fn refuse_unless_whole(context: &Context, args: &RenderArgs, path: &Path, input: &Input) -> Result<(), CommandError> {
    if !args.catalog.is_empty() {
        return Err(CommandError::usage(format!(
            "`--catalog` chooses from an index, and `{}` is not one",
            path.display()
        )));
    }
    legacy_source::report(context, &input.remarks);
    if !args.keep_going && input.remarks.iter().any(|it| it.rule.severity == Severity::Error) {
        let message = format!("`{}` cannot be converted as a whole", path.display());
        return Err(
            CommandError::new(Exit::No, message).help("`--keep-going` leaves out the parts that cannot be converted")
        );
    }
    Ok(())
}

fn render_index(
    args: &RenderArgs,
    path: &Path,
    how: Rendering<'_>,
    sorted: &mut Sorted<'_>,
) -> Result<(), CommandError> {
    let index = Index::open(path)?;
    crate::cli::args::sources::check_names(&args.catalog, &index.catalog_names()?)?;
    let packages: Vec<Option<&String>> =
        if args.package.is_empty() { vec![None] } else { args.package.iter().map(Some).collect() };
    for package in packages {
        let filter = Filter { catalogs: args.catalog.clone(), package: package.cloned(), channel: None };
        render_stored(&index, &filter, how, sorted)?;
    }
    Ok(())
}

/// Renders a legacy catalog while it is read, without keeping it.
fn render_legacy(context: &Context, args: &RenderArgs, path: &Path) -> CommandResult {
    if !args.catalog.is_empty() {
        let message = format!("`--catalog` chooses from an index, and `{}` is not one", path.display());
        return Err(CommandError::usage(message));
    }
    let progress = Progress::start(context, format!("reading {}", path.display()));
    let catalog = legacy_source::open(context, path, args.compat)?;
    drop(progress);
    if !args.keep_going {
        catalog.verdict()?;
    }
    let mut names: Vec<&str> = catalog.package_names().collect();
    names.sort_unstable();
    for package in &args.package {
        if !names.contains(&package.as_str()) {
            let names: Vec<String> = names.iter().map(|it| (*it).to_owned()).collect();
            let error = CommandError::new(Exit::NotFound, format!("no package `{package}`"));
            return Err(error.help(guess(package, &names, "`olmdex list packages -i SOURCE` shows what there is")));
        }
    }
    let selection = Selection { packages: &args.package };
    let (format, level) = (args.format(), Level::from(args.migrate_level));
    let mut late = Vec::new();
    if level != Level::None || format == Format::Yaml {
        // A trial run without output finds the problems that show only in writing before the first byte is printed.
        late = catalog.write(format, level, |it| selection.takes(it), |_, _| Ok::<(), CommandError>(()))?;
    }
    if let Some(problem) = late.first()
        && !args.keep_going
    {
        return Err(catalog.inconvertible(problem).into());
    }
    let is_left_out = |name: &str| late.iter().any(|it| it.package.as_deref() == Some(name));
    let mut out = blobs(args.format(), args.is_lines());
    catalog.write(
        format,
        level,
        |it| selection.takes(it) && !is_left_out(it),
        |_, text| out.write_all(text).map_err(CommandError::from),
    )?;
    out.flush()?;
    match late.first().or(catalog.problems().first()) {
        None => Ok(Exit::Yes),
        Some(problem) if !args.keep_going => Err(catalog.inconvertible(problem).into()),
        Some(_) => {
            legacy_source::left_out(context, catalog.problems().iter().chain(&late));
            Ok(Exit::No)
        }
    }
}

/// The error about a package that no source has. The names of the other packages are needed only here.
fn unknown_package<'a>(package: &str, sources: impl Iterator<Item = &'a Source>) -> Result<CommandError, CommandError> {
    let mut names = Vec::new();
    for source in sources {
        match source {
            Source::Catalog(input) => {
                let selection = Selection { packages: &[] };
                let expansion = json::Expansion::default();
                let how = Rendering { format: Format::Json, level: Level::None, selection, expansion: &expansion };
                let mut all = Sorted::new(how);
                // Documents that cannot be rendered have been reported already.
                let _ = all.read(input);
                names.extend(all.packages().map(str::to_owned));
            }
            Source::Index(path) => names.extend(Index::open(path)?.package_names()?),
        }
    }
    let error = CommandError::new(Exit::NotFound, format!("no package `{package}`"));
    Ok(error.help(guess(package, &names, "`olmdex list packages -i SOURCE` shows what there is")))
}

fn render_stored(
    index: &Index,
    filter: &Filter,
    how: Rendering<'_>,
    sorted: &mut Sorted<'_>,
) -> Result<(), CommandError> {
    let mut reader = json::Reader::new();
    index.documents(filter, |_, text| {
        let damaged =
            || CommandError::new(Exit::Input, format!("{}: a stored document is damaged", index.path().display()));
        let value = reader.read(text).map_err(|_| damaged())?;
        let blob = fbc::blob::decode(value, false).map_err(|_| damaged())?;
        let outcome = fbc::render_blob(&blob, how);
        match outcome {
            Ok(Some((rank, text))) => sorted.add(rank, text),
            Ok(None) => {}
            Err(RenderDefect::Unwritable(error)) => {
                let message = format!("{} `{}`: {error}", blob.schema, blob.name);
                let error = CommandError::new(Exit::Input, message);
                return Err(error.help("use `-o json`, which can represent every character"));
            }
            Err(RenderDefect::Unmigratable(error)) => {
                return Err(CommandError::new(Exit::Input, error).help(UNMIGRATABLE));
            }
            Err(RenderDefect::Expands(error)) => {
                let message = format!("{} `{}`: {error}", blob.schema, blob.name);
                return Err(CommandError::new(Exit::Limit, message).help(crate::archive::LIFT_LIMITS));
            }
            Err(RenderDefect::Broken(_)) => return Err(damaged()),
        }
        Ok(())
    })
}
