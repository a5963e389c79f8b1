//! The configurations of oc-mirror that `olmdex check` finds, compared with catalogs and with their state before a
//! change.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::ask::{ImageSetError, ImageSetQuestion, KnownCatalogs, MirrorCatalog};
use crate::cli::args::judged::at_path;
use crate::cli::args::sources::{NamedSource, bare};
use crate::cli::mirror::entries::open_one;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::diag::envelope::ImageSetState;
use crate::diag::{Finding, Severity, counted, printable};
use crate::fbc::{Input, InputFile};
use crate::file::system_words;
use crate::mirror::{Configuration, ConfigurationFile, Purpose, catalog_names};
use crate::source::{Source, is_image_set, is_index};

/// A file with a configuration.
#[derive(Debug)]
struct ImageSetFile {
    /// Its name for people.
    shown: String,
    /// Its path, and its path in the directory that was named, by which its place in a base is found. Its name alone
    /// would find the configuration of another mirror.
    paths: [PathBuf; 2],
    text: Vec<u8>,
    purpose: Purpose,
    /// Whether oc-mirror would refuse it.
    is_refused: bool,
}

/// The configurations that were found so far.
#[derive(Debug, Default)]
pub(super) struct ImageSets {
    files: Vec<ImageSetFile>,
}

/// The configurations, compared.
#[derive(Debug, Default)]
pub(super) struct ComparedImageSets {
    pub(super) findings: Vec<Finding>,
    pub(super) states: Vec<ImageSetState>,
}

fn text_of(file: &InputFile) -> Result<Cow<'_, [u8]>, CommandError> {
    file.whole().map_err(|error| {
        CommandError::new(Exit::Input, format!("cannot read `{}`: {}", file.shown, system_words(&error)))
    })
}

impl ImageSets {
    /// The numbers of ImageSetConfigurations, and of DeleteImageSetConfigurations.
    pub(super) fn counts(&self) -> (u64, u64) {
        let deletions = self.files.iter().filter(|file| file.purpose == Purpose::Delete).count() as u64;
        (self.files.len() as u64 - deletions, deletions)
    }

    /// Whether words begin with the name of one of them.
    pub(super) fn are_named_by(&self, words: &str) -> bool {
        let name = words.strip_prefix('`').and_then(|rest| rest.split_once('`')).map(|(name, _)| name);
        name.is_some_and(|name| self.files.iter().any(|file| printable(&file.shown) == name))
    }

    /// Takes the configurations among files, and returns the findings about each by itself.
    pub(super) fn add(&mut self, input: &Input) -> Result<Vec<Finding>, CommandError> {
        let mut findings = Vec::new();
        for file in input.files.iter().filter(|file| is_image_set(file)) {
            let text = text_of(file)?;
            let ConfigurationFile { findings: found, configuration, .. } = ConfigurationFile::read(&file.shown, &text);
            let purpose = configuration.purpose;
            let is_refused = found.iter().any(|finding| finding.rule.severity == Severity::Error);
            findings.extend(found);
            let paths = [PathBuf::from(&file.shown), PathBuf::from(file.relative())];
            let (shown, text) = (file.shown.clone(), text.into_owned());
            self.files.push(ImageSetFile { shown, paths, text, purpose, is_refused });
        }
        Ok(findings)
    }

    /// Compares them with the catalogs of `--with`, and with their state before the change.
    pub(super) fn compare(
        &self,
        context: &Context,
        with: &[String],
        base: Option<&Path>,
    ) -> Result<ComparedImageSets, CommandError> {
        let mut compared = ComparedImageSets::default();
        if self.files.is_empty() {
            return Ok(compared);
        }
        let missing = |path: &Path| {
            let error =
                CommandError::new(Exit::Input, format!("`{}` does not exist", printable(&path.to_string_lossy())));
            error.help("name a catalog, or the configuration before the change")
        };
        // Those that no configuration is compared with are not opened.
        let sources = with.iter().map(|word| NamedSource::parse(without_reference(word).1).path);
        for path in sources.chain(base.map(Path::to_owned)) {
            // An image and a revision have a colon.
            if !path.to_string_lossy().contains(':') && !path.exists() {
                return Err(missing(&path));
            }
        }
        if with.is_empty() {
            return Ok(compared);
        }
        for file in &self.files {
            if file.is_refused || file.purpose == Purpose::Delete {
                let why = match file.is_refused {
                    true => "oc-mirror would refuse the configuration",
                    false => "`olmdex mirror delete` compares what a DeleteImageSetConfiguration names",
                };
                let not_compared = vec![why.to_owned()];
                compared.states.push(ImageSetState { file: file.shown.clone(), not_compared, ..<_>::default() });
                continue;
            }
            let read = ConfigurationFile::read(&file.shown, &file.text);
            let mut unread = Vec::new();
            let before = base.map(|base| state_before(context, base, file, &mut unread)).transpose()?.flatten();
            let before = match &before {
                Some(before) => Some(known(context, before, with)?),
                None => None,
            };
            let now = known(context, &read.configuration, with)?;
            let mut answer = ImageSetQuestion { file: &read, now, before }.answer()?;
            answer.state.file.clone_from(&file.shown);
            answer.state.not_compared.append(&mut unread);
            compared.findings.append(&mut answer.findings);
            compared.states.push(answer.state);
        }
        Ok(compared)
    }
}

impl From<ImageSetError> for CommandError {
    fn from(error: ImageSetError) -> Self {
        match error {
            ImageSetError::Keep(error) => error.into(),
            ImageSetError::Index(error) => error.into(),
            ImageSetError::Ask(error) => error.into(),
            error => Self::new(Exit::Input, error.to_string()),
        }
    }
}

/// The configuration before the change; `None` if there was none. A base that is a file is that configuration.
fn state_before(
    context: &Context,
    base: &Path,
    file: &ImageSetFile,
    unread: &mut Vec<String>,
) -> Result<Option<Configuration>, CommandError> {
    let in_base = file.paths.iter().find_map(|path| at_path(context, base, path));
    let Some(path) = in_base.or_else(|| base.is_file().then(|| base.to_owned())) else { return Ok(None) };
    if is_index(&path) {
        return Ok(None);
    }
    let Source::Catalog(input) = context.open(&path)? else { return Ok(None) };
    let [before] = input.files.as_slice() else { return Ok(None) };
    if !is_image_set(before) {
        return Ok(None);
    }
    let text = text_of(before)?;
    let read = ConfigurationFile::read(&before.shown, &text);
    let fault = read.findings.into_iter().find(|finding| finding.rule.severity == Severity::Error);
    match fault {
        Some(fault) => {
            unread.push(format!("the configuration before the change, which oc-mirror refuses: {}", fault.message));
            Ok(None)
        }
        None => Ok(Some(read.configuration)),
    }
}

/// A catalog of `--with`: the reference or the name that stands before it, and its source.
struct WithCatalog {
    name: Option<String>,
    path: PathBuf,
}

/// The word of `--with` without a reference before it, and that reference: `REFERENCE=SOURCE`.
pub(super) fn without_reference(word: &str) -> (Option<&str>, &str) {
    let split = word.split_once('=').filter(|(reference, _)| {
        reference.contains('/') && !NamedSource::parse(word).is_named && !Path::new(word).exists()
    });
    split.map_or((None, word), |(reference, source)| (Some(bare(reference)), source))
}

/// A configuration with those of its catalogs that `--with` names: by their references, by their names, or the only
/// one for a configuration with one catalog.
fn known<'c>(
    context: &Context,
    configuration: &'c Configuration,
    with: &[String],
) -> Result<KnownCatalogs<'c>, CommandError> {
    let sources: Vec<WithCatalog> = with
        .iter()
        .map(|word| match without_reference(word) {
            (Some(reference), source) => WithCatalog { name: Some(reference.to_owned()), path: PathBuf::from(source) },
            (None, word) => {
                let NamedSource { name, path, is_named, .. } = NamedSource::parse(word);
                WithCatalog { name: is_named.then_some(name), path }
            }
        })
        .collect();
    let operators = &configuration.operators;
    let references: BTreeSet<&str> = operators.iter().map(|operator| bare(&operator.catalog)).collect();
    let mut catalogs: Vec<(usize, MirrorCatalog)> = Vec::new();
    for ((number, operator), name) in operators.iter().enumerate().zip(catalog_names(operators)) {
        let is_named = |source: &&WithCatalog, by: &str| source.name.as_deref() == Some(by);
        let by_reference = sources.iter().find(|source| is_named(source, bare(&operator.catalog)));
        let by_name = || sources.iter().find(|source| is_named(source, &name));
        let alone = || match sources.as_slice() {
            [only] if only.name.is_none() && (references.len() == 1 || is_index(&only.path)) => Some(only),
            _ => None,
        };
        if let Some(source) = by_reference.or_else(by_name).or_else(alone) {
            catalogs.push((number, open_one(context, operator.clone(), name, &source.path, None)?));
        }
    }
    Ok(KnownCatalogs { configuration, catalogs })
}

/// How many images of a change the words name; the data has all.
const TOLD: usize = 10;

/// A compared configuration in words, one line each.
pub(super) fn words(state: &ImageSetState) -> Vec<String> {
    let file = printable(&state.file);
    let mut lines = Vec::new();
    if state.images > 0 || state.not_compared.is_empty() {
        lines.push(format!("{file}: {}", counted(state.images as u64, "image")));
    }
    for (images, comes, come) in [(&state.added, "comes", "come"), (&state.removed, "goes", "go")] {
        if images.is_empty() {
            continue;
        }
        let told: Vec<Cow<'_, str>> = images.iter().take(TOLD).map(|image| printable(image)).collect();
        let more = images.len() - told.len();
        let more = if more > 0 { format!(", and {more} more, which `-o json` lists") } else { String::new() };
        let verb = if images.len() == 1 { comes } else { come };
        lines.push(format!("{file}: {} {verb}: {}{more}", counted(images.len() as u64, "image"), told.join(", ")));
    }
    lines.extend(state.not_compared.iter().map(|what| format!("{file}: not compared: {what}")));
    lines
}
