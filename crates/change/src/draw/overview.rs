//! A whole catalog at a glance: a line for each package, in as many columns as fit on a screen.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::catalog::{Catalog, Channel};
use super::markup::{columns, cut, cut_to_pixels, cut_to_width, escaped};
use super::order::head_version;
use super::strip::SMALL;
use super::svg::document;
use super::treemap::{Tile, tiles};
use olmdex_base::diag::counted;
use olmdex_version::Version;

/// The line of a package in an overview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackageLine<'c> {
    pub(super) name: &'c str,
    /// The version at the head of the default channel, or else of the channel with the highest head.
    head: String,
    default_channel: &'c str,
    n_channels: usize,
    n_bundles: usize,
    is_deprecated: bool,
    is_invalid: bool,
}

impl PackageLine<'_> {
    fn marks(&self) -> String {
        let marks = [(self.is_invalid, "invalid"), (self.is_deprecated, "deprecated")];
        marks.into_iter().filter(|it| it.0).map(|it| it.1).collect::<Vec<_>>().join(", ")
    }
}

/// The packages of a catalog, by name.
pub(super) fn lines(catalog: &Catalog) -> Vec<PackageLine<'_>> {
    let mut channels: BTreeMap<&str, Vec<&Channel>> = BTreeMap::new();
    for channel in &catalog.channels {
        channels.entry(&channel.package).or_default().push(channel);
    }
    catalog
        .packages
        .iter()
        .map(|(name, package)| {
            let channels = channels.get(name.as_str()).map_or(&[][..], Vec::as_slice);
            let default = channels.iter().find(|it| it.name == package.default_channel);
            let highest = || channels.iter().filter_map(|it| head_version(catalog, it)).max();
            let head = default.and_then(|it| head_version(catalog, it)).or_else(highest);
            PackageLine {
                name,
                head: head.map(Version::to_string).unwrap_or_default(),
                default_channel: &package.default_channel,
                n_channels: channels.len(),
                n_bundles: package.n_bundles,
                is_deprecated: catalog.deprecated_in(name).packages.contains(name),
                is_invalid: package.is_invalid,
            }
        })
        .collect()
}

/// Writes the overview as a table.
///
/// # Errors
/// The errors of the writer.
pub fn overview_text(catalog: &Catalog, out: &mut impl Write) -> io::Result<()> {
    let header = ["PACKAGE", "HEAD", "DEFAULT CHANNEL", "CHANNELS", "BUNDLES", "MARKS"].map(str::to_owned);
    let lines = lines(catalog);
    let cells = lines.iter().map(|it| {
        let [name, head, channel] = [it.name, &it.head, it.default_channel].map(|text| cut(text, MAX_TEXT));
        [name, head, channel, it.n_channels.to_string(), it.n_bundles.to_string(), it.marks()]
    });
    let rows: Vec<[String; 6]> = std::iter::once(header).chain(cells).collect();
    let width = |column: usize| rows.iter().map(|it| columns(&it[column])).max().unwrap_or(0);
    let widths = [0, 1, 2, 3, 4].map(width);
    for [name, head, channel, n_channels, n_bundles, marks] in rows {
        let filled = |text: &str, column: usize| " ".repeat(widths[column] - columns(text));
        let mut line = String::new();
        for (column, text) in [name, head, channel].iter().enumerate() {
            let _ = write!(line, "{text}{}   ", filled(text, column));
        }
        for (column, number) in [(3, n_channels), (4, n_bundles)] {
            let _ = write!(line, "{}{number}   ", filled(&number, column));
        }
        writeln!(out, "{}", (line + &marks).trim_end())?;
    }
    Ok(())
}

/// Longer names are cut in the table.
const MAX_TEXT: usize = 50;
/// Around everything, and between columns.
const MARGIN: usize = 12;
const GAP: usize = 10;
/// Above the first line, and below the last.
const TOP: usize = 66;
const BOTTOM: usize = 30;
/// Half pixels of a line's height.
const HALF_LINE: usize = 27;
/// The lines that justify a column of their own, and the highest number of columns.
const LINES: usize = 40;
const MAX_COLUMNS: usize = 5;
/// The width of a page, and the greatest width of a column.
const WIDTH: usize = 1600;
const MAX_COLUMN: usize = 460;
/// The number of neighbouring lines of one colour.
const BAND: usize = 5;

/// An overview as a part of a picture.
pub(super) struct Overview {
    pub(super) body: String,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// Draws the overview. `link` returns the target of a package's name, by its number.
pub(super) fn overview(catalog: &Catalog, link: impl Fn(usize) -> Option<String>) -> Overview {
    let lines = lines(catalog);
    let n_columns = lines.len().div_ceil(LINES).clamp(1, MAX_COLUMNS);
    let n_lines = lines.len().div_ceil(n_columns).max(1);
    let width = ((WIDTH - 2 * MARGIN + GAP) / n_columns - GAP).min(MAX_COLUMN);
    let height = TOP + n_lines * HALF_LINE / 2 + BOTTOM;
    // The widths in a column: the marks and numbers come first, and the texts share the rest.
    let room = |most: Option<usize>| (most.unwrap_or(0).to_string().len() * 7 + 8).max(26);
    let marks = 14;
    let for_channels = room(lines.iter().map(|it| it.n_channels).max());
    let for_bundles = room(lines.iter().map(|it| it.n_bundles).max());
    let for_texts = width - marks - for_channels - for_bundles;
    let [name, head] = [for_texts * 61 / 100, for_texts * 20 / 100];
    let channel = for_texts - name - head;
    let mut body = String::new();
    // Writing into a text cannot fail.
    for (column, lines) in lines.chunks(n_lines).enumerate() {
        let x = MARGIN + column * (width + GAP);
        let at = [x + marks, x + marks + name, x + marks + name + head, x + width - for_bundles, x + width - 2];
        let [at_name, at_head, at_channel, at_channels, at_bundles] = at;
        heading(&mut body, x, at, width);
        for (number, line) in lines.iter().enumerate() {
            let top = TOP + number * HALF_LINE / 2;
            if number.is_multiple_of(BAND) && number / BAND % 2 == 1 {
                let n_banded = BAND.min(lines.len() - number);
                let height = (number + n_banded) * HALF_LINE / 2 - number * HALF_LINE / 2;
                let _ = writeln!(
                    body,
                    "<rect class=\"band\" x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/>"
                );
            }
            let y = top + 10;
            let marks = marks_of(line);
            let _ = write!(body, "<g class=\"package\"><title>{}</title>", escaped(&in_words(line)));
            if !marks.is_empty() {
                let _ = write!(body, "<text class=\"cell\" x=\"{x}\" y=\"{y}\">{marks}</text>");
            }
            let cell = |x: usize, text: &str, width: usize| {
                format!("<text class=\"cell\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(&cut_to_width(text, width - 4)))
            };
            let named = cell(at_name, line.name, name);
            let _ = match link(column * n_lines + number) {
                Some(link) => write!(body, "<a href=\"{link}\">{named}</a>"),
                None => write!(body, "{named}"),
            };
            body.push_str(&cell(at_head, &line.head, head));
            body.push_str(&cell(at_channel, line.default_channel, channel));
            let _ = writeln!(
                body,
                "<text class=\"cell count\" x=\"{at_channels}\" y=\"{y}\">{}</text>\
                 <text class=\"cell count\" x=\"{at_bundles}\" y=\"{y}\">{}</text></g>",
                line.n_channels, line.n_bundles
            );
        }
    }
    let n_channels: usize = lines.iter().map(|it| it.n_channels).sum();
    let n_bundles: usize = lines.iter().map(|it| it.n_bundles).sum();
    let title = format!("{} packages, {n_channels} channels, {n_bundles} bundles", lines.len());
    let words = "head: of the default channel · ch.: channels · b.: bundles · ✗ invalid · † deprecated";
    let _ = writeln!(
        body,
        "<text class=\"title\" x=\"{MARGIN}\" y=\"26\">{title}</text>\
         <text class=\"cell\" x=\"{MARGIN}\" y=\"{}\">{words}</text>",
        height - 12
    );
    let n_columns = lines.len().div_ceil(n_lines).max(1);
    let width = (n_columns * (width + GAP) - GAP + 2 * MARGIN).max(520);
    Overview { body, width, height }
}

/// The heading of a column: its words at these places, and a line of this width.
fn heading(body: &mut String, x: usize, at: [usize; 5], width: usize) {
    let [at_name, at_head, at_channel, at_channels, at_bundles] = at;
    let y = TOP - 10;
    let _ = writeln!(
        body,
        "<g><text class=\"cell column\" x=\"{at_name}\" y=\"{y}\">package</text>\
         <text class=\"cell column\" x=\"{at_head}\" y=\"{y}\">head</text>\
         <text class=\"cell column\" x=\"{at_channel}\" y=\"{y}\">default</text>\
         <text class=\"cell column count\" x=\"{at_channels}\" y=\"{y}\">ch.</text>\
         <text class=\"cell column count\" x=\"{at_bundles}\" y=\"{y}\">b.</text>\
         <path class=\"rule\" d=\"M{x} {}h{width}\"/></g>",
        y + 5
    );
}

fn marks_of(line: &PackageLine<'_>) -> &'static str {
    match (line.is_invalid, line.is_deprecated) {
        (true, true) => "✗†",
        (true, false) => "✗",
        (false, true) => "†",
        (false, false) => "",
    }
}

/// A package in words, which appear under the pointer.
fn in_words(line: &PackageLine<'_>) -> String {
    let PackageLine { name, head, default_channel, n_channels, n_bundles, .. } = line;
    let marks = line.marks();
    let marks = if marks.is_empty() { marks } else { format!(" ({marks})") };
    let head = if head.is_empty() { "no version" } else { head };
    let default_channel = if default_channel.is_empty() { "none" } else { default_channel };
    let [channels, bundles] = [counted(*n_channels as u64, "channel"), counted(*n_bundles as u64, "bundle")];
    format!("{name}{marks}: head {head}, default channel {default_channel}, {channels}, {bundles}")
}

/// The size of the map, without its margins and the texts above and below.
const MAP: (usize, usize) = (1576, 860);

/// Draws the packages as a map: their size shows the number of bundles, and their darkness that of channels. `link`
/// returns the target of a package, by its number.
pub(super) fn map(catalog: &Catalog, link: impl Fn(usize) -> Option<String>) -> Overview {
    let lines = lines(catalog);
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|&it| std::cmp::Reverse(lines[it].n_bundles));
    let total: usize = lines.iter().map(|it| it.n_bundles).sum();
    // A package of one bundle among thousands must still be large enough to point at.
    let least = total as f64 / (lines.len().max(1) * 4) as f64;
    let weights: Vec<f64> = order.iter().map(|&it| (lines[it].n_bundles as f64).max(least).max(1.0)).collect();
    let (width, height) = MAP;
    let whole = Tile { x: MARGIN as f64, y: 44.0, width: width as f64, height: height as f64 };
    let mut body = String::new();
    // Writing into a text cannot fail.
    for (&number, tile) in order.iter().zip(tiles(&weights, whole)) {
        let line = &lines[number];
        let shade = match line.n_channels {
            0 | 1 => 0,
            2..=4 => 1,
            _ => 2,
        };
        let mut class = format!("tile m{shade}");
        for (is_so, name) in [(line.is_invalid, " invalid"), (line.is_deprecated, " outdated")] {
            class.push_str(if is_so { name } else { "" });
        }
        let Tile { x, y, width, height } = tile;
        let mut drawn = format!("<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>");
        let room = (width as usize).saturating_sub(8);
        if room >= 32 && height >= 16.0 {
            let name = format!("{}{}", marks_of(line), line.name);
            let name = escaped(&cut_to_pixels(&name, room, SMALL));
            let _ = write!(drawn, "<text class=\"hint\" x=\"{:.1}\" y=\"{:.1}\">{name}</text>", x + 4.0, y + 13.0);
        }
        if room >= 32 && height >= 32.0 && !line.head.is_empty() {
            let head = escaped(&cut_to_pixels(&line.head, room, SMALL));
            let _ = write!(drawn, "<text class=\"hint\" x=\"{:.1}\" y=\"{:.1}\">{head}</text>", x + 4.0, y + 27.0);
        }
        let _ = write!(body, "<g class=\"{class}\"><title>{}</title>", escaped(&in_words(line)));
        let _ = match link(number) {
            Some(link) => writeln!(body, "<a href=\"{link}\">{drawn}</a></g>"),
            None => writeln!(body, "{drawn}</g>"),
        };
    }
    let n_channels: usize = lines.iter().map(|it| it.n_channels).sum();
    let counts = [(lines.len(), "package"), (n_channels, "channel"), (total, "bundle")];
    let counts = counts.map(|(n, word)| counted(n as u64, word)).join(", ");
    let bottom = 44 + height;
    let _ = writeln!(
        body,
        "<text class=\"title\" x=\"{MARGIN}\" y=\"20\">{counts}</text>\
         <text class=\"hint\" x=\"{MARGIN}\" y=\"36\">The larger, the more bundles; the darker, the more channels: 1, 2 to 4, 5 or more.</text>"
    );
    let marks = [
        (lines.iter().any(|it| it.is_invalid), "\u{2717} with a thick border: invalid"),
        (lines.iter().any(|it| it.is_deprecated), "\u{2020} with a dashed border: deprecated"),
    ];
    let marks: Vec<&str> = marks.into_iter().filter(|it| it.0).map(|it| it.1).collect();
    let _ =
        writeln!(body, "<text class=\"hint\" x=\"{MARGIN}\" y=\"{}\">{}</text>", bottom + 18, marks.join(" \u{b7} "));
    Overview { body, width: width + 2 * MARGIN, height: bottom + 28 }
}

/// Draws the map as a file.
#[must_use]
pub fn overview_svg(catalog: &Catalog) -> String {
    let Overview { body, width, height } = map(catalog, |_| None);
    document((width, height), true, "Packages of a catalog", &body)
}
