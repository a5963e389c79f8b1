//! SVG: pictures of packages, without any other program.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::catalog::{Catalog, Channel};
use super::layout::Detail;
use super::legend::legend;
use super::markup::escaped;
use super::order::in_version_order;
use super::picture::{Picture, TooManyMarks, View};
use super::reach::ReachMap;
use super::reach_picture::MapWidth;
use super::strip::{MarkedPath, PictureLinks, Strip};
use super::style::style;

/// The lines of a picture: as many as fit on a screen or two.
pub(super) const MAX_LINES: usize = 48;

/// Draws a catalog's packages below each other, each with all its channels. Pictures may have so many marks.
///
/// # Errors
/// [`TooManyMarks`] if there are more.
pub fn svg(catalog: &Catalog, way: &MarkedPath, detail: Detail, max_marks: usize) -> Result<String, TooManyMarks> {
    let channels = in_version_order(catalog);
    let max_lines = View::max_lines_of(detail, MAX_LINES);
    let view = View { way, max_lines, max_opened: 0, links: &PictureLinks::NONE };
    let mut n_left = max_marks;
    let mut body = String::new();
    let (mut width, mut y) = (320, 0);
    let (mut n_folded, mut marks) = (0, BTreeSet::new());
    for of_package in channels.chunk_by(|a, b| a.package == b.package) {
        let mut pictures = Vec::new();
        if of_package.len() > 1 {
            let map = ReachMap::new(catalog, of_package);
            pictures.push(Picture::of_map(&map, (view, MapWidth::Wide), &mut n_left)?);
        }
        for channel in of_package.iter().filter(|_| of_package.len() == 1 || detail == Detail::Full) {
            pictures.push(Picture::new(catalog, channel, view, &mut n_left)?);
        }
        for picture in pictures {
            for strip in &picture.strips {
                place(&mut body, strip, &mut y);
            }
            width = width.max(picture.width);
            n_folded += picture.n_folded;
            marks.extend(picture.marks);
        }
    }
    if !marks.is_empty() {
        place(&mut body, &legend(&marks, width), &mut y);
    }
    if n_folded > 0 {
        let words = "A line of several versions or channels says how many; --every-entry shows each.";
        let note =
            Strip { body: format!("<text class=\"hint\" x=\"12\" y=\"14\">{words}</text>\n"), height: 24, fold: None };
        place(&mut body, &note, &mut y);
        width = width.max(540);
    }
    Ok(document((width, y.max(40)), &body))
}

/// Puts a strip below the others.
fn place(body: &mut String, strip: &Strip, y: &mut usize) {
    // Writing into a text cannot fail.
    let _ = writeln!(body, "<g transform=\"translate(0,{y})\">\n{}</g>", strip.body);
    *y += strip.height;
}

/// The pictures of channels, for a page that has [`picture_style`] in its style sheet: without a style of their own,
/// which a strict content policy would not apply. Versions that share a line can be opened in their place if there are
/// at most `max_opened` of them.
///
/// # Errors
/// [`TooManyMarks`] if there are more marks.
pub fn picture_for_page(
    catalog: &Catalog,
    (max_lines, max_opened): (usize, usize),
    links: &PictureLinks<'_>,
    max_marks: usize,
) -> Result<String, TooManyMarks> {
    let view = View { way: &[], max_lines: Some(max_lines), max_opened, links };
    let mut n_left = max_marks;
    let pictures = in_version_order(catalog).into_iter().map(|it| Picture::new(catalog, it, view, &mut n_left));
    pictures.map(|picture| Ok(markup(&picture?, ""))).collect()
}

/// The map of a package for such a page, in both widths.
///
/// # Errors
/// [`TooManyMarks`] if there are more marks.
pub fn map_for_page(
    catalog: &Catalog,
    max_opened: usize,
    links: &PictureLinks<'_>,
    max_marks: usize,
) -> Result<String, TooManyMarks> {
    let channels = in_version_order(catalog);
    let view = View { way: &[], max_lines: Some(MAX_LINES), max_opened, links };
    maps(catalog, &channels, view, &mut { max_marks })
}

/// The map of a package as HTML, in both widths.
pub(super) fn maps(
    catalog: &Catalog,
    channels: &[&Channel],
    view: View<'_>,
    n_left: &mut usize,
) -> Result<String, TooManyMarks> {
    let map = ReachMap::new(catalog, channels);
    let mut text = String::new();
    // A finger needs more room than a version beside another one has: there, only the names of channels are links.
    let of_channels = PictureLinks { bundle: &|_, _| None, channel: view.links.channel };
    let narrow = View { links: &of_channels, ..view };
    for (view, width, class) in [(view, MapWidth::Wide, " for-wide"), (narrow, MapWidth::Narrow, " for-narrow")] {
        text.push_str(&markup(&Picture::of_map(&map, (view, width), n_left)?, class));
    }
    Ok(text)
}

/// A picture as HTML: strips below each other, some of which open.
pub(super) fn markup(picture: &Picture, class: &str) -> String {
    let mut text =
        format!("<div class=\"picture{class}\" role=\"group\" aria-label=\"{}\">\n", escaped(&picture.title));
    let legend = (!picture.marks.is_empty()).then(|| legend(&picture.marks, picture.width));
    for strip in picture.strips.iter().chain(&legend) {
        let drawn = drawn(strip, picture.width);
        match &strip.fold {
            Some((words, Some(opened))) => {
                let _ = writeln!(
                    text,
                    "<details><summary aria-label=\"{}\">{drawn}</summary>{}</details>",
                    escaped(words),
                    self::drawn(opened, picture.width)
                );
            }
            _ => text.push_str(&drawn),
        }
    }
    text.push_str("</div>\n");
    text
}

fn drawn(strip: &Strip, width: usize) -> String {
    format!(
        "<svg width=\"{width}\" height=\"{}\" viewBox=\"0 0 {width} {}\">\n{}</svg>\n",
        strip.height, strip.height, strip.body
    )
}

/// The style sheet of pictures that have none of their own.
pub fn picture_style() -> String {
    style()
}

/// A whole file.
fn document((width, height): (usize, usize), body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>Upgrade graph</title>\n<style>{}</style>\n\
         <rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n",
        style()
    )
}
