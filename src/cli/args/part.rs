//! The part of catalogs in files that a question is about: only the documents of that part are put into an index.
//!
//! One reading of all files finds the places of these documents. It decodes each document, judges none, and is kept in
//! the user's cache directory. A fault in a document ends the question as if all documents had been put into an index;
//! faults in packages that the question does not name are not reported. A word that names nothing, and a package that
//! is not valid, are answered from all documents, with all that there is to report about them.
//!
//! This module does not know which questions are about a part; commands state that.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::ask;
use crate::cli::args::kept_index::{Key, MIN_BYTES};
use crate::cli::args::legacy_source::refusal;
use crate::cli::args::sources::{AskOptions, NamedSource, Sources, add_files, check_names};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::cli::terminal::progress::Progress;
use crate::diag::Tally;
use crate::edit::Survey;
use crate::fbc::{Input, InputFile, Name, Origin};
use crate::index::Index;
use crate::source::Source;

/// Which packages a question about some is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// These.
    Own,
    /// These, with all packages that depend on them and all that those need, directly or indirectly.
    Around,
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
        self.open_part_of(context, &words, reach)
    }

    /// As [`Self::open_part`], for words that cannot be paths.
    pub(crate) fn open_part_of(
        &self,
        context: &Context,
        words: &[&String],
        reach: Reach,
    ) -> Result<Index, CommandError> {
        if let Some(index) = self.recall(context)? {
            return Ok(index);
        }
        let sources = match reach {
            Reach::Own => self.look_about(context, words)?,
            Reach::Around => self.look(context)?,
        };
        if let Some(index) = part_of(context, &sources, words, reach)? {
            check_names(&self.catalog, &index.catalog_names()?)?;
            return Ok(index);
        }
        sources.import(context)
    }
}

/// The documents of catalogs that are about some words; `None` if a complete answer needs all documents.
fn part_of(
    context: &Context,
    sources: &Sources<'_>,
    words: &[&String],
    reach: Reach,
) -> Result<Option<Index>, CommandError> {
    let Some(sources) = sources.catalogs().filter(|_| !words.is_empty()) else { return Ok(None) };
    let inputs: Option<Vec<(&NamedSource, &Input)>> = sources.iter().map(plain).collect();
    let Some(inputs) = inputs else { return Ok(None) };
    let key = if context.keeps_indexes { Key::of_sources(sources) } else { None };
    if let Some(index) = key.as_ref().and_then(Key::recall) {
        return Ok(Some(index));
    }
    let Some(surveys) = surveys(context, &inputs, key.as_ref()) else { return Ok(None) };
    let Some(packages) = packages(&surveys, words, reach) else { return Ok(None) };
    let key = key.map(|it| it.of_part(&packages));
    if let Some(index) = key.as_ref().and_then(Key::recall) {
        return Ok(Some(index));
    }
    let parts: Vec<Vec<Origin>> = surveys.iter().map(|it| it.documents_of(&packages)).collect();
    let n_bytes = len_of(parts.iter().flatten());
    if n_bytes >= len_of(surveys.iter().flat_map(Survey::documents)) / 2 {
        // Such a part saves little, so keep the whole index.
        return Ok(None);
    }
    let mut builder = ask::builder();
    for ((named, input), documents) in inputs.iter().zip(parts) {
        let import = add_files(context, &mut builder, named, &input.only_documents(documents))?;
        let report = import.report;
        if Tally::of(&report.findings).errors > 0 || report.has_other_errors || !report.broken_packages.is_empty() {
            return Ok(None);
        }
    }
    let index = builder.into_index()?;
    if let Some(key) = key.filter(|_| n_bytes >= MIN_BYTES) {
        key.keep(&index);
    }
    Ok(Some(index))
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

/// The places of documents in catalogs; `None` if something in them cannot be read.
fn surveys(context: &Context, inputs: &[(&NamedSource, &Input)], key: Option<&Key>) -> Option<Vec<Survey>> {
    let kept = key.and_then(Key::recall_survey);
    if let Some(surveys) = kept.and_then(|it| Survey::several_of_bytes(&it)).filter(|it| it.len() == inputs.len()) {
        return Some(surveys);
    }
    let mut surveys = Vec::with_capacity(inputs.len());
    for (named, input) in inputs {
        let (source, started) = (named.path.display(), Instant::now());
        let progress = Progress::reading(context, format!("reading {source}"), input);
        let survey = Survey::of_files(input);
        drop(progress);
        context.reporter.detail(&format!(
            "looked through {} files of {source} in {:.0?}",
            input.files.len(),
            started.elapsed()
        ));
        if !survey.is_readable() {
            return None;
        }
        surveys.push(survey);
    }
    if let Some(key) = key
        && let Some(bytes) = Survey::several_to_bytes(&surveys)
    {
        key.keep_survey(&bytes);
    }
    Some(surveys)
}

/// The packages that some words are about; `None` if one of them may be about others.
fn packages(surveys: &[Survey], words: &[&String], reach: Reach) -> Option<BTreeSet<String>> {
    let mut meant = BTreeSet::new();
    for word in words {
        let name = Name::parse(word);
        let of_word: BTreeSet<String> = surveys.iter().flat_map(|it| it.meant(&name)).collect();
        if of_word.is_empty() {
            return None;
        }
        meant.extend(of_word);
    }
    if reach == Reach::Around {
        meant = meant.iter().flat_map(|package| surveys.iter().flat_map(|it| it.around(package))).collect();
    }
    Some(meant)
}
