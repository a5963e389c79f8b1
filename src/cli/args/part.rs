//! The part of catalogs in files that a question is about, so that its first answer need not wait for all of them:
//!
//! - the documents of the packages that it names, for a question about a package by itself. A search of the bytes finds
//!   the files that may have these documents. A fault in such a file ends the question as if all documents had been put
//!   into an index; faults in other files, and in packages that the question does not name, are not reported;
//! - a light index of all packages, without documents, for questions that follow dependencies;
//! - names and edges alone, for lists.
//!
//! A word that names nothing, and a package that is not valid, are answered from all documents, with all that there is
//! to report about them. This module does not know which questions are about a part; commands state that.

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
use crate::fbc::{Input, InputFile, Name, NamedDocuments, Origin};
use crate::index::{Builder, Index, Kind, LightIndex, ListIndex, WholeOrLight};
use crate::source::{STDIN, Source};

impl AskOptions {
    /// As [`Self::open`], for a question about the packages that some words name, and about nothing else.
    pub(crate) fn open_part<'w>(
        &self,
        context: &Context,
        words: impl IntoIterator<Item = &'w String>,
    ) -> Result<Index, CommandError> {
        let words: Vec<&String> = words.into_iter().collect();
        self.refuse_paths(words.iter().copied())?;
        self.open_enough(context, &words, |sources| part_of(context, sources, &words))
    }

    /// As [`Self::open`], for questions that follow dependencies.
    pub(crate) fn open_light(&self, context: &Context) -> Result<LightIndex, CommandError> {
        self.open_enough(context, &[], |sources| light_of(context, sources))
    }

    /// As [`Self::open_light`], for a question that may need the documents of some packages later. Standard input can
    /// be read only once, so it is read as a whole.
    pub(crate) fn open_followed(&self, context: &Context) -> Result<WholeOrLight, CommandError> {
        let has_stdin = self.sources()?.iter().any(|source| source.path.as_os_str() == STDIN);
        self.open_enough(context, &[], |sources| match has_stdin {
            true => Ok(None),
            false => Ok(light_of(context, sources)?.map(WholeOrLight::Light)),
        })
    }

    /// As [`Self::open`], for lists of all that catalogs have.
    pub(crate) fn open_lists(&self, context: &Context) -> Result<ListIndex, CommandError> {
        self.open_enough(context, &[], |sources| {
            of_rows(context, sources, ask::builder_for_lists(), &["lists", "light"])
        })
    }

    /// As [`Self::open`], but with an index of a part of the sources where that is enough. `words` are as for
    /// [`Self::look_about`].
    fn open_enough<K: From<Index> + AsRef<ListIndex>>(
        &self,
        context: &Context,
        words: &[&String],
        part: impl FnOnce(&Sources<'_>) -> Result<Option<K>, CommandError>,
    ) -> Result<K, CommandError> {
        if let Some(index) = self.recall(context)? {
            return Ok(index.into());
        }
        let sources = self.look_about(context, words)?;
        let Some(index) = part(&sources)? else { return Ok(sources.import(context)?.into()) };
        check_names(&self.catalog, &index.as_ref().catalog_names()?)?;
        Ok(index)
    }
}

/// Asks an index that has the documents of some packages, of all if none is named.
pub(crate) fn with_documents<T, E: Into<CommandError>>(
    index: &WholeOrLight,
    context: &Context,
    sources: &AskOptions,
    packages: &[String],
    ask: impl FnOnce(&Index) -> Result<T, E>,
) -> Result<T, CommandError> {
    let answer = match index {
        WholeOrLight::Whole(index) => ask(index),
        WholeOrLight::Light(_) => ask(&sources.open_part(context, packages)?),
    };
    answer.map_err(E::into)
}

/// Catalogs in files that need no remark before they are read.
struct Plain<'s> {
    inputs: Vec<(&'s NamedSource, &'s Input)>,
    /// The key of the whole index, if indexes are kept.
    key: Option<Key>,
}

impl<'s> Plain<'s> {
    /// `None` if no part is enough. A legacy file is not plain: its opening alone takes as long as reading a catalog,
    /// so the whole catalog is kept, and the next question need not open the file.
    fn of(context: &Context, sources: &'s Sources<'_>) -> Option<Self> {
        let sources = sources.catalogs()?;
        let plain = |(named, source): &'s (NamedSource, Source)| match source {
            Source::Catalog(input)
                if refusal(&input.remarks).is_none()
                    && !input.is_template
                    && !input.files.iter().any(InputFile::is_made) =>
            {
                Some((named, input))
            }
            _ => None,
        };
        let inputs = sources.iter().map(plain).collect::<Option<Vec<_>>>()?;
        Some(Self { inputs, key: if context.keeps_indexes { Key::of_sources(sources) } else { None } })
    }
}

/// The documents of the packages that some words name; `None` if a complete answer needs all documents.
fn part_of(context: &Context, sources: &Sources<'_>, words: &[&String]) -> Result<Option<Index>, CommandError> {
    let Some(Plain { inputs, key }) = Plain::of(context, sources).filter(|_| !words.is_empty()) else {
        return Ok(None);
    };
    let names: Vec<Name> = words.iter().map(|word| Name::parse(word)).collect();
    let names: BTreeSet<&str> = names.iter().map(Name::text).collect();
    let part = key.as_ref().map(|key| key.of_part(&names));
    if let Some(index) = [&key, &part].into_iter().flatten().find_map(Key::recall) {
        return Ok(Some(index));
    }
    let Some(found) = search(context, &inputs, &names) else {
        // The whole catalog would reach the same limit.
        return CommandError::of_limit().map_or(Ok(None), Err);
    };
    let n_bytes = len_of(found.documents.iter().flatten());
    if n_bytes >= inputs.iter().flat_map(|(_, input)| &input.files).filter_map(InputFile::size).sum::<u64>() / 2 {
        // Such a part saves little, so keep the whole index.
        return Ok(None);
    }
    let inputs = inputs.iter().zip(found.documents);
    let parts = inputs.map(|((named, input), documents)| (*named, input.only_documents(documents)));
    built(context, ask::builder(), parts, part)
}

/// The light rows of all documents, as [`of_rows`] has them.
fn light_of(context: &Context, sources: &Sources<'_>) -> Result<Option<LightIndex>, CommandError> {
    of_rows(context, sources, ask::light_builder(), &["light"])
}

/// Some rows of all documents; `None` if something is to be reported, or no part of the files is enough. An index of
/// any of these kinds is enough; a new one is of the first.
fn of_rows<K: Kind>(
    context: &Context,
    sources: &Sources<'_>,
    builder: Builder<K>,
    kinds: &[&str],
) -> Result<Option<K>, CommandError> {
    let Some(Plain { inputs, key }) = Plain::of(context, sources) else { return Ok(None) };
    let kept: Vec<Key> = key.iter().flat_map(|key| kinds.iter().map(|kind| key.of_kind(kind))).collect();
    if let Some(index) = key.iter().chain(&kept).find_map(Key::recall) {
        return Ok(Some(index));
    }
    let parts = inputs.into_iter().map(|(named, input)| (named, input.clone()));
    built(context, builder, parts, kept.into_iter().next())
}

/// An index of valid catalogs, which is kept. Errors are reported better from the whole catalog.
fn built<'s, K: Kind>(
    context: &Context,
    mut builder: Builder<K>,
    parts: impl Iterator<Item = (&'s NamedSource, Input)>,
    key: Option<Key>,
) -> Result<Option<K>, CommandError> {
    for (named, input) in parts {
        let report = add_files(context, &mut builder, named, &input)?.report;
        if Tally::of(&report.findings).errors > 0 || report.has_other_errors || !report.broken_packages.is_empty() {
            // The whole catalog would reach the same limit.
            return CommandError::of_limit().map_or(Ok(None), Err);
        }
    }
    let index = builder.into_index()?;
    if let Some(key) = key {
        key.keep(index.as_ref());
    }
    Ok(Some(index))
}

/// How many bytes documents have.
fn len_of<'o>(documents: impl Iterator<Item = &'o Origin>) -> u64 {
    documents.map(|origin| origin.len).sum()
}

/// The documents of the packages that some names are about.
fn search(context: &Context, inputs: &[(&NamedSource, &Input)], names: &BTreeSet<&str>) -> Option<NamedDocuments> {
    let files: Vec<&Input> = inputs.iter().map(|(_, input)| *input).collect();
    let started = Instant::now();
    let words: Vec<&str> = names.iter().copied().collect();
    let progress = Progress::start(context, format!("looking for {}", words.join(", ")));
    let found = NamedDocuments::find(&files, names);
    drop(progress);
    if let Some(found) = &found {
        let took = started.elapsed();
        for (n_read, (named, input)) in found.n_files.iter().zip(inputs) {
            let (n_files, source) = (input.files.len(), named.path.display());
            let words = format!("looked through {n_read} of {n_files} files of {source} in {took:.0?}");
            context.reporter.detail(&words);
        }
    }
    found
}
