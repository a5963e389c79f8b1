//! The file: sorted TOML without times, with one value a line, so that differences are easy to read.

use std::fmt::Write as _;

use serde::Deserialize;

use super::error::ParseError;
use olmdex_base::diag::is_hidden;
use olmdex_olm::upgrade::Olm;

/// The version of the form.
const VERSION: i64 = 1;

/// The first line.
const HEADER: &str = "# Written by olmdex. Do not edit; run `olmdex lock update`.\n";

/// A lock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    /// The catalogs that the operators are of, by name.
    pub catalogs: Vec<LockedCatalog>,
    /// The operators, by package, catalog and channel.
    pub operators: Vec<LockedOperator>,
}

/// A catalog as it was when something was locked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedCatalog {
    /// Its name.
    pub name: String,
    /// The source that it was read from, as the user gave it.
    #[serde(default)]
    pub source: String,
    /// The digest of its content: of its documents, in whatever files they are.
    pub digest: String,
    /// The image that it came from, by digest; empty if it came from no image.
    #[serde(default)]
    pub image: String,
}

/// A pinned operator.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LockedOperator {
    /// The package.
    pub package: String,
    /// The catalog.
    pub catalog: String,
    /// The generation of OLM that installs it.
    pub olm: Olm,
    /// The channel; empty if a ClusterExtension names none.
    #[serde(default)]
    pub channel: String,
    /// The requested range of versions; empty for the newest.
    #[serde(default)]
    pub constraint: String,
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// Its image.
    #[serde(default)]
    pub image: String,
    /// The digest of the bundle's blob.
    pub checksum: String,
    /// The digest of the entry in the channel; empty without a channel.
    #[serde(default)]
    pub entry: String,
    /// Its images.
    pub images: Images,
    /// The packages that need it; empty for requested packages.
    #[serde(default)]
    pub required_by: Vec<String>,
    /// The reasons why they need it, in words.
    #[serde(default)]
    pub because: Vec<String>,
}

/// The images of a bundle, its own among them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Images {
    /// The digest of the sorted references, one a line.
    Digest(String),
    /// The references, sorted.
    List(Vec<String>),
}

#[derive(Deserialize)]
struct Head {
    version: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    #[serde(rename = "version")]
    _version: i64,
    #[serde(default)]
    catalog: Vec<LockedCatalog>,
    #[serde(default)]
    operator: Vec<LockedOperator>,
}

impl Lock {
    /// Reads a lock.
    ///
    /// # Errors
    /// [`ParseError`]
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let is_marker = |line: &str| ["<<<<<<< ", ">>>>>>> ", "||||||| "].iter().any(|it| line.starts_with(it));
        if let Some(at) = text.lines().position(is_marker) {
            return Err(ParseError::Conflict(at + 1));
        }
        let wrong = |error: toml::de::Error| ParseError::Toml(error.to_string().trim_end().to_owned());
        // A newer form may have fields that this one does not know, so the version is read first.
        let head: Head = toml::from_str(text).map_err(wrong)?;
        if head.version != VERSION {
            return Err(ParseError::Version(head.version));
        }
        let Form { catalog, operator, .. } = toml::from_str(text).map_err(wrong)?;
        let mut lock = Self { catalogs: catalog, operators: operator };
        lock.sort();
        Ok(lock)
    }

    /// Brings it into its order.
    pub fn sort(&mut self) {
        self.catalogs.sort_by(|a, b| a.name.cmp(&b.name));
        let key = |it: &LockedOperator| (it.package.clone(), it.catalog.clone(), it.channel.clone(), it.bundle.clone());
        self.operators.sort_by_cached_key(key);
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut out = format!("{HEADER}version = {VERSION}\n");
        for it in &self.catalogs {
            out.push_str("\n[[catalog]]\n");
            put(&mut out, "name", &it.name);
            put_some(&mut out, "source", &it.source);
            put(&mut out, "digest", &it.digest);
            put_some(&mut out, "image", &it.image);
        }
        for it in &self.operators {
            out.push_str("\n[[operator]]\n");
            put(&mut out, "package", &it.package);
            put(&mut out, "catalog", &it.catalog);
            put(&mut out, "olm", it.olm.as_str());
            put_some(&mut out, "channel", &it.channel);
            put_some(&mut out, "constraint", &it.constraint);
            put(&mut out, "bundle", &it.bundle);
            put(&mut out, "version", &it.version);
            put_some(&mut out, "image", &it.image);
            put(&mut out, "checksum", &it.checksum);
            put_some(&mut out, "entry", &it.entry);
            match &it.images {
                Images::Digest(digest) => put(&mut out, "images", digest),
                Images::List(list) => put_list(&mut out, "images", list),
            }
            if !it.required_by.is_empty() {
                put_list(&mut out, "required-by", &it.required_by);
                put_list(&mut out, "because", &it.because);
            }
        }
        out
    }
}

fn put(out: &mut String, key: &str, value: &str) {
    out.push_str(key);
    out.push_str(" = ");
    quote(out, value);
    out.push('\n');
}

fn put_some(out: &mut String, key: &str, value: &str) {
    if !value.is_empty() {
        put(out, key, value);
    }
}

fn put_list(out: &mut String, key: &str, values: &[String]) {
    out.push_str(key);
    out.push_str(" = [");
    for value in values {
        out.push_str("\n  ");
        quote(out, value);
        out.push(',');
    }
    out.push_str(if values.is_empty() { "]\n" } else { "\n]\n" });
}

/// A basic string of TOML.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    for it in text.chars() {
        match it {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // They could mislead a reader of the difference.
            it if is_hidden(it) => {
                // Writing into a `String` does not fail.
                let _ = match u32::from(it) {
                    code @ ..=0xFFFF => write!(out, "\\u{code:04X}"),
                    code => write!(out, "\\U{code:08X}"),
                };
            }
            it => out.push(it),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock() -> Lock {
        let operator = LockedOperator {
            package: "till \"x\"\\\n\u{202e}\u{7f}".to_owned(),
            catalog: "shop".to_owned(),
            olm: Olm::Classic,
            channel: "stable".to_owned(),
            constraint: String::new(),
            bundle: "till.v1.0.0".to_owned(),
            version: "1.0.0".to_owned(),
            image: String::new(),
            checksum: "sha256:00".to_owned(),
            entry: "sha256:01".to_owned(),
            images: Images::List(vec!["a".to_owned(), "b".to_owned()]),
            required_by: vec!["web".to_owned()],
            because: vec!["web requires it".to_owned()],
        };
        let catalog =
            LockedCatalog { name: "shop".to_owned(), digest: "sha256:02".to_owned(), ..LockedCatalog::default() };
        Lock { catalogs: vec![catalog], operators: vec![operator] }
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(Lock::parse(&lock().text()).unwrap(), lock());
    }

    #[test]
    fn what_is_not_a_lock_is_refused() {
        let text = lock().text();
        assert_eq!(Lock::parse(&text.replace("version = 1\n", "version = 2\nnew = 1\n")), Err(ParseError::Version(2)));
        let conflict = text.replace("[[operator]]", "<<<<<<< ours\n[[operator]]");
        assert!(matches!(Lock::parse(&conflict), Err(ParseError::Conflict(8))), "{conflict}");
        for wrong in ["", "version = 1\nx = 1", "version = 1\n[[operator]]\npackage = 1", "\u{0}", "version = "] {
            assert!(matches!(Lock::parse(wrong), Err(ParseError::Toml(_))), "{wrong}");
        }
    }
}
