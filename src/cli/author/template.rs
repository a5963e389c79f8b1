//! `olmdex template`

use crate::cli::args::formats::{Formats, MigrateLevel, OutputFormat, blob_format};
use crate::cli::args::sources::source_path;
use crate::cli::args::words::SourceOption;
use std::ffi::OsStr;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Args, Subcommand};

use crate::check;
use crate::cli::args::bundle_images::{BundleImageArgs, not_rendered};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::compose::of_composite;
use crate::diag::closest;
use crate::draw::{Catalog, Mermaid, MermaidOptions};
use crate::fbc::{Format, Level};
use crate::file::{read_regular_of, read_stream_of, system_words};
use crate::source::{STDIN, Source};
use crate::template::{self, ConvertError, Kind, Rendered, Template, WriteError};

/// Render templates of catalogs, and turn catalogs into templates
///
/// A template names bundles by their images. `olmdex validate` checks one without rendering it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex template render shop-template.yaml --bundles operators/
  olmdex template render shop-template.yaml --bundles operators/ -o mermaid
  olmdex template convert basic my-catalog/keda.yaml")]
pub(crate) struct TemplateArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Render(RenderArgs),
    Convert(ConvertArgs),
}

/// Render a template, byte for byte as `opm alpha render-template` does
///
/// Bundles come from local directories, layouts and catalogs; registries are asked only with `--pull`. Exits with 3 if
/// the template is wrong, with 4 if only images are missing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex template render shop-template.yaml --bundles operators/ > catalog.json
  olmdex template render shop-template.yaml --bundles operators/ --with my-catalog/ -o yaml
  olmdex template render semver shop-template.yaml --bundles operators/
  olmdex template render shop-template.yaml --bundles operators/ --migrate-level all -o yaml")]
struct RenderArgs {
    /// The kind of template: `basic`, `semver` or `substitutes`, by default that of its schema; and its file, by
    /// default standard input
    #[arg(value_name = "[TYPE] FILE", num_args = 0..=2)]
    words: Vec<PathBuf>,
    #[command(flatten)]
    _source_option: SourceOption,
    /// Format of the catalog
    #[arg(short, long, value_parser = FORMATS, default_value = "json")]
    output: OutputFormat,
    #[command(flatten)]
    bundles: BundleImageArgs,
    /// How to store manifests in bundles: `none` or `bundle-object-to-csv-metadata`
    #[arg(long, value_enum, default_value_t = MigrateLevel::None, value_name = "LEVEL", hide_possible_values = true)]
    migrate_level: MigrateLevel,
}

/// Turn a catalog into a template, byte for byte as `opm alpha convert-template` does
///
/// A basic template names bundles by their images only. The order is kept, comments are not.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex template convert basic my-catalog/keda.yaml > template.json
  olmdex template convert basic my-catalog/keda.yaml -o yaml
  olmdex template convert substitutes my-catalog/keda.yaml -o yaml")]
struct ConvertArgs {
    /// The kind of template
    #[arg(value_parser = KindWord, value_name = "TYPE")]
    kind: PathBuf,
    /// The catalog; by default standard input
    #[arg(value_name = "SOURCE", value_parser = source_path())]
    source: Option<PathBuf>,
    #[command(flatten)]
    _source_option: SourceOption,
    /// Format of the template
    #[arg(short, long, value_parser = blob_format(), default_value = "json")]
    output: Format,
}

const FORMATS: Formats = Formats(&[
    (OutputFormat::Json, "JSON, indented by four"),
    (OutputFormat::Yaml, "YAML documents"),
    (OutputFormat::Mermaid, "The upgrade graphs of the catalog"),
]);

fn possible_value(kind: &Kind) -> PossibleValue {
    let help = match kind {
        Kind::Basic => "A catalog that names bundles by their images",
        Kind::Semver => "Channels derived from versions",
        Kind::Substitutes => "A catalog in which some bundles substitute for others",
    };
    PossibleValue::new(kind.name()).help(help)
}

/// The kinds that a catalog can be turned into: a semver template does not say what a catalog does.
const CONVERTED: [Kind; 2] = [Kind::Basic, Kind::Substitutes];

/// Takes any word for the kind of template, so that the message about a wrong one knows the rest of the command line.
#[derive(Debug, Clone, Copy)]
struct KindWord;

impl TypedValueParser for KindWord {
    type Value = PathBuf;

    fn parse_ref(&self, _: &clap::Command, _: Option<&clap::Arg>, value: &OsStr) -> Result<PathBuf, clap::Error> {
        Ok(value.into())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(CONVERTED.iter().map(possible_value)))
    }
}

pub(crate) fn run(context: &Context, args: &TemplateArgs) -> CommandResult {
    match &args.verb {
        Verb::Render(args) => render(context, args),
        Verb::Convert(args) => convert(context, args),
    }
}

fn render(context: &Context, args: &RenderArgs) -> CommandResult {
    let (kind, path) = named(&args.words)?;
    let shown = if path.as_os_str() == STDIN { "<stdin>".to_owned() } else { path.display().to_string() };
    let text = read(&path).map_err(|error| {
        let error = CommandError::new(Exit::Input, format!("cannot read `{shown}`: {}", system_words(&error)));
        error.help("name a template file, or `-` for standard input")
    })?;
    let template = match Template::read(&shown, Arc::clone(&text), kind) {
        Ok(template) => template,
        Err(findings) => {
            let error = not_rendered(context, &shown, &findings);
            let Some(toml) = of_composite(&shown, &text) else { return Err(error) };
            print(toml.as_bytes())?;
            return Err(error.help("olmdex prints it as an olmdex.toml for `olmdex render`"));
        }
    };
    let images = args.bundles.open(context)?;
    let named = template.images();
    for (image, meant) in args.bundles.not_among(&named) {
        let meant = meant.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
        context.reporter.warning(&format!("`{shown}` does not name the image `{image}`{meant}"));
    }
    let level = match args.output {
        // No picture shows manifests.
        OutputFormat::Mermaid => Level::CsvMetadata,
        _ => args.migrate_level.into(),
    };
    let (rendered, remarks) =
        template.render(&images, level).map_err(|findings| not_rendered(context, &shown, &findings))?;
    context.reporter.findings(template.remarks.iter().chain(&remarks));
    let format = match args.output {
        OutputFormat::Mermaid => return draw(context, &rendered),
        OutputFormat::Yaml => Format::Yaml,
        _ => Format::Json,
    };
    let mut text = Vec::new();
    rendered.write(format, level, &mut text).map_err(|error| {
        let exit = if matches!(error, WriteError::Expands(_)) { Exit::Limit } else { Exit::Input };
        CommandError::new(exit, error.to_string()).help(error.help())
    })?;
    print(&text)
}

/// The kind that was named, and the file.
fn named(words: &[PathBuf]) -> Result<(Option<Kind>, PathBuf), CommandError> {
    match words {
        [] => Ok((None, PathBuf::from(STDIN))),
        [only] => match kind_of(only) {
            Some(kind) => Ok((Some(kind), PathBuf::from(STDIN))),
            None => Ok((None, only.clone())),
        },
        [first, file, ..] => match kind_of(first) {
            Some(kind) => Ok((Some(kind), file.clone())),
            None => Err(not_a_kind(first, &Kind::ALL)),
        },
    }
}

fn kind_of(word: &Path) -> Option<Kind> {
    Kind::ALL.into_iter().find(|it| word.as_os_str() == it.name())
}

fn not_a_kind(word: &Path, kinds: &[Kind]) -> CommandError {
    let names: Vec<&str> = kinds.iter().map(|it| it.name()).collect();
    let error = CommandError::usage(format!("`{}` is not a kind of template", word.display()));
    error.help(match closest(&word.to_string_lossy(), names.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("there are {}", names.join(", ")),
    })
}

/// The wanted kind of template.
fn wanted(args: &ConvertArgs) -> Result<Kind, CommandError> {
    let word = &args.kind;
    let source = word.display();
    match kind_of(word) {
        Some(kind) => Ok(kind),
        None if args.source.is_none() && (word.as_os_str() == STDIN || word.exists()) => {
            let error = CommandError::usage(format!("to which kind of template should `{source}` be converted?"));
            Err(error.help(format!("`olmdex template convert basic {source}` names bundles by their images")))
        }
        None => Err(not_a_kind(word, &CONVERTED)),
    }
}

fn read(path: &Path) -> std::io::Result<Arc<[u8]>> {
    if path.as_os_str() != STDIN {
        return read_regular_of(path, template::MAX_SIZE).map(Arc::from);
    }
    read_stream_of(std::io::stdin().lock(), template::MAX_SIZE).map(Arc::from)
}

fn draw(context: &Context, rendered: &Rendered) -> CommandResult {
    let input = rendered.input("the rendered template");
    let catalog = Catalog::read(&input, |origin, failure| {
        for finding in check::failure_findings(&input, origin, failure) {
            context.reporter.finding(&finding);
        }
    })
    .map_err(|error| CommandError::new(Exit::Input, error.to_string()))?;
    let drawing = Mermaid::new(&catalog, MermaidOptions { v0_semantics: true, raw_names: false });
    for warning in drawing.warnings() {
        context.reporter.warning(warning);
    }
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    drawing.write(&mut out)?;
    out.flush()?;
    Ok(Exit::Yes)
}

fn convert(context: &Context, args: &ConvertArgs) -> CommandResult {
    let kind = wanted(args)?;
    let path = args.source.clone().unwrap_or_else(|| PathBuf::from(STDIN));
    let opened = context.opener.as_opm().open(&path, &mut std::io::stdin().lock())?;
    context.note_git(&path, &opened);
    let input = match opened {
        Source::Catalog(input) => input,
        Source::Index(_) => {
            let error = CommandError::usage(format!("`{}` is an index, not a catalog in files", path.display()));
            return Err(error.help("render it first: `olmdex render index.db | olmdex template convert basic`"));
        }
    };
    let mut text = Vec::new();
    template::convert(&input, kind, args.output, &mut text).map_err(|error| match error {
        ConvertError::Broken(findings) => {
            for finding in &findings {
                context.reporter.finding(finding);
            }
            CommandError::new(Exit::Input, format!("`{}` cannot be read as a catalog", path.display()))
        }
        ConvertError::Semver => CommandError::usage(error.to_string())
            .help("list the images by hand: `schema: olm.semver`, `stable: {bundles: [{image: …}]}`"),
        error => CommandError::new(Exit::Input, error.to_string()).help("use `-o json`"),
    })?;
    print(&text)
}

fn print(text: &[u8]) -> CommandResult {
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    out.write_all(text)?;
    out.flush()?;
    Ok(Exit::Yes)
}
