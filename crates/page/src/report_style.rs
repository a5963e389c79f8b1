//! Reports in one file: their frame and their style, with fonts of the system, colours for light and dark, and paper.
//!
//! Colour never carries a meaning alone: each state has a mark and words.

use maud::{DOCTYPE, Markup, PreEscaped, html};

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
.verdict { display: flex; align-items: center; gap: .6rem; padding: .5rem .8rem; border: 2px solid; border-radius: .4rem; font-size: 1.25em; }
.lamps { flex: none; }
.verdict.ready, .good { color: var(--good); }
.verdict.attention, .fair { color: var(--fair); }
.verdict.blocked, .bad { color: var(--bad); }
.verdict.unknown, .open { color: var(--open); }
.lead { font-size: 1.1em; font-weight: 600; margin-top: .5rem; }
.muted { color: var(--muted); font-size: .875em; font-weight: 400; }
.note { border-left: 3px solid var(--fair); padding-left: .5rem; }
.figures { display: flex; flex-wrap: wrap; gap: .25rem 2rem; margin: .75rem 0; padding: .5rem .8rem; background: var(--band);
  border: 1px solid var(--border); border-radius: .4rem; }
dt { color: var(--muted); font-size: .875em; }
dd { margin: 0; font-weight: 600; }
.words { font-size: .875em; }
.words div { display: flex; flex-wrap: wrap; gap: 0 .5rem; }
.words dt { min-width: 9rem; }
.words dd { font-weight: 400; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9em; overflow-wrap: normal; }
.overview { min-width: 38rem; }
caption { text-align: left; color: var(--muted); padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--border); }
thead th { background: var(--band); }
td code { white-space: nowrap; }
code { font-size: .92em; }
.card { border: 1px solid var(--border); border-left: .35rem solid; border-radius: .3rem; padding: .5rem .8rem; margin: .5rem 0; }
.card > * { color: var(--text); }
.boxes { list-style: \"☐ \"; margin: .25rem 0; }
.steps { padding-left: 2rem; }
.steps > li { margin: .5rem 0; padding-left: .3rem; }
.title { font-weight: 600; text-decoration: none; }
.title:hover, .title:focus { text-decoration: underline; }
.platform { background: var(--band); }
.route { font-size: .875em; }
.details h3 { margin-top: 1.5rem; }
.copy { float: right; margin: .4rem .4rem 0 0; font: inherit; font-size: .8rem; padding: .1rem .6rem; cursor: pointer;
  color: var(--text); background: var(--ground); border: 1px solid var(--border); border-radius: .3rem; }
pre { background: var(--band); border: 1px solid var(--border); padding: .6rem; overflow-x: auto; font-size: .8rem;
  white-space: pre-wrap; }
@page { size: A4; margin: 14mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 9.5pt; line-height: 1.35; }
  .skip, .copy { display: none; }
  a { color: inherit; text-decoration: none; }
  h1 { font-size: 15pt; margin: 0; }
  h2 { font-size: 12pt; margin: .9rem 0 .3rem; }
  h3 { font-size: 10pt; }
  th, td { padding: .2rem .4rem; }
  .card { padding: .3rem .6rem; margin: .35rem 0; }
  .steps > li { margin: .25rem 0; }
  tr, .card, .steps > li { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .appendix { break-before: page; }
  .wide { overflow: visible; }
  .overview { min-width: 0; }
  td code { white-space: normal; overflow-wrap: anywhere; }
}
";

/// A report as one file. The policy allows what the caller names and the style, and no loading: texts of clusters may
/// hold scripts.
pub(super) fn report(title: &str, policy: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="referrer" content="no-referrer";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(style())) }
            }
            body { (body) }
        }
    };
    let mut text = page.into_string();
    text.push('\n');
    text
}

/// The style sheet. Paper gets the light one.
fn style() -> String {
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
