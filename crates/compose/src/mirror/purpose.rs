//! The kinds of configurations of oc-mirror.

/// The kind of a configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Purpose {
    /// `ImageSetConfiguration`, with `mirror`.
    #[default]
    Mirror,
    /// `DeleteImageSetConfiguration`, with `delete`, which only v2 of oc-mirror has.
    Delete,
}

impl Purpose {
    /// Its `kind`.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Mirror => "ImageSetConfiguration",
            Self::Delete => "DeleteImageSetConfiguration",
        }
    }

    /// The field that holds all wishes.
    pub fn stanza(self) -> &'static str {
        match self {
            Self::Mirror => "mirror",
            Self::Delete => "delete",
        }
    }

    /// The other one.
    pub(super) fn other(self) -> Self {
        match self {
            Self::Mirror => Self::Delete,
            Self::Delete => Self::Mirror,
        }
    }
}
