//! Small catalogs for tests, a line for each thing in them.

use std::fmt::Write as _;

/// A catalog that grows.
#[derive(Debug, Default)]
pub struct Catalog(String);

impl Catalog {
    /// A package with its default channel.
    pub fn package(mut self, name: &str, default_channel: &str) -> Self {
        writeln!(self.0, "---\nschema: olm.package\nname: {name}\ndefaultChannel: {default_channel}").unwrap();
        self
    }

    /// A channel; each entry is YAML, as `{name: p.v1.0.0, replaces: p.v0.9.0}`.
    pub fn channel(mut self, package: &str, name: &str, entries: &[&str]) -> Self {
        writeln!(self.0, "---\nschema: olm.channel\npackage: {package}\nname: {name}\nentries:").unwrap();
        for entry in entries {
            writeln!(self.0, "- {entry}").unwrap();
        }
        self
    }

    /// The bundle `PACKAGE.vVERSION`; each property except for its package is YAML, as `{type: olm.gvk, value: {…}}`.
    pub fn bundle(mut self, package: &str, version: &str, properties: &[&str]) -> Self {
        let name = format!("{package}.v{version}");
        writeln!(
            self.0,
            "---\nschema: olm.bundle\npackage: {package}\nname: {name}\nimage: quay.io/x/{package}:{version}"
        )
        .unwrap();
        writeln!(self.0, "properties:\n- {{type: olm.package, value: {{packageName: {package}, version: {version}}}}}")
            .unwrap();
        for property in properties {
            writeln!(self.0, "- {property}").unwrap();
        }
        self
    }

    /// Its text.
    pub fn yaml(self) -> String {
        self.0
    }
}
