//! `olmdex check`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use crate::ask::TemplateCopies;
use crate::bundle::rules::{Contents, Options, Validation, Validator, selector};
use crate::check::pipeline::{Build, Dockerfile, Unchecked, is_dockerfile};
use crate::check::practice::{self, Profile};
use crate::check::{self, SeveralCatalogs};
use crate::cli::args::bundle_images::TemplateBundleArgs;
use crate::cli::args::choice::{ChoiceOptions, Whole, profiles, report, report_unchecked, select_help};
use crate::cli::args::formats::{FINDINGS, OutputFormat};
use crate::cli::args::judged::{GraphSource, graph_findings, retain_new};
use crate::cli::args::operators::operators_of;
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::{NamedSource, named_source};
use crate::cli::args::words::SourceOption;
use crate::cli::catalog::check_counts::Counts;
use crate::cli::catalog::check_parts::{CheckedParts, print_parts, print_tasks};
use crate::cli::catalog::check_sources::{BYTES_AT_ONCE, CatalogToJudge, JudgedSource, OpenSource, kind_in_words};
use crate::cli::catalog::closure::Closure;
use crate::cli::catalog::image_sets::{self, ComparedImageSets, ImageSets};
use crate::cli::catalog::parts::{CatalogParts, catalogs_below, catalogs_of, point_to_catalogs};
use crate::cli::catalog::pins::{Pins, words as pin_in_words};
use crate::cli::catalog::pipelines::{CatalogImage, PipelineOptions, Pipelines};
use crate::cli::lists::all_rules;
use crate::cli::print::findings::{print_chosen, unopened};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit, unless_reader_left};
use crate::cli::terminal::progress::Progress;
use crate::cluster::{AnyObject, Cluster};
use crate::community::Operator;
use crate::crd::check_manifests;
use crate::diag::baseline::Scope;
use crate::diag::envelope::{FindingsMetadata, PinState, PipelineVerdict, TaskResult};
use crate::diag::selection::Verdict;
use crate::diag::{Finding, Listed, Rule, counted, printable};
use crate::fbc::{Input, is_hidden};
use crate::file::system_words;
use crate::mirror::rules::LOST_VERSION;
use crate::oci::Mirrors;
use crate::source::{BundlePlaces, Recognized, RepositoryParts, STDIN, Source, input_of, is_revision};
use crate::template::template_texts;
use crate::{cluster, community, legacy};

/// Check anything: catalogs, bundles, repositories, templates
///
/// The content of a path tells its kind: a catalog (directory, file, image, index), bundle directories, a repository of
/// operators or one of its operators, templates of catalogs, a legacy SQLite file, objects of a cluster (a must-gather,
/// ClusterExtensions), CustomResourceDefinitions, configurations of oc-mirror. Each is checked by the rules for its
/// kind, and there is one report. Exits with 0 if there are no errors, with 1 if there are or nothing is there to
/// check, with 3 if a path cannot be read.
///
/// A repository that publishes catalogs is taken apart: the catalogs that its Dockerfiles and Containerfiles put below
/// `/configs`, other catalogs, templates, bundles. Each is checked by itself, the fragments of one OpenShift also
/// together, and a table shows the parts. Dockerfiles are followed as a build does, with the context and the arguments
/// that a pipeline in `.tekton` gives; nothing is built.
///
/// With `--pipeline`, the verdict is that of the pipeline. Each finding names the pipeline's own check, and each task
/// is passed, failed, not run or not checked: some need the index, the Dockerfile or the state before the change. Exits
/// with 1 if there are errors.
///
/// The upgrade graphs of catalogs are checked too. With `--base SOURCE`, the catalog before a change, only what the
/// change breaks in them is reported, and anything broken means 1.
///
/// With `--only closure`, all requirements of all bundles in channels are checked: each requirement that nothing meets
/// is an error, with the version that made it first and the package that comes near. Catalogs whose names end in a
/// version of OpenShift are checked together with those of the same version, and with those whose names have none.
///
/// With `--with CATALOG`, the versions that Subscriptions and ClusterExtensions of a GitOps repository pin are compared
/// with the catalog, and so are the packages, channels and versions of ImageSetConfigurations; a bundle is checked as
/// its newcomer. With `--base`, the configuration before a change, versions that lose their upgrades mean 1, and the
/// images that come and go are shown.
///
/// `olmdex validate` judges a catalog as opm does, and `olmdex diff OLD NEW --only crd` definitions; `olmdex explain
/// RULE` explains a finding.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex check my-catalog/
  olmdex check my-catalog/ --base old-catalog/
  olmdex check . --pipeline konflux
  olmdex check my-bundle/ operators/shop shop-template.yaml
  olmdex check my-catalog/ --pipeline konflux --openshift 4.18 --target-index old-catalog/
  olmdex check operators/shop --pipeline community --openshift 4.20
  olmdex check my-catalog/ --only valid,graph,closure
  olmdex check my-catalog/ --pipeline konflux -o sarif > findings.sarif
  olmdex check must-gather/ legacy.db -o json
  olmdex check gitops/ --base gitops-before/ --with my-catalog/
  olmdex check imageset.yaml --with my-catalog/")]
pub(crate) struct CheckArgs {
    /// Paths to check; `-` is a catalog, a template or manifests on standard input
    #[arg(value_name = "[NAME=]PATH", required = true, value_parser = named_source())]
    sources: Vec<NamedSource>,
    #[command(flatten)]
    _source_option: SourceOption,
    /// Format of the findings
    #[arg(short, long, value_parser = FINDINGS, default_value = "table")]
    output: OutputFormat,
    /// Also make the checks of these pipelines, and say whether they would pass; `olmdex explain PIPELINE` lists the
    /// rules. Default: `profile` in olmdex.toml
    #[arg(long, alias = "profile", value_name = "PIPELINE,…", value_delimiter = ',', value_parser = profiles())]
    pipeline: Vec<Profile>,
    /// The checks of catalogs. Default: valid,graph
    #[arg(long, value_name = "KIND,…", value_enum, value_delimiter = ',')]
    only: Vec<CheckKind>,
    /// Also check whether something in the catalogs meets each requirement of each bundle
    #[arg(long, hide = true)]
    closure: bool,
    /// A tree of bundle directories, or a layout, with the bundles of a template's images; may be repeated
    #[arg(long, value_name = "DIR", hide = true)]
    bundles: Vec<PathBuf>,
    /// Catalogs to compare the manifests of a repository with: whether the pins of Subscriptions and ClusterExtensions
    /// exist, whether upgrades lead there from the pins before the change (`--base`), and what comes next; those that
    /// have the bundles of templates' images; for a catalog of an ImageSetConfiguration, NAME is its reference; may be
    /// repeated
    #[arg(long, value_name = "[NAME=]CATALOG")]
    with: Vec<String>,
    #[command(flatten)]
    source_map: SourceMapOption,
    #[command(flatten)]
    pipeline_options: PipelineOptions,
    #[command(flatten)]
    choice: ChoiceOptions,
}

/// A check of a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckKind {
    /// Whether `validate` takes it
    Valid,
    /// Whether every version can be upgraded; with `--base` only what the change breaks
    Graph,
    /// Whether something meets each requirement of each bundle
    Closure,
}

impl CheckArgs {
    /// The places of the bundles of templates' images.
    fn bundles(&self) -> Option<BundlePlaces> {
        let with = self.with.iter().map(|word| NamedSource::parse(word).path).collect();
        TemplateBundleArgs { bundles: self.bundles.clone(), with }.places()
    }

    fn checks(&self, kind: CheckKind) -> bool {
        match kind {
            CheckKind::Closure => self.closure || self.only.contains(&kind),
            CheckKind::Valid => self.only.is_empty() || self.only.contains(&kind),
            // A pipeline's verdict is about the rules of the pipeline.
            CheckKind::Graph => (self.only.is_empty() && self.pipeline.is_empty()) || self.only.contains(&kind),
        }
    }
}

pub(crate) fn run(context: &Context, args: &CheckArgs) -> CommandResult {
    let context = &context.with_builds(args.pipeline_options.builds()).with_bundles(args.bundles());
    let paths: Vec<PathBuf> = args.sources.iter().map(|it| it.path.clone()).collect();
    let config = args.choice.config(context, &paths)?;
    let of_config = config.as_ref().map(|it| it.profiles.as_slice()).unwrap_or_default();
    let profiles = if args.pipeline.is_empty() { of_config } else { &args.pipeline };
    let choice = args.choice.choice_with(context, config.as_ref(), Whole::Catalogs, (profiles, practice::OF_COPIES))?;
    let is_wanted = |it: &&'static Rule| matches!(choice.selection.verdict(it), Verdict::Shown(_));
    let mut pipelines = Pipelines::open(context, profiles, is_wanted, &args.pipeline_options)?;
    let mirrors = mirrors(context, &paths, &mut pipelines)?;
    let practices = practice::rules::ALL.iter().copied().filter(is_wanted).collect();
    let mut checking = Checking::new((context, args), profiles, practices, pipelines, mirrors);
    let rules = all_rules();
    let sources = checking.taken_apart(args);
    if let Err((path, error)) = checking.add_all(&sources) {
        return Err(unopened(args.output, &rules, &checking.findings, &path, error));
    }
    let has_broken = checking.add_graphs(args, profiles)?;
    let (pins, compared) = checking.compare(args)?;
    let Checking { mut findings, several, copies, counts, practices, mut pipelines, closure, parts, .. } = checking;
    let mut unmet = closure.map(|it| it.answer(&context.for_graphs())).transpose()?;
    findings.extend(unmet.iter_mut().flat_map(|it| it.findings.drain(..)));
    findings.append(&mut pipelines.added()?);
    let of_copies = several.findings().into_iter().chain(copies.findings());
    findings.extend(of_copies.filter(|it| practices.iter().any(|rule| rule.id == it.rule.id)));
    let verdicts = pipelines.verdicts(&findings);
    let chosen = choice.apply(findings, &Scope { rules: &rules, packages: &[], is_whole: true })?;
    let unchecked = pipelines.unchecked();
    let not_checked = pipelines.are_asked().then(|| not_checked(&verdicts, &unchecked));
    let of_pins = (!pins.is_empty()).then(|| pins.clone());
    let of_closure = unmet.as_mut().map(|it| std::mem::take(&mut it.unmet));
    let parts = parts.counted(&chosen.findings);
    if let Some(parts) = parts.as_ref().filter(|_| args.output == OutputFormat::Table) {
        unless_reader_left(print_parts(parts))?;
    }
    let asked = pipelines.are_asked().then(|| verdicts.clone());
    let metadata = FindingsMetadata {
        not_checked,
        pins: of_pins,
        image_sets: (!compared.states.is_empty()).then(|| compared.states.clone()),
        unmet: of_closure,
        parts,
        pipelines: asked,
        ..<_>::default()
    };
    unless_reader_left(print_chosen(context, args.output, &rules, &chosen, args.choice.all, metadata))?;
    let is_told = args.output == OutputFormat::Table && !context.reporter.is_quiet();
    let is_nothing = counts.is_nothing() && chosen.findings.is_empty();
    report_tasks(context, if is_told && !is_nothing { &verdicts } else { &[] }, &unchecked)?;
    report(context, &choice, &chosen);
    if is_told {
        pins.iter().for_each(|it| context.reporter.note(&pin_in_words(it)));
        let of_sets = compared.states.iter().flat_map(image_sets::words);
        of_sets.for_each(|line| context.reporter.note(&line));
    }
    if is_nothing {
        // A pipeline that checks nothing must not pass.
        return Err(nothing(args, &pipelines));
    }
    if is_told {
        context.reporter.note(&counts.verdict(&chosen));
        if let Some(unmet) = &unmet {
            context.reporter.note(&unmet.summary);
        }
        verdicts.iter().for_each(|verdict| context.reporter.note(&verdict.verdict));
    }
    let has_lost = chosen.findings.iter().any(|finding| finding.rule.id == LOST_VERSION.id);
    let hidden = chosen.unselected.iter().filter(|it| check::is_unread(it.rule));
    let is_unread = report_unchecked(context, hidden, select_help);
    Ok(if chosen.is_refused() || is_unread || has_broken || has_lost { Exit::No } else { Exit::Yes })
}

/// The mirrors of images: those that were named, and those that Konflux reads in the repositories of these paths.
fn mirrors(context: &Context, paths: &[PathBuf], pipelines: &mut Pipelines) -> Result<Mirrors, CommandError> {
    let mut mirrors = context.opener.named_mirrors().map_err(|error| {
        let help = error.help();
        CommandError::new(Exit::Input, error.to_string()).help(help)
    })?;
    let set = |path: &Path| {
        let path = path.canonicalize().ok()?;
        // Above the repository are files of others.
        let root = path.ancestors().find(|above| above.join(".git").exists()).unwrap_or(&path).to_owned();
        let below = path.ancestors().take_while(|above| above.starts_with(&root));
        below.map(|above| above.join(MIRROR_SET)).find(|file| file.is_file())
    };
    for file in paths.iter().filter_map(|path| set(path)).collect::<BTreeSet<PathBuf>>() {
        if let Err(error) = mirrors.add_file(&file) {
            pipelines.note(Unchecked::unnamed(error.to_string()));
        }
    }
    Ok(mirrors)
}

/// The mirrors of a repository's images, by the place where Konflux looks for them.
const MIRROR_SET: &str = ".tekton/images-mirror-set.yaml";

/// The parts of tasks that were not checked, and those that are in none of them.
fn not_checked(verdicts: &[PipelineVerdict], unchecked: &[Unchecked]) -> Vec<String> {
    let tasks = verdicts.iter().flat_map(|verdict| &verdict.tasks).filter(|task| task.result != TaskResult::NotRun);
    let of_tasks = tasks.flat_map(|task| task.reasons.iter().map(|why| format!("{}: {why}", task.task)));
    let others = unchecked.iter().filter(|what| what.check.is_none()).map(ToString::to_string);
    let mut known = BTreeSet::new();
    of_tasks.chain(others).filter(|what| known.insert(what.clone())).collect()
}

/// Prints the tables of tasks, and reports the unchecked parts that are in none of them.
fn report_tasks(context: &Context, told: &[PipelineVerdict], unchecked: &[Unchecked]) -> Result<(), CommandError> {
    unless_reader_left(print_tasks(told))?;
    for what in unchecked.iter().filter(|what| told.is_empty() || what.check.is_none()) {
        context.reporter.note(&format!("not checked: {what}"));
    }
    Ok(())
}

/// The error if nothing was checked.
fn nothing(args: &CheckArgs, pipelines: &Pipelines) -> CommandError {
    let shown: Vec<String> = args.sources.iter().map(|it| printable(&it.shown()).into_owned()).collect();
    let shown = Listed::quoted(&shown);
    let message = match pipelines.unchecked().is_empty() {
        true => format!("nothing to check: olmdex recognizes nothing in {shown}"),
        false => format!("nothing of {shown} could be checked"),
    };
    CommandError::new(Exit::No, message).help("name a catalog, a bundle directory or a file of manifests")
}

/// Checks the paths, and collects the findings in their order.
struct Checking<'c> {
    context: &'c Context,
    /// The chosen rules of good practice.
    practices: Vec<&'static Rule>,
    pipelines: Pipelines,
    /// The catalogs that pins are compared with.
    pins: Option<Pins>,
    /// The configurations of oc-mirror.
    image_sets: ImageSets,
    /// The optional validators of bundles that are wanted.
    validators: Vec<Validator>,
    findings: Vec<Finding>,
    several: SeveralCatalogs,
    /// The templates, and the catalogs that may be rendered from them.
    copies: TemplateCopies,
    /// The catalogs whose requirements are checked.
    closure: Option<Closure>,
    is_validity_wanted: bool,
    /// The sources that are catalogs, whose upgrade graphs can be checked.
    graphs: Vec<GraphSource>,
    /// Whether a catalog that is read for its validity is read for its graphs too. With a base they are read later.
    are_graphs_wanted: bool,
    /// The files of catalogs that were checked, with their Dockerfiles.
    images: BTreeSet<(Vec<String>, PathBuf)>,
    /// The catalogs of repositories of which no Dockerfile makes an image.
    unbuilt: BTreeSet<PathBuf>,
    parts: CheckedParts,
    /// The sources whose catalogs are judged next.
    waiting: Vec<OpenSource>,
    counts: Counts,
}

impl<'c> Checking<'c> {
    /// A check of nothing so far.
    fn new(
        (context, args): (&'c Context, &CheckArgs),
        profiles: &[Profile],
        practices: Vec<&'static Rule>,
        pipelines: Pipelines,
        mirrors: Mirrors,
    ) -> Self {
        Self {
            context,
            practices,
            validators: selector::of_profiles(&profiles.iter().map(|it| it.name()).collect::<Vec<_>>()),
            pipelines,
            pins: Pins::of(&args.with, &args.source_map.source_map, args.pipeline_options.old()),
            image_sets: ImageSets::default(),
            findings: Vec::new(),
            several: SeveralCatalogs::default(),
            copies: TemplateCopies::with_mirrors(mirrors),
            closure: args.checks(CheckKind::Closure).then(Closure::default),
            // A pipeline runs `opm validate`, whatever else is wanted.
            is_validity_wanted: args.checks(CheckKind::Valid) || !profiles.is_empty(),
            graphs: Vec::new(),
            are_graphs_wanted: false,
            images: BTreeSet::new(),
            unbuilt: BTreeSet::new(),
            parts: CheckedParts::default(),
            waiting: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Compares manifests and configurations with the catalogs of `--with`.
    fn compare(&mut self, args: &CheckArgs) -> Result<(Vec<PinState>, ComparedImageSets), CommandError> {
        (self.counts.image_sets, self.counts.deletions) = self.image_sets.counts();
        let are_alone = self.counts.image_sets + self.counts.deletions > 0;
        let pins = self.pins.take().filter(|pins| pins.are_there() || !are_alone);
        let answer = pins.map(|it| it.answer(self.context)).transpose()?.unwrap_or_default();
        self.findings.extend(answer.findings);
        let mut compared = self.image_sets.compare(self.context, &args.with, args.pipeline_options.old())?;
        self.findings.append(&mut compared.findings);
        Ok((answer.pins, compared))
    }

    /// Adds the findings about upgrade graphs; with a base only what is new against it. Whether the change breaks any.
    fn add_graphs(&mut self, args: &CheckArgs, profiles: &[Profile]) -> Result<bool, CommandError> {
        let base = args.pipeline_options.old();
        let context = &self.context.for_graphs();
        if base.is_some_and(is_revision) && self.graphs.iter().any(|source| is_dockerfile(&source.opened)) {
            let error = CommandError::usage("olmdex does not follow the Dockerfiles of a revision of git");
            return Err(error.help("name a checkout of the base: `git worktree add ../base REVISION`"));
        }
        let compared = (base.filter(|_| profiles.is_empty()), self.practices.as_slice());
        retain_new(context, &self.graphs, compared, &mut self.findings)?;
        let asked = if self.are_graphs_asked(args) { &mut self.graphs[..] } else { &mut [] };
        let found = graph_findings(context, asked, base)?;
        let mut has_broken = false;
        for (source, found) in asked.iter().zip(found) {
            has_broken |= base.is_some() && found.iter().any(Finding::counts);
            self.parts.add_graph(source.part, &found);
            self.findings.extend(found);
        }
        Ok(has_broken)
    }

    /// Whether the findings about graphs are wanted. The table of a repository has a column of graphs, whatever the
    /// pipelines say.
    fn are_graphs_asked(&self, args: &CheckArgs) -> bool {
        args.checks(CheckKind::Graph) || (self.parts.are_wanted && args.only.is_empty())
    }

    /// The sources, with the parts of a repository, and the catalogs of a directory of several, in its place.
    fn taken_apart(&mut self, args: &CheckArgs) -> Vec<NamedSource> {
        let mut all = Vec::new();
        for source in &args.sources {
            match self.parts_of(source) {
                Some(parts) => parts.iter().for_each(|part| all.append(&mut self.catalogs_of(part))),
                None => all.append(&mut self.catalogs_of(source)),
            }
        }
        self.parts.are_wanted = all.len() > args.sources.len();
        self.are_graphs_wanted = args.pipeline_options.old().is_none() && self.are_graphs_asked(args);
        all
    }

    /// The parts of a repository that publishes catalogs; `None` if a source is none.
    fn parts_of(&mut self, source: &NamedSource) -> Option<Vec<NamedSource>> {
        let path = source.path.as_path();
        let may_have = !source.is_named && path.is_dir() && !self.pipelines.takes_for_repository(path);
        if !may_have || Recognized::of_layout(path).is_some() {
            return None;
        }
        let parts = RepositoryParts::of(path, &self.context.opener.builds)?;
        parts.unknown.into_iter().for_each(|what| self.pipelines.note(Unchecked::unnamed(what)));
        self.unbuilt.extend(parts.unbuilt);
        Some(parts.sources.into_iter().map(NamedSource::unnamed).collect())
    }

    /// A source, or the catalogs in it if it is a directory of several. A source that cannot be opened fails later.
    fn catalogs_of(&self, source: &NamedSource) -> Vec<NamedSource> {
        let path = source.path.as_path();
        let may_have = !source.is_named && path.is_dir() && !self.pipelines.takes_for_repository(path);
        let is_catalog = || Recognized::at(path).is_ok_and(|found| matches!(found, Recognized::Catalog));
        let found = match may_have && is_catalog() {
            true => Input::directory(path).ok().and_then(|input| catalogs_below(path, &input)),
            false => None,
        };
        let Some(catalogs) = found else { return vec![source.clone()] };
        catalogs.into_iter().map(NamedSource::unnamed).collect()
    }

    /// Adds the sources; or says which one failed.
    fn add_all(&mut self, sources: &[NamedSource]) -> Result<(), (PathBuf, CommandError)> {
        for (number, source) in sources.iter().enumerate() {
            let at = |error| (source.path.clone(), error);
            let recognized = self.recognize(&source.path).map_err(at)?;
            match self.open(number, source, recognized).map_err(at)? {
                None => {}
                Some(open) if open.is_catalog => {
                    self.waiting.push(open);
                    if self.waiting.iter().map(OpenSource::n_bytes).sum::<u64>() >= BYTES_AT_ONCE {
                        self.judge_waiting()?;
                    }
                }
                Some(open) => {
                    // The findings are in the order of the sources.
                    self.judge_waiting()?;
                    self.add_other(open).map_err(at)?;
                }
            }
        }
        self.judge_waiting()
    }

    fn recognize(&self, path: &Path) -> Result<Recognized, CommandError> {
        let recognized = Recognized::at(path).map_err(|error| {
            let shown = printable(&path.to_string_lossy()).into_owned();
            CommandError::new(Exit::Input, format!("cannot read `{shown}`: {}", system_words(&error)))
                .help("name a catalog, a bundle directory, an operator repository or a file of manifests")
        })?;
        self.context.reporter.detail(&format!("reading {} as {}", path.display(), kind_in_words(&recognized)));
        Ok(recognized)
    }

    /// Adds a part with the findings since the first of it.
    fn add_part(&mut self, path: &Path, recognized: &Recognized, first: usize) {
        let has_pipelines = match recognized {
            Recognized::Bundles(_) => self.pipelines.judge_bundles(),
            Recognized::Templates | Recognized::Legacy | Recognized::Manifests => false,
            Recognized::Settings | Recognized::ImageSets => false,
            _ => self.pipelines.are_asked() && !self.is_unbuilt(path),
        };
        self.parts.add(path, recognized, has_pipelines, &self.findings[first..]);
    }

    /// Whether a path is in a catalog of which no image is made: it is no fragment of an index.
    fn is_unbuilt(&self, path: &Path) -> bool {
        self.unbuilt.iter().any(|unbuilt| path.starts_with(unbuilt))
    }

    /// Opens a source; `None` if its catalog was checked by another name.
    fn open(
        &mut self,
        number: usize,
        source: &NamedSource,
        recognized: Recognized,
    ) -> Result<Option<OpenSource>, CommandError> {
        let path = source.path.as_path();
        let is_catalog = matches!(recognized, Recognized::Catalog | Recognized::Templates)
            // A repository may have no bundle left, and its catalogs are not one catalog.
            && !self.pipelines.takes_for_repository(path);
        let source = source.clone();
        let mut open = OpenSource {
            number,
            source,
            recognized,
            is_catalog,
            is_whole: true,
            image: None,
            index: None,
            catalogs: vec![],
        };
        if !is_catalog {
            return Ok(Some(open));
        }
        open.image = self.pipelines.image_of(path)?;
        let made = open.image.as_ref().and_then(CatalogImage::made);
        if made.is_some_and(|made| self.is_known(made)) {
            return Ok(None);
        }
        let is_directory = path.is_dir() && made.is_none();
        let is_file = path.is_file() || path.as_os_str() == STDIN;
        let (inputs, index) = self.inputs_of(path, made)?;
        open.index = index.map(Rc::new);
        for (name, input) in inputs {
            let n_files = input.files.len();
            let input = if is_directory { self.in_sight(path, input) } else { input };
            open.is_whole = n_files == input.files.len();
            if path.is_dir() && input.files.is_empty() {
                continue;
            }
            // The contents of an archive and of standard input are known only once they are open.
            let is_other = || matches!(Recognized::of_files(&input), Recognized::Manifests | Recognized::ImageSets);
            open.is_catalog = !(is_file && open.index.is_none() && is_other()) && template_texts(&input).is_none();
            open.catalogs.push((name, input));
        }
        Ok(Some(open))
    }

    /// Adds a source that is no catalog.
    fn add_other(&mut self, open: OpenSource) -> Result<(), CommandError> {
        let OpenSource { source, recognized, mut catalogs, .. } = open;
        let (path, first) = (source.path.as_path(), self.findings.len());
        match catalogs.pop() {
            Some((_, input)) => self.add_no_catalog(path, &input)?,
            None => self.add_recognized(path, &recognized)?,
        }
        self.add_part(path, &recognized, first);
        Ok(())
    }

    fn add_recognized(&mut self, path: &Path, recognized: &Recognized) -> Result<(), CommandError> {
        match recognized {
            _ if self.pipelines.takes_for_repository(path) => self.add_repository(path),
            // Those are open by now.
            Recognized::Catalog | Recognized::Templates => Ok(()),
            Recognized::Bundles(paths) => paths.iter().try_for_each(|path| self.add_bundle(path, true)),
            Recognized::Repository => self.add_repository(path),
            Recognized::Legacy => {
                let _progress = Progress::start(self.context, format!("examining {}", path.display()));
                self.findings.extend(legacy::examine(path, self.context.opener.scratch())?);
                self.counts.legacy += 1;
                Ok(())
            }
            Recognized::Settings => {
                self.findings.extend(community::settings_findings(path));
                self.counts.settings += 1;
                Ok(())
            }
            Recognized::Manifests => {
                self.add_manifests(path)?;
                // Most of a must-gather are logs.
                if path.is_dir() && Recognized::of_layout(path).is_none() {
                    self.add_image_sets(&self.in_sight(path, Input::directory(path)?))?;
                }
                Ok(())
            }
            Recognized::ImageSets => match self.context.open(path)? {
                Source::Catalog(input) if path.is_dir() => self.add_image_sets(&self.in_sight(path, input)),
                Source::Catalog(input) => self.add_image_sets(&input),
                Source::Index(_) => Ok(()),
            },
        }
    }

    /// Whether the catalog of an image was checked by another name.
    fn is_known(&mut self, (dockerfile, build): (&Dockerfile, &Build)) -> bool {
        let files = build.files.keys().cloned().collect();
        dockerfile.path.canonicalize().is_ok_and(|path| !self.images.insert((files, path)))
    }

    /// The catalogs of a path, or the one that is made of it.
    fn inputs_of(&self, path: &Path, made: Option<(&Dockerfile, &Build)>) -> Result<CatalogParts, CommandError> {
        let input = match made {
            Some((dockerfile, build)) => input_of(build, dockerfile),
            None => match self.context.open(path)? {
                Source::Catalog(input) => input,
                Source::Index(path) => return catalogs_of(&path),
            },
        };
        Ok((vec![(String::new(), input)], None))
    }

    /// Checks templates; their graphs are checked with those of catalogs.
    fn add_templates(&mut self, texts: Vec<(String, Arc<[u8]>)>) -> Result<(), CommandError> {
        let is_repository = self.parts.are_wanted;
        let (copies, findings) = (&mut self.copies, &mut self.findings);
        let graphs = self.pipelines.add_templates(self.context, texts, is_repository, copies, findings)?;
        self.counts.templates = self.pipelines.n_templates();
        // Those of standard input and of archives cannot be read again by name.
        let graphs = graphs.into_iter().filter(|file| file.is_file());
        let part = self.parts.len();
        self.graphs.extend(graphs.map(|file| GraphSource { named: file.clone(), opened: file, part, found: None }));
        Ok(())
    }

    /// Checks files that are no catalog, which is known only once they are open.
    fn add_no_catalog(&mut self, path: &Path, input: &Input) -> Result<(), CommandError> {
        if let Some(texts) = template_texts(input) {
            let _progress = Progress::reading(self.context, format!("checking {}", path.display()), input);
            self.findings.extend(input.remarks.iter().cloned());
            return self.add_templates(texts);
        }
        match Recognized::of_files(input) {
            Recognized::ImageSets => self.add_image_sets(input),
            _ if path.as_os_str() == STDIN => self.add_manifest_texts(input),
            _ => self.add_manifests(path),
        }
    }

    /// Judges the catalogs that wait, several at a time: one thread alone reads a small catalog.
    fn judge_waiting(&mut self) -> Result<(), (PathBuf, CommandError)> {
        let waiting = std::mem::take(&mut self.waiting);
        let (Some(first), Some(last)) = (waiting.first(), waiting.last()) else { return Ok(()) };
        let shown = |source: &OpenSource| source.source.path.display().to_string();
        let _progress = match (waiting.len(), first.catalogs.first()) {
            (1, Some((_, input))) => Progress::reading(self.context, format!("checking {}", shown(first)), input),
            _ => Progress::start(self.context, format!("checking {} to {}", shown(first), shown(last))),
        };
        let to_judge: Vec<CatalogToJudge<'_>> = waiting
            .iter()
            .flat_map(|source| {
                let is_unbuilt = self.is_unbuilt(&source.source.path);
                source.to_judge(is_unbuilt, self.parts.are_wanted, self.are_graphs_wanted)
            })
            .collect();
        let judged: Vec<_> = to_judge.into_par_iter().map(|catalog| catalog.judge(&self.practices)).collect();
        let mut judged = judged.into_iter();
        for source in waiting {
            let path = source.source.path.clone();
            let of_source = judged.by_ref().take(source.catalogs.len());
            self.add_judged(source, of_source).map_err(|error| (path, error))?;
        }
        Ok(())
    }

    /// Adds the catalogs of a source, as they were judged.
    fn add_judged(
        &mut self,
        open: OpenSource,
        judged: impl Iterator<Item = Result<JudgedSource, CommandError>>,
    ) -> Result<(), CommandError> {
        let OpenSource { source, recognized, image, index, catalogs, .. } = open;
        let (path, first) = (source.path.as_path(), self.findings.len());
        let (mut is_catalog, mut of_source) = (false, None);
        for ((name, input), judged) in catalogs.iter().zip(judged) {
            let JudgedSource { report, graphs, several } = judged?;
            self.findings.extend(input.remarks.iter().cloned());
            self.several.append(several);
            self.copies.add_catalog(input);
            if let Some(closure) = &mut self.closure {
                let name = if name.is_empty() { &source.name } else { name };
                closure.add(name, input, index.as_ref());
            }
            self.counts.catalogs += 1;
            self.counts.packages += report.extent.packages;
            self.counts.catalog_bundles += report.extent.bundles;
            let mut found = if self.is_validity_wanted { report.findings } else { Vec::new() };
            if CommandError::of_limit().is_some() {
                // The other checks would read it as far again.
                self.findings.append(&mut found);
                continue;
            }
            point_to_catalogs("check", path, input, &mut found);
            found.extend(report.practices.into_iter().filter(|_| self.is_validity_wanted));
            if self.is_unbuilt(path) {
                self.pipelines.leave_out(path);
            } else {
                self.pipelines.add_catalog(path, image.as_ref(), &source.shown(), input, &mut found)?;
            }
            if let Some(index) = &index {
                index.place_in_files(name, &mut found)?;
            }
            self.findings.append(&mut found);
            (is_catalog, of_source) = (true, graphs);
        }
        // Standard input is gone by now.
        if is_catalog && path.as_os_str() != STDIN {
            let made = image.as_ref().and_then(CatalogImage::made);
            let opened = made.map_or(path, |(dockerfile, _)| &dockerfile.path).to_owned();
            let (named, part) = (path.to_owned(), self.parts.len());
            self.graphs.push(GraphSource { named, opened, part, found: of_source });
        }
        self.add_part(path, &recognized, first);
        Ok(())
    }

    /// The files of a directory that are not hidden there. Nobody who has a directory checked means the settings of
    /// other programs, and their tokens; opm reads them, and so does `validate`.
    fn in_sight(&self, path: &Path, mut input: Input) -> Input {
        let n_all = input.files.len();
        input.files.retain(|file| !is_hidden(Path::new(file.relative())));
        let n_hidden = n_all - input.files.len();
        if n_hidden > 0 {
            let (n, path) = (counted(n_hidden as u64, "hidden file"), printable(&path.to_string_lossy()).into_owned());
            let message = format!("olmdex does not check {n} in `{path}`; `olmdex validate` reads them, as opm does");
            self.context.reporter.note(&message);
        }
        input
    }

    fn add_bundle(&mut self, directory: &Path, is_lone: bool) -> Result<(), CommandError> {
        let contents = Contents::read(directory)
            .map_err(|error| CommandError::new(Exit::Input, error.to_string()).help(error.help()))?;
        let k8s_version = self.pipelines.kubernetes_of_bundles().unwrap_or_default();
        let options = Options { k8s_version, ..Options::default() };
        let validation = Validation::new(&contents);
        let mut found = validation.findings(&self.validators, &options);
        if let (Some(pins), Some(newcomer), true) = (&self.pins, validation.newcomer(), is_lone) {
            found.extend(pins.joined_by(self.context, &newcomer)?);
        }
        self.pipelines.add_bundle(directory, is_lone, &mut found)?;
        self.findings.append(&mut found);
        self.counts.bundles += 1;
        Ok(())
    }

    /// The operators of a repository, and its catalogs if a chosen pipeline checks them.
    fn add_repository(&mut self, path: &Path) -> Result<(), CommandError> {
        if !path.ends_with("catalogs") {
            operators_of(path)?.iter().try_for_each(|it| self.add_operator(it))?;
        }
        let (mut found, n_catalogs) = self.pipelines.repository(path)?;
        self.findings.append(&mut found);
        self.counts.catalogs_of_operators += n_catalogs;
        Ok(())
    }

    /// An operator of a repository, with the bundles of its versions.
    fn add_operator(&mut self, operator: &Operator) -> Result<(), CommandError> {
        let found = self.pipelines.operator(&operator.path, operator);
        self.findings.extend(found.unwrap_or_else(|| community::findings(operator)));
        self.counts.operators += 1;
        let bundles = operator.versions.iter().map(|version| operator.path.join(&version.name));
        let unpublished = self.pipelines.unpublished(&operator.path, bundles);
        unpublished.iter().try_for_each(|path| self.add_bundle(path, false))
    }

    /// Objects of a cluster, and definitions.
    fn add_manifests(&mut self, path: &Path) -> Result<(), CommandError> {
        let _progress = Progress::start(self.context, format!("checking {}", path.display()));
        let (state, objects, warnings) = cluster::read_with_definitions(path, self.context.opener.archives())?;
        self.findings.extend(cluster::unreadable(&warnings));
        self.add_objects(&state, &objects);
        Ok(())
    }

    /// The configurations of oc-mirror among files.
    fn add_image_sets(&mut self, input: &Input) -> Result<(), CommandError> {
        let mut found = self.image_sets.add(input)?;
        // The reader of manifests names the file only in words.
        let is_same = |finding: &Finding| {
            finding.rule.id == cluster::rules::MANIFEST_UNREADABLE.id && self.image_sets.are_named_by(&finding.message)
        };
        self.findings.retain(|finding| !is_same(finding));
        self.findings.append(&mut found);
        Ok(())
    }

    /// The same from texts that have been read.
    fn add_manifest_texts(&mut self, input: &Input) -> Result<(), CommandError> {
        let mut texts = Vec::with_capacity(input.files.len());
        for file in &input.files {
            let text = file.whole().map_err(|error| {
                CommandError::new(Exit::Input, format!("cannot read `{}`: {}", file.shown, system_words(&error)))
            })?;
            texts.push((file.shown.as_str(), text));
        }
        let (state, objects) = cluster::read_texts_with_definitions(texts)?;
        self.add_objects(&state, &objects);
        Ok(())
    }

    fn add_objects(&mut self, state: &Cluster, objects: &[AnyObject]) {
        let (findings, n_definitions) = cluster::check(state, objects);
        self.findings.extend(findings);
        self.findings.extend(check_manifests(objects));
        self.counts.definitions += n_definitions;
        self.counts.objects += n_objects(state) as u64;
        if let Some(pins) = &mut self.pins {
            pins.add(state.clone());
        }
    }
}

/// The number of objects that say something about the operators of a cluster.
fn n_objects(cluster: &Cluster) -> usize {
    let Cluster { subscriptions, csvs, catalog_sources, extensions, operator_groups, install_plans, .. } = cluster;
    let others = [operator_groups.len(), install_plans.len(), usize::from(cluster.cluster_version.is_some())];
    let of_olm = [subscriptions.len(), csvs.len(), catalog_sources.len(), extensions.len()];
    of_olm.iter().chain(&others).sum()
}
