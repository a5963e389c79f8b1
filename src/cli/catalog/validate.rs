//! `olmdex validate`

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::ask::{TemplateCopies, check_catalog_noting, rules_named};
use crate::bundle::rules::{Contents, Options, Validator, selector};
use crate::bundle::{self, is_bundle};
use crate::calendar::Day;
use crate::check::practice::{self, Profile};
use crate::check::{self, Extent, Report, SeveralCatalogs};
use crate::cli::args::bundle_images::TemplateBundleArgs;
use crate::cli::args::choice::{ChoiceOptions, Whole, profiles, report, report_unchecked, select_help};
use crate::cli::args::composition;
use crate::cli::args::day::parse_day;
use crate::cli::args::formats::{AnswerOptions, Compat, Formats, GITHUB, GITLAB, JSON, JUNIT, OutputFormat, SARIF};
use crate::cli::args::legacy_source;
use crate::cli::args::sources::{NamedSource, named_source};
use crate::cli::args::words::SourceOption;
use crate::cli::catalog::fixing::fix;
use crate::cli::catalog::parts::{CatalogParts, catalogs_of, point_to_catalogs};
use crate::cli::catalog::pipelines::{CatalogImage, PipelineOptions, Pipelines};
use crate::cli::print::findings::{print_chosen, unopened};
use crate::cli::print::rules::print_rules;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit, unless_reader_left};
use crate::cli::terminal::progress::Progress;
use crate::compose::{Choice, Chosen, Config};
use crate::diag::baseline::Scope;
use crate::diag::envelope::FindingsMetadata;
use crate::diag::selection::Verdict;
use crate::diag::{Finding, Rule, Severity, Tally, counted, grouped, printable};
use crate::json::Tree;
use crate::source::{STDIN, Source, SourceError};
use crate::template::{self, template_texts};
use crate::version::first_of;

/// Check catalogs as opm does: every problem, each with its place
///
/// Accepts and rejects the same catalogs as `opm validate`, but reports all errors instead of the first one, with their
/// places. Exits with 0 if there are no errors, with 1 if there are, with 3 if a source cannot be opened. A source
/// without documents is nothing to check: the exit code is 1. Errors that are ignored do not count; `build` refuses
/// them all the same. Templates and bundle directories are checked as such; `olmdex check` checks everything else, too.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex validate my-catalog/
  olmdex validate my-catalog/ -o sarif > findings.sarif
  olmdex validate my-catalog/ --ignore W0527 --severity W05=error
  olmdex validate my-catalog/ --baseline known.json --write-baseline
  olmdex validate my-catalog/ --pipeline konflux
  olmdex validate my-catalog/ --pipeline disconnected --fix --dry-run
  olmdex validate my-catalog/ --compat opm -o json")]
pub(crate) struct ValidateArgs {
    /// Catalogs: directories, files, an index.db, or `-` for standard input; bundle directories, too. Each is checked
    /// by itself; with `--pipeline konflux` they are fragments of one index. Without any, the catalogs that olmdex.toml
    /// names
    #[arg(value_name = "[NAME=]SOURCE", value_parser = named_source())]
    sources: Vec<NamedSource>,
    #[command(flatten)]
    _source_option: SourceOption,
    /// Format of the findings
    #[arg(short, long, value_parser = FORMATS, default_value = "table")]
    output: OutputFormat,
    /// Print the output of another tool: opm's tree of errors, or its document with `-o json` and `-o yaml`
    #[arg(long, value_name = "TOOL")]
    pub(crate) compat: Option<Compat>,
    /// Also check the good practice that these pipelines demand; `olmdex explain PIPELINE` lists the rules
    #[arg(long, alias = "profile", value_name = "PIPELINE,…", value_delimiter = ',', value_parser = profiles())]
    pipeline: Vec<Profile>,
    /// Fix findings that have one safe answer in the files of the catalog, and check the result
    #[arg(long, conflicts_with = "compat")]
    fix: bool,
    /// With `--fix`: print the changes and the findings that would be left, and change nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,
    /// The day on which the heads of channels must be supported, by the lifecycles of the catalog. Default: no day
    #[arg(long, value_name = "DAY", value_parser = parse_day)]
    date: Option<Day>,
    #[command(flatten)]
    templates: TemplateBundleArgs,
    #[command(flatten)]
    choice: ChoiceOptions,
    /// Explain a rule by its identifier or name, with an example; `all` lists the rules, a pipeline those that it
    /// demands
    #[arg(long, value_name = "RULE", conflicts_with = "sources", hide = true)]
    explain: Option<String>,
}

impl ValidateArgs {
    fn paths(&self) -> Vec<PathBuf> {
        self.sources.iter().map(|it| it.path.clone()).collect()
    }

    /// Whether no file of a catalog may change.
    pub(crate) fn is_read(&self) -> bool {
        !self.fix || self.dry_run
    }
}

const FORMATS: Formats = Formats(&[
    (OutputFormat::Table, "For people"),
    JSON,
    SARIF,
    GITHUB,
    GITLAB,
    JUNIT,
    (OutputFormat::Yaml, "YAML, with `--as opm` only"),
]);

pub(crate) fn run(context: &Context, args: &ValidateArgs) -> CommandResult {
    let context = &context.with_bundles(args.templates.places());
    if let Some(rule) = &args.explain {
        return print_rules(rule, rules_named(rule)?, AnswerOptions::text());
    }
    if args.output == OutputFormat::Yaml && args.compat.is_none() {
        return Err(CommandError::usage("`-o yaml` works only with `--as opm`").help("use `-o json`"));
    }
    if args.compat.is_some() {
        args.choice.refuse_with_compat()?;
    }
    let (choice, config) = chosen_rules(context, args)?;
    let is_wanted = |it: &&'static Rule| matches!(choice.selection.verdict(it), Verdict::Shown(_));
    let practices: Vec<&'static Rule> = match args.compat {
        Some(_) => Vec::new(),
        None => practice::rules::ALL.iter().copied().filter(is_wanted).collect(),
    };
    if args.fix {
        let left = fix(context, &args.paths(), &choice, &practices, args.dry_run)?;
        if args.dry_run {
            return Ok(would_be_left(context, &left));
        }
    }
    let of_config = config.as_ref().map(|it| it.profiles.as_slice()).unwrap_or_default();
    let profiles = if args.pipeline.is_empty() { of_config } else { &args.pipeline };
    let is_asked = |it: &&'static Rule| args.compat.is_none() && is_wanted(it);
    let pipelines = Pipelines::open(context, profiles, is_asked, &PipelineOptions::default())?;
    let validators = selector::of_profiles(&profiles.iter().map(|it| it.name()).collect::<Vec<_>>());
    let mut validation = Validation::new(context, args, practices, pipelines, validators);
    for (number, source) in args.sources.iter().enumerate() {
        validation.add_source(number, source)?;
    }
    if args.sources.is_empty() {
        validation.add_catalogs_of_file(config)?;
    }
    if args.compat.is_some() {
        return print_as_opm(context, args.output, &validation.refusals);
    }
    validation.verdict(&choice)
}

/// The rules that the options and olmdex.toml choose.
fn chosen_rules(context: &Context, args: &ValidateArgs) -> Result<(Choice, Option<Config>), CommandError> {
    match args.compat {
        // opm judges a source, not an index.
        Some(_) if args.sources.is_empty() => {
            let error = CommandError::usage("`--as opm` needs a source");
            Err(error.help("render the catalog first: `olmdex render --catalog NAME`"))
        }
        None if args.fix && args.sources.is_empty() => {
            let error = CommandError::usage("`--fix` needs a source");
            Err(error.help("name the catalog to change"))
        }
        Some(_) => Ok((Choice::default(), None)),
        None => {
            let config = args.choice.config(context, &args.paths())?;
            let of_config = config.as_ref().map(|it| it.profiles.as_slice()).unwrap_or_default();
            let profiles = if args.pipeline.is_empty() { of_config } else { &args.pipeline };
            Ok((args.choice.choice_with(context, config.as_ref(), Whole::Catalogs, (profiles, &[]))?, config))
        }
    }
}

/// Validates the sources one after the other, and collects the findings.
struct Validation<'r> {
    context: &'r Context,
    args: &'r ValidateArgs,
    /// The chosen rules of good practice.
    practices: Vec<&'static Rule>,
    pipelines: Pipelines,
    /// Whether the sources are fragments of one index.
    are_fragments: bool,
    findings: Vec<Finding>,
    /// The message with which opm refuses each catalog, if it does.
    refusals: Vec<Option<String>>,
    extent: Extent,
    /// Bundle directories, and the optional validators that are wanted for them.
    n_bundles: u64,
    validators: Vec<Validator>,
    /// Sources without documents, as messages name them.
    blank: Vec<String>,
    several: SeveralCatalogs,
}

impl<'r> Validation<'r> {
    fn new(
        context: &'r Context,
        args: &'r ValidateArgs,
        practices: Vec<&'static Rule>,
        pipelines: Pipelines,
        validators: Vec<Validator>,
    ) -> Self {
        let of_fragments = [
            practice::rules::PACKAGE_IN_SEVERAL_FRAGMENTS,
            practice::rules::BUNDLE_WITH_SEVERAL_IMAGES,
            practice::rules::VERSION_LACKING_BETWEEN,
        ];
        Self {
            context,
            args,
            are_fragments: practices.iter().any(|it| of_fragments.iter().any(|rule| rule.id == it.id)),
            practices,
            pipelines,
            findings: Vec::new(),
            refusals: Vec::new(),
            extent: Extent::default(),
            n_bundles: 0,
            validators,
            blank: Vec::new(),
            several: SeveralCatalogs::default(),
        }
    }

    /// Checks the source at a path: a catalog, the catalogs of an index, or templates.
    fn add_source(&mut self, number: usize, source: &NamedSource) -> Result<(), CommandError> {
        let (context, args, path) = (self.context, self.args, source.path.as_path());
        if args.compat.is_none() && is_bundle(path) {
            return self.add_bundle(path);
        }
        let (inputs, index) = opened(context, args, path).map_err(|error| self.unopened(path, error))?;
        if args.compat.is_none() && inputs.iter().all(|it| it.1.is_blank()) {
            self.blank.push(match path.as_os_str() == STDIN {
                true => "standard input".to_owned(),
                false => format!("`{}`", printable(&source.shown())),
            });
        }
        let image = if self.pipelines.are_asked() { self.pipelines.image_of(path)? } else { None };
        // A single catalog has nothing to be compared with.
        let compares = self.are_fragments || args.sources.len() > 1 || inputs.len() > 1;
        for (name, input) in inputs {
            let _progress = Progress::reading(context, format!("checking {}", path.display()), &input);
            self.findings.extend(input.remarks.iter().cloned());
            if args.compat.is_none()
                && let Some(texts) = template_texts(&input)
            {
                self.pipelines.add_templates(
                    context,
                    texts,
                    false,
                    &mut TemplateCopies::default(),
                    &mut self.findings,
                )?;
                continue;
            }
            let shown = source.shown();
            let openshift = image.as_ref().and_then(CatalogImage::openshift);
            let shown = if name.is_empty() { shown } else { format!("{shown}#{name}") };
            self.several.begin(number, shown, &input, openshift);
            let mut note = |it: &check::Inspected| {
                if compares {
                    self.several.note(it);
                }
            };
            let report = check_catalog_noting(&input, args.date, &self.practices, &mut note);
            let Report { findings: mut found, opm, extent, mut practices, .. } = report;
            self.extent += extent;
            found.append(&mut practices);
            if input.files.iter().all(|it| it.made_of().is_some()) {
                point_to_bundle_validate(path, &mut found);
            }
            if args.compat.is_none() {
                self.pipelines.add_catalog(path, image.as_ref(), &source.shown(), &input, &mut found)?;
            }
            if let Some(index) = &index {
                index.place_in_files(&name, &mut found)?;
            }
            point_to_catalogs("validate", path, &input, &mut found);
            self.findings.append(&mut found);
            self.refusals.push(legacy_source::refusal(&input.remarks).or(opm));
        }
        Ok(())
    }

    /// Checks a bundle directory: it cannot be a valid catalog by itself, since its package is missing.
    fn add_bundle(&mut self, path: &Path) -> Result<(), CommandError> {
        let contents = Contents::read(path)
            .map_err(|error| CommandError::new(Exit::Input, error.to_string()).help(error.help()))?;
        let found = bundle::rules::Validation::new(&contents).findings(&self.validators, &Options::default());
        let is_faulty = found.iter().any(|it| it.rule.severity == Severity::Error);
        self.findings.extend(found);
        self.n_bundles += 1;
        // A bundle is also checked as a catalog; findings that are not about the bundle itself do not count.
        match opened(self.context, self.args, path) {
            Ok((inputs, _)) => {
                let reports =
                    inputs.iter().flat_map(|(_, input)| check_catalog_noting(input, None, &[], &mut |_| {}).findings);
                let is_of_bundle = |it: &Finding| it.rule.id != check::rules::BUNDLE_OF_UNKNOWN_PACKAGE.id;
                self.findings.extend(reports.filter(is_of_bundle));
                Ok(())
            }
            // The findings already say why it cannot be one.
            Err(_) if is_faulty => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Checks the catalogs that olmdex.toml names.
    fn add_catalogs_of_file(&mut self, config: Option<Config>) -> Result<(), CommandError> {
        let config = composition::with_catalogs(config, "olmdex validate my-catalog/")?;
        for catalog in &config.catalogs {
            let composed = composition::compose(self.context, &config, catalog);
            let input = composed.map_err(|error| self.unopened(&config.path, error))?.input();
            let _progress = Progress::reading(self.context, format!("checking {}", catalog.name), &input);
            if input.is_blank() {
                self.blank.push(format!("catalog `{}`", printable(&catalog.name)));
            }
            // The catalogs of a file are for different clusters.
            self.several.begin(0, catalog.name.clone(), &input, None);
            let mut note = |document: &check::Inspected| self.several.note(document);
            let report = check_catalog_noting(&input, self.args.date, &self.practices, &mut note);
            self.extent += report.extent;
            self.findings.extend(report.practices);
            self.findings.extend(input.remarks);
            self.findings.extend(report.findings);
        }
        Ok(())
    }

    /// The error of a source that cannot be opened; earlier findings come first.
    fn unopened(&self, path: &Path, error: CommandError) -> CommandError {
        unopened(self.args.output, &check::all_rules(), &self.findings, path, error)
    }

    /// Prints the findings and the verdict.
    fn verdict(mut self, choice: &Choice) -> CommandResult {
        let (context, args) = (self.context, self.args);
        if self.are_fragments {
            let found = self.several.findings().into_iter();
            let is_wanted = |it: &Finding| self.practices.iter().any(|rule| rule.id == it.rule.id);
            self.findings.extend(found.filter(is_wanted));
        } else {
            note_shared(context, &self.several);
        }
        let n_templates = self.pipelines.n_templates();
        let of_templates = if n_templates > 0 || args.sources.is_empty() { template::rules::ALL } else { &[] };
        let of_bundles = if self.n_bundles > 0 { bundle::rules::table::ALL } else { &[] };
        let rules = [
            check::all_rules(),
            self.pipelines.rules().to_vec(),
            self.practices,
            of_templates.to_vec(),
            of_bundles.to_vec(),
        ]
        .concat();
        let chosen = choice.apply(self.findings, &Scope { rules: &rules, packages: &[], is_whole: true })?;
        let printed = print_chosen(context, args.output, &rules, &chosen, args.choice.all, FindingsMetadata::default());
        unless_reader_left(printed)?;
        for what in self.pipelines.unchecked() {
            context.reporter.note(&format!("not checked: {what}"));
        }
        report(context, choice, &chosen);
        let is_without_catalog = self.extent == Extent::default();
        let n_others = n_templates + self.n_bundles;
        let is_blank = !self.blank.is_empty() && is_without_catalog && n_others == 0 && chosen.findings.is_empty();
        if args.output == OutputFormat::Table && !context.reporter.is_quiet() && !is_blank {
            let what =
                format!("{}, {}", counted(self.extent.packages, "package"), counted(self.extent.bundles, "bundle"));
            let templates = (n_templates > 0).then(|| counted(n_templates, "template"));
            let bundles = match self.n_bundles {
                0 => None,
                1 => Some("1 bundle directory".to_owned()),
                n => Some(format!("{} bundle directories", grouped(n))),
            };
            let of_catalogs = (n_others == 0 || !is_without_catalog).then_some(what);
            let what: Vec<String> = templates.into_iter().chain(bundles).chain(of_catalogs).collect();
            context.reporter.note(&summary(
                &what.join(", "),
                chosen.tally(),
                chosen.has_hidden_errors(),
                n_templates > 0,
            ));
        }
        if !self.blank.is_empty() {
            // A pipeline that checks nothing must not pass.
            let message = format!("nothing to check: {} holds no documents", self.blank.join(", "));
            let help = "name the directory or the file of the catalog; `.indexignore` may hide its files";
            return Err(CommandError::new(Exit::No, message).help(help));
        }
        let hidden = chosen.unselected.iter().filter(|it| check::is_unread(it.rule));
        let is_unread = report_unchecked(context, hidden, select_help);
        Ok(if chosen.is_refused() || is_unread { Exit::No } else { Exit::Yes })
    }
}

/// Reports the findings that `--fix` would leave.
fn would_be_left(context: &Context, left: &[Chosen]) -> Exit {
    let mut tally = Tally::default();
    for chosen in left {
        context.reporter.findings(&chosen.findings);
        let Tally { errors, warnings } = chosen.tally();
        tally = Tally { errors: tally.errors + errors, warnings: tally.warnings + warnings };
    }
    if tally != Tally::default() {
        context.reporter.note(&format!("`--fix` would leave {tally}"));
    }
    if left.iter().any(Chosen::is_refused) { Exit::No } else { Exit::Yes }
}

fn summary(what: &str, tally: Tally, has_hidden_errors: bool, has_unread_bundles: bool) -> String {
    let valid = match (has_hidden_errors, has_unread_bundles) {
        (true, _) => "valid except for hidden errors",
        (false, true) => "no errors found",
        (false, false) => "valid",
    };
    match tally {
        Tally { errors: 0, warnings: 0 } => format!("{what}: {valid}"),
        Tally { errors: 0, .. } => format!("{what}: {valid}, {tally}"),
        _ => format!("{what}: invalid, {tally}"),
    }
}

/// The catalogs at a path.
fn opened(context: &Context, args: &ValidateArgs, path: &Path) -> Result<CatalogParts, CommandError> {
    let opened = match args.compat {
        Some(_) => context.opener.as_opm().open(path, &mut std::io::stdin().lock()),
        None => context.open(path),
    };
    match opened {
        Ok(Source::Catalog(input)) => Ok((vec![(String::new(), input)], None)),
        Ok(Source::Index(path)) => catalogs_of(&path),
        Err(error @ SourceError::Bundle { .. }) => {
            let help = format!("`olmdex check {}` lists all findings about the bundle", path.display());
            Err(CommandError::from(error).help(help))
        }
        Err(error) => Err(error.into()),
    }
}

/// A bundle by itself is no catalog, since its package is missing: the user means another command.
fn point_to_bundle_validate(path: &Path, found: &mut [Finding]) {
    for finding in found.iter_mut().filter(|it| it.rule.id == check::rules::BUNDLE_OF_UNKNOWN_PACKAGE.id) {
        let path = path.display();
        finding.help = Some(format!(
            "this is a bundle, not a catalog: `olmdex check {path}` checks it, and `olmdex check {path} --with \
            CATALOG` checks whether a catalog can take it"
        ));
    }
}

/// How many bundles with different images are named.
const MAX_SHARED: usize = 5;

/// Reports the common parts of catalogs that are each checked by themselves.
fn note_shared(context: &Context, several: &SeveralCatalogs) {
    let packages = several.packages();
    if !packages.is_empty() {
        let names = packages.iter().map(|(name, catalogs)| {
            let catalogs: Vec<String> = catalogs.iter().map(|it| format!("`{}`", printable(it))).collect();
            format!("`{}` ({})", printable(name), catalogs.join(", "))
        });
        let (names, n) = (first_of(names, packages.len()), counted(packages.len() as u64, "package"));
        context
            .reporter
            .note(&format!("olmdex treats each source as a separate catalog; {n} in more than one: {names}"));
    }
    let bundles = several.bundles();
    for it in bundles.iter().take(MAX_SHARED) {
        let images = it.images.iter().map(|(image, catalog, place)| match catalog.contains('#') {
            // A bundle in an index has no file of its own.
            true => format!("`{}` ({})", printable(image), printable(catalog)),
            false => format!("`{}` ({}:{}:{})", printable(image), printable(&place.file), place.line, place.column),
        });
        let images = first_of(images, it.images.len());
        context.reporter.note(&format!("bundle `{}` has different images: {images}", printable(&it.bundle)));
    }
    if bundles.len() > MAX_SHARED {
        let more = bundles.len() - MAX_SHARED;
        context
            .reporter
            .note(&format!("{more} more bundles have different images in several catalogs; `olmdex diff` lists them"));
    }
}

/// Prints opm's output for each source.
fn print_as_opm(context: &Context, format: OutputFormat, refusals: &[Option<String>]) -> CommandResult {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for refusal in refusals {
        match format {
            OutputFormat::Json => write!(out, "{}", opm_json(refusal.as_deref()))?,
            OutputFormat::Yaml => write!(out, "{}", opm_yaml(refusal.as_deref()))?,
            OutputFormat::Table => {
                if let Some(text) = refusal {
                    context.reporter.plain(text);
                }
            }
            _ => return Err(CommandError::usage("`--as opm` works only with `-o json`, `-o yaml` or no `-o`")),
        }
    }
    out.flush()?;
    Ok(if refusals.iter().any(Option::is_some) { Exit::No } else { Exit::Yes })
}

fn opm_json(refusal: Option<&str>) -> String {
    let error = refusal.map(|text| Tree::object().with("message", Tree::html(text)));
    Tree::object().with("passed", refusal.is_none()).with_some("error", error).indented(2) + "\n"
}

fn opm_yaml(refusal: Option<&str>) -> String {
    let document = match refusal {
        None => serde_json::json!({"passed": true}),
        Some(text) => serde_json::json!({"passed": false, "error": {"message": text}}),
    };
    let text = document.to_string();
    let mut reader = crate::json::Reader::new();
    let mut out = Vec::new();
    if let Ok(value) = reader.read(&text) {
        // A message with characters that YAML cannot carry is left out rather than mangled.
        if crate::yaml::write(value, &mut out).is_err() {
            out.extend_from_slice(b"passed: false\n");
        }
    }
    out.push(b'\n');
    String::from_utf8_lossy(&out).into_owned()
}
