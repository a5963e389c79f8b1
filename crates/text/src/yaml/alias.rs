//! The values of anchors, and how far aliases may multiply a document.

use std::borrow::Cow;

use super::scalar::Scalar;
use crate::json::{Expansion, has_too_many_values};

/// The place of a collection's JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the output.
    Out(usize, usize),
    /// In the composer's attic.
    Attic(usize, usize),
}

impl Place {
    /// Start and end.
    pub(super) fn range(self) -> (usize, usize) {
        match self {
            Self::Out(start, end) | Self::Attic(start, end) => (start, end),
        }
    }

    /// The place without `margin` bytes at either end.
    pub(super) fn within(self, margin: usize) -> Self {
        match self {
            Self::Out(start, end) => Self::Out(start + margin, end - margin),
            Self::Attic(start, end) => Self::Attic(start + margin, end - margin),
        }
    }
}

/// A node that has an anchor.
#[derive(Debug)]
pub(super) enum Anchored {
    /// Scalars are kept by value: they mean different things as keys and as values.
    Scalar(Scalar<'static>),
    /// A collection that is still being written.
    Open { is_mapping: bool },
    /// A collection, with the decode operations and levels that it stands for.
    Collection { is_mapping: bool, place: Place, decodes: u64, height: usize },
}

impl Anchored {
    pub(super) fn scalar(scalar: &Scalar<'_>) -> Self {
        Self::Scalar(match scalar {
            Scalar::Null => Scalar::Null,
            Scalar::Bool(value) => Scalar::Bool(*value),
            Scalar::Int(value) => Scalar::Int(*value),
            Scalar::Uint(value) => Scalar::Uint(*value),
            Scalar::Float(value) => Scalar::Float(*value),
            Scalar::Timestamp(text) => Scalar::Str(Cow::Owned((*text).to_owned())),
            Scalar::Str(text) => Scalar::Str(Cow::Owned(text.as_ref().to_owned())),
        })
    }

    pub(super) fn open(is_mapping: bool) -> Self {
        Self::Open { is_mapping }
    }

    /// Records where an open collection was written.
    pub(super) fn close(&mut self, start: usize, end: usize, decodes: u64, height: usize) {
        *self = Self::Collection { is_mapping: self.is_mapping(), place: Place::Out(start, end), decodes, height };
    }

    /// Follows output from `start` on that has moved to the attic behind its first `shift` bytes.
    pub(super) fn relocate(&mut self, start: usize, shift: usize) {
        if let Self::Collection { place, .. } = self
            && let Place::Out(from, to) = *place
            && from >= start
        {
            *place = Place::Attic(from - start + shift, to - start + shift);
        }
    }

    pub(super) fn is_mapping(&self) -> bool {
        matches!(self, Self::Open { is_mapping: true } | Self::Collection { is_mapping: true, .. })
    }

    pub(super) fn as_scalar(&self) -> Option<&Scalar<'static>> {
        match self {
            Self::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Place, decode operations and levels of a collection that is complete.
    pub(super) fn as_collection(&self) -> Option<(Place, u64, usize)> {
        match self {
            Self::Collection { place, decodes, height, .. } => Some((*place, *decodes, *height)),
            _ => None,
        }
    }
}

/// Counts the same as go-yaml: the nodes that it decodes, and how many of them are inside aliases. It also counts
/// bytes, which go-yaml does not.
#[derive(Debug)]
pub(super) struct Budget<'e> {
    decodes: u64,
    aliased: u64,
    /// The number of bytes that may still be added before the input is charged for them.
    free: usize,
    max_values: u64,
    n_anchors: usize,
    expansion: &'e Expansion,
}

impl<'e> Budget<'e> {
    /// For a document of `len` bytes.
    pub(super) fn new(len: usize, expansion: &'e Expansion) -> Self {
        // The document itself is a node.
        Self { decodes: 1, aliased: 0, free: len, max_values: expansion.max_values(len), n_anchors: 0, expansion }
    }

    pub(super) fn decodes(&self) -> u64 {
        self.decodes
    }

    /// # Errors
    ///
    /// There are more nodes than the input may have. Or too large a part of the nodes comes from aliases: more than 99
    /// % up to 400,000 nodes, falling to 10 % at 4,000,000 (`docs/behaviour/fbc.md` 1.3). The first hundred never
    /// count.
    pub(super) fn count(&mut self, decodes: u64, aliased: u64) -> Result<(), &'static str> {
        self.decodes = self.decodes.saturating_add(decodes);
        self.aliased = self.aliased.saturating_add(aliased);
        if self.decodes > self.max_values {
            return Err(has_too_many_values());
        }
        if self.aliased > 100 && self.decodes > 1000 && self.ratio() > allowed_ratio(self.decodes) {
            return Err("document contains excessive aliasing");
        }
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "the rule is one of doubles")]
    fn ratio(&self) -> f64 {
        self.aliased as f64 / self.decodes as f64
    }

    /// Counts the work on an event inside so many open collections: for each token, libyaml looks at all of them once
    /// more. No real document is as deep as what is free.
    ///
    /// # Errors
    /// The errors of [`Expansion::charge`].
    pub(super) fn nest(&mut self, depth: usize) -> Result<(), &'static str> {
        const FREE: usize = 128;
        if depth <= FREE { Ok(()) } else { self.expansion.charge(depth) }
    }

    /// Counts an anchor, which is remembered until the end of the document.
    ///
    /// # Errors
    /// The errors of [`Expansion::charge`].
    pub(super) fn anchor(&mut self, name: &str) -> Result<(), &'static str> {
        const ANCHOR: usize = 512;
        const FREE: usize = 1_000;
        self.n_anchors += 1;
        if self.n_anchors <= FREE { Ok(()) } else { self.expansion.charge(ANCHOR + name.len()) }
    }

    /// # Errors
    ///
    /// Aliases and merge keys have added more than the input has a right to.
    pub(super) fn expand(&mut self, bytes: usize) -> Result<(), &'static str> {
        let paid = bytes.saturating_sub(self.free);
        self.free = self.free.saturating_sub(bytes);
        if paid == 0 { Ok(()) } else { self.expansion.charge(paid) }
    }
}

#[expect(clippy::cast_precision_loss, reason = "the rule is one of doubles")]
fn allowed_ratio(decodes: u64) -> f64 {
    const LOW: u64 = 400_000;
    const HIGH: u64 = 4_000_000;
    match decodes {
        ..=LOW => 0.99,
        HIGH.. => 0.10,
        _ => 0.99 - 0.89 * ((decodes - LOW) as f64 / (HIGH - LOW) as f64),
    }
}
