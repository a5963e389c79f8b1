//! `policy.json`: whether an image may be used without a signature. We verify none, so an image that needs one is
//! refused.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::super::error::{OciError, place_of};
use super::super::reference::Reference;
use olmdex_base::file::read_regular_of;

#[derive(Deserialize)]
struct Policy {
    #[serde(default)]
    default: Vec<Requirement>,
    #[serde(default)]
    transports: BTreeMap<String, BTreeMap<String, Vec<Requirement>>>,
}

#[derive(Deserialize)]
struct Requirement {
    #[serde(rename = "type", default)]
    kind: String,
}

/// Refuses an image that a policy does not let through as it is.
pub(super) fn check(path: &Path, reference: &Reference) -> Result<(), OciError> {
    let wrong = |what: String| OciError::registry(format!("the signature policy `{}` {what}", path.display()));
    let text = match read_regular_of(path, 16 << 20) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(wrong(format!("cannot be read: {error}"))),
    };
    let policy: Policy =
        serde_json::from_slice(&text).map_err(|error| wrong(format!("cannot be decoded: {}", place_of(&error))))?;
    let demanded = policy.of(reference);
    match demanded.iter().find(|it| it.kind != "insecureAcceptAnything") {
        None => Ok(()),
        Some(it) if it.kind == "reject" => {
            Err(OciError::Signature { reference: reference.to_string(), is_rejected: true })
        }
        Some(_) => Err(OciError::Signature { reference: reference.to_string(), is_rejected: false }),
    }
}

impl Policy {
    /// The requirements for an image: those of its own name, or else those of the longest scope that it is in.
    fn of(&self, reference: &Reference) -> &[Requirement] {
        let Some(scopes) = self.transports.get("docker") else { return &self.default };
        let location = reference.location();
        let mut names = vec![reference.to_string()];
        let mut prefix = Some(location.as_str());
        while let Some(key) = prefix {
            names.push(key.to_owned());
            prefix = key.rsplit_once('/').map(|it| it.0);
        }
        let host = reference.host.split(':').next().unwrap_or_default();
        names.extend(host.match_indices('.').map(|(at, _)| format!("*{}", &host[at..])));
        names.push(String::new());
        names.iter().find_map(|it| scopes.get(it)).unwrap_or(&self.default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_scope_counts() {
        let text = r#"{"default": [{"type": "reject"}], "transports": {"docker": {
            "quay.io/org": [{"type": "insecureAcceptAnything"}], "quay.io": [{"type": "signedBy"}],
            "*.example.com": [{"type": "insecureAcceptAnything"}]}}}"#;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("policy.json");
        std::fs::write(&path, text).unwrap();
        for (name, expected) in [
            ("quay.io/org/x", None),
            ("quay.io/other/x", Some(false)),
            ("docker.io/x", Some(true)),
            ("a.example.com:5000/x", None),
        ] {
            let found = match check(&path, &name.parse().unwrap()) {
                Ok(()) => None,
                Err(OciError::Signature { is_rejected, .. }) => Some(is_rejected),
                Err(error) => panic!("{error}"),
            };
            assert_eq!(found, expected, "{name}");
        }
        assert!(check(&directory.path().join("none"), &"docker.io/x".parse().unwrap()).is_ok());
    }
}
