//! The tables and keys of `olmdex.toml`, for the reader of TOML and for the schema that editors use.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use olmdex_base::diag::selection::Level;

/// Options of olmdex for a directory and everything below it. Paths are relative to the file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "olmdex.toml")]
pub(super) struct Form {
    /// The choice of findings, and their severities.
    pub findings: FindingsForm,
    /// Catalogs, by name. `olmdex build`, `validate` and `render` without sources use them.
    pub catalogs: BTreeMap<Word, CatalogForm>,
}

/// The findings that are shown, and their severities. A rule is an identifier, a name, the beginning of identifiers
/// (`W08`), or `ALL`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct FindingsForm {
    /// Show these rules, and no others.
    pub select: Vec<Word>,
    /// Hide these rules.
    pub ignore: Vec<Word>,
    /// Give rules another severity; `off` hides them.
    pub severity: BTreeMap<Word, Level>,
    /// The profiles with additional rules of good practice for `validate` and editors, and with the validators of
    /// `bundle`: `certified`, `community`, `disconnected`, `iib` or `konflux`.
    pub profile: Vec<Word>,
    /// Treat warnings as errors.
    pub strict: bool,
    /// The file of known findings, for `validate`, `check-graph` and `build`.
    pub baseline: Option<PathWord>,
}

/// Whether a key is present with more than a default value.
trait Presence {
    fn is_given(&self) -> bool;
}

impl<T> Presence for Option<T> {
    fn is_given(&self) -> bool {
        self.is_some()
    }
}

impl<T> Presence for Vec<T> {
    fn is_given(&self) -> bool {
        !self.is_empty()
    }
}

impl Presence for bool {
    fn is_given(&self) -> bool {
        *self
    }
}

/// The tables of catalogs and of their components. A catalog of a single part has the keys of its component itself, so
/// these keys are listed here once. (serde could flatten one table into another, but would lose the places of the
/// values inside.)
macro_rules! tables {
    (
        parts { $( $(#[$meta:meta])* $key:literal $field:ident: $type:ty, )* }
        templates { $( $(#[$of_template:meta])* $template_key:literal $template_field:ident: $template_type:ty, )* }
    ) => {
        /// A catalog: one source, one template, or several components.
        #[derive(Debug, Default, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        #[schemars(extend("anyOf" = [{"required": ["source"]}, {"required": ["template"]}, {"required": ["components"]}]))]
        pub(super) struct CatalogForm {
            $( $(#[$meta])* #[serde(rename = $key)] pub $field: $type, )*
            $( $(#[$of_template])* #[serde(rename = $template_key)] pub $template_field: $template_type, )*
            /// The components of the catalog, instead of a source or a template.
            #[schemars(with = "Option<Vec<ComponentForm>>")]
            pub components: Option<Vec<Spanned<ComponentForm>>>,
            /// The directory to which `olmdex render` writes it, below that of this file.
            pub destination: Option<Word>,
            /// The format of the written catalog. Default: JSON.
            pub format: Option<FormatForm>,
            /// The base image for `olmdex image`. Default: that of opm; `scratch` has no server.
            #[serde(rename = "base-image")]
            pub base_image: Option<Word>,
            /// The reference of its image, which an ImageSetConfiguration uses as its name.
            pub image: Option<String>,
            /// Higher is preferred.
            pub priority: i64,
            /// Labels, by their keys.
            pub labels: BTreeMap<String, String>,
        }

        /// A part of a catalog: a source or a template.
        #[derive(Debug, Default, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        #[schemars(extend("oneOf" = [{"required": ["source"]}, {"required": ["template"]}]))]
        pub(super) struct ComponentForm {
            $( $(#[$meta])* #[serde(rename = $key)] pub $field: $type, )*
            $( $(#[$of_template])* #[serde(rename = $template_key)] pub $template_field: $template_type, )*
            /// Its directory below the destination, in which it is one file. Default: a directory for each package.
            pub path: Option<Word>,
        }

        impl CatalogForm {
            /// Takes the keys of the catalog as its only part.
            pub(super) fn take_part(&mut self) -> ComponentForm {
                ComponentForm {
                    $( $field: std::mem::take(&mut self.$field), )*
                    $( $template_field: std::mem::take(&mut self.$template_field), )*
                    path: None,
                }
            }
        }

        impl ComponentForm {
            /// The first key that names its content.
            pub(super) fn first_key(&self) -> Option<&'static str> {
                let given = [$( ($key, self.$field.is_given()), )*];
                given.into_iter().find(|it| it.1).map(|it| it.0).or_else(|| self.first_key_of_templates())
            }

            /// The first key that only a template can have.
            pub(super) fn first_key_of_templates(&self) -> Option<&'static str> {
                let given = [$( ($template_key, self.$template_field.is_given()), )*];
                given.into_iter().find(|it| it.1).map(|it| it.0)
            }
        }
    };
}

tables! {
    parts {
        /// The source: a directory, a file, an image, or an index.
        "source" source: Option<PathWord>,
        /// The catalog of that index, if it holds several.
        "catalog" catalog: Option<Word>,
        /// The template that it is rendered from: basic, semver or substitutes.
        "template" template: Option<PathWord>,
        /// The packages to take from it. Default: everything.
        "packages" packages: Option<Vec<PackageWord>>,
    }
    templates {
        /// The places of the template's bundles: trees of bundle directories, or layouts.
        "bundles" bundles: Vec<PathWord>,
        /// Catalogs and indexes that have bundles of the template.
        "from" from: Vec<PathWord>,
        /// Fetch the bundles that are not found there from their registries.
        "pull" pull: bool,
        /// How the manifests in the template's bundles are stored. Default: `none`, they stay.
        "migrate-level" migrate_level: Option<LevelForm>,
    }
}

/// How manifests in bundles are stored, with opm's names.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LevelForm {
    /// They stay, as `olm.bundle.object` properties.
    None,
    /// An `olm.csv.metadata` property takes their place.
    BundleObjectToCsvMetadata,
    /// All migrations.
    All,
}

/// The format of a catalog's files.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum FormatForm {
    Json,
    Yaml,
}

/// The wanted part of a package: `PKG[/CHANNEL][@RANGE]`, or a table.
#[derive(Debug)]
pub(super) enum PackageForm {
    Text(String),
    Table(PackageTable),
}

/// The wanted part of a package.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PackageTable {
    /// Its name.
    pub name: String,
    /// The channels to take, each as `CHANNEL[@RANGE]`. Default: all.
    #[serde(default)]
    pub channels: Vec<String>,
    /// The versions to take: `1.2.0`, `>=1.2.0`, `<=2.0.0` or `>=1.2.0 <=2.0.0`. Default: all.
    #[serde(default)]
    pub range: Option<String>,
    /// Its default channel, if it is to get another one.
    #[serde(default, rename = "default-channel")]
    pub default_channel: Option<String>,
}

/// The wanted part of a package: all of it, or some of its channels and versions.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum PackageSchema {
    /// `PKG`, `PKG/CHANNEL`, `PKG@RANGE` or `PKG/CHANNEL@RANGE`.
    Text(String),
    Table(PackageTable),
}

// Written by hand, since serde's way of trying one form after the other loses the places of the values inside.
impl<'de> Deserialize<'de> for PackageForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = PackageForm;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`PKG[/CHANNEL][@RANGE]` or a table with `name`")
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(PackageForm::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                PackageTable::deserialize(MapAccessDeserializer::new(map)).map(PackageForm::Table)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl JsonSchema for PackageForm {
    fn schema_name() -> Cow<'static, str> {
        "Package".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        PackageSchema::json_schema(generator)
    }
}

// A text that knows its place. This is a plain comment, since documentation would go into the schema of each text.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(transparent, inline)]
pub(super) struct Word(#[schemars(with = "String")] pub Spanned<String>);

// A package that knows where it stands.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(transparent, inline)]
pub(super) struct PackageWord(#[schemars(with = "PackageForm")] pub Spanned<PackageForm>);

/// A path, relative to the file.
pub(super) type PathWord = Word;

impl Word {
    pub(super) fn text(&self) -> &str {
        self.0.get_ref()
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.0.span()
    }
}

/// The JSON Schema of the file, for editors.
pub fn schema() -> Schema {
    schemars::schema_for!(Form)
}
