//! The part of catalogs in files that a question is about: only the documents of that part are put into an index.
//!
//! A search of the bytes finds the files that may have these documents, and a reading of these files their places. It
//! decodes each document, judges none, and is kept in the user's cache directory for the next question about the same
//! catalog. A fault in such a file ends the question as if all documents had been put into an index; faults in other
//! files, and in packages that the question does not name, are not reported. A word that names nothing, and a package
//! that is not valid, are answered from all documents, with all that there is to report about them.
//!
//! A list of everything is about all documents, but only about their names, versions and edges, so the index for it
//! holds nothing else.
//!
//! This module does not know which questions are about a part; commands state that.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::ask;
use crate::cli::args::kept_index::Key;
use crate::cli::args::legacy_source::refusal;
use crate::cli::args::sources::{AskOptions, NamedSource, Sources, add_files, check_names};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::cli::terminal::progress::Progress;
use crate::diag::Tally;
pub(crate) use crate::edit::Reach;
use crate::edit::Survey;
use crate::fbc::{Input, InputFile, Name, Origin};
use crate::index::{Builder, Index};
use crate::source::Source;

/// The subject of a question about some packages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'w> {
    /// Words that name packages.
    pub(crate) words: &'w [&'w String],
    /// Words that may name packages too, or nothing.
    pub(crate) also: &'w [&'w String],
    pub(crate) reach: Reach,
}

impl AskOptions {
    /// As [`Self::open`], for a question about the packages that some words name, and about nothing else.
    pub(crate) fn open_part<'w>(
        &self,
        context: &Context,
        words: impl IntoIterator<Item = &'w String>,
        reach: Reach,
    ) -> Result<Index, CommandError> {
        let words: Vec<&String> = words.into_iter().collect();
        self.refuse_paths(words.iter().copied())?;
        self.open_part_of(context, Subject { words: &words, also: &[], reach })
    }

    /// As [`Self::open_part`], for words that cannot be paths.
    pub(crate) fn open_part_of(&self, context: &Context, subject: Subject<'_>) -> Result<Index, CommandError> {
        let words = match subject.reach {
            Reach::Own => subject.words,
            Reach::Needs | Reach::Around => &[],
        };
        self.open_enough(context, words, |sources| part_of(context, sources, subject))
    }

    /// As [`Self::open`], for lists of all that catalogs have.
    pub(crate) fn open_lists(&self, context: &Context) -> Result<Index, CommandError> {
        self.open_enough(context, &[], |sources| lists_of(context, sources))
    }

    /// As [`Self::open`], but with an index of a part of the sources where that is enough. `words` are as for
    /// [`Self::look_about`].
    fn open_enough(
        &self,
        context: &Context,
        words: &[&String],
        part: impl FnOnce(&Sources<'_>) -> Result<Option<Index>, CommandError>,
    ) -> Result<Index, CommandError> {
        if let Some(index) = self.recall(context)? {
            return Ok(index);
        }
        let sources = self.look_about(context, words)?;
        let Some(index) = part(&sources)? else { return sources.import(context) };
        check_names(&self.catalog, &index.catalog_names()?)?;
        Ok(index)
    }
}

/// The documents of catalogs that are about some words; `None` if a complete answer needs all documents.
fn part_of(context: &Context, sources: &Sources<'_>, subject: Subject<'_>) -> Result<Option<Index>, CommandError> {
    let Some(sources) = sources.catalogs().filter(|_| !subject.words.is_empty()) else { return Ok(None) };
    let inputs: Option<Vec<(&NamedSource, &Input)>> = sources.iter().map(plain).collect();
    let Some(inputs) = inputs else { return Ok(None) };
    let key = if context.keeps_indexes { Key::of_sources(sources) } else { None };
    if let Some(index) = key.as_ref().and_then(Key::recall) {
        return Ok(Some(index));
    }
    let Some((surveys, packages)) = survey(context, &inputs, key.as_ref(), subject) else { return Ok(None) };
    let key = key.map(|it| it.of_part(&packages));
    if let Some(index) = key.as_ref().and_then(Key::recall) {
        return Ok(Some(index));
    }
    let parts: Vec<Vec<Origin>> = surveys.iter().map(|it| it.documents_of(&packages)).collect();
    let n_bytes = len_of(parts.iter().flatten());
    if n_bytes >= inputs.iter().flat_map(|it| &it.1.files).filter_map(InputFile::size).sum::<u64>() / 2 {
        // Such a part saves little, so keep the whole index.
        return Ok(None);
    }
    let mut builder = ask::builder();
    for ((named, input), documents) in inputs.iter().zip(parts) {
        if !add_valid(context, &mut builder, named, &input.only_documents(documents))? {
            return Ok(None);
        }
    }
    let index = builder.into_index()?;
    if let Some(key) = key {
        key.keep(&index);
    }
    Ok(Some(index))
}

/// The lists of catalogs; `None` if something is to be reported, or no part of the files is enough.
fn lists_of(context: &Context, sources: &Sources<'_>) -> Result<Option<Index>, CommandError> {
    let Some(sources) = sources.catalogs() else { return Ok(None) };
    let inputs: Option<Vec<(&NamedSource, &Input)>> = sources.iter().map(plain).collect();
    let Some(inputs) = inputs else { return Ok(None) };
    let key = if context.keeps_indexes { Key::of_sources(sources) } else { None };
    let key_of_lists = key.as_ref().map(Key::of_lists);
    if let Some(index) = [&key, &key_of_lists].into_iter().flatten().find_map(Key::recall) {
        return Ok(Some(index));
    }
    let mut builder = ask::builder_for_lists();
    for (named, input) in inputs {
        if !add_valid(context, &mut builder, named, input)? {
            return Ok(None);
        }
    }
    let index = builder.into_index()?;
    if let Some(key) = key_of_lists {
        key.keep(&index);
    }
    Ok(Some(index))
}

/// Adds files to an index. Returns whether they have no errors, which the whole catalog reports better.
fn add_valid(
    context: &Context,
    builder: &mut Builder,
    named: &NamedSource,
    input: &Input,
) -> Result<bool, CommandError> {
    let report = add_files(context, builder, named, input)?.report;
    Ok(Tally::of(&report.findings).errors == 0 && !report.has_other_errors && report.broken_packages.is_empty())
}

/// How many bytes documents have.
fn len_of<'o>(documents: impl Iterator<Item = &'o Origin>) -> u64 {
    documents.map(|it| it.len).sum()
}

/// A catalog in files that needs no remark before it is read. A legacy file is none: its opening alone takes as long as
/// reading a catalog, so the whole catalog is kept, and the next question need not open the file.
fn plain((named, source): &(NamedSource, Source)) -> Option<(&NamedSource, &Input)> {
    match source {
        Source::Catalog(input) if refusal(&input.remarks).is_none() && !input.files.iter().any(InputFile::is_made) => {
            Some((named, input))
        }
        _ => None,
    }
}

/// The packages that some words are about, and the places of their documents in each catalog. `None` if a word may be
/// about other packages, or a file that may have a document cannot be read.
fn survey(
    context: &Context,
    inputs: &[(&NamedSource, &Input)],
    key: Option<&Key>,
    subject: Subject<'_>,
) -> Option<(Vec<Survey>, BTreeSet<String>)> {
    let kept = key.and_then(Key::recall_survey).and_then(|it| Survey::several_of_bytes(&it));
    let kept = kept.filter(|it| it.len() == inputs.len());
    let mut surveys = kept.unwrap_or_else(|| vec![Survey::default(); inputs.len()]);
    let has_more = search(context, inputs, &mut surveys, subject);
    let merged = Survey::merged(&surveys);
    let meant = meant(&merged, subject)?;
    let packages = meant.iter().flat_map(|it| merged.within(it, subject.reach)).collect();
    drop(merged);
    if !surveys.iter().all(Survey::is_readable) {
        return None;
    }
    if let Some(key) = key.filter(|_| has_more)
        && let Some(bytes) = Survey::several_to_bytes(&surveys)
    {
        key.keep_survey(&bytes);
    }
    Some((surveys, packages))
}

/// Adds the documents that some words are about to the survey of each catalog. Returns whether that needed a search.
fn search(context: &Context, inputs: &[(&NamedSource, &Input)], surveys: &mut [Survey], subject: Subject<'_>) -> bool {
    let names: Vec<Name> = subject.words.iter().chain(subject.also).map(|it| Name::parse(it)).collect();
    let names: Vec<&str> = names.iter().map(Name::text).collect();
    let files: Vec<&Input> = inputs.iter().map(|it| it.1).collect();
    let started = Instant::now();
    let progress = Progress::start(context, format!("looking for {}", names.join(", ")));
    let has_searched = Survey::find(surveys, &files, &names, subject.reach);
    drop(progress);
    if has_searched {
        let took = started.elapsed();
        for (survey, (named, input)) in surveys.iter().zip(inputs) {
            let (n_read, n_files, source) = (survey.n_files(), input.files.len(), named.path.display());
            let words = format!("looked through {n_read} of {n_files} files of {source} in {took:.0?}");
            context.reporter.detail(&words);
        }
    }
    has_searched
}

/// The packages that some words name; `None` if one of them may be about others.
fn meant(survey: &Survey, subject: Subject<'_>) -> Option<BTreeSet<String>> {
    let of_word = |it: &&String| survey.meant(&Name::parse(it));
    let mut meant: BTreeSet<String> = subject.also.iter().flat_map(of_word).collect();
    for word in subject.words {
        let of_word = of_word(word);
        if of_word.is_empty() {
            return None;
        }
        meant.extend(of_word);
    }
    Some(meant)
}
