//! References to types: a name inside lists and non-null marks.

use super::TypeId;

/// A wrapper around a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    List,
    NonNull,
}

/// A reference. The wrappers of the type are listed from the outside to the inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypeRef {
    pub(crate) wraps: Vec<Wrap>,
    /// `None` if a query names a type that there is not.
    pub(crate) base: Option<TypeId>,
}

impl TypeRef {
    pub(crate) fn shape(&self) -> Shape<'_> {
        Shape { wraps: &self.wraps, base: self.base }
    }
}

/// A reference that is examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape<'s> {
    pub(crate) wraps: &'s [Wrap],
    pub(crate) base: Option<TypeId>,
}

impl<'s> Shape<'s> {
    pub(crate) fn of(base: TypeId) -> Self {
        Self { wraps: &[], base: Some(base) }
    }

    /// The outermost wrapper, and the type inside it.
    pub(crate) fn opened(self) -> Option<(Wrap, Shape<'s>)> {
        let (first, wraps) = self.wraps.split_first()?;
        Some((*first, Self { wraps, ..self }))
    }

    pub(crate) fn is_non_null(self) -> bool {
        self.wraps.first() == Some(&Wrap::NonNull)
    }

    /// The same type, but it may be null.
    pub(crate) fn nullable(self) -> Self {
        match self.opened() {
            Some((Wrap::NonNull, inner)) => inner,
            _ => self,
        }
    }

    /// Whether a value of this type does where another is expected.
    pub(crate) fn fits(self, expected: Shape<'_>) -> bool {
        let (mut own, mut other) = (self, expected);
        loop {
            match (own.opened(), other.opened()) {
                (Some((Wrap::NonNull, inner)), Some((Wrap::NonNull, wanted)))
                | (Some((Wrap::List, inner)), Some((Wrap::List, wanted))) => (own, other) = (inner, wanted),
                (Some((Wrap::NonNull, inner)), _) => own = inner,
                (None, None) => return own.base.is_some() && own.base == other.base,
                _ => return false,
            }
        }
    }
}
