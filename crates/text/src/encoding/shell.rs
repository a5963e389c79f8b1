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

#[cfg(test)]
mod tests {
    use super::word;

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
