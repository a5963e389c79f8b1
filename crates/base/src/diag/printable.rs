//! Names from catalogs, safe to show on a terminal.

use std::borrow::Cow;

/// Whether a character has an effect other than being visible: controls, marks of direction, joiners, spaces without
/// width, tags, and similar ones. Terminals, pages and assistants get none of them from a text of somebody else.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}')
        || matches!(c, '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{3164}')
        || matches!(c, '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}')
        || matches!(c, '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}')
        || matches!(c, '\u{E0000}'..='\u{E0FFF}')
}

/// Replaces what could steer a terminal or hide text: hidden characters ([`is_hidden`]) are shown as `\u{…}`. Tabs and
/// newlines too, since a name belongs on one line.
pub fn printable(text: &str) -> Cow<'_, str> {
    // Nearly all names are plain ASCII.
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain || !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => out.push_str(&c.escape_unicode().to_string()),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A text as content of an element or of an attribute of XML and HTML in double quotes. XML has no control characters,
/// not even escaped ones, which [`printable`] shows in another way, and it has no way at all to write two characters of
/// Unicode.
pub fn xml_text(text: &str) -> String {
    let shown = printable(text);
    let mut out = String::with_capacity(shown.len());
    for c in shown.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// Like [`printable`], for a text on a line of its own, indented or not: `::` at its beginning is shown as `\u{3a}:`,
/// since in the log of a GitHub workflow it would begin a command.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    let shown = printable(text);
    match shown.trim_start().strip_prefix("::") {
        Some(rest) => Cow::Owned(format!("{}\\u{{3a}}:{rest}", &shown[..shown.len() - rest.len() - 2])),
        None => shown,
    }
}

/// A text of at most `max` characters; an ellipsis stands for the rest.
pub fn shortened(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::{printable, printable_line};

    #[test]
    fn lines_are_no_commands_of_a_workflow() {
        for (text, shown) in [
            ("::error ::x", "\\u{3a}:error ::x"),
            ("  ::error\n::x", "  \\u{3a}:error\\n::x"),
            ("a ::error", "a ::error"),
            (": x", ": x"),
        ] {
            assert_eq!(printable_line(text), shown);
        }
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        for (text, shown) in [
            ("plain.v1.0.0", "plain.v1.0.0"),
            ("größer", "größer"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("a\nb\tc", "a\\nb\\tc"),
            ("\u{202E}txt.exe", "\\u{202e}txt.exe"),
            ("\u{9b}31m", "\\u{9b}31m"),
            // Finding B3.
            ("a\u{61c}b\u{200b}c", "a\\u{61c}b\\u{200b}c"),
            ("\u{e0041}\u{2066}\u{3164}", "\\u{e0041}\\u{2066}\\u{3164}"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }
}
