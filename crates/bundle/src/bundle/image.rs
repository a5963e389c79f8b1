//! The template of an image's reference, in the part of Go's language that references need: text and the fields
//! `.Package`, `.Name` and `.Version`.

use thiserror::Error;

use super::blob::Bundle;

/// A template of references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageTemplate {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Package,
    Name,
    Version,
}

/// The reasons why a template cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateError {
    /// A `{{` has no `}}`.
    #[error("template: image-ref-template:1: unclosed action")]
    Unclosed,
    /// There is something else than a field between the braces.
    #[error("`{{{{{0}}}}}` is not `{{{{.Package}}}}`, `{{{{.Name}}}}` or `{{{{.Version}}}}`")]
    Unknown(String),
}

impl ImageTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// [`TemplateError`].
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (action, after) = after.split_once("}}").ok_or(TemplateError::Unclosed)?;
            // `{{-` and `-}}` take the blanks around them.
            let trims_before = action.starts_with("- ");
            let trims_after = action.ends_with(" -");
            let name = action.strip_prefix('-').unwrap_or(action);
            let name = name.strip_suffix('-').unwrap_or(name).trim();
            parts.push(Part::Text(if trims_before { before.trim_end() } else { before }.to_owned()));
            parts.push(match name {
                ".Package" => Part::Package,
                ".Name" => Part::Name,
                ".Version" => Part::Version,
                _ => return Err(TemplateError::Unknown(action.to_owned())),
            });
            rest = if trims_after { after.trim_start() } else { after };
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Self { parts })
    }

    /// The reference of a bundle's image.
    pub fn fill(&self, bundle: &Bundle) -> String {
        self.fill_with(&bundle.package, &bundle.name, &bundle.version)
    }

    /// The reference, with its fields replaced by these.
    pub fn fill_with(&self, package: &str, name: &str, version: &str) -> String {
        let mut filled = String::new();
        for part in &self.parts {
            filled.push_str(match part {
                Part::Text(text) => text,
                Part::Package => package,
                Part::Name => name,
                Part::Version => version,
            });
        }
        filled
    }
}
