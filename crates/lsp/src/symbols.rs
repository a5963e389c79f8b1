//! The places where a document names packages, channels and bundles, and the facts about them that answers need.

use std::ops::Range;

use super::tree::{Content, Tree};

/// The kinds of items that have names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thing {
    Package,
    Channel,
    Bundle,
}

impl Thing {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Channel => "channel",
            Self::Bundle => "bundle",
        }
    }
}

/// In which place something is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The `name` of its own document.
    Own,
    /// The `name` of an entry of a channel.
    Entry,
    Replaces,
    Skips,
    /// `defaultChannel`
    Default,
    /// The reference of a deprecation.
    Deprecated,
    /// The `package` of a document.
    Member,
    /// The package that a property requires, or is the bundle's own.
    Property,
    /// The bundle that another one is substituted for.
    Base,
}

/// A name in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) thing: Thing,
    pub(super) role: Role,
    /// The package that the document belongs to.
    pub(super) package: String,
    /// The channel of the document, or empty.
    pub(super) channel: String,
    /// The entry that says it, or empty.
    pub(super) entry: String,
    pub(super) name: String,
    /// Its bytes in the document, quotes included.
    pub(super) span: Range<usize>,
    /// Its quote, or a blank.
    pub(super) quote: char,
}

/// A range of versions in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RangeText {
    /// The package whose versions it is about.
    pub(super) package: String,
    /// The channel and the entry of a `skipRange`; empty for a requirement of a bundle.
    pub(super) channel: String,
    pub(super) entry: String,
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// A property's type in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypeText {
    pub(super) name: String,
    pub(super) span: Range<usize>,
}

/// The version that a bundle says it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BundleVersion {
    pub(super) package: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) release: String,
}

/// The deprecation of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Deprecated {
    pub(super) package: String,
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) message: String,
}

/// All names in a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mentions {
    pub(super) names: Vec<Mention>,
    pub(super) ranges: Vec<RangeText>,
    pub(super) types: Vec<TypeText>,
    pub(super) versions: Vec<BundleVersion>,
    pub(super) deprecated: Vec<Deprecated>,
    /// Whether names may come from anchors, aliases or several lines, which have no place here.
    pub(super) is_incomplete: bool,
}

/// The items that a name belongs to, as far as there are any.
#[derive(Clone, Copy, Default)]
struct Owner<'t> {
    package: &'t str,
    channel: &'t str,
    entry: &'t str,
}

impl Mentions {
    /// The names in a document; in a template, those in its blobs.
    pub(super) fn of(tree: &Tree) -> Self {
        let mut found = Self::default();
        let schema = tree.text_of(0, "schema");
        if schema.starts_with("olm.template.") {
            for &item in tree.items_of(0, "entries") {
                found.blob(tree, item, "");
            }
            for &item in tree.items_of(0, "substitutions") {
                found.add(tree, tree.get(item, "base"), Thing::Bundle, Role::Base, Owner::default());
            }
        } else {
            found.blob(tree, 0, schema);
        }
        found
    }

    fn blob(&mut self, tree: &Tree, root: usize, schema: &str) {
        let schema = if schema.is_empty() { tree.text_of(root, "schema") } else { schema };
        let name = tree.text_of(root, "name");
        let package = if schema == "olm.package" { name } else { tree.text_of(root, "package") };
        let own = tree.get(root, "name");
        self.add(tree, tree.get(root, "package"), Thing::Package, Role::Member, Owner { package, ..Owner::default() });
        match schema {
            "olm.package" => {
                self.add(tree, own, Thing::Package, Role::Own, Owner { package, ..Owner::default() });
                let default = tree.get(root, "defaultChannel");
                self.add(tree, default, Thing::Channel, Role::Default, Owner { package, ..Owner::default() });
            }
            "olm.channel" => {
                self.add(tree, own, Thing::Channel, Role::Own, Owner { package, channel: name, entry: "" });
                for &entry in tree.items_of(root, "entries") {
                    self.entry(tree, entry, Owner { package, channel: name, entry: "" });
                }
            }
            "olm.bundle" => {
                self.add(tree, own, Thing::Bundle, Role::Own, Owner { package, ..Owner::default() });
                for &property in tree.items_of(root, "properties") {
                    self.property(tree, property, Owner { package, channel: "", entry: name });
                }
            }
            "olm.deprecations" => {
                for &entry in tree.items_of(root, "entries") {
                    self.deprecation(tree, entry, package);
                }
            }
            _ => {}
        }
    }

    fn entry(&mut self, tree: &Tree, entry: usize, channel: Owner<'_>) {
        let of = Owner { entry: tree.text_of(entry, "name"), ..channel };
        self.add(tree, tree.get(entry, "name"), Thing::Bundle, Role::Entry, of);
        self.add(tree, tree.get(entry, "replaces"), Thing::Bundle, Role::Replaces, of);
        for &skip in tree.items_of(entry, "skips") {
            self.add(tree, Some(skip), Thing::Bundle, Role::Skips, of);
        }
        // If the whole list or the whole entry is an alias, it contains names that are not seen here.
        let is_hidden =
            |it: Option<usize>| it.and_then(|it| tree.node(it)).is_some_and(|it| matches!(it.content, Content::Other));
        self.is_incomplete |= is_hidden(Some(entry)) || is_hidden(tree.get(entry, "skips"));
        self.is_incomplete |= tree.get(entry, "<<").is_some();
        self.range(tree, tree.get(entry, "skipRange"), of);
    }

    fn property(&mut self, tree: &Tree, property: usize, of: Owner<'_>) {
        let Some(kind) = tree.get(property, "type") else { return };
        let Some(Content::Text(name, _)) = tree.node(kind).map(|it| &it.content) else { return };
        let span = tree.node(kind).map(|it| it.span.clone()).unwrap_or_default();
        self.types.push(TypeText { name: name.clone(), span });
        let Some(value) = tree.get(property, "value") else { return };
        match name.as_str() {
            "olm.package" => {
                let text = |key: &str| tree.text_of(value, key).to_owned();
                self.add(tree, tree.get(value, "packageName"), Thing::Package, Role::Property, of);
                self.versions.push(BundleVersion {
                    package: of.package.to_owned(),
                    name: of.entry.to_owned(),
                    version: text("version"),
                    release: text("release"),
                });
            }
            "olm.package.required" => {
                self.add(tree, tree.get(value, "packageName"), Thing::Package, Role::Property, of);
                let required = Owner { package: tree.text_of(value, "packageName"), ..Owner::default() };
                self.range(tree, tree.get(value, "versionRange"), required);
            }
            _ => {}
        }
    }

    fn deprecation(&mut self, tree: &Tree, entry: usize, package: &str) {
        let Some(reference) = tree.get(entry, "reference") else { return };
        let schema = tree.text_of(reference, "schema");
        let thing = match schema {
            "olm.channel" => Some(Thing::Channel),
            "olm.bundle" => Some(Thing::Bundle),
            _ => None,
        };
        if let Some(thing) = thing {
            self.add(tree, tree.get(reference, "name"), thing, Role::Deprecated, Owner { package, ..Owner::default() });
        }
        self.deprecated.push(Deprecated {
            package: package.to_owned(),
            schema: schema.to_owned(),
            name: tree.text_of(reference, "name").to_owned(),
            message: tree.text_of(entry, "message").to_owned(),
        });
    }

    fn add(&mut self, tree: &Tree, node: Option<usize>, thing: Thing, role: Role, of: Owner<'_>) {
        let Some(node) = node.and_then(|it| tree.node(it)) else { return };
        let Content::Text(name, quote) = &node.content else {
            self.is_incomplete = true;
            return;
        };
        self.names.push(Mention {
            thing,
            role,
            package: of.package.to_owned(),
            channel: of.channel.to_owned(),
            entry: of.entry.to_owned(),
            name: name.clone(),
            span: node.span.clone(),
            quote: *quote,
        });
    }

    fn range(&mut self, tree: &Tree, node: Option<usize>, of: Owner<'_>) {
        let Some(node) = node.and_then(|it| tree.node(it)) else { return };
        let Content::Text(text, _) = &node.content else { return };
        self.ranges.push(RangeText {
            package: of.package.to_owned(),
            channel: of.channel.to_owned(),
            entry: of.entry.to_owned(),
            text: text.clone(),
            span: node.span.clone(),
        });
    }
}
