//! The layout of help pages: their length, headings, options with their descriptions, and lines of a width.

use clap::Arg;

/// The length of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Form {
    /// As much as fits a screen.
    Screen,
    /// All of one command.
    Whole,
    /// All of one command, and the options that every command takes.
    All,
}

/// A heading in clap's style.
pub(super) fn heading(text: &str) -> String {
    format!("\u{1b}[1m\u{1b}[4m{text}:\u{1b}[0m")
}

/// A text in one line, cut behind a word.
pub(super) fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let fitting: String = text.chars().take(room.saturating_sub(1)).collect();
    let end = fitting.rfind(' ').unwrap_or(0);
    if end == 0 { String::new() } else { format!("{}…", fitting[..end].trim_end_matches([',', ':', ' '])) }
}

/// A text in lines of a width; all but the first begin with `indent`.
pub(super) fn wrapped(text: &str, indent: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let begins = line.trim().is_empty();
        if !begins && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
        } else if !begins {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// An option as users type it.
pub(super) fn label(option: &Arg) -> String {
    match option.get_short() {
        Some(short) if option.get_long().is_some() => format!("-{short}, {option}"),
        _ => format!("    {option}"),
    }
}

/// The first sentence about an argument, and its possible words.
pub(super) fn description(argument: &Arg) -> String {
    let text = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let end = [". ", "; "].iter().filter_map(|it| text.find(it)).min().unwrap_or(text.len());
    let text = &text[..end];
    let is_listed = argument.get_action().takes_values() && !argument.is_hide_possible_values_set();
    let values = argument.get_possible_values();
    let words: Vec<&str> =
        values.iter().filter(|it| is_listed && !it.is_hide_set()).map(clap::builder::PossibleValue::get_name).collect();
    if words.is_empty() { text.to_owned() } else { format!("{text}: {}", words.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::{cut, wrapped};

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three", "  ", 9), ["one two", "  three"]);
        assert_eq!(wrapped("", "  ", 9), [""]);
        assert_eq!(wrapped("longer-than-a-line x", " ", 9), ["longer-than-a-line", " x"]);
    }

    #[test]
    fn a_cut_text_ends_with_a_word() {
        assert_eq!(cut("one two, three", 20), "one two, three");
        assert_eq!(cut("one two, three", 12), "one two…");
        assert_eq!(cut("one", 2), "");
    }
}
