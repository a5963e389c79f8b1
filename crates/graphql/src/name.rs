//! Names of types and fields, made of the names that catalogs have.

/// The name of a type for a schema or a key: words with capitals, only ASCII letters and digits, no digit in front.
pub(crate) fn type_name(text: &str) -> String {
    let words: String = text.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect();
    let words = words.trim_start_matches(|it: char| it.is_ascii_digit());
    let name: String = words.split('_').map(capitalised).collect();
    if name.is_empty() { "Unknown".to_owned() } else { name }
}

/// The name of the field of the root that lists the documents of a schema.
pub(crate) fn root_field_name(schema: &str) -> String {
    let mut name: String = schema.chars().filter(char::is_ascii_alphanumeric).collect();
    name.make_ascii_lowercase();
    name.push('s');
    name
}

/// The name of the field for a key.
pub(crate) fn field_name(key: &str) -> String {
    if key.is_empty() {
        return "value".to_owned();
    }
    let is_kept = |it: char| it.is_ascii_alphanumeric();
    let mut words = key.split(|it| !is_kept(it)).filter(|it| !it.is_empty());
    let mut name = match words.next() {
        Some(first) if first.bytes().any(|it| it.is_ascii_lowercase()) => {
            let (head, rest) = first.split_at(1);
            head.to_ascii_lowercase() + rest
        }
        Some(first) => first.to_ascii_lowercase(),
        None => String::new(),
    };
    name.extend(words.map(capitalised));
    match name.bytes().next() {
        Some(first) if first.is_ascii_alphabetic() => name,
        _ => format!("field_{name}"),
    }
}

/// An ASCII word with a capital in front, and no other.
fn capitalised(word: &str) -> String {
    let mut word = word.to_ascii_lowercase();
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    word
}

/// Whether a name can be one of a field: the names made here have no other characters, but may begin with a digit.
pub(crate) fn is_valid(name: &str) -> bool {
    !name.bytes().next().is_none_or(|it| it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_catalogd() {
        for (text, name) in [
            ("olm.package", "OlmPackage"),
            ("relatedImages", "Relatedimages"),
            ("1.bundle", "Bundle"),
            ("12a.3b", "A3b"),
            ("ü---", "Unknown"),
            ("", "Unknown"),
            ("a_b.C-D", "ABCD"),
        ] {
            assert_eq!(type_name(text), name, "{text}");
        }
        for (text, name) in [("olm.bundle", "olmbundles"), ("Custom.Thing", "customthings"), ("1.b", "1bs"), ("é", "s")]
        {
            assert_eq!(root_field_name(text), name, "{text}");
        }
        for (text, name) in [
            ("package-name", "packageName"),
            ("UPPERCASE", "uppercase"),
            ("123", "field_123"),
            ("---", "field_"),
            ("", "value"),
            ("__a__b_CD", "aBCd"),
            ("aBC", "aBC"),
            ("ABC_dEF", "abcDef"),
            ("HTTPServer", "hTTPServer"),
            ("1a", "field_1a"),
            ("naïve", "naVe"),
        ] {
            assert_eq!(field_name(text), name, "{text}");
        }
    }
}
