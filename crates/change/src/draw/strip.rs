//! The common parts of pictures: measures, strips, and the marks of entries.

use std::fmt::Write as _;

use super::axis::EntryMark;

/// Height of a line.
pub(super) const LINE: usize = 24;
/// Around a picture.
pub(super) const MARGIN: usize = 12;
/// Sizes of fonts.
pub(super) const FONT: usize = 13;
pub(super) const SMALL: usize = 11;

/// A path through a package that a picture shows: names of bundles, the installed one first.
pub type MarkedPath = [String];

/// The targets of the names in a picture.
pub struct PictureLinks<'l> {
    /// The address of a bundle, by its name and version.
    pub bundle: &'l dyn Fn(&str, &str) -> Option<String>,
    /// The address of a channel.
    pub channel: &'l dyn Fn(&str) -> Option<String>,
}

impl PictureLinks<'_> {
    /// The names have no targets.
    pub(super) const NONE: PictureLinks<'static> = PictureLinks { bundle: &|_, _| None, channel: &|_| None };
}

/// A part of a picture, as wide as all others.
#[derive(Debug, Clone)]
pub(super) struct Strip {
    pub(super) body: String,
    pub(super) height: usize,
    /// For a strip of several versions: its text, and these versions, if they can be opened.
    pub(super) fold: Option<(String, Option<Box<Strip>>)>,
}

/// An entry on its track.
pub(super) fn write_entry(body: &mut String, mark: EntryMark, x: usize, y: usize) {
    let _ = match mark {
        EntryMark::Head => {
            write!(body, "<path class=\"dot\" d=\"M{} {y}l6 -6l6 6l-6 6z\"/>", x - 6)
        }
        EntryMark::Entry => write!(body, "<circle class=\"dot\" cx=\"{x}\" cy=\"{y}\" r=\"3\"/>"),
        EntryMark::Skipped => write!(body, "<circle class=\"hollow\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>"),
        EntryMark::DeadEnd => write!(body, "<path class=\"end\" d=\"M{} {}l8 8m0 -8l-8 8\"/>", x - 4, y - 4),
        EntryMark::Mentioned => {
            write!(body, "<rect class=\"mention\" x=\"{}\" y=\"{}\" width=\"7\" height=\"7\"/>", x - 3, y - 3)
        }
    };
}
