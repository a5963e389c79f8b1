//! A template of a catalog as the file that an edit changes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cli::terminal::write_edits::remember;
use crate::edit::{CatalogEdit, EditError, FileEdit};
use crate::fbc::{Edited, Input, InputFile};
use crate::file::system_words;
use crate::source::Source;
use crate::template::Template;

/// A template that is edited.
pub(super) struct TemplateFile {
    pub(super) file: Input,
    text: String,
    template: Template,
}

impl TemplateFile {
    /// The file at a path whose source is a template, remembered before it is read; `None` of other sources.
    pub(super) fn of(named: &Path, source: &Source) -> Result<Option<Self>, CommandError> {
        let Source::Catalog(Input { is_template: true, .. }) = source else { return Ok(None) };
        let inner = || Some(Input::directory(named).ok()?.files.first()?.path()?.to_owned());
        let path = if named.is_dir() { inner() } else { Some(named.to_owned()).filter(|path| path.is_file()) };
        // Standard input, an archive, a revision.
        let Some(path) = path else { return Ok(None) };
        let unreadable = |why: &str| CommandError::new(Exit::Input, format!("cannot read `{}`: {why}", path.display()));
        let file = Input::file(&path);
        remember(&file);
        let whole = file.files.first().map(InputFile::whole).transpose();
        let whole = whole.map_err(|error| unreadable(&system_words(&error)))?.unwrap_or_default();
        let text = String::from_utf8(whole.into_owned()).map_err(|_| unreadable("it is not UTF-8"))?;
        let (template, _) = Template::read_graph(&path.to_string_lossy(), Arc::from(text.as_bytes()), None)
            .map_err(|_| unreadable("it has changed in the meantime"))?;
        if !template.has_channels() {
            let message = format!("`{}` is a template whose channels follow from its images", path.display());
            return Err(CommandError::usage(message).help("add or remove images instead"));
        }
        Ok(Some(Self { file, text, template }))
    }

    pub(super) fn path(&self) -> &Path {
        self.file.files.first().and_then(InputFile::path).unwrap_or_else(|| Path::new(""))
    }

    pub(super) fn catalog(&self) -> Option<Input> {
        Some(self.template.catalog(None).ok()?.0)
    }

    /// The edit of the template that makes its catalog the changed one; `None` if nothing changes.
    pub(super) fn edit(&self, context: &Context, catalog: &CatalogEdit) -> Result<Option<FileEdit>, CommandError> {
        let texts: BTreeMap<usize, &str> = catalog.files().map(|edit| (edit.file, edit.after.as_str())).collect();
        if texts.is_empty() {
            return Ok(None);
        }
        let path = self.path().to_owned();
        let file = || path.display().to_string();
        let (Edited { text, rewritten }, left) =
            self.template.edited(&texts).map_err(|error| EditError::Document { file: file(), error })?;
        for bundle in left {
            let message = format!("`{}` still names the image of {bundle}: its tag does not tell which it is", file());
            context.reporter.warning(&message);
        }
        let range = self.template.range();
        let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        let before = self.text.clone();
        let (head, rest) = (before.get(..at(range.start)), before.get(at(range.end)..));
        let after = [head.unwrap_or_default(), &text, rest.unwrap_or_default()].concat();
        Ok(Some(FileEdit { file: 0, path, before, after, rewritten, is_new: false }))
    }
}
