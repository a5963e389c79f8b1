//! The sources of commands that ask, as one index.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

pub(crate) use crate::ask::NamedSource;
use crate::ask::{self, CatalogNames, check_catalog, must_have};
use crate::calendar::Day;
use crate::catalog_source::family_and_minor;
use crate::check::rules::BUNDLE_OF_UNKNOWN_PACKAGE;
use crate::cli::args::bundle_images::TemplateBundleArgs;
use crate::cli::args::day::parse_day;
use crate::cli::args::kept_index::Key;
use crate::cli::args::moment::go_back;
use crate::cli::args::{cache, composition, legacy_source};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cli::terminal::progress::Progress;
use crate::diag::{Finding, Severity, Tally, counted};
use crate::fbc::Input;
use crate::file::Cache;
use crate::index::query::Outdated;
use crate::index::{Builder, CatalogSpec, Import, Index, Kind, Mode, WholeOrLight};
use crate::mirror::{Operator, catalog_names};
use crate::source::{STDIN, Source};
use crate::template::rules::NAMES_OF_TAGS;
use crate::upgrade::MANY_ENTRIES;

/// The sources of answers.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SourceOptions {
    /// Index or catalog to ask: `index.db`, a directory, a file, or `-`; may be repeated. Default: $OLMDEX_INDEX, then
    /// ./index.db
    #[arg(short, long = "input", value_name = "[NAME=]SOURCE")]
    input: Vec<String>,
    /// State at the end of this day (UTC), from an index with a past (`build --git`)
    #[arg(long, value_name = "DAY", value_parser = parse_day)]
    pub(crate) on: Option<Day>,
    #[command(flatten)]
    templates: TemplateBundleArgs,
}

/// The sources of answers, and the catalogs that count.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct AskOptions {
    #[command(flatten)]
    sources: SourceOptions,
    /// Only this catalog; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) catalog: Vec<String>,
}

impl SourceOptions {
    /// The sources, with the catalogs that a question names.
    pub(crate) fn of_catalogs(&self, catalogs: &[String]) -> AskOptions {
        AskOptions { sources: self.clone(), catalog: catalogs.to_vec() }
    }
}

/// The reference and the source of a word `REFERENCE=SOURCE`, if a configuration has that catalog.
///
/// # Errors
/// If the word names a catalog that the configuration does not have: that is a slip.
pub(crate) fn source_of_reference<'t>(
    text: &'t str,
    operators: &[Operator],
) -> Result<Option<(&'t str, &'t str)>, CommandError> {
    let Some((reference, source)) = text.split_once('=') else { return Ok(None) };
    if operators.iter().any(|operator| bare(&operator.catalog) == bare(reference)) {
        return Ok(Some((bare(reference), source)));
    }
    if !reference.contains('/') || NamedSource::parse(text).is_named || Path::new(text).exists() {
        return Ok(None);
    }
    let known: Vec<String> = operators.iter().map(|it| format!("`{}`", it.catalog)).collect();
    let error = CommandError::usage(format!("the configuration has no catalog `{reference}`"));
    Err(error.help(format!("it has {}", known.join(", "))))
}

/// A reference without its transport.
pub(crate) fn bare(reference: &str) -> &str {
    reference.strip_prefix("docker://").unwrap_or(reference)
}

/// Whether a word can only be a path. Any other word is a name first, and a path only if nothing has that name.
pub(crate) fn is_path(word: &str) -> bool {
    const BEGINNINGS: [&str; 3] = ["/", "./", "../"];
    const ENDINGS: [&str; 5] = [".db", ".json", ".yaml", ".yml", ".tar"];
    word == STDIN
        || matches!(word, "." | "..")
        || BEGINNINGS.iter().any(|it| word.starts_with(it))
        || ENDINGS.iter().any(|it| word.ends_with(it))
}

/// The error about a path where a name is needed.
pub(crate) fn not_a_name(path: &str) -> CommandError {
    let what = if Path::new(path).exists() { "a file or directory" } else { "a path" };
    let error = CommandError::new(Exit::NotFound, format!("`{path}` is {what}, not a package"));
    error.help(format!("to query it, name it as a source: `-i {path}`"))
}

/// Reads a source with or without a name, for a command that shows the name.
pub(crate) fn named_source() -> impl TypedValueParser<Value = NamedSource> {
    OsStringValueParser::new().map(|text| match text.to_str() {
        Some(text) => NamedSource::parse(text),
        None => NamedSource::unnamed(PathBuf::from(text)),
    })
}

/// Reads a source with or without a name, for a command with one source, which does not need the name.
pub(crate) fn source_path() -> impl TypedValueParser<Value = PathBuf> {
    named_source().map(|it| it.path)
}

impl AskOptions {
    /// Options that name sources only.
    pub(crate) fn of_sources(sources: &[PathBuf]) -> Self {
        Self::of_words(&sources.iter().map(|it| it.to_string_lossy().into_owned()).collect::<Vec<_>>())
    }

    /// The same with the sources of a configuration's catalogs, `REFERENCE=SOURCE`, under the names of these catalogs.
    pub(crate) fn of_configuration(&self, operators: &[Operator]) -> Result<Self, CommandError> {
        let names = catalog_names(operators);
        let named = |text: &String| {
            let Some((reference, source)) = source_of_reference(text, operators)? else { return Ok(text.clone()) };
            let name = operators.iter().zip(&names).find(|(operator, _)| bare(&operator.catalog) == reference);
            Ok(name.map_or_else(|| text.clone(), |(_, name)| format!("{name}={source}")))
        };
        let input = self.sources.input.iter().map(named).collect::<Result<_, CommandError>>()?;
        Ok(Self { sources: SourceOptions { input, ..self.sources.clone() }, catalog: self.catalog.clone() })
    }

    /// The same with names for the sources that the references of their images name, `REFERENCE=SOURCE`; and each of
    /// these references with its name, as `--source-map` takes them.
    pub(crate) fn of_references(&self) -> Result<(Self, Vec<String>), CommandError> {
        let reference = |text: &String| {
            let reference = text.split_once('=')?.0;
            let is_it = reference.contains('/') && !NamedSource::parse(text).is_named && !Path::new(text).exists();
            is_it.then(|| Operator { catalog: bare(reference).to_owned(), ..Operator::default() })
        };
        let operators: Vec<Operator> = self.sources.input.iter().filter_map(reference).collect();
        let ties = operators.iter().zip(catalog_names(&operators)).map(|(it, name)| format!("{}={name}", it.catalog));
        Ok((self.of_configuration(&operators)?, ties.collect()))
    }

    /// Options with the words that `-i` takes.
    pub(crate) fn of_words(words: &[String]) -> Self {
        SourceOptions { input: words.to_vec(), ..SourceOptions::default() }.of_catalogs(&[])
    }

    /// The sources as words of a command, for readers on other machines: an absolute path reveals more about this
    /// machine than it helps, and gets a placeholder.
    #[cfg(feature = "page")]
    pub(crate) fn as_words(&self) -> Result<Vec<String>, CommandError> {
        if self.sources.input.is_empty() { Ok(Vec::new()) } else { Ok(words_of(&self.sources()?)) }
    }

    /// The values of `-i`.
    #[cfg(feature = "mcp")]
    pub(crate) fn given(&self) -> &[String] {
        &self.sources.input
    }

    /// The directories of bundles.
    pub(crate) fn bundles(&self) -> &[PathBuf] {
        &self.sources.templates.bundles
    }

    /// Whether a source was named with `-i`.
    pub(crate) fn is_given(&self) -> bool {
        !self.sources.input.is_empty()
    }

    /// Opens the sources and imports them: an index as it is, anything else into one in memory.
    pub(crate) fn open(&self, context: &Context) -> Result<Index, CommandError> {
        match self.recall(context)? {
            Some(index) => Ok(index),
            None => self.look(context)?.import(context),
        }
    }

    /// The index that was kept of the same files.
    pub(crate) fn recall(&self, context: &Context) -> Result<Option<Index>, CommandError> {
        if !context.keeps_indexes || self.sources.on.is_some() || self.sources.templates.places().is_some() {
            return Ok(None);
        }
        let sources = self.sources()?;
        let Some(index) = Key::of_files(&sources).and_then(|key| key.recall::<Index>()) else { return Ok(None) };
        let mut names = CatalogNames::default();
        sources.iter().try_for_each(|source| names.add(&source.name, &source.path.display().to_string()))?;
        check_names(&self.catalog, &index.catalog_names()?)?;
        Ok(Some(index))
    }

    /// As [`Self::open`], for a question about these names.
    pub(crate) fn open_about<'w>(
        &self,
        context: &Context,
        names: impl IntoIterator<Item = &'w String>,
    ) -> Result<Index, CommandError> {
        self.refuse_paths(names)?;
        self.open(context)
    }

    /// Refuses paths where names are needed: the user meant them as the source. Without a source, any existing path is
    /// refused as well.
    pub(crate) fn refuse_paths<'w>(&self, names: impl IntoIterator<Item = &'w String>) -> Result<(), CommandError> {
        let has_source = self.is_given() || default_source().is_ok();
        let is_it = |it: &&String| is_path(it) || (!has_source && Path::new(it).exists());
        let Some(path) = names.into_iter().find(is_it) else { return Ok(()) };
        let mut error = not_a_name(path);
        if !has_source {
            error.exit = Exit::Usage;
        }
        Err(error)
    }

    /// Opens each source once: standard input can be read only once.
    pub(crate) fn look(&self, context: &Context) -> Result<Sources<'_>, CommandError> {
        self.look_about(context, &[])
    }

    /// As [`Self::look`], to ask about what some words name, and about nothing else.
    pub(crate) fn look_about(&self, context: &Context, words: &[&String]) -> Result<Sources<'_>, CommandError> {
        let sources = self.sources()?;
        let context = &context.with_bundles(self.sources.templates.places());
        let mut opened = Vec::with_capacity(sources.len());
        for source in &sources {
            opened.push((source.clone(), context.open(&source.path)?));
        }
        if let [(only, Source::Index(path))] = opened.as_slice()
            && !only.is_named
        {
            let mut index = Index::open(path)?;
            warn_if_outdated(context, &index)?;
            if let Some(day) = self.sources.on {
                check_names(&self.catalog, &index.catalog_names()?)?;
                go_back(context, &mut index, day, &self.catalog, words)?;
            }
            return Ok(Sources { wanted: &self.catalog, opened: SourceSet::Index(index) });
        }
        self.refuse_day("`--on` takes one source only, an index with a history")?;
        let mut names = CatalogNames::default();
        opened.iter().try_for_each(|(named, source)| names.load(named, source).map(drop))?;
        Ok(Sources { wanted: &self.catalog, opened: SourceSet::Catalogs(opened) })
    }

    /// Refuses `--on` if it is meaningless, with a reason.
    pub(crate) fn refuse_day(&self, reason: &str) -> Result<(), CommandError> {
        match self.sources.on {
            None => Ok(()),
            Some(_) => {
                Err(CommandError::usage(reason).help("`olmdex build --git NAME=REPO` builds an index with a history"))
            }
        }
    }

    /// Whether the user gave a catalog a name of its own that is more than a version of OpenShift.
    pub(crate) fn names_catalogs(&self) -> bool {
        let named = self.sources.input.iter().map(|it| NamedSource::parse(it)).filter(|it| it.is_named);
        named.into_iter().any(|it| family_and_minor(&it.name).is_none())
    }

    pub(crate) fn sources(&self) -> Result<Vec<NamedSource>, CommandError> {
        if !self.sources.input.is_empty() {
            return Ok(self.sources.input.iter().map(|it| NamedSource::parse(it)).collect());
        }
        Ok(vec![default_source()?])
    }
}

/// Warns somebody at a terminal about catalogs that have changed since the index was written. Others get no warning:
/// checking every file of the sources may take as long as the answer.
fn warn_if_outdated(context: &Context, index: &Index) -> Result<(), CommandError> {
    if context.reporter.is_quiet() || !std::io::stderr().is_terminal() {
        return Ok(());
    }
    let cache = cache::directory().map(|it| Cache::at(&it));
    for it in index.outdated(cache.as_ref(), &composition::parts)? {
        let (catalog, newest) = (&it.catalog, &it.newest);
        context.reporter.warning(&format!("the index is older than catalog `{catalog}`: {newest} has changed since"));
        context.reporter.note(&format!("  = help: {}", rebuild(index, &it)));
    }
    Ok(())
}

/// The command that brings a catalog of an index up to date.
pub(crate) fn rebuild(index: &Index, outdated: &Outdated) -> String {
    let Outdated { catalog, source, .. } = outdated;
    if let Some((file, _)) = source.rsplit_once('#').filter(|it| it.0.ends_with(".toml")) {
        return format!("`olmdex build --config {file} -O {}`", index.path().display());
    }
    format!("`olmdex build {catalog}={source} -O {}`", index.path().display())
}

/// Sources as words of a command, see [`AskOptions::as_words`].
#[cfg(feature = "page")]
pub(crate) fn words_of(sources: &[NamedSource]) -> Vec<String> {
    let words = sources.iter().flat_map(|it| {
        let path = crate::page::in_command(&it.path);
        let word = match it.is_named {
            true => format!("{}={path}", it.name),
            // Otherwise the text before it would be a name.
            false if path.contains('=') && it.path.is_relative() => format!("./{path}"),
            false => path,
        };
        ["-i".to_owned(), word]
    });
    words.collect()
}

/// The source of a question that names none.
pub(crate) fn default_source() -> Result<NamedSource, CommandError> {
    if let Some(named) = std::env::var_os("OLMDEX_INDEX").filter(|it| !it.is_empty()) {
        return Ok(NamedSource::parse(&named.to_string_lossy()));
    }
    if Path::new("index.db").exists() {
        return Ok(NamedSource::parse("index.db"));
    }
    let error = CommandError::usage("no index or catalog given: no `-i`, no $OLMDEX_INDEX and no ./index.db");
    Err(error.help("name a source with `-i PATH`, or build an index: `olmdex build CATALOG -O index.db`"))
}

/// Every catalog that was named must be there.
pub(crate) fn check_names(wanted: &[String], names: &[String]) -> Result<(), CommandError> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok(wanted.iter().try_for_each(|it| must_have(it, &names))?)
}

/// Sources that are open.
pub(crate) struct Sources<'o> {
    /// The catalogs that `--catalog` chooses.
    wanted: &'o [String],
    opened: SourceSet,
}

enum SourceSet {
    Index(Index),
    Catalogs(Vec<(NamedSource, Source)>),
}

/// Sources as one index.
struct Imported<K = Index> {
    index: K,
    /// The catalogs that were imported, in the order of the sources.
    names: Vec<String>,
    /// The errors that make them invalid, if the caller asked for them.
    errors: Vec<Finding>,
}

impl Sources<'_> {
    /// The sources, if all are catalogs in files.
    pub(crate) fn catalogs(&self) -> Option<&[(NamedSource, Source)]> {
        match &self.opened {
            SourceSet::Catalogs(all) if all.iter().all(|it| matches!(it.1, Source::Catalog(_))) => Some(all),
            _ => None,
        }
    }

    /// The files, if the only source is one catalog of files.
    pub(crate) fn files(&self) -> Option<(&NamedSource, &Input)> {
        match &self.opened {
            SourceSet::Catalogs(sources) => match sources.as_slice() {
                [(named, Source::Catalog(input))] => Some((named, input)),
                _ => None,
            },
            SourceSet::Index(_) => None,
        }
    }

    /// The message of the real tool if it refuses one of the catalogs.
    pub(crate) fn refusal(&self) -> Option<String> {
        let SourceSet::Catalogs(sources) = &self.opened else { return None };
        sources.iter().find_map(|(_, source)| match source {
            Source::Catalog(input) => legacy_source::refusal(&input.remarks).or_else(|| check_catalog(input, None).opm),
            Source::Index(_) => None,
        })
    }

    /// Imports catalogs into an index in memory, by the same code as `build`, but without refusing any: faults are
    /// warnings, and broken packages are marked. Unreadable input is an error.
    pub(crate) fn import(self, context: &Context) -> Result<Index, CommandError> {
        let wanted = self.wanted;
        let index = self.import_with_warnings(context)?.index;
        check_names(wanted, &index.catalog_names()?)?;
        Ok(index)
    }

    /// As [`Self::import`], with the catalogs in the user's order: that of `--catalog`, else that of the sources; those
    /// of an index by their age.
    pub(crate) fn import_in_order(self, context: &Context) -> Result<(Index, Vec<String>), CommandError> {
        let wanted = self.wanted;
        let Imported { index, mut names, .. } = self.import_with_warnings(context)?;
        if names.is_empty() {
            names = index.catalog_names_in_time()?;
        }
        check_names(wanted, &names)?;
        Ok((index, if wanted.is_empty() { names } else { wanted.to_vec() }))
    }

    /// As [`Self::import`], but with errors that make the catalogs invalid as findings, and not as warnings or as an
    /// error. Catalogs in an index are valid. The index of files is light, unless a package has so many entries that
    /// the edges are needed.
    pub(crate) fn import_judged(self, context: &Context) -> Result<(WholeOrLight, Vec<Finding>), CommandError> {
        let wanted = self.wanted;
        let judge = &mut |named: &NamedSource, input: &Input, import: Import| {
            if !wanted.is_empty() && !wanted.contains(&named.name) {
                return Ok(Vec::new());
            }
            let found = input.remarks.iter().cloned().chain(import.report.findings);
            Ok(found.filter(|it| it.rule.severity == Severity::Error).collect())
        };
        let (index, errors): (WholeOrLight, _) = match self.opened {
            SourceSet::Index(index) => (index.into(), Vec::new()),
            SourceSet::Catalogs(sources) => {
                let Imported { index, errors, .. } = import(context, ask::builder_for_graphs(), &sources, judge)?;
                match index.most_entries()? < MANY_ENTRIES {
                    true => (index.into(), errors),
                    false => (import(context, ask::builder(), &sources, judge)?.index.into(), errors),
                }
            }
        };
        check_names(wanted, &index.catalog_names()?)?;
        Ok((index, errors))
    }

    fn import_with_warnings(self, context: &Context) -> Result<Imported, CommandError> {
        let SourceSet::Catalogs(sources) = &self.opened else {
            return self.import_with(context, &mut |_, _, _| Ok(Vec::new()));
        };
        let key = if context.keeps_indexes { Key::of_sources(sources) } else { None };
        if let Some(index) = key.as_ref().and_then(Key::recall) {
            let names = sources.iter().map(|it| it.0.name.clone()).collect();
            return Ok(Imported { index, names, errors: Vec::new() });
        }
        let mut is_clean = true;
        let imported = self.import_with(context, &mut |named, input, import| {
            is_clean &=
                legacy_source::refusal(&input.remarks).is_none() && Tally::of(&import.report.findings).errors == 0;
            refuse_unreadable(context, named, input, &import)?;
            Ok(Vec::new())
        })?;
        if let Some(key) = key.filter(|_| is_clean) {
            key.keep(&imported.index);
        }
        Ok(imported)
    }

    fn import_with(self, context: &Context, judge: &mut Judge<'_>) -> Result<Imported, CommandError> {
        match self.opened {
            SourceSet::Index(index) => Ok(Imported { index, names: Vec::new(), errors: Vec::new() }),
            SourceSet::Catalogs(sources) => import(context, ask::builder(), &sources, judge),
        }
    }
}

/// Judges the findings about a catalog in files: an error ends the command.
type Judge<'j> = dyn FnMut(&NamedSource, &Input, Import) -> Result<Vec<Finding>, CommandError> + 'j;

fn import<K: Kind>(
    context: &Context,
    mut builder: Builder<K>,
    sources: &[(NamedSource, Source)],
    judge: &mut Judge<'_>,
) -> Result<Imported<K>, CommandError> {
    let mut errors = Vec::new();
    let (names, _) = ask::load_into(&mut builder, sources, |builder, named, catalog| -> Result<(), CommandError> {
        match catalog.files() {
            Some(input) => {
                let import = add_files(context, builder, named, input)?;
                errors.extend(judge(named, input, import)?);
            }
            None => drop(builder.add_catalog(&catalog.spec, &*catalog.input()?, Mode::Tolerant)?),
        }
        Ok(())
    })?;
    Ok(Imported { index: builder.into_index()?, names, errors })
}

/// Imports one catalog in files. Unreadable files end the command.
pub(crate) fn import_files(
    context: &Context,
    builder: &mut Builder,
    named: &NamedSource,
    input: &Input,
) -> Result<(), CommandError> {
    let import = add_files(context, builder, named, input)?;
    refuse_unreadable(context, named, input, &import)
}

/// As [`import_files`], but without reports.
pub(crate) fn add_files<K: Kind>(
    context: &Context,
    builder: &mut Builder<K>,
    named: &NamedSource,
    input: &Input,
) -> Result<Import, CommandError> {
    let source = named.path.display().to_string();
    let spec = CatalogSpec { name: named.name.clone(), source: source.clone(), ..CatalogSpec::default() };
    let started = Instant::now();
    let progress = Progress::reading(context, format!("reading {source}"), input);
    let import = builder.add_catalog(&spec, input, Mode::Tolerant)?;
    drop(progress);
    let what = match &input.part {
        Some(documents) => counted(documents.len() as u64, "document"),
        None => format!("{} files", input.files.len()),
    };
    context.reporter.detail(&format!("read {what} of {source} in {:.0?}", started.elapsed()));
    Ok(import)
}

/// Reports the faults of a catalog. Unreadable files are an error.
fn refuse_unreadable(
    context: &Context,
    named: &NamedSource,
    input: &Input,
    import: &Import,
) -> Result<(), CommandError> {
    let source = named.path.display();
    legacy_source::report_errors(context, &input.remarks);
    let of_tags = input.remarks.iter().filter(|remark| remark.rule.id == NAMES_OF_TAGS.id);
    of_tags.for_each(|remark| context.reporter.finding(remark));
    let mut unreadable = import.report.findings.iter().filter(|it| it.rule.id.starts_with("E00")).peekable();
    if unreadable.peek().is_some() {
        unreadable.for_each(|it| context.reporter.finding(it));
        return Err(CommandError::new(Exit::Input, format!("`{source}` is not a readable catalog")));
    }
    let tally = Tally::of(&import.report.findings);
    let mut rules =
        import.report.findings.iter().map(|finding| finding.rule).filter(|rule| rule.severity == Severity::Error);
    let is_bundle = input.files.iter().all(|file| file.made_of().is_some())
        && rules.all(|rule| rule.id == BUNDLE_OF_UNKNOWN_PACKAGE.id);
    if is_bundle && tally.errors > 0 {
        context.reporter.note(&format!("`{source}` is a bundle by itself: its package has no channels here"));
    } else if tally.errors > 0 {
        let names: Vec<&str> = import.report.broken_packages.iter().map(String::as_str).collect();
        let names = names.join(", ");
        context
            .reporter
            .warning(&format!("`{source}` is not valid ({tally}; packages: {names}); `olmdex validate` shows why"));
    }
    Ok(())
}
