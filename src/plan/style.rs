//! What the report looks like: fonts of the system, colours for light and dark, and paper.
//!
//! Colour never says anything alone: each state has a mark and words.
//!
//! What it deliberately does not do: it loads nothing.

/// A colour: its name, and its values on a light and on a dark screen.
type Colour = (&'static str, &'static str, &'static str);

const COLOURS: &[Colour] = &[
    ("ground", "#ffffff", "#0d1117"),
    ("band", "#f3f5f8", "#161b22"),
    ("text", "#1b1f24", "#e6edf3"),
    ("muted", "#4a525b", "#b1bac4"),
    ("link", "#0756b5", "#79b8ff"),
    ("border", "#d0d7de", "#30363d"),
    ("good", "#116329", "#56d364"),
    ("fair", "#7a4e00", "#e3b341"),
    ("bad", "#a40e26", "#ff8080"),
    ("open", "#4a525b", "#b1bac4"),
];

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
    let list = |of: fn(&Colour) -> &'static str| {
        COLOURS.iter().map(|it| format!("--{}: {};", it.0, of(it))).collect::<Vec<_>>().join(" ")
    };
    let (light, dark) = (list(|it| it.1), list(|it| it.2));
    format!(":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}{RULES}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, as WCAG defines it.
    fn luminance(colour: &str) -> f64 {
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    #[test]
    fn every_text_can_be_read_in_both_schemes() {
        for pick in [|it: &Colour| it.1, |it: &Colour| it.2] {
            let of = |name: &str| luminance(pick(COLOURS.iter().find(|it| it.0 == name).unwrap()));
            for text in ["text", "muted", "link", "good", "fair", "bad", "open"] {
                for ground in ["ground", "band"] {
                    let (a, b) = (of(text), of(ground));
                    let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                    assert!(contrast >= 4.5, "{text} on {ground}: {contrast:.2}");
                }
            }
        }
    }

    #[test]
    fn the_sheet_is_small_and_loads_nothing() {
        let style = style();
        assert!(style.len() < 12 << 10);
        assert!(!style.contains("url(") && !style.contains("@import") && !style.contains('<'));
    }
}
