//! The kinds of templates.

/// A kind of template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A catalog in which bundles are named by their images.
    Basic,
    /// Bundles by how stable they are; channels and edges follow from their versions.
    Semver,
    /// A catalog, and bundles that replace others.
    Substitutes,
}

impl Kind {
    /// All kinds, in the order in which opm lists them.
    pub const ALL: [Self; 3] = [Self::Basic, Self::Semver, Self::Substitutes];

    /// The name that opm gives it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Semver => "semver",
            Self::Substitutes => "substitutes",
        }
    }

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
