//! The document of a template: the first of its file, with its places.

use std::sync::Arc;

use super::rules;
use olmdex_base::diag::{Finding, Place};
use olmdex_fbc::{self as fbc, Input, Origin, Spot, Syntax};
use olmdex_rules::check::failure_findings;
use olmdex_text::json;
use olmdex_text::yaml;

/// The advice about the beginning of a template.
const BEGIN: &str = "begin with `schema: olm.template.basic` or `schema: olm.semver`";

/// A document that has been read.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) shown: String,
    pub(super) origin: Origin,
    pub(super) raw: Vec<u8>,
    /// The document as JSON, with members in the order of the text and those that occur twice.
    pub(super) json: String,
    pub(super) schema: String,
}

impl Document {
    /// Reads the first document of a text, and the remarks about those after it.
    ///
    /// # Errors
    /// The reasons why there is none.
    pub(super) fn read(shown: &str, text: Arc<[u8]>) -> Result<(Self, Option<Finding>), Vec<Finding>> {
        let input = Input::bytes(shown, text);
        let with_schema = |document: fbc::Document<'_>| {
            (document.origin, document.raw.to_vec(), document.blob.map(|blob| blob.schema.into_owned()))
        };
        let mut documents = fbc::load_all(&input, &with_schema).into_iter();
        let Some((origin, raw, schema)) = documents.next() else {
            let empty = rules::UNKNOWN_SCHEMA.finding(format!("`{shown}` is empty"));
            return Err(vec![empty.at(Place::at_line(shown, 1)).help(BEGIN)]);
        };
        let schema = schema.map_err(|failure| {
            let mut found = failure_findings(&input, origin, &failure);
            // No catalog is read here, so none of its files can be hidden.
            for it in found.iter_mut().filter(|it| it.help.as_ref().is_some_and(|it| it.contains(".indexignore"))) {
                it.help = Some(BEGIN.to_owned());
            }
            found
        })?;
        let json = match origin.syntax {
            Syntax::Json => json::decode_utf8(&raw).into_owned(),
            Syntax::Yaml => {
                let mut converted = Vec::new();
                // It was read just now, so this succeeds.
                if let Some(Ok(chunk)) = yaml::split(&raw, 1).find(Result::is_ok) {
                    let _ = yaml::to_json(&chunk.text, &mut converted);
                }
                json::decode_utf8(&converted).into_owned()
            }
        };
        let second = documents.next().map(|(origin, ..)| {
            let second = rules::SECOND_DOCUMENT.finding("opm reads only the first document of a template");
            second.at(Place::at(shown, origin.line, origin.column)).help("put each template into a separate file")
        });
        Ok((Self { shown: shown.to_owned(), origin, raw, json, schema }, second))
    }

    /// The place in the file of a spot of the document.
    pub(super) fn place(&self, spot: &Spot) -> Place {
        fbc::locate(&self.raw, self.origin, spot).in_file(&self.shown)
    }
}
