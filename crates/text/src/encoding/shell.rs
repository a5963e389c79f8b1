//! Words of command lines.

/// A text as a word of a POSIX shell: unchanged if every shell takes it so, otherwise in quotes.
pub fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=,+".contains(c);
    // zsh replaces `=command` by the path of the command.
    if !text.is_empty() && !text.starts_with('=') && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The words of a line as a POSIX shell splits them, without expanding anything. The last one is empty behind a space.
pub fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_word = false;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (None, ' ' | '\t' | '\n') => {
                if is_word {
                    words.push(std::mem::take(&mut word));
                }
                is_word = false;
                continue;
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None | Some('"'), '\\') => word.extend(letters.next()),
            _ => word.push(c),
        }
        is_word = true;
    }
    words.push(word);
    words
}

#[cfg(test)]
mod tests {
    use super::{split, word};

    #[test]
    fn words_are_split_without_expanding_them() {
        for (line, words) in [
            ("olmdex ", &["olmdex", ""][..]),
            ("olmdex show  ke", &["olmdex", "show", "ke"]),
            ("olmdex show 'a b", &["olmdex", "show", "a b"]),
            ("olmdex \"a\\\"b\" c\\ d", &["olmdex", "a\"b", "c d"]),
            ("olmdex $(touch x) `y`", &["olmdex", "$(touch", "x)", "`y`"]),
            ("olmdex '' ", &["olmdex", "", ""]),
            ("", &[""]),
        ] {
            assert_eq!(split(line), words, "{line}");
        }
    }

    #[test]
    fn each_text_is_one_word() {
        for (text, expected) in [
            ("", "''"),
            ("keda.v2.1.0+b_1-x", "keda.v2.1.0+b_1-x"),
            ("quay.io/a/b:c@sha256:0", "quay.io/a/b:c@sha256:0"),
            ("a=b,c", "a=b,c"),
            ("=1.0.0", "'=1.0.0'"),
            ("--to", "--to"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            ("'", "''\\'''"),
            ("$(x)", "'$(x)'"),
            (">=1.0.0 <2", "'>=1.0.0 <2'"),
            ("~", "'~'"),
            ("*", "'*'"),
            ("ü", "'ü'"),
            ("a\nb", "'a\nb'"),
            (r#"{"a":"b"}"#, r#"'{"a":"b"}'"#),
        ] {
            assert_eq!(word(text), expected, "{text}");
        }
    }
}
