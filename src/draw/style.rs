//! What pictures look like: colours for light and dark, fonts of the system, shapes.
//!
//! Every colour is written out for both, instead of by variables, which not every program that draws SVG knows. What knows
//! nothing of dark screens draws the light form.

/// The colours of a picture.
struct Palette {
    ground: &'static str,
    /// Every other group of rows.
    band: &'static str,
    text: &'static str,
    muted: &'static str,
    link: &'static str,
    border: &'static str,
    node: &'static str,
    node_border: &'static str,
    head: &'static str,
    head_border: &'static str,
    hatch: &'static str,
    hatch_line: &'static str,
    deprecated_border: &'static str,
    wall: &'static str,
    way: &'static str,
    on_way: &'static str,
    replaces: &'static str,
    skips: &'static str,
    skip_range: &'static str,
}

const LIGHT: Palette = Palette {
    ground: "#ffffff",
    band: "#f3f5f8",
    text: "#1b1f24",
    muted: "#4a525b",
    link: "#0756b5",
    border: "#d0d7de",
    node: "#ffffff",
    node_border: "#57606a",
    head: "#dafbe1",
    head_border: "#1a7f37",
    hatch: "#fff8c5",
    hatch_line: "#ecd58a",
    deprecated_border: "#9a6700",
    wall: "#cf222e",
    way: "#0969da",
    on_way: "#ffffff",
    replaces: "#24292f",
    skips: "#8250df",
    skip_range: "#bc4c00",
};

const DARK: Palette = Palette {
    ground: "#0d1117",
    band: "#161b22",
    text: "#e6edf3",
    muted: "#b1bac4",
    link: "#79b8ff",
    border: "#30363d",
    node: "#161b22",
    node_border: "#8b949e",
    head: "#12311d",
    head_border: "#3fb950",
    hatch: "#2e2611",
    hatch_line: "#5a4410",
    deprecated_border: "#d29922",
    wall: "#ff7b72",
    way: "#58a6ff",
    on_way: "#0d1117",
    replaces: "#c9d1d9",
    skips: "#b392f0",
    skip_range: "#f0883e",
};

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

impl Palette {
    /// The colours, as style sheets say them.
    fn rules(&self) -> String {
        let Self { ground, band, text, muted, link, border, node, node_border, head, head_border, .. } = self;
        let Self { hatch, hatch_line, deprecated_border, wall, way, on_way, replaces, skips, skip_range, .. } = self;
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
    fn page_rules(&self) -> String {
        let Self { ground, band, text, muted, link, border, .. } = self;
        format!(
            "body {{ color: {text}; background: {ground}; }}
header {{ background: {band}; }}
header, section, details {{ border-color: {border}; }}
a {{ color: {link}; }}
header span, summary small {{ color: {muted}; }}
"
        )
    }
}

/// The style sheet of a picture.
pub(super) fn style() -> String {
    let (light, dark) = (LIGHT.rules(), DARK.rules());
    format!("{SHAPES}{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n")
}

/// What the style sheet of a page has besides.
pub(super) fn page_style() -> String {
    let (light, dark) = (LIGHT.page_rules(), DARK.page_rules());
    format!(":root {{ color-scheme: light dark; }}\n{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n")
}

pub(super) const DEFINITIONS: &str = "<defs><pattern id=\"hatch\" width=\"7\" height=\"7\" \
     patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect class=\"hatch-ground\" width=\"7\" height=\"7\"/>\
     <line class=\"hatch-line\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"7\" stroke-width=\"2\"/></pattern></defs>\n";

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, as WCAG 2 defines it.
    fn luminance(colour: &str) -> f64 {
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    #[test]
    fn text_can_be_read_and_lines_can_be_seen_in_light_and_dark() {
        for (palette, name) in [(LIGHT, "light"), (DARK, "dark")] {
            let contrast = |a: &str, b: &str| {
                let (a, b) = (luminance(a), luminance(b));
                (a.max(b) + 0.05) / (a.min(b) + 0.05)
            };
            let grounds = [palette.ground, palette.band, palette.node, palette.head, palette.hatch, palette.hatch_line];
            let texts = [palette.text, palette.muted].map(|text| grounds.map(|ground| (text, ground))).concat();
            let links = [(palette.link, palette.ground), (palette.link, palette.band), (palette.on_way, palette.way)];
            for (text, ground) in texts.into_iter().chain(links) {
                assert!(contrast(text, ground) >= 4.5, "{name}: {text} on {ground}: {}", contrast(text, ground));
            }
            for line in [palette.replaces, palette.skips, palette.skip_range, palette.way, palette.wall] {
                assert!(contrast(line, palette.ground) >= 3.0, "{name}: {line}");
            }
        }
    }
}
