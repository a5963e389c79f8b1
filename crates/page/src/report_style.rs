//! Reports in one file: their frame and their style, with fonts of the system, colours for light and dark, and paper.
//!
//! Colour never carries a meaning alone: each state has a mark and words.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use olmdex_text::palette::{DARK, LIGHT, Palette};

const RULES: &str = include_str!("report.css");

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
