//! The parts of composite templates, which opm does not have any more (`docs/behaviour/authoring.md` C.1): each
//! component renders on its own.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::template_file::MAX_TEMPLATE;
use olmdex_base::file::{is_inside, read_regular_of};
use olmdex_fbc::Sight;
use olmdex_text::json::Tree;
use olmdex_text::{json, yaml};

/// The schema of a document with components.
const COMPONENTS: &str = "olm.composite";

/// The most files that are read for one composite template: it is small, and each of them may have four MiB.
const MAX_PARTS: usize = 100;

/// A component of a composite template.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompositePart {
    /// The catalog that it is a part of.
    pub catalog: String,
    /// The path of its template or catalog, as the composite template writes it.
    pub input: String,
}

impl CompositePart {
    /// The components of a composite template, each file once for each catalog; none of another text, and none of one
    /// with more than a hundred.
    pub fn all_of(text: &[u8]) -> Vec<Self> {
        let mut found = BTreeSet::new();
        // Every template is asked, and few are composites.
        if memchr::memmem::find(text, COMPONENTS.as_bytes()).is_none() {
            return Vec::new();
        }
        for chunk in yaml::split(text, 1) {
            let mut converted = Vec::new();
            let Ok(chunk) = chunk else { return Vec::new() };
            if yaml::to_json(&chunk.text, &mut converted).is_err() {
                return Vec::new();
            }
            let Ok(document) = Tree::read(&json::decode_utf8(&converted)) else { return Vec::new() };
            if document.text_of("schema") != COMPONENTS {
                continue;
            }
            for component in document.items_of("components") {
                let template = component.get("strategy").and_then(|strategy| strategy.get("template"));
                let config = template.and_then(|template| template.get("config"));
                let input = config.map(|config| config.text_of("input")).unwrap_or_default().to_owned();
                let part = Self { catalog: component.text_of("name").to_owned(), input };
                if !part.input.is_empty() {
                    found.insert(part);
                }
            }
        }
        if found.len() > MAX_PARTS { Vec::new() } else { found.into_iter().collect() }
    }

    /// The path of its file, and the text. `composite` is the path of the composite template: a file outside of its
    /// directory is not read, since the template may come from a stranger.
    ///
    /// # Errors
    /// If the file cannot be read, or is not one of OLM.
    pub fn read(&self, composite: &Path) -> io::Result<(PathBuf, Arc<[u8]>)> {
        let directory = match composite.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let path = if directory == Path::new(".") { PathBuf::from(&self.input) } else { directory.join(&self.input) };
        if !is_inside(&path, directory) {
            return Err(io::Error::other("it is not below the directory of the composite template"));
        }
        let text = read_regular_of(&path, MAX_TEMPLATE)?;
        if Sight::Found.hides(&text) {
            return Err(io::Error::other("it is not a file of OLM"));
        }
        Ok((path, Arc::from(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composite(components: &[(&str, &str)]) -> String {
        let component = |(name, input): &(&str, &str)| {
            format!(
                "- name: {name}\n  strategy: {{template: {{schema: olm.builder.basic, config: {{input: {input}}}}}}}\n"
            )
        };
        format!("schema: olm.composite\ncomponents:\n{}", components.iter().map(component).collect::<String>())
    }

    #[test]
    fn each_file_is_a_part_once() {
        let text = composite(&[("a", "x.yaml"), ("a", "x.yaml"), ("b", "x.yaml")]);
        let parts = CompositePart::all_of(text.as_bytes());
        assert_eq!(parts.iter().map(|part| part.catalog.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        for other in ["", "7", "a: [", "schema: olm.semver\n", "schema: olm.composite\ncomponents: 7\n"] {
            assert_eq!(CompositePart::all_of(other.as_bytes()), [], "{other}");
        }
        let names: Vec<String> = (0..=MAX_PARTS).map(|number| format!("{number}.yaml")).collect();
        let many: Vec<(&str, &str)> = names.iter().map(|name| ("a", name.as_str())).collect();
        assert_eq!(CompositePart::all_of(composite(&many[1..]).as_bytes()).len(), MAX_PARTS);
        assert_eq!(CompositePart::all_of(composite(&many).as_bytes()), []);
    }

    #[test]
    fn a_part_is_below_the_composite_and_of_olm() {
        let scratch = olmdex_base::file::Scratch::make(&std::env::temp_dir()).unwrap();
        let (root, inner) = (scratch.path(), scratch.path().join("inner"));
        std::fs::create_dir(&inner).unwrap();
        for path in [root.join("outside.yaml"), inner.join("t.yaml")] {
            std::fs::write(path, "schema: olm.semver\n").unwrap();
        }
        std::fs::write(inner.join("secret.yaml"), "password: one\n").unwrap();
        std::os::unix::fs::symlink("../outside.yaml", inner.join("link.yaml")).unwrap();
        let outside = root.join("outside.yaml").display().to_string();
        for (input, is_read) in [
            ("t.yaml", true),
            ("../inner/t.yaml", true),
            ("../outside.yaml", false),
            ("link.yaml", false),
            (outside.as_str(), false),
            ("secret.yaml", false),
            ("none.yaml", false),
            (".", false),
        ] {
            let part = CompositePart { catalog: "a".to_owned(), input: input.to_owned() };
            assert_eq!(part.read(&inner.join("composite.yaml")).is_ok(), is_read, "{input}");
        }
    }
}
