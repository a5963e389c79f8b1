//! The way of one installed version as a line map: a line for each channel on the way, the lowest first, and dotted the
//! part of the installed channel that leads past the change.

use std::fmt::Write as _;

use super::markup::{cut_to_pixels, escaped};
use super::strip::SMALL;

/// A way to draw.
#[derive(Debug, Clone, Default)]
pub struct LineMap {
    /// The installed version.
    pub from: String,
    /// The channels on the way, each with the versions to which upgrades lead in it.
    pub lines: Vec<(String, Vec<String>)>,
    /// The versions to which the installed channel leads if it is not changed.
    pub past: Vec<String>,
    /// Whether the installed channel is left before any upgrade in it.
    pub leaves_at_once: bool,
}

/// Points of a line beyond these share a place.
const MAX_POINTS: usize = 5;
/// The distances of points and of lines.
const STEP: usize = 84;
const LINE: usize = 58;
const MARGIN: usize = 50;

/// A place on a line: a version, or how many versions share it.
enum Point<'v> {
    Version(&'v str),
    More(usize),
}

/// The places of versions: the first ones and the last one, and between them a place for the others.
fn points(versions: &[String]) -> Vec<Point<'_>> {
    let single = |version| Point::Version(version);
    match versions {
        [first @ .., last] if versions.len() > MAX_POINTS => {
            let (shown, rest) = first.split_at(MAX_POINTS - 2);
            let shown = shown.iter().map(String::as_str).map(single);
            shown.chain([Point::More(rest.len()), Point::Version(last)]).collect()
        }
        all => all.iter().map(String::as_str).map(single).collect(),
    }
}

/// Draws a way, for a page that has [`super::picture_style`]; nothing if there is no upgrade at all.
pub fn line_map(map: &LineMap) -> String {
    let lines: Vec<(&str, Vec<Point<'_>>)> =
        map.lines.iter().map(|(channel, versions)| (channel.as_str(), points(versions))).collect();
    let n_points = lines.iter().map(|(_, points)| points.len()).sum::<usize>();
    if n_points == 0 && map.past.is_empty() {
        return String::new();
    }
    let past = points(&map.past);
    // The first channel is left where its last point is, or at once if a change comes first.
    let n_first = if map.leaves_at_once { 0 } else { lines.first().map_or(0, |(_, points)| points.len()) };
    let bottom = 34 + (lines.len() + usize::from(map.leaves_at_once)).saturating_sub(1) * LINE;
    let past_end = if past.is_empty() { 0 } else { MARGIN + (n_first + past.len()) * STEP + 110 };
    let (width, height) = ((MARGIN + n_points * STEP + 170).max(past_end), bottom + 34);
    let mut marks = String::new();
    let (way, end) = write_way(&mut marks, &map.from, &lines, bottom, map.leaves_at_once);
    let mut body = String::new();
    write_past(&mut body, &past, MARGIN + n_first * STEP, bottom);
    let way = match n_points {
        0 => marks,
        _ => format!(
            "<path class=\"bar\" d=\"{way}\"/>{marks}<path class=\"dot\" d=\"M{} {}l8 8l-8 8l-8 -8z\"/>",
            end.0,
            end.1 - 8
        ),
    };
    format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">{body}\
         <g class=\"lane m0\">{way}</g></svg>",
        escaped(&alternative(map))
    )
}

/// Writes the points of the way; the line through them, and its end.
fn write_way(
    marks: &mut String,
    from: &str,
    lines: &[(&str, Vec<Point<'_>>)],
    bottom: usize,
    leaves_at_once: bool,
) -> (String, (usize, usize)) {
    let (mut x, mut y) = (MARGIN, bottom);
    let mut way = format!("M{x} {y}");
    write_point(marks, (x, y), from, "installed", true);
    for (number, (channel, points)) in lines.iter().enumerate() {
        let line = bottom - (number + usize::from(leaves_at_once)) * LINE;
        for point in points {
            let next = x + STEP;
            if y == line {
                let _ = write!(way, "H{next}");
            } else {
                let middle = x + STEP / 2;
                let _ = write!(way, "C{middle} {y} {middle} {line} {next} {line}");
                let words = cut_to_pixels(&format!("channel {channel}"), 240, SMALL);
                let (x, y) = (next + 14, line + 22);
                let _ = write!(marks, "<text class=\"hint\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(&words));
            }
            (x, y) = (next, line);
            match point {
                Point::Version(version) => write_point(marks, (x, y), version, "", y == bottom),
                Point::More(n) => {
                    let label = label_y(y, y == bottom);
                    let _ = write!(marks, "<text class=\"hint minor\" x=\"{x}\" y=\"{label}\">{n} more</text>");
                }
            }
        }
    }
    (way, (x, y))
}

/// Writes the part of the first channel behind the change.
fn write_past(body: &mut String, past: &[Point<'_>], from: usize, y: usize) {
    if past.is_empty() {
        return;
    }
    let to = from + past.len() * STEP;
    let _ = write!(body, "<g class=\"lane m2\"><path class=\"join\" d=\"M{from} {y}H{to}\"/>");
    for (at, point) in past.iter().enumerate() {
        let x = from + (at + 1) * STEP;
        let text = match point {
            Point::Version(version) => {
                let _ = write!(body, "<circle class=\"ring\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>");
                cut_to_pixels(version, STEP - 6, SMALL)
            }
            Point::More(n) => format!("{n} more"),
        };
        let _ = write!(body, "<text class=\"hint minor\" x=\"{x}\" y=\"{}\">{}</text>", y + 22, escaped(&text));
    }
    let _ = write!(
        body,
        "<path class=\"end\" d=\"M{} {}v20\"/><text class=\"hint\" x=\"{}\" y=\"{}\">a dead end</text></g>",
        to + 14,
        y - 10,
        to + 22,
        y + 4
    );
}

/// The height of the label of a point: below the lowest line, above the others.
fn label_y(y: usize, is_lowest: bool) -> usize {
    if is_lowest { y + 24 } else { y - 14 }
}

fn write_point(marks: &mut String, (x, y): (usize, usize), version: &str, above: &str, is_lowest: bool) {
    let label = escaped(&cut_to_pixels(version, STEP - 6, 12));
    let _ = write!(
        marks,
        "<circle class=\"ring\" cx=\"{x}\" cy=\"{y}\" r=\"5\"/><g><title>{}</title><text class=\"minor\" x=\"{x}\" y=\"{}\">{label}</text></g>",
        escaped(version),
        label_y(y, is_lowest)
    );
    if !above.is_empty() {
        let _ = write!(marks, "<text class=\"hint minor\" x=\"{x}\" y=\"{}\">{above}</text>", y - 14);
    }
}

/// The map in words.
fn alternative(map: &LineMap) -> String {
    let mut words = format!("From {}", map.from);
    for (channel, versions) in &map.lines {
        if let Some(last) = versions.last() {
            let _ = write!(words, ", in {channel} to {last}");
        }
    }
    match map.past.last() {
        Some(last) if map.lines.is_empty() => {
            let _ = write!(words, " to {last}, a dead end");
        }
        Some(last) => {
            let _ = write!(words, "; without the change the channel ends at {last}");
        }
        None => {}
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_a_line_for_each_channel_and_the_rest_is_dotted() {
        let versions = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let map = LineMap {
            from: "1.0.0".to_owned(),
            lines: vec![("a".to_owned(), versions(&["1.1.0"])), ("b<".to_owned(), versions(&["2.0.0", "2.1.0"]))],
            past: versions(&["1.2.0"]),
            leaves_at_once: false,
        };
        let drawn = line_map(&map);
        assert!(
            drawn.contains("aria-label=\"From 1.0.0, in a to 1.1.0, in b&lt; to 2.1.0; without the change"),
            "{drawn}"
        );
        assert_eq!(drawn.matches("class=\"ring\"").count(), 5, "{drawn}");
        assert_eq!(line_map(&LineMap::default()), "");
        let stuck = line_map(&LineMap { lines: Vec::new(), ..map.clone() });
        assert!(stuck.contains("From 1.0.0 to 1.2.0, a dead end") && !stuck.contains("class=\"dot\""), "{stuck}");
        let at_once = line_map(&LineMap { leaves_at_once: true, ..map.clone() });
        assert!(at_once.contains("M50 150C92 150"), "{at_once}");
        let many = LineMap { lines: vec![("a".to_owned(), (0..100).map(|n| format!("1.{n}.0")).collect())], ..map };
        assert!(line_map(&many).contains("96 more"), "{}", line_map(&many));
    }
}
