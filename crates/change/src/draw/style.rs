//! What pictures look like: colours for light and dark, fonts of the system, shapes.
//!
//! Every colour is written out for both, instead of by variables, which not every program that draws SVG knows. What knows
//! nothing of dark screens draws the light form.

use olmdex_text::palette::{DARK, LIGHT, Palette};

const SHAPES: &str = "
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, \"DejaVu Sans Mono\", monospace; }
.title { font-size: 14px; font-weight: bold; }
.mark { font-size: 10px; }
.box { stroke-width: 1.2; }
.head { stroke-width: 2; }
.skipped { stroke-dasharray: 5 3; }
.mentioned { stroke-dasharray: 1.5 3; }
.wall { stroke-width: 4; }
.pill { fill: none; }
.ring { fill: none; stroke-width: 3; }
.number { font-size: 10px; font-weight: bold; text-anchor: middle; }
.way { stroke-width: 4; fill: none; }
.replaces { stroke-width: 1.4; fill: none; }
.skips { stroke-width: 1.4; stroke-dasharray: 6 3; fill: none; }
.skipRange { stroke-width: 1.4; stroke-dasharray: 1.5 2.5; fill: none; }
.mutual { stroke-width: 4; }
.dot-skips { stroke-width: 1.4; }
.cell { font: 10.5px system-ui, -apple-system, \"Segoe UI\", Roboto, \"Liberation Sans\", Arial, sans-serif; }
.count { text-anchor: end; font-variant-numeric: tabular-nums; }
.column { font-weight: 600; }
";

/// The colours, as style sheets say them.
fn rules(palette: &Palette) -> String {
    let Palette { ground, band, text, muted, link, border, node, node_border, head, head_border, .. } = palette;
    let Palette { hatch, hatch_line, deprecated_border, wall, way, on_way, replaces, skips, skip_range, .. } = palette;
    format!(
        ".ground {{ fill: {ground}; }}
.band {{ fill: {band}; }}
text {{ fill: {text}; }}
.mark {{ fill: {muted}; }}
a text, a .cell {{ fill: {link}; }}
.rule {{ stroke: {border}; }}
.box {{ fill: {node}; stroke: {node_border}; }}
.pill {{ stroke: {node_border}; }}
.head {{ fill: {head}; stroke: {head_border}; }}
.hatch-ground {{ fill: {hatch}; }}
.hatch-line {{ stroke: {hatch_line}; }}
.deprecated {{ fill: url(#hatch); stroke: {deprecated_border}; }}
.wall {{ stroke: {wall}; }}
.ring, .way {{ stroke: {way}; }}
.badge {{ fill: {way}; }}
.number {{ fill: {on_way}; }}
.replaces {{ stroke: {replaces}; }}
.skips {{ stroke: {skips}; }}
.skipRange {{ stroke: {skip_range}; }}
.dot-skips {{ fill: {ground}; stroke: {skips}; }}
.dot-skipRange, .tip-skipRange {{ fill: {skip_range}; }}
.tip-replaces, .dot-replaces {{ fill: {replaces}; }}
.tip-skips {{ fill: {skips}; }}
"
    )
}

/// The colours of a page around pictures.
fn page_rules(palette: &Palette) -> String {
    let Palette { ground, band, text, muted, link, border, .. } = palette;
    format!(
        "body {{ color: {text}; background: {ground}; }}
header {{ background: {band}; }}
header, section, details {{ border-color: {border}; }}
a {{ color: {link}; }}
header span, summary small {{ color: {muted}; }}
"
    )
}

/// The style sheet of a picture.
pub(super) fn style() -> String {
    let (light, dark) = (rules(&LIGHT), rules(&DARK));
    format!("{SHAPES}{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n")
}

/// What the style sheet of a page has besides.
pub(super) fn page_style() -> String {
    let (light, dark) = (page_rules(&LIGHT), page_rules(&DARK));
    format!(":root {{ color-scheme: light dark; }}\n{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n")
}

pub(super) const DEFINITIONS: &str = "<defs><pattern id=\"hatch\" width=\"7\" height=\"7\" \
     patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect class=\"hatch-ground\" width=\"7\" height=\"7\"/>\
     <line class=\"hatch-line\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"7\" stroke-width=\"2\"/></pattern></defs>\n";
