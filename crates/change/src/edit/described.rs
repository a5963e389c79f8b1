//! A bundle that there is not yet, described in a few words: `NAME,channel=stable,replaces=…`.

use super::catalog::CatalogEdit;
use super::change::{Change, Edges};
use super::error::EditError;
use super::target::{BUNDLE, PACKAGE};
use olmdex_fbc::Name;
use olmdex_text::json::Tree;

const FIELDS: [&str; 6] = ["channel", "replaces", "skips", "skipRange", "version", "package"];

/// A bundle by its name, with the channels that it joins and the fields that are stated.
#[derive(Debug, Clone)]
pub struct DescribedBundle<'a> {
    name: &'a str,
    fields: Vec<(&'a str, String)>,
}

impl<'a> DescribedBundle<'a> {
    /// Reads a description.
    ///
    /// # Errors
    /// [`EditError::NotAField`], [`EditError::NoChannel`]
    pub fn parse(text: &'a str) -> Result<Self, EditError> {
        let mut parts = text.split(',');
        let name = parts.next().unwrap_or_default();
        let mut fields: Vec<(&str, String)> = Vec::new();
        for part in parts {
            match (part.split_once('=').filter(|it| FIELDS.contains(&it.0)), fields.last_mut()) {
                (Some((key, value)), _) => fields.push((key, value.to_owned())),
                // Ranges have commas too.
                (None, Some(("skipRange", range))) => range.push_str(&format!(",{part}")),
                (None, _) => return Err(EditError::NotAField(part.to_owned())),
            }
        }
        let described = Self { name, fields };
        if described.list("channel").is_empty() { Err(EditError::NoChannel) } else { Ok(described) }
    }

    /// A name that tells its package.
    pub fn package_or_neighbour(&self) -> Name {
        match (self.field("package"), self.field("replaces")) {
            (Some(package), _) => Name::Plain(package.to_owned()),
            (None, Some(replaces)) => Name::parse(replaces),
            (None, None) => Name::Plain(self.name_and_version().0.to_owned()),
        }
    }

    /// Its addition to a catalog, with its package.
    ///
    /// # Errors
    /// [`EditError::Unknown`] if it names no package, and the catalog lacks the bundle that it replaces.
    pub fn addition(&self, catalog: &CatalogEdit) -> Result<(String, Change), EditError> {
        let (package, version) = self.name_and_version();
        let package = match (self.field("package"), self.field("replaces")) {
            (Some(package), _) => package.to_owned(),
            (None, Some(replaces)) => catalog.find(&Name::parse(replaces))?.0,
            (None, None) => package.to_owned(),
        };
        let version = self.field("version").unwrap_or(version);
        let value = Tree::of_texts([("packageName", package.as_str()), ("version", version)]);
        let property = Tree::object().with("type", PACKAGE).with("value", value);
        let image = format!("example.com/simulated@sha256:{}", "0".repeat(64));
        let head = [("schema", BUNDLE), ("name", self.name), ("package", &package), ("image", &image)];
        let edges = Edges {
            replaces: self.field("replaces").map(str::to_owned),
            skips: self.field("skips").map(|_| self.list("skips")),
            skip_range: self.field("skipRange").map(str::to_owned),
        };
        let change = Change::Add {
            bundle: Tree::of_texts(head).with("properties", vec![property]),
            channels: self.list("channel"),
            edges,
            keeps_edges: false,
            creates_channels: false,
            replaces_itself: false,
        };
        Ok((package, change))
    }

    /// The last value of a field.
    fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().rev().find(|it| it.0 == name).map(|it| it.1.as_str())
    }

    fn list(&self, name: &str) -> Vec<String> {
        let text = self.field(name).unwrap_or_default();
        text.split(';').filter(|it| !it.is_empty()).map(str::to_owned).collect()
    }

    /// The package and the version in the name.
    fn name_and_version(&self) -> (&'a str, &'a str) {
        self.name.split_once(".v").unwrap_or((self.name, ""))
    }
}
