//! The challenge of a registry in `WWW-Authenticate`.

/// The ways to authenticate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Challenge {
    Basic,
    /// By a token from this address.
    Bearer {
        realm: String,
        service: String,
        scope: String,
    },
}

impl Challenge {
    /// The first scheme that we know.
    pub(super) fn parse(header: &str) -> Option<Self> {
        let lower = header.to_ascii_lowercase();
        if let Some(at) = lower.find("bearer ") {
            let mut challenge = (String::new(), String::new(), String::new());
            for (key, value) in parameters(&header[at + "bearer ".len()..]) {
                match key.to_ascii_lowercase().as_str() {
                    "realm" => challenge.0 = value,
                    "service" => challenge.1 = value,
                    "scope" => challenge.2 = value,
                    _ => {}
                }
            }
            let (realm, service, scope) = challenge;
            return (!realm.is_empty()).then_some(Self::Bearer { realm, service, scope });
        }
        lower.starts_with("basic").then_some(Self::Basic)
    }
}

/// `key="value"` and `key=value`, separated by commas.
fn parameters(text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some((key, after)) = rest.split_once('=') {
        let key = key.trim_start_matches([',', ' ', '\t']).trim().to_owned();
        let value;
        if let Some(quoted) = after.strip_prefix('"') {
            let mut text = String::new();
            let mut is_escaped = false;
            let mut end = quoted.len();
            for (at, c) in quoted.char_indices() {
                match c {
                    _ if is_escaped => {
                        text.push(c);
                        is_escaped = false;
                    }
                    '\\' => is_escaped = true,
                    '"' => {
                        end = at + 1;
                        break;
                    }
                    _ => text.push(c),
                }
            }
            value = text;
            rest = &quoted[end..];
        } else {
            let end = after.find(',').unwrap_or(after.len());
            value = after[..end].trim().to_owned();
            rest = &after[end..];
        }
        all.push((key, value));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read_as_registries_write_them() {
        let bearer = |realm: &str, service: &str, scope: &str| {
            Some(Challenge::Bearer { realm: realm.to_owned(), service: service.to_owned(), scope: scope.to_owned() })
        };
        for (text, expected) in [
            (
                r#"Bearer realm="https://a/t",service="a",scope="repository:x:pull,push""#,
                bearer("https://a/t", "a", "repository:x:pull,push"),
            ),
            (r#"bearer REALM=https://a/t , service="a \" b""#, bearer("https://a/t", "a \" b", "")),
            (r#"Basic realm="x", Bearer realm="y""#, bearer("y", "", "")),
            (r#"Basic realm="x""#, Some(Challenge::Basic)),
            ("Bearer", None),
            (r#"Bearer realm=""#, None),
            ("Negotiate", None),
        ] {
            assert_eq!(Challenge::parse(text), expected, "{text}");
        }
    }
}
