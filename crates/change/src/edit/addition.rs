//! The addition of a bundle to a catalog: whether its package is new, which edges its entries get, how its manifests
//! are stored, and what the catalog has against it.

use std::collections::BTreeSet;
use std::path::Path;

use super::adding::at_level;
use super::catalog::{CatalogEdit, bundles_of};
use super::change::{Change, Edges};
use super::error::EditError;
use super::join::join;
use super::rules;
use super::verdict::EditEffects;
use olmdex_base::diag::Finding;
use olmdex_bundle::bundle::rules::{CatalogClaims, Claim, Contents, Validation};
use olmdex_fbc::{self as fbc, BUNDLE_OBJECT, CSV_METADATA, Input, Level, Name};
use olmdex_index::{Builder, CatalogSpec, Mode};
use olmdex_olm::resolve::ClosureError;
use olmdex_olm::upgrade::cut_advice;
use olmdex_text::json::{Reader, Tree};

/// A bundle that is to join a catalog, and how.
#[derive(Debug, Clone)]
pub struct Addition {
    /// The name of the bundle in messages.
    pub shown: String,
    /// Its blob, as [`bundle_in`] finds it.
    pub bundle: Tree,
    /// The channels that it joins.
    pub channels: Vec<String>,
    /// The edges that are not those of its ClusterServiceVersion, in words: see [`CatalogEdit::edges_named`].
    pub edges: Edges,
    /// How its manifests are stored; by default as those of the other bundles.
    pub level: Option<Level>,
    /// Whether channels that are not there yet begin with it.
    pub creates_channels: bool,
    /// Whether its package is created if it is not there yet.
    pub creates_package: bool,
    /// Whether it replaces an entry and a bundle of its name.
    pub replaces: bool,
}

/// The result of an [`Addition`].
#[derive(Debug)]
pub struct Added {
    /// The package.
    pub package: String,
    /// The effects on the catalog.
    pub effects: EditEffects,
    /// The edges of its entries; none if they keep those that they have.
    edges: Option<Edges>,
    /// The files that had documents of the package.
    near: BTreeSet<usize>,
}

impl Added {
    /// Whether its entries keep the edges that they have, so that there are no findings about it.
    pub fn keeps_edges(&self) -> bool {
        self.edges.is_none()
    }
}

/// The blob of the one bundle in a source; `None` for any other source.
pub fn bundle_in(input: &Input) -> Option<Tree> {
    let mut bundles = bundles_of(input);
    bundles.pop().filter(|_| bundles.is_empty())
}

impl Addition {
    /// Adds the bundle to a catalog, whose path is `root`. `remarks` gets sentences for the user, also if it fails.
    ///
    /// # Errors
    /// [`EditError`]; nothing has changed then.
    pub fn make(&self, root: &Path, catalog: &mut CatalogEdit, remarks: &mut Vec<String>) -> Result<Added, EditError> {
        let package = self.bundle.text_of_field("package").to_owned();
        let is_new = !catalog.packages().contains(&package);
        if is_new && !self.creates_package {
            let file = if root.is_file() { root.to_owned() } else { catalog.file_of_new(root, &package)? };
            let known = || EditError::unknown("package", &package, catalog.packages());
            let unknown = catalog.find(&Name::Plain(package.clone())).err().unwrap_or_else(known);
            return Err(EditError::NewPackage { unknown: Box::new(unknown), file });
        }
        if self.bundle.text_of_field("image").is_empty() {
            remarks.push(format!("`{}` names no image, and OLM v1 needs one: add `--image`", self.shown));
        }
        let options = catalog.edges_named(&package, &self.edges)?;
        let (mut reader, text) = (Reader::new(), self.bundle.compact());
        let blob = reader.read(&text).ok().and_then(|value| fbc::blob::decode(value, false).ok());
        let stated = blob.as_ref().map(Edges::stated_in).unwrap_or_default();
        let is_there = catalog.find(&Name::Plain(self.bundle.text_of_field("name").to_owned())).is_ok();
        let keeps_edges = self.replaces && is_there && options == Edges::default();
        remarks.extend(dropped(&options, &stated, keeps_edges));
        let edges = options.or(stated);
        let others = catalog.level_of(&package);
        let level = self.level.or(others).unwrap_or_default();
        let bundle = blob.and_then(|blob| at_level(&blob, level).transpose()).transpose()?;
        let bundle = bundle.unwrap_or_else(|| self.bundle.clone());
        remarks.extend(self.other_form(&bundle, level, others));
        let change = Change::Add {
            bundle,
            channels: self.channels.clone(),
            edges: edges.clone(),
            keeps_edges,
            creates_channels: self.creates_channels || is_new,
            replaces_itself: self.replaces,
        };
        let near = catalog.files_of(&package);
        let effects = match is_new {
            true => catalog.create_package(root, &package, &change)?,
            false => catalog.change(&package, &[change])?,
        };
        Ok(Added { package, effects, edges: (!keeps_edges).then_some(edges), near })
    }

    /// The remark that the manifests are stored otherwise than those of the other bundles.
    fn other_form(&self, bundle: &Tree, level: Level, others: Option<Level>) -> Option<String> {
        let has = |kind: &str| bundle.items_of("properties").iter().any(|it| it.text_of_field("type") == kind);
        let message = match has(CSV_METADATA) {
            false if level == Level::CsvMetadata && has(BUNDLE_OBJECT) => {
                "keeps its manifests, although the other bundles have `olm.csv.metadata`: olmdex can migrate only \
                 bundles with an image"
            }
            true if self.level.is_none() && others == Some(Level::None) => {
                "has `olm.csv.metadata`, although the other bundles have their manifests: to add manifests too, name \
                 the bundle itself"
            }
            _ => return None,
        };
        Some(format!("`{}` {message}", self.shown))
    }

    /// The findings about the bundle in the catalog as it was, as in `bundle --with`, with the edges that its entries
    /// have got. `contents` has the files of the bundle.
    ///
    /// # Errors
    /// If the catalog cannot be imported.
    pub fn findings(
        &self,
        added: &Added,
        catalog: &CatalogEdit,
        contents: &Contents,
    ) -> Result<Vec<Finding>, ClosureError> {
        let Some(edges) = &added.edges else { return Ok(Vec::new()) };
        let Some(newcomer) = Validation::new(contents).newcomer() else { return Ok(Vec::new()) };
        let needs_others =
            !(newcomer.required.is_empty() && newcomer.packages.is_empty() && newcomer.constraints.is_empty());
        let mut builder = Builder::in_memory().advised_by(cut_advice);
        let spec = CatalogSpec { name: "catalog".to_owned(), ..CatalogSpec::default() };
        // A bundle that needs nothing meets its own package only.
        let input = catalog.original();
        let near = (!needs_others).then(|| input.only(&added.near));
        builder.add_catalog(&spec, near.as_ref().unwrap_or(input), Mode::Tolerant)?;
        let index = builder.into_index()?;
        let is_meant = [
            (rules::NEW_PACKAGE.id, self.creates_package),
            (rules::NEW_CHANNEL.id, true),
            (rules::NAME_TAKEN.id, self.replaces),
            (rules::VERSION_TAKEN.id, self.replaces),
        ];
        let mut findings: Vec<Finding> = Vec::new();
        for channel in &self.channels {
            for finding in join(&index, &as_entry(&newcomer, channel, edges))? {
                let is_meant = is_meant.iter().any(|(id, is_meant)| finding.rule.id == *id && *is_meant);
                let is_same = |it: &Finding| it.message == finding.message && it.place == finding.place;
                if !is_meant && !findings.iter().any(is_same) {
                    findings.push(finding);
                }
            }
        }
        Ok(findings)
    }
}

/// The edges of the ClusterServiceVersion that are not used.
fn dropped(options: &Edges, stated: &Edges, keeps_edges: bool) -> Vec<String> {
    let skips = |it: &Edges| it.skips.as_ref().map(|it| it.join(","));
    let edges = [
        ("replaces", "--replaces", options.replaces.clone(), stated.replaces.clone()),
        ("skips", "--skips", skips(options), skips(stated)),
        ("olm.skipRange", "--skip-range", options.skip_range.clone(), stated.skip_range.clone()),
    ];
    let sentence = |(field, option, given, stated): (&str, &str, Option<String>, Option<String>)| {
        let stated = stated?;
        let why = match given {
            Some(given) if given == stated => return None,
            Some(_) => format!("`{option}` overrides it"),
            None if keeps_edges => format!("the entry keeps its edges; `{option}` changes them"),
            None => return None,
        };
        Some(format!("`{field}: {stated}` of the ClusterServiceVersion is not used: {why}"))
    };
    edges.into_iter().filter_map(sentence).collect()
}

/// A bundle as the entry of a channel that it becomes.
fn as_entry(newcomer: &CatalogClaims, channel: &str, edges: &Edges) -> CatalogClaims {
    let place = newcomer.replaces.as_ref().map_or(&newcomer.name.place, |it| &it.place).clone();
    let replaces = edges.replaces.clone().filter(|it| !it.is_empty());
    let skip = |it: &String| {
        let stated = newcomer.skips.iter().find(|stated| stated.it == *it);
        let place = stated.map_or(&newcomer.name.place, |it| &it.place).clone();
        Claim { it: it.clone(), place }
    };
    CatalogClaims {
        channels: Claim { it: vec![channel.to_owned()], place: newcomer.channels.place.clone() },
        replaces: replaces.map(|it| Claim { it, place }),
        skips: edges.skips.iter().flatten().map(skip).collect(),
        skip_range: edges.skip_range.clone().unwrap_or_default(),
        ..newcomer.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const CATALOG: &str = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\n\
        name: c\nentries:\n- name: p.v1\n---\nschema: olm.bundle\npackage: p\nname: p.v1\nimage: q.io/p:1\n\
        properties:\n- type: olm.package\n  value: {packageName: p, version: 1.0.0}\n";

    /// The entries afterwards, or the error with its help, and the remarks.
    fn made(bundle: &str, change: fn(&mut Addition)) -> (Result<String, String>, String) {
        let input = Input::bytes("c.yaml", Arc::from(CATALOG.as_bytes()));
        let mut catalog = CatalogEdit::new(input);
        let mut addition = Addition {
            shown: "b".to_owned(),
            bundle: Tree::read(bundle).unwrap(),
            channels: vec!["c".to_owned()],
            edges: Edges::default(),
            level: None,
            creates_channels: false,
            creates_package: false,
            replaces: false,
        };
        change(&mut addition);
        let mut remarks = Vec::new();
        let added = addition.make(Path::new("catalog"), &mut catalog, &mut remarks);
        let entries = |text: &str| {
            let lines = text.lines().skip_while(|line| !line.starts_with("entries")).skip(1);
            lines.take_while(|line| *line != "---").map(str::trim).collect::<Vec<_>>().join(" ")
        };
        let result = added.map(|_| catalog.files().map(|it| entries(&it.after)).collect());
        (result.map_err(|error| format!("{error}; {}", error.help())), remarks.join("; "))
    }

    #[test]
    fn a_bundle_gets_the_edges_that_are_asked_for_or_stated() {
        let metadata = |skips: &str| {
            let value = format!(r#"{{"annotations":{{"olm.skipRange":"{skips}"}}}}"#);
            format!(
                r#"{{"schema":"olm.bundle","package":"p","name":"p.v2","image":"q.io/p:2","properties":[
                {{"type":"olm.package","value":{{"packageName":"p","version":"2.0.0"}}}},
                {{"type":"olm.csv.metadata","value":{value}}}]}}"#
            )
        };
        let (plain, other) = (metadata("<2.0.0"), metadata("<2.0.0").replace("\"p\"", "\"q\""));
        type Asked = fn(&mut Addition);
        let cases: [(&str, Asked, Result<&str, &str>, &str); 5] = [
            (&plain, |_| (), Ok("- name: p.v1 - name: p.v2 replaces: p.v1 skipRange: <2.0.0"), ""),
            (
                &plain,
                |it| it.edges = Edges { skip_range: Some("<1.5.0".to_owned()), ..Edges::default() },
                Ok("- name: p.v1 - name: p.v2 replaces: p.v1 skipRange: <1.5.0"),
                "`olm.skipRange: <2.0.0` of the ClusterServiceVersion is not used: `--skip-range` overrides it",
            ),
            (
                &plain,
                |it| it.edges.replaces = Some("1.0.0".to_owned()),
                Ok("- name: p.v1 - name: p.v2 replaces: p.v1 skipRange: <2.0.0"),
                "",
            ),
            (
                &plain,
                |it| it.edges.replaces = Some("q@1.0.0".to_owned()),
                Err("no package `q`; the only one is `p`"),
                "",
            ),
            (
                &other,
                |_| (),
                Err("no package or bundle `q`; `--create-package` creates the package with this \
                     bundle, in `catalog/q.yaml`"),
                "",
            ),
        ];
        for (bundle, asked, expected, remarks) in cases {
            let (result, said) = made(bundle, asked);
            assert_eq!(result.as_deref().map_err(String::as_str), expected);
            assert_eq!(said, remarks);
        }
    }
}
