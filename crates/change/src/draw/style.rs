//! The style of pictures: colours for light and dark, fonts of the system, shapes.
//!
//! Every colour is written out for both, and not as a variable, which some programs that draw SVG do not support. A
//! program that does not support dark screens draws the light form.

use std::fmt::Write as _;

use olmdex_text::palette::{DARK, LIGHT, Palette};

const SHAPES: &str = include_str!("shapes.css");

/// The colours as rules of a style sheet.
fn rules(palette: &Palette) -> String {
    let Palette { ground, text, muted, link, wall, way, on_way, .. } = palette;
    let Palette { replaces, skips, skip_range, tracks, on_track, band, good, bad, .. } = palette;
    let mut sheet = format!(
        ".ground {{ fill: {ground}; }}
svg text {{ fill: {text}; }}
svg .hint, svg .folded {{ fill: {muted}; }}
svg a text {{ fill: {link}; }}
.gap {{ stroke: {wall}; }}
.track .hollow, .track .mention {{ fill: {ground}; }}
.track .end, .lane .end {{ stroke: {wall}; }}
svg .band {{ fill: {band}; }}
.lane .ring {{ fill: {ground}; }}
svg .more {{ fill: {link}; }}
.badge {{ fill: {way}; }}
svg .way {{ stroke: {way}; }}
svg .number {{ fill: {on_way}; }}
.flag text, svg .flag a text {{ fill: {on_track}; }}
.replaces {{ stroke: {replaces}; }}
.skips {{ stroke: {skips}; }}
.skipRange {{ stroke: {skip_range}; }}
.dot-skips {{ fill: {ground}; stroke: {skips}; }}
.dot-skipRange, .tip-skipRange {{ fill: {skip_range}; }}
.tip-replaces, .dot-replaces {{ fill: {replaces}; }}
.tip-skips {{ fill: {skips}; }}
"
    );
    // Writing into a text cannot fail.
    let [default, leads_on, ..] = tracks;
    let _ = writeln!(
        sheet,
        ".t0 .rail, .t0 .hollow, .t0 .mention {{ stroke: {default}; }} .t0 .dot, .t0 rect {{ fill: {default}; stroke: {default}; }}"
    );
    for (class, colour) in [("m0", default), ("m1", leads_on), ("m2", muted)] {
        let _ = writeln!(
            sheet,
            ".{class} .bar, .{class} .join, .{class} .ring {{ stroke: {colour}; }} .{class} .dot {{ fill: {colour}; }}"
        );
    }
    for (class, colour) in [("can", good), ("cannot", bad), ("beyond", muted)] {
        let _ = writeln!(sheet, ".{class} rect {{ fill: {colour}; }} svg .{class} text {{ fill: {on_track}; }}");
    }
    sheet
}

/// The colours of a page around pictures.
fn page_rules(palette: &Palette) -> String {
    let Palette { ground, band, text, muted, border, .. } = palette;
    format!(
        "body {{ color: {text}; background: {ground}; }}
header {{ background: {band}; }}
header, section, details {{ border-color: {border}; }}
header span, summary small {{ color: {muted}; }}
"
    )
}

/// The style sheet of a picture.
pub(super) fn style() -> String {
    let (light, dark) = (rules(&LIGHT), rules(&DARK));
    format!("{SHAPES}{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n")
}

/// The additional rules in the style sheet of a page.
pub(super) fn page_style() -> String {
    let (light, dark) = (page_rules(&LIGHT), page_rules(&DARK));
    format!(":root {{ color-scheme: light dark; }}\n{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n")
}
