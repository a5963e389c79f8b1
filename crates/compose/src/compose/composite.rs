//! Converts composite files of the old forms to `olmdex.toml`: opm's composite templates (`docs/behaviour/authoring.md`
//! C.1), in one file or two, and the list of references from which a script puts a catalog together.

use std::fmt::Write as _;

use serde::Deserialize;

use olmdex_text::yaml;

/// The fields of one of its documents.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Document {
    schema: String,
    catalogs: Vec<Catalog>,
    components: Vec<Component>,
    name: String,
    repo: String,
    tag: String,
    references: Vec<Reference>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Catalog {
    name: String,
    destination: Destination,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Destination {
    base_image: String,
    working_dir: String,
    path: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Component {
    name: String,
    destination: Destination,
    strategy: Strategy,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Strategy {
    template: Template,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Template {
    schema: String,
    config: Config,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Config {
    input: String,
    output: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Reference {
    name: String,
    image: String,
}

/// The schema of components.
const COMPONENTS: &str = "olm.composite";

/// The schema of catalogs, which has the destinations of components.
const CATALOGS: &str = "olm.composite.catalogs";

/// Reads a file of an old form; `None` if it is something else. `shown` is its name in messages.
pub fn of_composite(shown: &str, text: &[u8]) -> Option<String> {
    let mut catalogs: Vec<Catalog> = Vec::new();
    let mut components: Vec<Component> = Vec::new();
    let mut lists: Vec<Document> = Vec::new();
    let expansion = olmdex_text::json::Expansion::default();
    for chunk in yaml::split(text, 1) {
        let mut json = Vec::new();
        yaml::to_json_within(&chunk.ok()?.text, &mut json, &expansion).ok()?;
        let document: Document = serde_json::from_slice(&json).ok()?;
        match document.schema.as_str() {
            COMPONENTS => components.extend(document.components),
            CATALOGS => catalogs.extend(document.catalogs),
            "" if !document.name.is_empty() && !document.references.is_empty() => lists.push(document),
            _ => return None,
        }
    }
    if catalogs.is_empty() && components.is_empty() && lists.is_empty() {
        return None;
    }
    let mut toml = format!("# The content of {}, as olmdex.toml. Paths are relative to this file.\n", one_line(shown));
    let known = |name: &str| catalogs.iter().any(|it| it.name == name);
    let mut names: Vec<&str> = catalogs.iter().map(|it| it.name.as_str()).collect();
    for component in &components {
        if !known(&component.name) && !names.contains(&component.name.as_str()) {
            names.push(&component.name);
        }
    }
    for name in names {
        let catalog = catalogs.iter().find(|it| it.name == name);
        let own: Vec<&Component> = components.iter().filter(|it| it.name == name).collect();
        write_catalog(&mut toml, name, catalog, &own);
    }
    for list in &lists {
        write_list(&mut toml, list);
    }
    Some(toml)
}

/// A catalog of a composite template.
fn write_catalog(toml: &mut String, name: &str, catalog: Option<&Catalog>, components: &[&Component]) {
    let made: Vec<(&Component, &str)> = components.iter().filter_map(|it| Some((*it, key_of(it)?))).collect();
    // Writing into a `String` does not fail.
    let _ = writeln!(toml, "\n[catalogs.{}]", quoted(name));
    for component in components.iter().filter(|it| key_of(it).is_none()) {
        let Template { schema, config } = &component.strategy.template;
        let (schema, output) = (one_line(schema), one_line(&config.output));
        let _ =
            writeln!(toml, "# Left out: the output of `{schema}`. Create `{output}` yourself, and add it as `source`.");
    }
    let directory = catalog.map(|it| it.destination.working_dir.as_str()).filter(|it| !it.is_empty());
    // A single component fills its directory alone; a directory may also hold files that others have put there.
    let is_joined = made.len() == 1 && directory.is_some();
    match (directory, made.as_slice()) {
        (Some(directory), [(only, _)]) if !only.destination.path.is_empty() => {
            let directory = directory.trim_end_matches('/');
            let _ = writeln!(toml, "destination = {}", quoted(&format!("{directory}/{}", only.destination.path)));
        }
        (Some(directory), _) => drop(writeln!(toml, "destination = {}", quoted(directory))),
        (None, _) => toml.push_str("# destination = \"the workingDir of the file with the catalogs\"\n"),
    }
    if let Some(base) = catalog.map(|it| it.destination.base_image.as_str()).filter(|it| !it.is_empty()) {
        let _ = writeln!(toml, "base-image = {}", quoted(base));
    }
    if !made.iter().all(|it| it.0.strategy.template.config.output.ends_with(".json")) {
        toml.push_str("format = \"yaml\"\n");
    }
    if made.iter().any(|it| it.1 == "template") {
        toml.push_str(
            "# Templates need their bundles: `bundles = [\"DIR\"]`, `from = [\"CATALOG\"]`, or `pull = true`.\n",
        );
    }
    toml.push_str("components = [\n");
    for (component, key) in made {
        let input = quoted(&component.strategy.template.config.input);
        let path = &component.destination.path;
        let path = if path.is_empty() || is_joined { String::new() } else { format!(", path = {}", quoted(path)) };
        let _ = writeln!(toml, "    {{ {key} = {input}{path} }},");
    }
    toml.push_str("]\n");
}

/// The key that names the input of a component; `None` if a command makes it.
fn key_of(component: &Component) -> Option<&'static str> {
    match component.strategy.template.schema.as_str() {
        "olm.builder.basic" | "olm.builder.semver" => Some("template"),
        "olm.builder.raw" => Some("source"),
        _ => None,
    }
}

/// A list of references.
fn write_list(toml: &mut String, list: &Document) {
    // Writing into a `String` cannot fail.
    let _ = writeln!(toml, "\n[catalogs.{}]\ndestination = {}", quoted(&list.name), quoted(&list.name));
    toml.push_str("format = \"yaml\"\n");
    if !list.repo.is_empty() {
        let tag = if list.tag.is_empty() { String::new() } else { format!(":{}", list.tag) };
        let _ = writeln!(toml, "image = {}", quoted(&format!("{}{tag}", list.repo)));
    }
    toml.push_str("components = [\n");
    for Reference { name, image } in &list.references {
        let path = if name.is_empty() { String::new() } else { format!(", path = {}", quoted(name)) };
        let _ = writeln!(toml, "    {{ source = {}{path} }},", quoted(&format!("docker://{image}")));
    }
    toml.push_str("]\n");
}

/// A text in quotes: TOML reads the escapes of JSON, except for one character that only TOML wants escaped.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// A text that ends no comment.
fn one_line(text: &str) -> String {
    text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_composite_is_none() {
        for text in [
            "",
            "schema: olm.package\nname: a\n",
            "schema: olm.semver\n",
            "a: [",
            "[catalogs.a]\nsource = 'a'\n",
            "7",
            "null",
        ] {
            assert_eq!(of_composite("x", text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn no_text_gets_out_of_its_quotes() {
        let text = "schema: olm.composite\ncomponents:\n- name: \"a\\\"]\\n[findings]\\nignore = ['ALL']\"\n  strategy: {template: {schema: \"x\\n[findings]\", config: {output: \"y\\nz = 1\"}}}\n- name: \"a\\\"]\\n[findings]\\nignore = ['ALL']\"\n  destination: {path: \"\\x7f\\\"\"}\n  strategy: {template: {schema: olm.builder.raw, config: {input: \"'''\\\"\"}}}\n";
        let converted = of_composite("x\n[findings]", text.as_bytes()).unwrap();
        let read: toml::Table = toml::from_str(&converted).unwrap();
        assert_eq!(read.keys().collect::<Vec<_>>(), ["catalogs"]);
        assert_eq!(read["catalogs"].as_table().unwrap().len(), 1);
    }
}
