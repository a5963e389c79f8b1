//! The rules of names in Kubernetes, in its words.

/// Lower-case letters, digits, `-` inside.
fn is_label(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// The errors in the name of an object.
pub(super) fn dns1123_subdomain(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 253 {
        wrong.push("must be no more than 253 bytes".to_owned());
    }
    if !text.split('.').all(is_label) {
        wrong.push(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
                .to_owned(),
        );
    }
    wrong
}

/// The errors in the name of a version or a resource.
pub(super) fn dns1035_label(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push("must be no more than 63 bytes".to_owned());
    }
    if !is_label(text) || !text.starts_with(|it: char| it.is_ascii_lowercase()) {
        wrong.push(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
                .to_owned(),
        );
    }
    wrong
}

/// Whether a text can be the value of a label.
pub(super) fn is_label_value(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let outer = |byte: Option<u8>| byte.is_none_or(|byte| byte.is_ascii_alphanumeric());
    let mut bytes = text.bytes();
    text.len() <= 63 && text.bytes().all(inner) && outer(bytes.next()) && outer(bytes.next_back())
}
