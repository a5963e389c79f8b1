//! Values and types as messages show them, without recursion.

use super::ast::{Document, Id, Kind, Step};

/// A value or a type.
pub(crate) fn print(document: &Document<'_>, id: Id) -> String {
    let mut out = String::new();
    for step in document.walk(id) {
        match step {
            Step::Enter(at) => {
                let node = &document[at];
                if at != id && is_in_list(document, at) && is_behind_another(document, at) {
                    out.push_str(", ");
                }
                match node.kind {
                    Kind::List | Kind::ListType => out.push('['),
                    Kind::Object => out.push('{'),
                    Kind::ObjectField => {
                        out.push_str(node.name());
                        out.push_str(": ");
                    }
                    Kind::Variable => {
                        out.push('$');
                        out.push_str(node.name());
                    }
                    Kind::Named => out.push_str(node.name()),
                    Kind::String => quote(&node.text, &mut out),
                    Kind::Int | Kind::Float | Kind::Boolean | Kind::Enum => out.push_str(&node.text),
                    _ => {}
                }
            }
            Step::Leave(at) => match document[at].kind {
                Kind::List | Kind::ListType => out.push(']'),
                Kind::Object => out.push('}'),
                Kind::NonNullType => out.push('!'),
                _ => {}
            },
        }
    }
    out
}

fn is_in_list(document: &Document<'_>, at: Id) -> bool {
    document[at].parent.is_some_and(|it| matches!(document[it].kind, Kind::List | Kind::Object))
}

fn is_behind_another(document: &Document<'_>, at: Id) -> bool {
    document[at].parent.and_then(|it| document.children(it).next()) != Some(at)
}

/// A text in quotes, as Go's `%q` writes it.
pub(crate) fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{C}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{B}' => out.push_str("\\v"),
            c if is_shown(c) => out.push(c),
            c if c < '\u{80}' => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c if c < '\u{10000}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
}

/// Whether Go takes a character for one that is seen: no control character, no white space but the blank, and assigned.
/// Marks that join the character before them count, which Rust escapes only at the beginning.
fn is_shown(c: char) -> bool {
    c == ' '
        || c.is_ascii_graphic()
        || (!c.is_control() && !c.is_whitespace() && format!("a{c}").escape_debug().count() == 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_go_quotes_them() {
        for (text, quoted) in [
            ("a \"b\" \\", "\"a \\\"b\\\" \\\\\""),
            ("\u{1}\u{7F}\u{A0}\u{E9}\u{301}", "\"\\x01\\x7f\\u00a0é\u{301}\""),
            ("\u{200B}\u{FEFF}\u{1F600}\u{10FFFF}\u{2028}", "\"\\u200b\\ufeff\u{1F600}\\U0010ffff\\u2028\""),
        ] {
            let mut out = String::new();
            quote(text, &mut out);
            assert_eq!(out, quoted);
        }
    }
}
