//! The places that an image is really fetched from: `registries.conf`, and the mirror sets of OpenShift
//! (`docs/behaviour/serving.md` A.4.1).

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::OciError;
use super::reference::Reference;
use olmdex_base::file::read_regular_of;
use olmdex_text::json::{self, Value};
use olmdex_text::yaml;

/// The largest file of mirrors.
const MAX_FILE: u64 = 16 << 20;

/// A file of mirrors, or a directory of `*.conf` files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorFile {
    /// Its path.
    pub path: PathBuf,
    /// Whether a user named it, so that it must exist.
    pub is_named: bool,
}

/// A place to fetch from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its host.
    pub host: String,
    /// Its repository.
    pub repository: String,
    /// Whether its certificate is not verified.
    pub is_insecure: bool,
}

/// The rules about registries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mirrors {
    rules: Vec<Rule>,
    aliases: Vec<(String, String)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Rule {
    /// The images that the rule is for: `host[:port][/path]`, or `*.example.com`.
    prefix: String,
    /// The replacement of the prefix; empty if it stays.
    location: String,
    is_insecure: bool,
    is_blocked: bool,
    mirrors: Vec<Mirror>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Mirror {
    location: String,
    is_insecure: bool,
    use_for: UseFor,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum UseFor {
    #[default]
    All,
    Digests,
    Tags,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", default)]
struct File {
    registry: Vec<Registry>,
    aliases: std::collections::BTreeMap<String, String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", default)]
struct Registry {
    prefix: String,
    location: String,
    insecure: bool,
    blocked: bool,
    mirror_by_digest_only: bool,
    mirror: Vec<RegistryMirror>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", default)]
struct RegistryMirror {
    location: String,
    insecure: bool,
    pull_from_mirror: String,
}

impl Mirrors {
    /// Reads files, the later ones over the earlier ones.
    ///
    /// # Errors
    /// If one cannot be read or decoded.
    pub fn read(files: &[MirrorFile]) -> Result<Self, OciError> {
        let mut mirrors = Self::default();
        for file in files {
            if file.path.is_dir() {
                let entries = std::fs::read_dir(&file.path)?.collect::<Result<Vec<_>, _>>()?;
                let mut paths: Vec<PathBuf> = entries.into_iter().map(|it| it.path()).collect();
                paths.sort();
                let is_conf = |it: &&PathBuf| it.extension().is_some_and(|it| it == "conf");
                paths.iter().filter(is_conf).try_for_each(|it| mirrors.add_file(it))?;
            } else if file.is_named || file.path.exists() {
                mirrors.add_file(&file.path)?;
            }
        }
        Ok(mirrors)
    }

    /// Adds a file: `registries.conf` of version 2, or manifests of `ImageDigestMirrorSet`, `ImageTagMirrorSet` and
    /// `ImageContentSourcePolicy`.
    ///
    /// # Errors
    /// If it cannot be read or decoded.
    pub fn add_file(&mut self, path: &Path) -> Result<(), OciError> {
        let shown = path.display();
        let text = read_regular_of(path, MAX_FILE)
            .map_err(|error| OciError::registry(format!("cannot read the mirrors in `{shown}`: {error}")))?;
        let is_manifest = path.extension().is_some_and(|it| it == "yaml" || it == "yml" || it == "json");
        let added = if is_manifest { self.add_manifests(&text) } else { self.add_conf(&text) };
        added.map_err(|error| OciError::registry(format!("the mirrors in `{shown}` cannot be decoded: {error}")))
    }

    fn add_conf(&mut self, text: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
        let file: File = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        for it in file.registry {
            let use_for = |own: &str| match own {
                "digest-only" => UseFor::Digests,
                "tag-only" => UseFor::Tags,
                "" if it.mirror_by_digest_only => UseFor::Digests,
                _ => UseFor::All,
            };
            let mirrors = it.mirror.iter().map(|mirror| Mirror {
                location: mirror.location.clone(),
                is_insecure: mirror.insecure,
                use_for: use_for(&mirror.pull_from_mirror),
            });
            let rule = Rule {
                prefix: if it.prefix.is_empty() { it.location.clone() } else { it.prefix.clone() },
                location: it.location.clone(),
                is_insecure: it.insecure,
                is_blocked: it.blocked,
                mirrors: mirrors.collect(),
            };
            // A later file replaces an earlier one for the same prefix.
            self.rules.retain(|other| other.prefix != rule.prefix);
            self.rules.push(rule);
        }
        self.aliases.extend(file.aliases);
        Ok(())
    }

    fn add_manifests(&mut self, text: &[u8]) -> Result<(), String> {
        for chunk in yaml::split(text, 1) {
            let chunk = chunk.map_err(|error| error.to_string())?;
            let mut converted = Vec::new();
            yaml::to_json(&chunk.text, &mut converted).map_err(|error| error.to_string())?;
            let converted = String::from_utf8_lossy(&converted);
            let mut reader = json::Reader::new();
            let Ok(value) = reader.read(&converted) else { continue };
            match value.get("items") {
                Some(items) => items.items().for_each(|it| self.add_set(it)),
                None => self.add_set(value),
            }
        }
        Ok(())
    }

    fn add_set(&mut self, set: Value<'_>) {
        let (list, use_for) = match set.text_of("kind").as_str() {
            "ImageDigestMirrorSet" => ("imageDigestMirrors", UseFor::Digests),
            "ImageTagMirrorSet" => ("imageTagMirrors", UseFor::Tags),
            "ImageContentSourcePolicy" => ("repositoryDigestMirrors", UseFor::Digests),
            _ => return,
        };
        let Some(list) = set.get("spec").and_then(|it| it.get(list)) else { return };
        for it in list.items() {
            let prefix = it.text_of("source");
            let mirrors = it.get("mirrors").into_iter().flat_map(|it| it.items()).filter_map(|it| it.as_str());
            let mirrors = mirrors.map(|it| Mirror { location: it.into_owned(), is_insecure: false, use_for });
            let is_blocked = it.text_of("mirrorSourcePolicy") == "NeverContactSource";
            match self.rules.iter_mut().find(|rule| rule.prefix == prefix) {
                Some(rule) => {
                    rule.mirrors.extend(mirrors);
                    rule.is_blocked |= is_blocked;
                }
                None => {
                    let mirrors = mirrors.collect();
                    self.rules.push(Rule { prefix, mirrors, is_blocked, ..Rule::default() });
                }
            }
        }
    }

    /// The name that a short one stands for.
    pub fn alias(&self, short: &str) -> Option<&str> {
        self.aliases.iter().rev().find(|it| it.0 == short).map(|it| it.1.as_str())
    }

    /// The places from which an image may be fetched, in the order in which they are tried.
    ///
    /// # Errors
    /// If it is blocked and has no mirror.
    pub fn endpoints(&self, reference: &Reference) -> Result<Vec<Endpoint>, OciError> {
        let location = reference.location();
        let itself =
            Endpoint { host: reference.host.clone(), repository: reference.repository.clone(), is_insecure: false };
        // The longest prefix counts.
        let found = self.rules.iter().filter_map(|rule| Some((matched(&rule.prefix, &location)?, rule)));
        let Some((len, rule)) = found.max_by_key(|it| it.0) else { return Ok(vec![itself]) };
        let replaced = |by: &str, is_insecure: bool| -> Option<Endpoint> {
            let text = if by.is_empty() { location.clone() } else { format!("{by}{}", &location[len..]) };
            let (host, repository) = text.split_once('/')?;
            let valid: Reference = format!("{host}/{repository}").parse().ok()?;
            Some(Endpoint { host: valid.host, repository: valid.repository, is_insecure })
        };
        let is_digest = reference.digest.is_some();
        let fits = |it: &&Mirror| match it.use_for {
            UseFor::All => true,
            UseFor::Digests => is_digest,
            UseFor::Tags => !is_digest,
        };
        let mut endpoints: Vec<Endpoint> =
            rule.mirrors.iter().filter(fits).filter_map(|it| replaced(&it.location, it.is_insecure)).collect();
        if !rule.is_blocked {
            endpoints.extend(replaced(&rule.location, rule.is_insecure));
        }
        if endpoints.is_empty() {
            let message = format!(
                "`{location}` is blocked, and has no mirror for {}",
                if is_digest { "digests" } else { "tags" }
            );
            return Err(OciError::registry(message));
        }
        Ok(endpoints)
    }

    /// The digest of an image, or else its name, with the source instead of a mirror: it is the same for all
    /// references to one image.
    pub fn identity(&self, image: &str) -> String {
        if let Some((_, digest)) = image.split_once('@') {
            return digest.to_owned();
        }
        let Ok(mut reference) = image.parse::<Reference>() else { return image.to_owned() };
        let location = reference.location();
        let sources = self.rules.iter().flat_map(|rule| rule.mirrors.iter().map(move |mirror| (mirror, rule)));
        let found = sources.filter_map(|(mirror, rule)| Some((matched(&mirror.location, &location)?, rule)));
        if let Some((len, rule)) = found.max_by_key(|(len, _)| *len)
            && let Some((host, repository)) = format!("{}{}", rule.prefix, &location[len..]).split_once('/')
        {
            (reference.host, reference.repository) = (host.to_owned(), repository.to_owned());
        }
        reference.to_string()
    }
}

/// The number of bytes of a location that a prefix matches.
fn matched(prefix: &str, location: &str) -> Option<usize> {
    if let Some(domain) = prefix.strip_prefix('*') {
        let host = location.split('/').next().unwrap_or_default();
        return (domain.starts_with('.') && host.ends_with(domain)).then_some(host.len());
    }
    let rest = location.strip_prefix(prefix)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(prefix.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONF: &str = r#"
unqualified-search-registries = ["docker.io"]
[[registry]]
prefix = "quay.io/org"
location = "inner.example.com/org"
[[registry.mirror]]
location = "mirror.example.com:5000/quay"
insecure = true
pull-from-mirror = "digest-only"
[[registry]]
prefix = "*.example.org"
location = "example.net"
[[registry]]
location = "blocked.io"
blocked = true
[aliases]
"till" = "quay.io/org/till"
"#;

    const SET: &str = "apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nspec:\n  imageDigestMirrors:\n  - source: redhat.io\n    mirrors: [m.io/redhat, n.io/redhat]\n    mirrorSourcePolicy: NeverContactSource\n---\nkind: ConfigMap\n";

    #[test]
    fn the_longest_prefix_says_where_an_image_comes_from() {
        let mut mirrors = Mirrors::default();
        mirrors.add_conf(CONF.as_bytes()).unwrap();
        mirrors.add_manifests(SET.as_bytes()).unwrap();
        let digest = format!("@sha256:{}", "a".repeat(64));
        let of = |text: &str| match mirrors.endpoints(&text.parse().unwrap()) {
            Ok(all) => all.iter().map(|it| format!("{}/{}", it.host, it.repository)).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        };
        for (text, expected) in [
            ("quay.io/org/x:1".to_owned(), "inner.example.com/org/x"),
            (format!("quay.io/org/x{digest}"), "mirror.example.com:5000/quay/x inner.example.com/org/x"),
            ("quay.io/organ/x:1".to_owned(), "quay.io/organ/x"),
            ("a.example.org/x:1".to_owned(), "example.net/x"),
            ("example.org/x:1".to_owned(), "example.org/x"),
            (format!("redhat.io/x{digest}"), "m.io/redhat/x n.io/redhat/x"),
            ("redhat.io/x:1".to_owned(), "`redhat.io/x` is blocked, and has no mirror for tags"),
            ("blocked.io/x:1".to_owned(), "`blocked.io/x` is blocked, and has no mirror for tags"),
        ] {
            assert_eq!(of(&text), expected, "{text}");
        }
        for (one, other, is_same) in [
            ("m.io/redhat/x:1", "redhat.io/x:1", true),
            ("n.io/redhat/x:1", "m.io/redhat/x:1", true),
            ("m.io/redhat/x:1", "redhat.io/x:2", false),
            ("m.io/redhats/x:1", "redhat.io/x:1", false),
            ("m.io/redhat/x:1@sha256:aa", "other.io/y@sha256:aa", true),
        ] {
            assert_eq!(mirrors.identity(one) == mirrors.identity(other), is_same, "{one} {other}");
        }
        assert_eq!(mirrors.alias("till"), Some("quay.io/org/till"));
        assert!(Mirrors::default().add_conf(b"[[registry").is_err());
    }
}
