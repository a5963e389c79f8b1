//! What the report looks like: fonts of the system, colours for light and dark, and paper.
//!
//! Colour never says anything alone: each state has a mark and words.
//!
//! What it deliberately does not do: it loads nothing.

use olmdex_text::palette::{DARK, LIGHT, Palette};

const RULES: &str = "
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 1rem; background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, \"Segoe UI\", Roboto, Arial, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--border); }
h3 { font-size: 1rem; margin: 0 0 .25rem; }
p { margin: .25rem 0; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; background: var(--ground); }
.verdict { padding: .6rem .8rem; border: 2px solid; border-radius: .4rem; font-weight: 600; }
.verdict.ready, .good { color: var(--good); }
.verdict.attention, .fair { color: var(--fair); }
.verdict.blocked, .bad { color: var(--bad); }
.verdict.unknown, .open { color: var(--open); }
.muted { color: var(--muted); font-size: .875rem; }
.note { border-left: 3px solid var(--fair); padding-left: .5rem; }
.figures { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0; }
.figures div { background: var(--band); border: 1px solid var(--border); border-radius: .4rem; padding: .4rem .8rem; }
dt { color: var(--muted); font-size: .875rem; }
dd { margin: 0; font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; overflow-wrap: normal; }
caption { text-align: left; color: var(--muted); padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--border); }
thead th { background: var(--band); }
.card { border: 1px solid var(--border); border-left: .35rem solid; border-radius: .3rem; padding: .5rem .8rem; margin: .5rem 0; }
.card > * { color: var(--text); }
.card > .muted { color: var(--muted); }
.boxes { list-style: \"☐ \"; }
.steps > li { margin: .8rem 0; padding-left: .3rem; }
.title { font-weight: 600; }
.platform .title { background: var(--band); border: 1px solid var(--border); padding: .2rem .5rem; }
pre { background: var(--band); border: 1px solid var(--border); padding: .6rem; overflow-x: auto; font-size: .8rem;
  white-space: pre-wrap; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  .skip { display: none; }
  a { color: inherit; text-decoration: none; }
  tr, .card, .steps > li { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .commands { break-before: page; }
  .wide { overflow: visible; }
}
";

/// The style sheet. On paper it is the light one.
pub(super) fn style() -> String {
    let (light, dark) = (variables(&LIGHT), variables(&DARK));
    format!(":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}{RULES}")
}

fn variables(palette: &Palette) -> String {
    let Palette { ground, band, text, muted, link, border, good, fair, bad, .. } = palette;
    format!(
        "--ground: {ground}; --band: {band}; --text: {text}; --muted: {muted}; --link: {link}; --border: {border}; \
         --good: {good}; --fair: {fair}; --bad: {bad}; --open: {muted};"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sheet_is_small_and_loads_nothing() {
        let style = style();
        assert!(style.len() < 12 << 10);
        assert!(!style.contains("url(") && !style.contains("@import") && !style.contains('<'));
    }
}
