//! Definitions and ClusterServiceVersions by their names only: their names, and the served versions.
//!
//! Schemas are nearly all of a definition's text, and a catalog holds hundreds of megabytes of them. `skim` jumps over
//! them and reads the form that Go's writers produce; [`read`] takes any form and reads everything.

use memchr::{memchr2, memmem};

use olmdex_text::json::{self, Reader, Value};
use olmdex_text::yaml;

/// A CustomResourceDefinition without its schemas.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// `metadata.name`: `<plural>.<group>`.
    pub name: String,
    /// The kind of its objects.
    pub kind: String,
    /// Whether it is of `apiextensions.k8s.io/v1beta1`.
    pub is_v1beta1: bool,
    /// `spec.version`, which only v1beta1 has, or empty.
    pub version: String,
    /// The items of `spec.versions`: the name, and whether it is served.
    pub versions: Vec<(String, bool)>,
}

/// A definition that a ClusterServiceVersion owns, as its `spec.customresourcedefinitions.owned` says it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Owned {
    /// The definition's name.
    pub name: String,
    /// The version of its API.
    pub version: String,
    /// The kind of its API.
    pub kind: String,
}

/// An object of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manifest {
    /// A CustomResourceDefinition.
    Definition(Outline),
    /// A ClusterServiceVersion, and the definitions that it owns.
    Csv(Vec<Owned>),
    /// Anything else.
    Other,
}

/// Reads an object, given as JSON or YAML.
pub fn read(object: &[u8]) -> Manifest {
    let text = json::decode_utf8(object);
    let mut reader = Reader::new();
    if let Ok(value) = reader.read(&text) {
        return manifest(value);
    }
    let mut converted = Vec::new();
    if yaml::to_json(object, &mut converted).is_err() {
        return Manifest::Other;
    }
    let text = json::decode_utf8(&converted);
    reader.read(&text).map_or(Manifest::Other, manifest)
}

fn manifest(value: Value<'_>) -> Manifest {
    let at = |path: &[&str]| path.iter().try_fold(value, |it, key| it.get(key));
    let text = |of: Option<Value<'_>>| of.and_then(|it| it.as_str()).unwrap_or_default().into_owned();
    let items = |path: &[&str]| at(path).into_iter().flat_map(|it| it.items());
    let api = text(at(&["apiVersion"]));
    match (api.split_once('/'), text(at(&["kind"])).as_str()) {
        (Some(("apiextensions.k8s.io", version)), "CustomResourceDefinition") => Manifest::Definition(Outline {
            name: text(at(&["metadata", "name"])),
            kind: text(at(&["spec", "names", "kind"])),
            is_v1beta1: version == "v1beta1",
            version: if version == "v1beta1" { text(at(&["spec", "version"])) } else { String::new() },
            versions: items(&["spec", "versions"])
                .map(|it| (text(it.get("name")), it.get("served").and_then(|it| it.as_bool()) == Some(true)))
                .collect(),
        }),
        (_, "ClusterServiceVersion") => Manifest::Csv(
            items(&["spec", "customresourcedefinitions", "owned"])
                .map(|it| Owned {
                    name: text(it.get("name")),
                    version: text(it.get("version")),
                    kind: text(it.get("kind")),
                })
                .collect(),
        ),
        _ => Manifest::Other,
    }
}

/// Reads an object of the form in which Go's writers produce it: compact JSON with sorted keys. `None` if it has
/// another form.
///
/// The reader takes the next field of the definition for the end of a schema. The default value of a schema could hold
/// the same text, so a finding must be confirmed with [`read`] before it is reported.
pub(crate) fn skim(object: &[u8]) -> Option<Manifest> {
    let mut scan = Scan { text: object, at: 0 };
    scan.eat(b"{\"apiVersion\":")?;
    let api = scan.text()?;
    scan.eat(b",\"kind\":")?;
    match (scan.text()?, api.strip_prefix("apiextensions.k8s.io/")) {
        ("CustomResourceDefinition", Some(version)) => {
            let mut outline = Outline { is_v1beta1: version == "v1beta1", ..Outline::default() };
            scan.rest_of_object(&mut |scan, key| match key {
                "metadata" => scan.object(&mut |scan, key| match key {
                    "name" => scan.text_into(&mut outline.name),
                    _ => scan.skip(),
                }),
                "spec" => scan.object(&mut |scan, key| scan.field_of_spec(key, &mut outline)),
                _ => scan.skip(),
            })?;
            scan.text[scan.at..].trim_ascii().is_empty().then_some(Manifest::Definition(outline))
        }
        ("CustomResourceDefinition", None) => None,
        ("ClusterServiceVersion", _) => {
            let mut owned = Vec::new();
            const KEY: &[u8] = b"\"customresourcedefinitions\":";
            if let Some(found) = memmem::find(&scan.text[scan.at..], KEY) {
                scan.at += found + KEY.len();
                scan.object(&mut |scan, key| match key {
                    "owned" => scan.list(&mut |scan| {
                        let mut it = Owned::default();
                        scan.object(&mut |scan, key| match key {
                            "name" => scan.text_into(&mut it.name),
                            "version" => scan.text_into(&mut it.version),
                            "kind" => scan.text_into(&mut it.kind),
                            _ => scan.skip(),
                        })?;
                        owned.push(it);
                        Some(())
                    }),
                    _ => scan.skip(),
                })?;
            }
            Some(Manifest::Csv(owned))
        }
        _ => Some(Manifest::Other),
    }
}

/// A place in a text of compact JSON. Every step gives `None` if the text differs from what it expects.
struct Scan<'t> {
    text: &'t [u8],
    at: usize,
}

/// Reads the value of a key.
type Field<'f, 't> = dyn FnMut(&mut Scan<'t>, &str) -> Option<()> + 'f;

impl<'t> Scan<'t> {
    fn eat(&mut self, token: &[u8]) -> Option<()> {
        let is_there = self.text[self.at..].starts_with(token);
        is_there.then(|| self.at += token.len())
    }

    /// A text without escapes.
    fn text(&mut self) -> Option<&'t str> {
        self.eat(b"\"")?;
        let rest = &self.text[self.at..];
        let end = memchr2(b'"', b'\\', rest)?;
        self.at += end + 1;
        (rest[end] == b'"').then(|| std::str::from_utf8(&rest[..end]).ok()).flatten()
    }

    fn text_into(&mut self, target: &mut String) -> Option<()> {
        self.text()?.clone_into(target);
        Some(())
    }

    fn boolean(&mut self) -> Option<bool> {
        self.eat(b"true").map(|()| true).or_else(|| self.eat(b"false").map(|()| false))
    }

    /// Any value.
    fn skip(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            let byte = *self.text.get(self.at)?;
            match byte {
                b'"' => loop {
                    self.at += 1;
                    self.at += memchr2(b'"', b'\\', self.text.get(self.at..)?)?;
                    if self.text[self.at] == b'"' {
                        break;
                    }
                    self.at += 1;
                },
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 0 => return None,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            let is_end = depth == 0 && matches!(self.text.get(self.at), None | Some(b',' | b'}' | b']'));
            if is_end {
                return Some(());
            }
        }
    }

    fn object(&mut self, field: &mut Field<'_, 't>) -> Option<()> {
        self.eat(b"{")?;
        if self.eat(b"}").is_some() {
            return Some(());
        }
        self.field(field)?;
        self.rest_of_object(field)
    }

    fn rest_of_object(&mut self, field: &mut Field<'_, 't>) -> Option<()> {
        while self.eat(b",").is_some() {
            self.field(field)?;
        }
        self.eat(b"}")
    }

    fn field(&mut self, field: &mut Field<'_, 't>) -> Option<()> {
        let key = self.text()?;
        self.eat(b":")?;
        field(self, key)
    }

    fn list(&mut self, item: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.eat(b"[")?;
        if self.eat(b"]").is_some() {
            return Some(());
        }
        item(self)?;
        while self.eat(b",").is_some() {
            item(self)?;
        }
        self.eat(b"]")
    }

    fn field_of_spec(&mut self, key: &str, outline: &mut Outline) -> Option<()> {
        match key {
            "names" => self.object(&mut |scan, key| match key {
                "kind" => scan.text_into(&mut outline.kind),
                _ => scan.skip(),
            }),
            "validation" => self.jump_behind_validation(),
            "version" if outline.is_v1beta1 => self.text_into(&mut outline.version),
            "versions" => self.list(&mut |scan| {
                let (mut name, mut is_served) = (String::new(), false);
                scan.object(&mut |scan, key| match key {
                    "name" => scan.text_into(&mut name),
                    "served" => scan.boolean().map(|it| is_served = it),
                    "schema" => scan.jump_behind_schema(),
                    _ => scan.skip(),
                })?;
                outline.versions.push((name, is_served));
                Some(())
            }),
            _ => self.skip(),
        }
    }

    /// Skips the schema of a version, after which `served` comes. A member `served` inside a schema is a schema, not a
    /// boolean.
    fn jump_behind_schema(&mut self) -> Option<()> {
        const NEXT: &[u8] = b"}},\"served\":";
        if !self.text[self.at..].starts_with(b"{\"openAPIV3Schema\":{") {
            return self.skip();
        }
        let rest = &self.text[self.at..];
        let found = memmem::find_iter(rest, NEXT).find(|it| matches!(rest.get(it + NEXT.len()), Some(b't' | b'f')))?;
        self.at += found + 2;
        Some(())
    }

    /// The schema of all versions, after which `version` or `versions` comes, the last fields of a definition's `spec`.
    fn jump_behind_validation(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        let last = |next: &[u8]| memmem::rfind(rest, next);
        self.at += 1 + last(b"},\"version\":\"").or_else(|| last(b"},\"versions\":["))?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(text: &str) -> Outline {
        match read(text.as_bytes()) {
            Manifest::Definition(it) => it,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn skimming_finds_what_reading_finds() {
        let head = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","#;
        let old = r#"{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition","#;
        let schema = r#"{"openAPIV3Schema":{"description":"a \"}},\"served\":true\" }","properties":{"a":{"items":{}},"served":{"type":"boolean"}}}}"#;
        let versions = format!(
            r#"[{{"name":"v1","schema":{schema},"served":true,"storage":true,"subresources":{{"status":{{}}}}}},{{"additionalPrinterColumns":[{{"name":"a"}}],"name":"v2","schema":{schema},"served":false,"storage":false}}]"#
        );
        let names = r#""group":"g","names":{"kind":"Thing","plural":"things"},"scope":"Namespaced""#;
        let meta = r#""metadata":{"annotations":{"a":"{\"name\":\"no\"}"},"creationTimestamp":null,"name":"things.g"}"#;
        let status = r#""status":{"acceptedNames":{"kind":"","plural":""},"conditions":[],"storedVersions":[]}"#;
        for text in [
            format!(r#"{head}{meta},"spec":{{{names},"versions":{versions}}},{status}}}"#),
            format!(r#"{head}{meta},"spec":{{{names},"version":"v9","versions":{versions}}}}}"#),
            format!(r#"{head}{meta},"spec":{{{names},"versions":[{{"name":"v1","schema":{{}},"served":true}}]}}}}"#),
            format!(r#"{old}{meta},"spec":{{{names},"validation":{schema},"version":"v2","versions":{versions}}},{status}}}"#),
            format!(r#"{old}{meta},"spec":{{{names},"validation":{schema},"version":"v2"}}}}"#),
            format!(r#"{old}{meta},"spec":{{{names},"validation":{schema},"versions":[]}}}}"#),
            r#"{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{},"spec":{"customresourcedefinitions":{"owned":[{"description":"a","kind":"Thing","name":"things.g","version":"v1"},{}],"required":[{"name":"x"}]}}}"#.to_owned(),
            r#"{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","spec":{}}"#.to_owned(),
            r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"things.g"}}"#.to_owned(),
        ] {
            assert_eq!(skim(text.as_bytes()).as_ref(), Some(&read(text.as_bytes())), "{text}");
            // A text that is cut is read as a whole, or it is of a kind that does not matter.
            for end in 0..text.len() {
                let cut = skim(&text.as_bytes()[..end]);
                assert!(!matches!(cut, Some(Manifest::Definition(_))), "{}", &text[..end]);
            }
        }
    }

    #[test]
    fn other_forms_are_read_as_a_whole() {
        for text in [
            "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: things.g}\nspec: {names: {kind: Thing}, version: v1, versions: [{name: v2, served: true}]}",
            r#"{"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1beta1", "metadata": {"name": "things.g"}, "spec": {"names": {"kind": "Thing"}, "version": "v1", "versions": [{"name": "v2", "served": true}]}}"#,
        ] {
            assert_eq!(skim(text.as_bytes()), None);
            let expected = Outline {
                name: "things.g".to_owned(),
                kind: "Thing".to_owned(),
                is_v1beta1: true,
                version: "v1".to_owned(),
                versions: vec![("v2".to_owned(), true)],
            };
            assert_eq!(definition(text), expected);
        }
        for text in ["", "null", "{", "[]", "\"\\", "{\"apiVersion\":\"a", "\u{0}"] {
            assert_eq!(read(text.as_bytes()), Manifest::Other, "{text:?}");
            let _ = skim(text.as_bytes());
        }
    }
}
