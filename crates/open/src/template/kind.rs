//! The kinds of templates.

/// A kind of template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A catalog in which bundles are named by their images.
    Basic,
    /// Bundles by how stable they are; channels and edges follow from their versions.
    Semver,
    /// A catalog, and bundles that replace others.
    Substitutes,
}

// As opm names it on the command line.
olmdex_base::named!(Kind => name);

impl Kind {
    /// All kinds, in the order in which opm lists them.
    pub const ALL: [Self; 3] = [Self::Basic, Self::Semver, Self::Substitutes];

    /// The schema of its document.
    pub fn schema(self) -> &'static str {
        match self {
            Self::Basic => "olm.template.basic",
            Self::Semver => "olm.semver",
            Self::Substitutes => "olm.template.substitutes",
        }
    }

    /// The kind with a schema.
    pub fn of_schema(schema: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.schema() == schema)
    }
}
