//! The colours of pictures and reports, on light and on dark screens.

/// The colours of one kind of screen.
pub struct Palette {
    /// The background.
    pub ground: &'static str,
    /// Every other group of rows.
    pub band: &'static str,
    /// Text.
    pub text: &'static str,
    /// Text that matters less.
    pub muted: &'static str,
    /// Links.
    pub link: &'static str,
    /// Lines around tables and boxes.
    pub border: &'static str,
    /// A gap that no upgrade crosses.
    pub wall: &'static str,
    /// A marked upgrade path …
    pub way: &'static str,
    /// … and the boxes on it.
    pub on_way: &'static str,
    /// Channels of a package, one beside the other …
    pub tracks: [&'static str; 8],
    /// … and text on them.
    pub on_track: &'static str,
    /// An edge `replaces`.
    pub replaces: &'static str,
    /// An edge `skips`.
    pub skips: &'static str,
    /// An edge `skipRange`.
    pub skip_range: &'static str,
    /// A state that is fine; the states of a plan are texts.
    pub good: &'static str,
    /// A state that needs a look.
    pub fair: &'static str,
    /// A state that blocks.
    pub bad: &'static str,
}

/// The colours on light screens.
pub const LIGHT: Palette = Palette {
    ground: "#ffffff",
    band: "#f3f5f8",
    text: "#1b1f24",
    muted: "#4a525b",
    link: "#0756b5",
    border: "#d0d7de",
    wall: "#cf222e",
    way: "#0969da",
    on_way: "#ffffff",
    tracks: ["#5b3fd6", "#0756b5", "#17692f", "#8f4a00", "#a3161c", "#0b6b67", "#8a3fa0", "#5d6b00"],
    on_track: "#ffffff",
    replaces: "#24292f",
    skips: "#8250df",
    skip_range: "#bc4c00",
    good: "#116329",
    fair: "#7a4e00",
    bad: "#a40e26",
};

/// The colours on dark screens.
pub const DARK: Palette = Palette {
    ground: "#0d1117",
    band: "#161b22",
    text: "#e6edf3",
    muted: "#b1bac4",
    link: "#79b8ff",
    border: "#30363d",
    wall: "#ff7b72",
    way: "#58a6ff",
    on_way: "#0d1117",
    tracks: ["#b9a3ff", "#79b8ff", "#56d364", "#f0a35e", "#ff8f8f", "#4fd1c5", "#e29bf0", "#c3d35a"],
    on_track: "#0d1117",
    replaces: "#c9d1d9",
    skips: "#b392f0",
    skip_range: "#f0883e",
    good: "#56d364",
    fair: "#e3b341",
    bad: "#ff8080",
};

/// The contrast of two colours `#rrggbb` or `#rgb`, as WCAG 2 defines it: 4.5 is enough for text, 3 for lines.
pub fn contrast(a: &str, b: &str) -> f64 {
    fn luminance(colour: &str) -> f64 {
        let n_digits = colour.len() / 3;
        let part = |number: usize| {
            let digits = &colour[1 + number * n_digits..][..n_digits];
            let value = f64::from(u8::from_str_radix(&digits.repeat(3 - n_digits), 16).expect("a colour")) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2)
    }
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_is_that_of_the_standard() {
        for (a, b, expected) in [("#000000", "#fff", 21.0), ("#fff", "#ffffff", 1.0), ("#777777", "#fff", 4.48)] {
            assert!((contrast(a, b) - expected).abs() < 0.01, "{a} on {b}: {}", contrast(a, b));
        }
    }

    #[test]
    fn text_can_be_read_and_lines_can_be_seen_in_light_and_dark() {
        for (palette, name) in [(LIGHT, "light"), (DARK, "dark")] {
            let grounds = [palette.ground, palette.band];
            let texts = [palette.text, palette.muted].map(|text| grounds.map(|ground| (text, ground))).concat();
            let signals = [palette.link, palette.good, palette.fair, palette.bad];
            let signals = signals.map(|text| [(text, palette.ground), (text, palette.band)]).concat();
            let on_tracks = palette.tracks.map(|track| (palette.on_track, track));
            for (text, ground) in
                texts.into_iter().chain(signals).chain([(palette.on_way, palette.way)]).chain(on_tracks)
            {
                assert!(contrast(text, ground) >= 4.5, "{name}: {text} on {ground}: {}", contrast(text, ground));
            }
            let lines = [palette.replaces, palette.skips, palette.skip_range, palette.way, palette.wall];
            for line in lines.into_iter().chain(palette.tracks) {
                assert!(contrast(line, palette.ground) >= 3.0, "{name}: {line}");
            }
        }
    }
}
