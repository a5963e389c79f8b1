//! SVG: pictures of channels, without any other program.

use std::fmt::Write as _;

use super::catalog::{Catalog, Channel};
use super::layout::Detail;
use super::legend::legend;
use super::order::in_version_order;
use super::panel::{Panel, TooManyMarks, View, Way};
use super::style::{DEFINITIONS, style};

/// Beyond this width, the channels of a package go on below.
const MAX_WIDTH: usize = 1800;
/// Beyond this height, channels get fewer lines, as long as that leaves something to see.
const MAX_HEIGHT: usize = 2000;
/// Lines of a channel: what fits that height by itself, and what many channels get.
pub(super) const MAX_LINES: [usize; 6] = [50, 32, 20, 12, 8, 6];

/// Draws a catalog's channels, by package; the channels of a package stand side by side, the highest head first. Edges
/// share lanes where they can; what is left of them may have so many ends.
///
/// # Errors
/// [`TooManyMarks`] if there are more ends.
pub fn svg(catalog: &Catalog, way: &Way, detail: Detail, max_ends: usize) -> Result<String, TooManyMarks> {
    let shelves = Shelves::fitting(catalog, way, detail, max_ends, "`--every-entry` shows each")?;
    Ok(document((shelves.width, shelves.height), "Upgrade graph", &shelves.body))
}

/// As [`svg`], for a page that has [`picture_style`] in its style sheet and each entry in a table: without a style of its own, which a
/// strict content policy would not apply.
///
/// # Errors
/// [`TooManyMarks`] if there are more ends.
pub fn svg_for_page(catalog: &Catalog, way: &Way, max_ends: usize) -> Result<String, TooManyMarks> {
    let Shelves { body, width, height } =
        Shelves::fitting(catalog, way, Detail::Collapsed, max_ends, "the table below has each")?;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-labelledby=\"picture\">\n<title id=\"picture\">Upgrade graph</title>\n{DEFINITIONS}{body}</svg>\n"
    ))
}

/// The style sheet of pictures that have none of their own.
#[must_use]
pub fn picture_style() -> String {
    style()
}

/// A whole file.
pub(super) fn document((width, height): (usize, usize), title: &str, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n<style>{}</style>\n\
         {DEFINITIONS}<rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n",
        style()
    )
}

/// Channels side by side, and below each other where there is no room.
struct Shelves {
    body: String,
    width: usize,
    height: usize,
}

impl Shelves {
    /// With as many lines as there is room for; `folds` says how to see what is folded then.
    fn fitting(
        catalog: &Catalog,
        way: &Way,
        detail: Detail,
        max_ends: usize,
        folds: &str,
    ) -> Result<Self, TooManyMarks> {
        let channels = in_version_order(catalog);
        let draw = |max_lines| Self::new(catalog, &channels, way, max_lines, max_ends, folds);
        let mut shelves = draw(if detail == Detail::Full { None } else { Some(MAX_LINES[0]) })?;
        for max_lines in &MAX_LINES[1..] {
            if detail == Detail::Full || shelves.height <= MAX_HEIGHT {
                break;
            }
            shelves = draw(Some(*max_lines))?;
        }
        Ok(shelves)
    }

    fn new(
        catalog: &Catalog,
        channels: &[&Channel],
        way: &Way,
        max_lines: Option<usize>,
        max_ends: usize,
        folds: &str,
    ) -> Result<Self, TooManyMarks> {
        let view = View { max_lines, id: None };
        let mut n_left = max_ends;
        let mut body = String::new();
        let (mut has_mutual, mut has_folds) = (false, false);
        let (mut width, mut y) = (0, 0);
        for of_package in channels.chunk_by(|a, b| a.package == b.package) {
            let (mut x, mut height) = (0, 0);
            for channel in of_package {
                let panel = Panel::new(catalog, channel, way, view, &mut n_left)?;
                has_mutual |= panel.has_mutual;
                has_folds |= panel.n_folded > 0;
                if x > 0 && x + panel.width > MAX_WIDTH {
                    y += height;
                    (x, height) = (0, 0);
                }
                // Writing into a text cannot fail.
                let _ = writeln!(body, "<g transform=\"translate({x},{y})\">\n{}</g>", panel.body);
                x += panel.width;
                width = width.max(x);
                height = height.max(panel.height);
            }
            y += height;
        }
        let legend = legend(has_mutual, has_folds.then_some(folds));
        let _ = writeln!(body, "<g transform=\"translate(0,{y})\">\n{}</g>", legend.body);
        Ok(Self { body, width: width.max(legend.width), height: y + legend.height })
    }
}
