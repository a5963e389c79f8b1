//! Names from catalogs in XML and HTML: without markup, and cut if they would break a picture.

use olmdex_base::diag::printable;
pub(super) use olmdex_base::diag::xml_text as escaped;

/// As [`escaped`], line by line.
pub(super) fn escaped_lines(lines: impl Iterator<Item = String>) -> String {
    lines.map(|it| escaped(&it)).collect::<Vec<_>>().join("\n")
}

/// How many columns of a monospaced font a character takes: two, unless it is a letter of an alphabet, a dash or an
/// ellipsis.
fn columns_of(c: char) -> usize {
    if matches!(c, '\0'..='\u{10FF}' | '\u{2010}'..='\u{2027}') { 1 } else { 2 }
}

/// How many columns a text takes.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// The width of a character in hundredths of the height of a proportional font.
fn width_of(c: char) -> usize {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 32,
        'f' | 't' | 'r' | '-' | '(' | ')' | '[' | ']' | '/' | ' ' => 42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 98,
        'A'..='Z' | '+' | '=' | '<' | '>' | '_' => 74,
        c if c < '\u{300}' => 61,
        _ => 130,
    }
}

/// How many pixels a text takes in the proportional font of this size; the estimate is on the safe side.
pub(super) fn pixels(text: &str, size: usize, is_bold: bool) -> usize {
    let hundredths = text.chars().map(width_of).sum::<usize>();
    (hundredths * size).div_ceil(100) * if is_bold { 107 } else { 100 } / 100
}

/// A text in at most so many pixels of the proportional font of this size.
pub(super) fn cut_to_pixels(text: &str, max: usize, size: usize) -> String {
    let text = printable(text);
    let max = max * 100 / size;
    if text.chars().map(width_of).sum::<usize>() <= max {
        return text.into_owned();
    }
    let mut left = max.saturating_sub(100);
    let fits = |c: &char| {
        let fits = width_of(*c) <= left;
        left = left.saturating_sub(width_of(*c));
        fits
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// A name in at most so many columns. A long name loses its middle, since names end with versions.
pub(super) fn cut(text: &str, max: usize) -> String {
    let text = printable(text);
    if columns(&text) <= max {
        return text.into_owned();
    }
    let taken = |chars: &mut dyn Iterator<Item = char>, max: usize| -> Vec<char> {
        let mut n_columns = 0;
        let fits = |c: &char| {
            n_columns += columns_of(*c);
            n_columns <= max
        };
        chars.take_while(fits).collect()
    };
    let n_last = max * 2 / 5;
    let first = taken(&mut text.chars(), max - 1 - n_last);
    let last = taken(&mut text.chars().rev(), n_last);
    first.into_iter().chain(['…']).chain(last.into_iter().rev()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_in_the_middle_and_never_break_markup() {
        assert_eq!(cut("keda.v2.1.0", 20), "keda.v2.1.0");
        assert_eq!(cut(&format!("{}.v1.2.3", "x".repeat(300)), 20), "xxxxxxxxxxx…x.v1.2.3");
        assert_eq!(cut("📈📈📈📈📈📈", 7), "📈📈…📈");
        assert!(columns(&cut(&"\u{1b}".repeat(40), 30)) <= 30);
        assert_eq!(escaped("<a href=\"x\">&\u{1b}\u{FFFF}"), "&lt;a href=&quot;x&quot;&gt;&amp;\\u{1b}\u{FFFD}");
    }
}
